"""The methods paragraph says how each interval was made, once."""

from __future__ import annotations

from core import campaigns
from core.findings.judgements import Selection
from core.pairing import open_default, planning
from core.reporting import ReportScope, compile_report, prose
from core.runs import execution
from core.store import Store
from tests.asking import LONGER
from tests.findings.judgements.test_collecting import vote
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
