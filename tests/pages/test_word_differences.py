"""Which words two texts do not share."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pages.components.shared.texts import marked


@pytest.mark.parametrize(
    ("text_a", "text_b", "in_a", "in_b"),
    [
        ("the red fox ran", "the fox ran away", [" red"], [" away"]),
        ("It cost £3.2 million.", "It cost £3.4 million.", ["2"], ["4"]),
        ("same", "same", [], []),
        ("<b>bold</b>", "<i>bold</i>", ["b", "b"], ["i", "i"]),
        ("", "all of it", [], ["all of it"]),
    ],
)
def test_words_of_one_alone_are_marked(
    text_a: str, text_b: str, in_a: list[str], in_b: list[str]
) -> None:
    assert [re.findall("<mark>(.*?)</mark>", html) for html in marked(text_a, text_b)] == [
        in_a,
        in_b,
    ]


@given(some.text(), some.text())
def test_every_character_stays(text_a: str, text_b: str) -> None:
    for text, html in zip((text_a, text_b), marked(text_a, text_b), strict=True):
        assert re.sub("</?mark>", "", html) == escape(text)
