"""The choice of a precision: made once on a machine, said, and made again where it is of no use."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path

import pytest
import torch

from core.models.local import loading, precision_choice
from core.models.local.precision_choice import PrecisionChoice, keep_choice, read_choice
from tests.judging.judges.test_local_classifier import loaded


class Checks:
    """How often models were asked for the comparisons of the check."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, questions = 0, precision_choice.questions

        def counted(model):
            self.count += 1
            return questions(model)

        monkeypatch.setattr(precision_choice, "questions", counted)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, in which choices of models of any size are kept; bf16 is fast here."""
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(loading, "WORTH_KEEPING", 0)
    monkeypatch.setattr(loading, "fast_bf16", lambda device: True)
    return tmp_path / "models"


@pytest.mark.parametrize("moves", [0.0, 1.0], ids=["fp32", "bf16"])
def test_it_is_chosen_once_and_taken_again(
    cache: Path, model: Path, monkeypatch: pytest.MonkeyPatch, moves
) -> None:
    monkeypatch.setattr(loading, "MOVES", moves)
    said, checks = [], Checks(monkeypatch)
    first = loading.load(str(model), said.append)
    assert checks.count
    assert any("precision" in line for line in said)
    said.clear()
    checks.count = 0
    second = loading.load(str(model), said.append)
    assert checks.count == 0
    assert not any("precision" in line for line in said)
    assert second.hardware == first.hardware
    questions = precision_choice.questions(first)
    assert second.log_probabilities(questions) == first.log_probabilities(questions)
    assert not list(cache.glob("*.part")), "it is written whole"


def test_what_is_no_choice_is_ignored_and_replaced(
    cache: Path, llama: Path, subtests: pytest.Subtests
) -> None:
    for content in [b"", b"{", b"[]", b"\xff\xfe", b'{"precision": "int4", "share": true}', b'{"precision": 3}',
     b'{"precision": "bf16", "share": "no"}', b'{"precision": "bf16", "share": true, "batch_tokens": "many"}']:  # fmt: skip
        with subtests.test(content=content):
            loading.load(str(llama))
            [file] = cache.glob("precision-*.json")
            right = json.loads(file.read_text())
            file.write_bytes(content)
            assert read_choice(file) is None
            loading.load(str(llama))
            assert json.loads(file.read_text()) == right


def test_other_weights_and_another_wish_are_other_choices(
    cache: Path, llama: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(llama, other)
    settings = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(settings | {"rms_norm_eps": 1e-3}))
    for count, folder in enumerate([llama, other, llama], start=1):
        loading.load(str(folder))
        assert len(list(cache.glob("precision-*.json"))) == min(count, 2)
    assert loading.load(str(llama), dtype="fp32").hardware.dtype == "float32"
    assert len(list(cache.glob("precision-*.json"))) == 3


def test_a_cache_that_cannot_be_written_stops_nobody(cache: Path, llama: Path) -> None:
    cache.write_text("a file where the folder would be")
    loading.load(str(llama))
    keep_choice(cache / "precision.json", PrecisionChoice("fp32", True))
    assert read_choice(cache / "precision.json") is None


def test_in_bf16_a_model_is_what_transformers_loads_in_bf16(chat_llama: Path) -> None:
    """Rotary frequencies stay exact: rounded, places far from the beginning are other places.
    source: transformers' own `from_pretrained(dtype=bfloat16)`.
    """
    from transformers import AutoModelForCausalLM

    theirs = AutoModelForCausalLM.from_pretrained(chat_llama, dtype=torch.bfloat16).eval()
    ours = loading.convert_weights(
        deepcopy(loaded(chat_llama)[0]), "bf16"
    )  # others load the same one
    assert ours.dtype == torch.bfloat16
    ids = torch.arange(100)[None] % theirs.config.vocab_size
    with torch.inference_mode():
        assert torch.equal(ours(ids).logits, theirs(ids).logits)
