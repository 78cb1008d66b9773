"""Evaluation steps, as in G-Eval (Liu et al. 2023, section 2.1).

A model reads what is to be scored and by which criterion, and writes the steps by which texts are
then scored.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..models import Options
from ..records import Prompt, Slot, TandemError, option_ref
from ..store import Store
from .prompt_versions import edit_prompt
from .prompts import wording_of_one
from .registry import make_writer

TASK = """You will be given one {noun} and the {context} it was written for.

Your task is to rate the {noun} on one metric.

Evaluation criterion:

{criterion}"""

REQUEST = f"""{TASK}

Write the steps by which to rate it: numbered, one a line, and nothing else.

Evaluation steps:
1."""

TEMPLATE = f"""{TASK}

Evaluation steps:

{{steps}}

{{{{Context_noun}}}}:
{{{{context}}}}

{{{{Candidate_noun}}}}:
{{{{text}}}}

Evaluation form (the score alone, from {{{{low}}}} to {{{{high}}}}):
- {{name}}:"""


STEPS_TOKENS = 512
_NUMBER = re.compile(r"\A\W*(?:step\s*)?1\W", re.IGNORECASE)


def write(
    store: Store, dataset: str, attribute: str | None, model: str, options: Options
) -> Prompt:
    """Return a prompt for marks with the steps that a model (SPEC) writes for an attribute, in its
    likeliest words; stored as the next version of "g-eval-ATTRIBUTE". `options` say how it is
    asked.

    Raises TandemError for an attribute that is not there, and when the model writes nothing.
    """
    told = _attribute_values(store, dataset, attribute)
    attribute = str(attribute)
    own = replace(options, instruction=REQUEST.format(**told), max_tokens=STEPS_TOKENS)
    writer = make_writer(model, own)
    writer.load()
    [draft] = writer.answers([Slot(item=0, key=attribute, sample=0, context="")])
    steps = (draft.text or "").strip()
    if not steps:
        why = f" ({draft.failure})" if draft.failure else ""
        raise TandemError(f"{model} wrote no steps{why}: name another model, or write them by hand")
    # A model that goes on from "1." does not write it again.
    numbered = steps if _NUMBER.match(steps) else f"1. {steps}"
    template = TEMPLATE.format(**told, steps=_literal(numbered))
    prompt = edit_prompt(store, f"g-eval-{attribute}", template, "g-eval")
    store.judges.add_prompt(prompt)
    return prompt


def _attribute_values(store: Store, dataset: str, attribute: str | None) -> dict[str, str]:
    """Return the words about an attribute that the model and the prompt get, by placeholder."""
    known = {one.name: one for one in store.datasets.attributes(dataset)}
    if attribute not in known:
        wrong = (
            f"unknown {option_ref('attribute')} {attribute!r}"
            if attribute
            else (f"{option_ref('attribute')} is needed: steps are about one")
        )
        raise TandemError(f"{wrong}; there are {', '.join(known)}")
    context, noun = store.datasets.nouns(dataset)
    chosen = known[attribute]
    name = attribute[:1].upper() + attribute[1:]
    criterion = chosen.guideline or wording_of_one(chosen, noun)
    told = {"noun": noun, "context": context, "name": name, "criterion": f"{name}: {criterion}"}
    return {key: _literal(text) for key, text in told.items()}


def _literal(text: str) -> str:
    """Return a text in which nothing is a placeholder."""
    return text.replace("{", "(").replace("}", ")")
