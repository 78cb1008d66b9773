"""A judge asked about the pairs that people have answered, with one press."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.findings.people import Scope
from core.judging import registry
from core.pairing import Request, planning
from core.records import Kind, TandemError
from core.runs import worker
from core.store import Store
from pages.components.shared.faults import action
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice, small
from pages.components.shared.stores import reopen

ASKED = "same pairs asked"


def ask_a_judge(study: Study, scope: Scope) -> None:
    """The judges that this store knows, and the button that asks one."""
    with st.expander("Let a judge answer the same pairs"):
        judges = _known(study.store)
        if not judges:
            small("No judge has answered here yet. Set one up, and choose the pairs of people.")
            ways_on(judge="Set up a judge")
            return
        row = st.container(horizontal=True, vertical_alignment="bottom")
        name = row.selectbox("Judge", judges, width=420, key="judge of same pairs")
        attribute = scope.selection.attribute
        row.button(
            "Ask the same pairs", type="primary", on_click=_ask,
            args=(study.store.path, study.dataset, attribute, name),
        )  # fmt: skip
        small("Every pair that people have answered, in both orders. What it has answered counts.")
    if said := st.session_state.pop(ASKED, ""):
        notice(said, kind="good")
        ways_on(judge="See the run", agreement="Agreement")


def _known(store: Store) -> list[str]:
    """Judges that this program can ask to compare two texts again."""
    every = store.judges.all()
    every = every[every["kind"].isin((Kind.LLM, Kind.BASELINE)) & (every["spec"] != "")]
    return [row.judge for row in every.itertuples() if _compares(row.spec, row.mode)]


def _compares(spec: str, mode: str) -> bool:
    try:
        return registry.find(spec, mode).answers == "comparisons"
    except TandemError:  # it came with a file, under a name that is nobody's here
        return False


@action
def _ask(path: Path, dataset: str, attribute: str | None, name: str) -> None:
    request = Request(dataset, "same-pairs", attributes=(attribute,) if attribute else ())
    with reopen(path) as store:
        number = planning.outlook(store, request).comparisons
        planning.enqueue(store, store.judges.spec(name), request)
    worker.ensure(path)
    st.session_state[ASKED] = f"{name} is asked {number:,} comparisons, those of people."
