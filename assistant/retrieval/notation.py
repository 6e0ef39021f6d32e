"""Text as the field writes it: one spelling for each word, so that ``IB``, ``100GbE`` and ``all reduce`` find their
passages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from assistant.vocabulary.knowledge import Term

from .tokens import STOP, is_small

# Spelling only; what a word means, and its other names, are in knowledge/glossary.
_RATE = r"(\d+(?:\.\d+)?)\s*-?\s*"
NOTATION: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        (r"(?<=\d),(?=\d{3}\b)", ""),
        (r"\b(\d+)\s*[x×]\s*(?=[a-z])", r"\1 "),
        (r"(?<=\d)(?=(?:gpus?|nodes?)\b)", " "),
        (_RATE + r"(?:gbe|gige|gb ethernet|gig ethernet|gigabit ethernet)\b", r"\1 Gb/s Ethernet"),
        (r"\b(1|\d{2,}(?:\.\d+)?)\s*-?\s*g\b(?!/)", r"\1 Gb/s"),  # 5G is a mobile network
        (_RATE + r"(?:gig|gbps|gbit/?s?|gbits/s|gb/s|gigabits?(?: per second)?)\b(?!/)", r"\1 Gb/s"),
        (_RATE + r"(?:µs|usecs?|us)\b", r"\1 microseconds"),
        (r"\bmicro[\s-]?secs?\b|µs\b", "microseconds"),
        (r"\b(?:infini[\s-]?band|ib)\b", "InfiniBand"),
        (r"\brdma over converged ethernet\b|\brocev2\b|\broce[\s-]?v2\b|\broce2\b", "RoCE"),
        (r"\ball[\s-]?reduces?\b", "all-reduce"),
        (r"\ball[\s-]?gathers?\b", "all-gather"),
        (r"\breduce[\s-]?scatters?\b", "reduce-scatter"),
        (r"\ball[\s-]?(?:to|2)[\s-]?all\b|\ba2a\b", "all-to-all"),
        (r"\bzero[\s-]?(?:stage[\s-]?)?3\b|\bzero redundancy optimizer stage 3\b", "ZeRO-3"),
        (r"\bnv[\s-]link\b", "NVLink"),
        (r"\bnv[\s-]switch\b", "NVSwitch"),
        (r"\bspectrum[\s-]?x\b", "Spectrum-X"),
        (r"\bfat[\s-]?tree\b", "fat-tree"),
        (r"\bnon[\s-]blocking\b", "non-blocking"),
        (r"\bfine[\s-]?tun(e|ed|ing)\b", r"fine-tun\1"),
        (r"\bpre[\s-]train", "pretrain"),
        (r"\bhead[\s-]of[\s-]line\b|\bhol(?=[\s-]block)", "head-of-line"),
        (r"\bdatacent(?:er|re)s?\b", "data center"),
        (r"\bcheck[\s-]point", "checkpoint"),
        (r"\bmulti[\s-]?node\b", "multi-node"),
        (r"\bsingle[\s-]?node\b", "single-node"),
        (r"\bcomms?\b", "communication"),
        (r"\b(?:bw|bandwith)\b", "bandwidth"),
        (r"\bperf\b", "performance"),
        (r"\bconfig\b", "configuration"),
        (r"\binfra\b", "infrastructure"),
        (r"\benv vars?\b", "environment variable"),
        (r"\bp(99|95|50)\b", r"\1th percentile"),
        (r"\bstd[\s.]?dev\b|\bstdev\b|\bstddev\b", "standard deviation"),
        (r"\bpci[\s-]express\b", "PCIe"),
        (r"\bmsgs?\b", "message"),
        (r"\bmem\b", "memory"),
        (r"\blat\b", "latency"),
        (r"\bgrad(?:ient)?[\s-]accum\b", "gradient accumulation"),
        (r"\bgrads\b", "gradients"),
        (r"\bcx[\s-]?(\d)\b", r"ConnectX-\1"),
        (r"\bgpu[\s-]?h(?:rs?)?\b", "GPU-hour"),
        (r"\btco\b", "total cost of ownership"),
        (r"\bincl\.?(?=\s)", "including"),
        (r"\bavg\b", "average"),
        (r"\bkube\b|\bk8s\b", "Kubernetes"),
        # as people type in a hurry
        (r"\bwat\b", "what"),
        (r"\bsh(?:u|l)d\b", "should"),
        (r"\bc(?:u|l)d\b", "could"),
        (r"\bw(?:u|l)d\b", "would"),
        (r"\bpl[sz]\b", "please"),
        (r"\bw/o\b", "without"),
        (r"\bw/(?=\s)", "with"),
        (r"\bb/c\b|\bc[uo]z\b|\bbc\b", "because"),
        (r"\b(is|are|does|do|did|ca|wo|was|were|has|have|should|would|could)nt\b", r"\1n't"),
        (r"\bu\b(?!\.)", "you"),
        (r"\bur\b", "your"),
        (r"\bthx\b|\bty\b", "thanks"),
    )
)
_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_NAMED = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-Z][\w.-]*|\b(?=\w*[A-Za-z])\w*\d[\w.-]*|\b(?:19|20)\d\d\b")
_REPEATED = re.compile(r"\bit(?:\s+it)+\b")


def shown(text: str) -> str:
    """Text safe to print: line breaks become spaces, other control, format and lone surrogate characters become
    visible."""
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    if character < " ":
        return chr(0x2400 + ord(character))  # the Unicode block "Control Pictures"
    return "�" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else character


def written_out(text: str, initialisms: Initialisms | None = None) -> str:
    """Text without terminal escapes and control characters, in the field's usual spelling, short names written out."""
    text = unicodedata.normalize("NFKC", _ESCAPE.sub(" ", text)).replace("μ", "µ")
    text = " ".join(shown(text).replace("�", " ").split())
    for pattern, written in NOTATION:
        text = pattern.sub(written, text)
    return initialisms.written_out(text) if initialisms else text


