"""HANNA: small records written by hand in its layout."""

from __future__ import annotations

from tests.published import Study, reasons


def test_hanna_has_marks_without_stories(published: Study) -> None:
    row = {
        "system": "GPT-2",
        "prompt_index": "0",
        "criterion": "Relevance",
        "human_1": "4",
        "human_2": "",
        "human_3": "x",
    }
    report = published.bring("hanna.csv", [row, {**row, "prompt_index": ""}])
    assert report.layouts == {"hanna.csv": "hanna"}
    assert reasons(report) == [(2, "field 'prompt_index' is empty")]
    assert published.texts() == [["0", "GPT-2", None]]
    assert published.scores() == [
        ["0", "GPT-2", "relevance", "human-1", 4.0], ["0", "GPT-2", "relevance", "human-3", "not-a-number"],
    ]  # fmt: skip
