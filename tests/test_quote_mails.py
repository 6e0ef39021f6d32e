"""What was offered in writing is heard: sentences, pasted mails and what to write back."""

from __future__ import annotations

import datetime
import re

import pytest

from assistant import library, planning
from assistant.conversation import Conversation, at_once
from assistant.library import questionnaires
from assistant.planning import pipeline
from assistant.planning.card import _do
from assistant.present.plan import formats
from assistant.present.plan.changes import _unlike
from assistant.present.plan.flips import turn
from assistant.present.plan.quotes import _costs
from assistant.understanding import Listener
from assistant.understanding.text import in_one_line
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.quantities import times
from assistant.vocabulary.questionnaire import Questionnaire

from .quoted import CATALOG, IB, JOB, ROCE, THREE, TODAY, asked, decided, planned

MAIL = """Hi Anna,
thanks for your interest. We can offer 64x H100 SXM5 with 400G NDR InfiniBand, non-blocking, for $2.20 per
GPU-hour on a 3 month term, support included. - CoreWeave

Hello, for 64 H100 with RoCE 400G we ask $2.49 per GPU hour, lead time 6 weeks, storage extra. Lambda"""


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("CoreWeave offers H100 with NDR at $2.20, Lambda $2.49 over RoCE",
         [{"provider": "coreweave", "fabric": IB, "gpu_hour_usd": 2.2},
          {"provider": "lambda", "fabric": ROCE, "gpu_hour_usd": 2.49}]),
        ("CoreWeave offers H100 with NDR at $2.20, oversubscribed 2:1, Lambda $2.49 over RoCE with 8x400G per node",
         [{"provider": "coreweave", "fabric": IB, "gpu_hour_usd": 2.2, "oversubscription": 2},
          {"provider": "lambda", "fabric": ROCE, "gpu_hour_usd": 2.49, "nics_per_node": 8}]),
        ("64 H100: Lambda says 2.49 with InfiniBand, Crusoe 2.10 RoCE",
         [{"provider": "lambda", "fabric": IB, "gpu_hour_usd": 2.49},
          {"provider": "crusoe", "fabric": ROCE, "gpu_hour_usd": 2.1}]),
        ("InfiniBand at $3.10 and RoCE at $2.80 per GPU-hour",
         [{"fabric": IB, "gpu_hour_usd": 3.1}, {"fabric": ROCE, "gpu_hour_usd": 2.8}]),
        (MAIL,
         [{"provider": "coreweave", "fabric": IB, "gpu_hour_usd": 2.2, "months": 3, "oversubscription": 1,
           "includes": ["support"]},
          {"provider": "lambda", "fabric": ROCE, "gpu_hour_usd": 2.49, "delivery_days": 42}]),
        ("Nordwind offers 64 H100 SXM with InfiniBand NDR at $2.35 per GPU-hour on one month, $2.09 on 3 months",
         [{"provider": "Nordwind", "fabric": IB, "gpu_hour_usd": 2.35, "months": 1},
          {"provider": "Nordwind", "fabric": IB, "gpu_hour_usd": 2.09, "months": 3}]),
        ("Three offers: Nordwind 2.35 with InfiniBand, Helios Cloud 2.10 with RoCE, Lambda 2.49 with InfiniBand",
         [{"provider": "Nordwind", "fabric": IB, "gpu_hour_usd": 2.35},
          {"provider": "Helios Cloud", "fabric": ROCE, "gpu_hour_usd": 2.1},
          {"provider": "lambda", "fabric": IB, "gpu_hour_usd": 2.49}]),
        ("64 H100: $2.35 per GPU-hour from Nordwind with InfiniBand, $2.10 per GPU-hour from Bluepeak with RoCE",
         [{"provider": "Nordwind", "fabric": IB, "gpu_hour_usd": 2.35},
          {"provider": "Bluepeak", "fabric": ROCE, "gpu_hour_usd": 2.1}]),
        ("Lambda offers 64 H100 with InfiniBand at $2.49 or RoCE at $2.20, setup fee $5,000, delivery in 4 weeks",
         [{"provider": "lambda", "fabric": fabric, "gpu_hour_usd": usd, "once_usd": 5000, "delivery_days": 28}
          for fabric, usd in ((IB, 2.49), (ROCE, 2.2))]),
        ("Quote A: CoreWeave, 64 x H100, NDR, $2.20/GPU-h, 12 months\nQuote B: Nebius, NDR, $95,000 a month",
         [{"provider": "coreweave", "fabric": IB, "gpu_hour_usd": 2.2, "months": 12},
          {"provider": "nebius", "fabric": IB, "usd": 95_000, "months": 1}]),
        ("Ostwerk asks 2.20 dollars per GPU hour with InfiniBand NDR, Bluefin 2.60 with RoCE 400",
         [{"provider": "Ostwerk", "fabric": IB, "gpu_hour_usd": 2.2},
          {"provider": "Bluefin", "fabric": ROCE, "gpu_hour_usd": 2.6}]),
        ("Ostwerk quotes 2.20 dollars per GPU hour with InfiniBand, Bluefin quotes 118,000 dollars all in for the "
         "month with RoCE 400",
         [{"provider": "Ostwerk", "fabric": IB, "gpu_hour_usd": 2.2},
          {"provider": "Bluefin", "fabric": ROCE, "usd": 118_000, "months": 1}]),
    ],
)  # fmt: skip
def test_offers_are_heard_in_a_sentence_and_in_a_pasted_mail(said, quotes):
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    told = heard.contract().quotes
    assert [{name: value for name, value in quote.items() if value} for quote in told] == quotes
    assert not any(
        path.startswith(("cluster.o", "cluster.n", "budget.", "training.", "constraints.deadline"))
        for path in heard.fields
    ), heard
    assert not heard.doubts


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("Llama 3.1 70B fine-tuning on 64 GPUs.\n"
         "CoreWeave can do 64x H100 SXM with NDR InfiniBand at USD 2.95/GPU-hr.\n"
         "Hyperstack: 64 x H100 SXM5, 100 GbE, 1.90 USD per GPU hour.\nWe need it for a month.",
         [{"provider": "coreweave", "gpu_hour_usd": 2.95}, {"provider": "hyperstack", "gpu_hour_usd": 1.9}]),
        ("We fine-tune Llama 3.1 70B for a month on 64 GPUs.\nCoreWeave: 64x H100 with NDR InfiniBand USD 2.95/GPU-hr\n"
         "Hyperstack: 64 x H100, 100 GbE, 1.90 USD per GPU hour, 1 month min",
         [{"provider": "coreweave", "gpu_hour_usd": 2.95},
          {"provider": "hyperstack", "gpu_hour_usd": 1.9, "minimum_days": pytest.approx(30.4, abs=0.1)}]),
    ],
)  # fmt: skip
def test_the_month_for_which_the_buyer_needs_the_machines_is_the_length_of_the_run_and_no_term_of_a_quote(said, quotes):
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    told = [{name: value for name, value in quote.items() if value} for quote in heard.contract().quotes]
    assert [{name: one[name] for name in one if name != "fabric"} for one in told] == quotes
    assert heard.fields["training.days"] == pytest.approx(30.4, abs=0.1) and not heard.doubts


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("Quote A (CoreWeave): $94,000 per month for 64 H100 with InfiniBand\n"
         "Quote B (Hyperstack): 1,90 EUR / GPU-Std, 64 H100 SXM, 100 GbE",
         [("coreweave", IB, None), ("hyperstack", "ethernet-tcp-100", 2.14)]),
        ("Hyperstack: €1.90 per GPU-hour, 64 H100, 100 GbE", [("hyperstack", "ethernet-tcp-100", 2.14)]),
    ],
)  # fmt: skip
def test_a_price_in_euro_beside_a_seller_is_a_quote_in_dollars_with_the_rate_that_was_taken(said, quotes):
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    assert not heard.rest and not heard.doubts
    cents = [one.gpu_hour_usd and round(one.gpu_hour_usd, 2) for one in heard.offers]
    assert [(one.provider, one.fabric, usd) for one, usd in zip(heard.offers, cents, strict=True)] == quotes
    assert "US dollars for one euro" in heard.offers[-1].note


