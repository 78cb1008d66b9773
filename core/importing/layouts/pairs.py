"""Reader of tables of pairs that nobody has judged yet: the first thing that a study has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...records import TandemError, option_ref
from ..cells import Cells, as_text
from ..entry import VOTE, Entry
from ..layout import Layout, Source, TableReader
from ..table_fields import likely_winners, match_columns
from ..values import find_value

LOOKED_AT = 20  # rows


class PairTable(TableReader):
    """A row has two texts, and who wrote them; it has no winner, or a column of winners that is
    empty throughout. Just these pairs are asked about.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(_with_texts(source))
        self.has_systems = {"system_a", "system_b"} <= set(self.fields.columns)
        if not self.has_systems and len(set(source.systems)) != 2:
            raise TandemError(
                f"{source.path.name} does not say which systems wrote its texts. Name two "
                f"systems of all rows with {option_ref('systems')} FIRST SECOND, else their "
                f"columns with {option_ref('map')} system_a=COLUMN {option_ref('map')} "
                "system_b=COLUMN"
            )

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, pair = self.fields, {**self.about_item(cells)}
        for side, named in zip("ab", self.source.systems or ("", ""), strict=True):
            text, system = f"text_{side}", f"system_{side}"
            if not (said := as_text(fields.read_cell(cells, text))):
                raise ValueError(f"{fields.describe_column(text)} has no text to compare")
            pair |= {
                text: said,
                system: fields.read_name(cells, system) if self.has_systems else named,
            }
        yield {
            "sort": VOTE,
            **pair,
            "attribute": fields.read_text(cells, "attribute"),
            "pending": True,
        }


def _with_texts(source: Source) -> Source:
    """Return the file with both texts where they are lists of two in one column."""
    if "text" not in source.columns or {"text", "text_a"} & set(source.mapping):
        return source
    texts = [cells.get("text") for cells in source.cells(LOOKED_AT)]
    if not texts or not all(isinstance(each, list) and len(each) == 2 for each in texts):
        return source
    places = {"text_a": "text.0", "text_b": "text.1", "text": ""}
    return replace(source, mapping={**places, **source.mapping})


def _are_unjudged(source: Source) -> bool:
    fields = match_columns(_with_texts(source))
    if not {"text_a", "text_b"} <= set(fields) or "winner_a" in fields:
        return False
    answers = {*likely_winners(source), *filter(None, [fields.get("winner")])}
    if not answers:
        return not any(name.split(":")[0] in ("attribute", "winner", "failure") for name in fields)
    judge = fields.get("judge")
    if judge and any(find_value(cells, judge) for cells in source.cells(LOOKED_AT)):
        return False  # somebody was asked, and did not answer
    return all(
        find_value(cells, column) in (None, "") for cells in source.cells() for column in answers
    )


LAYOUT = Layout(
    "pairs", "pairs to annotate", {PairTable: _are_unjudged},
    matched=lambda source: match_columns(_with_texts(source)),
    by_hand=("item", "context", "system_a", "system_b", "text_a", "text_b", "attribute"),
    settings=("systems",),
)  # fmt: skip
