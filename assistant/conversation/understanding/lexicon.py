"""The catalog's names in all their spellings, compiled once per catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu, Model

_SEPARATOR = r"[\s\-_./]{0,2}"
_PIECES = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
# What a bare family name stands for when people use it alone; only names whose users mean one model.
_USUAL_VERSION = {
    "llama": "3.1",
    "qwen": "2.5",
    "deepseek": "3",
    "gemma": "2",
    "mistral": "",
    "mixtral": "",
    "gpt": "3",
}
_NAMES_ONE_MODEL = {
    "mixtral": "mixtral-8x7b",
    "gpt3": "gpt-3-175b",
    "deepseek": "deepseek-v3",
    "deepseekv3": "deepseek-v3",
}


def spelled(name: str) -> str:
    """A regular expression for a name however it is hyphenated: ``H100 SXM`` also as ``h100-sxm``, ``h100sxm``."""
    pieces = _PIECES.findall(name.lower().replace("+", " plus "))
    return _SEPARATOR.join(re.escape(piece).replace(r"\.", r"[.\-_]?") for piece in pieces)


def squeezed(name: str) -> str:
    return "".join(_PIECES.findall(name.lower()))


@dataclass(frozen=True)
class FamilyMember:
    """One model of a family: ``llama``, version ``3.1``, size ``70b``."""

    model: Model
    version: str
    size: str


@dataclass
class Lexicon:
    """Names to ids. Built by :func:`of`."""

    catalog: Catalog
    model_names: dict[str, str] = field(default_factory=dict)  # squeezed spelling → id
    families: dict[str, list[FamilyMember]] = field(default_factory=dict)
    providers: dict[str, str] = field(default_factory=dict)
    instances: dict[str, tuple[str, Any]] = field(default_factory=dict)
    gpu_cores: dict[str, list[Gpu]] = field(default_factory=dict)
    model_pattern: re.Pattern[str] = re.compile("(?!)")
    family_pattern: re.Pattern[str] = re.compile("(?!)")
    gpu_expression: str = "(?!)"
    provider_pattern: re.Pattern[str] = re.compile("(?!)")
    instance_pattern: re.Pattern[str] = re.compile("(?!)")
    fabric_id_pattern: re.Pattern[str] = re.compile("(?!)")

    def member(self, family: str, version: str | None, size: str | None) -> str | None:
        """The id of a family's model: exact version and size, else the usual version of that size."""
        members = self.families.get(family, [])
        if version:
            members = [
                m for m in members if m.version == version or (version.endswith(".0") and m.version == version[:-2])
            ]
        if size:
            members = [m for m in members if m.size == size]
        if len(members) == 1:
            return members[0].model.id
        usual = [m for m in members if m.version == _USUAL_VERSION.get(family, "")] if not version else []
        if size and members and not version:
            return (usual or sorted(members, key=lambda m: m.version))[-1].model.id
        return _NAMES_ONE_MODEL.get(family + (version or "")) if not size else None

    def known_as(self, family: str) -> str | None:
        """The one model everybody means by a family and its usual version."""
        return _NAMES_ONE_MODEL.get(family + _USUAL_VERSION.get(family, ""))

    def gpu(self, core: str, form: str | None, gigabytes: str | None) -> str | None:
        """The id of a GPU named by core (``h100``), form (``pcie``) and memory (``40``); SXM and the larger memory are usual."""
        found = self.gpu_cores.get(core, [])
        if form:
            kind = "pcie" if "pcie" in form else "sxm" if "sxm" in form else ""
            found = [g for g in found if kind in g.id] or found
        else:
            found = [g for g in found if "pcie" not in g.id] or found
        if gigabytes:
            found = [g for g in found if round(g.memory.value) == int(gigabytes)] or found
        return max(found, key=lambda g: g.memory.si).id if found else None

    def fabric(self, technology: str, gbps: float | None, gpu: Gpu | None) -> str | None:
        """The fabric of a technology at a line rate (Gb/s per NIC); without one, at the GPU's usual rate."""
        members = [f for f in self.catalog.fabrics.values() if f.technology == technology]
        if technology == "efa":
            return _efa(members, gpu)
        if len(members) == 1 and gbps is None:
            return members[0].id
        if gbps is not None:
            return next((f.id for f in members if _gbps(f) == gbps), None)
        usual = 100.0 if technology == "tcp" else gpu.usual_nic_line_rate.si * 8 / 1e9 if gpu else 400.0
        rated = [f for f in members if f.line_rate is not None]
        return min(rated, key=lambda f: abs(_gbps(f) - usual)).id if rated else None


