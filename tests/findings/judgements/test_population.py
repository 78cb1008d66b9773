"""Which judgements a figure is of, and what is said while they are few."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm, t

from core import campaigns
from core.__main__ import main
from core.exporting import export
from core.findings import accuracy, agreement
from core.findings.accuracy import AccuracySettings
from core.findings.bias import bias
from core.findings.judgements import (
    COLLECTING,
    Selection,
    define_population,
    minimum,
    pooling_notes,
    select_judgements,
)
from core.findings.leaderboard import RankSettings, leaderboard
from core.judging.registry import make
from core.pairing import open_default
from core.pairing.planning import Request, enqueue
from core.records import Answer, Dataset, Item, Outcome, Status, TandemError
from core.runs.execution import execute
from core.store import Store
from tests.asking import LONGER
from tests.cli.asked import Call, document, refusal
from tests.findings.people.voting import say_all
from tests.golden_text import approve
from tests.sentence_facts import find_sentences, list_figures
from tests.study import DATASET, ask, campaign_asking, compare, fill, judge


def given(judges: int, items: int, *, together: bool) -> tuple[pd.Series, pd.Series]:
    """Items and judges of comparisons: every judge of every item, or each item of one judge."""
    rows = [
        (f"i{item}", f"j{judge}")
        for item in range(items)
        for judge in range(judges)
        if together or item % judges == judge
    ]
    item, judge = zip(*rows, strict=True)
    return pd.Series(item), pd.Series(judge)


def test_five_judges_of_the_same_items_are_drawn_anew() -> None:
    for judges, together, over, speaks in (
        (5, True, "both", "new judges"),
        (4, True, "items", "these four judges only"),
        (1, True, "items", "this judge only"),
        (12, False, "items", "these 12 judges only"),
    ):
        found = define_population("", *given(judges, 12, together=together))
        assert found.scope == over
        assert re.search(rf"\b{speaks}\b.*\bnew items\b", found.notes()[0])
    # Few judges and few items are said, and two judges say nothing of a third.
    for judges, rough in ((3, True), (4, True), (5, False)):
        notes = define_population("both", *given(judges, 12, together=True)).notes()[1:]
        assert len(notes) == rough
        assert len(find_sentences(notes, rf"\b{judges} judges\b.*\brough\b")) == rough
    [note] = define_population("items", *given(1, 9, together=True)).notes()[1:]
    assert re.search(r"\b9 items\b.*\brough\b", note)
    with pytest.raises(TandemError, match=r"\bthree judges\b.*\b2 judges\b"):
        define_population("both", *given(2, 12, together=True))
    found = define_population("judgements", *given(2, 12, together=True))
    assert (found.items, found.judges) == (None, None)


def wilson(share: float, number: float) -> float:
    """Half the width of Wilson's interval."""
    z = norm.ppf(0.975)
    spread = share * (1 - share) / number + z**2 / (4 * number**2)
    return float(z * np.sqrt(spread) / (1 + z**2 / number))


@pytest.mark.parametrize(("judges", "over"), [(3, "items"), (4, "items"), (6, "both")])
def test_the_default_interval_is_as_wide_as_by_a_plain_bootstrap(
    study: Store, judges: int, over: str
) -> None:
    """Judges who differ: drawn anew with numpy, items alone, or items and judges (the variances by
    items and by judges, less that by both; Satterthwaite's degrees of freedom).
    """
    rng = np.random.default_rng(5)
    chance = np.linspace(0.45, 0.85, judges)[:, None] + rng.normal(0, 0.1, 60)
    won = (rng.random((judges, 60)) < chance).astype(float)
    fill(study, items=60, systems=("alpha", "beta"))
    for place, of_judge in enumerate(np.where(won == 1, "a", "b").tolist()):
        say_all(study, f"p{place}", range(60), ("alpha", "beta"), of_judge.__getitem__)
    board = leaderboard(study, Selection(DATASET), RankSettings("win-ratio", bootstrap=1000))
    row = board.rows.set_index("system").loc["alpha"]
    assert (board.facts["over"], row["rating"]) == (over, pytest.approx(won.mean()))
    assert board.facts["annotators"] == (judges if over == "items" else None)

    def spread(values: np.ndarray) -> float:
        drawn = values[rng.integers(len(values), size=(20_000, len(values)))].mean(axis=1)
        return float(drawn.var() * len(values) / (len(values) - 1))

    of_items, of_judges = spread(won.mean(axis=0)), spread(won.mean(axis=1))
    of_both = spread(won.ravel())
    variance, freedom = of_items, 59.0
    if over == "both":
        variance = of_items + of_judges - of_both
        freedom = variance**2 / ((variance - of_judges) ** 2 / 59 + of_judges**2 / (judges - 1))
    few = (norm.ppf(0.975) / t.ppf(0.975, freedom)) ** 2
    number = won.mean() * (1 - won.mean()) / variance * few
    half = wilson(won.mean(), min(number, won.size))  # never surer than of independent answers
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.12)


