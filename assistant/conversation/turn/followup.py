"""What is asked of the plan in people's own words: the kind of question, and its answer in at most five lines.

Kinds, the sentences of their answers and what "more" shows are ``knowledge/language/followups.yaml``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

from assistant.present.blocks import Bullets, Paragraph
from assistant.present.plan import quotes
from assistant.present.plan.answers import Asked, remedied, sentences
from assistant.present.plan.names import namer
from assistant.present.plan.reading import network_said
from assistant.present.text import block_lines
from assistant.understanding.demand import Demands
from assistant.understanding.followups import ELSEWHERE
from assistant.vocabulary.added import added
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Utterance

from ..answers.about_plan import PARTS
from ..answers.alternatives import alternatives
from ..draft import QUOTES
from ..events import Answer, Event, Explanation, Note, VariationShown
from ..heard import bare_numbers, guessed, heard, is_no_value
from . import asked as asked_of
from .near import nearest
from .parts import Parts

LINES, WIDTH = 5, 80
View = Callable[[Callable[[Plan], list[Event]]], list[Event]]  # answers of the plan, or of what is tried
_SENTENCE = re.compile(r"(?<=[a-z)%][.;]) (?=[A-Z])")  # "… is. Llama 3 …", not "1.5 T"
_SPLIT = re.compile(r" \((?=[^()]* · )[^()]*\)")  # how the GPUs share the work: behind "more"
_PAUSES = re.compile(r"[.,;:!](?=\s|$)")
_OF_A_NUMBER = ("budget.", "constraints.", "training.tokens", "training.days", "inference.tokens")  # with no word of it
_PROVIDER, _DEADLINE, _FABRIC = "cluster.provider", "constraints.deadline_days", "cluster.fabric"
_A_WHY = 3  # words
_FILES = frozenset("json yaml yml md markdown html pdf csv txt file export".split())  # what is written to, in a word
_POINTS = frozenset(
    "about if happens the this that these those it my our your their all a an".split()
)  # at what lies here
_DESCRIBES = frozenset({"describe", "unclear"})
_ASKING = frozenset({"ask", "why", "why-not", "what-if", "compare"})
_STATES = frozenset({"describe", "change"})  # acts of messages that state something, unless they ask
# How likely a kind must be: before the topics, after them, and where a question is asked that else goes to the library.
# Of 261 questions that were not learned from 0.15 for the last leaves 18 open: 12 would have been answered wrong, 6
# right. Of the 186 of tests/followups*.yaml none that is answered right is lost up to 0.23, two are at 0.25, four at
# 0.28: it stands a hundredth below, as a question that is asked about costs less than a wrong answer.
_SURE, _LIKELY, _POSSIBLY = 0.45, 0.2, 0.22
_SURELY = 0.75  # how likely a kind is beside which what the words are about says nothing
_AGREED = 0.3  # how likely the kinds are together that stand in the place of the topic that was read
_CERTAIN = 0.93  # how likely a kind is that goes before whatever topic was read
_BESIDE = 0.6  # how likely a kind is whose question goes before a fact that was read of the same words
_ITS_OWN = 0.4  # how likely a kind is whose answer is not held against the noun of the question
_AS_LIKELY = 0.4  # of the share of the first kind: then the next is answered too
_OF_THE_FIRST, _BESIDE_IT = 2, 2  # sentences of the first kind and of the next, before the rest of the first
_CLAUSES = re.compile(
    r"(?<=[?!.;])\s+|(?:^|\s)\d\)\s+|,?\s+(?:and|or|but|so|because)\s+(?=(?:(?:of|for|on|in|at|with|to|from|by)\s+)?(?:what|which|who|"
    r"whose|how|why|when|where|does|do|did|is|are|can|could|would|should|will|if)\b)",
    re.IGNORECASE,
)
_LONGEST_QUESTION = 300  # characters
_SURELY_TELLS = 0.9  # by its meaning: then the facts that it states are taken
_SURELY_ASKS = (
    0.7  # by its meaning: so do 120 of 122 questions and 5 of 289 that tell, none learned from (fresh_o, _p, _q)
)
_LIMITS = ("constraints.", "budget.")
_DEFINED = 0.04  # how likely a kind is of which the word that is asked for is one
_TERM = 3  # words of a term of the field at most
_MAYBE_OF_THE_FIELD = 0.25  # beside a kind that is not sure
_OF_THE_FIELD = 0.3  # how likely it is then at most that it is none of the plan


def answered(parts: Parts, said: Utterance, *, first: bool) -> list[Event] | None:
    """The answer to a question of the plan; ``None`` where it is none. ``first``: only what goes before the topics."""
    if parts.state.plan is None:
        return None
    kind = _kind(parts, said, first=first)
    for _ in range(_SILENT):
        if kind is None or _tells_something(parts, said, kind):
            break
        said = _without(said, kind)  # of this plan it says nothing, so it is not what was meant
        kind = _kind(parts, said, first=first)
    if kind is None and not first and _subjects(parts, said) and not new_facts(parts, said):
        kind = _SUBJECT
    of_term = _of_a_term_quoted(parts, said) if first else None
    if kind is None or of_term:
        return of_term
    view = parts.view_of(said)
    events = view(lambda plan: _answer(parts, plan, kind, said))
    if all(isinstance(event, Note) and event.text.startswith("With ") and not event.items for event in events):
        return None  # the plan has nothing to say of it
    parts.more = partial(_more, parts, kind["more"], said, view)
    return events


_SILENT = 2  # kinds that may have nothing to say


def _tells_something(parts: Parts, said: Utterance, kind: Mapping[str, Any]) -> bool:
    """Whether a kind of question has an answer in this plan."""
    plan, names = parts.state.plan, [*_of_subject(parts, kind, said), *kind["tells"]]
    if plan is None or kind.get("tried"):
        return True
    asked = _asked(parts, plan, said)
    if any(sentences(asked, [one]) for one in names):
        return True
    works = None if kind.get("as_asked") else remedied(asked)  # of what would work it may tell something
    return works is not None and bool(sentences(works[0], names))


def _without(said: Utterance, kind: Mapping[str, Any]) -> Utterance:
    """The message without the odds of one kind: the others are as likely as they were, no likelier."""
    return replace(said, followup=tuple(one for one in said.followup if one[0] != kind["kind"]))


def of_kind(parts: Parts, said: Utterance, kind: Mapping[str, Any]) -> list[Event]:
    """The answer of one kind of question, whichever was likeliest; nothing where the plan has nothing to say of it."""
    if kind.get("needs") == "quotes" and not (parts.state.plan and parts.state.plan.quotes):
        return []
    view = parts.view_of(said)
    events = view(lambda plan: _answer(parts, plan, kind, said))
    parts.more = partial(_more, parts, kind["more"], said, view)
    return (
        []
        if all(isinstance(one, Note) and one.text.startswith("With ") and not one.items for one in events)
        else events
    )


def of_limit(parts: Parts, said: Utterance) -> list[Event]:
    """The answer of the kind of question that is asked of the one limit that a message supposes."""
    new = new_facts(parts, said)
    kinds = parts.library.language["followups"]["kinds"]
    kind = next((one for one in kinds if new == {one.get("limits")}), None)
    return of_kind(parts, said, kind) if kind is not None else []


def beside_the_plan(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to what is asked with a sum, a currency or a time of its own, which changes nothing of the job: a
    topic of the plan that says which sentences tell it (topics.yaml)."""
    topics = parts.library.language["topics"]["topics"]
    kind = next((one for one in topics if one["topic"] == said.of_plan and "tells" in one), None)
    if parts.state.plan is None or kind is None:
        return None
    view = parts.view_of(said)

    def told(plan: Plan) -> list[Event]:
        found = sentences(_asked(parts, plan, said), kind["tells"])
        return [fitted([*map(namer(plan), found)])] if found else []

    events = view(told)
    if not any(isinstance(event, Note) and not event.text.startswith("With ") for event in events):
        return None
    parts.more = partial(_more, parts, kind["more"], said, view)
    return parts.answered(*events)


