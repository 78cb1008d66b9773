"""Two files of texts, each by one system: the old version and the new one, joined by their prompts
into one data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..labels import pluralize
from ..records import Dataset, TandemError, option_ref
from ..store import Store
from . import files, importer
from .account import NOT_USED, UnusedColumnError
from .attributes import make_attribute
from .cells import quote_value
from .choice import Progress, ignore_progress, recognise
from .reading import USUAL, Reading
from .table_fields import list_names

MOST_NAMES = 100  # data sets of the same two names
NOUNS = ("prompt", "response")
READ = ("item", "context", "text", "sample", "reference", "subset", "family")
"""Fields of a table of texts; what fills others, such as the system, is left out."""


@dataclass(frozen=True)
class ImportedVersions:
    """The `dataset` that two files became, with their systems `old` and `new`; `shared` counts the
    prompts that both answer, `alone` those of each file alone. `notes` are about what is not used.
    """

    dataset: str
    old: str
    new: str
    shared: int
    alone: tuple[int, int]
    notes: Sequence[str] = ()

    def describe(self) -> str:
        """Describe how many prompts both files answer, and what the data set is called."""
        alone = " and ".join(
            f"{count:,} only {name} answers"
            for name, count in zip((self.old, self.new), self.alone, strict=True)
            if count
        )
        left = f"; {alone}, left out" if alone else ""
        return f"{self.dataset}: {self.shared:,} prompts that both answer{left}"

    def count(self) -> dict[str, Any]:
        """Return what the command line prints of it with --json."""
        return {"shared": self.shared, "alone": list(self.alone), "unused": self.notes}


def import_versions(
    store: Store,
    paths: tuple[Path, Path],
    reading: Reading = USUAL,
    *,
    dataset: str = "",
    attribute: str = "",
    progress: Progress = ignore_progress,
) -> ImportedVersions:
    """Import the texts of two files as those of two systems, called as the files are.

    Texts with the same prompt are about one item, whatever their keys; without prompts keys join
    them. Without a name, the data set is "old vs new", the one there is if it is of these files.
    Where the data set is new, `attribute` is what its texts are compared in. What `reading` says
    holds for both files. Nothing is written unless both can be read and have a prompt in common.

    Raises:
        TandemError: a file without texts or prompts, or two without a common prompt.
    """
    systems = _name_systems(paths)
    readings = [
        _read_as_texts(path, name, reading) for path, name in zip(paths, systems, strict=True)
    ]
    described = Dataset(dataset or " vs ".join(systems), "", "", *NOUNS)
    with closing(Store(Path(":memory:"))) as tried:  # nothing is written of files that do not fit
        readings, notes = _import_each(tried, paths, described, readings, progress)
        texts = tried.texts.generations(described.name)
        prompts = tried.datasets.items(described.name).set_index("item")["context"]
    answered = texts.dropna(subset="text").groupby("system")["item"].agg(set)
    old, new = (answered.get(name, set()) for name in systems)
    if not old & new:
        items = texts.groupby("system")["item"].first()
        first = [quote_value(prompts[items[name]] or items[name]) for name in systems]
        raise TandemError(
            f"{paths[0].name} and {paths[1].name} have no prompt in common, letter by letter: the "
            f"first are {first[0]} and {first[1]}"
        )
    notes += _note_texts(texts)
    if not dataset:
        described = replace(described, name=_find_name(store, paths, described.name))
    if attribute and described.name not in store.datasets.names():
        store.datasets.add(described)
        store.datasets.add_attributes(described.name, [make_attribute(attribute, described)])
    _import_each(store, paths, described, readings, progress)
    alone = len(old - new), len(new - old)
    return ImportedVersions(described.name, *systems, len(old & new), alone, notes)


def _name_systems(paths: tuple[Path, Path]) -> tuple[str, str]:
    if paths[0].resolve() == paths[1].resolve():
        raise TandemError(f"{paths[0]} was given twice: name the file of the old and of the new")
    first, second = (Path(path.name.removesuffix(".gz")).stem for path in paths)
    if first != second:
        return first, second
    first, second = (f"{path.resolve().parent.name}/{path.stem}" for path in paths)
    return (first, second) if first != second else (paths[0].name, paths[1].name)


def _read_as_texts(path: Path, system: str, reading: Reading) -> Reading:
    """Return the reading of a file of texts by one system, whatever else its columns say."""
    plain = replace(reading, layout="generations", system_name=system, mapping={})
    there = recognise(path, plain).source.columns if reading.mapping else ()
    begun = tuple(f"{name}{sign}" for name in there for sign in ".[")
    mapping = {
        field: next((one for one in name.split("|") if one in there or one.startswith(begun)), name)
        for field, name in reading.mapping.items()
    }
    reading = replace(plain, mapping=mapping)
    file = recognise(path, reading)
    found = file.fields
    for name, what in (("text", "texts"), ("context", "prompts")):
        if name not in found and not (name == "context" and "item" in found):
            raise TandemError(
                f"no column of {path.name} is known to hold {what}: it has "
                f"{list_names(file.source.columns)}; name it with {option_ref('map')} "
                f"{name}=COLUMN"
            )
    left = {name for name in found if name not in READ and not name.startswith("score:")}
    paths = tuple(mapping.values())  # a column that holds one is no field by its name
    left |= {name for name, column in found.items() if name not in mapping
             and any(path.startswith((f"{column}.", f"{column}[")) for path in paths)}  # fmt: skip
    if "context" in found:
        left.add("item")
    return replace(reading, mapping={**dict.fromkeys(left & found.keys(), ""), **reading.mapping})


def _import_each(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    readings: Sequence[Reading],
    progress: Progress,
) -> tuple[list[Reading], list[str]]:
    complete, notes = list[Reading](), list[str]()
    for path, reading in zip(paths, readings, strict=True):
        while True:
            try:
                report = importer.load(store, [path], dataset, reading, progress=progress)
                break
            except UnusedColumnError as question:
                reading = replace(reading, unused=(*reading.unused, question.column))
        complete.append(reading)
        unused = [each["column"] for each in report.columns if each["use"] == NOT_USED]
        if unused:
            notes.append(f"columns of {path.name} that are not used: {', '.join(unused)}")
        if count := len(report.skipped) + report.unlisted:
            notes.append(
                f"{pluralize(count, 'row')} of {path.name} {'is' if count == 1 else 'are'} left "
                f"out; row {report.skipped[0]['row']}: {report.skipped[0]['reason']}"
            )
    return complete, notes


def _note_texts(texts: pd.DataFrame) -> list[str]:
    notes = list[str]()
    for name, of in texts.groupby("system"):
        counts = {
            "without a text, left out": int(of["text"].isna().sum()),
            "with an empty text, compared as it is": int((of["text"].str.strip() == "").sum()),
            "beyond the first sample of their prompt, asked about with --samples": int(
                (of["sample"] > 0).sum()
            ),
        }
        notes += [
            f"{pluralize(count, 'row')} of {name} {why}" for why, count in counts.items() if count
        ]
    pairs = texts.pivot_table("text", "item", "system", aggfunc="first")
    if len(pairs.columns) == 2 and (same := int((pairs.iloc[:, 0] == pairs.iloc[:, 1]).sum())):
        notes.append(f"{pluralize(same, 'prompt')} with the same text by both: a tie")
    return notes


def _find_name(store: Store, paths: Sequence[Path], name: str) -> str:
    """Return the first name of "old vs new", "old vs new 2" ... with these files, or free."""
    digests = {files.sha256(path) for path in paths}
    for number in range(1, MOST_NAMES):
        called = name if number == 1 else f"{name} {number}"
        there = set(store.datasets.files(called).values())
        if not there or digests <= there:
            return called
    raise TandemError(f"there are {MOST_NAMES} data sets called {name!r}: name one of your own")
