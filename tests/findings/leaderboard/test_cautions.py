"""What `rank` says first, whether ties decide the order, and Elo over the votes."""

from __future__ import annotations

import json
import re

import evalica
import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_over_time
from core.records import TandemError
from core.reporting import draw_finding
from core.statistics import elo_path
from core.store import Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences
from tests.statistics.votes import simulated

# ---- What `rank` says first: weak links, one-sided systems, changing systems, deciding ties


def pools(joined: int) -> list[tuple[str, str, str, int]]:
    """Two pools of three, each pair won and lost ten times, and a beats d as often as said."""
    even = [
        (*pair, winner, 5)
        for pool in ("abc", "def")
        for one, other in zip(pool, pool[1:] + pool[0], strict=True)
        for pair in ((one, other), (other, one))
        for winner in "ab"
    ]
    return [*even, ("a", "d", "a", joined)]


def first_notes(store: Store, method: str = "") -> list[str]:
    return leaderboard(store, Selection("d"), RankSettings(method)).notes[:2]


def is_among(notes: list[str], pattern: str) -> bool:
    return any(re.search(pattern, note) for note in notes)


@pytest.mark.parametrize("joined", [3, 30])
def test_pools_that_few_votes_join(store: Store, joined: int) -> None:
    """Three coins that fall alike tell nothing (p = .25); thirty do."""
    voted(store, pools(joined))
    result = leaderboard(store, Selection("d"), RankSettings())
    few = joined == 3
    assert is_among(result.notes[:2], r"\b3 comparisons\b.*\ba, b and c\b") is few
    assert (result.facts["separation_reliability"] is None) is few
    ranks = result.rows.set_index("system")
    assert bool(ranks.loc["a", "rank_high"] == 6) is few
    assert ("d" in ranks.loc["a", "tied_with"]) is few


def test_a_system_that_was_shown_first(store: Store) -> None:
    """Whoever stands first wins 70%: so does x, that always stood there."""
    both = [(*sides, winner, times) for sides in (("y", "z"), ("z", "y"))
            for winner, times in (("a", 7), ("b", 3))]  # fmt: skip
    always = [("x", other, winner, times) for other in "yz"
              for winner, times in (("a", 14), ("b", 6))]  # fmt: skip
    voted(store, [*both, *always])
    said = r"^x was shown first in 40 of 40\b"
    assert is_among(first_notes(store), said)
    term = RankSettings("bradley-terry", position_term=True)
    assert not is_among(leaderboard(store, Selection("d"), term).notes, said)


def test_systems_that_change_under_elo(store: Store) -> None:
    """x wins 90% of the first hundred votes, and y of the last hundred."""
    rng = np.random.default_rng(4)
    winners = [("ab" if n < 100 else "ba")[int(rng.random() > 0.9)] for n in range(200)]
    sides = [("x", "y") if n % 2 else ("y", "x") for n in range(200)]
    lines = [
        f"i{n},{a},{b},{'ab'[(winner == 'a') != (a == 'x')]},Ada"
        for n, ((a, b), winner) in enumerate(zip(sides, winners, strict=True))
    ]
    load(store, ["item,left,right,winner,judge", *lines])
    assert is_among(first_notes(store, "elo"), r"\bbetter or worse over the votes\b")
    assert not is_among(first_notes(store, "bradley-terry"), r"\bover the votes\b")


def test_ties_that_decide_places(store: Store) -> None:
    voted(store, LOPSIDED)
    assert is_among(first_notes(store), r"^If ties were left out, x\b")


# ---- Whether the order of systems hangs on how ties count: a study small enough to count by hand


def voted(store: Store, votes: list[tuple[str, str, str, int]]) -> None:
    """(first, second, winner, how many times), each on an item of its own."""
    rows = [(a, b, winner) for a, b, winner, times in votes for _ in range(times)]
    lines = [f"i{n},{a},{b},{winner},Ada" for n, (a, b, winner) in enumerate(rows)]
    load(store, ["item,left,right,winner,judge", *lines])


def on_ties(store: Store, method: str, ties: str) -> list[str]:
    settings = RankSettings(method, ties=ties, bootstrap=0)
    notes = leaderboard(store, Selection("d"), settings).notes
    return [note for note in notes if note.startswith("If ties")]


LOPSIDED = [("x", "z", "a", 2), ("x", "z", "tie", 8), ("y", "z", "a", 6), ("y", "z", "b", 3)]
"""x: 2 wins and 8 ties, 60% with ties as halves, 100% without. y: 6 of 9, 67% either way."""


def test_who_would_change_places(store: Store) -> None:
    # With these, x has 4 wins, 8 ties and a loss: 62%, or 80% without the ties.
    voted(store, [*LOPSIDED, ("x", "z", "b", 1), ("x", "z", "a", 2)])
    for method in ("win-ratio", "bradley-terry"):
        assert find_sentences(on_ties(store, method, "half"), r"\bleft out, x\b.*\babove y\b")
        assert find_sentences(on_ties(store, method, "drop"), r"\bhalf, y\b.*\babove x\b")


