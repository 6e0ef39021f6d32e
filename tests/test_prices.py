"""What a user relies on with ``weft prices``: what stands where and how old it is, what another list changes, and that
a list only ever adds to their own catalog."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assistant import library
from assistant.library import load
from assistant.library.price_changes import compared
from assistant.library.price_lists import read
from assistant.library.questionnaires import read_one
from assistant.planning import Begun, begun
from assistant.planning.dearer import when_dearer
from assistant.planning.flips import Charging
from assistant.present.prices import _unturned, changes, deciding
from assistant.vocabulary.plan import RentalOffer, Warning_
from assistant.vocabulary.prices import Dearer
from tests.program import weft

CATALOG = load().catalog
EXAMPLE = str(Path(__file__).parents[1] / "knowledge" / "examples" / "llama-70b-pretraining.yaml")
LAMBDA = "8× H100 (gpu_8x_h100_sxm5)"
SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone
gpu_8x_h100_sxm5,H100,8.0,208,1800,29.52,16.0,us-east-1,us-east-1a
gpu_8x_h100_sxm5,H100,8.0,208,1800,29.52,12.0,us-east-1,us-east-1b
gpu_8x_new_thing,Q9,8.0,208,1800,9.00,,us-east-1,
cpu_4x,,,4,16,0.12,,us-east-1,
"""
OWN = """provider,instance,gpu,gpus,fabric,tier,region_scope,usd_per_gpu_hour,date,source,trust
coreweave,gd-8xh100ib-i128,h100-sxm,8,infiniband-ndr-400,on-demand,us,5.50,2026-11-10,a mail,high
coreweave,gd-8xh200ib-i128,h200-sxm,8,infiniband-ndr-400,on-demand,us,1.00,2020-01-01,a mail,high
coreweave,,h100-sxm,8,,on-demand,us,1.00,2026-11-10,a mail,high
somebody,p1,h100-sxm,8,,on-demand,us,1.00,2026-11-10,a mail,high
lambda,3-year rental estimate,h100-sxm,8,,reserved-3y,us,1.00,2026-11-10,a mail,high
"""


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "catalog.yaml"


def file(folder: Path, text: str, name: str = "list.csv") -> Path:
    made = folder / name
    made.write_text(text, encoding="utf-8")
    return made


def lamdas_price(**options) -> float:
    offers = load(**options).catalog.providers["lambda"].offers
    return next(offer for offer in offers if offer.name == LAMBDA).hour_price.value


def test_a_file_of_the_public_catalog_is_of_the_cloud_it_is_named_after_and_counts_by_gpu(tmp_path, home):
    listed = file(tmp_path, SKYPILOT, "lambda.csv")
    shipped = lamdas_price()
    seen = weft("prices", "--update", str(listed), "--date", "2026-11-20")
    assert (
        seen.code == 0
        and "3.690" in seen.out
        and "gpu_8x_new_thing" in seen.out
        and "1 line without a price" in " ".join(seen.out.split())
    )
    library._load.cache_clear()
    assert home.stat().st_mode & 0o077 == 0, "what is paid is nobody else's to read"
    assert str(home) in seen.err and lamdas_price() == pytest.approx(3.69) != shipped
    spot = next(o for o in load().catalog.providers["lambda"].offers if o.name == LAMBDA).hour_price_spot
    assert spot.value == 1.5, "of the zones of a region the cheapest"
    assert "day of a list" in weft("prices", "--help").out and weft("prices", "--update", str(listed)).code == 2


