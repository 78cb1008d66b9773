"""Which pairs people are asked about first, by hand."""

import pytest

from core import campaigns
from core.__main__ import main
from core.campaigns import ordering
from core.pairing import open_default
from core.pairing.item_draws import BySeparability
from core.records import Answer, Outcome, TandemError
from core.similarity.metrics import make_metric
from core.store import ChosenGenerations
from tests.study import DATASET, ask, fill, measure

TEXTS = {
    # item -> the texts of x and of y: i0 of the same words in both, i1 half alike, i2 plainly apart
    "i0": (["one two", "one two"], ["two one", "two one"]),
    "i1": (["one two", "one two"], ["one six", "one six"]),
    "i2": (["one two", "one two"], ["ten six", "ten six"]),
}


@pytest.fixture
def study(store):
    fill(store, systems=["x", "y"], samples=2)
    for item, sides in TEXTS.items():
        for system, texts in zip("xy", sides, strict=True):
            for sample, text in enumerate(texts):
                store.connection.execute(
                    """UPDATE generations SET text = ? WHERE sample = ? AND item = (SELECT id FROM
                        items WHERE key = ?)
                    AND system = (SELECT id FROM systems WHERE name = ?)""",
                    (text, sample, item, system),
                )
    open_default(store, DATASET)
    return store


def everything(store):
    """The campaign of all pairs."""
    return store.campaigns.default(DATASET)


def asked(store, n=3):
    """The items one person is shown, in order."""
    items = []
    campaigns.enrol(store, "Ada")
    for _ in range(n):
        shown = ask(store, "Ada")
        items.append(shown.item)
        campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
    return items


def test_the_most_separable_first_and_random_again(study):
    before = study.connection.rows(
        "SELECT id, priority, probability FROM campaign_pairs ORDER BY id"
    )
    measure(study, ChosenGenerations(DATASET), make_metric("rouge1"))
    assert ordering.first_by_separability(
        study, everything(study), BySeparability("order"), metric="rouge1"
    ) == (3, 0)
    assert study.campaigns.ordering(everything(study).id) == "order|rouge1"
    assert ordering.order_at_random(study, everything(study)) == 3
    assert (
        study.connection.rows("SELECT id, priority, probability FROM campaign_pairs ORDER BY id")
        == before
    )
    ordering.first_by_separability(
        study, everything(study), BySeparability("order"), metric="rouge1"
    )
    assert asked(study) == ["i2", "i1", "i0"]


def test_what_is_drawn_comes_first_with_its_probability(study):
    measure(study, ChosenGenerations(DATASET), make_metric("rouge1"))
    how = BySeparability("range", low=0.9)
    assert ordering.first_by_separability(study, everything(study), how, metric="rouge1") == (1, 0)
    assert asked(study, 1) == ["i2"]
    how = BySeparability("proportional", number=2)
    ordering.first_by_separability(study, everything(study), how, metric="rouge1")
    drawn = study.connection.rows(
        "SELECT probability FROM campaign_pairs WHERE priority < 2 ORDER BY priority"
    )
    assert len(drawn) == 2
    assert all(0 < probability <= 1 for (probability,) in drawn)
    # Of every pair the chance of being drawn: of i0, with nothing to tell apart, the least; they
    # sum to the number drawn.
    chances = [
        p
        for (p,) in study.connection.rows(
            "SELECT probability FROM campaign_pairs ORDER BY generation_1"
        )
    ]
    assert sum(chances) == pytest.approx(2)
    assert 0 < chances[0] < chances[1] < chances[2] <= 1
    how = BySeparability("order", number=1)
    ordering.first_by_separability(study, everything(study), how, metric="rouge1")
    assert study.connection.rows(
        "SELECT probability FROM campaign_pairs ORDER BY generation_1"
    ) == [(0,), (0,), (1,)]


def test_the_command_says_what_another_order_forgets(study, capsys):
    fill(study, systems=["x", "y", "later"])
    open_default(study, DATASET)
    measure(study, ChosenGenerations(DATASET, ("x", "y")), make_metric("rouge1"))
    told = ["--store", str(study.path), "campaign", "--dataset", DATASET]
    assert (
        main([*told, "--pairs-by", "proportional", "--number", "2", "--separability", "rouge1"])
        == 0
    )
    said = capsys.readouterr()
    assert (
        "about 2 pairs by separability first, then about the others; 6 pairs have no separability"
        in said.out
    )
    assert said.err == ""
    asked(study, 1)
    assert main(told) == 0
    assert (
        "1 vote was given while pairs were asked in the order 'proportional|rouge1'"
        in capsys.readouterr().err
    )


def test_it_is_refused_in_a_sentence(study, tmp_path):
    with pytest.raises(TandemError, match="no rouge1 similarities of 'tiny' have been measured"):
        ordering.first_by_separability(
            study, everything(study), BySeparability("order"), metric="rouge1"
        )
    from core.store import Store

    with Store(tmp_path / "empty.sqlite3") as empty:
        fill(empty, systems=["x"])
        with pytest.raises(
            TandemError, match="has no pairs to ask about: import texts of at least two systems"
        ):
            ordering.order_at_random(empty, everything(empty))
