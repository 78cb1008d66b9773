"""The rules for named entities, on sentences labelled by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import scripts
from core.entities import Rules, make_extractor, normalised

SENTENCES = json.loads((Path(__file__).parent / "golden" / "entities.json").read_text(encoding="utf-8"))["sentences"]


def of_rules(text: str) -> list[str]:
    return Rules().entities([text])[0]


def quality() -> tuple[float, float, float]:
    """Precision, recall and F1 of the rules over the labelled sentences, an entity counted once a sentence."""
    found = [set(map(normalised, of_rules(one["text"]))) for one in SENTENCES]
    labelled = [set(map(normalised, one["entities"])) for one in SENTENCES]
    right = sum(len(a & b) for a, b in zip(found, labelled, strict=True))
    precision, recall = right / sum(map(len, found)), right / sum(map(len, labelled))
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_the_labelled_sentences() -> None:
    assert len(SENTENCES) == 50
    assert min(quality()) > 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Department of Housing and Urban Development met.", ["Department of Housing and Urban Development"]),
        ("Kate and Tim met Ann Lee's mother in New York on Friday.", ["Kate", "Tim", "Ann Lee", "New York"]),
        ("Dr. Smith and John F. Kennedy left.", ["Smith", "John F Kennedy"]),
        ("People left. Nobody came. However, I stayed.", []),
        ("An iPhone for the FDA.", ["iPhone", "FDA"]),
        ("University of the Arts", ["University of the Arts"]),
        ("Bread costs more, and bread is scarce.", []),
        ("Москва встретила Анну.", ["Москва", "Анну"]),
        ("市议会周二投票。 قرر المجلس", []),
        ("🙂 \ud800 \u200b", []),
        ("", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert of_rules(text) == expected


def test_spellings_of_one_entity() -> None:
    assert len({normalised(text) for text in ("The U.S.", "us", "U.S.", "Ｕｓ")}) == 1
    assert normalised("Ann Lee's") == normalised("ann  lee")


def test_rules_by_name() -> None:
    assert make_extractor("rules").signature == "rules:1"


def test_the_spacy_model_that_is_installed() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    extractor = make_extractor()
    assert "Ann Lee" in extractor.entities(["Ann Lee met Bob Ray in Paris on Friday."])[0]


@pytest.mark.parametrize(
    ("text", "other", "unspaced", "words"),
    [
        ("Müller's café, naïve", False, False, ["müller", "s", "café", "naïve"]),
        ("Мир 2", True, False, ["мир", "2"]),
        ("नमस्ते दुनिया", True, False, ["नमस्ते", "दुनिया"]),
        ("老桥 AB", False, False, ["老", "桥", "ab"]),
        ("關閉老桥。", True, True, ["關", "閉", "老", "桥"]),
        ("สวัสดี", True, True, None),
        ("한국어 문장", True, False, ["한국어", "문장"]),
        ("🙂", False, False, []),
        ("", False, False, []),
    ],
)
def test_scripts(text: str, other: bool, unspaced: bool, words: list[str] | None) -> None:
    assert (scripts.is_other(text), scripts.is_unspaced(text)) == (other, unspaced)
    if words is not None:
        assert scripts.words(text) == words
