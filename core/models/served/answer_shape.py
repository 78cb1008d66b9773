"""The shape an answer must have, and how a server is asked to keep it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AnswerShape:
    """Required shape of an answer: JSON of a `schema`, one of the `choices`, or text of a
    `grammar` in llama.cpp's GBNF. A server is asked to keep the first of these that it can.
    """

    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    grammar: str = ""


@dataclass(frozen=True)
class ShapeOption:
    """One way to ask for a shape: the options of the body for it, or None where the shape says
    nothing that could be asked for so. `kept_by` is what the answer says of it.
    """

    kept_by: str
    body: Callable[[AnswerShape], dict[str, Any] | None]


def _json_schema(shape: AnswerShape) -> dict[str, Any] | None:
    if shape.schema is None:
        return None
    schema = {"name": "answer", "strict": True, "schema": dict(shape.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _tgi_schema(shape: AnswerShape) -> dict[str, Any] | None:
    if shape.schema is None:
        return None
    return {"response_format": {"type": "json_object", "value": dict(shape.schema)}}


def _vllm(name: str, value: Any) -> dict[str, Any] | None:
    return {"structured_outputs": {name: value}} if value else None


def _regex_of(choices: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, choices))


def _gbnf_of(choices: tuple[str, ...]) -> str:
    def literal(text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'

    return "root ::= " + " | ".join(map(literal, choices))


SHAPE_OPTIONS: Mapping[str, ShapeOption] = {
    "json_schema": ShapeOption("json_schema", _json_schema),
    "tgi-schema": ShapeOption("json_schema", _tgi_schema),
    "vllm-choice": ShapeOption("choice", lambda shape: _vllm("choice", list(shape.choices))),
    "sglang-choice": ShapeOption(
        "choice", lambda shape: {"regex": _regex_of(shape.choices)} if shape.choices else None
    ),
    "tgi-choice": ShapeOption(
        "choice",
        lambda shape: (
            {"response_format": {"type": "regex", "value": _regex_of(shape.choices)}}
            if shape.choices
            else None
        ),
    ),
    "llamacpp-choice": ShapeOption(
        "choice", lambda shape: {"grammar": _gbnf_of(shape.choices)} if shape.choices else None
    ),
    "vllm-grammar": ShapeOption("grammar", lambda shape: _vllm("grammar", shape.grammar)),
    "sglang-grammar": ShapeOption(
        "grammar", lambda shape: {"ebnf": shape.grammar} if shape.grammar else None
    ),
    "llamacpp-grammar": ShapeOption(
        "grammar", lambda shape: {"grammar": shape.grammar} if shape.grammar else None
    ),
}
"""Ways to ask for a shape, by the name with which a provider's row says that it takes them."""


def shape_requests(
    shape: AnswerShape, names: tuple[str, ...]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the ways among `names` to ask for a shape: name, what keeps it, options."""
    for name in names:
        option = SHAPE_OPTIONS[name]
        body = option.body(shape)
        if body is not None:
            yield name, option.kept_by, body
