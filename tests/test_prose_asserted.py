"""Tests assert facts. Wording belongs in a page's snapshot (tests/golden/pages)."""

from __future__ import annotations

from tests.prose_asserted import count_prose_assertions, list_prose_assertions

CEILING = 88
"""It only ever goes down: issue 36 wants 150."""


def test_the_assertions_of_wording_become_fewer() -> None:
    counts = count_prose_assertions()
    assert sum(counts.values()) <= CEILING, list(counts.items())[:10]


WORDINGS = [
    'assert "no such attribute" in text',
    'assert text == f"there are no {name} votes yet here"',
    'assert text == ["one", "Nobody has voted yet"]',
    'with pytest.raises(TandemError, match="no such attribute"): pass',
    'expect(page.get_by_text("Nobody has voted yet"))',
]


def test_an_assertion_of_wording_is_counted_once() -> None:
    for source in WORDINGS:
        assert list_prose_assertions(source) == [1]


FACTS = [
    'assert "coherence" in text',
    'assert text == "sample-news 24"',
    "assert count == 3",
    'assert len(rows) == 3, "a row is missing here"',
    'with pytest.raises(TandemError, match="coherance"): pass',
    'load("three words here")',
]


def test_an_assertion_of_a_fact_is_not_counted() -> None:
    for source in FACTS:
        assert list_prose_assertions(source) == []
