"""Re-weighting by the probability of inclusion: by hand, and in a simulation of known truth."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import campaigns
from core.campaigns import enrol, ordering
from core.exporting import export
from core.findings import correlation
from core.findings.correlation import Reference
from core.findings.judgements.selection import Selection
from core.findings.leaderboard import leaderboard, make_resampler, reweighting
from core.findings.leaderboard.settings import RankSettings
from core.importing import importer
from core.judging.registry import make
from core.pairing import open_default, planning
from core.pairing.item_draws import BySeparability, draw_by_separability
from core.pairing.planning import Request
from core.records import Answer, Dataset, JudgeSpec, Kind, Outcome, Score, TandemError
from core.statistics import ratings
from core.statistics.ratings import RATINGS
from core.store import Store
from tests.cli.asked import Call, document, refusal
from tests.sentence_facts import find_sentences
from tests.statistics import votes as columns_of_votes
from tests.study import DATASET, fill, ids
from tests.study import ask as asked_of

LONGER = make("baseline:longer").spec
OURS = Selection(DATASET, judges=("baseline",))
WEIGHABLE = [name for name, how in RATINGS.items() if how.weighable]


@pytest.fixture
def two(store: Store) -> Store:
    """Items i0, i1 of two systems."""
    fill(store, items=2, systems=("alpha", "beta"))
    return store


def plan(store: Store, **request: Any) -> int:
    checked = planning.check_request(store, Request(DATASET, **request))
    return planning.enqueue(store, LONGER, checked)


def add(store: Store, run: int, answers: list[tuple[int, Answer]], trial: int = 0) -> None:
    store.judgements.add_answers(run, store.judges.id_of(LONGER.name), trial, answers)


def ask(store: Store, **request: Any) -> None:
    """A run whose judge prefers alpha on item i0 and beta on the others, in either order."""
    run = plan(store, **request)
    answers = []
    for question in store.runs.list_pending(run, 99):
        name, item, _ = str(question.text_a).split()[0].split("-")
        sure = 0.9 if (name == "alpha") == (item == "0") else 1 - 0.9
        answers.append((question.comparison, Answer.from_probability(sure)))
    add(store, run, answers, request.get("trial", 0))


def reorder(store: Store, order: str, places: dict[str, tuple[int, float]]) -> None:
    """Items' pairs of the campaign of all pairs, each with its place and its chance."""
    known, pairs = ids(store), {}
    for item, place in places.items():
        pairs[tuple(sorted(known[item, name, 0] for name in ("alpha", "beta")))] = place
    store.campaigns.reorder(store.campaigns.default(DATASET).id, order, pairs)


FAR = 2**40  # places of pairs that were not drawn


def vote(store: Store) -> str:
    """The item that Ada is asked about, and answers."""
    shown = asked_of(store, "Ada")
    assert shown is not None
    campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
    return shown.item


def included(store: Store) -> dict[str, float]:
    """item -> the probability in the exported judgements, the same for all of an item's."""
    frame = export.join_portions(export.judgements(store, Selection(DATASET)))
    found = frame.groupby("item")["inclusion_probability"].agg(["min", "max"])
    assert (found["min"] == found["max"]).all()
    return found["min"].to_dict()


def rating(store: Store, **settings: Any) -> float:
    rows = leaderboard(store, OURS, RankSettings(bootstrap=0, **settings)).rows
    return float(rows.set_index("system")["rating"]["alpha"])


DRAWN = (("i0", 0.25), ("i1", 1.0))