def _gbps(fabric: Fabric) -> float:
    return round(fabric.line_rate.si * 8 / 1e9, 3) if fabric.line_rate else 0.0


def _efa(members: list[Fabric], gpu: Gpu | None) -> str | None:
    """EFA comes with the instance, so the GPU says which version; H100 instances are the usual case."""
    gpu_id = gpu.id if gpu else "h100-sxm"
    fitting = [f for f in members if f.gpus and gpu_id in f.gpus]
    return max(fitting or members[:1], key=lambda f: f.id).id if members else None


_compiled: dict[int, Lexicon] = {}  # each lexicon keeps its catalog alive, so an identity is never reused


def of(catalog: Catalog) -> Lexicon:
    """The lexicon of a catalog, compiled on first use."""
    lexicon = _compiled.get(id(catalog))
    if lexicon is None:
        lexicon = Lexicon(catalog)
        _add_models(lexicon)
        _add_gpus(lexicon)
        _add_providers(lexicon)
        lexicon.fabric_id_pattern = _any_of(re.escape(f) for f in catalog.fabrics if f != "none")
        _compiled[id(catalog)] = lexicon
    return lexicon


def _any_of(expressions: Any) -> re.Pattern[str]:
    """Any of the expressions as a whole word, the longest first."""
    ordered = sorted(set(expressions), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(ordered)})(?![a-z0-9])") if ordered else re.compile("(?!)")


def _add_models(lexicon: Lexicon) -> None:
    expressions = []
    for model in lexicon.catalog.models.values():
        for name in (model.id, model.name, *model.aliases):
            if any(c.isdigit() for c in name) or len(squeezed(name)) > 5:
                lexicon.model_names.setdefault(squeezed(name), model.id)
                expressions.append(spelled(name))
        family, version, size = parts(model.id)
        if size:
            lexicon.families.setdefault(family, []).append(FamilyMember(model, version, size))
    for base, ids in _without_sizes(lexicon.catalog).items():
        if len(ids) == 1 and squeezed(base) not in lexicon.model_names:
            lexicon.model_names[squeezed(base)] = ids[0]
            expressions.append(spelled(base))
    lexicon.model_pattern = _any_of(expressions)
    names = "|".join(sorted((re.escape(f) for f in lexicon.families), key=len, reverse=True))
    size = (
        r"(?P<size{0}>\d+x\d+(?:\.\d+)?\s?b|\d+(?:\.\d+)?\s?(?:b(?![a-z])|billion|m(?![a-z])|million)"
        r"(?:\s?-?a\d+(?:\.\d+)?b)?)"
    )
    version = r"(?P<version{0}>v?\d+(?:\.\d+)?(?![\d.]*\s?(?:b(?![a-z])|x\d|billion|\d)))"
    name = rf"(?:meta|facebook|alibaba|google|mistralai|nvidia|openai)?[\s/\-]?(?P<family>{names or '(?!)'})"
    lexicon.family_pattern = re.compile(
        rf"(?<![a-z0-9])(?:{size.format('_before')}[\s\-]+(?:parameters?\s+|"
        rf"params?\s+)?)?{name}(?:'s)?(?:{_SEPARATOR}{version.format('')})?"
        rf"(?:[\s\-_,]{{0,2}}(?:at\s|with\s)?{size.format('')})?(?:[\s\-_](?:instruct|chat|base|it|hf))*(?![a-z0-9])"
    )


def _without_sizes(catalog: Catalog) -> dict[str, list[str]]:
    """Names of two words and more without their sizes, as people shorten them: ``mistral-nemo`` of ``mistral-nemo-12b``."""
    found: dict[str, list[str]] = {}
    for name in catalog.models:
        base = re.sub(r"-\d+(?:x\d+)?(?:\.\d+)?[bm](?=$|-).*$", "", name)
        if base != name and re.fullmatch(r"[a-z]+-[a-z]{3,}", base):
            found.setdefault(base, []).append(name)
    return found


def parts(model_id: str) -> tuple[str, str, str]:
    """``llama-3.1-70b`` → ``("llama", "3.1", "70b")``; a part that is not there is empty."""
    match = re.match(r"(?P<family>[a-z]+)-?v?(?P<version>\d+(?:\.\d+)?)?(?:-(?P<rest>.*))?$", model_id)
    if not match:
        return model_id, "", ""
    size = re.search(r"(?:^|-)(\d+x\d+(?:\.\d+)?b|\d+(?:\.\d+)?[bm])(?=$|-)", "-" + (match["rest"] or ""))
    return match["family"], match["version"] or "", size[1] if size else ""