# ---- While votes are coming in, leaderboards hold at every look, or say that they hold at one


PEOPLE, MODELS = (Selection(DATASET, judges=(kind,)) for kind in ("human", "baseline"))


def vote(store: Store, most: int = 1000) -> None:
    """Ada answers so many of the questions that are left for her."""
    while most and (shown := ask(store, "Ada")):
        first = shown.generation_a < shown.generation_b
        campaigns.answer(store, "Ada", shown, Answer(Outcome.A if first else Outcome.B))
        most -= 1


def is_cautious(store: Store, selection: Selection = PEOPLE) -> bool:
    """Whether ranks hold at every look; where they are to hold at one, a note says so."""
    chosen = leaderboard(store, selection, RankSettings()).facts["resolve"]
    once = leaderboard(store, selection, RankSettings(resolve="together"))
    assert (COLLECTING in once.notes) == (chosen == "always")
    return bool(chosen == "always")


def begin_voting(store: Store) -> None:
    """Half of the votes that an open campaign asks for."""
    fill(store, items=8)
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    vote(store, 12)


@pytest.fixture
def voted(store: Store) -> Store:
    begin_voting(store)
    return store


def test_a_leaderboard_of_a_campaign_that_can_go_on_holds_at_every_look(voted: Store) -> None:
    """Also of one that is paused: whoever pauses it to look, and opens it again, has looked. One
    that is closed or through needs no caution.
    """
    campaign = voted.campaigns.default(DATASET).id
    assert is_cautious(voted)
    always, once = (
        leaderboard(voted, PEOPLE, RankSettings(method="win-ratio", resolve=resolve))
        for resolve in ("", "together")
    )
    by_name = (board.rows.set_index("system").sort_index() for board in (always, once))
    wide, narrow = (rows["high"] - rows["low"] for rows in by_name)
    assert (wide > narrow).any()
    assert "resolve:always" in always.signature
    assert always.interval != once.interval
    voted.campaigns.set_status(campaign, "paused")
    assert is_cautious(voted)
    voted.campaigns.set_status(campaign, "open")
    before = voted.judgement_frames.stamp(DATASET)
    voted.campaigns.set_status(campaign, "closed")
    assert not is_cautious(voted)
    assert voted.judgement_frames.stamp(DATASET) != before, "what is cached is made anew"
    voted.campaigns.set_status(campaign, "open")
    vote(voted)
    assert not is_cautious(voted)


def test_a_run_at_work_is_about_its_own_judge(voted: Store) -> None:
    begun, _ = run(voted, LONGER.spec.name)
    assert not is_cautious(voted, MODELS)
    voted.runs.set_status(begun, Status.RUNNING)
    assert is_cautious(voted, MODELS)
    voted.campaigns.set_status(voted.campaigns.default(DATASET).id, "closed")
    assert not is_cautious(voted, PEOPLE)


# ---- Headlines name nobody below a stated minimum, and say how many it takes