def test_by_hand(two: Store, call: Call) -> None:
    """Alpha wins i0, drawn with 1/4, and loses i1, which was certain: 4 of 5 weights."""
    ask(two, drawn=DRAWN)
    assert included(two) == {"i0": 0.25, "i1": 1.0}
    assert rating(two) == 0.5
    assert rating(two, reweight=True) == pytest.approx(0.8)
    assert rating(two, debias="swap", reweight=True) == pytest.approx(0.8)
    average = rating(two, method="average-probability", reweight=True)
    assert average == pytest.approx(0.8 * 0.9 + 0.2 * 0.1)
    # Odds of 4 : 1 by decisions, of 0.74 : 0.26 by probabilities; the mean of logits is 0.6 ln 9.
    # Half of it each.
    half = (("bradley-terry", np.log(4) / 2), ("bradley-terry-soft", np.log(0.74 / 0.26) / 2),
            ("product-of-experts", 0.6 * np.log(9) / 2))  # fmt: skip
    for method, theta in half:
        expected = 1000 + 400 / np.log(10) * theta
        assert rating(two, method=method, reweight=True) == pytest.approx(expected), method

    result = leaderboard(two, OURS, RankSettings(bootstrap=20, reweight=True))
    assert "|reweight:1/inclusion|" in result.signature
    assert "reweight" not in leaderboard(two, OURS, RankSettings()).signature
    # Kish: (4 + 4 + 1 + 1)^2 / (16 + 16 + 1 + 1) = 2.94
    assert find_sentences(result.notes, r"\b1 / the probability\b.*\beffective\b.*\b3 of 4\b")
    assert not find_sentences(result.notes, r"\bdraws of\b")
    assert (result.judgements, result.rows["judgements"].tolist()) == (4, [4, 4])
    low, high = result.rows.set_index("system").loc["alpha", ["low", "high"]]
    assert (low < 0.1, high > 0.9) == (True, True), "two items say next to nothing"

    told = "rank --judges baseline --reweight --method"
    found = document(call, f"{told} win-ratio")["rows"]
    rows = {row["system"]: row["rating"] for row in found}
    assert rows == {"alpha": pytest.approx(0.8), "beta": pytest.approx(0.2)}
    assert re.search(r"\bproduct-of-experts\b.*\bnot to elo\b", refusal(call, f"{told} elo"))
    asked = "correlate --against human --level system --reweight --table win-ratio"
    assert re.search(r"--reweight\b.*--method win-ratio\b", refusal(call, asked))


def test_the_same_for_all_changes_nothing(two: Store) -> None:
    ask(two, drawn=(("i0", 0.5), ("i1", 0.5)))
    result = leaderboard(two, OURS, RankSettings(bootstrap=0, reweight=True))
    assert rating(two, reweight=True) == pytest.approx(rating(two))
    assert find_sentences(result.notes, r"\bequally likely\b.*\bchanges nothing\b")
    assert not reweighting.is_uneven(two, OURS)
    ask(two, drawn=(("i0", 0.75), ("i1", 0.5)), seed=1)
    assert reweighting.is_uneven(two, OURS)


def test_the_position_effect_is_of_the_weighted_comparisons(two: Store) -> None:
    """Of i0 (weight 3) the first wins both orders, of i1 (weight 1) the second: odds of 3 : 1."""
    run = plan(two, drawn=(("i0", 1 / 3), ("i1", 1.0)))
    sure, other = Answer.from_probability(0.8), Answer.from_probability(0.2)
    asked = two.runs.list_pending(run, 9)
    add(two, run, [(q.comparison, sure if "-0-" in str(q.text_a) else other) for q in asked])
    for method, log_odds in (("bradley-terry", np.log(3)), ("product-of-experts", np.log(4) / 2)):
        settings = RankSettings(method, position_term=True, bootstrap=0, reweight=True)
        effect = leaderboard(two, OURS, settings).facts["position_effect"]
        assert effect == pytest.approx(400 / np.log(10) * log_odds), method


def test_a_budget_within_items_counts(two: Store) -> None:
    """One of the two orders of the only pair, of an item that was drawn with 0.4."""
    ask(two, strategy="random", budget=1, drawn=(("i0", 0.4), ("i1", 1.0)))
    assert included(two) == {"i0": pytest.approx(0.2), "i1": 0.5}


def test_a_budget_alone_counts(two: Store) -> None:
    """One order of the one pair of i1, and one of the six comparisons of i0 (three systems)."""
    fill(two, items=1)
    ask(two, strategy="random", budget=1)
    assert included(two) == {"i0": pytest.approx(1 / 6), "i1": 0.5}


def test_of_several_draws_the_greatest_probability_counts(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25), ("i1", 0.5)), seed=1)
    ask(two, drawn=(("i0", 0.125), ("i1", 0.75)), seed=2)
    assert included(two) == {"i0": 0.25, "i1": 0.75}
    notes = leaderboard(two, OURS, RankSettings(bootstrap=0, reweight=True)).notes
    assert find_sentences(notes, r"\bbaseline:longer\b.*\b2 draws of\b")
    ask(two)
    assert included(two) == {"i0": 1.0, "i1": 1.0}, "all were asked later"


