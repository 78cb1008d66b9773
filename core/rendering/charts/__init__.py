"""Parts that all charts share: palette and theme, axes, names of rows, captions. A package of its
own, because altair takes a while to import.
"""

from . import theme
from .axes import (
    NARROW,
    NARROW_LINES,
    SLIM,
    ends,
    label_expression,
    legend_columns,
    lines,
    log_ticks,
    named_rows,
    shorten_labels,
    step,
)
from .dots import MOST_ROWS, AxisScale, EstimateColumns, dots, shapes
from .pictures import Caption, CaptionedChart, Draw, Picture, add_caption, write_tooltips
from .theme import APART, FONT, MARKS, PALETTES, Drawn, apply_theme, picture
