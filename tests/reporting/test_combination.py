"""The parts of a report about people and judges together."""

from __future__ import annotations

import re

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import PlanSettings, plan
from core.reporting import Report, ReportScope, compile_report
from core.reporting.sections import Section
from core.store import Store
from tests.findings.combine.studies import ITEMS, SYSTEMS, begin, said, voted
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill

TITLES = ("People and judges together", "How many more votes")


def list_parts(report: Report) -> list[Section]:
    """The sections with these titles, in their order."""
    return sorted(
        (section for section in report.sections if section.title in TITLES),
        key=lambda section: TITLES.index(section.title),
    )


def test_a_report_says_what_the_commands_say(store: Store) -> None:
    begin(store)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    parts = list_parts(report)
    assert tuple(part.title for part in parts) == TITLES
    assert report.left_out == {}
    both = combine(store, Selection(DATASET), CombineSettings())
    assert parts[0].lead == " ".join(both.facts["sentences"])
    assert parts[0].signatures == [both.signature]
    assert [len(part.pictures) for part in parts] == [1, 1]
    assert parts[1].lead == " ".join(
        plan(store, Selection(DATASET), PlanSettings()).facts["sentences"]
    )


def test_too_few_votes_are_a_reason_and_without_votes_there_is_no_such_part(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    assert list_parts(report) == []
    voted(store, items=4)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    assert 10 in list_figures(report.left_out["together"])


def test_settings_of_each_part_are_chosen_and_each_fails_alone(store: Store) -> None:
    """Those of one part are not those of another, and whose votes count is still the report's."""
    begin(store)
    mine = Selection(DATASET)
    chosen = {"combine": {"method": "bradley-terry"}, "plan": {"level": 0.8}}
    report = compile_report(store, ReportScope(mine, chosen=chosen))
    assert report.left_out == {}
    found = [
        combine(store, mine, CombineSettings(method="bradley-terry")),
        plan(store, mine, PlanSettings(level=0.8)),
    ]
    signatures = [part.signatures for part in list_parts(report)]
    assert signatures == [[one.signature] for one in found]
    chosen = {"combine": {"people": "nobody"}, "plan": {"level": 0.8}}
    report = compile_report(store, ReportScope(mine, chosen=chosen))
    assert list(report.left_out) == ["together"]
    assert tuple(part.title for part in list_parts(report)) == TITLES[1:]
    assert re.findall(r"Chosen of [^.]*: [^:]*?\.(?= )", report.methods.paragraphs[-1]) == [
        "Chosen of plan: level 0.8."
    ]
