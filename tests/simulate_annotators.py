"""`python -m tests.simulate_annotators --write` draws the votes of the sample study's three simulated
annotators, and writes down what they would say in the long run.

data/sample/simulated_votes.csv has the votes, simulated_truth.csv the truth: the share of votes that
a text is expected to win against the other systems' texts of that item. Both come from the model
below alone; nobody has read a text for them. The same seed gives the same files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import numpy as np

from tests.document import update, write_csv
from tests.paths import ROOT

FOLDER = ROOT / "data" / "sample"
VOTES, TRUTH = FOLDER / "simulated_votes.csv", FOLDER / "simulated_truth.csv"
SEED = 35
SYSTEMS = ("heron", "magpie", "sparrow", "wren")
ASKED = {"sample-news": 14, "sample-dialogues": 8}
"""On how many items, drawn at random, the annotators vote."""
SAMPLES = 5
FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Utilities:
    """How good the texts of a data set are, on the scale of a logistic model: of each system by
    attribute, in the order of SYSTEMS; sparrow's on items where it can hardly be told from heron,
    and otherwise.
    """

    attributes: dict[str, tuple[float, float, float, float]]
    alike: tuple[int, ...]
    sparrow_alike: float = 0.9


# What data/README.md says of the systems, as numbers.
MODEL = {
    "sample-news": Utilities(
        {
            "coherence": (1.0, -0.1, -0.7, 0.2),
            "faithfulness": (1.0, -0.2, -1.4, 0.6),
            "informativeness": (1.0, 0.5, -0.3, -1.3),
        },
        alike=(1, 2, 3, 6, 9, 11, 13, 14, 16, 18, 20, 22, 23),
    ),
    "sample-dialogues": Utilities(
        {
            "helpfulness": (1.0, 0.1, -0.6, -0.8),
            "consistency": (0.9, 0.2, -1.1, 0.1),
            "naturalness": (0.8, -0.9, -0.1, 0.3),
        },
        alike=(1, 3, 4, 7),
    ),
}
STEADY = {"sample-news": (2, 4, 8, 12, 14, 17, 20, 23), "sample-dialogues": (2, 4, 6)}
"""Items on which the samples of a system are nearly alike, and so are as good as each other."""
WIDE = {"sample-news": (3, 7, 10, 13, 16, 19, 24), "sample-dialogues": (3, 5, 8)}
"""Items on which the samples of a system differ widely, and so systems less."""
TOLD_APART = {True: 2.2, False: 0.2}
"""How much more, or less, systems differ where their samples are steady, or wide."""
OF_ITEM, OF_STEADY, OF_OTHER = 0.3, 0.05, 0.6
"""Standard deviations: of how good a system is on an item, and of its samples there."""


@dataclass(frozen=True)
class Annotator:
    """How closely somebody follows the utilities, how far they prefer the text on the left (in
    logits), how far apart texts must be not to be a tie, and the median time of an answer.
    """

    name: str
    slope: float
    left: float
    tie: float
    seconds: float

    def chances(self, better: float) -> tuple[float, float]:
        """P(first), P(second) where the first text is so much better; the rest is a tie (Rao &
        Kupper 1967).
        """
        lean = self.slope * better + self.left
        return _logistic(lean - self.tie), _logistic(-lean - self.tie)


ANNOTATORS = (
    Annotator("simulated-careful", slope=2.5, left=0.0, tie=0.4, seconds=26),
    Annotator("simulated-careless", slope=0.5, left=0.0, tie=0.1, seconds=6),
    Annotator("simulated-left", slope=2.5, left=1.5, tie=0.3, seconds=19),
)
AGAIN = 0.1
"""The share of pairs that an annotator is asked a second time, in the other order."""


def _logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


Text = tuple[str, str, str, str, int]
"""data set, item, attribute, system, sample"""


def draw_utilities(rng: np.random.Generator) -> dict[Text, float]:
    """The utility of each text under each attribute."""
    found: dict[Text, float] = {}
    for dataset, model in MODEL.items():
        for number, item in enumerate(list_items(dataset), start=1):
            steady, wide = number in STEADY[dataset], number in WIDE[dataset]
            spread = OF_STEADY if steady else OF_OTHER
            apart = TOLD_APART[steady] if steady or wide else 1.0
            for attribute, means in model.attributes.items():
                for system, mean in zip(SYSTEMS, means, strict=True):
                    if system == "sparrow" and number in model.alike:
                        mean = model.sparrow_alike
                    of_item = apart * mean + OF_ITEM * rng.standard_normal()
                    for sample in range(SAMPLES):
                        own = of_item + spread * rng.standard_normal()
                        found[dataset, item, attribute, system, sample] = round(own, 3)
    return found


def list_items(dataset: str) -> list[str]:
    study = json.loads((FOLDER / "study.json").read_text(encoding="utf-8"))
    lines = (FOLDER / study[dataset]["items"]).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["item"] for line in lines]


def compute_truth(utilities: dict[Text, float]) -> Iterator[dict[str, object]]:
    """The share of votes that the first sample of each system is expected to win on an item: the
    mean over the three others, the annotators, and both sides. A tie is half a vote.
    """
    for dataset, model in MODEL.items():
        for item in list_items(dataset):
            for attribute in model.attributes:
                for system in SYSTEMS:
                    won = [
                        _expect_share(
                            utilities[dataset, item, attribute, system, 0]
                            - utilities[dataset, item, attribute, other, 0]
                        )
                        for other in SYSTEMS
                        if other != system
                    ]
                    yield {
                        "dataset": dataset, "item": item, "attribute": attribute,
                        "system": system, "share": f"{np.mean(won):.4f}",
                    }  # fmt: skip


def _expect_share(better: float) -> float:
    shares = []
    for annotator in ANNOTATORS:
        for sign in (1, -1):
            first, second = annotator.chances(sign * better)
            share = first + (1 - first - second) / 2
            shares.append(share if sign == 1 else 1 - share)
    return float(np.mean(shares))


def draw_votes(
    utilities: dict[Text, float], rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """The votes of each annotator in the order in which they are given: all pairs of first samples
    on the items asked about, some of them again the other way round; and, about one attribute,
    pairs of the other samples, so that consistency can be told.
    """
    asked = {
        dataset: sorted(rng.choice(list_items(dataset), number, replace=False).tolist())
        for dataset, number in ASKED.items()
    }
    for annotator in ANNOTATORS:
        at = FIRST_DAY
        for dataset, item, attribute, sample in _list_questions(asked):
            for pair in rng.permutation(list(combinations(SYSTEMS, 2))).tolist():
                if rng.random() < 0.5:
                    pair = pair[::-1]
                orders = [pair, pair[::-1]] if rng.random() < AGAIN and not sample else [pair]
                for first, second in orders:
                    seconds = annotator.seconds * float(np.exp(0.5 * rng.standard_normal()))
                    at = _next_moment(at, seconds)
                    about = dataset, item, attribute
                    better = utilities[*about, first, sample] - utilities[*about, second, sample]
                    yield {
                        "dataset": dataset, "item": item, "attribute": attribute,
                        "system_a": first, "system_b": second, "sample": sample,
                        "judge": annotator.name,
                        "outcome": _draw_outcome(annotator, better, rng),
                        "seconds": f"{seconds:.1f}",
                        "created_at": at.strftime("%Y-%m-%dT%H:%M:%S"),
                    }  # fmt: skip


def _list_questions(asked: dict[str, list[str]]) -> Iterator[tuple[str, str, str, int]]:
    for dataset, items in asked.items():
        attributes = list(MODEL[dataset].attributes)
        for item in items:
            yield from ((dataset, item, attribute, 0) for attribute in attributes)
            yield from ((dataset, item, attributes[0], sample) for sample in range(1, 4))


def _next_moment(at: datetime, seconds: float) -> datetime:
    """Two hours a day, from nine on."""
    after = at + timedelta(seconds=seconds)
    if after.hour < FIRST_DAY.hour + 2:
        return after
    return (after + timedelta(days=1)).replace(hour=FIRST_DAY.hour, minute=0)


def _draw_outcome(annotator: Annotator, better: float, rng: np.random.Generator) -> str:
    first, second = annotator.chances(better)
    drawn = rng.random()
    return "a" if drawn < first else "b" if drawn < first + second else "tie"


def simulate() -> dict[Path, str]:
    """The files and what is in them."""
    rng = np.random.default_rng(SEED)
    utilities = draw_utilities(rng)
    return {
        TRUTH: write_csv(list(compute_truth(utilities))),
        VOTES: write_csv(list(draw_votes(utilities, rng))),
    }


if __name__ == "__main__":
    sys.exit(update(simulate()))
