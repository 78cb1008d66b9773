"""Reader of tables of generations, with a row per text or a column per system."""

from __future__ import annotations

from collections.abc import Iterator

from ...records import TandemError, option_ref
from ..cells import Cells, as_text
from ..entry import SCORE, TEXT, Entry, is_score
from ..files import PLAIN
from ..joint_columns import split_columns
from ..layout import Layout, Source, TableReader
from ..raters import kind_of
from ..table_fields import OF_ITEM, list_names, match_columns
from ..text_columns import columns_of_texts
from ..values import find_value

NUMBER_THEM = "; if these are several samples, number them in a sample column"


class Generations(TableReader):
    """A table of generations: long (item, context, system, text, sample, reference, subset, family,
    `score:*`), or one row per item with a column per system. `score:ATTRIBUTE` is a mark by people;
    `score:RATER:ATTRIBUTE` names who gave it.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.long = "text" in self.fields and ("system" in self.fields or bool(source.system_name))
        self.scores = self._find_columns("score:")
        if source.system_name and ("system" in self.fields or not self.long):
            raise TandemError(self._refuse_system_name())
        self.columns_of_systems = {} if self.long else self._columns_of_systems()
        if "item" not in self.fields and "context" not in self.fields:
            raise TandemError(
                f"{source.path.name} has neither an item nor a context column to tell rows "
                f"apart. It has {list_names(source.columns)}; name one with {option_ref('map')} "
                "item=COLUMN"
            )

    def _find_columns(self, prefix: str) -> dict[str, str]:
        return {
            name.removeprefix(prefix): column
            for name, column in self.fields.columns.items()
            if name.startswith(prefix)
        }

    def _refuse_system_name(self) -> str:
        name, said = self.source.path.name, f"{option_ref('system_name')} {self.source.system_name}"
        if "system" in self.fields:
            return (
                f"{self.fields.describe_column('system')} of {name} names the systems, so {said} "
                f"does not fit: leave it out, or say {option_ref('map')} system="
            )
        return (
            f"{said} needs the column of the texts, and {name} has "
            f"{list_names(self.source.columns)}: "
            f"name it with {option_ref('map')} text=COLUMN"
        )

    def _columns_of_systems(self) -> dict[str, str]:
        name, columns = self.source.path.name, self.fields.columns
        both = f"with {option_ref('map')} system=COLUMN {option_ref('map')} text=COLUMN"
        systems = self._find_columns("system:")
        named = (columns[each] for each in OF_ITEM if each in columns)
        others = {part for column in named for part in split_columns(self.source, column)}
        left = [column for column in self.source.columns if column not in others]
        if not systems and not self.scores and len(left) > 1 and "system" not in self.fields:
            texts = columns_of_texts(self.source, self.fields, left)
            systems = dict(zip(texts, texts, strict=True))
        if self.scores:
            raise TandemError(
                f"{name} has {'score:' + next(iter(self.scores))!r} but no system and text "
                "columns, so nobody knows what was scored. Write one text a row, or name the "
                f"columns {both}"
            )
        if len(systems) < 2 or "text" in self.fields or "system" in self.fields:
            raise TandemError(
                f"{name} needs a system and a text column, or one column per system. It has "
                f"{list_names(self.source.columns)}. Name them {both}, or say "
                f"{option_ref('system_name')} NAME if one system wrote all texts"
            )
        return systems

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, about = self.fields, self.about_item(cells)
        if "item" in fields and not about["item"]:
            raise ValueError(f"{fields.describe_column('item')} (the item) is empty")
        if not about["item"] and not about["context"]:
            raise ValueError(
                f"{fields.describe_column('context')} (the context, which tells the items apart) "
                "is empty"
            )
        about["sample"] = fields.read_whole(cells, "sample") or 0
        texts = {name: find_value(cells, path) for name, path in self.columns_of_systems.items()}
        if self.long:
            system = self.source.system_name or fields.read_name(cells, "system")
            texts = {system: fields.read_cell(cells, "text")}
        unique = "" if "sample" in fields else NUMBER_THEM
        for system, text in texts.items():
            yield {"sort": TEXT, **about, "system": system, "text": as_text(text), "unique": unique}
        for name, column in self.scores.items():
            rater, _, attribute = name.rpartition(":")
            kind = kind_of(rater, self.source)
            if is_score(value := cells.get(column)):
                judge = rater or self.source.rater or kind.value
                yield {
                    "sort": SCORE, **about, "system": system, "attribute": attribute,
                    "judge": judge, "judge_kind": kind.value, "value": value,
                }  # fmt: skip


LAYOUT = Layout(
    "generations", "generations", {Generations: lambda source: source.columns != PLAIN},
    matched=match_columns,
    by_hand=("item", "context", "system", "text", "sample", "reference", "subset", "family"),
    settings=("kind", "system_name"),
)  # fmt: skip
