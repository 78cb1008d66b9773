"""A judge that is tried before its run, in a process of its own, which draws nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.judging import ServerList, make
from core.models import Options
from core.prices import Prices
from core.runs import preview
from core.store import Store


def try_judge(
    store: Store, request: preview.JudgingRequest, judge: str, options: Options
) -> dict[str, Any]:
    """Return the document of a trial. The judge of this SPEC asks listed servers alone."""
    by = make(judge, replace(options, permit=ServerList(store.path).permit))
    prices = Prices.from_execution(options.execution)
    return preview.trial(store, by, request, prices).document()
