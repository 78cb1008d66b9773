"""Pages show the data set there is, though one of that name was there before, with as many votes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.records import Answer, Outcome
from core.store import Store, dataset_decisions
from pages.components.people import scope
from pages.components.shared.counting import CountingTask
from pages.components.shared.frame import Study
from tests.pages import reports
from tests.pages.drawn import draw
from tests.pages.shown_tables import table
from tests.study import DATASET, campaign_asking, compare, fill, judge


def vote(store: Store, outcome: Outcome, dataset: str = DATASET) -> None:
    """Ada says the same of alpha and beta on each item, in every study as often."""
    who, campaign = judge(store), campaign_asking(store)
    for i in range(3):
        comparison = compare(store, f"i{i}", "alpha", "beta")
        assert store.judgements.add_vote(campaign, comparison, who, Answer(outcome))


@pytest.fixture
def path(study: Store) -> Path:
    vote(study, Outcome.A)
    return study.path


def replace(path: Path) -> None:
    """The same again, with the other winner."""
    with Store(path) as store:
        dataset_decisions.delete(store, "test", DATASET, path.with_name("before.sqlite3"))
        fill(store)
        vote(store, Outcome.B)


def stamps(path: Path) -> dict[str, str]:
    """What every cached figure is kept under, by what it is of."""
    with Store(path) as store:
        study = Study(store, DATASET, visit=None)  # type: ignore[arg-type]
        return {
            "judgements": study.judgements_stamp,
            "scores": study.scores_stamp,
            "draws": study.draws_stamp,
            "texts": study.texts_stamp,
            "people": scope.stamp(study),
        }


def test_every_stamp_differs_though_all_counts_are_equal(path: Path) -> None:
    before = stamps(path)
    assert stamps(path) == before
    replace(path)
    after = stamps(path)
    assert [name for name, stamp in after.items() if stamp == before[name]] == []
    with Store(path) as store:
        identity = store.datasets.identity(DATASET)
    assert all(stamp.startswith(identity) for stamp in after.values())


def ranked(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["--store", str(path), "rank", "--dataset", DATASET, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    return [row["system"] for row in rows]


def test_the_leaderboard_says_what_rank_says(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown() -> list[str]:
        return list(table(draw("leaderboard"), "Ratings")["system"])

    assert shown() == ranked(path, capsys) == ["alpha", "beta"]
    replace(path)
    assert shown() == ranked(path, capsys) == ["beta", "alpha"]


def test_what_was_counted_of_another_data_set_is_no_older_answer(path: Path) -> None:
    one, later, other = (
        CountingTask(reports.names, path, "x", stamp, of)
        for stamp, of in (("d1-1", "d1"), ("d1-2", "d1"), ("d2-1", "d2"))
    )
    assert one.key == later.key
    assert other.key != one.key