def test_each_trial_has_its_own_draw(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25),))
    ask(two, drawn=(("i0", 0.5),), trial=1)
    frame = export.join_portions(export.judgements(two, Selection(DATASET)))
    by_trial = frame.groupby("trial")["inclusion_probability"].unique().str[0]
    assert by_trial.to_dict() == {0: 0.25, 1: 0.5}


def test_what_is_asked_again_keeps_its_probability(two: Store) -> None:
    run = plan(two, drawn=(("i0", 0.25),))
    for answer, withdrawn in ((Answer(failure="refused"), 2), (Answer(Outcome.A), 0)):
        add(two, run, [(q.comparison, answer) for q in two.runs.list_pending(run, 9)])
        assert two.runs.withdraw_failures(run) == withdrawn
    assert included(two) == {"i0": 0.25}
    assert len(export.join_portions(export.judgements(two, Selection(DATASET)))) == 2


def test_what_is_imported_was_chosen_elsewhere(two: Store, tmp_path: Path) -> None:
    """The column goes out and is not read back: an import has no plan to hold it."""
    ask(two, drawn=DRAWN)
    path = tmp_path / "judgements.csv"
    export.save(export.judgements(two, Selection(DATASET)), path)
    with Store(tmp_path / "fresh.sqlite3") as fresh:
        assert importer.load(fresh, [path], Dataset(DATASET)).skipped == []
        assert included(fresh) == {"i0": 1.0, "i1": 1.0}
        # Nor does a run that plans the same comparisons later change what the file was.
        plan(fresh, drawn=(("i0", 0.5),))
        assert included(fresh) == {"i0": 1.0, "i1": 1.0}


def test_people_asked_first_about_pairs_that_were_drawn(store: Store) -> None:
    """Two of four pairs drawn; where others have votes, a pair is in by the draw or by chance."""
    fill(store, items=4, systems=("alpha", "beta"))
    open_default(store, DATASET)
    chances = {"i0": (0, 0.8), "i1": (1, 0.5), "i2": (FAR, 0.5), "i3": (FAR + 1, 0.2)}
    reorder(store, "proportional|rouge1", chances)
    enrol(store, "Ada")

    def asked(n: int) -> dict[str, float]:
        for _ in range(n):
            vote(store)
        return {item: pytest.approx(p) for item, p in included(store).items()}

    def forget() -> str:
        return ordering.forgotten(store, store.campaigns.default(DATASET))

    assert forget() == "", "nobody was asked yet"
    assert asked(1) == {"i0": 0.8}
    assert re.match(r"1 vote\b.*\border 'prop", forget())
    assert asked(1) == {"i0": 0.8, "i1": 0.5}
    assert forget().startswith("2 votes ")
    # All that was drawn and half of the others: 0.8 + 0.2 / 2, 0.5 + 0.5 / 2.
    assert asked(1) == {"i0": 0.9, "i1": 0.75, "i2": 0.75}
    # Other texts came after the draw, and could not be in it.
    fill(store, items=6, systems=("alpha", "beta"))
    open_default(store, DATASET)
    assert asked(0) == {"i0": 0.85, "i1": 0.625, "i2": 0.625}
    found = asked(2)
    # i3, then one of these: of the others three of four have votes.
    [late] = {"i4", "i5"} & set(found)
    assert found == {"i0": 0.95, "i1": 0.875, "i2": 0.875, "i3": 0.8, late: 0.75}
    assert asked(1) == dict.fromkeys(chances, 1.0) | {"i4": 1.0, "i5": 1.0}


def test_votes_from_before_the_draw_are_at_random(store: Store) -> None:
    """One of four pairs had a vote when two others were drawn: a pair outside the draw had it with
    1/2, one inside with none; with one of the drawn it is 1/2 for each.
    """
    fill(store, items=4, systems=("alpha", "beta"))
    open_default(store, DATASET)
    enrol(store, "Ada")

    early = vote(store)
    assert included(store) == {early: 1.0}, "in random order all are as likely"
    assert ordering.forgotten(store, store.campaigns.default(DATASET)) == ""
    one, two, three = (item for item in ("i0", "i1", "i2", "i3") if item != early)
    places = {one: (0, 0.8), two: (1, 0.3), three: (FAR, 0.4), early: (FAR + 1, 0.5)}
    reorder(store, "proportional|rouge1", places)
    assert included(store) == {early: 0.5 * 0 + 0.5 * 0.5}
    assert vote(store) == one
    assert included(store) == {early: 0.5, one: pytest.approx(0.8 * 0.5 + 0.2 * 0.5)}


