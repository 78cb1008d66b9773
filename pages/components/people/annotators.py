"""How each person judges: a sentence, a picture, a table that opens to the votes behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import Estimate, Scale, trust
from core.findings.judgements import Finding
from core.findings.people import Scope, annotators, decisions, surprising, votes
from core.labels import WILSON
from core.records import Kind
from core.rendering.charts import Drawing
from core.store import Store
from pages.components.people.same_pairs import ask_a_judge
from pages.components.people.scope import choose_scope, stamp
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import action, told
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, notice, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.stores import reopen
from pages.components.shared.texts import show_texts
from pages.components.shared.visitor import visit

DONE = "exclusion said"
INFIT = """How badly somebody's decisions fit the strengths that all people's votes come to (Wright
& Masters 1982): 1 on average, higher for random clicks and inverted keys."""
RANGE = "The line is the range of infit that is usual for so many votes."
INTERVALS = f"{RANGE} Shares: {WILSON}."
SHARES = {
    "too_fast": ("too fast", "Of first looks at a pair: less time than reading both texts takes"),
    "p_first": ("first side", "Share of decisive answers for the text shown first"),
    "ties": ("ties", None),
    "both_bad": ("both bad", None),
    "agreement": ("agrees", "With others, over all pairs that others judged too"),
    "self_agreement": ("with oneself", "Second answers that say the same as the first"),
}


@dataclass(frozen=True)
class Behind:
    """The votes behind a person's infit."""

    scope: Scope
    person: str


def show_annotators(study: Study) -> None:
    """All people in one table; of one, the votes that surprise most."""
    scope = choose_scope(study)
    if scope is None:
        return
    with told():
        result = _annotators(study.store, scope, stamp(study))
        lead(_sentence(result))
        if said := st.session_state.pop(DONE, ""):
            notice(said, kind="good")
        _picture(result)
        person = _chosen(result.rows)
        _open(study, scope, result.rows.set_index("annotator").loc[person])
        ask_a_judge(study, scope)
        foot(result, INTERVALS)
        downloads("annotators", {"annotators": result.rows})


@cached_report("Looking at each person's votes …")
def _annotators(store: Store, scope: Scope) -> Finding:
    return annotators(store, scope)


def _sentence(result: Finding) -> str:
    rows, misfits = result.rows, result.facts["misfits"]
    people = "1 person has" if len(rows) == 1 else f"{len(rows):,} people have"
    given = f"{people} given {result.judgements:,} votes."
    if not misfits:
        return f"{given} Nobody's decisions fit the others' unusually badly."
    named = misfits[0] if len(misfits) == 1 else f"{', '.join(misfits[:-1])} and {misfits[-1]}"
    return f"{given} The decisions of {named} fit the others' unusually badly: read them below."


def _picture(result: Finding) -> None:
    rows = result.rows.dropna(subset="infit").sort_values("infit", ascending=False)
    if len(rows) < 2:
        return
    shown = rows.assign(label=rows["annotator"], kind=Kind.HUMAN.value)
    drawn = partial(
        trust.dots, shown, "infit, and the range that is usual",
        Estimate("infit", "usual_low", "usual_high", "decisions"),
        Scale(domain=None, form=".2f", reference=1.0),
    )  # fmt: skip
    number = several(int(shown["decisions"].sum()), "decision")
    above = caption(result, "How well each person's decisions fit the others'", RANGE, number)
    show_picture("annotators-infit", Drawing(drawn, above), shown)


def _chosen(rows: pd.DataFrame) -> str:
    """The person whose row is chosen, else who fits worst."""
    event: Any = st.dataframe(
        _shown(rows),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config=_columns(),
        key="annotators",
    )
    small("Choose a row to read the votes behind it.")
    chosen = event["selection"]["rows"]
    if chosen and chosen[0] < len(rows):
        return str(rows["annotator"].iloc[chosen[0]])
    worst = rows["infit"].fillna(0).argmax()
    return str(rows["annotator"].iloc[worst])


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    checks = {
        f"{role} passed": [
            f"{passed} of {answered}" if answered else None
            for passed, answered in zip(
                rows[f"{role}_passed"], rows[f"{role}_answered"], strict=True
            )
        ]
        for role in ("gold", "attention")
    }
    state = rows["misfit"].map({True: "misfit", False: ""})
    frame = pd.DataFrame(
        {
            "person": rows["annotator"],
            "note": state.mask(rows["excluded"], "excluded"),
            "answered": rows["answered"],
            "skipped": rows["skipped"],
            "seconds": rows["seconds"],
            **{label: 100 * rows[name] for name, (label, _) in SHARES.items()},
            **checks,
            "infit": rows["infit"],
            "last answer": rows["last_at"].str[:16].str.replace("T", " "),
        }
    )
    empty = [name for name in frame if name not in ("person", "note") and frame[name].isna().all()]
    return frame.drop(columns=empty + (["note"] if not frame["note"].astype(bool).any() else []))


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    shares = {label: number(format="%.0f%%", help=help_) for _, (label, help_) in SHARES.items()}
    return {
        "seconds": number(format="%.1f", help="Median"),
        "infit": number(format="%.2f", help=INFIT),
        **shares,
    }


