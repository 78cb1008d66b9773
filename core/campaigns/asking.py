"""Asking: the next question for an annotator, their answer to it, and taking it back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..records import Answer, TandemError
from ..store import Assignment, Campaign, Check, Store
from . import checking
from .design import Design
from .ordering import strata
from .participation import check_consent, count_given, has_consented, progress
from .presentation import NoQuestionReason, Presentation, TakenAnswer, build_presentation

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
        shown = _next_question(store, campaign, annotator)
    except LookupError:
        store.campaigns.get(campaign.id)  # it went with its data set while this was looked up
        raise
    if shown is NoQuestionReason.DONE:  # there is nothing to ask, or it is gone
        store.campaigns.get(campaign.id)
    return shown


def _next_question(
    store: Store, campaign: Campaign, annotator: str
) -> Presentation | NoQuestionReason:
    judge, design = store.judges.id_of(annotator), Design.from_stored(campaign.design)
    hold = _held_back(store, campaign, design, judge)
    if hold:
        if hold in (NoQuestionReason.QUOTA, NoQuestionReason.STOPPED):
            store.assignments.release(campaign.id, judge)
        return hold
    turn = store.assignments.load_held(campaign.id, judge)
    if turn:
        return _pair(store, campaign, annotator, turn)
    check = checking.due(store, campaign, design, judge)
    if check:
        return _check(store, campaign, annotator, check)
    turn = (
        _repeat(store, campaign, design, judge)
        or store.assignments.lease_next(
            campaign.id, judge, together=design.together, strata=strata(store, campaign)
        )
        or _repeat(store, campaign, design, judge, at_once=True)
    )
    if turn:
        return _pair(store, campaign, annotator, turn)
    return (
        NoQuestionReason.WAIT
        if progress(store, campaign, annotator).n_left
        else NoQuestionReason.DONE
    )


def _repeat(
    store: Store, campaign: Campaign, design: Design, judge: int, *, at_once: bool = False
) -> Assignment | None:
    """Return the question that is due to be asked this person again; None without one.

    `at_once` does not wait until it is due.
    """
    if not design.repeat_share:
        return None
    answered = None if at_once else count_given(store, campaign, judge)
    return store.assignments.repeat(campaign.id, judge, answered)


def _held_back(
    store: Store, campaign: Campaign, design: Design, judge: int
) -> NoQuestionReason | None:
    if not campaign.open:
        return NoQuestionReason(campaign.status)
    if design.is_over():
        return NoQuestionReason.OVER
    if not has_consented(store, campaign, design, judge):
        return NoQuestionReason.CONSENT
    if checking.is_stopped(store, campaign, design, judge):
        return NoQuestionReason.STOPPED
    return NoQuestionReason.QUOTA if _has_all(store, campaign, design, judge) else None


def _has_all(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    return design.quota is not None and count_given(store, campaign, judge) >= design.quota


def _pair(store: Store, campaign: Campaign, annotator: str, turn: Assignment) -> Presentation:
    judge = store.judges.id_of(annotator)
    about = store.assignments.load_question(
        store.assignments.attribute_of(turn.campaign_attribute),
        turn.generation_1,
        turn.generation_2,
    )
    generations = {"1": turn.generation_1, "2": turn.generation_2}
    a, b = sorted(generations, key=generations.__getitem__)
    if _is_second_first(store, judge, turn):
        a, b = b, a
    rounds = store.assignments.rounds(
        int(about["attribute_id"]), turn.generation_1, turn.generation_2, judge
    )
    return build_presentation(
        campaign,
        about,
        key=_seal_showing(
            store,
            campaign,
            about,
            (about[f"text_{a}"], about[f"text_{b}"]),
            (judge, turn.campaign_attribute, generations[a], generations[b], rounds),
        ),
        round=rounds,
        campaign_attribute=turn.campaign_attribute,
        generation_a=generations[a],
        generation_b=generations[b],
        text_a=about[f"text_{a}"],
        text_b=about[f"text_{b}"],
        trial=turn.trial,
    )


def _is_second_first(store: Store, judge: int, turn: Assignment) -> bool:
    """Return whether the later row of a pair is shown as A.

    The order is the one this person saw before. Else the store's secret decides, alike in each
    attribute.
    """
    one, other = sorted((turn.generation_1, turn.generation_2))
    first = store.assignments.kept_first(turn, judge)
    if first is not None:
        return first == other
    return store.secrets.draw("sides", judge, one, other, turn.trial) % 2 == 1


def _check(store: Store, campaign: Campaign, annotator: str, check: Check) -> Presentation:
    judge = store.judges.id_of(annotator)
    about = store.assignments.load_question(check.attribute, check.generation_1, check.generation_2)
    generations = {"1": check.generation_1, "2": check.generation_2 or check.generation_1}
    texts = {"1": about["text_1"], "2": about["text_2"]}
    if check.generation_2 is None:
        texts["2"] = checking.shuffle_words(about["text_1"], check.id)
    rounds = store.checks.rounds(check.id, judge)
    a = checking.side_a(store, check, judge)
    b = "1" if a == "2" else "2"
    return build_presentation(
        campaign,
        about,
        key=_seal_showing(
            store, campaign, about, (texts[a], texts[b]), (judge, "check", check.id, a, rounds)
        ),
        round=rounds,
        campaign_attribute=0,
        generation_a=generations[a],
        generation_b=generations[b],
        text_a=texts[a],
        text_b=texts[b],
        check=check.id,
        training=check.role == "training",
    )


def _seal_showing(
    store: Store,
    campaign: Campaign,
    about: Mapping[str, Any],
    texts: tuple[str | None, str | None],
    rows: tuple[object, ...],
) -> str:
    """Compute the key of a showing from what is read on it and whose it is.

    Rows alone would not do: where a copy of the store has come back, they may be of other texts.
    """
    read = (about["attribute"], about["context"], *texts)
    return store.campaigns.seal(*rows, about["uid"], campaign.created_at, *read)


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
    person = _Person(annotator, store.judges.id_of(annotator))
    with store.transaction(durable=True):
        campaign = store.campaigns.get(shown.campaign)
        _must_take(store, campaign, person, shown, answer)
        if shown.check:
            return _save_check(store, campaign, person, shown, answer)
        return _save_vote(store, campaign, person, shown, answer)


class _Person(NamedTuple):
    """The person who answers, and the row of theirs under which votes are kept."""

    name: str
    judge: int


def _key_now(store: Store, campaign: Campaign, judge: int, shown: Presentation) -> str:
    """Compute the key that this pair would be shown under now; '' for a pair that is gone."""
    sides = (shown.generation_a, shown.generation_b)
    try:
        attribute = store.assignments.attribute_of(shown.campaign_attribute)
        about = store.assignments.load_question(attribute, *sides)
    except LookupError:  # gone with its data set
        return ""
    rounds = store.assignments.rounds(attribute, min(sides), max(sides), judge)
    texts = (about["text_1"], about["text_2"])
    what = (judge, shown.campaign_attribute, *sides, rounds)
    return _seal_showing(store, campaign, about, texts, what)


def _must_take(
    store: Store, campaign: Campaign, person: _Person, shown: Presentation, answer: Answer
) -> None:
    if not campaign.open:
        raise TandemError(
            f"campaign {campaign.name!r} was {campaign.status} while this was on the screen"
        )
    design = Design.from_stored(campaign.design)
    check_consent(store, campaign, design, person.judge)
    if checking.is_stopped(store, campaign, design, person.judge):
        raise TandemError(f"campaign {campaign.name!r} asks {person.name!r} no more")
    if not shown.training and _has_all(store, campaign, design, person.judge):
        raise TandemError(
            f"campaign {campaign.name!r} asks each person {design.quota} questions at most"
        )
    if answer.outcome and answer.outcome not in design.outcomes:
        raise TandemError(f"campaign {campaign.name!r} does not offer {answer.outcome.value!r}")


def _save_vote(
    store: Store, campaign: Campaign, person: _Person, shown: Presentation, answer: Answer
) -> TakenAnswer | None:
    judge = person.judge
    if _key_now(store, campaign, judge, shown) != shown.key:
        return None
    sides = (shown.generation_a, shown.generation_b)
    store.judgements.add_comparisons(shown.attribute_id, [sides])
    comparison = store.judgements.comparison_id(shown.attribute_id, *sides)
    row = store.judgements.add_vote(campaign.id, comparison, judge, answer, trial=shown.trial)
    if row and not shown.trial and answer.outcome:
        _ask_again(store, campaign, person, shown)
    return TakenAnswer(row, at=store.progress.answered_at(row)) if row else None


def _ask_again(store: Store, campaign: Campaign, person: _Person, shown: Presentation) -> None:
    """Plan to ask a pair a second time, if it is drawn into the share that is repeated."""
    judge = person.judge
    share = Design.from_stored(campaign.design).repeat_share
    if not share:
        return
    pair = sorted((shown.generation_a, shown.generation_b))
    what = (campaign.id, judge, shown.attribute_id, *pair)
    chance = store.secrets.draw("asked again?", *what) / _WHOLE
    if chance >= share:
        return
    least, most = REPEAT_AFTER
    after = least + store.secrets.draw("asked again when?", *what) % (most - least + 1)
    store.assignments.ask_again(
        shown.campaign_attribute,
        (pair[0], pair[1]),
        judge,
        count_given(store, campaign, judge) + after,
    )


def _save_check(
    store: Store, campaign: Campaign, person: _Person, shown: Presentation, answer: Answer
) -> TakenAnswer | None:
    judge = person.judge
    check = next(
        (one for one in store.checks.list_active(campaign.id) if one.id == shown.check), None
    )
    if check is None:  # nobody is asked it any more
        return None
    a = checking.side_a(store, check, judge)
    if _check(store, campaign, person.name, check).key != shown.key:
        return None
    right = checking.expected_outcome(check, a)
    passed = answer.outcome is right
    row = store.checks.answer(check.id, judge, answer, passed=passed)
    if row is None:
        return None
    told = checking.feedback(campaign, check, right, passed)
    return TakenAnswer(row, True, told, store.checks.given_at(row))


def undo(store: Store, annotator: str, taken: TakenAnswer) -> Answer | None:
    """Withdraw this person's answer and put that pair before them again.

    Returns the answer, with comment and confidence. It is None when it was taken back already, or
    is not the answer that was `taken`. A check stays when they have learned how they did.

    Raises TandemError when the campaign is not open, or over: nobody could answer again.
    """
    judge = store.judges.id_of(annotator)
    number = (
        store.checks.campaign_of(taken.row)
        if taken.check
        else store.assignments.campaign_of(taken.row)
    )
    if number is None:
        return None
    with store.transaction(durable=True):
        # Inside: it may be closed, or the answer be another's, while this one waits.
        given_at = store.checks.given_at if taken.check else store.progress.answered_at
        if taken.at and given_at(taken.row) != taken.at:
            return None
        campaign = store.campaigns.get(number)
        if not campaign.open:
            raise TandemError(
                f"campaign {campaign.name!r} is {campaign.status}: answers can no longer be taken "
                "back"
            )
        design = Design.from_stored(campaign.design)
        if design.is_over():
            raise TandemError(
                f"campaign {campaign.name!r} is over since {design.deadline}: answers can no "
                "longer be taken back"
            )
        if taken.check:
            return checking.undo(store, campaign, design, judge, taken.row)
        if not store.assignments.undo(taken.row, judge):
            return None
        return store.judgements.load_answer(taken.row)
