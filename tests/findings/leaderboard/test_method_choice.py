"""Which method the comparisons choose, and whether methods agree about who leads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, candidates, leaderboard
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.findings.leaderboard.test_tie_treatments import voted
from tests.paths import DATASETS
from tests.sentence_facts import find_sentences

HEAD_TO_HEAD = DATASETS / "summeval" / "chatgpt_h2h"
QUICK = RankSettings(bootstrap=0)


def test_win_ratio_where_all_met_each_other_equally_often(store: Store, tmp_path: Path) -> None:
    voted(store, tmp_path, [("x", "y", "a", 10), ("y", "z", "a", 10), ("z", "x", "a", 11)])
    result = leaderboard(store, Selection("d"), QUICK)
    assert result.signature.startswith("win-ratio|")
    assert (result.facts["method"], result.facts["suited"]) == ("win-ratio", "win-ratio")
    assert "equally often" in result.facts["because"]
    assert result.facts["unevenness"] == pytest.approx(11 / 21 - 1 / 2)
    assert not [note for note in result.notes if note.startswith("Systems met")]


def test_bradley_terry_where_systems_met_different_opponents(store: Store, tmp_path: Path) -> None:
    """x beats the weak w nine times of ten, and loses to y two times of three. By hand: win ratios
    10/13 of x, 2/3 of y; macro (9/10 + 1/3) / 2 = 0.62 of x, so y leads; strengths by 400 log10 of
    the odds of each link: w, w + 381.7, w + 502.1, with mean 1000.
    """
    votes = [("x", "w", "a", 9), ("x", "w", "b", 1), ("y", "x", "a", 2), ("y", "x", "b", 1)]
    voted(store, tmp_path, votes)
    result = leaderboard(store, Selection("d"), QUICK)
    assert result.signature.startswith("bradley-terry|")
    assert "different opponents" in result.facts["because"]
    leaders = {method: leader["systems"] for method, leader in result.facts["leaders"].items()}
    assert leaders == {"win-ratio": ["x"], "macro-win-ratio": ["y"], "bradley-terry": ["y"]}
    assert result.facts["leaders"]["win-ratio"]["rating"] == 10 / 13
    assert result.facts["leaders_agree"] is False
    [note] = find_sentences(result.notes, r"\bdisagree\b")
    assert re.search(r"\bx by win ratio \(77%\)", note)
    assert re.search(r"\by by macro win ratio \(67%\) and Bradley-Terry \(1,208\)", note)
    chosen = leaderboard(store, Selection("d"), RankSettings("win-ratio", bootstrap=0))
    assert (chosen.facts["because"], chosen.facts["suited"]) == (None, "bradley-terry")
    assert find_sentences(
        chosen.notes, r"\bdifferent opponents\b.*\bwin ratio\b.*\bBradley-Terry\b"
    )


def test_candidates_choose_by_item(store: Store, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(
        "item,left,right,text_a,text_b,winner,judge\n"
        "i,x,y,1,2,a,Ada\ni,y,z,2,3,a,Ada\ni,x,z,1,3,a,Ada\nj,x,y,1,2,a,Ada\n"
    )
    importer.load(store, [tmp_path / "v.csv"], Dataset("d"))
    assert candidates(store, Selection("d"), QUICK).facts["method"] == "win-ratio"
    (tmp_path / "w.csv").write_text("item,left,right,text_a,text_b,winner,judge\nj,y,z,2,3,a,Ada\n")
    importer.load(store, [tmp_path / "w.csv"], Dataset("d"))
    assert candidates(store, Selection("d"), QUICK).facts["method"] == "bradley-terry"


def test_both_bad_is_counted_for_itself(store: Store, tmp_path: Path) -> None:
    """By hand: x in 5 comparisons, 2 of them both bad; y in 4 with 2; z in 3 with none."""
    votes = [
        ("x", "y", "both_bad", 2),
        ("x", "y", "a", 1),
        ("x", "z", "tie", 2),
        ("z", "y", "b", 1),
    ]
    voted(store, tmp_path, votes)
    rows = leaderboard(store, Selection("d"), QUICK).rows.set_index("system")
    assert rows[["both_bad", "both_bad_n"]].T.to_dict("list") == {
        "x": [2, 5], "y": [2, 4], "z": [0, 3],
    }  # fmt: skip
    assert rows["both_bad_share"].to_dict() == {"x": 0.4, "y": 0.5, "z": 0.0}
    assert rows["ties"].to_dict() == {"x": 4, "y": 2, "z": 2}, "it is a tie as well"
    assert (rows["both_bad_low"] <= rows["both_bad_share"]).all()
    assert 0 < rows.loc["z", "both_bad_high"] < 1, "of three answers nothing is certain"
    # Without ties the figure is the same: it is of all answers.
    dropped = leaderboard(store, Selection("d"), RankSettings(ties="drop", bootstrap=0)).rows
    assert dropped.set_index("system").loc["x", ["both_bad", "both_bad_n"]].tolist() == [2, 5]
    rows = leaderboard(store, Selection("d", systems=("x", "z")), QUICK).rows
    assert rows["both_bad"].tolist() == [0, 0]
    assert rows["both_bad_share"].isna().all(), "it may not have been offered"


@pytest.mark.slow
@pytest.mark.shared
def test_chatgpt_head_to_head_on_summeval(store: Store) -> None:
    """Each system met one or two others. Counts of the files: M8 wins 1,008, ties 52 of 1,600."""
    importer.load(store, [HEAD_TO_HEAD], Dataset("d"))
    result = leaderboard(store, Selection("d", judges=("llm",)), QUICK)
    assert result.facts["method"] == "bradley-terry"
    assert "different opponents" in result.facts["because"]
    by_ratio = result.facts["leaders"]["win-ratio"]
    assert by_ratio == {"systems": ["M8"], "rating": (1008 + 26) / 1600}
    assert result.rows.set_index("system").loc["M8", "rank"] == 7
    assert result.facts["leaders_agree"] is False
    [note] = find_sentences(result.notes, r"\bdisagree\b")
    assert re.search(r": M8 by win ratio \(65%\) and macro win ratio \(65%\); M22 by\b", note)
