"""Whether separability tells more about when a judge is right than its own probability does, on
published data: `python -m tests.document_signals --write` makes a table of tests/coverage/sharing.md.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import rankdata

from core.findings.share.signals import learn_sureness
from tests.document_sharing import PAGE, Floats, World, load_published, make_pairs, measure_likeness
from tests.paths import SHARED

SAMPLES, RESAMPLES = 5, 1000


def load_sampled() -> Iterator[tuple[str, World]]:
    """Five texts of each of two systems an input, and the votes of three people on five pairs of them
    (Ghosh et al. 2024); the judge takes the longer text.
    """
    for path in sorted((SHARED / "datasets" / "separability").glob("*.csv")):
        votes = defaultdict[tuple[str, str], list[float]](list)
        inputs: dict[tuple[str, str], str] = {}
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                own = []
                for one in range(1, SAMPLES + 1):
                    vote = (1 - float(row[f"Answer.pref{one}"])) / 2
                    pair = (row[f"Input.model1_summary{one}"], row[f"Input.model2_summary{one}"])
                    turned = row[f"Input.id{one}"] == "2"
                    own.append(pair[::-1] if turned else pair)
                    votes[own[-1]].append(1 - vote if turned else vote)
                inputs |= dict.fromkeys(own, " ".join(map(str, sorted(own))))
        pairs = list(votes)
        item = pd.factorize(pd.Series([inputs[pair] for pair in pairs]))[0].astype(np.int64)
        length = np.array([[len(text.split()) for text in pair] for pair in pairs])
        prob = expit((length[:, 0] - length[:, 1]) / 10)
        people = np.array([[np.mean(votes[pair])] for pair in pairs])
        apart = np.empty(len(pairs))
        for one in np.unique(item):
            first, second = zip(
                *(pairs[place] for place in np.flatnonzero(item == one)), strict=True
            )
            of_own = [
                measure_likeness(list(combinations(texts, 2))).mean() for texts in (first, second)
            ]
            apart[item == one] = max(of_own) - measure_likeness(list(product(first, second))).mean()
        sure = np.where(prob == 0.5, -np.inf, np.abs(prob - 0.5) + 0.5)
        name = f"{path.stem.removesuffix('_pref_data').split('_', 2)[2]}, the longer text, five samples each"
        yield (
            name,
            World((np.sign(prob - 0.5)[None] + 1) / 2, sure[None], people, item, unlike=apart),
        )


def measure_auc(sure: Floats, right: Floats, weight: Floats) -> float:
    """The probability that a pair on which a judge is right has the higher `sure`, ties half."""
    order = rankdata(sure, "dense").astype(int) - 1
    good, bad = (np.bincount(order, weight * part) for part in (right, 1 - right))
    below = np.cumsum(bad) - bad / 2
    return float((good * below).sum() / (good.sum() * bad.sum()))


def compare_signals(world: World, seed: int = 0) -> tuple[int, float, float, float, float]:
    """The number of pairs, and the AUC of the judge's probability, learned, with what separability adds and the
    interval of that, by items drawn again.
    """
    people = (np.sign(world.people.mean(axis=1) - 0.5) + 1) / 2
    kept = np.isfinite(world.sure[0]) & (people != 0.5)
    assert world.unlike is not None
    says, sure, unlike = world.says[:, kept], world.sure[:, kept], world.unlike[None, kept]
    right = 1 - np.abs(says[0] - people[kept])
    every = make_pairs(people[kept], world.item[kept], np.ones(kept.sum()), 1)
    both = [
        learn_sureness(every, says, signals, people[kept], seed)[0]
        for signals in ({"probability": sure}, {"probability": sure, "separability": unlike})
    ]
    alone, added = (measure_auc(one, right, np.ones(len(right))) for one in both)
    rng, item = np.random.default_rng(seed), np.unique(world.item[kept], return_inverse=True)[1]
    found = []
    for _ in range(RESAMPLES):
        weight = np.bincount(
            rng.integers(0, item.max() + 1, item.max() + 1), minlength=item.max() + 1
        )[item]
        found.append(measure_auc(both[1], right, weight) - measure_auc(both[0], right, weight))
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    return int(kept.sum()), alone, added - alone, low, high


def main(write: bool) -> None:
    lines = ["| data | pairs | AUC of the probability | separability adds | 95% interval |",
             "| --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for name, world in (*load_sampled(), *load_published()):
        pairs, alone, more, low, high = compare_signals(world)
        lines.append(
            f"| {name} | {pairs:,} | {alone:.3f} | {more:+.3f} | {low:+.3f} to {high:+.3f} |"
        )
    print(text := "\n".join(lines))
    if write:
        page = PAGE.read_text(encoding="utf-8")
        mark = r"(<!-- signals -->\n).*?(<!-- end -->)"
        PAGE.write_text(
            re.sub(mark, rf"\g<1>{text}\n\g<2>", page, flags=re.DOTALL), encoding="utf-8"
        )


if __name__ == "__main__":
    main("--write" in sys.argv)
