"""Figures of tables as text, with their intervals."""

from __future__ import annotations

import pandas as pd


def shares(rows: pd.DataFrame, value: str, low: str = "", high: str = "") -> pd.Series:
    """A share with its interval, "72% (68 to 76)"; a dash where there is none."""
    ends = rows[[low, high]] if low else pd.DataFrame(index=rows.index, columns=["low", "high"])
    return pd.Series(
        [
            "–" if pd.isna(share) else _share(share, least, most)
            for share, least, most in zip(rows[value], *(ends[name] for name in ends), strict=True)
        ],
        index=rows.index,
        dtype=object,
    )  # fmt: skip


def _share(value: float, low: float, high: float) -> str:
    """With a digit more where the ends would else read alike."""
    if pd.isna(low) or low >= high:
        return f"{value:.0%}"
    digits = 0 if round(100 * low) < round(100 * high) else 1
    return f"{100 * value:.{digits}f}% ({100 * low:.{digits}f} to {100 * high:.{digits}f})"
