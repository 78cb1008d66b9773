"""What a judge said, in words: its reply, its replies, or the figures its answer was read from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

LONGEST = 600  # characters of a reply that are shown without opening the raw answer
LIKELIEST = 3  # label words or marks whose probabilities are said


def reason(raw: str, noun: str = "context") -> str:
    """The reason of one answer in sentences; '' where its raw text gives none. `noun` is what the
    data set calls a context.
    """
    try:
        said = json.loads(raw)
        if isinstance(said, Mapping):
            parts = (_replied(said), _probabilities(said), _rule(said, noun))
            return " ".join(filter(None, parts))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        pass  # imported: what it holds is not what Tandem's judges write
    return _quoted(raw)


def figures(raw: str, noun: str = "context") -> str:
    """The figures or the rule that an answer was read from, in sentences, without its replies."""
    try:
        said = json.loads(raw)
        if isinstance(said, Mapping):
            return " ".join(filter(None, (_probabilities(said), _rule(said, noun))))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        pass
    return ""


def _replied(said: Mapping[str, Any]) -> str:
    texts = said.get("texts")
    if isinstance(texts, list) and texts:
        return f"It replied {', '.join(_marked(str(text)) for text in texts)}."
    detail = str(said.get("detail") or "")
    told = f"The reason: {_marked(detail)}." if detail else ""
    return " ".join(filter(None, (_quoted(str(said.get("text") or "")), told)))


def _quoted(text: str) -> str:
    return f"It replied {_marked(text)}." if text.strip() else ""


def _marked(text: str) -> str:
    """A reply between quotation marks, cut where it is long."""
    text = text.strip().encode(errors="replace").decode()  # JSON may hold half a sign
    return f"“{text[:LONGEST]}{' …' if len(text) > LONGEST else ''}”"


def _probabilities(said: Mapping[str, Any]) -> str:
    chances = said.get("p")
    if not isinstance(chances, Mapping) or not chances:
        return ""
    likeliest = sorted(chances.items(), key=lambda chance: -float(chance[1]))[:LIKELIEST]
    return f"Probabilities: {', '.join(f'{word} {float(p):.3g}' for word, p in likeliest)}."


def _rule(said: Mapping[str, Any], noun: str) -> str:
    """What a judge without a reply went by."""
    if "cos_a" in said:
        a, b = float(said["cos_a"]), float(said["cos_b"])
        nearer = "Both are as near" if a == b else f"{'A' if a > b else 'B'} is nearer"
        return f"{nearer} to the {noun}: cosine {a:.3f} of A, {b:.3f} of B."
    if "logp_a" in said:
        named = {"logp_a": "A", "logp_b": "B", "logp_tie": "a tie"}
        given = [
            f"{math.exp(float(said[key])):.2g} to {name}"
            for key, name in named.items()
            if isinstance(said.get(key), int | float) and said[key] <= 0
        ]
        return f"It gives the probability {', '.join(given)}." if given else ""
    if "logp" in said:
        mean = float(said["logp"]) / max(int(said.get("tokens") or 1), 1)
        return f"The mean log-probability of its {said.get('tokens')} tokens is {mean:.3f}."
    if "metric" in said:
        return f"Held against reference {int(said.get('reference', 0)) + 1}, by {said['metric']}."
    return ""
