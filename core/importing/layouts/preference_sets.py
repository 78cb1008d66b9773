"""Published data sets of preferences, as their hosts give them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_mark, as_text, digest, read_name, require_cell, short_digest
from ..conversations import transcript
from ..entry import SCORE, TEXT, VOTE, Entry, is_score
from ..joint_columns import join_parts
from ..layout import Layout, Reader, Source, has_columns
from ..pairs_in_tools import prefer_higher
from ..templates import (
    Constant,
    FunctionReader,
    Spec,
    Template,
    choose,
    choose_outcome,
    read_by,
    read_with,
    template,
)
from ..winner_columns import name_sides

# Rating sets of the separability study (Ghosh et al. 2024). A row is one rater's five pairs on one
# input; each pair holds a sample of either model. The column names say `model1` and `model2` but
# mean the first and second slot on the screen. `Input.idJ` = 1 puts model #1 of the file name into
# the first slot, 2 model #2; `Answer.prefJ` is about slots: -1 first, 1 second, 0 neither. The
# inputs themselves are not in the file, so an item is called by its texts. The raters of each file
# are numbered from 1, so worker 1 of two files is two people.

TASKS = re.compile(
    "(?i)cnn_dm|cnn_dailymail|topical_chat|persona_chat|reddit_tldr|multi_news|gov_report|mt_bench|"
    "alpaca_eval|alpaca_farm|vicuna_bench|writing_prompts|roc_stories|hotpot_qa|natural_questions|"
    "web_nlg|e2e_nlg|common_gen|human_eval|just_eval|narrative_qa|big_patent|[^_]*"
)
"""Tasks whose names have a joint, and those without."""
SLOTS = {"-1": Outcome.A, "0": Outcome.TIE, "1": Outcome.B}


def parse_rating_set(source: Source) -> tuple[str, str, str]:
    """Return both systems and the task in the name of a file, FIRST_SECOND_TASK."""
    systems, unknown = source.systems, ["(?!)" if source.systems else "[^_/]+"] * 2
    named = "(?P<first>{})_(?P<second>{})_(?P<task>(?!pref_data)(?:(?!_pref_data)[^/])+)[^/]*"
    first, second, task = source.parse_name(
        named.format(*(map(re.escape, systems) if len(systems) == 2 else unknown)),
        f"is not named {'_'.join(systems)}_DATASET, so {option_ref('systems')} does not fit it"
        if systems else "must be named MODEL1_MODEL2_DATASET_pref_data.csv, to say who wrote them",
    ).values()  # fmt: skip
    if not systems and not TASKS.fullmatch(task):
        name, way = source.path.name, f"{option_ref('systems')} FIRST SECOND"
        raise TandemError(f"where a system ends in {name} is not certain: name the two with {way}")
    return first, second, task


def _rate(named: tuple[str, str, str], number: int, cells: Cells) -> Iterator[Entry]:
    *systems, task = named
    pairs = [_rated_pair(cells, systems, j) for j in range(1, 6)]
    texts = [{pair[f"system_{side}"]: pair[f"text_{side}"] for side in "ab"} for pair in pairs]
    written = json.dumps([[pair[system] for system in systems] for pair in texts])
    item = {"item": f"{task}-{digest(written)}", "older_item": f"{task}-{short_digest(written)}"}
    judge = f"{task}/{require_cell(cells, 'WorkerId', str)}@{'_'.join(systems)}"
    about = {"sort": VOTE, **item, "subset": task, "judge": judge, "judge_kind": Kind.HUMAN}
    for sample, pair in enumerate(pairs):
        yield {**about, **pair, "sample_a": sample, "sample_b": sample}


def _rated_pair(cells: Cells, systems: list[str], j: int) -> Entry:
    text_a, text_b = (require_cell(cells, f"Input.model{n}_summary{j}", str) for n in (1, 2))
    first, second = choose(cells, f"Input.id{j}", {"1": systems, "2": systems[::-1]})
    pair = {"system_a": first, "text_a": text_a, "system_b": second, "text_b": text_b}
    return {**pair, "outcome": choose(cells, f"Answer.pref{j}", SLOTS)}


RATING_SETS = Layout(
    "rating-sets", "rating sets of the separability study",
    {lambda source: FunctionReader(partial(_rate, parse_rating_set(source))):
        has_columns("WorkerId", "Input.id1", "Answer.pref1")},
    ("source", "summary"), settings=("systems",),
)  # fmt: skip


# Published data sets of preferences that have a layout of their own each, as their hosts give them:
# two texts and who was found better, or several texts, each rated.

SIDES = {"1": Outcome.A, "2": Outcome.B, "0": Outcome.TIE}
STEPS = 3  # of HelpSteer3's preferences to either side


def _read_unnamed(places: tuple[str, str], **fields: Spec) -> Callable[[Source], Reader]:
    """Return a function that makes a reader of votes on two texts of unknown systems."""

    def list_templates(source: Source) -> Iterator[Template]:
        first, second = name_sides(source, places)
        yield template(
            VOTE, system_a=Constant(first), text_a=places[0],
            system_b=Constant(second), text_b=places[1], **fields,
        )  # fmt: skip

    return read_by(list_templates)


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
            if is_score(rating) and str(rating).strip().casefold() != "n/a":
                yield {
                    "sort": SCORE, **text, "attribute": aspect, "judge": "gpt-4",
                    "judge_kind": Kind.LLM.value, "value": rating,
                }  # fmt: skip


def _annotators(source: Source) -> Iterator[Template]:
    def join_instruction(cells: Cells) -> str:
        parts = (as_text(cells.get(name)) or "" for name in ("instruction", "input"))
        return join_parts(part for part in parts if part.strip())

    for column in filter(re.compile(r"annotator\d+").fullmatch, source.columns):
        yield template(
            VOTE, context=join_instruction, system_a=_name_system(0), text_a="response1",
            system_b=_name_system(1), text_b="response2", judge=Constant(column),
            outcome=column, words=SIDES, when=column,
        )  # fmt: skip


def _name_system(place: int) -> Callable[[Cells], str]:
    def system(cells: Cells) -> str:
        both = read_name(cells, "cmp_key")
        systems = both.split("_")
        if len(systems) != 2 or not all(systems):
            raise ValueError(f"it is not certain which two systems {both[:60]!r} names")
        return systems[place]

    return system


def _has_alone(*columns: str) -> Callable[[Source], bool]:
    needed = has_columns(*columns)
    return lambda source: not source.mapping and needed(source)


# Two responses; annotator1, annotator2 ... say 1, 2, or 0 for a tie. cmp_key is FIRST_SECOND;
# instruction and input are the context.
PANDALM = Layout(
    "pandalm", "PandaLM's test set", {
        read_by(_annotators): has_columns(
            "cmp_key", "instruction", "response1", "response2", "annotator1"
        )
    }, ("instruction", "response"),
)  # fmt: skip
# openai/webgpt_comparisons: both answers have a score by the same person.
WEBGPT = Layout(
    "webgpt", "WebGPT's comparisons", {
        _read_unnamed(
            ("answer_0", "answer_1"), context="question.full_text",
            outcome=lambda cells: prefer_higher(
                *(as_mark(cells.get(name), name) for name in ("score_0", "score_1"))
            ),
        ): _has_alone("question", "answer_0", "answer_1", "score_0", "score_1"),
    }, ("question", "answer"), settings=("systems", "kind"),
)  # fmt: skip
# nvidia/HelpSteer3: how much better the first (-3 to -1) or the second (1 to 3) is; 0 is a tie.
HELPSTEER = Layout(
    "helpsteer", "HelpSteer3's preferences", {
        _read_unnamed(
            ("response1", "response2"), context=lambda cells: transcript(cells.get("context")),
            subset="domain", outcome=lambda cells: prefer_higher(0, _read_preference(cells)),
            strength=lambda cells: abs(_read_preference(cells)) / STEPS or None,
        ): _has_alone(
            "context", "response1", "response2", "overall_preference", "individual_preference"
        ),
    }, ("prompt", "response"), settings=("systems", "kind"),
)  # fmt: skip
# stanfordnlp/SHP: two answers to a post, of which readers preferred A where the label is 1.
SHP = Layout(
    "shp", "Stanford Human Preferences", {
        _read_unnamed(
            ("human_ref_A", "human_ref_B"), context="history", subset="domain",
            outcome=choose_outcome("labels", {"1": Outcome.A, "0": Outcome.B}, "label"),
            order_known=False,
        ): _has_alone("history", "human_ref_A", "human_ref_B", "labels"),
    }, ("post", "answer"), settings=("systems", "kind"),
)  # fmt: skip
# openai/summarize_from_feedback, comparisons: info, two summaries, and the choice of a worker.
SUMMARIZE_FEEDBACK = Layout(
    "summarize-feedback", "OpenAI's summaries with feedback", {
        read_by(template(
            VOTE, item="info.id", context=("info.post", "info.article"), judge="worker",
            system_a="summaries.0.policy", text_a="summaries.0.text",
            system_b="summaries.1.policy", text_b="summaries.1.text",
            outcome=choose_outcome("choice", {"0": Outcome.A, "1": Outcome.B}, "choice"),
        )): _has_alone("info", "summaries", "choice", "worker"),
    }, ("post", "summary"), settings=("kind",),
)  # fmt: skip
# openbmb/UltraFeedback: completions by several models, each rated by GPT-4; "N/A" is no rating.
ULTRAFEEDBACK = Layout(
    "ultrafeedback", "UltraFeedback",
    {read_with(_rated_completions): _has_alone("instruction", "completions", "models")},
    ("instruction", "response"),
)  # fmt: skip
