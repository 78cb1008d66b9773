"""Times at which the votes of a file were given, as instants of UTC. The column as a whole says
what its numbers mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ..moments import DateOrder, DateParts, date_parts, parse_moment, possible_orders, shared_orders
from ..records import TandemError, option_ref
from .database import Database
from .layout import Source


class UncertainDatesError(TandemError):
    """Dates that may be read in several `orders`, or none that fits them all."""

    def __init__(self, sentence: str, orders: Sequence[DateOrder]) -> None:
        super().__init__(sentence)
        self.orders = tuple(orders)


def decide_times(database: Database, file: int, source: Source) -> DateOrder | None:
    """Read the dates of a file that say by the whole column only what comes first in them, and
    return that; None where no date leaves it open.

    Raises UncertainDatesError where the column leaves that open.
    """
    texts = [
        text
        for (text,) in database.rows(
            f"""SELECT undecided FROM entries WHERE file = {file} AND undecided IS NOT NULL
            GROUP BY undecided ORDER BY min(row)"""
        )
    ]
    if not texts:
        return None
    order = source.dates or decide_order(source.path.name, texts)
    moments = [(text, parse_moment(text, order, source.zone) or None) for text in texts]
    database.add_table("moments", {"undecided": pa.string(), "moment": pa.string()}, moments)
    database.rows(
        f"""UPDATE entries SET moment = m.moment FROM moments m
        WHERE entries.file = {file} AND m.undecided = entries.undecided"""
    )
    return order


def decide_order(file: str, texts: Sequence[str]) -> DateOrder | None:
    """Decide the order of day, month and year in dates; None if the texts are dates in no order."""
    dates = {parts: None for text in texts if (parts := date_parts(text))}
    possible = [parts for parts in dates if possible_orders(parts)]
    orders = shared_orders(possible)
    if len(orders) != 1 and possible:
        raise _make_uncertain_error(file, possible, orders)
    return orders[0] if orders else None


def _make_uncertain_error(
    file: str, dates: Sequence[DateParts], orders: Sequence[DateOrder]
) -> UncertainDatesError:
    by_order = {min(possible_orders(parts)): "/".join(parts) for parts in dates}
    shown = " and ".join(by_order.values())
    what = "is not certain" if orders else "differs from row to row"
    choices = orders or [DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST]
    ways = " or ".join(f"{option_ref('dates')} {order}" for order in choices)
    return UncertainDatesError(
        f"{file}: what comes first in its dates {what} ({shown}); say {ways}", choices
    )