@pytest.mark.parametrize("asked", ["Which one do I take?", "Which?", "Which of the two should we take?"])
def test_quotes_before_a_question_are_compared_with_a_job_and_beside_a_plan(asked):
    job = "Train Llama-3.1-70B on 100B tokens on 64 rented H100."
    quotes = "Ostwerk asks 2.20 dollars per GPU hour with InfiniBand NDR, Bluefin 2.60 with RoCE 400."
    hear = Listener.of(library.load().language, CATALOG).hear
    told, before = hear(f"{job} {quotes} {asked}"), hear(f"{job} {quotes}")
    assert (told.act, told.fields, told.offers) == ("describe", before.fields, before.offers)
    assert told.fields["training.tokens"] == 100e9 and not told.doubts and not told.rest
    supposed = hear("What if Ostwerk asked 2.20 dollars per GPU hour with InfiniBand, Bluefin 2.60 with RoCE?")
    assert supposed.act != "describe"


def test_quotes_with_a_question_are_taken_into_the_plan_that_stands():
    talk = Conversation(library.load(), today=TODAY)
    talk.hear("Train Llama-3.1-8B on 2B tokens on 64 rented H100.")
    talk.hear("Ostwerk asks 2.20 dollars per GPU hour with InfiniBand NDR, Bluefin 2.60 with RoCE 400. Which one?")
    assert [quote["provider"] for quote in talk.draft.fields["budget.quotes"]] == ["Ostwerk", "Bluefin"]


TERMS = """Hello, Nordwind Compute is pleased to offer the following:
64x NVIDIA H100 SXM (8 per node), 400 Gb/s InfiniBand NDR, 8 NICs per node
Price: $2.35 per GPU-hour for one month, $2.09 per GPU-hour on 3 months reserved
Storage: 50 TB at $0.07/GB/month
One-time setup fee: $2,500
Available from 5 December, minimum term one week"""


def test_a_mail_with_two_terms_is_two_quotes_and_what_is_paid_apart_is_told():
    heard = Listener.of(library.load().language, CATALOG).hear(TERMS, today=TODAY)
    told = [(q.provider, q.fabric, q.gpu_hour_usd, q.months, q.delivery_days) for q in heard.offers]
    assert told == [("Nordwind Compute", IB, 2.35, 1.0, 15.0), ("Nordwind Compute", IB, 2.09, 3.0, 15.0)]
    note = heard.offers[0].note
    assert all(said in note for said in ("50 TB at $0.07/GB/month", "smallest term said: one week"))
    assert [q.once_usd for q in heard.offers] == [2500, 2500]
    assert heard.fields.keys() == {"cluster.gpu", "cluster.gpus", "cluster.gpus_per_node"} and not heard.doubts


def test_the_least_time_of_a_quote_is_paid_for_however_short_the_run():
    heard = Listener.of(library.load().language, CATALOG).hear("Lambda quotes $2.60 per GPU-hour, minimum one week")
    assert [(q.provider, q.gpu_hour_usd, q.minimum_days) for q in heard.offers] == [("lambda", 2.6, 7.0)]
    quote = {"provider": "lambda", "fabric": IB, "gpu_hour_usd": 2.6, "minimum_days": 7}
    plan = planned(quote)
    [told] = plan.quotes
    assert told.finishes_days < 7 and told.run_cost_usd.p50 == pytest.approx(64 * 168 * 2.6)
    assert "as 7 days are paid for" in plan.recommendation.card.cost and "at least 7 days" in told.said
    assert "less than any quote" in plan.volunteered and "smallest term" not in told.missing


