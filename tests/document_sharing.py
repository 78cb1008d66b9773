"""What sharing work promises, and what it keeps: `python -m tests.document_sharing --write` makes the
tables of tests/coverage/sharing.md, by simulated studies with known truth and by published data.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from core.findings.combine import AnsweredPairs
from core.findings.judgements import Caution, Selection
from core.findings.share import ShareSettings, Sureness, trust_judges
from core.findings.share.signals import learn_sureness
from core.statistics import JudgedPairs, intervals, prediction_powered, ratings
from core.statistics.drawing import Drawing
from tests.paths import ROOT, SHARED

PAGE = ROOT / "tests" / "coverage" / "sharing.md"
STUDIES, RESULTS, SPLITS, PAIRS = 100, 1000, 200, 2000
SIZES = (50, 100, 200, 500, 1000)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Pairs with what J judges say (1 the first text), how sure they are, (J, m) each, the points
    (m, people) that people would give, their items (m,), and how likely each is to be voted on.
    """

    says: Floats
    sure: Floats
    people: Floats
    item: NDArray[np.int64]
    chance: Floats | None = None


class Study(NamedTuple):
    """The share of pairs accepted, and the error among all of them."""

    accepted: float
    error: float


def make_pairs(
    voted: Floats, item: NDArray[np.int64], inclusion: Floats, judges: int
) -> AnsweredPairs:
    """Make pairs of two systems, of which people voted on those with points in `voted`."""
    count, names = len(voted), [f"judge-{one}" for one in range(judges)]
    pairs = pd.DataFrame(
        {"attribute": "quality", "item": item.astype(str), "family": item.astype(str), "system_1": "a",
         "system_2": "b", "candidate_1": np.arange(count), "candidate_2": np.arange(count) + count,
         "voted": voted, "sampled": voted, "votes": ~np.isnan(voted), "since": np.arange(count),
         "sampled_inclusion": inclusion}
    )  # fmt: skip
    table = pd.DataFrame({"judge": names})
    return AnsweredPairs(
        pairs, table, ("a", "b"), ("human",), False, ("human",), False, 0, count, {},
        Caution((), ()), (), Selection("made"), False,
    )  # fmt: skip


def run_study(
    world: World, votes: int, settings: ShareSettings, rng: np.random.Generator, *,
    whole_items: bool = False, learned: bool = False, trusted: Callable[[World], World] | None = None,
) -> Study:  # fmt: skip
    """Let people vote on so many pairs at random, share, and look at all answers."""
    count = len(world.item)
    chance = np.ones(count) if world.chance is None else world.chance
    if whole_items:
        drawn = rng.permutation(np.unique(world.item))
        place = np.argsort(np.argsort(drawn))[np.searchsorted(np.unique(world.item), world.item)]
        taken = np.argsort(place, kind="stable")[:votes]
    else:
        taken = rng.choice(count, votes, replace=False, p=chance / chance.sum())
    given = np.full(count, np.nan)
    given[taken] = world.people[taken].mean(axis=1)
    order = np.r_[taken, np.setdiff1d(np.arange(count), taken)]  # in the order of the votes
    every = make_pairs(given[order], world.item[order], chance[order], len(world.says))
    says, sure = world.says[:, order], world.sure[:, order]
    if learned:
        right = np.where(np.isnan(given[order]), np.nan, (np.sign(given[order] - 0.5) + 1) / 2)
        sure = learn_sureness(every, says, {"probability": sure}, right, 0)
    names = tuple(f"judge-{one}" for one in range(len(says)))
    shared = trust_judges(
        every, Sureness(names, says, sure, tuple((name,) for name in names)), settings
    )
    by, answers = shared.sureness.answer(shared.threshold)
    if not (by >= 0).any():
        return Study(0.0, 0.0)
    of = trusted(world) if trusted else world
    people = of.people[order]
    right = (
        people.mean(axis=1)
        if settings.against == "person"
        else (np.sign(people.mean(axis=1) - 0.5) + 1) / 2
    )
    loss = np.abs(answers - right)
    return Study(float((by >= 0).mean()), float(loss[by >= 0].mean()))


