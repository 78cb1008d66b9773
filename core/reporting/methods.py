"""The methods paragraph: how the figures of a report came about, good enough for a paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from ..labels import KINDS, OVER, join_names, pluralize, wording
from ..pairing import STRATEGIES
from ..records import JudgeSpec, Kind, plain_name
from ..rendering import SHARE
from ..settings import list_settings
from ..similarity import METRICS
from ..statistics import RATINGS
from . import prose
from .material import Material
from .prose import cite, join_marked, name, name_interval
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
    paragraphs = [_describe_data(material), _describe_judges(material)]
    if "leaderboard" in documents:
        paragraphs.append(_describe_ratings(material, documents["leaderboard"]))
    for of, describe in METHODS.items():
        if of in documents:
            paragraphs.append(
                describe if isinstance(describe, str) else describe(material, documents[of][0])
            )
    paragraphs.append(_describe_software(material, documents))
    specs = map(material.store.judges.spec, map(str, material.judges["judge"].unique()))
    prompts = {f"{one.prompt.name}@{one.prompt.version}": one.prompt.template
               for one in specs if one.prompt}  # fmt: skip
    return Methods([one for one in paragraphs if one], list(prompts.items()))


def _describe_data(material: Material) -> str:
    store, dataset, chosen = material.store, material.dataset, material.selection
    about, source = material.dataset_summary, material.source
    _, noun = store.datasets.nouns(dataset)
    asked = [
        f"{one.name} (“{wording(one, noun)}”)"
        for one in store.datasets.attributes(dataset)
        if one.name in material.attributes
    ]
    texts = f", {pluralize(about['generations'], 'text')} in all" if about["generations"] else ""
    compared = f"{pluralize(about['systems'], 'system')} on {pluralize(about['items'], 'item')}"
    sentences = [
        f"We compare {compared} of {name(dataset)}{f' ({source})' if source else ''}{texts}."
    ]
    if asked:
        sentences.append(
            "Two texts of different systems on the same item are shown, one first. A judge "
            f"says which is better by {join_names(asked)}."
        )
        if chosen.subset:
            sentences.append(f"Only items of the subset {name(chosen.subset)} are used.")
    if chosen.item_set:
        sentences += note_item_set(store, chosen)
    items = list_chosen_items(store, chosen)
    sentences += describe_families(store, dataset, chosen.families, chosen.subset, items)
    return " ".join(sentences)


def _describe_judges(material: Material) -> str:
    judges = answers(material)
    if judges.empty:
        return ""
    human = judges["kind"] == KINDS[Kind.HUMAN]
    sentences = []
    if human.any():
        asked, answered = (int(judges.loc[human, of].sum()) for of in ("asked", "answered"))
        who = "1 person" if human.sum() == 1 else f"{human.sum():,} people"
        votes = pluralize(answered, "vote")
        sentences.append(f"{who} gave {votes}; {_describe_unanswered(asked, answered)}.")
    others = judges[~human]
    for judge, asked, answered in others[["judge", "asked", "answered"]].to_numpy():
        who = _describe_judge(material.store.judges.spec(judge))
        unanswered = _describe_unanswered(asked, answered)
        sentences.append(f"{who} answered {pluralize(answered, 'comparison')}; {unanswered}.")
    sentences += _describe_plans(material, others["judge"].tolist())
    without = "A comparison without an answer is left out; it never counts as a tie."
    return " ".join([*sentences, without])


def _describe_unanswered(asked: int, answered: int) -> str:
    missing = asked - answered
    if not missing:
        return "none was left unanswered"
    were = "was" if missing == 1 else "were"
    return f"{missing:,} of {asked:,} ({SHARE.write(missing / asked)}) {were} left unanswered"


def _describe_judge(spec: JudgeSpec) -> str:
    """Name a judge, and how it was asked."""
    if spec.kind is Kind.SIMULATED:
        return f"The simulated voter {name(spec.name)}, whose votes a program drew,"
    settings = []
    if spec.mode:
        settings.append(f"mode {spec.mode}")
    if spec.prompt:
        settings.append(f"prompt {name(f'{spec.prompt.name}@{spec.prompt.version}')}")
    if spec.votes > 1:
        settings.append(f"{spec.votes} sampled votes at temperature {spec.temperature:g}")
    elif spec.kind is Kind.LLM and spec.spec:
        settings.append(f"temperature {spec.temperature:g}")
    if spec.truncation:
        settings.append(f"prompts of at most {spec.truncation:,} tokens")
    return f"The judge {', '.join([name(spec.name), *settings])}{',' * bool(settings)}"


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


def _describe_ratings(material: Material, boards: Sequence[Facts]) -> str:
    settings = material.request.rank_settings
    sentences = []
    for method, because in {one["method"]: one.get("because") for one in reversed(boards)}.items():
        how = RATINGS[method]
        cited = f" {cite(*how.cites)}" if how.cites else ""
        sentences.append(f"Systems are rated by {how.label}{cited}: {how.help}.")
        sentences += [f"It was chosen because {because}."] if because else []
        if "ties" in how.takes or settings.ties != "half":
            ties = list_settings(RankSettings)["ties"].choices[settings.ties]
            model = f" {cite('davidson1970extending')}" * (settings.ties == "model")
            count = "count as" if settings.ties == "half" else "are"
            sentences.append(f"Ties {count} {ties}{model}.")
        if "k" in how.takes:
            sentences.append(f"K is {settings.k:g}.")
    if any(facts.get("deciding_votes") for facts in boards):
        works = cite("broderick2020automatic", "huang2025dropping")
        sentences.append(
            "How few votes decide who leads is found by their influence, and verified without "
            f"them {works}."
        )
    if not settings.bootstrap:
        return " ".join([*sentences, "There are no intervals."])
    intervals = list(dict.fromkeys(choose_interval(facts["method"]) for facts in boards))
    works = cite(*dict.fromkeys(work for interval in intervals for work in interval.cites))
    sentences.append(
        f"Intervals are of 95%, {' or '.join(interval.method for interval in intervals)}, with "
        f"the variance of {settings.bootstrap} resamples with random weights (seed "
        f"{material.selection.seed}) {works}."
    )
    if over := sorted({OVER[facts["over"]] for facts in boards if facts.get("over")}):
        sentences.append(f"They speak of {' or of '.join(over)}.")
    return " ".join([*sentences, *_describe_ranks(settings, {one["resolve"] for one in boards})])


def _describe_ranks(settings: RankSettings, resolved: Collection[str]) -> Iterator[str]:
    """Describe for which systems ranks hold at once, and for how many looks."""
    if settings.resolve == "pairwise":
        yield "Ranks and ties hold for each two systems by themselves."
        return
    stepdown = [] if resolved == {"always"} else ["romano2005exact"]
    works = cite(*stepdown, "mogstad2024inference")
    yield f"Ranks and ties hold for all systems together with 95% confidence {works}."
    if resolved == {"always"}:
        yield f"Intervals, ranks and ties hold at every look {cite(*AT_EVERY_LOOK)}."
    elif "always" in resolved:
        yield (
            "Where answers are still being collected, intervals, ranks and ties hold at every look "
            f"{cite(*AT_EVERY_LOOK)}."
        )


def _describe_agreement(material: Material, facts: Facts) -> str:
    sentences = [
        "A verdict is a judge's answer about a pair of texts, over both orders and all repeats. "
        "Agreement is the share of equal verdicts. Beyond chance it is Cohen's kappa "
        f"{cite('cohen1960coefficient')} of two judges, or kinds of judges."
    ]
    if "fleiss" in {group["kappa_by"] for group in facts["groups"]}:
        work = cite("fleiss1971measuring")
        sentences.append(f"For several judges of one kind it is Fleiss' kappa {work}.")
    sentences.append(
        f"Over all judges it is Krippendorff's alpha {cite('krippendorff2018content')}, with each "
        f"pair of texts in both orientations. Intervals of shares are {name_interval(WILSON)}, as "
        "those about one item are correlated. Those of kappa and alpha are "
        f"{name_interval(agreement.columns.LEFT_OUT)}."
    )
    return " ".join(sentences)


def _describe_bias(material: Material, facts: Facts) -> str:
    sentences = [
        "Position bias is the share of decisive answers for the text shown first "
        f"{cite('liusie2024comparative')}. Its intervals are {name_interval(WILSON)}."
    ]
    if facts["lengths"]:
        sentences.append(
            "The effect of length is the odds ratio of a text twice as long. It is from logistic "
            "regression on position and the log ratio of lengths in words, with intervals "
            f"{name_interval(bias.columns.ROBUST)}."
        )
    if facts.get("triples"):
        sentences.append(
            "A triple of texts is cyclic if A is better than B, B than C, and C than A "
            f"{cite('kendall1940paired')}. Stochastic transitivity is weakly violated where P(A "
            "over C) is below one half though the others are not. The violation is strong where it "
            f"is below the greater of these {cite('davidson1959experimental')}."
        )
    return " ".join(sentences)


def _describe_correlation(material: Material, facts: Facts) -> str:
    method = RATINGS[material.get_chosen("correlation").get("method") or correlation.TABLED[0]]
    boot = [part for part in facts["signature"].split("|") if part.startswith("boot:")]
    resamples = boot[0].removeprefix("boot:") if boot else "0"
    alike = {
        "drop": " Items where one side is constant have no correlation and are left out.",
        "zero": " Items to whose texts a judge gives one value count as 0.",
    }
    return (
        f"The {method.label} of each text, or its score by a rater, is correlated with the scores "
        f"by {name(str(facts['against']))} {correlation.LEVELS[facts['level']]}. Correlations are "
        f"Spearman's rho {cite('spearman1904proof')}, Kendall's tau-b "
        f"{cite('kendall1945treatment')} and Pearson's r."
        f"{alike[facts['constant']] if facts['level'] == 'item' else ''} Intervals are of 95%: "
        f"{name_interval(correlation.columns.RESAMPLED)} ({resamples}, seed "
        f"{material.selection.seed})."
    )


def _describe_separability(material: Material, facts: Facts) -> str:
    metric = METRICS[facts["metric"]]
    is_scaled = material.get_chosen("separability").get("normalise") != "none"
    over = list_settings(Settings)["over"].choices[facts["over"]]
    scaled = f" Alignments are normalised over {over}." if is_scaled else ""
    return (
        "Separability is how much more alike texts of one system on an item are than texts of two "
        f"systems {cite('ghosh2024compare')}. Texts are compared by {metric.label} (metric "
        f"{name(metric.name)}).{scaled}"
    )


def _describe_combination(material: Material, facts: Facts) -> str:
    interval = combine.choose_interval(facts["method"], facts["resolve"])
    combined = (
        "Votes and judges are combined by prediction-powered inference with power tuning "
        f"{cite(*interval.cites)}. Their intervals are {interval.method}."
    )
    if material.get_chosen("combine").get("weigh_judges") == "jury":
        combined += f" Judges count by their agreement {cite('xu2026judge', 'qian2026who')}."
    return combined


def _describe_sharing(material: Material, facts: Facts) -> str:
    how = (
        "by tests in a fixed sequence with probability "
        f"{facts['confidence']:.0%} {cite('jung2025trust', 'angelopoulos2021learn')}"
        if facts["promise"] == "sure"
        else f"on average by conformal selection {cite('jin2023selection')}"
    )
    return (
        f"Judges answered {facts['accepted']:,} of {facts['pairs']:,} pairs by themselves. At most "
        f"{facts['accept_error']:.0%} of them differ from people, {how}. Win ratios and combined "
        "estimates count each part of the pairs by its own votes."
    )


METHODS: dict[str, str | Callable[[Material, Facts], str]] = {
    "agreement": _describe_agreement,
    "bias": _describe_bias,
    "probes": (
        "To measure what moves a judge besides quality, one text of a comparison is changed "
        f"{cite('raina2024robust', 'ye2024justice')}. A harmless sentence of as many words is "
        "added likewise. Counted is the change of the text's points, tested by item with Holm's "
        f"correction {cite('holm1979simple')}. Intervals are {STUDENT.method}."
    ),
    "accuracy": (
        "Accuracy is the share of answers that choose the better text, a tie counting half. An "
        "annotator is held against the other annotators."
    ),
    "correlation": _describe_correlation,
    "separability": _describe_separability,
    "combine": _describe_combination,
    "share": _describe_sharing,
}
"""How each finding is computed, in this order."""


def _describe_software(material: Material, findings: Collection[str]) -> str:
    sentences = []
    for words in ("systems", "runs", "trials"):
        if chosen := getattr(material.selection, words):
            sentences.append(f"Only the {words} {join_names(list(map(str, chosen)))} are used.")
    for finding, values in material.request.chosen.items():
        if finding in findings and values:
            settings = [
                f"{plain_name(of)} {'+'.join(value) if isinstance(value, tuple) else value}"
                for of, value in values.items()
            ]
            settings = material.hide_in_sentences(settings)
            sentences.append(f"Chosen of {ADJUSTABLE[finding].command}: {join_names(settings)}.")
    software = f"All figures are by Tandem {__version__}"
    return " ".join([*sentences, f"{software}; a signature under each says how it is made again."])
