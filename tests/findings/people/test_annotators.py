"""How people judge: a study small enough to count by hand."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, fisher_exact

from core import campaigns
from core.campaigns import Design, enrol, get_pace, open_campaign, present
from core.findings import accuracy as accuracies
from core.findings.accuracy import AccuracySettings, accuracy, describe_accuracy
from core.findings.judgements import Selection
from core.findings.people import (
    Scope,
    annotators,
    decide,
    decisions,
    disputes,
    flag_annotators,
    list_surprising_votes,
    said_on,
    votes,
)
from core.findings.people.annotators import compute_side_p
from core.findings.people.scope import SLIPS, find_worries
from core.pairing import Choice
from core.records import Answer, Kind, Outcome, TandemError
from core.statistics.intervals import ALPHA
from core.store import ADJUDICATED, Check, Store
from tests.findings.people.voting import say, say_all
from tests.findings.tables import load
from tests.sentence_facts import find_sentences
from tests.study import DATASET, SYSTEMS, compare, fill, ids, judge

HERE = Scope(Selection(DATASET))


VOTES = (
    ("Ada", "i0", ("alpha", "beta"), "a", 4), ("Ada", "i1", ("beta", "alpha"), "a", 2),
    ("Ada", "i2", ("alpha", "beta"), "tie", 6), ("Ada", "i2", ("alpha", "gamma"), "", 9),
    ("Bo", "i0", ("beta", "alpha"), "b", None), ("Bo", "i1", ("alpha", "beta"), "a", None),
    ("Bo", "i2", ("alpha", "beta"), "both_bad", None), ("Cy", "i0", ("alpha", "beta"), "a", None),
)  # fmt: skip


@pytest.fixture
def voted(study: Store) -> Store:
    """Ada and Bo share three pairs and agree on two; Cy answers one of them like Ada. Ada answers
    one a second time, the other way round, and the same.
    """
    with study.transaction():
        for *vote, seconds in VOTES:
            say(study, *vote, seconds=seconds)
        say(study, "Ada", "i0", ("beta", "alpha"), "b", trial=1)
    return study


def row(store: Store, who: str, **more: object) -> pd.Series:
    return annotators(store, HERE, **more).rows.set_index("annotator").loc[who]


def test_counted_by_hand(voted: Store) -> None:
    ada, bo, cy = (row(voted, who) for who in ("Ada", "Bo", "Cy"))
    assert (ada["answered"], ada["skipped"], ada["seconds"]) == (4, 1, 5.0)
    assert (ada["p_first"], ada["decisions"]) == (2 / 3, 3)
    assert (ada["ties"], ada["both_bad"]) == (1 / 4, 0)
    assert (ada["agreement"], ada["shared"]) == (3 / 4, 4)
    assert (ada["self_agreement"], ada["repeated"]) == (1.0, 1)
    assert (ada["days"], ada["per_day"]) == (1, 5)
    assert (bo["agreement"], bo["shared"], bo["both_bad"]) == (3 / 4, 4, 1 / 3)
    assert (cy["agreement"], cy["shared"], cy["repeated"]) == (1.0, 2, 0)
    assert np.isnan(cy["self_agreement"])
    assert find_sentences(annotators(voted, HERE).notes, r"\bnot yet\b.*\b3 of 3 people\b")
    voted.exclusions.add(DATASET, "Bo", reason="clicks", by="Eve")
    ada, bo = row(voted, "Ada"), row(voted, "Bo")
    assert (ada["agreement"], ada["shared"]) == (1.0, 1), "who is excluded is nobody's other"
    assert (bo["excluded"], bo["agreement"], bo["shared"]) == (True, 3 / 4, 4)


def test_too_fast_is_faster_than_both_texts_can_be_read(study: Store) -> None:
    """Ten words take 0.6 seconds at 1000 a minute; the same two texts again need no reading."""
    fill(study, attributes=("coherence", "fluency"))
    known, words = ids(study), " ".join(["word"] * 5)
    with study.transaction():
        for name in SYSTEMS:
            row_ = known["i0", name, 0]
            study.connection.execute("UPDATE generations SET text = ? WHERE id = ?", (words, row_))
        say(study, "Ada", "i0", ("alpha", "beta"), "a", seconds=0.61)
        say(study, "Ada", "i0", ("alpha", "gamma"), "a", seconds=0.59)
        say(study, "Ada", "i0", ("gamma", "alpha"), "b", seconds=0.1, trial=1)
    ada = row(study, "Ada")
    assert (ada["too_fast"], ada["timed"]) == (1 / 2, 2)


def test_words_of_a_text(study: Store) -> None:
    """White space parts words as Python's split does, by which `baseline:longer` counts."""
    row = ids(study)["i0", "alpha", 0]
    for text, words in (
        ("one two three", 3), ("one", 1), ("", 0), ("two\nlines", 2), ("摘要" * 20, 20), (None, None),
        ("A list:\n\n- one\r\n-  two\t(b) ", 7),
    ):  # fmt: skip
        study.connection.execute("UPDATE generations SET text = ? WHERE id = ?", (text, row))
        found = study.annotator_stats.words(DATASET)[row]
        assert np.isnan(found) if words is None else found == words


