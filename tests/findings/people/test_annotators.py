"""How people judge: a study small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection
from core.findings.people import (
    ReadingPace,
    Scope,
    annotators,
    decisions,
    list_surprising_votes,
    votes,
)
from core.findings.people.annotators import compute_side_p
from core.records import Answer, Outcome, TandemError
from core.store import Store
from tests.findings.people.voting import say
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
    assert row(study, "Ada", pace=ReadingPace(500))["too_fast"] == 1.0
    with pytest.raises(TandemError, match=r"^fastest 0\b"):
        ReadingPace(0)


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
    db = voted.connection
    with voted.transaction():
        campaign = "INSERT INTO campaigns (dataset, name, created_at) VALUES (?, 'c', 'now')"
        db.execute(campaign, (DATASET,))
        for role, other, passed in (("gold", 2, 1), ("gold", 3, 0), ("attention", None, 1)):
            db.execute(
                """INSERT INTO checks (campaign, attribute, role, generation_1, generation_2,
                    expected, created_at) VALUES (1, 1, ?, 1, ?, '1', 'now')""",
                (role, other),
            )
            db.execute(
                """INSERT INTO check_answers ("check", judge, outcome, passed, created_at)
                VALUES (last_insert_rowid(), ?, 'a', ?, 'now')""",
                (voted.judges.id_of("Ada"), passed),
            )
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
    with store.transaction():
        for who, how in people.items():
            for item in range(items):
                right = rng.random() < {"good": 0.9, "coin": 0.5, "inverted": 0.1}[how]
                say(store, who, f"i{item}", ("alpha", "gamma"), "b" if right else "a")


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
