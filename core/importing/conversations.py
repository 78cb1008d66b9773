"""Conversations as chat models and their tools have them: a list of turns, each with its role and
content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.importing.cells import as_text

Turn = Mapping[str, object]

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
