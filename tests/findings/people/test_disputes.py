"""Where people disagree, and deciding it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from core.findings import accuracy
from core.findings.accuracy import AccuracySettings
from core.findings.judgements import Selection
from core.findings.people import Scope, decide, disputes, said_on
from core.records import Answer, Kind, Outcome, TandemError
from core.store import ADJUDICATED, Store
from tests.findings.people.voting import say
from tests.study import DATASET, compare, fill, judge

HERE = Scope(Selection(DATASET))


@pytest.fixture
def voted(study: Store) -> Store:
    """On i0 Ada and Bo say alpha, Cy beta; on i1 Ada says alpha, Bo beta; on i2 all say alpha."""
    first, other = ("alpha", "beta"), ("beta", "alpha")
    with study.transaction():
        for who, item, sides, said in (
            ("Ada", "i0", first, "a"), ("Bo", "i0", other, "b"), ("Cy", "i0", other, "a"),
            ("Ada", "i1", first, "a"), ("Bo", "i1", first, "b"),
            ("Ada", "i2", first, "a"), ("Bo", "i2", first, "a"), ("Cy", "i2", first, "a"),
        ):  # fmt: skip
            say(study, who, item, sides, said)
    return study


def straight(rows: pd.DataFrame) -> pd.DataFrame:
    """Disputes with the first system by name in front, whatever the coin said."""
    turned = (rows["system_1"] > rows["system_2"]).to_numpy()
    first, second = rows["first"].mask(turned, rows["second"]), rows["second"]
    return rows.assign(first=first, second=second.mask(turned, rows["first"]))


def word(row: pd.Series, system: str) -> str:
    """What the first or second system by name is called in a row."""
    return "first" if (row["system_1"] == system) else "second"


def test_the_evenly_split_come_first(voted: Store) -> None:
    rows = straight(disputes(voted, HERE))
    counts = rows[["item", "first", "tie", "second", "people"]]
    assert counts.to_numpy().tolist() == [["i1", 1, 0, 1, 2], ["i0", 2, 0, 1, 3]]
    assert rows["decided"].isna().all()


def test_a_tie_against_a_preference_is_a_dispute_too(study: Store) -> None:
    say(study, "Ada", "i0", ("alpha", "beta"), "tie")
    assert disputes(study, HERE).empty
    say(study, "Bo", "i0", ("alpha", "beta"), "a")
    rows = straight(disputes(study, HERE))
    assert rows[["first", "tie", "second"]].to_numpy().tolist() == [[1, 1, 0]]


def test_a_system_stands_on_either_side(study: Store) -> None:
    """On 40 items the first by name stands in front on about half: 10 to 30 (4 sigma is 13)."""
    fill(study, items=40)
    with study.transaction():
        for item in range(40):
            say(study, "Ada", f"i{item}", ("alpha", "beta"), "a")
            say(study, "Bo", f"i{item}", ("alpha", "beta"), "b")
    rows = disputes(study, HERE)
    assert 8 <= (rows["system_1"] == "alpha").sum() <= 32
    texts = [
        study.texts.pair_texts(row.candidate_1, row.candidate_2)[1:] for row in rows.itertuples()
    ]
    named = list(zip(rows["system_1"], rows["system_2"], strict=True))
    assert [tuple(text.split("-")[0] for text in pair) for pair in texts] == named


def test_who_is_excluded_disputes_nothing(voted: Store) -> None:
    voted.exclusions.add(DATASET, "Bo", reason="clicks", by="Eve")
    rows = disputes(voted, HERE)
    assert rows[["item", "people"]].values.tolist() == [["i0", 2]]
    assert sorted(said_on(voted, DATASET, rows.iloc[0])["person"]) == ["Ada", "Cy"]


def test_what_everybody_said_whichever_text_stood_first(voted: Store) -> None:
    row = disputes(voted, HERE).query("item == 'i0'").iloc[0]
    said = said_on(voted, DATASET, row).set_index("person")
    alpha, beta = word(row, "alpha"), word(row, "beta")
    assert said["better"].to_dict() == {"Ada": alpha, "Bo": alpha, "Cy": beta}
    places = {alpha: 1 + (alpha == "second"), beta: 1 + (beta == "second")}
    assert said["shown_first"].to_dict() == {
        "Ada": places[alpha], "Bo": places[beta], "Cy": places[beta],
    }  # fmt: skip


def test_people_who_annotate_here_are_called_as_in_exports(voted: Store) -> None:
    """Ada's vote on i1 becomes that of somebody who annotates here."""
    for (row,) in voted.connection.rows(
        "SELECT j.id FROM judgements j JOIN judges w ON w.id = j.judge WHERE w.name = 'Ada'"
    ):
        voted.judgements.withdraw(row, voted.judges.id_of("Ada"))
    who = judge(voted, "Ada2")
    voted.connection.execute("UPDATE judges SET name = 'Ada0' WHERE name = 'Ada'")
    voted.connection.execute("UPDATE judges SET name = 'Ada' WHERE name = 'Ada2'")
    comparison = compare(voted, "i1", "alpha", "beta")
    campaign = voted.campaigns.default(DATASET).id
    voted.judgements.add_vote(campaign, comparison, who, Answer(Outcome.A))
    person = voted.people.annotate("Ada", voted.judges.id_of("Ada"))
    row = disputes(voted, HERE).query("item == 'i1'").iloc[0]
    assert f"person-{person}" in said_on(voted, DATASET, row)["person"].tolist()


