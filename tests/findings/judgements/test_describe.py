"""Reports: figures counted by hand, or computed by another library from the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import evalica
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.findings import correlation
from core.findings.correlation import Reference
from core.findings.judgements import describe, finding
from core.findings.judgements.selection import Selection
from core.findings.leaderboard import candidates, leaderboard
from core.findings.leaderboard.settings import RankSettings
from core.importing import Reading, importer
from core.labels import describe_duration
from core.records import Answer, Dataset, Kind, Outcome, TandemError
from core.store import Store
from tests.sentence_facts import find_sentences, list_figures
from tests.study import DATASET, compare, judge

# item, first, second, judge, winner, attribute, order_known
VOTES = [
    ("q1", "x", "y", "Ada", "a", "style", 1), ("q1", "y", "x", "Ada", "a", "style", 1), ("q2", "x", "y", "Ada", "a", "style", 1),
    ("q2", "y", "z", "Ada", "tie", "style", 1), ("q3", "z", "x", "Ada", "both_bad", "style", 1),
    ("q3", "x", "z", "Ada", "", "style", 1), ("q1", "x", "y", "Ben", "a", "style", 0), ("q2", "y", "x", "Ben", "b", "style", 0),
    ("q3", "z", "y", "Ben", "a", "style", 1), ("q1", "x", "y", "Ben", "b", "facts", 1),
]  # fmt: skip


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    frame = pd.DataFrame(
        VOTES, columns=["item", "left", "right", "judge", "winner", "attribute", "order_known"]
    )
    frame = frame.assign(subset=frame["item"].map({"q1": "one", "q2": "two", "q3": "two"}))
    frame.to_csv(tmp_path / "votes.csv", index=False)
    assert importer.load(store, [tmp_path / "votes.csv"], Dataset("d")).skipped == []
    return store


def load(store: Store, path: Path, table: str, kind: Kind = Kind.HUMAN) -> None:
    path.write_text(table)
    assert importer.load(store, [path], Dataset("d"), reading=Reading(kind=kind)).skipped == []


def board(store: Store, settings: RankSettings, **chosen: Any) -> pd.DataFrame:
    return leaderboard(store, Selection("d", **chosen), settings).rows.set_index("system")


@pytest.mark.parametrize(("answers", "cautioned"), [(19, True), (20, False)])
def test_fewer_than_ten_judgements_a_system_are_said(
    store: Store, tmp_path: Path, answers: int, cautioned: bool
) -> None:
    table = "item,left,right,winner\n" + "".join(
        f"q{n},x,y,{'ab'[n % 2]}\n" for n in range(answers)
    )
    load(store, tmp_path / "v.csv", table)
    notes = leaderboard(store, Selection("d"), RankSettings()).notes
    assert bool(find_sentences(notes, r"\b19 judgements for 2 systems\b")) is cautioned
    assert find_sentences(notes, r"^Intervals\b.*\bthis judge only\b.*\bnew items\b")


@pytest.mark.parametrize(
    ("method", "items", "said"),
    [("elo", 20, True), ("likelihood", 20, True), ("elo", 21, False), ("win-ratio", 20, False)],
)
def test_methods_that_move_in_steps_say_so_of_few_items(
    store: Store, tmp_path: Path, method: str, items: int, said: bool
) -> None:
    table = "item,left,right,winner\n" + "".join(f"q{n},x,y,{'ab'[n % 2]}\n" for n in range(items))
    load(store, tmp_path / "v.csv", table)
    notes = leaderboard(store, Selection("d"), RankSettings(method)).notes
    assert any(note.startswith("With 20 items") for note in notes) is said


def test_outcomes_by_hand(voted: Store) -> None:
    found = describe.describe(voted, Selection("d"))
    rows = found.frames["outcomes"].set_index(["judge", "attribute"])
    columns = ["a", "b", "tie", "both_bad", "failed"]
    assert rows[columns].to_dict("index") == {
        ("Ada", "style"): dict(zip(columns, (3, 0, 1, 1, 1), strict=True)),
        ("Ben", "style"): dict(zip(columns, (2, 1, 0, 0, 0), strict=True)),
        ("Ben", "facts"): dict(zip(columns, (0, 1, 0, 0, 0), strict=True)),
    }
    assert (found.judgements, dict(found.unanswered)) == (9, {"no-answer": 1})


def test_judgements_whose_order_is_unknown_say_nothing_about_sides(voted: Store) -> None:
    rows = (
        describe.describe(voted, Selection("d"))
        .frames["outcomes"]
        .set_index(["judge", "attribute"])
    )
    assert rows.loc[("Ada", "style"), ["p_first", "first_share"]].tolist() == [1.0, 3 / 5]
    assert rows.loc[("Ben", "style"), ["p_first", "first_share"]].tolist() == [
        1.0,
        1.0,
    ]  # of one: the two others are unknown


def test_a_part_of_the_outcomes(voted: Store) -> None:
    def counted(**chosen: Any) -> list[list[Any]]:
        frame = describe.describe(voted, Selection("d", **chosen)).frames["outcomes"]
        rows: list[list[Any]] = (
            frame[["judge", "attribute", "a", "b", "tie", "both_bad", "failed"]].to_numpy().tolist()
        )
        return sorted(rows)

    assert counted(subset="one") == [
        ["Ada", "style", 2, 0, 0, 0, 0], ["Ben", "facts", 0, 1, 0, 0, 0], ["Ben", "style", 1, 0, 0, 0, 0],
    ]  # fmt: skip
    assert counted(attribute="facts") == [["Ben", "facts", 0, 1, 0, 0, 0]]
    assert counted(judges=("Ada",)) == [["Ada", "style", 3, 0, 1, 1, 1]]
    assert counted(systems=("x", "z")) == [["Ada", "style", 0, 0, 0, 1, 1]]
    assert counted(judges=("human",)) == counted()
    assert counted(judges=("llm",)) == []


def test_nothing_to_describe(store: Store) -> None:
    store.datasets.add(Dataset("d"))
    found = describe.describe(store, Selection("d"))
    assert [len(frame) for frame in found.frames.values()] == [0, 0, 0]
    assert (found.judgements, dict(found.unanswered)) == (0, {})


SCORES = """item,system,text,score:q,score:expert-1:q,score:expert-2:q
i1,x,a,1,2,4
i1,y,b,1,3,3
i1,z,c,2,1,
i2,x,a,3,5,5
i2,y,b,3,5,5
i2,z,c,3,5,5
"""


def test_means_panels_and_ties_by_hand(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path / "s.csv", SCORES)
    found = describe.describe(store, Selection("d"))
    means = {
        (row.rater, row.system): (row.n, row.mean) for row in found.frames["scores"].itertuples()
    }
    assert means["human", None] == (6, 13 / 6)
    assert means["human", "x"] == (2, 2.0)
    assert means["expert-2", "z"] == (1, 5.0)
    assert means["expert", "z"] == (3, 11 / 3)  # 1, 5 and 5: two marks of expert-1, one of expert-2
    ties = (
        found.frames["ties"]
        .set_index("rater")[["pairs", "tied", "constant_items"]]
        .to_dict("split")
    )
    assert dict(zip(ties["index"], ties["data"], strict=True)) == {
        "human": [6, 4, 1], "expert-1": [6, 3, 1], "expert-2": [4, 3, 1],
    }  # fmt: skip


# ---- leaderboards


def test_win_ratio_by_hand(voted: Store) -> None:
    """Style, points of each: x 1+0+1+1/2+1+1 of 6, y 0+1+0+1/2+0+0+0 of 7, z 1/2+1/2+1 of 3."""
    result = leaderboard(
        voted, Selection("d", attribute="style"), RankSettings("win-ratio", bootstrap=0)
    )
    rows = result.rows.set_index("system")
    assert rows["rating"].to_dict() == pytest.approx({"x": 4.5 / 6, "y": 1.5 / 7, "z": 2 / 3})
    assert rows[["wins", "losses", "ties", "judgements"]].to_numpy().tolist() == [
        [4, 1, 1, 6],
        [1, 0, 2, 3],
        [1, 5, 1, 7],
    ]
    assert list(rows.index) == ["x", "z", "y"]
    assert (result.judgements, dict(result.unanswered)) == (8, {"no-answer": 1})
    assert rows["rank"].tolist() == [1, 2, 3]


def test_dropping_ties_by_hand(voted: Store) -> None:
    rows = board(voted, RankSettings("win-ratio", ties="drop", bootstrap=0), attribute="style")
    assert rows["rating"].to_dict() == pytest.approx({"x": 4 / 5, "y": 1 / 6, "z": 1.0})
    assert rows["ties"].tolist() == [0, 0, 0]


@pytest.fixture
def many(store: Store, tmp_path: Path) -> pd.DataFrame:
    """400 votes about five systems, all of one judge."""
    rng = np.random.default_rng(5)
    first = rng.integers(5, size=400)
    second = (first + rng.integers(1, 5, size=400)) % 5
    winner = rng.choice(["a", "b", "tie"], p=[0.5, 0.3, 0.2], size=400)
    winner = np.where((winner != "tie") & (first == 4), "a", winner)
    frame = pd.DataFrame(
        {"left": [f"s{i}" for i in first], "right": [f"s{i}" for i in second], "winner": winner}
    )
    load(store, tmp_path / "many.csv", frame.to_csv(index=False))
    return frame


OF_EVALICA = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_bradley_terry_is_evalicas(store: Store, many: pd.DataFrame, ties: str) -> None:
    used = many if ties == "half" else many[many["winner"] != "tie"]
    theirs = evalica.bradley_terry(
        used["left"], used["right"], used["winner"].map(OF_EVALICA), tolerance=1e-12, limit=100_000
    )
    scores = np.log10(theirs.scores) * 400
    expected = (scores - scores.mean() + 1000).to_dict()
    ours = board(store, RankSettings("bradley-terry", ties=ties, bootstrap=0))["rating"].to_dict()
    assert ours == pytest.approx(expected, abs=1e-3)


def test_elo_is_evalicas(store: Store, many: pd.DataFrame) -> None:
    theirs = evalica.elo(
        many["left"],
        many["right"],
        many["winner"].map(OF_EVALICA),
        initial=1000,
        base=10,
        scale=400,
        k=4,
    )
    ours = board(store, RankSettings("elo", bootstrap=0))["rating"].to_dict()
    assert ours == pytest.approx(theirs.scores.to_dict(), abs=1e-9)


def test_elo_takes_votes_by_their_time(store: Store, tmp_path: Path, many: pd.DataFrame) -> None:
    """Written backwards, with times that say so."""
    times = many.assign(time=[f"2024-01-01T00:{n // 60:02}:{n % 60:02}Z" for n in range(len(many))])
    with Store(tmp_path / "timed.sqlite3") as timed:
        load(timed, tmp_path / "timed.csv", times.iloc[::-1].to_csv(index=False))
        settings = RankSettings("elo", bootstrap=0)
        assert board(timed, settings)["rating"].to_dict() == pytest.approx(
            board(store, settings)["rating"].to_dict()
        )


def test_a_seed_is_a_seed(store: Store, many: pd.DataFrame) -> None:
    settings = RankSettings("win-ratio", bootstrap=50)
    one, same, other = (board(store, settings, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    assert not one["low"].equals(other["low"])
    assert one["rating"].equals(other["rating"])
    assert (one["low"] <= one["rating"]).all()
    assert (one["rating"] <= one["high"]).all()


def test_systems_that_never_met_are_said(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path / "v.csv", "left,right,winner\nx,y,a\nx,y,b\nu,v,b\nu,v,a\n")
    result = leaderboard(store, Selection("d"), RankSettings("bradley-terry", bootstrap=0))
    assert result.facts["connected"] is False
    assert any("fall into 2 sets" in note for note in result.notes)
    assert any("Only 4 judgements for 4 systems" in note for note in result.notes)


def test_average_probability_by_hand(store: Store, tmp_path: Path) -> None:
    load(
        store,
        tmp_path / "v.csv",
        "left,right,winner,prob_a\nx,y,a,0.9\ny,x,a,0.6\nx,z,a,0.8\nx,y,b,\n",
    )
    ours = board(store, RankSettings("average-probability", bootstrap=0))["rating"].to_dict()
    assert ours == pytest.approx({"x": (0.9 + 0.4 + 0.8) / 3, "y": (0.1 + 0.6) / 2, "z": 0.2})


def test_average_probability_needs_some(voted: Store) -> None:
    with pytest.raises(TandemError, match=r"\bno probabilities\b.*\bwin-ratio\b"):
        board(voted, RankSettings("average-probability"))


def test_kinds_are_never_pooled_by_accident(store: Store, tmp_path: Path) -> None:
    rows = ["x,y,a,Ada,human", "x,y,b,gpt,llm", "x,y,b,longer,baseline"]
    load(store, tmp_path / "v.csv", "left,right,winner,judge,kind\n" + "\n".join(rows))
    ratio = RankSettings("win-ratio", bootstrap=0)
    assert board(store, ratio)["rating"].to_dict() == {"x": 1.0, "y": 0.0}
    assert board(store, ratio, judges=("llm",))["rating"].to_dict() == {"y": 1.0, "x": 0.0}
    assert board(store, ratio, judges=("Ada", "baseline"))["rating"].to_dict() == {
        "x": 0.5,
        "y": 0.5,
    }


def test_without_humans_it_is_asked_who(store: Store, tmp_path: Path) -> None:
    load(
        store,
        tmp_path / "v.csv",
        "left,right,winner,judge,kind\nx,y,a,gpt,llm\nx,y,a,longer,baseline\n",
    )
    with pytest.raises(TandemError, match=r"^no human\b.*\bjudges baseline, llm\b"):
        board(store, RankSettings("win-ratio"))
    with pytest.raises(TandemError, match=r"^no judgements\b.*\bgold\b"):
        board(store, RankSettings("win-ratio"), judges=("gold",))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "eloo"}, "unknown method 'eloo'; there are win-ratio,"),
        ({"ties": "ignore"}, "unknown ties 'ignore'"),
        ({"method": "elo", "ties": "model"}, "ties model belongs to bradley-terry"),
        ({"bootstrap": -1}, "bootstrap -1"),
        ({"method": "elo", "k": float("nan")}, "k nan"),
        ({"over": "votes"}, "unknown over 'votes'; there are items, judges, both, judgements"),
        ({"resolve": "all"}, "unknown resolve 'all'; there are together, pairwise, always"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(TandemError) as refused:
        RankSettings(**settings)
    assert said in str(refused.value)


def test_candidates_of_an_item_by_hand(voted: Store) -> None:
    result = candidates(voted, Selection("d", attribute="style"), RankSettings("win-ratio"))
    found = {(row.item, row.system): row.rating for row in result.rows.itertuples()}
    assert found == pytest.approx(
        {
            ("q1", "x"): 2 / 3, ("q1", "y"): 1 / 3, ("q2", "x"): 1.0, ("q2", "y"): 0.5 / 3, ("q2", "z"): 0.5,
            ("q3", "x"): 0.5, ("q3", "z"): 0.75, ("q3", "y"): 0.0,
        }
    )  # fmt: skip
    assert result.judgements == 8


# ---- correlations


@pytest.fixture
def marked(store: Store, tmp_path: Path) -> pd.DataFrame:
    """20 items x 4 systems with human and metric scores; one item all equal, one mark missing."""
    rng = np.random.default_rng(3)
    rows = [
        (f"i{i}", f"s{s}", f"t{i}{s}", int(rng.integers(1, 6)), float(rng.normal() + s))
        for i in range(20)
        for s in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["item", "system", "text", "score:q", "score:metric:q"])
    frame["score:metric:q"] += frame["score:q"]
    frame.loc[frame["item"] == "i7", "score:q"] = 3
    frame.loc[5, "score:metric:q"] = None
    load(store, tmp_path / "marked.csv", frame.to_csv(index=False))
    return frame.rename(columns={"score:q": "human", "score:metric:q": "metric"}).dropna()


def correlated(store: Store, level: str) -> dict[str, Any]:
    (row,) = correlation.correlate(
        store, Selection("d"), Reference("human", level), scores="metric"
    ).rows.to_dict("records")
    return {str(key): value for key, value in row.items()}


def coefficients(x: Any, y: Any) -> list[float]:
    return [
        stats.spearmanr(x, y).statistic,
        stats.kendalltau(x, y).statistic,
        stats.pearsonr(x, y).statistic,
    ]


def test_pooled_correlations_are_scipys(store: Store, marked: pd.DataFrame) -> None:
    row = correlated(store, "pool")
    assert [row[key] for key in ("spearman", "kendall", "pearson")] == pytest.approx(
        coefficients(marked["metric"], marked["human"])
    )
    assert (row["n"], row["missing"], row["items"]) == (79, 1, 20)


def test_correlations_of_means_are_scipys(store: Store, marked: pd.DataFrame) -> None:
    means = marked.groupby("system")[["metric", "human"]].mean()
    row = correlated(store, "system")
    assert [row[key] for key in ("spearman", "kendall", "pearson")] == pytest.approx(
        coefficients(means["metric"], means["human"])
    )
    assert (row["n"], row["pairs"]) == (4, 6)


def test_correlations_within_items_are_scipys(store: Store, marked: pd.DataFrame) -> None:
    each = [
        coefficients(of["metric"], of["human"])
        for _, of in marked.groupby("item")
        if of["human"].nunique() > 1
    ]
    row = correlated(store, "item")
    assert [row[key] for key in ("spearman", "kendall", "pearson")] == pytest.approx(
        np.mean(each, axis=0)
    )
    assert (row["items"], row["undefined_items"]) == (len(each), 20 - len(each))
    pairs = [
        (np.sign(a.metric - b.metric) * np.sign(a.human - b.human) + 1) / 2
        for _, of in marked.groupby("item")
        for n, a in enumerate(of.itertuples())
        for b in list(of.itertuples())[n + 1 :]
        if a.human != b.human
    ]
    assert row["pairs"] == len(pairs)
    assert row["pair_accuracy"] == pytest.approx(np.mean(pairs))


def test_a_scorer_that_tells_texts_apart_on_one_item_of_four_is_told_of(
    store: Store, tmp_path: Path
) -> None:
    """By hand: 1 without the three items on which it is constant, 1/4 where these count as 0."""
    texts = [
        f"i{i},{s},{s}{i},{n},{n if i == 1 else 5}\n"
        for i in range(4)
        for s, n in zip("xyz", (3, 2, 1), strict=True)
    ]
    load(
        store, tmp_path / "g.csv", "item,system,text,score:ada:q,score:metric:q\n" + "".join(texts)
    )
    selection = Selection("d")
    for constant, spearman, items, undefined in (("drop", 1.0, 1, 3), ("zero", 0.25, 4, 0)):
        reference = Reference("ada", "item", constant)
        one = correlation.correlate(store, selection, reference, scores="metric")
        every = correlation.correlate_all(store, selection, reference)
        for result, who in ((one, "q: metric"), (every, "metric (q)")):
            row = result.rows.iloc[0]
            for name in ("spearman", "kendall", "pearson"):
                assert row[name] == pytest.approx(spearman)
            counts = row["items"], row["n"], row["undefined_items"], row["constant_items"]
            assert counts == (items, items, undefined, 3)
            [note] = find_sentences(result.notes, r"\bcounts as 0\b")
            assert note.startswith(f"{who} ")
            assert list_figures(note) == [3, 4, 1.00, 0.25, 0]
            assert ("|constant:zero|" in result.signature) == (constant == "zero")
            assert result.facts["constant"] == constant
    pool = correlation.correlate(
        store, selection, Reference("ada", "pool", "zero"), scores="metric"
    )
    assert not [note for note in pool.notes if "counts as 0" in note]
    assert "constant" not in pool.signature


def test_ratings_against_scores_by_hand(store: Store, tmp_path: Path) -> None:
    """Human scores 3 > 2 > 1 for x, y, z; the judge says x > y, x > z on i1 and the opposite on i2."""
    texts = [
        f"{i},{s},{s}{i},{n}\n" for i in ("i1", "i2") for s, n in zip("xyz", (3, 2, 1), strict=True)
    ]
    load(store, tmp_path / "g.csv", "item,system,text,score:overall\n" + "".join(texts))
    votes = ["i1,x,y,a", "i1,x,z,a", "i1,y,z,a", "i2,x,y,b", "i2,x,z,b", "i2,y,z,b"]
    load(
        store,
        tmp_path / "v.csv",
        "item,left,right,winner,judge,kind\n" + "".join(f"{vote},gpt,llm\n" for vote in votes),
    )
    result = correlation.correlate(
        store,
        Selection("d", judges=("gpt",)),
        Reference("human", "item"),
        settings=RankSettings("win-ratio"),
    )
    (row,) = result.rows.to_dict("records")
    assert (row["spearman"], row["kendall"], row["items"], row["pair_accuracy"], row["pairs"]) == (
        0.0,
        0.0,
        2,
        0.5,
        6,
    )
    assert result.judgements == 6


def test_systems_are_correlated_by_their_leaderboard(
    store: Store, tmp_path: Path, many: pd.DataFrame
) -> None:
    """Bradley-Terry over all items by evalica against the systems' mean scores, by scipy."""
    score = {"s0": 3, "s1": 5, "s2": 1, "s3": 4, "s4": 2}
    texts = "".join(
        f"row-{row},{s},{s} wrote this,{score[s]}\n"
        for row in range(1, len(many) + 1)
        for s in score
    )
    load(store, tmp_path / "scores.csv", "item,system,text,score:overall\n" + texts)
    result = correlation.correlate(
        store,
        Selection("d"),
        Reference("human", "system", bootstrap=0),
        settings=RankSettings("bradley-terry"),
    )
    strength = evalica.bradley_terry(
        many["left"], many["right"], [OF_EVALICA[w] for w in many["winner"]]
    ).scores
    marks = [score[system] for system in strength.index]
    assert result.rows["spearman"].item() == pytest.approx(
        stats.spearmanr(strength, marks).statistic
    )
    assert result.rows["pearson"].item() == pytest.approx(
        stats.pearsonr(np.log(strength), marks).statistic, abs=1e-5
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"against": "Bob", "level": "pool", "scores": "metric"},
            "no scores by 'Bob' here; there are some by",
        ),
        ({"against": "human", "level": "pool", "scores": "Bob"}, "no scores by 'Bob' here"),
        ({"against": "human", "level": "text", "scores": "metric"}, "unknown level 'text'"),
        ({"against": "human", "level": "pool"}, "has no judgements yet"),
    ],
)
def test_correlations_that_cannot_be(
    store: Store, marked: pd.DataFrame, asked: dict[str, Any], said: str
) -> None:
    def correlate(against: str, level: Any, scores: str = "") -> None:
        reference = Reference(against, level)
        correlation.correlate(store, Selection("d"), reference, scores=scores)

    with pytest.raises(TandemError) as refused:
        correlate(**asked)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"dataset": "e"}, "unknown data set 'e'; there are: d"), ({"attribute": "taste"}, "unknown attribute 'taste'"),
        ({"subset": "three"}, "unknown subset 'three'; there are: one, two"), ({"systems": ("x", "w")}, "unknown system 'w'"),
        ({"judges": ("Bob",)}, "no judgements by 'Bob' here"),
    ],
)  # fmt: skip
def test_unknown_names_are_said(voted: Store, chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(TandemError) as refused:
        leaderboard(voted, Selection(**{"dataset": "d", **chosen}), RankSettings())
    assert said in str(refused.value)


def test_what_is_no_number_is_null() -> None:
    frame = pd.DataFrame(
        {
            "a": [np.nan, 1.5],
            "b": pd.array([pd.NA, 2], dtype="Int64"),
            "c": [np.inf, -np.inf],
            "d": ["x", None],
        }
    )
    assert finding.list_records(frame) == [
        {"a": None, "b": None, "c": None, "d": "x"},
        {"a": 1.5, "b": 2, "c": None, "d": None},
    ]


def test_signatures_carry_their_settings(voted: Store) -> None:
    selection = Selection("d", attribute="style", judges=("Ada", "Ben"), seed=3)
    result = leaderboard(voted, selection, RankSettings("elo", bootstrap=20, k=8.0))
    assert result.signature.startswith(
        "elo|judges:Ada+Ben|attribute:style|ties:half|k:8|boot:20|over:items|seed:3|v:"
    )


@pytest.mark.parametrize(("seconds", "said"), [(40.2, "40 s"), (720, "12 min"), (12600, "3.5 h")])
def test_spans(seconds: float, said: str) -> None:
    assert describe_duration(seconds) == said


def test_one_item_gives_no_interval(study):
    """Drawn anew it would always be the same, which would look like certainty."""
    ann = judge(study)
    comparison = compare(study, "i0", "alpha", "beta")
    study.judgements.add_vote(None, comparison, ann, Answer(Outcome.A))
    result = leaderboard(study, Selection(DATASET), RankSettings(bootstrap=50))
    assert result.rows["rating"].tolist() == [1.0, 0.0]
    assert result.rows[["low", "high"]].isna().all(axis=None)
    assert any(note.startswith("There are no intervals") for note in result.notes)
