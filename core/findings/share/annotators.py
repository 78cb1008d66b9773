"""Simulated annotators: a prompt with some votes of one person as examples, so that a model answers
as different people would (Jung et al. 2025).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...judging import declared_form, edit_prompt, fill, fill_labels
from ...records import Attribute, JudgeSpec, Outcome, Prompt, Question, TandemError, option_ref
from ...settings import declare
from ...store import Store
from ..judgements.answers import choose_truth, select_answered
from ..judgements.finding import unless_refused
from ..judgements.selection import Selection
from ..judgements.verdicts import TEXTS

NAMED = "annotator"
_VERSION = re.compile(rf"(-{NAMED}-.+)@\d+(?=\||$)")
_IN_BRACES = re.compile(r"\{([A-Za-z_]+)\}")
PREFERRED = [Outcome.A.value, Outcome.B.value]


@dataclass(frozen=True)
class SimulationSettings:
    """Settings of simulated annotators: how many, and the votes each has as `examples`."""

    annotators: int = declare(
        0, "ask the judge N times, each with examples of one person's votes (Jung et al. 2025)",
        metavar="N", least=0, label="Simulated annotators",
        more="A model is surer where it says the same by anybody's examples. Choose the signal on "
        "the page Together, Share.",
    )  # fmt: skip
    examples: int = declare(
        3, "votes that each simulated annotator has as examples", metavar="N", least=1,
        label="Examples of each",
    )  # fmt: skip


def simulate_annotators(
    store: Store, selection: Selection, judge: JudgeSpec, settings: SimulationSettings
) -> tuple[Prompt, ...]:
    """Write the prompt of a judge for each simulated annotator: before its question come votes of
    one person; person and votes are drawn by the seed. Each is stored as a version of
    "NAME-annotator-ATTRIBUTE".

    Raises:
        TandemError: for several attributes, for a judge that does not answer by a label alone, and
            where nobody has given as many votes for one of two texts.
    """
    attributes = {one.name: one for one in store.datasets.attributes(selection.dataset)}
    if not selection.attribute and len(attributes) > 1:
        raise TandemError(
            f"examples are about one question: name one of {', '.join(attributes)} with "
            f"{option_ref('attribute')}"
        )
    prompt = judge.prompt
    form = declared_form(prompt, judge.mode) if prompt and judge.labels else None
    if prompt is None or form is None or form.name != "label-first":
        raise TandemError(
            f"{judge.name} does not answer by a label alone, so examples cannot say how: leave out "
            f"{option_ref('annotators')}, or choose another {option_ref('prompt')}"
        )
    attribute = attributes[selection.attribute or next(iter(attributes))]
    voting = choose_truth(store, selection.dataset)
    asked = Selection(selection.dataset, selection.subset, attribute.name, (voting,))
    answered = unless_refused(partial(select_answered, store, asked))
    votes = answered[0] if answered else pd.DataFrame(columns=["judge", "outcome"])
    votes = votes[votes["outcome"].isin(PREFERRED)]
    people = [rows for _, rows in votes.groupby("judge") if len(rows) >= settings.examples]
    if not people:
        raise TandemError(
            f"nobody has given {settings.examples} votes on {attribute.name}: take fewer "
            f"{option_ref('examples')}, or let people vote"
        )
    rng, found = np.random.default_rng(selection.seed), list[Prompt]()
    for _ in range(settings.annotators):
        rows = people[rng.integers(len(people))]
        taken = rows.iloc[rng.choice(len(rows), settings.examples, replace=False)]
        examples = _write_examples(store, selection.dataset, judge, attribute, taken)
        found.append(
            edit_prompt(
                store, f"{prompt.name}-{NAMED}-{attribute.name}",
                "\n\n".join([*examples, prompt.template]), judge.mode, form=form.name,
                labels=prompt.labels,
            )
        )  # fmt: skip
        store.judges.add_prompt(found[-1])
    return tuple(dict.fromkeys(found))


def _write_examples(
    store: Store, dataset: str, judge: JudgeSpec, attribute: Attribute, votes: pd.DataFrame
) -> Iterator[str]:
    """Write these votes as the judge would be asked, each with the label that was chosen."""
    assert judge.prompt is not None
    items = list(votes["item"].unique())
    texts = store.texts.generations(dataset, items=items).set_index("generation")["text"]
    about = store.datasets.items(dataset, items).set_index("item")
    context_noun, candidate_noun = store.datasets.nouns(dataset)
    for vote in votes.to_dict("records"):
        item = about.loc[vote["item"]]
        question = Question(
            0, item["context"], texts[vote["generation_a"]], texts[vote["generation_b"]],
            attribute, tuple(json.loads(item["references"])), context_noun, candidate_noun,
            vote["item"], item["subset"],
        )  # fmt: skip
        label = fill_labels(judge.labels, question)[PREFERRED.index(vote["outcome"])]
        asked = fill(judge.prompt, question, judge.labels)
        # What is in braces is words of a text here, and no placeholder.
        asked = _IN_BRACES.sub(r"{ \1 }", asked)
        yield f"{asked}{' ' if asked.endswith(':') else chr(10)}{label}"


def mark_examples(store: Store, dataset: str, pairs: pd.DataFrame) -> NDArray[np.bool_]:
    """Mark the pairs (m,) of items that simulated annotators have as examples: context and both
    texts are in a prompt of theirs.
    """
    texts = store.texts.generations(dataset).set_index("generation")["text"].fillna("")
    contexts = store.datasets.items(dataset).set_index("item")["context"]
    shown = [pairs["item"].map(contexts), *(pairs[side].map(texts) for side in TEXTS)]
    parts = list(
        zip(*([_IN_BRACES.sub(r"{ \1 }", text) for text in of] for of in shown), strict=True)
    )
    prompts = [one.template for one in store.judges.prompts() if f"-{NAMED}-" in one.name]
    there = [any(all(text in prompt for text in texts) for prompt in prompts) for texts in parts]
    return pairs["item"].isin(pairs["item"][there]).to_numpy(bool)


def group_annotators(names: Sequence[str]) -> Mapping[str, list[int]]:
    """Group the places of judges that simulate annotators by model, prompt and settings; no other
    judge is in a group.
    """
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if _VERSION.search(name):
            found.setdefault(_VERSION.sub(r"\1", name), []).append(place)
    return found
