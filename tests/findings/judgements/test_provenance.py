"""Answers of a judge in two runs and two trials, counted by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.exporting import export
from core.findings import accuracy, agreement
from core.findings.accuracy import AccuracySettings
from core.findings.bias import bias
from core.findings.judgements import Selection, pooling_notes, select_judgements
from core.findings.leaderboard import RankSettings, leaderboard
from core.judging.registry import make
from core.pairing.planning import Request, enqueue
from core.records import Answer, Dataset, Item, Outcome, TandemError
from core.runs.execution import execute
from core.store import Store
from tests.study import DATASET, campaign_asking, compare, fill, judge

RANDOM = "baseline:random"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """3 items of 3 systems. Run 1 asks all 18 ordered pairs; run 2 all of them at trial 1; run 3, of
    `longer`, one order of each pair. Ada votes once.
    """
    with Store(tmp_path / "s.sqlite3") as store:
        fill(store)
        for spec, request in (
            (RANDOM, Request(DATASET)),
            (RANDOM, Request(DATASET, trial=1)),
            ("baseline:longer", Request(DATASET, strategy="no-repeat")),
        ):
            judge_ = make(spec)
            execute(store, enqueue(store, judge_.spec, request), by=judge_)
        campaign = campaign_asking(store)
        vote = compare(store, "i0", "alpha", "beta")
        store.judgements.add_vote(campaign, vote, judge(store), Answer(Outcome.A))
        yield store


ALL = ("human", "llm", "baseline")


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ({}, {RANDOM: 36, "baseline:longer": 9, "Ada": 1}),
        ({"runs": (1,)}, {RANDOM: 18, "Ada": 1}),
        ({"runs": (1, 3)}, {RANDOM: 18, "baseline:longer": 9, "Ada": 1}),
        ({"trials": (1,)}, {RANDOM: 18}),
        ({"trials": (0,)}, {RANDOM: 18, "baseline:longer": 9, "Ada": 1}),
        ({"strategies": ("no-repeat",)}, {"baseline:longer": 9, "Ada": 1}),
        ({"strategies": ("full",), "trials": (1,)}, {RANDOM: 18}),
        ({"strategies": ("full",), "runs": (1,)}, {RANDOM: 18, "Ada": 1}),
    ],
)
def test_what_counts(store: Store, chosen: dict[str, Any], count: dict[str, int]) -> None:
    frame, _ = select_judgements(store, Selection(DATASET, judges=ALL, **chosen))
    assert frame["judge"].value_counts().to_dict() == count
    rows = export.join_portions(export.judgements(store, Selection(DATASET, judges=ALL, **chosen)))
    assert rows["judge"].value_counts().to_dict() == count
    assert "judgement" not in rows


def test_what_a_run_found_answered_is_an_answer_of_that_run_too(store: Store) -> None:
    """A fourth run of the same judge asks nothing new: no-repeat, 9 of the 18 pairs."""
    again = make(RANDOM)
    run = enqueue(store, again.spec, Request(DATASET, strategy="no-repeat"))
    assert execute(store, run, by=again).answered == 0
    frame, _ = select_judgements(store, Selection(DATASET, judges=(RANDOM,), runs=(run,)))
    assert (len(frame), set(frame["run"])) == (9, {1})


def test_without_judges_those_of_the_runs_are_meant(store: Store) -> None:
    result = leaderboard(store, Selection(DATASET, runs=(3,)), RankSettings("win-ratio"))
    assert result.judgements == 9
    assert result.rows["system"].tolist() == ["gamma", "beta", "alpha"], "the longer text wins"
    assert "|runs:3|" in result.signature
    assert "human" not in result.signature


def test_a_run_that_marks_is_ranked_by_its_marks_without_naming_its_judge(tmp_path: Path) -> None:
    """By hand: the reference is what beta wrote. Of its numbers alpha has 2 of 3 words against 6,
    F 4/9, and gamma 4 of 9, F 8/15.
    """
    with Store(tmp_path / "marked.sqlite3") as store:
        store.datasets.add(Dataset(DATASET))
        written = [Item(f"i{i}", references=(f"beta-{i}-0 beta-{i}-0",)) for i in range(3)]
        store.datasets.add_items(DATASET, written)
        fill(store)
        assert main(["--store", str(store.path), "judge", "--judge", "baseline:rouge1"]) == 0
        [run] = store.runs.load_asking(DATASET)["run"]
        result = leaderboard(store, Selection(DATASET, runs=(run,)), RankSettings("win-ratio"))
        assert result.judgements == 9
        assert result.rows["system"].tolist() == ["beta", "gamma", "alpha"]
        assert result.rows["rating"].tolist() == [1.0, 0.5, 0.0]


def test_texts_are_exported_whatever_has_campaign_asking_them(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "--what", "generations", "--to", str(tmp_path / "x.csv"), "--run", "1"]
    assert main(["--store", str(store.path), *words]) == 2
    said = "--run 1 belongs to answers and scores, not to generations: leave it out"
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()


def test_what_is_pooled_is_said(store: Store) -> None:
    both = (
        "Answers of 2 runs of baseline:random are pooled: 1, 2.",
        "Answers of 2 trials of baseline:random are pooled: 0, 1.",
    )
    everybody = Selection(DATASET, judges=ALL)
    for result in (
        leaderboard(store, everybody, RankSettings("win-ratio")),
        agreement.agreement(store, everybody),
        bias(store, everybody),
        accuracy.accuracy(store, everybody, AccuracySettings("human")),
    ):
        assert set(both) <= set(result.notes)
    for chosen in ({"runs": (1,)}, {"trials": (0,)}, {"strategies": ("no-repeat",)}):
        frame, _ = select_judgements(store, Selection(DATASET, judges=ALL, **chosen))
        assert pooling_notes(frame) == []


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"runs": (9,)}, "run 9: data set 'tiny' has no such run; there are 1, 2, 3"),
        (
            {"strategies": ("ring",)},
            "strategy ring: data set 'tiny' has no such run; there are full, no-repeat",
        ),
        ({"runs": (1,), "strategies": ("no-repeat",)}, "none of the runs 1 has strategy no-repeat"),
    ],
)
def test_what_is_not_there_is_said(store: Store, chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(TandemError) as error:
        select_judgements(store, Selection(DATASET, judges=ALL, **chosen))
    assert str(error.value) == said


@pytest.mark.parametrize(
    "command",
    [
        "rank --method win-ratio --judges baseline",
        "agreement",
        "bias",
        "accuracy --against human",
        "export --what judgements --to {}/rows.csv",
    ],
)
def test_on_the_command_line(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    path = str(store.path)
    words = command.format(tmp_path).split()
    assert main(["--store", path, *words, "--run", "1", "--trial", "0", "--json"]) == 0
    capsys.readouterr()
    assert main(["--store", path, *words, "--run", "77"]) == 2
    assert re.search(r"--run 77: .*'tiny'.*\b1, 2, 3\b", capsys.readouterr().err)


def test_a_ranking_of_sorts_names_its_run_and_how_it_sorted(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite3") as store:
        fill(store)
        longer = make("baseline:embedding")
        for request in (
            Request(DATASET, strategy="pairs-greedy"),
            Request(DATASET, strategy="pairs-beam", beam_size=3),
        ):
            execute(store, enqueue(store, longer.spec, request), by=longer)
        judges = ("baseline:embedding",)
        signed = {
            run: leaderboard(
                store, Selection(DATASET, judges=judges, runs=run), RankSettings("pairs")
            ).signature
            for run in ((1,), (2,), ())
        }
    assert "|run:1|" in signed[1,]
    assert "beam" not in signed[1,]
    assert "|run:2|beam:3|" in signed[2,]
    assert "|run:2|beam:3|" in signed[()], "the newest run of each item"
