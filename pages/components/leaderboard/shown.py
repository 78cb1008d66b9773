"""Which systems of many are in sight: the best, those that are looked for, or all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

MOST = 15  # systems that fit a screen
WIDEST = 420  # pixels


def shown_systems(names: Sequence[str]) -> list[str]:
    """The systems in sight, in the order of the names (best first); all of them where they are
    few.
    """
    if len(names) <= MOST:
        return list(names)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    others = row.multiselect(
        "Find a system",
        names[MOST:],
        placeholder=f"beside the best {MOST}",
        width=WIDEST,
        key="found systems",
    )
    if row.toggle(f"Show all {len(names)} systems", key="all systems"):
        return list(names)
    return [name for place, name in enumerate(names) if place < MOST or name in others]
