"""Frames at the borders of rooms are as they are declared, with rows and without."""

from __future__ import annotations

import importlib
import inspect
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import campaigns, chart, reporting
from core.__main__ import main
from core.access import CrowdTerms, open_crowd
from core.findings import agreement, bias, combine, compare, correlation, lab, people, separability
from core.findings.judgements import Selection, load_answers
from core.findings.leaderboard import RankSettings, head_to_head
from core.findings.separability import chart as pictures
from core.frames import Schema, get_schema
from core.judging import PROBES, make
from core.judging.judge import Judge
from core.pairing import Request, planning
from core.records import Answer, JudgeSpec, Kind, Outcome, Question, Score
from core.rendering import COUNT, Column, declare_rows
from core.runs import execution, probe
from core.seeds import draw
from core.similarity import make_metric
from core.store import ChosenGenerations, ShownPair, Sought, Store, WantedScores, dataset_decisions
from tests import layers, study
from tests.findings.people.voting import say
from tests.study import DATASET, SYSTEMS

PEOPLE = ("Ada", "Ben", "Cleo")


class Unsure(Judge):
    """Prefers one of two texts by a hash of both, with a probability."""

    def __init__(self, name: str, kind: Kind = Kind.LLM) -> None:
        self.spec = JudgeSpec(name, kind, f"{name}:test")

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        found = []
        for one in questions:
            prob = 0.05 + 0.9 * (draw(self.spec.name, one.text_a, one.text_b) % 1000) / 1000  # type: ignore[attr-defined]
            found.append(Answer(Outcome.A if prob > 0.5 else Outcome.B, prob_a=prob))
        return found


def list_declared() -> dict[CodeType, tuple[str, Schema]]:
    """The functions of core that return declared frames, by their code."""
    found = {}
    for name in sorted(name for name in layers.modules() if name.startswith("core")):
        module = importlib.import_module(name)
        owners = [one for one in vars(module).values() if inspect.isclass(one)]
        for function in (value for owner in (module, *owners) for value in vars(owner).values()):
            function = unwrap(function)
            declared = function and vars(module).get(function.__annotations__.get("return", ""))
            if declared and function.__module__ == name and hasattr(declared, "__metadata__"):
                found[function.__code__] = f"{name}:{function.__qualname__}", get_schema(declared)
    return found


def unwrap(value: Any) -> Any:
    """The function of a method or property; None of anything else."""
    value = getattr(value, "fget", None) or getattr(value, "func", None) or value
    return inspect.unwrap(value) if inspect.isfunction(value) else None


class Witness:
    """Holds what declared functions return to their schemas, while they work."""

    def __init__(self) -> None:
        self.declared = list_declared()
        self.called: set[str] = set()
        self.wrong: set[str] = set()

    def __enter__(self) -> Witness:
        sys.setprofile(self.look)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    def look(self, frame: FrameType, event: str, value: Any) -> None:
        if event != "return" or frame.f_code not in self.declared or value is None:
            return  # it raises an error, where it returns nothing
        name, schema = self.declared[frame.f_code]
        self.called.add(name)
        try:
            schema.check(value)
        except ValueError as error:
            self.wrong.add(f"{name}: {error}")


