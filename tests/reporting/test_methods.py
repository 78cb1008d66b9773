"""The methods paragraph says how each interval was made, once."""

from __future__ import annotations

import re

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import PlanSettings, plan
from core.reporting import Report, ReportScope, compile_report, prose
from core.reporting.sections import Section
from core.reporting.sentences import action, decision
from core.store import Store
from tests.asking import LONGER
from tests.findings.combine.studies import ITEMS, SYSTEMS, begin, said, voted
from tests.findings.judgements.test_population import begin_voting, run
from tests.sentence_facts import find_sentences, list_figures
from tests.study import DATASET, fill


def test_an_interval_is_named_once_where_only_some_boards_hold_at_every_look(store: Store) -> None:
    """People's votes are still coming in; the baseline has answered all."""
    begin_voting(store)
    run(store, LONGER.spec.name)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    for kind, resolve in (("human", "always"), ("baseline", "together")):
        assert report.document()[f"leaderboard-{kind}"]["resolve"] == resolve
    paragraphs = map(prose.markdown, report.methods.paragraphs)
    [ratings] = find_sentences(paragraphs, "Systems are rated by")
    for words in ("Wilson", "Student", "every look", "95% confidence"):
        assert ratings.count(words) == 1, words


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
    return [part for title in TITLES for part in report.sections if part.title == title]


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
    chosen = {"combine": {"method": "bradley-terry"}, "plan": {"top": 1}}
    report = compile_report(store, ReportScope(mine, chosen=chosen))
    assert report.left_out == {}
    both = combine(store, mine, CombineSettings(method="bradley-terry")).signature
    more = plan(store, mine, PlanSettings(top=1)).signature
    assert [part.signatures for part in list_parts(report)] == [[both], [more]]
    chosen = {"combine": {"people": "nobody"}, "plan": {"top": 1}}
    report = compile_report(store, ReportScope(mine, chosen=chosen))
    assert list(report.left_out) == ["together"]
    assert tuple(part.title for part in list_parts(report)) == TITLES[1:]
    chosen_of = re.findall(r"Chosen of [^.]*: [^:]*?\.(?= )", report.methods.paragraphs[-1])
    assert chosen_of == ["Chosen of plan: top 1."]
