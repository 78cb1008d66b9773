"""Pairs and answers of Argilla and Potato."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import combinations, repeat
from typing import Any
from urllib.parse import unquote

from ...records import Kind, Outcome
from ...scratch import is_scratch
from ..cells import Cells, as_number, as_text, as_whole, read_name
from ..entry import VOTE, Entry
from ..layout import Layout, Source, has_one_of
from ..pairs_in_tools import OF_PAIR, PairReader, is_side, name_attribute, prefer_higher
from ..table_fields import match_columns
from ..templates import swap_sides
from ..values import Object, find_list, find_number, find_object, find_text, parse_json
from ..winner_columns import tables_near
from ..winners import NO_ANSWER, word

# Reader of Argilla's records with a ranking or a label question about two or more texts. Layout:
# argilla-io/argilla, argilla/src/argilla/records/_resource.py (to_dict) and _io/_generic.py
# (flattened, as a data set of Hugging Face); of Argilla 1
# src/argilla/client/feedback/integrations/huggingface/dataset.py.

COMMENTS = ("comment", "reason", "rationale", "why")
"""What is in the name of a question whose answers are comments."""
RESPONSES, SUGGESTION = ".responses", ".suggestion"
EXTERNAL, SUGGESTED = "external_id", "-suggestion"
PARTS = ("fields", "metadata", "responses", "suggestions")
MODELS = ("{}_model", "{}-model", "model_{}", "{}_system")
Parts = Mapping[str, Any]  # of a record: PARTS


class Records(PairReader):
    """`fields` (the texts, and the prompt), `metadata`, and `responses`: for each question those of
    every user, `value` and `user_id`. A ranking orders the fields, the best first, and is a vote on
    each two of them; a label names one of them, a tie, or both bad. Answers to a text question
    are comments. A suggestion is a vote of its `agent`.

    Nothing says in what order the texts were shown, nor when.
    """

    def is_answered(self, cells: Cells) -> bool:
        return any(True for _ in _list_answers(nest_record(cells)))

    def find_pair(self, cells: Cells) -> Entry:
        record = nest_record(cells)
        return super().find_pair({**record["metadata"], **record["fields"]})

    def read_votes(self, cells: Cells) -> Iterator[Entry]:
        record = nest_record(cells)
        people = _describe_users(record)
        for part, question, answer in _list_answers(record):
            judge = {"judge_kind": self.kind, **people[find_text(answer, "user_id")]}
            if part == "suggestions":
                agent = find_text(answer, "agent") or "suggestion"
                judge = {"judge": agent, "judge_kind": Kind.LLM}
            for vote in self._compare(record, question, answer["value"]):
                vote["attribute"] = vote.get("attribute") or name_attribute(question)
                if answer.get("status") == "discarded":
                    said = vote.get("winner") or vote["outcome"]
                    vote |= {"failure": "discarded", "raw": str(said)}
                yield {"sort": VOTE, **vote, **judge, "order_known": False}

    def _compare(self, record: Parts, question: str, value: object) -> Iterator[Entry]:
        if ranks := _read_ranks(value, record["fields"]):
            for first, second in combinations(ranks, 2):
                outcome = prefer_higher(ranks[second], ranks[first])  # 1 is the best rank
                yield {**self._find_ranked(record, ranks, (first, second)), "outcome": outcome}
        elif isinstance(value, str):
            with suppress(ValueError):  # where the record says nothing else, why it is skipped
                pair = self.find_pair(record)
                systems = (word(str(pair[f"system_{side}"])) for side in "ab")
                if is_side(value) or word(value) in systems:  # else nothing was compared
                    yield {**pair, "winner": value, "field": question}

    def _find_ranked(
        self, record: Parts, ranked: Collection[str], places: tuple[str, str]
    ) -> Entry:
        fields, metadata = record["fields"], record["metadata"]
        others = {name: text for name, text in fields.items() if name not in ranked}
        pair = self.describe(metadata | others)
        pair |= {"text_a": fields[places[0]], "text_b": fields[places[1]]}
        called = ((name.format(place) for name in MODELS) for place in places)
        first, second = (find_text(metadata, *names) for names in called)
        if first and second:
            pair |= {"system_a": first, "system_b": second}
        elif len(ranked) > 2:  # `model_a` does not say which of them it is of
            pair |= {"system_a": "", "system_b": ""}
        return self.name_systems(pair, places)


def nest_record(cells: Cells) -> dict[str, Any]:
    """Return a record in its parts; of a flattened one they are put together, also of one of
    Argilla 1, which has a column for each field and question. A part that is no object says
    nothing.
    """
    if isinstance(cells.get("fields"), dict):
        return {name: find_object(cells, name) for name in PARTS}
    metadata = parse_json(cells.get("metadata"))
    record: dict[str, Any] = {name: {} for name in PARTS}
    record["metadata"] = metadata if isinstance(metadata, dict) else {}
    for name, value in cells.items():
        if name.endswith(RESPONSES) and isinstance(value, list):
            users, states = (
                find_list(cells, f"{name}.{what}") or repeat(None) for what in ("users", "status")
            )
            record["responses"][name.removesuffix(RESPONSES)] = [
                {"value": given, "user_id": user, "status": status}
                for given, user, status in zip(value, users, states, strict=False)
            ]
        elif f"{name}{SUGGESTED}" in cells:
            record["responses"][name] = value or []
        elif name.endswith((SUGGESTION, SUGGESTED)):
            agent = find_text(cells, f"{name}.agent", f"{name}-metadata.agent")
            question = name.removesuffix(SUGGESTION).removesuffix(SUGGESTED)
            record["suggestions"][question] = {"value": value, "agent": agent}
        elif isinstance(value, str) and "." not in name and name not in (EXTERNAL, "metadata"):
            record["fields"][name] = value
    return record


def _list_answers(record: Parts) -> Iterator[tuple[str, str, Object]]:
    for part in ("responses", "suggestions"):
        for question, given in record[part].items():
            for answer in given if isinstance(given, list) else [given]:
                if isinstance(answer, dict) and answer.get("value") is not None:
                    yield part, question, answer


def _describe_users(record: Parts) -> dict[str, Entry]:
    named = (str(each).rpartition("=") for each in find_list(record["metadata"], "annotators"))
    names = {user: name for name, _, user in named if name}
    written = defaultdict[str, list[str]](list)
    for part, question, answer in _list_answers(record):
        is_comment = part == "responses" and any(each in question.casefold() for each in COMMENTS)
        written[find_text(answer, "user_id")] += [str(answer["value"])] * is_comment
    return {
        user: {"judge": names.get(user, user), "comment": "\n".join(texts)}
        for user, texts in written.items()
    }


def _read_ranks(value: object, fields: Mapping[str, str]) -> dict[str, int]:
    if isinstance(value, dict) and all(isinstance(each, list) for each in value.values()):
        # `datasets` keeps a list of objects as an object of lists
        columns = zip(*value.values(), strict=False)
        value = [dict(zip(value, each, strict=False)) for each in columns]
    if not isinstance(value, list) or len(value) < 2:
        return {}
    ranks = {}
    for place, each in enumerate(value, start=1):
        ranked = each if isinstance(each, dict) else {"value": each}
        ranks[str(ranked.get("value"))] = as_whole(ranked.get("rank") or place, "the rank")
    known = [name for name in fields if name in ranks]
    return {name: ranks[name] for name in known} if set(ranks) <= {*fields} else {}


def _is_records(source: Source) -> bool:
    columns = set(source.columns)
    flattened = any(name.endswith(f"{RESPONSES}.users") for name in columns)
    is_first = EXTERNAL in columns and any(name.endswith(SUGGESTED) for name in columns)
    return {"fields", "responses"} <= columns or flattened or is_first


ARGILLA = Layout(
    "argilla", "Argilla's records", {Records: _is_records}, fields=OF_PAIR,
    settings=("systems", "kind"),
)  # fmt: skip


# Readers of what annotators did in Potato with its pairwise schema, and of the pairs it shows.
# Layout: davidjurgens/potato, its page "Pairwise Comparison Annotation", and there
# potato/server_utils/schemas/pairwise.py and presentation_order.py; files as in example-
# projects/dialogue_analysis/annotation_output, and since Potato 2 as
# potato/user_state_management.py writes them.

TIMES = ("created_at", "behavioral_data.session_end", "behavioral_data.session_start")
SELECTED = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE, "": None}
LABELS = frozenset(("label_annotations", "labels"))
NAMES = ("systems", "models")
"""What a data file may call the list of its two systems."""
LISTED = frozenset(("text", "texts", "pair", "items"))
"""What a data file of pairs may call the list of its two texts."""


class PotatoPairs(PairReader):
    """A data file: an id, and a list of two texts; their systems are in `systems` or `models`, or
    are asked for. An item is known by its name, its context, or else the id.
    """

    def find_pair(self, cells: Cells) -> Entry:
        lists: Any = {name: value for name, value in cells.items() if _are_two(value)}
        systems = next((lists.pop(name) for name in NAMES if name in lists), ())
        data = cells
        if lists:
            texts = next(iter(lists.values()))
            data = {name: value for name, value in cells.items() if not _are_two(value)}
            data |= dict(zip(("text_a", "text_b"), texts, strict=True))
            data |= dict(zip(("system_a", "system_b"), systems, strict=False))
        pair = super().find_pair(data)
        if not (pair.get("item") or pair.get("context")):
            pair["item"] = read_name(cells, "id")
        return pair


class PotatoInstances(PotatoPairs):
    """An annotator's `user_state.json` or `annotated_instances.jsonl`, or `annotations.jsonl` of
    all: for each instance what was selected (A, B or tie), or a mark from -n (A) to n (B), by
    schema or dimension. Justifications are comments; `behavioral_data` tells when it was answered
    and how long that took.

    The annotator is the name of the folder. The texts are those of the data file near it: a row
    with the instance's id and a list of two texts, or two fields. A is the text shown first, which
    is the first of the data unless `behavioral_data` says that they were swapped.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.data = _load_data(source)
        folder = source.path.resolve().parent
        self.annotator = "" if is_scratch(folder) else unquote(folder.name)
        if "labels" in source.columns:
            source.tally.notes[
                "it does not say whether texts were swapped on the screen: A is taken for the "
                "data's first text"
            ] = None
        if not self.data:
            source.tally.notes[
                "no data file with the texts lies near it: the systems are called A and B"
            ] = None

    def is_answered(self, cells: Cells) -> bool:
        return True

    def read_votes(self, cells: Cells) -> Iterator[Entry]:
        instance = find_text(cells, "id", "instance_id")
        if not instance:
            raise ValueError("it has no id")
        labels = cells.get("label_annotations") or cells.get("labels") or {}
        if not isinstance(labels, dict):
            raise ValueError(f"its labels {str(labels)[:40]!r} are not by schema")
        if instance in self.data:
            pair = self.find_pair(self.data[instance])
        else:
            pair = self.name_systems({"item": instance}, ("A", "B"))
        answers = [(schema, each) for schema, given in labels.items()
                   for each in _read_answers(schema, given)]  # fmt: skip
        if not answers:
            raise ValueError(f"instance {instance!r} has no pairwise answer")
        lasted = find_number(cells, "behavioral_data.total_time_ms")
        pair |= {
            "judge": find_text(cells, "user_id") or self.annotator,
            "created_at": find_text(cells, *TIMES), "seconds": lasted / 1000 if lasted else None,
        }  # fmt: skip
        # Tandem's own export says these two.
        own = {name: text for name in ("raw", "failure") if (text := find_text(cells, name))}
        orders = find_object(cells, "behavioral_data.presentation_order")
        for schema, answer in answers:
            vote = {"sort": VOTE, **pair, **answer, **own}
            vote["attribute"] = pair.get("attribute") or answer["attribute"]
            # 1 before 0: the second text of the data was shown first.
            is_swapped = [*map(str, find_list(orders, schema))] == ["1", "0"]
            yield swap_sides(vote) if is_swapped else vote


