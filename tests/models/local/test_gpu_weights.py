"""Weights for a GPU: what is chosen, and, with a CPU in the card's place, what is loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core.models.local import gpu_weights, loading
from core.records import TandemError
from tests.judging.judges.test_local_classifier import loaded


@pytest.mark.parametrize(
    ("published", "parameters", "has_bf16", "chosen"),
    [
        ("bf16", 7e9, True, "bf16"),
        ("fp16", 7e9, True, "fp16"),
        ("fp32", 7e9, True, "bf16"),
        ("fp32", 1e8, True, "fp32"),
        ("fp16", 1e8, False, "fp16"),
        ("bf16", 1e8, False, "fp32"),  # fp16 would overflow
        ("fp32", 7e9, False, "fp16"),
    ],
)
def test_the_precision_is_the_published_one(
    published: str, parameters: float, has_bf16: bool, chosen: str
) -> None:
    found = gpu_weights.choose_gpu_precision(published, int(parameters), has_bf16=has_bf16)
    assert found == chosen


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
        assert gpu_weights.find_published_precision(str(folder), config) == precision
        config.dtype = None
        assert gpu_weights.find_published_precision(str(folder), config) == precision
    (folder / "model.safetensors").rename(folder / "part-1.safetensors")
    shards = {"weight_map": {"lm_head.weight": "part-1.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(shards))
    assert gpu_weights.find_published_precision(str(folder), config) == "fp16"


def test_several_gpus_where_one_cannot_hold_the_weights() -> None:
    assert gpu_weights.choose_device_map(14, free=80, gpus=2) == {"": 0}
    assert gpu_weights.choose_device_map(140, free=80, gpus=2) == "auto"
    assert gpu_weights.choose_device_map(140, free=80, gpus=1) == {"": 0}


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """A card that is this CPU; what weights were loaded with."""
    asked: list[dict[str, Any]] = []
    for kind in (AutoModelForCausalLM, AutoModelForSeq2SeqLM):
        load = kind.from_pretrained

        def record(name: str, load: Any = load, **given: Any) -> Any:
            asked.append(given)
            return load(name, **given | {"device_map": "cpu"})

        monkeypatch.setattr(kind, "from_pretrained", record)
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(loading, "_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(loading, "fast_bf16", lambda device: True)
    monkeypatch.setattr(loading, "WORTH_KEEPING", 0)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 34, 1 << 34))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "a card")
    monkeypatch.setattr(gpu_weights, "BATCHES", (256, 512))
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
    assert first._budget._most == second._budget._most in gpu_weights.BATCHES  # type: ignore[attr-defined]
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
    assert gpu_weights.measure_batch_tokens(whole) == 256


def test_quantised_weights_are_read_as_they_are(
    card: list[dict[str, Any]], llama: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "quantised"
    shutil.copytree(llama, folder)
    settings = json.loads((folder / "config.json").read_text())
    settings["quantization_config"] = {"quant_method": "fp8"}
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(TandemError, match=r"\bquantised\b.*\bdtype\b"):
        loading.load(str(folder), dtype="fp16")
    loading.load(str(folder))
    assert [given["dtype"] for given in card] == ["auto"]