def test_several_pairs_are_counted(store: Store) -> None:
    """w as y: x passes both."""
    voted(store, [*LOPSIDED, ("w", "z", "a", 7), ("w", "z", "b", 3)])
    [note] = on_ties(store, "win-ratio", "half")
    assert re.search(r"\bleft out, 2 pairs\b.*\bw and x\b", note)


def test_nothing_is_said_where_the_order_stays(store: Store) -> None:
    """x beats y on all but ties; and without ties there is nothing to treat."""
    voted(store, [("x", "y", "a", 6), ("x", "y", "tie", 3), ("x", "y", "b", 1)])
    assert [on_ties(store, method, "half") for method in ("win-ratio", "elo", "bradley-terry")] == [
        [], [], [],
    ]  # fmt: skip


def test_a_system_that_never_lost_is_told_beside_the_warning(store: Store) -> None:
    voted(store, [("x", "y", "a", 5), ("y", "z", "a", 3), ("z", "y", "a", 2)])
    settings = RankSettings("bradley-terry", regularise=True, bootstrap=0)
    result = leaderboard(store, Selection("d"), settings)
    assert any(note.startswith("Some systems won or lost everything") for note in result.notes)
    assert any(note.startswith("Regularised strengths are as if") for note in result.notes)
    rows = result.rows.set_index("system")
    assert rows.loc["x", "regularised"] < rows.loc["x", "rating"], "drawn towards the mean"
    assert rows["regularised"].mean() == pytest.approx(1000)
    with pytest.raises(TandemError, match=r"^regularise\b.*\bbradley-terry\b.*\bnot to elo\b"):
        RankSettings("elo", regularise=True)


# ---- Elo over the votes: against playing them by hand, and against evalica


def test_three_votes_by_hand(store: Store) -> None:
    """x beats y: 2 points of K 4. Then z beats x, whose chance was 1 / (1 + 10^(-2/400)) = .50288:
    2.01151 points. Then y and z are tied.
    """
    voted(store, [("x", "y", "a", 1), ("z", "x", "a", 1), ("y", "z", "tie", 1)])
    result = rank_over_time(store, Selection("d"), RankSettings())
    rows = result.rows.pivot(index="votes", columns="system", values="rating")
    assert rows.loc[1, ["x", "y"]].tolist() == [1002, 998]
    assert np.isnan(rows.loc[1, "z"]), "no rating before the first vote"
    assert rows.loc[2, "z"] == pytest.approx(1002.01151, abs=1e-5)
    assert rows.loc[3].sum() == pytest.approx(3000)
    board = leaderboard(store, Selection("d"), RankSettings("elo", bootstrap=0)).rows
    end = board.set_index("system")["rating"].to_dict()
    assert rows.loc[3].to_dict() == pytest.approx(end), "it ends as the leaderboard does"
    assert result.signature.endswith("|over:votes")
    assert draw_finding(result).to_dict()["layer"]
    with pytest.raises(TandemError, match=r"^bradley-terry\b.*\bno order\b"):
        rank_over_time(store, Selection("d"), RankSettings("bradley-terry"))


def test_votes_of_several_days_have_their_dates(store: Store) -> None:
    """A vote every twelve hours; in a file without times all came when it was imported."""
    rows = ["system_a,system_b,winner,time"]
    rows += [
        f"x,y,{'ab'[n % 2]},2026-03-{1 + n // 2:02d}T{12 * (n % 2):02d}:00:00Z" for n in range(6)
    ]
    result = rank_over_time(load(store, rows, "dated"), Selection("dated"), RankSettings())
    dates = result.rows.drop_duplicates("votes")["at"]
    assert dates.str[5:13].tolist()[:3] == ["03-01T00", "03-01T12", "03-02T00"]
    axis = draw_finding(result).to_dict()["layer"][0]["encoding"]["x"]
    assert axis["field"] == "at"
    assert "date" in axis["title"]
    assert '"2026-03-01T12:00:00' in json.dumps(result.document())
    voted(store, [("x", "y", "a", 9)])
    undated = rank_over_time(store, Selection("d"), RankSettings())
    assert "at" not in undated.rows
    axis = draw_finding(undated).to_dict()["layer"][0]["encoding"]["x"]
    assert axis["field"] == "votes"
    assert "date" not in axis["title"]


def test_at_most_a_hundred_points(store: Store) -> None:
    voted(store, [("x", "y", "a", 150), ("x", "y", "b", 150)])
    votes = rank_over_time(store, Selection("d"), RankSettings("elo")).rows["votes"].unique()
    assert (len(votes), votes[0], votes[-1]) == (100, 1, 300)


def test_every_point_is_evalicas_elo_of_the_votes_so_far() -> None:
    rng = np.random.default_rng(0)
    first, second, outcome = simulated(rng, rng.normal(size=4), 60)
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    after = np.array([20, 41, 60])
    path = elo_path(first, second, outcome, n=4, after=after)
    for end, ratings in zip(after, path, strict=True):
        winners = [winner[points] for points in outcome[:end]]
        theirs = evalica.elo(
            first[:end].tolist(), second[:end].tolist(), winners, initial=1000, k=4
        ).scores.sort_index()
        assert_allclose(ratings, theirs, atol=1e-9)
