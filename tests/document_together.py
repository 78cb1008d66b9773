"""Figures of votes and judges combined, simulated and on published data, for tests/evidence/combine.md.

`python -m tests.document_together --write` puts them between the page's markers; it takes some
minutes.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.findings.combine import CombineSettings
from core.findings.combine.answers import load_answered
from core.findings.judgements import Selection
from core.importing import importer
from core.judging.registry import make
from core.pairing import Request, planning
from core.records import Dataset
from core.runs import execution
from core.statistics import RATINGS, JudgedPairs
from core.statistics.prediction_powered import CombinedRatings, combine
from core.store import Store
from tests.coverage.together import WORLDS, same_truth, truth
from tests.paths import DATASETS, ROOT
from tests.statistics.judged_studies import study

PAGE = ROOT / "tests" / "evidence" / "combine.md"
MARKED = "(<!-- {} -->\n).*?(<!-- end -->)"
STUDIES, DRAWS = 100, 200
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Published:
    """People's votes and judges' answers about the same pairs of a data set."""

    name: str
    folder: str
    selection: Selection
    people: tuple[str, ...]
    method: str
    votes: tuple[int, ...]


def of(folder: str, *judges: str, attribute: str | None = None) -> Selection:
    return Selection(folder, judges=judges, attribute=attribute)


EXPERTS = ("expert-1", "expert-2", "expert-3")
HEAD_TO_HEAD = "gpt-3.5-turbo-0301/h2h"
PUBLISHED = (
    *(
        Published(
            f"SummEval, {attribute}: three experts; ChatGPT in both orders", "summeval",
            of("summeval", HEAD_TO_HEAD, attribute=attribute), EXPERTS, "bradley-terry",
            (60, 120, 240),
        )
        for attribute in ("coherence", "relevance")
    ),
    Published(
        "TopicalChat, overall: people; UniEval", "topicalchat",
        of("topicalchat", "unieval", attribute="overall"), ("human",), "win-ratio", (60, 120, 240),
    ),
    Published(
        "LLMBar: its labels; GPT-4", "llmbar", of("llmbar", "GPT-4/Metrics_Reference"), ("gold",),
        "win-ratio", (60, 120, 240),
    ),
    Published(
        "LLMBar: its labels; GPT-4, ChatGPT and LLaMA 2", "llmbar",
        of("llmbar", "GPT-4/Metrics_Reference", "ChatGPT/Metrics_Reference",
           "LLaMA2/Metrics_Reference"), ("gold",), "win-ratio", (60, 120, 240),
    ),
    Published(
        "MT-Bench: Qwen2.5-32B in people's place; GPT-4o mini and Qwen2.5-7B", "mtbench_pairwise",
        of("mtbench_pairwise", "gpt-4o-mini/single", "Qwen2.5-7B-Instruct/single"),
        ("Qwen2.5-32B-Instruct/single",), "bradley-terry", (60, 120, 240),
    ),
    Published(
        "Separability study: people; the longer text", "separability",
        of("separability", "baseline:longer"), ("human",), "win-ratio", (30, 60),
    ),
)  # fmt: skip


def documented(page: str) -> str:
    """The page with both tables made anew."""
    for name, table in (("simulated", simulated()), ("published", published())):
        pattern = re.compile(MARKED.format(name), re.DOTALL)
        page = pattern.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)
    return page


def simulated() -> str:
    """Every world of tests/coverage/together.py: how much narrower, and how much closer."""
    head = ["situation", "method", "width, of votes alone", "widest system", "wider by 2%", "error"]
    rows = []
    for situation, world in WORLDS.items():
        for method in ("win-ratio", "bradley-terry"):
            right = truth(same_truth(world), method)
            rngs = np.random.default_rng(15).spawn(STUDIES)
            found = [combine(study(world, rng), method) for rng in rngs]
            rows.append([situation, method, *_gain(found, right)])
    return _table(head, rows)


def _gain(found: list[CombinedRatings], right: Floats) -> Iterator[str]:
    widths = np.array([width(each.combined) / width(each.human) for each in found])
    yield f"{np.nanmean(widths):.2f}"
    yield f"{np.nanmean(widths, axis=0).max():.2f}"
    yield f"{np.nanmean(widths > 1.02):.0%}"
    both, votes = (
        _error([getattr(each, of) for each in found], right) for of in ("combined", "human")
    )
    yield f"{both / votes:.2f}"


def width(estimate: object) -> Floats:
    return np.asarray(getattr(estimate, "high") - getattr(estimate, "low"))  # noqa: B009


def _error(estimates: list[object], right: Floats) -> float:
    """Root mean squared, over systems and studies."""
    apart = np.array([getattr(each, "rating") - right for each in estimates])  # noqa: B009
    return float(np.sqrt(np.nanmean(apart**2)))


def published() -> str:
    head = [
        "data, people and judges", "votes", "error, votes alone", "combined", "width, of votes alone",
        "worth in votes", "holds the truth",
    ]  # fmt: skip
    rows = []
    for folder in dict.fromkeys(each.folder for each in PUBLISHED):
        with tempfile.TemporaryDirectory() as place, Store(Path(place) / "s.sqlite3") as store:
            importer.load(store, [DATASETS / folder], Dataset(folder))
            for each in PUBLISHED:
                if each.folder == folder:
                    rows += _of(each, every(store, each))
    return _table(head, rows)


def every(store: Store, each: Published) -> JudgedPairs:
    """All pairs that judges answered, with all of people's votes."""
    for name in each.selection.judges:
        if name.startswith("baseline:"):
            judge = make(name)
            judge.load()
            request = planning.check_request(store, Request(each.folder))
            run = planning.enqueue(store, judge.spec, request)
            execution.execute(store, run, by=judge)
    pairs = load_answered(store, each.selection, CombineSettings(each.people)).columns()
    return _voted(pairs, pairs.has_votes)


