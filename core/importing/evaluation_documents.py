"""JSON documents of tools -> rows: their first keys show where the results are.

A row of Inspect's logs is a sample, with what the log says of its evaluation under `eval`. A
`.json` is one document, an `.eval` a zip of JSON files, each packed with deflate or zstd.

Layouts: promptfoo/promptfoo, src/util/output.ts (createOutputData); confident-ai/deepeval,
deepeval/test_run/test_run.py and api.py; stanford-crfm/helm, src/helm/benchmark/runner.py;
UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log; davidjurgens/potato,
potato/user_state_management.py (`InMemoryUserState.to_json`) and potato/interaction_tracking.py
(`BehavioralData.to_dict`); allenai/reward-bench, its results on the hub (a column a key);
prometheus-eval/prometheus-eval, BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..records import TandemError
from . import json_reader
from .cells import RepeatedKey, Row, SkippedRecord, clean_record
from .json_reader import DECODER, Document, Place
from .text_encoding import RECORD, DataFile, check_unpacked, suffix
from .values import find_object

KEPT = ("id", "epoch", "input", "target", "output", "scores", "error", "attachments")
"""What is read of a sample: its messages and events may be a hundred times as long."""
ZSTD = 93  # the number of its method in a zip
HEADER = 30  # bytes before the name in a zip's local header


def read_zip(file: DataFile) -> Iterator[Row | SkippedRecord]:
    """Yield the samples of an `.eval`."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            yield from _read_samples(file.path, archive)
    except (zipfile.BadZipFile, pa.ArrowException, struct.error, EOFError) as error:
        raise TandemError(
            f"{file.path.name!r} is a damaged or cut off Inspect log ({error}); fetch it again"
        ) from None


def _read_samples(path: Path, archive: zipfile.ZipFile) -> Iterator[Row | SkippedRecord]:
    if "header.json" not in archive.namelist():
        raise TandemError(
            f"{path.name!r} has no header: its evaluation was not finished; repeat it, or use "
            "`inspect log recover`"
        )
    header = _document(path, archive, "header.json")
    if not isinstance(header, dict):
        raise TandemError(
            f"header.json in {path.name!r} is not an object that names each value once; fetch "
            "it again"
        )
    samples = sorted(name for name in archive.namelist() if name.startswith("samples/"))
    for number, name in enumerate(samples, start=1):
        sample = _document(path, archive, name)
        yield clean_record(number, select_sample(sample, header.get("eval")))


def select_sample(sample: object, evaluation: object) -> object:
    """Return the parts of a sample that are read, with its evaluation."""
    if not isinstance(sample, dict):
        return sample
    about = evaluation if isinstance(evaluation, dict) else {}
    kept = {name: sample[name] for name in KEPT if name in sample}
    return {**kept, "eval": {name: about.get(name) for name in ("model", "task", "created")}}


def _document(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    text = _unpack_member(path, archive, archive.getinfo(name))
    try:
        return DECODER.decode(text.decode())
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TandemError(f"{name} in {path.name!r} is not readable JSON ({error})") from None


def _unpack_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the contents of a file in the zip; pyarrow unpacks zstd, as Python 3.14 will."""
    check_unpacked(path, path.stat().st_size, member.file_size)
    if member.file_size > RECORD:
        raise TandemError(f"{member.filename} in {path.name!r} has more than {RECORD:,} characters")
    if member.compress_type != ZSTD:
        return archive.read(member)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(HEADER))
        file.seek(name + extra, 1)
        packed = pa.BufferReader(file.read(member.compress_size))
    with pa.CompressedInputStream(packed, "zstd") as stream:
        return bytes(stream.read(member.file_size))


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
"""Keys of a document that each hold a column."""
RECORD_KEYS = ("response", "score_rubric", "response_model_name")
"""Keys of a record in a document that has a record a key."""
INSPECT = ("version", "status", "eval")
"""How Inspect's logs begin."""
POTATO, ANNOTATOR = "user_state.json", "user_id"
"""What Potato calls its states, and how they begin."""
BEHAVIOUR = ("session_start", "session_end", "total_time_ms", "presentation_order")
"""What is read of an annotator's behaviour: its clicks and keys may be a hundred times as long."""


def find_values(file: DataFile) -> Values | None:
    """Return the function that finds the results of a document; None if no known tool wrote it."""
    if file.path.name == POTATO and _begins_with(file, ANNOTATOR):
        return _potato_instances
    if suffix(file.path) != ".json":
        return None
    if _begins_with(file, *INSPECT):
        return _inspect_samples
    return None if json_reader.is_lines(file) else _find_results(file)


def _begins_with(file: DataFile, *keys: str) -> bool:
    with json_reader.open_document(file) as document, suppress(TandemError):
        places = zip(keys, document.places(levels=1), strict=False)
        same = takewhile(lambda pair: (pair[0],) == pair[1], places)
        return document.peek() == "{" and len(list(same)) == len(keys)
    return False


def _find_results(file: DataFile) -> Values | None:
    """Find the form of the results: lists, a column per key, or a record per key. The search ends
    at the first list of objects in the document itself.
    """
    seen = set[Place]()
    with json_reader.open_document(file) as document, suppress(TandemError):
        for place in document.places() if document.peek() == "{" else ():
            seen.add(place)
            elements = document.elements()
            of_objects = isinstance(next(elements, None), dict | RepeatedKey)
            if of_objects and place in LISTS:
                return lambda document: document.lists_at(LISTS)
            if seen >= COLUMNS:
                return _rows_of_columns
            if len(place) == 2 and seen >= {(place[0], name) for name in RECORD_KEYS}:
                return lambda document: (document.value() for _ in document.places(levels=1))
            if of_objects and len(place) == 1:
                return None
            deque(elements, maxlen=0)
    return None


def _rows_of_columns(document: Document) -> Iterator[object]:
    columns = document.members()
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    for cells in zip_longest(*lists.values()):
        yield {**columns, **dict(zip(lists, cells, strict=True))}


def _inspect_samples(document: Document) -> Iterator[object]:
    evaluation: object = {}
    for place in document.places(levels=1):
        if place == ("eval",):
            evaluation = document.value()
        elif place == ("samples",):
            yield from (select_sample(sample, evaluation) for sample in document.elements())


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
