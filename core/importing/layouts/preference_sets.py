"""Published data sets of preferences that have a layout of their own each, as their hosts give
them: two texts and who was found better, or several texts, each rated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ...records import Kind, Outcome
from ..cells import Cells, as_mark, as_text, read_name, require_cell
from ..conversations import transcript
from ..entry import SCORE, TEXT, VOTE, Entry, is_score
from ..layout import Layout, Reader, Source, has_columns
from ..pairs_in_tools import prefer_higher
from ..templates import Constant, Spec, Template, choose_outcome, read_by, read_with, template
from ..values import find_objects, find_text
from ..winner_columns import name_sides

SIDES = {"1": Outcome.A, "2": Outcome.B, "0": Outcome.TIE}
CHOICES = {"0": Outcome.A, "1": Outcome.B}
STEPS = 3  # of HelpSteer3's preferences to either side
NO_RATING = "n/a"


def _read_unnamed(places: tuple[str, str], **fields: Spec) -> Callable[[Source], Reader]:
    """Return a function that makes a reader of votes on the texts in two columns. The file does
    not say whose texts they are.
    """

    def list_templates(source: Source) -> Iterator[Template]:
        first, second = name_sides(source, places)
        yield template(
            VOTE, system_a=Constant(first), text_a=places[0],
            system_b=Constant(second), text_b=places[1], **fields,
        )  # fmt: skip

    return read_by(list_templates)


def _has_alone(*columns: str) -> Callable[[Source], bool]:
    """Recognises a file by its columns, unless somebody says what they are."""
    return lambda source: not source.mapping and has_columns(*columns)(source)


def _compare_scores(cells: Cells) -> Outcome:
    return prefer_higher(*(as_mark(cells.get(f"score_{side}"), f"score_{side}") for side in "01"))


def _read_preference(cells: Cells) -> float:
    preference = as_mark(cells.get("overall_preference"), "the preference")
    if abs(preference) > STEPS:
        raise ValueError(f"the preference {preference:g} is not between -{STEPS} and {STEPS}")
    return preference


def _rated_completions(number: int, cells: Cells) -> Iterator[Entry]:
    about = {"context": read_name(cells, "instruction")}
    for completion in require_cell(cells, "completions", list):
        text = {**about, "system": read_name(completion, "model"), "sample": 0}
        yield {"sort": TEXT, **text, "text": completion.get("response")}
        for aspect, annotation in (completion.get("annotations") or {}).items():
            rating = annotation.get("Rating") if isinstance(annotation, Mapping) else None
            if is_score(rating) and str(rating).strip().casefold() != NO_RATING:
                yield {
                    "sort": SCORE, **text, "attribute": aspect, "judge": "gpt-4",
                    "judge_kind": Kind.LLM.value, "value": rating,
                }  # fmt: skip


def _annotators(source: Source) -> Iterator[Template]:
    for column in source.columns:
        if re.fullmatch(r"annotator\d+", column):
            yield template(
                VOTE, context=_join_instruction, system_a=_name_system(0), text_a="response1",
                system_b=_name_system(1), text_b="response2", judge=Constant(column),
                outcome=column, words=SIDES, when=column,
            )  # fmt: skip


def _join_instruction(cells: Cells) -> str:
    parts = (as_text(cells.get(name)) or "" for name in ("instruction", "input"))
    return "\n\n".join(part for part in parts if part.strip())


def _name_system(place: int) -> Callable[[Cells], str]:
    def system(cells: Cells) -> str:
        both = read_name(cells, "cmp_key")
        systems = both.split("_")
        if len(systems) != 2 or not all(systems):
            raise ValueError(f"it is not certain which two systems {both[:60]!r} names")
        return systems[place]

    return system


# Two responses; annotator1, annotator2 ... say 1, 2, or 0 for a tie. cmp_key is FIRST_SECOND;
# instruction and input are the context.
PANDALM = Layout(
    "pandalm", "PandaLM's test set",
    {
        read_by(_annotators): has_columns(
            "cmp_key", "instruction", "response1", "response2", "annotator1"
        )
    },
    ("instruction", "response"),
)  # fmt: skip

# openai/webgpt_comparisons: both answers have a score by the same person.
WEBGPT = Layout(
    "webgpt", "WebGPT's comparisons",
    {
        _read_unnamed(
            ("answer_0", "answer_1"), context="question.full_text", outcome=_compare_scores
        ): _has_alone("question", "answer_0", "answer_1", "score_0", "score_1"),
    },
    ("question", "answer"), settings=("systems", "kind"),
)  # fmt: skip

# nvidia/HelpSteer3: how much better the first (-3 to -1) or the second (1 to 3) is; 0 is a tie.
HELPSTEER = Layout(
    "helpsteer", "HelpSteer3's preferences",
    {
        _read_unnamed(
            ("response1", "response2"), context=lambda cells: transcript(cells.get("context")),
            subset="domain", outcome=lambda cells: prefer_higher(0, _read_preference(cells)),
            strength=lambda cells: abs(_read_preference(cells)) / STEPS or None,
        ): _has_alone(
            "context", "response1", "response2", "overall_preference", "individual_preference"
        ),
    },
    ("prompt", "response"), settings=("systems", "kind"),
)  # fmt: skip

# stanfordnlp/SHP: two answers to a post, of which readers preferred A where the label is 1.
SHP = Layout(
    "shp", "Stanford Human Preferences",
    {
        _read_unnamed(
            ("human_ref_A", "human_ref_B"), context="history", subset="domain", order_known=False,
            outcome=choose_outcome("labels", {"1": Outcome.A, "0": Outcome.B}, "label"),
        ): _has_alone("history", "human_ref_A", "human_ref_B", "labels"),
    },
    ("post", "answer"), settings=("systems", "kind"),
)  # fmt: skip

# openai/summarize_from_feedback, comparisons: info, two summaries, and the choice of a worker.
SUMMARIZE_FEEDBACK = Layout(
    "summarize-feedback", "OpenAI's summaries with feedback",
    {
        read_by(
            template(
                VOTE, item="info.id", context=("info.post", "info.article"), judge="worker",
                system_a="summaries.0.policy", text_a="summaries.0.text",
                system_b="summaries.1.policy", text_b="summaries.1.text",
                outcome=choose_outcome("choice", CHOICES, "choice"),
            )
        ): _has_alone("info", "summaries", "choice", "worker"),
    },
    ("post", "summary"), settings=("kind",),
)  # fmt: skip

# openbmb/UltraFeedback: completions by several models, each rated by GPT-4; "N/A" is no rating.
ULTRAFEEDBACK = Layout(
    "ultrafeedback", "UltraFeedback",
    {read_with(_rated_completions): _has_alone("instruction", "completions", "models")},
    ("instruction", "response"),
)  # fmt: skip


def _read_annotations(number: int, cells: Cells) -> Iterator[Entry]:
    pair = {name: cells.get(column) for name, column in MULTIPREF_COLUMNS.items()}
    for group in ("normal", "expert"):
        for said in find_objects(cells, f"{group}_worker_annotations"):
            given = {
                "judge": find_text(said, "evaluator"), "judge_kind": Kind.HUMAN,
                "created_at": said.get("timestamp"), "seconds": said.get("time_spent"),
            }  # fmt: skip
            for name in (name for name in said if name.endswith("_pref")):
                yield {
                    "sort": VOTE, **pair, **given, "attribute": name.removesuffix("_pref"),
                    "winner": str(said[name] or "").replace("-", " "),
                }  # fmt: skip


# allenai/multipref: the answers of crowd workers and experts to several questions, in lists.
MULTIPREF_COLUMNS = {
    "item": "prompt_id", "context": "text", "subset": "category", "system_a": "model_a",
    "text_a": "completion_a", "system_b": "model_b", "text_b": "completion_b",
}  # fmt: skip
MULTIPREF = Layout(
    "multipref", "MultiPref",
    {
        read_with(_read_annotations): has_columns(
            *MULTIPREF_COLUMNS.values(), "normal_worker_annotations", "expert_worker_annotations"
        )
    },
    ("prompt", "response"),
)  # fmt: skip

LAYOUTS = (MULTIPREF, PANDALM, WEBGPT, HELPSTEER, SHP, SUMMARIZE_FEEDBACK, ULTRAFEEDBACK)
