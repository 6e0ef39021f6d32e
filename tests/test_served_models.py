"""Each model of a survey of what people serve is in the catalog or said to be left out; its parameters and the cache
of a request agree with the survey's own columns, which are worked out here without the program's formulas."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
import yaml

from assistant import api, library
from assistant.model.described import architecture_of
from assistant.understanding import Listener
from assistant.vocabulary.catalog import Model

LIBRARY = library.load()
CATALOG = LIBRARY.catalog
with (Path(__file__).parent / "served_models.csv").open(encoding="utf-8", newline="") as table:
    ROWS = {row["id"]: row for row in csv.DictReader(table)}
LEFT_OUT = yaml.safe_load((LIBRARY.knowledge_folder / "models_left_out.yaml").read_text(encoding="utf-8"))["models"]
CALLED = {"deepseek-v3.1": "deepseek-v3", "step-3": "step3-321b"}  # rows that the catalog has under another id
HERE = [row for ident, row in ROWS.items() if ident not in LEFT_OUT]
SHORT, LONG = 1024, 131_072
WITHIN = 0.02

# What the survey says in words beside its columns. (layers, KV heads, width of a key and a value) of full and of
# sliding layers that keep keys and values of their own.
OTHER_HEADS = {
    "inkling": ((11, 8, 256), (55, 16, 256)),
    "mimo-v2-flash": ((9, 4, 320), (39, 8, 320)),
    "gemma-4-26b-a4b": ((5, 2, 1024), (25, 8, 512)),
    "gemma-4-31b": ((10, 4, 1024), (50, 16, 512)),
    "gemma-3n-e4b": ((4, 2, 512), (16, 2, 512)),  # the last 15 of 35 layers reuse those of others
    "gemma-4-e4b": ((4, 2, 1024), (20, 2, 512)),  # the last 18 of 42, one in six full
    "gemma-4-e2b": ((3, 1, 1024), (12, 1, 512)),  # the last 20 of 35, one in five full
    "hunyuan-large": ((32, 8, 160), (0, 0, 0)),  # shared over two layers
    "mistral-7b": ((32, 8, 256), (0, 0, 0)),  # as catalogued: version 0.3, without the window of the first
}
WINDOWS = {"mimo-v2-flash": 128.0}  # of transformers' class for its checkpoint; the survey has none
TWICE = {"longcat-flash": 2}  # attentions in a layer
INDEXED = {"deepseek-v3.2": 61, "glm-5": 78, "glm-5.1": 78, "glm-5.2": 21}  # layers that keep 128 bytes a token besides
# DeepSeek-V4: layers with one entry of 512 for 4 and for 128 tokens, beside a window in each
COMPRESSED = {"deepseek-v4-flash": (21, 20), "deepseek-v4-pro": (29, 32)}
LOOKED_UP = {"gemma-3n-e4b": 262_400 * 35 * 256, "gemma-4-e4b": 262_144 * 42 * 256, "gemma-4-e2b": 262_144 * 35 * 256}
DOUBLED = {"gemma-4-e2b": 20 * 3 * 1536 * 6144}  # the MLP of sharing layers is twice as wide
LIGHTER = {"longcat-flash": 4 * 28 * 3 * 6144 * 2048}  # of the 12 experts of a token 4 pass it on, in the mean


def entry(row: dict[str, str]) -> Model:
    return CATALOG.models[CALLED.get(row["id"], row["id"])]


def number(row: dict[str, str], column: str) -> float:
    return float(row[column] or 0)


def state(row: dict[str, str]) -> float:
    """Elements that one linear layer keeps, from what the survey says of it in words."""
    block = row["linear_block"]
    if "state" in block and (heads := re.search(r"(\d+) heads x (\d+), state (\d+)", block)):  # Mamba-2
        return float(heads[1]) * float(heads[2]) * float(heads[3])
    if mamba := re.search(r"expand (\d+), state (\d+)", block):  # Mamba-1, with four tokens of its convolution
        return float(mamba[1]) * number(row, "hidden") * (float(mamba[2]) + 4)
    if convolution := re.search(r"kernel (\d+)", block):
        return number(row, "hidden") * float(convolution[1])
    keys = re.search(r"(?:(\d+) value heads|(\d+) heads) x (\d+)", block)
    assert keys, block
    return float(keys[1] or keys[2]) * float(keys[3]) ** 2


def cache(row: dict[str, str], context: int) -> float:
    """Bytes of one request's cache in 16 bits."""
    ident, linear = row["id"], number(row, "linear_layers")
    window = WINDOWS.get(ident) or number(row, "sliding_window")
    if ident in COMPRESSED:
        fourth, rest = COMPRESSED[ident]
        kept = number(row, "layers") * min(context, window) + context * (fourth / 4 + rest / 128)
        return kept * 512 * 2 + fourth * context / 4 * 128
    if number(row, "kv_lora_rank"):
        full = number(row, "full_attention_layers") or number(row, "layers") * TWICE.get(ident, 1)
        width = number(row, "kv_lora_rank") + number(row, "qk_rope_head_dim")
        index = INDEXED.get(ident, 0) * 128.0 * context
        return full * width * context * 2 + index + 2 * (linear * state(row) if linear else 0)
    beside = "in parallel" in row["attention_kind"]
    layers = number(row, "layers")
    full = float(row["full_attention_layers"] or layers)
    near = layers - full - linear if window and not beside else 0.0
    width = 2 * number(row, "head_dim")
    kinds = OTHER_HEADS.get(ident, ((full, number(row, "kv_heads"), width), (near, number(row, "kv_heads"), width)))
    (full, heads, width), (near, near_heads, near_width) = kinds
    kept = full * heads * width * context + near * near_heads * near_width * min(context, window or context)
    return 2 * kept + 2 * (linear * state(row) if linear else 0)


