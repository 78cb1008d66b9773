"""Comparisons derived from marks: by hand on a small study, and on the expert marks of SummEval."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.exporting import export
from core.findings import accuracy, agreement, correlation
from core.findings.accuracy import AccuracySettings
from core.findings.correlation import Reference
from core.findings.judgements import answers, describe
from core.findings.judgements.answers import find_judges, select_answered, select_judgements
from core.findings.judgements.selection import Selection
from core.findings.leaderboard import leaderboard
from core.findings.leaderboard.settings import RankSettings
from core.importing import importer
from core.records import Answer, Dataset, JudgeSpec, Kind, Outcome, Score, TandemError
from core.store import Store
from tests.paths import DATASETS
from tests.study import DATASET, campaign_asking, compare, fill, judge

SUMMEVAL = DATASETS / "summeval" / "summeval_100x16.jsonl.gz"
SCORER = JudgeSpec("scorer", Kind.LLM, "hf:x", mode="g-eval")


def marked(
    store: Store, marks: dict[str, list[float | str]], by: JudgeSpec = SCORER, sample: int = 0
) -> None:
    """System -> its marks of items i0, i1 ...; a word is why there is none."""
    store.judges.add([by])
    scores = []
    for system, of_system in marks.items():
        for item, mark in enumerate(of_system):
            value, failure = (None, mark) if isinstance(mark, str) else (mark, "")
            of = (f"i{item}", system, "coherence", by.name, value, sample)
            scores.append(Score(*of, failure=failure, kind=by.kind))
    store.scores.add(DATASET, scores)


def outcomes(frame: pd.DataFrame) -> set[tuple[str, str, str, str]]:
    """(item, system A, system B, outcome or why there is none)."""
    said = frame["outcome"].where(frame["outcome"].notna(), frame["failure"])
    return set(zip(frame["item"], frame["system_a"], frame["system_b"], said, strict=True))


@pytest.fixture
def scored(store: Store) -> Store:
    """By hand: beta has no mark of i1, and the marks of i2 are not there yet but for alpha's."""
    fill(store)
    marked(store, {"alpha": [3, 2, 5], "beta": [3, "too-long"], "gamma": [7.5, 1]})
    return store


HAND = {
    ("i0", "alpha", "beta", "tie"),
    ("i0", "alpha", "gamma", "b"),
    ("i0", "beta", "gamma", "b"),
    ("i1", "alpha", "beta", "too-long"),
    ("i1", "alpha", "gamma", "a"),
    ("i1", "beta", "gamma", "too-long"),
}


def test_of_marks_whose_lower_ones_are_better_the_lower_one_wins(scored: Store) -> None:
    marks = scored.scores.load_all(DATASET)
    stamp, selection = scored.scores.stamp(DATASET), Selection(DATASET, judges=("scorer",))
    before = leaderboard(scored, selection, RankSettings())
    scored.datasets.set_lower_is_better(DATASET, ["coherence"])
    assert scored.scores.stamp(DATASET) != stamp
    assert scored.datasets.attributes(DATASET)[0].lower_is_better
    assert scored.scores.load_all(DATASET)["value"].equals(marks["value"])  # as they were given
    frame, _ = select_judgements(scored, selection)
    mirrored = {"a": "b", "b": "a"}
    assert outcomes(frame) == {(*pair, mirrored.get(said, said)) for *pair, said in HAND}
    after = leaderboard(scored, selection, RankSettings())
    assert after.rows["system"].tolist() == before.rows["system"].tolist()[::-1]


def test_marks_that_a_run_here_gave_are_higher_where_the_text_is_better(scored: Store) -> None:
    scored.datasets.set_lower_is_better(DATASET, ["coherence"])
    expert = JudgeSpec("expert", Kind.HUMAN)
    marked(scored, {"alpha": [1, 1], "beta": [2, 2], "gamma": [3, 3]}, expert)
    marked(scored, {"alpha": [9, 9], "beta": [5, 5], "gamma": [4, 4]}, JudgeSpec("own", Kind.LLM))
    own = scored.judges.id_of("own")
    run = scored.runs.begin(DATASET, "score", own, {}, {}, {})
    scored.connection.execute("UPDATE scores SET run = ? WHERE judge = ?", (run, own))
    against = Reference("expert", "item", bootstrap=0)
    found = correlation.correlate(scored, Selection(DATASET), against, scores="own")
    assert found.rows["spearman"].tolist() == [1.0]


