"""Which files are read, and as what: the choice before any row counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.importing import files
from core.importing.cells import UnrecognisedError
from core.importing.detection import recognise
from core.importing.layout import Layout, Source
from core.importing.layouts import LAYOUTS
from core.importing.raters import check_kinds, raters_of
from core.importing.reading import Reading
from core.records import Dataset
from core.store import Store

Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def silent(stage: str, done: int, of: int) -> None:
    """Progress that nobody follows."""


@dataclass(frozen=True)
class Chosen:
    """A file that is imported: its name among the others, and what it is read as."""

    name: str
    layout: str
    source: Source


def choose(
    store: Store, paths: Sequence[Path], dataset: Dataset, reading: Reading
) -> tuple[list[Chosen], dict[str, str]]:
    """The files to read, and by name why others of a folder are not.

    Raises UnrecognisedError for a file that was named itself and is in no layout.
    """
    names = _names(files.expand(paths))
    chosen, reasons, there = list[Chosen](), dict[str, str](), list[str]()
    for path, name in names.items():
        try:
            recognised = recognise(path, reading)
            layout = LAYOUTS[recognised.layout]
            nouns = with_nouns(dataset, layout)
            source = Source(
                path,
                recognised.columns,
                reading.mapping,
                reading.kind or layout.kind,
                nouns.context_noun,
                nouns.candidate_noun,
                reading.codes,
                reading.systems,
                reading.system_name,
                reading.kinds,
                reading.dates,
                tuple(store.datasets.systems(dataset.name)),
                reading.encoding,
                reading.time_zone,
                reading.sheet,
            )
            layout.reader(source)
        except UnrecognisedError as error:
            if path in paths:
                raise
            reasons[name] = error.sentence
        else:
            chosen.append(Chosen(name, layout.name, source))
            there += raters_of(recognised.fields)
    check_kinds(reading.kinds, there)
    return chosen, reasons


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Each file's name, with as much of its folders as tells it from the others."""
    names, depth = dict[Path, str](), 1
    left = list(paths)
    while left:
        short = {path: "/".join(path.parts[-depth:]) for path in left}
        count = Counter(short.values())
        names.update(
            {
                path: name
                for path, name in short.items()
                if count[name] == 1 or depth > len(path.parts)
            }
        )
        left = [path for path in left if path not in names]
        depth += 1
    return {path: names[path] for path in paths}


def with_nouns(dataset: Dataset, layout: Layout) -> Dataset:
    """The nouns of the layout, where the person importing did not name any."""
    default = Dataset(dataset.name)
    context, candidate = layout.nouns
    return replace(
        dataset,
        context_noun=context
        if dataset.context_noun == default.context_noun
        else dataset.context_noun,
        candidate_noun=candidate
        if dataset.candidate_noun == default.candidate_noun
        else dataset.candidate_noun,
    )
