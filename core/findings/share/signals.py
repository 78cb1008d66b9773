"""Sureness of judges about pairs, from what is stored, and simulated annotators: a prompt with some
votes of one person as examples, so that a model answers as different people would (Jung et al.
2025).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from ...judging import declared_form, edit_prompt, fill, fill_labels
from ...records import Attribute, JudgeSpec, Outcome, Prompt, Question, TandemError, option_ref
from ...settings import declare
from ...statistics import Floats, calibration, fit_logistic
from ...store import Store
from ..combine import AnsweredPairs
from ..judgements.answers import choose_truth, select_answered
from ..judgements.finding import unless_refused
from ..judgements.population import code_families
from ..judgements.selection import Selection
from ..judgements.verdicts import PAIR, TEXTS, orient
from ..separability import applications, choose_metric

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


FOLDS = 10
GROUPED = ("judges", "annotators")
"""Signals of judges that answer as one."""
EVERY = "all judges"
"""What judges are called that answer together."""


@dataclass(frozen=True)
class Sureness:
    """Answers of J judges about m pairs: `says` (J, m) is 1 for the first text, 0 for the
    second, 1/2 for neither; `sure` (J, m) how sure it is, -inf where it chooses none. `members`
    are the judges that answer as each.
    """

    names: tuple[str, ...]
    says: Floats
    sure: Floats
    members: tuple[tuple[str, ...], ...]

    def take(self, judge: int) -> Sureness:
        """Take one judge alone."""
        one = slice(judge, judge + 1)
        return Sureness(self.names[one], self.says[one], self.sure[one], self.members[one])

    def answer(self, threshold: float) -> tuple[NDArray[np.int64], Floats]:
        """Return which judge answers each pair (m,), the first that is sure enough, -1 for none,
        and what it says.
        """
        enough = self.sure >= threshold
        by = np.where(enough.any(axis=0), enough.argmax(axis=0), -1)
        return by, self.says[by, np.arange(len(by))]


def measure_sureness(
    store: Store, selection: Selection, every: AnsweredPairs, signal: str, right: Floats
) -> Sureness:
    """Measure how sure the judges are by one of `pairing.SIGNALS`. `right` (m,) are people's points
    for the first text, NaN where nobody voted: what a learned signal learns from, without the item
    that it is about.

    Raises:
        TandemError: no separability was measured, or one judge is alone where several are meant.
    """
    groups = _group_judges(every.names, signal)
    prob = np.stack(
        [every.pairs[places].mean(axis=1).to_numpy(float) for places in groups.values()]
    )
    says = (np.sign(prob - 0.5) + 1) / 2
    measured = dict.fromkeys(("probability", "judges", "annotators"), np.abs(prob - 0.5) + 0.5)
    if signal in ("repeats", "learned"):
        measured["repeats"] = _measure_repeats(store, selection, every, says)
    if signal in ("separability", "learned"):
        apart = _measure_separability(store, selection, every)
        if apart is None and signal == "separability":
            raise TandemError(
                f"no separability is measured here: choose another {option_ref('signal')}, or "
                "sample each system twice and run `separability`"
            )
        if apart is not None:
            measured["separability"] = np.broadcast_to(apart, says.shape)
    sure = (
        learn_sureness(every, says, measured, right, selection.seed)
        if signal == "learned"
        else measured[signal]
    )
    is_none = (says == 0.5) | np.isnan(sure)
    if signal == "annotators":
        is_none |= mark_examples(store, selection.dataset, every.pairs)
    members = tuple(tuple(every.names[place] for place in places) for places in groups.values())
    return Sureness(tuple(groups), says, np.where(is_none, -np.inf, sure), members)


def _group_judges(names: Sequence[str], signal: str) -> Mapping[str, list[int]]:
    """Group the places of judges that answer as one. Raises TandemError for one alone."""
    if signal == "annotators":
        every = group_annotators(names)
        groups = {name: places for name, places in every.items() if len(places) > 1}
        if not groups:
            raise TandemError(
                f"{option_ref('signal')} annotators takes a judge that was asked as several: "
                "`judge --annotators 5` does, or choose another signal"
            )
        return groups
    if signal == "judges":
        if len(names) < 2:
            raise TandemError(
                f"{option_ref('signal')} judges takes two judges or more, and {names[0]} is alone: "
                "run another one, or name more"
            )
        return {EVERY: list(range(len(names)))}
    return {name: [place] for place, name in enumerate(names)}


def _measure_repeats(
    store: Store, selection: Selection, every: AnsweredPairs, says: Floats
) -> Floats:
    """Measure the share of each judge's single answers, in both orders and all trials, that say
    what it says on average; an answer of neither agrees by half.
    """
    frame, _ = select_answered(store, replace(selection, judges=tuple(every.names)))
    rows = orient(frame)
    mean = rows.groupby(["judge", *PAIR])["points_1"].mean()
    pairs = pd.MultiIndex.from_frame(every.pairs[PAIR])
    first = np.array([mean.xs(name).reindex(pairs).to_numpy(float) for name in every.names])
    found: Floats = np.where(says > 0.5, first, 1 - first)
    return found


def _measure_separability(
    store: Store, selection: Selection, every: AnsweredPairs
) -> Floats | None:
    metric = choose_metric(store, selection.dataset)
    if not metric:
        return None
    measured = applications.measure_ranked_systems(store, Selection(selection.dataset), metric)
    keys = ["item", "system_1", "system_2"]
    known = measured.set_index(keys)["separability"]
    return known.reindex(pd.MultiIndex.from_frame(every.pairs[keys])).to_numpy(float)


def learn_sureness(
    every: AnsweredPairs,
    says: Floats,
    measured: Mapping[str, Floats],
    right: Floats,
    seed: int,
) -> Floats:
    """Estimate the probability (J, m) that each judge says what people say, by logistic regression
    on all signals, fitted without the item's family where it has votes.
    """
    there = {name: value for name, value in measured.items() if name not in GROUPED}
    others = np.stack([np.abs(says - one[None]) for one in says]).mean(axis=1)  # disagreement
    there["others"] = 1 - others
    known = ~np.isnan(right)
    fold = calibration.folds(code_families(every.pairs), FOLDS, np.random.default_rng(seed))
    fold = np.where(known, fold, -1)  # a pair without votes is in no fit
    found = np.full(says.shape, np.nan)
    for judge, said in enumerate(says):
        columns = [
            np.where(np.isnan(value[judge]), np.nanmean(value), value[judge])
            for value in there.values()
        ]
        kept = [column for column in columns if np.ptp(column) > 1e-9]
        design = np.column_stack([np.ones(len(said)), *kept])
        target = 1 - np.abs(said - np.where(known, right, 0.5))
        for held in np.unique(fold):
            place, fitted = fold == held, known & (fold != held)
            found[judge, place] = expit(design[place] @ _fit(design[fitted], target[fitted]))
    return found


def _fit(design: Floats, target: Floats) -> Floats:
    """Fit to targets drawn in from 0 and 1, so that no coefficient is infinite."""
    drawn_in = (target * len(target) + 0.5) / (len(target) + 1)
    start = np.r_[float(logit(drawn_in.mean())), np.zeros(design.shape[1] - 1)]
    fit = fit_logistic(design, drawn_in, start, 1e-9 * np.eye(len(start)))
    return start if fit is None else np.asarray(fit)
