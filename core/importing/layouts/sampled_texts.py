"""Sampled texts as the authors of separability keep them (Ghosh et al. 2024).

Each system has a file of its name, with the list of samples of each item. A table has the items'
contexts. Items are known by their place, which is the same in all files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...records import TandemError, option_ref
from ..cells import Cells, require_cell
from ..entry import ITEM, TEXT, Entry
from ..layout import Layout, Reader, Source
from ..templates import RowNumber, Template, need, read_by, template

TEXTS = ("summaries", "responses", "outputs", "generations", "completions", "answers", "stories")
CONTEXTS = ("article", "dialogue", "document", "source", "context", "prompt", "instruction")


class SampledTexts(Reader):
    """Reader of one system's file: the list of sampled texts of each item."""

    def __init__(self, source: Source) -> None:
        self.system, self.column = source.stem, _only_column(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields = {"sort": TEXT, "item": str(number), "system": self.system}
        for sample, text in enumerate(require_cell(cells, self.column, list)):
            if not isinstance(text, str):
                raise ValueError(f"sample {sample} of its {self.column} is not a text")
            yield {**fields, "sample": sample, "text": text}


def _contexts(source: Source) -> Iterator[Template]:
    yield template(ITEM, item=RowNumber(), context=need(_only_column(source)))


def _only_column(source: Source) -> str:
    if len(source.columns) != 1:
        raise TandemError(
            f"{source.path.name} has {len(source.columns)} columns, where several texts of one "
            f"system have one; say another {option_ref('format')}"
        )
    return source.columns[0]


def _is_one_of(names: tuple[str, ...]) -> Callable[[Source], bool]:
    return lambda source: len(source.columns) == 1 and source.columns[0] in names


LAYOUT = Layout(
    "sampled-texts", "several texts of one system for each item",
    {SampledTexts: _is_one_of(TEXTS), read_by(_contexts): _is_one_of(CONTEXTS)},
    ("article", "summary"),
)  # fmt: skip
