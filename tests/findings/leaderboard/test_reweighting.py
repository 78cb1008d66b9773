"""Re-weighting by the probability of inclusion: by hand from the store, and in a simulation whose
truth is known.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from core import campaigns
from core.__main__ import main
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


def ask(
    store: Store, *, alpha_wins: tuple[str, ...] = ("i0",), sure: float = 0.9, **request: object
) -> int:
    """A run whose judge prefers alpha on these items and beta on the others, in either order."""
    run = planning.enqueue(
        store, LONGER, planning.check_request(store, Request(DATASET, **request))
    )
    answers = []
    for question in store.runs.list_pending(run, 99):
        alpha_first = str(question.text_a).startswith("alpha")
        wins = any(str(question.text_a).split("-")[1] == item[1:] for item in alpha_wins)
        answers.append(
            (
                question.comparison,
                Answer.from_probability(sure if alpha_first == wins else 1 - sure),
            )
        )
    store.judgements.add_answers(
        run, store.judges.id_of(LONGER.name), int(request.get("trial", 0)), answers
    )  # type: ignore[call-overload]
    return run


def included(store: Store) -> dict[str, float]:
    """item -> the probability in the exported judgements, the same for all of an item's."""
    frame = export.join_portions(export.judgements(store, Selection(DATASET)))
    found = frame.groupby("item")["inclusion_probability"].agg(["min", "max"])
    assert (found["min"] == found["max"]).all()
    return found["min"].to_dict()


def rating(store: Store, selection: Selection = OURS, **settings: object) -> float:
    rows = leaderboard(store, selection, RankSettings(bootstrap=0, **settings)).rows  # type: ignore[arg-type]
    return float(rows.set_index("system")["rating"]["alpha"])


def test_by_hand(two: Store) -> None:
    """Alpha wins i0, drawn with 1/4, and loses i1, which was certain: 4 of 5 weights are for alpha,
    not 1 of 2.
    """
    ask(two, drawn=(("i0", 0.25), ("i1", 1.0)))
    assert included(two) == {"i0": 0.25, "i1": 1.0}
    assert rating(two) == 0.5
    assert rating(two, reweight=True) == pytest.approx(0.8)
    assert rating(two, debias="swap", reweight=True) == pytest.approx(0.8)
    assert rating(two, method="average-probability", reweight=True) == pytest.approx(
        0.8 * 0.9 + 0.2 * 0.1
    )
    # Odds of 4 : 1 by decisions, of 0.74 : 0.26 by probabilities; the mean of logits is 0.6 ln 9.
    # Half of it each.
    half = {
        "bradley-terry": np.log(4) / 2,
        "bradley-terry-soft": np.log(0.74 / 0.26) / 2,
        "product-of-experts": 0.6 * np.log(9) / 2,
    }
    for method, theta in half.items():
        assert rating(two, method=method, reweight=True) == pytest.approx(
            1000 + 400 / np.log(10) * theta
        ), method


def test_what_is_said_of_it(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25), ("i1", 1.0)))
    result = leaderboard(two, OURS, RankSettings(bootstrap=20, reweight=True))
    assert "|reweight:1/inclusion|" in result.signature
    assert "reweight" not in leaderboard(two, OURS, RankSettings()).signature
    # Kish: (4 + 4 + 1 + 1)^2 / (16 + 16 + 1 + 1) = 2.94
    assert find_sentences(result.notes, r"\b1 / the probability\b.*\beffective\b.*\b3 of 4\b")
    assert not find_sentences(result.notes, r"\bdraws of\b")
    assert (result.judgements, result.rows["judgements"].tolist()) == (4, [4, 4])
    low, high = result.rows.set_index("system").loc["alpha", ["low", "high"]]
    assert low < 0.1
    assert high > 0.9  # two items say next to nothing


def test_the_same_for_all_changes_nothing(two: Store) -> None:
    ask(two, drawn=(("i0", 0.5), ("i1", 0.5)))
    result = leaderboard(two, OURS, RankSettings(bootstrap=0, reweight=True))
    assert rating(two, reweight=True) == pytest.approx(rating(two))
    assert find_sentences(result.notes, r"\bequally likely\b.*\bchanges nothing\b")
    assert not reweighting.is_uneven(two, OURS)
    ask(two, drawn=(("i0", 0.75), ("i1", 0.5)), seed=1)
    assert reweighting.is_uneven(two, OURS)


