"""How well quotes told in free words are read: ``python -m tests.quotes_judged FILE`` prints, for the
messages of a file of labelled quotes (their form: tests/messages/quotes_a.yaml), how many of every kind are right.

What a label says is turned into values here and not by the program, but for names of models. An offer of the program
is that of the label whose price it has, else the one with the most in common. ``silently``: a value that is used, is
not that of the label, and of which nothing is said: no doubt, nothing taken for granted, no word that was left unread.
A message is wrong in silence where such a value, an offer that was made up, or one that is missing is not asked about.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

from assistant import library
from assistant.understanding import Listener
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from assistant.vocabulary.utterance import Quoted, Utterance

from .labels import labels

TODAY = datetime.date(2026, 11, 22)
CATALOG = library.load().catalog
_NODES = (8, 4, 16, 72, 2, 1)
_CLOSE = 0.012
_WORDS = {w: n for n, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split())} | {w: 10 * n for n, w in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # fmt: skip
_WORDS |= {"a": 1, "an": 1, "half": 0.5}
_MANY = {"hundred": 100, "thousand": 1e3, "k": 1e3, "grand": 1e3, "million": 1e6, "mil": 1e6, "mio": 1e6, "m": 1e6,
         "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "t": 1e12}  # fmt: skip
_SIGNS = {"€": "eur", "euro": "eur", "£": "gbp", "pound": "gbp", "quid": "gbp", "¥": "jpy", "yen": "jpy",
          "₹": "inr", "zł": "pln", "kr": "sek", "₩": "krw", "r$": "brl"}  # fmt: skip
_CODES = "eur gbp chf sek dkk nok jpy inr cad aud pln sgd cny aed czk ils krw brl".split()
_CURRENCIES = _SIGNS | {code: code for code in _CODES}
_MONTH, _YEAR, _QUARTER = DAYS_PER_MONTH, 365.25, 91.3
_DAYS = {"day": 1, "d": 1, "tag": 1, "week": 7, "wk": 7, "w": 7, "woche": 7, "month": _MONTH, "mo": _MONTH, "m": _MONTH,
         "mth": _MONTH, "monat": _MONTH, "year": _YEAR, "yr": _YEAR, "y": _YEAR, "jahr": _YEAR, "annual": _YEAR,
         "quarter": _QUARTER, "quarterly": _QUARTER, "weekend": 2}  # fmt: skip
_HOUR = r"(?<![a-z\d])h\b|hr|hour|hora|heure|std|stunde|gpuh|godz|timm|gpu-time|hourly"
_PERIODS = {1: _HOUR, 24: r"day|24h", 168: r"week|wk", 8766: r"year|annual",
            HOURS_PER_MONTH: r"month|mo\b|maand|mes\b|monat"}  # fmt: skip
_NO_TERM = re.compile(
    r"\b(no|none|nothing|without|demand|hourly|payg|month to month|month by month|monthly|spot|pay as)\b", re.I
)
_NOBODY = re.compile(
    r"^(our|the|they|them|another|a|an|offer|quote|option|provider|vendor|bidder|proposal|first|second|"
    r"third|one|he|she|their|current|my|some|other|bid|supplier|reseller|[a-d1-4]\b)", re.I)  # fmt: skip
_KINDS = (("infiniband", r"\bib\b|infini|ndr|hdr|xdr|edr|quantum|q2"), ("roce", r"roce|spectrum|rdma"), ("efa", r"efa"),
          ("slingshot", r"slingshot"), ("ethernet", r"eth|gbe|\d+g\b|gig|tcp|lan"))  # fmt: skip
_MISSING = re.compile(r"^(no|without|isolated|none)\b", re.I)


def number(said: str) -> float | None:
    """The number that a piece of text says."""
    said = said.lower().replace("’", "'")
    found = re.search(r"\d[\d.,' \u00a0\u202f]*", said)
    if found:
        digits, rest = re.sub(r"['\s\u00a0\u202f]", "", found[0]).rstrip(".,"), said[found.end() :].strip(" -")
        if re.fullmatch(r"\d{1,3}([.,]\d{3})+", digits) and not re.fullmatch(r"[0]?[.,]\d{3}", digits):
            digits = re.sub(r"[.,]", "", digits)
        elif "," in digits and "." in digits:
            last = max(digits.rfind(","), digits.rfind("."))
            digits = re.sub(r"[.,]", "", digits[:last]) + "." + digits[last + 1 :]
        else:
            digits = digits.replace(",", ".")
        many = re.match(r"(k|m|mio|mil|million|thousand|grand|bn?|billion|t|trillion)(?![a-z])", rest)
        return float(digits) * (_MANY[many[1]] if many else 1) * (0.01 if "cent" in rest or "¢" in rest else 1)
    total, current, seen = 0.0, 0.0, False
    for word in re.findall(r"[a-z]+", said):
        if word in _WORDS:
            current, seen = current + _WORDS[word], True
        elif word == "hundred" and seen:
            current *= 100
        elif word in _MANY and len(word) > 2:
            total, current, seen = total + (current or 1) * _MANY[word], 0.0, True
    return (total + current) * (0.01 if "cent" in said else 1) if seen else None


def days(said: str) -> float | None:
    """The days that a piece says, where it says a length."""
    said = said.lower()
    if found := re.search(r"half[- ](a )?year", said):
        return 182.6
    found = re.search(
        r"\b(\d+(?:[.,]\d+)?(?=[ -]*[a-z])|[a-z]+(?=[ -]))[ -]*"
        r"(days?|d|weeks?|wks?|w|months?|mos?|m|mths?|years?|yrs?|y|quarters?)\b",
        said,
    )
    unit = lambda name: _DAYS.get(name) or _DAYS.get(name.rstrip("s"))
    many, each = (number(found[1]), unit(found[2])) if found else (None, None)
    if many is not None and each:
        return many * each
    alone = re.search(r"\b(annual|quarterly|year|yearly|month|weekend|week|quarter)\b", said)
    return _DAYS.get(alone[1].removesuffix("ly") if alone[1] == "yearly" else alone[1]) if alone else None


def currency(offer: dict[str, Any], text: str) -> str | None:
    """The code of the currency of a price, where it is none of dollars."""
    said = offer["price"].lower() + " " + (offer["per"] or "").lower()
    code = next((code for sign, code in _CURRENCIES.items() if sign in said), None)
    if code is None and (at := text.find(offer["price"])) >= 0:  # "pln per gpu hour" beside a bare number
        around = text[max(0, at - 4) : at + len(offer["price"]) + 5].lower()
        code = next((code for sign, code in _CURRENCIES.items() if sign in around and len(sign) != 2), None)
    return code


def unrated(offer: dict[str, Any], text: str) -> bool:
    """Whether a price is in a currency whose rate nobody keeps: then it is right to say so, and to use nothing."""
    code = currency(offer, text)
    return code is not None and f"currency-{code}" not in CATALOG.constants


def prices(offer: dict[str, Any], text: str) -> tuple[list[float], list[float]]:
    """The prices of a GPU-hour, and the sums, in dollars, any of which is right for a label."""
    value = number(offer.get("net") or offer["price"])
    if value is None:
        return [], []
    code = currency(offer, text)
    rate = CATALOG.constants.get(f"currency-{code}") if code else None
    value *= rate.value if rate else 1.0
    per, months = (offer["per"] or "").lower(), (days(offer["term"] or "") or 0) / DAYS_PER_MONTH
    node = re.search(r"node|box|machine|server|instance|vm|system|rack|dgx|hgx|8-way|p5|blade", per)
    hours = next((h for h, words in _PERIODS.items() if re.search(words, per)), None)
    one = re.search(r"gpu|card|accel|chip|each|apiece|piece|unit|npu|h100|h200|b200|a100|mi3|l40|gb\d", per)
    count = number(offer["gpus"]) if offer["gpus"] else None
    nodes = offer["gpus"] and re.search(r"node|box|machine|server|system|rack|vm", offer["gpus"].lower())
    if hours == 1 or (hours is None and value <= 100):
        plain = [value] if not node or value < 15 else []
        together = [value / count] if count and re.search(r"total|together|node|the lot", per) else []
        return [*plain, *([value / n for n in _NODES] if node or value > 30 else []), *together], []
    if hours:
        shared = [value / hours] if one and not node else [value / hours / n for n in _NODES] if node else []
        shared += (
            [value / hours / count / n for n in (_NODES if nodes else (1,))] if count and not (one or node) else []
        )
        sums = [] if one or node else [value, value * max(months, 1) * HOURS_PER_MONTH / hours]
        return shared, sums
    return [], [
        value,
        *([value * count] if count and (one or node) else []),
        *([value * count / 8] if count and node else []),
    ]


def near(a: float | None, wanted: list[float]) -> bool:
    return a is not None and any(abs(a - one) <= _CLOSE * abs(one) for one in wanted)


def right_price(offer: Quoted, label: dict[str, Any], text: str) -> bool:
    hours, sums = prices(label, text)
    return near(offer.gpu_hour_usd, hours) or near(offer.usd, sums)


def right_seller(said: str | None, label: str | None) -> bool:
    plain = lambda name: re.sub(r"[^a-z0-9]", "", name.lower())
    if label is None or said is None:
        return said is None and (label is None or bool(_NOBODY.match(label)))
    one = CATALOG.providers.get(said)
    names = [said, *((one.name, *one.aliases) if one else ())]
    return any(plain(n) in plain(label) or plain(label) in plain(n) for n in names if plain(n) and plain(label))


def right_network(said: str | None, label: str | None) -> bool:
    if label is None or _MISSING.match(label):
        return said is None or (
            label is not None and said in ("none", "ethernet-tcp-100", "ethernet-tcp-25", "ethernet-tcp-10")
        )
    kind = next((kind for kind, words in _KINDS if re.search(words, label.lower())), None)
    if kind is None or said is None:
        return kind is None and said is None
    generation = re.search(r"ndr|hdr|xdr|edr", label.lower())
    like = {"infiniband": ("infiniband",), "roce": ("roce", "spectrum"), "efa": ("efa",), "slingshot": ("slingshot",),
            "ethernet": ("ethernet", "roce", "tcp", "spectrum")}[kind]  # fmt: skip
    return any(one in said for one in like) and (generation is None or generation[0] in said)


def right_term(offer: Quoted, label: str | None) -> bool | None:
    told = [one for one in (offer.months and offer.months * DAYS_PER_MONTH, offer.minimum_days) if one]
    if label is None or _NO_TERM.search(label):
        return not told or (offer.usd is not None and label is None) or told == [DAYS_PER_MONTH]
    length = days(label) or (number(label) or 0) * DAYS_PER_MONTH or None
    if length is None or length > 2500:
        return None
    return any(abs(one - length) <= 0.06 * length for one in told)


def right_count(offer: Quoted, heard: Utterance, label: str | None) -> bool | None:
    many = number(label) if label else None
    if many is None:
        return None
    every = [
        many * n
        for n in (
            _NODES if re.search(r"node|box|machine|server|system|rack|vm|dgx|hgx", (label or "").lower()) else (1,)
        )
    ]
    if each := re.match(r"\d+ ?(?:x|×) ?(\d+) ?x", (label or "").lower()):
        every.append(many * float(each[1]))
    there = offer.gpus or heard.fields.get("cluster.gpus")
    return near(there, every) or (heard.nodes is not None and near(float(heard.nodes), [many]))


def _told(heard: Utterance, field: str, piece: str | None) -> bool:
    """Whether something is said of a value that may be wrong."""
    spoken = [*heard.assumed, *map(str, heard.doubts)]
    quoted = any(doubt.field == "budget.quotes" for doubt in heard.doubts)
    named = any(doubt.field and doubt.field.startswith(field) for doubt in heard.doubts)
    return quoted or named or bool(piece and any(piece in one for one in spoken))


def paired(labels: list[dict[str, Any]], offers: tuple[Quoted, ...], text: str) -> list[Quoted | None]:
    """For each label the offer that has its price, else the one that is left with the most in common."""

    def worth(offer: Quoted, label: dict[str, Any]) -> int:
        own = right_network(offer.fabric, label["network"])
        return 8 * right_price(offer, label, text) + 3 * right_seller(offer.provider, label["seller"]) + own

    open_ = [*offers, *[None] * len(labels)]
    ways = itertools.permutations(open_, len(labels)) if len(open_) < 9 else [tuple(open_[: len(labels)])]
    total = lambda some: sum(worth(one, label) for one, label in zip(some, labels, strict=True) if one)
    best = max(ways, key=total)
    return [one if one and worth(one, label) > 3 else None for one, label in zip(best, labels, strict=True)]


class Judged:
    """What was counted: right, and of how many, by kind."""

    def __init__(self) -> None:
        self.right, self.of, self.wrong = Counter(), Counter(), []

    def count(self, kind: str, right: bool | None) -> None:
        if right is not None:
            self.right[kind] += right
            self.of[kind] += 1


def judge(messages: list[dict[str, Any]], hear: Any) -> Judged:
    found = Judged()
    for message in messages:
        heard, text = hear(message["say"], today=TODAY), message["say"]
        labels = [one for one in message["quotes"] if not unrated(one, text)]
        for amount in (number(one["price"]) for one in message["quotes"] if unrated(one, text)):
            used = any(near(amount, [offer.gpu_hour_usd or 0, offer.usd or 0]) for offer in heard.offers)
            found.count("without a rate and not used", not used)
        pairs = paired(labels, heard.offers, text)
        before = added_up(found)
        whole = all(
            [_judge_offer(found, heard, label, offer, text) for label, offer in zip(labels, pairs, strict=True)]
        )
        made_up = [one for one in heard.offers if not any(one is pair for pair in pairs)]
        asks = any(one.unread for one in heard.offers)
        right, silent = whole and not made_up, added_up(found) > before or (made_up and not asks)
        found.right["messages right, and asked about"] += bool(right and asks)
        found.right["messages wrong in silence"] += bool(not right and silent)
        found.right["made up"] += len(made_up)
        found.right["made up where there is none"] += 0 if message["quotes"] else len(made_up)
        found.wrong += [(message.get("id"), "made up", one) for one in made_up]
        if labels:
            found.count("messages with every offer right", whole and not made_up)
        _judge_job(found, message, heard, hear)
    return found


def added_up(found: Judged) -> int:
    """How much is wrong, or missing, of which nothing is said."""
    return found.right["silently wrong"] + found.right["dropped in silence"]


def _judge_offer(found: Judged, heard: Utterance, label: dict[str, Any], offer: Quoted | None, text: str) -> bool:
    """Counts what is right of one offer; whether all of it is."""
    checks: dict[str, bool | None] = {"seller": None, "price": False, "network": None, "term": None, "gpus": None}
    if offer:
        checks = {
            "seller": right_seller(offer.provider, label["seller"]),
            "price": right_price(offer, label, text),
            "network": right_network(offer.fabric, label["network"]),
            "term": right_term(offer, label["term"]),
            "gpus": right_count(offer, heard, label["gpus"]),
        }
    for kind, right in checks.items():
        missed = right is None and offer is None and label[kind] is not None
        found.count(kind, False if missed else right)
        if right is False:
            silent = offer is not None and _is_silent(heard, kind, label, offer)
            found.right["silently wrong"] += silent
            found.wrong.append((label, kind, silent, offer))
    asked = any(near(number(label["price"]), [v for v in one.options if isinstance(v, (int, float))]) or
                label["price"].strip("$€£ ") in one.sentence for one in heard.doubts)  # fmt: skip
    told = asked or label["price"] in heard.rest or _told(heard, "budget.gpu", label["price"])
    lost = offer is None and not (told or any(label["price"] in one.unread for one in heard.offers))
    found.right["dropped in silence"] += lost
    found.count("offers found", offer is not None)
    return all(one is not False for one in checks.values())


def _is_silent(heard: Utterance, kind: str, label: dict[str, Any], offer: Quoted) -> bool:
    """Whether a wrong value is used and nothing is said of it."""
    term = offer.months or offer.minimum_days
    used = {"seller": offer.provider, "price": True, "network": offer.fabric, "term": term, "gpus": offer.gpus}[kind]
    fields = {"seller": "cluster.provider", "price": "budget.gpu", "network": "cluster.fabric"}
    return bool(used) and not _told(heard, fields.get(kind, "budget.reserved"), label[kind]) and not offer.unread


def _judge_job(found: Judged, message: dict[str, Any], heard: Utterance, hear: Any) -> None:
    job, fields = message["job"], heard.fields
    if job["model"]:
        alone = hear(f"pretraining {job['model']}", today=TODAY).fields
        wanted = {path: alone[path] for path in ("model", "model.params") if path in alone}
        if wanted:
            found.count("job's model", any(fields.get(path) == value for path, value in wanted.items()))
    if job["tokens"] and (many := number(job["tokens"])):
        found.count("job's tokens", near(fields.get("training.tokens"), [many, many * 1e9]))
    if job["time"] and (length := days(job["time"])):
        there = [fields.get("constraints.deadline_days"), fields.get("training.days")]
        there += [value for doubt in heard.doubts for _, value in doubt.between or ()]
        found.count(
            "job's time", any(isinstance(one, (int, float)) and abs(one - length) <= 0.06 * length + 1 for one in there)
        )


def shown(found: Judged) -> str:
    rates = [f"{kind}: {found.right[kind]} of {found.of[kind]}" for kind in found.of]
    plain = [f"{kind}: {many}" for kind, many in found.right.items() if kind not in found.of]
    return "\n".join([*rates, *plain])


def messages(path: Path) -> list[dict[str, Any]]:
    """The messages of a file, in the form of tests/messages, with every part of every label."""
    told = labels(path)
    parts = ("seller", "price", "per", "network", "term", "gpus")
    job = ("model", "tokens", "time")
    return [
        {
            **one,
            "say": one.get("say") or one["text"],
            "quotes": [
                dict.fromkeys(parts) | ({"term": quote["minimum"]} if days(quote.get("minimum") or "") else {}) | quote
                for quote in one.get("quotes", one.get("offers", ()))
            ],
            "job": dict.fromkeys(job) | one.get("job", {}),
        }
        for one in told
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first message")
    parser.add_argument("--every", type=int, default=1, help="every so many messages from there on")
    parser.add_argument("--wrong", action="store_true", help="what is wrong, one a line")
    asked = parser.parse_args()
    every = messages(asked.file)[asked.first :: asked.every]
    judged = judge(every, Listener.of(library.load().language, CATALOG).hear)
    print(shown(judged))
    for line in judged.wrong if asked.wrong else ():
        print(*line)
