"""Linear algebra on one core, where several would only wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def use_one_core() -> AbstractContextManager[object]:
    """Everything inside multiplies and solves small matrices on one core."""
    return _find_libraries().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _find_libraries() -> ThreadpoolController:
    """Find the thread pools of numpy and scipy. The search takes as long as many a fit."""
    return ThreadpoolController()