def test_too_few_are_counted_with_the_number_needed() -> None:
    count, items = minimum.count_answers, minimum.count_items
    ranking = minimum.count_ranking_answers
    cases: list[tuple[list[minimum.Count], list[float]]] = [
        ([count(30)], []),
        ([count(2, "human vote")], [2, 30]),
        ([count(29, "vote"), items(10)], [29, 30]),
        ([count(1), items(1)], [1, 1, 30, 10]),
        ([ranking(53, 264)], [264, 265]),  # ten answers each of 53, as an answer is about two
        ([ranking(53, 265)], []),
        ([ranking(2, 29)], [29, 30]),
    ]
    for counts, figures in cases:
        said = minimum.describe_shortfall("a leader is named", *counts)
        assert list_figures(said) == figures
        assert minimum.is_enough(*counts) == (figures == [])
    several = ([count(2, "human vote")], [count(1), items(1)], [count(29), items(10)],
               [count(30), items(9)])  # fmt: skip
    told = [minimum.describe_shortfall("a leader is named", *counts) for counts in several]
    approve("shortfall", "\n".join(told))
    # Wilson's interval by scipy; orders of systems counted.

    def reach(answers: int) -> float:
        ends = binomtest(answers // 2, answers).proportion_ci(method="wilson")
        return float(ends.high - ends.low) / 2

    assert reach(minimum.ANSWERS) < 0.17 < reach(minimum.ANSWERS - 2)
    by_chance = [2 / math.factorial(systems) for systems in (minimum.SYSTEMS - 1, minimum.SYSTEMS)]
    assert by_chance[1] < 0.05 < by_chance[0]


# ---- Answers of a judge in two runs and two trials, counted by hand


RANDOM = "baseline:random"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """3 items of 3 systems. Run 1 asks all 18 ordered pairs; run 2 all of them at trial 1; run 3, of
    `longer`, one order of each pair. Ada votes once.
    """
    with Store(tmp_path_factory.mktemp("asked") / "s.sqlite3") as store:
        fill(store)
        run(store, RANDOM)
        run(store, RANDOM, trial=1)
        run(store, "baseline:longer", strategy="no-repeat")
        vote = compare(store, "i0", "alpha", "beta")
        store.judgements.add_vote(campaign_asking(store), vote, judge(store), Answer(Outcome.A))
        yield store


def run(store: Store, name: str, **request: Any) -> tuple[int, int]:
    """A run of a baseline, and how many answers it gave."""
    judge_ = make(name)
    begun = enqueue(store, judge_.spec, Request(DATASET, **request))
    return begun, execute(store, begun, by=judge_).answered


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
    for said, chosen in (
        ("run 9: .* there are 1, 2, 3$", {"runs": (9,)}),
        ("strategy ring: .* there are full, no-repeat$", {"strategies": ("ring",)}),
        ("runs 1 has .* no-repeat$", {"runs": (1,), "strategies": ("no-repeat",)}),
    ):
        with pytest.raises(TandemError, match=said):
            select_judgements(asked, Selection(DATASET, judges=ALL, **chosen))


def test_what_a_run_found_answered_is_an_answer_of_that_run_too(store: Store) -> None:
    """A second run of the same judge asks nothing new: no-repeat, 9 of the 18 pairs."""
    fill(store)
    run(store, RANDOM)
    second, answered = run(store, RANDOM, strategy="no-repeat")
    assert answered == 0
    frame, _ = select_judgements(store, Selection(DATASET, judges=(RANDOM,), runs=(second,)))
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
    both = [rf"\b2 {of} of baseline:random\b.*: {told}\.$"
            for of, told in (("runs", "1, 2"), ("trials", "0, 1"))]  # fmt: skip
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


def test_on_the_command_line(asked: Store, tmp_path: Path, call_on: Call) -> None:
    call = partial(call_on, asked.path)
    for command in (
        "rank --method win-ratio --judges baseline",
        "agreement",
        "bias",
        "accuracy --against human",
        f"export --what judgements --to {tmp_path}/rows.csv",
    ):
        document(call, f"{command} --run 1 --trial 0")
        said = refusal(call, f"{command} --run 77")
        assert re.search(r"--run 77: .*'tiny'.*\b1, 2, 3\b", said)
    said = refusal(call, f"export --what generations --to {tmp_path}/x.csv --run 1")
    assert re.search(r"--run 1\b.*\bnot to generations\b", said)
    assert not (tmp_path / "x.csv").exists()


def test_a_ranking_of_sorts_names_its_run_and_how_it_sorted(store: Store) -> None:
    fill(store)
    run(store, "baseline:embedding", strategy="pairs-greedy")
    run(store, "baseline:embedding", strategy="pairs-beam", beam_size=3)
    signed = []
    for runs in ((1,), (2,), ()):
        selection = Selection(DATASET, judges=("baseline:embedding",), runs=runs)
        signed.append(leaderboard(store, selection, RankSettings("pairs")).signature)
    assert ("|run:1|" in signed[0], "beam" in signed[0]) == (True, False)
    assert "|run:2|beam:3|" in signed[1]
    assert "|run:2|beam:3|" in signed[2], "the newest run of each item"
