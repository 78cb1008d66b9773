"""Conversations as chat models and their tools have them: a list of turns, each with its role and
content.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.importing.cells import UNSTORABLE, Cells, as_text

if TYPE_CHECKING:
    from core.importing.source import Source

Turn = Mapping[str, object]

BROKEN = "\ufffd"  # stands for what no store can hold
MOST_KNOWN = 64  # files whose columns of turns are remembered
_KNOWN: dict[tuple[Any, ...], frozenset[str]] = {}

CALLED = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def conversation(cell: object) -> tuple[str, str]:
    """What the user said, and what the model did, with all turns of each as one text. Raises
    ValueError for a cell that is no such list.
    """
    said = {"user": list[str](), "assistant": list[str]()}
    for turn in turns(cell):
        if turn.get("role") in said:
            said[str(turn["role"])].append(content(turn))
    return joined(said["user"]), joined(said["assistant"])


def turns(cell: object) -> list[Turn]:
    """A cell as a list of turns. Raises ValueError where it is none."""
    if not isinstance(cell, list) or not all(isinstance(turn, dict) for turn in cell):
        raise ValueError(f"{str(cell)[:40]!r} is not a list of turns with role and content")
    return cell


def find_columns_of_turns(source: Source, columns: Sequence[str]) -> frozenset[str]:
    """Those of the columns whose cells are lists of turns written as JSON, in all rows: a list of
    messages, or of texts, of which null is one that is not available.
    """
    path = source.path
    changed = path.stat() if columns and path.exists() else None
    if changed is None:
        return frozenset()
    key = path, source.encoding, source.sheet, tuple(columns), changed.st_mtime_ns, changed.st_size
    if key not in _KNOWN:
        while len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.pop(next(iter(_KNOWN)))
        _KNOWN[key] = _look_for_turns(source.cells(), columns)
    return _KNOWN[key]


def _look_for_turns(rows: Iterable[Cells], columns: Sequence[str]) -> frozenset[str]:
    left, seen = set(columns), set[str]()
    for cells in rows:
        for column in tuple(left):
            cell = cells.get(column)
            if cell is None or cell == "":
                continue
            if not (isinstance(cell, str) and _parse_turns(cell)):
                left.discard(column)
            seen.add(column)
        if not left:
            break
    return frozenset(left & seen)


def _parse_turns(cell: str) -> list[object] | None:
    """A list of turns that is written as JSON; None for any other text."""
    if not cell.lstrip().startswith("["):
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    texts = all(turn is None or isinstance(turn, str) for turn in found)
    return found if texts or all(map(_is_message, found)) else None


def _is_message(turn: object) -> bool:
    return isinstance(turn, dict) and "role" in turn and "content" in turn


def read_turns(cell: object) -> str | None:
    """A list of messages or texts, or one written as JSON, as one text; None where a turn is not
    available. Raises ValueError for what is none.
    """
    every = _parse_turns(cell) if isinstance(cell, str) else cell
    if not isinstance(every, list):
        raise ValueError(f"{str(cell)[:40]!r} is not a list of turns")
    if every and all(map(_is_message, every)):
        text = transcript(every)
    elif None in every:
        return None
    elif all(isinstance(turn, str) for turn in every):
        text = joined([str(turn) for turn in every])
    else:
        raise ValueError(f"{str(cell)[:40]!r} is not a text")
    return UNSTORABLE.sub(BROKEN, text)  # half of a sign does not cost a vote


def transcript(cell: object) -> str:
    """A text, or a list of turns as one text: a lone turn as it is, several with their roles.
    Raises ValueError for what is neither.
    """
    if not isinstance(cell, list):
        return as_text(cell) or ""
    every = turns(cell)
    if len(every) == 1:
        return content(every[0])
    return "\n\n".join(f"{_role(turn)}: {content(turn)}" for turn in every)


def joined(texts: Sequence[str]) -> str:
    """All turns of a conversation as one text."""
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[Turn {n}]\n{turn}" for n, turn in enumerate(texts, start=1))


def under_system_prompt(system: object, prompt: str) -> str:
    """A prompt below the system prompt, where there is one."""
    text = as_text(system) or ""
    return f"System: {text}\n\nUser: {prompt}" if text.strip() else prompt


def content(turn: Turn) -> str:
    """A turn's text, which newer files hold in parts."""
    given = turn.get("content")
    if isinstance(given, list):
        parts = [part.get("text") for part in given if isinstance(part, dict)]
        return "\n\n".join(str(part) for part in parts if part)
    return as_text(given) or ""


def _role(turn: Turn) -> str:
    role = str(turn.get("role") or "")
    return CALLED.get(role, role.capitalize())
