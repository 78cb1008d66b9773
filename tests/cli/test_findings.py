"""Commands about figures: rank, correlate, agreement, accuracy, bias, combine, and how they are printed."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from core import sample_study
from core.__main__ import main
from core.labels import shorten_judges
from core.statistics.ratings import RATINGS
from core.store import Store
from tests.cli.asked import STATISTIC, Call, Run, document, has, measure, refusal
from tests.cli.test_documented import find_undocumented
from tests.findings.combine.studies import begin

# ---- Commands about what judgements come to: rank, correlate


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


def test_correlate(run: Run) -> None:
    scores = "correlate --scores metric --against human --level"
    for words, constant in ((f"{scores} item", "drop"), (f"{scores} system", None)):
        assert run(words)["constant"] == constant
    zero = run(f"{scores} item --constant zero")
    assert (zero["constant"], zero["undefined_items"]) == ("zero", 0)
    # By hand: the longest text has the most points, and z > y > x in the human scores of every
    # item.
    run("judge", "--judge", "baseline:longer")
    found = run(
        "correlate --method win-ratio --judges baseline:longer --against human --level item"
    )
    assert (found["spearman"], found["items"], found["judgements"]) == (1.0, 6, 36)
    run("judge", "--judge", "baseline:bleu")  # no item has a reference
    found = run("correlate --scores baseline:bleu --against human --level pool")
    assert found["unanswered"] == {"no-reference": found["missing"]} == {"no-reference": 18}


def test_rank_votes_in_files_without_a_store(tmp_path: Path, call_on: Call) -> None:
    """By hand: x wins the first two, and the others are ties: 3 points of 4, and 1."""
    (tmp_path / "one.csv").write_text("item,left,right,says\n1,x,y,L\n2,y,x,R\n")
    (tmp_path / "two.csv").write_text("item,left,right,says\n3,x,y,0\n4,x,y,0\n5,x,y,?\n")
    store = tmp_path / "none.sqlite3"
    words = ("rank", "--votes", f"{tmp_path}/*.csv", "--map", "winner=says", "--first-wins", "L")
    codes = ("--second-wins", "R", "--tie", "0", "--method", "win-ratio")
    found = document(call_on, store, *words, *codes)
    assert {row["system"]: row["rating"] for row in found["rows"]} == {"x": 0.75, "y": 0.25}
    assert found["unanswered"] == {"unparsed": 1}
    assert found["position"]["p_first"] == 0.5  # of two, x first and x second
    assert any("--first-wins" in note for note in found["notes"])
    status, out, err = call_on(store, *words, *codes, "--by", "attribute")
    assert (status, "overall" in out) == (0, True), err
    assert not store.exists()


# ---- Commands about whom to trust: agreement, accuracy, bias


def test_bias(run: Run, call: Call) -> None:
    run("judge --judge baseline:embedding --pairs full")
    rows = {row["judge"]: row for row in run("bias")["rows"]}
    # By hand: "b" of x and y, "a" of y and z, a tie of z and x, in 6 items; x and z were skipped: z
    # and x were neither both answered nor both in vain.
    names = ("comparisons", "p_first", "first_share", "pairs_both_orders", "both_unanswered")
    assert [rows["Ada"][name] for name in names] == [18, 0.5, 1 / 3, 0, 0]
    assert rows["baseline:embedding"]["consistent_both_orders"] == 18
    said = call("bias", "--judges", "human", "--show", "lengths")[1]
    heads = ("unanswered", "chose the first (95%)", "ties (95%)", "chose the longer (95%)")
    assert all(head in said for head in heads), said


ALIKE = "item,left,right,winner,judge,text_a,text_b\n{}"


def test_people_are_not_shown_what_a_program_calls_nothing(tmp_path: Path, call_on: Call) -> None:
    """All ties, a judge alone, no scores: a dash or a sentence, never nan, None or nothing."""
    store, said = tmp_path / "s.sqlite3", {}
    for name, people, winner in (("alike", ("Ada", "Ben"), "tie"), ("alone", ("Ada",), "a")):
        rows = (f"i{i},x,y,{winner},{who},s,t\n" for i in (1, 2) for who in people)
        (tmp_path / f"{name}.csv").write_text(ALIKE.format("".join(rows)))
        assert call_on(store, "import", str(tmp_path / f"{name}.csv"), "--dataset", name)[0] == 0
        for command in ("describe", "bias", "agreement"):
            said[command, name] = text = call_on(store, command, "--dataset", name)[1]
            assert not re.search(r"\bnan\b|None|Empty DataFrame", text), text
    undefined = r"\balpha of people\b.*\bundefined\b.*\btie\b.*\b2 pairs\b"
    assert re.search(undefined, said["agreement", "alike"])
    assert said["agreement", "alone"].startswith("No two judges")
    err = refusal(call_on, store, "accuracy", "--dataset", "alone", "--against", "scores")
    assert re.fullmatch(r"tandem: no scores\b.*'human'.*\bnobody\b.*\n", err)


# ---- Calibrated probabilities from the command line, on votes whose making is known


STRENGTH = {"w": 0.9, "x": 0.3, "y": -0.3, "z": -0.9}
OVERSURE, DISCRIMINATION = 2.0, 1.6
"""What the log-odds of the judge are multiplied by: people are half as sure."""


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge in both orders of 40 items, with probabilities, and two people in one."""
    folder, rng = tmp_path_factory.mktemp("jury"), np.random.default_rng(1)
    rows: dict[str, list[tuple[Any, ...]]] = {"llm": [], "human": []}
    for item in range(40):
        own = {name: rng.normal() / 2 for name in STRENGTH}
        for a, b in permutations(STRENGTH, 2):
            apart = STRENGTH[a] - STRENGTH[b] + own[a] - own[b]
            p = expit(OVERSURE * (DISCRIMINATION * apart + rng.normal() / 2 + 0.2))
            rows["llm"].append((f"i{item}", a, b, "ba"[int(p > 0.5)], "sharp", round(p, 4)))
            for name in ("Ada", "Ben") if a < b else ():
                won = "ba"[int(rng.random() < expit(apart))]
                rows["human"].append((f"i{item}", a, b, won, name, None))
    for kind, of in rows.items():
        columns = ["item", "left", "right", "winner", "judge", "prob_a"]
        pd.DataFrame(of, columns=columns).to_csv(folder / f"{kind}.csv", index=False)
        words = ["import", str(folder / f"{kind}.csv"), "--dataset", "d", "--kind", kind]
        assert main(["--store", str(folder / "s.sqlite3"), *words]) == 0
    return folder / "s.sqlite3"


