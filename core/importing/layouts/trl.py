"""Reader of preference data as TRL and the data sets of Hugging Face have them: a prompt, the
completion that was chosen, and the one that was rejected.

Layouts: huggingface/trl, its page "Dataset formats"; the columns beside them as in
HuggingFaceH4/ultrafeedback_binarized and argilla's data sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, TypeVar

from core.importing.cells import Cells, as_text
from core.importing.conversations import content, joined, transcript, turns
from core.importing.layout import Layout, Record, Source, marks
from core.importing.layouts.nested_votes import Flat, NestedVotes
from core.importing.tally import Tally
from core.importing.times import Times, column_values
from core.records import Outcome, Score, Vote

SIDES = ("chosen", "rejected")
T = TypeVar("T")
PROMPTS = ("prompt", "question", "instruction", "input")
MODELS = ("{}_model", "{}-model", "model_{}", "{}_system", "system_{}", "{}_generator")
SCORES = ("score_{}", "{}_score", "{}-rating", "{}_rating", "rating_{}")
SPEAKER = "\n\nAssistant:"
"""What stands before an answer in conversations written as one text (Anthropic's)."""
SCORER = "score"
"""The rater of marks of which a file does not say who gave them."""


class Preferences(NestedVotes):
    """`prompt`, `chosen` and `rejected`, as texts or as lists of messages; the prompt may be what
    both begin with. Optional: whose texts they are (`chosen_model`, `rejected_model` ...), their
    scores (`score_chosen` ...), `system` (a system prompt), and what Tandem's own export adds:
    `item`, `attribute`, `judge`, `judge_kind`, `shown_first`, `comment`, `created_at`.

    The layout says who won, and not who was shown first, so the order is not known.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        # The first side wins in every row: counting sides says nothing here.
        self.source = replace(self.source, tally=Tally())
        self.times = Times(source, column_values(source, "created_at"))
        columns = set(source.columns)
        self.prompt = next((name for name in PROMPTS if name in columns), "")
        self.models = _columns(MODELS, columns)
        self.scores = _columns(SCORES, columns)
        if not self.models and len(source.systems) != 2:
            source.tally.notes[
                "it does not say whose texts they are, so the systems are called chosen and "
                "rejected: judges can be held against them, but ranking them says nothing"
            ] = None

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        prompt, *texts = self._pieces(cells)
        systems = [as_text(cells.get(name)) for name in self.models]
        if not all(systems) or not systems:
            systems = list(self.given.systems if len(self.given.systems) == 2 else SIDES)
        flat: dict[str, Any] = {name: cells[name] for name in _OURS if name in cells}
        flat |= {"context": prompt, "winner": "a", "order_known": 0}
        flat |= dict(zip(("text_a", "text_b"), texts, strict=True))
        flat |= dict(zip(("system_a", "system_b"), systems, strict=True))
        first = as_text(cells.get("shown_first")) or ""
        if first in SIDES:
            flat["order_known"] = 1
        if first == "rejected":
            flat = _swapped(flat)
        yield self.named(flat, SIDES)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        for record in super().records(number, cells):
            yield record
            if isinstance(record, Vote) and self.scores:
                yield from self._scores(record, cells)

    def _scores(self, vote: Vote, cells: Cells) -> Iterator[Record]:
        """The scores of both texts, once their samples are known."""
        sides = [(vote.system_a, vote.sample_a), (vote.system_b, vote.sample_b)]
        ordered = sides if vote.answer.outcome is Outcome.A else sides[::-1]
        for (system, sample), column in zip(ordered, self.scores, strict=True):
            score = Score(
                vote.item, system, vote.attribute, SCORER, sample=sample, kind=self.given.kind
            )
            yield from marks(self.given, score, cells.get(column))

    def _pieces(self, cells: Cells) -> tuple[str, str, str]:
        """The prompt and the two completions."""
        given = [cells.get(name) for name in SIDES]
        if any(text is None for text in given):
            raise ValueError("it lacks the chosen or the rejected text")
        prompt = cells.get(self.prompt) if self.prompt else None
        if all(isinstance(text, list) for text in given):
            return _with_system(cells, *_of_messages(prompt, [turns(text) for text in given]))
        texts = [transcript(text) for text in given]
        if prompt is None:
            start = _shared(texts)
            return start.strip(), texts[0][len(start) :], texts[1][len(start) :]
        return _with_system(cells, transcript(prompt), texts[0], texts[1])


_OURS = ("item", "subset", "attribute", "judge", "judge_kind", "comment", "created_at")
"""Columns of the same name as the field they fill."""


def _columns(patterns: tuple[str, ...], columns: set[str]) -> tuple[str, ...]:
    """The two columns that are called in one of these ways, chosen first."""
    called = (tuple(pattern.format(side) for side in SIDES) for pattern in patterns)
    return next((names for names in called if set(names) <= columns), ())


def _of_messages(prompt: object, given: list[Any]) -> tuple[str, str, str]:
    """The prompt and the completions of conversations, of which both may begin with the prompt."""
    shared = _start(*([_said(turn) for turn in side] for side in given))
    asked = len(shared) if prompt is None else _repeated(prompt, shared)
    rest = [[content(turn) for turn in side[asked:] if _answers(turn)] for side in given]
    if not all(rest):
        raise ValueError("the chosen or the rejected conversation has no answer of its own")
    context = transcript(given[0][:asked] if prompt is None else prompt)
    return context, joined(rest[0]), joined(rest[1])


def _repeated(prompt: object, shared: list[tuple[str, str]]) -> int:
    """How many turns that both conversations begin with repeat the prompt."""
    if isinstance(prompt, list):
        given = [_said(turn) for turn in turns(prompt)]
        return len(given) if shared[: len(given)] == given else 0
    last = next((n for n, (role, _) in enumerate(shared, start=1) if role == "user"), 0)
    return last if last and shared[last - 1][1] == prompt else 0


def _said(turn: Any) -> tuple[str, str]:
    return str(turn.get("role")), content(turn)


def _answers(turn: Any) -> bool:
    return turn.get("role") not in ("user", "system")


def _start(first: Sequence[T], second: Sequence[T]) -> list[T]:
    """What two sequences begin with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return [each for each, _ in same]


def _shared(texts: list[str]) -> str:
    """What two texts begin with and is their prompt: up to the last speaker where they name any,
    else up to the end of a word.
    """
    start = "".join(_start(*texts))
    if SPEAKER in start:
        return start[: start.rindex(SPEAKER) + len(SPEAKER)]
    return start[: start.rindex(" ")] if " " in start else ""


def _with_system(cells: Cells, prompt: str, *texts: str) -> tuple[str, str, str]:
    """The prompt below the system prompt, where a column has one."""
    system = as_text(cells.get("system")) or ""
    asked = f"System: {system}\n\nUser: {prompt}" if system.strip() else prompt
    return asked, texts[0], texts[1]


def _swapped(flat: dict[str, Any]) -> dict[str, Any]:
    """The same row with the rejected text first."""
    sides = {"a": "b", "b": "a"}
    turned = {
        f"{name}_{sides[side]}": flat[f"{name}_{side}"]
        for name in ("system", "text")
        for side in "ab"
    }
    return {**flat, **turned, "winner": "b"}


def _is_preferences(source: Source) -> bool:
    by_hand = {"winner", "system_a", "text_a"} & set(source.mapping)
    columns = any(name.startswith(("system:", "winner:")) for name in source.mapping)
    return set(SIDES) <= set(source.columns) and not by_hand and not columns


LAYOUT = Layout(
    "trl",
    "preference pairs as TRL has them",
    {Preferences: _is_preferences},
    ("prompt", "completion"),
    settings=("systems", "kind"),
)
