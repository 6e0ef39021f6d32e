"""``weft nccl diagnose`` reads tables of GPUs, adapters and hosts that people paste (weekly checks, exports of
monitoring, burn-in reports): the row that shows the fault, and the same table without one."""

from __future__ import annotations

import pytest

from assistant import api, library
from assistant.network.diagnosis import diagnose_text

CATALOG = library.load().catalog
WEEKLY = "host gpu ecc_cor_week ecc_unc_week remap_pending remap_fail T_max gemm_tf nvlink_ok"
EXPORT = "host   gpu  util%  sm_clk  T_gpu  P_W   xid  thr_hw_therm  thr_sw_pwr"
FABRIC = "node  hca     link  rate  gid3               pcie_speed  pcie_width  bw_pair_Gbs  link_verdict"


def alarms(text: str) -> list[tuple[str, int | None]]:
    return [(each.code, each.line) for each in diagnose_text(text, CATALOG).findings if each.severity != "info"]


def said(text: str, code: str) -> str:
    return next(each.message for each in diagnose_text(text, CATALOG).findings if each.code == code)


def rows(head: str, usual: str, hosts: int = 3, per_host: int = 4, odd: dict[int, str] | None = None) -> str:
    """A table with a row for each GPU: the usual values, and for some rows others."""
    made = [f"n{host:02d} {gpu} {usual}" for host in range(hosts) for gpu in range(per_host)]
    for at, row in (odd or {}).items():
        made[at] = f"{' '.join(made[at].split()[:2])} {row}"
    return f"{head}\n" + "\n".join(made) + "\n"


def adapters(odd: dict[tuple[int, int], str] | None = None, hosts: int = 4) -> str:
    made = [
        f"w-{host}  mlx5_{n}  Up  400G  ::ffff:10.6{n}.0.{host}  {(odd or {}).get((host, n), '32GT/s  x16  390.2')}  OK"
        for host in range(hosts)
        for n in range(4)
    ]
    return f"nightly rail check\n{FABRIC}\n" + "\n".join(made) + "\n16 of 16 links OK\n"


GOOD_WEEK, GOOD_EXPORT = "1 0 No No 64 641 18/18", "99 1920 59 700 0 0 0"


def test_one_gpu_of_a_weekly_check_has_errors_of_memory():
    text = rows(WEEKLY, GOOD_WEEK, odd={6: "31 7 Yes Yes 66 641 18/18"})
    assert alarms(text) == [("gpu-errors-counted", 8)]
    told = said(text, "gpu-errors-counted")
    assert "GPU 2 of n01" in told and "ecc_unc_week is 7 (the others: 0)" in told and "remap_fail is Yes" in told


@pytest.mark.parametrize("row", ["48 0 No No 64 641 18/18", "0 0 No No 84 641 18/18", "0 0 No No 64 560 18/18"])
def test_corrected_errors_heat_alone_and_what_scatters_are_no_fault(row):
    assert not alarms(rows(WEEKLY, GOOD_WEEK, odd={6: row}))


def test_one_gpu_of_an_export_slows_itself_down_for_heat():
    text = rows(EXPORT, GOOD_EXPORT, odd={5: "99 1118 91 571 0 1 0"})
    assert alarms(text) == [("thermal-slowdown", 7)]
    told = said(text, "thermal-slowdown")
    assert "GPU 1 of n01" in told and "sm_clk is 1118 (the others: 1920)" in told and "T_gpu is 91" in told


def test_a_low_clock_under_load_is_told_and_that_of_an_idle_gpu_is_not():
    assert alarms(rows(EXPORT, GOOD_EXPORT, odd={5: "99 1118 60 420 0 0 0"})) == [("gpu-clock-low", 7)]
    assert not alarms(rows(EXPORT, GOOD_EXPORT, odd={5: "0 345 38 90 0 0 0"}))
    without = "host gpu sm_clk T_gpu xid"
    assert not alarms(rows(without, "1920 59 0", odd={5: "345 38 0"}))
    assert alarms(rows(without, "1920 59 0", odd={5: "1118 91 0"})) == [("gpu-clock-low", 7)]


def test_one_adapter_of_a_fabric_check_has_fewer_lanes():
    text = adapters({(2, 1): "32GT/s  x4  117.2"})
    assert alarms(text) == [("pcie-lanes-lost", 12)]
    told = said(text, "pcie-lanes-lost")
    assert "mlx5_1 of w-2" in told and "pcie_width is x4 (the others: x16)" in told and "bw_pair_Gbs is 117.2" in told
    assert not alarms(adapters())