def _load_data(source: Source) -> dict[str, Cells]:
    for table in tables_near(source.path, "id"):
        rows = {str(cells.get("id")): cells for cells in table if not LABELS & set(cells)}
        if any(_are_two(value) for cells in rows.values() for value in cells.values()):
            return rows
    return {}


def _are_two(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _read_answers(schema: str, given: object) -> Iterator[Entry]:
    if not isinstance(given, dict):
        return
    comment = {"comment": _read_justification(given.get("justification"))}
    for label, value in given.items():
        text = as_text(value) or ""
        usual = schema if label in ("scale_value", "selection") else label
        about = {"attribute": name_attribute(usual), **comment}
        if label == "scale_value":
            mark = as_number(value, label)
            yield {**about, "outcome": prefer_higher(0, mark), "strength": abs(mark), "raw": text}
        elif label != "justification" and text in SELECTED:
            yield {**about, "outcome": SELECTED[text], "failure": "" if text else NO_ANSWER}


def _read_justification(given: object) -> str:
    said = parse_json(given)
    if not isinstance(said, dict):
        return given if isinstance(given, str) else ""
    reasons = ", ".join(reason for reason in find_list(said, "reasons") if isinstance(reason, str))
    return ": ".join(filter(None, (reasons, find_text(said, "rationale"))))


def _is_pairs(source: Source) -> bool:
    columns = set(source.columns)
    listed = columns & LISTED
    if "id" not in columns or len(listed) != 1 or LABELS & columns:
        return False
    values = [cells.get(name) for cells in source.cells(20) for name in listed]
    fields = match_columns(source)
    is_table = {"system", "winner"} & set(fields) or fields.get("text_a", ".0")[-2:] != ".0"
    return bool(values) and all(map(_are_two, values)) and not is_table


POTATO = Layout(
    "potato", "Potato's pairwise annotations, or its pairs", {
        PotatoInstances: has_one_of(
            ("id", "label_annotations"), ("instance_id", "user_id", "labels")
        ),
        PotatoPairs: _is_pairs,
    }, fields=OF_PAIR, settings=("systems", "kind"), looks_around=True,
)  # fmt: skip