def test_the_position_effect_is_of_the_weighted_comparisons(two: Store) -> None:
    """Of i0 (weight 3) the first shown wins both orders, of i1 (weight 1) the second: odds of 3 : 1
    for the first.
    """
    run = planning.enqueue(
        two,
        LONGER,
        planning.check_request(two, Request(DATASET, drawn=(("i0", 1 / 3), ("i1", 1.0)))),
    )
    questions = two.runs.list_pending(run, 9)
    answers = [
        (q.comparison, Answer.from_probability(0.8 if "-0-" in str(q.text_a) else 0.2))
        for q in questions
    ]
    two.judgements.add_answers(run, two.judges.id_of(LONGER.name), 0, answers)
    for method, log_odds in (("bradley-terry", np.log(3)), ("product-of-experts", np.log(4) / 2)):
        settings = RankSettings(method, position_term=True, bootstrap=0, reweight=True)
        effect = leaderboard(two, OURS, settings).facts["position_effect"]
        assert effect == pytest.approx(400 / np.log(10) * log_odds), method


def test_a_budget_within_items_counts(two: Store) -> None:
    """One of the two orders of the only pair, of an item that was drawn with 0.4."""
    ask(two, strategy="random", budget=1, drawn=(("i0", 0.4), ("i1", 1.0)))
    assert included(two) == {"i0": pytest.approx(0.2), "i1": 0.5}


def test_a_budget_alone_counts(two: Store) -> None:
    """One order of the one pair of i1, and one of the six comparisons of i0, which has three
    systems.
    """
    fill(two, items=1)
    ask(two, strategy="random", budget=1)
    assert included(two) == {"i0": pytest.approx(1 / 6), "i1": 0.5}


def test_all_being_asked_later_makes_the_draw_certain(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25),))
    assert included(two) == {"i0": 0.25}
    ask(two)
    assert included(two) == {"i0": 1.0, "i1": 1.0}


def test_of_several_draws_the_greatest_probability_counts_and_it_is_said(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25), ("i1", 0.5)), seed=1)
    ask(two, drawn=(("i0", 0.125), ("i1", 0.75)), seed=2)
    assert included(two) == {"i0": 0.25, "i1": 0.75}
    notes = leaderboard(two, OURS, RankSettings(bootstrap=0, reweight=True)).notes
    assert find_sentences(notes, r"\bbaseline:longer\b.*\b2 draws of\b")


def test_each_trial_has_its_own_draw(two: Store) -> None:
    ask(two, drawn=(("i0", 0.25),))
    ask(two, drawn=(("i0", 0.5),), trial=1)
    frame = export.join_portions(export.judgements(two, Selection(DATASET)))
    assert frame.groupby("trial")["inclusion_probability"].unique().str[0].to_dict() == {
        0: 0.25,
        1: 0.5,
    }


def test_what_is_asked_again_keeps_its_probability(two: Store) -> None:
    run = planning.enqueue(
        two, LONGER, planning.check_request(two, Request(DATASET, drawn=(("i0", 0.25),)))
    )
    judge = two.judges.id_of(LONGER.name)
    two.judgements.add_answers(
        run,
        judge,
        0,
        [(q.comparison, Answer(failure="refused")) for q in two.runs.list_pending(run, 9)],
    )
    assert two.runs.withdraw_failures(run) == 2
    two.judgements.add_answers(
        run, judge, 0, [(q.comparison, Answer(Outcome.A)) for q in two.runs.list_pending(run, 9)]
    )
    assert included(two) == {"i0": 0.25}
    assert len(export.join_portions(export.judgements(two, Selection(DATASET)))) == 2


def test_what_is_imported_was_chosen_elsewhere(two: Store, tmp_path: Path) -> None:
    """The column goes out and is not read back: an import has no plan to hold it."""
    ask(two, drawn=(("i0", 0.25), ("i1", 1.0)))
    path = tmp_path / "judgements.csv"
    export.save(export.judgements(two, Selection(DATASET)), path)
    with Store(tmp_path / "fresh.sqlite3") as fresh:
        assert importer.load(fresh, [path], Dataset(DATASET)).skipped == []
        assert included(fresh) == {"i0": 1.0, "i1": 1.0}
        # Nor does a run that plans the same comparisons later change what the file was.
        two_runs = planning.check_request(fresh, Request(DATASET, drawn=(("i0", 0.5),)))
        planning.enqueue(fresh, LONGER, two_runs)
        assert included(fresh) == {"i0": 1.0, "i1": 1.0}