def test_an_adapter_that_measures_less_is_told_without_a_column_of_lanes_too():
    assert alarms(adapters({(2, 1): "32GT/s  x16  117.2"})) == [("adapter-slower", 12)]
    assert alarms(adapters({(2, 1): "16GT/s  x16  196.0"})) == [("pcie-lanes-lost", 12)]


def test_an_adapter_that_all_hosts_have_like_that_is_made_so():
    assert not alarms(adapters({(host, 3): "16GT/s  x8  98.1" for host in range(4)}))
    assert not alarms(adapters({(host, 3): "16GT/s  x8  98.1" for host in range(2)}, hosts=2))


@pytest.mark.parametrize("sep", [" | ", " │ ", ",", ", ", "\t", ";"])
def test_columns_may_be_drawn_apart(sep):
    text = rows(WEEKLY, GOOD_WEEK, odd={6: "0 7 No Yes 66 641 18/18"})
    drawn = "\n".join(sep.join(line.split()) for line in text.splitlines())
    assert alarms(drawn) == [("gpu-errors-counted", 8)]


def test_names_of_columns_may_have_spaces():
    head = "Host    GPU  GPU Util %  SM Clock (MHz)  GPU Temp (C)  HW Thermal Slowdown"
    table = [f"n{n}  {g}  98  1965  60  Not Active" for n in range(2) for g in range(4)]
    assert not alarms("\n".join([head, *table]))
    table[3] = "n0  3  98  1200  89  Active"
    assert alarms("\n".join([head, *table])) == [("thermal-slowdown", 5)]


def test_a_headline_that_names_errors_tells_of_none():
    head = "GPU   Uncorrectable ECC   Row Remap Failure   HW Slowdown   Power (W)"
    table = [f"{g}     0                   No                  Not Active    690" for g in range(8)]
    assert not alarms("\n".join([head, *table]))
    table[3] = "3     4                   Yes                 Not Active    690"
    assert alarms("\n".join([head, *table])) == [("gpu-errors-counted", 5)]


def test_a_launcher_names_the_host_before_every_line():
    lines = [f"n{n}: {g} 0 No 64" for n in range(3) for g in range(4)]
    head = "gpu ecc_unc remap_fail T_max"
    text = "\n".join(f"n{n}: {head}\n" + "\n".join(lines[4 * n : 4 * n + 4]) for n in range(3))
    assert not alarms(text)
    assert "GPU 2 of n1" in said(text.replace("n1: 2 0 No", "n1: 2 9 Yes"), "gpu-errors-counted")


@pytest.mark.parametrize("words", ["idle", "drained", "maint", "drain*"])
def test_a_row_out_of_work_as_meant_accuses_nobody(words):
    head = "host gpu state util sm_clk ecc_unc"
    assert alarms(rows(head, "alloc 97 1920 0", odd={4: "alloc 97 1100 3"}))
    assert not alarms(rows(head, "alloc 97 1920 0", odd={4: f"{words} 97 1100 3"}))


def test_a_word_of_settings_in_every_row_leaves_none_out():
    head = "host gpu mig persistence util sm_clk T_gpu"
    assert alarms(rows(head, "Off Disabled 97 1920 60", odd={4: "Off Disabled 97 1100 60"})) == [("gpu-clock-low", 6)]


def test_ports_of_a_switch_that_are_slower_are_of_another_kind():
    lines = ["port state speed width fec", *(f"{n} Active 400G 4x RS" for n in range(1, 17)), "17 Active 100G 4x RS"]
    assert not alarms("\n".join([*lines, "18 Down 10G 1x -"]))


def test_the_link_of_an_idle_gpu_is_of_an_older_generation_by_design():
    assert not alarms(rows("host gpu pcie_gen ecc_unc T_gpu", "5 0 60", odd={4: "1 0 40"}))
    assert not alarms(rows("host gpu util pcie_gen", "97 5", odd={4: "0 1"}))
    assert alarms(rows("host gpu util pcie_gen", "97 5", odd={4: "97 1"})) == [("pcie-lanes-lost", 6)]


def test_rows_that_sum_up_others_accuse_nobody():
    text = rows("host gpu ecc_unc gemm_tf", "0 650")
    assert not alarms(f"{text}total - 5 7800\nmin 0 0 12\n")


def test_more_than_a_quarter_of_the_rows_is_no_outlier():
    assert not alarms(rows(EXPORT, GOOD_EXPORT, odd={at: "99 1118 60 500 0 0 0" for at in range(4)}))
    assert len(alarms(rows(EXPORT, GOOD_EXPORT, odd={at: "99 1118 60 500 0 0 0" for at in range(3)}))) == 3


