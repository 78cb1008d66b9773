"""Declared columns and how they are written: tables for page, command line, report and files. It
knows no topic. Charts are apart (`core.rendering.charts`), as altair takes a while to import.
"""

from core.rendering.columns import (
    Column,
    Interval,
    Place,
    find_columns,
    is_empty,
    list_names,
)
from core.rendering.grids import Cell, Grid, Heading, lay_out, write_html, write_text
from core.rendering.units import (
    CHANGE,
    COUNT,
    DECIMAL,
    NONE,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    WORDS,
    Labelled,
    Names,
    Shortened,
    Unit,
)

__all__ = [
    "CHANGE",
    "COUNT",
    "DECIMAL",
    "NONE",
    "SHARE",
    "SHARE_RATING",
    "STRENGTH",
    "WORDS",
    "Cell",
    "Column",
    "Grid",
    "Heading",
    "Interval",
    "Labelled",
    "Names",
    "Place",
    "Shortened",
    "Unit",
    "find_columns",
    "is_empty",
    "lay_out",
    "list_names",
    "write_html",
    "write_text",
]
