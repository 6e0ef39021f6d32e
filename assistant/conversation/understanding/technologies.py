"""The technologies of networks in all their names, and where a message mentions one."""

from __future__ import annotations

import re
from dataclasses import dataclass

TECHNOLOGIES = {
    "spectrum-x": r"spectrum[\s\-]?x\b",
    "ultra-ethernet": r"ultra[\s\-]?ethernet|\buec?\b(?:\s1\.0)?",
    "tcpxo": r"(?:gpudirect[\s\-]|fastrak\b|gcp[\s\-])?tcp[\s\-]?xo\b",
    "tcpx": r"(?:gpudirect[\s\-]|gcp[\s\-])?tcp[\s\-]?x\b",
    "roce": r"lossless ethernet|ro?ce\s?(?:-?\s?v?\s?2)?\b|rdma over (?:converged )?ethernet|rdma ethernet|ethernet (?:with|and|\+) rdma|"
    r"converged ethernet",
    "infiniband": r"(?:nvidia |mellanox |quantum[\s\-]?[2x]? )*infini[\s\-]?band|\bib\b",
    "efa": r"(?:aws[\s\-]|amazon[\s\-])?(?:\befa\b[\s\-]?(?:v(?:ersion )?\s?(?P<efa_version>[1-4]))?|elastic fabric adapter)",
    "wan": r"low[\s\-]communication",
    "tcp": r"(?:(?:plain|standard|normal|regular|ordinary|vanilla|commodity|cheap|just|simple|"
    r"only)\s)*(?:tcp(?:/ip)?(?:\ssockets?)?(?:\s(?:over\s)?ethernet)?"
    r"|(?:ethernet|eth\b)(?:[\s,]+(?:with\s|over\s)?tcp(?:/ip)?)?)",
}
GENERATIONS = {
    "hdr": ("infiniband", 200.0),
    "ndr": ("infiniband", 400.0),
    "xdr": ("infiniband", 800.0),
    "edr": ("infiniband", 100.0),
    r"quantum[\s\-]?2": ("infiniband", 400.0),
    r"quantum[\s\-]?x800": ("infiniband", 800.0),
}
TECHNOLOGY = re.compile(
    r"(?<![a-z0-9\-])(?:"
    + "|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in TECHNOLOGIES.items())
    + rf"|(?P<generation>{'|'.join(GENERATIONS)})(?:[\s\-]?\d{{3}})?)(?![a-z0-9])"
)


@dataclass
class Mention:
    """A technology and perhaps a speed, at ``start:end`` of the message."""

    start: int
    end: int
    technology: str
    gbps: float | None = None
    version: str | None = None
    total: bool = False  # the speed is that of the whole node