def _of(each: Published, pairs: JudgedPairs) -> Iterator[list[str]]:
    for number in each.votes:
        yield [each.name, f"{number} of {len(pairs.first):,}", *_drawn(each, pairs, number)]


def _voted(pairs: JudgedPairs, kept: NDArray[np.bool_]) -> JudgedPairs:
    """Those of the pairs alone."""
    columns = ("first", "second", "judged", "voted", "weights", "inclusion")
    parts = {name: getattr(pairs, name)[kept] for name in columns}
    return replace(pairs, item=np.unique(pairs.item[kept], return_inverse=True)[1], **parts)


def _drawn(each: Published, pairs: JudgedPairs, number: int) -> Iterator[str]:
    """What comes of so many votes, drawn again and again."""
    right = RATINGS[each.method].rate(pairs.first, pairs.second, pairs.voted, n=pairs.n)
    found = []
    for rng in np.random.default_rng(number).spawn(DRAWS):
        chosen = np.isin(np.arange(len(pairs.first)), rng.permutation(len(pairs.first))[:number])
        drawn = replace(pairs, voted=np.where(chosen, pairs.voted, np.nan))
        found.append(combine(drawn, each.method))
    share = RATINGS[each.method].share
    for of in ("human", "combined"):
        error = _error([getattr(draw, of) for draw in found], right)
        yield f"{100 * error:.1f}%" if share else f"{error:.0f}"
    widths = np.array([width(draw.combined) / width(draw.human) for draw in found])
    yield f"{np.nanmean(widths):.2f}"
    yield f"{np.mean([number * draw.ratio_overall for draw in found]):.0f}"
    held = [(draw.combined.low <= right) & (right <= draw.combined.high) for draw in found]
    there = [~np.isnan(draw.combined.low) for draw in found]
    yield f"{np.array(held)[np.array(there)].mean():.0%}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    text = documented(PAGE.read_text(encoding="utf-8"))
    if "--write" in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)