def test_people_asked_first_about_pairs_that_were_drawn(store: Store) -> None:
    """Two of four pairs drawn; where others have votes, too, a pair is in by the draw or by chance
    after it.
    """
    fill(store, items=4, systems=("alpha", "beta"))
    open_default(store, DATASET)
    known, far = ids(store), 2**40
    chances = {"i0": (0, 0.8), "i1": (1, 0.5), "i2": (far, 0.5), "i3": (far + 1, 0.2)}
    pairs = {
        tuple(sorted((known[i, "alpha", 0], known[i, "beta", 0]))): at for i, at in chances.items()
    }
    store.campaigns.reorder(store.campaigns.default(DATASET).id, "proportional|rouge1", pairs)  # type: ignore[arg-type]
    enrol(store, "Ada")

    def asked(n: int) -> dict[str, float]:
        for _ in range(n):
            shown = asked_of(store, "Ada")
            assert shown is not None
            campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
        return {item: pytest.approx(p) for item, p in included(store).items()}

    assert ordering.forgotten(store, store.campaigns.default(DATASET)) == "", "nobody was asked yet"
    assert asked(1) == {"i0": 0.8}
    assert ordering.forgotten(store, store.campaigns.default(DATASET)).startswith(
        "1 vote was given while pairs were asked in the order 'prop"
    )
    assert asked(1) == {"i0": 0.8, "i1": 0.5}
    assert ordering.forgotten(store, store.campaigns.default(DATASET)).startswith(
        "2 votes were given"
    )
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

    def vote() -> str:
        shown = asked_of(store, "Ada")
        assert shown is not None
        campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
        return shown.item

    early = vote()
    assert included(store) == {early: 1.0}, "in random order all are as likely"
    assert ordering.forgotten(store, store.campaigns.default(DATASET)) == ""
    known, far = ids(store), 2**40
    others = [item for item in ("i0", "i1", "i2", "i3") if item != early]
    places = {
        others[0]: (0, 0.8),
        others[1]: (1, 0.3),
        others[2]: (far, 0.4),
        early: (far + 1, 0.5),
    }
    pairs = {
        tuple(sorted((known[i, "alpha", 0], known[i, "beta", 0]))): at for i, at in places.items()
    }
    store.campaigns.reorder(store.campaigns.default(DATASET).id, "proportional|rouge1", pairs)  # type: ignore[arg-type]
    assert included(store) == {early: 0.5 * 0 + 0.5 * 0.5}
    assert vote() == others[0]
    assert included(store) == {early: 0.5, others[0]: pytest.approx(0.8 * 0.5 + 0.2 * 0.5)}


def test_the_stamp_changes_with_every_draw(two: Store) -> None:
    open_default(two, DATASET)
    stamps = [two.inclusions.draws_stamp(DATASET)]
    known, far = ids(two), 2**62
    pair = {i: tuple(sorted((known[i, "alpha", 0], known[i, "beta", 0]))) for i in ("i0", "i1")}
    for first, other in (("i0", "i1"), ("i1", "i0")):
        two.campaigns.reorder(
            two.campaigns.default(DATASET).id,
            "range|rouge1",
            {pair[first]: (0, 0.5), pair[other]: (far, 0.5)},
        )  # type: ignore[dict-item]
        stamps.append(two.inclusions.draws_stamp(DATASET))
    ask(two, drawn=(("i0", 0.25),))
    stamps.append(two.inclusions.draws_stamp(DATASET))
    assert len(set(stamps)) == 4


def test_a_skip_of_what_could_not_be_drawn_has_no_probability(two: Store) -> None:
    open_default(two, DATASET)
    known = ids(two)
    places = {"i0": (0, 0.5), "i1": (2**40, 0.0)}
    pairs = {
        tuple(sorted((known[i, "alpha", 0], known[i, "beta", 0]))): at for i, at in places.items()
    }
    two.campaigns.reorder(two.campaigns.default(DATASET).id, "range|rouge1", pairs)  # type: ignore[arg-type]
    enrol(two, "Ada")
    while shown := asked_of(two, "Ada"):
        campaigns.answer(two, "Ada", shown, Answer(failure=campaigns.SKIPPED))
    assert included(two) == {"i0": 0.5, "i1": 1.0}


@pytest.mark.parametrize("method", [name for name in RATINGS if name not in WEIGHABLE])
def test_what_cannot_be_weighed_is_refused(method: str) -> None:
    with pytest.raises(TandemError) as refused:
        RankSettings(method, reweight=True, separability="rouge1" if method == "sep-elo" else "")
    assert str(refused.value).startswith("reweight belongs to win-ratio, ")
    assert str(refused.value).endswith(f"not to {method}")
    one, rng = np.array([0]), np.random.default_rng(0)
    with pytest.raises(ValueError, match=rf"^{method}\b.*\bno weights\b"):
        columns_of_votes.leaderboard(
            method, one, one + 1, np.ones(1), n=2, rng=rng, weights=np.ones(1)
        )


