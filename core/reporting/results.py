"""Sections of a report on results: who is better, the judges, and the items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ..campaigns import read_request
from ..findings import accuracy, correlation, separability
from ..findings.judgements import (
    JUDGING,
    TRUTH,
    Finding,
    Selection,
    fill_sides,
    find_rest_campaigns,
    label_rows,
    list_comparers,
)
from ..findings.leaderboard import (
    RankSettings,
    choose_first_board,
    declare_rating,
    describe_boards,
    headline,
    list_boards,
    rank_among,
    settle_settings,
    state_verdict,
)
from ..findings.share import share
from ..labels import KINDS, join_names
from ..pairing import Choice
from ..records import FaultError, TandemError
from ..similarity import METRICS
from ..statistics import RATINGS
from .material import Material
from .sections import (
    ReportPicture,
    ReportTable,
    Section,
    build_section,
    build_sections,
    caption_picture,
    lay_by_attribute,
    lay_table,
)

MOST_VOTES = 20  # that decide who leads, in a table


def report_settled(material: Material) -> Iterator[Section]:
    """Yield a section with the verdict on who leads, and on each attribute where there are several;
    nothing where nobody has compared.
    """
    whole = replace(material.selection, judges=())
    result = material.hide_names(state_verdict(material.store, whole))
    if result.judgements:
        table = result.tables["attributes"]
        caption = "Whether votes settle who leads, and all ranks."
        tables = [lay_table("settled", caption, table, result.table_columns["attributes"])]
        yield build_section("settled", result, tables if len(table) > 1 else [])


def report_boards(material: Material) -> Iterator[Section]:
    """The leaderboard of the judges that were chosen, else the first one of the pages and that of
    each kind. Raises TandemError, after all others, where one cannot be made.
    """
    chosen = material.selection.judges
    pools = {"chosen": chosen}
    if not chosen:
        first = choose_first_board(material.store, material.selection).judges
        kinds = {kind.value: (kind.value,) for kind in material.kinds}
        name = next((name for name, pool in kinds.items() if pool == first), "first")
        pools = {name: first, **kinds} if first else {}
    yield from build_sections(
        partial(_build_board, material, name, judges, is_brief=place > 0)
        for place, (name, judges) in enumerate(pools.items())
    )


def _build_board(
    material: Material, name: str, judges: tuple[str, ...], *, is_brief: bool
) -> Section:
    selection = replace(material.selection, judges=judges)
    result = material.rank(judges)
    method = str(result.facts["method"])
    settings = settle_settings(material.request.rank_settings, result)
    parts = dict(_rank_by_attribute(material, selection, settings))
    [whose] = material.hide_in_sentences([", ".join(KINDS.get(judge, judge) for judge in judges)])
    file, how = f"leaderboard-{name}", RATINGS[method].label
    tables = [lay_table(file, f"Leaderboard by {whose}: {how}.", result.rows, result.columns)]
    votes, decided = result.tables["deciding"], headline.describe_deciding(result)
    if 0 < len(votes) <= MOST_VOTES and decided:
        caption = f"Leaderboard by {whose}: {decided} They are these."
        columns = result.table_columns["deciding"]
        tables.append(lay_table(f"{file}-deciding", caption, votes, columns))
    further = []
    if len(parts) > 1:
        long = pd.concat([part.rows.assign(attribute=of) for of, part in parts.items()])
        place = {system: place for place, system in enumerate(result.rows["system"])}
        ranked = long.sort_values("system", key=lambda of: of.map(place), kind="stable")
        caption = f"Leaderboard by {whose} and attribute: {how}."
        key, cell = result.columns[0], declare_rating(method)
        laid = lay_by_attribute(f"{file}-attributes", caption, ranked, key, cell)
        tables.append(replace(laid, frame=long))
        further.append("By attribute, the signature names the attribute in place of all.")
        if settings.resolve != "pairwise":
            systems = result.facts["ranks_hold_for"]["systems"]
            further.append(describe_boards(systems, len(material.attributes)))
    section = build_section(
        "leaderboard", result, tables, name=file, title=f"Leaderboard by {whose}", drawn=file,
        is_brief=is_brief,
    )  # fmt: skip
    documents = {f"{file}-{of}": part.document() for of, part in parts.items()}
    return replace(
        section,
        foot=[*section.foot, *further],
        documents={**(section.documents or {}), **documents},
    )


def _rank_by_attribute(
    material: Material, selection: Selection, settings: RankSettings
) -> Iterator[tuple[str, Finding]]:
    """The leaderboard by the same settings of each attribute that has anything to rank; ranks hold
    on all of them at once, as by `rank --by attribute`.
    """
    if selection.attribute or len(material.attributes) < 2:
        return
    boards = len(list_boards(material.attributes))
    for name in material.attributes:
        one = replace(selection, attribute=name)
        try:
            result = rank_among(material.store, one, settings, boards)
        except FaultError:
            raise
        except TandemError:
            continue
        yield name, material.hide_names(result)


def report_combination(material: Material) -> Iterator[Section]:
    """Yield a section on people's votes and the answers of models combined."""
    if _has_both(material):
        result = material.find("combine")
        caption = "Systems by votes, by judges, and by both."
        tables = [lay_table("together", caption, result.rows, result.columns)]
        yield build_section("combine", result, tables, name="together", drawn="together")