def fill(store: Store) -> None:
    """A study with something of everything."""
    rng = random.Random(1)
    study.fill(store, items=12, samples=2)
    for item in range(12):
        for place, pair in enumerate((("alpha", "beta"), ("beta", "gamma"), ("gamma", "alpha"))):
            for who in PEOPLE:
                sides = pair if (item + place) % 2 else pair[::-1]
                say(store, who, f"i{item}", sides, rng.choice(["a", "b", "a", "tie"]), seconds=9.0)
    say(store, "Ada", "i0", ("alpha", "beta"), "a", trial=1)
    for rater in ("expert-1", "expert-2"):
        study.judge(store, rater)
    store.scores.add(
        DATASET,
        [
            Score(f"i{item}", system, "coherence", rater, rng.random(), kind=Kind.HUMAN)
            for item in range(12)
            for system in SYSTEMS
            for rater in ("expert-1", "expert-2")
        ],
    )
    judges = [make("baseline:longer"), make("baseline:random"), *map(Unsure, ("x", "y", "z"))]
    for judge in judges:
        run(store, judge, planning.enqueue(store, judge.spec, Request(DATASET, "full")))
    sorting = planning.check_request(store, Request(DATASET, "pairs-greedy", trial=1))
    run(store, judges[2], planning.enqueue(store, judges[2].spec, sorting))
    asked = probe.ProbeRequest(DATASET, probes=(PROBES["choose-me"],))
    run(store, judges[2], probe.enqueue(store, judges[2], asked))
    study.measure(store, ChosenGenerations(DATASET), make_metric("rouge1"))
    for key in make_metric("ensemble").signatures.values():  # as if its model had been there
        store.connection.execute(
            """INSERT OR IGNORE INTO similarities (metric, generation_1, generation_2, value)
            SELECT ?, generation_1, generation_2, value FROM similarities WHERE metric = ?""",
            (key, make_metric("rouge1").signatures["rouge1"]),
        )
    supervise(store)


def run(store: Store, judge: Judge, number: int) -> None:
    execution.execute(store, number, by=judge)


def supervise(store: Store) -> None:
    """A campaign with a check, a message, a decision, and somebody who is left out."""
    campaign = study.campaign_asking(store)
    texts = study.ids(store)
    pair = texts["i0", "alpha", 0], texts["i0", "beta", 0]
    attribute = store.datasets.attribute_id(DATASET, "coherence")
    store.messages.send(campaign, "Thank you", by="me")
    store.adjudications.decide(ShownPair(attribute, *pair), Outcome.A, by="me")
    store.exclusions.add(DATASET, "Cleo", reason="clicks", by="me")


COMMANDS = [
    "datasets", "describe", "describe --judges human llm baseline", "runs", "people list",
    "rank --bootstrap 20",
    "rank --bootstrap 20 --method bradley-terry-controlled --control length --judges human",
    "rank --bootstrap 20 --method sep-elo --separability rouge1",
    "rank --bootstrap 20 --reweight",
    "rank --bootstrap 20 --method pairs --judges x --trial 1",
    "correlate --method win-ratio --judges llm --against expert --level item",
    "correlate --table win-ratio --judges llm --against expert --level item",
    "budget --judges x --replays 3 --goal 0.5", "lab --against human", "separability --metric rouge1",
    "consistency --by-separability rouge1", "agreement", "agreement --judges llm human --by rouge1",
    "accuracy --judges llm --against human", "bias --judges llm",
    "combine", "plan --judges x", "annotators", "adjudicate", "exclude",
    "items --split --judge x --contradicts --save split", "items --item-set split --separability rouge1",
]  # fmt: skip


def ask(path: Path) -> None:
    for words in COMMANDS:
        assert main(["--store", str(path), *words.split()]) == 0, words


WORDS: dict[str, Any] = {
    "dataset": DATASET, "sought": Sought(DATASET), "item": "i0", "limit": 50, "run": 1,
    "attribute": "coherence", "generation_1": 1, "generation_2": 2, "judgements": [1, 2],
    "chosen": ChosenGenerations(DATASET), "wanted": WantedScores(ChosenGenerations(DATASET), ("coherence",), 1),
    "metric": "rouge1", "campaign": 1,
}  # fmt: skip


def list_queries(store: Store) -> Iterator[Any]:
    """The methods of a store's parts that return declared frames."""
    codes = list_declared()
    for part in vars(store).values():
        for name, method in inspect.getmembers(part, inspect.ismethod):
            if method.__func__.__code__ in codes and not name.startswith("_"):
                yield method


def call(method: Any) -> pd.DataFrame:
    needed = [
        name
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty
    ]
    return method(**{name: WORDS[name] for name in needed})


