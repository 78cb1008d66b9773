"""AlpacaEval 2: one judge's preference between a baseline's and a model's output, from token
probabilities.

`preference` is 1 + the probability that generator_2 is better. The judge saw the outputs as m
(first) and M (second), and which was which was shuffled and not written down. The probabilities of
the two tokens show it: with P(m) = exp(logprob_m) / (exp(logprob_m) + exp(logprob_M))
the preference is 2 - P(m) where generator_1 was first and 1 + P(m) where generator_2 was. Where
both are so (P(m) = 1/2), or a token is missing (it was not among the likeliest five: its
probability counts as 0), the order stays unknown.

The item is the place of the instruction in AlpacaEval's list, from 0. A model's annotations.json
has the texts, but no numbers. The table of all models has how many characters each text has (len_1,
len_2); there, model_dir is the name on the leaderboard.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ...records import Answer, Kind, TandemError, option_ref
from ..cells import Cells, as_number, read_name, require_cell
from ..entry import VOTE, Entry
from ..layout import Layout, has_columns
from ..templates import read_with, swap_sides
from ..values import find_value

JUDGE = "weighted_alpaca_eval_gpt4_turbo"
EXACT = 1e-6
"""Preferences have ten digits; 1e-3 would find one order too many, 1e-10 none too few."""


def _preferences(number: int, cells: Cells) -> Iterator[Entry]:
    pair = {
        "system_a": read_name(cells, "generator_1"), "length_a": cells.get("len_1"),
        "system_b": read_name(cells, "model_dir"), "length_b": cells.get("len_2"),
    }  # fmt: skip
    yield {
        **_vote(cells, pair, cells.get("logprob_m"), cells.get("logprob_M")),
        "item": read_name(cells, "instruction_index"), "judge": JUDGE,
    }  # fmt: skip


def _annotations(number: int, cells: Cells) -> Iterator[Entry]:
    """An instruction that is known from another file is the same item; else its place counts."""
    pair = {
        "system_a": read_name(cells, "generator_1"), "text_a": require_cell(cells, "output_1", str),
        "system_b": read_name(cells, "generator_2"), "text_b": require_cell(cells, "output_2", str),
        "sample_a": 0, "sample_b": 0,
    }  # fmt: skip
    top = find_value(cells, "raw_completion.logprobs.content[0].top_logprobs")
    likely = [one for one in top if isinstance(one, dict)] if isinstance(top, list) else []
    tokens = {one.get("token"): one.get("logprob") for one in likely}
    yield {
        **_vote(cells, pair, tokens.get("m"), tokens.get("M")),
        "context": require_cell(cells, "instruction", str), "fallback_item": str(number - 1),
        "judge": cells.get("annotator") or JUDGE, "raw": _reply(cells.get("raw_completion")),
    }  # fmt: skip


def _vote(cells: Cells, pair: Mapping[str, Any], m: object, big_m: object) -> Entry:
    entry: Entry = {"sort": VOTE, "subset": cells.get("dataset"), "order_known": False, **pair}
    if pair["system_a"] == pair["system_b"]:  # as the baseline is, which is no vote
        raise ValueError(f"compares {pair['system_a']!r} with itself")
    preference = _number(cells.get("preference"), "preference")
    if preference is None:
        return {**entry, "outcome": None}
    if not 1 <= preference <= 2:  # then 1 may be something else, too
        raise TandemError(
            f"preference is {preference:g}, but from 1 to 2 in AlpacaEval: say "
            f"{option_ref('format')} votes, and it asks what the numbers mean"
        )
    answer = Answer.from_probability(2 - preference)
    firsts = _possible_firsts(preference, _number(m, "a logprob"), _number(big_m, "a logprob"))
    if firsts == [2]:
        entry |= swap_sides(pair)
        answer = Answer.from_probability(preference - 1)
    is_known = len(firsts) == 1
    return {**entry, "order_known": is_known, "outcome": answer.outcome, "prob_a": answer.prob_a}


def _possible_firsts(preference: float, m: float | None, big_m: float | None) -> list[int]:
    if m is None or big_m is None:
        return []
    shown = 1 / (1 + math.exp(min(big_m - m, 700)))
    expected = {1: 2 - shown, 2: 1 + shown}
    return [first for first, value in expected.items() if abs(preference - value) < EXACT]


def _number(value: object, what: str) -> float | None:
    return None if value in (None, "") else as_number(value, what)


def _reply(completion: object) -> str:
    if isinstance(completion, dict):
        message = completion.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        completion = completion.get("concise_explanation") or content or completion.get("text")
    return completion if isinstance(completion, str) else ""


LAYOUT = Layout(
    "alpacaeval", "AlpacaEval's annotations",
    {
        read_with(_annotations): has_columns(
            "instruction", "output_1", "output_2", "generator_1", "generator_2", "annotator"
        ),
        read_with(_preferences): has_columns(
            "instruction_index", "generator_1", "model_dir", "preference", "logprob_m"
        ),
    },
    ("instruction", "output"), settings=("kind",), kind=Kind.LLM, is_answered_once=True,
)  # fmt: skip
