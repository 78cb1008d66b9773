"""Attributes that the field's data sets ask about, and the usual question for each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..records import Attribute, Dataset, TandemError, option_ref

OVERALL = "overall"  # the attribute of files that name none

# The adjective and the question of the attributes the field's data sets share; {candidate} is the
# data set's noun.
_QUESTIONS = """
coherence: coherent: is more coherent, so that its sentences form one well-ordered whole
consistency: consistent: is more consistent with the facts in the {context}
fluency: fluent: is more fluent, with better grammar and wording
relevance: relevant: is more relevant, keeping what matters in the {context} and nothing else
naturalness: natural: sounds more like something a person would naturally say
engagingness: engaging: is more engaging
groundedness: grounded: makes better use of the given fact
understandability: understandable: is easier to understand
grammar: grammatical: has the better grammar
semantics: true to the {context}: says what is in the {context}, no less and no more
empathy: moving: makes the characters' feelings easier to understand
surprise: surprising: has the more surprising end
engagement: engaging: is more engaging
complexity: elaborate: is more elaborate
overall:: is better overall
"""
KNOWN: dict[str, tuple[str, str]] = {
    name: (adjective.strip(), f"Which {{candidate}}{question}?")
    for name, adjective, question in (line.split(":") for line in _QUESTIONS.strip().splitlines())
}

RANKS = frozenset(("rank", "ranks", "ranking", "rank order", "rank_order", "position", "place"))
"""Attributes whose lower marks are likely the better ones."""


def describe_directions(
    scored: Sequence[str], known: Collection[str], lower: Collection[str]
) -> list[str]:
    """Return sentences about attributes that are `scored` as if higher were better, and look
    otherwise. That lower is better is `known` of some, and said of those that are `lower`. Raises
    TandemError where the files have no scores of one of these.
    """
    names = [name for name in scored if name in lower or name not in known]
    unknown = next((name for name in lower if name not in names), None)
    if unknown is not None:
        raise TandemError(
            f"{option_ref('lower_is_better')} {unknown}: the files have no scores of it; they have "
            f"some of {', '.join(names) or 'nothing'}"
        )
    return [
        f"higher is taken for better in the scores of {name!r}; if 1 is the best, say "
        f"{option_ref('lower_is_better')} {name}"
        for name in names
        if name.casefold() in RANKS and name not in lower
    ]


def make_attribute(name: str, dataset: Dataset) -> Attribute:
    """Return the attribute of that name, with the field's usual question where it has one."""
    adjective, question = KNOWN.get(name.casefold(), ("", ""))
    nouns = {"candidate": dataset.candidate_noun, "context": dataset.context_noun}
    return Attribute(name, adjective.format(**nouns), question.format(**nouns))