def test_one_quote_and_a_pasted_mail_after_it_stand_beside_the_lists():
    talk = Conversation(library.load())
    talk.say("full fine-tune of a 70B on 64 rented H100, 5B tokens, Lambda quotes $2.60 per GPU-hour with InfiniBand")
    card = talk.plan.recommendation.card
    assert card.do.startswith("Rent 64") and "is there already" not in card.because
    said = talk.say("which quote should we take?")[0]
    assert said.text.startswith("Take quote 1 (Lambda)") and "cheapest that is published" in said.text
    talk.say(TERMS)
    assert [quote.months for quote in talk.plan.quotes] == [None, 1, 3]
    assert talk.say("and the 3 month reservation?")[0].text.startswith("Quote 3 (Nordwind Compute)")


def test_offers_said_one_after_another_are_quotes_and_a_new_price_takes_the_place_of_the_old():
    talk = Conversation(library.load())
    for said in ("pretrain llama 3.1 70b on 64 H100", "CoreWeave, NDR, $2.20 per GPU-hour",
                 "Lambda wants $2.49 per GPU-hour over RoCE"):  # fmt: skip
        talk.say(said)
    known = talk.parts.state.draft.fields
    assert [quote["provider"] for quote in known["budget.quotes"]] == ["coreweave", "lambda"]
    assert "budget.gpu_hour_usd" not in known
    talk.say("Lambda came down to $2.05")
    assert [quote["gpu_hour_usd"] for quote in talk.parts.state.draft.fields["budget.quotes"]] == [2.2, 2.05]
    assert talk.say("which of the two should we take?")[0].text.startswith("Take quote 2 (Lambda)")
    missing = talk.say("what is missing in the first?")[0]
    assert "Leaves open: oversubscription" in missing.text
    assert any(CATALOG.quote_items["storage"].ask in item for item in missing.items)


@pytest.mark.parametrize(
    ("said", "terms"),
    [
        ("Lambda quoted 2.49 with IB, CoreWeave 2.20 with RoCE, 3 month commit", [3, 3]),
        ("Lambda quoted 2.49 with IB, CoreWeave 2.20 with RoCE for 3 months", [3, 3]),
    ],
)
def test_a_term_that_closes_a_list_of_quotes_is_of_all_of_them(said, terms):
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    assert [offer.months for offer in heard.offers] == terms


def test_a_mail_alone_is_laid_beside_the_lists_and_answered_before_anybody_says_what_runs():
    mail = (
        "Hi Tom, as discussed we can do the following for 64x H100 SXM:\n\n"
        "  - 1 month: $2.85 per GPU-hour, InfiniBand NDR\n"
        "  - 6 months: $2.40 per GPU-hour, same network\nStorage included. Available from 8 December.\n\nAnna (Nebius)"
    )
    found = at_once.tell(Conversation(library.load(), today=TODAY), mail)
    told = "\n".join(str(block) for block in at_once.blocks(found))
    assert found.plan is None and "expected a job with model" in found.missing
    for price in (
        "$2.85 per GPU-hour for 1 month",
        "$2.40 per GPU-hour for 6 months, $673,000 for its 6 months of 64 GPUs",
    ):
        assert f"(Nebius), InfiniBand NDR, {price}" in told
    assert "less than Nebius's published" in told and told.count("There after 18 days") == 2
    assert told.count("To Nebius:") == 1, "the same questions are asked once"


def test_a_quote_behind_the_length_of_the_run_leaves_that_as_it_is():
    said = "pretrain llama-3.1-70b on 64 H100 for 30 days. Lambda quotes $2.35 per GPU-hour with InfiniBand NDR."
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    assert heard.fields["training.days"] == 30 and heard.offers[0].months is None


def test_what_one_seller_asks_besides_is_not_asked_by_the_others():
    said = (
        "three offers for 64 H100: $2.35/GPU-h InfiniBand NDR with $8,000 setup; $2.05/GPU-h RoCE 400, "
        "delivery 4 weeks; $1.95/GPU-h RoCE 400, oversubscription 2:1"
    )
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    told = [(offer.once_usd, offer.delivery_days, offer.months, offer.oversubscription) for offer in heard.offers]
    assert told == [(8000, None, None, None), (None, 28, None, None), (None, None, None, 2)]


@pytest.mark.parametrize(
    ("said", "usd", "by"),
    [
        ("Acme quotes EUR 17.60 per node hour for 32 H100 with InfiniBand NDR", 17.6 * 1.1269 / 8, "8 GPUs a node"),
        ("Lambda asks €2.20 per GPU-hour for 64 H100", 2.2 * 1.1269, "US dollars for one euro"),
        ("CoreWeave asks $20 per node per hour for 64 H100", 2.5, "8 GPUs a node"),
    ],
)
def test_a_quote_in_euro_or_by_the_node_says_what_it_is_in_dollars_for_one_gpu(said: str, usd: float, by: str):
    [offer] = Listener.of(library.load().language, CATALOG).hear(said).offers
    assert offer.gpu_hour_usd == pytest.approx(usd, rel=1e-5) and by in offer.note


