"""What tells of runs is drawn anew while one is at work, and never while none is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.runs import worker
from core.store import Store
from pages.components.shared.faults import fragment
from pages.components.shared.stores import reopen


def draw_while_at_work(store: Store, draw: Callable[[Store], None], *, every: float = 2.0) -> None:
    """Draw a part of the page; while any run waits or works, every so many seconds anew. When a run
    begins or ends the whole page is drawn: what else it says has changed, and nothing is drawn by
    itself once all have ended.
    """
    at_work = store.runs.unfinished()

    def drawn(path: Path) -> None:
        with reopen(path) as store:
            if store.runs.unfinished() != at_work:
                st.rerun()
            if at_work:
                worker.ensure(store.path)  # also where the one that was at it has died
            draw(store)

    fragment(drawn, every=every if at_work else None)(store.path)