def test_a_list_is_added_once_and_what_was_in_the_catalog_stays(tmp_path, home):
    home.parent.mkdir()
    mine = "# mine\ngpus:\n  h100-sxm:\n    hour_price: {value: 1, unit: USD/GPU-h, source: us, date: 2026-11-02}"
    home.write_text(mine, encoding="utf-8")
    listed = str(file(tmp_path, OWN))
    assert weft("prices", "--update", listed, "--dry-run").code == 0 and home.read_text(encoding="utf-8") == mine
    weft("prices", "--update", listed)
    library._load.cache_clear()  # a command is a process of its own
    once = home.read_text(encoding="utf-8")
    assert once.startswith(mine) and load().catalog.gpus["h100-sxm"].hour_price.value == 1
    assert "nothing was written" in weft("prices", "--update", listed).err
    assert home.read_text(encoding="utf-8") == once
    ours, theirs = CATALOG.providers["coreweave"].offers, load().catalog.providers["coreweave"].offers
    assert [offer.name for offer in ours] == [offer.name for offer in theirs], "no offer is lost"
    assert sum(len(o.prices) for o in theirs) == sum(len(o.prices) for o in ours) + 1, "and no price"


def test_each_price_is_told_beside_ours_and_what_is_no_offers_is_left_alone(tmp_path):
    found = read(file(tmp_path, OWN), today=datetime.date(2026, 11, 20))
    changed, old, bare, nobody = sorted(compared(found.prices, CATALOG), key=lambda one: one.listed.line)
    assert changed.outcome == "changed" and changed.offer.startswith("HGX H100") and changed.was.price.value > 5.5
    assert old.outcome == "kept" and "ours is newer" in old.why
    assert (bare.outcome, bare.missing) == ("absent", ("its network",)), (
        "no price is put on a machine with a network that the list does not name"
    )
    assert nobody.outcome == "absent" and "no provider somebody" in nobody.why
    assert [one.why for one in found.left_out] == ['"3-year rental estimate" is no list price of one offer']


def test_the_lowest_price_of_a_market_is_that_of_spot_machines_and_no_other(tmp_path):
    head = "provider,gpu,gpus,tier,price_usd_per_hour,price_usd_per_gpu_hour,spot_usd_per_gpu_hour,date\n"
    lines = ["spheron,H200,8,marketplace,9.52,,1.19", "spheron,H200,1,marketplace,1.19,1.19,1.19"]
    for line in lines:
        (floor,) = read(file(tmp_path, f"{head}{line},2026-05-24\n"), today=datetime.date(2026, 11, 20)).prices
        assert (floor.tier, floor.usd) == ("spot", 1.19)
    dearer = file(tmp_path, f"{head}spheron,H200,8,marketplace,36.32,,1.19,2026-05-24\n")
    assert {(one.tier, one.usd) for one in read(dearer, today=datetime.date(2026, 11, 20)).prices} == {
        ("on-demand", 4.54),
        ("spot", 1.19),
    }


@pytest.mark.parametrize(
    ("instance", "of"),
    [
        ("gpu_8x_h100_sxm5", LAMBDA),
        ("lambda-h100-sxm-on-demand", LAMBDA),  # says nothing that the line does not say elsewhere
        ("", LAMBDA),
        ("gpu_8x_h100_other", None),
        ("8x h100 without a disk", None),
    ],
)
def test_no_machine_of_another_name_gives_an_offer_its_price(tmp_path, instance, of):
    lines = f"provider,instance,gpu,gpus,usd_per_gpu_hour,date\nlambda,{instance},h100-sxm,8,2.00,2026-11-10\n"
    [found] = compared(read(file(tmp_path, lines), today=datetime.date(2026, 11, 20)).prices, CATALOG)
    assert found.offer == of and (of or found.outcome == "absent")
    assert of or found.why == f"Lambda has no offer of the name {instance} in the catalog"


