"""Reader of tables of votes, one comparison a row, by one judge or by several, about one question
or several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from core.importing.cells import Cells, as_kind, as_text
from core.importing.conversations import conversation
from core.importing.entry import VOTE, Entry
from core.importing.layout import Layout, Source, TableReader
from core.importing.table_fields import likely_winners, listed, matched
from core.importing.vote_words import PlaceColumns, VoteWords
from core.importing.winners import WINNERS, word
from core.records import Outcome, TandemError, setting

LONGEST_NAME = 200  # characters; a winner that is longer is a text
MEASURED = ("strength", "confidence", "seconds", "prob_a")
NOTED = ("comment", "raw", "failure")
_JOINT = re.compile(r"\s+vs\.?\s+|[_-]vs[_-]|\s*[|,;/]\s*", re.IGNORECASE)


class Votes(TableReader):
    """A table of votes: who was compared, who won, and optionally item, judge, attribute, texts,
    probability.

    Column A is the side shown first unless `shown_first` or `swapped` says otherwise. With
    `winner:JUDGE` columns a row holds a vote of each of these judges, with `attribute:NAME` columns
    the answer to each of these questions. MT-Bench's votes on a `turn` of a conversation answer
    different questions, so each turn is an attribute. With columns of winners and of losers the
    columns say who won, and not who was shown first.
    """

    words: VoteWords

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.conversations = [
            side
            for side in "ab"
            if f"text_{side}" not in self.fields and f"conversation_{side}" in self.fields
        ]
        self.asked = [
            name for name in self.fields.columns if name.startswith(("winner:", "attribute:"))
        ]
        self._check_winner()
        self._check_systems()
        self.winning_side = self._winning_side()
        self.places = PlaceColumns(source, self.fields)
        self.words = VoteWords(source, self.fields, self._pairs(), self.places)
        source.tally.columns = self.words.sides
        source.tally.has_known_winners = self.winning_side is not None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, systems = self.fields, self._systems(cells)
        entry: Entry = {
            "sort": VOTE,
            **self.about_item(cells),
            "system_a": systems[0],
            "system_b": systems[1],
            "attribute": fields.text(cells, "attribute") or self._turn(cells),
            "judge": fields.text(cells, "judge"),
            "judge_kind": as_kind(fields.cell(cells, "judge_kind"), self.source.kind).value,
            "order_known": fields.flag(cells, "order_known"),
            **{name: fields.number(cells, name) for name in MEASURED if name in fields},
            **{name: fields.text(cells, name) for name in NOTED if name in fields},
            **self._texts(cells),
        }
        if "created_at" in fields:
            entry["created_at"] = fields.cell(cells, "created_at")
        for name in ("shown_first", "swapped"):
            if name in fields:
                read = fields.text if name == "shown_first" else fields.flag
                entry[name] = read(cells, name)
        entry["place_hint"] = self.places.hint(cells, systems)
        for answer in self._answers(cells):
            yield {**entry, **answer}

    def decisions(self, cells: Cells) -> Iterator[Entry]:
        """Who won in a row that is skipped, as far as it says that. Raises ValueError."""
        systems = self._systems(cells)
        for answer in self._answers(cells):
            yield {"sort": VOTE, "system_a": systems[0], "system_b": systems[1], **answer}

    def _answers(self, cells: Cells) -> Iterator[Entry]:
        """What a row's winner columns say. One that is empty, of several, was not asked."""
        if not self.asked:
            yield self._answer(cells)
        for name in self.asked:
            text = self.fields.text(cells, name)
            if text.strip():
                sort, _, named = name.partition(":")
                about = {"judge": named} if sort == "winner" else {"attribute": named}
                yield {"winner": text, "field": name, **about}

    def _answer(self, cells: Cells) -> Entry:
        if self.winning_side is None:
            return {"winner": self.fields.text(cells, "winner")}
        is_tie = "winner_tie" in self.fields and self.fields.flag(cells, "winner_tie")
        return {"outcome": Outcome.TIE if is_tie else self.winning_side, "order_known": False}

    def _winning_side(self) -> Outcome | None:
        """The side that wins every row: the column of winners is that of its systems or texts."""
        columns = self.fields.columns
        winner = columns.get("winner")
        for side, outcome in (("a", Outcome.A), ("b", Outcome.B)):
            if winner and winner in (columns.get(f"system_{side}"), columns.get(f"text_{side}")):
                return outcome
        return None

    def _check_winner(self) -> None:
        """Raises TandemError where no column, or more than one, may name the winner."""
        name, likely = self.source.path.name, likely_winners(self.source)
        if self.asked or "winner" in self.fields:
            return
        if len(likely) > 1:
            raise TandemError(
                f"the winner of {name} may be in column {' or '.join(map(repr, likely))}; choose "
                f"with {setting('map')} winner={likely[0]}, or take each for a question of its own "
                f"with {setting('map')} attribute:NAME=COLUMN"
            )
        raise TandemError(
            f"{name} has no winner column among {listed(self.source.columns)}; "
            f"name it with {setting('map')} winner=COLUMN, or one for each judge with "
            f"{setting('map')} winner:JUDGE=COLUMN, or say {setting('format')} generations if "
            "these are columns of texts"
        )

    def _check_systems(self) -> None:
        """Raises TandemError where nothing names the two systems, or their columns are crossed."""
        name, columns = self.source.path.name, self.fields.columns
        if not {"system_a", "system_b"} <= set(columns) and "systems" not in columns:
            if len(self.source.systems) != 2:
                raise TandemError(
                    f"{name} has no columns that name the two systems among "
                    f"{listed(self.source.columns)}; name them with {setting('map')} "
                    f"system_a=COLUMN {setting('map')} system_b=COLUMN, or, if they are the same "
                    f"two in all rows, with {setting('systems')} FIRST SECOND"
                )
            if self.source.systems[0] == self.source.systems[1]:
                raise TandemError(f"{self.source.systems[0]!r} is named twice: name two systems")
        for first, second in self._pairs():
            if (WINNERS.get(word(first)), WINNERS.get(word(second))) == (Outcome.B, Outcome.A):
                raise TandemError(
                    f"column {second!r} of {name} names the first side, yet {first!r} is said to: "
                    "name the two the other way round"
                )

    def _pairs(self) -> list[tuple[str, str]]:
        """The columns of the first side with those of the second."""
        columns = self.fields.columns
        return [
            (columns[f"{name}_a"], columns[f"{name}_b"])
            for name in ("system", "text")
            if {f"{name}_a", f"{name}_b"} <= set(columns)
        ]

    def _turn(self, cells: Cells) -> str:
        """After which turn of a conversation a vote was given, as MT-Bench's people say it. The
        Arena's `turn` is how long the conversation is.
        """
        columns = set(self.source.columns)
        judged = {"question_id", "conversation_a", "turn"} <= columns
        if not judged or {"tstamp", "anony"} & columns:
            return ""
        turn = as_text(cells.get("turn"))
        return f"turn {turn}" if turn else ""

    def _systems(self, cells: Cells) -> tuple[str, str]:
        fields = self.fields
        if "system_a" in fields and "system_b" in fields:
            systems = fields.name(cells, "system_a"), fields.name(cells, "system_b")
            if self.winning_side is not None and any(map(_is_text, systems)):
                raise self._texts_of_winners()
            return systems
        if "systems" not in fields:
            return self.source.systems[0], self.source.systems[1]
        both = fields.name(cells, "systems")
        names = _JOINT.split(both)
        names = names if len(names) == 2 else both.split("_")
        if len(names) != 2 or not all(names):
            raise ValueError(
                f"it is not certain which two systems {both[:60]!r} names: write A vs B"
            )
        return names[0].strip(), names[1].strip()

    def _texts_of_winners(self) -> TandemError:
        """The refusal of winners and losers that are texts."""
        first, second = (self.fields.columns[f"system_{side}"] for side in "ab")
        return TandemError(
            f"columns {first!r} and {second!r} of {self.source.path.name} hold texts, not names of "
            f"systems; say {setting('map')} text_a={first} text_b={second} winner={first} and name "
            f"the systems with {setting('systems')} FIRST SECOND"
        )

    def _texts(self, cells: Cells) -> dict[str, Any]:
        """The texts and samples of both sides, as far as the table has them."""
        found: dict[str, Any] = {}
        for side in "ab":
            if side in self.conversations:
                cell = self.fields.cell(cells, f"conversation_{side}")
                found[f"text_{side}"] = conversation(cell)[1]
            elif f"text_{side}" in self.fields:
                found[f"text_{side}"] = as_text(self.fields.cell(cells, f"text_{side}"))
            if f"sample_{side}" in self.fields:
                found[f"sample_{side}"] = self.fields.whole(cells, f"sample_{side}")
        return found


def _is_text(name: str) -> bool:
    """Whether a cell is too long for the name of a system."""
    return len(name) > LONGEST_NAME or "\n" in name


def _is_votes(source: Source) -> bool:
    fields = set(matched(source))
    named = {"system_a", "system_b"} <= fields or "systems" in fields
    sides = {"text_a", "text_b"} <= fields or len(source.systems) == 2
    by_hand = any(re.match("(winner|attribute)(:|$)", name) for name in source.mapping)
    return named or by_hand or (sides and ("winner" in fields or bool(likely_winners(source))))


LAYOUT = Layout(
    "votes",
    "votes, one comparison a row",
    {Votes: _is_votes},
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
    settings=("codes", "systems", "kind"),
)
