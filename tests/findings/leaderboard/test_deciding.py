"""The votes without which another system leads, of a store and of files; reliabilities of a leaderboard."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import (
    RankSettings,
    headline,
    leaderboard,
    rank_by_attribute,
    rank_votes,
)
from core.importing import Repeats
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.findings.tables import load


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """x beats y on 21 of 40 items: without three of these votes y leads."""
    lines = ["item,left,right,winner,judge"]
    lines += [f"i{i},x,y,{'a' if i < 21 else 'b'},Ada" for i in range(40)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def voted(store: Store, votes: Path) -> Store:
    return load(store, votes.read_text())


def test_the_votes_are_listed(voted: Store) -> None:
    """21 to 19: without 2 the leader has 19 of 38, which is level, so it takes 3."""
    found = leaderboard(voted, Selection("d"), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"] == {"votes": 3, "of": 40, "leader": "x", "instead": "y"}
    rows = found.tables["deciding"]
    assert rows["better"].tolist() == ["x"] * 3
    assert rows["judge"].tolist() == ["Ada"] * 3
    frame = voted.judgement_frames.load_all("d").set_index("judgement")
    assert frame.loc[rows["judgement"], "outcome"].tolist() == ["a"] * 3
    assert found.document()["deciding"][0]["system_a"] == "x"
    assert re.search(r"\b3 human votes\b[^.]*\bof 40, y\b", headline.headline(found))
    elo = leaderboard(voted, Selection("d"), RankSettings(method="elo", bootstrap=0))
    assert elo.facts["deciding_votes"] is None
    assert elo.tables["deciding"].empty
    assert "would lead" not in headline.headline(elo)


def test_counted_votes_have_no_judge_and_a_number(votes: Path) -> None:
    found = rank_votes([votes], Selection(""), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"]["votes"] == 3
    assert found.tables["deciding"]["votes"].sum() == 3
    assert found.tables["deciding"]["judge"].isna().all()


Ballot = tuple[str, str, str, str]
"""item, first, second, and who won."""
SWAPPED = RankSettings("win-ratio", debias="swap", bootstrap=0)


def find_leader(ballots: list[Ballot]) -> str:
    """Who wins most pairs that were answered in both orders, by hand; '' where nobody does alone.
    A pair is won where the mean over the two orders, each a mean of its answers, is above 1/2.
    """
    points: dict[str, list[float]] = {name: [] for name in "xyz"}
    for item, one, other in {(item, *sorted((a, b))) for item, a, b, _ in ballots}:
        orders = [
            [won == one for i, a, b, won in ballots if (i, a, b) == (item, *shown)]
            for shown in ((one, other), (other, one))
        ]
        if all(orders):
            mean = np.mean([np.mean(order) for order in orders])
            points[one].append(np.sign(mean - 0.5) / 2 + 0.5)
            points[other].append(0.5 - np.sign(mean - 0.5) / 2)
    share = {name: round(float(np.mean(of)), 9) for name, of in points.items() if of}
    best = [name for name in share if share[name] == max(share.values())]
    return best[0] if len(best) == 1 else ""


def find_least(ballots: list[Ballot], most: int) -> int | None:
    """The fewest votes without which another leads, by trying all sets of up to so many."""
    leader = find_leader(ballots)
    for number in range(1, most + 1):
        for gone in combinations(range(len(ballots)), number):
            left = [ballot for place, ballot in enumerate(ballots) if place not in gone]
            if find_leader(left) not in ("", leader):
                return number
    return None


def cast_ballots(seed: int) -> list[Ballot]:
    """Six items: two pairs of three systems each, in both orders, and now and then once more."""
    rng = np.random.default_rng(seed)
    ballots: list[Ballot] = []
    for item in range(6):
        for a, b in ("xy", "xz" if item % 2 else "yz"):
            won = rng.choice([a, b], p=[0.6, 0.4])
            ballots += [(f"i{item}", a, b, won), (f"i{item}", b, a, won)]
            if rng.random() < 0.3:
                ballots.append((f"i{item}", a, b, won))
    return ballots


def test_votes_on_pairs_in_both_orders_are_counted_as_votes(store: Store) -> None:
    for seed in range(8):
        ballots, dataset = cast_ballots(seed), f"d{seed}"
        lines = [f"{i},{a},{b},{'a' if won == a else 'b'},Ada" for i, a, b, won in ballots]
        load(store, ["item,left,right,winner,judge", *lines], dataset, repeats=Repeats.ALL)
        found = leaderboard(store, Selection(dataset), SWAPPED)
        fact, rows = found.facts["deciding_votes"], found.tables["deciding"]
        leader, least = find_leader(ballots), find_least(ballots, 3)
        if fact is None:
            assert leader == "" or least is None
            continue
        assert (fact["leader"], fact["votes"], fact["of"]) == (leader, len(rows), len(ballots))
        assert fact["votes"] == least if least else fact["votes"] > 3
        frame = store.judgement_frames.load_all(dataset)
        left = frame[~frame["judgement"].isin(set(rows["judgement"]))]
        winners = left["system_a"].where(left["outcome"] == "a", left["system_b"])
        columns = zip(left["item"], left["system_a"], left["system_b"], winners, strict=True)
        assert find_leader(list(columns)) == fact["instead"], "without them another leads"


PROBABLE = "item,left,right,winner,prob_a,judge,kind,order_known"


@pytest.mark.parametrize("method", ["win-ratio", "average-probability", "bradley-terry"])
def test_without_them_another_leads_by_the_threshold_of_the_others(
    store: Store, method: str
) -> None:
    """The answers that are left, ranked as a data set of their own."""
    rng = np.random.default_rng(4)
    answers = [
        f"i{i},{a},{b},{'ab'[p < 0.5]},{p:.3f},gpt-{rng.integers(2)},llm,1"
        for i in range(12)
        for a, b in ("xy", "zx", "yz")
        for p in [rng.uniform(0.2, 1.0)]
    ]
    settings = RankSettings(method, debias="threshold", bootstrap=0)

    def rank(dataset: str, lines: list[str]) -> Any:
        load(store, [PROBABLE, *lines], dataset)
        return leaderboard(store, Selection(dataset, judges=("llm",)), settings)

    found = rank("d", answers)
    fact, gone = found.facts["deciding_votes"], found.tables["deciding"]
    assert fact["leader"] == found.rows["system"].iloc[0]
    assert (fact["votes"], fact["of"]) == (len(gone), len(answers))
    taken = set(zip(gone["item"], gone["system_a"], gone["system_b"], strict=True))
    left = [line for line in answers if tuple(line.split(",")[:3]) not in taken]
    assert len(left) == len(answers) - fact["votes"]
    assert rank("left", left).rows["system"].iloc[0] == fact["instead"]


def test_a_threshold_that_leaves_ties_out_has_none(store: Store) -> None:
    load(store, [PROBABLE, *(f"i{i},x,y,a,0.{i + 2},gpt,llm,1" for i in range(7))])
    settings = RankSettings("win-ratio", debias="threshold", ties="drop", bootstrap=0)
    found = leaderboard(store, Selection("d", judges=("llm",)), settings)
    assert found.facts["deciding_votes"] is None


RIGOUR = Path("tests/statistics/sangwin2021_rigour.csv")
"""24 students judge 13 proofs; see the file beside it."""


@pytest.fixture
def judged(store: Store, tmp_path: Path) -> Store:
    named = pd.read_csv(RIGOUR).rename(columns={"won": "winner", "lost": "loser"})
    for side in ("winner", "loser"):
        named[side] = "proof " + named[side].astype(str)
    named.to_csv(tmp_path / "rigour.csv", index=False)
    return load(store, named)


def find_note(found: Finding) -> str:
    [note] = [note for note in found.notes if "reliability" in note]
    return note


def test_a_published_study_has_its_published_reliabilities(judged: Store) -> None:
    """.948 and, of halves of the 24 students, a median of .906 (sd of a split .044)."""
    found = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert found.facts["separation_reliability"] == pytest.approx(0.948, abs=0.015)
    halves = found.facts["split_half"]
    assert (halves["of"], halves["parts"]) == ("judge", 24)
    assert halves["reliability"] == pytest.approx(0.906, abs=0.02)
    note = find_note(found)
    assert f"{halves['reliability']:.2f}" in note
    assert "earlier answers" in note
    again = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert again.facts["split_half"] == halves, "by the seed"


def test_report_and_notebook_say_it(judged: Store) -> None:
    found = leaderboard(judged, Selection("d"), RankSettings())
    report = compile_report(judged, ReportScope(Selection("d")))
    [board] = [one for one in report.sections if one.title.startswith("Leaderboard by")]
    assert find_note(found) in board.foot
    assert "Split-half" in found._repr_html_()


def test_of_files_and_of_each_attribute(judged: Store, tmp_path: Path) -> None:
    """Counts keep no judges, and each of these votes is an item by itself."""
    counted = rank_votes([tmp_path / "rigour.csv"], Selection(""), RankSettings("bradley-terry"))
    assert counted.facts["separation_reliability"] == pytest.approx(0.948, abs=0.015)
    assert counted.facts["split_half"] is None
    whole = rank_by_attribute(judged, Selection("d"), RankSettings())
    assert "reliability" in find_note(whole)
    # Where it is not known, without intervals and in an order, nothing is said.
    for settings in (RankSettings(bootstrap=0), RankSettings("elo")):
        found = leaderboard(judged, Selection("d"), settings)
        assert found.facts["split_half"] is None
        assert not any("Split-half" in note for note in found.notes)


def test_two_systems_have_no_halves_and_few_say_little(voted: Store) -> None:
    found = leaderboard(voted, Selection("d"), RankSettings())
    assert found.facts["split_half"] is None
    assert "says little" in find_note(found)
