"""The one way to show a chart on a page: under its caption, with files to download."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from typing import Any, ClassVar

import pandas as pd
import streamlit as st
from streamlit.elements.vega_charts import _convert_altair_to_vega_lite_spec

from core.findings.judgements import Finding
from core.labels import isolate_directions, pluralize, shorten_judges
from core.rendering.charts import Caption, CaptionedChart, Drawn
from pages.components.shared.counting import DRAWN, get_counter
from pages.components.shared.downloads import picture_downloads
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.frame import theme

PATIENCE = 20.0  # seconds that a page waits for a chart before it draws it itself


def show_picture(
    name: str, draw: Callable[..., Drawn], above: Caption, numbers: pd.DataFrame, brushed: str = ""
) -> dict[str, Any]:
    """Show the chart that `draw` draws in a theme, under its caption, with files to download.

    `name` names the files, and `numbers` are the figures behind the chart, in its order. Returns
    the range `brushed` with the selection of that name, or the fields of the mark that was clicked.
    """
    drawing_turns().give_way()
    drawing = CaptionedChart(draw, above)
    specification = _specify(drawing, theme())
    fills = specification.get("width") == "container"
    with st.container(gap=None):
        st.html(_render_caption(above))
        event: Any = st.vega_lite_chart(
            spec=specification,
            width="stretch" if fills else "content",
            theme=None,
            key=f"{name} picture",
            on_select="rerun" if brushed else "ignore",
        )
        with st.popover("Download", type="tertiary", key=f"{name} files"):
            picture_downloads(name, drawing, numbers)
    if not brushed:
        return {}
    chosen = event["selection"].get(brushed, {})
    marks = [chosen] if isinstance(chosen, dict) else chosen
    return dict(marks[0]) if marks else {}


@dataclass(frozen=True)
class DrawingTask:
    """A chart to draw as Vega-Lite, pickled with its theme, once for all who see its figures."""

    pickled: bytes
    stamp: ClassVar[str] = ""  # its data is in it
    kind: ClassVar[str] = "chart"

    @cached_property
    def key(self) -> Hashable:
        """Return what identifies the chart."""
        return sha256(self.pickled).digest()

    def compute(self) -> dict[str, Any]:
        """Draw it, with its data as Arrow."""
        drawing, shade = pickle.loads(self.pickled)
        return dict(_convert_altair_to_vega_lite_spec(drawing.on_screen(shade)))


def _specify(drawing: CaptionedChart, shade: str) -> dict[str, Any]:
    """Have a chart drawn beside the server, once for everyone who sees the same figures.

    Building and checking a chart takes most of a page's time, which votes would wait for.
    """
    task = DrawingTask(pickle.dumps((drawing, shade), pickle.HIGHEST_PROTOCOL))
    drawn = get_counter(DRAWN).answer(task)
    if drawn is None or drawn.error:
        get_counter(DRAWN).ask(task)
        drawn = get_counter(DRAWN).wait(task, PATIENCE)
    # What could not be drawn there is drawn here: the page says why, and nothing is kept.
    return task.compute() if drawn is None or drawn.error else dict(drawn.load())


def _render_caption(caption: Caption) -> str:
    title, n, interval = (
        escape(isolate_directions(shorten_judges(text)))
        for text in (caption.title, caption.n, caption.interval)
    )
    kind, colon, _ = interval.partition(":")
    if colon:
        interval = f'<span title="{interval}">{kind}</span>'
    said = " ".join(f"{part.rstrip('.')}." for part in (n, interval) if part)
    return f'<p class="tandem-caption"><b>{title}</b><br>{said}</p>'


def caption(result: Finding, title: str, interval: str, n: str = "") -> Caption:
    """Make the caption of a picture of a result; `n` replaces the number of its judgements."""
    return Caption(
        title, n or pluralize(result.judgements, "judgement"), interval, result.signature
    )