def test_checks_that_were_passed(voted: Store) -> None:
    campaign, texts = voted.campaigns.add(DATASET, "c").id, ids(voted)
    known = (("gold", "beta", True), ("gold", "gamma", False), ("attention", None, True))
    alpha, attribute = texts["i0", "alpha", 0], voted.datasets.attribute_id(DATASET, "coherence")
    voted.checks.add(campaign, [
        Check(role, attribute, alpha, other and texts["i0", other, 0], "1")
        for role, other, _ in known
    ])  # fmt: skip
    for check, (*_, passed) in zip(voted.checks.list_active(campaign), known, strict=True):
        answer = Answer(Outcome.A)
        voted.checks.answer(check.id, voted.judges.id_of("Ada"), answer, passed=passed)
    ada, bo = row(voted, "Ada"), row(voted, "Bo")
    assert (ada["gold_passed"], ada["gold_answered"]) == (1, 2)
    assert (ada["attention_passed"], ada["attention_answered"]) == (1, 1)
    assert bo["gold_answered"] == 0


def test_only_of_one_campaign(voted: Store) -> None:
    campaign = voted.campaigns.add(DATASET, "c")
    voted.campaigns.add_attribute(campaign, "coherence")
    comparison = compare(voted, "i2", "beta", "gamma")
    voted.judgements.add_vote(campaign.id, comparison, judge(voted, "Ada"), Answer(Outcome.A))
    rows = annotators(voted, Scope(Selection(DATASET), campaign=campaign.id)).rows
    assert rows[["annotator", "answered"]].values.tolist() == [["Ada", 1]]
    assert row(voted, "Ada")["answered"] == 5


def clicks(store: Store, people: dict[str, str], items: int = 30) -> None:
    """Everybody answers about alpha and gamma on each item: `good` says gamma in nine of ten."""
    fill(store, items=items)
    rng = np.random.default_rng(4)
    for who, how in people.items():
        right = rng.random(items) < {"good": 0.9, "coin": 0.5, "inverted": 0.1}[how]
        say_all(store, who, range(items), ("alpha", "gamma"), np.where(right, "b", "a").__getitem__)


def test_who_inverts_stands_out_and_the_votes_behind_it_are_shown(study: Store) -> None:
    clicks(study, {"Ada": "good", "Bo": "good", "Cy": "good", "Di": "good", "Eve": "inverted"})
    result = annotators(study, HERE)
    assert result.rows.set_index("annotator")["worries"]["Eve"] == ("misfit",)
    assert "Eve" in result.notes[0]
    rows = decisions(votes(study, HERE))
    behind = list_surprising_votes(study, rows, "Eve", most=5)
    assert behind["chosen"].tolist() == ["a"] * 5
    assert (behind["others"] < 0.5).all()
    assert behind["text_a"].str.startswith("alpha-").all()
    # (1 - p) / sqrt(p (1 - p)) of a choice whose probability is p.
    p = behind["others"].to_numpy()
    np.testing.assert_allclose(behind["surprise"], np.sqrt((1 - p) / p))
    assert "system_a" not in behind


