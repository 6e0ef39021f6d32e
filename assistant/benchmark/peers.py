"""What other programs reach, each measured once on a machine like ours: two cores, one process, the best of its
runs."""

from assistant.vocabulary.benchmark import Peer

CALCULON = Peer(
    name="Calculon",
    rate=1356.0,
    of="configurations",
    source="calculonai/calculon as of 2024-02-22, optimal_execution, one process on two cores of this kind",
)
LLM_ANALYSIS = Peer(
    name="llm-analysis",
    rate=3080.0,
    of="configurations",
    source="cli99/llm-analysis as of 2024-11-13, one process on two cores of this kind",
)
SEARCHES = [CALCULON, LLM_ANALYSIS]
# configurations Calculon's own search goes through for GPT-3 175B on 1,024 GPUs of one system
CALCULON_SPACE = 11_700_000
