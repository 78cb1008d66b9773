"""The verdict of a report, and its leaderboards: one for each kind of judges, over all attributes
and for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from ..catalogue import FINDINGS
from ..findings.judgements import Finding, Selection
from ..findings.leaderboard import (
    RankSettings,
    choose_first_board,
    declare_rating,
    describe_boards,
    headline,
    leaderboard,
    list_boards,
    rank_among,
    settle_settings,
    state_verdict,
)
from ..labels import KINDS
from ..records import FaultError, TandemError
from ..statistics import RATINGS
from .material import Material
from .parts import (
    Section,
    build_sections,
    lay_across_attributes,
    lay_table,
    pictures,
)
from .trust import build_section

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
    pools = {"chosen": chosen} if chosen else _list_pools(material)
    if not chosen and material.rank_settings.rating_method.is_jury:  # who sits on it together
        pools = {"jury": tuple(pools)}
    yield from build_sections(
        partial(_board, material, name, replace(material.selection, judges=judges))
        for name, judges in pools.items()
    )


def _list_pools(material: Material) -> dict[str, tuple[str, ...]]:
    """Name the judges of each board."""
    first = choose_first_board(material.store, material.selection).judges
    kinds = {kind.value: (kind.value,) for kind in material.kinds}
    name = next((name for name, pool in kinds.items() if pool == first), "first")
    return {name: first, **kinds} if first else {}


def _board(material: Material, name: str, selection: Selection) -> Section:
    result = material.hide_names(leaderboard(material.store, selection, material.rank_settings))
    method = str(result.facts["method"])
    settings = settle_settings(material.rank_settings, result)
    parts = dict(_rank_by_attribute(material, selection, settings))
    named = [KINDS.get(judge, judge) for judge in selection.judges]
    [whose] = material.hide_in_sentences([", ".join(named)])
    file, how = f"leaderboard-{name}", RATINGS[method].label
    tables = [lay_table(file, f"Leaderboard by {whose}: {how}.", result.rows, result.columns)]
    votes = result.tables["deciding"]
    decided = headline.describe_deciding(result)
    if 0 < len(votes) <= MOST_VOTES and decided:
        caption = f"Leaderboard by {whose}: {decided} They are these."
        tables.append(
            lay_table(f"{file}-deciding", caption, votes, result.table_columns["deciding"])
        )
    lead = FINDINGS["leaderboard"].describe_lead(result)
    foot = [*(note for note in result.notes if note not in lead), result.describe_basis()]
    if len(parts) > 1:
        long = pd.concat([part.rows.assign(attribute=of) for of, part in parts.items()])
        order = result.rows["system"].tolist()
        caption = f"Leaderboard by {whose} and attribute: {how}."
        cell = declare_rating(method).write_with_range
        tables.append(
            lay_across_attributes(f"{file}-attributes", caption, long, ("system", order), cell)
        )
        foot.append("By attribute, the signature names the attribute in place of all.")
        if settings.resolve != "pairwise":
            systems = result.facts["ranks_hold_for"]["systems"]
            foot.append(describe_boards(systems, len(material.attributes)))
    of_parts = {f"{file}-{of}": part.document() for of, part in parts.items()}
    documents = {file: result.document(), **of_parts}
    drawn, signatures = pictures(file, result), [result.signature]
    return Section(
        f"Leaderboard by {whose}", lead, drawn, tables, foot, signatures, documents, "leaderboard"
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
