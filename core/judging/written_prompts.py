"""Prompts that a model writes. Evaluation steps are those of G-Eval (Liu et al. 2023, section 2.1).
Paraphrases say an instruction in other words, and leave its texts (Zhou et al. 2024, ZEPO).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from ..models import Options, execution_options
from ..records import Draft, Prompt, Slot, TandemError, option_ref
from ..store import Store
from .prompt_versions import edit_prompt
from .prompts import PARAGRAPH_BREAK, find_placeholders, wording_of_one
from .registry import make_writer

TASK = """You will be given one {noun} and the {context} it was written for.

Your task is to rate the {noun} on one metric.

Evaluation criterion:

{criterion}"""

STEPS_REQUEST = f"""{TASK}

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

TEXTS = {"a", "b", "context", "text"}
"""Placeholders of texts: a paragraph with one is no instruction."""
PARAPHRASE_REQUEST = """\
Rewrite this instruction in other words that mean the same. Keep each word in curly braces exactly \
as it is, braces included. Answer with the new instruction alone.

Instruction:
{instruction}

New instruction:
"""
PARAPHRASE_TOKENS = 256
LOST, REPEATS, UNWRITTEN = "lost a placeholder", "repeat others", "were not written"


def write_steps(
    store: Store, dataset: str, attribute: str | None, model: str, options: Options
) -> Prompt:
    """Return a prompt for marks with the steps that a model (SPEC) writes for an attribute, in its
    likeliest words; stored as the next version of "g-eval-ATTRIBUTE". `options` say how it is
    asked.

    Raises TandemError for an attribute that is not there, and when the model writes nothing.
    """
    values = _attribute_values(store, dataset, attribute)
    attribute = str(attribute)
    own = replace(options, instruction=STEPS_REQUEST.format(**values), max_tokens=STEPS_TOKENS)
    [draft] = _write(model, own, attribute, 1)
    steps = (draft.text or "").strip()
    if not steps:
        why = f" ({draft.failure})" if draft.failure else ""
        raise TandemError(f"{model} wrote no steps{why}: name another model, or write them by hand")
    # A model that goes on from "1." does not write it again.
    numbered = steps if _NUMBER.match(steps) else f"1. {steps}"
    template = TEMPLATE.format(**values, steps=_literal(numbered))
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
    values = {"noun": noun, "context": context, "name": name, "criterion": f"{name}: {criterion}"}
    return {key: _literal(text) for key, text in values.items()}


def _literal(text: str) -> str:
    """Return a text in which nothing is a placeholder."""
    return text.replace("{", "(").replace("}", ")")


def paraphrase_prompt(
    store: Store, prompt: Prompt, number: int, model: str, options: Options, mode: str | None = None
) -> tuple[list[Prompt], Counter[str]]:
    """Let a model (SPEC) write `number` paraphrases of a prompt's last paragraph without texts:
    those that differ, and the numbers of those left out, by the reason.

    Each is stored as a version of "NAME-paraphrase". They are sampled at temperature 1 unless
    `options` say otherwise, so the same seed gives the same ones. Raises TandemError for a prompt
    without such a paragraph.
    """
    paragraphs = PARAGRAPH_BREAK.split(prompt.template)
    places = [
        place
        for place, text in enumerate(paragraphs)
        if text.strip() and not TEXTS & {*find_placeholders(text)}
    ]
    if not places:
        raise TandemError(
            f"prompt {prompt.name!r} has no paragraph without texts, so there is no instruction to "
            "paraphrase: put a blank line round it"
        )
    instruction = paragraphs[places[-1]]
    own = Options(
        base_url=options.base_url, permit=options.permit, seed=options.seed,
        instruction=PARAPHRASE_REQUEST.format(instruction=instruction),
        max_tokens=PARAPHRASE_TOKENS, temperature=options.temperature or 1.0,
        **execution_options(options.execution),
    )  # fmt: skip
    found, seen, left_out = list[Prompt](), {instruction.strip()}, Counter[str]()
    for draft in _write(model, own, prompt.name, number):
        said = " ".join((draft.text or "").split("\n\n")[0].split())
        kept = {*find_placeholders(said)} == {*find_placeholders(instruction)}
        if not said or not kept or said in seen:
            left_out[REPEATS if said and kept else LOST if said else UNWRITTEN] += 1
            continue
        seen.add(said)
        paragraphs[places[-1]] = said
        version = edit_prompt(
            store, f"{prompt.name}-paraphrase", "\n\n".join(paragraphs), mode, form=prompt.form,
            labels=prompt.labels,
        )  # fmt: skip
        store.judges.add_prompt(version)
        found.append(version)
    return found, left_out


def _write(model: str, options: Options, key: str, samples: int) -> Sequence[Draft]:
    slots = [Slot(item=0, key=key, sample=sample, context="") for sample in range(samples)]
    with closing(make_writer(model, options)) as writer:
        writer.load()
        return writer.answers(slots)
