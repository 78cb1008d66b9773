"""Budgets of a small study, whose judge prefers longer texts and what is shown first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

from core.findings.budget import BudgetSettings, budget
from core.findings.budget.columns import NEEDED
from core.findings.budget.compute import choose_first_picture, summarise_budget
from core.findings.budget.pool import pool, replay_strategy, sheets
from core.findings.judgements import Selection
from core.pairing import planning
from core.prices import Prices
from core.records import Answer, Kind, Outcome, TandemError
from core.rendering import lay_out
from core.runs import execution
from core.store import Store
from tests.asking import LONGER
from tests.findings.combine.studies import add as add_votes
from tests.findings.combine.studies import vote
from tests.runs.test_preview import Priced
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill

SYSTEMS = tuple(f"s{i}" for i in range(5))
JUDGE = Selection(DATASET, judges=("model",))
FAST = BudgetSettings(methods=("win-ratio",), replays=2)


Said = tuple[int, str, str, Answer]


def add(store: Store, judge: str, said: Iterable[Said], kind: Kind = Kind.LLM) -> None:
    """What a judge says of two systems on some items."""
    add_votes(store, [vote(item, a, b, judge, answer, kind) for item, a, b, answer in said])


@pytest.fixture
def judged(study: Store) -> Store:
    """All 20 comparisons an item: the later system is better by 0.7 logits a place."""
    fill(study, items=4, systems=SYSTEMS)
    rng = np.random.default_rng(4)
    every = [(i, a, b) for i in range(4) for a, b in permutations(range(5), 2)]
    sure = [float(expit(0.7 * (a - b) + 1 + rng.normal())) for _, a, b in every]
    said = zip(every, map(Answer.from_probability, sure), strict=True)
    add(study, "model", [(i, SYSTEMS[a], SYSTEMS[b], answer) for (i, a, b), answer in said])
    return study


@pytest.mark.parametrize("level", ["item", "system"])
def test_all_comparisons_agree_with_themselves(
    judged: Store, level: Literal["item", "system"]
) -> None:
    """Whatever strategy can ask all of them, by every method, before and after the threshold."""
    methods = ("win-ratio", "bradley-terry", "average-probability", "product-of-experts")
    pairings = ("random", "symmetric")
    settings = BudgetSettings(level, pairings, methods=methods, replays=2)
    rows = budget(judged, JUDGE, settings).rows
    whole = rows[rows["comparisons"] == 20]
    assert len(whole) == 2 * 4 * 2
    assert whole[["spearman", "pair_accuracy"]].to_numpy() == pytest.approx(1.0)
    assert rows[rows["comparisons"] < 10]["spearman"].min() < 0.95


def test_the_same_seed_gives_the_same_replays_and_another_does_not(judged: Store) -> None:
    chosen = (Selection(DATASET, judges=("model",), seed=seed) for seed in (0, 0, 1))
    frames = [budget(judged, selection, FAST).rows for selection in chosen]
    assert frames[0].equals(frames[1])
    assert not frames[0].equals(frames[2])
    # Four items: the sentence says how many it takes.
    sentences = budget(judged, JUDGE, FAST).facts["sentences"]
    assert list_figures(sentences[0]) == [4, 10]
    assert not any("needed" in sentence for sentence in sentences)


def test_figures_are_those_of_single_comparisons_counted_in_a_loop(judged: Store) -> None:
    """The same comparisons, taken one by one from what was asked."""
    for strategy in ("random", "symmetric", "no-repeat", "ring", "pairs-greedy"):
        settings = BudgetSettings(
            pairings=(strategy,), methods=("win-ratio",), corrections=("none",), budgets=(6,),
            replays=1,
        )  # fmt: skip
        (row,) = budget(judged, JUDGE, settings).rows.itertuples()
        answers = pool(judged, JUDGE)
        every = sheets(answers)
        position, asked = replay_strategy(answers, every, strategy, 0, 0)
        found = []
        for sheet, one in zip(every, asked, strict=True):
            unit, of_unit = sheet.unit, answers.points[sheet.unit.rows]
            taken = position[unit.rows][list(one.places)]
            assert taken.tolist() == list(range(len(one.places)))
            rows = list(zip(unit.first.tolist(), unit.second.tolist(), of_unit, strict=True))
            some = _ratio([rows[at] for at in one.places[:6]])
            if strategy == "pairs-greedy":
                how = planning.Request(DATASET, strategy).pairing_strategy
                some = sheet.ranking(how, one, 6).tolist()
            found.append(stats.spearmanr(some, _ratio(rows)).statistic if len(set(some)) > 1 else 0)
        assert row.comparisons == 6
        assert row.spearman == pytest.approx(np.mean(found))


def _ratio(rows: list[tuple[int, int, float]]) -> list[float]:
    won = {system: [o for a, _, o in rows if a == system] for system in range(5)}
    lost = {system: [1 - o for _, b, o in rows if b == system] for system in range(5)}
    return [np.mean([*won[s], *lost[s]]) if won[s] + lost[s] else 0.5 for s in range(5)]


def test_symmetric_asks_both_orders_and_no_repeat_one(judged: Store) -> None:
    answers = pool(judged, JUDGE)
    every = sheets(answers)
    for name, different in (("symmetric", 3), ("no-repeat", 6)):
        _, asked = replay_strategy(answers, every, name, 0, 0)
        unit, first = every[0].unit, list(asked[0].places[:6])
        pairs = zip(unit.first[first], unit.second[first], strict=True)
        assert len(set(map(frozenset, pairs))) == different


def test_strategies_that_ask_anything_are_left_out_where_answers_are_missing(judged: Store) -> None:
    ends = (("s0", "s1"), ("s1", "s2"), ("s2", "s3"))
    add(judged, "ends", [(i, *pair, Answer(Outcome.A)) for i in range(4) for pair in ends])
    result = budget(judged, Selection(DATASET, judges=("ends",)), FAST)
    assert set(result.rows["strategy"]) == {"random", "no-repeat", "ring"}
    assert re.search(r"\bpairs-greedy\b.*\bleft out\b.*\b12\b", result.notes[0])
    assert re.match(r"symmetric\b.*\bleft out\b", result.notes[1])


def test_rankings_are_held_against_votes_of_people(judged: Store) -> None:
    """People say of every pair that the later system is better, and the judge mostly does."""
    pairs = list(combinations(SYSTEMS, 2))
    said = [(i, *pair, Answer(Outcome.B)) for i in range(4) for pair in pairs]
    add(judged, "Ada", said, Kind.HUMAN)
    result = budget(judged, JUDGE, FAST)
    assert result.facts["against"] == "people's votes"
    answers = pool(judged, JUDGE)
    right = []
    for unit in answers.units():
        points = answers.points[unit.rows]
        rows = list(zip(unit.first.tolist(), unit.second.tolist(), points, strict=True))
        ratio = _ratio(rows)
        right += [(np.sign(ratio[b] - ratio[a]) + 1) / 2 for a, b in combinations(range(5), 2)]
    settings = BudgetSettings(methods=("win-ratio",), corrections=("none",), replays=1)
    by_all = budget(judged, JUDGE, settings).tables["all"]
    assert by_all["human_accuracy"].item() == pytest.approx(np.mean(right))
    people = budget(judged, Selection(DATASET, judges=("Ada",)), FAST)
    assert people.facts["judge"] == "people"
    assert people.facts["against"] is None


def test_votes_of_several_people_are_asked_one_a_pair_at_a_time(study: Store) -> None:
    """Two people on each of three pairs: three votes ask every pair once."""
    fill(study, items=1)
    pairs = list(combinations(("alpha", "beta", "gamma"), 2))
    for name in ("Ada", "Ben"):
        add(study, name, [(0, *pair, Answer(Outcome.A)) for pair in pairs], Kind.HUMAN)
    answers = pool(study, Selection(DATASET))
    every = sheets(answers)
    for name in ("random", "no-repeat", "ring"):
        _, (asked,) = replay_strategy(answers, every, name, 0, 0)
        assert sorted(asked.places) == list(range(6))
        pairs = [(int(answers.first[at]), int(answers.second[at])) for at in asked.places]
        assert len(set(pairs[:3])) == 3


def test_what_it_would_have_taken_is_counted_at_the_prices_of_the_run(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """18 comparisons of 100 tokens read at 2 and 20 written at 10 a million: 0.0004 each. Answers of
    many judges are read once.
    """
    fill(study)
    priced = {"price_in": 2.0, "price_out": 10.0}
    run = planning.enqueue(study, Priced.spec, planning.Request(DATASET), priced)
    execution.execute(study, run, by=Priced())
    result = budget(study, Selection(DATASET, judges=("priced",)), FAST)
    assert result.facts["tokens_each"] == 120
    assert result.facts["money_each"] == pytest.approx(Prices(2.0, 10.0).cost(120, 20))
    assert result.facts["money_asked"] == pytest.approx(18 * 0.0004)
    assert result.facts["seconds_each"] > 0
    needed = result.tables["needed"].dropna(subset="needed")
    assert needed["tokens"].tolist() == pytest.approx((needed["needed"] * 3 * 120).tolist())


def test_what_cannot_be_replayed_is_said(judged: Store) -> None:
    pairs = list(permutations(SYSTEMS[:3], 2))
    add(judged, "always", [(0, *pair, Answer(Outcome.A)) for pair in pairs])
    settings: dict[str, Any]
    for judge, settings, said in (
        ("llm", {}, "answers of one judge"),
        ("model", {"rater": "nobody"}, "no scores by 'nobody'"),
        ("always", {"corrections": ("threshold",)}, "has none"),
        ("always", {"methods": ("average-probability",)}, "decisions"),
    ):
        with pytest.raises(TandemError, match=said):
            budget(judged, Selection(DATASET, judges=(judge,)), BudgetSettings(**settings))
    for settings, said in (
        ({"level": "world"}, "unknown level 'world'"),
        ({"pairings": ("full",)}, "unknown pairs 'full'"),
        ({"methods": ("elo",)}, "unknown method 'elo'"),
        ({"budgets": (5, 0)}, "budget is 0; it is at least 1"),
        ({"goal": 1.2}, "between 0 and 1"),
        ({"replays": 0}, "at least 1"),
    ):
        with pytest.raises(TandemError, match=said):
            BudgetSettings(**settings)


def voted(
    store: Store, outcomes: list[Outcome], systems: Sequence[str] = ("s0", "s1")
) -> Selection:
    """A judge's answer to each item, the same in both orders, about each two of the systems."""
    other = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    fill(store, items=len(outcomes), systems=SYSTEMS)
    said = [
        (item, a, b, Answer(outcome if a < b else other.get(outcome, outcome)))
        for item, outcome in enumerate(outcomes)
        for a, b in permutations(systems, 2)
    ]
    add(store, "gpt", said)
    return Selection(DATASET, judges=("gpt",))


