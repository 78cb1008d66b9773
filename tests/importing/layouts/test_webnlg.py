"""WebNLG 2017: small records written by hand, and the real files."""

from __future__ import annotations

from core.importing import importer
from core.records import Dataset
from tests.evidence import DATA
from tests.published import Study, real


def webnlg(team: str = "adapt", text: str = "Fine.", **changed: str) -> dict[str, str]:
    return {
        "mr": "a | b | c<br>a | d | e", "team": team, "text": text, "category": "Food", "type": "seen",
        "bleu": "0.2", "meteor": "0.3", "ter": "90.9", "fluency": "1.5", "grammar": "2.0",
        "semantics": "2.5", **changed,
    }  # fmt: skip


def rating(worker: str, fluency: str, team: str = "adapt", text: str = "Fine.") -> dict[str, str]:
    marks = {"fluency": fluency, "grammaticality": "2", "semantic_adequacy": "3"}
    given = {"mr": "a | b | c<br>a | d | e", "team": team, "text": text, "type": "seen"}
    return {"X_unit_id": "1", "X_worker_id": worker, **given, **marks}


def test_webnlg_keeps_texts_that_are_really_empty(published: Study) -> None:
    rows = [webnlg(), webnlg("vietnam", "null", fluency="1.0"), webnlg("pipe", "")]
    rows.append(webnlg(mr="a | b | c", type="unseen"))
    report = published.bring("all_data_final_averaged.csv", rows)
    assert report.layouts == {"all_data_final_averaged.csv": "webnlg2017"}
    assert [text for _, _, text in published.texts()] == ["Fine.", "", "", "Fine."]
    assert published.store.datasets.items("d")[["context", "subset"]].to_numpy().tolist() == [
        ["a | b | c\na | d | e", "seen"], ["a | b | c", "unseen"],
    ]  # fmt: skip
    of_first = [row[1:] for row in published.scores()[:12] if row[2] in ("fluency", "semantics")]
    assert of_first == [
        ["adapt", attribute, rater, value]
        for attribute, human in (("fluency", 1.5), ("semantics", 2.5))
        for rater, value in (("human", human), ("bleu", 0.2), ("meteor", 0.3), ("ter", 90.9))
    ]


def test_webnlg_ratings_one_by_one(published: Study) -> None:
    published.bring("all_data_final_averaged.csv", [webnlg()])
    report = published.bring(
        "all_data_final_scores.csv.gz", [rating("w7", "1"), rating("w9", "2"), rating("w7", "3")]
    )
    assert report.layouts == {"all_data_final_scores.csv.gz": "webnlg2017"}
    assert report.added["generations"] == 0
    assert report.counts["scores"] == report.added["scores"] == 9
    frame = published.store.scores.load_all("d")
    of = frame[(frame["attribute"] == "fluency") & frame["rater"].str.startswith("crowd")]
    expected = [["crowd-7", 0, 1], ["crowd-9", 0, 2], ["crowd-7", 1, 3]]
    assert of[["rater", "trial", "value"]].to_numpy().tolist() == expected
    assert published.load("all_data_final_scores.csv.gz").added["scores"] == 0


@real
def test_real_webnlg_has_193_empty_texts_and_means_of_its_ratings(published: Study) -> None:
    """README, facts 1 and 3: 193 empty texts; the mean of the ratings one by one is the averaged
    file's.
    """
    importer.load(published.store, [DATA / "webnlg2017"], Dataset("d"))
    empty = [system for _, system, text in published.texts() if text == ""]
    assert (empty.count("vietnam"), empty.count("tilburg-pipe"), len(empty)) == (168, 25, 193)
    scores = published.store.scores.load_all("d")
    keys = ["item", "system", "attribute"]
    one_by_one = (
        scores[scores["rater"].str.startswith("crowd")].groupby(keys)["value"].agg(["mean", "size"])
    )
    averaged = scores[scores["rater"] == "human"].set_index(keys)["value"]
    assert (one_by_one["mean"] - averaged).abs().max() < 1e-12
    per_text = one_by_one.xs("fluency", level="attribute")["size"].value_counts()
    assert per_text.to_dict() == {3: 1644, 2: 312, 1: 193, 4: 49, 5: 26, 6: 6}
