"""The sentence encoder."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
import sentence_transformers
import torch

from core.models.local import encoder as encoding
from core.models.local import loading
from core.models.local.encoder import Encoder, bertscores
from core.similarity import Group, make_metric
from tests.models import tiny

RNG = np.random.default_rng(3)
TEXTS = [tiny.text(RNG, tiny.GOOD, 1, 90) for _ in range(40)] + ["", "Ünïcode 河 🙂", "a\ud800b"]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


def test_it_is_the_model_as_sentence_transformers_runs_it(encoder: Encoder) -> None:
    expected = encoder._model.encode(TEXTS[:41], normalize_embeddings=True)
    actual = encoder.encode(TEXTS[:41])
    assert actual.dtype == np.float32
    assert actual == pytest.approx(expected, abs=1e-5)
    lengths = np.linalg.norm(encoder.encode(TEXTS), axis=1)
    assert lengths == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert encoder.encode([]).shape == (0, 384)


def test_meaning_is_near_and_company_changes_nothing(encoder: Encoder) -> None:
    texts = ["A cat sleeps.", "The kitten is asleep.", "Parliament passed a tax law."]
    cat, kitten, law = encoder.encode(texts)
    assert cat @ kitten > 0.6 > cat @ law
    alone = np.concatenate([encoder_of_one(encoder).encode([text]) for text in TEXTS])
    assert encoder.encode(TEXTS) == pytest.approx(alone, abs=1e-6)


def encoder_of_one(encoder: Encoder) -> Encoder:
    """One that remembers nothing, with the weights of `encoder`."""
    fresh = Encoder(remembered=0)
    fresh.__dict__["_model"] = encoder._model
    return fresh


def test_a_long_text_is_read_to_its_end(encoder: Encoder) -> None:
    start = "The council voted on the bridge. " * 100
    one, other = encoder.encode(
        [start + "Whales sing. " * 60, start + "Stocks fell sharply. " * 60]
    )
    assert one @ other < 0.999
    chunks, owners = encoder._chunks([start + "Whales sing. " * 60, "short"])
    assert max(map(len, chunks)) <= encoder._model.max_seq_length
    assert owners == [0] * (len(chunks) - 1) + [1]
    whales, whole = encoder.encode(["Whales sing. " * 60, start + "Whales sing. " * 60])
    [stocks] = encoder.encode(["Stocks fell sharply. " * 60])
    assert whole @ whales > one @ stocks


def test_each_text_is_encoded_once(encoder: Encoder) -> None:
    fresh = encoder_of_one(encoder)
    fresh._remembered = 3 * 384 * 4
    first = fresh.encode(["one", "two", "one"])
    assert fresh.encoded == 2
    assert (first[0] == first[2]).all()
    again = fresh.encode(["two", "three", "four"])
    assert fresh.encoded == 4
    assert (again[0] == first[1]).all()
    fresh.encode(["two", "three", "four"])
    assert fresh.encoded == 4
    fresh.encode(["one"])
    assert fresh.encoded == 5, "the oldest is forgotten"
    assert len(fresh._cache) == 3
    fresh = encoder_of_one(encoder)
    fresh._remembered = 20_000
    fresh.tokens(TEXTS)
    assert sum(one.bytes for one in fresh._cache.values()) == fresh._held <= 20_000


def test_tokens_and_sentence_come_together(encoder: Encoder) -> None:
    text = "A cat sleeps. " * 100
    (one,) = encoder.tokens([text])
    assert (one.sentence == encoder.encode([text])[0]).all()
    assert np.linalg.norm(one.tokens, axis=1) == pytest.approx(np.ones(len(one.tokens)), abs=1e-5)
    (ids,) = encoder._model.tokenizer([text], add_special_tokens=False)["input_ids"]
    assert one.content.sum() == len(ids), (
        "every token counts, but for those that open and close a chunk"
    )


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny RoBERTa of four layers, as one would get from the hub by name."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("roberta") / "tiny-roberta"
    folder.mkdir()
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        TEXTS[:41], vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    )
    trained.save_model(str(folder))
    files = (str(folder / name) for name in ("vocab.json", "merges.txt"))
    RobertaTokenizerFast(*files, model_max_length=64).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=4, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=80,
    )  # fmt: skip
    RobertaModel(config).save_pretrained(folder)
    return str(folder)


def test_another_model_and_layer_as_bert_score_takes_it(
    roberta: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bert_score import BERTScorer
    from bert_score.utils import model2layers

    monkeypatch.setitem(model2layers, roberta, 2)
    texts = [text for text in TEXTS[:41] if len(text) < 150][:6]
    first, second = np.triu_indices(len(texts), 1)
    metric = make_metric("bertscore", encoder=roberta)
    assert metric.signatures["bertscore"].startswith("bertscore|encoder:tiny-roberta-")
    (found,) = metric.measure([Group(texts, first, second)])
    scorer = BERTScorer(model_type=roberta, num_layers=2)
    expected = scorer.score([texts[i] for i in first], [texts[j] for j in second])[2].numpy()
    assert found["bertscore"] == pytest.approx(expected, abs=1e-5)


def test_greedy_matching_by_hand() -> None:
    """Text one: e1, e2 and a mark; text two: e1 and a mark that is e2. P = (1 + 1) / 2, R = 1 / 1,
    whatever the mark's own.
    """
    e1, e2, mark = np.eye(3, dtype=np.float32)
    tokens = [np.stack(one) for one in ([e1, e2, mark], [e1, e2], [mark], [mark])]
    content = [np.array(one) for one in ([True, True, False], [True, False], [False], [False])]
    found = bertscores(list(map(torch.from_numpy, tokens)), content)
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] == found[1, 3] == 0, "nothing to match"
    assert found[2, 3] == 1
    assert bertscores([], []).shape == (0, 0)


def test_matching_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    drawn = [rng.normal(size=(n, 8)).astype(np.float32) for n in (5, 17, 9)]
    tokens = [torch.from_numpy(own / np.linalg.norm(own, axis=1, keepdims=True)) for own in drawn]
    content = [np.ones(len(own), dtype=bool) for own in tokens]
    whole = bertscores(tokens, content)
    monkeypatch.setattr(encoding, "BLOCK", 4)
    assert bertscores(tokens, content) == pytest.approx(whole, abs=1e-6)


def test_on_a_gpu_only_results_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that is this CPU: bf16, one large batch a width, and no states of tokens are fetched."""
    load, fetch = sentence_transformers.SentenceTransformer, torch.Tensor.cpu
    devices: list[str] = []
    fetched: list[int] = []

    def on_a_card(path: str, *, device: str, **given: Any) -> Any:
        devices.append(device)
        return load(path, device="cpu", **given)

    def record(tensor: torch.Tensor) -> torch.Tensor:
        fetched.append(tensor.numel())
        return fetch(tensor)

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", on_a_card)
    monkeypatch.setattr(torch.Tensor, "cpu", record)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(loading, "choose_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(loading, "fast_bf16", lambda device: True)
    metric: Any = make_metric("bertscore")
    assert metric.signatures["bertscore"].endswith("|layer:6|bf16")
    texts = [f"{number} {'word ' * (number % 3)}" for number in range(1500)]
    first, second = np.triu_indices(20, 1)
    groups = [Group(texts[start : start + 20], first, second) for start in range(0, 1500, 20)]
    metric.load()
    assert metric.breadth > 1
    batches: list[int] = []
    metric.encoder._model.register_forward_pre_hook(
        lambda module, given: batches.append(given[0]["input_ids"].numel())
    )
    measured = metric.measure(groups)
    assert (devices, metric.encoder.hardware.dtype) == (["cuda"], "bfloat16")
    assert batches == [16 * 1500], "by 4,096 tokens there were six"
    assert max(fetched) == 384 * len(texts), "sentences: the states are five times as many"
    exact = make_metric("bertscore", precision="fp32").measure(groups)
    apart = [a["bertscore"] - b["bertscore"] for a, b in zip(measured, exact, strict=True)]
    assert 0 < np.abs(apart).max() < 1e-2


def test_a_full_card_reads_fewer_tokens_at_once(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = encoder_of_one(encoder)
    read, sizes = fresh._forward, list[int]()

    def full(chunks: Any, **given: Any) -> Any:
        sizes.append(sum(map(len, chunks)))
        if sizes[-1] > 500:
            raise torch.OutOfMemoryError
        return read(chunks, **given)

    monkeypatch.setattr(fresh, "_forward", full)
    assert fresh.encode(TEXTS) == pytest.approx(encoder.encode(TEXTS), abs=1e-6)
    assert max(sizes) > 500 >= sizes[-1]