def test_two_systems_name_no_budget(study: Store) -> None:
    selection = voted(study, [*[Outcome.A] * 30, *[Outcome.B] * 10])
    result = budget(study, selection, BudgetSettings("system", replays=3))
    assert list_figures(result.facts["sentences"][0]) == [1, -1, 3]
    assert result.rows["spearman"].isna().all()
    assert result.rows["pair_accuracy"].notna().all()
    assert result.tables["needed"]["needed"].isna().all()


@pytest.mark.parametrize("outcome", [Outcome.TIE, Outcome.BOTH_BAD])
def test_ties_alone_are_no_ranking_to_reach(study: Store, outcome) -> None:
    selection = voted(study, [outcome] * 10, SYSTEMS[:3])
    result = budget(study, selection, FAST)
    assert "no ranking" in result.facts["sentences"][0]
    assert result.tables["needed"]["needed"].isna().all()


def test_one_replay_has_no_interval(judged: Store) -> None:
    settings = BudgetSettings(methods=("win-ratio",), replays=1)
    result = budget(judged, JUDGE, settings)
    assert result.rows["spearman"].notna().all()
    assert result.rows[["spearman_low", "spearman_high"]].isna().all(axis=None)


def test_what_was_needed_and_what_it_took_is_not_zero() -> None:
    """Of 240 comparisons, an item of 100 takes two `minutes`."""
    for needed, minutes, said in (
            (48.0, 30.0, ["48 comparisons an item would have been enough by", "12.0 instead of 60.0 m"]),
            (2.0, 0.001, ["2.0 comparisons an item would", "0.001 instead of 0.12 seconds"]),
            (240.0, 30.0, ["Only all 240 comparisons an item are enough"]),
        ):  # fmt: skip
        facts = {
            "level": "item", "asked": 240.0, "items": 100, "units": 100, "answers": 24000, "systems": 16,
            "figure": "spearman", "goal": 0.95, "told_apart": True, "people": False, "against": None,
            "tokens_asked": np.nan, "money_asked": np.nan, "minutes_asked": 2 * minutes,
        }  # fmt: skip
        row = {
            "strategy": "ring", "method": "win-ratio", "debias": "none", "needed": needed,
            "tokens": np.nan, "money": np.nan, "minutes": 2 * minutes * needed / 240,
        }  # fmt: skip
        empty = pd.DataFrame({"human_accuracy": []})
        tables = {"needed": pd.DataFrame([row]), "all": empty, "fewer": empty}
        told = " ".join(summarise_budget(facts, tables))
        assert all(part in told for part in said), told


