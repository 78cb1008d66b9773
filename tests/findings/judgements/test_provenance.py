"""Answers of a judge in two runs and two trials, counted by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from tests.sentence_facts import find_sentences
from tests.study import DATASET, campaign_asking, compare, fill, judge

RANDOM = "baseline:random"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """3 items of 3 systems. Run 1 asks all 18 ordered pairs; run 2 all of them at trial 1; run 3, of
    `longer`, one order of each pair. Ada votes once.
    """
    with Store(tmp_path_factory.mktemp("asked") / "s.sqlite3") as store:
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


def test_what_counts(asked: Store) -> None:
    rules, ada = {RANDOM: 36, "baseline:longer": 9}, {"Ada": 1}
    cases: list[tuple[dict[str, Any], dict[str, int]]] = [
        ({}, rules | ada),
        ({"runs": (1,)}, {RANDOM: 18} | ada),
        ({"runs": (1, 3)}, rules | {RANDOM: 18} | ada),
        ({"trials": (1,)}, {RANDOM: 18}),
        ({"trials": (0,)}, rules | {RANDOM: 18} | ada),
        ({"strategies": ("no-repeat",)}, {"baseline:longer": 9} | ada),
        ({"strategies": ("full",), "trials": (1,)}, {RANDOM: 18}),
        ({"strategies": ("full",), "runs": (1,)}, {RANDOM: 18} | ada),
    ]
    for chosen, count in cases:
        selection = Selection(DATASET, judges=ALL, **chosen)
        frame, _ = select_judgements(asked, selection)
        assert frame["judge"].value_counts().to_dict() == count, chosen
        rows = export.join_portions(export.judgements(asked, selection))
        assert rows["judge"].value_counts().to_dict() == count, chosen
        assert "judgement" not in rows
    for said, chosen in {
        "run 9: data set 'tiny' has no such run; there are 1, 2, 3": {"runs": (9,)},
        "strategy ring: data set 'tiny' has no such run; there are full, no-repeat": {
            "strategies": ("ring",)
        },
        "none of the runs 1 has strategy no-repeat": {"runs": (1,), "strategies": ("no-repeat",)},
    }.items():
        with pytest.raises(TandemError) as error:
            select_judgements(asked, Selection(DATASET, judges=ALL, **chosen))
        assert str(error.value) == said


def test_what_a_run_found_answered_is_an_answer_of_that_run_too(store: Store) -> None:
    """A second run of the same judge asks nothing new: no-repeat, 9 of the 18 pairs."""
    fill(store)
    judge_ = make(RANDOM)
    execute(store, enqueue(store, judge_.spec, Request(DATASET)), by=judge_)
    run = enqueue(store, judge_.spec, Request(DATASET, strategy="no-repeat"))
    assert execute(store, run, by=judge_).answered == 0
    frame, _ = select_judgements(store, Selection(DATASET, judges=(RANDOM,), runs=(run,)))
    assert (len(frame), set(frame["run"])) == (9, {1})


def test_without_judges_those_of_the_runs_are_meant(asked: Store) -> None:
    result = leaderboard(asked, Selection(DATASET, runs=(3,)), RankSettings("win-ratio"))
    assert result.judgements == 9
    assert result.rows["system"].tolist() == ["gamma", "beta", "alpha"], "the longer text wins"
    assert "|runs:3|" in result.signature
    assert "human" not in result.signature


def test_a_run_that_marks_is_ranked_by_its_marks_without_naming_its_judge(store: Store) -> None:
    """By hand: the reference is what beta wrote. Of its numbers alpha has 2 of 3 words against 6,
    F 4/9, and gamma 4 of 9, F 8/15.
    """
    store.datasets.add(Dataset(DATASET))
    written = [Item(f"i{i}", references=(f"beta-{i}-0 beta-{i}-0",)) for i in range(3)]
    store.datasets.add_items(DATASET, written)
    fill(store)
    assert main(["--store", str(store.path), "judge", "--judge", "baseline:rouge1"]) == 0
    [run] = store.runs.load_asking(DATASET)["run"]
    result = leaderboard(store, Selection(DATASET, runs=(run,)), RankSettings("win-ratio"))
    assert result.judgements == 9
    ratings = result.rows.set_index("system")["rating"].to_dict()
    assert list(ratings.items()) == [("beta", 1.0), ("gamma", 0.5), ("alpha", 0.0)]


def test_what_is_pooled_is_said(asked: Store) -> None:
    both = (
        r"\b2 runs of baseline:random\b.*: 1, 2\.$",
        r"\b2 trials of baseline:random\b.*: 0, 1\.$",
    )
    everybody = Selection(DATASET, judges=ALL)
    for result in (
        leaderboard(asked, everybody, RankSettings("win-ratio")),
        agreement.agreement(asked, everybody),
        bias(asked, everybody),
        accuracy.accuracy(asked, everybody, AccuracySettings("human")),
    ):
        assert all(find_sentences(result.notes, pooled) for pooled in both)
    for chosen in ({"runs": (1,)}, {"trials": (0,)}, {"strategies": ("no-repeat",)}):
        frame, _ = select_judgements(asked, Selection(DATASET, judges=ALL, **chosen))
        assert pooling_notes(frame) == []


def test_on_the_command_line(
    asked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        "rank --method win-ratio --judges baseline",
        "agreement",
        "bias",
        "accuracy --against human",
        f"export --what judgements --to {tmp_path}/rows.csv",
    ):
        words = ["--store", str(asked.path), *command.split()]
        assert main([*words, "--run", "1", "--trial", "0", "--json"]) == 0
        capsys.readouterr()
        assert main([*words, "--run", "77"]) == 2
        assert re.search(r"--run 77: .*'tiny'.*\b1, 2, 3\b", capsys.readouterr().err)
    texts = ["export", "--what", "generations", "--to", str(tmp_path / "x.csv"), "--run", "1"]
    assert main(["--store", str(asked.path), *texts]) == 2
    assert re.search(r"--run 1\b.*\bnot to generations\b", capsys.readouterr().err)
    assert not (tmp_path / "x.csv").exists()


def test_a_ranking_of_sorts_names_its_run_and_how_it_sorted(store: Store) -> None:
    fill(store)
    nearest = make("baseline:embedding")
    for request in (
        Request(DATASET, strategy="pairs-greedy"),
        Request(DATASET, strategy="pairs-beam", beam_size=3),
    ):
        execute(store, enqueue(store, nearest.spec, request), by=nearest)
    signed = []
    for runs in ((1,), (2,), ()):
        selection = Selection(DATASET, judges=("baseline:embedding",), runs=runs)
        signed.append(leaderboard(store, selection, RankSettings("pairs")).signature)
    assert ("|run:1|" in signed[0], "beam" in signed[0]) == (True, False)
    assert "|run:2|beam:3|" in signed[1]
    assert "|run:2|beam:3|" in signed[2], "the newest run of each item"