def test_the_survey_is_whole_and_each_row_is_catalogued_or_left_out_for_a_reason():
    assert len(ROWS) == 134
    gone = [ident for ident in ROWS if CALLED.get(ident, ident) not in CATALOG.models]
    assert sorted(gone) == sorted(LEFT_OUT)
    for one in LEFT_OUT.values():
        assert one["known"] and one["missing"] and one["source"].split("#")[0] in LIBRARY.knowledge.sources


def test_the_handbook_says_which_models_are_left_out_and_why():
    page = LIBRARY.handbook["knowledge"].read_text(encoding="utf-8")
    for one in LEFT_OUT.values():
        assert f"| {one['name']} | {one['known']} | {one['missing']} |" in page


@pytest.mark.parametrize("row", HERE, ids=lambda row: row["id"])
def test_parameters_are_those_of_the_survey(row):
    ours = architecture_of(entry(row))
    sums = number(row, "param_sum_b") * 1e9 + LOOKED_UP.get(row["id"], 0) + DOUBLED.get(row["id"], 0)
    said = [one for one in (sums, number(row, "params_total_b") * 1e9) if one]
    assert min(abs(ours.params / one - 1) for one in said) < WITHIN
    if row["experts"] and entry(row).active_params:
        sums = number(row, "active_sum_b") * 1e9 - LIGHTER.get(row["id"], 0)
        said = [one for one in (sums, number(row, "params_active_b") * 1e9) if one]
        counts = ours.active_params, ours.active_params - ours.embedding_params  # vendors leave embeddings out
        assert min(abs(count / one - 1) for one in said for count in counts) < WITHIN


@pytest.mark.parametrize("row", HERE, ids=lambda row: row["id"])
def test_the_cache_of_a_request_is_that_of_the_survey(row):
    ours, longest = architecture_of(entry(row)), int(number(row, "max_context")) or LONG
    for context in (min(SHORT, longest), min(LONG, longest)):
        assert float(ours.kv_bytes(context)) == pytest.approx(cache(row, context), rel=WITHIN), context


@pytest.mark.parametrize("row", HERE, ids=lambda row: row["id"])
def test_dimensions_are_those_of_the_survey(row):
    model, twice = entry(row), TWICE.get(row["id"], 1)
    assert model.layers == twice * number(row, "layers") and model.hidden == number(row, "hidden")
    assert model.experts == number(row, "experts")
    assert model.linear_layers == number(row, "linear_layers")
    if row["id"] not in LIGHTER:
        assert model.experts_per_token == number(row, "experts_per_token")
    if row["mtp_layers"]:
        assert model.mtp_layers == number(row, "mtp_layers")


