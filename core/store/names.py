"""Names put in for codes: at a million rows numbers come out of SQLite, and names afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def decode_names(
    rows: Sequence[tuple[Any, ...]], codes: NDArray[np.int64], column: int = 1
) -> pd.Series:
    """Return the texts of codes; `rows` have a code first, in rising order."""
    place = np.searchsorted([row[0] for row in rows], codes)
    return pd.Series([row[column] for row in rows], dtype="str").take(place).reset_index(drop=True)
