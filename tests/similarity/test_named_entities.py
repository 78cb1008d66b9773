"""The rules for named entities, on sentences labelled by hand."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.records import TandemError
from core.similarity import Group, make_metric
from core.similarity import words as scripts
from core.similarity.named_entities import Rules, make_extractor, normalise_entity
from tests.paths import ROOT

SENTENCES = json.loads((ROOT / "tests" / "golden" / "entities.json").read_text(encoding="utf-8"))[
    "sentences"
]


def of_rules(text: str) -> list[str]:
    return Rules().entities([text])[0]


def quality() -> tuple[float, float, float]:
    """Precision, recall and F1 of the rules over the labelled sentences, an entity counted once a
    sentence.
    """
    found = [set(map(normalise_entity, of_rules(one["text"]))) for one in SENTENCES]
    labelled = [set(map(normalise_entity, one["entities"])) for one in SENTENCES]
    right = sum(len(a & b) for a, b in zip(found, labelled, strict=True))
    precision, recall = right / sum(map(len, found)), right / sum(map(len, labelled))
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_the_labelled_sentences() -> None:
    assert len(SENTENCES) == 50
    assert min(quality()) > 0.9


def test_names() -> None:
    for text, expected in [
        (
            "The Department of Housing and Urban Development met.",
            ["Department of Housing and Urban Development"],
        ),
        (
            "Kate and Tim met Ann Lee's mother in New York on Friday.",
            ["Kate", "Tim", "Ann Lee", "New York"],
        ),
        ("Dr. Smith and John F. Kennedy left.", ["Smith", "John F Kennedy"]),
        ("People left. Nobody came. However, I stayed.", []),
        ("An iPhone for the FDA.", ["iPhone", "FDA"]),
        ("University of the Arts", ["University of the Arts"]),
        ("Bread costs more, and bread is scarce.", []),
        ("Москва встретила Анну.", ["Москва", "Анну"]),
        ("市议会周二投票。 قرر المجلس", []),
        ("🙂 \ud800 \u200b", []),
        ("", []),
    ]:
        assert of_rules(text) == expected


def test_spellings_of_one_entity() -> None:
    assert len({normalise_entity(text) for text in ("The U.S.", "us", "U.S.", "Ｕｓ")}) == 1
    assert normalise_entity("Ann Lee's") == normalise_entity("ann  lee")


def test_rules_by_name() -> None:
    assert make_extractor("rules").signature == "rules:1"


@pytest.fixture
def spacy_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package of spaCy's, as `python -m spacy download` would install it, whose names are written
    in it.
    """
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    name = "xx_ent_wiki_sm"
    pipeline = spacy.blank("xx")
    names = {"Ann Lee": "PER", "the U.S.": "LOC", "Paris": "LOC", "Friday": "DATE", "Zoë 🙂": "PER"}
    pipeline.add_pipe("entity_ruler").add_patterns(
        [{"label": kind, "pattern": of} for of, kind in names.items()]
    )
    pipeline.meta |= {"name": "ent_wiki_sm", "version": "3.8.0"}
    (tmp_path / name).mkdir()
    pipeline.to_disk(tmp_path / name / f"{name}-3.8.0")
    (tmp_path / name / "meta.json").write_text(json.dumps(pipeline.meta))
    (tmp_path / name / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n\n\n"
        "def load(**overrides):\n    return load_model_from_init_py(__file__, **overrides)\n"
    )
    (tmp_path / f"{name}-3.8.0.dist-info").mkdir()
    (tmp_path / f"{name}-3.8.0.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.8.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def test_a_spacy_model_is_taken_where_it_is_installed(spacy_model: str) -> None:
    texts = ["Ann Lee left the U.S. on Friday.", "", "In Paris she met Zoë 🙂.", "a\ud800b"]
    extractor = make_extractor(spacy_model)
    assert extractor.signature == f"{spacy_model}:3.8.0"
    extractor.load()
    assert extractor.entities(texts) == [["Ann Lee", "the U.S."], [], ["Paris", "Zoë 🙂"], []]
    assert make_extractor().signature != "rules:1", "without a name the best model there is"
    metric = make_metric("entity", encoder=spacy_model)
    assert metric.signatures["entity"] == f"entity|{spacy_model}:3.8.0"
    texts = ["Ann Lee in Paris", "Ann Lee in the U.S.", "nobody"]
    (found,) = metric.measure([Group(texts, np.array([0, 0, 2]), np.array([1, 2, 2]))])
    assert found["entity"].tolist() == pytest.approx([1 / 3, 0, 1])


def test_a_package_that_is_no_spacy_model() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with pytest.raises(TandemError, match="spaCy model 'numpy': "):
        make_extractor("numpy").load()


def test_spacy_is_said_to_be_missing_where_it_is() -> None:
    if importlib.util.find_spec("spacy"):
        pytest.skip("spaCy is installed")
    with pytest.raises(TandemError, match=r"'en_core_web_sm'.*`pip install spacy`"):
        make_extractor("en_core_web_sm")


def test_scripts() -> None:
    for text, other, unspaced, words in [
        ("Müller's café, naïve", False, False, ["müller", "s", "café", "naïve"]),
        ("Мир 2", True, False, ["мир", "2"]),
        ("नमस्ते दुनिया", True, False, ["नमस्ते", "दुनिया"]),
        ("老桥 AB", False, False, ["老", "桥", "ab"]),
        ("關閉老桥。", True, True, ["關", "閉", "老", "桥"]),
        ("สวัสดี", True, True, None),
        ("한국어 문장", True, False, ["한국어", "문장"]),
        ("🙂", False, False, []),
        ("", False, False, []),
    ]:
        assert (scripts.is_other(text), scripts.is_unspaced(text)) == (other, unspaced)
        if words is not None:
            assert scripts.list_words(text) == words
