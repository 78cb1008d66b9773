"""SummEval: small records written by hand, and what ChatGPT said of it."""

from __future__ import annotations

import json
import re

import pytest

from core.importing.layouts.summeval import parse_letter, parse_stars, parse_words
from core.records import TandemError
from tests.published import Study, check_skipped, reasons


def summeval(**changed: object) -> dict[str, object]:
    systems = {
        "M0": {"decoded": "one", "scores": {"coherence": 1.5, "fluency": 5.0}},
        "M1": {"decoded": "two", "scores": {}},
    }
    return {
        "id": "cnn-1", "text": "Article.", "references": ["r1", "r2"], "reference": "r1",
        "systems": systems, **changed,
    }  # fmt: skip


def test_summeval(published: Study) -> None:
    report = published.bring("summeval.jsonl", [summeval()])
    assert report.layouts == {"summeval.jsonl": "summeval"}
    assert published.store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["cnn-1", "Article.", '["r1", "r2"]', ""]
    ]
    assert published.store.texts.generations("d")[["system", "text"]].to_numpy().tolist() == [
        ["M0", "one"],
        ["M1", "two"],
    ]
    assert published.scores() == [
        ["cnn-1", "M0", "coherence", "expert", 1.5], ["cnn-1", "M0", "fluency", "expert", 5.0],
    ]  # fmt: skip
    coherence = published.store.datasets.attributes("d")[0]
    assert re.match(r"Which summary .*coherent.*\?$", coherence.question)
    assert published.store.datasets.summary()[
        ["context_noun", "candidate_noun"]
    ].to_numpy().tolist() == [["article", "summary"]]


def test_broken_records_of_summeval(published: Study) -> None:
    broken: list[tuple[dict[str, object], str]] = [
        ({"id": None}, "^field 'id' is missing.* str$"),
        ({"id": 3}, "^field 'id' is '3'.* str$"),
        ({"text": ["C"]}, "^field 'text' is"),
        ({"systems": []}, r"^field 'systems' is '\[\]'.* dict$"),
        ({"systems": {"M0": "one"}}, "^'one' .*'decoded'"),
        ({"systems": {"M0": {"decoded": "one"}}}, "^field 'scores' is missing.* dict"),
    ]
    good = [summeval(id=f"cnn-{number}") for number in range(10, 20)]
    report = published.bring("summeval.jsonl", [*(summeval(**row) for row, _ in broken), *good])
    check_skipped(report, {number: said for number, (_, said) in enumerate(broken, start=1)})
    assert report.counts["items"] == report.added["items"] == 10


def said(item: str, answer: str) -> dict[str, object]:
    return {
        "id": item, "prompt_len": 9, "total_len": 10, "resp": answer, "human_score_1": 4.5,
        "human_score_2": 3,
    }  # fmt: skip


def test_head_to_head_both_ways(published: Study) -> None:
    """README: in _toggle A means the second system of the file's name."""
    published.write("chatgpt_h2h/M8-M10_fluency.result", [said("i", "A"), said("j", "C")])
    published.write(
        "chatgpt_h2h/M8-M10_fluency_toggle.result",
        [said("i", "A"), said("j", "B: Summary #2 is more fluent.")],
    )
    report = published.load("chatgpt_h2h")
    assert set(report.layouts.values()) == {"summeval"}
    judge = "gpt-3.5-turbo-0301/h2h"
    assert published.votes() == [
        ["i", "M8", "M10", judge, "a"], ["j", "M8", "M10", judge, "tie"],
        ["i", "M10", "M8", judge, "a"], ["j", "M10", "M8", judge, "b"],
    ]  # fmt: skip
    assert published.scores() == []  # the experts' marks are in SummEval's own files
    assert published.store.datasets.attributes("d")[0].name == "fluency"


def test_what_chatgpt_said(published: Study) -> None:
    answers = {
        "A": "a", " B.": "b", "(C)": "tie", "A: Summary #1 is more fluent.": "a", "Answer: B": "b",
        "My choice is A": "a", "A summary should be fluent.": "unparsed", "": "unparsed", "D": "unparsed",
        "Both are good.": "unparsed",
    }  # fmt: skip
    rows = [said(f"i{number}", answer) for number, answer in enumerate(answers)]
    published.bring("gpt-4-0314/M8-M9_coherence.result", rows)
    expected = [["gpt-4-0314/h2h", outcome] for outcome in answers.values()]
    assert published.votes("judge", "answer") == expected


