"""Files that were imported to their end before: nothing in them is new, so they are not read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from core.importing import files
from core.importing.reading import Reading
from core.importing.report import COUNTS, Report
from core.store import Store

READS = 1
"""Changes whenever the same file would be read otherwise than before."""
KEPT = 100  # rows that are skipped and listed again


def find_earlier_import(
    store: Store, paths: Sequence[Path], dataset: str, reading: Reading
) -> Report | None:
    """What an import of the same files, read the same way, found in this data set; None where there
    was none that came to its end.
    """
    uid = store.datasets.identity(dataset)
    found = uid and store.settings.get(_name(uid, paths, reading))
    if not found:
        return None
    report = Report(**json.loads(found))
    note = "these files were imported before and read the same way: they are not read again"
    return replace(report, added=dict.fromkeys(COUNTS, 0), warnings=[*report.warnings, note])


def note_import(
    store: Store, paths: Sequence[Path], dataset: str, reading: Reading, report: Report
) -> None:
    """Note that files were imported to their end."""
    more = len(report.skipped[KEPT:])
    kept = replace(report, skipped=report.skipped[:KEPT], unlisted=report.unlisted + more)
    uid = store.datasets.identity(dataset)
    store.settings.put(_name(uid, paths, reading), json.dumps(asdict(kept)))


def _name(uid: str, paths: Sequence[Path], reading: Reading) -> str:
    """The setting that tells of an import: by the data set, the files and how they are read."""
    # Folders may say whose texts a file has; what is named itself is refused where a folder
    # leaves it out.
    every = sorted((str(path.resolve()), files.sha256(path)) for path in files.expand(paths))
    said = json.dumps([READS, sorted(path.name for path in paths), every, repr(reading)])
    return f"imported into {uid} {hashlib.sha256(said.encode()).hexdigest()}"
