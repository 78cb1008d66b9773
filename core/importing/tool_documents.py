"""JSON documents of tools -> rows: their first keys show where the results are, or whose they are.

Layouts: davidjurgens/potato, potato/user_state_management.py (`InMemoryUserState.to_json`) and
potato/interaction_tracking.py (`BehavioralData.to_dict`); allenai/reward-bench, its results on the
hub (a column a key). Documents that recipes are for: promptfoo/promptfoo, src/util/output.ts
(createOutputData); confident-ai/deepeval, deepeval/test_run/test_run.py and api.py;
stanford-crfm/helm, src/helm/benchmark/runner.py; UKGovernmentBEIS/inspect_ai,
tests/log/test_eval_log; prometheus-eval/prometheus-eval, BiGGen-Bench/run_response_eval.py (a
record a key).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile, zip_longest
from typing import Any, NoReturn

from ..records import TandemError
from . import json_reader
from .cells import RepeatedKey
from .json_reader import Document, Place
from .recipes import has_columns_of, refuse_tool
from .text_encoding import DataFile, suffix
from .values import find_object

Values = Callable[[Document], Iterator[object]]

LISTS = {
    ("results", "results"): "promptfoo",
    ("testCases",): "deepeval", ("conversationalTestCases",): "deepeval",  # its test runs
    ("testRunData", "testCases"): "deepeval",
    ("testRunData", "conversationalTestCases"): "deepeval",
    ("test_results",): "deepeval", ("testResults",): "deepeval",  # what its evaluate() returns
    ("request_states",): "helm",
}  # fmt: skip
"""Where lists of results lie -> the tool that a recipe is for."""
COLUMNS = {("results",), ("scores_chosen",), ("scores_rejected",)}
"""Keys of a document that each hold a column."""
RECORD_KEYS = ("response", "score_rubric", "response_model_name")
"""Keys of a record in BiGGen-Bench's document, which has a record a key."""
INSPECT = ("version", "status", "eval")
"""How Inspect's logs begin."""
POTATO, ANNOTATOR = "user_state.json", "user_id"
"""What Potato calls its states, and how they begin."""
BEHAVIOUR = ("session_start", "session_end", "total_time_ms", "presentation_order")
"""What is read of an annotator's behaviour: its clicks and keys may be a hundred times as long."""


def refuse_log(file: DataFile) -> NoReturn:
    """Refuse an `.eval`, which is a zip of Inspect's."""
    refuse_tool(file.path, "inspect")


def find_values(file: DataFile) -> Values | None:
    """Return the function that finds the results of a document; None if no known tool wrote it.

    Raises UnrecognisedError for a document that a recipe is for.
    """
    if file.path.name == POTATO and _begins_with(file, ANNOTATOR):
        return _potato_instances
    if suffix(file.path) != ".json":
        return None
    if _begins_with(file, *INSPECT):
        refuse_log(file)
    if json_reader.is_lines(file):
        return None
    form = _find_form(file)
    if form in LISTS.values() or form == "prometheus":
        refuse_tool(file.path, form)
    return _rows_of_columns if form else None


def _begins_with(file: DataFile, *keys: str) -> bool:
    with json_reader.open_document(file) as document, suppress(TandemError):
        places = zip(keys, document.places(levels=1), strict=False)
        same = takewhile(lambda pair: (pair[0],) == pair[1], places)
        return document.peek() == "{" and len(list(same)) == len(keys)
    return False


def _find_form(file: DataFile) -> str:
    """Find whose results a document holds; "columns" where each key holds one."""
    seen = set[Place]()
    with json_reader.open_document(file) as document, suppress(TandemError):
        for place in document.places() if document.peek() == "{" else ():
            seen.add(place)
            elements = document.elements()
            first = next(elements, None)
            of_objects, tool = isinstance(first, dict | RepeatedKey), LISTS.get(place, "")
            if isinstance(first, dict) and tool and has_columns_of(tool, first):
                return tool
            if seen >= COLUMNS:
                return "columns"
            if len(place) == 2 and seen >= {(place[0], name) for name in RECORD_KEYS}:
                return "prometheus"
            if of_objects and len(place) == 1:
                return ""
            deque(elements, maxlen=0)
    return ""


def _rows_of_columns(document: Document) -> Iterator[object]:
    columns = document.members()
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    for cells in zip_longest(*lists.values()):
        yield {**columns, **dict(zip(lists, cells, strict=True))}


def _potato_instances(document: Document) -> Iterator[object]:
    members = document.members()
    behaviour = find_object(members, "instance_id_to_behavioral_data")
    for instance, given in find_object(members, "instance_id_to_label_to_value").items():
        about = find_object(behaviour, instance)
        yield {
            ANNOTATOR: members.get(ANNOTATOR),
            "id": instance,
            "label_annotations": _group_by_schema(given),
            "behavioral_data": {name: about[name] for name in BEHAVIOUR if name in about},
        }


def _group_by_schema(given: Any) -> object:
    with suppress(TypeError, ValueError, AttributeError):
        labels = defaultdict[str, dict[str, object]](dict)
        for label, value in given:
            labels[str(label.get("schema"))][str(label.get("name"))] = value
        return dict(labels)
    return given
