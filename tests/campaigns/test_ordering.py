"""Which pairs people are asked about first, by hand."""

import re
from pathlib import Path
from typing import Any

import pytest

from core import campaigns
from core.__main__ import main
from core.campaigns import ordering
from core.pairing import open_default
from core.pairing.item_draws import BySeparability
from core.records import Answer, Outcome, TandemError
from core.similarity import make_metric
from core.store import ChosenGenerations, Store
from tests.study import DATASET, ask, fill, ids, measure

TEXTS = {
    # item -> the texts of x and of y: i0 of the same words in both, i1 half alike, i2 plainly apart
    "i0": (["one two", "one two"], ["two one", "two one"]),
    "i1": (["one two", "one two"], ["one six", "one six"]),
    "i2": (["one two", "one two"], ["ten six", "ten six"]),
}


PAIRS = "SELECT id, priority, probability FROM campaign_pairs ORDER BY id"
CHANCES = "SELECT probability FROM campaign_pairs ORDER BY generation_1"


@pytest.fixture
def study(store: Store) -> Store:
    fill(store, systems=["x", "y"], samples=2)
    rows = ids(store)
    for item, sides in TEXTS.items():
        for system, texts in zip("xy", sides, strict=True):
            for sample, text in enumerate(texts):
                where = (text, rows[item, system, sample])
                store.connection.execute("UPDATE generations SET text = ? WHERE id = ?", where)
    open_default(store, DATASET)
    return store


def put_first(store: Store, draw: str, **how: Any) -> tuple[int, int]:
    """Order the campaign of all pairs by separability: pairs that come first, and those without."""
    campaign = store.campaigns.default(DATASET)
    by = BySeparability(draw, **how)
    return ordering.first_by_separability(store, campaign, by, metric="rouge1")


def asked(store: Store, n: int = 3) -> list[str]:
    """The items one person is shown, in order."""
    items = []
    campaigns.enrol(store, "Ada")
    for _ in range(n):
        shown = ask(store, "Ada")
        items.append(shown.item)
        campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
    return items


def test_the_most_separable_first_and_random_again(study: Store, tmp_path: Path) -> None:
    campaign, before = study.campaigns.default(DATASET), study.connection.rows(PAIRS)
    with pytest.raises(TandemError, match=r"\brouge1\b.*'tiny'"):
        put_first(study, "order")
    measure(study, ChosenGenerations(DATASET), make_metric("rouge1"))
    assert put_first(study, "order") == (3, 0)
    assert study.campaigns.ordering(campaign.id) == "order|rouge1"
    assert ordering.order_at_random(study, campaign) == 3
    assert study.connection.rows(PAIRS) == before
    put_first(study, "order")
    assert asked(study) == ["i2", "i1", "i0"]
    with Store(tmp_path / "empty.sqlite3") as empty:
        fill(empty, systems=["x"])
        with pytest.raises(TandemError, match=r"no pairs.*two systems"):
            ordering.order_at_random(empty, empty.campaigns.default(DATASET))


def test_what_is_drawn_comes_first_with_its_probability(study: Store) -> None:
    measure(study, ChosenGenerations(DATASET), make_metric("rouge1"))
    assert put_first(study, "range", low=0.9) == (1, 0)
    assert asked(study, 1) == ["i2"]
    put_first(study, "proportional", number=2)
    first = "SELECT probability FROM campaign_pairs WHERE priority < 2"
    drawn = [probability for (probability,) in study.connection.rows(first)]
    assert len(drawn) == 2
    assert all(0 < probability <= 1 for probability in drawn)
    # Of every pair the chance of being drawn: of i0, with nothing to tell apart, the least; they
    # sum to the number drawn.
    chances = [chance for (chance,) in study.connection.rows(CHANCES)]
    assert sum(chances) == pytest.approx(2)
    assert 0 < chances[0] < chances[1] < chances[2] <= 1
    put_first(study, "order", number=1)
    assert study.connection.rows(CHANCES) == [(0,), (0,), (1,)]


def test_the_command_says_what_another_order_forgets(
    study: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(study, systems=["x", "y", "later"])
    open_default(study, DATASET)
    measure(study, ChosenGenerations(DATASET, ("x", "y")), make_metric("rouge1"))
    words = ["--store", str(study.path), "campaign", "--dataset", DATASET]
    order = ["--pairs-by", "proportional", "--number", "2", "--separability", "rouge1"]
    assert main([*words, *order]) == 0
    said = capsys.readouterr()
    assert re.search(r"\b2 pairs by separability.*\b6 pairs have no separability", said.out)
    assert said.err == ""
    asked(study, 1)
    assert main(words) == 0
    assert re.search(r"\b1 vote .*'proportional\|rouge1'", capsys.readouterr().err)
