"""REALSumm: small records written by hand in its layout."""

from __future__ import annotations

from tests.published import Study


def test_realsumm(published: Study) -> None:
    """The same layout with numbers for ids, one reference, and a score by people."""
    systems = {"bart_out.txt": {"decoded": "one", "scores": {"litepyramid_recall": 0.3}}}
    report = published.bring(
        "realsumm.jsonl.gz", [{"id": 52, "text": "Article.", "reference": "r", "systems": systems}]
    )
    assert report.layouts == {"realsumm.jsonl.gz": "realsumm"}
    assert published.store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["52", "Article.", '["r"]', ""]
    ]
    assert published.scores() == [["52", "bart_out.txt", "litepyramid_recall", "human", 0.3]]