def _add_gpus(lexicon: Lexicon) -> None:
    for gpu in lexicon.catalog.gpus.values():
        lexicon.gpu_cores.setdefault(gpu.id.split("-")[0], []).append(gpu)
    cores = "|".join(sorted((spelled(core) for core in lexicon.gpu_cores), key=len, reverse=True))
    sizes = "|".join(sorted({str(round(g.memory.value)) for g in lexicon.catalog.gpus.values()}, key=len, reverse=True))
    lexicon.gpu_expression = (
        rf"(?:(?P<gigabytes_>\b(?:{sizes}))[\s\-]?(?:gi?b|gigs?|g)[\s\-]+)?(?:nvidia\s+|amd\s+|instinct\s+|radeon\s+|tesla\s+|"
        rf"vera\s+)*(?P<core>{cores or '(?!)'})(?P<form>[\s\-]?(?:sxm\d?|"
        rf"pcie|pci-e|oam))?(?:-(?P<gigabytes____>{sizes})(?![\w.\-]|\s?(?:x\b|gi?b|gpus?|cards?)))?"
        rf"(?P<rack>[\s\-]?nvl[\s\-]?(?:72|144))?(?:[\s\-]?(?:(?:of|with|a|at|,)\s)?\(?(?:(?P<gigabytes>\d+)\s?gi?b|"
        rf"(?P<gigabytes__>{sizes})\s?gi?(?:gs?)?)\)?(?![a-z]|\s?/|ps|"
        rf"\s?(?:ethernet|eth\b|infini|ib\b|roce|[nhx]dr|nics?\b|links?\b|per\b|network|rdma|port))(?:\s(?:of\s)?(?:hbm\w*|v?ram|memory|"
        rf"each)\b)*)?(?P<form_after>[\s\-](?:sxm\d?|pcie))?"
        r"(?:s|'s|es)?(?:(?:\s(?:with|of|at|and)|,)?\s\(?(?P<gigabytes___>\d+)\s?gi?b\)?(?![a-z]|\s?/)(?:\s(?:of\s)?(?:hbm\w*|v?ram|"
        r"memory|each)\b)*)?(?:,?\s(?:the|in the|with)\s(?P<gigabytes_____>\d+)[\s\-]?gi?(?:b|gs?)\s?"
        r"(?:ones?|versions?|variants?|models?|flavou?rs?|kind|type|cards?)\b)?(?:\s(?:gpus?|cards|accelerators|chips))?(?![a-wyz0-9]|"
        r"x(?!\d))"
    )


def _add_providers(lexicon: Lexicon) -> None:
    for provider in lexicon.catalog.providers.values():
        for name in (provider.id, provider.name, *provider.aliases):
            lexicon.providers.setdefault(squeezed(name), provider.id)
        for offer in provider.offers:
            for name in _instance_names(offer.name):
                lexicon.instances.setdefault(squeezed(name), (provider.id, offer))
    lexicon.provider_pattern = _any_of(
        spelled(n) for p in lexicon.catalog.providers.values() for n in (p.id, p.name, *p.aliases)
    )
    names = [name for p in lexicon.catalog.providers.values() for o in p.offers for name in _instance_names(o.name)]
    short = r"(?=\s?(?:instances?|nodes?|vms?|machines?)\b)"
    lexicon.instance_pattern = _any_of(spelled(name) + (short if len(name) < 6 else "") for name in names)


def _instance_names(offer: str) -> list[str]:
    """The names of an offer that name an instance type; an offer called "H100 cluster" names a GPU and nothing else.

    ``p5.48xlarge`` is also said as "p5", ``a3-megagpu-8g (A3 Mega)`` as either.
    """
    code, _, other = offer.partition(" (")
    names = [code] if " " not in code and any(c.isdigit() for c in code) and any(c in "._-" for c in code) else []
    names += [other.rstrip(")")] if names and " " in other else []
    family = code.split(".")[0] if code.endswith("xlarge") else ""
    series = re.fullmatch(r"([A-Z]+)\d+\w*?_([A-Z]+\d+\w*)_(v\d)", code)  # ND96isr_H100_v5 is sold as "ND H100 v5"
    names += [" ".join(series.groups())] if series else []
    return names + ([family] if family else [])
