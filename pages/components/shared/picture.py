"""The one way to show a chart on a page: under its title, with the files to take it home as."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result
from core.charts import Caption, Drawing
from core.labels import isolated
from pages.components.shared.downloads import picture_downloads
from pages.components.shared.notice import several
from pages.components.shared.style import theme


def show_picture(
    name: str,
    drawing: Drawing,
    numbers: pd.DataFrame,
    *,
    brushed: str = "",
) -> dict[str, Any]:
    """The picture under its caption, and its files: `name` says in theirs what it shows, the
    `numbers` behind it are in the order of the screen. Returns the range that was `brushed` with
    the selection of that name, or the fields of the mark that was clicked.
    """
    chart = drawing.on_screen(theme())
    fills = getattr(chart, "width", None) == "container"
    with st.container(gap=None):
        st.html(_above(drawing.caption))
        event: Any = st.altair_chart(
            chart,
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


def _above(caption: Caption) -> str:
    title, sentence = (escape(isolated(text)) for text in (caption.title, caption.sentence))
    return f'<p class="tandem-caption"><b>{title}</b><br>{sentence}</p>'


def caption(result: Result, title: str, interval: str, n: str = "") -> Caption:
    """What stands above a picture of a result; `n` where it is of something else than all of its
    judgements.
    """
    return Caption(title, n or several(result.judgements, "judgement"), interval, result.signature)
