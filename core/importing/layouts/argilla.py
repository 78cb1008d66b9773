"""Reader of Argilla's records with a ranking or a label question about two or more texts.

Layout: argilla-io/argilla, argilla/src/argilla/records/_resource.py (to_dict) and _io/_generic.py
(flattened, as a data set of Hugging Face); of Argilla 1
src/argilla/client/feedback/integrations/huggingface/dataset.py.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from typing import Any

from core.importing.cells import Cells, as_text, as_whole, short
from core.importing.layout import Layout, Source
from core.importing.layouts.nested_votes import OF_PAIR, Flat, NestedVotes
from core.importing.winner_columns import (
    SharedNameError,
    UndecidedError,
    WinnerCell,
    WinnerColumn,
)
from core.importing.winners import NO_ANSWER, UncertainValueError
from core.records import Kind, Outcome, TandemError

USUAL = frozenset(("ranking", "preference", "label", "choice", "comparison", "chosen"))
"""Names of a question that ask for nothing in particular."""
RESPONSES, SUGGESTION = ".responses", ".suggestion"
EXTERNAL, SUGGESTED = "external_id", "-suggestion"
PARTS = ("fields", "metadata", "responses", "suggestions")
MODELS = ("{}_model", "{}-model", "model_{}", "{}_system")
Record = Mapping[str, Any]  # PARTS
Response = Mapping[str, Any]  # value, user_id, status


class Records(NestedVotes):
    """`fields` (the texts, and the prompt), `metadata`, and `responses`: for each question those of
    every user, `value` and `user_id`. A ranking orders the fields, the best first, and is a vote on
    each two of them; a label names one of them, a tie, or both bad. Of a text question the answers
    are comments. A suggestion is a vote of its `agent`.

    Nothing says in what order the texts were shown, nor when.
    """

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        record = _nested(cells)
        votes = [*self._of_users(record), *self._of_agents(record)]
        yield from votes or [self.pair({**record["metadata"], **record["fields"]})]

    def _of_users(self, record: Record) -> Iterator[Flat]:
        comments, names = _comments(record["responses"]), _names(record["metadata"])
        for question, response in _flat(record["responses"]):
            user = as_text(response.get("user_id")) or ""
            about = {"judge": names.get(user, user), "judge_kind": self.given.kind.value}
            for vote in self._votes(record, question, response):
                yield {**vote, **about, "comment": comments.get(user, "")}

    def _of_agents(self, record: Record) -> Iterator[Flat]:
        for question, response in _flat(record["suggestions"]):
            agent = as_text(response.get("agent")) or "suggestion"
            for vote in self._votes(record, question, response):
                yield {**vote, "judge": agent, "judge_kind": Kind.LLM.value}

    def _votes(self, record: Record, question: str, response: Response) -> Iterator[Flat]:
        """The votes in an answer to a question; none where the question compares nothing."""
        value, attribute = response.get("value"), "" if question.casefold() in USUAL else question
        for shared, winner in self._compared(record, question, value):
            vote = {
                **shared,
                "attribute": shared.get("attribute") or attribute,
                "order_known": 0,
                "winner": winner,
            }
            yield {**vote, "failure": "discarded"} if _is_discarded(response) else vote

    def _compared(
        self, record: Record, question: str, value: object
    ) -> Iterator[tuple[dict[str, Any], str]]:
        """What was compared, and who won."""
        if ranks := _ranks(value, list(record["fields"])):
            for places in combinations(ranks, 2):
                yield self._ranked(record, ranks, places), _better(*(ranks[n] for n in places))
            return
        with suppress(
            ValueError
        ):  # of a record that says nothing else, it is the reason to skip it
            shared = self.pair({**record["metadata"], **record["fields"]})
            if winner := self._labelled(question, value, shared):
                yield shared, winner

    def _ranked(
        self, record: Record, ranks: Mapping[str, int], places: tuple[str, str]
    ) -> dict[str, Any]:
        """Two of the fields that were ranked, and what is known of them."""
        fields, metadata = record["fields"], record["metadata"]
        about = {**metadata, **{name: fields[name] for name in fields if name not in ranks}}
        found = {name: about.get(column) for name, column in self._known(tuple(about)).items()}
        named = [_model_of(place, metadata) for place in places]
        if all(named):
            found |= dict(zip(("system_a", "system_b"), named, strict=True))
        elif len(ranks) > 2:
            found = {name: value for name, value in found.items() if "system" not in name}
        found |= dict(zip(("text_a", "text_b"), (fields[place] for place in places), strict=True))
        return self.named(found, places)

    def _known(self, names: tuple[str, ...]) -> Mapping[str, str]:
        """What other fields say of a pair, by what they are called."""
        if names not in self._matched:
            self._matched[names] = self._fields_of(names)
        fields = self._matched[names]
        return {name: fields[name] for name in OF_PAIR if name in fields and "text" not in name}

    def _labelled(self, question: str, value: object, shared: Mapping[str, Any]) -> str:
        """What a label says of the two; '' where it is no word for that."""
        if not isinstance(value, str):
            return ""
        if question not in self.winners:
            cells = partial(self._labels, question)
            self.winners[question] = WinnerColumn(self.given.codes, self.words, cells)
        try:
            meant = self.winners[question].outcome(_label(value, shared))
        except (UncertainValueError, SharedNameError):
            return ""
        except UndecidedError as error:
            raise TandemError(
                f"{self.given.path.name}: whether {', '.join(map(short, error.values[:8]))} in "
                f"question {short(question)} mean systems or sides is not certain; call the "
                "systems otherwise in the metadata"
            ) from None
        return "" if meant is None or meant == NO_ANSWER else str(Outcome(meant))

    def _labels(self, question: str) -> Iterator[WinnerCell]:
        """All answers to a question that compare two systems."""
        for cells in self.rows():
            record = _nested(cells)
            for part in ("responses", "suggestions"):
                for asked, response in _flat(record[part]):
                    if asked == question and isinstance(response["value"], str):
                        with suppress(ValueError):
                            shared = self.pair({**record["metadata"], **record["fields"]})
                            yield _label(response["value"], shared)


def _label(value: str, shared: Mapping[str, Any]) -> WinnerCell:
    return WinnerCell(value, (str(shared["system_a"]), str(shared["system_b"])))


def _nested(cells: Cells) -> dict[str, Any]:
    """A record in its parts; of a flattened one they are put together."""
    if isinstance(cells.get("fields"), dict):
        return {name: _object(cells.get(name)) for name in PARTS}
    if EXTERNAL in cells:
        return _of_version_1(cells)
    record: dict[str, Any] = {name: {} for name in PARTS}
    for name, value in cells.items():
        if name.endswith(RESPONSES) and isinstance(value, list):
            question = name.removesuffix(RESPONSES)
            users, states = (
                _listed(cells.get(f"{name}.{what}"), len(value)) for what in ("users", "status")
            )
            record["responses"][question] = [
                {"value": given, "user_id": user, "status": status}
                for given, user, status in zip(value, users, states, strict=False)
            ]
        elif name.endswith(SUGGESTION):
            agent = cells.get(f"{name}.agent")
            record["suggestions"][name.removesuffix(SUGGESTION)] = {"value": value, "agent": agent}
        elif "." not in name and isinstance(value, str):
            record["fields"][name] = value
    return record


def _object(value: object) -> dict[str, Any]:
    """A part of a record; one that is not written as an object says nothing."""
    return value if isinstance(value, dict) else {}


def _listed(value: object, length: int) -> list[Any]:
    """What is said of each of so many answers, if it is."""
    return value if isinstance(value, list) and value else [None] * length


def _of_version_1(cells: Cells) -> dict[str, Any]:
    """A record as Argilla 1 put it on the hub: a column for each field and question."""
    record: dict[str, Any] = {name: {} for name in PARTS}
    metadata = cells.get("metadata")
    with suppress(json.JSONDecodeError, RecursionError):
        record["metadata"] = _object(json.loads(metadata) if isinstance(metadata, str) else {})
    for name, value in cells.items():
        question = name.removesuffix(SUGGESTED)
        if f"{name}{SUGGESTED}" in cells:
            record["responses"][name] = value or []
        elif question != name:
            about = cells.get(f"{name}-metadata")
            agent = about.get("agent") if isinstance(about, dict) else None
            record["suggestions"][question] = {"value": value, "agent": agent}
        elif isinstance(value, str) and name not in (EXTERNAL, "metadata"):
            record["fields"][name] = value
    return record


def _names(metadata: Mapping[str, Any]) -> dict[str, str]:
    """user -> name, of NAME=USER in Tandem's own export."""
    listed = metadata.get("annotators")
    pairs = [str(each).rpartition("=") for each in listed] if isinstance(listed, list) else []
    return {user: name for name, _, user in pairs if name}


