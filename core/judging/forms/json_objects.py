"""JSON objects in a reply, fenced or among other text."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator

from .form import UnparsedReplyError

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
