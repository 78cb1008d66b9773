"""The layouts files come in, and which of them a file is in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.importing import files
from core.importing.layout import Reader, Source
from core.importing.layouts import (
    alpacaeval,
    faireval,
    judgebench,
    llmbar,
    mtbench,
    summeval,
    tables,
    webnlg,
)
from core.importing.layouts.hanna import Hanna
from core.importing.layouts.rating_sets import RatingSets
from core.importing.layouts.unieval import UniEval
from core.records import TandemError


class UnrecognisedError(TandemError):
    """A file is in no layout, or lacks what its layout needs."""


@dataclass(frozen=True)
class Layout:
    """The files of one data set, or of one kind: for each sort of them its reader, and how it is
    recognised.
    """

    title: str
    readers: Mapping[Callable[[Source], Reader], Callable[[Source], bool]]
    nouns: tuple[str, str] = ("context", "text")
    # Fields that --map can name; None = all of a table's.
    fields: tuple[str, ...] | None = ()
    # A judge answers a comparison once in all its files together, so the same answer in another
    # file is the same answer.
    once: bool = False

    def matches(self, source: Source) -> bool:
        return any(is_one(source) for is_one in self.readers.values())

    def reader(self, source: Source) -> Reader:
        """What reads this file: where none of its readers recognises it, the first will say what is
        wrong with each row.

        Raises UnrecognisedError where the file as a whole lacks something.
        """
        found = [make for make, is_one in self.readers.items() if is_one(source)]
        try:
            return (found or list(self.readers))[0](source)
        except TandemError as error:
            raise UnrecognisedError(str(error)) from None


def _has(*names: str) -> Callable[[Source], bool]:
    return lambda source: set(names) <= set(source.columns)


def _realsumm(source: Source) -> bool:
    return _has("id", "text", "reference", "systems")(source) and "references" not in source.columns


ARTICLE, OUTPUT, ANSWER = ("article", "summary"), ("instruction", "output"), ("question", "answer")

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    "realsumm": Layout("REALSumm, one article a line", {summeval.RealSumm: _realsumm}, ARTICLE),
    "summeval": Layout(
        "SummEval, and what LLMs said of it",
        {
            summeval.SummEval: _has("id", "text", "systems"),
            summeval.HeadToHead: _has("id", "resp", "human_score_1", "human_score_2"),
            summeval.Pointwise: _has("judge", "system", "dimension", "method", "raw"),
        },
        ARTICLE,
        once=True,
    ),
    "summeval-annotations": Layout(
        "SummEval's records with every annotator",
        {summeval.SummEvalAnnotations: _has("decoded", "expert_annotations", "model_id")},
        ARTICLE,
    ),
    "unieval": Layout(
        "UniEval",
        {UniEval: _has("source", "system_output", "scores")},
        ("dialogue", "response"),
        fields=("system",),
    ),
    "webnlg2017": Layout(
        "WebNLG 2017, human evaluation",
        {
            webnlg.WebNLG: _has("mr", "team", "text", "fluency", "grammar", "semantics"),
            webnlg.WebNLGRaters: _has(
                "mr", "team", "text", "X_worker_id", "fluency", "grammaticality"
            ),
        },
        ("data", "text"),
    ),
    "hanna": Layout(
        "HANNA, human marks of stories",
        {Hanna: _has("system", "prompt_index", "criterion", "human_1")},
        ("prompt", "story"),
    ),
    "rating-sets": Layout(
        "rating sets of the separability study",
        {RatingSets: _has("WorkerId", "Input.id1", "Answer.pref1")},
        ("source", "summary"),
    ),
    "llmbar": Layout(
        "LLMBar",
        {
            llmbar.Results: _has("input", *llmbar.SYSTEMS, "label", "results"),
            llmbar.Pairs: _has("input", *llmbar.SYSTEMS, "label"),
            llmbar.Judgements: _has(
                "subset", "evaluator", "prompt", "index", "winner_swap_false", "winner_swap_true"
            ),
        },
        OUTPUT,
        once=True,
    ),
    "mtbench": Layout(
        "MT-Bench and judgements in its manner",
        {
            mtbench.Questions: _has("question_id", "category", "turns"),
            mtbench.Answers: _has("question_id", "model_id", "choices"),
            mtbench.Judgements: _has(
                "question_id", "judge_id", "model_a", "model_b", "winner_ab", "winner_ba"
            ),
            mtbench.Grades: _has("question_id", "judge_id", "model_id", "score_turn1"),
        },
        ANSWER,
        once=True,
    ),
    "alpacaeval": Layout(
        "AlpacaEval's annotations",
        {
            alpacaeval.Annotations: _has(
                "instruction", "output_1", "output_2", "generator_1", "generator_2", "annotator"
            ),
            alpacaeval.Preferences: _has(
                "instruction_index", "generator_1", "model_dir", "preference", "logprob_m"
            ),
        },
        OUTPUT,
        once=True,
    ),
    "judgebench": Layout(
        "JudgeBench's decisions",
        {
            judgebench.Decisions: _has(
                "pair_id", "judge_model", "decision_original_order", "decision_swapped_order"
            )
        },
        ("question", "response"),
        once=True,
    ),
    "faireval": Layout(
        "FairEval",
        {
            faireval.Answers: _has("question_id", "answer_id", "model_id", "text"),
            faireval.Questions: _has("question_id", "text", "category"),
            faireval.Verdicts: faireval.is_review,
        },
        ANSWER,
        once=True,
    ),
    "votes": Layout(
        "votes, one comparison a row",
        {tables.Votes: lambda source: {"system_a", "system_b"} <= set(tables.matched(source))},
        fields=None,
    ),
    "generations": Layout(
        "generations",
        {tables.Generations: lambda source: source.columns != files.PLAIN},
        fields=None,
    ),
}


@dataclass(frozen=True)
class Recognised:
    """What a file was taken for: its layout, and for a table which column fills which field."""

    path: Path
    layout: str
    columns: tuple[str, ...]
    fields: Mapping[str, str]


def recognise(
    path: Path, *, layout: str = "auto", mapping: Mapping[str, str] | None = None
) -> Recognised:
    """What `load` would take a file for. Raises TandemError where it is in no layout, and for an
    unknown one or a --map that does not fit.
    """
    mapping = mapping or {}
    if layout not in ("auto", *LAYOUTS):
        raise TandemError(f"unknown format {layout!r}; there are auto, {', '.join(LAYOUTS)}")
    source = Source(path, tuple(files.columns(path)), mapping)
    if layout == "auto":
        found = [name for name, candidate in LAYOUTS.items() if candidate.matches(source)]
        if not found:
            raise UnrecognisedError(
                f"{path.name} is plain text, neither JSON lines nor in a layout that is known; "
                f"save it in one of {', '.join(files.READERS)}"
            )
        layout = found[0]
    known = LAYOUTS[layout].fields
    if known is None:
        return Recognised(path, layout, source.columns, tables.matched(source))
    if set(mapping) - set(known):
        able = f"--map can name just {', '.join(known)}" if known else "--map is for tables"
        raise TandemError(
            f"{able}, and {path.name} is read as {LAYOUTS[layout].title}: leave it out"
        )
    return Recognised(path, layout, source.columns, {})