def test_the_higher_mark_wins(scored: Store) -> None:
    frame = answers.compare_marks(scored.scores.load_all(DATASET))
    assert outcomes(frame) == HAND
    assert list(frame.columns) == list(scored.judgement_frames.load_all(DATASET).columns)
    assert frame["prob_a"].isna().all()
    assert (frame["order_known"] == 0).all()
    assert frame["judgement"].is_unique
    assert not set(frame["judgement"]) & set(range(10))  # rows of no table


def test_only_the_same_samples_meet(store: Store) -> None:
    fill(store, items=1, samples=2)
    assert answers.compare_marks(store.scores.load_all(DATASET)).empty
    marked(store, {"alpha": [1], "beta": [2]})
    marked(store, {"alpha": [9], "gamma": [8]}, sample=1)
    frame = answers.compare_marks(store.scores.load_all(DATASET))
    assert outcomes(frame) == {("i0", "alpha", "beta", "b"), ("i0", "alpha", "gamma", "a")}
    assert (frame["sample_a"] == frame["sample_b"]).all()


@given(marks=st.lists(st.integers(0, 3), min_size=2, max_size=9), seed=st.randoms())
def test_in_whatever_order_the_marks_came(marks: list[int], seed: object) -> None:
    frame = pd.DataFrame(
        {
            "generation": range(len(marks)), "item": "i", "subset": "", "system": [f"s{n}" for n in range(len(marks))],
            "sample": 0, "attribute": "coherence", "rater": "r", "kind": "llm", "trial": 0, "value": marks, "failure": "",
        }
    )  # fmt: skip
    found = answers.compare_marks(frame)
    assert len(found) == len(marks) * (len(marks) - 1) // 2
    firsts = found["system_a"].tolist()
    assert len(marks) < 8 or firsts != sorted(firsts)  # no system's comparisons in a row
    for row in found.itertuples():
        one, other = (marks[int(name[1:])] for name in (row.system_a, row.system_b))
        assert row.outcome == ("a" if one > other else "b" if one < other else "tie")
    shuffled = list(range(len(marks)))
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    pd.testing.assert_frame_equal(answers.compare_marks(frame.iloc[shuffled]), found)


def test_every_statistic_takes_them(scored: Store) -> None:
    selection = Selection(DATASET, judges=("scorer",))
    used, unanswered = select_answered(scored, selection)
    assert (len(used), unanswered) == (4, {"too-long": 2})
    board = leaderboard(scored, selection, RankSettings("win-ratio", bootstrap=0))
    # By hand: alpha tie, loss, win; beta tie, loss; gamma win, win, loss.
    assert board.rows.set_index("system")["rating"].to_dict() == pytest.approx(
        {"alpha": 1.5 / 3, "beta": 0.5 / 2, "gamma": 2 / 3}
    )
    assert (board.judgements, dict(board.unanswered)) == (4, {"too-long": 2})
    of_i0 = select_judgements(scored, replace(selection, systems=("alpha", "gamma")))[0]
    assert outcomes(of_i0) == {("i0", "alpha", "gamma", "b"), ("i1", "alpha", "gamma", "a")}
    told = describe.describe(scored, selection).tables["outcomes"].iloc[0]
    assert told[["judge", "a", "b", "tie", "failed"]].tolist() == ["scorer", 1, 2, 1, 2]
    assert pd.isna(told["p_first"])
    other = JudgeSpec("other", Kind.BASELINE, mode="metric")
    marked(scored, {"alpha": [1, 1], "beta": [2, 3], "gamma": [5, 2]}, other)
    both = agreement.agreement(scored, replace(selection, judges=("scorer", "other"))).rows
    # By hand: of the four pairs both speak of, they agree on two (gamma over alpha and over beta on
    # i0).
    found = both[["judge_1", "judge_2", "verdicts", "agreement"]].to_numpy().tolist()
    assert found == [["scorer", "other", 4, 0.5]]
    settings = AccuracySettings("scores", rater="other")
    right = accuracy.accuracy(scored, selection, settings).rows.iloc[0]
    assert right[["comparisons", "right", "tied", "accuracy"]].tolist() == [4, 2, 1, 2.5 / 4]
    against, ratio = Reference("other", "system", bootstrap=0), RankSettings("win-ratio")
    assert correlation.correlate(scored, selection, against, settings=ratio).judgements == 4
    with pytest.raises(TandemError, match=r"'scorer'.*\bcompared none\b"):
        next(export.judgements(scored, selection))


