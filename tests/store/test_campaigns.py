"""Whose turn a pair is: leases and the order of asking. What an annotator sees is in
../test_campaigns.py.
"""

import pytest

from core.records import Answer, Outcome
from core.store import Store
from tests.study import DATASET, compare, judge


@pytest.fixture
def campaign(study):
    """The three pairs of i0, in the order 1-2, 1-3, 2-3."""
    row = study.campaigns.add(DATASET, "coherence", overlap=2)
    assert study.campaigns.add_pairs(row, [(1, 2, 10), (3, 1, 20), (2, 3, 30)]) == 3
    return row


A = Answer(Outcome.A)


def pair(turn):
    return turn and (turn.generation_1, turn.generation_2)


def vote(
    store: Store, plan: int, pair: tuple[int, int], who: int, answer: Answer = A
) -> int | None:
    attribute = store.datasets.attribute_id(DATASET, "coherence")
    store.judgements.add_comparisons(attribute, [pair])
    return store.judgements.add_vote(
        plan, store.judgements.comparison_id(attribute, *pair), who, answer
    )


def test_a_campaign_is_kept_and_grows(study, campaign):
    assert study.campaigns.add(DATASET, "coherence") == campaign
    assert study.campaigns.add(DATASET, "coherence", seed=1) != campaign
    assert study.campaigns.add_pairs(campaign, [(2, 1, 99), (4, 5, 40)]) == 1
    assert study.connection.rows(
        "SELECT priority FROM planned WHERE plan = ? ORDER BY id", (campaign,)
    ) == [
        (10,),
        (20,),
        (30,),
        (40,),
    ]


def test_pairs_come_by_votes_then_priority(study, campaign):
    people = [judge(study, f"p{i}") for i in range(6)]
    seen = []
    for person in people:
        turn = study.campaigns.next_turn(DATASET, person)
        seen.append(pair(turn))
        vote(study, campaign, pair(turn), person)
    assert seen == [(1, 2), (1, 3), (2, 3)] * 2
    assert study.campaigns.next_turn(DATASET, judge(study, "late")) is None


def test_nobody_else_gets_what_one_holds(study, campaign):
    ada, bo, cy, di = (judge(study, name) for name in ("Ada", "Bo", "Cy", "Di"))
    assert [pair(study.campaigns.next_turn(DATASET, who)) for who in (ada, bo, ada, cy, bo)] == [
        (1, 2),
        (1, 3),
        (1, 2),
        (2, 3),
        (1, 3),
    ]
    assert study.campaigns.next_turn(DATASET, di) is None


@pytest.mark.parametrize("answer", [Answer(Outcome.TIE), Answer(failure="skipped")])
def test_an_answer_or_a_skip_lets_go_of_the_pair_at_once(study, answer):
    row = study.campaigns.add(DATASET, "coherence", overlap=2)
    study.campaigns.add_pairs(row, [(1, 2, 10)])
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 2)
    assert study.campaigns.next_turn(DATASET, bo) is None
    vote(study, row, (1, 2), ada, answer)
    assert study.campaigns.next_turn(DATASET, ada) is None
    assert pair(study.campaigns.next_turn(DATASET, bo)) == (1, 2)


def test_a_lease_that_is_over_goes_to_the_next_who_asks(study, campaign):
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 2)
    study.connection.execute(
        "UPDATE planned SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-14 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(study.campaigns.next_turn(DATASET, bo)) == (1, 3)
    study.connection.execute(
        "UPDATE planned SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-16 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(study.campaigns.next_turn(DATASET, bo)) == (1, 2)
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 3)
    # Who was slow is heard nevertheless.
    assert vote(study, campaign, (1, 2), ada)


def test_looking_again_after_the_lease_is_over_renews_it(study, campaign):
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    study.campaigns.next_turn(DATASET, ada)
    study.connection.execute(
        "UPDATE planned SET leased_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-16 minutes') "
        "WHERE leased_at > ''"
    )
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 2)
    assert pair(study.campaigns.next_turn(DATASET, bo)) == (1, 3)


def test_a_pair_is_done_at_its_overlap(study, campaign):
    for name in ("Ada", "Bo"):
        vote(study, campaign, (1, 2), judge(study, name))
    assert pair(study.campaigns.next_turn(DATASET, judge(study, "Cy"))) == (1, 3)


def test_an_answer_in_the_other_order_counts_as_answered(study, campaign):
    ada = judge(study)
    vote(study, campaign, (2, 1), ada)
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 3)
    assert study.connection.rows("SELECT votes FROM planned ORDER BY id") == [(1,), (0,), (0,)]


def test_an_imported_answer_is_not_asked_for_again(study, campaign):
    """It counts for what is left to its judge, too."""
    ada = judge(study)
    assert study.campaigns.progress(DATASET, ada) == {"answered": 0, "skipped": 0, "left": 3}
    for sides in (("beta", "alpha"), ("alpha", "beta")):
        study.connection.execute(
            "INSERT INTO judgements (comparison, judge, outcome, created_at) VALUES (?, ?, 'a', "
            "'2020')",
            (compare(study, "i0", *sides), ada),
        )
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 3)
    assert study.campaigns.progress(DATASET, ada) == {"answered": 0, "skipped": 0, "left": 2}


def test_two_campaigns_take_turns_by_votes(study, campaign):
    """Each of its own overlap; a campaign that is closed asks nothing."""
    other = study.campaigns.add(DATASET, "coherence", seed=1)
    study.campaigns.add_pairs(other, [(4, 5, 5)])
    ada = judge(study)
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (4, 5)
    vote(study, other, (4, 5), ada)
    assert pair(study.campaigns.next_turn(DATASET, ada)) == (1, 2)
    study.connection.execute("UPDATE plans SET status = 'done' WHERE id = ?", (campaign,))
    assert study.campaigns.next_turn(DATASET, ada) is None
