"""Reader of Argilla's records with a ranking or a label question about two or more texts.

Layout: argilla-io/argilla, argilla/src/argilla/records/_resource.py (to_dict) and _io/_generic.py
(flattened, as a data set of Hugging Face); of Argilla 1
src/argilla/client/feedback/integrations/huggingface/dataset.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from core.importing.cells import Cells, as_whole
from core.importing.entry import VOTE, Entry
from core.importing.layout import Layout, Reader, Source
from core.importing.pairs_in_tools import (
    OF_PAIR,
    PairFields,
    all_rows,
    give_texts,
    prefer_higher,
)
from core.importing.values import Object, find_list, find_object, find_text, parse_json
from core.importing.winners import NO_ANSWER, meaning_of, word
from core.records import Kind

USUAL = frozenset(("ranking", "preference", "label", "choice", "comparison", "chosen"))
"""Names of a question that ask for nothing in particular."""
COMMENTS = ("comment", "reason", "rationale", "why")
"""What is in the name of a question whose answers are comments."""
RESPONSES, SUGGESTION = ".responses", ".suggestion"
EXTERNAL, SUGGESTED = "external_id", "-suggestion"
PARTS = ("fields", "metadata", "responses", "suggestions")
MODELS = ("{}_model", "{}-model", "model_{}", "{}_system")
Parts = Mapping[str, Any]  # of a record: PARTS


class Records(Reader):
    """`fields` (the texts, and the prompt), `metadata`, and `responses`: for each question those of
    every user, `value` and `user_id`. A ranking orders the fields, the best first, and is a vote on
    each two of them; a label names one of them, a tie, or both bad. Of a text question the answers
    are comments. A suggestion is a vote of its `agent`.

    Nothing says in what order the texts were shown, nor when.
    """

    def __init__(self, source: Source) -> None:
        self.kind, self.pairs = source.kind, PairFields(source)
        records = map(nest_record, all_rows(source))
        self.pairs.ask_systems(records, self.is_answered, self.find_pair)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        record = nest_record(cells)
        votes = list(self._read_votes(record))
        yield from votes or give_texts(self.find_pair(record))

    @staticmethod
    def is_answered(record: Parts) -> bool:
        return any(
            True for part in ("responses", "suggestions") for _ in _list_answers(record[part])
        )

    def find_pair(self, record: Parts) -> Entry:
        return self.pairs.find_pair({**record["metadata"], **record["fields"]})

    def _read_votes(self, record: Parts) -> Iterator[Entry]:
        for question, response, judge in self._list_judged(record):
            usual = "" if question.casefold() in USUAL else question
            failure = "discarded" if response.get("status") == "discarded" else ""
            for vote in self._compare(record, question, response["value"]):
                attribute = vote.get("attribute") or usual
                raw = str(vote.get("winner") or vote["outcome"]) if failure else ""
                about = {"attribute": attribute, "failure": failure, "raw": raw}
                yield {"sort": VOTE, **vote, **judge, **about, "order_known": False}

    def _list_judged(self, record: Parts) -> Iterator[tuple[str, Object, Entry]]:
        """Each question and answer, with who gave it and what they wrote."""
        comments, names = _join_comments(record["responses"]), _name_users(record["metadata"])
        for question, response in _list_answers(record["responses"]):
            user = find_text(response, "user_id")
            judge = {"judge": names.get(user, user), "judge_kind": self.kind.value}
            yield question, response, {**judge, "comment": comments.get(user, "")}
        for question, response in _list_answers(record["suggestions"]):
            agent = find_text(response, "agent") or "suggestion"
            judge = {"judge": agent, "judge_kind": Kind.LLM.value}
            yield question, response, {**judge, "comment": ""}

    def _compare(self, record: Parts, question: str, value: object) -> Iterator[Entry]:
        """The pairs that an answer compares, and what it says of them; none where its question is
        about something else.
        """
        if ranks := _read_ranks(value, list(record["fields"])):
            for places in combinations(ranks, 2):
                first, second = (ranks[place] for place in places)
                outcome = prefer_higher(second, first)  # 1 is the best rank
                yield {**self._find_ranked(record, ranks, places), "outcome": outcome}
        elif isinstance(value, str):
            with suppress(ValueError):  # where the record says nothing else, why it is skipped
                pair = self.find_pair(record)
                if _is_winner(value, pair):
                    yield {**pair, "winner": value, "field": question}

    def _find_ranked(
        self, record: Parts, ranks: Mapping[str, int], places: tuple[str, str]
    ) -> Entry:
        """Two of the fields that were ranked, and what is known of them."""
        fields, metadata = record["fields"], record["metadata"]
        others = {name: text for name, text in fields.items() if name not in ranks}
        pair = self.pairs.describe({**metadata, **others})
        systems = [_find_model(place, metadata) for place in places]
        for side, place, system in zip("ab", places, systems, strict=True):
            pair[f"text_{side}"] = fields[place]
            if all(systems) or len(ranks) > 2:
                pair[f"system_{side}"] = system if all(systems) else ""
        return self.pairs.name_systems(pair, places)


def _is_winner(label: str, pair: Entry) -> bool:
    """Whether a label is a word for a side or names a system: else nothing was compared."""
    said = meaning_of(label)
    is_side = said is not None and said.outcome != NO_ANSWER
    return is_side or word(label) in {word(str(pair[f"system_{side}"])) for side in "ab"}


def nest_record(cells: Cells) -> dict[str, Any]:
    """A record in its parts; of a flattened one they are put together. A part that is no object
    says nothing.
    """
    if isinstance(cells.get("fields"), dict):
        return {name: find_object(cells, name) for name in PARTS}
    if EXTERNAL in cells:
        return _nest_version_1(cells)
    record: dict[str, Any] = {name: {} for name in PARTS}
    for name, value in cells.items():
        if name.endswith(RESPONSES) and isinstance(value, list):
            users, states = (
                find_list(cells, f"{name}.{what}") or [None] * len(value)
                for what in ("users", "status")
            )
            record["responses"][name.removesuffix(RESPONSES)] = [
                {"value": given, "user_id": user, "status": status}
                for given, user, status in zip(value, users, states, strict=False)
            ]
        elif name.endswith(SUGGESTION):
            suggestion = {"value": value, "agent": cells.get(f"{name}.agent")}
            record["suggestions"][name.removesuffix(SUGGESTION)] = suggestion
        elif "." not in name and isinstance(value, str):
            record["fields"][name] = value
    return record


def _nest_version_1(cells: Cells) -> dict[str, Any]:
    """A record as Argilla 1 put it on the hub: a column for each field and question."""
    record: dict[str, Any] = {name: {} for name in PARTS}
    metadata = parse_json(cells.get("metadata"))
    record["metadata"] = metadata if isinstance(metadata, dict) else {}
    for name, value in cells.items():
        question = name.removesuffix(SUGGESTED)
        if f"{name}{SUGGESTED}" in cells:
            record["responses"][name] = value or []
        elif question != name:
            agent = find_object(cells, f"{name}-metadata").get("agent")
            record["suggestions"][question] = {"value": value, "agent": agent}
        elif isinstance(value, str) and name not in (EXTERNAL, "metadata"):
            record["fields"][name] = value
    return record


def _name_users(metadata: Object) -> dict[str, str]:
    """user -> name, of NAME=USER in Tandem's own export."""
    pairs = [str(each).rpartition("=") for each in find_list(metadata, "annotators")]
    return {user: name for name, _, user in pairs if name}


