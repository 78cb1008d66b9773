"""The overview: what a data set holds, who leads, what to do next, and what is worth reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import NamedTuple

import streamlit as st

from core.access import Right
from core.campaigns import open_campaigns, read_request
from core.contents import Holding, describe_holding, describe_study, read_holding
from core.findings.agreement import describe_agreement
from core.findings.bias import describe_position
from core.findings.drift import describe_drift
from core.findings.judgements import Finding, Selection, describe_families, find_rest_campaigns
from core.findings.leaderboard import RankSettings, choose_first_board, headline
from core.labels import isolate_directions, shorten_judges
from core.pairing import Choice
from core.records import Kind
from pages.components.leaderboard.boards import compute as rate
from pages.components.leaderboard.boards import draw_ratings, show_verdict
from pages.components.shared.finding import compute
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import show_caption, show_faults, show_headline

MOST_STEPS = 5


class NextStep(NamedTuple):
    """A page, what one does there, and why."""

    page: str
    label: str
    why: str


def next_steps(held: Holding) -> list[NextStep]:
    """Return the fitting next steps, most important first, ending with importing one's own data."""
    invite = NextStep("people", "Invite people", "Give each annotator a link of their own.")
    fitting = [
        *_suggest_imports(held), *_suggest_asking(held),
        *([invite] if held.owned and held.wanted else []), *_suggest_analyses(held),
    ]  # fmt: skip
    own = NextStep("data", "Your own data", "Import texts, votes or scores from a file.")
    return [*fitting[: MOST_STEPS - 1], own]


def _suggest_imports(held: Holding) -> Iterator[NextStep]:
    if not held.texts and (held.answers or held.scores):
        why = "Votes are here without their texts. With them, people and judges can answer more."
        yield NextStep("data", "Import the texts", why)
    elif not held.texts:
        yield NextStep("data", "Import texts", "Nothing is here to compare yet.")
    elif not held.is_comparable:
        why = "Comparing takes texts by two systems. Import them, or let a model write."
        yield NextStep("data", "Add a second system", why)


def _suggest_asking(held: Holding) -> Iterator[NextStep]:
    if not held.is_comparable:
        return
    if held.wanted:
        yield NextStep("annotate", "Annotate", "Read two texts, and press a key.")
    another = "Another judge" if held.by_models else "Run a judge"
    yield NextStep("judge", another, "Let a model or a rule answer the same questions.")
    if not held.wanted:
        why = "Every pair has its votes." if held.campaigns else "No campaign is open."
        yield NextStep("campaigns", "Ask people more", f"{why} Begin another campaign.")


def _suggest_analyses(held: Holding) -> Iterator[NextStep]:
    if (held.by_people or held.by_simulated) and held.by_models:
        yield NextStep("agreement", "Agreement", "See how far judges answer as people do.")
    elif held.people > 1:
        yield NextStep("agreement", "Agreement", "See how far people answer alike.")
    if held.by_models:
        yield NextStep("bias", "Bias", "See whether judges favour a position or a length.")
    if held.scores and held.answers:
        yield NextStep("correlation", "Correlation", "Hold rankings against the scores.")
    if held.sampled:
        yield NextStep("separability", "Separability", "See which items tell systems apart.")


def show_question(study: Study, held: Holding) -> None:
    """Say in a line what is compared."""
    if asked := describe_study(study.store, study.dataset, held):
        show_caption(asked)


def show_summary(study: Study, held: Holding) -> None:
    """Show the data collected, judges' agreement and the largest position bias side by side."""
    shared, about = _read_share(study)
    said = {
        "Collected so far": (describe_data(study, held), ("data", "Browse the texts")),
        "Agreement": (_read_agreement(study), ("agreement", "See who agrees")),
        "Position bias": (_read_bias(study), ("bias", "See all biases")),
        "Shared work": (shared, ("share", "See who answers")),
        "Changed": (_read_drift(study), ("judge", "Ask it again")),
    }
    st.space("small")
    there = {title: fact for title, fact in said.items() if fact[0]}
    for column, (title, (sentence, way)) in zip(
        st.columns(len(there), gap="large"), there.items(), strict=True
    ):
        with column:
            fact = escape(isolate_directions(shorten_judges(sentence)))
            st.html(f'<p class="tandem-fact"><b>{escape(title)}</b><br>{fact}</p>')
            link_to(*way, **(about if way[0] == "share" else {}))