def test_a_row_of_another_kind_of_device_is_compared_with_its_like():
    head = "host gpu model util sm_clk gemm_tf"
    assert not alarms(rows(head, "H100 99 1920 650", hosts=4, odd={at: "A100 99 1400 250" for at in range(3)}))


def test_words_that_are_not_known_and_counters_of_a_life_say_nothing():
    assert not alarms(rows("host gpu util ecc_unc(life) frobs seed", "99 0 0 11", odd={2: "99 4 9 99"}))
    assert not alarms(rows("host gpu ecc_unc link_downed(life/delta) gemm_tf", "0 4/0 650", odd={2: "0 9/0 650"}))


def test_a_link_that_went_down_again_and_again():
    head = "host nic rate link_downed"
    assert not alarms(rows(head, "400G 0", odd={2: "400G 1"}))
    assert alarms(rows(head, "400G 0", odd={2: "400G 14"})) == [("link-recurs", 4)]


def test_fewer_links_between_gpus_and_results_that_are_wrong():
    assert alarms(rows(WEEKLY, GOOD_WEEK, odd={6: "0 0 No No 64 641 16/18"})) == [("nvlink-down", 8)]
    head = "host gpu burn_err dbe TFLOPS_avg TFLOPS_min"
    assert not alarms(rows(head, "0 0 640 633"))
    assert alarms(rows(head, "0 0 640 633", odd={3: "18 0 640 633"})) == [("wrong-results", 5)]
    assert alarms(rows(head, "0 0 640 633", odd={3: "0 0 402 396"})) == [("gpu-slower", 5)]


def test_errors_are_wrong_results_where_a_test_calculates():
    head = "server gpu gflops errors maxtemp"
    assert alarms(rows(head, "61200 0 66", odd={3: "61100 12 66"})) == [("wrong-results", 5)]
    assert not alarms(rows("server gpu util errors maxtemp", "97 0 66", odd={3: "97 12 66"}))


@pytest.mark.parametrize("sep", ["  ", " | ", ","])
def test_a_host_that_failed_a_check_is_named_with_the_column(sep):
    """ "one FAIL among PASS": of a table whose columns nobody described, with a threshold in its headline."""
    good = [["n-1", "PASS", "PASS", "PASS", "PASS"], ["n-2", "PASS", "SKIP", "PASS", "PASS"]]
    head = ["HOST", "NVLINK", "ECC", "RDMA_BW (>= 380)", "RESULT"]
    bad = ["n-3", "PASS", "PASS", "FAIL (190.1)", "NOT OK"]
    assert not alarms("\n".join(map(sep.join, [head, *good])))
    text = "\n".join(map(sep.join, [head, *good, bad, ["n-4", *good[0][1:]]]))
    assert alarms(text) == [("check-failed", 4)]
    assert "n-3 did not pass: RDMA_BW (>= 380), RESULT" in said(text, "check-failed")


def test_what_failed_and_then_passed_or_is_no_verdict_is_no_fault():
    assert not alarms("host first again verdict\nn1 PASS PASS PASS\nn2 FAIL PASS PASS\nn3 PASS PASS PASS")
    assert not alarms("host jobs last_job state\nn1 4 FAILED idle\nn2 4 COMPLETED alloc\nn3 5 COMPLETED alloc")


def test_a_table_with_a_row_for_each_test_names_the_test():
    text = "TEST         STATUS   SECONDS\ngpu_count    PASSED   1\nib_write_bw  FAILED   40\nnvlink       PASSED   3"
    assert alarms(text) == [("check-failed", 3)] and "ib_write_bw" in said(text, "check-failed")


def test_counts_of_failed_checks_are_nothing_where_all_are_nothing():
    head = "host tests passed failed"
    assert not alarms("\n".join([head, *(f"n{n} 12 12 0" for n in range(4))]))
    assert alarms("\n".join([head, *(f"n{n} 12 12 0" for n in range(4)), "n4 12 11 1"])) == [("check-failed", 6)]


@pytest.mark.parametrize(("value", "code"), [("79", "gpu-off-the-bus"), ("48,63", "gpu-memory-error"), ("31", None)])
def test_a_column_of_xid_errors_is_read_as_the_kernels_lines_are(value, code):
    text = rows("host gpu xid T_gpu", "0 60", odd={5: f"{value} 60"})
    assert alarms(text) == ([(code, 7)] if code else [])
    assert code is None or "GPU 1 of n01: " in said(text, code)