def find_oracle(world: World, error: float) -> float:
    """The greatest share of pairs whose answers, surest first, differ in `error` at most."""
    right = (np.sign(world.people.mean(axis=1) - 0.5) + 1) / 2
    order = np.argsort(-world.sure.max(axis=0), kind="stable")
    by = world.sure.argmax(axis=0)
    loss = np.abs(world.says[by, np.arange(len(by))] - right)[order]
    mean = np.cumsum(loss) / np.arange(1, len(loss) + 1)
    below = np.flatnonzero(mean <= error)
    return float((below[-1] + 1) / len(loss)) if len(below) else 0.0


def make_world(
    rng: np.random.Generator, risk: Callable[[Floats], Floats], *, items: int = PAIRS, people: int = 1,
    ties: float = 0.0, spread: float = 0.0, split: float = 0.0,
) -> World:  # fmt: skip
    """Make pairs on which a judge says 1, and errs by the `risk` (m,) at its rank in sureness, from
    0, the surest, to 1. Items are `spread` apart in log-odds; people `split` from most.
    """
    rank = rng.random(PAIRS)
    item = np.sort(rng.integers(0, items, PAIRS)) if items < PAIRS else np.arange(PAIRS)
    odds = logit(np.clip(risk(rank), 1e-4, 1 - 1e-4)) + rng.normal(0, spread, PAIRS)[item]
    wrong = rng.random(PAIRS) < expit(odds)
    against = rng.random((PAIRS, people)) < split
    points = np.where(wrong[:, None] ^ against, 0.0, 1.0)
    points[rng.random(PAIRS) < ties] = 0.5
    return World(np.ones((1, PAIRS)), 1 - rank[None] / 2, points, item)


def calibrated(rank: Floats) -> Floats:
    return rank / 2


def overconfident(rank: Floats) -> Floats:
    return 0.02 + 0.4 * rank**2


def at_the_edge(rank: Floats) -> Floats:
    return np.full(len(rank), 0.105)


def upside_down(rank: Floats) -> Floats:
    return 0.3 - 0.28 * rank


def good(rank: Floats) -> Floats:
    return np.full(len(rank), 0.05)


def make_cascade(rng: np.random.Generator) -> World:
    """A small judge, and a good one that is asked where the small one is unsure."""
    hard = rng.random(PAIRS)
    small, large = (rng.random(PAIRS) < rate * hard for rate in (0.5, 0.25))
    sure = 1 - np.clip(np.stack([hard, hard / 2]) + rng.normal(0, 0.05, (2, PAIRS)), 0, 1) / 2
    people = np.ones((PAIRS, 1))
    return World(1.0 - np.stack([small, large]), sure, people, np.arange(PAIRS))


def make_uneven(rng: np.random.Generator) -> World:
    """Pairs of which the unsure are four times as likely to be voted on."""
    world = make_world(rng, overconfident)
    return replace(world, chance=np.where(world.sure[0] < 0.75, 0.8, 0.2))


def drift(world: World) -> World:
    """What the judge does on later pairs: it errs on one in ten more."""
    later = np.random.default_rng(5).random(len(world.item)) < 0.1
    return replace(world, people=np.where(later[:, None], 0.0, world.people))


