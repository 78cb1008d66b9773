"""The human evaluation of the WebNLG 2017 challenge: a text a row, or a rating a row.

A row has mr (the triples), team, text, and type (seen, unseen). 193 texts are really empty, which
the file writes as "null" for one system. Averaged, it has the means of the raters' fluency, grammar
and semantics, and the metrics bleu, meteor and ter. A metric's number stands as its score for each
of the three questions, since it answers none of them in particular and is held against all of them.
One by one, the worker wN of a row is rater crowd-N; who rated a text again has another trial.
"""

from __future__ import annotations

from core.importing.cells import Cells, named, required
from core.importing.entry import IN_ORDER, SCORE, TEXT
from core.importing.layout import Layout, has
from core.importing.templates import Constant, Specs, need_name, read_by, template
from core.records import Kind

METRICS = ("bleu", "meteor", "ter")
ATTRIBUTES = ("fluency", "grammar", "semantics")
COLUMNS = ("fluency", "grammaticality", "semantic_adequacy")  # of the ratings one by one


def _text(cells: Cells) -> str:
    text = required(cells, "text", str)
    return "" if text == "null" else text


def _rater(cells: Cells) -> str:
    return f"crowd-{named(cells, 'X_worker_id').removeprefix('w')}"


OF_TEXT: Specs = {
    "context": lambda cells: named(cells, "mr").replace("<br>", "\n"),
    "named_by": need_name("mr"),
    "subset": "type",
    "system": "team",
    "sample": 0,
}
TEXTS = template(TEXT, **OF_TEXT, text=_text)
MEANS = [
    template(SCORE, **OF_TEXT, attribute=Constant(name), judge=Constant("human"), value=name)
    for name in ATTRIBUTES
]
MEASURED = [
    template(
        SCORE, **OF_TEXT, attribute=Constant(name), judge=Constant(metric), value=metric,
        judge_kind=Kind.BASELINE,
    )
    for name in ATTRIBUTES
    for metric in METRICS
]  # fmt: skip
RATINGS = [
    template(SCORE, **OF_TEXT, attribute=Constant(name), judge=_rater, value=column, trial=IN_ORDER)
    for name, column in zip(ATTRIBUTES, COLUMNS, strict=True)
]
LAYOUT = Layout(
    "webnlg2017",
    "WebNLG 2017, human evaluation",
    {
        read_by(TEXTS, *MEANS, *MEASURED): has(
            "mr", "team", "text", "fluency", "grammar", "semantics"
        ),
        read_by(TEXTS, *RATINGS): has(
            "mr", "team", "text", "X_worker_id", "fluency", "grammaticality"
        ),
    },
    ("data", "text"),
)
