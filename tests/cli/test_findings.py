"""Commands about figures: rank, correlate, agreement, accuracy, bias, combine, and how they are printed."""

from __future__ import annotations

import csv
import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from core import sample_study
from core.__main__ import main
from core.labels import shorten_judges
from core.statistics.ratings import RATINGS
from core.store import Store
from tests.cli.asked import STATISTIC, Call, Run, has, measure
from tests.cli.test_documented import find_undocumented
from tests.findings.combine.studies import begin

# ---- Commands about what judgements come to: rank, correlate


def test_rank(run: Run) -> None:
    document = run("rank --method win-ratio --bootstrap 20")
    assert has(document, "connected rows", *STATISTIC)
    columns = "system rating low high rank_low rank_high wins losses ties judgements"
    assert all(has(row, columns) for row in document["rows"])
    # By hand, of each person and item: y beats x, y beats z, z and x tie.
    ratings = {row["system"]: row["rating"] for row in document["rows"]}
    assert ratings == {"y": 1.0, "z": 0.25, "x": 0.25}
    assert document["connected"] is True
    assert (document["judgements"], document["unanswered"]) == (36, {"skipped": 12})
    for method in ("win-ratio", "bradley-terry", "elo"):
        document = run(f"rank --method {method} --by candidate --judges Ada --subset odd")
        assert has(document, "connected rows", *STATISTIC)
        assert len(document["rows"]) == 9
        assert all(has(row, "item generation system rating wins") for row in document["rows"])


NEEDS = {"sep-elo": ("--separability", "rouge1"), "length-controlled": ("--baseline", "y")}


def test_rank_by_every_method(run: Run, target: Path, subtests: pytest.Subtests) -> None:
    measure(target)
    run("judge --judge baseline:embedding --pairs full")
    for method in RATINGS:
        judges = "--judges baseline:embedding --bootstrap 20"
        words = (f"rank --method {method} {judges}", *NEEDS.get(method, ()))
        with subtests.test(method):
            if method == "pairs":
                run("judge --judge baseline:embedding --pairs pairs-greedy")
            plain = run(*words)
            assert len(plain["rows"]) == 3
            defined = {"y"} if method == "length-controlled" else set()
            assert {row["system"] for row in plain["rows"] if row["low"] is None} == defined
            assert plain["position_effect"] is None
            if RATINGS[method].position_effect:
                assert isinstance(run(*words, "--position-term")["position_effect"], float)
            debiased = () if method == "pairs" else ("swap", "threshold")
            for how in debiased:
                assert f"|debias:{how}|" in run(*words, "--debias", how)["signature"]
            level = "system" if RATINGS[method].learns else "item"  # of all items at once
            correlate = f"correlate --method {method} --judges baseline:embedding --against human"
            swap = ("--debias", "swap") if debiased else ()
            correlated = run(f"{correlate} --level {level}", *NEEDS.get(method, ()), *swap)
            assert -1 <= correlated["spearman"] <= 1


