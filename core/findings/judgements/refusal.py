"""A part of an answer that the data may refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...records import FaultError, TandemError

Answer = TypeVar("Answer")


def unless_refused(answer: Callable[[], Answer]) -> Answer | None:
    """Return None if there is too little data, or the question does not apply to it. Other errors
    are raised.
    """
    try:
        return answer()
    except FaultError:
        raise
    except TandemError:
        return None
