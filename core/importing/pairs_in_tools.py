"""What annotation tools compare, found in their own data by the names that columns of tables have,
and what is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from core.importing.cells import Cells, as_bool
from core.importing.entry import SCORE, TEXT, Entry, is_score
from core.importing.layout import Source
from core.importing.paths import find_value, split_path
from core.importing.side_names import name_sides
from core.importing.table_fields import matched
from core.records import Outcome, TandemError, setting

OF_PAIR = (
    "item", "context", "subset", "system_a", "system_b", "text_a", "text_b", "attribute",
    "order_known",
)  # fmt: skip
"""The fields that say what was compared, and may have any name in a tool's own data."""
OF_ITEM = ("item", "context", "subset", "reference")


class PairFields:
    """Finds the two texts of a tool's own data, and what else is known of them.

    Texts without systems are called by their places, which is noted; where `asks_systems`, their
    names are asked for instead, with a TandemError.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.asks_systems = source, False
        self._fields: dict[tuple[str, ...], Mapping[str, str]] = {}
        source.tally.columns = ("the first text", "the second text")

    def find_pair(self, data: Cells) -> Entry:
        """The fields of a pair. Raises ValueError where no two fields are the texts."""
        fields = self._match(data)
        if not {"text_a", "text_b"} <= set(fields):
            raise ValueError(
                f"it is not certain which of {', '.join(data)} are the two texts: say so with "
                f"{setting('map')} text_a=FIELD {setting('map')} text_b=FIELD"
            )
        return self.name_systems(self._fill(data, OF_PAIR), (fields["text_a"], fields["text_b"]))

    def ask_systems(
        self,
        rows: Iterable[Cells],
        is_answered: Callable[[Cells], bool],
        find_pair: Callable[[Cells], Entry],
    ) -> None:
        """Ask for the systems of a file of pairs to annotate: nobody has answered any of its rows.

        Raises TandemError where its first pair does not name them.
        """
        first: Cells = {}
        for cells in rows:
            if is_answered(cells):
                return
            first = first or cells
        self.asks_systems = True
        with suppress(ValueError):
            find_pair(first)

    def describe(self, data: Cells) -> Entry:
        """What data say of a pair whose texts stand elsewhere."""
        return self._fill(data, (name for name in OF_PAIR if name not in ("text_a", "text_b")))

    def name_systems(self, pair: Entry, places: tuple[str, str]) -> Entry:
        """A pair with names for its systems: its own, else those that were said for the file, else
        their places.
        """
        if pair.get("system_a") and pair.get("system_b"):
            return pair
        if self.asks_systems and len(self.source.systems) != 2:
            raise TandemError(
                f"{self.source.path.name} does not say whose texts {places[0]} and {places[1]} "
                f"are: name the two systems with {setting('systems')} FIRST SECOND"
            )
        first, second = name_sides(self.source, places)
        return {**pair, "system_a": first, "system_b": second}

    def _fill(self, data: Cells, names: Iterable[str]) -> Entry:
        fields = self._match(data)
        pair = {name: find_value(data, fields[name]) for name in names if name in fields}
        if "order_known" in pair:
            pair["order_known"] = as_bool(pair["order_known"], "order_known") is not False
        return pair

    def _match(self, data: Cells) -> Mapping[str, str]:
        """field -> name in such data. An id numbers tasks, so it is no item unless it is mapped."""
        names = tuple(data)
        if names not in self._fields:
            given = self.source.mapping
            mapping = {
                field: path
                for field, path in given.items()
                if path in names or (split_path(path) or ("",))[0] in names
            }
            columns = tuple(dict.fromkeys((*names, *mapping.values())))
            try:
                fields = matched(replace(self.source, columns=columns, mapping=mapping))
            except TandemError as error:
                raise ValueError(error.sentence) from None
            if fields.get("item", "") not in ("item", "item_id", mapping.get("item")):
                fields.pop("item", None)
            self._fields[names] = fields
        return self._fields[names]


def give_texts(pair: Entry) -> Iterator[Entry]:
    """The texts of a pair that nobody has compared yet."""
    item = {name: pair[name] for name in OF_ITEM if name in pair}
    for side in "ab":
        yield {"sort": TEXT, **item, "system": pair[f"system_{side}"], "text": pair[f"text_{side}"]}


def score_sides(vote: Entry, scores: Iterable[object]) -> Iterator[Entry]:
    """The scores of both texts that stand beside a vote, by its judge."""
    names = (*OF_ITEM, "attribute", "judge", "judge_kind")
    shared = {name: vote[name] for name in names if name in vote}
    for side, value in zip("ab", scores, strict=True):
        if is_score(value):
            text = {"system": vote[f"system_{side}"], "text": vote[f"text_{side}"]}
            yield {"sort": SCORE, **shared, **text, "value": value}


def prefer_higher(first: float, second: float) -> Outcome:
    """Who won by two numbers."""
    return Outcome.TIE if first == second else Outcome.A if first > second else Outcome.B


def all_rows(source: Source) -> Iterator[Cells]:
    """The cells of every row of a file that can be read."""
    return source.cells()
