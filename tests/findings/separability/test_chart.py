"""Charts of separability: what is drawn, and that kinds of judges are told apart without a hue."""

from __future__ import annotations

import pandas as pd

from core.findings.separability import chart as charts
from core.findings.separability.columns import BOUNDS, DRAWN
from core.rendering.charts import PALETTES, picture

KINDS = pd.DataFrame(
    [
        {"low": low, "high": high, "kind": kind, "judges": 1, "sets": 9}
        | {f"{figure.name}{end}": value for figure in DRAWN for end, value in ends.items()}
        for low, high, kind, ends in (
            (0.0, 0.4, "human", {"": 0.3, "_low": 0.2, "_high": 0.4}),
            (0.0, 0.4, "llm", {"": 0.6, "_low": float("nan"), "_high": float("nan")}),
            (0.4, 0.9, "human", {"": 0.8, "_low": 0.7, "_high": 0.9}),
        )
    ]
)


def test_people_are_filled_and_models_hollow() -> None:
    for theme in ("light", "dark"):
        for figure in DRAWN:
            chart = charts.consistency(KINDS, figure, theme=theme)
            bars = chart.to_dict()["layer"][0]["encoding"]
            palette = PALETTES[theme]
            fill = {"domain": ["people", "models"], "range": [palette.a, palette.paper]}
            assert bars["fill"]["scale"] == fill
            assert bars["stroke"]["scale"]["range"] == [palette.a] * 2
            assert picture(chart, "svg").count(b'aria-roledescription="bar"') == 3
            assert picture(chart, "svg").count(b'aria-roledescription="rule mark"') == 2  # whiskers


def test_all_judges_together_are_one_series() -> None:
    chart = charts.consistency(KINDS[KINDS["kind"] == "human"].drop(columns="kind"))
    drawn = picture(chart, "svg")
    assert drawn.count(b'aria-roledescription="bar"') == 2
    assert b"people" not in drawn


def test_narrow_bins_are_told_apart() -> None:
    narrow = KINDS.assign(low=[0.311, 0.311, 0.314], high=[0.314, 0.314, 0.317])
    assert picture(charts.consistency(narrow), "svg").count(b">0.311 to 0.314<") == 1
    assert b"0.314 to 0.317" in picture(charts.consistency(narrow), "svg")


def test_the_bins_of_histograms_have_edges_where_the_sentence_has_its_bounds() -> None:
    for values in ([-0.3, 0.9], [0.19, 0.21], []):
        edges = charts._edges(pd.Series(values, dtype=float).to_numpy())
        assert all(edges[0] <= value <= edges[-1] for value in values)
        assert all(at in edges for at in BOUNDS if edges[0] <= at <= edges[-1])


def test_the_rows_of_histograms_add_up() -> None:
    rows = pd.DataFrame(
        {"pair": ["x / y"] * 3 + ["x / z"] * 2, "separability": [0.1, 0.2, 0.9, 0.31, float("nan")]}
    )
    (bars,) = (
        data for data in charts.histograms(rows).to_dict()["datasets"].values() if "of" in data[0]
    )
    counts = pd.DataFrame(bars).groupby(["pair", "of"])["items"].sum()
    assert counts.to_dict() == {
        ("x / y", "pair"): 3, ("x / y", "all"): 4, ("x / z", "pair"): 1, ("x / z", "all"): 4,
    }  # fmt: skip


def test_curves_and_matrices_are_drawn() -> None:
    points = pd.DataFrame(
        {"value": [2, 3], "mean": [0.4, 0.5], "low": 0.3, "high": 0.6, "n": 4, "spearman": [0.9, 1]}
    )
    assert b"texts" in picture(charts.curve(points, "texts"), "svg")
    named = points.assign(pair=["a / b", "a / <c>"])
    assert b"a / &lt;c&gt;" in picture(charts.curve(named, "T", by="pair"), "svg")
    pairs = (points.assign(pair=f"model {n} / a model with a long name") for n in range(10))
    plain, named = charts.curve(points, "T"), charts.curve(pd.concat(pairs), "T", by="pair")
    grown = named.to_dict()["height"] - plain.to_dict()["height"]
    assert grown == 10 * 20, "what names the lines, 20 pixels each, takes nothing from the picture"
    labels = ["A0", "B0"]
    matrix = pd.DataFrame({"label_1": labels, "label_2": labels[::-1], "similarity": [0.25, 0.25]})
    assert picture(charts.likeness(matrix, labels), "svg").count(b"0.25") >= 2
