"""Conversations as the Chatbot Arena has them: a list of turns, each with its role and content."""

from __future__ import annotations

from core.importing.cells import as_text


def conversation(cell: object) -> tuple[str, str]:
    """What the user said, and what the model did, with all turns of each as one text. Raises
    ValueError for a cell that is no such list.
    """
    if not isinstance(cell, list) or not all(isinstance(turn, dict) for turn in cell):
        raise ValueError(f"{str(cell)[:40]!r} is not a list of turns with role and content")
    said = {"user": list[str](), "assistant": list[str]()}
    for turn in cell:
        if turn.get("role") in said:
            said[turn["role"]].append(_content(turn.get("content")))
    return joined(said["user"]), joined(said["assistant"])


def joined(turns: list[str]) -> str:
    """All turns of a conversation as one text."""
    if len(turns) == 1:
        return turns[0]
    return "\n\n".join(f"[Turn {n}]\n{turn}" for n, turn in enumerate(turns, start=1))


def _content(content: object) -> str:
    """A turn's text, which newer files hold in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n\n".join(str(part) for part in parts if part)
    return as_text(content) or ""
