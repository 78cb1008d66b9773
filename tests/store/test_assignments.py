"""Whose turn a pair is: leases and the order of asking."""

from __future__ import annotations

import pytest

from core.records import Answer, Outcome
from core.store import Assignment, PlannedPair, Store
from tests.study import DATASET, asked_about, compare, judge


@pytest.fixture
def campaign(study: Store) -> int:
    """The three pairs of i0, in the order 1-2, 1-3, 2-3."""
    row = asked_about(study, overlap=2)
    pairs = [PlannedPair(1, 2, 10), PlannedPair(3, 1, 20), PlannedPair(2, 3, 30)]
    assert study.campaigns.add_pairs(row, pairs) == 3
    return row


def turn_of(store: Store, who: int, **design: object) -> Assignment | None:
    """What a person gets: what they hold, else the next."""
    campaign = store.campaigns.default(DATASET).id
    return store.assignments.load_held(campaign, who) or store.assignments.lease_next(
        campaign, who, together=False, **design
    )


A = Answer(Outcome.A)
PRIORITIES = "SELECT priority FROM campaign_pairs WHERE campaign_attribute = ? ORDER BY id"
AGED = "UPDATE leases SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', {}, '-{} minutes')"


def pair(turn: Assignment | None) -> tuple[int, int] | None:
    return None if turn is None else (turn.generation_1, turn.generation_2)


def pair_of(store: Store, who: int) -> tuple[int, int] | None:
    return pair(turn_of(store, who))


def age(store: Store, minutes: int, since: str = "'now'") -> None:
    """As if leases had been given so long ago."""
    store.connection.execute(AGED.format(since, minutes) + " WHERE leased_at > ''")


def vote(store: Store, row: int, pair: tuple[int, int], who: int, answer: Answer = A) -> int | None:
    attribute = store.datasets.attribute_id(DATASET, "coherence")
    store.judgements.add_comparisons(attribute, [pair])
    campaign = store.connection.value(
        "SELECT campaign FROM campaign_attributes WHERE id = ?", (row,)
    )
    comparison = store.judgements.comparison_id(attribute, *pair)
    return store.judgements.add_vote(campaign, comparison, who, answer)


def test_pairs_come_by_votes_then_priority_until_their_overlap(study: Store, campaign: int) -> None:
    seen = []
    for number in range(6):
        person = judge(study, f"p{number}")
        seen.append(turn := pair_of(study, person))
        assert turn
        vote(study, campaign, turn, person)
    assert seen == [(1, 2), (1, 3), (2, 3)] * 2
    assert turn_of(study, judge(study, "late")) is None
    assert asked_about(study, seed=1) == campaign  # it is kept, and grows
    pairs = [PlannedPair(2, 1, 99), PlannedPair(4, 5, 40)]
    assert study.campaigns.add_pairs(campaign, pairs) == 1
    assert study.connection.rows(PRIORITIES, (campaign,)) == [(10,), (20,), (30,), (40,)]


def test_nobody_else_gets_what_one_holds(study: Store, campaign: int) -> None:
    ada, bo, cy, di = (judge(study, name) for name in ("Ada", "Bo", "Cy", "Di"))
    turns = [pair_of(study, who) for who in (ada, bo, ada, cy, bo)]
    assert turns == [(1, 2), (1, 3), (1, 2), (2, 3), (1, 3)]
    # It wants two votes: when nothing else is left, a second person may be at it, and no third.
    assert pair_of(study, di) == (1, 2)
    for pair_, others in (((1, 3), "E"), ((2, 3), "F")):
        assert pair_of(study, judge(study, others)) == pair_
    assert turn_of(study, judge(study, "late")) is None


@pytest.mark.parametrize("answer", [Answer(Outcome.TIE), Answer(failure="skipped")])
def test_an_answer_or_a_skip_lets_go_of_the_pair_at_once(study: Store, answer: Answer) -> None:
    row = asked_about(study, overlap=1)
    study.campaigns.add_pairs(row, [PlannedPair(1, 2, 10)])
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert [pair_of(study, who) for who in (ada, bo)] == [(1, 2), None]
    vote(study, row, (1, 2), ada, answer)
    assert turn_of(study, ada) is None
    assert study.connection.rows("SELECT * FROM leases") == []
    assert pair_of(study, bo) == (None if answer.outcome else (1, 2))  # a skip is no vote