def test_an_excluded_misfit_no_longer_moves_the_strengths(study: Store) -> None:
    clicks(study, {"Ada": "good", "Bo": "good", "Eve": "inverted"})
    study.exclusions.add(DATASET, "Eve", reason="inverted", by="me")
    rows = decisions(votes(study, HERE))
    # By Ada and Bo alone the strengths reproduce the share of the two of them that say gamma.
    kept = rows[rows["judge"] != "Eve"]
    share = 1 - kept["points"].mean()
    np.testing.assert_allclose(1 - rows["prob"], share, atol=1e-6)


def test_a_side_is_held_against_the_strengths_and_the_others() -> None:
    """Of 40 decisions each the first text wins 30: so strengths say of Ada's and Bo's, whose p is
    near 1; half of Cy's are expected, and 30 of 40 has p = .0022 (binomial).
    """
    rows = pd.DataFrame({
        "judge": np.repeat(["Ada", "Bo", "Cy"], 40), "family": np.tile(np.arange(40), 3),
        "system_a": np.tile(["x", "y", "x", "x"], 30), "system_b": np.tile(["y", "x", "z", "z"], 30),
        "points": np.tile([1.0, 0.0, 1.0, 1.0], 30), "prob": np.repeat([0.75, 0.75, 0.5], 40),
        "order_known": 1, "outcome": "a",
    })  # fmt: skip
    ada, bo, cy = compute_side_p(rows, ["Ada", "Bo", "Cy"])
    assert ada == bo == 1
    assert 0.0005 < cy < 0.005
    everybody = rows.assign(prob=0.5)
    assert compute_side_p(everybody, ["Ada", "Bo", "Cy"]) == [1.0] * 3, "nobody stands out"
    assert np.isnan(compute_side_p(rows[rows["system_a"] == "x"], ["Ada", "Cy"])).all()


def test_renaming_people_permutes_the_rows(study: Store) -> None:
    with pytest.raises(TandemError, match=r"^nobody has judged"):
        annotators(study, HERE)
    clicks(study, {"Ada": "good", "Bo": "coin", "Cy": "good"})
    before = annotators(study, HERE).rows.set_index("annotator")
    study.connection.execute("UPDATE judges SET name = 'Zoe' WHERE name = 'Ada'")
    after = annotators(study, HERE).rows.set_index("annotator")
    exact = ["answered", "p_first", "agreement", "agreement_low", "infit", "outfit", "by_chance"]
    pd.testing.assert_series_equal(before.loc["Ada", exact], after.loc["Zoe", exact],
                                   check_names=False)  # fmt: skip


# ---- Annotators whose votes should be read before they count


PAIRS = 60
RIGHT = {"Ada": 0.9, "Bo": 0.8, "Cy": 0.7, "Dee": 1.0}
SECONDS = {"Ada": 30, "Bo": 40, "Cy": 25, "Dee": 1}


@pytest.fixture
def hurried(store: Store) -> Store:
    """Dee is always right, after a second, about two texts of a hundred words."""
    text = " ".join(["word"] * 100)
    rng = np.random.default_rng(1)
    better = rng.integers(0, 2, PAIRS)
    rows = [
        {"item": f"i{i}", "system_a": "x", "system_b": "y", "text_a": f"{text} x{i}",
         "text_b": f"{text} y{i}", "judge": who, "kind": kind, "seconds": seconds,
         "winner": "ab"[better[i] ^ int(i >= right * PAIRS)]}
        for who, kind, seconds, right in (
            *((who, "human", SECONDS[who], share) for who, share in RIGHT.items()),
            ("key", "gold", "", 1.0),
        )
        for i in range(PAIRS)
    ]  # fmt: skip
    return load(store, rows)


def test_who_is_too_fast_to_have_read_is_not_praised(hurried: Store) -> None:
    """Of excluded people nothing is said."""
    assert list(flag_annotators(hurried, "d")) == ["Dee"]
    found = accuracy(hurried, Selection("d", judges=("human",)), AccuracySettings("gold"))
    by_judge = found.rows.set_index("judge")["accuracy"]
    assert by_judge.to_dict() == pytest.approx(RIGHT), "the figures themselves are as they were"
    assert found.facts["flagged"] == ["Dee"]
    assert describe_accuracy(found).startswith("Ada is right in 90%")
    assert set(found.tables["differences"]["judge_1"]) == {"Ada"}
    assert flag_annotators(hurried, "d")["Dee"] in found.notes
    hurried.exclusions.add("d", "Dee", reason="too fast", by="Ada")
    assert flag_annotators(hurried, "d") == {}