@pytest.mark.parametrize(
    ("line", "of"),
    [
        ('voltage-park,"H100 InfiniBand",NVIDIA H100,8,', "HGX H100 with InfiniBand"),
        ("voltage-park,our finest,NVIDIA H100,8,infiniband", "HGX H100 with InfiniBand"),
        ("voltage-park,our finest,NVIDIA H100,8,", None),
        ("voltage-park,our finest,NVIDIA H100,8,roce", None),
        ("voltage-park,our finest,NVIDIA H100,,infiniband", None),
        ('voltage-park,"H100 without InfiniBand",NVIDIA H100,8,', None),
        ('voltage-park,"H100 (no InfiniBand)",NVIDIA H100,8,', None),
        ('voltage-park,"H100 non-InfiniBand",NVIDIA H100,8,', None),
        ('voltage-park,"H100 without InfiniBand",NVIDIA H100,8,infiniband', "HGX H100 with InfiniBand"),
    ],
)
def test_the_one_offer_with_that_gpu_number_and_network_is_found_under_another_name_and_told(tmp_path, line, of):
    lines = f"provider,instance,gpu,gpus,fabric,usd_per_gpu_hour,date\n{line},2.09,2026-11-10\n"
    [found] = compared(read(file(tmp_path, lines), today=datetime.date(2026, 11, 20)).prices, CATALOG)
    assert found.offer == of and bool(found.found_by) is bool(of)
    assert of or "no InfiniBand" not in line or 'says "no InfiniBand", not which network it has' in found.why
    told = " ".join(str(block) for block in changes([found], 0))
    assert (of is None) is ("another name" not in told)


LISTED = """provider,instance,gpu,gpus,fabric,tier,usd_per_gpu_hour,date
runpod,secure cloud pod,h100-sxm,1,none,reserved-3m,2.50,2026-11-10
nebius,gpu-h100-sxm 8gpu,h100-sxm,8,infiniband-ndr-400,6-month commitment,3.10,2026-11-10
nebius,gpu-h200-sxm_8gpu-128vcpu-1600gb,H200,8.0,,on-demand,5.00,2026-11-10
spheron,marketplace,gb200,1,none,preemptible,3.00,2026-11-10
verda,verda-a100-sxm-40gb-on-demand,NVIDIA A100 SXM4,1,,on-demand,0.70,2026-11-10
azure,NV6ads A10 v5,A10,0.167,,on-demand,2.72,2026-11-10
"""


def test_the_names_and_terms_of_lists_that_go_round_find_our_offers(tmp_path):
    found = read(file(tmp_path, LISTED), today=datetime.date(2026, 11, 20))
    matched = {one.listed.line: one for one in compared(found.prices, CATALOG)}
    assert {line: (one.offer, one.listed.tier, one.listed.months) for line, one in matched.items()} == {
        2: ("Secure Cloud H100 SXM", "reserved", 3),
        3: ("8× gpu-h100-sxm with InfiniBand", "reserved", 6),
        4: ("8× gpu-h200-sxm with InfiniBand", "on-demand", None),
        5: ("Marketplace GB200", "spot", None),
        6: ("1× A100 40 GB", "on-demand", None),
    }
    assert [one.why for one in found.left_out] == ["0.167 of a GPU is no machine of the catalog"] and not found.bad


