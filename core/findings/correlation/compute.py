"""Correlate ratings or scores with people's scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import pandas as pd

from ...frames import get_schema
from ...labels import describe_left_out
from ...records import Kind, TandemError, option_ref
from ...rendering import declare_rows, list_names
from ...settings import sign_settings
from ...statistics import system_level
from ...store import Store
from ..judgements.answers import (
    TextScores,
    average_marks,
    average_rater_marks,
    count_unscored,
    load_marks,
    load_rater_marks,
    select_judgements,
    turn_marks,
)
from ..judgements.finding import Finding
from ..judgements.judges import add_judge_info, group_prompts
from ..judgements.provenance import describe_pooled, describe_simulated
from ..judgements.selection import (
    Selection,
    check_selection,
    name_some,
    selection_notes,
    write_signature,
)
from ..leaderboard import RankSettings, add_outcomes, candidates, make_resampler, rank_among
from .columns import DIFFERENCES, Reference, declare_averages, declare_columns, find_own
from .figures import (
    CorrelationFigures,
    PredictedValues,
    average_figures,
    bound_difference,
    compute_ceilings,
    correlate_values,
    describe_constant,
    rate_by_wins,
    shorten_name,
)

CorrelationAverages = Annotated[pd.DataFrame, declare_rows(declare_averages("item"))]
CorrelationDifferences = Annotated[pd.DataFrame, declare_rows(DIFFERENCES)]

TABLED = ("win-ratio", "average-probability")  # ratings that cost nothing for many judges at once


def correlate(
    store: Store,
    selection: Selection,
    reference: Reference,
    *,
    scores: str = "",
    settings: RankSettings | None = None,
) -> Finding:
    """Correlate the scores of a rater, or ratings from comparisons, with another rater's scores.

    One row per attribute, with the columns that `core.findings.correlation.columns` declares.
    `level` item: within each item, then averaged; system: over the systems' means; pool: over all
    texts. With `scores` no judgements are used, else those of items that have the scores to follow.
    """
    check_selection(store, selection)
    reference = reference.fill_rater(store, selection.dataset)
    truth = average_rater_marks(store, selection, reference.against)
    _check_bases(reference, truth["system"].unique().tolist())
    unanswered: Mapping[str, int] = count_unscored(store, selection, scores) if scores else {}
    used, notes, rows = 0, [], []
    highest = compute_ceilings(store, selection, reference)
    for attribute in truth["attribute"].unique():
        of_attribute = truth[truth["attribute"] == attribute]
        one = replace(selection, attribute=attribute, items=tuple(of_attribute["item"].unique()))
        if scores:
            values = average_rater_marks(store, selection, scores)
            predicted = PredictedValues(
                values.loc[values["attribute"] == attribute, ["generation", "value"]]
            )
        else:
            try:
                how = settings or RankSettings()
                result, predicted = _rate_texts(store, one, how, reference.level, truth)
            except TandemError as error:
                if selection.attribute:
                    raise
                notes.append(f"{attribute}: {error}")
                continue
            used += result.judgements
            unanswered = Counter(unanswered) + Counter(result.unanswered)
            notes += [f"{attribute}: {note}" for note in result.notes]
        found = correlate_values(of_attribute, predicted, reference, selection.seed)
        rows.append({"attribute": attribute, **found.figures, **highest.loc[attribute].to_dict()})
        who = scores or result.facts["method"]
        alike = describe_constant(found.figures, who, reference.constant)
        notes += [f"{attribute}: {alike}"] if alike else []
    if not rows:
        raise TandemError(
            notes[0]
            if notes
            else f"{scores!r} and {reference.against!r} have no attribute in common"
        )
    notes += _describe_intervals(reference.level, rows)
    return Finding(
        pd.DataFrame(rows),
        write_signature(
            "correlation",
            **({"of": scores} if scores else _sign_settings(settings or RankSettings())),
            **_sign(selection, reference, "" if scores else Kind.HUMAN.value),
        ),
        used,
        unanswered,
        notes,
        {**_name_level(reference), **(rows[0] if len(rows) == 1 else dict.fromkeys(rows[0]))},
        columns=declare_columns(reference.level),
    )


@dataclass
class _CorrelationRows:
    marks: pd.DataFrame  # of each rater that is held against
    own: Mapping[str, Sequence[str]]  # those of them that are a judge itself
    reference: Reference
    seed: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    correlated: list[CorrelationFigures] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    given: list[pd.DataFrame] = field(default_factory=list)  # the answers, by judge and kind
    unanswered: Counter[str] = field(default_factory=Counter)
    left_out: int = 0  # judgements of items without scores

    @cached_property
    def truth(self) -> TextScores:
        """The mean of all marks of each text."""
        return average_marks(self.marks)

    def truth_for(self, judge: str, attribute: str) -> TextScores:
        """Return the scores that a judge is compared with, without those it helped to make."""
        others = ~self.marks["rater"].isin(self.own.get(judge, ()))
        truth = (
            average_marks(self.marks[others]) if others.any() and not others.all() else self.truth
        )
        return truth[truth["attribute"] == attribute]

    def add_judge(self, judge: str, attribute: str, frame: pd.DataFrame, how: RankSettings) -> None:
        """Add one judge by its comparisons, with their `points`."""
        truth = self.truth_for(judge, attribute)
        given = frame[frame["item"].isin(truth["item"])]
        self.left_out += len(frame) - len(given)
        if given.empty:
            return
        self.notes += [note for note in describe_pooled(given) if note not in self.notes]
        self.given.append(given[["judge", "kind"]])
        failed = given["points"].isna()
        self.unanswered.update(given.loc[failed, "failure"])
        try:
            taken = add_outcomes(given[~failed], how).frame
        except TandemError as error:
            self.notes.append(f"{judge}, {attribute}: {error}")
            return
        ratings = rate_by_wins(taken, truth, self.reference.level)
        found = correlate_values(truth, ratings, self.reference, self.seed)
        about = {"judge": judge, "attribute": attribute, "of": how.method}
        self._add(found, about, int(taken["judgements"].sum()), int(failed.sum()))

    def add_rater(self, rater: str, attribute: str, marks: pd.DataFrame) -> None:
        """Add one rater by the mean of its marks of each text."""
        truth = self.truth[self.truth["attribute"] == attribute]
        values = marks.groupby("generation", sort=False)["value"].mean().dropna().reset_index()
        if truth.empty or values.empty:
            return
        failed = marks.loc[marks["value"].isna(), "failure"]
        self.unanswered.update(failed)
        found = correlate_values(truth, PredictedValues(values), self.reference, self.seed)
        self._add(found, {"judge": rater, "attribute": attribute, "of": "scores"}, 0, len(failed))

    def _add(
        self, found: CorrelationFigures, about: dict[str, str], judgements: int, unanswered: int
    ) -> None:
        self.rows.append(
            {**about, **found.figures, "judgements": judgements, "unanswered": unanswered}
        )
        self.correlated.append(found)


def correlate_all(
    store: Store,
    selection: Selection,
    reference: Reference,
    *,
    settings: RankSettings | None = None,
) -> Finding:
    """Correlate all judges and raters with the scores of one rater, as in Liusie et al. (2023),
    tables 1-4: one row per judge and attribute.

    Table `averages`: of the models asked in one way with several prompts, the mean of their
    correlations (not the correlation of their means) with its interval over the same resamples.
    Table `differences`: how far the judge of the greatest Spearman correlation is ahead.
    """
    how = settings or RankSettings()
    how = how if how.method else replace(how, method=TABLED[0])
    check_selection(store, selection)
    if how.method not in TABLED:
        raise TandemError(
            f"unknown {option_ref('table')} {how.method!r}; there are {', '.join(TABLED)}; "
            "others judge by judge"
        )
    reference = reference.fill_rater(store, selection.dataset)
    against, level = reference.against, reference.level
    marks = load_rater_marks(store, selection, against)
    _check_bases(reference, marks["system"].unique().tolist())
    given = pd.DataFrame(columns=["judge", "attribute"])
    if not store.judgement_frames.judges(selection.dataset).empty:
        everybody = replace(selection, judges=selection.judges or tuple(Kind))
        given, _ = select_judgements(store, everybody)
        # What is derived from marks is held against others as marks
        given = given[given["judgement"] >= 0]
    own = find_own(store, given["judge"].unique().tolist(), marks["rater"].unique().tolist())
    rows = _CorrelationRows(marks, own, reference, selection.seed)
    for (judge, attribute), frame in given.groupby(["judge", "attribute"], sort=False):
        rows.add_judge(str(judge), str(attribute), frame, how)
    others = turn_marks(load_marks(store, selection))
    others = others[(others[["rater", "panel", "kind"]] != against).all(axis=1)]
    for (rater, attribute), frame in others.groupby(["rater", "attribute"], sort=False):
        rows.add_rater(str(rater), str(attribute), frame)
    if not rows.rows:
        nothing = (
            f"nothing to hold against the scores by {against!r}: let judges compare these "
            "texts, or score them"
        )
        raise TandemError(rows.notes[0] if rows.notes else nothing)
    rows.notes += describe_simulated(pd.concat(rows.given)) if rows.given else []
    rows.notes += _describe_own(own, marks["rater"].nunique())
    if rows.left_out:
        rows.notes.append(
            f"{describe_left_out(rows.left_out, 'judgement')}: no score of the item by {against!r}."
        )
    highest = compute_ceilings(store, selection, reference)
    found = add_judge_info(store, pd.DataFrame(rows.rows)).join(highest, on="attribute")
    found = found.reindex(columns=list_names(declare_columns(level)))
    rows.notes += [
        *selection_notes(store, selection),
        *_describe_intervals(level, rows.rows),
        *_describe_constants(rows.rows, reference),
    ]
    return Finding(
        found,
        write_signature(
            "correlations", **_sign_settings(how), **_sign(selection, reference, "all")
        ),
        int(found["judgements"].sum()),
        dict(rows.unanswered),
        rows.notes,
        {**_name_level(reference), "against": against},
        {
            "averages": _average_prompts(store, found, rows.correlated),
            "differences": _compare_judges(found, rows.correlated),
        },
        columns=declare_columns(level),
        table_columns={"averages": declare_averages(level), "differences": DIFFERENCES},
        picture="correlation",
    )


def _check_bases(reference: Reference, systems: Sequence[str]) -> None:
    for word in reference.bases:
        if not any(shorten_name(name).startswith(word.casefold()) for name in systems):
            raise TandemError(
                f"no system's name begins with {option_ref('bases')} {word!r}; there are "
                f"{name_some(systems)}"
            )


def _describe_own(own: Mapping[str, Sequence[str]], raters: int) -> list[str]:
    alone = [judge for judge, mine in own.items() if len(mine) == raters]
    beside = [judge for judge in own if judge not in alone]
    left_out = "What a judge has scored itself is left out of what it is held against"
    return [
        *([f"{left_out}: {name_some(beside)}."] if beside else []),
        *([f"Held against nothing but its own scores: {name_some(alone)}."] if alone else []),
    ]


def _describe_intervals(level: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if level != "system":
        return []
    notes: list[str] = []
    fewest = min(rows, key=lambda row: float(row["bases"]))
    n, bases = int(fewest["n"]), float(fewest["bases"])
    if max(row["bases"] for row in rows) >= system_level.FEWEST:
        notes.append(
            "Intervals between systems are for other systems like these on other items, in any "
            "number."
        )
    worth = f" that count as {bases:.1f}" if bases < n else ""
    if bases < system_level.FEWEST:
        least = system_level.FEWEST
        notes.append(f"Between {n} systems{worth} a correlation has no interval: it takes {least}.")
    if worth:
        notes.append(
            f"Systems whose names begin alike are taken for relatives: {n} count as {bases:.1f}. "
            "Name the bases where that is wrong."
        )
    return notes


def _describe_constants(rows: Sequence[Mapping[str, Any]], reference: Reference) -> list[str]:
    named = [(row, f"{row['judge']} ({row['attribute']})") for row in rows]
    noted = [(row, describe_constant(row, who, reference.constant)) for row, who in named]
    told = [(row, note) for row, note in noted if note]
    if not told:
        return []
    _, most = max(told, key=lambda one: one[0]["constant_items"] / (one[0]["items"] or 1))
    others = len(told) - 1
    return [most + (f" {others:,} more rows have such items." if others else "")]


def _sign_settings(how: RankSettings) -> dict[str, object]:
    """Return the signature values of the ratings. They have no intervals here."""
    besides = ["method", "bootstrap", "over", "resolve", *(["ties"] if how.ties == "half" else [])]
    return {
        "of": how.method or "suited",
        **sign_settings(how, *besides, method=how.rating_method.name),
    }


def _sign(selection: Selection, reference: Reference, judges: str) -> dict[str, object]:
    """Return the other signature values. `judges` applies if none were chosen; '' if they play no
    part.
    """
    signed, constant = selection.signature_values(judges), _name_level(reference)["constant"]
    return {
        "against": reference.against,
        "level": reference.level,
        "constant": constant if constant != "drop" else None,
        **(signed if judges else signed | {"judges": ""}),
        "bases": "+".join(reference.bases) or None,
        "boot": reference.bootstrap,
        "seed": selection.seed,
    }


def _name_level(reference: Reference) -> dict[str, Any]:
    constant = reference.constant if reference.level == "item" else None
    return {"level": reference.level, "constant": constant}


def _average_prompts(
    store: Store, found: pd.DataFrame, correlated: list[CorrelationFigures]
) -> CorrelationAverages:
    """The means over each model's prompts; a prompt under which nothing could be correlated is not
    in them.
    """
    rows = []
    for names, of_model in group_prompts(
        store, found[found["spearman"].notna()], ["of", "attribute"]
    ):
        means = average_figures([correlated[place] for place in of_model.index])
        counted = {"prompts": len(of_model), "n": int(of_model["n"].min())}
        sums = {name: int(of_model[name].sum()) for name in ("judgements", "unanswered")}
        rows.append({**names, **means, **counted, **sums})
    return get_schema(CorrelationAverages).make(rows)


def _compare_judges(
    found: pd.DataFrame, correlated: list[CorrelationFigures]
) -> CorrelationDifferences:
    """Compute the lead in Spearman correlation of the best judge on an attribute over each other
    judge. Resamples of items are shared by both. The best was selected as such, so intervals are
    simultaneous over all pairs of judges. Level system has no intervals.
    """
    judges, values = found["judge"].tolist(), found["spearman"].tolist()
    rows = []
    for attribute, of in found[found["spearman"].notna()].groupby("attribute", sort=False):
        places = [int(place) for place in of.index.to_numpy()]
        first = max(places, key=values.__getitem__)
        for other in places:
            if other == first:
                continue
            one, two = correlated[first], correlated[other]
            low, high = bound_difference(one, two, len(places))
            least = min(one.figures["items"], two.figures["items"])
            names = (judges[first], judges[other])
            rows.append((attribute, *names, least, values[first] - values[other], low, high))
    return get_schema(CorrelationDifferences).make(rows)


def _rate_texts(
    store: Store, selection: Selection, settings: RankSettings, level: str, truth: pd.DataFrame
) -> tuple[Finding, PredictedValues]:
    if level != "system":
        result = candidates(store, selection, settings)
        return result, PredictedValues(
            result.rows[["generation", "rating"]].rename(columns={"rating": "value"})
        )
    result = rank_among(store, selection, replace(settings, bootstrap=0), 1)
    of_system = result.rows.set_index("system")["rating"]
    texts = truth.loc[truth["attribute"] == selection.attribute, ["generation", "system"]]
    values = pd.DataFrame(
        {"generation": texts["generation"], "value": texts["system"].map(of_system)}
    )
    return result, PredictedValues(values, make_resampler(store, selection, settings))
