"""What is sold: offers, their networks and their prices."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from assistant import library
from assistant.library import catalog as reader
from assistant.vocabulary.catalog import Offer, Provider
from tests.program import weft

JOB = str(Path(__file__).parents[1] / "knowledge" / "examples" / "llama-70b-pretraining.yaml")
CATALOG = library.load().catalog
CATALOG_FOLDER = library.load().knowledge_folder / "catalog"
BARE = {"name": "a cluster", "gpu": "b200", "gpus_per_node": 8, "fabrics": ["aws-efa-v3"], "source": "x"}
BARE["date"] = "2026-11-02"


def offer(**more) -> Offer:
    return Offer.model_validate({**BARE, **more})


def listed(tier: str, value: float, date: str, **more) -> dict:
    return {"tier": tier, "price": {"value": value, "unit": "USD/GPU-h", "source": "x", "date": date}, **more}


def test_the_rate_of_an_offer_is_that_of_its_adapters_and_not_of_the_fabrics_usual_ones():
    fabric = CATALOG.fabrics["aws-efa-v3"]
    assert fabric.line_rate.value == 200
    b200, b300 = offer(nics_per_node=8, gbps_per_nic=400), offer(nics_per_node=16, gbps_per_nic=400)
    assert (b200.gbps_per_gpu, b300.gbps_per_gpu) == (400, 800)
    assert (b200.nics_on(fabric), b300.nics_on(fabric)) == (16, 32)
    assert offer(nics_per_node=16).nics_on(fabric) == 16, "without a rate of its own the fabric's holds"
    assert offer().gbps_per_gpu is None and offer().nics_on(fabric) is None


def test_adapters_between_the_gpus_are_not_those_of_the_ethernet_beside_them():
    tcp, infiniband = CATALOG.fabrics["ethernet-tcp-100"], CATALOG.fabrics["infiniband-ndr-400"]
    both = offer(fabrics=["roce-v2-400", "ethernet-tcp-100", "infiniband-ndr-400"], nics_per_node=8, gbps_per_nic=400)
    assert both.nics_on(tcp) is None and both.nics_on(infiniband) == 8
    assert offer(fabrics=["ethernet-tcp-100"], nics_per_node=4, gbps_per_nic=100).nics_on(tcp) == 4
    assert offer(fabrics=["none"], nics_per_node=1, gbps_per_nic=20).gbps_per_gpu is None


def test_the_short_keys_are_the_first_prices_and_are_written_back_once():
    fact = {"value": 3.2, "unit": "USD/GPU-h", "source": "our contract", "date": "2026-11-02"}
    short = offer(hour_price=fact, hour_price_spot=fact | {"value": 1.1})
    assert [(price.tier, price.price.value) for price in short.prices] == [("on-demand", 3.2), ("spot", 1.1)]
    assert (short.hour_price.value, short.hour_price_spot.value) == (3.2, 1.1)
    again = Offer.model_validate(short.model_dump(mode="json"))
    assert again.prices == short.prices


def test_the_price_to_reckon_with_is_the_newest_that_can_be_trusted_in_the_usual_region():
    def price(*prices: dict, tier: str = "on-demand", **more) -> float | None:
        found = offer(prices=list(prices)).price(tier, **more)
        return found and found.price.value

    here, there = {"region": "us-east-1"}, {"region": "eu-north-1"}
    assert price() is None
    assert price(listed("on-demand", 5, "2026-01-01", **here), listed("on-demand", 6, "2026-06-01", **here)) == 6
    assert price(listed("on-demand", 5, "2026-01-01", **here), listed("on-demand", 6, "2026-06-01", **there)) == 5
    doubtful = listed("on-demand", 2, "2026-09-01", trust="low", **here)
    assert price(doubtful, listed("on-demand", 5, "2026-01-01", **here)) == 5
    assert price(doubtful, listed("on-demand", 7, "2026-01-01", **there)) == 7, "elsewhere before not to be trusted"
    assert price(doubtful) == 2
    assert price(listed("on-demand", 5, "2026-01-01", **here), listed("spot", 1, "2026-01-01"), tier="spot") == 1
    terms = [listed("reserved", 9 - months / 12, "2026-01-01", months=months) for months in (36, 12)]
    unnamed = listed("reserved", 4, "2026-01-01")
    assert price(*terms, unnamed, tier="reserved") == 8
    assert price(*terms, unnamed, tier="reserved", months=40) == 6
    assert price(*terms, unnamed, tier="reserved", months=6) == 4
    assert price(*terms, tier="reserved", months=6) is None


FACT = "{value: 2, unit: USD/GPU-h, source: x, date: 2026-11-02}"
MINE = (
    "providers:\n  mine:\n    name: Mine\n    offers:\n      - name: c\n        gpu: h100-sxm\n"
    "        gpus_per_node: 8\n        fabrics: [none]\n        source: x\n        date: 2026-11-02\n        %s\n"
)
AT = "11 providers.mine.offers.0"
MISTAKES = {
    "a tier nobody sells": (
        f"prices: [{{tier: monthly, price: {FACT}}}]",
        f'{AT}.prices.0.tier: expected one of on-demand, reserved, spot, capacity-block, got "monthly"',
    ),
    "a term on demand": (f"prices: [{{tier: spot, months: 3, price: {FACT}}}]", "only a reserved price has a term"),
    "a price that is no number": (
        "prices: [{tier: spot, price: 2}]",
        f"{AT}.prices.0.price: expected {{value: 2, unit: …, source: …, date: …}}, got 2",
    ),
    "a price per month": (
        "hour_price: {value: 2, unit: USD, source: x, date: 2026-11-02}",
        f"{AT}.hour_price: expected a price in USD/GPU-h, got one in USD",
    ),
    "no source": (
        "hour_price: {value: 2, unit: USD/GPU-h, date: 2026-11-02}",
        f"{AT}.hour_price.source: is needed and was not given",
    ),
    "trust in no words of ours": (
        f"prices: [{{tier: spot, trust: good, price: {FACT}}}]",
        f'{AT}.prices.0.trust: expected one of high, medium, low, got "good"',
    ),
    "a misspelt key": ("hour_prise: 2", f"{AT}.hour_prise: unknown key; did you mean hour_price?"),
    "a misspelt key of a price": (
        f"prices: [{{tier: spot, month: 3, price: {FACT}}}]",
        f"{AT}.prices.0.month: unknown key; did you mean months?",
    ),
    "no adapter": ("nics_per_node: 0", f"{AT}.nics_per_node: expected more than 0, got 0"),
    "a rate that is none": ("gbps_per_nic: fast", f'{AT}.gbps_per_nic: expected a number, got "fast"'),
    "an order above the largest": ("{min_gpus: 64, largest_gpus: 16}", "of at most largest_gpus (16), got 64"),
}


@pytest.mark.parametrize("line, sentence", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_an_offer_of_the_user_is_one_sentence(tmp_path, line, sentence):
    line = line.strip("{}").replace(", largest", "\n        largest") if line.startswith("{min") else line
    (file := tmp_path / "mine.yaml").write_text(MINE % line, encoding="utf-8")
    seen = weft("plan", JOB, "--catalog", str(file))
    assert seen.code == 2 and seen.out == "" and len(seen.err.splitlines()) == 1
    assert sentence in seen.err and "Traceback" not in seen.err


def test_an_offer_without_a_network_or_a_source_is_refused():
    for wrong in ({"fabrics": []}, {"source": None}, {"gpus_per_node": 0}):
        with pytest.raises(ValidationError):
            offer(**wrong)


def test_providers_are_a_file_or_a_folder_of_files(tmp_path):
    sold = {"acme": Provider(id="acme", name="Acme", offers=[offer()]).model_dump(mode="json", exclude={"id"})}
    other = {"other": {**sold["acme"], "name": "Other"}}
    one, many = tmp_path / "one", tmp_path / "many"
    for file, text in (
        (one / "providers.yaml", sold | other),
        (many / "providers" / "acme.yaml", sold),
        (many / "providers" / "other.yaml", other),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(text), encoding="utf-8")
    for folder in (one, many):
        shutil.copytree(CATALOG_FOLDER, folder, ignore=shutil.ignore_patterns("providers*"), dirs_exist_ok=True)
    assert reader.read(one).providers == reader.read(many).providers
    assert set(reader.read(many).providers) == {"acme", "other"}


# Read by eye from the tables of prices and machines: provider, part of the name, Gb/s per GPU of the network
# between GPUs, tier, region, USD per GPU-hour, day. Lists that give a year alone count from its first day.
BY_HAND = [
    ("together-ai", "H100 cluster", 400, "on-demand", None, 3.99, "2026-10-24"),
    ("aws", "p5.48xlarge", 400, "on-demand", "us-east-1", 6.88, "2026-11-09"),
    ("aws", "p5.48xlarge", 400, "on-demand", "eu-north-1", 7.3616, "2026-01-01"),
    ("aws", "p5en.48xlarge", 400, "spot", "us-east-2", 3.3213, "2026-08-06"),
    ("aws", "p6-b200.48xlarge", 400, "on-demand", "us-west-2", 14.2416, "2026-01-01"),
    ("aws", "p6-b300.48xlarge", 800, "on-demand", "us-west-2", 17.802, "2026-01-01"),
    ("aws", "p4d.24xlarge", 50, "on-demand", "us-east-1", 2.7447, "2026-11-09"),
    ("aws", "p5e.48xlarge", 400, "capacity-block", None, 4.975, "2026-01-01"),
    ("azure", "ND96isr_H100_v5", 400, "on-demand", "eastus", 12.29, "2026-11-09"),
    ("azure", "ND96asr_v4", 200, "on-demand", "eastus", 3.3996, "2026-11-09"),
    ("gcp", "a3-ultragpu-8g", 400, "on-demand", "us-central1", 10.4365, "2026-10-13"),
    ("gcp", "a3-megagpu-8g", 200, "on-demand", None, 8.034, "2025-01-01"),
    ("gcp", "a3-highgpu-8g", 100, "on-demand", "us-central1", 10.9791, "2026-09-26"),
    ("oci", "BM.GPU.H100.8", 400, "on-demand", None, 10, "2026-01-01"),
    ("oci", "BM.GPU.A100-v2.8", 200, "on-demand", None, 4, "2026-01-01"),
    ("coreweave", "gd-8xh100ib-i128", 400, "on-demand", None, 6.155, "2026-09-20"),
    ("coreweave", "b200-8x", 400, "spot", None, 4.2637, "2026-09-20"),
    ("coreweave", "b300-8x", 800, "spot", None, 4.48, "2026-09-20"),
    ("coreweave", "gb200-4x", 400, "on-demand", None, 10.5, "2026-09-20"),
    ("crusoe", "h200-141gb-sxm-ib.8x", 400, "on-demand", None, 4.29, "2026-09-20"),
    ("crusoe", "mi300x-192gb-ib.8x", 400, "spot", None, 0.95, "2026-08-19"),
    ("nebius", "gpu-h100-sxm", 400, "on-demand", "eu-north1", 4.5, "2026-10-01"),
    ("lambda", "gpu_8x_h100_sxm5", None, "on-demand", None, 3.99, "2026-09-20"),
    ("tensorwave", "MI325X cluster", 400, "on-demand", None, 1.95, "2026-05-18"),
    ("hyperstack", "A100 SXM", None, "reserved", None, 1.36, "2026-08-26"),
    ("voltage-park", "H100 with InfiniBand", 400, "on-demand", None, 1.99, "2026-10-06"),
    ("runpod", "Secure Cloud H100 SXM", None, "on-demand", None, 3.99, "2026-11-09"),
]


@pytest.mark.parametrize("provider, name, rate, tier, region, usd, day", BY_HAND)
def test_an_offer_is_as_its_list_has_it(provider, name, rate, tier, region, usd, day):
    (found,) = [offer for offer in CATALOG.providers[provider].offers if name in offer.name]
    assert found.gbps_per_gpu == rate
    prices = {(p.tier, p.region, p.price.value, p.price.date.isoformat()) for p in found.prices}
    assert (tier, region, usd, day) in prices


RATES = [
    ("gcp", "a4-highgpu-8g", 400),
    ("gcp", "a4x-highgpu-4g", 400),
    ("gcp", "a2-ultragpu-8g", 12.5),
    ("azure", "GB300_v6", 800),
    ("oci", "BM.GPU.B300.8", 800),
    ("coreweave", "GB300 NVL72 with Spectrum-X", 800),
    ("digitalocean", "multi-node B300", 800),
    ("ibm-cloud", "8h100", 400),
]


@pytest.mark.parametrize("provider, name, rate", RATES)
def test_a_machine_without_a_price_has_its_network(provider, name, rate):
    (found,) = [offer for offer in CATALOG.providers[provider].offers if name in offer.name]
    assert found.gbps_per_gpu == rate and found.hour_price is None


def test_the_model_computes_with_the_rate_of_the_offer():
    for provider in CATALOG.providers.values():
        for sold in provider.offers:
            fabric = CATALOG.fabrics[sold.fabrics[0]]
            assert sold.gbps_per_nic is not None or sold.nics_per_node is None, f"{provider.id} {sold.name}"
            if sold.gbps_per_gpu is not None:
                computed = sold.nics_on(fabric) * fabric.line_rate.value / sold.gpus_per_node
                assert computed == pytest.approx(sold.gbps_per_gpu), f"{provider.id} {sold.name}"


def test_every_price_is_dated_sourced_and_of_this_market():
    prices = [
        (sold, price) for provider in CATALOG.providers.values() for sold in provider.offers for price in sold.prices
    ]
    assert len(prices) > 200
    for sold, price in prices:
        assert 0.04 < price.price.value < 30 and price.price.unit == "USD/GPU-h", f"{sold.name} {price.name}"
        assert price.price.date.year >= 2024
        if price.price.note and "floor" in price.price.note:
            assert price.trust != "high"
    for sold, price in prices:  # what can be taken away costs less than the same on demand
        on_demand = sold.hour_price
        if price.tier == "spot" and on_demand is not None and price.region == sold.usual_region:
            assert price.price.value < on_demand.value, f"{sold.name} {price.name}"


def test_a_marketwide_figure_is_nobodys_offer():
    assert not [name for name in CATALOG.providers if "market" in name]


def test_offers_are_shown_with_rate_tier_price_day_and_trust_at_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = weft("catalog", "offers").out
    assert max(map(len, out.splitlines())) <= 80
    b200 = out[out.index("p6-b200.48xlarge") : out.index("p6-b300.48xlarge")]
    assert "aws-efa-v3, 400 Gb/s per GPU (8 × 400 in a node)" in b200
    assert "on demand           14.242  2026-10-06  high    us-east-1" in b200
    together = out[out.index("TOGETHER AI") :]
    assert "reserved 3 months    3.190  2026-10-06  medium" in together
    hyperstack = out[out.index("HYPERSTACK") : out.index("IBM CLOUD")]
    assert "not known to be in the price" in " ".join(hyperstack.split())
    assert "no price was read: ask for a quote" in out


def test_offers_of_one_provider_or_gpu_as_json():
    listed = json.loads(weft("catalog", "--gpu", "b300", "--provider", "aws", "--format", "json").out)
    (found,) = listed["offers"]
    assert (found["provider"], found["instance"], found["gbps_per_gpu"]) == ("aws", "p6-b300.48xlarge", 800)
    on_demand, spot = found["prices"]
    assert on_demand == {
        "tier": "on-demand",
        "months": None,
        "region": "us-west-2",
        "usd_per_gpu_hour": 17.802,
        "date": "2026-01-01",
        "source": "skypilot-catalog-2026",
        "trust": "high",
        "note": "142.416 for eight; undated, 2026",
        "usual": True,
    }
    assert (spot["tier"], spot["trust"]) == ("spot", "low")
    everything = json.loads(weft("catalog", "offers", "--format", "json").out)["offers"]
    assert len(everything) == sum(len(provider.offers) for provider in CATALOG.providers.values())
    assert {one["fabric_included"] for one in everything} == {True, None}
    assert "Nobody in the catalog sells that." in weft("catalog", "--gpu", "rtx-5090").out
    wrong = weft("catalog", "--provider", "awz")
    assert wrong.code == 2 and "did you mean aws?" in wrong.err and wrong.err.count("\n") == 1
