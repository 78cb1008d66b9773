"""Conversations as chat models and their tools have them: a list of turns, each with its role and
content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .cells import UNSTORABLE, as_text
from .values import parse_json

if TYPE_CHECKING:
    from .source import Source

Turn = Mapping[str, object]

BROKEN = "\ufffd"  # stands for what no store can hold


def conversation(cell: object) -> tuple[str, str]:
    """Return the user's turns and the model's turns, each joined to one text. Raises ValueError if
    the cell is no list of turns.
    """
    said = {"user": list[str](), "assistant": list[str]()}
    for turn in turns(cell):
        if turn.get("role") in said:
            said[str(turn["role"])].append(content(turn))
    return join_turns(said["user"]), join_turns(said["assistant"])


def turns(cell: object) -> list[Turn]:
    """Return a cell as a list of turns, or one in JSON. Raises ValueError for anything else."""
    cell = parse_json(cell) if isinstance(cell, str) else cell
    if not isinstance(cell, list) or not all(isinstance(turn, dict) for turn in cell):
        raise ValueError(f"{str(cell)[:40]!r} is not a list of turns with role and content")
    return cell


def find_columns_of_turns(source: Source, columns: Sequence[str]) -> frozenset[str]:
    """Find the columns whose cells are lists of turns written as JSON, in all rows. A list holds
    messages or texts; null is a text that is not available.
    """
    return frozenset(source.find_columns((column, _parse_turns) for column in columns))


def _parse_turns(cell: object) -> list[Any] | None:
    found = parse_json(cell) if isinstance(cell, str) and cell.lstrip().startswith("[") else None
    if found is None:
        return None
    texts = all(turn is None or isinstance(turn, str) for turn in found)
    return found if texts or all(map(is_message, found)) else None


def is_message(turn: object) -> bool:
    """Return whether a turn is a dictionary with a role and a content."""
    return isinstance(turn, dict) and "role" in turn and "content" in turn


def read_turns(cell: object) -> str | None:
    """Return a list of messages or texts, or one written as JSON, as one text.

    Returns None where a turn is not available. Raises ValueError for a cell of another kind.
    """
    every = cell if isinstance(cell, list) else _parse_turns(cell)
    if every is None:
        raise ValueError(f"{str(cell)[:40]!r} is not a list of turns")
    if every and all(map(is_message, every)):
        text = transcript(every)
    elif None in every:
        return None
    elif all(isinstance(turn, str) for turn in every):
        text = join_turns([str(turn) for turn in every])
    else:
        raise ValueError(f"{str(cell)[:40]!r} is not a text")
    return UNSTORABLE.sub(BROKEN, text)  # half of a sign does not cost a vote


def transcript(cell: object) -> str:
    """Return a text, or a list of turns as one text: a lone turn as it is, several with their
    roles. Raises ValueError for what is neither.
    """
    if not isinstance(cell, list):
        return as_text(cell) or ""
    every = turns(cell)
    if len(every) == 1:
        return content(every[0])
    said = ((str(turn.get("role") or "").capitalize(), content(turn)) for turn in every)
    return "\n\n".join(f"{role}: {text}" for role, text in said)


def join_turns(texts: Sequence[str]) -> str:
    """Return all turns of a conversation as one text."""
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[Turn {n}]\n{turn}" for n, turn in enumerate(texts, start=1))


_ROLES = "system|user|human|assistant|ai|model|gpt|bot|chatgpt|tool|function|developer"
_SPOKEN = re.compile(
    rf"(?:\A\s*+|\n[^\S\n]*+\n)({_ROLES}|\[turn \d+\])(?::[ \t]*|(?<=\])\n)", re.IGNORECASE
)
LONGEST_CONVERSATION = 2_000_000  # characters


def split_turns(text: str) -> list[tuple[str, str]]:
    """Return the turns of a text that is a conversation, each a (role, content); none of another
    text.

    It is what `transcript` and `join_turns` write, what hh-rlhf has, or turns in JSON: a list, or a
    document with one in `messages` or `conversations`, of roles and contents as OpenAI and ShareGPT
    name them.
    """
    if len(text) > LONGEST_CONVERSATION:
        return []
    if text.lstrip()[:1] in ("[", "{") and (found := _split_json(text)):
        return found
    parts = _SPOKEN.split(text)
    if len(parts) < 5 or parts[0].strip():  # one turn is no conversation
        return []
    roles = [role.strip("[]").capitalize() for role in parts[1::2]]
    return list(zip(roles, (part.strip("\n") for part in parts[2::2]), strict=True))


def _split_json(text: str) -> list[tuple[str, str]]:
    found = parse_json(text)
    if isinstance(found, dict):
        found = found.get("messages", found.get("conversations"))
    if not isinstance(found, list) or not found:
        return []
    split = []
    for turn in found:
        role = turn.get("role", turn.get("from")) if isinstance(turn, dict) else None
        if not isinstance(role, str) or not ("content" in turn or "value" in turn):
            return []
        said = content({"content": turn.get("content", turn.get("value"))})
        split.append((role.capitalize(), said))
    return split


def content(turn: Turn) -> str:
    """Return a turn's text, which newer files hold in parts."""
    given = turn.get("content")
    if isinstance(given, list):
        parts = [part.get("text") for part in given if isinstance(part, dict)]
        return "\n\n".join(str(part) for part in parts if part)
    return as_text(given) or ""
