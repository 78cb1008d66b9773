"""MT-Bench: who was shown first, languages, turns, grades, and what a sample file adds to the table
it is from.
"""

from __future__ import annotations

import pytest

from tests.published import Study, check_skipped, reasons

QUESTION = {
    "question_id": 81,
    "category": "writing",
    "turns": ["Write.", "Rewrite."],
    "reference": ["so", "or so"],
}


def answer(model: str, *turns: str) -> dict[str, object]:
    return {
        "question_id": 81,
        "model_id": model,
        "choices": [{"index": 0, "turns": list(turns)}],
        "tstamp": 1.5,
    }


def judged(ab: str, ba: str, **changed: str) -> dict[str, str]:
    row = {
        "language": "en",
        "judge": "gpt/judge",
        "judge_id": "gpt-4o-mini",
        "question_id": "81",
        "category": "writing",
    }
    return {
        **row,
        "turn": "2",
        "model_a": "x",
        "model_b": "y",
        "winner_ab": ab,
        "winner_ba": ba,
        "winner": "?",
        **changed,
    }


def test_winner_ba_is_about_the_places_of_the_second_order(published: Study) -> None:
    """README: in winner_ba A is the answer shown first there, model_b."""
    report = published.bring(
        "judgements.csv.gz", [judged("A", "A"), judged("tie", "error", question_id="82")]
    )
    assert report.layouts == {"judgements.csv.gz": "mtbench"}
    assert published.votes() == [
        ["81", "x", "y", "gpt-4o-mini", "a"],
        ["81", "y", "x", "gpt-4o-mini", "a"],
        ["82", "x", "y", "gpt-4o-mini", "tie"],
        ["82", "y", "x", "gpt-4o-mini", "unparsed"],
    ]


def test_a_language_is_a_subset_with_questions_of_its_own(published: Study) -> None:
    published.bring("judgements.csv", [judged("A", "B"), judged("B", "B", language="ko")])
    assert published.store.datasets.subsets("d") == ["en", "ko"]
    assert published.store.datasets.items("d")["item"].tolist() == ["81", "ko/81"]


def test_questions_answers_and_judgements_in_any_order(
    published: Study, subtests: pytest.Subtests
) -> None:
    for order in [(0, 1, 2), (2, 1, 0), (1, 2, 0)]:
        with subtests.test(order=order), published.renewed() as study:
            files = [
                study.write("questions.jsonl", [QUESTION]),
                study.write("answers/x.jsonl", [answer("x", "first", "second")]),
                study.write("judgements.csv", [judged("A", "B")]),
            ]
            for place in order:
                study.load(files[place])
            (item,) = study.store.datasets.items("d").drop(columns="family").to_numpy().tolist()
            assert item == [
                "81",
                "[Turn 1]\nWrite.\n\n[Turn 2]\nRewrite.",
                '["[Turn 1]\\nso\\n\\n[Turn 2]\\nor so"]',
                "en",
            ]
            assert study.texts() == [
                ["81", "x", "[Turn 1]\nfirst\n\n[Turn 2]\nsecond"],
                ["81", "y", None],
            ]


def test_a_sample_of_the_table_adds_only_its_own(published: Study) -> None:
    published.bring("judgements.csv", [judged("A", "B")])
    sample = {
        key: value for key, value in judged("A", "B").items() if key not in ("language", "judge")
    }
    report = published.bring(
        "x_vs_y.jsonl", [{**sample, "judgment_ab": "Because ...", "tstamp": 1.5, "question_id": 81}]
    )
    assert report.layouts == {"x_vs_y.jsonl": "mtbench"}
    assert report.counts["judgements"] == 2
    assert report.added["judgements"] == 0
    assert report.added["items"] == 0


def test_grades(published: Study) -> None:
    """-1, with a mean left out, is what could not be parsed."""
    row = {
        "judge": "qwen/judge",
        "question_id": 81,
        "model_id": "x",
        "judge_id": "Qwen",
        "category": "writing",
    }
    rows = [
        {**row, "score_turn1": 8.0, "score_turn2": 7.0, "avg_score": 7.5},
        {**row, "model_id": "y", "score_turn1": -1, "score_turn2": 9.0, "avg_score": None},
    ]
    assert published.bring("single_grades.jsonl.gz", rows).layouts == {
        "single_grades.jsonl.gz": "mtbench"
    }
    assert published.scores() == [
        ["81", "x", "overall", "Qwen/single", 7.5], ["81", "x", "overall", "Qwen/single-turn-1", 8.0],
        ["81", "x", "overall", "Qwen/single-turn-2", 7.0], ["81", "y", "overall", "Qwen/single", "unparsed"],
        ["81", "y", "overall", "Qwen/single-turn-1", "unparsed"], ["81", "y", "overall", "Qwen/single-turn-2", 9.0],
    ]  # fmt: skip


def test_broken_rows(published: Study) -> None:
    rows = [
        judged("A", "B"),
        judged("A", "B", model_b="x"),
        judged("A", "B", question_id=""),
        judged("A", "B", judge_id=""),
        judged("A", "B", question_id="82"),
        judged("A", "B", question_id="83"),
    ]
    report = published.bring("judgements.csv", rows)
    empty = [(3, "field 'question_id' is empty"), (4, "field 'judge_id' is empty")]
    assert reasons(report) == [(2, "compares 'x' with itself"), *empty]
    broken = {**QUESTION, "turns": "Write."}
    report = published.bring("questions.jsonl", [broken, {**QUESTION, "question_id": 82}])
    check_skipped(report, {1: r"'turns'.*'Write\.'.*list"})