def report_share(material: Material) -> Iterator[Section]:
    """Yield a section on work that was shared, as the newest campaign of the rest asked for it."""
    for campaign in find_rest_campaigns(material.store, material.dataset)[:1]:
        found = share(material.store, *read_request(Choice.from_campaign(campaign)))
        result = material.hide_names(found)
        tables = [lay_table("share", "Who answers.", result.rows, result.columns)]
        yield build_section("share", result, tables, drawn="share")


def report_plan(material: Material) -> Iterator[Section]:
    """Yield a section on how many more votes the combined estimate needs."""
    if _has_both(material):
        result = material.find("plan")
        yield build_section("plan", result, [], drawn="plan" if result.facts["now"] < 1 else "")


def _has_both(material: Material) -> bool:
    """Return whether there are votes or scores, and answers of judges to hold against them."""
    if material.selection.judges:
        return all(set(side) & set(material.kinds) for side in (TRUTH, JUDGING))
    every = list_comparers(material.store, material.dataset)
    selection, people = fill_sides(material.store, material.selection)
    sides = (every[["judge", "kind"]].isin(names) for names in (people, selection.judges))
    return all(bool(side.any(axis=None)) for side in sides)


def report_agreement(material: Material) -> Iterator[Section]:
    """Yield a section on agreement between judges; nothing if there is one judge."""
    if material.judges["judge"].nunique() < 2:
        return
    result = material.find("agreement")
    alphas = result.tables["alphas"].dropna(subset="alpha")
    if alphas["attribute"].nunique() < 2:  # of one attribute and of all it is the same
        alphas = alphas[alphas["attribute"].isna()]
    kinds = str(result.facts["alpha_of"]).split("+")
    raters = join_names([KINDS.get(kind, kind) for kind in kinds])
    of = result.table_columns
    tables = [
        lay_table("agreement-groups", "Kinds of judges.", result.tables["groups"], of["groups"]),
        lay_table("agreement-pairs", "Each two judges.", result.rows, result.columns),
        lay_table(
            "agreement-majority", "Each judge, and what most annotators say.",
            result.tables["majority"], of["majority"],
        ),
        lay_table(
            "agreement-alpha", f"Krippendorff's alpha of {raters}.",
            alphas.assign(attribute=alphas["attribute"].astype(object).fillna("all")), of["alphas"],
        ),
    ]  # fmt: skip
    drawn = "agreement" if len(result.rows) > 1 else ""
    yield build_section("agreement", result, tables, drawn=drawn)


