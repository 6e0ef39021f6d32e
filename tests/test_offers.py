"""What is sold: offers, their networks and their prices."""

from __future__ import annotations

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
    assert reader.read(one).providers == reader.read(many).providers
    assert set(reader.read(many).providers) == {"acme", "other"}
