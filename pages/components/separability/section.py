"""The page Separability: items that tell two systems apart, to brush, choose and read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.separability import (
    Settings,
    choose_metric,
    columns,
    label_metrics,
    likeness,
    list_preferred,
    request_similarities,
)
from core.findings.separability import chart as charts
from core.labels import describe_duration, glossary, pluralize
from core.records import Status
from core.rendering.charts import Caption
from core.runs import expected_seconds, measure, worker
from core.similarity import METRICS, MeasurementRequest
from core.store import ChosenGenerations, Extent
from pages.components.judge.active_runs import runs_now
from pages.components.separability.consistency import show_consistency, show_sample_size
from pages.components.shared.address import LARGEST, bind_choice, choose_view
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import Choices, choose_item_set, choose_subset
from pages.components.shared.finding import FindingSection
from pages.components.shared.frame import Study, link_to_search, next_step_links
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.picture import show_picture
from pages.components.shared.tables import choose_row
from pages.components.shared.texts import show_samples

LISTED = ("item", "separability", "pair", "self_a", "self_b", "cross", "scenario")
Range = dict[str, Any]


def choose_item(result: Finding) -> pd.Series | None:
    """Show the items, and list those that are brushed; return the row of the chosen or first."""
    pictures = {"How separable items are": _histograms, "Why": _scatter}
    looks = {"label_visibility": "collapsed", "help": columns.SCENARIO.help}
    shown = choose_view("picture", "Picture", pictures, **looks)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        brushed = pictures[shown](result)
    with right:
        return _choose_item(result, brushed)


def _histograms(result: Finding) -> Range:
    items = result.rows.assign(scenario=result.rows["scenario"].map(columns.SCENARIOS)).drop(
        columns=["pair", "tighter"]
    )
    above = Caption("How far items tell two systems apart", _cases(result), "", result.signature)
    drawn = partial(charts.histograms, result.rows)
    brushed = show_picture("separability", drawn, above, items, brushed="brush")
    pairs = result.rows["pair"].nunique()
    more = ""
    if pairs > charts.MOST_PAIRS:
        more = f" These are the {charts.MOST_PAIRS} easiest of {pairs} pairs; choose others above."
    grey = " Grey: all pairs together." if pairs > 1 else ""
    show_caption(f"Shares of items.{grey} Drag over a range to list only its items.{more}")
    return brushed


def _cases(result: Finding) -> str:
    rows = result.rows.dropna(subset="separability")
    if rows["pair"].nunique() < 2:
        return pluralize(len(rows), "item")
    return f"{pluralize(len(rows), 'case')}, each an item and two systems"


def _scatter(result: Finding) -> Range:
    above = Caption("Why items tell systems apart, or not", _cases(result), "", result.signature)
    drawn = partial(charts.scatter, result.rows)
    brushed = show_picture("alignments", drawn, above, result.rows, brushed="area")
    counts = result.rows["scenario"].value_counts()
    numbers = "; ".join(
        f"{name}: {counts.get(number, 0):,}" for number, name in columns.SCENARIOS.items()
    )
    show_caption(
        f"Dashed lines: a separability of 0, 0.2 and 0.4. Number of items by scenario: {numbers}."
    )
    return brushed


def _choose_item(result: Finding, brushed: Range) -> pd.Series | None:
    rows = result.rows.dropna(subset="separability")
    if rows.empty:
        return None
    names = ("most separable", "least separable")
    values, first = rows["separability"], choose_view("first", "First", names)
    for column, span in brushed.items():
        rows = rows[rows[column].between(*span)]
    least, most = (math.floor(100 * values.min()) / 100, math.ceil(100 * values.max()) / 100)
    if least < most:
        span = st.slider("Separability between", least, most, (least, most), 0.01)
        rows = rows[rows["separability"].between(*span)]
    by = {"by": "separability", "ascending": first == names[1]}
    rows = rows.sort_values(**by, kind="stable").reset_index(drop=True)
    if rows.empty:
        show_caption("No items in this range. Double-click the picture to clear its range.")
        return None
    pairs = result.rows["pair"].nunique()
    declared = {column.name: column for column in columns.DESCRIBED}
    listed = [declared[name] for name in LISTED if name != "pair" or pairs > 1]
    picked = choose_row(rows, listed, "items", tallest=320)
    every = pluralize(
        int(result.rows["separability"].notna().sum()), "case" if pairs > 1 else "item"
    )
    listed = every if every.startswith(f"{len(rows):,} ") else f"{len(rows):,} of {every}"
    show_caption(f"{listed}. Choose a row to read its texts.")
    return rows.iloc[picked]


def link_to_items(selection: Selection, metric: str) -> None:
    """Link to the items that hardly, and that easily, tell systems apart."""
    low, high = columns.BOUNDS
    with st.container(horizontal=True):
        for label, span in (
            ("Find items that hardly tell them apart", {"high": low}),
            ("Find items that tell them apart", {"low": high}),
        ):
            link_to_search(selection, label, separability=metric, **span)


FIRST = 2  # texts of each system that are shown at once


def show_item(study: Study, settings: Settings, row: pd.Series, signature: str) -> None:
    """Show the texts and similarity matrix of a row's item; `signature` is that of separability."""
    systems = str(row["system_a"]), str(row["system_b"])
    item = likeness(study.store, study.dataset, str(row["item"]), systems, settings)
    st.header("How alike the texts of the chosen item are", anchor=False)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        show_headline(columns.describe_item(row))
        show_caption(
            "Similarity of each pair of texts before normalisation, by "
            f"{METRICS[settings.metric].label}. "
            "Blocks along the diagonal show that the systems can be told apart."
        )
    texts = item.texts
    with left:
        drawn = partial(charts.likeness, item.matrix, texts["label"].tolist())
        number = pluralize(len(texts), "text")
        above = Caption(f"Texts of {row['item']}", number, signature=signature)
        show_picture("item-texts", drawn, above, item.matrix)
    most = int(texts.groupby("side").size().max())
    every = most <= FIRST or st.toggle(f"Show all {most} texts of each system")
    sides = [
        list(zip(side["label"], side["text"], strict=True))[: most if every else FIRST]
        for side in (texts[texts["side"] == name] for name in "AB")
    ]
    text_format = study.store.datasets.text_format(study.dataset)
    show_samples(item.context, study.context_noun, systems, sides, text_format)
    downloads("item", {"texts": texts})


