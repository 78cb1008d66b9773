"""Samples as the repository of separability keeps them (dill-lab/separability, README): a list of
objects with the list of an item's texts, in the order of a CSV of the contexts.
"""

from __future__ import annotations

import pytest

from tests.published import Study, check_skipped


def test_a_file_for_each_system_and_one_of_contexts(
    published: Study, subtests: pytest.Subtests
) -> None:
    for column in ["summaries", "responses"]:
        with subtests.test(column=column), published.renewed() as study:
            study.write("vicuna-7b.json", [{column: ["a0", "a1"]}, {column: ["b0", ""]}])
            study.write("gpt-3.5.json", [{column: ["x0", "x1"]}, {column: ["y0", "y1"]}])
            study.write("test.csv", [{"article": "It rained."}, {"article": "It snowed."}])
            report = study.load()
            assert report.skipped == []
            assert set(report.layouts.values()) == {"sampled-texts"}
            frame = study.store.datasets.generations("d").sort_values(["system", "item", "sample"])
            assert frame[["system", "item", "sample", "text"]].to_numpy().tolist() == [
                ["gpt-3.5", "1", 0, "x0"],
                ["gpt-3.5", "1", 1, "x1"],
                ["gpt-3.5", "2", 0, "y0"],
                ["gpt-3.5", "2", 1, "y1"],
                ["vicuna-7b", "1", 0, "a0"],
                ["vicuna-7b", "1", 1, "a1"],
                ["vicuna-7b", "2", 0, "b0"],
                ["vicuna-7b", "2", 1, ""],
            ]
            items = study.store.datasets.items("d")
            assert items[["item", "context"]].to_numpy().tolist() == [
                ["1", "It rained."],
                ["2", "It snowed."],
            ]


def test_what_is_no_text_is_said(published: Study) -> None:
    report = published.bring("s.json", [{"summaries": ["a", 3]}, {"summaries": ["a", "b"]}])
    check_skipped(report, {1: "sample 1.*summaries"})
