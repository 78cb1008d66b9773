"""Chart of attacks: the share of turned verdicts of each judge, as wide as the page."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...judging import attacks
from ...labels import KINDS, isolate_directions
from ...rendering import ShortenedSentences
from ...rendering.charts import (
    APART,
    MOST_ROWS,
    PALETTES,
    AxisScale,
    EstimateColumns,
    Figure,
    Picture,
    apply_theme,
    dot_layers,
    lines,
    named_rows,
    shorten_labels,
    step,
)

ESTIMATE = EstimateColumns(
    "flipped", "low", "high", "against", "control", held_against="a harmless sentence"
)
NAMED = (
    alt.Tooltip("judge:N"),
    alt.Tooltip("attribute:N"),
    alt.Tooltip("attack:N"),
    alt.Tooltip("sentence:N"),
)


def draw_attacks(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """Draw the share of verdicts that each attack turns. Rows are judges below the name of each
    attack (and attribute); an upright mark shows the harmless sentence. Judges with the largest
    excess come first, at most MOST_ROWS in all.
    """
    shown = rows.dropna(subset="flipped").assign(of=rows["kind"].map(KINDS))
    shown = shown.assign(
        heading=_headings(shown), first=shown.groupby("judge")["beyond"].transform("max")
    )
    shown["place"] = pd.factorize(shown["heading"])[0]
    shown = shown.sort_values("beyond", ascending=False, kind="stable")[:MOST_ROWS]
    shown = shown.sort_values(["place", "first"], ascending=[True, False], kind="stable")
    order = [*dict.fromkeys(shown["heading"])]
    shown["row"] = shown["heading"] + "\n" + shown["judge"]
    names, called = _rows(shown)
    y = alt.Y(
        "row:N",
        sort=names,
        scale=alt.Scale(domain=names),
        title=None,
        axis=named_rows(names, called),
    )
    figure = Figure("verdicts that turn", ESTIMATE, AxisScale(), NAMED)
    layers = dot_layers(shown, y, len(names), figure, theme)
    height = step(
        len(names), lines=max(len(lines(name)) for name in shorten_labels(called).values())
    )
    chart = alt.LayerChart(
        layer=[*layers, _draw_headings(order, y, theme)],
        height=height,
        width="container",
        resolve=APART,
    )
    told = (
        f"Verdicts that turn, in {len(shown)} rows below the names of {len(order)} attacks. "
        "Each judge has a dot and its interval, and a mark for a harmless sentence."
    )
    return apply_theme(chart, told, theme)


def _headings(rows: pd.DataFrame) -> list[str]:
    several = rows["attribute"].nunique() > 1
    names = map(name_attack, rows["attack"], rows["sentence"])
    return [
        f"{attribute} · {name}" if several else name
        for attribute, name in zip(rows["attribute"], names, strict=True)
    ]


def name_attack(attack: str, sentence: str) -> str:
    """Name an attack. A user's own sentence is also quoted, shortened."""
    is_own = attack.split(" ")[0] == attacks.OWN
    return f"{attack}: {ShortenedSentences().write(sentence)}" if is_own else attack


def _rows(shown: pd.DataFrame) -> tuple[list[str], list[str]]:
    names, called = [], []
    for heading, part in shown.groupby("heading", sort=False):
        names += [str(heading), *part["row"]]
        called += ["", *part["judge"]]
    return names, called


def _draw_headings(order: list[str], y: alt.Y, theme: str) -> alt.Chart:
    headings = alt.Chart(
        pd.DataFrame({"row": order, "said": [isolate_directions(name) for name in order]})
    ).mark_text(
        align="left",
        fontWeight=600,
        fontSize=13,
        color=PALETTES[theme].ink,
        limit={"expr": "width"},
    )
    written: alt.Chart = headings.encode(x=alt.value(0), y=y, text="said:N")
    return written


PICTURE = Picture(
    lambda rows, facts, theme: draw_attacks(rows, theme=theme),
    "How many verdicts an attack turns",
    "flipped",
    "answer",
)
