"""Commands about whom to trust: agreement, accuracy, bias."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.asked import STATISTIC, Run, called, has


def test_bias(run: Run) -> None:
    run("judge --judge baseline:embedding --pairs full")
    columns = (
        "judge attribute comparisons p_first low high first_share mean_prob_first threshold "
        "pairs_both_orders consistent_both_orders both_unanswered threshold_weight p_first_after"
    )
    for how in ("none", "swap", "threshold"):
        document = run("bias", "--debias", how)
        assert has(document, "rows notes", *STATISTIC)
        rows = {row["judge"]: row for row in document["rows"]}
        assert all(has(row, columns) for row in rows.values())
        # By hand: "b" of x and y, "a" of y and z, a tie of z and x, in 6 items; x and z were
        # skipped: z and x were neither both answered nor both in vain.
        names = ("comparisons", "p_first", "first_share", "threshold", "pairs_both_orders")
        ada = rows["Ada"]
        assert [ada[name] for name in names] == [18, 0.5, 1 / 3, None, 0]
        assert ada["both_unanswered"] == 0
    embedding = rows["baseline:embedding"]
    assert embedding["pairs_both_orders"] == embedding["consistent_both_orders"] == 18
    assert (document["judgements"], document["unanswered"]) == (60 + 36, {"skipped": 12})


def test_agreement(run: Run) -> None:
    run("judge --judge baseline:embedding --pairs full")
    document = run("agreement")
    assert has(document, "alpha alpha_low alpha_high pairs groups majority notes", *STATISTIC)
    columns = "judge_1 judge_2 items verdicts agreement kappa low high"
    assert all(has(row, columns) for row in document["pairs"])
    # Ada and Ben answered the same in the same order on all three pairs of each of 6 items.
    (people,) = [row for row in document["pairs"] if row["group"] == "human-human"]
    found = [people[name] for name in ("items", "verdicts", "agreement", "kappa")]
    assert found == [6, 18, 1.0, 1.0]
    assert (document["alpha"], document["alpha_of"], document["units"]) == (1.0, "human", 18)


def test_accuracy(run: Run) -> None:
    run("judge --judge baseline:longer --pairs full")
    document = run("accuracy --against scores --debias swap")
    assert has(document, "rows systems notes", *STATISTIC)
    rows = {row["judge"]: row for row in document["rows"]}
    columns = "judge attribute comparisons accuracy low high accuracy_both_orders"
    assert all(has(row, columns) for row in rows.values())
    # The longest text has the most points in the human scores of every item.
    longer = rows["baseline:longer"]
    assert (longer["comparisons"], longer["accuracy"]) == (18, 1.0)
    plain = {row["judge"]: row for row in run("accuracy", "--against", "scores")["rows"]}
    assert plain["baseline:longer"]["accuracy_both_orders"] == 1.0


ALIKE = "item,left,right,winner,judge,text_a,text_b\n" + "".join(
    f"i{i},x,y,tie,{who},s,t\n" for i in (1, 2) for who in ("Ada", "Ben")
)


def test_people_are_not_shown_what_a_program_calls_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All ties, a judge alone, no scores: a dash or a sentence, never nan, None or nothing."""
    store = tmp_path / "s.sqlite3"
    for name, lines in (
        ("alike", ALIKE),
        ("alone", "".join(line for line in ALIKE.splitlines(True) if "Ben" not in line)),
    ):
        (tmp_path / f"{name}.csv").write_text(
            lines.replace("tie,A", "a,A") if name == "alone" else lines
        )
        assert (
            called(capsys, store, "import", str(tmp_path / f"{name}.csv"), "--dataset", name)[0]
            == 0
        )
    said = {
        (command, name): called(capsys, store, command, "--dataset", name)[1]
        for command in ("describe", "bias", "agreement")
        for name in ("alike", "alone")
    }
    for text in said.values():
        assert not re.search(r"\bnan\b|None|Empty DataFrame", text), text
    undefined = r"\balpha of people\b.*\bundefined\b.*\btie\b.*\b2 pairs\b"
    assert re.search(undefined, said["agreement", "alike"])
    assert said["agreement", "alone"].startswith("No two judges")
    *bare, err = called(capsys, store, "accuracy", "--dataset", "alone", "--against", "scores")
    assert bare == [2, ""]
    assert re.fullmatch(r"tandem: no scores\b.*'human'.*\bnobody\b.*\n", err)


def test_bias_shows_people_an_interval_of_every_share(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = called(capsys, target, "bias", "--judges", "human", "--show", "lengths")[1]
    heads = ("unanswered", "chose the first (95%)", "ties (95%)", "chose the longer (95%)")
    assert all(head in said for head in heads), said
