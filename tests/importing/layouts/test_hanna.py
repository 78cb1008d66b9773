"""HANNA: small records written by hand in its layout."""

from __future__ import annotations

import json

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


def annotation(story: int, worker: str, **more: object) -> dict[str, object]:
    """A row as in hanna_stories_annotations.csv (dig-team/hanna-benchmark-asg, README)."""
    return {
        "Story_ID": story, "Prompt": "A wizard grows old.", "Human": "His body was failing.",
        "Story": f"Story {story}.", "Model": "Human" if story < 96 else "BertGeneration",
        "Relevance": 3, "Coherence": 2, "Empathy": 2, "Surprise": 2, "Engagement": 2,
        "Complexity": 3, "Worker_ID": worker, "Assignment_ID": "x", "Work_time_in_seconds": 70,
        "Name": "Tawthorn", **more,
    }  # fmt: skip


def test_annotations_as_published_with_three_raters_a_story(published: Study) -> None:
    """Stories 3 and 99 are written to the same prompt: 96 prompts, model by model."""
    rows = [annotation(story, worker) for story in (3, 99) for worker in ("12", "7", "40")]
    rows[4]["Coherence"] = "n/a"
    report = published.bring("hanna_stories_annotations.csv", rows)
    assert report.skipped == []
    assert published.texts() == [["3", "BertGeneration", "Story 99."], ["3", "Human", "Story 3."]]
    [item] = published.store.datasets.items("d").to_dict("records")
    given = rows[0]
    assert (item["context"], json.loads(item["references"])) == (given["Prompt"], [given["Human"]])
    coherence = [row for row in published.scores() if row[2] == "coherence"]
    assert coherence == [
        ["3", "Human", "coherence", "worker-12", 2],
        ["3", "Human", "coherence", "worker-7", 2],
        ["3", "Human", "coherence", "worker-40", 2],
        ["3", "BertGeneration", "coherence", "worker-12", 2],
        ["3", "BertGeneration", "coherence", "worker-7", "not-a-number"],
        ["3", "BertGeneration", "coherence", "worker-40", 2],
    ]
    assert len(published.scores()) == 36
    assert {item for item, *_ in published.scores()} == {"3"}


def test_annotations_with_blanks_in_their_names(published: Study) -> None:
    row = {name.replace("_", " "): value for name, value in annotation(5, "1").items()}
    published.bring("hanna.csv", [row, {**row, "Story ID": "x"}])
    assert [item for item, *_ in published.texts()] == ["5"]
