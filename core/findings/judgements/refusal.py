"""A part of an answer that the data may refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.records import FaultError, TandemError

Answer = TypeVar("Answer")


def unless_refused(answer: Callable[[], Answer]) -> Answer | None:
    """None where there is too little to answer, or the question makes no sense of it. What stands
    in the way of any answer is raised.
    """
    try:
        return answer()
    except FaultError:
        raise
    except TandemError:
        return None
