"""People and pairs: the default campaigns, and one question after another for an annotator."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from statistics import median

from core.labels import wording
from core.records import Answer, Attribute, JudgeSpec, Kind, TandemError
from core.seeds import draw
from core.store import Store

SKIPPED = "skipped"


@dataclass(frozen=True)
class Presentation:
    """One question as an annotator sees it. `key` tells it from every other, also from the same
    pair shown again in a later `round`: after an undo. A browser receives it: it is sealed, so that
    no row of a text, and with it the system, can be read from it.
    """

    key: str
    round: int
    plan: int
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
    candidate_noun: str
    context: str
    text_a: str
    text_b: str


def enrol(store: Store, annotator: str) -> int:
    """The row of an annotator, added when they are new. Raises TandemError for a name that cannot
    be used.
    """
    name = " ".join(annotator.split())
    if not name or len(name) > 80 or not name.isprintable():
        raise TandemError("please give a name of 1 to 80 letters, digits or signs")
    if name in list(Kind) or ":" in name:
        raise TandemError(
            f"{name!r} is taken: a name may not contain a colon or be one of {', '.join(Kind)}"
        )
    if store.judges.kind(name) is not Kind.HUMAN:  # known already: no write at every look at a page
        store.judges.add([JudgeSpec(name, Kind.HUMAN)])
    return store.judges.id_of(name)


def present(store: Store, dataset: str, annotator: str) -> Presentation | None:
    """The next question for this annotator; None when nothing is left to ask them.

    Which text is A is drawn once per annotator and pair, so a reload, a second tab or the next
    attribute shows the same sides.
    """
    judge = store.judges.id_of(annotator)
    turn = store.campaigns.next_turn(dataset, judge)
    if turn is None:
        return None
    shown = store.campaigns.shown(turn)
    generations = {"1": turn.generation_1, "2": turn.generation_2}
    names = {side: f"{shown[f'system_{side}']}#{shown[f'sample_{side}']}" for side in generations}
    a, b = sorted(generations, key=lambda side: names[side])
    if draw(turn.seed, annotator, dataset, shown["item"], names[a], names[b]) % 2:
        a, b = b, a
    attribute = Attribute(
        shown["attribute"], shown["adjective"], shown["question"], shown["guideline"]
    )
    rounds = store.campaigns.rounds(
        int(shown["attribute_id"]), turn.generation_1, turn.generation_2, judge
    )
    return Presentation(
        key=store.campaigns.seal(judge, turn.plan, generations[a], generations[b], rounds),
        round=rounds,
        plan=turn.plan,
        attribute_id=int(shown["attribute_id"]),
        generation_a=generations[a],
        generation_b=generations[b],
        dataset=dataset,
        item=shown["item"],
        attribute=attribute.name,
        question=wording(attribute, shown["candidate_noun"]),
        guideline=attribute.guideline,
        instructions=shown["instructions"],
        context_noun=shown["context_noun"],
        candidate_noun=shown["candidate_noun"],
        context=shown["context"],
        text_a=shown[f"text_{a}"],
        text_b=shown[f"text_{b}"],
    )


def answer(store: Store, annotator: str, shown: Presentation, answer: Answer) -> int | None:
    """Store this person's answer to what was on their screen: its row, or None when that screen is
    out of date, because they have answered the pair since, be it that they took it back, or because
    it is not of this store.

    It is on disk when this returns. The screen is recorded with it.
    """
    screen = json.dumps(
        {
            "key": shown.key,
            "question": shown.question,
            "a": shown.generation_a,
            "b": shown.generation_b,
        }
    )
    judge, (first, second) = (
        store.judges.id_of(annotator),
        sorted((shown.generation_a, shown.generation_b)),
    )
    sealed = (judge, shown.plan, shown.generation_a, shown.generation_b, shown.round)
    if store.campaigns.seal(*sealed) != shown.key:  # a screen of the store that was here before
        return None
    with store.transaction(durable=True):
        if store.campaigns.rounds(shown.attribute_id, first, second, judge) != shown.round:
            return None
        store.judgements.add_comparisons(
            shown.attribute_id, [(shown.generation_a, shown.generation_b)]
        )
        comparison = store.judgements.comparison_id(
            shown.attribute_id, shown.generation_a, shown.generation_b
        )
        return store.judgements.add_vote(
            shown.plan, comparison, judge, replace(answer, screen=screen)
        )


def undo(store: Store, annotator: str, judgement: int) -> Answer | None:
    """Withdraw this person's answer and put that pair before them again. What it was, with comment
    and confidence; None when it was taken back already.
    """
    if not store.campaigns.undo(judgement, store.judges.id_of(annotator)):
        return None
    return store.judgements.given(judgement)


@dataclass(frozen=True)
class Progress:
    """How far an annotator is, in questions; `seconds_left` from their own pace, None before the
    third answer; `latest` is the judgement that an undo would take back.
    """

    answered: int
    skipped: int
    left: int
    seconds_left: float | None
    latest: int | None

    @property
    def total(self) -> int:
        return self.answered + self.skipped + self.left


def progress(store: Store, dataset: str, annotator: str) -> Progress:
    """How far this annotator is in a data set, all attributes together."""
    judge = store.judges.id_of(annotator)
    counts = store.campaigns.progress(dataset, judge)
    latest = store.campaigns.latest_answers(dataset, judge)
    # The median of the latest answers: one coffee break does not move it.
    pace = [seconds for _, seconds in latest if seconds is not None]
    return Progress(
        counts["answered"],
        counts["skipped"],
        counts["left"],
        seconds_left=median(pace) * counts["left"] if len(pace) >= 3 else None,
        latest=latest[0][0] if latest else None,
    )
