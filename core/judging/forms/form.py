"""Verdict forms: how a prompt asks for its verdict, how it is read, and what a server can keep.

A prompt declares its form, and a reply counts only where it states its verdict in it. What is not
in its form is unparsed: it is counted, shown, and can be asked again. A wrong guess never comes to
light.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...models.served import AnswerShape

ROOM = 1024
"""Tokens for a reply that may reason, or think, before it states its verdict."""


class UnparsedReplyError(Exception):
    """A reply states no verdict in its form; the message says why."""


@dataclass(frozen=True)
class Statement:
    """A verdict in a reply: the index of the label, or the score, and its span `start` to `end`.

    `core` is where the characters begin that distinguish this label from the others. `strength`
    says how much better the better text is, 0 to 1, where the form does.
    """

    verdict: float
    start: int
    end: int
    core: int
    strength: float | None = None

    @property
    def label(self) -> int:
        """The index of the label that is chosen."""
        return int(self.verdict)


@dataclass(frozen=True)
class VerdictForm:
    """A form in which a prompt has its verdict stated, on two texts or as the mark of one.

    `instruction` replaces {answer_form} in a prompt. `find` lists the statements of a reply without
    its thoughts, by the labels or the scale. It raises UnparsedReplyError where the form is broken.
    `max_tokens` is room enough for a reply. `has_token` tells whether the reply holds a
    label whose probability can be read. `shape` is the format that a server can be asked to keep
    to, by the label words or the scale.
    """

    name: str
    help: str
    instruction: str
    find: Callable[[str, Any], Sequence[Statement]]
    max_tokens: int = ROOM
    has_token: bool = True
    shape: Callable[[Any], AnswerShape] | None = None


def reasoned_shape(name: str, value: Mapping[str, object]) -> AnswerShape:
    """Return a JSON object with a reason and, behind it, the verdict or mark as `name`."""
    return AnswerShape(
        schema={
            "type": "object",
            "properties": {"reason": {"type": "string"}, name: value},
            "required": ["reason", name],
            "additionalProperties": False,
        }
    )


def reply_budget(
    form: VerdictForm, mode: str, chosen: int | None = None, *, served: bool = True
) -> int:
    """Return the most tokens of one reply: what was chosen, else what the form needs.

    A served model that writes may think before, so it has more room.
    """
    reads_token = mode in ("", "classifier", "g-eval")
    return chosen or (ROOM if served and not reads_token else form.max_tokens)


_MOST_OBJECTS = 50  # that are looked at in one reply


def find_objects(
    text: str, keys: Container[str]
) -> Iterator[tuple[dict[str, object] | None, int, int]]:
    """Yield the JSON objects of a text, their names in lower case, each with its beginning and end.

    Where one begins that is cut off, or not quite JSON, None and its beginning alone. Raises
    UnparsedReplyError where an object gives one of `keys` several values.
    """

    def build(pairs: list[tuple[str, object]]) -> dict[str, object]:
        given: dict[str, object] = {}
        for name, value in pairs:
            if given.setdefault(name.lower(), value) != value and name.lower() in keys:
                raise UnparsedReplyError(f"its JSON gives several values of {name[:20]!r}")
        return given

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=build)
    place = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if place < 0:
            return
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            yield None, place, place
            if re.compile(r"\{\s*\"").match(text, place):
                return  # what it holds is part of it
            place = text.find("{", place + 1)
            continue
        yield value, place, end
        place = text.find("{", end)
