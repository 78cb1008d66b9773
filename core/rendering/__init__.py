"""Declared columns and how they are written: tables for page, command line, report and files. It
knows no topic. Charts are apart (`core.rendering.charts`), as altair takes a while to import.
"""

from .columns import (
    Column,
    Interval,
    Place,
    declare_rows,
    describe_intervals,
    find_columns,
    is_empty,
    is_read,
    list_names,
)
from .grids import (
    Cell,
    Grid,
    Heading,
    lay_across,
    lay_out,
    write_html,
    write_text,
)
from .units import (
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
    Amount,
    LabelledWords,
    Names,
    ShortenedSentences,
    Unit,
    is_missing,
)
