"""Parts of the judge page: what to ask, who answers, the prompt as it will be read, the runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from core import judging, planning, reports, runs, worker
from core.adaptive import SORTS, STRATEGIES
from core.planning import Request
from core.prompts import PROMPTS, fill
from core.records import Question, Status
from core.reports import span
from core.store import Store
from pages.components.frame import Study
from pages.components.notice import notice, small
from pages.components.runs import STATES

WHO = {
    "baseline:embedding": "Baseline: closer in meaning to the context",
    "baseline:longer": "Baseline: the longer text",
    "baseline:random": "Baseline: a coin",
    "hf": "Language model from the Hugging Face hub or a folder",
}
PAIRS = {
    "full": "every pair, in both orders",
    "symmetric": "some pairs, each in both orders",
    "no-repeat": "some pairs, each in one order",
    "random": "some comparisons, drawn at random",
    "ring": "some pairs, every text compared equally often",
    "active": "whatever tells most about the ranking next",
    "pairs-greedy": "sort: as few as a ranking needs",
    "pairs-beam": "sort, and look again where it is close",
}
ALL = "all attributes"


@dataclass(frozen=True)
class Chosen:
    """What the form asks for."""

    request: Request
    judge: str
    prompt: str


def choose(study: Study) -> Chosen | None:
    """What to ask and who answers; None while something is missing. The button starts the run."""
    attributes = [attribute.name for attribute in study.store.attributes(study.dataset)]
    what, who = st.columns(2, gap="large")
    with what:
        st.subheader("What to ask", anchor=False)
        attribute = st.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes)
        strategy = st.selectbox("Pairs", list(STRATEGIES), format_func=lambda name: PAIRS.get(name, name))
        budget = None
        if strategy not in ("full", *SORTS):
            step = 2 if strategy == "symmetric" else 1
            budget = st.number_input(
                "Comparisons per item and attribute",
                min_value=step,
                value=6,
                step=step,
                help="More than there are means all.",
            )
    with who:
        st.subheader("Who answers", anchor=False)
        family = st.selectbox("Judge", list(WHO), format_func=WHO.__getitem__)
        judge, prompt = family, ""
        if family == "hf":
            name = st.text_input("Model", placeholder="google/flan-t5-base, or a folder on this machine").strip()
            prompt = st.selectbox("Prompt", list(PROMPTS))
            judge = f"hf:{name}" if name else ""
    request = Request(
        study.dataset, strategy, int(budget) if budget else None, () if attribute in (ALL, None) else (attribute,)
    )
    if not judge:
        notice("Name a model: the name it has on the Hugging Face hub, or the folder it lies in.")
        return None
    chosen = Chosen(planning.checked(study.store, request), judge, prompt)
    _start(study, chosen)
    return chosen


def _start(study: Study, chosen: Chosen) -> None:
    outlook = planning.outlook(study.store, chosen.request)
    words, button = st.columns([5, 1.4], vertical_alignment="center")
    cost = "no cost" if chosen.judge else ""
    words.html(f'<p class="tandem-lead"><b>{outlook.comparisons:,} comparisons</b> on this machine, {cost}.</p>')
    for note in outlook.notes:
        small(note)
    if button.button("Start", type="primary", width="stretch"):
        spec = judging.make_judge(chosen.judge, prompt=PROMPTS[chosen.prompt] if chosen.prompt else None).spec
        run = planning.enqueue(study.store, spec, chosen.request)
        counts = study.store.run_counts(run)
        if counts["asked"] == counts["planned"]:
            notice(f"{spec.name} has answered all of these already: see the leaderboard.", kind="good")
        else:
            worker.ensure(study.store.path)


def preview(study: Study, chosen: Chosen | None) -> None:
    """The prompt filled with a real pair, exactly as a model reads it."""
    if chosen is None or not chosen.prompt:
        return
    question = _example(study, chosen)
    if question:
        with st.expander("The prompt, filled with a real pair", expanded=True), st.container(height=300, border=False):
            st.text(fill(PROMPTS[chosen.prompt], question))


def _example(study: Study, chosen: Chosen) -> Question | None:
    texts = study.store.generations(study.dataset)
    first = (
        texts[texts["item"] == texts["item"].iloc[0]].drop_duplicates("system").dropna(subset="text")
        if len(texts)
        else texts
    )
    if len(first) < 2:
        return None
    about = study.store.datasets().set_index("dataset").loc[study.dataset]
    items = study.store.items(study.dataset).set_index("item")
    attributes = {attribute.name: attribute for attribute in study.store.attributes(study.dataset)}
    return Question(
        comparison=0,
        context=items.loc[first["item"].iloc[0], "context"],
        text_a=first["text"].iloc[0],
        text_b=first["text"].iloc[1],
        attribute=attributes[chosen.request.attributes[0]],
        context_noun=about["context_noun"],
        candidate_noun=about["candidate_noun"],
    )


@st.fragment(run_every=1.0)
def runs_at_work(study: Study) -> None:
    """The runs, drawn anew every second: a page that is reloaded or closed does not disturb them."""
    with Store(study.store.path) as store:
        frame = reports.plans(store)
        frame = frame[(frame["kind"] == "run") & (frame["dataset"] == study.dataset)].head(10)
        st.subheader("Runs", anchor=False)
        if frame.empty:
            notice("No runs yet. Choose above and press Start.")
        if store.unfinished_runs():
            worker.ensure(store.path)
        for _, run in frame.iterrows():
            _row(store, run)


def _row(store: Store, run: pd.Series) -> None:
    status = Status(run["status"])
    name, bar, state, actions = st.columns([4.4, 3, 3, 2], vertical_alignment="center")
    name.html(f'<div>{escape(run["judge"])}<br><span class="tandem-small">{escape(_asked(run))}</span></div>')
    share = run["done"] / max(run["planned"], 1)
    bar.progress(share)
    state.html(f'<div class="tandem-small" role="status">{escape(_state(run))}</div>')
    with actions.container(horizontal=True, gap="small"):
        if status in (Status.QUEUED, Status.RUNNING):
            st.button("Stop", key=f"stop-{run['run']}", on_click=_on(runs.cancel), args=(store.path, run["run"]))
        elif status in (Status.CANCELLED, Status.FAILED):
            st.button("Go on", key=f"resume-{run['run']}", on_click=_on(runs.resume), args=(store.path, run["run"]))
        if run["failed"] and status is not Status.RUNNING:
            st.button("Ask again", key=f"retry-{run['run']}", on_click=_on(runs.retry), args=(store.path, run["run"]))


def _on(change: Callable[[Store, int], object]) -> Callable[[Path, int], None]:
    """A button's callback: it runs before the page is drawn, with a store of its own."""

    def act(path: Path, run: int) -> None:
        with Store(path) as store:
            change(store, int(run))

    return act


def _asked(run: pd.Series) -> str:
    budget = f", {run['budget']:.0f} an item" if pd.notna(run["budget"]) else ""
    return f"run {run['run']} · {PAIRS[run['strategy']]}{budget}"


def _state(run: pd.Series) -> str:
    """What a run is doing, in words, with the time left."""
    words = f"{STATES[run['status']]} · {run['done']:,} of {run['planned']:,}"
    if run["failures"]:
        words += " · unanswered: " + ", ".join(f"{count:,} {reason}" for reason, count in run["failures"].items())
    if run["per_second"]:
        words += f" · {run['per_second']:,.1f} a second · about {span((run['planned'] - run['done']) / run['per_second'])} left"
    if run["error"]:
        words += f" · {run['error']}"
    return words