def test_the_stamp_changes_with_every_draw(two: Store) -> None:
    open_default(two, DATASET)
    stamps = [two.inclusions.draws_stamp(DATASET)]
    for first, other in (("i0", "i1"), ("i1", "i0")):
        reorder(two, "range|rouge1", {first: (0, 0.5), other: (2**62, 0.5)})
        stamps.append(two.inclusions.draws_stamp(DATASET))
    ask(two, drawn=(("i0", 0.25),))
    stamps.append(two.inclusions.draws_stamp(DATASET))
    assert len(set(stamps)) == 4


def test_a_skip_of_what_could_not_be_drawn_has_no_probability(two: Store) -> None:
    open_default(two, DATASET)
    reorder(two, "range|rouge1", {"i0": (0, 0.5), "i1": (FAR, 0.0)})
    enrol(two, "Ada")
    while shown := asked_of(two, "Ada"):
        campaigns.answer(two, "Ada", shown, Answer(failure=campaigns.SKIPPED))
    assert included(two) == {"i0": 0.5, "i1": 1.0}


def test_what_cannot_be_weighed_is_refused() -> None:
    one, rng = np.array([0]), np.random.default_rng(0)
    for method in set(RATINGS) - set(WEIGHABLE):
        separability = "rouge1" if method == "sep-elo" else ""
        with pytest.raises(TandemError, match=rf"^reweight\b.*\bwin-ratio, .*\bnot to {method}$"):
            RankSettings(method, reweight=True, separability=separability)
        with pytest.raises(ValueError, match=rf"^{method}\b.*\bno weights\b"):
            columns_of_votes.leaderboard(
                method, one, one + 1, np.ones(1), n=2, rng=rng, weights=np.ones(1)
            )


def test_correlations_resample_the_weighted_ratings(two: Store) -> None:
    """Both items once, the first twice, the second twice; marks follow the weighted order."""
    ask(two, drawn=DRAWN)
    how = RankSettings(reweight=True)
    rate = make_resampler(two, OURS, how)
    times = np.array([[1.0, 1], [2, 0], [0, 2]])
    found = rate(np.array(["i0", "i1"]), np.array(["alpha", "beta"]), times)
    assert found.tolist() == [[pytest.approx(0.8), pytest.approx(0.2)], [1, 0], [0, 1]]
    two.judges.add([JudgeSpec("marks", Kind.HUMAN)])
    for system, mark in (("alpha", 2.0), ("beta", 1.0)):
        marks = [Score(item, system, "coherence", "marks", mark) for item in ("i0", "i1")]
        two.scores.add(DATASET, marks)
    against = Reference("human", "system", bootstrap=0)
    result = correlation.correlate(two, OURS, against, settings=how)
    assert result.facts["spearman"] == pytest.approx(1)
    assert "|reweight:1/inclusion|" in result.signature