def test_a_fee_beside_a_price_is_no_budget_and_a_budget_that_pays_for_one_is():
    hear = Listener.of(library.load().language, CATALOG).hear
    assert "budget.usd" not in hear("we can do $2.35 per GPU hour for 64 H100, one-time setup fee $12,000").fields
    mail = hear("for your 64 H100 we can do $2.35 per GPU hour, InfiniBand NDR, 3 month term. One-time fee of $12,000.")
    [offer] = mail.offers
    assert (offer.fabric, offer.months, offer.once_usd) == (IB, 3, 12_000) and "budget.usd" not in mail.fields
    mail = hear(in_one_line(
        "We offer 64 H100 with InfiniBand NDR at 2.20 EUR per GPU-hour on a 3 month term. A deposit of $40k is "
        "refunded at the end. Setup fee 5,000 USD one-off.\nKind regards,\nDana Levi\nNordfrost Compute Oy\n\n"
        "We train Llama-3.1-70B on 100B tokens, at most $700k."
    ))  # fmt: skip
    [offer] = mail.offers
    assert (offer.provider, offer.once_usd, mail.fields["budget.usd"]) == ("Nordfrost Compute Oy", 5000, 700_000)
    assert "deposit of $40k" in offer.note and not mail.doubts
    ours = hear("70B on 64 H100 at $2.35 per GPU-hour, total budget of $500k including setup fees")
    assert ours.fields["budget.usd"] == 500_000


def test_what_one_seller_says_once_is_of_both_its_networks():
    said = "Quotes for 64 H100: Lambda $2.49 with InfiniBand, Lambda $2.20 with RoCE 400, setup fee $4,000"
    heard = Listener.of(library.load().language, CATALOG).hear(f"{said}, available from 5 December", today=TODAY)
    assert [(offer.provider, offer.once_usd, offer.delivery_days) for offer in heard.offers] == [
        ("lambda", 4000, 15)
    ] * 2


CLOUD = """Hi Anna,
thanks for the call. 64x NVIDIA H100 SXM5 (8 HGX nodes), 3.2 Tb/s InfiniBand NDR per node, non-blocking
Price: $2.35 per GPU/hr, 3 month minimum commitment
Setup fee: $5,000 one-time
24x7 support with 1 hour response time included
Capacity is ready tomorrow.
Storage (100 TB VAST) is $0.04 per GB per month on top. 10% deposit on signing.
Best regards,
Mike Donovan
Account Executive, CoreWeave"""
GERMAN = """Guten Tag Herr Schulz,
wie besprochen unser Angebot fuer 16 Knoten mit je 8 x H200:
Miete je Knoten und Monat: 14.900 EUR, Laufzeit 24 Monate
Netzwerk: RoCE v2 mit 8 x 400 GbE je Knoten, Ueberbuchung 1:1
Lieferzeit: 6-8 Wochen nach Auftragseingang
Kaution: 2 Monatsmieten
Gruesse
Petra Kranz, Rechenfeld"""
TABLE = """RunPod Instant Cluster, 8 x 8 H100 SXM:
  compute ............ $3.12 /GPU/h
  network ............ 3200 Gbps RoCE v2 (included)
  storage ............ $0.07/GB/month
  minimum term ....... 1 week
  discount ........... 12% for 3 months paid upfront
  go-live ............ same day
Thanks
RunPod Sales"""
INTEGRATOR = """Budgetary proposal: 8 x Dell XE9680 (8x H100 SXM each) incl. 8x ConnectX-7 per node
Network: 400G Spectrum-X Ethernet, all transceivers and cables included, non-blocking
Turnkey price: USD 2.45M, 3 years warranty
Delivery: 14 to 16 weeks after receipt of order
Power: 10.2 kW per server. Prices exclude VAT.
Best regards,
World Wide Technology"""
WINDOW = """Hey, SF Compute here - we can do 128 H100s w/ IB from Dec 1 to Dec 29 for $1.45/gpu/hr. that's a take-or-pay
contract, total $124.7k. No setup fee."""


@pytest.mark.parametrize(
    ("mail", "quote", "noted"),
    [
        (CLOUD, {"provider": "coreweave", "fabric": IB, "gpu_hour_usd": 2.35, "oversubscription": 1, "once_usd": 5000,
                 "minimum_days": 91.25, "delivery_days": 1, "includes": ("support",)}, ("VAST", "10% deposit")),
        (GERMAN, {"provider": "Rechenfeld", "fabric": ROCE, "months": 24, "oversubscription": 1, "nics_per_node": 8,
                  "delivery_days": 56}, ("2 Monatsmieten", "8 GPUs a node")),
        (TABLE, {"provider": "runpod", "fabric": ROCE, "gpu_hour_usd": 3.12, "minimum_days": 7, "delivery_days": 0},
         ("$0.07/GB/month", "12% for 3 months")),
        (INTEGRATOR, {"provider": "World Wide Technology", "fabric": "spectrum-x-400", "usd": 2.45e6, "months": None,
                      "delivery_days": 112, "nics_per_node": 8}, ("exclude VAT", "10.2 kW")),
        (WINDOW, {"provider": "sf-compute", "fabric": IB, "gpu_hour_usd": 1.45, "delivery_days": 11,
                  "minimum_days": 28}, ()),
    ],
)  # fmt: skip
def test_a_sellers_mail_is_one_quote_with_everything_that_it_says(mail, quote, noted):
    talk = Conversation(library.load(), today=TODAY)
    at_once.tell(talk, mail)
    [told] = talk.draft.fields["budget.quotes"]
    assert {name: told.get(name) for name in quote} == {
        name: list(value) if isinstance(value, tuple) else value for name, value in quote.items()
    }
    assert all(said in told.get("note", "") for said in noted), told["note"]
    assert "budget.usd" not in talk.draft.fields, "what a seller asks is no budget"


