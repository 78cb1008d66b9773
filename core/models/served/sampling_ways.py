"""Ways to have a server draw its replies, instead of giving the likeliest one each time."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .completion import Completion

SAME = "gives the same reply each time"
HOW_TO_SAMPLE = 'with transformers serve by "do_sample": true in generation_config.json'
"""What a server does that does not draw its replies."""

OPEN_QUESTION = [{"role": "user", "content": "Write twelve random words, separated by spaces."}]
PROBES = 5  # replies to that, by which one tells whether a server draws them
PROBE_TOKENS = 24
PROBE_TEMPERATURES = (1.0, 2.0)  # the second for a model that is very sure of itself


@dataclass(frozen=True)
class SamplingWay:
    """Way to make a server draw its replies, beside the temperature. It is more `options` of the
    body, or a seed for each request if the server has a fixed one of its own.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    seeds: bool = False


WAYS = (
    SamplingWay(),
    SamplingWay(
        seeds=True
    ),  # started with a seed, such as llama-server --seed and Ollama's Modelfile
    SamplingWay({"do_sample": True}),  # LMDeploy, Zhipu
    SamplingWay({"generation_config": json.dumps({"do_sample": True})}),  # transformers serve
)
NO_WAY = -1
"""Number of the way of a server that draws in none of WAYS."""


async def find_way(ask: Callable[[int, float], Awaitable[Completion]]) -> int | None:
    """Return the number of the first way in which a server draws its replies: some of several to an
    open question differ, which are asked for in a way and at a temperature. NO_WAY where it never
    does; None where no two replies came, so that nothing is known against it.
    """
    for number, heat in product(range(len(WAYS)), PROBE_TEMPERATURES):
        completion = await ask(number, heat)
        texts = [choice.text for choice in completion.choices if not choice.failure]
        if len(set(texts)) > 1:
            return number
        if number == 0 and len(texts) < 2:
            return None
    return NO_WAY