SURE, LOOSE = ShareSettings(), ShareSettings(promise="average")
Row = tuple[str, Callable[[np.random.Generator], World], ShareSettings, dict[str, object]]
ROWS: tuple[Row, ...] = (
    ("a calibrated judge", lambda rng: make_world(rng, calibrated), SURE, {}),
    ("an overconfident judge", lambda rng: make_world(rng, overconfident), SURE, {}),
    ("a judge as good everywhere (5% wrong)", lambda rng: make_world(rng, good), SURE, {}),
    ("a judge at the edge (10.5% wrong)", lambda rng: make_world(rng, at_the_edge), SURE, {}),
    ("a judge that errs where it is sure", lambda rng: make_world(rng, upside_down), SURE, {}),
    ("overconfident, 5 pairs an item", lambda rng: make_world(rng, overconfident, items=PAIRS // 5, spread=1), SURE, {}),
    ("the edge, 5 pairs an item, whole items voted on", lambda rng: make_world(rng, at_the_edge, items=PAIRS // 5, spread=1), SURE, {"whole_items": True}),
    ("overconfident, majority of three", lambda rng: make_world(rng, overconfident, people=3, split=0.1), SURE, {}),
    ("good, one of three at random", lambda rng: make_world(rng, lambda rank: rank / 50, people=3, split=0.06), replace(SURE, against="person"), {}),
    ("overconfident, 8% ties of people", lambda rng: make_world(rng, overconfident, ties=0.08), SURE, {}),
    ("overconfident, unsure pairs asked more often", make_uneven, SURE, {}),
    ("overconfident, at every look", lambda rng: make_world(rng, overconfident), replace(SURE, looks="every"), {}),
    ("two judges, one after the other", make_cascade, SURE, {}),
    ("overconfident, learned signal", lambda rng: make_world(rng, overconfident), SURE, {"learned": True}),
    ("overconfident, on average", lambda rng: make_world(rng, overconfident), LOOSE, {}),
    ("the edge, on average", lambda rng: make_world(rng, at_the_edge), LOOSE, {}),
    ("**broken**: the judge errs on one in ten more later", lambda rng: make_world(rng, overconfident), SURE, {"trusted": drift}),
)  # fmt: skip


def simulate(
    row: Row, votes: int, studies: int = STUDIES, seed: int = 0
) -> tuple[float, float, float, float]:
    """The share of studies that keep 10%, their mean error, the share accepted, and an oracle's."""
    _, make, settings, how = row
    rng = np.random.default_rng([seed, votes])
    found, best = [], []
    for _ in range(studies):
        world = make(rng)
        found.append(run_study(world, votes, settings, rng, **how))  # type: ignore[arg-type]
        best.append(find_oracle(world, settings.accept_error))
    kept = np.mean([one.error <= settings.accept_error for one in found])
    accepted = np.array([one.accepted for one in found])
    errors = np.array([one.error for one in found])
    mean = (
        errors.mean()
        if settings.promise == "average"
        else errors[accepted > 0].mean()
        if (accepted > 0).any()
        else np.nan
    )
    return float(kept), float(mean), float(accepted.mean()), float(np.mean(best))


def write_simulated() -> Iterator[str]:
    yield "| situation | votes | promise kept | error | accepted | oracle |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for row in ROWS:
        for votes in SIZES:
            kept, error, accepted, oracle = simulate(row, votes)
            shown = "–" if np.isnan(error) else f"{error:.1%}"
            yield f"| {row[0]} | {votes} | {kept:.1%} | {shown} | {accepted:.0%} | {oracle:.0%} |"


def simulate_result(
    votes: int, asked: float, studies: int = RESULTS, seed: int = 1
) -> tuple[float, float, float, float]:
    """Coverage of the share of pairs that the first system wins, where a judge favours it: by `combine` and by
    `rank` with each part for itself, by accepted answers and votes counted alike, and the width of the first
    against votes at random.

    People answer a share `asked` of the rest, at random.
    """
    rng = np.random.default_rng([seed, votes])
    found, width = [], []
    for _ in range(studies):
        odds = rng.normal(0.2, 1.8, PAIRS)
        people = (rng.random(PAIRS) < expit(odds)).astype(float)
        prob = expit(odds + 0.6 + rng.normal(0, 0.5, PAIRS))
        truth = expit(rng.normal(0.2, 1.8, 200_000)).mean()
        every = make_pairs(
            np.where(np.arange(PAIRS) < votes, people, np.nan), np.arange(PAIRS), np.ones(PAIRS), 1
        )
        says = (prob > 0.5).astype(float)
        sureness = Sureness(("judge",), says[None], (np.abs(prob - 0.5) + 0.5)[None], (("judge",),))
        shared = trust_judges(every, sureness, ShareSettings(accept_error=0.2))
        by, _ = sureness.answer(shared.threshold)
        trusted, first = by >= 0, np.arange(PAIRS) < votes
        voted = first | (~trusted & (rng.random(PAIRS) < asked))
        inclusion = np.ones(PAIRS)
        for part in (trusted, ~trusted):
            inclusion[part & voted] = (part & voted).sum() / max(part.sum(), 1)
        codes = np.zeros(PAIRS, dtype=np.int64)
        pairs = JudgedPairs(
            codes,
            codes + 1,
            np.arange(PAIRS),
            prob[:, None],
            np.where(voted, people, np.nan),
            2,
            inclusion=inclusion,
        )
        both = prediction_powered.combine(pairs, "win-ratio").combined
        alone = replace(pairs, voted=np.where(first, people, np.nan), inclusion=np.ones(PAIRS))
        random = prediction_powered.combine(alone, "win-ratio").combined
        mixed = np.where(voted, people, says)[voted | trusted]
        low, high = intervals.wilson(np.array(mixed.mean()), np.array(float(len(mixed))))
        board = ratings.leaderboard(
            "win-ratio", codes[voted], codes[voted] + 1, people[voted], n=2,
            drawing=Drawing(rng, weights=1 / inclusion[voted]),
        )  # fmt: skip
        found.append(
            (both.low[0] <= truth <= both.high[0], board.low[0] <= truth <= board.high[0],
             low <= truth <= high)
        )  # fmt: skip
        width.append((both.high[0] - both.low[0]) / (random.high[0] - random.low[0]))
    combined, ranked, alike = np.mean(found, axis=0).tolist()
    return combined, ranked, alike, float(np.mean(width))


def write_results() -> Iterator[str]:
    yield "| votes at random | of the rest, asked | `combine` holds the truth | `rank` | answers and votes alike | width |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    for votes in (100, 200, 500):
        for asked in (0.0, 0.5, 1.0):
            both, ranked, alike, width = simulate_result(votes, asked)
            yield f"| {votes} | {asked:.0%} | {both:.1%} | {ranked:.1%} | {alike:.1%} | {width:.2f} |"


def load_published() -> Iterator[tuple[str, World]]:
    """Published answers of judges beside what people, or a better judge, say."""
    data, said = SHARED / "datasets", defaultdict[tuple[str, ...], list[float]](list)
    label: dict[tuple[str, ...], float] = {}
    words = {"1": 1.0, "2": 0.0, "A": 1.0, "B": 0.0, "tie": 0.5, "C": 0.5}
    for row in _read_csv(data / "llmbar" / "judgements.csv.gz"):
        points = [words.get(row[name]) for name in ("winner_swap_false", "winner_swap_true")]
        key = (row["subset"], row["index"])
        if row["evaluator"] == "GPT-4" and None not in points:
            said[key] += [point for point in points if point is not None]
            label[key] = words[row["label"]]
    yield "LLMBar, GPT-4 with all prompts, against labels", _make_published(said, label)

    said, label = defaultdict(list), defaultdict(list)  # type: ignore[assignment]
    for row in _read_csv(data / "mtbench_pairwise" / "judgements.csv.gz"):
        key = (row["question_id"], row["model_a"], row["model_b"])
        ends = (words.get(row["winner_ab"]), words.get(row["winner_ba"]))
        if row["language"] == "en" and None not in ends:
            mean = [ends[0], 1 - (ends[1] or 0.0)]
            if row["judge_id"].lower().startswith("gemma"):
                label[key] = sum(mean) / 2  # type: ignore[arg-type]
            else:
                said[key] += mean  # type: ignore[arg-type]
    yield "MT-Bench, five judges, against the sixth (Gemma)", _make_published(said, label)

    said, label = defaultdict(list), {}
    for path in sorted((data / "summeval" / "chatgpt_h2h").glob("*_coherence*.result")):
        turned = "toggle" in path.name
        pair = path.name.removesuffix(".result").split("_")[0]
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            points = words.get(row["resp"].strip()[:1], 0.5)
            said[row["id"], pair].append(1 - points if turned else points)
            ahead = np.sign(row["human_score_1"] - row["human_score_2"])
            label[row["id"], pair] = float(ahead + 1) / 2
    yield "SummEval coherence, ChatGPT, against experts", _make_published(said, label)

    rows = json.loads((data / "topicalchat" / "topical_chat_unieval_result.json").read_bytes())
    gaps, label = dict[tuple[str, ...], float](), {}
    for one, other in combinations(rows, 2):
        if (one["source"], one["context"]) == (other["source"], other["context"]):
            key = (one["source"] + one["context"], one["system_id"], other["system_id"])
            gaps[key] = one["predict_scores"]["overall"] - other["predict_scores"]["overall"]
            label[key] = (
                float(np.sign(one["scores"]["overall"] - other["scores"]["overall"]) + 1) / 2
            )
    said = {key: [float(expit(5 * gap))] for key, gap in gaps.items()}  # type: ignore[assignment]
    yield "TopicalChat, UniEval's scores, against people's", _make_published(said, label)


def _read_csv(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _make_published(
    said: Mapping[tuple[str, ...], list[float]],
    label: Mapping[tuple[str, ...], float],
) -> World:
    """Make pairs by what a judge said on average, families by the first part of their keys."""
    keys = [key for key in said if key in label]
    mean = np.array([np.mean(said[key]) for key in keys])
    right = np.array([label[key] for key in keys])
    right = (np.sign(right - 0.5) + 1) / 2
    family = pd.factorize(
        pd.Series([key[:-1] if len(key) == 2 and key[1].isdigit() else key[0] for key in keys])
    )[0]
    if len(set(family.tolist())) < 20:  # LLMBar: a subset is no item
        family = np.arange(len(keys))
    sure = np.where(mean == 0.5, -np.inf, np.abs(mean - 0.5) + 0.5)
    says = (np.sign(mean - 0.5)[None] + 1) / 2
    return World(says, sure[None], right[:, None], family.astype(np.int64))


def write_published(splits: int = SPLITS) -> Iterator[str]:
    yield (
        "| data | pairs | wrong if all are accepted | p above .8: accepted, wrong | at most | votes | promise kept | "
        "accepted | wrong |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, world in load_published():
        loss = np.abs(world.says[0] - world.people[:, 0])
        chosen, high = np.isfinite(world.sure[0]), world.sure[0] > 0.8
        for error, votes in ((0.1, 200), (0.2, 200), (0.2, 400)):
            rng = np.random.default_rng(votes)
            settings = ShareSettings(accept_error=error)
            found = [run_study(world, votes, settings, rng) for _ in range(splits)]
            accepted = np.array([one.accepted for one in found])
            wrong = np.array([one.error for one in found])
            shown = f"{wrong[accepted > 0].mean():.1%}" if (accepted > 0).any() else "–"
            yield (
                f"| {name} | {len(loss):,} | {loss[chosen].mean():.1%} | {high.mean():.0%}, {loss[high].mean():.1%} | "
                f"{error:.0%} | {votes} | {(wrong <= error).mean():.1%} | {accepted.mean():.0%} | {shown} |"
            )


def main(write: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in (
        ("simulated", write_simulated),
        ("result", write_results),
        ("published", write_published),
    ):
        text = "\n".join(lines())
        if not write:
            print(text)
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)", rf"\g<1>{text}\n\g<2>", page, flags=re.DOTALL
        )
    if write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main("--write" in sys.argv)
