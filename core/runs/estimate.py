"""Estimates of the requests and costs of a run before anything is asked; its pace, and its
latency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from ..judging import expected_budget
from ..labels import describe_duration
from ..models import Options
from ..models.served import provider_of
from ..prices import Prices
from ..store import Store

CHARACTERS_A_TOKEN = 4
"""About so many characters are a token of English; of other languages fewer."""


@dataclass(frozen=True)
class RunEstimate:
    """Estimate of a run: `answers` in `requests`, with `read` tokens to read and at most `written`
    tokens to write.

    `if_sampled` is the estimate for a judge whose mode is left open, if its server gives no
    probabilities and votes are sampled.
    """

    answers: int
    requests: int
    read: int
    written: int
    if_sampled: RunEstimate | None = None

    def costs(self, prices: Prices) -> tuple[float, float]:
        """Return the cost of reading, and the highest total cost."""
        most = self.if_sampled or self
        return prices.cost(self.read, 0), prices.cost(most.read + most.written, most.written)

    def least_seconds(self, rpm: int | None, tpm: int | None) -> float:
        """Return the time that the limits of the server allow at best; 0 without limits."""
        by_requests = self.requests / rpm if rpm else 0.0
        by_tokens = self.read / tpm if tpm else 0.0
        return 60 * max(by_requests, by_tokens)


def estimate_run(answers: int, prompts: Sequence[str], options: Options) -> RunEstimate:
    """Estimate the requests and tokens of `answers` from some of their prompts, system prompt
    included.

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


class Pace:
    """The pace of the stage that is at work: what came before, loading a model say, is over."""

    def __init__(self) -> None:
        self._stage = ""
        self._origin = (0.0, 0)  # when this stage was first heard of, and how far it was then

    def estimate(self, stage: str, done: int, of: int, now: float) -> str:
        """Estimate the time left, such as "about 2 min left"; "" while it is unknown. `now` is in
        seconds.
        """
        if stage != self._stage or done < self._origin[1]:
            self._stage, self._origin = stage, (now, done)
        began, done_then = self._origin
        if done <= done_then or done >= of:
            return ""
        return f"about {describe_duration((now - began) / (done - done_then) * (of - done))} left"


SHORTEST = 0.01
"""Seconds below which a time is not shown exactly."""


@dataclass(frozen=True)
class Latency:
    """Latency in seconds, over the `answers` whose time is known.

    `median` and `p95` are of the answers themselves. `waited_median` and `waited_p95` are of the
    wait before: for a turn, for a server's limits and between tries. See `Reply` for what is
    counted. A model on this machine has no wait.
    """

    answers: int
    median: float
    p95: float
    waited_median: float
    waited_p95: float

    @classmethod
    def from_run(cls, store: Store, run: int) -> Latency | None:
        """Return the latency of a run; None if no answer has a known time."""
        took = store.run_counts.seconds(run)
        if not len(took["seconds"]):
            return None
        each = took["seconds"], np.nan_to_num(took["waited"])
        quantiles = (float(np.quantile(values, q)) for values in each for q in (0.5, 0.95))
        return cls(len(took["seconds"]), *quantiles)

    def __str__(self) -> str:
        """Describe it: a median latency of 0.8 s (95% within 2.1 s), after 0.1 s in line (95%
        within 3 s).
        """
        line = (
            f", after {short_time(self.waited_median)} in line "
            f"(95% within {short_time(self.waited_p95)})"
            if self.waited_p95 >= SHORTEST
            else ""
        )
        took = f"{short_time(self.median)} (95% within {short_time(self.p95)})"
        return f"median latency {took}{line}"


def short_time(seconds: float) -> str:
    """Format seconds in two digits or as whole ones: "under 0.01 s", "0.21 s", "120 s"."""
    if seconds < SHORTEST:
        return f"under {SHORTEST} s"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
