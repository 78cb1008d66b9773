"""What it costs to look often, for tests/coverage/results.md: votes until the leader is clear of the second.

`python -m tests.document_looks --write` puts the table between the page's markers; it takes some
minutes.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.findings.leaderboard.rating_input import choose_method
from core.importing import importer
from core.records import Dataset
from core.statistics import Drawing
from core.statistics.columns import Codes, Floats
from core.statistics.ratings import RATINGS, leaderboard
from core.store import Store
from tests.document_coverage import PAGE
from tests.document_together import PUBLISHED, every
from tests.paths import DATASETS

MARKED = re.compile(r"(<!-- looks -->\n).*?(<!-- looks end -->)", re.DOTALL)
STUDIES = ("summeval", "topicalchat", "mtbench_pairwise")
ARENA = 5  # of its systems, those with most votes among them
ODDS = (0.7, 0.6, 0.55)
REPLAYS, SIZES = 12, 14
POINTS = {"a": 1.0, "model_a": 1.0, "b": 0.0, "model_b": 0.0}


class Votes(NamedTuple):
    """All votes of a study: who met whom (m,), points of the first, and the item."""

    name: str
    first: Codes
    second: Codes
    points: Floats
    item: Codes


def simulate() -> Iterator[Votes]:
    """Two systems, of which one wins so often."""
    rng = np.random.default_rng(5)
    for share in ODDS:
        m = 4000
        points = (rng.random(m) < share).astype(float)
        first = np.zeros(m, dtype=np.int64)
        yield Votes(
            f"simulated: one of two wins {share:.0%}", first, first + 1, points, np.arange(m)
        )


def load_published() -> Iterator[Votes]:
    """The first study of each data set in tests/document_together.py."""
    for folder in STUDIES:
        each = next(one for one in PUBLISHED if one.folder == folder)
        with tempfile.TemporaryDirectory() as place, Store(Path(place) / "s.sqlite3") as store:
            importer.load(store, [DATASETS / folder], Dataset(folder))
            pairs = every(store, each)
        yield Votes(each.name, pairs.first, pairs.second, pairs.voted, pairs.item)


def load_arena() -> Votes:
    """Votes of the Chatbot Arena among the systems that have most."""
    path = DATASETS / "arena_votes" / "arena_votes.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["model_a"] != row["model_b"]]
    met = Counter(row[side] for row in rows for side in ("model_a", "model_b"))
    names = sorted(name for name, _ in met.most_common(ARENA))
    rows = [row for row in rows if row["model_a"] in names and row["model_b"] in names]
    first, second = (
        np.array([names.index(row[side]) for row in rows]) for side in ("model_a", "model_b")
    )
    points = np.array([POINTS.get(row["winner"], 0.5) for row in rows])
    return Votes(f"Chatbot Arena: the {ARENA} systems with most votes", first, second, points,
                 np.arange(len(rows)))  # fmt: skip


def count_until_clear(votes: Votes) -> list[str]:
    """The row of a study: how many votes tell the leader by all votes from the second in half of
    its replays, votes in a new order each, at one look of that number and at some look up to it.
    """
    m, n = len(votes.first), int(max(votes.first.max(), votes.second.max())) + 1
    method = choose_method(votes.first, votes.second, n=n).method
    rating = RATINGS[method].rate(*votes[1:4], n=n)
    leader, second = np.argsort(-rating)[:2]
    sizes = np.unique(np.geomspace(20, m, SIZES).round().astype(int))
    told = {"together": np.zeros((REPLAYS, len(sizes))), "always": np.zeros((REPLAYS, len(sizes)))}
    for replay, rng in enumerate(np.random.default_rng(1).spawn(REPLAYS)):
        order = rng.permutation(m)
        for place, size in enumerate(sizes):
            now = order[:size]
            for resolve, found in told.items():
                drawing = Drawing(rng, 60, votes.item[now], resolve=resolve)  # type: ignore[arg-type]
                board = leaderboard(
                    method, *(column[now] for column in votes[1:4]), n=n, drawing=drawing
                )
                found[replay, place] = board.beats[leader, second]
    told["always"] = np.maximum.accumulate(told["always"], axis=1)
    once, often = (_cross(sizes, found.mean(axis=0)) for found in told.values())
    times = f"{often / once:.1f}" if np.isfinite([once, often]).all() else ""
    ends = [f"{_round(end):,}" if np.isfinite(end) else f"more than {m:,}" for end in (once, often)]
    return [votes.name, method, str(n), f"{m:,}", *ends, times]


def _cross(sizes: Codes, share: Floats) -> float:
    """Between which sizes half of the replays are told, read off by the logarithm."""
    there = np.flatnonzero(share >= 0.5)
    if not len(there):
        return float("inf")
    place = int(there[0])
    if place == 0:
        return float(sizes[0])
    part = (0.5 - share[place - 1]) / (share[place] - share[place - 1])
    return float(np.exp(np.interp(part, [0, 1], np.log(sizes[place - 1 : place + 1]))))


def _round(number: float) -> int:
    """To two digits."""
    return int(float(f"{number:.2g}"))


def make_table() -> str:
    head = ["votes", "method", "systems", "votes in all", "one look", "every look", "times as many"]
    studies = [*simulate(), *load_published(), load_arena()]
    lines = [head, ["---"] * len(head), *map(count_until_clear, studies)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    found = make_table()
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(MARKED.sub(rf"\g<1>{found}\g<2>", page), encoding="utf-8")
    else:
        print(found)