def test_an_adapter_whose_link_is_slower_than_that_of_the_same_one_elsewhere():
    table = [f"gpu-{h} mlx5_{n} Active {200 if (h, n) == (2, 1) else 400} 48.9" for h in range(4) for n in range(4)]
    assert alarms("\n".join(["NODE HCA STATE RATE(Gb/s) loopback_GBs", *table])) == [("adapter-slower", 11)]


def test_a_host_of_a_check_by_host_stays_behind():
    lines = ["node gemm_tf nvlink_bw_GBs verdict", *(f"c-{n} 64{n} 355 PASS" for n in range(8))]
    assert not alarms("\n".join(lines))
    lines[3] = "c-2 410 355 PASS"
    assert alarms("\n".join(lines)) == [("slow-host", 4)]


def test_rows_of_a_gpu_in_time_are_taken_together():
    def series(clock: str) -> str:
        times = (f"10:0{t} {g} 99 {clock if (t, g) == (2, 1) else 1920}" for t in range(5) for g in range(4))
        return "time gpu util sm_clk\n" + "\n".join(times)

    assert not alarms(series("1100"))  # once
    assert alarms(series("1100").replace(" 1 99 1920", " 1 99 1105")) == [("gpu-clock-low", 19)]


def rdma(counts: dict[tuple[int, int], int], usual: int = 12) -> str:
    def line(host: int, n: int) -> str:
        lost = counts.get((host, n), usual)
        return f"link mlx5_{n}/1 rx_write_requests 77 out_of_sequence {lost} packet_seq_err {lost // 100} rnr_nak 0"

    return "\n".join(f"n{host}: {line(host, n)}" for host in range(4) for n in range(4))


def ethtool(counts: dict[int, int], usual: int = 0) -> str:
    return "\n".join(
        f"[root@gpu-{host} ~]# ethtool -S ens1f0\nNIC statistics:\n     rx_discards_phy: {counts.get(host, usual)}"
        for host in range(4)
    )


def perfquery(counts: dict[int, int], usual: int = 0) -> str:
    return "\n".join(
        f"# Port counters: Lid {lid} port 1 (CapMask: 0x5A00)\n"
        f"SymbolErrorCounter:..............{counts.get(lid, usual)}\nPortXmitDiscards:................{usual}"
        for lid in range(1, 6)
    )


def columns(counts: dict[int, int], usual: int = 40) -> str:
    made = (f"n{host}  mlx5_0  {counts.get(host, usual)}  0" for host in range(5))
    return "\n".join(["host hca out_of_sequence local_ack_timeout_err", *made])


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        (rdma({(2, 1): 812345}), "packets-lost-on-one", 10, "mlx5_1 on n2 loses or repeats far more"),
        (ethtool({3: 50000}), "packets-lost-on-one", 12, "ens1f0 on gpu-3 loses"),
        (perfquery({4: 4021}), "link-errors-on-one", 11, "SymbolErrorCounter is 4,021 (the others: 0)"),
        (columns({1: 90311}), "packets-lost-on-one", 3, "mlx5_0 of n1 loses"),
    ],
)
def test_an_adapter_that_loses_far_more_than_its_siblings(text, code, line, says):
    assert (code, line) in alarms(text) and says in said(text, code)


@pytest.mark.parametrize(
    "text",
    [
        rdma({(2, 1): 90}),
        rdma({}, 250000),
        ethtool({3: 600}),
        ethtool({}, 400000),
        perfquery({4: 20}),
        columns({1: 90}),
    ],
)
def test_what_adapters_lost_since_their_start_is_no_fault_where_it_is_little_or_the_same_on_all(text):
    assert not alarms(text)


def test_what_was_compared_is_told():
    found = diagnose_text(rows(WEEKLY, GOOD_WEEK), CATALOG)
    assert any("rows of tables" in each for each in found.checked)


def test_monitoring_data_is_a_note_and_no_alarm(tmp_path):
    log = tmp_path / "dashboard.txt"
    head = "time    tok/s_M  step_s  gpu_util%  sm_clk_MHz  T_avg  nic_err/s\n"
    log.write_text(
        "Dashboard export\n" + head + "".join(f"0{n}:00   2.05  4.06  98.9  1755  62  0\n" for n in range(6))
    )
    (found,) = api.diagnose(log).files
    assert [(each.code, each.severity, each.line) for each in found.findings] == [("not-recognised", "info", 2)]
    assert "gpu_util%" in found.findings[0].message
    assert alarms("nothing of the kind\nat all\n") == [("not-recognised", 1)]