def ask_faces(store: Store, folder: Path) -> None:
    """What pages and reports call and no command does."""
    chosen = Selection(DATASET, judges=("human",))
    systems = head_to_head.records(store, chosen)
    head_to_head.sum_by_system(systems)
    head_to_head.matches(store, chosen, RankSettings())
    head_to_head.comparisons(store, chosen, "alpha")
    scope = people.Scope(chosen)
    people.list_surprising_votes(store, people.decisions(people.votes(store, scope)), "Ada")
    people.said_on(store, DATASET, people.disputes(store, scope).iloc[0])
    load_answers(store, DATASET, "coherence", 1, 3)
    agreement.list_disagreements(store, chosen, agreement.PEOPLE, "x")
    compare.compare(store, replace(chosen, systems=("alpha", "beta")))
    lab.list_failures(store, replace(chosen, judges=("x",)), lab.LabSettings(against="human"))
    places = bias.bias(store, replace(chosen, judges=("x",))).tables["places"]
    bias.compare_places(places)
    correlation.list_raters(store, DATASET)
    by_rouge = separability.Settings("rouge1", resamples=0)
    items = separability.separability(store, chosen, by_rouge)
    separability.compare_pairs(items.rows)
    pictures.histograms(separability.describe_items(items).rows)
    separability.separabilities(store, chosen, separability.Settings("ensemble", resamples=0))
    separability.applications.compare_sizes(store, chosen, by_rouge)
    separability.applications.compare_temperatures(store, chosen, by_rouge)
    binning = separability.Binning(by_rouge)
    sets = separability.consistency.consistency(store, chosen, binning)
    separability.consistency.compare_kinds(store, sets.rows, binning)
    store.texts.generations(DATASET, texts=False)
    attribute = store.datasets.attributes(DATASET)[0]
    dataset_decisions.list_wordings(store, DATASET, attribute)
    reporting.compile_report(store, reporting.ReportScope(chosen))
    campaign = store.campaigns.default(DATASET)
    open_crowd(store, "test", campaign, CrowdTerms())
    campaigns.pay(store, campaign)
    chart(combine.combine(store, replace(chosen, judges=("llm",)), combine.CombineSettings()))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frames") / "store.sqlite3"
    with Store(path) as store:
        fill(store)
    return path


def test_what_rooms_hand_out_is_as_declared(filled: Path) -> None:
    with Witness() as witness:
        ask(filled)
        with Store(filled) as store:
            for method in list_queries(store):
                call(method)
            ask_faces(store, filled.parent)
    assert witness.wrong == set()
    assert {name for name, _ in witness.declared.values()} - witness.called == set()


def test_a_query_without_rows_has_the_same_columns_and_types(filled: Path, store: Store) -> None:
    with Store(filled) as full:
        for some, none in zip(list_queries(full), list_queries(store), strict=True):
            assert call(some).dtypes.to_dict() == call(none).dtypes.to_dict(), some


OTHERS = [
    pd.DataFrame({"item": ["i"]}),
    pd.DataFrame({"item": ["i"], "value": [1.0], "more": [1]}),
    pd.DataFrame({"item": ["i"], "value": ["1"]}),
    pd.DataFrame({"item": [1], "value": [1.0]}),
    pd.DataFrame({"item": pd.Series([1], dtype=object), "value": [1.0]}),
]


def test_another_frame_is_refused() -> None:
    for frame in OTHERS:
        with pytest.raises(ValueError, match="columns"):
            Schema({str: "item", float: "value"}).check(frame)


def test_columns_of_a_finding_declare_its_frame() -> None:
    declared = declare_rows(
        (Column("system", "system"), Column("n", "votes", COUNT, low="low", high="high"))
    )
    empty = declared.make()
    assert list(empty) == ["system", "n", "low", "high"]
    assert empty.dtypes["n"] == np.float64
    declared.check(declared.make([("x", 1, 0.5, 2.0)]))
    with pytest.raises(ValueError, match="rank"):
        declared.check(declared.make().assign(rank=1))
