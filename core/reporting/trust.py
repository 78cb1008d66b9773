"""Sections of a report on trust: what was compared, who voted, when, about which pairs, which
checks people passed, and what changes without those who were flagged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import pandas as pd

from ..catalogue import FINDINGS
from ..exporting import hide
from ..findings.judgements import describe
from ..findings.people import Scope
from ..frames import get_schema
from ..labels import KINDS, join_names, pluralize, wording
from ..pairing import STRATEGIES, WAYS, Choice
from ..records import FaultError, Outcome, TandemError, choose_voting_kind
from ..rendering import COUNT, SHARE, Column, Place, declare_rows
from .material import Material
from .sections import Section, build_section, lay_table

HOLDS = {
    name: "texts" if name == "generations" else name
    for name in ("items", "systems", "generations", "attributes", "scores", "judgements")
}
"""What of a data set is counted, and what people call it."""
SIZE = tuple(Column(name, name, COUNT) for name in HOLDS.values())
QUESTIONS = (
    Column("attribute", "attribute"),
    Column("question", "question"),
    Column("guideline", "guideline", place=Place.FILES),
)
ANSWERS = (
    Column("judge", "judge", names_people=True),
    Column("kind", "kind"),
    Column("asked", "asked", COUNT),
    Column("answered", "answered", COUNT),
    Column("unanswered", "unanswered", SHARE, "Of those asked"),
    Column("ties", "ties", SHARE, "Of those answered"),
    Column("pairs", "pairs"),
    Column("when", "when"),
)
CHECKS = {"gold": "gold pairs", "attention": "attention checks"}
ORDER = {name: place for place, name in enumerate(KINDS.values())}
QuestionRows = Annotated[pd.DataFrame, declare_rows(QUESTIONS)]
AnswerShares = Annotated[pd.DataFrame, declare_rows(ANSWERS)]


def report_data(material: Material) -> Iterator[Section]:
    """The data set, its questions, and who compared: when, about which pairs, with how many answers
    left out.
    """
    about, questions, judges = material.dataset_summary, _questions(material), answers(material)
    size = pd.DataFrame([{column: about[of] for of, column in HOLDS.items()}])
    tables = [
        lay_table("data", "What the data set holds.", size, SIZE),
        lay_table("attributes", "What was asked.", questions, QUESTIONS),
    ]
    if len(judges):
        caption = "Who compared, about which pairs, and what has no answer."
        judges = judges.sort_values("kind", key=lambda of: of.map(ORDER), kind="stable")
        tables.insert(0, lay_table("judges", caption, judges, ANSWERS))
    texts = f", {pluralize(about['generations'], 'text')}" * bool(about["generations"])
    further = [
        f"{pluralize(about['systems'], 'system')} on {pluralize(about['items'], 'item')}{texts}.",
        " ".join(questions["question"]),
        *(["Nobody has compared anything yet."] if judges.empty else []),
    ]
    source = [f"Source: {material.source}."] * bool(material.source)
    yield Section("What was compared", "", (), tables, source, further=further)


def _questions(material: Material) -> QuestionRows:
    _, noun = material.store.datasets.nouns(material.dataset)
    every = material.store.datasets.attributes(material.dataset)
    compared = material.attributes or [one.name for one in every]
    rows = [
        {"attribute": one.name, "question": wording(one, noun), "guideline": one.guideline}
        for one in every
        if one.name in compared
    ]
    return get_schema(QuestionRows).make(rows)


def answers(material: Material) -> AnswerShares:
    """Count how often each judge of the report was asked and has answered, when, and by which pairs
    it was asked about.
    """
    outcomes = describe.describe(material.store, material.selection).tables["outcomes"]
    counts = outcomes.groupby("judge", sort=False)[[*Outcome, "failed"]].sum().reset_index()
    answered = counts[list(Outcome)].sum(axis=1)
    asked = answered + counts["failed"]
    kinds = material.judges.drop_duplicates("judge").set_index("judge")["kind"].map(KINDS)
    judges = counts["judge"]
    frame = pd.DataFrame(
        {
            "judge": judges,
            "kind": judges.map(kinds),
            "asked": asked,
            "answered": answered,
            "unanswered": counts["failed"] / asked,
            "ties": counts[[Outcome.TIE.value, Outcome.BOTH_BAD.value]].sum(axis=1) / answered,
            "pairs": judges.map(_describe_pairs(material)),
            "when": judges.map(_find_days(material)),
        }
    )
    return hide(frame, material.pseudonyms, ANSWERS)


def _describe_pairs(material: Material) -> dict[str, str]:
    """Describe how the pairs of each judge were chosen: by campaigns, by runs, or elsewhere."""
    store, chosen = material.store, material.selection
    frame = store.judgement_frames.load_all(
        material.dataset, attribute=chosen.attribute, subset=chosen.subset, systems=chosen.systems
    )
    campaigns = {
        one.id: WAYS[Choice.from_campaign(one).way].label
        for one in store.campaigns.list_all(material.dataset)
    }
    runs = store.runs.load_asking(material.dataset).set_index("run")["strategy"]
    strategies = runs.map({name: one.label for name, one in STRATEGIES.items()})
    ways = frame["campaign"].map(campaigns).astype(object)
    ways = ways.fillna(frame["run"].map(strategies)).fillna("not stored").str.lower()
    by_judge = ways.groupby(frame["judge"])
    return {str(judge): "; ".join(dict.fromkeys(of)) for judge, of in by_judge}


def _find_days(material: Material) -> dict[str, str]:
    """Name the first and last day on which each person voted, or runs asked a model."""
    days = material.store.annotator_stats.days(material.dataset)[["judge", "day"]]
    runs = material.store.runs.list_all(dataset=material.dataset, kind="run")
    asked = [
        runs[["judge", of]].set_axis(["judge", "day"], axis=1)
        for of in ("started_at", "finished_at")
    ]
    rows = pd.concat([days, *asked]).dropna()
    spans = rows["day"].str[:10].groupby(rows["judge"]).agg(["min", "max"])
    return {judge: " to ".join(dict.fromkeys(span)) for judge, *span in spans.itertuples()}


def report_annotators(material: Material) -> Iterator[Section]:
    """Yield a section on how people worked: pace, sides, checks, who is flagged, and what changes
    without them; nothing where nobody has voted.
    """
    kind = choose_voting_kind(material.judges["kind"])
    voters = material.judges.loc[material.judges["kind"] == kind, "judge"].unique()
    if not len(voters):
        return
    declared, chosen = FINDINGS["annotators"], material.get_chosen("annotators")
    judges = tuple(map(str, voters)) if material.selection.judges else ()
    scope = Scope(replace(material.selection, judges=judges))
    named = declared.find(material.store, scope, **declared.make_settings(chosen))
    result = material.hide_names(named)
    rows = result.rows
    checks = [
        f"They passed {rows[f'{role}_passed'].sum():,} of "
        f"{rows[f'{role}_answered'].sum():,} {called}."
        for role, called in CHECKS.items()
        if rows[f"{role}_answered"].any()
    ]
    tables = [lay_table("annotators", "How each annotator judges.", rows, result.columns)]
    section = build_section("annotators", result, tables)
    *notes, basis = section.foot
    unchecked = ["They were given no gold pairs and no attention checks."]
    without = _compare_without_flagged(material, named.rows)
    yield replace(section, further=[*(checks or unchecked), *notes, *without], foot=[basis])


def _compare_without_flagged(material: Material, rows: pd.DataFrame) -> Iterator[str]:
    """Say who leads without the annotators whose votes should be read before they count."""
    rows = rows[~rows["excluded"]]
    flagged = rows["worries"].astype(bool)
    if not flagged.any():
        return
    names = join_names(material.hide_in_sentences(rows.loc[flagged, "annotator"]))
    others = tuple(rows.loc[~flagged, "annotator"])
    if not others:
        yield f"Without {names}, no votes are left."
        return
    try:
        said = FINDINGS["leaderboard"].describe_lead(material.rank(others))
    except FaultError:
        raise
    except TandemError as error:
        [said] = material.hide_in_sentences([f"{error}."])
    yield f"Without {names}: {said}"
