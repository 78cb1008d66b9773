"""Compute agreement: between every two judges, between people and models, and with the human
majority.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import OVER, pluralize
from ...records import Kind, choose_voting_kind
from ...rendering import list_names
from ...statistics import CONTRADICTS, Meetings, VerdictComparison, intervals
from ...statistics import agreement as agreeing
from ...store import Store
from ..judgements.answers import select_answered
from ..judgements.debiasing import warn_of_unusable
from ..judgements.finding import Finding
from ..judgements.judges import JUDGE_DIFFERENCES, compare_to_best
from ..judgements.population import (
    JUDGES_TO_TELL,
    code_families,
    make_too_few_judges_error,
    note_few_items,
)
from ..judgements.provenance import pooling_notes
from ..judgements.selection import Selection, name_some, selection_notes, write_signature
from ..judgements.verdicts import (
    WORDS,
    count_verdicts,
    find_better_text,
    find_majority,
    orient,
    score_rightness,
)
from ..separability.applications import cut_bins
from . import columns
from .columns import PAIRS
from .figures import AgreementSettings, alphas, count_contradictions

USUAL = AgreementSettings()
GROUPS = [f"{one}-{other}" for one, other in combinations_with_replacement(Kind, 2)]
SHARE = ["agreement", "low", "high", "verdicts"]


@dataclass(frozen=True)
class _CodedVerdicts:
    """Verdicts as codes, and every two on the same unit."""

    frame: pd.DataFrame
    judges: pd.DataFrame  # judge, kind; the row is the code
    judge: NDArray[np.int64]
    item: NDArray[np.int64]  # of each unit
    units: pd.DataFrame  # attribute, item, system_1, system_2; the row is the code
    meetings: Meetings
    group: NDArray[np.int64]  # of each meeting, a place in GROUPS


def agreement(store: Store, selection: Selection, settings: AgreementSettings = USUAL) -> Finding:
    """Compute how far judges agree. The default is all judges. A verdict is a judge's answer on one
    pair of texts. Judges without usable verdicts (`find_unusable_judges`) agree with nobody: they
    have no figures, and take no part in those of groups.

    Rows, one per pair of judges with a verdict on the same pair of texts; `group` is such as
    human-llm, `agreement` the share of equal verdicts (see
    `core.statistics.is_same_verdict`). The columns are declared in
    `core.findings.agreement.columns`.

    Facts: alpha (Krippendorff's, of the judges chosen, else of the first kind with two),
    alpha_low, alpha_high, alpha_of, units and what else `alphas` says of it. Tables: `groups`, the
    pairs of judges of a group together, with the kappa of all their verdicts: `kappa_by` is cohen
    of two judges, or kinds, and fleiss of several judges of one kind; `judges`, see
    `count_contradictions`;
    `majority`, each judge against what most people say (an annotator against the others), and its
    accuracy over so many `answers` (see `rightness`); `confusion`: verdict_1 (of the group's first
    kind) and verdict_2 as `first`, `tie`, `second` of the two systems by name, or `contradicts`;
    `alphas` by attribute; `by`: the groups' agreement by attribute, by pair of systems and, where
    it was measured, by separability, in bins from low to high.
    """
    over, separability = settings.over, settings.measure_items(store, selection)
    everybody = replace(selection, judges=selection.judges or tuple(Kind))
    frame, unanswered = select_answered(store, everybody)
    warning = warn_of_unusable(frame, "agreement with it cannot be measured")
    unusable = frame["judge"].isin(warning.unusable)
    everyone = _code_verdicts(count_verdicts(frame))
    given = _code_verdicts(count_verdicts(frame[~unusable])) if unusable.any() else everyone
    rows = _hide_unusable(_pairs(everyone), warning.unusable)
    chosen = bool(selection.judges)
    by_attribute, of = alphas(given.frame, given.units, chosen=chosen, settings=settings)
    groups, confusion = _groups(given, settings)
    _check_judges(settings, groups, by_attribute)
    both_bad = int(everyone.frame["both_bad"].sum())
    raters = frame.loc[frame["judgement"] < 0, "judge"].nunique()
    derived = (
        f"Scores of {pluralize(raters, 'rater')} are compared: the text with the higher score is "
        "better, and equal scores are a tie."
    )
    most = find_majority(given.frame, _voting_kind(given.frame))
    agreed = agreeing.is_same_verdict(given.frame["verdict"].to_numpy(), most).astype(float)
    return Finding(
        rows,
        write_signature(
            "agreement",
            **selection.signature_values(),
            separability=None if separability is None else separability.attrs.get("metric"),
            over=over or _find_interval_unit(groups),
        ),
        len(frame),
        unanswered,
        [
            *warning.cautions,
            *pooling_notes(frame),
            *selection_notes(store, everybody),
            *([derived] if raters else []),
            *_population(given, groups, settings),
            *_notes(everyone, rows, of, both_bad),
        ],
        {
            **warning._asdict(),
            **_list_overall_alpha(by_attribute),
            "alpha_of": of,
            "both_bad": both_bad,
        },
        {
            "groups": groups,
            "judges": count_contradictions(everyone.frame),
            "majority": _hide_unusable(_majority(everyone, frame), warning.unusable),
            "differences": compare_to_best(given.frame.assign(agreed=agreed)[most >= 0], "agreed"),
            "confusion": confusion,
            "alphas": by_attribute,
            "by": _break_down_agreement(given, separability, settings),
        },
        "pairs",
        PAIRS,
        {
            "groups": columns.GROUPS,
            "judges": columns.JUDGES,
            "majority": columns.AGAINST_MOST,
            "differences": JUDGE_DIFFERENCES,
            "confusion": columns.CONFUSION,
            "alphas": columns.ALPHAS,
            "by": columns.BY,
        },
        picture="agreement",
    )


def _code_verdicts(frame: pd.DataFrame) -> _CodedVerdicts:
    kinds = {kind.value: place for place, kind in enumerate(Kind)}
    frame = frame.assign(order=frame["kind"].map(kinds))
    frame = frame.sort_values(["order", "judge"], kind="stable").drop(columns="order")
    judge, _ = pd.factorize(frame["judge"])
    judges = frame.drop_duplicates("judge")[["judge", "kind"]].reset_index(drop=True)
    units = frame.drop_duplicates("unit").sort_values("unit").reset_index(drop=True)
    units = units[["attribute", "item", "family", "system_1", "system_2"]]
    met = agreeing.meetings(judge, frame["unit"].to_numpy(), frame["verdict"].to_numpy())
    kind = judges["kind"].map(kinds).to_numpy(int)
    place = np.zeros((len(Kind), len(Kind)), dtype=np.int64)
    place[np.triu_indices(len(Kind))] = np.arange(len(GROUPS))
    # Judges are sorted by kind, so the first is never the later kind
    group = place[kind[met.judge_1], kind[met.judge_2]]
    return _CodedVerdicts(frame, judges, judge, code_families(units), units, met, group)


def _pairs(given: _CodedVerdicts) -> pd.DataFrame:
    met, n = given.meetings, len(given.judges)
    column, codes = pd.factorize(met.judge_1 * n + met.judge_2, sort=True)
    item = given.item[met.unit]
    found = agreeing.compare(column, item, (met.verdict_1, met.verdict_2), n=len(codes))
    seen = pd.factorize(column * (int(item.max(initial=0)) + 1) + item)[1] // (
        int(item.max(initial=0)) + 1
    )
    one, other = codes // max(n, 1), codes % max(n, 1)
    names, kinds = given.judges["judge"].to_numpy(object), given.judges["kind"].to_numpy(object)
    return pd.DataFrame(
        {
            "judge_1": names[one],
            "judge_2": names[other],
            "group": [f"{a}-{b}" for a, b in zip(kinds[one], kinds[other], strict=True)],
            "items": np.bincount(seen, minlength=len(codes)),
            **_figures(found),
        }
    )


def _figures(found: VerdictComparison) -> dict[str, Any]:
    share = found.agreement
    return {
        "verdicts": share.n,
        **intervals.spread("agreement", share),
        "chance": found.chance,
        **intervals.spread("kappa", (found.kappa, found.low, found.high), ""),
    }


def _hide_unusable(rows: pd.DataFrame, unusable: Sequence[str]) -> pd.DataFrame:
    figures = ["agreement", "agreement_low", "agreement_high", "chance", "kappa", "low", "high"]
    sides = [name for name in ("judge", "judge_1", "judge_2") if name in rows]
    return rows.assign(**rows[figures].mask(rows[sides].isin(unusable).any(axis=1)))


def _sides(given: _CodedVerdicts, settings: AgreementSettings) -> agreeing.JudgeSides | None:
    """Judges of a kind are a population, unless these alone are meant."""
    if settings.over == "items":
        return None
    kind, over_items = pd.factorize(given.judges["kind"])[0], settings.over != "judges"
    return agreeing.JudgeSides(
        given.meetings.judge_1, given.meetings.judge_2, kind, over_items, JUDGES_TO_TELL
    )


def _check_judges(settings: AgreementSettings, groups: pd.DataFrame, alphas: pd.DataFrame) -> None:
    over = settings.over
    if over not in ("judges", "both") or groups.empty:
        return
    if not {*groups["over"], *alphas["over"]} - {"items"}:
        raise make_too_few_judges_error(
            over, f"needs {JUDGES_TO_TELL} judges or more of a kind on the same pairs"
        )


def _find_interval_unit(groups: pd.DataFrame) -> str:
    return next((over for over in groups["over"] if over != "items"), "items")


def _groups(
    given: _CodedVerdicts, settings: AgreementSettings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    met = given.meetings
    column, codes = pd.factorize(met.judge_1 * len(given.judges) + met.judge_2)
    of_pair = np.zeros(len(codes), dtype=np.int64)
    of_pair[column] = given.group
    pairs = np.bincount(of_pair, minlength=len(GROUPS))
    # Two judges have a side each, and Cohen's kappa as everywhere. Among several judges of one kind
    # sides mean nothing, as either may be any of them: Fleiss' kappa.
    alike = np.array([len({*name.split("-")}) == 1 for name in GROUPS]) & (pairs > 1)
    found = agreeing.compare(
        given.group, given.item[met.unit], (met.verdict_1, met.verdict_2),
        n=len(GROUPS), symmetric=alike, sides=_sides(given, settings),
    )  # fmt: skip
    rows = pd.DataFrame(
        {
            "group": GROUPS,
            "pairs": pairs,
            **_figures(found),
            "kappa_by": np.where(alike, "fleiss", "cohen"),
            "over": np.where(found.drawn, settings.over or "both", "items"),
        }
    )
    cells = [
        (GROUPS[g], WORDS[i], WORDS[j], int(found.confusion[g, i, j]))
        for g in np.flatnonzero(rows["verdicts"])
        for i in WORDS
        for j in WORDS
    ]
    confusion = pd.DataFrame(cells, columns=list_names(columns.CONFUSION))
    return rows[rows["verdicts"] > 0].reset_index(drop=True), confusion


def _list_overall_alpha(alphas: pd.DataFrame) -> dict[str, Any]:
    overall: Mapping[Any, Any] = (
        alphas[alphas["attribute"].isna()].iloc[0].to_dict() if len(alphas) else {}
    )
    names = ("low", "high", "over", "items", "judges", "needs", "enough")
    return {
        "alpha": overall.get("alpha"),
        "units": int(overall.get("units", 0)),
        **{f"alpha_{name}": overall.get(name) for name in names},
    }


def _majority(given: _CodedVerdicts, judgements: pd.DataFrame) -> pd.DataFrame:
    frame = given.frame
    most = find_majority(frame, _voting_kind(frame))
    known = most >= 0
    found = agreeing.compare(
        given.judge[known], given.item[frame["unit"].to_numpy()[known]],
        (frame["verdict"].to_numpy()[known], most[known]),
        n=len(given.judges),
    )  # fmt: skip
    answers = orient(judgements).reset_index(drop=True)
    better = find_better_text(answers, answers[answers["kind"] == _voting_kind(answers).value])
    right = score_rightness(answers["points_1"].to_numpy(float), better)
    scored = ~np.isnan(right)
    judge = pd.Index(given.judges["judge"]).get_indexer(pd.Index(answers["judge"]))
    share = intervals.shares_by(
        right[scored], code_families(answers)[scored], judge[scored], n=len(given.judges)
    )
    accuracy = {"answers": share.n, **intervals.spread("accuracy", share)}
    rows = pd.DataFrame({**given.judges, **_figures(found), **accuracy})
    return rows[rows["verdicts"] > 0].reset_index(drop=True)


def _voting_kind(frame: pd.DataFrame) -> Kind:
    return choose_voting_kind(frame["kind"].unique())


def _break_down_agreement(
    given: _CodedVerdicts, separability: pd.DataFrame | None, settings: AgreementSettings
) -> pd.DataFrame:
    systems = given.units["system_1"] + " / " + given.units["system_2"]
    parts = {"attribute": given.units["attribute"], "systems": systems}
    if separability is not None:
        keys = ["item", "system_1", "system_2"]
        values = given.units.merge(separability[[*keys, "separability"]], on=keys, how="left")[
            "separability"
        ]
        parts["separability"] = cut_bins(values, pd.Series(given.item))
    return pd.concat(
        [_shares(given, name, values, settings) for name, values in parts.items()],
        ignore_index=True,
    )


def _shares(
    given: _CodedVerdicts, by: str, values: pd.Series, settings: AgreementSettings
) -> pd.DataFrame:
    is_binned = isinstance(values.dtype, pd.CategoricalDtype)  # from low to high
    code, names = pd.factorize(values, sort=is_binned)
    column = given.group * len(names) + code[given.meetings.unit]
    known = code[given.meetings.unit] >= 0
    met, sides = given.meetings, _sides(given, settings)
    if sides is not None:
        sides = sides._replace(judge_1=sides.judge_1[known], judge_2=sides.judge_2[known])
    found = agreeing.compare(
        column[known],
        given.item[met.unit][known],
        (met.verdict_1[known], met.verdict_2[known]),
        n=len(GROUPS) * len(names),
        sides=sides,
    ).agreement
    rows = pd.DataFrame(
        {
            "by": by,
            "value": np.tile(np.asarray(names, dtype=object), len(GROUPS)),
            "group": np.repeat(GROUPS, len(names)),
            **dict(zip(SHARE, found, strict=True)),
        }
    )
    # Value by value, so that values stand in order whichever groups have verdicts there.
    order = np.arange(len(rows)).reshape(len(GROUPS), -1).T.ravel()
    return rows.iloc[order][rows["verdicts"].iloc[order].to_numpy() > 0]


def _population(
    given: _CodedVerdicts, groups: pd.DataFrame, settings: AgreementSettings
) -> list[str]:
    if groups.empty:
        return []
    over, fewest = _find_interval_unit(groups), JUDGES_TO_TELL
    few = "" if settings.over else f": fewer than {fewest} of a kind say too little about others"
    speaks = f"Intervals hold for {OVER['items']}{few}."
    if over != "items":
        speaks = (
            f"Intervals of alpha, and of groups with {fewest} judges or more, speak of "
            f"{OVER[over]}. Those of single judges speak of these judges only"
            f"{'' if over == 'both' else ', on new items'}."
        )
    return [speaks, *note_few_items(len(np.unique(given.item[given.meetings.unit])))]


def _notes(given: _CodedVerdicts, rows: pd.DataFrame, of: str | None, both_bad: int) -> list[str]:
    notes = []
    if rows.empty:
        notes.append("No two judges have answered the same pair of texts.")
    if of is None:
        notes.append("No alpha: no pair of texts was judged by two judges of the same kind.")
    if both_bad:
        notes.append(f"Answers that both texts are bad ({both_bad:,}) count as ties.")
    split = int((given.frame["verdict"] == CONTRADICTS).sum())
    if split:
        notes.append(
            f"Judges contradict themselves on {pluralize(split, 'pair')}: as many answers for one "
            "text as for the other. They count neither as agreement nor as a tie."
        )
    alone = sorted(set(given.judges["judge"]) - {*rows["judge_1"], *rows["judge_2"]})
    if alone and len(rows):
        notes.append(f"Nobody else judged the pairs of {name_some(alone)}.")
    return notes
