"""Form for the questions of a run: attribute, pairs and budget. For a probe: the judge, what is
changed and the number of comparisons.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.judging import PROBES, Judge, ServerList, find_probe, registry, remake
from core.labels import glossary
from core.pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, planning
from core.records import Kind, TandemError
from core.runs import execution, preview, probe, score, worker
from core.store import Store
from pages.components.judge.active_runs import STARTED
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_faults
from pages.components.shared.settings import SettingsForm, choose_setting

ALL = "all attributes"


def ask(study: Study, *, marks: bool) -> preview.JudgingRequest:
    """Show the form of what to ask: pairs, or texts for a judge that `marks` them one by one.

    Raises TandemError if the data set has nothing of the kind.
    """
    st.header("What to ask", anchor=False)
    about = _choose_attributes(study, st.container())
    if marks:
        show_caption(
            "This judge scores each text once. Comparisons are derived from the scores wherever "
            "they are needed."
        )
    kind = score.ScoringRequest if marks else planning.Request
    form = SettingsForm[preview.JudgingRequest](kind(study.dataset, attributes=about))
    if not marks:
        _choose_pairs(form)
    _choose_texts(study, form)
    return preview.check_request(study.store, form.read())


def _choose_attributes(study: Study, row: DeltaGenerator, key: str = "about") -> tuple[str, ...]:
    names = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    name = row.selectbox("Attribute", [ALL, *names] if len(names) > 1 else names, key=key)
    return () if name in (ALL, None) else (name,)


def _choose_pairs(form: SettingsForm[preview.JudgingRequest]) -> None:
    name = form.ask(st.container(), "strategy", more=glossary(STRATEGIES.values()))
    strategy = STRATEGIES[name]
    if "budget" in strategy.takes and not strategy.sorts:
        step = 2 if strategy.even else 1
        form.ask(st.container(), "budget", value=6, min_value=step, step=step)
    if strategy.sorts:  # PairS (Liu et al. 2024)
        form.ask(st.container(), "calibrate")
    if strategy.sorts and "beam_size" in strategy.takes:
        size, gap = st.columns(2)
        form.ask(size, "beam_size", value=BEAM_SIZE)
        form.ask(gap, "prob_gap", value=PROB_GAP, step=0.05)


def _choose_texts(study: Study, form: SettingsForm[preview.JudgingRequest]) -> None:
    with st.expander("More"):
        subsets = study.store.datasets.subsets(study.dataset)
        subset = st.selectbox("Items", ["all", *subsets]) if subsets else "all"
        form.values["subset"] = "" if subset == "all" else subset
        systems = study.store.datasets.systems(study.dataset)
        form.values["systems"] = tuple(
            st.multiselect("Systems", systems, placeholder="all of them")
        )
        for column, name in zip(st.columns(3), ("samples", "seed", "trial"), strict=True):
            form.ask(column, name)


ABOUT = (
    "The judge is asked again about comparisons that it has answered, with one text changed. No "
    "change says anything about quality. What they move is on Judges, Bias. Stored texts stay."
)


CHANGES = " ".join(f"**{one.name}**: the text {one.does}." for one in PROBES.values())


def probe_a_judge(study: Study) -> None:
    """Show the form for probes, once a rule or model has compared texts here."""
    answered = study.store.judgement_frames.count_answers(study.dataset)
    names = list_comparing(study.store, answered)
    if not names:
        return
    with st.expander("Probe a judge"):
        show_caption(ABOUT)
        with show_faults():
            _show_form(study, names)


def _show_form(study: Study, names: list[str]) -> None:
    who, what = st.columns([6, 7], gap="large")
    name = who.selectbox("Judge that is probed", names)
    about = _choose_attributes(study, who, "probe-about")
    number = choose_setting(who, probe.ProbeRequest, "number")
    chosen = what.multiselect(
        "Changes", list(PROBES), default=["authority", "bandwagon"],
        help=f"Or write a sentence to add. {CHANGES}", accept_new_options=True,
    )  # fmt: skip
    request = probe.ProbeRequest(
        study.dataset, tuple(map(find_probe, chosen)), number=number, attributes=about
    )
    judge, how = _make_again(study, name)
    if request.probes:
        show_caption(f"At most {request.expect(study.store, judge.spec):,} comparisons.")
    else:
        show_caption("Choose a change, or write a sentence to add.")
    if st.button("Start the probe", disabled=not request.probes):
        _start(study, probe.enqueue(study.store, judge, request, how))


def _start(study: Study, run: int) -> None:
    standing = execution.load_progress(study.store, run)
    if standing.done == standing.planned:
        notice("This judge has answered all of these already: see Judges, Bias.", kind="good")
        return
    st.session_state[STARTED] = run
    worker.ensure(study.store.path)
    st.rerun()


def list_comparing(store: Store, judges: pd.DataFrame) -> list[str]:
    """Return the rules and models among these judges that can be asked to compare texts again."""
    names = judges.loc[judges["kind"].isin((Kind.LLM, Kind.BASELINE)), "judge"].tolist()
    return [name for name in names if _is_comparison_judge(store, name)]


def _is_comparison_judge(store: Store, name: str) -> bool:
    spec = store.judges.spec(name)
    try:
        return registry.find(spec.spec, spec.mode).answers == "comparisons"
    except TandemError:  # imported, or of a family that is no more
        return False


def _make_again(study: Study, name: str) -> tuple[Judge, dict[str, Any]]:
    store = study.store
    runs = store.runs.load_asking(study.dataset)
    latest = runs.loc[runs["judge"] == name, "run"]
    how = store.runs.get(int(latest.iloc[-1])).execution if len(latest) else {}
    judge = remake(store.judges.spec(name), how, ServerList(store.path).permit)
    assert isinstance(judge, Judge)
    return judge, how
