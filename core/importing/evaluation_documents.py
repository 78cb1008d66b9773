"""JSON documents of tools -> rows: where their results lie, by what stands at their begin.

Layouts: promptfoo/promptfoo, src/util/output.ts (createOutputData); confident-ai/deepeval,
deepeval/test_run/test_run.py and api.py; stanford-crfm/helm, src/helm/benchmark/runner.py;
UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log; davidjurgens/potato,
potato/user_state_management.py (`InMemoryUserState.to_json`) and potato/interaction_tracking.py
(`BehavioralData.to_dict`); allenai/reward-bench, its results on the hub (a column a key);
prometheus-eval/prometheus-eval, BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile, zip_longest
from typing import Any

from core.importing import json_reader
from core.importing.cells import Repeated
from core.importing.inspect_logs import select_sample
from core.importing.json_reader import Document, Place
from core.importing.text_encoding import DataFile, suffix
from core.importing.values import find_object
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
INSPECT = ("version", "status", "eval")
"""How Inspect's logs begin."""
POTATO, ANNOTATOR = "user_state.json", "user_id"
"""What Potato calls its states, and how they begin."""
BEHAVIOUR = ("session_start", "session_end", "total_time_ms", "presentation_order")
"""What is read of an annotator's behaviour: its clicks and keys may be a hundred times as long."""


def find_values(file: DataFile) -> Values | None:
    """How the results of a document are found; None where it is no tool's."""
    if file.path.name == POTATO and _begins_with(file, ANNOTATOR):
        return _potato_instances
    if suffix(file.path) != ".json":
        return None
    if _begins_with(file, *INSPECT):
        return _inspect_samples
    return None if json_reader.is_lines(file) else _find_results(file)


def _begins_with(file: DataFile, *keys: str) -> bool:
    """Whether a document is an object whose first keys are these."""
    with json_reader.open_document(file) as document, suppress(TandemError):
        places = zip(keys, document.places(levels=1), strict=False)
        same = takewhile(lambda pair: (pair[0],) == pair[1], places)
        return document.peek() == "{" and len(list(same)) == len(keys)
    return False


def _find_results(file: DataFile) -> Values | None:
    """Whether results lie in lists, a column a key or a record a key: looked for up to the first
    list of objects in the document itself.
    """
    seen = set[Place]()
    with json_reader.open_document(file) as document, suppress(TandemError):
        for place in document.places() if document.peek() == "{" else ():
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
    columns = document.members()
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    for cells in zip_longest(*lists.values()):
        yield {**columns, **dict(zip(lists, cells, strict=True))}


def _inspect_samples(document: Document) -> Iterator[object]:
    """The samples of a log, which says before them what was evaluated."""
    evaluation: object = {}
    for place in document.places(levels=1):
        if place == ("eval",):
            evaluation = document.value()
        elif place == ("samples",):
            yield from (select_sample(sample, evaluation) for sample in document.elements())


def _potato_instances(document: Document) -> Iterator[object]:
    """Every instance that was annotated, as a line of Potato's older `annotated_instances.jsonl`
    has it.
    """
    members = document.members()
    behaviour = find_object(members, "instance_id_to_behavioral_data")
    for instance, given in find_object(members, "instance_id_to_label_to_value").items():
        about = find_object(behaviour, instance)
        yield {
            ANNOTATOR: members.get(ANNOTATOR),
            "id": instance,
            "label_annotations": _by_schema(given),
            "behavioral_data": {name: about[name] for name in BEHAVIOUR if name in about},
        }


def _by_schema(given: Any) -> object:
    """schema -> label -> value, of pairs of {schema, name} and value; what is no list of these, as
    it is.
    """
    with suppress(TypeError, ValueError, AttributeError):
        labels = defaultdict[str, dict[str, object]](dict)
        for label, value in given:
            labels[str(label.get("schema"))][str(label.get("name"))] = value
        return dict(labels)
    return given
