"""Whose turn a pair is: leases and the order of asking. What an annotator sees is in
../campaigns/test_asking.py.
"""

import pytest

from core.records import Answer, Outcome
from core.store import Assignment, PlannedPair, Store
from tests.study import DATASET, asked_about, compare, judge


@pytest.fixture
def campaign(study):
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


def pair(turn):
    return None if turn is None else (turn.generation_1, turn.generation_2)


def vote(store: Store, row: int, pair: tuple[int, int], who: int, answer: Answer = A) -> int | None:
    attribute = store.datasets.attribute_id(DATASET, "coherence")
    store.judgements.add_comparisons(attribute, [pair])
    [(campaign,)] = store.connection.rows(
        "SELECT campaign FROM campaign_attributes WHERE id = ?", (row,)
    )
    return store.judgements.add_vote(
        campaign, store.judgements.comparison_id(attribute, *pair), who, answer
    )


def test_a_campaign_is_kept_and_grows(study, campaign):
    assert asked_about(study, seed=1) == campaign
    pairs = [PlannedPair(2, 1, 99), PlannedPair(4, 5, 40)]
    assert study.campaigns.add_pairs(campaign, pairs) == 1
    priorities = "SELECT priority FROM campaign_pairs WHERE campaign_attribute = ? ORDER BY id"
    assert study.connection.rows(priorities, (campaign,)) == [(10,), (20,), (30,), (40,)]


def test_pairs_come_by_votes_then_priority(study, campaign):
    people = [judge(study, f"p{i}") for i in range(6)]
    seen = []
    for person in people:
        turn = turn_of(study, person)
        seen.append(pair(turn))
        vote(study, campaign, pair(turn), person)
    assert seen == [(1, 2), (1, 3), (2, 3)] * 2
    assert turn_of(study, judge(study, "late")) is None


def test_nobody_else_gets_what_one_holds(study, campaign):
    ada, bo, cy, di = (judge(study, name) for name in ("Ada", "Bo", "Cy", "Di"))
    assert [pair(turn_of(study, who)) for who in (ada, bo, ada, cy, bo)] == [
        (1, 2),
        (1, 3),
        (1, 2),
        (2, 3),
        (1, 3),
    ]
    # It wants two votes: when nothing else is left, a second person may be at it, and no third.
    assert pair(turn_of(study, di)) == (1, 2)
    for pair_, others in (((1, 3), "E"), ((2, 3), "F")):
        assert pair(turn_of(study, judge(study, others))) == pair_
    assert turn_of(study, judge(study, "late")) is None


@pytest.mark.parametrize("answer", [Answer(Outcome.TIE), Answer(failure="skipped")])
def test_an_answer_or_a_skip_lets_go_of_the_pair_at_once(study, answer):
    row = asked_about(study, overlap=1)
    study.campaigns.add_pairs(row, [PlannedPair(1, 2, 10)])
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair(turn_of(study, ada)) == (1, 2)
    assert turn_of(study, bo) is None
    vote(study, row, (1, 2), ada, answer)
    assert turn_of(study, ada) is None
    assert study.connection.rows("SELECT * FROM leases") == []
    assert pair(turn_of(study, bo)) == (None if answer.outcome else (1, 2))  # a skip is no vote


def test_a_lease_that_is_over_goes_to_the_next_who_asks(study, campaign):
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair(turn_of(study, ada)) == (1, 2)
    study.connection.execute(
        "UPDATE leases SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-14 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(turn_of(study, bo)) == (1, 3)
    study.connection.execute(
        "UPDATE leases SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-16 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(turn_of(study, bo)) == (1, 2)
    assert pair(turn_of(study, ada)) == (1, 3)
    # Who was slow is heard nevertheless.
    assert vote(study, campaign, (1, 2), ada)


def test_looking_again_after_the_lease_is_over_renews_it(study, campaign):
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    turn_of(study, ada)
    study.connection.execute(
        "UPDATE leases SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-16 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(turn_of(study, ada)) == (1, 2)
    assert pair(turn_of(study, bo)) == (1, 3)


def test_leases_of_a_clock_that_was_set_back_last_no_longer_than_others(study, campaign):
    ada, bo, cy = judge(study, "Ada"), judge(study, "Bo"), judge(study, "Cy")
    turn_of(study, ada)
    study.connection.execute("UPDATE leases SET leased_at = '2999'")
    assert pair(turn_of(study, bo)) == (1, 3)
    assert pair(turn_of(study, ada)) == (1, 2)
    assert study.connection.value("SELECT max(leased_at) < '2999' FROM leases")
    study.connection.execute(
        "UPDATE leases SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', leased_at, '-16 minutes')"
    )
    assert pair(turn_of(study, cy)) == (1, 2)


def test_what_is_taken_back_comes_next_when_the_clock_was_set_back(study, campaign):
    ada = judge(study, "Ada")
    row = vote(study, campaign, pair(turn_of(study, ada)), ada)
    assert pair(turn_of(study, ada)) == (1, 3)
    study.connection.execute("UPDATE leases SET leased_at = '2999'")
    assert study.assignments.undo(row, ada)
    assert pair(turn_of(study, ada)) == (1, 2)


def test_a_pair_is_done_at_its_overlap(study, campaign):
    for name in ("Ada", "Bo"):
        vote(study, campaign, (1, 2), judge(study, name))
    assert pair(turn_of(study, judge(study, "Cy"))) == (1, 3)


def test_an_answer_in_the_other_order_counts_as_answered(study, campaign):
    ada = judge(study)
    vote(study, campaign, (2, 1), ada)
    assert pair(turn_of(study, ada)) == (1, 3)
    answered = "SELECT votes FROM campaign_pairs ORDER BY id"
    assert study.connection.rows(answered) == [(1,), (0,), (0,)]


def test_an_imported_answer_is_not_asked_for_again(study, campaign):
    """It counts for what is left to its judge, too."""
    ada = judge(study)
    assert study.progress.summarize(study.campaigns.default(DATASET).id, ada) == {
        "answered": 0,
        "skipped": 0,
        "left": 3,
        "again": 0,
    }
    for sides in (("beta", "alpha"), ("alpha", "beta")):
        study.connection.execute(
            "INSERT INTO judgements (comparison, judge, outcome, created_at) VALUES (?, ?, 'a', "
            "'2020')",
            (compare(study, "i0", *sides), ada),
        )
    assert pair(turn_of(study, ada)) == (1, 3)
    assert study.progress.summarize(study.campaigns.default(DATASET).id, ada) == {
        "answered": 0,
        "skipped": 0,
        "left": 2,
        "again": 0,
    }


def test_two_campaigns_of_a_data_set_ask_each_their_own(study, campaign):
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
