"""The methods paragraphs: how the figures of a report came about, good enough for a paper. Their
sentences are in methods.txt, in the order in which they are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .. import __version__
from ..catalogue import ADJUSTABLE
from ..findings import agreement, bias, combine, correlation
from ..findings.judgements import (
    STUDENT,
    WILSON,
    describe_families,
    list_chosen_items,
    note_item_set,
)
from ..findings.leaderboard import AT_EVERY_LOOK, RankSettings, choose_interval
from ..findings.separability import Settings
from ..labels import KINDS, OVER, wording
from ..pairing import STRATEGIES
from ..records import Kind, plain_name
from ..rendering import SHARE
from ..settings import list_settings
from ..similarity import METRICS
from ..statistics import RATINGS
from . import prose
from .material import Material
from .prose import cite, join_marked, name, name_interval, write_paragraphs
from .sections import Section
from .trust import answers

Facts = Mapping[str, Any]
"""The document of a finding."""

ASKING = {
    "active": "liusie2024efficient",
    "pairs-greedy": "liu2024aligning",
    "pairs-beam": "liu2024aligning",
}
"""Pairing strategies whose pairs are not those of Liusie et al. (2024a)."""
VOCABULARY = {
    "AT_EVERY_LOOK": AT_EVERY_LOOK, "METRICS": METRICS, "WILSON": WILSON,
    "STUDENT": STUDENT, "agreement": agreement, "bias": bias, "combine": combine,
    "correlation": correlation, "cite": cite, "interval": name_interval, "name": name,
    "version": __version__,
}  # fmt: skip
"""What every report's sentences may name."""


@dataclass(frozen=True)
class Methods:
    """Paragraphs, the works they cite, and the prompts, by name, that judges were asked with."""

    paragraphs: Sequence[str]
    prompts: Sequence[tuple[str, str]]

    @property
    def keys(self) -> list[str]:
        """BibTeX keys of the works that the paragraphs cite, each once."""
        return prose.keys(self.paragraphs)


def methods(material: Material, sections: Sequence[Section]) -> Methods:
    """Describe how everything in these sections was asked, counted and estimated."""
    documents: dict[str, list[Facts]] = {}
    for section in sections:
        documents.setdefault(section.of, []).extend((section.documents or {}).values())
    facts = {of: every[0] for of, every in documents.items() if every}
    paragraphs = write_paragraphs(
        "methods.txt",
        **VOCABULARY,
        **_gather_data(material),
        **_gather_judges(material),
        **_gather_ratings(material, documents.get("leaderboard", [])),
        **_gather_correlation(material, facts.get("correlation")),
        facts=facts,
        chosen=material.get_chosen,
        chosen_settings=_list_chosen_settings(material, facts),
        normalised_over=list_settings(Settings)["over"].choices,
        selection=material.selection,
        unanswered=_describe_unanswered,
    )
    specs = map(material.store.judges.spec, map(str, material.judges["judge"].unique()))
    prompts = {f"{one.prompt.name}@{one.prompt.version}": one.prompt.template
               for one in specs if one.prompt}  # fmt: skip
    return Methods(paragraphs, list(prompts.items()))


def _gather_data(material: Material) -> Facts:
    store, dataset, chosen = material.store, material.dataset, material.selection
    _, noun = store.datasets.nouns(dataset)
    items = list_chosen_items(store, chosen)
    return {
        "about": material.dataset_summary,
        "dataset": dataset,
        "source": material.source,
        "asked": [
            f"{one.name} (“{wording(one, noun)}”)"
            for one in store.datasets.attributes(dataset)
            if one.name in material.attributes
        ],
        "data_notes": [
            *(note_item_set(store, chosen) if chosen.item_set else ()),
            *describe_families(store, dataset, chosen.families, chosen.subset, items),
        ],
    }


