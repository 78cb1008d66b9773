"""Pairs in annotation tools' own data, found by the names that columns of tables have, and their
answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from ..records import Outcome, TandemError, option_ref
from .cells import Cells, as_bool
from .entry import SCORE, TEXT, Entry, is_score
from .layout import Reader, Source
from .table_fields import match_columns
from .values import find_value, split_path
from .winner_columns import name_sides
from .winners import NO_ANSWER, meaning_of

OF_PAIR = (
    "item", "context", "subset", "family", "system_a", "system_b", "text_a", "text_b",
    "attribute", "order_known",
)  # fmt: skip
"""The fields that say what was compared, and may have any name in a tool's own data."""
OF_ITEM = ("item", "context", "subset", "family", "reference")
USUAL = frozenset(
    ("ranking", "preference", "pairwise", "ranked_preference", "pairwise_preference", "comparison",
     "selection", "choice", "choices", "chosen", "label", "tie", "pw")
)  # fmt: skip
"""Names of a question that ask for nothing in particular."""


class PairReader(Reader):
    """Reads rows that hold a pair each, and the votes on it; where nobody has voted, its texts.

    Texts without systems are called by their places, which is noted. Where nobody has voted in the
    whole file, its pairs are to be annotated: then a TandemError asks for the systems, unless the
    first pair names them.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.kind = source, source.kind
        self._fields: dict[tuple[str, ...], Mapping[str, str]] = {}
        source.tally.columns = ("the first text", "the second text")
        rows = source.cells()
        first: Cells = next(rows, {})
        self.asks_systems = not (self.is_answered(first) or any(map(self.is_answered, rows)))
        if self.asks_systems:
            with suppress(ValueError):
                self.find_pair(first)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        yield from list(self.read_votes(cells)) or give_texts(self.find_pair(cells))

    def is_answered(self, cells: Cells) -> bool:
        """Return whether anybody has answered anything about the pair of a row."""
        return False

    def read_votes(self, cells: Cells) -> Iterable[Entry]:
        """Return the votes of a row."""
        return ()

    def find_pair(self, cells: Cells) -> Entry:
        """Find the pair of a row by the names in it. Raises ValueError if it is not certain
        which are the two texts.
        """
        fields = self._match(cells)
        if not {"text_a", "text_b"} <= set(fields):
            raise ValueError(
                f"it is not certain which of {', '.join(cells)} are the two texts: say so with "
                f"{option_ref('map')} text_a=FIELD {option_ref('map')} text_b=FIELD"
            )
        return self.name_systems(self.describe(cells), (fields["text_a"], fields["text_b"]))

    def describe(self, data: Cells) -> Entry:
        """Read the fields of a pair from data."""
        fields = self._match(data).items()
        pair = {name: find_value(data, path) for name, path in fields if name in OF_PAIR}
        if "order_known" in pair:
            pair["order_known"] = as_bool(pair["order_known"], "order_known") is not False
        return pair

    def name_systems(self, pair: Entry, places: tuple[str, str]) -> Entry:
        """Return a pair with names for its systems: its own, else those that were said for the
        file, else their places.
        """
        if pair.get("system_a") and pair.get("system_b"):
            return pair
        if self.asks_systems and len(self.source.systems) != 2:
            raise TandemError(
                f"{self.source.path.name} does not say whose texts {places[0]} and {places[1]} "
                f"are: name the two systems with {option_ref('systems')} FIRST SECOND"
            )
        first, second = name_sides(self.source, places)
        return {**pair, "system_a": first, "system_b": second}

    def _match(self, data: Cells) -> Mapping[str, str]:
        names = tuple(data)
        if names not in self._fields:
            mapping = {
                field: path
                for field, path in self.source.mapping.items()
                if path in names or (split_path(path) or ("",))[0] in names
            }
            columns = tuple(dict.fromkeys((*names, *mapping.values())))
            try:
                fields = match_columns(replace(self.source, columns=columns, mapping=mapping))
            except TandemError as error:
                raise ValueError(error.sentence) from None
            if fields.get("item", "") not in ("item", "item_id", mapping.get("item")):
                fields.pop("item", None)
            self._fields[names] = fields
        return self._fields[names]


def give_texts(pair: Entry) -> Iterator[Entry]:
    """Yield the texts of a pair that nobody has compared yet."""
    item = {name: pair[name] for name in OF_ITEM if name in pair}
    for side in "ab":
        yield {"sort": TEXT, **item, "system": pair[f"system_{side}"], "text": pair[f"text_{side}"]}


def score_sides(vote: Entry, scores: Iterable[object]) -> Iterator[Entry]:
    """Yield the scores of both texts that stand beside a vote, by its judge."""
    names = (*OF_ITEM, "attribute", "judge", "judge_kind")
    shared = {name: vote[name] for name in names if name in vote}
    for side, value in zip("ab", scores, strict=True):
        if is_score(value):
            text = {"system": vote[f"system_{side}"], "text": vote[f"text_{side}"]}
            yield {"sort": SCORE, **shared, **text, "value": value}


def prefer_higher(first: float, second: float) -> Outcome:
    """Return the side with the higher of two numbers, or a tie."""
    return Outcome.TIE if first == second else Outcome.A if first > second else Outcome.B


def name_attribute(question: str) -> str:
    """Return the attribute that a question of a tool asks for; '' where it names none."""
    return "" if question.casefold() in USUAL else question


def is_side(text: str) -> bool:
    """Return whether a text is a word for one of two sides, or for neither."""
    meaning = meaning_of(text)
    return meaning is not None and meaning.outcome != NO_ANSWER
