"""Figures of tables as text, with their intervals."""

from __future__ import annotations

import pandas as pd


def shares(rows: pd.DataFrame, value: str, low: str = "", high: str = "") -> pd.Series:
    """A share with its interval, "72% (68 to 76)"; a dash where there is none."""
    ends = rows[[low, high]] if low else pd.DataFrame(index=rows.index, columns=["low", "high"])
    return pd.Series(
        [
            "–" if pd.isna(share)
            else f"{share:.0%}" if pd.isna(least) or least >= most
            else f"{share:.0%} ({100 * least:.0f} to {100 * most:.0f})"
            for share, least, most in zip(rows[value], *(ends[name] for name in ends), strict=True)
        ],
        index=rows.index,
        dtype=object,
    )  # fmt: skip
