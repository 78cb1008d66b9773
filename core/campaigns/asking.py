"""Asking: the next question for an annotator, their answer to it, taking it back, looking up one's
own answers and changing them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..records import Answer, TandemError
from ..store import Assignment, Campaign, Check, Store
from .known_answers import choose_side_a, expected_outcome, shuffle_words
from .ordering import strata
from .participation import Participation
from .presentation import (
    Feedback,
    GivenAnswer,
    NoQuestionReason,
    Presentation,
    TakenAnswer,
    build_presentation,
    describe_question,
)

SKIPPED = "skipped"

REPEAT_AFTER = (10, 30)
"""A pair that is asked a second time comes after at least, and at most, so many other answers."""

_WHOLE = float(1 << 63)  # what a draw stays below


def present(store: Store, campaign: Campaign, annotator: str) -> Presentation | NoQuestionReason:
    """Return the next question for this annotator, or the reason for its absence.

    In this order: what they have on screen, training, a check that is due, a pair they are to
    answer again, the next pair, and at the end all they are still to answer again. Which text is A
    is drawn once per annotator and pair, so a reload, a second tab or the next attribute shows the
    same sides.

    Raises TandemError where the campaign was deleted with its data set.
    """
    try:
        shown = _find_next_question(Participation.find(store, campaign, annotator))
    except LookupError:
        store.campaigns.get(campaign.id)  # it went with its data set while this was looked up
        raise
    if shown is NoQuestionReason.DONE:  # there is nothing to ask, or it is gone
        store.campaigns.get(campaign.id)
    return shown


def _find_next_question(person: Participation) -> Presentation | NoQuestionReason:
    store, campaign, design = person.store, person.campaign, person.design
    if reason := _find_reason(person):
        if reason in (NoQuestionReason.QUOTA, NoQuestionReason.STOPPED):
            store.assignments.release(campaign.id, person.judge)
        return reason
    turn = store.assignments.load_held(campaign.id, person.judge)
    if not turn and (check := person.find_due_check()):
        return _show_check(person, check)
    if not turn and design.repeat_share:
        given = person.count_given()
        turn = store.assignments.repeat(campaign.id, person.judge, given)
    turn = turn or store.assignments.lease_next(
        campaign.id, person.judge, together=design.together, strata=strata(store, campaign)
    )
    if not turn and design.repeat_share:  # those that are not due yet
        turn = store.assignments.repeat(campaign.id, person.judge, None)
    if turn:
        return _show_pair(person, turn)
    return NoQuestionReason.WAIT if person.measure_progress().n_left else NoQuestionReason.DONE


def _find_reason(person: Participation) -> NoQuestionReason | None:
    if not person.campaign.open:
        return NoQuestionReason(person.campaign.status)
    if person.design.is_over():
        return NoQuestionReason.OVER
    if not person.has_consented():
        return NoQuestionReason.CONSENT
    if person.is_stopped():
        return NoQuestionReason.STOPPED
    return NoQuestionReason.QUOTA if person.has_quota() else None


def _show_pair(person: Participation, turn: Assignment) -> Presentation:
    a, b = sorted((turn.generation_1, turn.generation_2))
    # The order is the one this person saw before. Else the store's secret decides, alike in each
    # attribute.
    first = person.store.assignments.kept_first(turn, person.judge)
    drawn = person.store.secrets.draw
    if (drawn("sides", person.judge, a, b, turn.trial) % 2) if first is None else first == b:
        a, b = b, a
    about, rounds, key = _load_pair(person, turn.campaign_attribute, a, b)
    return build_presentation(
        person.campaign,
        about,
        (a, b),
        key=key,
        round=rounds,
        campaign_attribute=turn.campaign_attribute,
        trial=turn.trial,
    )


def _load_pair(
    person: Participation, campaign_attribute: int, a: int, b: int
) -> tuple[dict[str, Any], int, str]:
    """Return what a pair is about, which showing it is, and its key with `a` shown as A."""
    assignments = person.store.assignments
    attribute = assignments.attribute_of(campaign_attribute)
    about = assignments.load_question(attribute, a, b)
    rounds = assignments.rounds(attribute, min(a, b), max(a, b), person.judge)
    return about, rounds, _seal_showing(person, about, campaign_attribute, a, b, rounds)


def _show_check(person: Participation, check: Check) -> Presentation:
    store, other = person.store, check.generation_2
    about = store.assignments.load_question(check.attribute, check.generation_1, other)
    rows = (check.generation_1, other or check.generation_1)
    texts = (
        about["text_1"],
        about["text_2"] if other else shuffle_words(about["text_1"], check.id),
    )
    if (a := choose_side_a(store, check, person.judge)) == "2":
        rows, texts = rows[::-1], texts[::-1]
    about = {**about, "text_1": texts[0], "text_2": texts[1]}
    rounds = store.checks.rounds(check.id, person.judge)
    return build_presentation(
        person.campaign,
        about,
        rows,
        key=_seal_showing(person, about, "check", check.id, a, rounds),
        round=rounds,
        check=check.id,
        training=check.role == "training",
    )


def _seal_showing(person: Participation, about: Mapping[str, Any], *rows: object) -> str:
    """Compute the key of a showing from what is read on it and whose it is.

    Rows alone would not do: where a copy of the store has come back, they may be of other texts.
    """
    read = (about[name] for name in ("attribute", "context", "text_1", "text_2"))
    whose = (about["uid"], person.campaign.created_at)
    return person.store.campaigns.seal(person.judge, *rows, *whose, *read)


def answer(store: Store, annotator: str, shown: Presentation, answer: Answer) -> TakenAnswer | None:
    """Store this person's answer to what was on their screen; None when that screen is out of date.

    It is out of date when they have answered the pair since, also when they took that back. It is,
    too, when the store now holds other texts than the screen showed.

    It is on disk when this returns. The screen is recorded with it. Raises TandemError when the
    campaign was paused or closed since, when its consent was reworded, when it asks this person no
    more, and for an answer that it does not offer.
    """
    screen = {
        "key": shown.key,
        "question": shown.question,
        "a": shown.generation_a,
        "b": shown.generation_b,
    }
    answer = replace(answer, screen=json.dumps(screen))
    # What no other writer can change is looked up before the others have to wait.
    judge = store.judges.id_of(annotator)
    with store.transaction(durable=True):
        person = Participation(store, store.campaigns.get(shown.campaign), judge)
        _must_take(person, annotator, shown, answer)
        save = _save_check if shown.check else _save_vote
        return save(person, shown, answer)


def _must_take(person: Participation, name: str, shown: Presentation, answer: Answer) -> None:
    campaign, design = person.campaign, person.design
    if not campaign.open:
        raise TandemError(
            f"campaign {campaign.name!r} was {campaign.status} while this was on the screen"
        )
    person.check_consent()
    if person.is_stopped():
        raise TandemError(f"campaign {campaign.name!r} asks {name!r} no more")
    if not shown.training and person.has_quota():
        raise TandemError(
            f"campaign {campaign.name!r} asks each person {design.quota} questions at most"
        )
    _must_offer(person, answer)


def _must_offer(person: Participation, answer: Answer) -> None:
    if answer.outcome and answer.outcome not in person.design.outcomes:
        raise TandemError(
            f"campaign {person.campaign.name!r} does not offer {answer.outcome.value!r}"
        )


def _save_vote(person: Participation, shown: Presentation, answer: Answer) -> TakenAnswer | None:
    store, sides = person.store, (shown.generation_a, shown.generation_b)
    try:
        _, _, key = _load_pair(person, shown.campaign_attribute, *sides)
    except LookupError:  # gone with its data set
        return None
    if key != shown.key:
        return None
    store.judgements.add_comparisons(shown.attribute_id, [sides])
    comparison = store.judgements.comparison_id(shown.attribute_id, *sides)
    vote = (person.campaign.id, comparison, person.judge, answer)
    row = store.judgements.add_vote(*vote, trial=shown.trial)
    if row and not shown.trial and answer.outcome:
        _ask_again(person, shown)
    return TakenAnswer(row, at=store.progress.answered_at(row)) if row else None


def _ask_again(person: Participation, shown: Presentation) -> None:
    """Plan to ask a pair a second time, if it is drawn into the share that is repeated."""
    one, other = sorted((shown.generation_a, shown.generation_b))
    what = (person.campaign.id, person.judge, shown.attribute_id, one, other)
    draw, share = person.store.secrets.draw, person.design.repeat_share
    if not share or draw("asked again?", *what) / _WHOLE >= share:
        return
    least, most = REPEAT_AFTER
    after = least + draw("asked again when?", *what) % (most - least + 1)
    person.store.assignments.ask_again(
        shown.campaign_attribute, (one, other), person.judge, person.count_given() + after
    )


def _save_check(person: Participation, shown: Presentation, answer: Answer) -> TakenAnswer | None:
    store = person.store
    active = store.checks.list_active(person.campaign.id)
    check = next((one for one in active if one.id == shown.check), None)
    # None where nobody is asked it any more
    if check is None or _show_check(person, check).key != shown.key:
        return None
    right = expected_outcome(check, choose_side_a(store, check, person.judge))
    passed = answer.outcome is right
    row = store.checks.answer(check.id, person.judge, answer, passed=passed)
    if row is None:
        return None
    feedback = None
    if check.role == "training":
        feedback = Feedback(passed, right, check.feedback)
    elif not passed and person.design.on_failure == "warn":
        feedback = Feedback(False, None, check.feedback)
    return TakenAnswer(row, True, feedback, store.checks.given_at(row))


def undo(store: Store, annotator: str, taken: TakenAnswer) -> Answer | None:
    """Withdraw this person's answer and put that pair before them again.

    Returns the answer, with comment and confidence. It is None when it was taken back already, or
    is not the answer that was `taken`. A check stays when they have learned how they did.

    Raises TandemError when the campaign is not open, or over: nobody could answer again.
    """
    judge = store.judges.id_of(annotator)
    number = (store.checks if taken.check else store.assignments).campaign_of(taken.row)
    if number is None:
        return None
    with store.transaction(durable=True):
        # Inside: it may be closed, or the answer be another's, while this one waits.
        given_at = store.checks.given_at if taken.check else store.progress.answered_at
        if taken.at and given_at(taken.row) != taken.at:
            return None
        person = Participation(store, store.campaigns.get(number), judge)
        if not person.campaign.open or person.design.is_over():
            closed = f"over since {person.design.deadline}" if person.campaign.open else ""
            raise TandemError(
                f"campaign {person.campaign.name!r} is {closed or person.campaign.status}: answers "
                "can no longer be taken back"
            )
        if taken.check:
            return person.undo_check(taken.row)
        if not store.assignments.undo(taken.row, judge):
            return None
        return store.judgements.load_answer(taken.row)


def history(store: Store, campaign: Campaign, annotator: str, limit: int = 50) -> list[GivenAnswer]:
    """List this person's latest live answers in a campaign, newest first.

    Checks are not among them: they would be known as such.
    """
    rows = store.progress.history(campaign.id, store.judges.id_of(annotator), limit)
    return [
        GivenAnswer(
            judgement=row["judgement"],
            answer=store.judgements.load_answer(row["judgement"]),
            created_at=row["created_at"],
            **describe_question(
                store.assignments.load_question(
                    row["attribute"], row["generation_a"], row["generation_b"]
                )
            ),
        )
        for row in rows
    ]


def change(
    store: Store, annotator: str, judgement: int, answer: Answer, *, given_at: str = ""
) -> int | None:
    """Replace one of a person's own answers; return the new row.

    It is None when the old one was withdrawn already, or was not `given_at` that moment. The old
    one is kept, withdrawn; the sides are those that were shown.

    Raises TandemError when the campaign is closed, does not offer the answer, has another consent
    than they agreed to, or when the old one was a skip and others have answered the pair since.
    """
    judge = store.judges.id_of(annotator)
    number = store.assignments.campaign_of(judgement)
    if number is None:
        raise TandemError("this answer was not given here: it cannot be changed")
    with store.transaction(durable=True):
        if given_at and store.progress.answered_at(judgement) != given_at:
            return None
        # inside: it may be closed while this one waits
        person = Participation(store, store.campaigns.get(number), judge)
        if person.campaign.is_closed:
            raise TandemError(
                f"campaign {person.campaign.name!r} is closed: answers can no longer be changed"
            )
        person.check_consent()
        _must_offer(person, answer)
        old = store.judgements.load_answer(judgement)
        late = old.outcome is None and answer.outcome is not None
        if late and not store.assignments.may_answer(judgement, judge):
            raise TandemError("others have answered what you skipped: it is no longer open")
        screen = store.judgements.screen(judgement)
        return store.assignments.replace(judgement, judge, replace(answer, screen=screen))
