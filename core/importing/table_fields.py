"""The columns of a table, matched by name to the fields they fill, and its cells by field."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.importing.cells import Cells, as_number, as_references, as_text, digest
from core.importing.layout import Source
from core.records import Item, TandemError, setting

ECHO = 200  # characters of a header that a sentence repeats

# What a column may be called, by the field it fills; the field's own name always counts. Case and
# spaces do not.
SYNONYMS: dict[str, tuple[str, ...]] = {
    name: tuple(synonyms.split())
    for name, synonyms in {
        "item": "item_id id doc_id example_id question_id prompt_id instance",
        "context": "source input article document dialogue prompt question instruction src",
        "system": "system_id model model_id generator system_name model_name",
        "text": "output generation response summary candidate system_output decoded answer "
        "prediction hypothesis completion",
        "sample": "sample_id sample_index",
        "reference": "references ref gold target",
        "subset": "task split language category",
        "system_a": "model_a left model_x system_x model_1 system_1 generator_1 a",
        "system_b": "model_b right model_y system_y model_2 system_2 generator_2 b",
        "text_a": "response_a output_a answer_a output_1 response_1 text_left summary_a",
        "text_b": "response_b output_b answer_b output_2 response_2 text_right summary_b",
        "sample_a": "",
        "sample_b": "",
        "winner": "preference label choice verdict vote preferred outcome",
        "judge": "worker workerid worker_id annotator rater user annotator_id judge_name evaluator",
        "judge_kind": "kind",
        "attribute": "dimension criterion aspect",
        "prob_a": "p_a probability prob p",
        "shown_first": "first_shown first order",
        "swapped": "toggle swap is_swapped",
        "order_known": "",
        "failure": "",
        "strength": "",
        "confidence": "",
        "comment": "reason rationale explanation",
        "seconds": "",
        "raw": "raw_answer",
        "created_at": "tstamp timestamp time date",
    }.items()
}


def matched(source: Source) -> dict[str, str]:
    """field -> column of this file: what a mapping says, else the column with the field's name or a
    synonym of it. A field mapped to '' is not there, whatever the columns are called.

    Raises TandemError when a mapping names a field or a column that does not exist.
    """
    by_name = {_plain(column): column for column in source.columns}
    for name, column in source.mapping.items():
        if name not in SYNONYMS and not re.match("(score|system):.", name):
            known = ", ".join(
                (*SYNONYMS, "score:ATTRIBUTE", "score:RATER:ATTRIBUTE", "system:NAME")
            )
            raise TandemError(
                f"{setting('map')} names an unknown field {name!r}; the fields are {known}"
            )
        if column and column not in source.columns:
            raise TandemError(
                f"{setting('map')} {name}={column}: {source.path.name} has no such column; it has "
                f"{listed(source.columns)}"
            )
    found = {name: column for name, column in source.mapping.items() if column}
    taken = set(found.values())
    for name, synonyms in SYNONYMS.items():
        columns = [
            by_name[_plain(known)] for known in (name, *synonyms) if _plain(known) in by_name
        ]
        free = [column for column in columns if column not in taken]
        if name not in found and name not in source.mapping and free:
            found[name] = free[0]
            taken.add(free[0])
    for column in source.columns:
        if re.match("score:.", column) and column not in taken:
            found[column] = column
    return found


class Fields:
    """A table's cells by field. Each method raises ValueError with the reason to skip the row."""

    def __init__(self, source: Source) -> None:
        self.columns = matched(source)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def cell(self, cells: Cells, name: str) -> object:
        return cells.get(self.columns[name]) if name in self.columns else None

    def text(self, cells: Cells, name: str) -> str:
        return as_text(self.cell(cells, name)) or ""

    def name(self, cells: Cells, name: str) -> str:
        """The cell as a name, which must be there."""
        value = self.text(cells, name).strip()
        if not value:
            raise ValueError(f"column {self.columns[name][:ECHO]!r} (the {name}) is empty")
        return value

    def number(self, cells: Cells, name: str) -> float | None:
        value = self.cell(cells, name)
        return (
            None
            if value in (None, "")
            else as_number(value, f"column {self.columns[name][:ECHO]!r}")
        )

    def whole(self, cells: Cells, name: str) -> int | None:
        value = self.number(cells, name)
        if value is None:
            return None
        if value != int(value) or value < 0:
            raise ValueError(
                f"column {self.columns[name][:ECHO]!r} is {value}, not a whole number from 0"
            )
        return int(value)

    def item(self, cells: Cells) -> Item:
        """The item of a row, by its name or else by its context."""
        context, key = self.text(cells, "context"), self.text(cells, "item")
        if "item" in self and not key:
            raise ValueError(f"column {self.columns['item'][:ECHO]!r} (the item) is empty")
        if not key and not context:
            raise ValueError(
                f"column {self.columns['context'][:ECHO]!r} (the context, which tells the items "
                "apart) is empty"
            )
        references = as_references(self.cell(cells, "reference"))
        return Item(
            key or f"context-{digest(context)}", context, references, self.text(cells, "subset")
        )


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().casefold())


def listed(names: Iterable[str]) -> str:
    """Names for a sentence: as many as fit into ECHO characters, at least one, cut there."""
    every = list(names)
    shown = 1
    while shown < min(12, len(every)) and len(", ".join(every[: shown + 1])) <= ECHO:
        shown += 1
    text = ", ".join(every[:shown])
    cut = text if len(text) <= ECHO else text[:ECHO] + "..."
    return cut + (f" and {len(every) - shown} more" if len(every) > shown else "")