def describe_data(study: Study, held: Holding) -> str:
    """Describe the contents of a data set, and its repeated items."""
    families = describe_families(study.store, study.dataset, "found")
    return " ".join([describe_holding(held), *families])


def _read_agreement(study: Study) -> str:
    with show_faults():
        result = compute(study, "agreement", Selection(study.dataset), otherwise="")
        return describe_agreement(result) if result and len(result.rows) else ""
    return ""


def _read_bias(study: Study) -> str:
    with show_faults():
        result = compute(study, "bias", Selection(study.dataset), otherwise="")
        if result and not result.rows["kind"].isin([Kind.HUMAN, Kind.SIMULATED]).all():
            return describe_position(result)
    return ""


def _read_share(study: Study) -> tuple[str, dict[str, str]]:
    """Describe who answers, and how much is left, with the choices by which Share says so."""
    for campaign in find_rest_campaigns(study.store, study.dataset)[:1]:
        choice = Choice.from_campaign(campaign)
        result = compute(study, "share", *read_request(choice), otherwise="")
        names = ["accept_error", *(["judges"] if choice.judges else [])]
        about = {name: json.dumps(getattr(choice, name)) for name in names}
        about["confidence"] = json.dumps(choice.certainty)
        about |= {"attribute": choice.attributes[0], "signal": choice.signal}
        return (" ".join(result.facts["sentences"][:2]) if result else ""), about
    return "", {}


def _read_drift(study: Study) -> str:
    if not (study.store.runs.load_asking(study.dataset)["trial"] > 0).any():
        return ""
    result = compute(study, "drift", Selection(study.dataset), otherwise="")
    changed = result.rows[result.rows["changed"]] if result else None
    return "" if changed is None else " ".join(describe_drift(changed))


def read_contents(study: Study) -> Holding:
    """Read the counts that the sentences and next steps depend on."""
    campaigns = open_campaigns(study.store, study.dataset)
    sizes = [study.store.campaigns.size(campaign.id) for campaign in campaigns]
    return replace(
        read_holding(study.store, study.dataset),
        campaigns=len(campaigns),
        wanted=sum(max(size["wanted"] - size["given"], 0) for size in sizes),
        owned=study.may(Right.PEOPLE),
    )


def show_next_step(held: Holding) -> None:
    """Show the best next step with its reason, and the others as quiet links."""
    first, *others = next_steps(held)
    show_caption(first.why)
    link_to(first.page, first.label)
    with st.container(horizontal=True, key="tandem-others"):
        for step in others:
            link_to(step.page, step.label)


MOST = 8  # systems in the picture


def rate_systems(study: Study) -> Finding | None:
    """Return the leaderboard that a reader sees first; None without comparers, or until counted."""
    first = choose_first_board(study.store, Selection(study.dataset))
    if not first.judges:
        return None
    with show_faults():
        return rate(study, first, RankSettings(), otherwise="") or None
    return None


def has_leader(result: Finding | None) -> bool:
    """Check whether a leaderboard is large enough to name a leader, and so to be drawn."""
    return bool(result and headline.find_leaders(result))


def show_result(result: Finding | None, otherwise: str) -> None:
    """Show who leads, or the sentence `otherwise` if nobody has compared yet."""
    if result:
        show_verdict([result])
    if not result:
        show_headline(otherwise)
    elif result.facts["verdict_is_own"] or has_leader(result):
        show_headline(headline.headline(result))


def draw_result(result: Finding) -> None:
    """Draw the first systems as a chart, and link to the rest."""
    rows = result.rows.dropna(subset="rating").head(MOST)
    draw_ratings("overview", result, rows)
    more = len(result.rows) - len(rows)
    if more > 0:
        show_caption(f"The first {MOST} of {len(result.rows)} systems.")
