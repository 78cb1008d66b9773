"""Reports that pages compute once, and again only when what they are made of has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import streamlit as st

from core.store import Store

Request = TypeVar("Request")
Answer = TypeVar("Answer")

KEPT = 64  # answers a report keeps, over all stores and people


def cached_report(
    spinner: str | bool,
) -> Callable[[Callable[[Store, Request], Answer]], Callable[[Store, Request, str], Answer]]:
    """Keep what a function computes of a store, under a frozen request.

    The function gains an argument: a stamp, a text that changes whenever what it reads from the
    store does. `spinner` is the sentence that is shown while it computes.
    """

    def keep(
        compute: Callable[[Store, Request], Answer],
    ) -> Callable[[Store, Request, str], Answer]:
        def answer(_store: Store, path: Path, stamp: str, request: Request) -> Answer:
            return compute(_store, request)

        # Streamlit tells caches apart by these names: reports of one request must not share one.
        answer.__module__, answer.__qualname__ = compute.__module__, compute.__qualname__
        cached = st.cache_data(answer, max_entries=KEPT, show_spinner=spinner)

        def report(store: Store, request: Request, stamp: str) -> Answer:
            return cached(store, store.path, stamp, request)

        return report

    return keep
