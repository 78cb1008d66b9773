"""A trial's answers in lines: the part that was read is marked, a failure says what to do."""

from __future__ import annotations

import json
from typing import Any

from core.cli.respondent_options import RespondentRequest
from core.cli.trial_lines import REPLY_SHOWN, answer_line, explain_failure, reply_line
from core.failures import FAILURES
from core.judging import StoredReply
from core.models import Options
from core.records import render_options
from core.settings import list_settings


def answered(**raw: Any) -> dict[str, Any]:
    return {"attribute": "coherence", "failure": "", "outcome": "b", "prob_a": None, "tokens": 90,
            "seconds": 0.25, "raw": json.dumps(raw)}  # fmt: skip


def test_the_read_part_the_form_and_the_effort() -> None:
    line = answer_line(
        answered(text="Verdict: Summary B", read=[[9, 18]], kept_by="json_schema")
        | {"prob_a": 0.25}
    )
    verdict, read, kept_by, effort = line.split(" | ")
    assert (verdict, read) == ("coherence: b (p 0.250)", "Verdict: «Summary B»")
    assert kept_by.split()[-1] == "json_schema"
    assert effort == "90 tokens in 0.25 s"


def test_a_failure_shows_its_reply_why_and_the_option_that_helps() -> None:
    failed = answered(text="Well\x1b[31m", detail="it ends while thinking")
    line = answer_line(failed | {"failure": "cut-off", "outcome": None})
    assert "--max-tokens" in line
    assert "\x1b" not in line
    assert line.endswith("| it ends while thinking | 90 tokens in 0.25 s")


def test_a_long_reply_is_cut_but_never_the_part_that_was_read() -> None:
    for place in [0, 500, 1990]:
        text = "x" * place + "VERDICT" + "y" * (2000 - place)
        line = reply_line(StoredReply(text, (place, place + 7)))
        assert "«VERDICT»" in line
        assert len(line) < REPLY_SHOWN + 20


def test_every_kind_has_a_remedy_that_names_options_which_exist() -> None:
    requests = (Options, RespondentRequest)
    options = {one.option or name for each in requests for name, one in list_settings(each).items()}
    for kind in FAILURES:
        named: list[str] = []
        render_options(FAILURES[kind].remedy, lambda name, named=named: named.append(name) or name)
        assert set(named) <= {*options, "retry_failed"}, kind
        assert "⟦" not in explain_failure(kind)