class Initialisms:
    """Writes ``PFC`` as ``PFC Priority Flow Control``: the short names of glossary terms with what they stand for."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self.long: dict[str, str] = {}
        for term in terms:
            names = (term.term, *term.aliases)
            self.long.update({short.lower(): name for name in names for short in names if _stands_for(short, name)})
        names = "|".join(map(re.escape, sorted(self.long, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE) if names else None

    def written_out(self, text: str) -> str:
        """The text with every short name followed by the long one."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: f"{found.group()} {self.long[found.group().lower()]}", text)


class Everyday:
    """Replaces what people say who do not use the field's words: ``the cheap cable`` → ``the standard Ethernet``."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self.means = {said.lower(): means for said, means in pairs}
        said = "|".join(map(re.escape, sorted(self.means, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<![\w-])(?:{said})(?![\w-])", re.IGNORECASE) if said else None

    def replaced(self, text: str) -> str:
        """The text in the field's words; the same text when it has nothing to replace."""
        return self._pattern.sub(lambda found: self.means[found.group().lower()], text) if self._pattern else text


def names_pattern(terms: Iterable[Term]) -> re.Pattern[str]:
    """Matches every name of the field: terms, their aliases, and words with a digit such as ``p5.48xlarge``."""
    names = sorted(
        {name for term in terms for name in (term.term, *term.aliases) if len(name) > 1}, key=len, reverse=True
    )
    return re.compile(
        "|".join((r"\b\w*\d[\w.-]*", *(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names))), re.IGNORECASE
    )


def without_names(text: str, names: re.Pattern[str]) -> str:
    """What is asked about, names left out: ``Which licence has NCCL?`` → ``Which licence has it?``

    ``names``: those of the field; whatever else a text calls by name is left out too.
    """
    bare = _NAMED.sub(lambda found: found.group() if is_small(found.group().lower()) else "it", names.sub("it", text))
    return _REPEATED.sub("it", " ".join(bare.split()))


def called_by_name(text: str) -> list[str]:
    """What a text calls by name: capitals that do not begin a sentence, words with digits, years; a plain number or "I"
    is none."""
    return [name for name in _NAMED.findall(text) if not is_small(name.lower())]


def _stands_for(short: str, name: str) -> bool:
    """Whether ``short`` is made of the first letters of ``name``, small words counted or not."""
    parts = re.split(r"[\s-]+", name.lower())
    if len(parts) < 2 or not 2 <= len(short) <= 6 or short.lower() in STOP:
        return False
    all_letters, content = "".join(part[:1] for part in parts), "".join(part[:1] for part in parts if part not in STOP)
    return short.lower() in (all_letters, content)
