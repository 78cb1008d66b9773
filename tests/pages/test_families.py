"""Items that repeat each other: how many families there are, and the choice whether they count."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.records import Answer, Item, JudgeSpec, Kind, Outcome
from core.store import Store
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET, fill
from tests.votes import Vote, add_votes

ITEMS = 12


def name_families(store: Store) -> None:
    store.datasets.add_items(DATASET, [Item(f"i{n}", family=f"f{n // 3}") for n in range(ITEMS)])


def labels(app: AppTest) -> list[str]:
    return [choice.label for choice in app.selectbox]


def test_the_overview_counts_families(visit: Visit, store: Store) -> None:
    fill(store, items=ITEMS)
    assert "families" not in words(visit("app.py"))
    name_families(store)
    assert "12 items in 4 families" in words(visit("app.py"))


def test_the_choice_is_there_where_items_repeat(visit: Visit, store: Store) -> None:
    fill(store, items=ITEMS)
    store.judges.add([JudgeSpec("Ada", Kind.HUMAN)])
    add_votes(
        store, DATASET,
        [
            Vote(f"i{n}", "alpha", "beta", "Ada", Answer(Outcome.A if n % 3 else Outcome.B),
                 attribute="coherence")
            for n in range(ITEMS)
        ],
    )  # fmt: skip
    assert "Families" not in labels(visit("pages/bias.py"))
    name_families(store)
    app = visit("pages/bias.py")
    (choice,) = [one for one in app.selectbox if one.label == "Families"]
    choice.set_value("none").run()
    assert not app.exception
