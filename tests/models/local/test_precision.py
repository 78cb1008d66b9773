"""Speed and precision of local models: fewer steps, bf16, and weights for a GPU."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core.models.local import loading, precision_choice
from core.models.local.cpu_speedups import NAME, compute_attention, is_t5
from core.models.local.precision_choice import PrecisionChoice, keep_choice, read_choice
from core.records import TandemError
from tests.judging.judges.test_local_classifier import loaded

# ---- T5 in fewer steps and attention head by head, against transformers' own forward pass


CLOSE = {"abs": 2e-5, "rel": 1e-4}


def gated() -> torch.nn.Module:
    """FLAN-T5's kind: a gated GELU, an own head, heads that do not add up to the width."""
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(1)
    sizes = {
        "vocab_size": 90,
        "d_model": 32,
        "d_kv": 12,
        "d_ff": 48,
        "num_layers": 3,
        "num_heads": 2,
    }
    config = T5Config(**sizes, feed_forward_proj="gated-gelu")
    made = T5ForConditionalGeneration(config).eval()
    made.lm_head.weight = torch.nn.Parameter(made.lm_head.weight.detach().roll(1, 0))
    return made


def rows(lengths: tuple[int, ...], places: int) -> dict[str, torch.Tensor]:
    """Prompts padded on the right, and what their decoder is given."""
    generator = torch.Generator().manual_seed(2)
    ids = torch.randint(2, 80, (len(lengths), max(lengths)), generator=generator)
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    decoder = torch.randint(2, 80, (len(lengths), places), generator=generator)
    return {"input_ids": ids, "attention_mask": mask.long(), "decoder_input_ids": decoder}


def test_the_logits_are_those_of_transformers() -> None:
    for kind, places, lengths in product(
        ["sdpa", "eager"], [1, 3, 30], [(40,), (40, 40), (50, 21, 3), (5, 2)]
    ):
        plain = gated()
        plain.set_attn_implementation(kind)
        quick = loading.speed_up_model(deepcopy(plain))
        given = rows(lengths, places)
        with torch.inference_mode():
            assert quick(**given).logits.numpy() == pytest.approx(
                plain(**given).logits.numpy(), **CLOSE
            )


def test_a_t5_is_quickened_where_it_is_loaded(t5: Path) -> None:
    model = loading.load(str(t5))._model  # type: ignore[attr-defined]
    assert model.encoder.config._attn_implementation == NAME
    assert type(model.encoder.block[0].layer[-1].DenseReluDense.act) is torch.nn.ReLU, (
        "it has no GELU to replace"
    )
    assert not hasattr(loaded(t5)[0].decoder.block[0].layer[1].EncDecAttention.forward, "func")
    assert model.decoder.block[0].layer[1].EncDecAttention.forward.func.__name__ == "_few_looks"


def test_of_a_halved_t5_the_sums_are_whole() -> None:
    """Nearer to fp32 than bf16 throughout, which moves p most in the decoder and in the sums
    between layers.
    """
    plain, given = gated(), rows((60, 45), 2)
    quick = loading.convert_weights(loading.speed_up_model(deepcopy(plain)), "bf16")
    half = deepcopy(plain).to(torch.bfloat16)
    with torch.inference_mode():
        exact = plain(**given).logits.log_softmax(-1)
        mixed, all_half = (model(**given).logits.float().log_softmax(-1) for model in (quick, half))
    assert {part.dtype for part in quick.encoder.block.parameters()} == {torch.bfloat16}
    assert (mixed - exact).abs().mean() < (all_half - exact).abs().mean() / 2
    assert is_t5(quick)


