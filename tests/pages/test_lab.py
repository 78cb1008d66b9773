"""The section Lab of the page Judge: judges on development items, and the test items once opened."""

from __future__ import annotations

from core.findings.judgements import Selection
from core.findings.lab import LabSettings, lab, list_openings, split_items
from core.store import Store
from tests.findings.lab.studies import JUDGES, answers, load
from tests.pages.drawn import draw, press, words
from tests.pages.sentences import read_figures
from tests.pages.shown_tables import table
from tests.study import DATASET, fill

OPEN = "Open the test items"


def test_from_development_to_test_items_and_back(store: Store) -> None:
    load(store, answers())
    rows = lab(store, Selection(DATASET), LabSettings()).rows
    app = draw("lab", dataset=DATASET)
    first = f"{rows['accuracy'].iloc[0]:.0%}"
    assert read_figures(words(app), "development items", "right in")[0] == first
    assert table(app, "Each judge")["judge"].tolist() == rows["judge"].tolist()
    press(app, "Save these items as a set")
    [saved] = store.item_sets.names(DATASET)
    sides = split_items(store, DATASET, store.item_sets.items(DATASET, saved))["side"]
    assert set(sides) == {"development"}
    shut = draw("lab", dataset=DATASET, open_test="true")
    assert not list(shut.dataframe)
    assert "test items" in words(press(shut, OPEN))
    assert [len(row["judges"]) for row in list_openings(store, DATASET)] == [4]
    again = draw("lab", dataset=DATASET, open_test="true").button
    assert OPEN not in [button.label for button in again]
    assert read_figures(words(draw("lab", dataset=DATASET)), "test items", "opened")[-1] == "1"


def test_without_votes_and_without_answers(store: Store) -> None:
    load(store, [one for one in answers(40) if one.judge in JUDGES], dataset="unvoted")
    fill(store, dataset="bare")
    app = draw("lab", dataset="unvoted")
    assert "fairest" in words(app)
    assert "accuracy" not in table(app, "Each judge")
    assert not draw("lab", dataset="bare").dataframe
