"""The methods paragraph says how each interval was made, once."""

from __future__ import annotations

import re

from core import campaigns
from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import PlanSettings, plan
from core.pairing import open_default, planning
from core.reporting import Report, ReportScope, compile_report, prose
from core.reporting.sections import Section
from core.reporting.sentences import action, decision
from core.runs import execution
from core.store import Store
from tests.asking import LONGER
from tests.findings.combine.studies import ITEMS, SYSTEMS, begin, said, voted
from tests.findings.judgements.test_population import vote
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill


def test_an_interval_is_named_once_where_only_some_boards_hold_at_every_look(store: Store) -> None:
    """People's votes are still coming in; the baseline has answered all."""
    fill(store, items=8)
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    vote(store, 12)
    run = planning.enqueue(store, LONGER.spec, planning.Request(DATASET))
    execution.execute(store, run)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    boards = {
        name: board["resolve"]
        for name, board in report.document().items()
        if name in ("leaderboard-human", "leaderboard-baseline")
    }
    assert boards == {"leaderboard-human": "always", "leaderboard-baseline": "together"}
    [ratings] = [
        prose.markdown(paragraph)
        for paragraph in report.methods.paragraphs
        if "Systems are rated by" in prose.markdown(paragraph)
    ]
    assert (ratings.count("Wilson"), ratings.count("Student")) == (1, 1)
    assert ratings.count("every look") == 1
    assert ratings.count("95% confidence") == 1


# ---- The audit log in words


def test_details_are_words_and_actions_are_verbs() -> None:
    for details, words in (
        ({"what": "judgements", "names": "with names"}, "judgements, with people's names"),
        ({"what": "generations"}, "texts"),
        ({"role": "annotator", "campaign": "", "until": "2026-12-22"}, "as annotator, until 2026-12-22"),
        ({"role": "owner", "email": ""}, "as owner"),
        ({"before": "", "now": "ada@example.org"}, "none → ada@example.org"),
        ({"links": 2}, "links: 2"),
        ({"dataset": "news", "reason": "too {quick}"}, "in news, because: too {quick}"),
        ({"before": "/s/a-before.sqlite3", "votes": 0, "answers": 12},
         "as it was before: /s/a-before.sqlite3, answers: 12"),
        ({"attribute": "q", "before": {"question": "Old?"}, "now": {"question": "New?"}, "answers": 3},
         "question: Old? → New?, q, answers: 3"),
    ):  # fmt: skip
        assert decision(details) == words
    assert action("export") == "exported"
    written = "deleted the data set"
    assert action(written) == written


# ---- The parts of a report about people and judges together


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
