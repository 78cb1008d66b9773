"""Runs: how far, how fast, at what cost, how they are spread, and what to do about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from core.failures import count_kinds
from core.labels import describe_duration, pluralize, shorten_judges
from core.pairing import STRATEGIES
from core.prices import Prices
from core.records import Kind, Status
from core.runs import execution, load_overview, worker
from core.store import Store
from pages.components.judge.run_answers import READERS
from pages.components.shared.frame import Study
from pages.components.shared.notice import fragment, show_caption, show_headline
from pages.components.shared.stores import reopen, store_action

SHOWN = 12
STARTED = "started"  # the run that this session has started last
DRAWN = "runs drawn beside the button"


def asked_so_far(study: Study) -> None:
    """Show how many questions judges have been asked here, as the first sentence of the page."""
    answered = study.store.judgement_frames.count_answers(study.dataset)
    by = answered[answered["kind"].isin((Kind.LLM, Kind.BASELINE))]
    if by.empty:
        show_headline(
            "No judge has compared these texts yet. Choose one, and it is asked what people are "
            "asked."
        )
        return
    judges, failed = len(by), int(by["failed"].sum())
    who = "One judge has" if judges == 1 else f"{judges:,} judges have"
    asked = pluralize(int(by["asked"].sum()), "question")
    more = " so far" if _is_active(_runs(study.store, study.dataset, ("compare",))).any() else ""
    so_far = f"{who} been asked {asked} about these texts{more}"
    show_headline(
        f"{so_far}, and left {failed:,} of them unanswered."
        if failed
        else f"{so_far}, and answered them all."
    )


def runs_now(study: Study, *, tasks: Sequence[str]) -> None:
    """Show the progress of active runs of these tasks, and of the latest run started here."""

    def draw(store: Store) -> None:
        runs = _runs(store, study.dataset, tasks)
        drawn = runs[_mask_current_runs(runs)]
        st.session_state[DRAWN] = set(drawn["run"])
        for _, run in drawn.iterrows():
            show_run(store, run, narrow=True)

    draw_while_at_work(study.store, draw, every=1.0)


def runs_before(study: Study, *, tasks: Sequence[str]) -> None:
    """Show the other runs of these tasks.

    A run that is opened is shown alone, so that its answers are in sight below.
    """
    runs = _runs(study.store, study.dataset, tasks)
    opened = runs[runs["run"] == st.session_state.get("opened")]
    if opened.empty:
        # one that has ended since it was drawn above is drawn below the next time
        opened = runs[
            ~_mask_current_runs(runs) & ~runs["run"].isin(st.session_state.pop(DRAWN, ()))
        ]
    if opened.empty:
        return
    st.header("Runs", anchor=False)
    for _, run in opened.head(SHOWN).iterrows():
        show_run(study.store, run)
    if len(opened) > SHOWN:
        show_caption(f"The latest {SHOWN} of {len(opened):,} runs. The command `runs` lists all.")


def _runs(store: Store, dataset: str, tasks: Sequence[str]) -> pd.DataFrame:
    runs = load_overview(store, dataset=dataset, kind="run")
    return runs[runs["task"].isin(tasks)]


def _mask_current_runs(runs: pd.DataFrame) -> pd.Series:
    started = runs["run"] == st.session_state.get(STARTED)
    return (_is_active(runs) | started) & (runs["run"] != st.session_state.get("opened"))


def _is_active(runs: pd.DataFrame) -> pd.Series:
    return runs["status"].isin((Status.QUEUED, Status.RUNNING)) & (runs["batched"] == 0)


def show_run(store: Store, run: pd.Series, *, narrow: bool = False) -> None:
    """Show a run: judge, task, progress, state and buttons, in a line or, if `narrow`, in three."""
    if narrow:
        what, actions = st.columns([7, 4], vertical_alignment="center")
        name, bar, state = (what.container() for _ in range(3))
    else:
        name, bar, state, actions = st.columns([4.2, 2.2, 3.4, 3], vertical_alignment="center")
    name.html(
        f'<div class="tandem-name">{escape(shorten_judges(name_run(run)))}<br>'
        f'<span class="tandem-small">{escape(_describe_request(run))}</span></div>'
    )
    bar.progress(min(run["done"] / max(run["planned"], 1), 1.0))
    state.html(f'<div class="tandem-small" role="status">{escape(_state(store, run))}</div>')
    with actions.container(horizontal=True, gap="small"):
        _actions(run)


def _actions(run: pd.Series) -> None:
    status, number = Status(run["status"]), int(run["run"])
    if run["done"] and run["task"] in READERS and st.button("Open", key=f"open-{number}"):
        st.session_state["opened"] = number
        st.rerun()
    is_here = not run["batched"]  # a batch is collected by the command that submitted it
    if is_here and status in (Status.QUEUED, Status.RUNNING):
        _button("Stop", f"stop-{number}", execution.cancel, number)
    elif is_here and (status in (Status.CANCELLED, Status.FAILED) or _has_grown(run)):
        _button("Go on", f"resume-{number}", execution.resume, number)
    if run["failed"] and status is not Status.RUNNING:
        left = "Asks again only what was not answered."
        _button("Ask again", f"retry-{number}", execution.retry, number, help=left)


def _button(
    label: str, key: str, change: Callable[[Store, int], object], run: int,
    help: str | None = None,
) -> None:  # fmt: skip
    st.button(label, key=key, on_click=store_action()(change), args=(run,), help=help)


def _has_grown(run: pd.Series) -> bool:
    """Check whether a finished run has more to do because texts were added."""
    return run["status"] == Status.DONE and run["done"] < run["planned"]


def _describe_request(run: pd.Series) -> str:
    settings = json.loads(run["settings"])
    budget = f", {run['budget']:.0f} an item" if pd.notna(run["budget"]) else ""
    strategy = STRATEGIES.get(run["strategy"])
    what = {
        "compare": f"{strategy.label if strategy else run['strategy']}{budget}",
        "score": "each text scored once",
        "attack": f"probed: {', '.join(one for one, *_ in settings.get('attacks', ()))}",
        "measure": "pairs of texts, item by item",
        "generate": f"{settings.get('samples')} texts an item by {settings.get('model')}",
    }[run["task"]]
    attributes = ", ".join(settings.get("attributes", ()))
    return f"run {run['run']} · {what}" + (f" · {attributes}" if attributes else "")


def _state(store: Store, run: pd.Series) -> str:
    state = WAITING if run["batched"] else STATES[run["status"]]
    words = [f"{state} · {run['done']:,} of {run['planned']:,}"]
    if run["batched"]:
        words.append(f"{run['batched']:,} handed over")
    if _has_grown(run):
        words.append("texts were added since")
    if kinds := [f"{count:,} {kind}" for kind, count in count_kinds(run["failures"]).items()]:
        words.append(f"unanswered: {', '.join(kinds)}")
    is_comparing = run["task"] == "compare"
    first, decided = store.run_counts.firsts(int(run["run"])) if is_comparing else (0, 0)
    if decided:
        words.append(f"the text shown first won {first / decided:.0%}")
    if run["per_second"]:
        left = describe_duration((run["planned"] - run["done"]) / run["per_second"])
        words.append(f"{run['per_second']:,.1f} a second · about {left} left")
    tokens = store.run_counts.tokens(int(run["run"]))
    prices = Prices.from_execution(json.loads(run["execution"]))
    spent = [f"{tokens[0]:,} tokens"] if any(tokens) else []
    spent += [f"cost {prices.cost(*tokens):,.2f}"] if prices.has_any else []
    if spent:
        words.append(f"{', '.join(spent)}{'' if run['status'] == Status.DONE else ' so far'}")
    if run["error"]:
        words.append(run["error"])
    return " · ".join(words)


STATES = {
    "queued": "waiting",
    "running": "running",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
}
WAITING = "waiting for a batch (judge --batch collect)"


def name_run(run: Mapping[Hashable, Any] | pd.Series) -> str:
    """Return the judge of a run, marked if probed; what the run does if it has no judge."""
    if isinstance(run["judge"], str):
        return f"{run['judge']}, probed" if run["task"] == "attack" else run["judge"]
    settings = json.loads(run["settings"])
    return {
        "measure": f"similarity: {settings.get('metric')}",
        "generate": str(settings.get("system")),
    }.get(run["task"], "")


def draw_while_at_work(store: Store, draw: Callable[[Store], None], *, every: float = 2.0) -> None:
    """Draw a part of the page, and redraw it `every` seconds while any run waits or works.

    When a run begins or ends, the whole page is drawn, since other parts have changed.
    """
    at_work = store.run_counts.list_unfinished()

    def redraw() -> None:
        with reopen() as store:
            if store.run_counts.list_unfinished() != at_work:
                st.rerun()
            if at_work:
                worker.ensure(store.path)  # also where the one that was at it has died
            draw(store)

    fragment(redraw, every=every if at_work else None)()