ALL_PAIRS = "all pairs of systems"
OVER = ("dataset", "pair", "all")
"""Scales that the page offers: a selection here is of two systems, or of all."""


def _find_systems(study: Study) -> pd.DataFrame:
    sampled = _count_samples(study)
    several = sampled[sampled["several"] > 0]
    if len(several) > 1:
        return several
    if not len(sampled) and study.store.texts.lacks_texts(study.dataset):
        reason = "Separability compares texts, but this data set holds votes without theirs."
    elif not len(sampled):
        reason = "Separability compares two systems, but this data set has no texts."
    elif len(sampled) < 2:
        reason = "Separability compares two systems, but this data set has texts by only one."
    else:
        only = [f"Only {name} has them here." for name in several["system"]]
        reason = "Separability compares several texts per item by two systems. " + (
            only[0] if only else "Here each system has only one."
        )
    notice(
        f"{reason} On the Data page you can import texts with a column sample (0, 1, 2 …). A "
        "model can also generate several for each item."
    )
    next_step_links(data="Add texts")
    return several.iloc[:0]


def _count_samples(study: Study) -> pd.DataFrame:
    chosen = ChosenGenerations(study.dataset, samples=10_000)
    return study.store.similarities.count_samples(chosen)


def _select(study: Study, choices: Choices, several: pd.DataFrame) -> Selection:
    pairs: dict[str, tuple[str, ...]] = {
        " / ".join(pair): pair for pair in combinations(several["system"], 2)
    }
    if len(pairs) > 1:
        pairs = {ALL_PAIRS: (), **pairs}
    bound = bind_choice("systems", next(iter(pairs)), list(pairs))
    pair = choices.place().selectbox("Systems", list(pairs), width=300, **bound)
    return Selection(
        study.dataset,
        subset=choose_subset(study, choices),
        systems=pairs[pair],
        item_set=choose_item_set(study, choices),
    )


