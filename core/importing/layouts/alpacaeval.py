"""Readers of AlpacaEval 2: one judge's preference between a baseline's and a model's output, from
token probabilities.

`preference` is 1 + the probability that generator_2 is better. The judge saw the outputs as m
(first) and M (second), and which was which was shuffled and not written down. It can be told from
the probabilities of the two tokens: with P(m) = exp(logprob_m) / (exp(logprob_m) + exp(logprob_M))
the preference is 2 - P(m) where generator_1 was first and 1 + P(m) where generator_2 was. Where
both are so (P(m) = 1/2), or a token is missing (it was not among the likeliest five: its
probability counts as 0), the order stays unknown. The item is the place of the instruction in
AlpacaEval's list, from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from core.importing.cells import Cells, as_number, as_text, named, required
from core.importing.layout import UNPARSED, Layout, Record, Source, has, texts
from core.records import Answer, Item, JudgeSpec, Kind, TandemError, Vote, setting

JUDGE = "weighted_alpaca_eval_gpt4_turbo"
EXACT = (
    1e-6  # the preferences have ten digits; 1e-3 would find one order too many, 1e-10 none too few
)


class Preferences:
    """All models in one table: model_dir, instruction_index, dataset (the subset), generator_1,
    generator_2, preference, logprob_m, logprob_M. The system is model_dir, under which the
    leaderboard lists it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = named(cells, "instruction_index")
        systems = named(cells, "generator_1"), named(cells, "model_dir")
        logprobs = [_number(cells, f"logprob_{token}") for token in "mM"]
        yield Item(item, subset=as_text(cells.get("dataset")) or "")
        yield from texts(item, dict.fromkeys(systems))
        yield from _preferred(
            self.source, item, systems, JUDGE, _number(cells, "preference"), logprobs
        )


class Annotations:
    """A model's annotations.json with the texts, and what the judge answered under raw_completion.

    It does not number its instructions. One that is known from another file is the same item; else
    its place in the list counts.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        instruction = required(cells, "instruction", str)
        item = self.source.item_of(instruction) or str(number - 1)
        systems = named(cells, "generator_1"), named(cells, "generator_2")
        tokens = _tokens(cells.get("raw_completion"))
        yield Item(item, instruction, subset=as_text(cells.get("dataset")) or "")
        outputs = (required(cells, name, str) for name in ("output_1", "output_2"))
        yield from texts(item, dict(zip(systems, outputs, strict=True)))
        logprobs = [tokens.get(token) for token in "mM"]
        judge = as_text(cells.get("annotator")) or JUDGE
        completion = cells.get("raw_completion")
        yield from _preferred(
            self.source, item, systems, judge, _number(cells, "preference"), logprobs,
            raw=_said(completion),
        )  # fmt: skip


def _said(completion: object) -> str:
    """What a judge wrote: its explanation, or all of it where it has no such part."""
    if isinstance(completion, dict):
        message = completion.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        completion = completion.get("concise_explanation") or content or completion.get("text")
    return completion if isinstance(completion, str) else ""


def _number(cells: Cells, name: str) -> float | None:
    value = cells.get(name)
    return None if value in (None, "") else as_number(value, name)


def _tokens(completion: object) -> dict[str, float]:
    """The log-probabilities of the answer's first token, as far as they are there."""
    try:
        top = completion["logprobs"]["content"][0]["top_logprobs"]  # type: ignore[index]
        return {str(one["token"]): as_number(one["logprob"], "a logprob") for one in top}
    except (KeyError, IndexError, TypeError):
        return {}


def _preferred(
    source: Source,
    item: str,
    systems: tuple[str, str],
    judge: str,
    preference: float | None,
    logprobs: list[float | None],
    *,
    raw: str = "",
) -> Iterator[Record]:
    if systems[0] == systems[1]:
        raise ValueError(f"compares {systems[0]!r} with itself")
    if preference is not None and not 1 <= preference <= 2:  # then 1 may be something else, too
        raise TandemError(
            f"preference is {preference:g}, but from 1 to 2 in AlpacaEval: say "
            f"{setting('format')} votes, and it asks what the numbers mean"
        )
    yield source.attribute("overall")
    yield JudgeSpec(judge, source.kind)
    fits = [] if preference is None else _orders(preference, *logprobs)
    answer = Answer(failure=UNPARSED, raw=raw)
    if fits == ["second"]:
        systems = systems[1], systems[0]
    if preference is not None:
        prob_a = preference - 1 if fits == ["second"] else 2 - preference
        answer = replace(Answer.from_probability(prob_a), raw=raw)
    yield Vote(
        item, *systems, judge=judge, answer=answer, kind=source.kind, order_known=len(fits) == 1
    )


def _orders(preference: float, m: float | None, big_m: float | None) -> list[str]:
    """Which generator may have been shown first."""
    if m is None or big_m is None:
        return []
    shown = 1 / (1 + math.exp(min(big_m - m, 700)))
    return [
        which
        for which, expected in (("first", 2 - shown), ("second", 1 + shown))
        if abs(preference - expected) < EXACT
    ]


LAYOUT = Layout(
    "alpacaeval",
    "AlpacaEval's annotations",
    {
        Annotations: has(
            "instruction", "output_1", "output_2", "generator_1", "generator_2", "annotator"
        ),
        Preferences: has(
            "instruction_index", "generator_1", "model_dir", "preference", "logprob_m"
        ),
    },
    ("instruction", "output"),
    settings=("kind",),
    kind=Kind.LLM,
    once=True,
)
