"""Declared columns and how they are written: tables for page, command line, report and files. It
knows no topic. Charts are apart (`core.rendering.charts`), as altair takes a while to import.
"""

from core.rendering.columns import (
    Column,
    Interval,
    Place,
    describe_intervals,
    find_columns,
    is_empty,
    is_read,
    list_names,
)
from core.rendering.grids import Cell, Grid, Heading, lay_out, write_html, write_text
from core.rendering.units import (
    CHANGE,
    COUNT,
    DECIMAL,
    NONE,
    P_VALUE,
    POINTS,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    WORDS,
    YES_NO,
    Labelled,
    Names,
    Unit,
    is_missing,
)

__all__ = [
    "CHANGE",
    "COUNT",
    "DECIMAL",
    "NONE",
    "POINTS",
    "P_VALUE",
    "SHARE",
    "SHARE_RATING",
    "STRENGTH",
    "WORDS",
    "YES_NO",
    "Cell",
    "Column",
    "Grid",
    "Heading",
    "Interval",
    "Labelled",
    "Names",
    "Place",
    "Unit",
    "describe_intervals",
    "find_columns",
    "is_empty",
    "is_missing",
    "is_read",
    "lay_out",
    "list_names",
    "write_html",
    "write_text",
]