def _is_discarded(response: Response) -> bool:
    return response.get("status") == "discarded"


def _model_of(field: str, metadata: Mapping[str, Any]) -> str:
    """Whose text a field holds, where a name in the metadata says so."""
    called = (pattern.format(field) for pattern in MODELS)
    return next((str(metadata[name]) for name in called if metadata.get(name)), "")


def _flat(parts: Mapping[str, Any]) -> Iterator[tuple[str, Response]]:
    for question, given in parts.items():
        for response in given if isinstance(given, list) else [given]:
            if isinstance(response, dict) and response.get("value") is not None:
                yield question, response


def _comments(responses: Mapping[str, Any]) -> dict[str, str]:
    """user -> what they wrote."""
    written = defaultdict[str, list[str]](list)
    for question, response in _flat(responses):
        if any(part in question.casefold() for part in ("comment", "reason", "rationale", "why")):
            written[str(response.get("user_id"))].append(str(response["value"]))
    return {user: "\n".join(texts) for user, texts in written.items()}


def _ranks(value: object, fields: Sequence[str]) -> dict[str, int]:
    """field -> rank, 1 the best; empty where the value is no ranking of fields."""
    if isinstance(value, dict) and all(isinstance(each, list) for each in value.values()):
        # `datasets` keeps a list of objects as an object of lists
        value = [
            dict(zip(value, each, strict=False)) for each in zip(*value.values(), strict=False)
        ]
    if not isinstance(value, list) or len(value) < 2:
        return {}
    ranks = {
        str(each.get("value") if isinstance(each, dict) else each): (
            as_whole(each.get("rank") or place, "the rank") if isinstance(each, dict) else place
        )
        for place, each in enumerate(value, start=1)
    }
    if not set(ranks) <= set(fields):
        return {}
    return {field: ranks[field] for field in fields if field in ranks}


def _better(first: int, second: int) -> str:
    return "tie" if first == second else "a" if first < second else "b"


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
