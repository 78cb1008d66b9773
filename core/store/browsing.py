"""Items to browse, and all that is known of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from .connection import StorePart, as_list

BrowsedItems = Annotated[
    pd.DataFrame, Schema({str: "item subset context", int: "texts votes answers"})
]
BrowsedTexts = Annotated[pd.DataFrame, Schema({str: "system text", int: "sample"})]
BrowsedAnswers = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "attribute system_a system_b judge kind outcome failure comment raw",
            int: "sample_a sample_b",
            float: "prob_a",
        }
    ),
]


@dataclass(frozen=True)
class Sought:
    """Search for items of a data set and their answers; '' = any.

    Items match with `text` in their key, context or a text, in either case. Their answers match if
    they are about this `attribute`.
    """

    dataset: str
    text: str = ""
    attribute: str = ""


_ITEMS = """FROM items i WHERE i.dataset = ?1
    AND (?2 = '' OR instr(lower(i.key), lower(?2)) OR instr(lower(i.context), lower(?2))
        OR EXISTS (SELECT 1 FROM generations g WHERE g.item = i.id
            AND instr(lower(g.text), lower(?2))))"""

# By way of the texts of an item: comparisons have no index of their own by item. Read in any other
# order than this, all of a data set would be.
_ANSWERS = """attributes a CROSS JOIN generations ga ON ga.item = i.id
    CROSS JOIN comparisons c ON c.attribute = a.id AND c.generation_a = ga.id
    CROSS JOIN generations gb ON gb.id = c.generation_b
    CROSS JOIN systems sa ON sa.id = ga.system CROSS JOIN systems sb ON sb.id = gb.system
    CROSS JOIN live_judgements j ON j.comparison = c.id CROSS JOIN judges w ON w.id = j.judge
    WHERE a.dataset = ?1 AND (?3 = '' OR a.name = ?3)"""


class Browsing(StorePart):
    """Items of a data set to browse, a page at a time."""

    def items(self, sought: Sought, *, limit: int, offset: int = 0) -> BrowsedItems:
        """List the items that match, in the order they were added.

        Each has the number of `texts` at hand, of `votes` by people and of `answers` by judges;
        `all` in attrs is how many items there are.
        """
        # All rows at once: to count them apart would read every text twice.
        found = self._find(sought, "i.id")
        values = (sought.dataset, sought.text, sought.attribute)
        count = f"(SELECT count(*) FROM {_ANSWERS} AND w.kind {{kind}} 'human')"
        frame = self._db.frame(
            f"""SELECT i.key AS item, i.subset, i.context,
            (SELECT count(g.text) FROM generations g WHERE g.item = i.id) AS texts,
            {count.format(kind="=")} AS votes, {count.format(kind="<>")} AS answers
            FROM items i WHERE i.id IN (SELECT value FROM json_each(?4)) ORDER BY i.id""",
            (*values, as_list(found[offset : offset + limit])),
            rows=BrowsedItems,
        )
        frame.attrs["all"] = len(found)
        return frame

    def keys(self, sought: Sought) -> list[str]:
        """List the keys of all items that match, in the order they were added."""
        return self._find(sought, "i.key")

    def _find(self, sought: Sought, column: str) -> list[Any]:
        values = (sought.dataset, sought.text)
        return self._db.column(f"SELECT {column} {_ITEMS} ORDER BY i.id", values)

    def texts(self, sought: Sought, item: str) -> BrowsedTexts:
        """Load the texts of an item by system and sample, NaN for one that is not available."""
        return self._db.frame(
            """SELECT s.name AS system, g.sample, g.text FROM items i
            JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system
            WHERE i.dataset = ?1 AND i.key = ?2 ORDER BY s.name, g.sample""",
            (sought.dataset, item),
            rows=BrowsedTexts,
        )

    def answers(self, sought: Sought, item: str) -> BrowsedAnswers:
        """Load all live answers about an item, people's first; system_a was shown first."""
        return self._db.frame(
            f"""SELECT a.name AS attribute, sa.name AS system_a, ga.sample AS sample_a,
            sb.name AS system_b, gb.sample AS sample_b, w.name AS judge, w.kind, j.outcome,
            j.failure, j.prob_a, j.comment, j.raw
            FROM items i CROSS JOIN {_ANSWERS} AND i.dataset = ?1 AND i.key = ?2
            ORDER BY a.id, w.kind <> 'human', w.name, c.id, j.id""",
            (sought.dataset, item, sought.attribute),
            rows=BrowsedAnswers,
        )