def test_a_decision_is_gold_and_can_be_changed_and_undone(voted: Store) -> None:
    row = disputes(voted, HERE).iloc[0]
    first = decide(voted, DATASET, row, "second", by="Eve", comment=" shorter ")
    rows = disputes(voted, HERE)
    assert rows[["item", "decided", "comment", "by"]].values.tolist()[1] == [
        "i1", "second", "shorter", "Eve",
    ]  # fmt: skip
    assert rows["item"].tolist() == ["i0", "i1"]  # what is open comes first
    decide(voted, DATASET, row, "tie", by="Flo")
    last = disputes(voted, HERE).iloc[1]
    assert (last["decided"], last["by"]) == ("tie", "Flo")
    assert not voted.adjudications.undo(first)
    assert voted.adjudications.undo(int(last["judgement"]))
    assert disputes(voted, HERE)["decided"].isna().all()
    kept = voted.connection.rows(
        """SELECT j.outcome, j.screen, j.withdrawn_at IS NULL FROM judgements j
        JOIN judges w ON w.id = j.judge AND w.name = ? ORDER BY j.id""",
        (ADJUDICATED,),
    )
    assert [(outcome, json.loads(screen), live) for outcome, screen, live in kept] == [
        ("b", {"adjudicated_by": "Eve"}, 0),
        ("tie", {"adjudicated_by": "Flo"}, 0),
    ]
    assert voted.connection.check()["ok"]


def test_decisions_are_what_people_are_right_about(voted: Store) -> None:
    for _, row in disputes(voted, HERE).iterrows():
        decide(voted, DATASET, row, word(row, "alpha"), by="Eve")
    found = accuracy.accuracy(voted, Selection(DATASET), AccuracySettings("gold")).rows
    # Ada says alpha on both, Bo on i0 alone, Cy on none.
    assert found.set_index("judge")["accuracy"].to_dict() == {"Ada": 1.0, "Bo": 0.5, "Cy": 0.0}


def test_what_cannot_be_decided(voted: Store) -> None:
    row = disputes(voted, HERE).iloc[0]
    with pytest.raises(TandemError, match=r"decision 'maybe'.*\bfirst\b.*\btie\b.*\bsecond\b"):
        decide(voted, DATASET, row, "maybe", by="Eve")
    judge(voted, ADJUDICATED, Kind.LLM)
    with pytest.raises(TandemError, match=rf"{ADJUDICATED}.*\bllm judge\b"):
        decide(voted, DATASET, row, "first", by="Eve")
