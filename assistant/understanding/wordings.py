"""The templates of every field, made of the registry's names for it and of ``knowledge/language/fields/``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assistant.vocabulary.fields import NUMERIC, RegisteredField
from assistant.vocabulary.language import Language, Wording
from assistant.vocabulary.questionnaire import FIELDS

from .templates import Compiler, Matcher
from .text import stem

# What may be taken back by its name: whatever is not needed for a plan.
NEEDED = frozenset({"workload", "model", "cluster.gpu", "cluster.gpus", "name"})
# Words that multiply: the first word of the template's own decides.
_TIMES = (
    "(double|triple|quadruple|halve|half|twice|{times:number} (times|x|fold)|(two|three|four|five|ten) "
    "(times|x)|a third of|a quarter of|a third|a quarter)"
)
_SHARE = "(by half|by a half|in half|by a third|by a quarter|by two thirds)"
FACTORS = {"double": 2.0, "triple": 3.0, "quadruple": 4.0, "halve": 0.5, "half": 0.5, "twice": 2.0, "two": 2.0,
           "three": 3.0, "four": 4.0, "five": 5.0, "ten": 10.0, "third": 1 / 3, "quarter": 0.25}  # fmt: skip
SHARES = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "two": 2 / 3}
FACTORS, SHARES = ({stem(word): value for word, value in table.items()} for table in (FACTORS, SHARES))
_MORE, _LESS = (
    "(increase|raise|extend|prolong|grow|lift|bump|push|postpone|lengthen)",
    "(decrease|reduce|lower|cut|shorten|shrink|slash|drop|trim|bring forward)",
)


@dataclass(frozen=True)
class Says:
    """A template's meaning. ``act``: set, unset, scale (by ``value``), add (``value`` +1 or -1), share (``value`` +1 or
    -1), quiet, cue (its name is ``value``), ask (the sentence is ``value``); ``value`` of a choice is the choice.
    ``generic`` templates come of the
    registry's names alone; ``how`` computes the value from the quantity: ``100-`` what is left of a hundred, ``1000/``,
    ``/60``."""

    act: str
    field: str
    value: Any = None
    generic: bool = False
    how: str = ""
    weak: bool = False  # gives way to another value
    plain: bool = False  # a choice in so many words: no second opinion is asked
    beside: str = ""  # another field that has to be said or known, or a cue that has to be there
    sure: str = ""  # a cue that makes it plain where it is there
    asked: str = ""  # the field whose question has to be open
    others: tuple[str, ...] = ()  # of what is asked: fields that may be meant instead


def span_kinds(field: RegisteredField) -> tuple[str, ...]:
    """The kinds of quantity that may be a field's value, the most telling first."""
    span = field.about.span
    if span in ("gpu", "model", "provider", "fabric", ""):
        return ()
    if span.startswith("money"):
        return (span, "money/") if span != "money" else ("money/",)
    if field.path.endswith(("deadline_days",)):
        return ("date", "time")
    return (span,)


def matcher(fields: Mapping[str, RegisteredField], language: Language, compiler: Compiler) -> Matcher:
    """All templates of all fields, ready to be matched."""
    return Matcher(
        compiler, [pair for field in fields.values() for pair in _of(field, language.fields.get(field.path))]
    )


def names(fields: Mapping[str, RegisteredField], compiler: Compiler) -> Matcher:
    """The names of the fields that are numbers, by path: what a message speaks of without saying it whole."""
    numeric = {path: field for path, field in fields.items() if field.about.kind in NUMERIC}
    said = [(path, name) for path, field in numeric.items() for name in (*field.about.words, path.split(".")[-1])]
    return Matcher(compiler, [(path, name) for path, name in said if "_" not in name])


_YES_NO = {
    "true": ["^ [<lead>] [<lead>] <agree>", "^ (yes|yeah|yep) [,] (it|they|we) (has|does|is|do|have|are)"],
    "false": [
        "^ [<lead>] <refuse>",
        "^ no [,] (it|they|we) (hasn't|doesn't|isn't|don't|haven't)",
        "(we|it) (can't|cannot)",
    ],
}
_TURNED = "(revised|changed|raised|lowered|reduced|increased|cut|corrected|updated|amended|bumped|trimmed|adjusted)"
BESIDE = " beside "  # between a value and the cue that it needs
LAST = "last"  # stands for the number that was said last: "half of that"
LOAD = "load"  # stands for the load of a service, whichever of its measures was said: "twice the traffic"


