"""Elo over the votes: against playing them by hand, and against evalica."""

from __future__ import annotations

import json
from pathlib import Path

import evalica
import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_over_time
from core.importing import importer
from core.records import Dataset, TandemError
from core.reporting import draw_finding
from core.statistics import elo_path
from core.store import Store
from tests.findings.leaderboard.test_tie_treatments import voted
from tests.statistics.votes import simulated


def test_three_votes_by_hand(store: Store, tmp_path: Path) -> None:
    """x beats y: 2 points of K 4. Then z beats x, whose chance was 1 / (1 + 10^(-2/400)) = .50288:
    2.01151 points. Then y and z are tied.
    """
    voted(store, tmp_path, [("x", "y", "a", 1), ("z", "x", "a", 1), ("y", "z", "tie", 1)])
    result = rank_over_time(store, Selection("d"), RankSettings())
    rows = result.rows.pivot(index="votes", columns="system", values="rating")
    assert rows.loc[1, "x"] == 1002
    assert rows.loc[1, "y"] == 998
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


def test_votes_of_several_days_have_their_dates(store: Store, tmp_path: Path) -> None:
    """A vote every twelve hours; in a file without times all came when it was imported."""
    rows = ["system_a,system_b,winner,time"]
    rows += [
        f"x,y,{'ab'[n % 2]},2026-03-{1 + n // 2:02d}T{12 * (n % 2):02d}:00:00Z" for n in range(6)
    ]
    path = tmp_path / "dated.csv"
    path.write_text("\n".join(rows))
    importer.load(store, [path], Dataset("dated"))
    result = rank_over_time(store, Selection("dated"), RankSettings())
    dates = result.rows.drop_duplicates("votes")["at"]
    assert dates.str[5:13].tolist()[:3] == ["03-01T00", "03-01T12", "03-02T00"]
    axis = draw_finding(result).to_dict()["layer"][0]["encoding"]["x"]
    assert axis["field"] == "at"
    assert "date" in axis["title"]
    assert '"2026-03-01T12:00:00' in json.dumps(result.document())
    voted(store, tmp_path, [("x", "y", "a", 9)])
    undated = rank_over_time(store, Selection("d"), RankSettings())
    assert "at" not in undated.rows
    axis = draw_finding(undated).to_dict()["layer"][0]["encoding"]["x"]
    assert axis["field"] == "votes"
    assert "date" not in axis["title"]


def test_at_most_a_hundred_points(store: Store, tmp_path: Path) -> None:
    voted(store, tmp_path, [("x", "y", "a", 150), ("x", "y", "b", 150)])
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
