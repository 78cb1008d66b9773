"""Reader of Argilla's records with a ranking or a label question about two or more texts.

Layout: argilla-io/argilla, argilla/src/argilla/records/_resource.py (to_dict) and _io/_generic.py
(flattened, as a data set of Hugging Face); of Argilla 1
src/argilla/client/feedback/integrations/huggingface/dataset.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import combinations, repeat
from typing import Any

from ...records import Kind
from ..cells import Cells, as_whole
from ..entry import VOTE, Entry
from ..layout import Layout, Source
from ..pairs_in_tools import OF_PAIR, PairReader, is_side, name_attribute, prefer_higher
from ..values import Object, find_list, find_object, find_text, parse_json
from ..winners import word

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
        """Yield the pairs that an answer compares, and what it says of them; none where its
        question is about something else.
        """
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
        """Two of the fields that were ranked, and what is known of them."""
        fields, metadata = record["fields"], record["metadata"]
        others = {name: text for name, text in fields.items() if name not in ranked}
        pair = self.describe({**metadata, **others})
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
    """user -> their name, where Tandem's own export has NAME=USER, and what they wrote."""
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
    """field -> rank, 1 the best; empty where the value is no ranking of fields."""
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
    return (
        {name: ranks[name] for name in fields if name in ranks} if set(ranks) <= {*fields} else {}
    )


def _is_records(source: Source) -> bool:
    columns = set(source.columns)
    flattened = any(name.endswith(f"{RESPONSES}.users") for name in columns)
    version_1 = EXTERNAL in columns and any(name.endswith(SUGGESTED) for name in columns)
    return {"fields", "responses"} <= columns or flattened or version_1


LAYOUT = Layout(
    "argilla", "Argilla's records", {Records: _is_records}, fields=OF_PAIR,
    settings=("systems", "kind"),
)  # fmt: skip
