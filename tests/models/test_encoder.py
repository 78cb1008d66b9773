"""The sentence encoder."""

import numpy as np
import pytest

from core.models.encoder import Encoder
from tests.models import tiny

RNG = np.random.default_rng(3)
TEXTS = [tiny.text(RNG, tiny.GOOD, 1, 90) for _ in range(40)] + ["", "Ünïcode 河 🙂", "a\ud800b"]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


def test_it_is_the_model_as_sentence_transformers_runs_it(encoder):
    expected = encoder._model.encode(TEXTS[:41], normalize_embeddings=True)
    actual = encoder.encode(TEXTS[:41])
    assert actual.dtype == np.float32
    assert actual == pytest.approx(expected, abs=1e-5)
    assert np.linalg.norm(encoder.encode(TEXTS), axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_meaning_is_near(encoder):
    cat, kitten, law = encoder.encode(["A cat sleeps.", "The kitten is asleep.", "Parliament passed a tax law."])
    assert cat @ kitten > 0.6 > cat @ law


def test_company_changes_nothing(encoder):
    together = encoder.encode(TEXTS)
    alone = np.concatenate([Encoder.encode(encoder_of_one(encoder), [text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-6)


def encoder_of_one(encoder: Encoder) -> Encoder:
    """One that remembers nothing, with the weights of `encoder`."""
    fresh = Encoder(remembered=0)
    fresh.__dict__["_model"] = encoder._model
    return fresh


def test_a_long_text_is_read_to_its_end(encoder):
    start = "The council voted on the bridge. " * 100
    one, other = encoder.encode([start + "Whales sing. " * 60, start + "Stocks fell sharply. " * 60])
    assert one @ other < 0.999
    chunks, owners = encoder._chunks([start + "Whales sing. " * 60, "short"])
    assert max(map(len, chunks)) <= encoder._model.max_seq_length
    assert owners == [0] * (len(chunks) - 1) + [1]
    whales, whole = encoder.encode(["Whales sing. " * 60, start + "Whales sing. " * 60])
    assert whole @ whales > one @ encoder.encode(["Stocks fell sharply. " * 60])[0]


def test_each_text_is_encoded_once(monkeypatch, encoder):
    fresh = encoder_of_one(encoder)
    fresh._remembered = 3
    seen = []
    embed = fresh._embed
    monkeypatch.setattr(fresh, "_embed", lambda texts: seen.extend(texts) or embed(texts))
    first = fresh.encode(["one", "two", "one"])
    assert (first[0] == first[2]).all()
    again = fresh.encode(["two", "three", "four"])
    assert seen == ["one", "two", "three", "four"]
    assert (again[0] == first[1]).all()
    fresh.encode(["one"])
    assert seen[4:] == ["one"], "the oldest is forgotten"
    assert len(fresh._cache) == 3


def test_nothing_to_encode(encoder):
    assert encoder.encode([]).shape == (0, 384)
