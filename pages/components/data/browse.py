"""The texts of a data set: leafed through with their answers, and more of them by a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.judging import ServerList, make_writer, registry
from core.labels import OUTCOMES, pluralize
from core.models import Decoding
from core.runs import GenerationRequest, generate, worker
from core.store import Sought, Store
from pages.components.judge.active_runs import runs_before, runs_now, workers
from pages.components.judge.judge_form import NO_SERVER, choose_endpoint, limits
from pages.components.judge.run_answers import reason
from pages.components.shared.frame import Study
from pages.components.shared.notice import fragment, notice, show_caption, show_faults
from pages.components.shared.settings import choose_setting
from pages.components.shared.stores import reopen
from pages.components.shared.tables import choose_line, turn_pages
from pages.components.shared.texts import show_candidates

PAGE = 10
ANY = ""
BEGINNING = 120  # characters of a context that the table shows


def browse(study: Study) -> None:
    """Show a page of items, and the texts and votes of the chosen one."""
    with st.expander("Browse items, texts and votes"):
        _browse(study.store.path, study.dataset)


@fragment
def _browse(path: Path, dataset: str) -> None:
    with reopen(path) as store:
        sought = _sought(store, dataset)
        frame = _page(store, sought)
        if frame.empty:
            notice("No item has that in it.")
            return
        key = f"browsed-{hash((sought, tuple(frame['item'])))}"
        shown = frame.assign(context=frame["context"].str.slice(0, BEGINNING))
        hidden = [] if frame["subset"].any() else ["subset"]
        chosen = choose_line(shown.drop(columns=hidden), key)
        if chosen is None:
            show_caption("Choose a row to read its texts, and what was answered about them.")
            return
        _show(store, sought, frame.iloc[chosen])


def _sought(store: Store, dataset: str) -> Sought:
    row = st.columns([4, 3, 3])
    text = row[0].text_input("Search", placeholder="in items, contexts and texts").strip()
    system, attribute = (
        column.selectbox(label, [ANY, *names], format_func=lambda name: name or "all")
        for column, label, names in (
            (row[1], "Texts of", store.datasets.systems(dataset)),
            (row[2], "Answers about", [one.name for one in store.datasets.attributes(dataset)]),
        )
    )
    return Sought(dataset, text, system, attribute)


def _page(store: Store, sought: Sought) -> pd.DataFrame:
    frame, _ = turn_pages(
        lambda offset: store.browsing.items(sought, limit=PAGE, offset=offset),
        PAGE, f"browse-page-{hash(sought)}",
    )  # fmt: skip
    if items := frame.attrs["all"]:
        show_caption(f"{pluralize(items, 'item')}{' with that in it' if sought.text else ''}.")
    return frame


def _show(store: Store, sought: Sought, row: pd.Series) -> None:
    noun, _ = store.datasets.nouns(sought.dataset)
    texts = store.browsing.texts(sought, row["item"])
    sampled = texts["sample"].any()
    labels = [
        f"{system} · sample {sample}" if sampled else str(system)
        for system, sample in zip(texts["system"], texts["sample"], strict=True)
    ]
    shown = [None if pd.isna(text) else str(text) for text in texts["text"]]
    text_format = store.datasets.text_format(sought.dataset, sought.attribute)
    st.header("Texts", anchor=False)
    show_candidates(row["context"], noun, list(zip(labels, shown, strict=True)), text_format)
    answers = store.browsing.answers(sought, row["item"])
    if answers.empty:
        show_caption("Nobody has answered anything about it yet.")
        return
    show_caption(f"{pluralize(len(answers), 'answer')} about it, votes of people first:")
    st.dataframe(
        _answers(answers, noun),
        hide_index=True,
        column_config={"P(A is better)": st.column_config.NumberColumn(format="%.3f")},
    )


def _answers(answers: pd.DataFrame, noun: str) -> pd.DataFrame:
    said = [
        comment or reason(raw, noun)
        for comment, raw in zip(answers["comment"], answers["raw"], strict=True)
    ]
    table = pd.DataFrame(
        {
            "attribute": answers["attribute"],
            "by": answers["judge"],
            "A": _label_systems(answers, "a"),
            "B": _label_systems(answers, "b"),
            "answer": answers["outcome"].map(OUTCOMES).fillna(answers["failure"]),
            "P(A is better)": answers["prob_a"],
            "what they said": said,
        }
    )
    empty = [name for name in ("P(A is better)",) if table[name].isna().all()]
    return table.drop(columns=empty)


def _label_systems(answers: pd.DataFrame, side: str) -> pd.Series:
    systems, samples = answers[f"system_{side}"], answers[f"sample_{side}"]
    return systems.where(samples == 0, systems + " #" + samples.astype(str))


TASKS = ("generate",)


def sample_texts(study: Study) -> None:
    """Show the form, what the model will read, and the runs that write texts."""
    with st.expander("Let a model write texts"):
        show_caption(
            "Several texts of one model for each item are what separability is measured on: "
            "five, as a rule."
        )
        left, right = st.columns(2, gap="large")
        with left:
            writers = {member.family.name: member for member in registry.members(["texts"])}
            who = st.selectbox(
                "Model from", list(writers), format_func=lambda who: writers[who].label
            )
            chosen, family = writers[who], writers[who].family
            name = st.text_input("Model", placeholder=family.example, key="writer").strip()
            served = chosen.is_served
            if served:
                given = choose_endpoint(study, "writer") | limits("writer")
            else:
                given = workers(study, "writer")
            row = st.container(horizontal=True)
            wanted = choose_setting(row, GenerationRequest, "samples", width=120)
            warmth = choose_setting(row, Decoding, "temperature", step=0.1, width=120)
            tokens = choose_setting(row, Decoding, "max_tokens", width=120)
            system = st.text_input(
                "System",
                value=f"{name.rpartition('/')[2]}-t{warmth:g}" if name else "",
                help="What the texts are called.",
            ).strip()
        with right:
            noun, written = study.store.datasets.nouns(study.dataset)
            usual = f"Write a {written} for this {noun}."
            instruction = st.text_area("Instruction", usual, height=120)
            spec, url = f"{family.name}:{name}", str(given.get("base_url", ""))
            decoding = Decoding(spec, instruction, warmth, tokens, base_url=url)
            context = study.store.datasets.first_context(study.dataset)
            if context is not None:
                with st.container(height=220, border=False):
                    st.text(decoding.prompt(context))
        if not name:
            notice(family.choose)
        elif served and not url:
            notice(NO_SERVER)
        elif st.button("Write", type="primary"):
            _start(study, GenerationRequest(study.dataset, system, decoding, wanted), given)
        runs_now(study, tasks=TASKS)
        runs_before(study, tasks=TASKS)


def _start(study: Study, wanted: GenerationRequest, given: dict[str, Any]) -> None:
    with show_faults():
        permit = ServerList(study.store.path).permit
        options = replace(wanted.decoding.options(given), permit=permit)
        make_writer(wanted.decoding.model, options)
        generate.enqueue(study.store, wanted, options.execution)
        worker.ensure(study.store.path)
