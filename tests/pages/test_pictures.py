"""Pictures on pages: there is one way to show them, which gives each its title and its files."""

from __future__ import annotations

import ast

from tests.paths import ROOT

ONE_WAY = ROOT / "pages/components/shared/picture.py"
DRAWERS = ("altair_chart", "vega_lite_chart", "line_chart", "bar_chart", "scatter_chart", "pyplot")


def test_no_page_shows_a_chart_in_another_way() -> None:
    for path in (ROOT / "pages").rglob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in DRAWERS
        ]
        assert len(calls) == (path == ONE_WAY), path
