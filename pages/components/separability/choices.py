"""The choices of the separability page, and the measurement of what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.campaigns import ordering
from core.findings.judgements import Selection
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
from core.store import ChosenGenerations, Extent, Store
from pages.components.judge.active_runs import runs_now
from pages.components.shared.address import LARGEST, bind_choice
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import Choices, choose_item_set, choose_subset
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.runs_table import workers
from pages.components.shared.settings import choose_kept

ALL_PAIRS = "all pairs of systems"
OFFERED = ("dataset", "pair", "all")
"""Scales that the page offers: a selection here is of two systems, or of all."""


@dataclass(frozen=True)
class SeparabilityChoice:
    """Items and systems to look at, and the settings of the measurement."""

    selection: Selection
    settings: Settings
    characters: int

    @property
    def similarities(self) -> MeasurementRequest:
        """Return the request for the similarities that this choice needs."""
        return request_similarities(self.selection, self.settings)

    @property
    def pair(self) -> tuple[str, str] | None:
        """Return the two chosen systems; None if not exactly two are chosen."""
        one_pair = len(self.selection.systems) == 2
        return (self.selection.systems[0], self.selection.systems[1]) if one_pair else None


def choices(study: Study) -> SeparabilityChoice | None:
    """Ask for systems and settings; None, with a notice, if something is missing."""
    sampled = study.store.similarities.count_samples(
        ChosenGenerations(study.dataset, samples=10_000)
    )
    several = sampled[sampled["several"] > 0]
    if len(several) < 2:
        _explain_missing_texts(study, sampled)
        return None
    systems = several["system"].tolist()
    row = Choices()
    pairs: dict[str, tuple[str, ...]] = {
        f"{system_a} / {system_b}": (system_a, system_b)
        for system_a, system_b in combinations(systems, 2)
    }
    if len(pairs) > 1:
        pairs = {ALL_PAIRS: (), **pairs}
    bound = bind_choice("systems", next(iter(pairs)), list(pairs))
    pair = row.place().selectbox("Systems", list(pairs), width=300, **bound)
    metrics = label_metrics(list_preferred())
    metric = choose_kept(
        row.place(), Settings, "metric", metrics, _keep_first_metric(study),
        more=glossary(METRICS.values()), width=360,
    )  # fmt: skip
    selection = Selection(
        study.dataset,
        subset=choose_subset(study, row),
        systems=pairs[pair],
        item_set=choose_item_set(study, row),
    )
    settings = _settings(row.further, metric, int(several["samples"].max()))
    settings = settings.fill_metric(study.store, study.dataset)
    return SeparabilityChoice(selection, settings, int(sampled["characters"].sum()))


def _settings(more: DeltaGenerator, metric: str, most: int) -> Settings:
    most = max(2, most)
    samples = choose_kept(
        more, Settings, "samples", first=min(Settings.samples, most), span=(2, most)
    )
    cross = choose_kept(more, Settings, "cross", first=0, span=(0, LARGEST))
    over = choose_kept(more, Settings, "over", OFFERED)
    encoder, precision = "", Settings.precision
    if "precision" in METRICS[metric].takes:
        encoder = choose_kept(more, Settings, "encoder", placeholder="MiniLM (included)").strip()
        precision = choose_kept(more, Settings, "precision")
    return Settings(metric, encoder, precision, samples, cross or None, over)


def _keep_first_metric(study: Study) -> str:
    """Return the metric to begin with in this session: the usual or the one being measured."""
    key = f"metric-{study.dataset}"
    if key not in st.session_state:
        measured = choose_metric(study.store, study.dataset) or _find_active_metric(study)
        st.session_state[key] = measured or list_preferred()[0]
    return str(st.session_state[key])


def _find_active_metric(study: Study) -> str:
    """Return the metric of the next or running measurement of this data set, or ''."""
    runs = map(study.store.runs.get, study.store.run_counts.list_unfinished())
    mine = (run for run in runs if run.task == "measure" and run.dataset == study.dataset)
    return next((str(run.settings["metric"]) for run in mine), "")


def _explain_missing_texts(study: Study, sampled: pd.DataFrame) -> None:
    several = sampled.loc[sampled["several"] > 0, "system"].tolist()
    if not len(sampled) and study.store.texts.lacks_texts(study.dataset):
        reason = "Separability compares texts, but this data set holds votes without theirs."
    elif not len(sampled):
        reason = "Separability compares two systems, but this data set has no texts."
    elif len(sampled) < 2:
        reason = "Separability compares two systems, but this data set has texts by only one."
    elif several:
        reason = (
            "Separability compares several texts per item by two systems. Only "
            f"{several[0]} has them here."
        )
    else:
        reason = (
            "Separability compares several texts per item by two systems. Here each system has "
            "only one."
        )
    notice(
        f"{reason} On the Data page you can import texts with a column sample (0, 1, 2 …). A "
        "model can also generate several for each item."
    )
    next_step_links(data="Add texts")


ORDERS = {"random": "in random order", "order": "most separable first"}


def choose_order(study: Study, choice: SeparabilityChoice) -> None:
    """Show the order of annotation, and let it be switched. Existing judgements stay."""
    st.header("Order of annotation", anchor=False)
    campaign = study.store.campaigns.default(study.dataset)
    set_order = study.store.campaigns.ordering(campaign.id)
    now = set_order.partition("|")[0]
    show_caption(
        "A judgement says little where two texts cannot be told apart. Annotators can get the "
        "most separable pairs first."
    )
    wanted = st.segmented_control(
        "Annotators get the pairs",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        default=now if now in ORDERS else None,
        key=f"ordering-{study.dataset}",
    )
    if now not in ORDERS:
        show_caption(f"Set on the command line: {set_order}")
    if wanted and wanted != now:
        with show_faults():
            forgotten = ordering.forgotten(study.store, campaign)
            if wanted == "random":
                ordering.order_at_random(study.store, campaign)
            else:
                ordering.first_by_separability(
                    study.store,
                    campaign,
                    BySeparability("order"),
                    metric=choice.settings.metric,
                    encoder=choice.settings.encoder,
                )
            notice(f"From now on annotators get the pairs {ORDERS[wanted]}.", kind="good")
            if forgotten:
                show_caption(f"{forgotten}.")


AT_WORK = (Status.QUEUED, Status.RUNNING)


def is_measured(study: Study, choice: SeparabilityChoice) -> bool:
    """Check whether there is something to show; if not, say so and offer to measure it."""
    wants = choice.similarities
    found = measure.outlook(study.store, wants)
    if not found.n_missing:
        return True
    run = study.store.runs.find(choice.selection.dataset, "measure", wants.settings())
    if run is not None and Status(study.store.runs.get(run).status) in AT_WORK:
        notice(f"Measuring similarity: {METRICS[choice.settings.metric].label}.")
        runs_now(study, tasks=("measure",))
        return False
    _offer(study, choice, found, run)
    return _is_partly_measured(study.store, choice, wants, found)


def _is_partly_measured(
    store: Store, choice: SeparabilityChoice, wants: MeasurementRequest, found: Extent
) -> bool:
    """Check whether similarities suffice for these systems, of which some may be new."""
    if choice.pair is None:
        return found.measured > 0
    key = wants.make().signatures[wants.metric]
    return store.similarities.extent(key, replace(wants.chosen, systems=choice.pair)).done > 0


def _offer(study: Study, choice: SeparabilityChoice, found: Extent, run: int | None) -> None:
    seconds = describe_duration(expected_seconds(found, choice.characters, choice.settings.metric))
    of = f" of {found.pairs:,}" if found.measured else ""
    encoded = "precision" in METRICS[choice.settings.metric].takes
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
        measure.enqueue(study.store, choice.similarities, spread)
        worker.ensure(study.store.path)
        st.rerun()
