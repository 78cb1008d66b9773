"""MT-Bench: who was shown first, languages, turns, grades, and what a sample file adds to the table
it is from.
"""

from __future__ import annotations

import pytest

from tests.published import Study, check_skipped

QUESTION = {
    "question_id": 81, "category": "writing", "turns": ["Write.", "Rewrite."], "reference": ["so", "or so"],
}  # fmt: skip
VOTES = "item system_a system_b judge answer"


def answer(model: str, *turns: str) -> dict[str, object]:
    choices = [{"index": 0, "turns": list(turns)}]
    return {"question_id": 81, "model_id": model, "choices": choices, "tstamp": 1.5}


def judged(ab: str, ba: str, **changed: str) -> dict[str, str]:
    return {
        "language": "en", "judge": "gpt/judge", "judge_id": "gpt-4o-mini", "question_id": "81",
        "category": "writing", "turn": "2", "model_a": "x", "model_b": "y", "winner_ab": ab,
        "winner_ba": ba, "winner": "?", **changed,
    }  # fmt: skip


def test_winner_ba_is_about_the_places_of_the_second_order(published: Study) -> None:
    """README: in winner_ba A is the answer shown first there, model_b. A language is a subset with
    questions of its own.
    """
    report = published.bring(
        "judgements.csv.gz", [judged("A", "A"), judged("tie", "error", question_id="82")]
    )
    assert report.layouts == {"judgements.csv.gz": "mtbench"}
    assert published.facts(VOTES) == [
        "81 x y gpt-4o-mini a", "81 y x gpt-4o-mini a",
        "82 x y gpt-4o-mini tie", "82 y x gpt-4o-mini unparsed",
    ]  # fmt: skip
    with published.renewed() as study:
        study.bring("judgements.csv", [judged("A", "B"), judged("B", "B", language="ko")])
        assert study.store.datasets.subsets("d") == ["en", "ko"]
        assert study.store.datasets.items("d")["item"].tolist() == ["81", "ko/81"]


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
            said = r"[Turn 1]\nso\n\n[Turn 2]\nor so"
            context = "[Turn 1]\nWrite.\n\n[Turn 2]\nRewrite."
            assert study.facts("items") == [f'81 {context} ["{said}"] en']
            told = ["81 x [Turn 1]\nfirst\n\n[Turn 2]\nsecond", "81 y None"]
            assert study.facts("texts") == told


def test_a_sample_of_the_table_adds_only_its_own(published: Study) -> None:
    published.bring("judgements.csv", [judged("A", "B")])
    sample: dict[str, object] = dict(judged("A", "B"), judgment_ab="Because ...")
    del sample["language"], sample["judge"]
    report = published.bring("x_vs_y.jsonl", [{**sample, "tstamp": 1.5, "question_id": 81}])
    assert report.layouts == {"x_vs_y.jsonl": "mtbench"}
    assert report.counts["judgements"] == 2
    assert (report.added["judgements"], report.added["items"]) == (0, 0)


def test_grades(published: Study) -> None:
    """-1, with a mean left out, is what could not be parsed."""
    row = {"judge": "qwen/judge", "question_id": 81, "judge_id": "Qwen", "category": "writing"}
    rows = [
        {**row, "model_id": "x", "score_turn1": 8.0, "score_turn2": 7.0, "avg_score": 7.5},
        {**row, "model_id": "y", "score_turn1": -1, "score_turn2": 9.0, "avg_score": None},
    ]
    report = published.bring("single_grades.jsonl.gz", rows)
    assert report.layouts == {"single_grades.jsonl.gz": "mtbench"}
    judges = ["Qwen/single", "Qwen/single-turn-1", "Qwen/single-turn-2"]
    marks = {"x": [7.5, 8.0, 7.0], "y": ["unparsed", "unparsed", 9.0]}
    assert published.scores() == [
        ["81", system, "overall", judge, mark]
        for system, listed in marks.items()
        for judge, mark in zip(judges, listed, strict=True)
    ]


def test_broken_rows(published: Study) -> None:
    changes = [{}, {"model_b": "x"}, {"question_id": ""}, {"judge_id": ""}]
    changes += [{"question_id": "82"}, {"question_id": "83"}]
    report = published.bring("judgements.csv", [judged("A", "B", **each) for each in changes])
    empty = {3: "'question_id' is empty", 4: "'judge_id' is empty"}
    check_skipped(report, {2: "'x' with itself", **empty})
    broken = {**QUESTION, "turns": "Write."}
    report = published.bring("questions.jsonl", [broken, {**QUESTION, "question_id": 82}])
    check_skipped(report, {1: r"'turns'.*'Write\.'.*list"})
