"""Reader of REALSumm, which comes in SummEval's layout with one reference an article."""

from __future__ import annotations

from core.importing.cells import Cells, named
from core.importing.layout import Layout, Source, has
from core.importing.layouts.summeval import SummEval


class RealSumm(SummEval):
    """REALSumm in the same layout: its ids are numbers, and its one score is how much of a
    reference's content people found in the summary (litepyramid_recall).
    """

    rater = "human"

    def _key(self, cells: Cells) -> str:
        return named(cells, "id")


def _is_realsumm(source: Source) -> bool:
    return has("id", "text", "reference", "systems")(source) and "references" not in source.columns


LAYOUT = Layout(
    "realsumm",
    "REALSumm, one article a line",
    {RealSumm: _is_realsumm},
    ("article", "summary"),
)
