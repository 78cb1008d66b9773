"""Form for the questions of a run: attribute, pairs and budget. For a probe: the judge, what is
changed and the number of comparisons.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.judging import PROBES, Judge, ServerList, find_probe, registry, remake
from core.labels import glossary
from core.pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Strategy, TextRequest, planning
from core.records import Candidate, Kind, Question, TandemError
from core.runs import execution, probe, score, worker
from core.store import Store
from pages.components.judge.active_runs import STARTED
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import choose_number, choose_setting, describe_setting

ALL = "all attributes"


def ask(study: Study, *, marks: bool) -> planning.Request | score.ScoringRequest:
    """Show the form of what to ask: pairs, or texts for a judge that `marks` them one by one.

    Raises TandemError if the data set has nothing of the kind.
    """
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    st.header("What to ask", anchor=False)
    attribute = st.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes)
    about = () if attribute in (ALL, None) else (attribute,)
    if marks:
        show_caption(
            "This judge scores each text once. Comparisons are derived from the scores wherever "
            "they are needed."
        )
        request = score.ScoringRequest(
            study.dataset, attributes=about, **_choose_advanced_settings(study)
        )
        return request.fill_attributes(study.store)
    name = choose_setting(
        st.container(), planning.Request, "strategy", more=glossary(STRATEGIES.values())
    )
    strategy = STRATEGIES[name]
    settings: dict[str, Any] = {"attributes": about}
    if "budget" in strategy.takes and not strategy.sorts:
        step = 2 if strategy.even else 1
        settings["budget"] = choose_number(
            st.container(), planning.Request, "budget", 6, min_value=step, step=step
        )
    if strategy.sorts:
        settings |= _sort(strategy)
    settings |= _choose_advanced_settings(study)
    return planning.check_request(study.store, planning.Request(study.dataset, name, **settings))


def _sort(strategy: Strategy) -> dict[str, Any]:
    """Ask for the options of PairS (Liu et al. 2024)."""
    found: dict[str, Any] = {
        "calibrate": st.checkbox(**describe_setting(planning.Request, "calibrate"))
    }
    if "beam_size" in strategy.takes:
        size, gap = st.columns(2)
        found["beam_size"] = choose_number(size, planning.Request, "beam_size", BEAM_SIZE)
        found["prob_gap"] = choose_number(gap, planning.Request, "prob_gap", PROB_GAP, step=0.05)
    return found


def _choose_advanced_settings(study: Study) -> dict[str, Any]:
    """Ask for the settings that most people leave at their defaults."""
    with st.expander("More"):
        subsets = study.store.datasets.subsets(study.dataset)
        subset = st.selectbox("Items", ["all", *subsets]) if subsets else "all"
        systems = st.multiselect(
            "Systems", study.store.datasets.systems(study.dataset), placeholder="all of them"
        )
        numbers = zip(st.columns(3), ("samples", "seed", "trial"), strict=True)
        return {
            "subset": "" if subset == "all" else subset,
            "systems": tuple(systems),
            **{name: choose_number(column, TextRequest, name) for column, name in numbers},
        }


def first_of(
    study: Study, request: planning.Request | score.ScoringRequest, n: int
) -> list[Question] | list[Candidate]:
    """Return the first questions of a request, for a look at them."""
    if isinstance(request, score.ScoringRequest):
        return list(score.list_first_candidates(study.store, request, n))
    return list(planning.preview_questions(study.store, request, n))


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
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    attribute = who.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, key="probe-about"
    )
    number = choose_number(who, probe.ProbeRequest, "number")
    chosen = what.multiselect(
        "Changes", list(PROBES), default=["authority", "bandwagon"],
        help=f"Or write a sentence to add. {CHANGES}", accept_new_options=True,
    )  # fmt: skip
    request = probe.ProbeRequest(
        study.dataset,
        tuple(map(find_probe, chosen)),
        number=number,
        attributes=() if attribute == ALL else (attribute,),
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
    """A judge that has compared texts here, and how its latest run was done."""
    store = study.store
    runs = store.runs.load_asking(study.dataset)
    latest = runs.loc[runs["judge"] == name, "run"]
    how = store.runs.get(int(latest.iloc[-1])).execution if len(latest) else {}
    judge = remake(store.judges.spec(name), how, ServerList(store.path).permit)
    assert isinstance(judge, Judge)
    return judge, how