def report_biases(material: Material) -> Iterator[Section]:
    """Yield a section on biases in verdicts; nothing if there are no judges."""
    if material.judges.empty:
        return
    result = material.find("bias")
    captions = {
        "lengths": ("bias-length", "Length: the longer text."),
        "triples": ("bias-triples", "Contradictions among three texts."),
    }
    tables = [
        _lay_judges(material, result, "bias-position", "Position: the text shown first."),
        *(_lay_judges(material, result, *caption, of=of) for of, caption in captions.items()),
    ]
    drawn = "bias-position" if result.rows["p_first"].notna().any() else ""
    yield build_section("bias", result, tables, drawn=drawn)


def report_probes(material: Material) -> Iterator[Section]:
    """Yield a section on changes of texts that move judges; nothing if no judge was probed."""
    result = material.find("probes")
    if result.rows.empty:
        return
    tables = [_lay_judges(material, result, "probes", "Changes of a text that move judges.")]
    drawn = "probes" if result.rows["change"].notna().any() else ""
    yield build_section("probes", result, tables, drawn=drawn)


def report_accuracy(material: Material) -> Iterator[Section]:
    """Yield sections on how often judges are right, by the chosen reference, else by each."""
    chosen = material.get_chosen("accuracy").get("against")
    usual = accuracy.list_references(material.store, material.selection)
    references = [str(chosen)] if chosen else usual
    yield from build_sections(
        partial(_build_accuracy, material, against, is_brief=place > 0)
        for place, against in enumerate(references)
    )


def _build_accuracy(material: Material, against: str, *, is_brief: bool) -> Section:
    result, name = material.find("accuracy", against=against), f"accuracy-{against}"
    reference = accuracy.REFERENCES[against]
    caption = f"Right answers according to {reference}, a tie counting half."
    tables = [_lay_judges(material, result, name, caption)]
    title = f"Accuracy, according to {reference}"
    return build_section(
        "accuracy", result, tables, name=name, title=title, drawn=name, is_brief=is_brief
    )


def report_correlation(material: Material) -> Iterator[Section]:
    """Yield a section on how well judges follow scores; nothing if nobody has scored."""
    named = material.get_chosen("correlation").get("against")
    if not named and not correlation.choose_reference(material.store, material.dataset):
        return
    result = material.find("correlation")
    rater = correlation.name_rater(result.facts["against"])
    columns = {column.name: column for column in result.columns}
    by_judge = material.by_attribute(label_rows(material.order_rows(result.rows)))
    overview = lay_by_attribute(
        "correlation-spearman", f"Spearman's correlation with the scores by {rater}.",
        by_judge, columns["judge"], columns["spearman"],
    )  # fmt: skip
    caption = f"All correlations, {correlation.LEVELS[result.facts['level']]}."
    every = _lay_judges(material, result, "correlation", caption)
    several = [overview] if by_judge["attribute"].nunique() > 1 else []
    drawn = "correlation" if by_judge["spearman"].notna().any() else ""
    yield build_section("correlation", result, [every, *several], drawn=drawn)


def _lay_judges(
    material: Material, result: Finding, name: str, caption: str, of: str = ""
) -> ReportTable:
    """The rows, or a table `of` a finding, judge by judge."""
    rows = result.tables[of] if of else result.rows
    columns = result.table_columns[of] if of else result.columns
    return lay_table(name, caption, material.order_rows(rows), columns)


def report_separability(material: Material) -> Iterator[Section]:
    """Yield a section on separability; nothing if no similarity is measured here."""
    chosen = material.get_chosen("separability").get("metric")
    if not chosen and not separability.choose_metric(material.store, material.dataset):
        return
    result: Any = material.find("separability")
    if result.rows["separability"].isna().all():
        return
    caption = f"Separability by {METRICS[str(result.facts['metric'])].label}."
    pairs = separability.compare_pairs(result.rows)
    tables = [lay_table("separability", caption, pairs, separability.columns.PAIRS)]
    section = build_section("separability", result, tables)
    drawn = ReportPicture("separability", caption_picture(separability.describe_items(result)))
    yield replace(section, pictures=[drawn], foot=result.notes)