def test_why_separability_changes_a_rating_is_told_whole(
    run: Run, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(target)
    words = "rank --method sep-elo --separability rouge1 --bootstrap 20 --sep-threshold 0"
    why = {row["system"]: row["why"] for row in run(words)["rows"]}
    assert main(["--store", str(target), *words.split(), "--notes"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert all(f"{system}: {sentence}" in said for system, sentence in why.items())


def test_a_table_of_correlations(run: Run) -> None:
    run("judge", "--judge", "baseline:longer", "--pairs", "full")
    document = run("correlate", "--table", "win-ratio", "--against", "human", "--level", "item")
    assert has(document, "level", "rows", "averages", *STATISTIC)
    rows = {row["judge"]: row for row in document["rows"]}
    assert set(rows) == {"Ada", "Ben", "baseline:longer"}  # the metric's scores are people's, too
    assert (rows["baseline:longer"]["spearman"], rows["baseline:longer"]["judgements"]) == (1.0, 36)


def test_marks_that_failed_are_counted_beside_a_correlation(run: Run) -> None:
    run("judge", "--judge", "baseline:bleu")  # no item has a reference
    document = run("correlate --scores baseline:bleu --against human --level pool")
    assert set(document["unanswered"]) == {"no-reference"}
    assert document["unanswered"]["no-reference"] == document["missing"] == 18


def test_correlate(run: Run) -> None:
    numbers = "level spearman kendall pearson items undefined_items pair_accuracy pairs"
    for level in ("item", "system", "pool"):
        document = run("correlate", "--scores", "metric", "--against", "human", "--level", level)
        assert has(document, numbers, *STATISTIC)
        assert document["level"] == level
        assert document["constant"] == ("drop" if level == "item" else None)
    zero = run("correlate", "--scores", "metric", "--against", "human", "--level", "item", "--constant", "zero")  # fmt: skip
    assert (zero["constant"], zero["undefined_items"]) == ("zero", 0)
    # By hand: the longest text has the most points, and z > y > x in the human scores of every
    # item.
    run("judge", "--judge", "baseline:longer")
    by = "--method win-ratio --judges baseline:longer"
    document = run(f"correlate {by} --against human --level item")
    assert (document["spearman"], document["items"], document["judgements"]) == (1.0, 6, 36)


def test_rank_votes_in_files_without_a_store(tmp_path: Path, call_on: Call) -> None:
    """By hand: x wins the first two, and the others are ties: 3 points of 4, and 1."""
    (tmp_path / "one.csv").write_text("item,left,right,says\n1,x,y,L\n2,y,x,R\n")
    (tmp_path / "two.csv").write_text("item,left,right,says\n3,x,y,0\n4,x,y,0\n5,x,y,?\n")
    store = tmp_path / "none.sqlite3"
    words = ("rank", "--votes", f"{tmp_path}/*.csv", "--map", "winner=says", "--first-wins", "L")
    codes = ("--second-wins", "R", "--tie", "0", "--method", "win-ratio")
    status, out, err = call_on(store, *words, *codes, "--json")
    assert status == 0, err
    document = json.loads(out)
    assert {row["system"]: row["rating"] for row in document["rows"]} == {"x": 0.75, "y": 0.25}
    assert document["unanswered"] == {"unparsed": 1}
    assert document["position"]["p_first"] == 0.5  # of two, x first and x second
    assert any("--first-wins" in note for note in document["notes"])
    assert "⟦" not in out
    status, out, err = call_on(store, *words, *codes, "--by", "attribute")
    assert (status, "overall" in out) == (0, True), err
    assert not store.exists()


def test_rank_says_what_files_cannot(tmp_path: Path, call_on: Call) -> None:
    for words, sentence in [
        (("--votes", "none/*.parquet"), "no file matches 'none/*.parquet'"),
        (("--votes", "v.csv", "--dataset", "d"), "--dataset belongs to votes in a store"),
        (("--votes", "v.csv", "--by", "candidate"), "--by candidate belongs to votes in a store"),
        (("--votes", "v.csv", "--over-time"), "--over-time belongs to votes in a store"),
        (("--votes", "v.csv", "--method", "sep-elo"), "sep-elo"),
        (("--map", "winner=x"), "--map winner=x belongs to --votes: leave it out"),
    ]:
        status, out, err = call_on(tmp_path / "none.sqlite3", "rank", *words)
        assert (status, out) == (2, "")
        assert sentence in err
        assert err.count("\n") == 1


# ---- Commands about whom to trust: agreement, accuracy, bias


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


ALIKE = "item,left,right,winner,judge,text_a,text_b\n" + "".join(
    f"i{i},x,y,tie,{who},s,t\n" for i in (1, 2) for who in ("Ada", "Ben")
)


def test_people_are_not_shown_what_a_program_calls_nothing(tmp_path: Path, call_on: Call) -> None:
    """All ties, a judge alone, no scores: a dash or a sentence, never nan, None or nothing."""
    store = tmp_path / "s.sqlite3"
    for name, lines in (
        ("alike", ALIKE),
        ("alone", "".join(line for line in ALIKE.splitlines(True) if "Ben" not in line)),
    ):
        (tmp_path / f"{name}.csv").write_text(
            lines.replace("tie,A", "a,A") if name == "alone" else lines
        )
        assert call_on(store, "import", str(tmp_path / f"{name}.csv"), "--dataset", name)[0] == 0
    said = {
        (command, name): call_on(store, command, "--dataset", name)[1]
        for command in ("describe", "bias", "agreement")
        for name in ("alike", "alone")
    }
    for text in said.values():
        assert not re.search(r"\bnan\b|None|Empty DataFrame", text), text
    undefined = r"\balpha of people\b.*\bundefined\b.*\btie\b.*\b2 pairs\b"
    assert re.search(undefined, said["agreement", "alike"])
    assert said["agreement", "alone"].startswith("No two judges")
    *bare, err = call_on(store, "accuracy", "--dataset", "alone", "--against", "scores")
    assert bare == [2, ""]
    assert re.fullmatch(r"tandem: no scores\b.*'human'.*\bnobody\b.*\n", err)


def test_bias_shows_people_an_interval_of_every_share(call: Call) -> None:
    said = call("bias", "--judges", "human", "--show", "lengths")[1]
    heads = ("unanswered", "chose the first (95%)", "ties (95%)", "chose the longer (95%)")
    assert all(head in said for head in heads), said


# ---- Calibrated probabilities from the command line, on votes whose making is known


SYSTEMS, ITEMS = ("w", "x", "y", "z"), 40
STRENGTH = dict(zip(SYSTEMS, (0.9, 0.3, -0.3, -0.9), strict=True))
JUDGES = {"sharp": 1.6, "fair": 1.0, "coin": 0.0}
"""Discriminations: who is how much to be relied on."""
OVERSURE = 2.0
"""What the log-odds of every judge are multiplied by: people are half as sure."""


def _answers() -> dict[str, list[tuple[Any, ...]]]:
    """Of each file its rows: judges in both orders, with probabilities, and two people in one."""
    rng = np.random.default_rng(1)
    rows: dict[str, list[tuple[Any, ...]]] = {"llm": [], "human": []}
    for item in range(ITEMS):
        own = {name: rng.normal() / 2 for name in SYSTEMS}
        for a, b in permutations(SYSTEMS, 2):
            apart = STRENGTH[a] - STRENGTH[b] + own[a] - own[b]
            for name, d in JUDGES.items():
                p = expit(OVERSURE * (d * apart + rng.normal() / 2 + 0.2))
                rows["llm"].append((f"i{item}", a, b, "a" if p > 0.5 else "b", name, round(p, 4)))
            for name in ("Ada", "Ben"):
                if a < b:
                    won = rng.random() < expit(apart)
                    rows["human"].append((f"i{item}", a, b, "a" if won else "b", name, ""))
    return rows


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jury")
    for kind, rows in _answers().items():
        with (folder / f"{kind}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["item", "left", "right", "winner", "judge", "prob_a"])
            writer.writerows(rows)
        words = ["import", str(folder / f"{kind}.csv"), "--dataset", "d", "--kind", kind]
        assert main(["--store", str(folder / "s.sqlite3"), *words]) == 0
    return folder / "s.sqlite3"


@pytest.fixture
def said(panel: Path, call_on: Call) -> Run:
    def said(*words: str) -> Any:
        status, out, err = call_on(panel, *words, "--json")
        assert status == 0, err
        return json.loads(out)

    return said


@pytest.fixture
def refused(panel: Path, call_on: Call) -> Run:
    def refused(*words: str) -> str:
        status, out, err = call_on(panel, *words)
        assert (status, out) == (2, ""), (status, out)
        assert err.count("\n") == 1
        return err

    return refused


RANK = ("rank", "--bootstrap", "20")


def test_calibrated_probabilities_are_those_of_people(said: Run, refused: Run) -> None:
    method = ("--method", "bradley-terry-soft", "--judges", "sharp")
    plain, calibrated = (
        {row["system"]: row["rating"] for row in said(*RANK, *method, *more)["rows"]}
        for more in ((), ("--calibrated", "temperature"))
    )
    people = {
        row["system"]: row["rating"] for row in said(*RANK, "--method", "bradley-terry")["rows"]
    }
    spans = [board["w"] - board["z"] for board in (plain, calibrated, people)]
    assert spans[0] > 1.5 * spans[2]
    assert spans[1] == pytest.approx(spans[2], rel=0.25)
    wrong = refused("rank", "--method", "win-ratio", "--calibrated", "platt", "--judges", "sharp")
    assert re.search(r"--calibrated platt\b.*\bwin-ratio\b", wrong)
    both = ("--calibrated", "platt", "--debias", "swap", "--judges", "sharp")
    assert re.search(
        r"--calibrated platt\b.*--debias swap\b.*\bone of\b",
        refused("rank", "--method", "product-of-experts", *both),
    )
    nobody = ("--calibrated", "platt", "--judges", "human")
    assert "verdicts only" in refused("rank", "--method", "product-of-experts", *nobody)


# ---- What a command prints of a finding: what it says, one table, two notes; more where it is
# asked


NEWS = ("--dataset", "sample-news")
LONG = re.compile(r"local:smollm2-[0-9a-f]{8}")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "store.sqlite3"
    with Store(path) as store:
        sample_study.load(store)
    return path


def test_a_finding_is_a_sentence_a_table_and_two_notes(sample: Path, call_on: Call) -> None:
    _, out, _ = call_on(sample, "agreement", *NEWS, "--json")
    document = json.loads(out)
    status, out, _ = call_on(sample, "agreement", *NEWS)
    lead, table, end = out.strip().split("\n\n")
    assert status == 0
    assert lead.startswith("Simulated voters agree on ")
    assert len(table.splitlines()) == 1 + len(document["pairs"])
    *notes, more, foot = end.splitlines()
    own = [note for note in document["notes"] if shorten_judges(note) not in lead]
    assert notes == own[:2]
    assert foot.startswith(document["signature"])
    assert re.findall(r"--[a-z]+", more) == ["--show", "--notes"]
    _, whole, _ = call_on(sample, "agreement", *NEWS, "--notes", "--show", "all")
    assert all(shorten_judges(note) in whole for note in document["notes"])
    assert "More:" not in whole
    for name in ("groups", "judges", "majority"):
        assert f"\n\n{name}\n" in whole
        assert name in more


def test_a_long_table_is_cut_and_printed_whole_where_it_is_asked(
    sample: Path, call_on: Call
) -> None:
    asked = ("consistency", *NEWS, "--judges", "simulated")
    counted = len(json.loads(call_on(sample, *asked, "--json")[1])["rows"])
    cut, whole = (
        re.findall(r"^news-\d+", call_on(sample, *asked, *more)[1], re.MULTILINE)
        for more in ((), ("--show", "rows"))
    )
    assert (len(cut), len(whole)) == (20, counted)
    assert counted > 25


def test_a_table_that_is_not_there_is_refused_with_those_that_are(
    sample: Path, call_on: Call
) -> None:
    status, out, err = call_on(sample, "agreement", *NEWS, "--show", "votes")
    assert (status, out) == (2, "")
    assert re.search(r"--show votes\b.*\brows, .*\bgroups\b.*\ball\b", err)


def test_judges_have_short_names_that_options_take(sample: Path, call_on: Call) -> None:
    _, out, _ = call_on(sample, "bias", *NEWS)
    assert "smollm2 · classifier" in out
    assert not LONG.search(out)
    asked = ("bias", *NEWS, "--json", "--judges")
    by_short = call_on(sample, *asked, "smollm2 · classifier")[1]
    [judge] = {row["judge"] for row in json.loads(by_short)["rows"]}
    assert LONG.match(judge)
    assert by_short == call_on(sample, *asked, judge)[1]


# ---- Commands about people and judges together


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "together.sqlite3") as store:
        begin(store)
    return tmp_path / "together.sqlite3"


def test_combine(path: Path, call_on: Call) -> None:
    status, out, err = call_on(path, "combine", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert has(document, "rows", "judges", "sentences", "notes", *STATISTIC)
    assert find_undocumented("combine", document) == []
    status, out, _ = call_on(path, "combine", "--method", "bradley-terry")
    assert status == 0
    assert out.startswith("With 45 human votes and 1 judge, gamma leads with ")
    assert (
        "combine|method:bradley-terry|people:human|resolve:together|over:items|judges:llm|" in out
    )


def test_plan(path: Path, call_on: Call) -> None:
    asked = ("plan", "--top", "1")
    status, out, err = call_on(path, *asked, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert has(document, "curve", "needed", "sentences", "notes", *STATISTIC)
    assert find_undocumented("plan", document) == []
    status, out, _ = call_on(path, *asked)
    assert status == 0
    assert "rank 1 at 95%" in out
    assert "plan|method:win-ratio|top:1|level:0.95|people:human|judges:llm|" in out
    for words, said in (
        (["--level", "0.2"], "--level 0.2 is not between 0.5 and 1"),
        (["--people", "gold"], "say whose answers are the truth with --people"),
    ):
        status, out, err = call_on(path, "plan", *words)
        assert (status, out) == (2, "")
        assert said in err


def test_what_cannot_be_combined_names_the_option(path: Path, call_on: Call) -> None:
    for words, way in (
        (["--judges", "baseline"], "name judges with --judges, of model"),
        (["--people", "gold"], "say whose answers are the truth with --people"),
        (["--people", "model"], "name people with --people"),
    ):
        status, out, err = call_on(path, "combine", *words)
        assert (status, out) == (2, "")
        assert way in err
