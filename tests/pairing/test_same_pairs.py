"""A judge asked about the very pairs that people have answered."""

from __future__ import annotations

import pytest

from core.judging import make
from core.pairing import Request, planning
from core.records import Answer, Outcome, TandemError
from core.runs import execution
from core.store import Store
from tests.study import DATASET, compare, fill, ids, judge

REQUEST = Request(DATASET, strategy="same-pairs")
A = Answer(outcome=Outcome.A)


def answer(store, who, item, sides, attribute="coherence", given=A):
    comparison = compare(store, item, *sides, attribute)  # type: ignore[call-arg]
    store.connection.execute(
        """INSERT INTO judgements (comparison, judge, outcome, failure, created_at)
        VALUES (?, ?, ?, ?, 'now')""",
        (comparison, judge(store, who), given.outcome, given.failure),
    )


def asked(store, run):
    """(attribute, item, system shown first, other) of all that a run plans."""
    return sorted(
        store.connection.rows(
            """SELECT a.name, i.key, sa.name, sb.name FROM run_comparisons q
            JOIN comparisons c ON c.id = q.comparison JOIN attributes a ON a.id = c.attribute
            JOIN items i ON i.id = c.item JOIN systems sa ON sa.id = c.system_a
            JOIN systems sb ON sb.id = c.system_b WHERE q.run = ?""",
            (run,),
        )
    )


@pytest.fixture
def answered(study: Store) -> Store:
    fill(study, attributes=("coherence", "fluency"))
    answer(study, "Ada", "i0", ("beta", "alpha"))
    answer(study, "Bo", "i0", ("alpha", "beta"))
    answer(study, "Ada", "i1", ("gamma", "alpha"), "fluency")
    answer(study, "Ada", "i2", ("gamma", "alpha"), given=Answer(failure="skipped"))
    return study


def test_each_pair_people_answered_in_both_orders_of_that_attribute(answered: Store) -> None:
    run = planning.enqueue(answered, make("baseline:longer").spec, REQUEST)
    assert asked(answered, run) == [
        ("coherence", "i0", "alpha", "beta"),
        ("coherence", "i0", "beta", "alpha"),
        ("fluency", "i1", "alpha", "gamma"),
        ("fluency", "i1", "gamma", "alpha"),
    ]
    assert planning.outlook(answered, REQUEST).comparisons == 4


def test_the_same_request_again_asks_what_people_have_answered_since(answered: Store) -> None:
    longer = make("baseline:longer")
    run = planning.enqueue(answered, longer.spec, REQUEST)
    execution.execute(answered, run, by=longer)
    answer(answered, "Cy", "i2", ("beta", "gamma"))
    assert planning.enqueue(answered, longer.spec, REQUEST) == run
    assert len(asked(answered, run)) == 6


def test_narrowed_down(answered: Store) -> None:
    """Whom statistics leave out is not followed."""
    for narrow in ({"attributes": ("fluency",)}, {"systems": ("alpha", "beta")}):
        request = Request(DATASET, strategy="same-pairs", **narrow)
        assert planning.outlook(answered, request).comparisons == 2
    answered.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    run = planning.enqueue(answered, make("baseline:longer").spec, REQUEST)
    assert [row[1] for row in asked(answered, run)] == ["i0", "i0"]


def test_other_samples_too(study: Store) -> None:
    fill(study, samples=2)
    row = study.datasets.attribute_id(DATASET, "coherence")
    known = ids(study)
    pair = known["i0", "alpha", 1], known["i0", "beta", 1]
    study.judgements.add_comparisons(row, [pair])
    study.connection.execute(
        """INSERT INTO judgements (comparison, judge, outcome, created_at)
        VALUES (?, ?, 'a', 'now')""",
        (study.judgements.comparison_id(row, *pair), judge(study, "Ada")),
    )
    assert planning.outlook(study, REQUEST).comparisons == 2
    questions = planning.preview_questions(study, REQUEST, 5)
    assert {question.text_a for question in questions} == {"alpha-0-1", "beta-0-1 beta-0-1"}


def test_only_answers_of_people_count(study: Store) -> None:
    answer(study, "Ada", "i0", ("alpha", "beta"), given=Answer(failure="skipped"))
    with pytest.raises(TandemError, match=r"^people\b.*\bno pair\b.*'tiny'"):
        planning.outlook(study, REQUEST)
