from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from core.findings.judgements import Selection, label_rows
from core.findings.judges import MEASURES, describe_most, describe_unlabelled, judges
from core.findings.judges.chart import scatter
from core.rendering.charts import picture
from core.store import Store
from tests.findings.replacement.test_replacement import CODE, load, votes


def test_judges_without_labels_and_with(store: Store, tmp_path: Path) -> None:
    """gpt and coin say the same in both orders; x, y and z are never all three compared. Accuracy
    is counted by hand: against the majority of three people, where they have one.
    """
    said = votes(30, 3)
    load(store, tmp_path, said)
    rows = judges(store, Selection("d")).rows
    consistent = rows.set_index("judge")
    assert consistent["consistent"].to_dict() == {"gpt": 1.0, "coin": 1.0}
    assert rows["transitive"].isna().all()
    for judge in ("gpt", "coin"):
        points = []
        for unit, verdict in said[judge].items():
            people = [CODE[said[f"p{n}"][unit]] for n in range(3)]
            most = max(set(people), key=people.count)
            if people.count(most) > 1 and most != CODE["tie"]:
                points.append(0.5 if verdict == "tie" else float(CODE[verdict] == most))
        assert consistent.loc[judge, "accuracy"] == pytest.approx(sum(points) / len(points))
    measure, named = MEASURES["consistent"], label_rows(rows)
    told = describe_most(named[named["judge"] == "gpt"], measure)
    assert told.startswith(
        "gpt has most pairs with the same verdict in both orders, and is right most often: "
    )
    svg = picture(scatter(named, measure), "svg")
    assert b"gpt" in svg
    assert b"coin" in svg


def test_names_of_judges_at_one_point_do_not_overlap(store: Store, tmp_path: Path) -> None:
    said = votes(30, 3)
    load(store, tmp_path, {**said, "another": said["gpt"], "a third": said["gpt"]})
    named = label_rows(judges(store, Selection("d")).rows)
    svg = picture(scatter(named, MEASURES["consistent"]), "svg").decode()
    written = re.findall(r"translate\(([-.\d]+),([-.\d]+)\)[^>]*>(gpt|another|a third)<", svg)
    assert {name for _, _, name in written} == {"gpt", "another", "a third"}
    heights = sorted(float(y) for _, y, _ in written)
    assert len({x for x, _, _ in written}) == 1
    assert all(below - above >= 11 for above, below in pairwise(heights))


def test_without_votes_there_is_no_accuracy(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, {"gpt": votes(12, 0)["gpt"], "coin": votes(12, 0)["coin"]})
    rows = judges(store, Selection("d")).rows
    assert set(rows["judge"]) == {"gpt", "coin"}
    assert rows["accuracy"].isna().all()
    voted = describe_unlabelled(label_rows(rows), voted=True)
    assert re.match(r"No vote\b.*\bwinner\b", voted)
    told = describe_unlabelled(label_rows(rows))
    assert re.search(r"\b2 judges\b.*\bequally often\b.*\b100% \(", told)
