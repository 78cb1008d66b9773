"""REALSumm: SummEval's layout with numbers for ids and one reference an article. Its one score is
how much of a reference's content people found in the summary (litepyramid_recall).
"""

from __future__ import annotations

from core.importing.layout import Layout, Source, has
from core.importing.layouts.summeval import read_articles
from core.importing.templates import need_name


def _is_realsumm(source: Source) -> bool:
    return has("id", "text", "reference", "systems")(source) and "references" not in source.columns


LAYOUT = Layout(
    "realsumm", "REALSumm, one article a line",
    {read_articles("human", need_name("id")): _is_realsumm}, ("article", "summary"),
)  # fmt: skip