def test_head_by_head_is_torch_s_own_attention() -> None:
    """source: torch.nn.functional.scaled_dot_product_attention."""
    for dtype, of_key in product([torch.float32, torch.bfloat16], [1, 2]):
        generator = torch.Generator().manual_seed(3)
        query = torch.randn((2, 4, 40, 8), generator=generator).to(dtype)
        key, value = (
            torch.randn((2, 4 // of_key, 70, 8), generator=generator).to(dtype) for _ in range(2)
        )
        mask = torch.where(
            torch.rand((2, 1, 40, 70), generator=generator) < 0.5, 0.0, torch.finfo(dtype).min
        ).to(dtype)
        found, _ = compute_attention(torch.nn.Module(), query, key, value, mask)
        expected = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, mask, enable_gqa=True
        ).transpose(1, 2)
        near = {"abs": 1e-5} if dtype == torch.float32 else {"abs": 3e-2}
        assert found.float().numpy() == pytest.approx(expected.float().numpy(), **near)


# ---- The choice of a precision: made once on a machine, said, and made again where it is of no
# use


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The models that were asked for the comparisons of the check."""
    asked, questions = [], precision_choice.questions
    monkeypatch.setattr(
        precision_choice, "questions", lambda model: asked.append(model) or questions(model)
    )
    return asked


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, in which choices of models of any size are kept; bf16 is fast here."""
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(loading, "WORTH_KEEPING", 0)
    monkeypatch.setattr(loading, "fast_bf16", lambda device: True)
    return tmp_path / "models"


@pytest.mark.parametrize("moves", [0.0, 1.0], ids=["fp32", "bf16"])
def test_it_is_chosen_once_and_taken_again(
    cache: Path, checks, model: Path, monkeypatch: pytest.MonkeyPatch, moves
) -> None:
    monkeypatch.setattr(loading, "MOVES", moves)
    said: list[str] = []
    first = loading.load(str(model), said.append)
    assert checks
    assert any("precision" in line for line in said)
    said.clear()
    checks.clear()
    second = loading.load(str(model), said.append)
    assert not checks
    assert not any("precision" in line for line in said)
    assert second.hardware == first.hardware
    questions = precision_choice.questions(first)
    assert second.log_probabilities(questions) == first.log_probabilities(questions)
    assert not list(cache.glob("*.part")), "it is written whole"


def test_what_is_no_choice_is_ignored_and_replaced(cache: Path, llama: Path) -> None:
    for content in [b"", b"{", b"[]", b"\xff\xfe", b'{"precision": "int4", "share": true}', b'{"precision": 3}',
     b'{"precision": "bf16", "share": "no"}', b'{"precision": "bf16", "share": true, "batch_tokens": "many"}']:  # fmt: skip
        loading.load(str(llama))
        [file] = cache.glob("precision-*.json")
        right = json.loads(file.read_text())
        file.write_bytes(content)
        assert read_choice(file) is None
        loading.load(str(llama))
        assert json.loads(file.read_text()) == right
    # A cache that cannot be written stops nobody.
    shutil.rmtree(cache)
    cache.write_text("a file where the folder would be")
    loading.load(str(llama))
    keep_choice(cache / "precision.json", PrecisionChoice("fp32", True))
    assert read_choice(cache / "precision.json") is None


def with_settings(folder: Path, target: Path, **changed: Any) -> Path:
    """A copy of a model with other settings."""
    shutil.copytree(folder, target)
    settings = json.loads((target / "config.json").read_text()) | changed
    (target / "config.json").write_text(json.dumps(settings))
    return target


def test_other_weights_and_another_wish_are_other_choices(
    cache: Path, llama: Path, tmp_path: Path
) -> None:
    other = with_settings(llama, tmp_path / "other", rms_norm_eps=1e-3)
    for count, folder in enumerate([llama, other, llama], start=1):
        loading.load(str(folder))
        assert len(list(cache.glob("precision-*.json"))) == min(count, 2)
    assert loading.load(str(llama), dtype="fp32").hardware.dtype == "float32"
    assert len(list(cache.glob("precision-*.json"))) == 3


def test_in_bf16_a_model_is_what_transformers_loads_in_bf16(chat_llama: Path) -> None:
    """Rotary frequencies stay exact: rounded, places far from the beginning are other places.
    source: transformers' own `from_pretrained(dtype=bfloat16)`.
    """
    theirs = AutoModelForCausalLM.from_pretrained(chat_llama, dtype=torch.bfloat16).eval()
    ours = deepcopy(loaded(chat_llama)[0])  # others load the same one
    ours = loading.convert_weights(ours, "bf16")
    assert ours.dtype == torch.bfloat16
    ids = torch.arange(100)[None] % theirs.config.vocab_size
    with torch.inference_mode():
        assert torch.equal(ours(ids).logits, theirs(ids).logits)


# ---- Weights for a GPU: what is chosen, and, with a CPU in the card's place, what is loaded


def test_the_precision_is_the_published_one() -> None:
    for published, parameters, has_bf16, chosen in [
        ("bf16", 7e9, True, "bf16"),
        ("fp16", 7e9, True, "fp16"),
        ("fp32", 7e9, True, "bf16"),
        ("fp32", 1e8, True, "fp32"),
        ("fp16", 1e8, False, "fp16"),
        ("bf16", 1e8, False, "fp32"),  # fp16 would overflow
        ("fp32", 7e9, False, "fp16"),
    ]:
        how = (published, int(parameters))
        assert precision_choice.choose_gpu_precision(*how, has_bf16=has_bf16) == chosen


def publish(folder: Path, target: Path, dtype: torch.dtype) -> Path:
    """A copy of a model with its weights in another precision."""
    shutil.copytree(folder, target)
    config = AutoConfig.from_pretrained(folder)
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    kind.from_pretrained(folder, dtype=dtype).save_pretrained(target)
    return target


def test_the_published_precision_is_read_from_the_configuration_else_from_the_weights(
    llama: Path, tmp_path: Path
) -> None:
    for dtype, precision in ((torch.bfloat16, "bf16"), (torch.float16, "fp16")):
        folder = publish(llama, tmp_path / precision, dtype)
        config = AutoConfig.from_pretrained(folder)
        assert precision_choice.find_published_precision(str(folder), config) == precision
        config.dtype = None
        assert precision_choice.find_published_precision(str(folder), config) == precision
    (folder / "model.safetensors").rename(folder / "part-1.safetensors")
    shards = {"weight_map": {"lm_head.weight": "part-1.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(shards))
    assert precision_choice.find_published_precision(str(folder), config) == "fp16"


def test_several_gpus_where_one_cannot_hold_the_weights() -> None:
    for size, gpus, chosen in ((14, 2, {"": 0}), (140, 2, "auto"), (140, 1, {"": 0})):
        assert precision_choice.choose_device_map(size, free=80, gpus=gpus) == chosen


@pytest.fixture
def card(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A card that is this CPU; what weights were loaded with."""
    asked: list[dict[str, Any]] = []
    for kind in (AutoModelForCausalLM, AutoModelForSeq2SeqLM):
        load = kind.from_pretrained

        def record(name: str, load: Any = load, **given: Any) -> Any:
            asked.append(given)
            return load(name, **given | {"device_map": "cpu"})

        monkeypatch.setattr(kind, "from_pretrained", record)
    monkeypatch.setattr(loading, "choose_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 34, 1 << 34))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "a card")
    monkeypatch.setattr(precision_choice, "BATCHES", (256, 512))
    return asked


def test_weights_go_straight_to_the_card_as_they_are_published(
    card: list[dict[str, Any]], model: Path, tmp_path: Path
) -> None:
    assert loading.load(str(model)).hardware.dtype == "float32", "the file is fp32 and small"
    half = publish(model, tmp_path / "half", torch.bfloat16)
    card.clear()
    said: list[str] = []
    first = loading.load(str(half), said.append)
    assert first.hardware.dtype == "bfloat16"
    assert any("Timing" in line for line in said)
    said.clear()
    second = loading.load(str(half), said.append)
    assert not any("Timing" in line for line in said), "it is kept"
    for given in card:
        assert (given["dtype"], given["device_map"]) == (torch.bfloat16, {"": 0})
    assert len(card) == 2, "no copy in another precision on the way"
    assert first._budget._most == second._budget._most in precision_choice.BATCHES  # type: ignore[attr-defined]
    assert loading.load(str(half), dtype="fp32").hardware.dtype == "float32"


def test_a_card_that_is_full_has_smaller_batches(
    card: list[dict[str, Any]], llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [whole, _] = loaded(llama)
    forward = whole.base_model.forward

    def full(input_ids: Any, **given: Any) -> Any:
        if input_ids.numel() > 256:
            raise torch.OutOfMemoryError
        return forward(input_ids=input_ids, **given)

    monkeypatch.setattr(whole.base_model, "forward", full)
    assert precision_choice.measure_batch_tokens(whole) == 256


def test_quantised_weights_are_read_as_they_are(
    card: list[dict[str, Any]], llama: Path, tmp_path: Path
) -> None:
    how = {"quant_method": "fp8"}
    folder = str(with_settings(llama, tmp_path / "quantised", quantization_config=how))
    with pytest.raises(TandemError, match=r"\bquantised\b.*\bdtype\b"):
        loading.load(folder, dtype="fp16")
    loading.load(folder)
    assert [given["dtype"] for given in card] == ["auto"]
