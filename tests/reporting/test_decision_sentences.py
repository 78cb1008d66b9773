"""The audit log in words."""

from __future__ import annotations

from core.reporting.sentences import action, decision


def test_details_are_words_and_actions_are_verbs() -> None:
    for details, said in (
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
        assert decision(details) == said
    assert action("export") == "exported"
    written = "deleted the data set"
    assert action(written) == written