def _ask(study: Study) -> Mapping[str, Mapping[str, Any]]:
    most = max(2, int(_count_samples(study)["samples"].max()))
    first = _keep_first_metric(study)
    return {
        "metric": {"value": first, "more": glossary(METRICS.values()), "width": 360},
        "samples": {"value": min(Settings.samples, most), "span": (2, most)},
        "cross": {"value": 0, "span": (0, LARGEST)},
        "encoder": {"placeholder": "MiniLM (included)"},
    }


def _keep_first_metric(study: Study) -> str:
    key = f"metric-{study.dataset}"
    if key not in st.session_state:
        measured = choose_metric(study.store, study.dataset) or _find_active_metric(study)
        st.session_state[key] = measured or list_preferred()[0]
    return str(st.session_state[key])


def _find_active_metric(study: Study) -> str:
    runs = map(study.store.runs.get, study.store.run_counts.list_unfinished())
    mine = (run for run in runs if run.task == "measure" and run.dataset == study.dataset)
    return next((str(run.settings["metric"]) for run in mine), "")


def _is_measured(study: Study, selection: Selection, settings: Settings) -> bool:
    settings = settings.fill_metric(study.store, study.dataset)
    wants = request_similarities(selection, settings)
    found = measure.outlook(study.store, wants)
    if not found.n_missing:
        return True
    run = study.store.runs.find(study.dataset, "measure", wants.settings())
    if run is not None and study.store.runs.get(run).status in (Status.QUEUED, Status.RUNNING):
        notice(f"Measuring similarity: {METRICS[settings.metric].label}.")
        runs_now(study, tasks=("measure",))
        return False
    _offer_measuring(study, wants, found, run)
    if not selection.systems:
        return found.measured > 0
    of_pair = replace(wants.chosen, systems=selection.systems)  # of which one may be new
    return study.store.similarities.extent(settings.key, of_pair).done > 0


def _offer_measuring(
    study: Study, wants: MeasurementRequest, found: Extent, run: int | None
) -> None:
    characters = int(_count_samples(study)["characters"].sum())
    seconds = describe_duration(expected_seconds(found, characters, wants.metric))
    of = f" of {found.pairs:,}" if found.measured else ""
    encoded = "precision" in METRICS[wants.metric].takes
    machine = "on two CPU cores, less on a GPU" if encoded else "here"
    notice(
        f"{found.n_missing:,}{of} pairs of texts have no similarity by this metric yet. Measuring "
        f"takes about {seconds} {machine}, once."
    )
    plans = study.store.runs.list_all(kind="run").set_index("run")
    if run is not None and (error := plans.loc[run, "error"]):
        notice(f"The last attempt failed: {error}", kind="problem")
    if st.button("Measure", type="primary"):
        measure.enqueue(study.store, wants, {})
        worker.ensure(study.store.path)
        st.rerun()


def _write_stamp(study: Study, selection: Selection, settings: Settings) -> str:
    settings = settings.fill_metric(study.store, study.dataset)
    measured = measure.outlook(study.store, request_similarities(selection, settings))
    return f"{study.texts_stamp}-{measured}"


def _show_picture(
    study: Study, selection: Selection, settings: Settings, result: Finding
) -> Callable[[], None]:
    """Show the items, to be brushed and chosen; return what shows the chosen one and the rest."""
    settings = settings.fill_metric(study.store, study.dataset)
    return partial(_look_closer, study, selection, settings, result, choose_item(result))


def _look_closer(
    study: Study, selection: Selection, settings: Settings, result: Finding, row: pd.Series | None
) -> None:
    if row is not None:
        show_item(study, settings, row, result.signature)
    link_to_items(selection, settings.metric)
    stamp = _write_stamp(study, selection, settings)
    show_consistency(study, selection, settings, stamp)
    with st.expander("Show more: are there enough texts"):
        show_sample_size(study, selection, settings, result, stamp)


SEPARABILITY = FindingSection(
    "separability",
    (),
    _find_systems,
    rarer=("samples", "cross", "over", "encoder", "precision"),
    offer=lambda study: {"metric": label_metrics(list_preferred()), "over": OVER},
    ask=_ask,
    select=_select,
    is_ready=_is_measured,
    stamp=_write_stamp,
    picture=_show_picture,
    answers="",
    ways_on={"data": "Add texts"},
)
