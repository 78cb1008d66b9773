"""The screen of an annotator: one question, or the reason for its absence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..labels import wording
from ..records import Answer, Attribute, Outcome, TextFormat
from ..store import Campaign, Store


class NoQuestionReason(StrEnum):
    """A reason why somebody is asked nothing (at present)."""

    DONE = "done"  # they have answered all there is for them
    WAIT = "wait"  # what is left is on others' screens
    QUOTA = "quota"  # they have answered as many questions as one person may
    CONSENT = "consent"  # they have not agreed to take part yet
    STOPPED = "stopped"  # they failed more checks than may be failed
    PAUSED = "paused"
    CLOSED = "closed"
    OVER = "over"  # its last day is over


@dataclass(frozen=True)
class Presentation:
    """One question as an annotator sees it.

    `key` differs from that of every other: also of the same pair shown again in a later `round`,
    after an undo, and of the same rows with other texts. A browser receives it: it is sealed, so
    that no row of a text, and with it the system, can be read from it.

    `check` is the row of a check, 0 for a pair without a known answer. Only for one in `training`
    may an annotator learn the answer. `trial` is 1 where the pair is asked a second time.
    `text_format` is how its texts are to be shown.
    """

    campaign: int
    attribute_id: int
    generation_a: int
    generation_b: int
    dataset: str
    item: str
    attribute: str
    question: str
    guideline: str
    instructions: str
    context_noun: str
    context: str
    text_a: str
    text_b: str
    key: str = ""
    round: int = 0
    campaign_attribute: int = 0
    trial: int = 0
    check: int = 0
    training: bool = False
    text_format: TextFormat = TextFormat.PLAIN


def describe_question(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody reads: question, context and its noun, both texts and their format."""
    attribute = Attribute(
        about["attribute"], about["adjective"], about["question"], about["guideline"]
    )
    return {
        "question": wording(attribute, about["candidate_noun"]),
        "context": about["context"],
        "context_noun": about["context_noun"],
        "text_a": about["text_1"],
        "text_b": about["text_2"],
        "text_format": TextFormat(about["text_format"]),
    }


def build_presentation(
    campaign: Campaign, about: Mapping[str, Any], sides: tuple[int, int], **shown: Any
) -> Presentation:
    """Build the view of two texts (rows, first A), from what the store says they are `about`."""
    names = ("dataset", "item", "attribute", "guideline", "instructions")
    return Presentation(
        campaign=campaign.id,
        attribute_id=int(about["attribute_id"]),
        generation_a=sides[0],
        generation_b=sides[1],
        **{name: about[name] for name in names},
        **describe_question(about),
        **shown,
    )


def show_example(
    store: Store, campaign: Campaign, pair: tuple[str, int, int] | None = None
) -> Presentation | None:
    """Return a pair as it looks to an annotator, to look at; None for a campaign without pairs.

    A pair is its attribute and two rows; without one it is the campaign's first.
    """
    if pair is None:
        pairs, asked = store.campaigns.pairs(campaign.id), store.campaigns.attributes(campaign.id)
        if not pairs or not asked:
            return None
        pair = (asked[0], *pairs[0][:2])
    attribute, a, b = pair
    if store.secrets.draw("example", campaign.id) % 2:
        a, b = b, a
    row = store.datasets.attribute_id(campaign.dataset, attribute)
    return build_presentation(campaign, store.assignments.load_question(row, a, b), (a, b))


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that a person gave, with the screen as it was, sides included.

    `judgement` is its row and stays on the server.
    """

    judgement: int
    question: str
    context_noun: str
    context: str
    text_a: str
    text_b: str
    text_format: TextFormat
    answer: Answer
    created_at: str


@dataclass(frozen=True)
class Feedback:
    """Feedback to an annotator after a training pair, or after a check where the campaign says so.

    `expected` is the right answer, None where they only learn that theirs was wrong.
    """

    passed: bool
    expected: Outcome | None
    text: str


@dataclass(frozen=True)
class TakenAnswer:
    """An answer that was taken: its row, among judgements or among the answers to checks.

    `feedback` is for the annotator. `at` is when it was given: where a copy of the store has come
    back, the row may hold the answer of another moment. '' takes what the row holds.
    """

    row: int
    check: bool = False
    feedback: Feedback | None = None
    at: str = field(default="", compare=False)
