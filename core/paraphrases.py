"""Paraphrases of a prompt by a model: its instruction in other words, its texts left as they are
(Zhou et al. 2024, ZEPO).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .judging import edit_prompt, find_placeholders, make_writer
from .models import Options, execution_options
from .records import Prompt, Slot, TandemError
from .store import Store

TEXTS = {"a", "b", "context", "text"}
"""Placeholders of texts: a paragraph with one is no instruction."""
REQUEST = """Rewrite this instruction in other words that mean the same. Keep each word in curly \
braces exactly as it is, braces included. Answer with the new instruction alone.

Instruction:
{instruction}

New instruction:
"""
MOST_TOKENS = 256
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")


class Paraphrases(NamedTuple):
    """Paraphrases of a prompt, different from it and from each other; `lost` counts the texts that
    lost a placeholder, `alike` those that were there already, `failed` those that were not written.
    """

    prompts: tuple[Prompt, ...]
    lost: int
    alike: int
    failed: int

    def describe(self) -> str:
        """Describe why some are left out: "2 lost a placeholder, 1 is a repeat"; '' if none is."""
        reasons = {"lost a placeholder": self.lost, "repeat others": self.alike,
                   "were not written": self.failed}  # fmt: skip
        return ", ".join(f"{count} {why}" for why, count in reasons.items() if count)


def paraphrase_prompt(
    store: Store, prompt: Prompt, number: int, model: str, options: Options, mode: str | None = None
) -> Paraphrases:
    """Let a model (SPEC) write `number` paraphrases of a prompt's last paragraph without texts.

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
    place = places[-1]
    instruction = paragraphs[place]
    own = Options(
        base_url=options.base_url, permit=options.permit, seed=options.seed,
        instruction=REQUEST.format(instruction=instruction), max_tokens=MOST_TOKENS,
        temperature=options.temperature or 1.0, **execution_options(options.execution),
    )  # fmt: skip
    writer = make_writer(model, own)
    writer.load()
    slots = [Slot(item=0, key=prompt.name, sample=sample, context="") for sample in range(number)]
    found, seen, lost, alike, failed = list[Prompt](), {instruction.strip()}, 0, 0, 0
    for draft in writer.answers(slots):
        said = " ".join((draft.text or "").split("\n\n")[0].split())
        if not said:
            failed += 1
        elif sorted(set(find_placeholders(said))) != sorted(set(find_placeholders(instruction))):
            lost += 1
        elif said in seen:
            alike += 1
        else:
            seen.add(said)
            template = "\n\n".join([*paragraphs[:place], said, *paragraphs[place + 1 :]])
            version = edit_prompt(
                store, f"{prompt.name}-paraphrase", template, mode, form=prompt.form,
                labels=prompt.labels,
            )  # fmt: skip
            store.judges.add_prompt(version)
            found.append(version)
    writer.close()
    return Paraphrases(tuple(found), lost, alike, failed)
