"""Names of the catalog in all their spellings: models, GPUs, providers, instances, fabrics and the technologies of
networks.

Whatever is in the catalog it is given, the user's own entries included, is known at once; what people call things
beside that stands in ``names.yaml``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.catalog import Catalog, Gpu

from .templates import Compiler, Matcher, Quantity, Source
from .text import Token, cut, stem

_TOLD = frozenset("of with a at are is the all".split())  # "A100s are the 40 GB ones"
_KIND_OF = frozenset("of the version variant edition kind type".split())
_JOINTS = frozenset("-_/.+(),")  # what may stand between the parts of a name
RACK, APART = "rack", "rack set apart"  # units of a GPU that is named with its rack
_SETS_APART = frozenset("(,")  # what stands behind it describes a GPU that is named: "4,096 GB200 (NVL72 racks)"
_SIZE = re.compile(r"(?:^|-)(\d+x\d+(?:\.\d+)?b|\d+(?:\.\d+)?[bm])(?=$|-)")
_MODEL_ID = re.compile(r"(?P<family>[a-z]+)-?v?(?P<version>\d+(?:\.\d+)?)?(?:-(?P<rest>.*))?$")
_KINDS = ("instance", "gpu", "model", "provider", "network", "generation")  # what a name is taken for first
_NEAR = 0.1  # a size said in round numbers
_SHORTEST_ALONE = 3  # letters a one-word name must have


@dataclass(frozen=True)
class Named:
    """What a name stands for. ``id`` is empty for a GPU that is not in the catalog."""

    kind: str
    id: str
    more: Any = None


@dataclass(frozen=True)
class NetworkName:
    """A technology and, where its name says so, a speed in Gb/s per adapter, a version, or one fabric of the
    catalog."""

    technology: str
    gbps: float | None = None
    version: int | None = None
    fabric: str | None = None


@dataclass
class _Trie:
    """Names by their parts; joints between parts are passed over, but not those behind a whole name of a GPU that set
    something apart."""

    root: dict[str, Any] = field(default_factory=dict)

    def add(self, words: Iterable[str], named: Named) -> None:
        node = self.root
        for word in words:
            node = node.setdefault(word, {})
        node.setdefault("", []).append(named)

    def longest(self, tokens: Sequence[Token], at: int) -> tuple[int, list[Named]] | None:
        node, found, place = self.root, None, at
        while place < len(tokens):
            following = node.get(tokens[place].text)
            if following is None:
                if (
                    place > at
                    and tokens[place].text in _JOINTS
                    and place + 1 < len(tokens)
                    and tokens[place + 1].text in node
                    and (tokens[place].text != "." or tokens[place + 1].glued)
                    and not (tokens[place].text in _SETS_APART and any(one.kind == "gpu" for one in node.get("", ())))
                ):
                    place += 1
                    continue
                break
            node, place = following, place + 1
            found = (place, node[""]) if "" in node else found
        return found


def parts_of(name: str) -> tuple[str, ...]:
    """``Llama-3.1-70B`` → ``("llama", "3.1", "70", "b")``."""
    return tuple(token.text for token in cut(name) if token.text not in _JOINTS)


def _is_numbered(name: str) -> bool:
    """Whether a name has a number: "dell" alone names a maker."""
    return any(map(str.isdecimal, name))


class Names:
    """Everything that has a name, ready to be found in a message."""

    def __init__(self, catalog: Catalog, data: Mapping[str, Any], compiler: Compiler) -> None:
        self.catalog = catalog
        self._data = data
        self._trie = _Trie()
        self._others = Matcher(
            compiler, [(near if near in catalog.gpus else "", says) for says, near in data["other_gpus"].items()]
        )
        self._counted = [{*data[name], *map(stem, data[name])} for name in ("counts_before", "counts_behind")]
        devices = [(one.id, name) for one in catalog.devices.values() for name in one.aliases if _is_numbered(name)]
        self._products = Matcher(compiler, [*(("", template) for template in data["products"]), *devices])
        self._technologies = Matcher(
            compiler, [(name, template) for name, templates in data["technologies"].items() for template in templates]
        )
        self._add_models()
        self._add_gpus()
        self._add_providers()
        self._add_fabrics()
        self._families = {split_id(model)[0] for model in catalog.models if len(split_id(model)[0]) > 3}
        self.words = frozenset(_words(self._trie.root))

    def find(self, tokens: Sequence[Token], numbers: Mapping[int, list[Quantity]]) -> list[Quantity]:
        """Every name in a message, the longest where several begin at one place; networks are found by
        :meth:`networks`."""
        source = Source(tokens, numbers)
        found: list[Quantity] = []
        at = 0
        while at < len(tokens):
            name = (
                self._name(tokens, at)
                or self._spoken(tokens, numbers, at)
                or self._spread(tokens, at)
                or self._product(source, at)
                or self._unknown_gpu(source, at)
            )
            if name:
                found.append(name)
            at = name.end if name else at + 1
        return found

    def _name(self, tokens: Sequence[Token], at: int) -> Quantity | None:
        if at and tokens[at].glued and tokens[at - 1].is_word and tokens[at].is_word and tokens[at - 1].text != "x":
            return None
        hit = self._trie.longest(tokens, at)
        if hit is None:
            return None
        end, named = hit
        if (
            end < len(tokens)
            and tokens[end].glued
            and tokens[end].text in ("s", "es", "'s")
            and named[0].kind != "provider"
        ):
            end += 1
        elif end < len(tokens) and tokens[end].glued and (tokens[end].is_word or tokens[end].is_number):
            return None
        kinds = {name.kind: name for name in reversed(named)}
        listed = any(token.text == "," for token in tokens[at:end])  # "13B, 300 billion tokens" names no B300
        if "gpu" in kinds and (listed or self._counts(tokens, at, end)):
            return None
        if "gpu" in kinds and end < len(tokens) and tokens[end].text in self._data["another"]:
            return Quantity(
                "unknown-gpu", next(name.id for name in named if name.kind == "gpu" and name.id), at, end + 1
            )
        if "model" in kinds and self._likened(tokens, end):
            return None
        if "provider" in kinds and end < len(tokens) and tokens[end].text in self._data["no_provider"]:
            return None
        within = at > 0 and tokens[at].glued and (tokens[at - 1].is_word or tokens[at - 1].is_number)  # W4A4
        if "code" in kinds and not within and all(t.glued for t in tokens[at + 1 : end]):  # "gpu 8x h100 sxm5" is none
            return Quantity("instance", kinds["code"].more, at, end)
        kind = next((kind for kind in _KINDS if kind in kinds), None)
        if kind is None:
            return None
        if kind == "gpu":
            return self._gpu(tokens, at, end, [name for name in named if name.kind == "gpu"])
        if kind == "generation":
            return self._generation(tokens, at, end, kinds[kind].more)
        end = self._past_suffix(tokens, end) if kind == "model" else end
        return Quantity(kind, kinds[kind].more or kinds[kind].id, at, end)

    def _likened(self, tokens: Sequence[Token], end: int) -> bool:
        """Whether a family's name only says what a model is like: "7B mistral-like", unless its size stands behind
        it."""
        place = end + (end < len(tokens) and tokens[end].text == "-")
        alike = place < len(tokens) and tokens[place].text in self._data["likened"]
        return alike and tokens[end - 1].text not in ("b", "m")

    def _past_suffix(self, tokens: Sequence[Token], end: int) -> int:
        while end + 1 < len(tokens) and tokens[end].text == "-" and tokens[end + 1].text in self._data["suffixes"]:
            end += 2
        return end

    # -- models ------------------------------------------------------------------------------------------

    def _add_models(self) -> None:
        members: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for model in self.catalog.models.values():
            for name in (model.id, model.name, *model.aliases):
                parts = parts_of(name)
                if any(c.isdecimal() for c in name) or len("".join(parts)) > 5:
                    self._trie.add(parts, Named("model", model.id))
            family, version, size = split_id(model.id)
            if size:
                members[family, size][version] = model.id
                self._trie.add((*parts_of(size), family), Named("model", model.id)) if not version else None
                for spelled in {version, f"v {version}"} if version else ():
                    self._trie.add((*parts_of(size), family, *spelled.split()), Named("model", model.id))
        for (family, size), versions in members.items():
            usual = self._data["usual_version"].get(family, "")
            model = versions.get(usual) or versions[max(versions)]
            self._trie.add((family, *parts_of(size)), Named("model", model))
            if family not in self._data["kinds"]:
                self._trie.add((*parts_of(size), family), Named("model", model))
        for name, model in self._data["families"].items():
            if model in self.catalog.models:
                self._trie.add(parts_of(name), Named("model", model))
        for base, ids in _without_sizes(self.catalog).items():
            if len(ids) == 1:
                self._trie.add(parts_of(base), Named("model", ids[0]))

    def sibling(self, model: str, params: float) -> str | None:
        """The model of the same family and version that has about so many parameters, be it ``model`` itself."""
        entry = self.catalog.models.get(model)
        kin = [m for m in self.catalog.models.values() if entry and split_id(m.id)[:2] == split_id(model)[:2]]
        near = [m for m in kin if abs(m.params.value - params) <= _NEAR * params]
        return min(near, key=lambda m: (m.id != model, abs(m.params.value - params))).id if near else None

    def _spread(self, tokens: Sequence[Token], at: int) -> Quantity | None:
        """A family and, a few small words further on, a size that only its models have: "the big llama, 405"."""
        if tokens[at].text not in self._families or self._likened(tokens, at + 1):
            return None
        for place in range(at + 1, min(at + 5, len(tokens))):
            size = tokens[place].text
            end = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].text == "b" and tokens[place + 1].glued)
            named = self._trie.longest([*tokens[at : at + 1], *cut(size + "b")], 0) if size.isdecimal() else None
            if named and named[0] == 3 and not (end < len(tokens) and (tokens[end].is_word or tokens[end].glued)):
                return Quantity("model", named[1][0].id, at, end)
            if tokens[place].text not in self._data["between"]:
                return None
        return None

    def _spoken(self, tokens: Sequence[Token], numbers: Mapping[int, list[Quantity]], at: int) -> Quantity | None:
        """A family and its size in words: "a seventy B llama"."""
        for place in (at, at + 1):
            size = next((q for q in numbers.get(place, ()) if q.unit == "b" and tokens[place].is_word), None)
            if size is not None:
                written = cut(f"{size.value / 1e9:g}b")
                named = self._trie.longest([*tokens[at:place], *written, *tokens[size.end : size.end + 3]], 0)
                behind = named[0] - len(written) - (place - at) if named else -1
                if named and behind >= 0 and (behind or place > at):
                    return Quantity("model", named[1][0].id, at, size.end + behind)
        return None

    # -- GPUs --------------------------------------------------------------------------------------------

    def _add_gpus(self) -> None:
        self._bases: dict[tuple[str, ...], list[Gpu]] = defaultdict(list)
        forms = {tuple(parts_of(word)) for words in self._data["forms"].values() for word in words}
        for gpu in self.catalog.gpus.values():
            for name in (gpu.id, gpu.name, *gpu.aliases):
                parts = tuple(
                    p for p in parts_of(name) if p not in self._data["publishers"] and p not in self._data["gpu_nouns"]
                )
                self._trie.add(parts, Named("gpu", gpu.id))
                base = _base(parts, forms)
                if base and gpu not in self._bases[base]:
                    self._bases[base].append(gpu)
        for base in self._bases:
            self._trie.add(base, Named("gpu", ""))
        for word, gpus in self._data["generations"].items():
            known = tuple(self.catalog.gpus[gpu] for gpu in gpus if gpu in self.catalog.gpus)
            self._trie.add((word,), Named("generation", "", known)) if known else None

    def _gpu(self, tokens: Sequence[Token], at: int, end: int, named: list[Named]) -> Quantity:
        """A GPU with what is said of its form and memory before or behind the name."""
        typed = tuple(t.text for t in tokens[at:end] if t.text not in _JOINTS and not (t.text == "s" and t.glued))
        exact = [name.id for name in named if name.id]
        found = self._bases.get(typed) or [self.catalog.gpus[i] for i in dict.fromkeys(exact)]
        before = self._gigabytes_before(tokens, at)
        form, gigabytes, rack, end = self._details(tokens, end)
        if not rack and any(self._rack(tokens, place) == end for place in range(at, end)):
            rack = RACK
        if before is not None and gigabytes is None:
            at, gigabytes = before
        of_form = [g for g in found if form is None or self._is_of(g, form)]
        if form and not any(gigabytes in (None, round(g.memory.value)) for g in of_form):
            return Quantity("unknown-gpu", max(of_form or found, key=lambda g: g.memory.si).id, at, end)
        if gigabytes:
            found = [g for g in found if round(g.memory.value) == gigabytes] or found
        if form:
            found = [g for g in found if self._is_of(g, form)]
        elif len(found) > 1:
            found = [g for g in found if "pcie" not in g.id and "nvl" not in g.id] or found
        best = max(found, key=lambda g: g.memory.si)
        board = (at > 0 and tokens[at - 1].text in self._data["boards"]) or tokens[at].text in self._data["boards"]
        at -= at > 0 and tokens[at - 1].text in (*self._data["boards"], *self._data["publishers"])
        return Quantity("gpu", best.id, at, end, rack or ("board" if board else ""))

    def _is_of(self, gpu: Gpu, form: str) -> bool:
        """Whether a GPU comes in this form: as its id says, else cards by PCIe and all others on a board."""
        named = next((one for one in self._data["forms"] if one in gpu.id), None)
        return form == (named or ("pcie" if gpu.nodes_vary else "sxm"))

    def _counts(self, tokens: Sequence[Token], at: int, end: int) -> bool:
        """Whether a number that is the name of a GPU counts or measures something here: "4090 tokens", "$5090"."""
        if not all(token.is_number for token in tokens[at:end]):
            return False
        before, behind = self._counted
        beside = tokens[end] if end < len(tokens) else None
        return (at > 0 and not before.isdisjoint((tokens[at - 1].text, tokens[at - 1].stem))) or (
            beside is not None and not behind.isdisjoint((beside.text, beside.stem))
        )

    def _generation(self, tokens: Sequence[Token], at: int, end: int, gpus: Sequence[Gpu]) -> Quantity:
        """The GPU of a generation that its memory or form singles out, else the generation with its GPUs."""
        before = self._gigabytes_before(tokens, at)
        form, gigabytes, _, end = self._details(tokens, end)
        if before is not None and gigabytes is None:
            at, gigabytes = before
        fitting = [g for g in gpus if form is None or form in g.id]
        fitting = [g for g in fitting if gigabytes is None or round(g.memory.value) == gigabytes] or list(gpus)
        if len(fitting) == 1:
            return Quantity("gpu", fitting[0].id, at, end)
        return Quantity("generation", tuple(g.id for g in fitting), at, end)

    def _gigabytes_before(self, tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
        """The "80GB" of "80GB A100"."""
        place = at - 1 if at and tokens[at - 1].text == "-" else at
        far = next((n for n in range(at, max(at - 4, 0), -1) if tokens[n - 1].text not in _KIND_OF), at)
        place = far if tokens[far].text in _KIND_OF - _TOLD else place  # "the 40 GB version of the A100"
        if place >= 2 and tokens[place - 1].text in ("gb", "g", "gig") and tokens[place - 2].text.isdecimal():
            size = int(tokens[place - 2].text)
            if size in {round(g.memory.value) for g in self.catalog.gpus.values()}:
                return place - 2, size
        return None

    def _details(self, tokens: Sequence[Token], end: int) -> tuple[str | None, int | None, str, int]:
        """Form, gigabytes and rack (:data:`RACK`, :data:`APART` or nothing) that follow a GPU's name, and where they
        end."""
        form, gigabytes, rack = None, None, ""
        while end < len(tokens):
            place = end + (tokens[end].text in _JOINTS and tokens[end].text not in (",", "."))
            told = next((n for n in range(end, min(end + 4, len(tokens))) if tokens[n].text not in _TOLD), end)
            place = told if self._gigabytes(tokens, told) or self._form(tokens, told) else place
            size = self._gigabytes(tokens, place)
            place += place < len(tokens) and tokens[place].text in self._data["in_racks"]
            racked = self._rack(tokens, place)
            said = None if racked else self._form(tokens, place)  # "NVL72" is no "NVL"
            if size and not gigabytes:
                gigabytes, end = size
            elif said:
                form, end = said
            elif not rack and racked:
                if tokens[place - 1].text in (*_SETS_APART, *self._data["in_racks"]):
                    return form, gigabytes, APART, racked
                rack, end = RACK, racked
            elif place < len(tokens) and tokens[place].text in self._data["gpu_nouns"]:
                with_size = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].text in ("with", "of"))
                size = self._gigabytes(tokens, with_size) if gigabytes is None else None
                return (form, size[0], rack, size[1]) if size else (form, gigabytes, rack, place + 1)
            else:
                break
        return form, gigabytes, rack, end

    def _form(self, tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
        for form, words in self._data["forms"].items():
            for word in sorted(words, key=len, reverse=True):
                parts = word.split()
                if [t.text for t in tokens[at : at + len(parts)]] == parts:
                    return form, at + len(parts)
        return None

    def _rack(self, tokens: Sequence[Token], at: int) -> int | None:
        for words in self._data["racks"]:
            parts = words.split()
            if [t.text for t in tokens[at : at + len(parts)]] == parts:
                return at + len(parts)
        return None

    def _gigabytes(self, tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
        """The "80 GB", "80g" or bare "-80" behind a GPU, where a GPU has that much."""
        if at >= len(tokens) or not tokens[at].text.isdecimal():
            return None
        known = {round(g.memory.value) for g in self.catalog.gpus.values()}
        unit = tokens[at + 1] if at + 1 < len(tokens) else None
        if unit is None or unit.text not in ("gb", "gib", "g", "gig", "gigs"):
            bare = tokens[at].glued and tokens[at - 1].text == "-" and tokens[at - 1].glued
            runs_on = unit is not None and unit.glued and (unit.is_word or unit.is_number)
            return (int(tokens[at].text), at + 1) if bare and not runs_on and int(tokens[at].text) in known else None
        after = tokens[at + 2].text if at + 2 < len(tokens) else ""
        size = int(tokens[at].text)
        return (
            (size, at + 2)
            if size in known and after not in ("/", "ethernet", "eth", "ib", "infiniband", "roce")
            else None
        )

    def _product(self, source: Source, at: int) -> Quantity | None:
        """A product whose number counts nothing: "ConnectX-7", "CUDA 12", "p99"; a device of the catalog by its id."""
        hit = max(self._products.at(source, at), key=lambda hit: (hit.end, hit.key != ""), default=None)
        return Quantity("product", hit.key, at, hit.end) if hit else None

    def _unknown_gpu(self, source: Source, at: int) -> Quantity | None:
        """A GPU that exists and is not in the catalog, with the one of it that comes nearest."""
        tokens = source.tokens
        if tokens[at].glued and at and (tokens[at - 1].is_word or tokens[at - 1].text in "-."):
            return None
        if tokens[at].glued and at and tokens[at - 1].is_number and len(tokens[at].text) == 1:
            return None  # the unit of a number: "8B-70B models"
        hit = max(self._others.at(source, at), key=lambda hit: (hit.end, hit.key != ""), default=None)
        if (
            hit is None
            or any(token.text == "=" for token in tokens[at : hit.end])  # "h=250" sets something
            or self._counts(tokens, at, hit.end)
            or (tokens[at].is_word and len(tokens[at].text) <= 2 and not _is_compact(tokens, at, hit.end))
        ):
            return None
        if hit.end < len(tokens) and tokens[hit.end].glued and tokens[hit.end].is_word and tokens[hit.end].text != "s":
            return None  # the "a22" of "235b a22b" is no GPU
        plural = hit.end < len(tokens) and tokens[hit.end].text == "s" and tokens[hit.end].glued
        return Quantity("unknown-gpu", hit.key, at, hit.end + plural)

    # -- providers and instances -------------------------------------------------------------------------

    def _add_providers(self) -> None:
        for provider in self.catalog.providers.values():
            for name in (provider.id, provider.name, *provider.aliases):
                parts = parts_of(name)
                if len("".join(parts)) >= _SHORTEST_ALONE:
                    self._trie.add(parts, Named("provider", provider.id))
            for offer in provider.offers:
                joined = self.catalog.fabrics[offer.fabrics[0]].transport not in ("none", "tcp", "wan")
                for name in _instance_names(offer.name, joined):
                    self._trie.add(parts_of(name), Named("instance", offer.name, (provider.id, offer)))
                for code in _codes(offer.name):
                    self._trie.add(parts_of(code), Named("code", offer.name, (provider.id, offer)))

    # -- networks ----------------------------------------------------------------------------------------

    def _add_fabrics(self) -> None:
        """Fabrics by their own names; what only names a technology is left to :meth:`technologies`, which sees the
        speed."""
        for name, (technology, gbps) in self._data["generations_of_networks"].items():
            self._trie.add(parts_of(name), Named("network", "", NetworkName(technology, float(gbps))))
        # "aws p5" names machines, which bring their network with them.
        sellers = {p.id for p in self.catalog.providers.values()} | {"a"}
        for fabric in self.catalog.fabrics.values():
            names = (fabric.id, fabric.name, *(fabric.aliases if fabric.technology not in ("none", "wan") else ()))
            for name in names if fabric.technology != "none" else ():
                parts = parts_of(name)
                if name == fabric.id or not (self._is_general(name) or parts[0][0].isdecimal() or parts[0] in sellers):
                    self._trie.add(parts, Named("network", fabric.id, NetworkName(fabric.technology, fabric=fabric.id)))

    def _is_general(self, name: str) -> bool:
        """Whether a name begins as that of a technology: "Spectrum-X 800", "HDR InfiniBand"."""
        tokens = [token for token in cut(name) if token.text != "-"]
        return bool(self._technologies.at(Source(tokens, {}), 0)) or self._trie.longest(tokens, 0) is not None

    def technologies(self, source: Source) -> Iterator[Quantity]:
        """Names of technologies in general: "InfiniBand", "plain Ethernet", "RoCE v2", "EFA v3"."""
        for hit in self._technologies.hits(source):
            version = hit.slots.get("version")
            yield Quantity(
                "network", NetworkName(hit.key, version=int(version.value) if version else None), hit.start, hit.end
            )


def split_id(model_id: str) -> tuple[str, str, str]:
    """``llama-3.1-70b`` → ``("llama", "3.1", "70b")``; a part that is not there is empty."""
    match = _MODEL_ID.match(model_id)
    if not match:
        return model_id, "", ""
    size = _SIZE.search("-" + (match["rest"] or ""))
    return match["family"], match["version"] or "", size[1] if size else ""


def _without_sizes(catalog: Catalog) -> dict[str, list[str]]:
    """Names of two words and more without their sizes: ``mistral-nemo`` of ``mistral-nemo-12b``."""
    found: dict[str, list[str]] = {}
    for name in catalog.models:
        base = re.sub(r"-\d+(?:x\d+)?(?:\.\d+)?[bm](?=$|-).*$", "", name)
        if base != name and re.fullmatch(r"[a-z]+-[a-z]{3,}", base):
            found.setdefault(base, []).append(name)
    return found


def _base(parts: tuple[str, ...], forms: set[tuple[str, ...]]) -> tuple[str, ...]:
    """A GPU's name without its form and memory: ``("a", "100")`` of ``a100-sxm4-80gb``."""
    kept: list[str] = []
    at = 0
    while at < len(parts):
        size = next((n for n in (3, 2, 1) if parts[at : at + n] in forms), 0)
        if not size and at + 1 < len(parts) and parts[at].isdecimal() and parts[at + 1] == "gb" and kept:
            size = 2
        if not size:
            kept.append(parts[at])
        at += size or 1
    return tuple(kept) if any(part[0].isdecimal() for part in kept) or len("".join(kept)) > 4 else ()