def test_a_mail_with_the_job_shows_the_quotes_side_by_side_and_the_reply():
    mail = (
        "Crusoe: H100 SXM with 400 Gb/s InfiniBand, $2.60/GPU-hour, available immediately, 1 month minimum\n"
        "Voltage Park: $1.99 per GPU hour w/ InfiniBand, available from December 10, no support at night\n"
        "64 GPUs, fine-tuning of Llama 3.1 70B for 3 weeks"
    )
    talk = Conversation(library.load(), today=TODAY)
    found = at_once.tell(talk, mail)
    told = "\n".join(str(block) for block in at_once.blocks(found))
    for part in ("with waiting", "done in", "To Crusoe:", "To Voltage Park:", "less than Crusoe's published"):
        assert part in told
    said = "\n".join(str(event) for event in talk.hear("Write the reply"))
    assert "To Crusoe:" in said and "On which day is all of it there" not in said.partition("To Voltage")[0]


def test_the_reply_is_written_before_anybody_says_what_runs():
    talk = Conversation(library.load(), today=TODAY)
    at_once.tell(talk, CLOUD)
    said = "\n".join(str(event) for event in talk.hear("write the reply"))
    assert "To CoreWeave:" in said


JOB_SAID = "pretrain llama 3.1 70B, 64 H100, 30 days."
FIRST = "CoreWeave, 64 H100 SXM, InfiniBand NDR 400G, $2.85 per GPU-hour, 1 month, available 10 December."
SECOND = "64 H100 SXM, RoCE v2 200 Gb/s, $2.15 per GPU-hour, setup fee $4,000, minimum 3 months, delivery in 3 weeks."


@pytest.mark.parametrize(
    ("mail", "second"),
    [
        (f"{JOB_SAID}\n\nQuote A: {FIRST}\n\nQuote B: NebulaMetal, {SECOND}", "NebulaMetal"),
        (f"{JOB_SAID}\n\nQuote A: {FIRST}\n\nQuote B: {SECOND}", None),
        (f"{JOB_SAID} Option 1: {FIRST} Option 2: {SECOND} Which should we take?", None),
        (f"{JOB_SAID}\n- {FIRST}\n- NebulaMetal, {SECOND}\nOur budget is $300k", "NebulaMetal"),
        (f"{JOB_SAID}\n\nFrom: Dana, CoreWeave\n{FIRST}\n\nFrom: Raj, NebulaMetal\n{SECOND}", "NebulaMetal"),
    ],
)
def test_what_one_quote_says_is_not_said_by_the_other_whoever_makes_it(mail, second):
    heard = Listener.of(library.load().language, CATALOG).hear(in_one_line(mail), today=TODAY)
    told = [
        (q.provider, q.fabric, q.gpu_hour_usd, q.months, q.minimum_days, q.once_usd, q.delivery_days)
        for q in heard.offers
    ]
    assert told == [
        ("coreweave", IB, 2.85, 1, None, None, 20), (second, "roce-v2-200", 2.15, None, 91.25, 4000, 21)
    ]  # fmt: skip
    assert heard.fields["cluster.gpus"] == 64 and heard.fields.get("budget.usd", 300_000) == 300_000
    of_the_run = [doubt for doubt in heard.doubts if doubt.options or doubt.between]
    assert "30 days" in str(of_the_run) or heard.fields["training.days"] == 30


@pytest.mark.parametrize(
    ("said", "limit"), [("we have at most 40 kW of power", 40), ("power: 10.2 kW per server", None)]
)
def test_our_limit_of_power_behind_a_sellers_words_is_ours_and_what_machines_draw_is_none(said, limit):
    quote = "CoreWeave at $2.49 per GPU-hour with InfiniBand, support included, 12 month contract"
    heard = Listener.of(library.load().language, CATALOG).hear(f"64 H100, {quote}; {said}", today=TODAY)
    assert heard.fields.get("constraints.max_power_kw") == limit and len(heard.offers) == 1
    assert limit is None or said not in (heard.offers[0].note or "")


def test_a_term_beside_machines_that_are_there_at_once_is_its_own():
    said = (
        "Our offers for 64x H100:\nNebius: $2.85 per GPU-hour, 12 months, InfiniBand NDR 400, available immediately."
        "\nVoltage Park: $2.10/GPU/h, 6 months, RoCE 200G, lead time 6 weeks."
    )
    offers = Listener.of(library.load().language, CATALOG).hear(said, today=TODAY).offers
    assert [(q.months, q.delivery_days) for q in offers] == [(12, 0), (6, 42)]


def test_what_is_said_before_the_first_quote_or_of_both_is_shared():
    said = (
        "Two quotes, both with a setup fee of $1,000. Quote 1: CoreWeave, NDR, $2.85 per GPU-hour. "
        "Quote 2: Lambda, RoCE 400, $2.49 per GPU-hour, minimum 3 months"
    )
    offers = Listener.of(library.load().language, CATALOG).hear(said, today=TODAY).offers
    assert [(q.once_usd, q.minimum_days) for q in offers] == [(1000, None), (1000, 91.25)]


@pytest.mark.parametrize(
    ("said", "sums"),
    [
        ("Quote from CoreWeave: $131,000 a month", [("coreweave", None, 131_000)]),
        ("Quote from CoreWeave: InfiniBand NDR, $131,000 per month for all 64 GPUs", [("coreweave", IB, 131_000)]),
        ("Quotes: CoreWeave $131,000 a month, Lambda 95,000 EUR per month plus VAT",
         [("coreweave", None, 131_000), ("lambda", None, round(95_000 * 1.1269))]),
    ],
)  # fmt: skip
def test_a_sum_a_month_beside_a_seller_is_a_quote_and_no_budget(said, sums):
    heard = Listener.of(library.load().language, CATALOG).hear(f"pretrain llama 3.1 70B for 30 days on 64 H100. {said}")
    assert [(q.provider, q.fabric, round(q.usd)) for q in heard.offers] == sums
    assert {q.months for q in heard.offers} == {1} and not heard.doubts
    assert "budget.usd_per_month" not in heard.fields and heard.fields["training.days"] == 30
    assert "EUR" not in said or "one euro (2026-10-06)" in heard.offers[1].note