def _of_a_term_quoted(parts: Parts, said: Utterance) -> list[Event] | None:
    """The quotes for a term where nothing but the term is named in a question: "and the 3 month reservation?"."""
    plan, days = parts.state.plan, said.fields.get("budget.reserved_days")
    if plan is None or not days or len(said.fields) > 1 or "?" not in said.text:
        return None
    told = quotes.of_term(plan, days / DAYS_PER_MONTH)
    return parts.answered(fitted([*map(namer(plan), told)])) if told else None


def likeliest(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to the likeliest question of the plan where a message could be used for nothing else; else what can
    be asked."""
    return answered(parts, replace(said, act="ask"), first=False) or unsure(parts, said)


def saves_money(parts: Parts, said: Utterance) -> bool:
    """Whether "save" is of money and not of a file: nothing that could be kept is named."""
    words = set(said.text.lower().replace(".", " ").replace("?", " ").split())
    return (
        said.act == "export"
        and parts.state.plan is not None
        and not words & (_FILES | set(parts.words["kept"]))
        and len(words) > _A_WHY
    )


def unsure(parts: Parts, said: Utterance) -> list[Event] | None:
    """A line on what can be asked, where a question of the plan is none that it answers; ``None`` for one of the
    field."""
    share = dict(said.followup).get(ELSEWHERE, 0.0)
    if parts.state.plan is None or share >= _LIKELY or _is_a_term(said) or said.entities:
        return None
    if _subjects(parts, said) and (found := answered(parts, said, first=False)):
        return found
    demands = Demands.of_data(parts.library.language["asked_for"])
    things = demands.of(said.text, said.text, said.amounts, said.text).things
    lacks = next((one for one in things if one.lacks), None)
    if lacks is not None:
        first = f'I heard "{lacks.in_words(said.text.lower())}": the plan does not know {lacks.lacks}.'
    else:
        first = "I am not sure what you ask of the plan."
    asked = " or ".join(f'"{one}"' for one in nearest(parts, said, things))
    return parts.answered(Note(text=f"{first} Ask it for example {asked}." if asked else first))


def _kind(parts: Parts, said: Utterance, *, first: bool) -> Mapping[str, Any] | None:
    """The likeliest kind that the plan can answer: before the topics where it is likely enough and takes the place of
    the one that is asked."""
    kinds = {one["kind"]: one for one in parts.library.language["followups"]["kinds"]}
    if _names_a_proof(parts, said):
        return None
    if first and "need" in (said.of_plan, said.topic) and len(said.fabrics) > 1 and not new_facts(parts, said):
        return next((one for one in kinds.values() if one.get("between")), None)
    of_a_quote = "?" in said.text or (_first_share(said) >= _SURE and _asks(parts, said))
    if said.offers and (said.act == "what-if" or not of_a_quote):
        return None  # it is a quote of this plan from now on
    stated, topics = new_facts(parts, said), {said.of_plan, said.topic} - {None}
    told = said.amounts or said.entities
    of_nothing = not stated and parts.state.variation is None and "better" in topics  # better than what?
    topics -= {"better"} if of_nothing else set()
    guesses = _guesses(kinds, said, stated)
    stated -= guesses
    names = stated or said.excluded or (said.act in _STATES and told and _first_share(said) < _SURE)
    aside = _beside_facts(kinds, said)
    states = said.act in (*_STATES, "unclear") and not _asks(parts, said)
    vague = aside < _LIKELY or _first_share(said) < _SURE
    weighed = _weighs(parts, said) and vague and not _turns(kinds, said)
    tells = names and states and (aside < _BESIDE or (bool(stated) and _tells(said)))
    if said.act == "undo" or weighed or tells or _of_the_field(kinds, said):
        return None
    agreed = of_nothing or _agreed(kinds, said, topics) >= _AGREED
    early = _LIKELY if agreed or (aside and alternatives(said)) else _SURE
    least = _LIKELY if names and states else _POSSIBLY
    supposed = said.act == "what-if" and "if" in said.text.lower().split()
    quoted = parts.state.plan is not None and bool(parts.state.plan.quotes)
    dated = "training.days" in parts.state.draft.fields or _DEADLINE in stated
    kept = not dated and not _of_a_ratio(parts, said)
    for name, share in _with_any_form(kinds, said):
        if name == ELSEWHERE:
            if share >= (_SURE if first else _OF_THE_FIELD) and not _says_nothing(said, bool(names)):
                return None
            continue
        kind = kinds[name]
        if share < (early if first else least) or (first and not _in_place_of(kind, topics, share)):
            continue
        if (kind.get("needs") == "quotes" and not quoted) or stated & set(kind.get("unless", ())):
            continue
        if _is_no_question(kind, share, said) or (kind.get("resizes") and supposed and stated and kept):
            return None  # with the days given fewer GPUs would do less: then the work is kept, else it is tried
        own = _own_facts(kind, share, said, stated)
        if states and any(path.startswith(_LIMITS) for path in own):
            continue  # "the room gives us 20 kW" is a limit, whatever else is asked in such words
        beside = kind.get("aside") and (share >= _SURE or aside >= _BESIDE)
        tried = stated - own if kind.get("supposed") else stated
        enough = _LIKELY if kind.get("resizes") else _BESIDE
        if (tried and supposed) or (stated - own and not beside) or (own and supposed and share < enough):
            continue
        return None if kind.get("bare_is_proof") and len(said.text.split()) < _A_WHY else kind
    return None


def _own_facts(kind: Mapping[str, Any], share: float, said: Utterance, stated: Set[str]) -> set[str]:
    """What is stated that a kind of question is about: its own fields, and bare numbers where sizes are asked about."""
    own = {path for path in stated if path.startswith(tuple(kind.get("facts", ("-",))))}
    sized = {"cluster.gpus", "inference.", "inference.requests"} & set(kind.get("facts", ()))
    return own | (_bare(said, stated) if share >= _SURE and sized else set())


def _is_no_question(kind: Mapping[str, Any], share: float, said: Utterance) -> bool:
    """Whether something is to be written to a file, or the meaning of a word is asked that the kind does not define."""
    exports = said.act == "export"
    of_a_file = exports and _FILES & set(said.text.lower().replace(".", " ").split())
    return bool(of_a_file) or (share < _SURE and (exports or (_is_a_term(said) and not kind.get("defines"))))


def _tells(said: Utterance) -> bool:
    """Whether a message with facts tells them by its meaning, and no kind of question is all but certain."""
    return said.tells >= _SURELY_TELLS and _first_share(said) < _CERTAIN


def _of_the_field(kinds: Mapping[str, Mapping[str, Any]], said: Utterance) -> bool:
    """Whether a question may as well be none of the plan, and no kind of it is likely."""
    shares = dict(_with_any_form(kinds, said))
    return max(shares.values(), default=0.0) < _BESIDE and shares.get(ELSEWHERE, 0.0) >= _MAYBE_OF_THE_FIELD


def _names_a_proof(parts: Parts, said: Utterance) -> bool:
    """Whether a rule of the plan is named, or one network beside something that is none, by their own names."""
    plan = parts.state.plan
    rules = (finding.rule for finding in plan.findings) if plan is not None else ()
    compared = said.act == "compare" and len(said.fabrics) == 1 and _first_share(said) < _CERTAIN
    return compared or any(rule in said.text for rule in rules)


def _with_any_form(kinds: Mapping[str, Mapping[str, Any]], said: Utterance) -> list[tuple[str, float]]:
    """The kinds and how likely each is; which form of a summary is asked for matters less than that one is."""
    is_form = lambda name: name != ELSEWHERE and "summary" in kinds[name].get("instead_of", ())
    forms = added(share for name, share in said.followup if is_form(name))
    found = [(name, forms if is_form(name) else share) for name, share in said.followup]
    return [(name, share) for name, share in found if name != ELSEWHERE or share >= forms]


def _of_a_ratio(parts: Parts, said: Utterance) -> bool:
    """Whether it is asked how one size compares with another: "is the price simply half"."""
    return any(word in said.text.lower().split() for word in parts.words["times"])


def _agreed(kinds: Mapping[str, Mapping[str, Any]], said: Utterance, topics: Set[str | None]) -> float:
    """How likely it is one of the kinds that stand in the place of the topic that is asked."""
    if not topics:
        return 0.0
    return added(share for name, share in said.followup if name != ELSEWHERE and _in_place_of(kinds[name], topics))


def _in_place_of(kind: Mapping[str, Any], topics: Set[str | None], share: float = 0.0) -> bool:
    """Whether a kind goes before the topics that were read: it says so, or it is all but certain; what would be better
    is tried."""
    return (share >= _CERTAIN and "better" not in topics) or topics <= set(kind.get("instead_of", ()))


def _first_share(said: Utterance) -> float:
    """How likely the likeliest kind is; 0 where it is none."""
    name, share = next(iter(said.followup), (ELSEWHERE, 0.0))
    return 0.0 if name == ELSEWHERE else share


def is_clear(said: Utterance) -> bool:
    """Whether it is likely enough which kind of question is asked to answer it of a job of which much is open."""
    return _first_share(said) >= _SURE


def is_sure(said: Utterance, kinds: Sequence[str]) -> bool:
    """Whether the likeliest kind of question is among those that were answered, and so likely that its answer is one
    whatever word the question has for its thing."""
    return _first_share(said) >= _ITS_OWN and said.followup[0][0] in kinds


def _says_nothing(said: Utterance, names: bool) -> bool:
    """Whether a message has no fact and asks nothing of the field: what is left is a question of the plan."""
    return said.act in (*_STATES, "unclear", "what-if") and not names and not said.entities


def _bare(said: Utterance, stated: Set[str]) -> set[str]:
    """The fields that were read of a bare number: beside a question of sizes they are guesses."""
    bare = bare_numbers(said)
    return {path for path in stated if said.fields.get(path) in bare and path.startswith(_OF_A_NUMBER)}


def _guesses(kinds: Mapping[str, Mapping[str, Any]], said: Utterance, stated: Set[str]) -> set[str]:
    """The fields that were read of bare numbers alone where the message is all but certainly a question that changes no
    fact: "three bullets, please", "redo it with 40"."""
    if said.act not in _DESCRIBES or said.excluded or said.unset or not stated:
        return set()
    bare = bare_numbers(said)
    asks = added(share for name, share in said.followup if name != ELSEWHERE and kinds[name].get("aside"))
    return set(stated) if asks >= _BESIDE and all(said.fields.get(path) in bare for path in stated) else set()


def _beside_facts(kinds: Mapping[str, Mapping[str, Any]], said: Utterance) -> float:
    """How likely it is a question that changes no fact, where the likeliest is one; else 0."""
    kind = kinds[said.followup[0][0]] if _first_share(said) else {}
    if not kind.get("aside") or (kind.get("chooses") and alternatives(said)):
        return 0.0
    return added(share for name, share in said.followup if name != ELSEWHERE and kinds[name].get("aside"))


def _turns(kinds: Mapping[str, Mapping[str, Any]], said: Utterance) -> bool:
    """Whether values are named to ask where the one goes over into the other: "rent or buy, and where does it flip"."""
    words = kinds[said.followup[0][0]].get("weighs", ()) if _first_share(said) >= _SURE else ()
    return any(word in said.text.lower() for word in words)


def _is_a_term(said: Utterance) -> bool:
    """Whether the meaning of a word of the field is asked: "what is tail latency?", not "what is the weak spot?"."""
    term = str(said.roles.get("term") or "").lower().split()
    return 0 < len(term) <= _TERM and said.act == "ask" and term[0] not in _POINTS


def _weighs(parts: Parts, said: Utterance) -> bool:
    """Whether values or networks are weighed against each other by name, what the plan has among them."""
    between = alternatives(said)
    known = parts.state.draft.fields
    if between and all(set(one) == {_DEADLINE} for one in between) and _first_share(said) >= _SURE:
        return False  # "done by Monday if I start on Friday" names two days
    own = any(known.get(path) == value for one in between for path, value in one.items())
    gpus = any("cluster.gpu" in one for one in between)
    return bool(between and (own or not gpus)) or (said.act == "compare" and len(said.fabrics) > 1)


def new_facts(parts: Parts, said: Utterance) -> set[str]:
    """The fields to which a message gives another value than they have."""
    draft = parts.state.draft.fields
    fields = {name for name, value in said.fields.items() if draft.get(name) != value} - guessed(
        said, parts.state.draft, parts.words
    )
    if said.fields.get(_PROVIDER) == _taken_from(parts):
        fields.discard(_PROVIDER)
    plan = parts.state.plan
    if plan is not None and said.act == "what-if" and said.fields.get(_FABRIC) == plan.recommendation.fabric:
        fields.discard(_FABRIC)  # "you assume that RoCE is tuned, what if it isn't": the one that is recommended
    if said.asks >= _SURELY_ASKS and said.act != "what-if":
        fields.discard("budget.owned")  # "is our HDR the bottleneck" says whose it is, as people do
    # "electricity costs 0.19 EUR per kWh": what it is in dollars is asked, and that it is told is no question
    doubts = (
        doubt for doubt in said.doubts if not any(is_no_value(option, said, doubt.field) for option in doubt.options)
    )
    fields |= {doubt.field for doubt in doubts if doubt.field and not doubt.unlikely and len(doubt.meanings) == 1}
    # What no plan can do without is not taken away: "if we drop the 30B" asks what the rest costs.
    fields |= ({QUOTES} if said.offers else set()) | {path for path in said.unset if path not in _NEEDED}
    # "most of it is generation anyway": a part of the loop, no other job
    return fields - {"workload"} if draft.get("workload") == "rlhf" and said.act not in _STATES else fields


_NEEDED = frozenset({"workload", "model", "model.params", "cluster.gpu", "cluster.gpus"})


def _taken_from(parts: Parts) -> str | None:
    """The provider of the plan's own offer: who names it states nothing new."""
    plan = parts.state.plan
    number = plan.recommendation.offer if plan is not None else None
    return plan.offers[number].provider if plan is not None and number is not None else None


_SUBJECT: Mapping[str, Any] = {"kind": "subject", "tells": (), "more": "show"}  # where the words alone tell


def asks(parts: Parts, said: Utterance) -> bool:
    """Whether a message asks rather than tells: nothing that it says is taken without being tried first."""
    of_plan = added(share for name, share in said.followup if name != ELSEWHERE)
    return said.act in _ASKING or _asks(parts, said) or (of_plan >= _SURE and not new_facts(parts, said))


def is_tried(parts: Parts, said: Utterance) -> bool:
    """Whether a message with facts asks what they would make of the plan, rather than stating them."""
    if parts.state.plan is None or not new_facts(parts, said) or said.doubts:
        return False
    if said.act == "ask" or (said.act in _STATES and said.asks >= _SURELY_ASKS):
        return True
    kind, share = next(iter(said.followup), (ELSEWHERE, 1.0))
    return _asks(parts, said) and said.act in _STATES and kind != ELSEWHERE and share >= _LIKELY


def _asks(parts: Parts, said: Utterance) -> bool:
    """Whether a message has the shape of a question: a mark, a word that asks, how it begins ("should we …") or ends
    ("… or not"); or surely means one."""
    if said.asks >= _SURELY_ASKS or "asks" in said.roles.get("signs", {}) or "?" in said.text:
        return True
    told = parts.library.language["followups"]
    words = " ".join(_PAUSES.sub(" ", said.text.lower()).split())
    if any(words.endswith(f" {one}") for one in told["asks"]):
        return True
    *_, last = questions_in(said.text) or [""]
    if last.lower().startswith(tuple(f"{one} " for one in told["interrogatives"])):
        return True  # "the ITL is fine, but what happens at 900 users"
    while rest := next((words.removeprefix(f"{one} ") for one in told["leads"] if words.startswith(f"{one} ")), None):
        words = rest
    return any(words.startswith(f"{one} ") for one in told["opens"])


def _asked(parts: Parts, plan: Plan, said: Utterance) -> Asked:
    """What the sentences of an answer are made from."""
    meant = dict.fromkeys(parts.about.meant(plan, _own_network(parts, plan, said, fabric)) for fabric in said.fabrics)
    today = parts.today or datetime.date.today()
    told = parts.supposed.of.in_doubt if parts.supposed is not None else ()
    counted = lambda one: tuple(float(value) for value in one.doubt.options if isinstance(value, int | float))
    open_ = {one.doubt.field: many for one in told if one.doubt.field and len(many := counted(one)) > 1}
    beside = (parts.state.compared, parts.state.networks, open_)
    return Asked(plan, parts.catalog, said, tuple(meant), parts.planned_with, today, parts.words, *beside)


def _own_network(parts: Parts, plan: Plan, said: Utterance, fabric: str) -> str:
    """A network that is named without a rate beside one of its kind that is given: "forget the ethernet" is of that."""
    given, fabrics = network_said(plan), parts.catalog.fabrics
    typed = "".join(said.text[one.start : one.end] for one in said.entities if one.id == fabric)
    rated = any(one.kind == "rate" for one in said.amounts) or any(letter.isdigit() for letter in typed)
    if rated or given not in fabrics or fabrics[given].technology != fabrics[fabric].technology:
        return fabric
    return given


def _answer(parts: Parts, plan: Plan, kind: Mapping[str, Any], said: Utterance) -> list[Event]:
    asked = _asked(parts, plan, said)
    tried = 1 if parts.state.variation is not None else 0  # a line says that it is of what is tried
    asked = _tried(parts, asked, kind) if kind.get("tried") else asked
    works = None if kind.get("as_asked") else remedied(asked)
    asked, lead = works or (asked, "")
    found = sentences(asked, [*_of_subject(parts, kind, said), *kind["tells"]])
    others = _asked_besides(parts, kind, said)
    beside = [sentences(asked, other["tells"])[:_BESIDE_IT] for other in others]
    if not found and not any(beside):
        return []
    parts.kinds += [one["kind"] for one in (kind, *others)]
    room = LINES - tried - sum(len(block_lines(Bullets([one]), WIDTH)) for one in parts.beside)
    kept = found[: max(1, len(found) - 1)] if any(beside) else found  # of two questions each has its first lines
    told = dict.fromkeys([*kept[:_OF_THE_FIRST], *(one for each in beside for one in each), *found])
    note = fitted([*([lead] if lead else []), *map(namer(asked.plan), told)], room)
    return [Note(text=note.text, items=(*note.items, *parts.beside))]


def _tried(parts: Parts, asked: Asked, kind: Mapping[str, Any]) -> Asked:
    """The question asked of the plan with the facts that it names, where that can be planned."""
    named = {path: asked.said.fields[path] for path in new_facts(parts, asked.said)}
    facts = {path: value for path, value in named.items() if path.startswith(tuple(kind.get("facts", ("-",))))}
    try:
        made = asked.planned(facts) if facts else None
    except InputError:
        made = None
    return asked if made is None else asked.instead(facts, made)


def _of_subject(parts: Parts, kind: Mapping[str, Any], said: Utterance) -> list[str]:
    """The sentences on what a question is about by its words, where its kind is not surely about something else."""
    sure, name = _first_share(said), kind["kind"]
    fits = lambda one: name in one.get("with", ()) or (sure < _SURELY and name not in one.get("unless", ()))
    return [tell for one in _subjects(parts, said) if fits(one) for tell in one["tells"]]


def besides(parts: Parts, said: Utterance, events: list[Event]) -> list[Event]:
    """What is tried with what the words of the message are about besides, of the plan as it stands."""
    plan = parts.state.plan
    told = [tell for one in _subjects(parts, said) if one.get("tried") for tell in one["tells"]]
    if plan is None or not told or not any(isinstance(event, VariationShown) for event in events):
        return events
    first = [*map(namer(plan), sentences(_asked(parts, plan, said), told))][:1]
    with_it = lambda event: event.model_copy(update={"card": (*first, *event.card[:-1])})
    return [with_it(event) if first and isinstance(event, VariationShown) else event for event in events]


def _subjects(parts: Parts, said: Utterance) -> list[Mapping[str, Any]]:
    """What the words of a message are about."""
    text = said.text.lower()
    told = parts.library.language["followups"]["subjects"]
    return [one for one in told if any(word in text for word in one["words"])]


def _asked_besides(parts: Parts, kind: Mapping[str, Any], said: Utterance) -> list[Mapping[str, Any]]:
    """What else is asked: by a clause of the message, or where it may as well have been meant."""
    if "summary" in kind.get("instead_of", ()):
        return []  # one form is as good as another, and needs the room
    kinds = {one["kind"]: one for one in parts.library.language["followups"]["kinds"]}
    told = {kind["kind"], *kind.get("covers", ())}
    (_, sure), *others = said.followup
    near = [name for name, share in others if share >= max(_LIKELY, _AS_LIKELY * sure) and sure < _SURE]
    clauses = questions_in(said.text)
    for clause in clauses if len(clauses) > 1 else ():
        heard_so = heard(clause, parts.state.in_view, parts.library, parts.today).followup
        near += [name for name, share in heard_so[:1] if share >= _BESIDE]
    quoted = parts.state.plan is not None and bool(parts.state.plan.quotes)
    others = [kinds[name] for name in dict.fromkeys(near) if name in kinds and name not in told]
    most = 2 if len(clauses) > 2 else 1
    return [one for one in others if quoted or one.get("needs") != "quotes"][:most]


def questions_in(text: str) -> list[str]:
    """The clauses of a message that ask something of their own: sentences, and what "and" joins to a question word."""
    return [part for part in (one.strip(" ,") for one in _CLAUSES.split(text)) if len(part.split()) >= _A_WHY]


def question_of(parts: Parts, text: str) -> str:
    """The question that a message ends with; nothing where it ends with none."""
    words = "|".join(parts.library.language["followups"]["question_words"])
    begins = rf"(?:^|[.;:!?,]\s+|\s(?:and|so|but)\s+)((?:so |and )?(?:{words})\b[^.;!?]*\?)\s*$"
    found = re.search(begins, text[-_LONGEST_QUESTION:], re.IGNORECASE)
    return found[1] if found else ""


def answer_to(parts: Parts, question: str) -> list[Event] | None:
    """What the plan answers to a question in its own words; ``None`` where it has no answer."""
    said = heard(question, parts.state.draft, parts.library, parts.today)
    return answered(parts, said, first=True) or answered(parts, said, first=False)


def fitted(said: list[str], lines: int = LINES) -> Note:
    """As many of the sentences as so many lines hold, the first in any case."""
    text, *others = said
    items: list[str] = []
    for one in others:
        if _lines(text, [*items, one]) <= lines:
            items.append(one)
    return Note(text=text, items=tuple(items))


def in_short(parts: Parts, said: Utterance, events: list[Event]) -> list[Event]:
    """An answer of the topics cut to what five lines hold; the whole of it is behind "more"."""
    notes = [note for event in events if (note := _noted(event, planned=parts.state.plan is not None)) is not None]
    if alternatives(said) or len(notes) != len(events):
        return events
    if notes == events and sum(_lines(n.text, list(n.items)) for n in notes) <= LINES:
        return events
    parts.more = lambda: events
    first = [text for note in notes[:-1] for text in (note.text, *note.items)]
    return [fitted([*first, notes[-1].text, *notes[-1].items])]


def without_the_proof(parts: Parts, said: Utterance, events: list[Event]) -> list[Event]:
    """A proof in at most five lines where a question in words of one's own was all that was asked: the whole of it is
    behind "more". "why", and why of a network or a rule by its name, ask for the proof."""
    proofs = [event for event in events if isinstance(event, Explanation)]
    why_of_one = bool(said.fabrics) and said.text.lower().startswith("why")
    asked_for = len(said.text.split()) <= _A_WHY or why_of_one or _names_a_proof(parts, said)
    if parts.state.plan is None or not proofs or asked_for:
        return events
    parts.more = lambda: events
    told = [text for one in proofs for text in (one.tree.text, *(child.text for child in one.tree.children))]
    return [event if event is not proofs[0] else fitted(told) for event in events if event not in proofs[1:]]


def with_the_plans(parts: Parts, said: Utterance, found: Answer) -> list[Event]:
    """The meaning of a word with what the plan itself says of it, where the word is one of the plan: "what does MFU
    mean in your answer". The whole of the answer is behind "more"."""
    kinds = {one["kind"]: one for one in parts.library.language["followups"]["kinds"] if one.get("defines")}
    kind = next((kinds[name] for name, share in said.followup if name in kinds and share >= _DEFINED), None)
    direct = found.answer.direct if found.answer is not None else []
    if kind is None or not direct or not _is_a_term(said):
        return [found]
    if "-mean" in kind["tells"][0]:  # the plan's own word, whatever else is called so
        return answered(parts, replace(said, followup=((kind["kind"], 1.0),)), first=False) or [found]
    events = _answer(parts, parts.state.plan, kind, said) if parts.state.plan is not None else []
    own = [text for event in events if isinstance(event, Note) for text in (event.text, *event.items)]
    if not own:
        return [found]
    parts.more = lambda: [found]
    return [fitted([direct[0].text.partition(" Glossary")[0], *own])]


def _noted(event: Event, *, planned: bool) -> Note | None:
    """What is told in short: a note as it is; beside a plan a computed answer without how and whence."""
    if isinstance(event, Note):
        return event
    computed = event.answer.computed if isinstance(event, Answer) and event.answer is not None else None
    if computed is None or not planned:
        return None
    first, *others = _SENTENCE.split(_SPLIT.sub("", computed.text))
    return Note(text=first, items=(*others, *computed.lines))


def _lines(text: str, items: list[str]) -> int:
    shown = [Paragraph(text), *([Bullets(items)] if items else [])]
    return sum(len(block_lines(block, WIDTH)) for block in shown)


def _more(parts: Parts, part: str, said: Utterance, view: View) -> list[Event]:
    """The proof behind a short answer: a part of the plan, why, or a figure with what it is made of."""

    def shown(plan: Plan) -> list[Event]:
        if part in PARTS:
            return parts.about.part(plan, part)
        if part in ("why", "why-not"):
            reading = said.contract().model_copy(update={"intent": part})
            return parts.about.answer(plan, reading, said.text)
        return asked_of.of_topic(parts, plan, part, said)

    return view(shown)


def more(parts: Parts) -> list[Event]:
    """What is behind the last short answer."""
    if parts.more is None:
        return parts.answered(Note(text='There is nothing behind it. "why" shows the proof of the plan.'))
    return parts.more()
