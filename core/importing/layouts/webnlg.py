"""The human evaluation of the WebNLG 2017 challenge: a text a row, or a rating a row.

193 texts are really empty, which the file writes as "null" for one system. Averages have the
metrics bleu, meteor and ter, too: a metric's number is its score for each of the three
questions, since it answers none of them in particular and is held against all of them. One by one,
the worker wN of a row is rater crowd-N; who rated a text again has another trial.
"""

from __future__ import annotations

from ...records import Kind
from ..cells import Cells, read_name, require_cell
from ..entry import IN_ORDER, SCORE, TEXT
from ..layout import Layout, has_columns
from ..templates import Constant, need_name, read_by, template

COLUMNS = {"fluency": "fluency", "grammar": "grammaticality", "semantics": "semantic_adequacy"}
"""The attributes, which the averages have as columns, and their columns in the ratings."""
RATERS = {"human": Kind.HUMAN, **dict.fromkeys(("bleu", "meteor", "ter"), Kind.BASELINE)}


def _text(cells: Cells) -> str:
    text = require_cell(cells, "text", str)
    return "" if text == "null" else text


OUTPUT = {
    "context": lambda cells: read_name(cells, "mr").replace("<br>", "\n"),
    "named_by": need_name("mr"),
    "subset": "type", "system": "team", "sample": 0,
}  # fmt: skip
TEXTS = template(TEXT, **OUTPUT, text=_text)
AVERAGES = [
    template(
        SCORE, **OUTPUT, attribute=Constant(name), judge=Constant(rater), judge_kind=kind,
        value=name if rater == "human" else rater,
    )
    for name in COLUMNS
    for rater, kind in RATERS.items()
]  # fmt: skip
RATINGS = [
    template(
        SCORE, **OUTPUT, attribute=Constant(name), value=column, trial=IN_ORDER,
        judge=lambda cells: f"crowd-{read_name(cells, 'X_worker_id').removeprefix('w')}",
    )
    for name, column in COLUMNS.items()
]  # fmt: skip
SHARED = ("mr", "team", "text", "fluency")
LAYOUT = Layout(
    "webnlg2017", "WebNLG 2017, human evaluation",
    {
        read_by(TEXTS, *AVERAGES): has_columns(*SHARED, "grammar", "semantics"),
        read_by(TEXTS, *RATINGS): has_columns(*SHARED, "X_worker_id", "grammaticality"),
    },
    ("data", "text"),
)  # fmt: skip
