"""Paraphrases of a prompt by a model: its instruction in other words, its texts left as they are
(Zhou et al. 2024, ZEPO).
"""

from __future__ import annotations

import re
from collections import Counter

from ..models import Options, execution_options
from ..records import Prompt, Slot, TandemError
from ..store import Store
from .prompt_versions import edit_prompt
from .prompts import find_placeholders
from .registry import make_writer

TEXTS = {"a", "b", "context", "text"}
"""Placeholders of texts: a paragraph with one is no instruction."""
REQUEST = """Rewrite this instruction in other words that mean the same. Keep each word in curly \
braces exactly as it is, braces included. Answer with the new instruction alone.

Instruction:
{instruction}

New instruction:
"""
MOST_TOKENS = 256
LOST, REPEATS, UNWRITTEN = "lost a placeholder", "repeat others", "were not written"
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")


def paraphrase_prompt(
    store: Store, prompt: Prompt, number: int, model: str, options: Options, mode: str | None = None
) -> tuple[list[Prompt], Counter[str]]:
    """Let a model (SPEC) write `number` paraphrases of a prompt's last paragraph without texts:
    those that differ, and the numbers of those left out, by the reason.

    Each is stored as a version of "NAME-paraphrase". They are sampled at temperature 1 unless
    `options` say otherwise, so the same seed gives the same ones. Raises TandemError for a prompt
    without such a paragraph.
    """
    paragraphs = _PARAGRAPH_BREAK.split(prompt.template)
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
        instruction=REQUEST.format(instruction=instruction), max_tokens=MOST_TOKENS,
        temperature=options.temperature or 1.0, **execution_options(options.execution),
    )  # fmt: skip
    writer = make_writer(model, own)
    writer.load()
    slots = [Slot(item=0, key=prompt.name, sample=sample, context="") for sample in range(number)]
    found, seen, left_out = list[Prompt](), {instruction.strip()}, Counter[str]()
    for draft in writer.answers(slots):
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
    writer.close()
    return found, left_out