def test_calibrated_probabilities_are_those_of_people(panel: Path, call_on: Call) -> None:
    soft = ("--method", "bradley-terry-soft", "--judges", "sharp")
    spans = []
    for how in (soft, (*soft, "--calibrated", "temperature"), ("--method", "bradley-terry")):
        rows = document(call_on, panel, "rank --bootstrap 20", *how)["rows"]
        board = {row["system"]: row["rating"] for row in rows}
        spans.append(board["w"] - board["z"])
    assert spans[0] > 1.5 * spans[2]
    assert spans[1] == pytest.approx(spans[2], rel=0.25)
    for words, wrong in (
        ("win-ratio --judges sharp", r"--calibrated platt\b.*\bwin-ratio\b"),
        ("product-of-experts --judges sharp --debias swap",
         r"--calibrated platt\b.*--debias swap\b.*\bone of\b"),
        ("product-of-experts --judges human", "verdicts only"),
    ):  # fmt: skip
        asked = f"rank --calibrated platt --method {words}"
        assert re.search(wrong, refusal(call_on, panel, asked))


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
    found = document(call_on, sample, "agreement", *NEWS)
    status, out, _ = call_on(sample, "agreement", *NEWS)
    lead, table, end = out.strip().split("\n\n")
    assert status == 0
    assert lead.startswith("Simulated voters agree on ")
    assert len(table.splitlines()) == 1 + len(found["pairs"])
    *notes, more, foot = end.splitlines()
    own = [note for note in found["notes"] if shorten_judges(note) not in lead]
    assert notes == own[:2]
    assert foot.startswith(found["signature"])
    assert re.findall(r"--[a-z]+", more) == ["--show", "--notes"]
    _, whole, _ = call_on(sample, "agreement", *NEWS, "--notes", "--show", "all")
    assert all(shorten_judges(note) in whole for note in found["notes"])
    assert "More:" not in whole
    for name in ("groups", "judges", "majority"):
        assert f"\n\n{name}\n" in whole
        assert name in more


def test_a_long_table_is_cut_and_printed_whole_where_it_is_asked(
    sample: Path, call_on: Call
) -> None:
    asked = ("consistency", *NEWS, "--judges", "simulated")
    counted = len(document(call_on, sample, *asked)["rows"])
    assert counted > 25
    for more, shown in (((), 20), (("--show", "rows"), counted)):
        out = call_on(sample, *asked, *more)[1]
        assert len(re.findall(r"^news-\d+", out, re.MULTILINE)) == shown


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


ASKED = (
    (("combine",), "rows judges sentences notes", ("--method", "bradley-terry"), (
        "With 45 human votes and 1 judge, gamma leads with ",
        "combine|method:bradley-terry|people:human|resolve:together|over:items|judges:llm|",
    )),
    (("plan", "--top", "1"), "curve needed sentences notes", (), (
        "rank 1 at 95%", "plan|method:win-ratio|top:1|people:human|judges:llm|",
    )),
)  # fmt: skip


def test_combine_and_plan(path: Path, call_on: Call) -> None:
    for words, keys, more, parts in ASKED:
        found = document(call_on, path, *words)
        assert has(found, keys, *STATISTIC)
        assert find_undocumented(words[0], found) == []
        status, out, _ = call_on(path, *words, *more)
        assert status == 0
        assert all(part in out for part in parts)


def test_what_cannot_be_combined_names_the_option(path: Path, call_on: Call) -> None:
    for words, way in (
        ("combine --judges baseline", "name judges with --judges, of model"),
        ("combine --people gold", "say whose answers are the truth with --people"),
        ("combine --people model", "name people with --people"),
        ("plan --people gold", "say whose answers are the truth with --people"),
    ):
        assert way in refusal(call_on, path, words)