def test_a_kind_takes_in_its_scorers_but_no_marks_of_people(scored: Store) -> None:
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("expert", Kind.HUMAN))
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("imported", Kind.LLM))
    assert find_judges(scored, Selection(DATASET, judges=("llm",)))["judge"].tolist() == ["scorer"]
    with pytest.raises(TandemError, match=r"^no human\b.*\bjudges llm, or of scorer$"):
        find_judges(scored, Selection(DATASET))
    with pytest.raises(TandemError, match=r"^no judgements\b.*\bhuman\b"):
        find_judges(scored, Selection(DATASET, judges=("human",)))
    by_name = select_judgements(scored, Selection(DATASET, judges=("expert", "imported")))[0]
    assert set(by_name["judge"]) == {"expert", "imported"}
    assert set(by_name["kind"]) == {"human", "llm"}


def test_who_has_compared_is_asked_for_that(scored: Store) -> None:
    ada = judge(scored, "Ada")
    vote = compare(scored, "i0", "beta", "alpha")
    scored.judgements.add_vote(campaign_asking(scored), vote, ada, Answer(Outcome.A))
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("Ada", Kind.HUMAN))
    frame = select_judgements(scored, Selection(DATASET, judges=("Ada",)))[0]
    assert outcomes(frame) == {("i0", "beta", "alpha", "a")}
    frame = select_judgements(scored, Selection(DATASET, judges=("Ada", "scorer")))[0]
    assert outcomes(frame) == {("i0", "beta", "alpha", "a"), *HAND}


def test_a_board_notices_new_marks(scored: Store) -> None:
    before = scored.judgement_frames.stamp(DATASET)
    marked(scored, {"beta": [1, 1, 1]}, JudgeSpec("late", Kind.LLM, mode="score"))
    assert scored.judgement_frames.stamp(DATASET) != before


@pytest.mark.shared
def test_the_experts_of_summeval(store: Store) -> None:
    """source: ../shared/datasets/README.md, summeval, facts 2 and 3: ties among the 12,000 pairs,
    best and worst system by mean mark (the best for coherence; for the others it is level with the
    next). Win ratios are mean ranks, by scipy.
    """
    importer.write(store, importer.survey(store, [SUMMEVAL], Dataset("summeval")))
    facts = {
        "coherence": (1328, "M22", "M11"), "consistency": (8079, None, "M11"),
        "fluency": (6571, None, "M11"), "relevance": (1857, None, "M11"),
    }  # fmt: skip
    marks = store.scores.load_all("summeval")
    for attribute, (ties, best, worst) in facts.items():
        selection = Selection("summeval", attribute=attribute, judges=("expert",))
        frame, _ = select_answered(store, selection)
        assert (len(frame), (frame["outcome"] == "tie").sum()) == (12_000, ties)
        board = leaderboard(store, selection, RankSettings("win-ratio", bootstrap=0)).rows
        assert board["system"].iloc[-1] == worst
        assert best in (None, board["system"].iloc[0])
        of = marks[marks["attribute"] == attribute]
        table = of.pivot(index="item", columns="system", values="value")
        ratio = (stats.rankdata(table, axis=1).mean(axis=0) - 1) / 15
        ratings = board.set_index("system")["rating"][table.columns]
        assert ratings.to_numpy() == pytest.approx(ratio)
