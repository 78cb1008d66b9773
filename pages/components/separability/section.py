"""The page Separability: which items tell two systems apart, once similarities are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pandas as pd
import streamlit as st

from core.campaigns import ordering
from core.findings.judgements import Finding, Selection
from core.findings.separability import (
    Settings,
    choose_metric,
    label_metrics,
    list_preferred,
    request_similarities,
)
from core.labels import describe_duration, glossary
from core.pairing import BySeparability
from core.records import Status
from core.runs import expected_seconds, measure, worker
from core.similarity import METRICS, MeasurementRequest
from core.store import ChosenGenerations, Extent
from pages.components.judge.active_runs import runs_now, workers
from pages.components.separability.consistency import show_consistency, show_sample_size
from pages.components.separability.items import choose_item, link_to_items, show_item
from pages.components.shared.address import LARGEST, bind_choice
from pages.components.shared.filters import Choices, choose_item_set, choose_subset
from pages.components.shared.finding import FindingSection
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_faults

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
    spread = workers(study, "measure")
    if st.button("Measure", type="primary"):
        measure.enqueue(study.store, wants, spread)
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
    with st.expander("Show more: are there enough texts, and in which order to annotate"):
        show_sample_size(study, selection, settings, result, stamp)
        _choose_order(study, settings)


ORDERS = {"random": "in random order", "order": "most separable first"}


def _choose_order(study: Study, settings: Settings) -> None:
    st.header("Order of annotation", anchor=False)
    campaign = study.store.campaigns.default(study.dataset)
    set_order = study.store.campaigns.ordering(campaign.id)
    now = set_order.partition("|")[0]
    show_caption(
        "A judgement says little where two texts cannot be told apart. Annotators can get the "
        "most separable pairs first."
    )
    wanted = st.segmented_control(
        "Annotators get the pairs", list(ORDERS), format_func=ORDERS.__getitem__,
        default=now if now in ORDERS else None, key=f"ordering-{study.dataset}",
    )  # fmt: skip
    if now not in ORDERS:
        show_caption(f"Set on the command line: {set_order}")
    if not wanted or wanted == now:
        return
    with show_faults():
        forgotten = ordering.forgotten(study.store, campaign)
        if wanted == "random":
            ordering.order_at_random(study.store, campaign)
        else:
            ordering.first_by_separability(
                study.store, campaign, BySeparability("order"),
                metric=settings.metric, encoder=settings.encoder,
            )  # fmt: skip
        notice(f"From now on annotators get the pairs {ORDERS[wanted]}.", kind="good")
        if forgotten:
            show_caption(f"{forgotten}.")


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