def test_a_lease_that_is_over_goes_to_the_next_who_asks(study: Store, campaign: int) -> None:
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair_of(study, ada) == (1, 2)
    age(study, 16)
    assert [pair_of(study, who) for who in (ada, bo)] == [(1, 2), (1, 3)]  # asking renews it
    age(study, 14)
    assert pair_of(study, bo) == (1, 3)
    age(study, 16)
    assert [pair_of(study, who) for who in (judge(study, "Cy"), ada)] == [(1, 2), (1, 3)]
    assert vote(study, campaign, (1, 2), ada)  # who was slow is heard nevertheless


def test_leases_of_a_clock_that_was_set_back_last_no_longer_than_others(
    study: Store, campaign: int
) -> None:
    ada, bo, cy = judge(study, "Ada"), judge(study, "Bo"), judge(study, "Cy")
    turn_of(study, ada)
    study.connection.execute("UPDATE leases SET leased_at = '2999'")
    assert [pair_of(study, who) for who in (bo, ada)] == [(1, 3), (1, 2)]
    assert study.connection.value("SELECT max(leased_at) < '2999' FROM leases")
    age(study, 16, "leased_at")
    assert pair_of(study, cy) == (1, 2)


def test_what_is_taken_back_comes_next_when_the_clock_was_set_back(
    study: Store, campaign: int
) -> None:
    ada = judge(study, "Ada")
    assert pair_of(study, ada) == (1, 2)
    row = vote(study, campaign, (1, 2), ada)
    assert row
    assert pair_of(study, ada) == (1, 3)
    study.connection.execute("UPDATE leases SET leased_at = '2999'")
    assert study.assignments.undo(row, ada)
    assert pair_of(study, ada) == (1, 2)


def test_an_answer_in_the_other_order_or_from_a_file_is_not_asked_for_again(
    study: Store, campaign: int
) -> None:
    ada, bo, number = judge(study, "Ada"), judge(study, "Bo"), study.campaigns.default(DATASET).id
    vote(study, campaign, (2, 1), ada)
    assert pair_of(study, ada) == (1, 3)
    votes = "SELECT votes FROM campaign_pairs ORDER BY id"
    assert study.connection.rows(votes) == [(1,), (0,), (0,)]
    counts = {"answered": 0, "skipped": 0, "left": 3, "again": 0}
    assert study.progress.summarize(number, bo) == counts
    for sides in (("beta", "alpha"), ("alpha", "beta")):
        study.connection.execute(
            "INSERT INTO judgements (comparison, judge, outcome, created_at) "
            "VALUES (?, ?, 'a', '2020')", (compare(study, "i0", *sides), bo),
        )  # fmt: skip
    assert pair_of(study, bo) == (2, 3)  # the second is Ada's
    assert study.progress.summarize(number, bo) == {**counts, "left": 2}
    vote(study, campaign, (1, 2), judge(study, "Cy"))  # a pair is done at its overlap
    assert pair_of(study, judge(study, "Di")) == (1, 3)


def test_two_campaigns_of_a_data_set_ask_each_their_own(study: Store, campaign: int) -> None:
    other = study.campaigns.add(DATASET, "second round")
    row = study.campaigns.add_attribute(other, "coherence")
    study.campaigns.add_pairs(row, [PlannedPair(4, 5, 5), PlannedPair(1, 2, 6)])
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair(study.assignments.lease_next(other.id, ada, together=False)) == (4, 5)
    vote(study, row, (4, 5), ada)
    assert pair(turn_of(study, ada)) == (1, 2)
    vote(study, campaign, (1, 2), ada)
    # What somebody answered in one campaign they are not asked again in another.
    assert study.assignments.load_held(other.id, ada) is None
    assert study.assignments.lease_next(other.id, ada, together=False) is None
    assert pair(study.assignments.lease_next(other.id, bo, together=False)) == (1, 2)
