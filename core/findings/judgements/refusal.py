"""A part of an answer that the data may refuse."""

from __future__ import annotations

from collections.abc import Callable

from core.findings.judgements.finding import Finding
from core.records import FaultError, TandemError


def unless_refused(answer: Callable[[], Finding]) -> Finding | None:
    """None where there is too little to answer, or the question makes no sense of it. What stands
    in the way of any answer is raised.
    """
    try:
        return answer()
    except FaultError:
        raise
    except TandemError:
        return None
