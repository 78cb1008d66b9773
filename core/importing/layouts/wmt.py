"""Rankings of the conferences on machine translation (WMT): two to five systems a row with their
ranks. 1 is the best, and a system that was not ranked has -1. Pairs of one rankingID are of one
ranking.

Layout: AppraiseDev/Appraise, and the files that WMT 2013 to 2016 published.
"""

from __future__ import annotations

import re

from ..cells import Cells, as_mark, as_text, read_name
from ..entry import Entry
from ..layout import Layout, Source
from .rankings import RankedSystem, RankingTable

NAMED = re.compile(r"system(\d+)Id")
LANGUAGES = ("srclang", "trglang")


class WmtRankings(RankingTable):
    """A row has the columns systemNId and systemNrank. The item is the sentence of a pair of
    languages.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        found = filter(None, map(NAMED.fullmatch, source.columns))
        self.ranked = {each[0]: f"system{each[1]}rank" for each in found}

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        ranked = [
            RankedSystem(as_mark(cells.get(rank), rank), read_name(cells, column))
            for column, rank in self.ranked.items()
            if as_text(cells.get(column))
        ]
        return [each for each in ranked if each.rank > 0]

    def describe(self, cells: Cells) -> Entry:
        languages = "-".join(read_name(cells, name) for name in LANGUAGES)
        item = f"{languages}/{as_text(cells.get('srcIndex')) or read_name(cells, 'segmentId')}"
        judge = as_text(cells.get("judgeId")) or as_text(cells.get("judgeID"))
        return {"item": item, "subset": languages, "judge": judge}


def _is_wmt(source: Source) -> bool:
    named = {"system1Id", "system1rank", "system2Id", "system2rank", *LANGUAGES}
    return named <= set(source.columns)


LAYOUT = Layout("wmt", "WMT's rankings of translations", {WmtRankings: _is_wmt}, ("source", "text"))
