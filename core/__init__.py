"""Tandem's engine: the store, the judges and the statistics. Nothing here knows about the pages.

This is also the face for notebooks: `from core import Store, leaderboard`. Its names are looked up
in `core.notebook` when they are used, so that `import core` loads nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

# The store is kept safe by locks of files that Windows does not have.
if sys.platform == "win32":
    raise SystemExit(
        "Tandem runs on Linux and macOS. On Windows, run it in WSL: "
        "https://learn.microsoft.com/windows/wsl/install"
    )

__version__ = "0.1.0"

__all__ = [
    "BudgetSettings",
    "CalibrateSettings",
    "Codes",
    "CombineSettings",
    "Dataset",
    "Finding",
    "Kind",
    "PlanSettings",
    "RankSettings",
    "Reading",
    "ReplaceSettings",
    "Request",
    "Selection",
    "Settings",
    "Store",
    "TandemError",
    "accuracy",
    "agreement",
    "attacks",
    "bias",
    "budget",
    "calibration",
    "candidates",
    "chart",
    "combine",
    "consistency",
    "correlate",
    "correlation",
    "describe",
    "export",
    "import_files",
    "judge",
    "jury",
    "lead_over_time",
    "leaderboard",
    "load_sample",
    "plan",
    "promises",
    "rank_votes",
    "replacement",
    "report",
    "separability",
]

if TYPE_CHECKING:
    from core.notebook import (
        BudgetSettings,
        CalibrateSettings,
        Codes,
        CombineSettings,
        Dataset,
        Finding,
        Kind,
        PlanSettings,
        RankSettings,
        Reading,
        ReplaceSettings,
        Request,
        Selection,
        Settings,
        Store,
        TandemError,
        accuracy,
        agreement,
        attacks,
        bias,
        budget,
        calibration,
        candidates,
        chart,
        combine,
        consistency,
        correlate,
        correlation,
        describe,
        export,
        import_files,
        judge,
        jury,
        lead_over_time,
        leaderboard,
        load_sample,
        plan,
        promises,
        rank_votes,
        replacement,
        report,
        separability,
    )


def __getattr__(name: str) -> Any:
    """A name of the face, when it is used."""
    if name not in __all__:
        raise AttributeError(f"module 'core' has no attribute {name!r}")
    from core import notebook

    return getattr(notebook, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
