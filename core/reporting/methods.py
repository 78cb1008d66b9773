"""The methods paragraph: how the figures of a report came about, good enough for a paper."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .. import __version__
from ..catalogue import ADJUSTABLE
from ..findings import agreement, bias, combine, correlation
from ..findings.judgements import (
    WILSON,
    describe_families,
    judge_differences,
    list_chosen_items,
    note_item_set,
)
from ..findings.leaderboard import AT_EVERY_LOOK, RankSettings, choose_interval
from ..findings.separability import Settings
from ..labels import KINDS, OVER, join_names, pluralize, wording
from ..pairing import STRATEGIES
from ..records import JudgeSpec, Kind, plain_name
from ..rendering import SHARE, Interval
from ..settings import list_settings
from ..similarity import METRICS
from ..statistics import RATINGS
from . import prose
from .counts import answers
from .material import Material
from .parts import Row, Section, rows_of
from .prose import Name, Paragraph, Piece, cite

ASKING = {
    "active": "liusie2024efficient",
    "pairs-greedy": "liu2024aligning",
    "pairs-beam": "liu2024aligning",
}
"""Pairing strategies whose pairs are not those of Liusie et al. (2024a)."""


@dataclass(frozen=True)
class Methods:
    """Paragraphs, the works they cite, and the prompts, by name, that judges were asked with."""

    paragraphs: Sequence[Paragraph]
    prompts: Sequence[tuple[str, str]]

    @property
    def keys(self) -> list[str]:
        """BibTeX keys of the works that the paragraphs cite, each once."""
        return prose.keys(self.paragraphs)


def methods(material: Material, sections: Sequence[Section]) -> Methods:
    """Describe how everything in these sections was asked, counted and estimated."""
    told = {
        name: facts for section in sections for name, facts in (section.documents or {}).items()
    }
    paragraphs = [
        _data(material),
        _judges(material),
        _ratings(material, told),
        _agreement(told),
        _bias(told),
        _attacks(told),
        _accuracy(told),
        _correlation(material, told),
        _separability(material, told),
        _describe_combination(told),
        _software(material, {section.of for section in sections}),
    ]
    return Methods([one for one in paragraphs if one], list(_prompts(material)))


def _data(material: Material) -> list[Piece]:
    store, dataset = material.store, material.dataset
    about, source = material.dataset_summary, material.source
    _, noun = store.datasets.nouns(dataset)
    asked = [
        f"{one.name} (“{wording(one, noun)}”)"
        for one in store.datasets.attributes(dataset)
        if one.name in material.attributes
    ]
    texts = f", {pluralize(about['generations'], 'text')} in all" if about["generations"] else ""
    pieces: list[Piece] = [
        f"We compare {pluralize(about['systems'], 'system')} on "
        f"{pluralize(about['items'], 'item')} of",
        Name(dataset),
        f"({source}){texts}." if source else f"{texts}.",
    ]
    if asked:
        pieces.append(
            "Two texts of different systems on the same item are shown, one first. A judge "
            f"says which is better by {join_names(asked)}."
        )
    if len(asked) and material.selection.subset:
        pieces += ["Only items of the subset", Name(material.selection.subset), "are used."]
    chosen = material.selection
    if chosen.item_set:
        pieces += note_item_set(store, chosen)
    items = list_chosen_items(store, chosen)
    pieces += describe_families(store, dataset, chosen.families, chosen.subset, items)
    return pieces


def _judges(material: Material) -> list[Piece]:
    judges = answers(material)
    if judges.empty:
        return []
    human = judges["kind"] == KINDS[Kind.HUMAN]
    pieces: list[Piece] = []
    if human.any():
        people = judges[human]
        asked, answered = int(people["asked"].sum()), int(people["answered"].sum())
        who = "1 person" if len(people) == 1 else f"{len(people):,} people"
        pieces.append(
            f"{who} gave {pluralize(answered, 'vote')}; {_describe_unanswered(asked, answered)}."
        )
    for row in rows_of(judges[~human]):
        pieces += _judge(material.store.judges.spec(row["judge"]), row)
    return [
        *pieces,
        *_plans(material, judges.loc[~human, "judge"].tolist()),
        "A comparison without an answer is left out; it never counts as a tie.",
    ]


def _describe_unanswered(asked: int, answered: int) -> str:
    missing = asked - answered
    if not missing:
        return "none was left unanswered"
    were = "was" if missing == 1 else "were"
    return f"{missing:,} of {asked:,} ({SHARE.write(missing / asked)}) {were} left unanswered"


def _judge(spec: JudgeSpec, row: Row) -> list[Piece]:
    """One judge: how it was asked, and how much it answered."""
    settings: list[Piece] = []
    if spec.mode:
        settings.append(f", mode {spec.mode}")
    if spec.prompt:
        settings += [", prompt", Name(f"{spec.prompt.name}@{spec.prompt.version}")]
    if spec.votes > 1:
        settings.append(f", {spec.votes} sampled votes at temperature {spec.temperature:g}")
    elif spec.kind is Kind.LLM and spec.spec:
        settings.append(f", temperature {spec.temperature:g}")
    if spec.truncation:
        settings.append(f", prompts of at most {spec.truncation:,} tokens")
    asked, answered = int(row["asked"]), int(row["answered"])
    ends = f"answered {pluralize(answered, 'comparison')}; {_describe_unanswered(asked, answered)}."
    if spec.kind is Kind.SIMULATED:
        return ["The simulated annotator", Name(spec.name), f", whose votes a program drew, {ends}"]
    return ["The judge", Name(spec.name), *settings, f", {ends}" if settings else ends]


def _plans(material: Material, judges: list[str]) -> list[Piece]:
    """Describe which pairs runs asked these judges about; judges asked alike share a sentence."""
    runs = material.store.runs.list_all(dataset=material.dataset, kind="run")
    runs = runs[runs["judge"].isin(judges) & runs["strategy"].isin(list(STRATEGIES))]
    alike: dict[tuple[Piece, ...], list[str]] = {}
    for plan in rows_of(runs.iloc[::-1]):
        alike.setdefault(tuple(_plan(plan)), []).append(str(plan["judge"]))
    pieces: list[Piece] = []
    for asked, names in alike.items():
        every = set(names) == set(judges) and len(alike) == 1
        who: list[Piece] = ["They were" if len(judges) > 1 else "It was"] if every else [
            *_join_names(list(dict.fromkeys(names))), "were" if len(set(names)) > 1 else "was",
        ]  # fmt: skip
        pieces += [*who, *asked]
    return pieces


def _join_names(names: Sequence[str]) -> list[Piece]:
    """`a`, `b` and `c`."""
    pieces: list[Piece] = []
    for place, name in enumerate(names):
        joint = "" if place == 0 else " and" if place == len(names) - 1 else ","
        pieces += [joint, Name(name)] if joint else [Name(name)]
    return pieces


def _plan(plan: Row) -> list[Piece]:
    """Describe the pairs that a run asked about."""
    strategy = STRATEGIES[plan["strategy"]]
    samples = json.loads(plan["settings"]).get("samples", 1)
    budget: str = (
        f", {plan['budget']:,.0f} comparisons an item and attribute"
        if pd.notna(plan["budget"])
        else ""
    )
    drawn = f", {samples} texts of each system and item" if samples > 1 else ""
    return [
        f"asked about {strategy.label} (strategy",
        Name(strategy.name),
        f"{budget}{drawn}, seed {plan['seed']})",
        cite(ASKING.get(strategy.name, "liusie2024comparative")),
        ".",
    ]


def _ratings(material: Material, told: dict[str, Any]) -> list[Piece]:
    boards = [facts for name, facts in told.items() if name.startswith("leaderboard")]
    if not boards:
        return []
    settings = material.rank_settings
    pieces: list[Piece] = []
    chosen = {facts["method"]: facts.get("because") for facts in reversed(boards)}
    for method, because in chosen.items():
        how = RATINGS[method]
        pieces += [f"Systems are rated by {how.label}", *([cite(*how.cites)] if how.cites else [])]
        pieces.append(f": {how.help}.")
        pieces += [f"It was chosen because {because}."] if because else []
        if "ties" in how.takes or settings.ties != "half":
            ties = list_settings(RankSettings)["ties"].choices[settings.ties]
            pieces.append(f"Ties {'count as' if settings.ties == 'half' else 'are'} {ties}.")
            pieces += [cite("davidson1970extending")] if settings.ties == "model" else []
        if "k" in how.takes:
            pieces.append(f"K is {settings.k:g}.")
    if any(facts.get("deciding_votes") for facts in boards):
        pieces += [
            "How few votes decide who leads is found by their influence, and verified without them",
            cite("broderick2020automatic", "huang2025dropping"),
            ".",
        ]
    if not settings.bootstrap:
        return [*pieces, "There are no intervals."]
    over = sorted({OVER[facts["over"]] for facts in boards if facts.get("over")})
    intervals = list(dict.fromkeys(choose_interval(facts["method"]) for facts in boards))
    ends = " or ".join(interval.method for interval in intervals)
    sources = dict.fromkeys(work for interval in intervals for work in interval.cites)
    speak = f" They speak of {' or of '.join(over)}." if over else ""
    pieces += [
        f"Intervals are of 95%, {ends}, with the variance of {settings.bootstrap} resamples with "
        f"random weights (seed {material.selection.seed})",
        cite(*sources),
        f".{speak}",
    ]  # fmt: skip
    if settings.resolve == "pairwise":
        return [*pieces, "Ranks and ties hold for each two systems by themselves."]
    resolved = {facts["resolve"] for facts in boards}
    stepdown = [] if resolved == {"always"} else ["romano2005exact"]
    pieces += ["Ranks and ties hold for all systems together with 95% confidence"]
    pieces += [cite(*stepdown, "mogstad2024inference"), "."]
    if "always" in resolved:
        where = "" if len(resolved) == 1 else "Where answers are still being collected, "
        hold = f"{where}intervals, ranks and ties hold at every look"
        pieces += [hold[:1].upper() + hold[1:], cite(*AT_EVERY_LOOK), "."]
    return pieces


def _agreement(told: dict[str, Any]) -> list[Piece]:
    if "agreement" not in told:
        return []
    groups = told["agreement"]["groups"]
    fleiss: list[Piece] = (
        ["Fleiss' kappa", cite("fleiss1971measuring"), "of several judges of one kind,"]
        if "fleiss" in {group["kappa_by"] for group in groups}
        else []
    )
    return [
        "A verdict is a judge's answer about a pair of texts, over both orders and all repeats. "
        "Agreement is the share of equal verdicts; beyond chance it is Cohen's kappa",
        cite("cohen1960coefficient"),
        "of two judges, or kinds of judges,",
        *fleiss,
        "and Krippendorff's alpha",
        cite("krippendorff2018content"),
        "of all, with each pair of texts in both orientations. Intervals of shares are",
        *_name_interval(WILSON),
        ", as those about one item are correlated; those of kappa and alpha are",
        *_name_interval(agreement.columns.LEFT_OUT),
        ".",
    ]


def _name_interval(interval: Interval) -> list[Piece]:
    """Name the method of some intervals and cite the works it is from."""
    return [interval.method, *([cite(*interval.cites)] if interval.cites else [])]


def _bias(told: dict[str, Any]) -> list[Piece]:
    if "bias" not in told:
        return []
    length: list[Piece] = [
        "The effect of length is the odds ratio of a text twice as long. It is from logistic "
        "regression on position and the log ratio of lengths in words, with intervals",
        *_name_interval(bias.columns.ROBUST),
        ".",
    ]
    return [
        "Position bias is the share of decisive answers for the text shown first",
        cite("liusie2024comparative"),
        ". Its intervals are",
        *_name_interval(WILSON),
        ".",
        *(length if told["bias"]["lengths"] else []),
        *(_triples() if told["bias"].get("triples") else []),
    ]


def _triples() -> list[Piece]:
    return [
        " A triple of texts is cyclic if A is better than B, B than C, and C than A",
        cite("kendall1940paired"),
        ". Stochastic transitivity is weakly violated where P(A over C) is below one half "
        "though the others are not. The violation is strong where it is below the greater of "
        "these",
        cite("davidson1959experimental"),
        ".",
    ]


def _attacks(told: dict[str, Any]) -> list[Piece]:
    if not told.get("attacks"):
        return []
    return [
        "To measure prompt injection, a sentence is added to a text",
        cite("raina2024robust"),
        "; the share is counted that this text wins, of the comparisons it had lost in the "
        "same place. A harmless sentence of as many words is added likewise; the difference is "
        f"on the same comparisons. Intervals of shares are {WILSON.method}; those of the "
        f"difference are {judge_differences.STUDENT.method}.",
    ]


def _describe_combination(told: dict[str, Any]) -> list[Piece]:
    """Describe the results that combine people and judges."""
    pieces: list[Piece] = []
    if "together" in told:
        interval = combine.choose_interval(told["together"]["method"], told["together"]["resolve"])
        pieces += [
            "Votes and judges are combined by prediction-powered inference with power tuning",
            cite(*interval.cites),
            f". Their intervals are {interval.method}.",
        ]
        if told["together"]["share"] and combine.CORRECTED.interval:
            pieces += [
                "The judges' win ratios are given beside them, corrected for how often they "
                "are wrong where people voted",
                cite(*combine.CORRECTED.interval.cites),
                ".",
            ]
    if "replacement" in told:
        pieces += [
            "Whether a judge may replace an annotator is tested by the alternative annotator test",
            cite("calderon2025alternative"),
            ", with false discoveries controlled under any dependency",
            cite("benjamini2001control"),
            "and Holm's correction over judges and attributes",
            cite("holm1979simple"),
            ". Its intervals are",
            *_name_interval(WILSON),
            ".",
        ]
    return pieces


def _accuracy(told: dict[str, Any]) -> list[Piece]:
    if not any(name.startswith("accuracy") for name in told):
        return []
    return [
        "Accuracy is the share of answers that choose the better text, a tie counting half. An "
        "annotator is held against the other annotators.",
    ]


def _correlation(material: Material, told: dict[str, Any]) -> list[Piece]:
    if "correlation" not in told:
        return []
    facts, interval = told["correlation"], correlation.columns.RESAMPLED
    method = RATINGS[material.get_chosen("correlation").get("method") or correlation.TABLED[0]]
    boot = [part for part in facts["signature"].split("|") if part.startswith("boot:")]
    resamples = boot[0].removeprefix("boot:") if boot else "0"
    alike = {
        "drop": "Items where one side is constant have no correlation and are left out.",
        "zero": "Items to whose texts a judge gives one value count as 0.",
    }
    return [
        f"The {method.label} of each text, or its score by a rater, is correlated with the scores "
        "by",
        Name(str(facts["against"])),
        f"{correlation.LEVELS[facts['level']]}: Spearman's rho",
        cite("spearman1904proof"),
        ", Kendall's tau-b",
        cite("kendall1945treatment"),
        "and Pearson's r.",
        *([alike[facts["constant"]]] if facts["level"] == "item" else []),
        "Intervals are of 95%:",
        *_name_interval(interval),
        f"({resamples}, seed {material.selection.seed}).",
    ]


def _separability(material: Material, told: dict[str, Any]) -> list[Piece]:
    if "separability" not in told:
        return []
    facts = told["separability"]
    metric = METRICS[facts["metric"]]
    over = list_settings(Settings)["over"].choices[facts["over"]]
    is_scaled = material.get_chosen("separability").get("normalise") != "none"
    return [
        "Separability is how much more alike the texts of one system on an item are than texts of "
        "two systems",
        cite("ghosh2024compare"),
        f", by {metric.label} (metric",
        Name(metric.name),
        f"), with alignments normalised over {over}." if is_scaled else ").",
    ]


def _list_chosen(material: Material, findings: Collection[str]) -> Iterator[Piece]:
    """The settings that were chosen of these findings."""
    told = {name: of for name, of in material.request.chosen.items() if name in findings and of}
    for finding, values in told.items():
        words = [
            f"{plain_name(name)} {'+'.join(value) if isinstance(value, tuple) else value}"
            for name, value in values.items()
        ]
        chosen = join_names(material.hide_in_sentences(words))
        yield f"Chosen of {ADJUSTABLE[finding].command}: {chosen}."


def _software(material: Material, findings: Collection[str]) -> list[Piece]:
    pieces: list[Piece] = []
    for name, label in (("systems", "systems"), ("runs", "runs"), ("trials", "trials")):
        chosen: Sequence[Any] = getattr(material.selection, name)
        if chosen:
            pieces.append(f"Only the {label} {join_names([str(one) for one in chosen])} are used.")
    return [
        *pieces,
        *_list_chosen(material, findings),
        f"All figures are by Tandem {__version__}; a signature under each says how it is made "
        "again.",
    ]


def _prompts(material: Material) -> Iterator[tuple[str, str]]:
    """Yield each prompt that a judge of this report was asked with, once."""
    found: dict[str, str] = {}
    for name in material.judges["judge"].unique():
        prompt = material.store.judges.spec(str(name)).prompt
        if prompt:
            found[f"{prompt.name}@{prompt.version}"] = prompt.template
    yield from found.items()