def _is_compact(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a short name is written in one piece ("MI210") or with a hyphen: "a 64" names no GPU."""
    number = next((t for t in tokens[start:end] if t.is_number), None)
    digits = len(number.text) if number else 0
    return all(t.glued for t in tokens[start + 1 : end]) and (digits >= 2 or tokens[start].text == "t") and digits <= 4


def _instance_names(offer: str, joined: bool) -> list[str]:
    """The names of an offer that name an instance type; an offer called "H100 cluster" names a GPU and nothing else.

    ``joined``: by a network for GPUs. Only the family of such a type stands for it alone: "p3" is a priority too.
    """
    code, _, other = offer.partition(" (")
    code, sold_as = code.removeprefix("Standard_"), code
    names = [code] if " " not in code and any(c.isdecimal() for c in code) and any(c in "._-" for c in code) else []
    names += [sold_as] if names and sold_as != code else []
    names += [other.rstrip(")")] if names and " " in other else []
    family = code.split(".")[0] if code.endswith("xlarge") and joined else ""
    # ND96isr_H100_v5 is sold as "ND H100 v5".
    series = re.fullmatch(r"([A-Z]+)\d+[a-z]*_(?:NDR_)?([A-Z]+\d+[A-Z]*)_(v\d)", code)
    names += [" ".join(series.groups())] if series else []
    return names + ([family] if family else [])


def _codes(offer: str) -> list[str]:
    """The code in the brackets of a name such as ``HGX H100 (gd-8xh100ib-i128)`` or ``a4-highgpu-8g (A4)``, which is
    written in one piece; a GPU and a count, ``b200-8x``, may be anybody's."""
    first, _, code = offer.partition(" (")
    code = code.rstrip(")")
    family = code.lower() == first.partition("-")[0]
    coded = " " not in code and any(c.isdecimal() for c in code) and (family or any(c in "._-" for c in code))
    return [code] if coded and not re.fullmatch(r"[a-z]+\d+-\d+x", code) else []


def _words(node: Mapping[str, Any]) -> Iterator[str]:
    for word, following in node.items():
        if word and word.isalpha():
            yield word
        if word:
            yield from _words(following)
