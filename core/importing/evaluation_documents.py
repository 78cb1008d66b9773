"""Results of evaluation tools in one JSON document -> rows: the lists they lie in, wherever the
document has them.

Layouts: promptfoo/promptfoo, src/util/output.ts (createOutputData); confident-ai/deepeval,
deepeval/test_run/test_run.py and api.py; stanford-crfm/helm, src/helm/benchmark/runner.py;
allenai/reward-bench, its results on the hub (a column a key); prometheus-eval/prometheus-eval,
BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from core.importing import json_reader
from core.importing.cells import Row, Skipped, cleaned

PLACES = {
    ("results", "results"),  # promptfoo
    ("testCases",), ("conversationalTestCases",),  # deepeval's test runs
    ("testRunData", "testCases"), ("testRunData", "conversationalTestCases"),  # its latest one
    ("test_results",), ("testResults",),  # what its evaluate() returns
    ("request_states",),  # HELM
}  # fmt: skip
"""Where the lists of results lie."""
COLUMNS = {("results",), ("scores_chosen",), ("scores_rejected",)}
"""Keys of a document of which each holds a column."""
RECORD = frozenset(("response", "score_rubric", "response_model_name"))
"""Keys of a record in a document that has a record a key."""
LISTS, OF_COLUMNS, OF_RECORDS = "lists", "columns", "records"


def reads(path: Path) -> bool:
    """Whether a JSON document is one of these, by what stands at its begin."""
    return not json_reader.is_lines(path) and _shape(path) != ""


def _shape(path: Path) -> str:
    """Whether results lie in lists, a column a key or a record a key; '' where there are none."""
    seen = set[json_reader.Place]()
    for place, of_objects in json_reader.outline(path):
        seen.add(place)
        if place in PLACES and of_objects:
            return LISTS
        if seen >= COLUMNS:
            return OF_COLUMNS
        if len(place) == 2 and seen >= {(place[0], name) for name in RECORD}:
            return OF_RECORDS
    return ""


def read(path: Path) -> Iterator[Row | Skipped]:
    """Every result of a document."""
    for number, value in enumerate(_values(path), start=1):
        yield cleaned(number, value)


def _values(path: Path) -> Iterator[object]:
    shape = _shape(path)
    if shape == LISTS:
        yield from json_reader.lists_at(path, PLACES)
        return
    members = json_reader.members(path, lists=())
    if shape == OF_RECORDS:
        yield from (record for _, record in members)
    else:
        yield from _rows_of_columns(dict(members))


def _rows_of_columns(columns: Mapping[str, object]) -> Iterator[object]:
    """A row for each place of the columns; what is no list is the same in every row."""
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    same = {name: value for name, value in columns.items() if name not in lists}
    for place in range(max(map(len, lists.values()), default=0)):
        row = {name: cells[place] for name, cells in lists.items() if place < len(cells)}
        yield {**same, **row}
