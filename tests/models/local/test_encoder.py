"""The sentence encoder."""

from __future__ import annotations

import numpy as np
import pytest

from core.models.local.encoder import Encoder
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
    assert np.linalg.norm(encoder.encode(TEXTS), axis=1) == pytest.approx(
        np.ones(len(TEXTS)), abs=1e-5
    )


def test_meaning_is_near(encoder: Encoder) -> None:
    cat, kitten, law = encoder.encode(
        ["A cat sleeps.", "The kitten is asleep.", "Parliament passed a tax law."]
    )
    assert cat @ kitten > 0.6 > cat @ law


def test_company_changes_nothing(encoder: Encoder) -> None:
    together = encoder.encode(TEXTS)
    alone = np.concatenate([Encoder.encode(encoder_of_one(encoder), [text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-6)


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


def test_memory_is_bounded_by_bytes(encoder: Encoder) -> None:
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
    RobertaTokenizerFast(
        str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=64
    ).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=400,
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=80,
    )
    RobertaModel(config).save_pretrained(folder)
    return str(folder)


def test_another_model_and_layer_as_bert_score_takes_it(
    roberta: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bert_score import BERTScorer
    from bert_score.utils import model2layers

    from core.similarity import Group, make_metric

    monkeypatch.setitem(model2layers, roberta, 2)
    texts = [text for text in TEXTS[:41] if len(text) < 150][:6]
    first, second = np.triu_indices(len(texts), 1)
    metric = make_metric("bertscore", encoder=roberta)
    assert metric.signatures["bertscore"].startswith("bertscore|encoder:tiny-roberta-")
    (found,) = metric.measure([Group(texts, first, second)])
    scorer = BERTScorer(model_type=roberta, num_layers=2)
    expected = scorer.score([texts[i] for i in first], [texts[j] for j in second])[2].numpy()
    assert found["bertscore"] == pytest.approx(expected, abs=1e-5)


def test_nothing_to_encode(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, 384)
