"""Quotes told in sentences beside a job: what is a seller's and what is the job's, and nothing lost between them."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.conversation import Conversation, at_once
from assistant.conversation.events import VariationShown
from assistant.present.plan import formats
from assistant.present.plan.card import certain
from assistant.present.plan.quotes import _taken
from assistant.understanding import Listener

from .quoted import CATALOG, IB, ROCE, TODAY

HEAR = Listener.of(library.load().language, CATALOG).hear


def quotes(said: str) -> list[dict]:
    """What was told of each quote."""
    return [{name: value for name, value in one.items() if value} for one in HEAR(said, today=TODAY).contract().quotes]


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("Lambda: $2.49/GPU-h with NDR, CoreWeave: $2.35/GPU-h with NDR, 64 H100, pretrain 70B, must be done in "
         "60 days, 300B tokens", {"constraints.deadline_days": 60}),
        ("Lambda: $2.49/GPU-h with NDR, CoreWeave: $2.35/GPU-h with NDR, 64 H100, pretrain 70B, for 60 days",
         {"training.days": 60}),
        ("Nebius offers NDR at $2.30, Crusoe offers NDR at $2.20, 64 H100, pretrain 13B, within 30 days",
         {"constraints.deadline_days": 30}),
        ("Hyperstack quoted 1.95 per GPU hour for 128 H100 with RoCE, Nebius 2.30 with InfiniBand. 90 days. "
         "70B pretraining", {"training.days": 90}),
    ],
)  # fmt: skip
def test_a_time_that_no_seller_asks_for_is_of_the_job(said, time):
    told = quotes(said)
    assert len(told) == 2 and not any(one.keys() & {"months", "delivery_days", "minimum_days"} for one in told)
    assert time.items() <= HEAR(said, today=TODAY).fields.items()


def test_a_term_beside_its_price_is_the_sellers_and_what_the_job_takes_is_not():
    said = (
        "Lambda: 64x H100 with NDR at 2.49/GPU/hr, 12 month commit. CoreWeave: 64x H100 NDR at 2.20/GPU/hr, "
        "3 months minimum, delivery within 4 weeks. Pretraining Llama 70B, 30 days."
    )
    first, second = quotes(said)
    assert first["months"] == 12 and second["minimum_days"] == pytest.approx(91, abs=1)
    (doubt,) = HEAR(said, today=TODAY).doubts
    assert second["delivery_days"] == 28 and {value for _, value in doubt.between} == {30}


@pytest.mark.parametrize(
    ("said", "params", "tokens"),
    [
        ("CoreWeave offers NDR at $2.20, Lambda RoCE at $2.49; 64 H100; 70B; 100B tokens; deadline 3 months",
         70e9, 100e9),
        ("offer 1: Nebius 32 H200 NDR 3.10/h; offer 2: Verda 32 H200 2.85/h; 34B 150B tokens", 34e9, 150e9),
        ("Two quotes for 64 H100: CoreWeave 2.35 with InfiniBand, Crusoe 2.10 with RoCE. 30B pretraining on 400B "
         "tokens",
         30e9, 400e9),
        ("CoreWeave $2.39 with InfiniBand, Crusoe $2.10 with RoCE. 256 H100. Training 70B on 2T.", 70e9, 2e12),
    ],
)  # fmt: skip
def test_the_model_and_its_tokens_are_heard_beside_quotes(said, params, tokens):
    heard = HEAR(said, today=TODAY)
    assert (heard.fields["model.params"], heard.fields["training.tokens"]) == (params, tokens)
    assert len(heard.offers) == 2 and not heard.doubts


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Together offers 64 H100 at $2.30 with NDR, and Lambda wants $95,000 a month for the same. 70B",
         [{"provider": "together-ai", "fabric": IB, "gpu_hour_usd": 2.3},
          {"provider": "lambda", "fabric": IB, "usd": 95000, "months": 1}]),
        ("Pretrain 30B on 64 H100. Quote 1: $2.10/GPU-hour IB NDR. Quote 2: $93,440 a month IB NDR. Which is cheaper?",
         [{"fabric": IB, "gpu_hour_usd": 2.1}, {"fabric": IB, "usd": 93440, "months": 1}]),
        ("Provider X: 32 H100, $54,000 per month. Provider Y: 32 H100, $2.35 per GPU-hour. Fine-tune 70B.",
         [{"provider": "Provider X", "usd": 54000, "months": 1}, {"provider": "Provider Y", "gpu_hour_usd": 2.35}]),
        ("Quote 'Silver': H100 x 64, $2.25, IB. Quote 'Gold': H100 x 64, $2.70, RoCE. Same term of 4 months. 22B.",
         [{"provider": "Silver", "fabric": IB, "gpu_hour_usd": 2.25, "months": 4},
          {"provider": "Gold", "fabric": ROCE, "gpu_hour_usd": 2.7, "months": 4}]),
        ("We were offered 64 H100 at $3.35/h (24 months, 25% upfront) by Provider North with NDR, and at $3.95/h "
         "(12 months) by Provider South with NDR. 8B.",
         [{"provider": "North", "fabric": IB, "gpu_hour_usd": 3.35, "months": 24},
          {"provider": "South", "fabric": IB, "gpu_hour_usd": 3.95, "months": 12}]),
        ("A = 1.95/h h100 no infiniband, B = 2.45/h h100 with infiniband NDR. 64 of them, 30B",
         [{"provider": "A", "gpu_hour_usd": 1.95}, {"provider": "B", "fabric": IB, "gpu_hour_usd": 2.45}]),
        ("Together.ai 2.55 vs Crusoe 2.9 vs Lambda 2.49, all H100 with NDR, 1 week minimum. 40 GPUs, 8B",
         [{"provider": one, "fabric": IB, "gpu_hour_usd": usd, "minimum_days": 7}
          for one, usd in (("together-ai", 2.55), ("crusoe", 2.9), ("lambda", 2.49))]),
        ("128 H200, 8x400G InfiniBand per node:\n- 6 months: 2.75 USD/GPU/hr\n- 12 months: 2.45 USD/GPU/hr\n"
         "We pretrain 70B for 5 months.",
         [{"fabric": IB, "gpu_hour_usd": usd, "months": months, "nics_per_node": 8}
          for usd, months in ((2.75, 6), (2.45, 12))]),
    ],
)  # fmt: skip
def test_every_quote_is_heard_with_its_seller_its_price_and_its_network(said, told):
    heard = [{name: one[name] for name in one if name not in ("note", "includes")} for one in quotes(said)]
    assert heard == told


def test_a_node_by_the_month_is_a_quote_at_the_hour_of_one_gpu():
    (quote,) = quotes("Nebius: 16 nodes with 8 H200 each, NDR, $18,500 per node per month, 12 months. We pretrain 70B.")
    assert quote["gpu_hour_usd"] == pytest.approx(18_500 / 8 / 730, rel=1e-4) and quote["months"] == 12


def test_a_network_whose_rate_nobody_sells_is_the_nearest_of_its_kind_and_said_to_be():
    heard = HEAR(
        "Hyperstack quoted 1.95 per GPU hour for 128 H100 with 350 Gb/s Ethernet, Nebius 2.30 with InfiniBand. 8B"
    )
    assert [one.fabric for one in heard.offers] == [ROCE, IB]
    assert any("350 Gb/s Ethernet" in text for text in heard.assumed)


def test_a_share_off_a_named_list_is_a_quote_dated_as_the_list():
    (quote,) = quotes("CoreWeave gave us 25% off list for 64 H100, 70B pretraining")
    offers = (one for one in CATALOG.providers["coreweave"].offers if one.gpu == "h100-sxm")
    listed = min((p.price for one in offers for p in one.prices if p.tier == "on-demand"), key=lambda price: price.si)
    assert quote["gpu_hour_usd"] == pytest.approx(0.75 * listed.si) and str(listed.date) in quote["note"]


@pytest.mark.parametrize(
    ("said", "unread"),
    [
        ("64 H100: Lambda offers NDR at $2.49, CoreWeave NDR at $2.20. They also named $2.05. Train 8B on 100B tokens.",
         "$2.05"),
        ("64 H100: Lambda 2.49 per GPU-hour with NDR, CoreWeave 2.20 per GPU-hour with NDR, Nebius $380 a day a node. "
         "Train 8B on 100B tokens.", "$380 a day"),
    ],
)  # fmt: skip
def test_no_quote_is_the_one_to_take_where_a_price_beside_them_is_not_understood(said, unread):
    found = at_once.tell(Conversation(library.load(), today=TODAY), said)
    assert found.plan is not None and f'"{unread}"' in _taken(found.plan) and "Take quote" not in _taken(found.plan)
    answer = found.plan.recommendation
    assert answer.certainty == "toss-up" and answer.card is not None
    asked = f'First say whose "{unread}" is'
    assert answer.headline.startswith(asked) and answer.card.do.startswith(asked)
    assert certain(found.plan)[0].startswith("Certainty: open until it is said whose")
    assert not any(line.startswith("✓") for line in formats.plan_lines(found.plan) if ": " in line[:16])


def test_what_a_seller_of_a_known_quote_may_ask_is_tried_with_that_quote():
    talk = Conversation(library.load(), today=TODAY)
    talk.hear(
        "Train 8B on 64 rented H100, 250B tokens. Lambda offers NDR at 2.49 per GPU-hour, CoreWeave offers NDR at 2.20 "
        "per GPU-hour with a 6 month minimum"
    )
    asked = {"would CoreWeave at 1.80 win?": "$1.80", "what if CoreWeave asks only 2 months?": "at least 2 months"}
    for question, told in asked.items():
        shown = [event for event in talk.hear(question) if isinstance(event, VariationShown)]
        assert shown and told in str(shown[0]), question
    talk.hear("what if we train for 2 months at CoreWeave?")
    assert talk.draft.fields["budget.quotes"][1]["minimum_days"] == pytest.approx(182.5)


@pytest.mark.parametrize(
    "said",
    [
        "one at $2.10 per gpu-hour for 3 months and one at $2.30 for 1 month",
        "64 H100 at $2.10 per gpu-hour for 3 months and 32 H100 at $2.30 for 1 month",
    ],
)
def test_offers_that_nobody_names_are_called_by_their_number_and_asked_for_their_network(said):
    talk = Conversation(library.load(), today=TODAY)
    plan = at_once.tell(talk, f"pretrain llama 8b on 64 H100 for 2 weeks, we have two offers, {said}").plan
    assert [one.provider for one in plan.quotes] == ["offer 1", "offer 2"]
    assert "None of the quotes has a network" in str(plan.recommendation)