def test_a_sort_has_its_own_ranking_in_the_table() -> None:
    rows = pd.DataFrame(
        {
            "strategy": "ring", "method": ["win-ratio", "pairs"], "debias": "none",
            "needed": [48.0, 2.0], "share": 0.2, "tokens": np.nan, "money": 0.0123,
            "minutes": 120.4, "at_most": 0.96,
        }
    )  # fmt: skip
    grid = lay_out(rows, NEEDED)
    labels = [heading.label for heading in grid.headings]
    assert labels == [column.label for column in NEEDED if column.name != "tokens"]
    cells = [[cell.text for cell in row] for row in grid.rows]
    assert "own" in cells[1][1], "the ranking of the sort itself"
    assert cells[1][3:] == ["2.0", "20%", "0.012", "120", "0.96"]


def test_a_picture_shows_first_what_the_sentence_names() -> None:
    for needed, debias in (
        ([2.6, 2.9, 3.1], "none"),  # what the sentence names, not the last
        ([3.1, 2.9, np.nan], "threshold"),
        ([3.1, 2.9, 2.6], "threshold"),  # a sort has none
        ([np.nan, np.nan, np.nan], "threshold"),
    ):
        rows = pd.DataFrame({"strategy": ["no-repeat", "no-repeat", "pairs-greedy"]})
        rows = rows.assign(method=["win-ratio", "win-ratio", "pairs"], needed=needed)
        rows["debias"] = ["none", "threshold", "none"]
        shown = choose_first_picture(rows, rows, ("win-ratio",))
        assert shown == {"method": "win-ratio", "debias": debias}


def test_items_are_counted_as_everywhere_whatever_the_attributes(store: Store) -> None:
    """5 items under 2 attributes are 10 replays of an item, and 5 items."""
    fill(store, items=5, attributes=("coherence", "fluency"))
    run = planning.enqueue(store, LONGER.spec, planning.Request(DATASET))
    execution.execute(store, run, by=LONGER)
    result = budget(store, Selection(DATASET, judges=(LONGER.spec.name,)), FAST)
    facts = result.facts
    assert (facts["items"], facts["attributes"], facts["units"]) == (5, 2, 10)
    assert facts["sentences"][0].startswith("5 items so far")
