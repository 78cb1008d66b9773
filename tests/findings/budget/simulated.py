"""A simulated judge of real texts: SummEval's, whose experts say how good each is.

Its logit for a comparison is what the experts' scores differ by over their standard deviation, plus
noise of 0.7 for each text, 0.8 for the pair and 0.56 for the order, plus `first` for being shown
first: the judge of `tests.bench.pairing`, of texts whose quality somebody knows.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
from scipy.special import expit

from core.importing import importer
from core.records import Answer, Dataset, JudgeSpec, Kind
from core.store import Store
from tests.paths import DATASETS
from tests.votes import Vote, add_votes

SUMMEVAL = DATASETS / "summeval"
BIASED = "biased"
FIRST = 1.05
ATTRIBUTE = "coherence"


def summeval(path: Path, *, items: int = 100, first: float = FIRST, judge: str = BIASED) -> Store:
    """A store of SummEval's texts and experts' scores, with all 240 comparisons an article by a
    judge that prefers what is shown first (`first` < 0: second) by so many logits.
    """
    store = Store(path)
    importer.load(store, [SUMMEVAL / "summeval_100x16.jsonl.gz"], Dataset("summeval"))
    add_judge(store, items=items, first=first, judge=judge)
    return store


def add_judge(store: Store, *, items: int = 100, first: float = FIRST, judge: str = BIASED) -> None:
    """The answers of the simulated judge, of the first so many articles."""
    marks = store.scores.load_all("summeval")
    marks = marks[(marks["attribute"] == ATTRIBUTE) & (marks["rater"] == "expert")]
    quality = marks.pivot_table(index="item", columns="system", values="value")
    standard = ((quality - quality.mean(axis=None)) / quality.stack().std()).sort_index()
    rng = np.random.default_rng(1)
    store.judges.add([JudgeSpec(judge, Kind.LLM)])
    votes = []
    systems = list(standard.columns)
    for item, values in list(standard.iterrows())[:items]:
        probability = answers(values.to_numpy(float), first, rng)
        for i, j in permutations(range(len(systems)), 2):
            answer = Answer.from_probability(float(probability[i, j]))
            about = str(item), systems[i], systems[j]
            votes.append(Vote(*about, judge, answer, attribute=ATTRIBUTE))
    add_votes(store, "summeval", votes)


def answers(quality: np.ndarray, first: float, rng: np.random.Generator) -> np.ndarray:
    """(n, n) P(the row shown first is better than the column)."""
    n = len(quality)
    seen = quality + 0.7 * rng.normal(size=n)
    pair = np.triu(0.8 * rng.normal(size=(n, n)), 1)
    logit = seen[:, None] - seen[None, :] + pair - pair.T + 0.56 * rng.normal(size=(n, n)) + first
    return expit(logit)