def test_eight_adapters_of_200_behind_the_name_of_the_network_are_its_line_rate():
    heard = Listener.of(library.load().language, CATALOG).hear("64 H100, RoCE v2, 8x200 Gb/s per node")
    assert heard.fields["cluster.fabric"] == "roce-v2-200" and heard.fields["cluster.nics_per_node"] == 8
    assert not heard.doubts


def test_a_reservation_behind_the_price_is_its_term_and_the_days_before_it_are_the_run():
    said = (
        "pretrain llama 3.1 70B for 30 days on 64 H100. Lambda quotes $2.99/GPU-hr, InfiniBand NDR, 12 months reserved"
    )
    heard = Listener.of(library.load().language, CATALOG).hear(said)
    assert [offer.months for offer in heard.offers] == [12] and heard.fields["training.days"] == 30
    assert "budget.reserved_days" not in heard.fields and not heard.doubts


@pytest.mark.parametrize("mail", ["From: Raj, NebulaMetal\n{}", "{}\nRaj, NebulaMetal"])
def test_who_sent_a_mail_or_stands_in_its_last_line_is_the_seller(mail):
    said = "64x H100 SXM5, RoCE v2 8x 200G per node. $17.20 per node-hour. Setup fee $4,000.\n3 months minimum."
    [offer] = Listener.of(library.load().language, CATALOG).hear(in_one_line(mail.format(said))).offers
    assert (offer.provider, offer.fabric, offer.nics_per_node) == ("NebulaMetal", "roce-v2-200", 8)


_TERMS = "64 H100 with InfiniBand NDR, $2.30 per GPU-hour, minimum 3 months, setup fee $3,000"


@pytest.mark.parametrize(
    ("said", "sellers"),
    [
        ("Alternatively, $2.40 per GPU-hour with InfiniBand. Discounted, $2.10 per GPU-hour with RoCE", [None, None]),
        ("64 H100 offers: Otherwise $2.40 with InfiniBand, Sonst $2.10 with RoCE, Autrement $2 on XDR", [None] * 3),
        (
            "We offer 64 H100 with InfiniBand at $2.40 per GPU-hour.\nAlternatively $2.10 per GPU-hour with RoCE 400G."
            "\nRegards,\nDana Miller, NebulaMetal GmbH",
            ["NebulaMetal GmbH"] * 2,
        ),
        (
            "Sterling Computing Inc offers 64 H100 with InfiniBand at $2.20, Boeing Cloud $2.10 with RoCE",
            ["Sterling Computing Inc", "Boeing Cloud"],
        ),
        (f"From: Dana <dana@mail.nebula-metal.example>\n{_TERMS}", ["Nebula-Metal"]),
        (f"{_TERMS}\nraj@nebulametal.co.uk", ["Nebulametal"]),
        (f"From: joe@gmail.com\n{_TERMS}", [None]),
        ("64 H100, offers: Lambda 2.60 an hour with InfiniBand; a reseller 2.05 with RoCE", ["lambda", None]),
        (
            "we need 32 H100 for 10 days to continue pretraining Llama 3.1 8B, quote from Lambda 2.60 an hour on "
            "InfiniBand and 2.05 from a reseller on 100G ethernet",
            ["lambda", None],
        ),
        ("64 H100, Lambda quotes 2.60 an hour on InfiniBand, a second vendor 2.05 on RoCE", ["lambda", None]),
        ("64 H100, Lambda offers InfiniBand at 2.60 an hour, the other one RoCE at 2.05", ["lambda", None]),
        ("64 H100, Lambda 2.60 an hour with InfiniBand and 2.05 from nordwind with RoCE", ["lambda", "nordwind"]),
        ("64 H100, Lambda quotes 2.60 an hour, a reseller 2.05", ["lambda", None]),
        ("64 H100: Lambda offers InfiniBand at 2.49 an hour and the other network, RoCE, at 2.20", ["lambda"] * 2),
        ("64 H100 from Lambda, a reseller: 2.49 an hour on InfiniBand, 2.20 on RoCE", ["lambda"] * 2),
    ],
)
def test_a_seller_is_named_where_sellers_are_and_a_word_that_begins_a_line_is_none(said, sellers):
    heard = Listener.of(library.load().language, CATALOG).hear(in_one_line(said), today=TODAY)
    assert [offer.provider for offer in heard.offers] == sellers and not heard.doubts


def test_a_price_per_hour_that_is_none_of_a_gpu_is_that_of_its_node():
    hear = Listener.of(library.load().language, CATALOG).hear
    said = "CloudCo offers 64 H100 with InfiniBand NDR. {} $19.20, minimum 3 months, support included"
    told = [hear(said.format(words)).offers[0] for words in ("Price per hour:", "Price per GPU-hour:")]
    assert [offer.gpu_hour_usd for offer in told] == [2.4, 19.2] and "8 GPUs a node" in told[0].note


def test_the_switches_of_a_quote_and_a_rent_by_the_month_are_told_and_not_called_unknown():
    said = (
        "CloudCo offers: 64 H100 SXM, Spectrum-X 400G.\nPrice per hour: $2.40\nTerm: month-to-month\n"
        "2x SN5600 leaf switches included"
    )
    heard = Listener.of(library.load().language, CATALOG).hear(in_one_line(said), today=TODAY)
    [offer] = heard.offers
    assert "Term: month-to-month, 2x SN5600 leaf switches" in offer.note and offer.months is None
    assert not heard.rest and not heard.doubts


