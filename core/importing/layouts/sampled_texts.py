"""Sampled texts as the authors of separability keep them (Ghosh et al. 2024): a file for each
system, an object for each item with the list of its samples; and a table of the items' contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.importing.cells import Cells, required
from core.importing.layout import Layout, Record, Source, system_of
from core.records import Generation, Item, TandemError, setting

TEXTS = ("summaries", "responses", "outputs", "generations", "completions", "answers", "stories")
CONTEXTS = ("article", "dialogue", "document", "source", "context", "prompt", "instruction")


class Samples:
    """The samples of one item a row; the file's name is that of the system. Items are told by their
    place, which is the same in all files.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.column = source, _only_column(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system = str(number), self.source.stem
        yield Item(item)
        yield system_of(system)
        for sample, text in enumerate(required(cells, self.column, list)):
            if not isinstance(text, str):
                raise ValueError(f"sample {sample} of its {self.column} is no text")
            yield Generation(item, system, sample, text)


class Contexts:
    """One column: the context of each item, in the order of the samples."""

    def __init__(self, source: Source) -> None:
        self.source, self.column = source, _only_column(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        yield Item(str(number), required(cells, self.column, str))


def _only_column(source: Source) -> str:
    if len(source.columns) != 1:
        raise TandemError(
            f"{source.path.name} has {len(source.columns)} columns, where several texts of one "
            f"system have one; say another {setting('format')}"
        )
    return source.columns[0]


def _alone(*names: str) -> Callable[[Source], bool]:
    """Recognises a file with one column of such a name."""
    return lambda source: len(source.columns) == 1 and source.columns[0] in names


LAYOUT = Layout(
    "sampled-texts",
    "several texts of one system for each item",
    {Samples: _alone(*TEXTS), Contexts: _alone(*CONTEXTS)},
    ("article", "summary"),
)