def test_a_plan_learns_its_pace_from_those_who_read(store: Store) -> None:
    """Twice as many votes are by two people who press a key at once. With ties alone, nobody is far
    from the others by chance.
    """
    fill(store, items=30, systems=("x", "y"))
    assert flag_annotators(store, DATASET) == {}
    campaign = open_campaign(store, "c", Choice(dataset=DATASET), Design(overlap=3))
    for name, seconds in (("Ada", 24.0), ("Dee", 0.01), ("Eve", 0.02)):
        enrol(store, name)
        for _ in range(30):
            shown = present(store, campaign, name)
            campaigns.answer(store, name, shown, Answer(Outcome.TIE, seconds=seconds))
    flagged = flag_annotators(store, DATASET)
    assert list(flagged) == ["Dee", "Eve"], flagged
    assert get_pace(store, DATASET) == 24


# ---- Whom to worry about: p-values by SciPy and by hand, and people among whom nobody should be


N = 6


def people(n: int = N, **figures: object) -> pd.DataFrame:
    """So many people who give no reason to worry, but for these figures."""
    usual = {
        "too_fast": 0.0, "timed": 40, "p_first": 0.5, "decisions": 40, "gold_passed": 9,
        "gold_answered": 10, "attention_passed": 3, "attention_answered": 3,
        "self_agreement": 0.9, "repeated": 10, "misfit": False,
    }  # fmt: skip
    return pd.DataFrame(
        {name: np.resize(figures.get(name, value), n) for name, value in usual.items()}
    )


def worries_of_first(n: int = N, side_p: float = 1.0, **figures: object) -> tuple[str, ...]:
    """The worries about the first of so many people; there are none about the others."""
    usual = people(n).iloc[0]
    rows = people(n, **{name: [value] + [usual[name]] * (n - 1) for name, value in figures.items()})
    found = find_worries(rows, np.array([side_p] + [1.0] * (n - 1)))
    assert found[1:] == [()] * (n - 1)
    return found[0]


def test_each_figure_is_a_worry_of_its_own() -> None:
    assert worries_of_first() == ()
    for worry, figures in {
        "speed": {"too_fast": 0.5},
        "gold": {"gold_passed": 1},
        "attention": {"attention_passed": 0, "attention_answered": 12},
        "repeats": {"self_agreement": 0.1},
        "misfit": {"misfit": True},
        "one side": {"p_first": 0.95, "side_p": 1e-8},
    }.items():
        assert worries_of_first(**figures) == (worry,)
    found = worries_of_first(too_fast=0.9, p_first=1.0, side_p=1e-9, gold_passed=0, misfit=True)
    assert found == ("speed", "one side", "gold", "misfit"), "named in one order"
    nothing = people(
        1, too_fast=np.nan, timed=0, p_first=np.nan, decisions=0, gold_passed=0, gold_answered=0,
        attention_passed=0, attention_answered=0, self_agreement=np.nan, repeated=0,
    )  # fmt: skip
    assert find_worries(nothing, [np.nan]) == [()]


def test_the_binomial_test_decides_on_speed() -> None:
    """One person, one test: the smallest count that SciPy's own test finds too many."""
    for fast in range(41):
        p = binomtest(fast, 40, SLIPS, alternative="greater").pvalue
        rows = people(1, too_fast=fast / 40)
        assert bool(find_worries(rows, [np.nan])[0]) == (p <= ALPHA / 2), fast
    # Two people of whom the second passes all: Fisher's p-value of the first, two tests by Holm.
    for passed in range(11):
        p = fisher_exact([[passed, 10 - passed], [10, 0]], alternative="less").pvalue
        rows = people(2, gold_passed=[passed, 10], timed=0, repeated=0, attention_answered=0)
        found = find_worries(rows, [np.nan, np.nan])
        assert found == [("gold",) if 2 * p <= ALPHA / 2 else (), ()], passed