def test_the_commands(two: Store, capsys: pytest.CaptureFixture[str]) -> None:
    ask(two, drawn=(("i0", 0.25), ("i1", 1.0)))
    told = ["--store", str(two.path), "rank", "--judges", "baseline", "--reweight", "--json"]
    assert main([*told, "--method", "win-ratio"]) == 0
    rows = {row["system"]: row["rating"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows == {"alpha": pytest.approx(0.8), "beta": pytest.approx(0.2)}
    assert main([*told, "--method", "elo"]) == 2
    assert re.search(r"\bjury-soft\b.*\bnot to elo\b", capsys.readouterr().err)
    correlate = [
        "--store",
        str(two.path),
        "correlate",
        "--against",
        "human",
        "--level",
        "system",
        "--reweight",
    ]
    assert main([*correlate, "--table", "win-ratio"]) == 2
    assert re.search(r"--reweight\b.*--method win-ratio\b", capsys.readouterr().err)


def test_correlations_resample_the_weighted_ratings(two: Store) -> None:
    """Both items once, the first twice, the second twice; and the correlation with marks is that of
    the weighted order.
    """
    ask(two, drawn=(("i0", 0.25), ("i1", 1.0)))
    rate = make_resampler(two, OURS, RankSettings(reweight=True))
    found = rate(
        np.array(["i0", "i1"]), np.array(["alpha", "beta"]), np.array([[1.0, 1], [2, 0], [0, 2]])
    )
    assert found.tolist() == [[pytest.approx(0.8), pytest.approx(0.2)], [1, 0], [0, 1]]
    two.judges.add([JudgeSpec("marks", Kind.HUMAN)])
    marks = [
        Score(i, s, "coherence", "marks", m)
        for i in ("i0", "i1")
        for s, m in (("alpha", 2.0), ("beta", 1.0))
    ]
    two.scores.add(DATASET, marks)
    how = RankSettings(reweight=True)
    result = correlation.correlate(
        two, OURS, Reference("human", "system", bootstrap=0), settings=how
    )
    assert result.facts["spearman"] == pytest.approx(1)
    assert "|reweight:1/inclusion|" in result.signature


# --- weights in the leaderboard
# ----------------------------------------------------------------------------------


def drawn(rng: np.random.Generator, m: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first = rng.integers(4, size=m)
    return first, (first + rng.integers(1, 4, size=m)) % 4, rng.choice([0.0, 0.5, 1.0], size=m)


@pytest.mark.parametrize("method", [name for name in WEIGHABLE if name != "length-controlled"])
def test_a_weight_of_three_is_three_comparisons_and_only_ratios_matter(method: str) -> None:
    rng = np.random.default_rng(1)
    votes, weights = drawn(rng), rng.integers(1, 5, size=60)

    def rated(*columns: np.ndarray, **weighed: np.ndarray) -> np.ndarray:
        return columns_of_votes.leaderboard(
            method, *columns, n=4, rng=np.random.default_rng(0), resamples=0, **weighed
        ).rating

    repeated = rated(*(np.repeat(column, weights) for column in votes))
    assert rated(*votes, weights=weights) == pytest.approx(repeated)
    assert rated(*votes, weights=weights / 7) == pytest.approx(repeated)


def test_a_prior_is_worth_the_same_however_large_the_weights() -> None:
    """Two wins of two: with a tenth of a comparison of the usual weight odds of 41 : 1, whatever
    the unit of weights.
    """
    votes = np.array([0, 0]), np.array([1, 1]), np.ones(2)
    for weight in (0.01, 1.0, 50.0):
        board = columns_of_votes.leaderboard(
            "bradley-terry",
            *votes,
            n=2,
            rng=np.random.default_rng(0),
            resamples=0,
            weights=np.full(2, weight),
        )
        assert board.rating @ [1, -1] == pytest.approx(400 * np.log10(41))


def test_a_resample_draws_items_with_their_weights() -> None:
    """60 items of weight 3 are won by 0, 60 of weight 1 by 1, each a comparison: the ratio
    estimator's variance (Cochran 1977, eq. 6.9) is 120 / 119 * sum((w (points - 3/4))^2) / 240^2.
    """
    votes = np.zeros(120, int), np.ones(120, int), np.repeat([1.0, 0.0], 60)
    by_hand = 120 / 119 * 60 * ((3 * 0.25) ** 2 + 0.75**2) / 240**2
    for groups in (np.arange(120), None):
        board = columns_of_votes.leaderboard(
            "win-ratio",
            *votes,
            n=2,
            rng=np.random.default_rng(0),
            groups=groups,
            resamples=4000,
            weights=np.repeat([3, 1], 60),
        )
        assert board.rating[0] == 0.75
        assert board.uncertainty is not None
        assert board.uncertainty.variance()[0][0] == pytest.approx(by_hand, rel=0.08)


# --- a simulation whose truth is known
# -----------------------------------------------------------------------------

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

    def rated(
        items: np.ndarray, weights: np.ndarray | None = None, resamples: int = 0
    ) -> ratings.Leaderboard:
        first, second = (np.tile(pairs[:, side], len(items)) for side in (0, 1))
        return columns_of_votes.leaderboard(
            "win-ratio", first, second, outcome[items].ravel(), n=3, groups=np.repeat(np.arange(len(items)), 6),
            weights=None if weights is None else np.repeat(weights, 6), resamples=resamples, rng=rng,
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