def of_the_last(compiler: Compiler) -> Matcher:
    """ "Triple that", "cut it in half": changes of what was said last."""
    that, load = "(that|it|this|those|them)", "(<traffic>|demand|users|usage|concurrency)"
    return Matcher(
        compiler,
        [
            (
                Says("scale", LAST),
                f"[only|about|make it|just] {_TIMES} [as many|as much|as long|of|the size of] ({that}|$)",
            ),
            (Says("scale", LAST), f"(make|take) {that} {_TIMES}"),
            (
                Says("becomes", LAST),
                f"(is|was|been|be|got|gets|were|now) [now] {_TURNED} [up|down] [from {{old:number}}] to {{number}}",
            ),
            (Says("scale", LOAD), f"{_TIMES} [as much|as many|the|our|that|more] {load}"),
            (Says("scale", LOAD), f"[<the>] {load} [<would>] [be|was|were|goes|grows by|grew] {_TIMES}"),
            (Says("share", LOAD, 1), f"{{percent}} more {load}"),
            (Says("share", LOAD, -1), f"{{percent}} less {load}"),
            (Says("scale", "cluster.gpus"), f"{_TIMES} [the|as many|our|of the] <node>"),
            (Says("share", LAST, -1), f"{_LESS} {that} {_SHARE}"),
            (Says("share", LAST, 1), f"{_MORE} {that} {_SHARE}"),
            (Says("share", LAST, -1), f"{{percent}} (less|fewer|shorter|smaller|lower) [than {that}] [$]"),
            (Says("share", LAST, 1), f"{{percent}} (more|longer|larger|higher|bigger) [than {that}] [$]"),
            (Says("share", LAST, -1), f"{_LESS} {that} by {{percent}}"),
            (Says("share", LAST, 1), f"{_MORE} {that} by {{percent}}"),
        ],
    )


def replies(language: Language, compiler: Compiler) -> dict[str, Matcher]:
    """What answers the open question of a field and says nothing elsewhere; yes and no answer that of every flag."""
    said = {path: wording.replies for path, wording in language.fields.items() if wording.replies}
    said = {path: _YES_NO for path, field in FIELDS.items() if field.about.kind == "flag"} | said
    for path, field in FIELDS.items():
        if field.about.kind == "choice":
            own = {str(value): [f"^ [<lead>] {value} ($|,|.|!|please)"] for value in field.values}
            said[path] = {v: [*own.get(v, ()), *said.get(path, {}).get(v, ())] for v in {**own, **said.get(path, {})}}
    return {
        path: Matcher(compiler, [(_meant(path, value), t) for value, templates in of.items() for t in templates])
        for path, of in said.items()
    }


def _of(field: RegisteredField, wording: Wording | None) -> Iterator[tuple[Says, str]]:
    yield from _generic(field)
    if wording is None:
        return
    yield from ((Says("set", field.path), template) for template in wording.says)
    for other, templates in wording.beside.items():
        yield from ((Says("set", field.path, beside=other), template) for template in templates)
    for question, templates in wording.answers.items():
        asked, _, how = question.partition(" ")
        yield from ((Says("set", field.path, asked=asked, how=how), template) for template in templates)
    yield from ((Says("quiet", field.path), template) for template in wording.quiet)
    for cue, templates in wording.cues.items():
        yield from ((Says("cue", field.path, cue), template) for template in templates)
    for ask, templates in wording.asks.items():
        says = Says("ask", field.path, ask, others=tuple(wording.between.get(ask, ())))
        yield from ((says, template) for template in templates)
    told = {value: _meant(field.path, value) for value in wording.values}
    sure = {says.value: says.beside for says in told.values() if says.beside and says.plain}
    for value, templates in wording.values.items():
        says = replace(told[value], sure=sure.get(told[value].value, ""))
        yield from ((says, template) for template in templates)


def _meant(path: str, value: str) -> Says:
    """What the key of a choice stands for: ``unset`` takes the field back, ``+`` and ``-`` change it by the quantity,
    ``100-``, ``1000/`` and ``/60`` compute the value from the quantity, ``… beside NAME`` needs the cue of that name;
    ``!`` says that it is meant for sure, beside a cue so does every wording of that value."""
    if value in ("unset", "either"):
        return Says(value, path)
    if BESIDE in value:
        value, _, cue = value.partition(BESIDE)
        return replace(_meant(path, value), beside=cue)
    if value in ("+", "-"):
        return Says("add", path, 1 if value == "+" else -1)
    if value == "!":
        return Says("set", path, plain=True)
    if value[0] == "/" or value[-1] in "-/":
        return Says("set", path, how=value)
    if value[-1] == "!":
        return replace(_meant(path, value[:-1]), plain=True)
    if value[-1] == "?":
        return replace(_meant(path, value[:-1]), weak=True)
    flags = {"true": True, "false": False, "yes": True, "no": False}
    return Says("set", path, int(value) if value.isdecimal() else flags.get(value, value))


