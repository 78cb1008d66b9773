"""Prodigy's answers about two texts: a choice between two options, and its recipe `compare`.

A task that was rejected or ignored is not answered; in `compare`, "reject" prefers the text under
that key. There `mapping` says under which key the texts of A and of B are.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Outcome
from ..cells import Cells, as_text
from ..entry import VOTE, Entry
from ..layout import Layout, Source, has_columns
from ..templates import FunctionReader, template
from ..values import Object, find_list, find_objects, find_text
from ..winner_columns import name_sides
from ..winners import NO_ANSWER

ABOUT = template(
    VOTE, context=("input.text", "input", "prompt", "question", "text"), created_at="_timestamp",
    judge=lambda cells: find_text(cells, "_annotator_id", "_session_id") or "annotators",
)  # fmt: skip


def _vote(number: int, cells: Cells, sides: list[tuple[str, Object]], won: list[bool]) -> Entry:
    outcomes = {(True, False): Outcome.A, (False, True): Outcome.B, (True, True): Outcome.TIE}
    vote: Entry = dict(ABOUT.fill(number, cells) or {})
    for side, (system, text) in zip("ab", sides, strict=True):
        vote |= {f"system_{side}": system, f"text_{side}": find_text(text, "text", "html", "label")}
    outcome = outcomes.get((won[0], won[1]))
    return {**vote, "outcome": outcome, "failure": "" if outcome else NO_ANSWER}


def _read_options(source: Source) -> FunctionReader:
    def read(number: int, cells: Cells) -> Iterator[Entry]:
        options = find_objects(cells, "options")
        if len(options) != 2:
            raise ValueError(f"it has {len(options):,} options, not two")
        ids = [as_text(option.get("id")) or "" for option in options]
        names = [find_text(option, "model", "system", "id") for option in options]
        if len(source.systems) == 2:  # in the order of the ids, as options may be shuffled
            names = [source.systems[sorted(ids).index(each)] for each in ids]
        accepted = cells.get("answer") == "accept" and list(
            map(as_text, find_list(cells, "accept"))
        )
        won = [each in (accepted or ()) for each in ids]
        yield _vote(number, cells, list(zip(names, options, strict=True)), won)

    return FunctionReader(read)


def _read_compared(source: Source) -> FunctionReader:
    names = name_sides(source, ("A", "B"))

    def read(number: int, cells: Cells) -> Iterator[Entry]:
        keys = [
            find_text(cells, f"mapping.{side}") or usual
            for side, usual in (("A", "accept"), ("B", "reject"))
        ]
        texts = [cells.get(key) for key in keys]
        sides: list[tuple[str, Object]] = [
            (name, text if isinstance(text, dict) else {"text": text})
            for name, text in zip(names, texts, strict=True)
        ]
        won = [cells.get("answer") == key for key in keys]
        yield {**_vote(number, cells, sides, won), "order_known": False}

    return FunctionReader(read)


LAYOUT = Layout(
    "prodigy", "Prodigy's answers",
    {
        _read_options: has_columns("options", "accept", "answer"),
        _read_compared: has_columns("accept", "reject", "answer"),
    },
    ("input", "text"), settings=("systems", "kind"),
)  # fmt: skip
