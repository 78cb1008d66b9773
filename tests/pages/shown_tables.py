"""The tables of figures that a page shows, read from its HTML."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pandas as pd
from streamlit.testing.v1 import AppTest


def table(app: AppTest, label: str) -> pd.DataFrame:
    """The one that a screen reader is told to be of `label`, in its words."""
    drawn = [html.proto.body for html in app.get("html") if "tandem-table" in html.proto.body]
    trees = [ElementTree.fromstring(body) for body in drawn]
    [tree] = [tree for tree in trees if tree.get("aria-label") == label]
    head = [cell.text for cell in tree.iter("th")]
    rows = [
        # A name has a mark where it may break; an empty cell has no text.
        ["".join(cell.itertext()) or None for cell in row.iter("td")]
        for row in tree.iter("tr")
    ]
    return pd.DataFrame([row for row in rows if row], columns=head)
