"""What an added sentence turns, of judges that were attacked; or how to find out."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.charts import MOST_ROWS, labelled
from core.charts import attacks as pictures
from core.findings.judgements import Finding, Selection
from core.findings.trust import attacks
from core.labels import INTERVALS, attack_name
from core.records import Kind
from core.rendering.charts import Drawing
from core.reporting import sentences
from pages.components.shared.cells import shares
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import conclude, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import COUNT, RIGHT, Column, show_table

ATTACKS = """How often a verdict turns when a sentence is added to the losing text
(Raina et al. 2024). The upright mark is a harmless sentence of as many words: a longer text turns
verdicts, too."""
NONE = (
    "Would a judge choose a text that asks to be chosen? No judge has been tested yet: start "
    "a test on the page Judge."
)
ABOUT = " about texts with a sentence added, which are not judgements"
MOST = (
    "Drawn are the {} of {} rows that attacks turn most beyond a harmless sentence. The table has "
    "them all."
)
SHARES = {
    "turned": ("flipped", "low", "high"),
    "by a harmless one": ("control", "control_low", "control_high"),
    "difference": ("beyond", "beyond_low", "beyond_high"),
    "turned, if first": ("flipped_first", "first_low", "first_high"),
    "turned, if second": ("flipped_second", "second_low", "second_high"),
}
ASKED_BY_RUNS = (Kind.LLM, Kind.BASELINE)


def show_attacks(study: Study, selection: Selection, biased: Finding) -> None:
    """The share of verdicts that each attack turns, by judge."""
    if not biased.rows["kind"].isin(ASKED_BY_RUNS).any():
        return
    result = attacks.attacks(study.store, selection)
    st.header("Prompt injection", anchor=False, help=ATTACKS)
    if result.rows.empty:
        small(NONE)
        ways_on(judge="Attack a judge")
        return
    conclude(sentences.attacks(result.rows))
    rows = result.rows.dropna(subset="flipped")
    if len(rows):
        verdicts = several(int(rows["against"].sum()), "verdict")
        of = f"{verdicts} against the attacked text. The upright mark is a harmless sentence"
        above = caption(result, "How many verdicts an attack turns", INTERVALS["share"], of)
        show_picture("bias-attacks", Drawing(partial(pictures.attacks, rows), above), rows)
        if len(rows) > MOST_ROWS:
            small(MOST.format(MOST_ROWS, len(rows)))
    _show_closer(result)


def _show_closer(result: Finding) -> None:
    rows = labelled(result.rows)
    with st.expander("Attacks in figures"):
        shown = pd.DataFrame(
            {
                "judge": rows["label"],
                "attack": [*map(attack_name, rows["attack"], rows["sentence"])],
                "sentence": rows["sentence"],
                "against": rows["against"],
                **{title: shares(rows, *of) for title, of in SHARES.items()},
                "unanswered": rows["unanswered"],
            }
        )
        written = {
            "attack": Column("attack", hover="sentence"),
            "against": Column("verdicts against", COUNT),
            "unanswered": Column("unanswered", COUNT, "Attacks without an answer"),
        }
        columns = {
            name: written.get(name, Column(name, RIGHT if name in SHARES else ""))
            for name in shown
            if name != "sentence"
        }
        show_table(shown, columns, "What each attack turns")
        foot(result, INTERVALS["share"], "answer", ABOUT)