def _open(study: Study, scope: Scope, row: pd.Series) -> None:
    person = str(row.name)
    st.header("One person", anchor=False)
    small(f"{person}: {_about(row)}")
    _exclusion(study, person, bool(row["excluded"]))
    with told():
        _behind(study, Behind(scope, person))


def _about(row: pd.Series) -> str:
    """What the figures of one person are, and how surely they are known."""
    days = several(int(row["days"]), "day")
    parts = [f"{row['answered']:,} answered, {row['skipped']:,} skipped, on {days}."]
    for name, said in (
        ("p_first", "took the first text in {share} of {n:,} decisive answers"),
        ("agreement", "agrees with others in {share} of {n:,} comparisons"),
        ("self_agreement", "agrees with their own first answer in {share} of {n:,}"),
    ):
        number = {"p_first": "decisions", "agreement": "shared", "self_agreement": "repeated"}[name]
        if row[number]:
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            share = f"{row[name]:.0%} ({100 * low:.0f} to {100 * high:.0f})"
            text = said.format(share=share, n=int(row[number]))
            parts.append(f"{text[:1].upper()}{text[1:]}.")
    if pd.notna(row["infit"]):
        usual = f"{row['usual_low']:.2f} to {row['usual_high']:.2f}"
        parts.append(f"Infit {row['infit']:.2f}; {usual} is usual.")
    return " ".join(parts)


@cached_report("Looking for the votes behind it …")
def _surprising(store: Store, request: Behind) -> pd.DataFrame:
    return surprising(store, decisions(votes(store, request.scope)), request.person)


def _behind(study: Study, request: Behind) -> None:
    rows = _surprising(study.store, request, stamp(study))
    if rows.empty:
        small("No decisive answers yet, so no votes to read.")
        return
    small("The votes that surprise most, by what the strengths of the systems say of the choice:")
    shown = pd.DataFrame(
        {
            "item": rows["item"],
            "attribute": rows["attribute"],
            "chose": rows["chosen"].str.upper(),
            "expected": 100 * rows["others"],
        }
    )
    event: Any = st.dataframe(
        shown,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=min(35 * (len(shown) + 1) + 3, 240),
        column_config={
            "expected": st.column_config.NumberColumn(
                format="%.0f%%", help="How likely that choice was"
            )
        },
        key=f"behind {request.person}",
    )
    chosen = event["selection"]["rows"]
    vote = rows.iloc[chosen[0] if chosen and chosen[0] < len(rows) else 0]
    show_texts(vote["context"], study.context_noun, (vote["text_a"], vote["text_b"]), folded=True)


def _exclusion(study: Study, person: str, excluded: bool) -> None:
    path, dataset = study.store.path, study.dataset
    if excluded:
        st.button("Count their votes again", on_click=_lift, args=(path, dataset, person))
        return
    with st.popover("Leave their votes out"):
        small("Statistics leave them out, and others are asked again. Nothing is deleted.")
        st.text_input("Why", key=f"why {person}", max_chars=200)
        st.button(
            "Leave out", type="primary", on_click=_exclude, args=(path, dataset, person),
            key=f"exclude {person}",
        )  # fmt: skip


@action
def _exclude(path: Path, dataset: str, person: str) -> None:
    with reopen(path) as store:
        reason = str(st.session_state[f"why {person}"])
        number = store.exclusions.add(dataset, person, reason=reason, by=visit().who)
    st.session_state[DONE] = f"{number:,} votes of {person} are left out of statistics."


@action
def _lift(path: Path, dataset: str, person: str) -> None:
    with reopen(path) as store:
        number = store.exclusions.lift(dataset, person, by=visit().who)
    st.session_state[DONE] = f"{number:,} votes of {person} count again."
