"""What is said before a store goes back to a backup."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from core.reporting.sentences import restoration, restoration_table
from core.store.backup_preview import HELD, RestorationPreview

ANSWERED = "2026-11-22T08:15:30.000+00:00"


def preview(damage: str = "", **changes: int) -> RestorationPreview:
    """Of one data set, of which only `changes` are not 0."""
    kinds = ("votes", "answers", "votes_back", "answers_back")
    empty = dict.fromkeys([*kinds, *HELD, *(f"{what}_then" for what in HELD)], 0)
    rows = pd.DataFrame([{"dataset": "news", **empty, **changes}] if changes else [])
    return RestorationPreview(Path("backups/store-1.sqlite3"), ANSWERED, 17, rows, damage)


def test_what_goes_and_what_counts_again() -> None:
    said = preview(votes=1200, answers=18, votes_back=2, texts=9, texts_then=6, item_sets_then=1, runs=3,
                   runs_then=3)  # fmt: skip
    assert restoration(said) == [
        "store-1.sqlite3 was last answered in on 2026-11-22 at 08:15 UTC.",
        "1,200 votes of people and 18 answers of judges given since would go.",
        "2 votes of people would count again.",
    ]
    assert restoration_table(said).to_dict("records") == [
        {
            "dataset": "news",
            "votes that go": 1200,
            "answers that go": 18,
            "votes that count again": 2,
            "texts": "9 → 6",
            "item sets": "0 → 1",
        }
    ]


def test_once_it_is_done_it_is_said_so() -> None:
    said = restoration(preview(votes=1200, votes_back=2), done=True)
    assert said[1:] == ["1,200 votes of people given since went.", "2 votes of people count again."]
    assert restoration(preview(), done=True)[1:] == ["No answer went."]
    damaged = restoration(preview("file is not a database"), done=True)
    assert "as it was could not be read" in damaged[1]
    assert damaged[2].startswith("All personal links are revoked now")


def test_where_nothing_changes() -> None:
    assert restoration(preview())[1:] == ["No answer would go."]
    assert restoration_table(preview()).empty


def test_of_a_damaged_store_nothing_is_told_but_that_links_end() -> None:
    said = restoration(preview("file is not a database"))
    assert "cannot be read (file is not a database)" in said[1]
    assert said[2].startswith("All personal links are revoked")