LISTENER = Listener.of(LIBRARY.language, CATALOG)
_ACTIVE = re.compile(r"[- ]A\d+(\.\d+)?B\b")
ALSO = {
    "glm-4.6": ["GLM 4.6", "glm4.6"],
    "minimax-m2": ["minimax m2", "MiniMax M2 230B"],
    "kimi-k2": ["Kimi K2"],
    "qwen3.5-397b-a17b": ["qwen3.5 397b", "Qwen 3.5 397B"],
    "deepseek-v4-flash": ["DeepSeek V4 Flash"],
    "nemotron-3-nano-30b-a3b": ["Nemotron 3 Nano"],
    "nemotron-3-super-120b-a12b": ["Nemotron 3 Super"],
    "nemotron-3-ultra-550b-a55b": ["Nemotron 3 Ultra"],
    "llama-3.3-nemotron-super-49b": ["Nemotron Super 49B"],
    "nemotron-nano-9b-v2": ["nemotron nano 9b"],
    "gemma-4-31b": ["gemma4 31b"],
    "step-3": ["Step3", "Step-3 321B"],
}
TOO_GENERAL = {"step-3": {"step-3", "step 3"}}  # "step 3 of the run" is no model


@pytest.mark.sampled(4, of=lambda row: row["id"].partition("-")[0])
@pytest.mark.parametrize("row", HERE, ids=lambda row: row["id"])
def test_a_model_is_known_by_the_names_people_write(row):
    ident, name = row["id"], re.sub(r" \(.*\)| v0\.1$", "", row["name"])
    ways = {ident, ident.replace("-", " "), name, _ACTIVE.sub("", name), *ALSO.get(ident, ())}
    for way in ways - TOO_GENERAL.get(ident, set()):
        heard = LISTENER.hear(f"serve {way} on 16 H200").fields
        assert (way, heard.get("model")) == (way, entry(row).id)


@pytest.mark.parametrize(
    ("said", "model"),
    [
        ("train Moonlight on 8 nodes of 8 H100", "moonlight-16b-a3b"),
        ("LongCat-Flash on 8 nodes of 8 H100, no InfiniBand", "longcat-flash"),
        ("Muse Glimmer on 8 nodes of 8 H100", "muse-glimmer"),
    ],
)
def test_a_name_that_sounds_like_a_provider_is_the_model_that_the_catalog_has(said, model):
    heard = LISTENER.hear(said)
    assert heard.fields["model"] == model and not any(one.field == "model" for one in heard.doubts)


def test_a_model_of_others_is_still_asked_about():
    heard = LISTENER.hear("our sister team trained Llama 70B, we have 64 H100")
    assert "model" not in heard.fields


def test_a_step_of_the_run_is_no_model():
    assert "model" not in LISTENER.hear("at step 3 of the run NCCL hangs on 16 H200").fields


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("KV cache of DeepSeek-V4-Flash", "21 layers × 512 × 2 bytes ÷ 4 tokens an entry"),
        ("KV cache of DeepSeek-V3.2", "61 layers × (512 + 64) compressed × 2 bytes + 61 indexes × 128 bytes"),
        ("KV cache of MiMo-V2-Flash", "9 layers × 4 key/value heads × (192 + 128) × 2 bytes"),
        ("KV cache of Hunyuan Large", "32 layers × 2 × 8 key/value heads × 80 × 2 bytes"),
    ],
)
def test_an_answer_shows_how_the_cache_of_a_token_comes_about(asked, shown):
    found = api.ask(asked).computed
    assert found is not None
    figure = next(one for one in found.figures if one.name == "per token")
    assert shown in figure.formula
    worked = re.sub(r" (layers|indexes|compressed|key/value heads|tokens an entry|bytes)", "", figure.formula)
    assert eval(worked.replace("×", "*").replace("÷", "/")) == pytest.approx(figure.value)


def test_less_is_read_of_a_cache_than_is_kept_where_an_index_chooses():
    chosen = architecture_of(CATALOG.models["deepseek-v3.2"])
    assert chosen.read_bytes(131_072) == pytest.approx(61 * (2048 * 576 * 2 + 131_072 * 128))
    assert chosen.visible_attention_flops(131_072) < architecture_of(
        CATALOG.models["deepseek-v3"]
    ).visible_attention_flops(131_072)
    lent = architecture_of(CATALOG.models["hunyuan-large"])
    assert lent.read_bytes(4096) == 2 * lent.kv_bytes(4096)


def test_a_layer_that_slides_has_a_window():
    assert [one.id for one in CATALOG.models.values() if one.sliding_layers and not one.sliding_window] == []
