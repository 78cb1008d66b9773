"""Correlations of all judges in one table, and their intervals."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.findings import correlation
from core.findings.correlation import Level, Reference, describe_correlation
from core.findings.correlation.figures import FIGURES, compute_ceilings, find_bases
from core.findings.judgements import Finding, Selection
from core.findings.judgements.judges import add_judge_info, group_prompts
from core.findings.leaderboard import make_resampler
from core.findings.leaderboard.settings import RankSettings
from core.records import JudgeSpec, Kind, Prompt, TandemError
from core.store import Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences

ITEMS, SYSTEMS = 12, "uvwxy"
RNG = np.random.default_rng(12)
TRUTH = RNG.normal(size=(ITEMS, len(SYSTEMS)))
METRIC = TRUTH + RNG.normal(size=TRUTH.shape)


def vote(i: int, who: str, kind: str, a: str, b: str, prefers_a: bool) -> dict[str, object]:
    texts = {"left": a, "right": b, "text_a": f"{a}{i}", "text_b": f"{b}{i}"}
    of = {"item": f"i{i}", "attribute": "q", "judge": who, "kind": kind}
    return of | texts | {"winner": "ba"[int(prefers_a)]}


def score(**marks: np.ndarray) -> list[dict[str, object]]:
    """Texts of all systems on all items, with these marks in columns so called."""
    return [
        {"item": f"i{i}", "system": s, "text": f"{s}{i}"}
        | {name: values[i, k] for name, values in marks.items()}
        for i in range(ITEMS)
        for k, s in enumerate(SYSTEMS)
    ]


def gap(values: np.ndarray, i: int, a: str, b: str) -> float:
    return float(values[i, SYSTEMS.index(a)] - values[i, SYSTEMS.index(b)])


def correlate_all(
    store: Store, against: str, level: Any, settings: RankSettings | None = None, **how: Any
) -> Finding:
    reference = Reference(against, level, **how)
    words = {} if settings is None else {"settings": settings}
    return correlation.correlate_all(store, Selection("d"), reference, **words)


@pytest.fixture(scope="module")
def judged() -> Store:
    """Two prompts of one model, a person and a metric on 12 items x 5 systems with scores."""
    store = Store(":memory:")
    texts = score(**{"score:q": TRUTH})
    marks = score(**{"score:metric:q": METRIC})
    rng = np.random.default_rng(13)
    for number in (1, 2):
        prompt = Prompt("better", number, f"{{context}} {number}")
        store.judges.add([JudgeSpec(f"m{number}", Kind.LLM, "hf:m", prompt)])
    votes = [
        vote(i, who, kind, a, b, noise * rng.normal() > gap(TRUTH, i, b, a))
        for i in range(ITEMS)
        for a, b in permutations(SYSTEMS, 2)
        for who, kind, noise in (("m1", "llm", 0.5), ("m2", "llm", 2.0), ("Ada", "human", 0.0))
    ]
    load(store, texts)
    load(store, marks, kind=Kind.LLM)
    return load(store, votes)


def table(store: Store, level: str = "item", **settings: Any) -> dict[str, dict[str, Any]]:
    how = RankSettings("win-ratio", **settings)
    result = correlate_all(store, "human", level, how, bootstrap=100)
    return {row["judge"]: row for row in result.document()["rows"]}


def test_every_judge_and_rater_has_a_row(judged: Store) -> None:
    rows = table(judged)
    names = ("judge", "of", "prompt", "model", "kind")
    assert {tuple(row[name] for name in names) for row in rows.values()} == {
        ("m1", "win-ratio", "better@1", "hf:m", "llm"), ("m2", "win-ratio", "better@2", "hf:m", "llm"),
        ("Ada", "win-ratio", None, "Ada", "human"), ("metric", "scores", None, "metric", "llm"),
    }  # fmt: skip
    assert rows["Ada"]["spearman"] == rows["Ada"]["pair_accuracy"] == pytest.approx(1)
    assert (rows["m1"]["judgements"], rows["m1"]["items"], rows["m1"]["pairs"]) == (240, 12, 120)
    expected = np.mean([stats.spearmanr(METRIC[i], TRUTH[i]).statistic for i in range(ITEMS)])
    assert rows["metric"]["spearman"] == pytest.approx(expected)
    assert rows["metric"]["spearman_low"] < expected < rows["metric"]["spearman_high"]


def test_a_row_is_what_the_judge_alone_has(judged: Store) -> None:
    settings = RankSettings("win-ratio")
    for level in get_args(Level):
        rows = table(judged, level)
        for who in ("m1", "m2"):
            chosen = Selection("d", judges=(who,)), Reference("human", level, bootstrap=100)
            result = correlation.correlate(judged, *chosen, settings=settings)
            alone, methods = result.rows.iloc[0], [str(each.interval) for each in result.columns]
            assert any("Fisher" in method for method in methods) == (level == "system")
            for name in FIGURES:
                expected = None if np.isnan(alone[name]) else pytest.approx(alone[name])
                assert rows[who][name] == expected, (level, name)
            assert alone["spearman_low"] <= alone["spearman"] <= alone["spearman_high"]


def test_averages_are_of_the_correlations(judged: Store) -> None:
    rows = table(judged)
    (average,) = correlate_all(judged, "human", "item", bootstrap=0).document()["averages"]
    assert (average["model"], average["prompts"]) == ("hf:m", 2)
    for name in ("spearman", "kendall", "pearson", "pair_accuracy"):
        assert average[name] == pytest.approx((rows["m1"][name] + rows["m2"][name]) / 2)
        assert average[f"{name}_low"] is None  # without resamples
    assert (average["n"], average["judgements"], average["unanswered"]) == (12, 480, 0)


def test_averages_are_over_prompts_of_the_same_way_of_asking(store: Store) -> None:
    """Of six judges of one model, two of each way; only these differ in nothing but their prompt."""
    prompts = [Prompt(name, 1, "{candidate_a}{candidate_b}") for name in ("better", "short")]
    ways = {"classifier": {}, "sample": {"votes": 5, "temperature": 1.0}, "generate": {}}
    judges = [
        JudgeSpec(f"{mode} with {prompt.name}", Kind.LLM, "hf:m", prompt, mode, **way)  # type: ignore[arg-type]
        for mode, way in ways.items()
        for prompt in prompts
    ]
    judges[-1] = replace(judges[-1], labels=("1", "2"))
    store.judges.add(judges)
    names = [judge.name for judge in judges]
    rows = add_judge_info(store, pd.DataFrame({"judge": names, "attribute": "q"}))
    assert [
        (about["mode"], about["settings"], of["judge"].tolist())
        for about, of in group_prompts(store, rows, ["attribute"])
    ] == [("classifier", "", names[:2]), ("sample", "votes:5|temperature:1", names[2:4])]


def test_the_interval_of_an_average_is_over_the_same_resamples(judged: Store) -> None:
    """scipy's bootstrap of the mean over items of both prompts' mean: each item's two correlations
    stay together. Of 12 items its tails are those of Student's t.
    """
    (average,) = correlate_all(judged, "human", "item", bootstrap=2000).document()["averages"]
    frame = judged.judgement_frames.load_all("d")
    each = []
    for who in ("m1", "m2"):
        of_judge = frame[frame["judge"] == who]
        won = [of_judge.assign(system=of_judge[f"system_{side}"], won=of_judge["outcome"] == side)
               for side in "ab"]  # fmt: skip
        ratio = pd.concat(won).groupby(["item", "system"])["won"].mean().unstack()[list(SYSTEMS)]
        each.append([stats.spearmanr(ratio.loc[f"i{i}"], TRUTH[i]).statistic for i in range(ITEMS)])
    of_item = np.mean(each, axis=0)
    assert average["spearman"] == pytest.approx(of_item.mean())
    tail = stats.norm.cdf(np.sqrt(12 / 11) * stats.t.ppf(0.025, 11))  # Hesterberg 2015, 12 items
    theirs = stats.bootstrap(
        (of_item,), np.mean, method="percentile", n_resamples=5000, rng=1,
        confidence_level=1 - 2 * tail,
    ).confidence_interval  # fmt: skip
    found = average["spearman_low"], average["spearman_high"]
    assert found == pytest.approx(tuple(theirs), abs=0.04)


def test_marks_that_failed_are_counted_beside_their_rater(store: Store) -> None:
    texts = [{"item": f"i{i}", "system": s, "text": f"{s}{i}"} for i in range(4) for s in "uv"]
    load(store, [{**text, "score:q": place} for place, text in enumerate(texts)])
    marks = [0, 1, "?", 3, 4, "?", "?", 7]
    models = [{**text, "score:gpt:q": mark} for text, mark in zip(texts, marks, strict=True)]
    load(store, models, kind=Kind.LLM)
    result = correlate_all(store, "human", "pool")
    (row,) = result.document()["rows"]
    assert (row["judge"], row["n"], row["missing"], row["unanswered"]) == ("gpt", 5, 3, 3)
    assert result.unanswered == {"not-a-number": 3}


def test_debiased(judged: Store) -> None:
    assert table(judged, debias="swap")["m1"]["judgements"] == 240
    result = correlate_all(judged, "human", "item", RankSettings("average-probability"))
    assert [row["judge"] for row in result.document()["rows"]] == ["metric"]
    ways = r"m1, q: .*\bno probabilities\b.*\bwin-ratio or bradley-terry\b"
    assert re.match(ways, result.notes[0])


def test_what_cannot_be_asked(judged: Store) -> None:
    for said, method, against, level in (
        ("unknown table 'elo'; there are win-ratio, average-probability", "elo", "human", "item"),
        ("no scores by 'nobody' here", "", "nobody", "item"),
        ("unknown level 'text'; there are item, system, pool", "", "human", "text"),
    ):
        with pytest.raises(TandemError, match=said):
            correlate_all(judged, against, level, RankSettings(method))


def test_the_interval_of_a_system_rating_takes_the_rating_anew(judged: Store) -> None:
    """Two resamples, rated by hand: all items once, and items none, one or two times."""
    rate = make_resampler(judged, Selection("d", judges=("m2",)), RankSettings("win-ratio"))
    frame = judged.judgement_frames.load_all("d").query("judge == 'm2'")
    items = np.array(sorted(frame["item"].unique()))
    counts = np.stack([np.ones(ITEMS), np.arange(ITEMS) % 3])
    found = rate(items, np.array(list(SYSTEMS)), counts)
    points = frame["outcome"].map({"a": 1.0, "b": 0.0})
    for row, times in zip(found, counts, strict=True):
        weight = frame["item"].map(dict(zip(items, times, strict=True)))
        for system, ratio in zip(SYSTEMS, row, strict=True):
            a, b = frame["system_a"] == system, frame["system_b"] == system
            won = (weight * points)[a].sum() + (weight * (1 - points))[b].sum()
            assert ratio == pytest.approx(won / weight[a | b].sum())


def test_an_estimate_is_of_the_items_that_its_interval_is_of(store: Store) -> None:
    """Ada's 8 votes for u about unscored items tell nothing: of the scored ones, w beats v beats u
    as the scores have it.
    """
    texts = ["item,system,text,score:q"]
    texts += [
        f"i{i},{s},{s}{i},{n if i < 6 else ''}" for i in range(10) for s, n in ("u1", "v2", "w4")
    ]
    votes = [
        vote(i, "Ada", "human", a, b, not (i < 6 or b == "u"))
        for i in range(10)
        for a, b in ("uv", "uw", "vw")
    ]
    load(store, texts)
    load(store, votes)
    chosen, reference = Selection("d", judges=("Ada",)), Reference("human", "system")
    one = correlation.correlate(store, chosen, reference)
    every = correlate_all(store, "human", "system")
    of_hand = stats.pearsonr([0, 0.5, 1], [1, 2, 4]).statistic  # win ratios of the 18 votes
    for result in (one, every):
        assert result.rows["pearson"].tolist() == pytest.approx([of_hand])
        assert result.judgements == 18
    left_out, no_interval = every.notes
    assert re.match(r"12 judgements\b.*\bno score\b.* by 'human'", left_out)
    assert re.search(r"\b3 systems\b.*\bno interval\b.*\b5\b", no_interval)
    assert every.rows["pearson_low"].isna().all()


def test_other_settings_have_another_signature(judged: Store) -> None:
    one, other = Selection("d", judges=("m1",)), Selection("d", judges=("m2",))
    fewer = Selection("d", judges=("m1",), systems=("u", "v", "w"))
    chosen = [(one, "half"), (other, "half"), (one, "drop"), (fewer, "half")]
    reference = Reference("human", "pool", bootstrap=0)
    for compute in (correlation.correlate, correlation.correlate_all):
        signed = {
            compute(judged, of, reference, settings=RankSettings(ties=ties)).signature
            for of, ties in chosen
        }
        assert len(signed) == len(chosen)


def test_a_system_that_nobody_has_judged_is_missing(store: Store) -> None:
    """w, the last by name, has scores and no votes: u and v are correlated without it."""
    texts = [f"i{i},{s},{s}{i},{mark}" for i in range(3) for s, mark in ("u1", "v2", "w3")]
    load(store, ["item,system,text,score:q", *texts])
    load(store, [vote(i, "Ada", "human", "u", "v", False) for i in range(3)])
    for level in get_args(Level):
        for compute in (correlation.correlate, correlation.correlate_all):
            (row,) = compute(store, Selection("d"), Reference("human", level)).document()["rows"]
            figures = row["spearman"], row["pair_accuracy"], row["missing"]
            assert figures == (pytest.approx(1), 1, 3), level


def test_differences_are_paired(judged: Store) -> None:
    """The person, who knows the scores, is ahead of each; scipy's paired t-test over the items, for
    all six pairs of the four together (Bonferroni).
    """
    result = correlate_all(judged, "human", "item", bootstrap=2000)
    found = result.tables["differences"].set_index("judge_2")
    assert set(found["judge_1"]) == {"Ada"}
    assert set(found.index) == {"m1", "m2", "metric"}
    of_metric = [stats.spearmanr(METRIC[i], TRUTH[i]).statistic for i in range(ITEMS)]
    theirs = stats.ttest_rel(np.ones(ITEMS), of_metric).confidence_interval(1 - 0.05 / 6)
    row = found.loc["metric"]
    assert row["difference"] == pytest.approx(1 - np.mean(of_metric))
    assert (row["low"], row["high"]) == pytest.approx(tuple(theirs), abs=0.06)
    between = correlate_all(judged, "human", "system")
    assert between.tables["differences"]["low"].isna().all()


def test_nobody_is_held_against_what_it_has_scored_itself(store: Store) -> None:
    """`gpt` compares by its own marks, and two models have scored at random beside it: what it
    follows are the means of these, by scipy. Against its own marks alone it is, and they are named.
    """
    rng = np.random.default_rng(3)
    marks = {who: rng.normal(size=(ITEMS, len(SYSTEMS))) for who in ("gpt/single", "x", "y")}
    own = marks["gpt/single"]
    texts = score(**{f"score:{who}:q": of for who, of in marks.items()})
    votes = [
        vote(i, "gpt", "llm", a, b, gap(own, i, a, b) > 0)
        for i in range(ITEMS)
        for a, b in permutations(SYSTEMS, 2)
    ]
    load(store, texts, kind=Kind.LLM)
    load(store, votes, kind=Kind.LLM)
    pool, alone = (correlate_all(store, who, "item", bootstrap=0) for who in ("llm", "gpt/single"))
    others = (marks["x"] + marks["y"]) / 2
    theirs = np.mean([stats.spearmanr(own[i], others[i]).statistic for i in range(ITEMS)])
    row = pool.rows.set_index("judge").loc["gpt"]
    assert row["spearman"] == pytest.approx(theirs)
    assert find_sentences(pool.notes, r"\bscored itself\b.*\bleft out\b.*: gpt\.$")
    assert alone.rows.set_index("judge").loc["gpt", "spearman"] == pytest.approx(1)
    assert find_sentences(alone.notes, r"\bown scores: gpt\.$")
    assert not find_sentences(alone.notes, r"\bscored itself\b")


def test_names_that_begin_alike_are_relatives(judged: Store) -> None:
    """Where all begin alike that is what systems are called; one or two letters are no name."""
    llamas = ["llama-2-7b", "meta/Llama3", "gpt-4", "gpt2", "t5-small", "t5-large"]
    for systems, beginnings, bases in (
        (llamas, (), [2, 2, 1, 1]),
        (["M0", "M1", "M22"], (), [1, 1, 1]),
        (["system1", "system2", "human"], (), [1, 1, 1]),
        (["ckpt-1", "ckpt-2", "ckpt-3"], (), [1, 1, 1]),
        (["t5-small", "t5-large", "gpt-4", "gpt2"], ("T5",), [2, 1, 1]),
    ):
        sizes = sorted(np.bincount(find_bases(systems, beginnings)).tolist(), reverse=True)
        assert sizes == bases + [1] * (len(systems) - sum(bases)), systems
    # A base that no system has is refused.
    for correlate in (
        lambda reference: correlation.correlate(judged, Selection("d"), reference, scores="metric"),
        lambda reference: correlation.correlate_all(judged, Selection("d"), reference),
    ):
        assert len(correlate(Reference("human", "system", bases=("U", "v"))).rows)
        with pytest.raises(TandemError, match=r"no system's name\b.*'llama'"):
            correlate(Reference("human", "system", bases=("u", "llama")))


def test_who_hardly_correlates_does_not_follow() -> None:
    row = {"judge": "m", "kind": "llm", "attribute": "q", "of": "scores", "n": 50, "judgements": 0}
    row |= {"spearman_low": 0.2, "spearman_high": 0.4}
    nobody = pd.DataFrame(columns=["attribute", "judge_1", "judge_2", "items", "difference", "low"])
    facts = {"level": "item", "against": "human"}
    for spearman, follows in ((0.29, "hardly follows"), (0.3, "follows")):
        rows = pd.DataFrame([row | {"spearman": spearman}])
        result = Finding(rows, "", 0, facts=facts, tables={"differences": nobody})
        said = describe_correlation(result)
        assert said.startswith(f"m {follows} ")
        assert ("from 0.3 on" in said) is (spearman < 0.3)


# ---- What a perfect judge would reach, against mean squares by hand


RATED_ITEMS, RATED_SYSTEMS, RATERS = 12, 5, 3
DRAWN = np.random.default_rng(21)
MARKS = DRAWN.normal(size=(RATED_ITEMS, RATED_SYSTEMS, 1)) + DRAWN.normal(
    size=(RATED_ITEMS, RATED_SYSTEMS, RATERS)
)


@pytest.fixture
def rated(store: Store) -> Store:
    """Three raters of 12 items x 5 systems, and a metric that says what the first of them does."""
    rows = [
        {"item": f"i{i}", "system": f"s{k}", "text": f"{i} by {k}"}
        | {f"score:r-{n}:q": MARKS[i, k, n] for n in range(RATERS)}
        | {"score:metric:q": MARKS[i, k, 0]}
        for i in range(RATED_ITEMS)
        for k in range(RATED_SYSTEMS)
    ]
    return load(store, rows)


def by_hand(level: str) -> float:
    """The root of the reliability, from mean squares between and within texts."""
    means = MARKS.mean(axis=2)
    within = ((MARKS - means[:, :, None]) ** 2).sum() / (RATED_ITEMS * RATED_SYSTEMS * (RATERS - 1))
    if level == "system":
        error = within / (RATERS * RATED_ITEMS)
        return float(np.sqrt(max(1 - error / means.mean(axis=0).var(ddof=1), 0)))
    centre, free = means.mean(), RATED_ITEMS * RATED_SYSTEMS - 1
    if level == "item":
        centre, free = means.mean(axis=1, keepdims=True), RATED_ITEMS * (RATED_SYSTEMS - 1)
    between = RATERS * ((means - centre) ** 2).sum() / free
    return float(np.sqrt((between - within) / between))


def test_it_is_the_root_of_the_reliability(rated: Store) -> None:
    """It stands beside the correlations. One rater says nothing of others."""
    selection = Selection("d")
    for level in get_args(Level):
        found = compute_ceilings(rated, selection, Reference("r", level)).loc["q"]
        assert found["ceiling"] == pytest.approx(by_hand(level)), level
        assert 0 <= found["ceiling_low"] < found["ceiling"] < found["ceiling_high"] <= 1, level
    reference = Reference("r", "item")
    for result in (
        correlation.correlate_all(rated, selection, reference),
        correlation.correlate(rated, selection, reference, scores="metric"),
    ):
        assert result.rows["ceiling"].to_numpy() == pytest.approx(by_hand("item"))
    alone = correlation.correlate_all(rated, selection, Reference("r-1", "item", bootstrap=0))
    assert alone.rows["ceiling"].isna().all()
