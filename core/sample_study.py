"""The sample study, loaded at the first start with everything that was recorded about it.

So no page opens empty, and nothing is computed while somebody looks. data/README.md says what each
file is and which command made it.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from .installation import PROGRAM, MissingPackageError
from .judging import make
from .pairing import Request, open_default, planning
from .records import (
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Prompt,
    Score,
    System,
    Vote,
)
from .runs import execution
from .similarity import make_metric
from .store import Store

FOLDER = PROGRAM / "data" / "sample"
QUICK = ("baseline:longer", "baseline:random")
"""Judges that answer while the study is loaded."""
RECORDED = "baseline:embedding"
"""A judge whose answers are recorded, as it loads a model first."""
METRICS = ("rouge1", "bertscore-length")
ANNOTATORS = ("simulated-careful", "simulated-careless", "simulated-left")
TRUTH = "simulated-truth"
"""The rater whose mark of a text is the share of simulated votes that it is expected to win."""
SOURCE = "data/sample"

Row = Mapping[str, str]


def load(store: Store) -> list[str]:
    """Add the sample study and return the names of its data sets.

    It comes with recorded answers, similarities and simulated votes. The quick baselines answer
    half of the pairs, in both orders; the rest is left for you to try out a judge. No human votes
    are made up: simulated voters have a kind of their own. Loading it again adds nothing, and
    restores no vote that was withdrawn. It is loaded in one transaction, because a part cut off by
    a full disk would count as the whole.
    """
    with store.transaction():
        names = load_texts(store)
        annotators = [JudgeSpec(name, Kind.SIMULATED) for name in ANNOTATORS]
        _add_votes(store, "simulated_votes.csv", annotators)
        _add_votes(store, "smollm2_answers.csv", [_read_judge()])
        _add_votes(store, "embedding_answers.csv", [make(RECORDED).spec])
        _add_truth(store)
        _add_similarities(store)
        for name in names:
            for spec in QUICK:
                judge = make(spec)
                run = planning.enqueue(store, judge.spec, half_of_the_pairs(name))
                execution.execute(store, run, by=judge)
    return names


def half_of_the_pairs(dataset: str) -> Request:
    """Build the request for baselines: half of the pairs of each item, in both orders."""
    return Request(dataset, "symmetric", budget=6)


def load_texts(store: Store) -> list[str]:
    """Add only the texts of the sample study, open its campaigns, and name its data sets."""
    for name, about in _read_study().items():
        _add(store, name, about)
    return list_names()


def list_names() -> list[str]:
    """Return the names of the data sets of the sample study."""
    return list(_read_study())


@cache
def _read_study() -> dict[str, Any]:
    study: dict[str, Any] = json.loads((FOLDER / "study.json").read_text(encoding="utf-8"))
    return study


def _add(store: Store, name: str, about: dict[str, object]) -> None:
    texts = {part: _lines(FOLDER / str(about[part])) for part in ("items", "generations")}
    attributes = about["attributes"]
    assert isinstance(attributes, list)
    described = ("source", "licence", "context_noun", "candidate_noun", "instructions")
    with store.transaction():
        store.datasets.add(Dataset(name, **{field: str(about[field]) for field in described}))
        store.datasets.add_attributes(name, [Attribute(**attribute) for attribute in attributes])
        store.datasets.add_items(
            name, [Item(one["item"], one["context"], (one["reference"],)) for one in texts["items"]]
        )
        store.datasets.add_systems(
            name,
            [System(system) for system in sorted({one["system"] for one in texts["generations"]})],
        )
        store.datasets.add_generations(name, [Generation(**one) for one in texts["generations"]])
        open_default(store, name)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _rows(file: str) -> list[dict[str, str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _add_votes(store: Store, file: str, judges: Iterable[JudgeSpec]) -> None:
    """Add the rows of a file as imported votes of these judges.

    Rows without a judge's name belong to the only judge. Each vote has the hash of its contents, by
    which it is recognised when the study is loaded again.
    """
    known = tuple(judges)
    store.judges.add(known)
    said: Counter[int] = Counter()
    votes: dict[str, list[Vote]] = {}
    for row in _rows(file):
        text = "\x1f".join(row.values()).encode()
        mark = int.from_bytes(hashlib.sha256(text).digest()[:6], "big")
        said[mark] += 1
        vote = _read_vote(row, known[0].name)._replace(mark=mark, occurrence=said[mark])
        votes.setdefault(row["dataset"], []).append(vote)
    for dataset, mine in votes.items():
        store.imported_votes.add(dataset, mine, f"{SOURCE}/{file}")


def _read_vote(row: Row, judge: str) -> Vote:
    """Read a vote with its outcome, or with the probability that the first text is better."""
    sample = int(row.get("sample", 0))
    vote = Vote(
        row["item"], row["system_a"], row["system_b"], row.get("judge", judge), row["attribute"],
        sample_a=sample, sample_b=sample,
    )  # fmt: skip
    if "prob_a" in row:
        prob_a = float(row["prob_a"])
        first = Outcome.A if prob_a > 0.5 else Outcome.B if prob_a < 0.5 else Outcome.TIE
        return vote._replace(prob_a=prob_a, outcome=first)
    return vote._replace(
        outcome=Outcome(row["outcome"]),
        seconds=float(row["seconds"]),
        created_at=f"{row['created_at']}.000000+00:00",
    )


def _read_judge() -> JudgeSpec:
    """Return the judge that gave the small model's answers; it need not be on this machine."""
    about = json.loads((FOLDER / "smollm2_judge.json").read_text(encoding="utf-8"))
    prompt = Prompt(**about.pop("prompt"))
    about["labels"] = tuple(about["labels"])
    return JudgeSpec(kind=Kind.LLM, prompt=prompt, **about)


def _add_truth(store: Store) -> None:
    """Add what the simulated voters say in the long run, as marks of texts."""
    store.judges.add([JudgeSpec(TRUTH, Kind.SIMULATED)])
    marks: dict[str, list[Score]] = {}
    for row in _rows("simulated_truth.csv"):
        mark = Score(
            row["item"], row["system"], row["attribute"], TRUTH, float(row["share"]),
            kind=Kind.SIMULATED,
        )  # fmt: skip
        marks.setdefault(row["dataset"], []).append(mark)
    for dataset, mine in marks.items():
        if not store.scores.has_had(dataset, TRUTH):  # those that were withdrawn stay so
            store.scores.add(dataset, mine)


def _add_similarities(store: Store) -> None:
    """Add the similarities between all texts of each item, by each of METRICS."""
    try:
        signatures = {name: make_metric(name).signatures[name] for name in METRICS}
    except MissingPackageError:  # values go by the versions of packages that are not here
        return
    texts: dict[tuple[str, str], list[int]] = {}
    for name in store.datasets.names():
        frame = store.texts.generations(name).sort_values(["item", "system", "sample"])
        for item, found in frame.groupby("item", sort=False):
            texts[name, str(item)] = found["generation"].tolist()
    store.similarities.add(
        (signatures[line["metric"]], one, other, value)
        for line in _lines(FOLDER / "similarities.jsonl")
        for (one, other), value in zip(
            combinations(texts[line["dataset"], line["item"]], 2), line["values"], strict=True
        )
    )
