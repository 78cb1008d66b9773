"""JSON documents of tools -> rows: where their results lie, by what stands at their begin.

Layouts: promptfoo/promptfoo, src/util/output.ts (createOutputData); confident-ai/deepeval,
deepeval/test_run/test_run.py and api.py; stanford-crfm/helm, src/helm/benchmark/runner.py;
UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log; davidjurgens/potato,
potato/user_state_management.py; allenai/reward-bench, its results on the hub (a column a key);
prometheus-eval/prometheus-eval, BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from core.importing import inspect_logs, json_reader, potato_states
from core.importing.cells import Repeated
from core.importing.json_reader import Document, Place
from core.importing.text_encoding import DataFile, suffix
from core.records import TandemError

Values = Callable[[Document], Iterator[object]]

LISTS = {
    ("results", "results"),  # promptfoo
    ("testCases",), ("conversationalTestCases",),  # deepeval's test runs
    ("testRunData", "testCases"), ("testRunData", "conversationalTestCases"),  # its latest one
    ("test_results",), ("testResults",),  # what its evaluate() returns
    ("request_states",),  # HELM
}  # fmt: skip
"""Where lists of results lie."""
COLUMNS = {("results",), ("scores_chosen",), ("scores_rejected",)}
"""Keys of a document of which each holds a column."""
RECORD = ("response", "score_rubric", "response_model_name")
"""Keys of a record in a document that has a record a key."""


def find_values(file: DataFile) -> Values | None:
    """How the results of a document are found; None where it is no tool's."""
    if file.path.name == potato_states.NAME and _begins_with(file, (potato_states.ANNOTATOR,)):
        return potato_states.read_instances
    if suffix(file.path) != ".json":
        return None
    if _begins_with(file, inspect_logs.FIRST_KEYS):
        return inspect_logs.read_samples
    return None if json_reader.is_lines(file) else _find_results(file)


def _begins_with(file: DataFile, keys: tuple[str, ...]) -> bool:
    """Whether a document is an object whose first keys are these."""
    with json_reader.open_document(file) as document, suppress(TandemError):
        if document.peek() == "{":
            for place, key in zip(document.places(levels=1), keys, strict=False):
                if place != (key,) or key == keys[-1]:
                    return place == (key,)
    return False


def _find_results(file: DataFile) -> Values | None:
    """Whether results lie in lists, a column a key or a record a key: looked for up to the first
    list of objects in the document itself.
    """
    seen = set[Place]()
    with json_reader.open_document(file) as document, suppress(TandemError):
        if document.peek() != "{":
            return None
        for place in document.places():
            seen.add(place)
            elements = document.elements()
            of_objects = isinstance(next(elements, None), dict | Repeated)
            if of_objects and place in LISTS:
                return lambda document: document.lists_at(LISTS)
            if seen >= COLUMNS:
                return _rows_of_columns
            if len(place) == 2 and seen >= {(place[0], name) for name in RECORD}:
                return lambda document: (document.value() for _ in document.places(levels=1))
            if of_objects and len(place) == 1:
                return None
            deque(elements, maxlen=0)
    return None


def _rows_of_columns(document: Document) -> Iterator[object]:
    """A row for each place of the columns; what is no list is the same in every row."""
    columns = {key: document.value() for (key,) in document.places(levels=1)}
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    same = {name: value for name, value in columns.items() if name not in lists}
    for place in range(max(map(len, lists.values()), default=0)):
        row = {name: cells[place] for name, cells in lists.items() if place < len(cells)}
        yield {**same, **row}