def drawn(rng: np.random.Generator, m: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first = rng.integers(4, size=m)
    return first, (first + rng.integers(1, 4, size=m)) % 4, rng.choice([0.0, 0.5, 1.0], size=m)


def rate(method: str, *columns: np.ndarray, n: int, **weighed: Any) -> ratings.Leaderboard:
    return columns_of_votes.leaderboard(
        method, *columns, n=n, rng=np.random.default_rng(0), **{"resamples": 0, **weighed}
    )


def test_a_weight_of_three_is_three_comparisons_and_only_ratios_matter() -> None:
    rng = np.random.default_rng(1)
    votes, weights = drawn(rng), rng.integers(1, 5, size=60)
    repeated = [np.repeat(column, weights) for column in votes]
    for method in set(WEIGHABLE) - {"length-controlled"}:
        expected = pytest.approx(rate(method, *repeated, n=4).rating)
        assert rate(method, *votes, n=4, weights=weights).rating == expected, method
        assert rate(method, *votes, n=4, weights=weights / 7).rating == expected, method
    # Two wins of two: with a tenth of a comparison of the usual weight odds of 41 : 1, whatever the
    # unit of weights.
    votes = np.array([0, 0]), np.array([1, 1]), np.ones(2)
    for weight in (0.01, 1.0, 50.0):
        board = rate("bradley-terry", *votes, n=2, weights=np.full(2, weight))
        assert board.rating @ [1, -1] == pytest.approx(400 * np.log10(41))


def test_a_resample_draws_items_with_their_weights() -> None:
    """60 items of weight 3 are won by 0, 60 of weight 1 by 1, each a comparison: the ratio
    estimator's variance (Cochran 1977, eq. 6.9) is 120 / 119 * sum((w (points - 3/4))^2) / 240^2.
    """
    votes = np.zeros(120, int), np.ones(120, int), np.repeat([1.0, 0.0], 60)
    by_hand = 120 / 119 * 60 * ((3 * 0.25) ** 2 + 0.75**2) / 240**2
    for groups in (np.arange(120), None):
        weights = np.repeat([3, 1], 60)
        board = rate("win-ratio", *votes, n=2, groups=groups, resamples=4000, weights=weights)
        assert board.rating[0] == 0.75
        assert board.uncertainty is not None
        assert board.uncertainty.variance()[0][0] == pytest.approx(by_hand, rel=0.08)


ITEMS, TAKEN, DRAWS = 240, 60, 120


@pytest.mark.parametrize("how", ["proportional", "stratified"])
def test_re_weighted_the_estimate_is_that_of_all_items_and_plain_it_is_not(how: str) -> None:
    """Three systems on 240 items; the more separable an item, the more surely 0 beats 1 beats 2.
    The truth is what all items together say. Of 120 draws of 60 items the mean re-weighted win
    ratio lies within its error of it, the plain one far from it. Of 1,500 draws 93% (proportional)
    and 98% (stratified) of the re-weighted intervals held the truth, and of the plain ones none and
    8%; with four times as many items 96% and none.
    """
    rng = np.random.default_rng(7)
    separability = rng.beta(1.2, 3.0, size=ITEMS) * 1.4 - 0.2
    pairs = np.array([(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)])
    better = np.where(pairs[:, 0] < pairs[:, 1], 1.0, -1.0)
    p = 1 / (1 + np.exp(-4 * np.outer(np.maximum(separability, 0), better)))
    outcome = (rng.random(p.shape) < p).astype(float)

    def rated(items: np.ndarray, weights: Any = 1.0, resamples: int = 0) -> ratings.Leaderboard:
        first, second = (np.tile(pairs[:, side], len(items)) for side in (0, 1))
        return columns_of_votes.leaderboard(
            "win-ratio", first, second, outcome[items].ravel(), n=3, groups=np.repeat(np.arange(len(items)), 6),
            weights=np.repeat(np.broadcast_to(weights, len(items)), 6), resamples=resamples, rng=rng,
        )  # fmt: skip

    truth = rated(np.arange(ITEMS)).rating
    plain, weighed, held, held_plain = [], [], [], []
    for _ in range(DRAWS):
        found = draw_by_separability(separability, BySeparability(how, TAKEN), rng)
        board = rated(found.places, 1 / found.probability, resamples=100)
        unweighed = rated(found.places, resamples=100)
        plain.append(unweighed.rating)
        weighed.append(board.rating)
        held.append((board.low <= truth) & (truth <= board.high))
        held_plain.append((unweighed.low <= truth) & (truth <= unweighed.high))
    error = np.std(weighed, axis=0) / DRAWS**0.5
    # The ratio estimator's own bias is of order 1 / TAKEN of its standard error in one draw, well
    # below this.
    assert (np.abs(np.mean(weighed, axis=0) - truth) < 3.5 * error).all()
    # 0 and 2, which separability is about; 1 is in the middle either way.
    assert (np.abs(np.mean(plain, axis=0) - truth)[[0, 2]] > 10 * error[[0, 2]]).all()
    assert (np.mean(held, axis=0)[[0, 2]] > 0.88).all()
    assert (np.mean(held_plain, axis=0)[[0, 2]] < 0.2).all()