def _gather_judges(material: Material) -> Facts:
    """People together, each other judge with how often it was asked and has answered, and plans."""
    judges = answers(material)
    human = judges["kind"] == KINDS[Kind.HUMAN]
    people = judges.loc[human, ["asked", "answered"]]
    others = judges.loc[~human, ["judge", "asked", "answered"]].to_numpy().tolist()
    return {
        "people": {"number": len(people), **people.sum()},
        "judges": [(material.store.judges.spec(judge), *of) for judge, *of in others],
        "plans": list(_describe_plans(material, [judge for judge, *_ in others])),
    }


def _describe_unanswered(asked: int, answered: int) -> str:
    missing = asked - answered
    if not missing:
        return "none was left unanswered"
    were = "was" if missing == 1 else "were"
    return f"{missing:,} of {asked:,} ({SHARE.write(missing / asked)}) {were} left unanswered"


def _describe_plans(material: Material, judges: list[str]) -> Iterator[str]:
    """Describe which pairs runs asked these judges about; judges asked alike share a sentence."""
    runs = material.store.runs.list_all(dataset=material.dataset, kind="run")
    runs = runs[runs["judge"].isin(judges) & runs["strategy"].isin(list(STRATEGIES))]
    alike: dict[str, dict[str, None]] = {}
    for plan in runs.iloc[::-1].to_dict("records"):
        alike.setdefault(_describe_plan(plan), {})[str(plan["judge"])] = None
    for asked, names in alike.items():
        were = "were" if len(names) > 1 else "was"
        if len(alike) == 1 and set(names) == set(judges):
            yield f"{'They' if len(names) > 1 else 'It'} {were} {asked}."
        else:
            yield f"{join_marked(list(names))} {were} {asked}."


def _describe_plan(plan: Mapping[Any, Any]) -> str:
    """Describe the pairs that a run asked about."""
    strategy = STRATEGIES[plan["strategy"]]
    samples = json.loads(plan["settings"]).get("samples", 1)
    terms = [f"strategy {name(strategy.name)}"]
    if pd.notna(plan["budget"]):
        terms.append(f"{plan['budget']:,.0f} comparisons an item and attribute")
    if samples > 1:
        terms.append(f"{samples} texts of each system and item")
    terms.append(f"seed {plan['seed']}")
    work = cite(ASKING.get(strategy.name, "liusie2024comparative"))
    return f"asked about {strategy.label} ({', '.join(terms)}) {work}"


def _gather_ratings(material: Material, boards: Sequence[Facts]) -> Facts:
    settings = material.request.rank_settings
    because = {one["method"]: one.get("because") for one in reversed(boards)}
    intervals = list(dict.fromkeys(choose_interval(board["method"]) for board in boards))
    return {
        "boards": boards,
        "settings": settings,
        "ratings": [(RATINGS[method], why) for method, why in because.items()],
        "ties": list_settings(RankSettings)["ties"].choices[settings.ties],
        "intervals": intervals,
        "interval_works": dict.fromkeys(work for one in intervals for work in one.cites),
        "over": sorted({OVER[board["over"]] for board in boards if board.get("over")}),
        "resolved": sorted({board["resolve"] for board in boards}),
    }


def _gather_correlation(material: Material, facts: Facts | None) -> Facts:
    method = material.get_chosen("correlation").get("method") or correlation.TABLED[0]
    signature = facts["signature"].split("|") if facts else []
    boot = [part for part in signature if part.startswith("boot:")]
    return {
        "correlated": RATINGS[method].label,
        "resamples": boot[0].removeprefix("boot:") if boot else "0",
    }


def _list_chosen_settings(material: Material, facts: Facts) -> Iterator[tuple[str, list[str]]]:
    for finding, values in material.request.chosen.items():
        if finding in facts and values:
            settings = [
                f"{plain_name(of)} {'+'.join(value) if isinstance(value, tuple) else value}"
                for of, value in values.items()
            ]
            yield ADJUSTABLE[finding].command, material.hide_in_sentences(settings)