@pytest.mark.parametrize(
    "said",
    [
        "Guten Tag,\ngerne bieten wir Ihnen 64x H100 SXM mit InfiniBand NDR 400 an.\nPreis: 2,35 EUR pro GPU-Stunde\n"
        "Laufzeit: 6 Monate, Lieferzeit 4 Wochen, Support inklusive\nMit freundlichen Grüßen\nRechenfeld GmbH",
        "Bonjour,\nnous proposons 64 H100 SXM avec InfiniBand NDR 400.\nPrix : 2,35 EUR par GPU et par heure\n"
        "Durée : 6 mois, livraison en 4 semaines, support inclus\nCordialement,\nRechenfeld GmbH",
    ],
)
def test_of_a_german_or_french_mail_nothing_that_was_used_is_called_unknown(said):
    heard = Listener.of(library.load().language, CATALOG).hear(in_one_line(said), today=TODAY)
    [offer] = heard.offers
    assert (offer.provider, offer.fabric, offer.months, offer.delivery_days) == ("Rechenfeld GmbH", IB, 6, 28)
    assert heard.fields["cluster.gpus"] == 64 and not heard.rest and not heard.doubts


def test_a_list_of_prices_in_euro_or_dollars_has_a_gpu_hour_in_every_line_of_it():
    hear = Listener.of(library.load().language, CATALOG).hear
    for said, kind in (
        ("16 H100: EUR 2.10/h, 32 H100: EUR 1.95/h", "money-other"),
        ("$2.10/h with RoCE, 32 H100: $2/h", "money"),
    ):
        assert [one.unit for one in hear(said).amounts if one.kind == kind] == ["gpu-hour"] * 2


def test_the_rate_of_all_adapters_and_a_tax_that_was_told_are_not_asked_again():
    hear = Listener.of(library.load().language, CATALOG).hear
    said = "Two quotes for 64 H100: Lambda $2.99/GPU-hr, InfiniBand NDR. Nebius $2.40/GPU-hr, 3200 Gb/s InfiniBand"
    assert [offer.nics_per_node for offer in hear(said).offers] == [None, 8]
    first, second = planned(THREE[0] | {"note": "19% VAT excluded"}, THREE[1]).quotes
    assert "taxes" not in first.missing and "taxes" in second.missing


@pytest.mark.parametrize(
    ("then", "left", "told"),
    [
        ("use 128 GPUs instead", [2.45], ("$80,000", "128 too: have it confirmed")),
        ("buy 512 H100 instead", None, ("$2.45", "$80,000", "nothing of a purchase")),
        ("use 64 H200 instead", None, ("$2.45", "for another GPU")),
    ],
)
def test_a_quote_is_set_aside_in_a_line_once_the_job_is_another_than_it_was_asked_for(then, left, told):
    talk = Conversation(library.load(), today=TODAY)
    talk.hear("pretrain llama 3.1 8b on 64 H100 for a month, rented")
    talk.hear("NordCompute offers InfiniBand NDR at $2.45 per GPU-hour for 1 month, "
              "CheapGPU offers 2x100GbE Ethernet at $80000 for 1 month")  # fmt: skip
    aside = " ".join(next(event for event in talk.hear(then) if hasattr(event, "assumed")).assumed)
    quotes = talk.draft.fields.get("budget.quotes")
    assert (quotes and [quote.get("gpu_hour_usd") for quote in quotes]) == left
    assert all(words in aside for words in told) and "set aside" in aside


def test_who_rents_for_a_month_reads_what_is_done_in_it_and_why_a_cheaper_hour_costs_more():
    talk = Conversation(library.load(), today=TODAY)
    for said in ("pretrain llama 3.1 70b on 64 H100", "Rent for a month",
                 "NordCompute offers InfiniBand NDR at $2.45 per GPU-hour for 1 month, "
                 "Nebius offers 2x100GbE Ethernet at $78500 for 1 month"):  # fmt: skip
        talk.hear(said)
    plan = talk.plan
    assert talk.draft.fields["training.days"] == pytest.approx(30.416666666666668)
    assert "billion tokens" in plan.recommendation.card.finish
    told = formats.written(plan, "text").replace("\n", " ")
    assert "for the same tokens quote 2" in told and "longer on its network" in told


def test_what_somebody_offers_is_asked_of_nobody_and_an_open_budget_is_none():
    talk = Conversation(library.load(), today=TODAY)
    talk.hear("pretrain llama 3.1 70b on 64 H100, budget $50k")
    said = talk.hear("Hi, NordCompute can offer you 64x NVIDIA H100 SXM5 80GB (8 nodes of 8) with 400 Gb/s NDR "
                     "InfiniBand for one month at $2.45 per GPU-hour, available from 1 December.")  # fmt: skip
    assert [quote["fabric"] for quote in talk.draft.fields["budget.quotes"]] == ["infiniband-ndr-400"]
    assert not any("It sounds like" in getattr(event, "text", "") for event in [*said, *talk.go_on()])
    talk.hear("budget open")
    assert "budget.usd" not in talk.draft.fields


def test_a_network_that_costs_a_hundred_times_as_much_is_told_in_whole_figures():
    assert [times(ratio) for ratio in (2.0, 99.4, 113.4, 1250.0)] == ["twice", "99 times", "113 times", "1,250 times"]
    assert _costs(113.4) == "costs 113 times as much"


