"""Small files in every layout: all that is stored of each, row by row, and what is said of them.

A file of `cases/` has cases: what each shows (`# ...`), the made-up files it writes as the tools do
(`@ NAME`), what it imports (`@@ PATHS SETTINGS`), and what has to come of it: layouts, skipped rows,
warnings, new rows without fields that are as usual. The fields a case is about were counted by hand;
the others were recorded from the program that passed these. `TANDEM_APPROVE=1` writes what comes of
it now: read the diff.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.importing import USUAL, importer, with_settings
from core.records import Dataset, TandemError
from core.store import Store
from tests.published import Study

HERE = Path(__file__).parents[1]
FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
DEFAULTS: dict[str, Any] = {
    "attribute": "overall", "judge_kind": "human", "kind": "human", "order_known": 1, "sample": 0,
    "sample_a": 0, "sample_b": 0, "trial": 0,
}  # fmt: skip
STARTED = datetime.now(UTC).isoformat()  # what is imported without a time has a later one
ROWS = {  # what is shown of each sort of row: first what always is, then what differs from the usual
    "item": ("item context", "references subset family"),
    "text": ("item system text", "sample"),
    "vote": ("item system_a system_b judge answer",
             "judge_kind attribute sample_a sample_b prob_a strength confidence comment seconds raw "
             "order_known created_at trial"),
    "score": ("item system attribute rater answer", "kind sample trial raw"),
    "judge": ("judge", "spec prompt"),
}  # fmt: skip


def list_rows(store: Store) -> Iterator[str]:
    """List what a store holds, a line each."""
    if "d" not in store.datasets.names():
        return
    votes = store.judgement_frames.load_exported("d")
    votes["created_at"] = votes["created_at"].where(votes["created_at"] < STARTED, "")
    scores = store.scores.load_all("d")
    scores["raw"] = [raw for (raw,) in store.connection.rows("SELECT raw FROM scores ORDER BY id")]
    frames = {
        "item": store.datasets.items("d"), "text": store.texts.generations("d"),
        "vote": votes.assign(answer=votes["winner"].where(votes["winner"].notna(), votes["failure"])),
        "score": scores.assign(answer=scores["value"].astype(object).where(scores["failure"] == "", scores["failure"])),
        "judge": store.judges.load_all(),
    }  # fmt: skip
    for sort, (always, others) in ROWS.items():
        frame = frames[sort].astype(object)
        for row in frame.where(frame.notna(), None).to_dict("records"):
            more = {name: _round(row[name]) for name in others.split()
                    if row[name] not in (None, "", "[]", DEFAULTS.get(name))}  # fmt: skip
            if sort != "judge" or more:
                listed = [_round(row[name]) for name in always.split()]
                ending = f" {json.dumps(more, ensure_ascii=False)}" if more else ""
                yield f"{sort} {json.dumps(listed, ensure_ascii=False)}{ending}"


def _round(value: Any) -> Any:
    return float(f"{value:.12g}") if isinstance(value, float) else value


def describe_report(report: importer.ImportReport) -> Iterator[str]:
    for name, layout in report.layouts.items():
        yield f"layout {layout}: {name}"
    added = {name: count for name, count in report.added.items() if count}
    yield f"added {json.dumps(added)}"
    for row in report.skipped:
        yield f"skipped {row.get('file', '')} {row['row']}: {row['reason']}".replace("  ", " ")
    for file in report.left_out:
        yield f"left out {file['file']}: {file['reason']}"
    for warning in report.warnings:
        yield f"warning {warning}"


def run_step(study: Study, said: str, known: set[str]) -> list[str]:
    """Import what a line of a case says; return what comes of it that was not known before."""
    paths, _, settings = said.partition(" {")
    reading = with_settings(USUAL, json.loads("{" + settings) if settings else {})
    every = [
        HERE / path[1:] if path.startswith("/") else study.folder / path for path in paths.split()
    ]
    try:
        report = importer.load(study.store, every, Dataset("d"), reading)
    except TandemError as error:
        return [f"refused {error.sentence}"]
    rows = [row for row in list_rows(study.store) if row not in known]
    known |= set(rows)
    return [line.replace("\n", "\\n") for line in (*describe_report(report), *rows)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_layouts(path: Path, published: Study, subtests: pytest.Subtests) -> None:
    written = list[str]()
    for case in path.read_text(encoding="utf-8").removeprefix("# ").split("\n# "):
        title, *parts = ("\n" + case.rstrip("\n")).split("\n@")
        written.append("# " + title.strip("\n"))
        with published.renewed() as study:
            known = set[str]()
            for part in parts:
                head, _, body = part.partition("\n")
                if head.startswith("@ "):
                    found = "\n".join(run_step(study, head[2:], known))
                    written.append(f"@{head}\n{found}")
                    if os.environ.get("TANDEM_APPROVE") != "1":
                        with subtests.test(title.strip().splitlines()[0], step=head):
                            assert found == body
                    continue
                written.append(f"@{head}\n{body}")
                file = study.folder / head.strip()
                file.parent.mkdir(parents=True, exist_ok=True)
                content = f"{body}\n".encode()
                file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    if os.environ.get("TANDEM_APPROVE") == "1":
        path.write_text("\n".join(written) + "\n", encoding="utf-8")
