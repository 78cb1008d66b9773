"""What is said before a store goes back to a backup."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from core.reporting.sentences import restoration, restoration_table
from core.store.backup_preview import HELD, RestorationPreview
from tests.golden_text import approve
from tests.sentence_facts import list_figures

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
    when, go, again = restoration(said)
    assert re.match(r"store-1\.sqlite3 .*\b2026-11-22 .*\b08:15 UTC\.$", when)
    assert (list_figures(go), list_figures(again)) == ([1200, 18], [2])
    [row] = restoration_table(said).to_dict("records")
    assert list(row.values()) == ["news", 1200, 18, 2, "9 → 6", "0 → 1"]


def test_the_sentences() -> None:
    """Before it and after it: of votes and answers, of one and several, of none and of damage."""
    cases = [
        preview(votes=1200, answers=18, votes_back=2), preview(votes=1, answers=1, answers_back=2),
        preview(votes=1200, votes_back=2), preview(answers_back=1), preview(), preview("file is not a database"),
    ]  # fmt: skip
    said = [" ".join(restoration(case, done=done)) for case in cases for done in (False, True)]
    approve("restoration", "\n".join(said))


def test_what_is_said_of_no_change_of_damage_and_once_it_is_done() -> None:
    said = restoration(preview(votes=1200, votes_back=2), done=True)
    assert [list_figures(one) for one in said[1:]] == [[1200], [2]]
    assert not [one for one in said if "would" in one]
    for done, went in ((False, r"would go"), (True, "went")):
        [nothing] = restoration(preview(), done=done)[1:]
        assert re.match(rf"No answer\b.*\b{went}\.$", nothing)
        damaged = restoration(preview("file is not a database"), done=done)
        assert ("not be read" if done else "(file is not a database)") in damaged[1]
        assert re.search(r"\blinks\b.*\brevoked" + (" now" if done else r"\b"), damaged[2])
    assert restoration_table(preview()).empty
