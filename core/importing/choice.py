"""Which files are read, and as what: the choice before any row counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.importing import files
from core.importing.cells import UnrecognisedError
from core.importing.detection import recognise
from core.importing.layouts import LAYOUTS
from core.importing.raters import check_kinds, raters_of
from core.importing.reading import Reading
from core.importing.staged_file import StagedFile
from core.importing.tally import Tally
from core.store import Store

Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def silent(stage: str, done: int, of: int) -> None:
    """Progress that nobody follows."""


def choose(
    store: Store, dataset: str, paths: Sequence[Path], reading: Reading
) -> tuple[list[StagedFile], dict[str, str]]:
    """The files to read, numbered from 0, and by name why others of a folder are not.

    Raises UnrecognisedError for a file that was named itself and is in no layout.
    """
    chosen, reasons, there = list[StagedFile](), dict[str, str](), list[str]()
    study = tuple(store.datasets.systems(dataset))
    for path, name in _names(files.expand(paths)).items():
        try:
            found = recognise(path, reading)
            layout = LAYOUTS[found.layout]
            zone = reading.time_zone
            source = replace(found.source, zone=zone, study=study, tally=Tally())
            chosen.append(StagedFile(len(chosen), name, layout, source, layout.reader(source)))
            there += raters_of(found.fields)
        except UnrecognisedError as error:
            if path in paths:
                raise
            reasons[name] = error.sentence
    check_kinds(reading.kinds, there)
    return chosen, reasons


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Each file's name, with as much of its folders as tells it from the others."""
    ends = {
        path: ["/".join(path.parts[-depth:]) for depth in range(1, len(path.parts) + 1)]
        for path in paths
    }
    count = Counter(end for several in ends.values() for end in several)
    return {
        path: next((end for end in several if count[end] == 1), several[-1])
        for path, several in ends.items()
    }
