"""The times of a file's votes, as instants of UTC: what its numbers mean, the column says as a
whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from core.importing import files
from core.importing.cells import Row
from core.importing.layout import Source
from core.moments import (
    DateOrder,
    DateParts,
    date_parts,
    parse_moment,
    possible_orders,
    shared_orders,
)
from core.records import TandemError, setting

Values = Callable[[], Iterable[object]]


class UncertainDatesError(TandemError):
    """Dates that may be read in several `orders`, or none that fits them all."""

    def __init__(self, sentence: str, orders: Sequence[DateOrder]) -> None:
        super().__init__(sentence)
        self.orders = tuple(orders)


class Times:
    """Reads the times of one column. `values` gives all of its cells; none where the column of a
    tool's own layout cannot be looked up, so that numbers are always asked about.
    """

    def __init__(self, source: Source, values: Values = tuple) -> None:
        self._source, self._values = source, values

    def parse(self, value: object) -> str:
        """The instant of a cell, '' where it names none; both are counted in the file's tally.

        Raises UncertainDatesError where the column leaves it open what comes first in its dates.
        """
        moment = parse_moment(value)
        if not moment and date_parts(value):
            moment = parse_moment(value, self._order)
        if moment:
            self._source.tally.timed += 1
        else:
            self._source.tally.add_untimed("" if value is None else str(value).strip())
        return moment

    @cached_property
    def _order(self) -> DateOrder | None:
        if self._source.dates:
            return self._source.dates
        dates = {parts: None for value in self._values() if (parts := date_parts(value))}
        possible = [parts for parts in dates if possible_orders(parts)]
        orders = shared_orders(possible)
        if len(orders) != 1 and (possible or not dates):
            raise self._uncertain(possible, orders)
        return orders[0] if orders else None

    def _uncertain(
        self, dates: Sequence[DateParts], orders: Sequence[DateOrder]
    ) -> UncertainDatesError:
        by_order = {min(possible_orders(parts)): "/".join(parts) for parts in dates}
        shown = " and ".join(by_order.values())
        what = "is not certain" if orders else "differs from row to row"
        choices = orders or [DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST]
        ways = " or ".join(f"{setting('dates')} {order}" for order in choices)
        return UncertainDatesError(
            f"{self._source.path.name}: what comes first in its dates {what}"
            f"{f' ({shown})' if shown else ''}; say {ways}",
            choices,
        )


def column_values(source: Source, column: str | None) -> Values:
    """All cells of a column, read from the file when they are asked for."""
    return lambda: (
        row.cells.get(column) for row in files.rows(source.path) if column and isinstance(row, Row)
    )
