"""Pages that are drawn without a browser wait until their figures are counted."""

from __future__ import annotations

import pytest

from pages.components.shared import cached_report, counting


def wait_for_figures(patch: pytest.MonkeyPatch) -> None:
    """Let a page wait for as long as it takes, and count anew what has changed at each look."""
    patch.setattr(cached_report, "PATIENCE", 600.0)
    patch.setattr(cached_report, "REST", 0)
    patch.setattr(counting, "NICE", 0)
