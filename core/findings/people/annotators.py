"""Figures of each annotator: amount, speed, side, and agreement with others, gold and their own
second answers.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...records import Kind, Outcome
from ...statistics import agreement, intervals, misfits
from ...store import Store
from ..judgements.answers import list_comparers
from ..judgements.finding import Finding
from ..judgements.population import average_by, code_families
from ..judgements.selection import Selection, note_item_set, write_signature
from ..judgements.verdicts import count_verdicts, is_order_confounded, orient
from .scope import ANNOTATORS, PeopleVotes, Scope, describe_worries, fill_scope, find_worries, votes

Decisions = Annotated[pd.DataFrame, get_schema(PeopleVotes).extend({float: "prob surprise"})]
SurprisingVotes = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "attribute item chosen context text_a text_b",
            int: "judgement",
            float: "surprise others",
        }
    ),
]

FASTEST = 1000
"""Words a minute. Adults read 238 silently on average (Brysbaert 2019); at twice to three times
that they skim and miss much (Rayner et al. 2016). Nobody reads both texts at 1000."""

FIGURES = ("infit", "usual_low", "usual_high", "outfit", "by_chance", "decisions", "misfit")
CHECKS, PASSED = ("gold", "attention"), ("passed", "answered")
COUNTS = ["timed", "decisions", "shared", "repeated", "days"]
COUNTS += [f"{role}_{name}" for role in CHECKS for name in PASSED]
"""Columns of numbers: 0 of who has none."""


def annotators(store: Store, scope: Scope) -> Finding:
    """A row for each person, in the order of their names: ANNOTATORS.

    Who answers about a pair again has read it, so only first looks can be too fast. Agreement is
    the share of equal verdicts (`core.statistics.is_same_verdict`); who is excluded is nobody's
    other. Second answers count whichever order they came in. infit to misfit are those of
    `core.statistics.misfits`, and `worries` those of `find_worries`.
    """
    scope = fill_scope(store, scope)
    frame = votes(store, scope)
    names = sorted(frame["judge"].unique())
    dataset = scope.selection.dataset
    decided = decisions(frame)
    figures = estimate_misfits(decided, names, scope.selection.seed)
    decisive = _decided_in_known_order(frame)
    parts = [
        frame.groupby("judge")[["excluded"]].first(),
        _amounts(frame),
        _speed(store, frame, dataset),
        _average(decisive, "p_first", decisive["points"], "decisions"),
        _measure_agreement(frame),
        _agreed_with_self(frame),
        _checks(store, scope),
        figures[list(FIGURES)].drop(columns="decisions").set_axis(names),
        _days(store, scope),
    ]
    rows = pd.concat([part.reindex(names) for part in parts], axis=1)
    rows = rows.rename_axis("annotator").reset_index()
    rows[COUNTS] = rows[COUNTS].fillna(0).astype(int)
    rows["worries"] = find_worries(rows, compute_side_p(decided, names))
    return Finding(
        rows,
        write_signature(
            "annotators",
            **scope.signature_values(),
            seed=scope.selection.seed,
        ),
        int(rows["answered"].sum()),
        {"skipped": int(rows["skipped"].sum())} if rows["skipped"].any() else {},
        [*note_item_set(store, scope.selection), *_notes(rows, figures)],
        {"simulated": bool((frame["kind"] == Kind.SIMULATED).all())},
        rows_are="annotators",
        columns=ANNOTATORS,
    )


def flag_annotators(store: Store, dataset: str) -> dict[str, str]:
    """Find the annotators whose votes should be read before they count: name -> the sentence that
    says why. Those who are excluded do not count anyway, and are not among them.
    """
    if Kind.HUMAN not in set(list_comparers(store, dataset)["kind"]):
        return {}
    rows = annotators(store, Scope(Selection(dataset))).rows
    flagged = rows[rows["worries"].astype(bool) & ~rows["excluded"]]
    return {row["annotator"]: describe_worries(row) for row in flagged.to_dict("records")}


def _amounts(frame: pd.DataFrame) -> pd.DataFrame:
    answered = frame["outcome"].notna()
    by = frame.assign(
        answered=answered,
        skipped=~answered,
        ties=(frame["outcome"] == Outcome.TIE).astype(float).where(answered),
        both_bad=(frame["outcome"] == Outcome.BOTH_BAD).astype(float).where(answered),
    ).groupby("judge")
    counts = by[["answered", "skipped"]].sum().astype(int)
    return pd.concat([counts, by[["ties", "both_bad"]].mean(), by["seconds"].median()], axis=1)


def _speed(store: Store, frame: pd.DataFrame, dataset: str) -> pd.DataFrame:
    low, high = (
        np.sort(frame[["generation_a", "generation_b"]].to_numpy(), axis=1)[:, side]
        for side in (0, 1)
    )
    first = frame.assign(low=low, high=high).sort_values("judgement", kind="stable")
    first = first.drop_duplicates(["judge", "low", "high"])
    timed = first[first["seconds"].notna() & first["outcome"].notna()]
    words = store.annotator_stats.words(dataset)
    length = words.reindex(timed["low"]).to_numpy() + words.reindex(timed["high"]).to_numpy()
    known = ~np.isnan(length)
    fast = timed["seconds"].to_numpy() < length / FASTEST * 60
    judge = timed["judge"].to_numpy()[known]
    by = pd.Series(fast[known], dtype=float).groupby(judge)
    return by.agg(["mean", "size"]).set_axis(["too_fast", "timed"], axis=1)


def _average(frame: pd.DataFrame, name: str, values: Any, number: str) -> pd.DataFrame:
    """Average values of each person (the index), a `number` of them."""
    found = average_by(frame, ["judge"], **{name: values}).set_index("judge")
    return found.rename(columns={f"{name}_n": number})


def _decided_in_known_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[(frame["order_known"] == 1) & frame["outcome"].isin((Outcome.A, Outcome.B))]


def compute_side_p(decided: Decisions, names: list[str]) -> list[float]:
    """The p-value of each person's choices of the first side, given the strengths of the systems,
    by item, and given how far the others lean to the same side; NaN where the better system may
    have come first each time.
    """
    rows = _decided_in_known_order(decided).dropna(subset="prob")
    rows = rows.assign(lean=rows["points"] - rows["prob"])
    found = []
    for name in names:
        own, others = rows[rows["judge"] == name], rows[rows["judge"] != name]
        if own.empty or is_order_confounded(own):
            found.append(np.nan)
            continue
        low, high = sorted((0.0, float(own["lean"].mean())))
        usual = 0.0 if others.empty else float(others["lean"].mean())
        away = own["lean"].to_numpy(float) - min(max(usual, low), high)
        points = 0.5 + away / max(2 * np.abs(away).max(), intervals.NOTHING)
        found.append(intervals.score_test_half(points, code_families(own)))
    return found


def _measure_agreement(frame: pd.DataFrame) -> pd.DataFrame:
    given = count_verdicts(frame[frame["outcome"].notna()])
    judge, names = pd.factorize(given["judge"], sort=True)
    met = agreement.meetings(judge, given["unit"].to_numpy(), given["verdict"].to_numpy())
    family = given.drop_duplicates("unit").set_index("unit")["family"]
    out = names.isin(frame.loc[frame["excluded"], "judge"])
    same = agreement.is_same_verdict(met.verdict_1, met.verdict_2)
    pairs = pd.DataFrame({"family": family.reindex(met.unit).to_numpy(), "same": same})
    sides = [
        pairs.assign(judge=names[own])[~out[other]]
        for own, other in ((met.judge_1, met.judge_2), (met.judge_2, met.judge_1))
    ]
    both = pd.concat(sides)
    return _average(both, "agreement", both["same"], "shared")


def _agreed_with_self(frame: pd.DataFrame) -> pd.DataFrame:
    rows = orient(frame[frame["outcome"].notna()])
    rows = rows.assign(verdict=np.sign(rows["points_1"] - 0.5))
    key = ["judge", "attribute", "candidate_1", "candidate_2"]
    first = rows[rows["trial"] == 0].drop_duplicates(key)[[*key, "verdict"]]
    again = rows[rows["trial"] > 0].merge(first, on=key, suffixes=("", "_first"))
    same = again["verdict"] == again["verdict_first"]
    return _average(again, "self_agreement", same, "repeated")


def _checks(store: Store, scope: Scope) -> pd.DataFrame:
    found = store.annotator_stats.checks(scope.selection.dataset, scope.campaign)
    of_roles = {role: found[found["role"] == role].set_index("judge") for role in CHECKS}
    return pd.DataFrame(
        {f"{role}_{name}": of[name] for role, of in of_roles.items() for name in PASSED}
    )


def _days(store: Store, scope: Scope) -> pd.DataFrame:
    days = store.annotator_stats.days(scope.selection.dataset, scope.campaign).groupby("judge")
    return days.agg(
        first_at=("first_at", "min"),
        last_at=("last_at", "max"),
        days=("day", "size"),
        per_day=("answers", "mean"),
    )


def _notes(rows: pd.DataFrame, figures: pd.DataFrame) -> list[str]:
    notes = []
    for row in rows[rows["worries"].astype(bool)].to_dict("records"):
        notes.append(describe_worries(row))
    blind = int((~figures["tells"] & ~figures["misfit"]).sum())
    if blind:
        notes.append(
            f"Votes could not yet tell {blind} of {len(rows)} people from coin tosses. It takes "
            f"{misfits.LEAST} decisions or more on pairs that others decide too, and systems that "
            "differ."
        )
    if (rows["timed"] == 0).all():
        notes.append("Nobody's answers have times, so none can be too fast.")
    out = rows.loc[rows["excluded"], "annotator"].tolist()
    if out:
        notes.append(f"Left out of statistics: {', '.join(out)}.")
    return notes


def decisions(frame: pd.DataFrame) -> Decisions:
    """The decisive judgements of a frame with `prob`, Bradley-Terry's probability that the first of
    their two texts is preferred, and `surprise`, the standardised residual of what was: 2 and more
    is rare. Strengths are those of an attribute, from the decisions of who is not `excluded`.
    """
    rows = frame[frame["outcome"].isin((Outcome.A, Outcome.B))]
    prob = pd.Series(np.nan, index=rows.index)
    for _, of in rows.groupby("attribute", sort=False):
        names = np.array(sorted({*of["system_a"], *of["system_b"]}))
        first, second = (
            np.searchsorted(names, of[side].to_numpy()) for side in ("system_a", "system_b")
        )
        prob[of.index] = misfits.expected_points(
            first,
            second,
            of["points"].to_numpy(float),
            n=len(names),
            fitted=~of["excluded"].to_numpy(bool),
        )
    surprise = np.abs(rows["points"] - prob) / np.sqrt(prob * (1 - prob))
    return rows.assign(prob=prob, surprise=surprise)


def estimate_misfits(rows: pd.DataFrame, judges: list[str], seed: int) -> pd.DataFrame:
    """FIGURES of each of these judges, from their first `decisions` about pairs that others decided
    as well; see `core.statistics.misfits`.
    """
    pair = ["attribute", "candidate_1", "candidate_2"]
    rows = orient(rows).sort_values("trial", kind="stable").drop_duplicates(["judge", *pair])
    counts = ~rows["excluded"]
    said = rows.assign(votes=counts.astype(int), wins=rows["points_1"] * counts)
    votes, wins = (
        said.groupby(pair)[name].transform("sum") - said[name] for name in ("votes", "wins")
    )
    found = misfits.misfit(
        pd.Index(judges).get_indexer(pd.Index(rows["judge"])),
        rows["points_1"].to_numpy(float),
        np.where(rows["turned"], 1 - rows["prob"], rows["prob"]),
        (wins / votes.clip(1)).to_numpy(float),
        votes.to_numpy(np.int64),
        code_families(rows),
        n=len(judges),
        rng=np.random.default_rng(seed),
    )
    values = {name: getattr(found, name) for name in FIGURES if name != "misfit"}
    return pd.DataFrame({**values, "misfit": found.stands_out, "tells": found.is_informative})


def list_surprising_votes(
    store: Store, rows: pd.DataFrame, judge: str, *, most: int = 50
) -> SurprisingVotes:
    """A person's votes that surprise most: BEHIND, with judgement, surprise, context, text_a and
    text_b; not whose texts they are.
    """
    own = rows[rows["judge"] == judge].dropna(subset="surprise")
    first = own.sort_values("surprise", ascending=False, kind="stable").head(most)
    others = np.where(first["points"] == 1, first["prob"], 1 - first["prob"])
    shown = first[["judgement", "attribute", "item", "surprise"]].assign(
        chosen=first["outcome"].astype(str), others=others
    )
    texts = store.judgement_frames.texts(first["judgement"])
    return shown.merge(texts[["judgement", "context", "text_a", "text_b"]], on="judgement")
