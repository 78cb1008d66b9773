"""What of a row decides what its votes mean, in SQL: rows that are alike in it are of one kind.

What a reader only checks is brought down to what the check looks at: whether a number is one,
whether an item is named, which side's text the winner repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.importing.database import literal
from core.importing.layouts import LAYOUTS
from core.importing.layouts.votes import Votes
from core.importing.table_fields import Fields, matched
from core.importing.vote_tables import Table
from core.importing.vote_words import FLAGS

WHITE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]"  # as core.importing.names has it
SOMEBODY = "-"  # where it matters just that there is something
PLAIN = (
    "system_a", "system_b", "systems", "winner", "winner_a", "winner_b", "winner_tie",
    "winner_both_bad", "judge_kind", "attribute", "shown_first", "swapped", "order_known",
    "failure",
)  # fmt: skip
"""Fields that are taken as they stand there."""
WHOLE = ("sample_a", "sample_b")
NUMBERS = ("strength", "confidence", "seconds")
SIDES = ("text_a", "text_b")
TURN = {"question_id", "conversation_a", "turn"}  # MT-Bench's


class Kinds:
    """The kinds of row of a table. `keys` is SQL by column of the file; `judges` are named, others
    are SOMEBODY; `subset` is whether items are told apart by theirs.
    """

    def __init__(self, table: Table, judges: Sequence[str], subset: bool) -> None:
        self.table, self.judges = table, judges
        self.fields = matched(table.source)
        self.turns = Fields(table.source).turns
        self.keys: dict[str, str] = {}
        for column, sql in self._list_columns(subset):
            self.keys.setdefault(column, sql)
        self.nested = [name for name in self.keys if table.is_nested(table.named(name))]
        for name in self.nested:
            present = f"{table.named(name)} IS NOT NULL"
            self.keys[name] = f"CASE WHEN {present} THEN {literal(SOMEBODY)} END"

    def cells(self, values: Sequence[object], probability: object) -> dict[str, object]:
        """A row of that kind, as the reader reads it."""
        cells = dict(zip(self.keys, values, strict=True))
        for name in self.nested:
            if cells[name] is not None:
                cells[name] = {SOMEBODY: None}  # no text, as the reader will say
        if "prob_a" in self.fields and self.fields["prob_a"] not in self.nested:
            cells[self.fields["prob_a"]] = probability
        if self._repeats_text():
            first, second = (self.fields[side] for side in SIDES)
            raw, repeated = cells[self.fields["winner"]], cells[first]
            cells[first], cells[second] = (raw if repeated == side else None for side in ("a", "b"))
        return cells

    def _list_columns(self, subset: bool) -> Iterator[tuple[str, str]]:
        """Each column that matters, with what of it does."""
        table = self.table
        asked = [name for name in self.fields if name.startswith(("winner:", "attribute:"))]
        for name in (*PLAIN, *asked, *["subset"] * subset):
            if name in self.fields:
                yield self.fields[name], table.column(name)
        if set(table.source.columns) >= TURN:
            yield "turn", table.named("turn")
        for name, sql in self._reduced().items():
            if name in self.fields:
                yield self.fields[name], sql(table.column(name))
        if self._repeats_text():
            yield self.fields["text_a"], self._repeated()
        reader = LAYOUTS[table.layout].reader(table.source)
        assert isinstance(reader, Votes)
        for column in reader.places.columns:
            yield column, self._place(table.named(column))

    def _reduced(self) -> dict[str, Callable[[str], str]]:
        return {
            "judge": self._judge,
            "item": self._name,
            "context": self._anything,
            "prob_a": self._probability,
            **dict.fromkeys(WHOLE, self._whole),
            **dict.fromkeys(NUMBERS, self._number),
        }

    def _judge(self, column: str) -> str:
        return self._name(column, *self.judges)

    def _name(self, column: str, *wanted: str) -> str:
        """Whether there is a name; the name itself where it is wanted, or may not be one."""
        text = self.table.text(column)
        names = ", ".join(map(literal, ("", *wanted)))
        return (
            f"CASE WHEN {text} IN ({names}) OR regexp_matches({text}, '{CONTROL}') THEN {text} "
            f"ELSE {literal(SOMEBODY)} END"
        )

    def _anything(self, column: str) -> str:
        name = self.table.source.columns[int(column[1:])]
        something = f'["{SOMEBODY}"]' if name in self.turns else SOMEBODY
        return f"CASE WHEN {self.table.text(column)} = '' THEN '' ELSE {literal(something)} END"

    def _probability(self, column: str) -> str:
        """On which side of 1/2 it is, or out of its range; the reader sees one of that sort."""
        value = self._value(column)
        return self._number(
            column, f"CASE WHEN {value} BETWEEN 0 AND 1 THEN sign({value} - 0.5) ELSE 2 END"
        )

    def _whole(self, column: str) -> str:
        value = self._value(column)
        whole = f"{value} >= 0 AND {value} = trunc({value})"
        return self._number(column, f"CASE WHEN {whole} THEN 0 ELSE {value} END")

    def _number(self, column: str, sort: str = "1") -> str:
        """Of what sort a number is; what is no number, as it stands there."""
        if self.table.type(column) == "BOOLEAN":
            return column
        value, text = self._value(column), self.table.text(column)
        return f"CASE WHEN isfinite({value}) THEN CAST({sort} AS VARCHAR) ELSE {text} END"

    def _value(self, column: str) -> str:
        return f"TRY_CAST({self.table.text(column)} AS DOUBLE)"

    def _place(self, column: str) -> str:
        """What may say who stood where, if it does."""
        text = f"trim({self.table.text(column)}, {literal(WHITE)})"
        sides = [self.table.column(name) for name in ("system_a", "system_b")]
        names = [f"trim({self.table.text(side)}, {literal(WHITE)})" for side in sides if side]
        said = ", ".join([*map(literal, [*sorted(FLAGS), *self.table.source.systems]), *names])
        both = self.table.column("systems")
        named = f" OR contains({self.table.text(both)}, {text})" if both else ""
        return f"CASE WHEN lower({text}) IN ({said}) OR {text} IN ({said}){named} THEN {text} END"

    def _repeats_text(self) -> bool:
        """Whether a winner may be named by the text of its side."""
        return {*SIDES, "winner"} <= set(self.fields)

    def _repeated(self) -> str:
        """The side whose text is the winner."""
        raw, first, second = (
            f"trim({self.table.text(self.table.column(name))}, {literal(WHITE)})"
            for name in ("winner", *SIDES)
        )
        return (
            f"CASE WHEN {raw} = '' OR {first} = {second} THEN NULL WHEN {raw} = {first} THEN 'a' "
            f"WHEN {raw} = {second} THEN 'b' END"
        )