def test_of_twenty_careful_people_anybody_is_named_in_at_most_one_study_of_twenty() -> None:
    """Figures drawn with the same probabilities for all; 2,000 studies, Monte-Carlo error 0.5%."""
    rng = np.random.default_rng(11)
    named, studies, n = 0, 2000, 20
    for _ in range(studies):
        first = rng.binomial(40, 0.5, n)
        rows = people(
            n, too_fast=rng.binomial(40, SLIPS, n) / 40, p_first=first / 40,
            gold_passed=rng.binomial(10, 0.85, n), attention_passed=rng.binomial(3, 0.95, n),
            self_agreement=rng.binomial(10, 0.8, n) / 10,
        )  # fmt: skip
        side_p = [binomtest(int(k), 40).pvalue for k in first]
        named += any(find_worries(rows, side_p))
    assert named / studies <= ALPHA / 2 + 0.01


# ---- Where people disagree, and deciding it


@pytest.fixture
def disagreed(study: Store) -> Store:
    """On i0 Ada and Bo say alpha, Cy beta; on i1 Ada says alpha, Bo beta; on i2 all say alpha."""
    first, other = ("alpha", "beta"), ("beta", "alpha")
    with study.transaction():
        for who, item, sides, said in (
            ("Ada", "i0", first, "a"), ("Bo", "i0", other, "b"), ("Cy", "i0", other, "a"),
            ("Ada", "i1", first, "a"), ("Bo", "i1", first, "b"),
            ("Ada", "i2", first, "a"), ("Bo", "i2", first, "a"), ("Cy", "i2", first, "a"),
        ):  # fmt: skip
            say(study, who, item, sides, said)
    return study


def straight(rows: pd.DataFrame) -> pd.DataFrame:
    """Disputes with the first system by name in front, whatever the coin said."""
    turned = (rows["system_1"] > rows["system_2"]).to_numpy()
    first, second = rows["first"].mask(turned, rows["second"]), rows["second"]
    return rows.assign(first=first, second=second.mask(turned, rows["first"]))


def word(row: pd.Series, system: str) -> str:
    """What the first or second system by name is called in a row."""
    return "first" if (row["system_1"] == system) else "second"


def test_the_evenly_split_come_first(disagreed: Store) -> None:
    """Who is excluded disputes nothing."""
    rows = straight(disputes(disagreed, HERE))
    counts = rows[["item", "first", "tie", "second", "people"]]
    assert counts.to_numpy().tolist() == [["i1", 1, 0, 1, 2], ["i0", 2, 0, 1, 3]]
    assert rows["decided"].isna().all()
    disagreed.exclusions.add(DATASET, "Bo", reason="clicks", by="Eve")
    rows = disputes(disagreed, HERE)
    assert rows[["item", "people"]].values.tolist() == [["i0", 2]]
    assert sorted(said_on(disagreed, DATASET, rows.iloc[0])["person"]) == ["Ada", "Cy"]


def test_a_tie_against_a_preference_is_a_dispute_too(study: Store) -> None:
    say(study, "Ada", "i0", ("alpha", "beta"), "tie")
    assert disputes(study, HERE).empty
    say(study, "Bo", "i0", ("alpha", "beta"), "a")
    rows = straight(disputes(study, HERE))
    assert rows[["first", "tie", "second"]].to_numpy().tolist() == [[1, 1, 0]]


def test_a_system_stands_on_either_side(study: Store) -> None:
    """On 40 items the first by name stands in front on about half: 10 to 30 (4 sigma is 13)."""
    fill(study, items=40)
    say_all(study, "Ada", range(40), ("alpha", "beta"), "a")
    say_all(study, "Bo", range(40), ("alpha", "beta"), "b")
    rows = disputes(study, HERE)
    assert 8 <= (rows["system_1"] == "alpha").sum() <= 32
    for row in rows.itertuples():
        texts = study.texts.pair_texts(row.candidate_1, row.candidate_2)[1:]
        assert [text.split("-")[0] for text in texts] == [row.system_1, row.system_2]


