"""Checks: training before the real pairs, and pairs of known answer among them."""

from __future__ import annotations

import numpy as np

from core.annotation.design import Design
from core.annotation.presentation import Feedback, Taken
from core.records import Answer, Outcome
from core.seeds import draw
from core.store import Campaign, Check, Store


def due(store: Store, campaign: Campaign, design: Design, judge: int) -> Check | None:
    """The check this person gets next: training first, then one after every so many answers."""
    training = store.checks.unanswered(campaign.id, judge, training=True)
    if training:
        return training[0]
    unanswered = store.checks.unanswered(campaign.id, judge, training=False)
    if not unanswered:
        return None
    answered = store.checks.standing(campaign.id, judge)["answered"]
    if store.turns.given(campaign.id, judge) < (answered + 1) * design.check_every:
        return None
    # Each person has an order of their own: what one tells another does not help.
    return min(unanswered, key=lambda check: draw(check.id, "turn", judge))


def stopped(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    """Whether this person has failed more checks than the campaign allows."""
    if design.on_failure != "stop":
        return False
    return store.checks.standing(campaign.id, judge)["failed"] > design.failures_allowed


def side_a(check: Check, annotator: str) -> str:
    """Which text of a check this person sees as A: "1" or "2"."""
    return "2" if draw(check.id, "check", annotator) % 2 else "1"


def expected(check: Check, a: str) -> Outcome:
    """The right answer, when text `a` is shown as A."""
    if check.expected == "tie":
        return Outcome.TIE
    return Outcome.A if check.expected == a else Outcome.B


def feedback(campaign: Campaign, check: Check, right: Outcome, passed: bool) -> Feedback | None:
    """What an annotator is told of their answer: all in training; later only a failure, where the
    campaign warns.
    """
    if check.role == "training":
        return Feedback(passed, right, check.feedback)
    if passed or Design.of(campaign.design).on_failure != "warn":
        return None
    return Feedback(False, None, check.feedback)


def disordered(text: str | None, seed: int) -> str:
    """A text's own words in an order that makes no sense; its characters, where it has next to no
    spaces, as in Chinese.
    """
    words = (text or "").split()
    apart = " "
    if len(words) < 4:
        words, apart = list("".join(words)), ""
    order = np.random.default_rng(seed).permutation(len(words))
    return apart.join(words[place] for place in order)


def undo(store: Store, judge: int, row: int) -> Answer | None:
    """Withdraw an answer to a check. What it was; None when it was taken back already."""
    return store.checks.given(row) if store.checks.undo(row, judge) else None


def latest(store: Store, campaign: int, judge: int) -> Taken | None:
    """A person's latest answer, be it to a pair or to a check."""
    answers = store.turns.latest(campaign, judge, limit=1)
    check = store.checks.latest(campaign, judge)
    if not answers:
        return Taken(check[0], check=True) if check else None
    row = answers[0].judgement
    if check and check[1] > store.turns.answered_at(row):
        return Taken(check[0], check=True)
    return Taken(row)
