"""Published sets of texts with the scores, or the verdicts, of people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_text, read_name, require_cell
from ..entry import IN_ORDER, ITEM, SCORE, TEXT, VOTE, Entry
from ..files import PLAIN
from ..layout import Layout, Reader, Source, has_columns
from ..templates import (
    Constant,
    RowNumber,
    Template,
    choose_outcome,
    need,
    need_name,
    read_by,
    read_scores,
    template,
)

# The human evaluation of the WebNLG 2017 challenge: a text a row, or a rating a row. 193 texts are
# really empty, which the file writes as "null" for one system. Averages have the metrics bleu,
# meteor and ter, too: a metric's number is its score for each of the three questions, since it
# answers none of them in particular and is held against all of them. One by one, the worker wN of
# a row is rater crowd-N; who rated a text again has another trial.

COLUMNS = {"fluency": "fluency", "grammar": "grammaticality", "semantics": "semantic_adequacy"}
"""The attributes, which the averages have as columns, and their columns in the ratings."""
WEBNLG_RATERS = {"human": Kind.HUMAN, **dict.fromkeys(("bleu", "meteor", "ter"), Kind.BASELINE)}


OUTPUT = {
    "context": lambda cells: read_name(cells, "mr").replace("<br>", "\n"),
    "named_by": need_name("mr"),
    "subset": "type", "system": "team", "sample": 0,
}  # fmt: skip
WEBNLG_TEXTS = template(
    TEXT, **OUTPUT,
    text=lambda cells: "" if (text := require_cell(cells, "text", str)) == "null" else text,
)  # fmt: skip
AVERAGES = [
    template(
        SCORE, **OUTPUT, attribute=Constant(name), judge=Constant(rater), judge_kind=kind,
        value=name if rater == "human" else rater,
    )
    for name in COLUMNS
    for rater, kind in WEBNLG_RATERS.items()
]  # fmt: skip
RATINGS = [
    template(
        SCORE, **OUTPUT, attribute=Constant(name), value=column, trial=IN_ORDER,
        judge=lambda cells: f"crowd-{read_name(cells, 'X_worker_id').removeprefix('w')}",
    )
    for name, column in COLUMNS.items()
]  # fmt: skip
SHARED = ("mr", "team", "text", "fluency")
WEBNLG = Layout(
    "webnlg2017", "WebNLG 2017, human evaluation", {
        read_by(WEBNLG_TEXTS, *AVERAGES): has_columns(*SHARED, "grammar", "semantics"),
        read_by(WEBNLG_TEXTS, *RATINGS): has_columns(*SHARED, "X_worker_id", "grammaticality"),
    }, ("data", "text"),
)  # fmt: skip


# HANNA: stories with the ratings of three people on six criteria. Its marks by themselves have a
# row for each system, prompt_index and criterion, with human_1..3. As its authors publish it
# (hanna_stories_annotations.csv), it has a row for each story and rater. Stories are numbered
# there model by model, PROMPTS to each, so the number tells the prompt. The human story is the
# reference.

CRITERIA = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
PROMPTS = 96  # of HANNA, so a model has as many stories
MARKED = {"item": "prompt_index", "system": "system"}


def _marks(source: Source) -> Iterator[Template]:
    yield template(TEXT, **MARKED, sample=0, text=Constant(None))
    for column in filter(re.compile(r"human_\d+").fullmatch, source.columns):
        yield template(
            SCORE, **MARKED, value=column, judge=Constant(column.replace("_", "-")),
            attribute=lambda cells: read_name(cells, "criterion").lower(),
        )  # fmt: skip


def _annotations(source: Source) -> Iterator[Template]:
    columns = source.by_name

    def item(cells: Cells) -> str:
        story = as_text(cells.get(columns["storyid"])) or ""
        if not story.isdecimal() or not cells.get(columns["workerid"]):
            raise ValueError("it has no number of a story, or no worker")
        return str(int(story) % PROMPTS)

    text = {"item": item, "system": columns["model"], "sample": 0}
    yield template(
        TEXT, **text, text=columns["story"], context=columns["prompt"],
        reference=columns.get("human", Constant("")),
    )  # fmt: skip
    judge = f"worker-{{{columns['workerid']}}}"
    for name in filter(columns.get, CRITERIA):
        yield template(SCORE, **text, attribute=Constant(name), judge=judge, value=columns[name])


PUBLISHED = {"storyid", "prompt", "story", "model", "workerid", "coherence"}
HANNA = Layout(
    "hanna", "HANNA, human scores of stories", {
        read_by(_marks): has_columns("system", "prompt_index", "criterion", "human_1"),
        read_by(_annotations): lambda source: source.by_name.keys() >= PUBLISHED,
    }, ("prompt", "story"),
)  # fmt: skip


# UniEval's files: dialogue turns with human scores and, in some, the metric's own. A system's
# outputs for one source and context are its samples. Some of the data sets carried in this layout
# (Newsroom) leave out system_id; a mapping of `system` names another field that says it.

UNIEVAL_RATERS = {"scores": ("human", Kind.HUMAN), "predict_scores": ("unieval", Kind.LLM)}


class Outputs(Reader):
    """Reader of outputs with human scores; outputs of one system and context are its samples."""

    def __init__(self, source: Source) -> None:
        self.field = source.mapping.get("system", "system_id")
        self.samples = Counter[tuple[str, str]]()
        if not any(row.get(self.field) for row in source.cells()):
            raise TandemError(
                f"{source.path.name} has no {self.field}, so it is unknown whose outputs these "
                f"are. Name another field with {option_ref('map')} system=FIELD, or add it: if "
                "outputs have one order, by a recipe in docs/importing.md"
            )

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context, system = _context(cells), cells.get(self.field)
        if not (isinstance(system, str) and system):
            raise ValueError(f"it has no {self.field}, so it is not known whose output this is")
        output = {"context": context, "system": system, "sample": self.samples[context, system]}
        self.samples[context, system] += 1
        yield {
            "sort": TEXT, **output, "text": require_cell(cells, "system_output", str),
            "reference": cells.get("reference"),
        }  # fmt: skip
        for column, (judge, kind) in UNIEVAL_RATERS.items():
            scores = require_cell(cells, column, dict) if column in cells else {}
            yield from read_scores(scores, **output, judge=judge, judge_kind=kind)


def _context(cells: Cells) -> str:
    parts = [str(cells.get(name) or "").strip() for name in ("source", "context")]
    return "\n\n".join(part for part in parts if part)


UNIEVAL = Layout(
    "unieval", "UniEval", {Outputs: has_columns("source", "system_output", "scores")},
    ("dialogue", "response"), fields=("system",),
)  # fmt: skip


# Sampled texts as the authors of separability keep them (Ghosh et al. 2024). Each system has a
# file of its name, with the list of samples of each item. A table has the items' contexts. Items
# are known by their place, which is the same in all files.

SAMPLES = (
    "summaries", "responses", "outputs", "generations", "completions", "answers", "stories",
)  # fmt: skip
CONTEXTS = ("article", "dialogue", "document", "source", "context", "prompt", "instruction")


class SampledTexts(Reader):
    """Reader of one system's file: the list of sampled texts of each item."""

    def __init__(self, source: Source) -> None:
        self.system, self.column = source.stem, _only_column(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields = {"sort": TEXT, "item": str(number), "system": self.system}
        for sample, text in enumerate(require_cell(cells, self.column, list)):
            if not isinstance(text, str):
                raise ValueError(f"sample {sample} of its {self.column} is not a text")
            yield {**fields, "sample": sample, "text": text}


def _only_column(source: Source) -> str:
    if len(source.columns) != 1:
        raise TandemError(
            f"{source.path.name} has {len(source.columns)} columns, where several texts of one "
            f"system have one; say another {option_ref('format')}"
        )
    return source.columns[0]


def _is_one_of(names: tuple[str, ...]) -> Callable[[Source], bool]:
    return lambda source: len(source.columns) == 1 and source.columns[0] in names


SAMPLED_TEXTS = Layout(
    "sampled-texts", "several texts of one system for each item", {
        SampledTexts: _is_one_of(SAMPLES),
        read_by(
            lambda source: [template(ITEM, item=RowNumber(), context=need(_only_column(source)))]
        ): _is_one_of(CONTEXTS),
    }, ("article", "summary"),
)  # fmt: skip


# FairEval: Vicuna's 80 questions, two answers to each, and one human verdict each. Verdicts are
# lines, in the order of the questions; their file's name says who is meant. Nothing says in which
# order people read the two. They call a system by the name in the answers' file,
# answer_SYSTEM.jsonl; model_id says which model that was.

VERDICTS = {"CHATGPT": Outcome.A, "VICUNA13B": Outcome.B, "TIE": Outcome.TIE}


def _answers(source: Source) -> Iterator[Template]:
    is_named = source.stem.startswith("answer_")
    yield template(
        TEXT, item="question_id", sample=0, base="model_id", text=need("text"),
        system=Constant(source.stem.removeprefix("answer_")) if is_named else "model_id",
    )  # fmt: skip


NAMED = (
    "review_(?P<first>[^_/]+)_(?P<second>[^_/]+)_(?P<judge>[^_/]+)",
    "should be named review_FIRST_SECOND_JUDGE.txt: the file does not say anywhere else who was "
    "compared",
)
REVIEWS = template(
    VOTE, item=RowNumber(), system_a="first", system_b="second", judge="judge",
    judge_kind=Kind.HUMAN, order_known=False,
    outcome=choose_outcome("line", VERDICTS, "verdict"),
)  # fmt: skip
QUESTIONS = template(ITEM, item="question_id", context=need("text"), subset="category")
FAIREVAL = Layout(
    "faireval", "FairEval", {
        read_by(_answers): has_columns("question_id", "answer_id", "model_id", "text"),
        read_by(QUESTIONS): has_columns("question_id", "text", "category"),
        read_by(REVIEWS, named=NAMED): lambda source: (
            source.columns == PLAIN and source.stem.startswith("review_")
        ),
    }, ("question", "answer"), is_answered_once=True,
)  # fmt: skip
