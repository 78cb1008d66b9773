"""A layout of another tool: which votes it can tell, and the documents it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from ..records import Outcome

Row = Mapping[str, Any]
"""A judgement with everything exported of it, as `Store.judgement_frames` has it."""
Document = tuple[str, dict[str, Any]]
"""A record, and the name of the file it belongs in; '' where the layout is one file."""

BOTH_BAD, TIE, UNANSWERED = "both bad", "ties", "without an answer"
NO_TEXTS, NO_ORDER = "without texts", "without a known order"


@dataclass(frozen=True)
class Format:
    """A tool's layout. `lacks` names what it cannot tell, out of the reasons above: such votes are
    left out and counted. `one_attribute`: it does not say what was asked.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    documents: Callable[[Iterable[Row]], Iterator[Document]]
    lacks: frozenset[str] = frozenset()
    one_attribute: bool = False

    def reason(self, row: Row) -> str:
        """Return why this layout cannot tell a vote; '' where it can."""
        outcome = row["winner"]
        reasons = {
            UNANSWERED: outcome is None,
            TIE: outcome == Outcome.TIE,
            BOTH_BAD: outcome == Outcome.BOTH_BAD,
            NO_TEXTS: row["text_a"] is None or row["text_b"] is None,
            NO_ORDER: not row["order_known"],
        }
        return next((reason for reason, so in reasons.items() if so and reason in self.lacks), "")


def pair_key(row: Row) -> tuple[Any, ...]:
    """Return the item, attribute and texts of a comparison, in the order that was shown."""
    sides = (row[f"{name}_{side}"] for side in "ab" for name in ("system", "sample"))
    return row["item"], row["attribute"], *sides, row["order_known"]


def select_reply_fields(row: Row) -> dict[str, str]:
    """Return a judge's literal words and the reason for a missing answer, where there are any.
    Other tools have no field for either.
    """
    return {name: row[name] for name in ("raw", "failure") if row[name]}


def select_pair_fields(row: Row) -> dict[str, Any]:
    """Return the other facts about a pair, by the names by which `import` knows them."""
    names = ("item", "subset", "attribute", "system_a", "system_b", "order_known")
    return {name: row[name] for name in names}


LONGEST = 200  # of the 255 bytes a file's name may have, with room for a suffix


def make_file_name(name: str) -> str:
    """Return a name as a file or folder may be called everywhere; no two are called the same.

    What is too long for that ends in a hash.
    """
    quoted = quote(name, safe="@+ ")
    if quoted.startswith("."):
        quoted = quoted.replace(".", "%2E")
    if len(quoted) <= LONGEST:
        return quoted
    return f"{quoted[: LONGEST - 17]}-{sha256(name.encode()).hexdigest()[:16]}"