@pytest.mark.parametrize(
    ("column", "wrong", "told"),
    [
        ("instance", "a\0b", 'expected printable text, got "a�b"'),
        ("usd_per_gpu_hour", "cheap", 'expected a number above 0, got "cheap"'),
        ("usd_per_gpu_hour", "-1", 'expected a number above 0, got "-1"'),
        ("usd_per_gpu_hour", "€4.10", 'expected US dollars, got "€4.10"'),
        ("date", "04/05/2026", '"04/05/2026" is 4 May 2026 or 5 April 2026: expected a day such as 2026-05-04'),
        ("date", "soon", 'expected a day such as 2026-11-02, got "soon"'),
        ("date", "2099-01-01", "expected a day that is past"),
        ("tier", "free", "expected one of on-demand"),
        ("trust", "blind", "expected one of high, medium, low"),
        ("provider", "", "expected the name of a provider"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_nothing_is_written(tmp_path, home, column, wrong, told):
    header, first, *rest = OWN.splitlines()
    cells = first.split(",")
    cells[header.split(",").index(column)] = wrong
    listed = file(tmp_path, "\n".join([header, first, ",".join(cells), *rest]))
    seen = weft("prices", "--update", str(listed))
    assert seen.code == 2 and f"{listed}:3 {column}: {told}" in seen.err and "nothing was written" in seen.err
    assert seen.err.startswith("weft: nothing was written: 1 line cannot be read"), "it is said before the table"
    assert not home.exists()


@pytest.mark.parametrize(
    ("parted_by", "price", "day"),
    [
        (",", "$4.10", "20/11/2026"),
        (",", "4.10 USD", "11/20/2026"),
        (";", '"4,10"', "20.11.2026"),
        (";", "4,10", "2026-11-20"),
    ],
)
def test_prices_and_days_are_read_as_a_spreadsheet_writes_them(tmp_path, parted_by, price, day):
    cells = ["coreweave", "gd-8xh100ib-i128", "h100-sxm", price, day]
    header = ["Provider", "Instance", "GPU", "Price per GPU-hour", "Date"]
    text = "\n".join(parted_by.join(row) for row in (header, cells))
    found = read(file(tmp_path, text), today=datetime.date(2026, 11, 24))
    assert [(one.usd, one.date) for one in found.prices] == [(4.1, datetime.date(2026, 11, 20))] and not found.bad


def test_what_is_no_list_of_prices_is_refused_in_a_sentence(tmp_path):
    for text in ("", "a,b\n1,2\n", "provider,instance,price\nx,y,1\n"):
        assert weft("prices", "--update", str(file(tmp_path, text))).code == 2


def test_a_quotation_mark_that_is_not_closed_is_told_with_its_line(tmp_path, home):
    header, first, second, *_ = OWN.splitlines()
    for more in (1, 10_000):  # the second is longer than what a field may hold
        listed = file(tmp_path, "\n".join([header, first, second.replace("a mail", '"a mail'), *[first] * more]))
        seen = weft("prices", "--update", str(listed))
        assert seen.code == 2 and f"{listed}:3: not valid CSV" in seen.err and seen.err.count("\n") == 1
    assert not home.exists()


def test_ages_and_what_decides_are_shown_for_a_job(home):
    seen = weft("prices", EXAMPLE)
    assert seen.code == 0 and "WHERE PRICES STAND" in seen.out and "CoreWeave" in seen.out
    made = begun(read_one(Path(EXAMPLE), CATALOG), load(), index=None)
    taken, dearer = made.plan.offers[made.plan.recommendation.offer], when_dearer(made)
    [_, table, *_] = deciding([("a job", made.plan, dearer)], datetime.date(2026, 11, 20))
    [row] = table.rows
    assert row[1] == f"{taken.provider}: {taken.instance}" and row[2] == f"${taken.usd_per_gpu_hour:.2f}"
    told = float(row[4].partition(" ")[0].removeprefix("$"))
    assert told == dearer.usd and row[5] == dearer.then
    assert _taken_at(made, taken, told) == dearer.then, "planned again at the price as told another is taken,"
    below = f"{taken.provider}: {taken.instance}, {taken.fabric}"
    assert _taken_at(made, taken, 0.99 * told) == below, "and just below it is not"
    same = Warning_(
        code="stale-price-decides", message=f"An old price decides: {taken.instance} at {taken.provider} at"
    )
    other = same.model_copy(update={"message": "An old price decides: another at elsewhere at"})
    aged = made.plan.model_copy(update={"warnings": [same, other]})
    [*_, listed] = deciding([("a job", aged, dearer)], datetime.date(2026, 11, 20))
    assert list(listed.items) == [f"a job: {other.message}"], "the turn of one price is told once, in the table"


def _taken_at(made: Begun, taken: RentalOffer, usd: float) -> str:
    charging = Charging(taken.provider, taken.usd_per_gpu_hour, usd)
    offered = made.pipeline.decide(made.made.job.questionnaire, charging=charging).choice.chosen
    return f"{offered.price.offered.provider}: {offered.price.offered.offer.name}, {offered.id}"


def test_where_no_price_turns_a_plan_none_is_told(home, tmp_path):
    """A network that was given: "turns at $132" was printed, and nothing turned there. One that somebody else lets too
    is had from them instead, at the price at which it is."""
    plain = "knowledge/examples/qwen-7b-finetuning-tcp.yaml"
    text = Path(plain).read_text(encoding="utf-8").replace("fabric: ethernet-tcp-100", "fabric: aws-efa-v2")
    seen = weft("prices", plain, str(file(tmp_path, text, "of-one-cloud.yaml")))
    said = " ".join(seen.out.split())
    turned, held = said.split("of-one-cloud ")  # a table, or a list where that is too wide for the terminal
    assert re.search(r"finetuning-tcp aws\b.* \$[\d.]+ \(\+\d+ %\),? gcp\b", turned)
    assert re.search(r"^aws\b.* –,? none at what was tried, up to \$", held)
    assert "+1815" not in said


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (Dearer(None, None), "no other offer runs it"),
        (Dearer(None, None, rivals=3), "no other offer costs more"),
        (Dearer(None, "aws: p5", rivals=3), "nothing tried"),
        (Dearer(None, "aws: p5", 3.35, 3), "up to $3.35"),
    ],
)
def test_what_was_tried_is_told_where_no_price_turns_a_plan(found, told):
    assert told in _unturned(found)


@pytest.mark.parametrize(
    ("text", "usd", "told"),
    [
        ("Provider,GPU,GPUs,Network,Price ($/GPU-hour),Date\nSF Compute,H100,8,InfiniBand,$1.90,20.11.2026\n", 1.9, ""),
        ("Provider;GPU;Network;Price per GPU-hour;Date\nTogether AI;H100;InfiniBand NDR;$3,05;2026-11-20\n", 3.05, ""),
        ("Provider,GPU,GPUs,Network,Price ($/GPU-hour),Date\nSF Compute,H100,8,RoCE,$1.90,20.11.2026\n", 1.9,
         '"RoCE" is no network of h100-sxm at SF Compute in the catalog: expected InfiniBand NDR 400 Gb/s or '
         "No network between nodes"),
    ],
)  # fmt: skip
def test_a_list_as_people_write_it_finds_the_offer_or_says_that_it_is_the_network(tmp_path, text, usd, told):
    found = read(file(tmp_path, text), today=datetime.date(2026, 11, 21))
    (one,) = compared(found.prices, CATALOG)
    assert (one.listed.usd, one.listed.date) == (usd, datetime.date(2026, 11, 20))
    assert one.why == told if told else one.outcome == "changed"


def test_a_list_for_a_job_says_what_it_changes_of_its_plan(tmp_path, home):
    text = "provider,gpu,gpus,network,price per GPU-hour,date\nSF Compute,H100,8,InfiniBand,0.50,2026-11-20\n"
    seen = weft("prices", EXAMPLE, "--update", str(file(tmp_path, text)), "--dry-run")
    assert "without a price" not in seen.out and seen.out.startswith("1 price: 1 changed.")
    told = " ".join(seen.out.split())  # whatever the width of the screen
    assert "llama-70b-pretraining: Voltage Park" in told and "→ SF Compute: Kubernetes cluster H100" in told
    assert not home.exists()


def test_lists_that_are_added_at_once_are_all_there(tmp_path, home):
    """The catalog as it is when it is written is added to, not as it was when the list was read."""
    script = (
        "import sys; from pathlib import Path; from assistant.commands import prices\n"
        "for i in range(20): prices._append(Path(sys.argv[1]), f'# {sys.argv[2]}-{i}\\n')"
    )
    several = [subprocess.Popen([sys.executable, "-c", script, str(home), str(number)]) for number in range(3)]
    assert [one.wait(60) for one in several] == [0, 0, 0]
    assert sorted(home.read_text().split("\n")[:-1]) == sorted(f"# {a}-{i}" for a in range(3) for i in range(20))


def test_a_line_that_may_be_several_machines_says_the_column_that_settles_it(tmp_path):
    several = file(tmp_path, "provider,gpu,tier,usd_per_gpu_hour,date\nlambda,h100-sxm,on-demand,1.50,2026-11-20\n")
    told = " ".join(weft("prices", "--update", str(several), "--dry-run").out.split())
    assert "8× H100" in told and "name the one in a column instance" in told
