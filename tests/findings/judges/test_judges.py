from __future__ import annotations

from pathlib import Path

import pytest

from core.charts import labelled
from core.findings.judgements import Selection
from core.findings.judges import judges
from core.findings.judges.chart import judges as draw_judges
from core.rendering.charts import picture
from core.reporting import sentences
from core.store import Store
from tests.findings.replacement.test_replacement import CODE, load, votes


def test_judges_without_labels_and_with(store: Store, tmp_path: Path) -> None:
    """gpt and coin say the same in both orders; x, y and z are never all three compared. Accuracy
    is counted by hand: against the majority of three people, where they have one.
    """
    said = votes(30, 3)
    load(store, tmp_path, said)
    rows = judges(store, Selection("d")).rows
    consistent = rows[rows["measure"] == "consistent"].set_index("judge")
    assert consistent["value"].to_dict() == {"gpt": 1.0, "coin": 1.0}
    assert "transitive" not in set(rows["measure"])
    for judge in ("gpt", "coin"):
        points = []
        for unit, verdict in said[judge].items():
            people = [CODE[said[f"p{n}"][unit]] for n in range(3)]
            most = max(set(people), key=people.count)
            if people.count(most) > 1 and most != CODE["tie"]:
                points.append(0.5 if verdict == "tie" else float(CODE[verdict] == most))
        assert consistent.loc[judge, "accuracy"] == pytest.approx(sum(points) / len(points))
    told = sentences.beside(labelled(consistent.reset_index().iloc[:1]), "pairs alike")
    assert told.startswith("gpt has most pairs alike, and is right most often: ")
    svg = picture(draw_judges(labelled(consistent.reset_index()), "pairs alike"), "svg")
    assert b"gpt" in svg
    assert b"coin" in svg


def test_without_votes_there_is_no_accuracy(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, {"gpt": votes(12, 0)["gpt"], "coin": votes(12, 0)["coin"]})
    rows = judges(store, Selection("d")).rows
    assert set(rows["judge"]) == {"gpt", "coin"}
    assert rows["accuracy"].isna().all()
    voted = sentences.without_labels(labelled(rows), voted=True)
    assert voted.startswith("No vote names a winner where a judge answered, so nothing tells")
    told = sentences.without_labels(labelled(rows))
    assert "2 judges keep their verdicts in both orders equally often, in 100% (" in told
