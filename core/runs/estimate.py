"""Estimates: what a run will ask of a server, and cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from core.judging import expected_budget
from core.models import Options
from core.models.served import provider_of
from core.prices import Prices

CHARACTERS_A_TOKEN = 4
"""About so many characters are a token of English; of other languages fewer."""


@dataclass(frozen=True)
class RunEstimate:
    """What a run asks for: `answers` in so many `requests`, about `read` tokens to be read, and at
    most `written` to be written. `if_sampled`: of a judge whose mode is left open, the same where
    its server gives no probabilities, so that votes are sampled.
    """

    answers: int
    requests: int
    read: int
    written: int
    if_sampled: RunEstimate | None = None

    def costs(self, prices: Prices) -> tuple[float, float]:
        """What reading costs, and the most that all costs."""
        most = self.if_sampled or self
        return prices.cost(self.read, 0), prices.cost(most.read + most.written, most.written)

    def least_seconds(self, rpm: int | None, tpm: int | None, servers: int = 1) -> float:
        """The time that the limits of so many servers allow at best; 0 without limits."""
        by_requests = self.requests / (rpm * servers) if rpm else 0.0
        by_tokens = self.read / (tpm * servers) if tpm else 0.0
        return 60 * max(by_requests, by_tokens)


def estimate_run(answers: int, prompts: Sequence[str], options: Options) -> RunEstimate:
    """What so many answers take, from some of their prompts, the system prompt included.

    A judge whose mode is left open is taken to answer by its probabilities.
    """
    votes = options.votes if options.mode == "sample" else 1
    several = provider_of(options.base_url).several
    requests = answers * (1 if several else votes)
    characters = fmean(map(len, prompts)) if prompts else 0.0
    is_open = not options.mode
    sampled = replace(options, mode="sample")
    return RunEstimate(
        answers,
        requests,
        round(requests * characters / CHARACTERS_A_TOKEN),
        answers * votes * expected_budget(options.prompt, options),
        estimate_run(answers, prompts, sampled) if is_open else None,
    )
