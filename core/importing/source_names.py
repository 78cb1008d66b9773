"""By what name the votes of a file are known when they are imported again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.importing.files import sha256
from core.importing.staged_file import StagedFile
from core.store import Store


def name_sources(
    store: Store, dataset: str, chosen: Sequence[StagedFile], files: int
) -> Sequence[tuple[str, str]]:
    """For each of so many files by its number: the name its votes are known by, and the one by
    which votes that say the same are counted.

    A vote is known by its data set and file name, by what it says of whom, and by how often that
    came before; not by its row's number, nor by what else stands in the row. So a file that has
    grown, of which one row was mended, or that now has texts too adds just what is new. A file that
    is the same as an earlier one goes by that one's name. Where a layout's files hold each answer
    once (`Layout.once`), its name stands for the file's: a sample of a table adds nothing to it.
    """
    origin, earlier = store.datasets.origin(dataset), dict[str, str]()
    for name, fingerprint in store.datasets.files(dataset).items():
        earlier.setdefault(fingerprint, Path(name).name)
    names = [("", "")] * files
    for file in chosen:
        own = file.source.path.name
        name = (earlier and earlier.get(sha256(file.source.path))) or own
        once = file.layout.once
        sources = f"{origin}/{file.layout.name if once else name}", file.name if once else name
        names[file.number] = _as_text(sources[0]), _as_text(sources[1])
    return names


def _as_text(name: str) -> str:
    """A name of a file as text: a disk may have bytes in it that are none."""
    return name.encode(errors="surrogateescape").decode(errors="replace")