def _find_model(field: str, metadata: Object) -> str:
    """Whose text a field holds, where a name in the metadata says so."""
    called = (pattern.format(field) for pattern in MODELS)
    return next((str(metadata[name]) for name in called if metadata.get(name)), "")


def _list_answers(part: Object) -> Iterator[tuple[str, Object]]:
    """Each question with each of its answers."""
    for question, given in part.items():
        for answer in given if isinstance(given, list) else [given]:
            if isinstance(answer, dict) and answer.get("value") is not None:
                yield question, answer


def _join_comments(responses: Object) -> dict[str, str]:
    """user -> what they wrote."""
    written = defaultdict[str, list[str]](list)
    for question, response in _list_answers(responses):
        if any(part in question.casefold() for part in COMMENTS):
            written[str(response.get("user_id"))].append(str(response["value"]))
    return {user: "\n".join(texts) for user, texts in written.items()}


def _read_ranks(value: object, fields: Sequence[str]) -> dict[str, int]:
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
    if not set(ranks) <= set(fields):
        return {}
    return {field: ranks[field] for field in fields if field in ranks}


def _is_records(source: Source) -> bool:
    columns = set(source.columns)
    flattened = any(name.endswith(f"{RESPONSES}.users") for name in columns)
    version_1 = EXTERNAL in columns and any(name.endswith(SUGGESTED) for name in columns)
    return {"fields", "responses"} <= columns or flattened or version_1


LAYOUT = Layout(
    "argilla",
    "Argilla's records",
    {Records: _is_records},
    fields=OF_PAIR,
    settings=("systems", "kind"),
)
