"""Long replies are read at once, and what they state stands where it stands."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

from core.judging.forms import (
    COMPARISON_FORMS,
    MARK_FORMS,
    UnparsedReplyError,
    read_mark,
    read_verdict,
)
from core.records import Scale
from tests.processes import forked

LABELS = ("Summary A", "Summary B")
LONG = 40_000

UNITS = [
    " ", "\n", "\t", "\u3000", "*", "_", "`", "#", ">", '"', "(", "[", "]", "{", "}", "\\", "=", ".", "…",
    "[[", "[ [", "[[A", "[[A]] ", "[[A]]\n", "[[7]]", "[[7", "1", "12 ", "1.", "9/", "8-", "A", "A ", "A: ",
    "A is ", "Summary ", "Summary A ", "Summary A: 6", "Summary A: 6\n", "A: 6 / B: 9\n", "Answer: ",
    "my ", "the final overall ", "Verdict:\n", "Verdict: A\n", "Verdict: * _ ", "is is ", '{"', "{ ",
    '{"verdict":', '{"verdict": "A"}', '{"verdict": "A" ', '{"a":', '{"a":[', '{"score": 7}', '{"score":',
    "Score: ", "Score: 7\n", "Score (", "score of ", "A>>", "A>>B\n", "A=", "[[A>>B]]", "wait ", "wait A ",
    "No, wait, ", "so, ", "therefore, ", "Therefore B\n", "I prefer ", "the better one is ", "is clearly ",
    "<think>", "</think>", "<think>x</think>", "[THINK]", "<|channel|>analysis<|message|>", "because ", "or ",
    "not [[A]] ", "1. A\n", "1) x\n", "结论", "结论：", "因为", "或者", "option A ", "'s ", "A **", "\n\n", "\n* ",
]  # fmt: skip
"""What a broken or malicious model may write again and again."""


def _read_all() -> None:
    for unit in UNITS:
        reply = f"Summary A\n{(unit * LONG)[:LONG]}\nVerdict: A"
        for form in COMPARISON_FORMS:
            with suppress(UnparsedReplyError):
                read_verdict(reply, (*LABELS, "Tie"), form, lenient=True)
        for form in MARK_FORMS:
            with suppress(UnparsedReplyError):
                read_mark(reply, Scale(1, 10), form)


def test_no_reply_is_read_for_minutes() -> None:
    """Of some a single one would be; the seconds are only there to end a test that hangs."""
    reading = forked().Process(target=_read_all)
    reading.start()
    reading.join(200)
    reading.kill()
    reading.join()
    assert reading.exitcode == 0


def test_a_verdict_is_marked_where_it_stands() -> None:
    for before, between, (form, said) in product(
        ("", "\n" * 5_000, "<think>" + "A or B? " * 500 + "</think>\n"),
        ("\n", " " + "-" * 900 + "\n", "\n" + "It is vivid. " * 5_000 + "\n"),
        (
            ("brackets", "[[Summary B]]"),
            ("verdict-last", "Verdict: Summary B"),
            ("json", '{"verdict": "Summary B"}'),
        ),
    ):
        reply = f"{before}Both are fine.{between}{'=' * 300}\n{said}"
        stated = read_verdict(reply, LABELS, form)
        assert reply[stated.start : stated.end] == "Summary B", (before[:9], between[:9], form)
        assert reply[stated.core : stated.end] == "B"
    reply = "*" * 200 + "Summary A\n\n" + "*" * 200 + "It is vivid. " * 10_000
    stated = read_verdict(reply, LABELS)
    assert (stated.label, reply[stated.start : stated.end]) == (0, "Summary A")
    reply = f"{'#' * 500} Why?\n{'It is vivid. ' * 10_000}\n{'-' * 80}\nScore: 7"
    mark = read_mark(reply, Scale(1, 10), "mark-last")
    assert (mark.verdict, reply[mark.start : mark.end]) == (7, "7")
