"""Potato's `user_state.json` -> rows: one instance each, as a line of its older
`annotated_instances.jsonl` has it.

Layout: davidjurgens/potato, potato/user_state_management.py (`InMemoryUserState.to_json`) and
potato/interaction_tracking.py (`BehavioralData.to_dict`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from core.importing.json_reader import Document

NAME = "user_state.json"
ANNOTATOR = "user_id"
LABELS, BEHAVIOUR = "instance_id_to_label_to_value", "instance_id_to_behavioral_data"
KEPT = ("session_start", "session_end", "total_time_ms", "presentation_order")
"""What is read of the behaviour: its clicks and keys may be a hundred times as long."""


def read_instances(document: Document) -> Iterator[object]:
    """Every instance that was annotated."""
    members = {key: document.value() for (key,) in document.places(levels=1)}
    labels, behaviour = (_object(members.get(name)) for name in (LABELS, BEHAVIOUR))
    for instance, given in labels.items():
        about = _object(behaviour.get(instance))
        yield {
            ANNOTATOR: members.get(ANNOTATOR),
            "id": instance,
            "label_annotations": _by_schema(given),
            "behavioral_data": {name: about[name] for name in KEPT if name in about},
        }


def _object(given: object) -> dict[str, object]:
    return given if isinstance(given, dict) else {}


def _by_schema(given: object) -> object:
    """schema -> label -> value, of pairs of {schema, name} and value; what is no list of these, as
    it is.
    """
    if not isinstance(given, list):
        return given
    labels = defaultdict[str, dict[str, object]](dict)
    for pair in given:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict)):
            return given
        label, value = pair
        labels[str(label.get("schema"))][str(label.get("name"))] = value
    return dict(labels)