def test_a_head_to_head_file_says_in_its_name_who_was_compared(published: Study) -> None:
    with pytest.raises(TandemError, match=r"answers\.result .*FIRST-SECOND_DIMENSION\.result"):
        published.bring("answers.result", [said("i", "A")])


def pointwise(method: str, answers: list[tuple[str, str]], **changed: str) -> dict[str, str]:
    raw = "".join(
        json.dumps({"id": item, "prompt_len": 1, "resp": answer}) + "\n" for item, answer in answers
    )
    given = {
        "judge": "gpt-4-0314",
        "system": "M8",
        "dimension": "consistency",
        "method": method,
        "raw": raw,
    }
    return {**given, **changed}


def test_pointwise_marks(published: Study) -> None:
    rows = [
        pointwise("mcq", [("i", "A"), ("j", "E")]),
        pointwise("stareval", [("i", "Four stars. Good.")]),
        pointwise("rts", [("i", "It is off topic.")]),
        pointwise("guess", [("i", "5")]),
    ]
    report = published.bring("llm_pointwise_raw.jsonl.gz", rows)
    assert report.layouts == {"llm_pointwise_raw.jsonl.gz": "summeval"}
    check_skipped(report, {4: "'guess'.*rts, mcq, stareval"})
    assert published.scores() == [
        ["i", "M8", "consistency", "gpt-4-0314/mcq", 1.0], ["j", "M8", "consistency", "gpt-4-0314/mcq", 5.0],
        ["i", "M8", "consistency", "gpt-4-0314/stareval", 4.0], ["i", "M8", "consistency", "gpt-4-0314/rts", "unparsed"],
    ]  # fmt: skip


def test_the_first_of_repeated_marks_is_kept_and_the_others_are_told_of(published: Study) -> None:
    rows = [pointwise("mcq", [("i", "A"), ("j", "B"), ("i", "C"), ("j", "B")])]
    report = published.bring("llm_pointwise_raw.jsonl", rows)
    assert [row[0::4] for row in published.scores()] == [["i", 1.0], ["j", 2.0]]
    ((row, reason),) = reasons(report)
    assert (row, report.rows) == (1, 1)
    named = r"2 of .*\(M8, consistency, gpt-4-0314/mcq\).*\b1 of them.*first"
    assert re.match(named, reason), reason


# Answers copied from the reference data, and what a reader takes from them.
def test_marks_parse_words(subtests: pytest.Subtests) -> None:
    for read, answer, mark in [
        (parse_letter, "D", 4), (parse_letter, "E: 5", 5), (parse_letter, "Excellent", None), (parse_letter, "F", None),
        (parse_stars, "4 stars", 4), (parse_stars, "1 star", 1), (parse_stars, "Two stars. It has 3 facts.", 2), (parse_stars, "Good.", None),
        (parse_words, "It lacks coherence, scoring a one out of five.", 1),
        (parse_words, "resulting in a score of 3.", 3),
        (parse_words, "but lacks some context. Score: 4/5.", 4),
        (parse_words, "resulting in a score of 1.5 out of 5.", 1.5),
        (parse_words, "discussing highlights for a 0-0 draw. Final score: 5.", 5),
        (parse_words, "'finnish researchers compared the weight of more than 12,000 healthy.' I "
                   "would give it a score of 3.5.", 3.5),
        (parse_words, "states that Ross Barkley has scored 15 penalties from 16 attempts. Final "
                   "score: 2.", 2),
        (parse_words, "it is irrelevant (1).", 1),
        (parse_words, "readable on the sentence level. 5", 5),
        (parse_words, "so I would give it a 4.5 for fluency.", 4.5),
        (parse_words, "it incorrectly states that Real Madrid beat Chile 1-0 in El Clasico.", None),
        (parse_words, "Score: 7", None),
    ]:  # fmt: skip
        with subtests.test(read=read):
            assert read(answer) == mark