def test_what_everybody_said_whichever_text_stood_first(disagreed: Store) -> None:
    row = disputes(disagreed, HERE).query("item == 'i0'").iloc[0]
    said = said_on(disagreed, DATASET, row).set_index("person")
    alpha, beta = word(row, "alpha"), word(row, "beta")
    assert said["better"].to_dict() == {"Ada": alpha, "Bo": alpha, "Cy": beta}
    places = {alpha: 1 + (alpha == "second"), beta: 1 + (beta == "second")}
    assert said["shown_first"].to_dict() == {
        "Ada": places[alpha], "Bo": places[beta], "Cy": places[beta],
    }  # fmt: skip


def test_people_who_annotate_here_are_called_as_in_exports(disagreed: Store) -> None:
    """Ada's vote on i1 becomes that of somebody who annotates here."""
    db = disagreed.connection
    ada = disagreed.judges.id_of("Ada")
    db.execute("UPDATE judgements SET withdrawn_at = 'now' WHERE judge = ?", (ada,))
    db.execute("UPDATE judges SET name = 'Ada0' WHERE name = 'Ada'")
    comparison = compare(disagreed, "i1", "alpha", "beta")
    campaign, who = disagreed.campaigns.default(DATASET).id, judge(disagreed, "Ada")
    disagreed.judgements.add_vote(campaign, comparison, who, Answer(Outcome.A))
    person = disagreed.people.annotate("Ada", who)
    row = disputes(disagreed, HERE).query("item == 'i1'").iloc[0]
    assert f"person-{person}" in said_on(disagreed, DATASET, row)["person"].tolist()


def test_a_decision_is_gold_and_can_be_changed_and_undone(disagreed: Store) -> None:
    row = disputes(disagreed, HERE).iloc[0]
    first = decide(disagreed, DATASET, row, "second", by="Eve", comment=" shorter ")
    rows = disputes(disagreed, HERE)
    assert rows[["item", "decided", "comment", "by"]].values.tolist()[1] == [
        "i1", "second", "shorter", "Eve",
    ]  # fmt: skip
    assert rows["item"].tolist() == ["i0", "i1"]  # what is open comes first
    decide(disagreed, DATASET, row, "tie", by="Flo")
    last = disputes(disagreed, HERE).iloc[1]
    assert (last["decided"], last["by"]) == ("tie", "Flo")
    assert not disagreed.adjudications.undo(first)
    assert disagreed.adjudications.undo(int(last["judgement"]))
    assert disputes(disagreed, HERE)["decided"].isna().all()
    kept = disagreed.connection.rows(
        """SELECT j.outcome, j.screen, j.withdrawn_at IS NULL FROM judgements j
        JOIN judges w ON w.id = j.judge AND w.name = ? ORDER BY j.id""",
        (ADJUDICATED,),
    )
    told = [(said, json.loads(screen)["adjudicated_by"], live) for said, screen, live in kept]
    assert told == [("b", "Eve", 0), ("tie", "Flo", 0)]
    assert disagreed.connection.check()["ok"]


def test_decisions_are_what_people_are_right_about(disagreed: Store) -> None:
    for _, row in disputes(disagreed, HERE).iterrows():
        decide(disagreed, DATASET, row, word(row, "alpha"), by="Eve")
    found = accuracies.accuracy(disagreed, Selection(DATASET), AccuracySettings("gold")).rows
    # Ada says alpha on both, Bo on i0 alone, Cy on none.
    assert found.set_index("judge")["accuracy"].to_dict() == {"Ada": 1.0, "Bo": 0.5, "Cy": 0.0}


def test_what_cannot_be_decided(disagreed: Store) -> None:
    row = disputes(disagreed, HERE).iloc[0]
    with pytest.raises(TandemError, match=r"decision 'maybe'.*\bfirst\b.*\btie\b.*\bsecond\b"):
        decide(disagreed, DATASET, row, "maybe", by="Eve")
    judge(disagreed, ADJUDICATED, Kind.LLM)
    with pytest.raises(TandemError, match=rf"{ADJUDICATED}.*\bllm judge\b"):
        decide(disagreed, DATASET, row, "first", by="Eve")
