"""A person's own answers: looking them up, and changing them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..labels import wording
from ..records import Answer, Attribute, TandemError, TextFormat
from ..store import Campaign, Store
from .design import Design
from .participation import check_consent


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that a person gave, with the screen as it was, sides included.

    `judgement` is its row and stays on the server.
    """

    judgement: int
    attribute: str
    question: str
    context_noun: str
    candidate_noun: str
    context: str
    text_a: str
    text_b: str
    answer: Answer
    created_at: str
    text_format: TextFormat


def history(store: Store, campaign: Campaign, annotator: str, limit: int = 50) -> list[GivenAnswer]:
    """List this person's latest live answers in a campaign, newest first.

    Checks are not among them: they would be known as such.
    """
    rows = store.progress.history(campaign.id, store.judges.id_of(annotator), limit)
    return [_load_given(store, **row) for row in rows]


def _load_given(
    store: Store,
    judgement: int,
    attribute: int,
    generation_a: int,
    generation_b: int,
    created_at: str,
) -> GivenAnswer:
    about = store.assignments.load_question(attribute, generation_a, generation_b)
    asked = Attribute(about["attribute"], about["adjective"], about["question"], about["guideline"])
    return GivenAnswer(
        judgement=judgement,
        attribute=asked.name,
        question=wording(asked, about["candidate_noun"]),
        context_noun=about["context_noun"],
        candidate_noun=about["candidate_noun"],
        context=about["context"],
        text_a=about["text_1"],
        text_b=about["text_2"],
        answer=store.judgements.load_answer(judgement),
        created_at=created_at,
        text_format=TextFormat(about["text_format"]),
    )


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
        campaign = store.campaigns.get(number)  # inside: it may be closed while this one waits
        if campaign.status == "closed":
            raise TandemError(
                f"campaign {campaign.name!r} is {campaign.status}: answers can no longer be changed"
            )
        design = Design.from_stored(campaign.design)
        check_consent(store, campaign, design, judge)
        if answer.outcome and answer.outcome not in design.outcomes:
            raise TandemError(f"campaign {campaign.name!r} does not offer {answer.outcome.value!r}")
        old = store.judgements.load_answer(judgement)
        late = old.outcome is None and answer.outcome is not None
        if late and not store.assignments.may_answer(judgement, judge):
            raise TandemError("others have answered what you skipped: it is no longer open")
        screen = store.judgements.screen(judgement)
        return store.assignments.replace(judgement, judge, replace(answer, screen=screen))
