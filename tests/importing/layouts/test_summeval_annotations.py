"""SummEval's annotators: small records written by hand in its layout."""

from __future__ import annotations

import pytest

from tests.published import Study


def annotated(**changed: object) -> dict[str, object]:
    marks = {"coherence": 2, "relevance": 4}
    people = {
        "expert_annotations": [marks, marks, {"coherence": 5, "relevance": 5}],
        "turker_annotations": [marks] * 5,
    }
    return {
        "id": "cnn-1",
        "decoded": "one",
        "model_id": "M8",
        "text": "Article.",
        "references": ["r"],
        **people,
        **changed,
    }


def test_summeval_annotators(published: Study) -> None:
    report = published.bring("M8.jsonl", [annotated(), annotated(model_id="M9", decoded="two")])
    assert report.layouts == {"M8.jsonl": "summeval-annotations"}
    assert report.counts["judges"] == 8
    assert report.counts["scores"] == 2 * 8 * 2
    raters = [f"expert-{n}" for n in (1, 2, 3)] + [f"crowd-{n}" for n in (1, 2, 3, 4, 5)]
    of_m8 = [row for row in published.scores() if row[1] == "M8" and row[2] == "coherence"]
    assert [row[3] for row in of_m8] == raters
    assert [row[4] for row in of_m8] == [2, 2, 5, 2, 2, 2, 2, 2]


def test_a_broken_record_of_summeval_annotators(
    published: Study, subtests: pytest.Subtests
) -> None:
    for changed, said in [
        ({"expert_annotations": {"coherence": 2}}, "field 'expert_annotations' is"),
        ({"expert_annotations": [3]}, "expert_annotations holds '3', not an object of scores"),
        ({"turker_annotations": None}, "field 'turker_annotations' is missing"),
        ({"model_id": None}, "field 'model_id' is missing"),
    ]:
        with subtests.test(said=said), published.renewed() as study:
            report = study.bring("M8.jsonl", [annotated(id="cnn-2"), annotated(**changed)])
            ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
            assert row == 2
            assert reason.startswith(said)
            assert report.added["generations"] == 1