@pytest.mark.parametrize("others", ["", " SouthCompute offers 64 H200 with RoCE 400G at $2.40 per GPU-hour, 3 months."])
@pytest.mark.parametrize(
    ("said", "once", "note"),
    [
        (", one-off installation $60,000", 60000.0, ""),
        (", installation $60,000 one time", 60000.0, ""),
        (" plus $60,000 for installation", 60000.0, ""),
        (". A one-off charge of $60,000 applies", 60000.0, ""),
        (", installation included", None, ""),
        ("; support 3% on top", None, "not in the sum: support 3% on top"),
        (". Support is billed at 3% on top", None, "not in the sum: Support is billed at 3% on top"),
        (", support costs $4,000 a month extra", None, "not in the sum: support costs $4,000 a month extra"),
    ],
)
def test_what_is_paid_once_or_on_top_of_a_price_is_no_budget_and_not_in_it(said, once, note, others):
    offer = "NorthCompute offers 64 H200 with InfiniBand 400G at $2.90 per GPU-hour for 3 months"
    heard = Listener.of(library.load().language, CATALOG).hear(f"Pretrain llama 8b, 5B tokens. {offer}{said}.{others}")
    first = heard.offers[0]
    assert (first.gpu_hour_usd, first.once_usd, first.note) == (2.9, once, note)
    assert "support" not in first.includes
    assert not any(path.startswith("budget.usd") for path in heard.fields)


def test_adapters_that_are_named_by_their_kind_are_counted_and_a_head_of_a_mail_sells_nothing():
    hear = Listener.of(library.load().language, CATALOG).hear
    said = ("We can offer 64 H100 with InfiniBand NDR at $2.90 per GPU-hour, {}. 3 months commitment, support "
            "included. Best regards, Jean, NorthCompute")  # fmt: skip
    for told in ("8x ConnectX-7 400G each", "8 x ConnectX-7 NICs at 400G", "8x 400G per node"):
        assert [(one.nics_per_node, one.provider) for one in hear(said.format(told)).offers] == [(8, "NorthCompute")]
    assert "cluster.gpus_per_node" not in hear(said.format("8x ConnectX-7 400G each")).fields


TWO_GPUS = """Subject: Offer GPU cluster

Dear Sir, here our quotation no 8841:
Option A: 32 x HGX B200 (256 GPUs), InfiniBand NDR 400G per GPU, EUR 3.10 per GPU hour, term 24 months
Option B: 32 x HGX H200 (256 GPUs), RoCE 400G, EUR 498,000 per month, term 12 months, one-off installation EUR 60,000
All prices net of VAT. Ready 15 February 2027.
We plan to pretrain llama 70b, 2T tokens.
Best, Jean, NorthCompute"""


def test_a_quote_for_another_gpu_is_set_aside_and_each_option_has_its_own_fee_and_the_day_of_all():
    first, second = Listener.of(library.load().language, CATALOG).hear(TWO_GPUS, today=TODAY).offers
    assert (first.gpu, first.provider, first.once_usd, first.delivery_days) == ("b200", "NorthCompute", None, 87)
    assert (second.gpu, second.provider, second.delivery_days) == ("h200-sxm", "NorthCompute", 87)
    assert second.once_usd == pytest.approx(60000 * 1.1269)
    found = at_once.tell(Conversation(library.load(), today=TODAY), TWO_GPUS)
    told = " ".join(text for event in found.said for text in getattr(event, "assumed", ()))
    assert [quote["gpu"] for quote in found.plan.questionnaire["budget"]["quotes"]] == ["b200"]
    assert "H200" in " ".join(found.taken) and "RoCE" in told and "it was for another GPU" in told


def test_a_quote_of_a_questionnaire_for_another_gpu_is_refused():
    assert asked(THREE[0] | {"gpu": "h100-sxm"}).budget.quotes[0].gpu == "h100-sxm"
    for gpu, why in (("h200-sxm", "the GPU of the cluster, h100-sxm, got h200-sxm"), ("h2000", "h2000")):
        with pytest.raises(InputError, match=why):
            asked(THREE[0] | {"gpu": gpu})


def test_the_day_from_which_on_an_offer_is_there_is_not_asked_about_as_a_deadline():
    said = ("From: sales@northcompute.example\n\nWe offer 16 x HGX H200 (128 GPUs) with RoCE 400G, EUR 250,000 per "
            "month, term 12 months, one-off installation EUR 60,000.\nReady 15 February 2027. Prices net of VAT.\n"
            "Job: pretrain llama 70b, 1T tokens.\nNorthCompute")  # fmt: skip
    heard = Listener.of(library.load().language, CATALOG).hear(said, today=TODAY)
    assert [(one.delivery_days, one.months) for one in heard.offers] == [(87, 12)] and not heard.doubts
    assert heard.offers[0].once_usd == pytest.approx(60000 * 1.1269) and "budget.usd" not in heard.fields


def test_who_signs_a_mail_with_two_options_makes_both_and_several_mails_are_signed_each():
    """The reply to option A went "To quote 1"."""
    hear = Listener.of(library.load().language, CATALOG).hear
    first = "Option A: NDR InfiniBand 400G, non-blocking, USD 2.45 per GPU-hour, 3 month commitment.\n"
    second = "Option B: RoCE 400G, 2:1 oversubscribed, EUR 1.95 per GPU hour, setup fee 20,000 EUR once.\n"
    one = f"Hi Anna,\n\nthanks for the call. For 256 H100 SXM we can offer:\n\n{first}{second}\nBest, "
    two = f"For 256 H100 SXM:\n{first}Best regards, Ann (Lambda)\n\n{second}\nKind regards, "
    for mail, who in ((one, "coreweave"), (two, "lambda")):
        heard = hear(in_one_line(f"{mail}Tom (CoreWeave)"))
        assert [(o.provider, o.fabric) for o in heard.offers] == [(who, IB), ("coreweave", ROCE)]
    signed = hear(in_one_line(f"{one}Tom (CoreWeave)")).offers
    assert [offer.once_usd is None for offer in signed] == [True, False], "the fee is of one of them"
    unknown = hear(in_one_line(f"{one}Dana Levi\nNordfrost Compute Oy"))
    assert {offer.provider for offer in unknown.offers} == {"Nordfrost Compute Oy"}
