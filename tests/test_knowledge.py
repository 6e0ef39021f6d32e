"""The knowledge base holds together, and everything the articles name has a place."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from assistant.library import knowledge as reader
from assistant.vocabulary.errors import KnowledgeError

# What the five articles name beyond GPUs, models, providers and fabrics (those are held by test_catalog.py).
NAMED = """NVLink 4; NVLink 5; NVLink 6; NVSwitch; PCIe; UALink; UALoE; Infinity Fabric; IPoIB; TCPX; TCPXO;
EFA; SRD; Ultra Ethernet; Quantum-2; Spectrum-4; SN5600; Tomahawk 4; Arista; Nokia 7220 IXR; Aviz
ONES; vRack; ConnectX-7; ConnectX-6 Dx; Mellanox; RDMA; GPUDirect RDMA; SHARP; adaptive routing;
credit-based flow control; PFC; ECN; DCQCN; head-of-line blocking; incast; tail latency; jitter;
stragglers; OS bypass; rail-optimised; fat-tree; ring; tree; all-reduce; reduce-scatter; all-gather;
broadcast; all-to-all; bus bandwidth; prefetch; bisection bandwidth; FSDP; ZeRO-3; tensor parallel;
pipeline parallel; expert parallel; asynchronous training; DiLoCo; FedAvg; local SGD; RLHF;
activation checkpointing; Flash Attention 2; meta-device; size_based_auto_wrap_policy;
disaggregated; continuous batching; paged attention; KV-cache; NCCL; PyTorch; JAX; CUDA; nccl-tests;
mpirun; ibstat; ib_read_bw; MLNX_OFED; torchrun; MLPerf; NCCL_IB_DISABLE; NCCL_IB_HCA;
NCCL_NET_GDR_LEVEL; NCCL_IB_GID_INDEX; NCCL_SOCKET_IFNAME; NCCL_DEBUG; NCCL_BUFFSIZE;
NCCL_SOCKET_NTHREADS; NCCL_NSOCKS_PERTHREAD; NCCL_COLLNET_ENABLE; NCCL_NET; NCCL_NTHREADS;
NCCL_TIMEOUT; NCCL_IBEXT_DISABLE; NCCL_NET_PLUGIN; NCCL_IB_SL; NCCL_TOPO_FILE; Azure Managed Lustre;
VMSS; rsync; Broadcom; Intel; HPE; Cisco; Meta; Microsoft; Google DeepMind; Ultra Ethernet
Consortium; Dell; WAN; bounded staleness; spot; checkpointing"""


def _known_words(library):
    knowledge, catalog = library.knowledge, library.catalog
    texts = [t for term in knowledge.terms for t in (term.term, *term.aliases)]
    texts += [
        f"{entry.name} {' '.join(getattr(entry, 'aliases', []))} {entry.vendor if hasattr(entry, 'vendor') else ''}"
        for part in (catalog.fabrics, catalog.scale_ups, catalog.devices)
        for entry in part.values()
    ]
    texts += [passage.text for passage in knowledge.passages.values()]
    return re.sub(r"[\s-]+", " ", " \n ".join(texts)).lower()


@pytest.mark.parametrize("name", [n.strip() for n in NAMED.replace("\n", " ").split(";")])
def test_everything_the_articles_name_has_a_place(library, name):
    assert re.sub(r"[\s-]+", " ", name).lower() in _known_words(library)


def test_every_section_of_the_articles_has_a_passage(library):
    knowledge = library.knowledge
    covered = {(p.source, p.section) for p in knowledge.passages.values()}
    audited = {claim.source for claim in knowledge.claims.values() if claim.audit}
    assert len(audited) == 5
    missing = [(s, path[-1]) for s in audited for path in knowledge.sources[s].sections if (s, path[-1]) not in covered]
    assert missing == []


def test_all_342_audited_statements_are_there(library):
    assert len({c.audit for c in library.knowledge.claims.values() if c.audit}) == 342


def test_what_was_withdrawn_is_marked_and_corrected(library):
    withdrawn = [c for c in library.knowledge.claims.values() if c.verdict == "withdrawn"]
    assert len(withdrawn) >= 10 and all(c.source == "azure-fsdp-2026" and c.correction for c in withdrawn)
    for passage in library.knowledge.passages.values():
        if any(library.knowledge.claims[c].verdict == "withdrawn" for c in passage.claims):
            assert passage.status != "current" and passage.correction, passage.id


@pytest.fixture
def folder(library, tmp_path):
    """All of the knowledge, to which a file is added."""
    return Path(shutil.copytree(library.knowledge_folder, tmp_path / "knowledge", copy_function=os.symlink))


def test_a_broken_reference_names_what_is_broken(folder):
    (folder / "passages" / "x.yaml").write_text("passages:\n  - {id: nowhere/a, section: A, text: t}\n")
    with pytest.raises(KnowledgeError, match="nowhere/a names the source nowhere"):
        reader.read(folder)


def test_a_wrong_entry_names_file_line_and_key(folder):
    (folder / "claims" / "x.yaml").write_text(
        "claims:\n  - id: s/a\n    section: A\n    statement: t\n    type: guess\n    verdict: wrong\n"
    )
    with pytest.raises(KnowledgeError, match=r"x\.yaml:5 claims\.0\.type"):
        reader.read(folder)
