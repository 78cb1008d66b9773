"""Runs at work: how far, how fast, at what cost, and what to do about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from core.pairing import STRATEGIES
from core.prices import Prices
from core.records import Kind, Status
from core.runs import execution, plans, span, worker
from core.store import Store
from pages.components.judge.run_answers import READERS
from pages.components.shared.faults import action, fragment
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, notice
from pages.components.shared.runs_table import STATES, named
from pages.components.shared.stores import reopen

SHOWN = 12


def asked_so_far(study: Study) -> None:
    """Who has answered here, in the sentence the page opens with."""
    answered = study.store.judgement_frames.answered(study.dataset)
    by = answered[answered["kind"].isin((Kind.LLM, Kind.BASELINE))]
    if by.empty:
        lead(
            "No judge has compared these texts yet. Choose one, and it is asked what people are "
            "asked."
        )
        return
    judges, failed = len(by), int(by["failed"].sum())
    who = "One judge has" if judges == 1 else f"{judges:,} judges have"
    so_far = f"{who} been asked {by['asked'].sum():,} questions about these texts"
    lead(
        f"{so_far}, and left {failed:,} of them unanswered."
        if failed
        else f"{so_far}, and answered them all."
    )


@fragment(every=1.0)
def runs_at_work(study: Study, *, tasks: Sequence[str]) -> None:
    """The runs of these tasks, drawn anew every second: a page that is reloaded or closed does not
    disturb them.
    """
    with reopen(study.store.path) as store:
        frame = plans(store)
        frame = frame[
            frame["task"].isin(tasks)
            & (frame["kind"] == "run")
            & (frame["dataset"] == study.dataset)
        ]
        opened = frame[
            frame["run"] == st.session_state.get("opened")
        ]  # alone, so that its answers are in sight below
        frame = frame.head(SHOWN) if opened.empty else opened
        _tell(store)
        st.header("Runs", anchor=False)
        if frame.empty:
            notice("No runs yet. Choose above and start one.")
        if store.runs.unfinished():
            worker.ensure(store.path)
        for _, run in frame.iterrows():
            _row(store, run)


def _tell(store: Store) -> None:
    """Draw the whole page anew when a run has begun or ended: what else it says has changed."""
    at_work = set(store.runs.unfinished())
    before, st.session_state["at work"] = st.session_state.get("at work", at_work), at_work
    if before != at_work:
        st.rerun()


def _row(store: Store, run: pd.Series) -> None:
    status, number = Status(run["status"]), int(run["run"])
    name, bar, state, actions = st.columns([4.2, 2.2, 3.4, 3], vertical_alignment="center")
    name.html(
        f'<div class="tandem-name">{escape(named(run)).replace("|", "|<wbr>")}<br>'
        f'<span class="tandem-small">{escape(_asked(run))}</span></div>'
    )
    bar.progress(min(run["done"] / max(run["planned"], 1), 1.0))
    state.html(f'<div class="tandem-small" role="status">{escape(_state(store, run))}</div>')
    with actions.container(horizontal=True, gap="small"):
        if run["done"] and run["task"] in READERS and st.button("Open", key=f"open-{number}"):
            st.session_state["opened"] = number
            st.rerun()
        if status in (Status.QUEUED, Status.RUNNING):
            st.button(
                "Stop",
                key=f"stop-{number}",
                on_click=_on(execution.cancel),
                args=(store.path, number),
            )
        elif status in (Status.CANCELLED, Status.FAILED) or _grown(run):
            st.button(
                "Go on",
                key=f"resume-{number}",
                on_click=_on(execution.resume),
                args=(store.path, number),
            )
        if run["failed"] and status is not Status.RUNNING:
            st.button(
                "Ask again",
                key=f"retry-{number}",
                on_click=_on(execution.retry),
                args=(store.path, number),
                help="Asks again only what was not answered.",
            )


def _grown(run: pd.Series) -> bool:
    """Whether a run that was done has more to do, since texts were added."""
    return run["status"] == Status.DONE and run["done"] < run["planned"]


def _on(change: Callable[[Store, int], object]) -> Callable[[Path, int], None]:
    """A button's callback: it runs before the page is drawn, with a store of its own."""

    @action
    def act(path: Path, run: int) -> None:
        with reopen(path) as store:
            change(store, run)

    return act


def _asked(run: pd.Series) -> str:
    settings, budget = (
        json.loads(run["settings"]),
        f", {run['budget']:.0f} an item" if pd.notna(run["budget"]) else "",
    )
    strategy = STRATEGIES.get(run["strategy"])
    what = {
        "compare": f"{strategy.label if strategy else run['strategy']}{budget}",
        "score": "each text marked once",
        "generate": f"{settings.get('samples')} texts an item by {settings.get('model')}",
    }[run["task"]]
    attributes = ", ".join(settings.get("attributes", ()))
    return f"run {run['run']} · {what}" + (f" · {attributes}" if attributes else "")


def _state(store: Store, run: pd.Series) -> str:
    """What a run is doing, in words, with what it says so far, the time left and the cost."""
    words = [f"{STATES[run['status']]} · {run['done']:,} of {run['planned']:,}"]
    if _grown(run):
        words.append("texts were added since")
    if run["failures"]:
        words.append(
            "unanswered: "
            + ", ".join(f"{count:,} {reason}" for reason, count in run["failures"].items())
        )
    first, decided = store.runs.firsts(int(run["run"])) if run["task"] == "compare" else (0, 0)
    if decided:
        words.append(f"the text shown first won {first / decided:.0%}")
    if run["per_second"]:
        left = span((run["planned"] - run["done"]) / run["per_second"])
        words.append(f"{run['per_second']:,.1f} a second · about {left} left")
    prices = Prices.stored(json.loads(run["execution"]))
    if prices.any:
        words.append(f"cost {prices.cost(*store.runs.tokens(int(run['run']))):,.2f} so far")
    if run["error"]:
        words.append(run["error"])
    return " · ".join(words)
