"""What an answer must look like, for servers that can keep a model to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AnswerShape:
    """A JSON schema, the only words to choose from, or a grammar (GBNF)."""

    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    grammar: str = ""