def _generic(field: RegisteredField) -> Iterator[tuple[Says, str]]:
    """What follows from the names of a field alone."""
    about, path = field.about, field.path
    yield from ((Says("quiet", path, generic=True), f"{look} [<link>] [{{number}}]") for look in about.lookalikes)
    names = [f"({'|'.join(about.words)})"] if about.words else []
    key = " ".join(path.replace(".", " . ").split())
    for kind in span_kinds(field):
        for name in names:
            yield Says("set", path, generic=True), f"{name} [<link>] [<link>] [<link>] {{{kind}}}"
            yield Says("set", path, generic=True), f"{{{kind}}} [of] {name}"
            yield Says("set", path), f"{name} [<link>] from {{old:{kind}}} to {{{kind}}}"
            yield (
                Says("set", path),
                f"{name} (was|were) {{old:{kind}}} [,] [but] [it is|it's] now [it is|it's|is] {{{kind}}}",
            )
            yield Says("set", path), f"<turn> [<the>] {name} [size|length|limit] [down|up] to {{{kind}}}"
            yield Says("set", path), f"{name} [<link>] {{old:{kind}}} becomes {{{kind}}}"
            old = f"{{{kind}}} (instead of|rather than) {{old:{kind}}}"
            yield Says("set", path), f"{name} [<link>] [<link>] [misstated|wrong|incorrect|off|<link>] {old}"
        yield Says("set", path), f"{key} {{{kind}}}"
    if about.kind in NUMERIC:
        yield Says("set", path), f"({key}|{path.split('.')[-1]}) {{number}}" if "_" in path else f"{key} {{number}}"
    if about.kind == "flag":
        name = "|".join((key, *names))
        yield Says("set", path, True), f"({name}) (:|=) (true|yes|on)"
        yield Says("set", path, False), f"({name}) (:|=) (false|no|off)"
    for value in field.values:
        yield Says("set", path, value), f"({key}|{path.split('.')[-1]}) (:|=) {value}"
    if names and path not in NEEDED:
        yield from _taking_back(path, names[0])
        if about.kind != "flag":  # "no spot please" is a no
            yield _limits_gone(path, names[0])
    if names and about.kind in NUMERIC:
        yield from _relative(path, names[0], span_kinds(field)[0] if span_kinds(field) else "number")


def _taking_back(path: str, name: str) -> Iterator[tuple[Says, str]]:
    yield (
        Says("unset", path, generic=True),
        f"<back> [<the>] [<the>] {name} [limit|requirement|constraint] [<any_more>]",
    )
    yield (
        Says("unset", path, generic=True),
        f"[<the>] {name} [limit] (is|are|was|has been|got|does not|doesn't|isn't|aren't|do not|don't) [now|really] "
        "(<gone>|matter|count|apply|exist)",
    )


def _limits_gone(path: str, name: str) -> tuple[Says, str]:
    """ "No power limit any more": a bare "no budget" may as well mean that there is no money."""
    return Says(
        "unset", path, generic=True
    ), f"(no|without|no more|no longer any) [<the>] {name} (limit|limits|cap|constraint|requirement|<any_more>)"


def _relative(path: str, name: str, kind: str) -> Iterator[tuple[Says, str]]:
    yield Says("scale", path), f"{_TIMES} [the|as many|as much|as long|as large|our|of the|a|that|as big] {name}"
    yield (
        Says("scale", path),
        f"{name} [should|must|has to|needs to|would] (be|is|was|becomes|gets) {_TIMES} [as] "
        "(long|big|high|large|much|more|longer|bigger|higher|larger)",
    )
    for sign, words in (
        (1, "(later|longer|more|higher|larger)"),
        (-1, "(earlier|sooner|shorter|less|fewer|lower|smaller)"),
    ):
        yield Says("add", path, sign), f"{name} (is|was|were|moves|moved|comes|came) [by] {{{kind}}} {words}"
    for sign, verb in ((1, _MORE), (-1, _LESS)):
        yield Says("share", path, sign), f"{verb} [<the>] {name} by {{percent}}"
        yield Says("add", path, sign), f"{verb} [<the>] {name} by {{{kind}}}"
        yield Says("share", path, sign), f"{verb} [<the>] {name} {_SHARE}"
    yield Says("share", path, 1), f"{{percent}} (more|larger|bigger|longer|higher) {name}"
    yield Says("share", path, -1), f"{{percent}} (less|fewer|smaller|shorter|lower) {name}"
    fall = "(drop|dropping|go|going|fall|fell|shrink|scale|cut|reduce)"
    yield Says("set", path), f"{fall} [it|that|this|us] [down|back] to {{{kind}}} {name}"
    yield Says("add", path, 1), f"{{{kind}}} (more|extra|additional|further|other) {name}"
    yield Says("add", path, 1), f"(add|plus|another|adds|added) {{{kind}}} [more|extra] {name}"
    yield Says("add", path, 1), f"{{{kind}}} {name} more [than (now|before|that)]"
    yield Says("add", path, -1), f"(take|give) {{{kind}}} {name} (away|back)"
    yield Says("add", path, -1), f"{{{kind}}} (fewer|less) {name}"
    yield (
        Says("add", path, -1),
        f"(remove|subtract|minus|lose|drop|take away|return) {{{kind}}} [of the|of our|of these] {name}",
    )
