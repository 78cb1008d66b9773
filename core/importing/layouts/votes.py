"""Reader of tables of votes, one comparison a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.importing.cells import Cells, as_kind, as_text, as_time, digest, is_false
from core.importing.layout import Layout, Record, Source
from core.importing.table_fields import Fields, listed, matched
from core.records import (
    Answer,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    System,
    TandemError,
    Vote,
    setting,
)

NO_ANSWER = "no-answer"

# What a winner may be called, as `_word` reads it: case, spaces, underscores, dots and dashes make
# no difference.
WINNERS: dict[str, Outcome | str] = {
    **dict.fromkeys(
        ("a", "modela", "systema", "left", "1", "first", "model1", "a>b", "a>>b", "[[a]]"),
        Outcome.A,
    ),
    **dict.fromkeys(
        ("b", "modelb", "systemb", "right", "2", "second", "model2", "b>a", "b>>a", "[[b]]"),
        Outcome.B,
    ),
    **dict.fromkeys(("tie", "draw", "0", "same", "equal", "a=b", "[[c]]"), Outcome.TIE),
    **dict.fromkeys(("bothbad", "tie(bothbad)"), Outcome.BOTH_BAD),
    **dict.fromkeys(
        ("", "n/a", "na", "none", "null", "nan", "error", "invalid", "unknown"), NO_ANSWER
    ),
}


class Votes:
    """A table of votes: who was compared, who won, and optionally item, judge, attribute, texts,
    probability.

    Column A is the side shown first unless `shown_first` or `swapped` says otherwise. Votes without
    an item get the item `row-<n>`. A text seen for the first time for its item and system is that
    system's next sample.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.fields = Fields(source)
        for name in ("system_a", "system_b", "winner"):
            if name not in self.fields:
                raise TandemError(
                    f"{source.path.name} has no {name} column among {listed(source.columns)}; "
                    f"name it with {setting('map')} {name}=COLUMN, or say {setting('format')} "
                    "generations if these are columns of texts"
                )

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        fields = self.fields
        named = any(fields.cell(cells, name) not in (None, "") for name in ("item", "context"))
        item = fields.item(cells) if named else Item(f"row-{number}")
        systems = [fields.name(cells, "system_a"), fields.name(cells, "system_b")]
        if systems[0] == systems[1]:
            raise ValueError(f"compares {systems[0]!r} with itself")
        answer = self._answer(cells, systems)
        attribute = fields.text(cells, "attribute") or "overall"
        kind = as_kind(fields.cell(cells, "judge_kind"), self.source.kind)
        judge = fields.text(cells, "judge") or ("voters" if kind is Kind.HUMAN else kind.value)
        texts = [as_text(fields.cell(cells, name)) for name in ("text_a", "text_b")]
        samples = [
            self._sample(item.key, system, text, fields.whole(cells, name))
            for system, text, name in zip(systems, texts, ("sample_a", "sample_b"), strict=True)
        ]
        yield item
        for system, sample, text in zip(systems, samples, texts, strict=True):
            yield System(system)
            yield Generation(item.key, system, sample, text)
        yield self.source.attribute(attribute)
        yield JudgeSpec(judge, kind)
        first, second = 0, 1
        if self._swapped(cells, systems):
            first, second, answer = 1, 0, _mirrored(answer)
        yield Vote(
            item=item.key,
            system_a=systems[first],
            system_b=systems[second],
            sample_a=samples[first],
            sample_b=samples[second],
            judge=judge,
            kind=kind,
            attribute=attribute,
            answer=answer,
            order_known=not is_false(fields.cell(cells, "order_known")),
            created_at=as_time(fields.cell(cells, "created_at")),
        )

    def _answer(self, cells: Cells, systems: list[str]) -> Answer:
        probability = self.fields.number(cells, "prob_a")
        if probability is not None and not 0 <= probability <= 1:
            raise ValueError(f"the probability {probability} is not between 0 and 1")
        shared = {
            "strength": self.fields.number(cells, "strength"),
            "confidence": self.fields.number(cells, "confidence"),
            "seconds": self.fields.number(cells, "seconds"),
            "comment": self.fields.text(cells, "comment"),
            "raw": self.fields.text(cells, "raw"),
        }
        failure = self.fields.text(cells, "failure")
        text = self.fields.text(cells, "winner")
        outcome = NO_ANSWER if failure else _side(text, systems)
        if outcome == NO_ANSWER:
            shared["raw"] = shared["raw"] or text
            return Answer(failure=failure or NO_ANSWER, **shared)  # type: ignore[arg-type]
        if not isinstance(outcome, Outcome):
            raise ValueError(
                f"the winner {text[:40]!r} is neither a side, a system of this row, nor a tie"
            )
        return Answer(outcome=outcome, prob_a=probability, **shared)  # type: ignore[arg-type]

    def _swapped(self, cells: Cells, systems: list[str]) -> bool:
        """Whether the text of column B was the one shown first."""
        first = self.fields.text(cells, "shown_first")
        if first:
            side = _side(first, systems)
            if side not in (Outcome.A, Outcome.B):
                raise ValueError(
                    f"the side shown first, {first[:40]!r}, is neither a, b nor a system of "
                    "this row"
                )
            return side is Outcome.B
        swapped = self.fields.cell(cells, "swapped")
        return swapped not in (None, "") and not is_false(swapped)

    def _sample(self, item: str, system: str, text: str | None, given: int | None) -> int:
        if given is not None or text is None:
            return given or 0
        known = self.source.texts(item, system)
        same = known.get(digest(text))
        return max(known.values(), default=-1) + 1 if same is None else same


def _side(text: str, systems: list[str]) -> Outcome | str | None:
    """What a cell says of two systems, by a system's name or by any word for a side; NO_ANSWER, or
    None for neither.
    """
    name, word, sides = (
        text.strip(),
        _word(text),
        list(zip(systems, (Outcome.A, Outcome.B), strict=True)),
    )
    meant: set[Outcome | str] = {side for system, side in sides if system == name}
    meant = meant or {side for system, side in sides if _word(system) == word}
    other = WINNERS.get(word)
    if len(meant | {other} - {None}) > 1:
        raise ValueError(
            f"{name[:40]!r} may mean a system of this row or something else: name the systems "
            "otherwise, or the sides model_a and model_b"
        )
    return next(iter(meant), other)


def _word(text: str) -> str:
    """A winner without what people write differently: "Model-A", "A is better" and "1.0" are
    modela, a and 1.
    """
    word = re.sub(r"[\s_]+|(?<=\d)\.0*$|(?<=\w)-+(?=\w)|\.(?!\d)", "", text.casefold())
    return re.sub(r"(?<=[ab12td])(wins|won|isbetter|better)$", "", word)


def _mirrored(answer: Answer) -> Answer:
    """The same answer told of the pair in the other order."""
    sides = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    return replace(
        answer,
        outcome=sides.get(answer.outcome, answer.outcome) if answer.outcome else None,
        prob_a=None if answer.prob_a is None else 1 - answer.prob_a,
    )


LAYOUT = Layout(
    "votes",
    "votes, one comparison a row",
    {Votes: lambda source: {"system_a", "system_b"} <= set(matched(source))},
    matched=matched,
    by_hand=(
        "item",
        "context",
        "system_a",
        "system_b",
        "text_a",
        "text_b",
        "winner",
        "judge",
        "attribute",
        "prob_a",
    ),
)
