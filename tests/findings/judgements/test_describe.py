"""Reports: figures counted by hand, or computed by another library from the same rows."""

from __future__ import annotations

import json
from itertools import combinations, product
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
from core.labels import describe_duration
from core.records import Answer, Dataset, Outcome, TandemError
from core.store import Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences, list_figures
from tests.study import DATASET, compare, judge

# item, first, second, judge, winner, attribute, order_known
VOTES = [
    ("q1", "x", "y", "Ada", "a", "style", 1), ("q1", "y", "x", "Ada", "a", "style", 1), ("q2", "x", "y", "Ada", "a", "style", 1),
    ("q2", "y", "z", "Ada", "tie", "style", 1), ("q3", "z", "x", "Ada", "both_bad", "style", 1),
    ("q3", "x", "z", "Ada", "", "style", 1), ("q1", "x", "y", "Ben", "a", "style", 0), ("q2", "y", "x", "Ben", "b", "style", 0),
    ("q3", "z", "y", "Ben", "a", "style", 1), ("q1", "x", "y", "Ben", "b", "facts", 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def voted() -> Store:
    columns = ["item", "left", "right", "judge", "winner", "attribute", "order_known"]
    frame = pd.DataFrame(VOTES, columns=columns)
    subset = frame["item"].map({"q1": "one", "q2": "two", "q3": "two"})
    return load(Store(":memory:"), frame.assign(subset=subset))


def board(store: Store, settings: RankSettings, **chosen: Any) -> pd.DataFrame:
    return leaderboard(store, Selection("d", **chosen), settings).rows.set_index("system")


def rate(store: Store, settings: RankSettings, **chosen: Any) -> dict[str, float]:
    return board(store, settings, **chosen)["rating"].to_dict()


RATIO = RankSettings("win-ratio", bootstrap=0)


def test_few_judgements_and_few_items_are_said() -> None:
    for items, few, steps in ((19, True, True), (20, False, True), (21, False, False)):
        rows = "".join(f"q{n},x,y,{'ab'[n % 2]}\n" for n in range(items))
        with Store(":memory:") as store:
            load(store, "item,left,right,winner\n" + rows)
            notes = {
                method: leaderboard(store, Selection("d"), RankSettings(method)).notes
                for method in ("win-ratio", "elo", "likelihood")
            }
        ratio = notes["win-ratio"]
        assert bool(find_sentences(ratio, r"\b19 judgements for 2 systems\b")) is few
        assert find_sentences(ratio, r"^Intervals\b.*\bthis judge only\b.*\bnew items\b")
        said = [bool(find_sentences(of, f"^With {items} items")) for of in notes.values()]
        assert said == [False, steps, steps]


def test_outcomes_by_hand(voted: Store, store: Store) -> None:
    """Of judgements whose order is unknown nothing is told about sides: of Ben's three, one."""
    columns = ["judge", "attribute", "a", "b", "tie", "both_bad", "failed"]

    def count(**chosen: Any) -> list[list[Any]]:
        frame = describe.describe(voted, Selection("d", **chosen)).tables["outcomes"]
        return sorted(frame[columns].to_numpy().tolist())

    every = [["Ada", "style", 3, 0, 1, 1, 1], ["Ben", "facts", 0, 1, 0, 0, 0],
             ["Ben", "style", 2, 1, 0, 0, 0]]  # fmt: skip
    assert count() == count(judges=("human",)) == every
    assert count(subset="one") == [
        ["Ada", "style", 2, 0, 0, 0, 0], ["Ben", "facts", 0, 1, 0, 0, 0], ["Ben", "style", 1, 0, 0, 0, 0],
    ]  # fmt: skip
    assert count(attribute="facts") == [["Ben", "facts", 0, 1, 0, 0, 0]]
    assert count(judges=("Ada",)) == [["Ada", "style", 3, 0, 1, 1, 1]]
    assert count(systems=("x", "z")) == [["Ada", "style", 0, 0, 0, 1, 1]]
    assert count(judges=("llm",)) == []
    found = describe.describe(voted, Selection("d"))
    assert (found.judgements, dict(found.unanswered)) == (9, {"no-answer": 1})
    sides = found.tables["outcomes"].set_index(["judge", "attribute"])[["p_first", "first_share"]]
    assert sides.loc[("Ada", "style")].tolist() == [1.0, 3 / 5]
    assert sides.loc[("Ben", "style")].tolist() == [1.0, 1.0]
    store.datasets.add(Dataset("d"))
    found = describe.describe(store, Selection("d"))
    assert [len(frame) for frame in (found.rows, *found.tables.values())] == [0, 0, 0]
    assert (found.judgements, dict(found.unanswered)) == (0, {})


SCORES = """item,system,text,score:q,score:expert-1:q,score:expert-2:q
i1,x,a,1,2,4
i1,y,b,1,3,3
i1,z,c,2,1,
i2,x,a,3,5,5
i2,y,b,3,5,5
i2,z,c,3,5,5
"""


def test_means_panels_and_ties_by_hand(store: Store) -> None:
    load(store, SCORES)
    found = describe.describe(store, Selection("d"))
    means = {(row.rater, row.system): (row.n, row.mean) for row in found.rows.itertuples()}
    assert means["human", None] == (6, 13 / 6)
    assert means["human", "x"] == (2, 2.0)
    assert means["expert-2", "z"] == (1, 5.0)
    assert means["expert", "z"] == (3, 11 / 3)  # 1, 5 and 5: two marks of expert-1, one of expert-2
    ties = found.tables["ties"].set_index("rater")[["pairs", "tied", "constant_items"]]
    assert dict(zip(ties.index, ties.to_numpy().tolist(), strict=True)) == {
        "human": [6, 4, 1], "expert-1": [6, 3, 1], "expert-2": [4, 3, 1],
    }  # fmt: skip


# ---- leaderboards


def test_win_ratio_by_hand(voted: Store) -> None:
    """Style, points of each: x 1+0+1+1/2+1+1 of 6, y 0+1+0+1/2+0+0+0 of 7, z 1/2+1/2+1 of 3."""
    style = Selection("d", attribute="style")
    result = leaderboard(voted, style, RATIO)
    rows = result.rows.set_index("system")
    assert rows["rating"].to_dict() == pytest.approx({"x": 4.5 / 6, "y": 1.5 / 7, "z": 2 / 3})
    counts = rows[["wins", "losses", "ties", "judgements", "rank"]]
    assert counts.reset_index().to_numpy().tolist() == [
        ["x", 4, 1, 1, 6, 1], ["z", 1, 0, 2, 3, 2], ["y", 1, 5, 1, 7, 3],
    ]  # fmt: skip
    assert (result.judgements, dict(result.unanswered)) == (8, {"no-answer": 1})
    rows = board(voted, RankSettings("win-ratio", ties="drop", bootstrap=0), attribute="style")
    assert rows["rating"].to_dict() == pytest.approx({"x": 4 / 5, "y": 1 / 6, "z": 1.0})
    assert rows["ties"].tolist() == [0, 0, 0]
    of_items = candidates(voted, style, RankSettings("win-ratio"))
    assert of_items.judgements == 8
    assert of_items.rows.set_index(["item", "system"])["rating"].to_dict() == pytest.approx({
        ("q1", "x"): 2 / 3, ("q1", "y"): 1 / 3, ("q2", "x"): 1.0, ("q2", "y"): 0.5 / 3,
        ("q2", "z"): 0.5, ("q3", "x"): 0.5, ("q3", "z"): 0.75, ("q3", "y"): 0.0,
    })  # fmt: skip


@pytest.fixture
def many(store: Store) -> pd.DataFrame:
    """400 votes about five systems, all of one judge."""
    rng = np.random.default_rng(5)
    first = rng.integers(5, size=400)
    second = (first + rng.integers(1, 5, size=400)) % 5
    winner = rng.choice(["a", "b", "tie"], p=[0.5, 0.3, 0.2], size=400)
    winner = np.where((winner != "tie") & (first == 4), "a", winner)
    sides = {"left": [f"s{i}" for i in first], "right": [f"s{i}" for i in second]}
    frame = pd.DataFrame({**sides, "winner": winner})
    load(store, frame, name="many.csv")
    return frame


OF_EVALICA = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}


def test_bradley_terry_and_elo_are_evalicas(store: Store, many: pd.DataFrame) -> None:
    """Elo also of votes written backwards, with times that say so."""
    for ties, used in (("half", many), ("drop", many[many["winner"] != "tie"])):
        columns = used["left"], used["right"], used["winner"].map(OF_EVALICA)
        scores = evalica.bradley_terry(*columns, tolerance=1e-12, limit=100_000).scores
        scores = np.log10(scores) * 400
        ours = rate(store, RankSettings("bradley-terry", ties=ties, bootstrap=0))
        assert ours == pytest.approx((scores - scores.mean() + 1000).to_dict(), abs=1e-3)
    columns = many["left"], many["right"], many["winner"].map(OF_EVALICA)
    theirs = evalica.elo(*columns, initial=1000, base=10, scale=400, k=4).scores.to_dict()
    elo = RankSettings("elo", bootstrap=0)
    assert rate(store, elo) == pytest.approx(theirs, abs=1e-9)
    times = many.assign(time=[f"2024-01-01T00:{n // 60:02}:{n % 60:02}Z" for n in range(len(many))])
    with Store(":memory:") as timed:
        load(timed, times.iloc[::-1])
        assert rate(timed, elo) == pytest.approx(rate(store, elo))


def test_a_seed_is_a_seed(store: Store, many: pd.DataFrame) -> None:
    settings = RankSettings("win-ratio", bootstrap=50)
    one, same, other = (board(store, settings, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    assert not one["low"].equals(other["low"])
    assert one["rating"].equals(other["rating"])
    assert ((one["low"] <= one["rating"]) & (one["rating"] <= one["high"])).all()


def test_systems_that_never_met_are_said(store: Store) -> None:
    load(store, "left,right,winner\nx,y,a\nx,y,b\nu,v,b\nu,v,a\n")
    result = leaderboard(store, Selection("d"), RankSettings("bradley-terry", bootstrap=0))
    assert result.facts["connected"] is False
    assert find_sentences(result.notes, r"\b2 sets\b")
    assert find_sentences(result.notes, r"\b4 judgements for 4 systems\b")


def test_average_probability_by_hand(store: Store, voted: Store) -> None:
    rows = "x,y,a,0.9\ny,x,a,0.6\nx,z,a,0.8\nx,y,b,\n"
    load(store, "left,right,winner,prob_a\n" + rows)
    average = RankSettings("average-probability", bootstrap=0)
    expected = {"x": (0.9 + 0.4 + 0.8) / 3, "y": (0.1 + 0.6) / 2, "z": 0.2}
    assert rate(store, average) == pytest.approx(expected)
    with pytest.raises(TandemError, match=r"\bno probabilities\b.*\bwin-ratio\b"):
        board(voted, average)


def test_kinds_are_never_pooled_by_accident(store: Store) -> None:
    header = "left,right,winner,judge,kind\n"
    load(store, header + "x,y,b,gpt,llm\nx,y,b,longer,baseline\n")
    with pytest.raises(TandemError, match=r"^no human\b.*\bjudges baseline, llm\b"):
        board(store, RATIO)
    with pytest.raises(TandemError, match=r"^no judgements\b.*\bgold\b"):
        board(store, RATIO, judges=("gold",))
    load(store, header + "x,y,a,Ada,human\n")
    assert rate(store, RATIO) == {"x": 1.0, "y": 0.0}
    assert rate(store, RATIO, judges=("llm",)) == {"y": 1.0, "x": 0.0}
    assert rate(store, RATIO, judges=("Ada", "baseline")) == {"x": 0.5, "y": 0.5}


def test_settings_and_names_that_make_no_sense(voted: Store) -> None:
    more: dict[str, Any]
    for method, more, said in (
        ("eloo", {}, "unknown method 'eloo'; there are win-ratio,"),
        ("", {"ties": "ignore"}, "unknown ties 'ignore'"),
        ("elo", {"ties": "model"}, "ties model belongs to bradley-terry"),
        ("", {"bootstrap": -1}, "bootstrap -1"), ("elo", {"k": float("nan")}, "k nan"),
        ("", {"over": "votes"}, "unknown over 'votes'; there are items, judges, both, judgements"),
        ("", {"resolve": "all"}, "unknown resolve 'all'; there are together, pairwise, always"),
    ):  # fmt: skip
        with pytest.raises(TandemError, match=said):
            RankSettings(method, **more)
    for dataset, more, said in (
        ("e", {}, "unknown data set 'e'; there are: d"),
        ("d", {"attribute": "taste"}, "unknown attribute 'taste'"),
        ("d", {"subset": "three"}, "unknown subset 'three'; there are: one, two"),
        ("d", {"systems": ("x", "w")}, "unknown system 'w'"),
        ("d", {"judges": ("Bob",)}, "no judgements by 'Bob' here"),
    ):
        with pytest.raises(TandemError, match=said):
            leaderboard(voted, Selection(dataset, **more), RATIO)


# ---- correlations

COEFFICIENTS = ("spearman", "kendall", "pearson")


@pytest.fixture
def marked(store: Store) -> pd.DataFrame:
    """20 items x 4 systems with human and metric scores; one item all equal, one mark missing."""
    rng = np.random.default_rng(3)
    every = product(range(20), range(4))
    rows = [(f"i{i}", f"s{s}", f"t{i}{s}", rng.integers(1, 6), rng.normal() + s) for i, s in every]
    frame = pd.DataFrame(rows, columns=["item", "system", "text", "score:q", "score:metric:q"])
    frame["score:metric:q"] += frame["score:q"]
    frame.loc[frame["item"] == "i7", "score:q"] = 3
    frame.loc[5, "score:metric:q"] = None
    load(store, frame)
    return frame.rename(columns={"score:q": "human", "score:metric:q": "metric"}).dropna()


def correlate(store: Store, against: str, level: Any, scores: str = "") -> dict[str, Any]:
    reference = Reference(against, level)
    rows = correlation.correlate(store, Selection("d"), reference, scores=scores).rows
    return rows.squeeze().to_dict()


def correlate_by_scipy(frame: pd.DataFrame) -> list[float]:
    x, y = frame["metric"], frame["human"]
    return [of(x, y).statistic for of in (stats.spearmanr, stats.kendalltau, stats.pearsonr)]


def test_correlations_of_every_level_are_scipys(store: Store, marked: pd.DataFrame) -> None:
    pool, system, item = (
        correlate(store, "human", level, "metric") for level in ("pool", "system", "item")
    )
    assert [pool[name] for name in COEFFICIENTS] == pytest.approx(correlate_by_scipy(marked))
    assert (pool["n"], pool["missing"], pool["items"]) == (79, 1, 20)
    means = marked.groupby("system")[["metric", "human"]].mean()
    assert [system[name] for name in COEFFICIENTS] == pytest.approx(correlate_by_scipy(means))
    assert (system["n"], system["pairs"]) == (4, 6)
    items = [of for _, of in marked.groupby("item")]
    each = [correlate_by_scipy(of) for of in items if of["human"].nunique() > 1]
    assert [item[name] for name in COEFFICIENTS] == pytest.approx(np.mean(each, axis=0))
    assert (item["items"], item["undefined_items"]) == (len(each), 20 - len(each))
    pairs = [
        (np.sign(a.metric - b.metric) * np.sign(a.human - b.human) + 1) / 2
        for of in items
        for a, b in combinations(of.itertuples(), 2)
        if a.human != b.human
    ]
    assert (item["pairs"], item["pair_accuracy"]) == (len(pairs), pytest.approx(np.mean(pairs)))
    for asked, said in (
        (("Bob", "pool", "metric"), "no scores by 'Bob' here; there are some by"),
        (("human", "pool", "Bob"), "no scores by 'Bob' here"),
        (("human", "text", "metric"), "unknown level 'text'"),
        (("human", "pool"), "has no judgements yet"),
    ):
        with pytest.raises(TandemError, match=said):
            correlate(store, *asked)


def test_a_scorer_that_tells_texts_apart_on_one_item_of_four_is_told_of(store: Store) -> None:
    """By hand: 1 without the three items on which it is constant, 1/4 where these count as 0."""
    texts = [
        f"i{i},{s},{s}{i},{n},{n if i == 1 else 5}" for i in range(4) for s, n in ("x3", "y2", "z1")
    ]
    load(store, ["item,system,text,score:ada:q,score:metric:q", *texts])
    selection = Selection("d")
    for constant, spearman, items, undefined in (("drop", 1.0, 1, 3), ("zero", 0.25, 4, 0)):
        reference = Reference("ada", "item", constant)
        one = correlation.correlate(store, selection, reference, scores="metric")
        every = correlation.correlate_all(store, selection, reference)
        for result, who in ((one, "q: metric"), (every, "metric (q)")):
            row = result.rows.iloc[0]
            assert [row[name] for name in COEFFICIENTS] == pytest.approx([spearman] * 3)
            counts = row["items"], row["n"], row["undefined_items"], row["constant_items"]
            assert counts == (items, items, undefined, 3)
            [note] = find_sentences(result.notes, r"\bcounts as 0\b")
            assert note.startswith(f"{who} ")
            assert list_figures(note) == [3, 4, 1.00, 0.25, 0]
            assert ("|constant:zero|" in result.signature) == (constant == "zero")
            assert result.facts["constant"] == constant
    pooled = Reference("ada", "pool", "zero")
    pool = correlation.correlate(store, selection, pooled, scores="metric")
    assert not find_sentences(pool.notes, "counts as 0")
    assert "constant" not in pool.signature


def test_ratings_against_scores_by_hand(store: Store) -> None:
    """Human scores 3 > 2 > 1 for x, y, z; the judge says x > y, x > z on i1 and the opposite on i2."""
    texts = "".join(f"{i},{s},{s}{i},{n}\n" for i in ("i1", "i2") for s, n in ("x3", "y2", "z1"))
    load(store, "item,system,text,score:overall\n" + texts)
    votes = [f"i{i},{two},{w},gpt,llm" for i, w in ("1a", "2b") for two in ("x,y", "x,z", "y,z")]
    load(store, ["item,left,right,winner,judge,kind", *votes])
    selection, reference = Selection("d", judges=("gpt",)), Reference("human", "item")
    settings = RankSettings("win-ratio")
    result = correlation.correlate(store, selection, reference, settings=settings)
    row = result.rows[["spearman", "kendall", "items", "pair_accuracy", "pairs"]].iloc[0]
    assert (*row, result.judgements) == (0, 0, 2, 0.5, 6, 6)


def test_systems_are_correlated_by_their_leaderboard(store: Store, many: pd.DataFrame) -> None:
    """Bradley-Terry over all items by evalica against the systems' mean scores, by scipy."""
    score = {"s0": 3, "s1": 5, "s2": 1, "s3": 4, "s4": 2}
    every = product(range(1, len(many) + 1), score)
    texts = [f"row-{row} of many.csv,{s},{s} wrote this,{score[s]}" for row, s in every]
    load(store, ["item,system,text,score:overall", *texts])
    reference = Reference("human", "system", bootstrap=0)
    settings = RankSettings("bradley-terry")
    rows = correlation.correlate(store, Selection("d"), reference, settings=settings).rows
    winners = [OF_EVALICA[winner] for winner in many["winner"]]
    strength = evalica.bradley_terry(many["left"], many["right"], winners).scores
    marks = [score[system] for system in strength.index]
    spearman, pearson = stats.spearmanr(strength, marks), stats.pearsonr(np.log(strength), marks)
    assert rows["spearman"].item() == pytest.approx(spearman.statistic)
    assert rows["pearson"].item() == pytest.approx(pearson.statistic, abs=1e-5)


def test_what_is_no_number_is_null() -> None:
    """Values of frames become those of JSON."""
    frame = pd.DataFrame({"a": [np.nan, 1.5], "b": pd.array([pd.NA, 2], dtype="Int64"),
                          "c": [np.inf, -np.inf], "d": ["x", None]})  # fmt: skip
    assert finding.list_records(frame) == [
        {"a": None, "b": None, "c": None, "d": "x"}, {"a": 1.5, "b": 2, "c": None, "d": None},
    ]  # fmt: skip
    values = {"n": np.int64(3), "is": np.bool_(True), "x": np.float64("nan"), "none": pd.NA}
    plain = json.dumps(finding.make_plain(values))
    assert plain == '{"n": 3, "is": true, "x": null, "none": null}'


def test_signatures_carry_their_settings(voted: Store) -> None:
    selection = Selection("d", attribute="style", judges=("Ada", "Ben"), seed=3)
    signed = leaderboard(voted, selection, RankSettings("elo", bootstrap=20, k=8.0)).signature
    settings = "elo|judges:Ada+Ben|attribute:style|ties:half|k:8|boot:20|over:items|seed:3|v:"
    assert signed.startswith(settings)


def test_spans() -> None:
    said = [describe_duration(seconds) for seconds in (40.2, 720, 12600)]
    assert said == ["40 s", "12 min", "3.5 h"]


def test_one_item_gives_no_interval(study: Store) -> None:
    """Drawn anew it would always be the same, which would look like certainty."""
    ann = judge(study)
    comparison = compare(study, "i0", "alpha", "beta")
    study.judgements.add_vote(None, comparison, ann, Answer(Outcome.A))
    result = leaderboard(study, Selection(DATASET), RankSettings(bootstrap=50))
    assert result.rows["rating"].tolist() == [1.0, 0.0]
    assert result.rows[["low", "high"]].isna().all(axis=None)
    assert any(note.startswith("There are no intervals") for note in result.notes)
