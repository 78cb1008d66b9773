"""Compute the leader's lead over the second as votes came in, with a band that holds at every
look.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import method_choice
from core.findings.leaderboard.columns import declare_lead
from core.findings.leaderboard.fitted_board import prepare_drawing
from core.findings.leaderboard.needs import list_arguments
from core.findings.leaderboard.over_time import choose_looks, find_times
from core.findings.leaderboard.rating_input import (
    SYSTEMS,
    RatingInput,
    extract_columns,
    prepare_comparisons,
    sign_ranking,
    weigh_drawing,
)
from core.findings.leaderboard.settings import RankSettings
from core.records import TandemError, option_ref
from core.rendering import Column
from core.statistics import FEWEST_ITEMS, RATINGS, Codes, Drawing, ratings
from core.store import Store

LEAD_METHODS = tuple(name for name, how in RATINGS.items() if how.weighable and not how.learns)
"""The methods that can rate after some of the votes, and do not depend on their order."""


def lead_over_time(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """The lead over the second of who leads by all votes, after each vote or about LOOKS even steps
    of them: votes (so many so far), lead, lead_low, lead_high, and `at` as in `over_time`. Leads
    are differences of ratings: of shares, or in points. No row before both have a rating on one
    scale.

    The band holds at every look, of all pairs of systems together (see
    `core.statistics.always_valid`). Its ends are NaN (null in JSON) while one of the two has fewer
    than FEWEST_ITEMS, and without resamples. After the last vote it is above 0 where the
    leaderboard under `resolve` always tells the two apart. Facts: `leader`, `second`,
    `clear_since`, the votes from which on the band is above 0 (None where it is not), `sentence`,
    and those of the method.
    """
    if settings.resolve not in ("", "always"):
        raise TandemError(
            f"a lead over time holds at every look, not {option_ref('resolve')} "
            f"{settings.resolve}: "
            "leave it out"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    names = np.array(sorted({*comparisons.frame["system_a"], *comparisons.frame["system_b"]}))
    choice = method_choice.choose_method(
        *extract_columns(comparisons.frame, SYSTEMS, names)[:2], n=len(names)
    )
    asked, settings = settings.method, replace(settings.with_method(choice), resolve="always")
    if settings.method not in LEAD_METHODS:
        raise TandemError(
            f"{option_ref('method')} {settings.method} tells no lead over time: use one of "
            f"{', '.join(LEAD_METHODS)}"
        )
    population = comparisons.population(settings.over)
    drawing = weigh_drawing(
        prepare_drawing(comparisons.frame, population, selection, settings), comparisons.frame
    )
    after = choose_looks(len(comparisons.frame))
    leader, second, rows = _follow_lead(comparisons, names, drawing, settings, after)
    times = find_times(store, comparisons.frame, after)
    rows = rows if times is None else rows.assign(at=times)
    rows = rows.dropna(subset="lead", ignore_index=True)
    if rows.empty:
        raise TandemError(
            "some systems cannot be compared with each other, as no comparison links them: use "
            f"{option_ref('method')} win-ratio"
        )
    declared, since = declare_lead(settings.method), _find_clear_since(rows)
    facts = {
        **method_choice.list_facts(choice, asked),
        "leader": leader,
        "second": second,
        "clear_since": since,
        "sentence": _describe_lead(
            rows.iloc[-1].to_dict(), (leader, second), since, declared[1], settings.bootstrap > 0
        ),
        "attributes": sorted(comparisons.frame["attribute"].unique()),
    }
    return Finding(
        rows,
        f"{sign_ranking(selection, settings, comparisons, population.scope)}|lead:votes",
        comparisons.used,
        comparisons.unanswered,
        [
            *comparisons.notes,
            f"After {len(rows):,} of {len(comparisons.frame):,} votes, in their order.",
        ],
        facts,
        columns=declared,
        picture="lead",
    )


def _follow_lead(
    comparisons: RatingInput, names: Any, drawing: Drawing, settings: RankSettings, after: Codes
) -> tuple[str, str, pd.DataFrame]:
    """The leader by all votes, the second, and the lead after so many (votes, lead, its ends)."""
    columns, n = extract_columns(comparisons.frame, SYSTEMS, names), len(names)
    own = list_arguments(settings, comparisons.frame)
    final = ratings.leaderboard(
        settings.method, *columns, n=n, drawing=replace(drawing, resamples=0), **own
    ).rating
    leader, second = (int(place) for place in np.argsort(-final, kind="stable")[:2])
    leads = [
        ratings.lead_at_every_look(
            settings.method,
            *(column[:votes] for column in columns),
            n=n,
            pair=(leader, second),
            systems=int((~np.isnan(final)).sum()),
            drawing=drawing.restrict_to_first(votes),
            **own,
        )
        for votes in after
    ]
    rows = pd.DataFrame(leads).set_axis(["lead", "lead_low", "lead_high"], axis=1)
    rows.insert(0, "votes", after)
    return str(names[leader]), str(names[second]), rows


def _find_clear_since(rows: pd.DataFrame) -> int | None:
    """The votes from which on the band stays above 0; None where it does not at the end."""
    clear = (rows["lead_low"] > 0).to_numpy()
    if not len(clear) or not clear[-1]:
        return None
    open_until = np.flatnonzero(~clear)
    return int(rows["votes"].iloc[open_until[-1] + 1 if len(open_until) else 0])


def _describe_lead(
    last: Mapping[Any, Any],
    systems: tuple[str, str],
    since: int | None,
    lead: Column,
    is_resampled: bool,
) -> str:
    """The lead at the end, and whether it is clear."""
    leads = "{} leads {}".format(*systems)
    if math.isnan(last["lead_low"]):
        missing = f"before both have {FEWEST_ITEMS} items" if is_resampled else "without intervals"
        return f"{leads}. Its certainty is unknown {missing}."
    said = f"{leads} by {lead.write_with_range(last)} points"
    if since is None:
        return f"{said}. That is not certain whenever you look: the band holds 0."
    return f"{said}. It is clear from {since:,} votes on, whenever you look."
