"""Checks: training before the real pairs, and pairs of known answer among them."""

from __future__ import annotations

import numpy as np

from ..records import Answer, Outcome
from ..store import Campaign, Check, Store, make_moment_key
from .design import Design
from .presentation import Feedback, TakenAnswer


def due(store: Store, campaign: Campaign, design: Design, judge: int) -> Check | None:
    """Return the check this person gets next; None if none is due.

    Training comes first, then one check after every so many answers.
    """
    training = store.checks.list_unanswered(campaign.id, judge, training=True)
    if training:
        return training[0]
    unanswered = store.checks.list_unanswered(campaign.id, judge, training=False)
    if not unanswered or since_last(store, campaign, design, judge) < design.check_every:
        return None
    # Each person has an order of their own: what one tells another does not help.
    screens = store.checks.screens(judge)
    return min(
        unanswered,
        key=lambda check: (check.id not in screens, store.secrets.draw("turn", check.id, judge)),
    )


def since_last(store: Store, campaign: Campaign, design: Design, judge: int) -> int:
    """Count the pairs this person has answered or skipped since their last check.

    The count ends at the number of pairs between two checks, so that checks added later do not come
    all at once.
    """
    moment = store.checks.answered_at(campaign.id, judge)
    return store.progress.given_since(campaign.id, judge, moment, design.check_every)


def is_stopped(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    """Return whether this person has failed more checks than the campaign allows."""
    if design.on_failure != "stop":
        return False
    return store.checks.count_results(campaign.id, judge)["failed"] > design.failures_allowed


def is_informed(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    """Return whether this person knows of the checks they failed: they were warned, or are asked no
    more.
    """
    return design.on_failure == "warn" or is_stopped(store, campaign, design, judge)


def side_a(store: Store, check: Check, judge: int) -> str:
    """Return the text of a check that this person sees as A: "1" or "2"."""
    screen = store.checks.screens(judge).get(check.id)
    return screen or "12"[store.secrets.draw("check", check.id, judge) % 2]


def expected_outcome(check: Check, a: str) -> Outcome:
    """Return the right answer, when text `a` is shown as A."""
    if check.expected == "tie":
        return Outcome.TIE
    return Outcome.A if check.expected == a else Outcome.B


def feedback(campaign: Campaign, check: Check, right: Outcome, passed: bool) -> Feedback | None:
    """Return the feedback an annotator gets on their answer.

    In training there is always feedback; later only after a failure, where the campaign warns.
    """
    if check.role == "training":
        return Feedback(passed, right, check.feedback)
    if passed or Design.from_stored(campaign.design).on_failure != "warn":
        return None
    return Feedback(False, None, check.feedback)


def shuffle_words(text: str | None, seed: int) -> str:
    """Shuffle a text's own words into an order that makes no sense.

    Its characters are shuffled where it has next to no spaces, as in Chinese.
    """
    words = (text or "").split()
    apart = " "
    if len(words) < 4:
        words, apart = list("".join(words)), ""
    order = np.random.default_rng(seed).permutation(len(words))
    return apart.join(words[place] for place in order)


def undo(store: Store, campaign: Campaign, design: Design, judge: int, row: int) -> Answer | None:
    """Withdraw an answer to a check, which comes again at once; return the answer.

    It is None when it was taken back already, when they have learned how they did, or answered
    another since.
    """
    with store.transaction(durable=True):
        last = store.checks.latest(
            campaign.id, judge, told=is_informed(store, campaign, design, judge)
        )
        if last is None or last[0] != row or not store.checks.undo(row, judge):
            return None
        store.assignments.release(campaign.id, judge)
    return store.checks.load_answer(row)


def latest(store: Store, campaign: Campaign, design: Design, judge: int) -> TakenAnswer | None:
    """Return a person's latest answer that can be taken back, be it to a pair or to a check."""
    answers = [
        TakenAnswer(one.judgement, at=store.progress.answered_at(one.judgement))
        for one in store.progress.latest(campaign.id, judge, limit=1)
    ]
    told = is_informed(store, campaign, design, judge)
    if check := store.checks.latest(campaign.id, judge, told=told):
        answers.append(TakenAnswer(check[0], check=True, at=check[1]))
    return max(answers, key=lambda one: make_moment_key(one.at), default=None)
