"""Verdicts of LLMs on the answers of public question sets, most of them in both orders."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...records import Answer, Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_number, as_text, read_name, require_cell
from ..conversations import join_turns
from ..entry import ITEM, SCORE, TEXT, VOTE, Entry
from ..layout import UNPARSED, Layout, Source, has_columns
from ..templates import (
    LABEL,
    Constant,
    RowNumber,
    Template,
    ask_as_votes,
    choose_outcome,
    give_verdict,
    need,
    read_by,
    read_with,
    swap_sides,
    template,
    vote_twice,
)
from ..values import find_number, find_objects, find_value

# FastChat's judgements as its llm_judge writes them: pairs judged in both orders (`*_pair.jsonl`),
# and single answers (`*_single.jsonl`). Game 1 shows model_1 first, game 2 model_2; a winner has
# the name "model_1", "model_2", "tie" or "error". Where it comes of two single marks (m1_score,
# m2_score), nobody saw the two together: that is one verdict without an order. The judge is
# [model, prompt]; turn 2 is judged with another prompt, so by another judge. A score of -1 could
# not be parsed.

WINNERS = {"model_1": Outcome.A, "model_2": Outcome.B, "tie": Outcome.TIE}


def _judge(cells: Cells) -> str:
    given = require_cell(cells, "judge", list)
    if len(given) != 2:
        raise ValueError(f"its judge {str(given)[:60]!r} is not a model and a prompt")
    turn = "" if cells.get("turn") in (None, 1) else f"/turn-{cells['turn']}"
    return f"{given[0]}/{given[1]}{turn}"


def _has_order(cells: Cells) -> bool:
    return cells.get("m1_score") is None


FASTCHAT_JUDGE = {
    "item": "question_id", "judge": _judge, "judge_kind": Kind.LLM, "judge_model": "{judge[0]}",
    "judge_prompt": "{judge[1]}",
}  # fmt: skip
FASTCHAT_PAIR = {
    **FASTCHAT_JUDGE, "system_a": "model_1", "system_b": "model_2", "order_known": _has_order,
    "created_at": "tstamp", "words": WINNERS,
}  # fmt: skip
GAMES = (
    give_verdict("g1_winner", "g1_judgment"),
    give_verdict("g2_winner", "g2_judgment", when=_has_order),
)
PAIRS = read_by(*vote_twice(FASTCHAT_PAIR, *GAMES, name_systems=True))
SINGLE = template(
    SCORE, **FASTCHAT_JUDGE, system="model", raw="judgment",
    value=lambda cells: as_number(cells.get("score"), "score"),
    failure=lambda cells: UNPARSED if as_number(cells.get("score"), "score") < 0 else "",
)  # fmt: skip
FASTCHAT = Layout(
    "fastchat", "FastChat's LLM judgements", {
        PAIRS: has_columns("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"),
        read_by(SINGLE): has_columns("question_id", "model", "judge", "score", "judgment"),
    }, ("question", "answer"), is_answered_once=True,
)  # fmt: skip


# MT-Bench and judgements in its manner: questions, answers, pairs judged in both orders, grades. A
# question has several turns and is judged as one conversation, so item and text hold all of them.
# An item is its question_id; in another language than English LANGUAGE/QUESTION_ID, as those are
# other questions. The subset is the language, where a file says it. In winner_ab and winner_ba (A,
# B, tie, or error, which could not be parsed) A is what was shown first, in winner_ba therefore
# model_b; `winner` follows from the two. Grades are from 1 to 10, of either turn, and their mean;
# -1, or none, could not be parsed.

SIDES = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE}
RATERS = {"avg_score": "single", "score_turn1": "single-turn-1", "score_turn2": "single-turn-2"}


def _item(cells: Cells) -> str:
    question, language = read_name(cells, "question_id"), as_text(cells.get("language"))
    return question if language in (None, "", "en") else f"{language}/{question}"


def _join_turns(of: object, name: str = "turns") -> str:
    return join_turns([as_text(turn) or "" for turn in require_cell(of, name, list)])


def _answers(number: int, cells: Cells) -> Iterator[Entry]:
    fields = {"sort": TEXT, "item": _item(cells), "system": read_name(cells, "model_id")}
    for sample, choice in enumerate(require_cell(cells, "choices", list)):
        yield {**fields, "sample": sample, "text": _join_turns(choice)}


GRADER = {"item": _item, "subset": "language", "judge_kind": Kind.LLM, "judge_model": "judge_id"}
BENCH_PAIR = dict(GRADER, judge="judge_id", system_a="model_a", system_b="model_b", words=SIDES)
BENCH_GAMES = give_verdict("winner_ab", "judgment_ab"), give_verdict("winner_ba", "judgment_ba")
QUESTIONS = template(
    ITEM, item=_item, subset="language", context=_join_turns,
    reference=lambda cells: cells.get("reference") and _join_turns(cells, "reference"),
)  # fmt: skip


def _grades(source: Source) -> Iterator[Template]:
    def find_failure(column: str, cells: Cells) -> str:
        given = find_number(cells, column)
        return UNPARSED if given is None or given < 0 else ""

    for column in filter(source.columns.__contains__, RATERS):
        yield template(
            SCORE, **GRADER, judge=f"{{judge_id}}/{RATERS[column]}", system="model_id",
            value=column, failure=partial(find_failure, column),
            raw=lambda cells, column=column: find_failure(column, cells) and cells.get(column),
        )  # fmt: skip


MTBENCH = Layout(
    "mtbench", "MT-Bench and judgements in its manner", {
        read_by(QUESTIONS): has_columns("question_id", "category", "turns"),
        read_with(_answers): has_columns("question_id", "model_id", "choices"),
        read_by(*vote_twice(BENCH_PAIR, *BENCH_GAMES)):
            has_columns("question_id", "judge_id", "model_a", "model_b", "winner_ab", "winner_ba"),
        read_by(_grades): has_columns("question_id", "judge_id", "model_id", "score_turn1"),
    }, ("question", "answer"), is_answered_once=True,
)  # fmt: skip


# Arena-Hard's judgements: every model against one baseline, in both orders. A row has two games:
# the first shows the baseline as A, the second the model. A game has a score (A>>B .. B>>A, or
# none) and the judgment it was read from, since 2.0 within an object. The rows of 2.0 name their
# baseline; those before do not, so it has to be said: `systems` with the one name.

VERDICTS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), Outcome.A),
    **dict.fromkeys(("A=B", "B=A"), Outcome.TIE),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), Outcome.B),
}
STRENGTHS = {verdict: len(verdict) - 2.0 for verdict in VERDICTS if "=" not in verdict}
"""1 of ">" and 2 of ">>"."""


def _games(source: Source) -> list[Template]:
    if "baseline" not in source.columns and len(source.systems) != 1:
        raise TandemError(
            f"{source.path.name} does not name the baseline of its comparisons: name it with "
            f"{option_ref('systems')}, such as gpt-4-0314 for Arena-Hard 0.1"
        )
    pair = {
        "item": ("question_id", "uid"), "subset": "category", "judge": "judge", "words": VERDICTS,
        "judge_model": "judge" if source.kind is Kind.LLM else Constant(""),
        "system_a": ("baseline", *map(Constant, source.systems[:1])), "system_b": "model",
    }  # fmt: skip
    return vote_twice(pair, _game(0), _game(1))


def _game(place: int) -> dict[str, Any]:
    path = f"games[{place}]"

    def is_there(cells: Cells) -> bool:
        games = require_cell(cells, "games", list)
        if len(games) > 2:
            raise ValueError(f"it has {len(games)} games, not one in each order")
        return place < len(games)

    def read_reply(cells: Cells) -> object:
        reply = find_value(cells, f"{path}.judgment")
        return reply.get("answer") if isinstance(reply, dict) else reply

    def read_strength(cells: Cells) -> float | None:
        return STRENGTHS.get((as_text(find_value(cells, f"{path}.score")) or "").strip())

    return {
        "when": is_there, "outcome": f"{path}.score", "raw": (read_reply, f"{path}.score"),
        "strength": read_strength,
    }  # fmt: skip


ARENA_HARD = Layout(
    "arena-hard", "Arena-Hard's judgements",
    {read_by(_games): has_columns("model", "judge", "games")},
    ("question", "answer"), settings=("systems", "kind"), kind=Kind.LLM, is_answered_once=True,
)  # fmt: skip


# JudgeBench's decisions: two responses of one model to a question, one of them objectively right.
# The label and decision_original_order speak of the original order; decision_swapped_order is as
# displayed after the swap: its A is response B. judge_name says which prompt the judge_model was
# asked with, except for reward models, which mark a response without reading one.

DECISIONS = {"A>B": Outcome.A, "B>A": Outcome.B, "A=B": Outcome.TIE}
JUDGEBENCH_PAIR = {
    "item": "pair_id", "subset": "source",
    "system_a": Constant("response_A"), "system_b": Constant("response_B"),
}  # fmt: skip


JUDGED = {
    **JUDGEBENCH_PAIR, "judge": "{judge_name}/{judge_model}", "judge_kind": Kind.LLM,
    "judge_model": "judge_model", "words": DECISIONS,
    "judge_prompt": lambda cells: (
        "" if (name := cells.get("judge_name")) == "reward_model" else f"JudgeBench/{name}"
    ),
}  # fmt: skip
FIRST, SECOND = "decision_original_order", "decision_swapped_order"
READER = read_by(
    template(VOTE, **JUDGEBENCH_PAIR, **LABEL, outcome=choose_outcome("label", DECISIONS, "label")),
    *vote_twice(JUDGED, give_verdict(FIRST), give_verdict(SECOND)),
)
JUDGEBENCH = Layout(
    "judgebench", "JudgeBench's decisions",
    {READER: has_columns("pair_id", "judge_model", FIRST, SECOND)},
    ("question", "response"), is_answered_once=True,
)  # fmt: skip


# AlpacaEval 2: one judge's preference between a baseline's and a model's output, from token
# probabilities. `preference` is 1 + the probability that generator_2 is better. The judge saw the
# outputs as m (first) and M (second), and which was which was shuffled and not written down. The
# probabilities of the two tokens show it: with P(m) = exp(logprob_m) / (exp(logprob_m) +
# exp(logprob_M)) the preference is 2 - P(m) where generator_1 was first and 1 + P(m) where
# generator_2 was. Where both are so (P(m) = 1/2), or a token is missing (it was not among the
# likeliest five: its probability counts as 0), the order stays unknown. The item is the place of
# the instruction in AlpacaEval's list, from 0. A model's annotations.json has the texts, but no
# numbers. The table of all models has how many characters each text has (len_1, len_2); there,
# model_dir is the name on the leaderboard.

NUMBERS = ("preference", "logprob_m", "logprob_M")
ANNOTATOR = "weighted_alpaca_eval_gpt4_turbo"
EXACT = 1e-6
"""Preferences have ten digits; 1e-3 would find one order too many, 1e-10 none too few."""


def _reply(cells: Cells) -> str:
    said = cells.get("raw_completion")
    if isinstance(said, dict):
        paths = ("concise_explanation", "message.content", "text")
        said = next(filter(None, (find_value(said, path) for path in paths)), "")
    return said if isinstance(said, str) else ""


SHARED = {"system_a": "generator_1", "subset": "dataset", "order_known": False}
TABLE = template(
    VOTE, **SHARED, system_b="model_dir", length_a="len_1", length_b="len_2",
    item="instruction_index", judge=Constant(ANNOTATOR),
)  # fmt: skip
FILE = template(  # an instruction that is known from another file is the same item; else its place
    VOTE, **SHARED, system_b="generator_2", text_a=need("output_1"), text_b=need("output_2"),
    sample_a=0, sample_b=0, context=need("instruction"), fallback_item=RowNumber(first=0),
    judge=("annotator", Constant(ANNOTATOR)), raw=_reply,
)  # fmt: skip


def _vote(pair: Template, number: int, cells: Cells) -> Iterator[Entry]:
    entry = dict(pair.fill(number, cells) or {})
    likely = find_objects(cells, "raw_completion.logprobs.content[0].top_logprobs")
    tokens = {f"logprob_{each.get('token')}": each.get("logprob") for each in likely}
    said: Cells = ChainMap(cells, tokens)  # type: ignore[arg-type]  # is only read
    preference, log_m, log_big_m = (find_number(said, name) for name in NUMBERS)
    if preference is None:
        yield {**entry, "outcome": None}
        return
    if not 1 <= preference <= 2:  # then 1 may be something else, too
        raise ask_as_votes("preference", f"{preference:g}", "from 1 to 2 in AlpacaEval")
    shown = math.nan
    if log_m is not None and log_big_m is not None:
        shown = 1 / (1 + math.exp(min(log_big_m - log_m, 700)))
    is_first, is_second = (abs(preference - p) < EXACT for p in (2 - shown, 1 + shown))
    swapped = is_second and not is_first
    answer = Answer.from_probability(preference - 1 if swapped else 2 - preference)
    yield {
        **(swap_sides(entry) if swapped else entry), "order_known": is_first != is_second,
        "outcome": answer.outcome, "prob_a": answer.prob_a,
    }  # fmt: skip


ALPACAEVAL = Layout(
    "alpacaeval", "AlpacaEval's annotations", {
        read_with(partial(_vote, FILE)): has_columns(
            "instruction", "output_1", "output_2", "generator_1", "generator_2", "annotator"
        ),
        read_with(partial(_vote, TABLE)): has_columns(
            "instruction_index", "generator_1", "model_dir", "preference", "logprob_m"
        ),
    }, ("instruction", "output"), settings=("kind",), kind=Kind.LLM, is_answered_once=True,
)  # fmt: skip
