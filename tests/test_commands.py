"""The command line: every command's document, what is refused, and what is left behind. `docs/cli.md` says it in words."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import baselines, commands, locks, planning, runs
from core.__main__ import main, parser
from core.commands import following
from core.commands.command import Command
from core.judging import make_judge
from core.records import Generation, Status
from core.similarity import make_metric
from core.statistics.ratings import RATINGS
from core.store import Store
from core.store.similarities import Chosen
from tests import study

ROOT = Path(__file__).parents[1]
Run = Callable[..., Any]

GENERATIONS = "item,subset,context,system,text,score:coherence,score:metric:coherence\n" + "".join(
    f"i{i},{'odd' if i % 2 else 'even'},C{i},{s},{' '.join([s] * (n + 1))} {i},{n + i % 2},{n * 0.5}\n"
    for i in range(6)
    for n, s in enumerate("xyz")
)
VOTES = "item,left,right,winner,judge,attribute,failure\n" + "".join(
    f"i{i},{a},{b},{w},{who},coherence,{f}\n"
    for who in ("Ada", "Ben")
    for i in range(6)
    for a, b, w, f in (("x", "y", "b", ""), ("y", "z", "a", ""), ("z", "x", "tie", ""), ("x", "z", "", "skipped"))
)


def called(capsys: pytest.CaptureFixture[str], store: Path, *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    try:
        status = main(["--store", str(store), *words])
    except SystemExit as left:  # --help
        status = int(left.code or 0)
    return status, *capsys.readouterr()


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with texts, scores, votes of two people, and a baseline's judgements."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "g.csv").write_text(GENERATIONS)
    (folder / "v.csv").write_text(VOTES)
    store = folder / "store.sqlite3"
    for words in (
        ["import", str(folder / "g.csv"), str(folder / "v.csv"), "--dataset", "d"],
        ["judge", "--judge", "baseline:longer", "--pairs", "symmetric", "--budget", "4"],
    ):
        assert main(["--store", str(store), *words]) == 0
    return store


@pytest.fixture
def target(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "store.sqlite3"))


@pytest.fixture
def run(target: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command with --json that is expected to work: its document."""

    def run(*words: str) -> Any:
        status, out, err = called(capsys, target, *words, "--json")
        assert status == 0, err
        assert out.endswith("\n")
        assert out.count("\n") == 1
        return json.loads(out, parse_constant=refuse_constant)

    return run


def has(document: dict[str, Any], *names: str) -> bool:
    missing = set(names) - set(document)
    assert not missing
    return True


STATISTIC = ("signature", "judgements", "unanswered")


def test_import(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(GENERATIONS + "i0,even,C0,x,other,,\n")
    document = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    counts = ("items", "systems", "generations", "attributes", "scores", "judges", "comparisons", "judgements")
    assert has(document, "dataset", *counts, "added", "skipped")
    assert [document[name] for name in counts] == [6, 3, 18, 1, 36, 2, 0, 0]
    # its raters are known: judges are the same in all data sets
    assert document["added"] == {**{name: document[name] for name in counts}, "judges": 0}
    assert [set(one) for one in document["skipped"]] == [{"row", "reason"}]
    again = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    assert again["added"] == dict.fromkeys(counts, 0)
    assert again["items"] == 6


def test_several_maps(run: Run, tmp_path: Path) -> None:
    """--map once with several, and several times."""
    (tmp_path / "g.csv").write_text("Nr,Wer,Was\n1,x,a\n1,y,b\n")
    once = run("import", str(tmp_path / "g.csv"), "--dataset", "once", "--map", "item=Nr", "system=Wer", "text=Was")
    words = ("--map", "item=Nr", "--map", "system=Wer", "--map", "text=Was")
    assert run("import", str(tmp_path / "g.csv"), "--dataset", "twice", *words)["added"] == once["added"]


def test_the_name_of_a_data_set_has_no_spaces_around_it(run: Run, tmp_path: Path, target: Path, capsys: Any) -> None:
    (tmp_path / "g.csv").write_text("item,system,text\n1,x,a\n1,y,b\n")
    assert run("import", str(tmp_path / "g.csv"), "--dataset", " case ")["dataset"] == "case"
    assert [one["dataset"] for one in run("datasets")] == ["d", "case"]
    for command in (["describe"], ["judge", "--judge", "baseline:longer"]):
        status, _, err = called(capsys, target, *command, "--dataset", "case", "--subset", "zz")
        assert status == 2
        assert "no subsets" in err


def test_datasets(run: Run) -> None:
    run("judge", "--judge", "baseline:longer")  # all 6 orders of each item
    (document,) = run("datasets")
    assert document == {
        "dataset": "d", "items": 6, "systems": 3, "generations": 18, "attributes": 1, "scores": 36, "judges": 5,
        "comparisons": 36, "judgements": 48 + 36,
    }  # fmt: skip


def test_describe(run: Run) -> None:
    document = run("describe")
    assert has(document, "scores", "outcomes", "ties", *STATISTIC)
    assert all(has(row, "system", "attribute", "rater", "n", "mean") for row in document["scores"])
    [human] = [row for row in document["scores"] if (row["system"], row["rater"]) == (None, "human")]
    assert (human["attribute"], human["n"], human["mean"]) == ("coherence", 18, 1.5)
    assert human["low"] is None or human["low"] < 1.5 < human["high"]
    rows = {row["judge"]: row for row in document["outcomes"]}
    assert all(has(row, "judge", "attribute", "a", "b", "tie", "both_bad", "failed") for row in rows.values())
    assert [rows["Ada"][name] for name in ("a", "b", "tie", "both_bad", "failed")] == [6, 6, 6, 0, 6]
    assert (document["judgements"], document["unanswered"]) == (60, {"skipped": 12})


def test_judge_and_again(run: Run) -> None:
    words = ("judge", "--judge", "baseline:random", "--pairs", "full", "--attribute", "coherence", "--seed", "3")
    first = run(*words, "--limit", "10")
    names = (
        "run",
        "judge",
        "planned",
        "done",
        "failed",
        "already_there",
        "seconds",
        "comparisons_per_second",
        "tokens",
        "cost",
    )
    assert has(first, *names)
    assert [first[name] for name in ("planned", "done", "failed", "already_there")] == [36, 10, {}, 0]
    second = run(*words)
    assert [second[name] for name in ("run", "planned", "done", "already_there")] == [first["run"], 36, 36, 10]
    third = run(*words)
    assert [third[name] for name in ("planned", "done", "already_there")] == [36, 36, 36]


def test_what_another_run_asked_is_already_there(run: Run) -> None:
    """The fixture's run asked both orders of two pairs of each item."""
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert [document[name] for name in ("planned", "done", "already_there")] == [36, 36, 24]


def test_runs(run: Run) -> None:
    document = run("runs")
    assert {one["kind"] for one in document} == {"run", "campaign"}
    assert all(has(one, "run", "kind", "status", "planned", "done", "failed") for one in document)
    (of_judge,) = [one for one in document if one["kind"] == "run"]
    assert [of_judge[name] for name in ("status", "planned", "done", "failed")] == ["done", 24, 24, 0]


def test_rank(run: Run) -> None:
    document = run("rank", "--method", "win-ratio", "--bootstrap", "20")
    assert has(document, "connected", "rows", *STATISTIC)
    columns = ("system", "rating", "low", "high", "rank_low", "rank_high", "wins", "losses", "ties", "judgements")
    assert all(has(row, *columns) for row in document["rows"])
    # By hand, of each person and item: y beats x, y beats z, z and x tie.
    assert {row["system"]: row["rating"] for row in document["rows"]} == {"y": 1.0, "z": 0.25, "x": 0.25}
    assert document["connected"] is True
    assert (document["judgements"], document["unanswered"]) == (36, {"skipped": 12})


@pytest.mark.parametrize("method", ["win-ratio", "bradley-terry", "elo"])
def test_rank_by_candidate(run: Run, method: str) -> None:
    document = run("rank", "--method", method, "--by", "candidate", "--judges", "Ada", "--subset", "odd")
    assert has(document, "connected", "rows", *STATISTIC)
    assert len(document["rows"]) == 9
    assert all(has(row, "item", "generation", "system", "rating", "wins") for row in document["rows"])


NEEDS = {"sep-elo": ("--separability", "rouge1")}


def measure(path: Path) -> None:
    """A second sample of every text, and how similar the texts are."""
    with Store(path) as store:
        texts = store.generations("d")
        again = [Generation(row.item, row.system, 1, f"{row.text} too") for row in texts.itertuples()]
        with store.transaction():
            store.add_generations("d", again)
        study.measure(store, Chosen("d"), make_metric("rouge1"))


@pytest.mark.parametrize("method", RATINGS)
def test_rank_by_every_method(run: Run, target: Path, method: str) -> None:
    run("judge", "--judge", "baseline:embedding", "--pairs", "pairs-greedy" if method == "pairs" else "full")
    if method in NEEDS:
        measure(target)
    words = (*NEEDS.get(method, ()), "--method", method, "--judges", "baseline:embedding", "--bootstrap", "5")
    plain = run("rank", *words)
    assert len(plain["rows"]) == 3
    assert all(row["low"] is not None for row in plain["rows"])
    assert plain["position_effect"] is None
    if RATINGS[method].position_effect:
        assert isinstance(run("rank", *words, "--position-term")["position_effect"], float)
    debiased = () if method == "pairs" else ("swap", "threshold")
    for how in debiased:
        assert f"|debias:{how}|" in run("rank", *words, "--debias", how)["signature"]
    swap = ("--debias", "swap") if debiased else ()
    correlated = run("correlate", *words[:-2], "--against", "human", "--level", "item", *swap)
    assert -1 <= correlated["spearman"] <= 1


def test_judge_items_by_separability(run: Run, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(target)
    words = (
        "judge",
        "--judge",
        "baseline:random",
        "--items-by",
        "proportional",
        "--separability",
        "rouge1",
        "--items",
        "2",
    )
    document = run(*words)
    assert document["planned"] == document["done"] == 2 * 6  # 3 systems: 6 ordered pairs an item
    assert run(*words)["already_there"] == 12
    for wrong, said in (
        (words[:5], "--items-by needs --separability METRIC"),
        (words[:7], "say how many"),
        (("judge", "--judge", "baseline:random", "--from", "0.5"), "--from 0.5 belongs to --items-by order|range|"),
        ((*words[:6], "bleu", "--items", "2"), "no bleu similarities of 'd' have been measured"),
        ((*words, "--from", "0.9"), "nothing has a separability from 0.9 to 1"),
    ):
        status, out, err = called(capsys, target, *wrong)
        assert (status, out) == (2, "")
        assert said in err


def test_bias(run: Run) -> None:
    run("judge", "--judge", "baseline:embedding", "--pairs", "full")
    columns = (
        "judge", "attribute", "comparisons", "p_first", "low", "high", "first_share", "mean_prob_first", "pairs_both_orders",
        "consistent_both_orders", "both_unanswered", "tau", "alpha", "p_first_after",
    )  # fmt: skip
    for how in ("none", "swap", "threshold"):
        document = run("bias", "--debias", how)
        assert has(document, "rows", "notes", *STATISTIC)
        rows = {row["judge"]: row for row in document["rows"]}
        assert all(has(row, *columns) for row in rows.values())
        # By hand: "b" of x and y, "a" of y and z, a tie of z and x, in 6 items; x and z were skipped.
        ada = [rows["Ada"][name] for name in ("comparisons", "p_first", "first_share", "tau", "pairs_both_orders")]
        assert ada == [18, 0.5, 1 / 3, None, 0]
        # z and x were tied one way and skipped the other way round: neither both answered nor both in vain.
        assert rows["Ada"]["both_unanswered"] == 0
    assert rows["baseline:embedding"]["pairs_both_orders"] == rows["baseline:embedding"]["consistent_both_orders"] == 18
    assert (document["judgements"], document["unanswered"]) == (60 + 36, {"skipped": 12})


def test_agreement(run: Run) -> None:
    run("judge", "--judge", "baseline:embedding", "--pairs", "full")
    document = run("agreement", "--bootstrap", "20")
    assert has(document, "alpha", "alpha_low", "alpha_high", "pairs", "groups", "majority", "notes", *STATISTIC)
    columns = ("judge_1", "judge_2", "items", "verdicts", "agreement", "kappa", "low", "high")
    assert all(has(row, *columns) for row in document["pairs"])
    # Ada and Ben answered the same in the same order on all three pairs of each of 6 items.
    (people,) = [row for row in document["pairs"] if row["group"] == "human-human"]
    assert (people["items"], people["verdicts"], people["agreement"], people["kappa"]) == (6, 18, 1.0, 1.0)
    assert (document["alpha"], document["alpha_of"], document["units"]) == (1.0, "human", 18)


def test_accuracy(run: Run) -> None:
    run("judge", "--judge", "baseline:longer", "--pairs", "full")
    document = run("accuracy", "--against", "scores", "--debias", "swap")
    assert has(document, "rows", "systems", "notes", *STATISTIC)
    rows = {row["judge"]: row for row in document["rows"]}
    columns = ("judge", "attribute", "comparisons", "accuracy", "low", "high", "accuracy_both_orders")
    assert all(has(row, *columns) for row in rows.values())
    # The longest text has the most points in the human scores of every item.
    assert (rows["baseline:longer"]["comparisons"], rows["baseline:longer"]["accuracy"]) == (18, 1.0)
    plain = {row["judge"]: row for row in run("accuracy", "--against", "scores")["rows"]}
    assert plain["baseline:longer"]["accuracy_both_orders"] == 1.0


def test_a_table_of_correlations(run: Run) -> None:
    run("judge", "--judge", "baseline:longer", "--pairs", "full")
    document = run("correlate", "--table", "win-ratio", "--against", "human", "--level", "item")
    assert has(document, "level", "rows", "averages", *STATISTIC)
    rows = {row["judge"]: row for row in document["rows"]}
    assert set(rows) == {"Ada", "Ben", "baseline:longer"}  # the metric's scores are told as people's, too
    assert (rows["baseline:longer"]["spearman"], rows["baseline:longer"]["judgements"]) == (1.0, 36)


def test_marks_that_failed_are_counted_beside_a_correlation(run: Run) -> None:
    run("judge", "--judge", "baseline:bleu")  # no item has a reference
    document = run("correlate", "--scores", "baseline:bleu", "--against", "human", "--level", "pool")
    assert set(document["unanswered"]) == {"no-reference"}
    assert document["unanswered"]["no-reference"] == document["missing"] == 18


def test_correlate(run: Run) -> None:
    numbers = ("level", "spearman", "kendall", "pearson", "items", "undefined_items", "pair_accuracy", "pairs")
    for level in ("item", "system", "pool"):
        document = run("correlate", "--scores", "metric", "--against", "human", "--level", level)
        assert has(document, *numbers, *STATISTIC)
        assert document["level"] == level
    # By hand: the longest text has the most points, and z > y > x in the human scores of every item.
    run("judge", "--judge", "baseline:longer")
    words = (
        "correlate",
        "--method",
        "win-ratio",
        "--judges",
        "baseline:longer",
        "--against",
        "human",
        "--level",
        "item",
    )
    document = run(*words)
    assert (document["spearman"], document["items"], document["judgements"]) == (1.0, 6, 36)


@pytest.mark.parametrize("what", ["judgements", "generations", "leaderboard", "preferences"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_export(run: Run, tmp_path: Path, what: str, suffix: str) -> None:
    document = run("export", "--what", what, "--to", str(tmp_path / f"out{suffix}"))
    # 72 judgements; of the people's 24 decisive, of the baseline's all
    assert document == {"rows": {"judgements": 72, "generations": 18, "leaderboard": 3, "preferences": 48}[what],
                        "file": str(tmp_path / f"out{suffix}")}  # fmt: skip
    assert (tmp_path / f"out{suffix}").stat().st_size > 100


def test_backup_and_check(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = run("backup", "--to", str(tmp_path / "copy.sqlite3"))
    assert has(document, "file", "bytes", "judgements")
    assert (document["judgements"], document["bytes"]) == (72, (tmp_path / "copy.sqlite3").stat().st_size)
    assert run("check")["ok"] is True
    # checked for real: a count that is off
    with Store(tmp_path / "copy.sqlite3") as broken:
        broken.execute("UPDATE tally SET count = count + 1")
    status, out, err = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"], err) == (1, False, "")
    with Store(tmp_path / "copy.sqlite3") as broken:
        broken.execute("UPDATE tally SET count = count - 1")
    status, out, _ = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)
    status, out, err = called(capsys, tmp_path / "copy.sqlite3", "backup", "--to", str(tmp_path / "copy.sqlite3"))
    assert (status, out) == (2, "")
    assert "exists already" in err


def test_worker(run: Run) -> None:
    assert run("worker", "--once") == {}


@pytest.mark.parametrize("command", ["datasets", "describe", "runs", "check"])
def test_without_json_it_is_for_people(target: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, _ = called(capsys, target, command)
    assert status == 0
    assert len(out.splitlines()) >= 1
    assert not out.startswith(("{", "["))


def test_tables_for_people(target: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = called(capsys, target, "rank", "--method", "win-ratio", "--bootstrap", "0")
    assert out.splitlines()[0].split() == [
        "system", "rating", "low", "high", "rank", "rank_low", "rank_high", "wins", "losses", "ties", "judgements", "tied_with",
    ]  # fmt: skip
    assert out.splitlines()[-1].endswith("36 used, unanswered: 12 skipped")
    (tmp_path / "v.csv").write_text("left,right,winner\n" + "x,y,a\n" + "x,y,nobody\n" * 25)
    _, out, _ = called(capsys, target, "import", str(tmp_path / "v.csv"), "--dataset", "new")
    assert "25 of 26 rows skipped:" in out
    assert "  row 2: the winner 'nobody'" in out
    assert "and 5 more; --json lists all" in out
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "ids.txt").write_text("18\n")
    for name in "ab":
        (tmp_path / "folder" / f"{name}.csv").write_text("left,right,winner\nx,y,a\n")
    _, out, _ = called(capsys, target, "import", str(tmp_path / "folder"), "--dataset", "whole")
    assert out.splitlines()[0] == "a.csv and 1 more: read as votes, one comparison a row"
    assert out.splitlines()[1].startswith("left out: ids.txt is plain text")


# ---- refused: one line on standard error, status 2, nothing written

REFUSED = {
    "no command": ([], "the following arguments are required: COMMAND"),
    "an unknown command": (["rnak"], "invalid choice: 'rnak'"),
    "an unknown option": (["datasets", "--jsno"], "--jsno"),
    "an unknown data set": (["describe", "--dataset", "e"], "unknown data set 'e'; there are: d"),
    "an unknown attribute": (["describe", "--attribute", "taste"], "unknown attribute 'taste'; there are: coherence"),
    "an unknown subset": (["describe", "--subset", "s"], "unknown subset 's'; there are: even, odd"),
    "an unknown system": (["rank", "--method", "elo", "--systems", "w"], "unknown system 'w'; there are: x, y, z"),
    "an unknown judge": (["rank", "--method", "elo", "--judges", "Bob"], "no judgements by 'Bob' here; there are some by Ada"),
    "a kind without judgements": (["rank", "--method", "elo", "--judges", "gold"], "choose with --judges baseline, human"),
    "an unknown method": (["rank", "--method", "eloo"], "invalid choice: 'eloo'"),
    "no method": (["rank"], "the following arguments are required: --method"),
    "ties that a method has not": (["rank", "--method", "elo", "--ties", "model"], "--ties model belongs to bradley-terry"),
    "a negative bootstrap": (["rank", "--method", "elo", "--bootstrap", "-5"], "--bootstrap"),
    "a negative k": (["rank", "--method", "elo", "--k", "-1"], "--k -1 should be a number above 0"),
    "no k": (["rank", "--method", "elo", "--k", "0"], "--k 0 should be a number above 0"),
    "an endless k": (["rank", "--method", "elo", "--k", "inf"], "--k inf should be a number above 0"),
    "one system to rank": (["rank", "--method", "elo", "--systems", "x"], "--systems x is one system, and a comparison needs"),
    "a negative seed": (["rank", "--method", "elo", "--seed", "-1"], "--seed"),
    "a seed that is a word": (["rank", "--method", "elo", "--seed", "x"], "'x' is not a whole number"),
    "probabilities nobody gave": (["rank", "--method", "average-probability"], "give no probabilities, only decisions"),
    "ties of a method of probabilities": (
        ["rank", "--method", "bradley-terry-soft", "--ties", "drop"], "bradley-terry-soft counts probabilities",
    ),
    "soft strengths without probabilities": (["rank", "--method", "bradley-terry-soft"], "give no probabilities, only decisions"),
    "a position term in a share": (
        ["rank", "--method", "win-ratio", "--position-term"],
        "--position-term belongs to --method bradley-terry, bradley-terry-soft or product-of-experts, not to win-ratio",
    ),
    "position taken out twice": (
        ["rank", "--method", "bradley-terry", "--position-term", "--debias", "swap"], "both take out the effect",
    ),
    "a position term and ties of their own": (
        ["rank", "--method", "bradley-terry", "--position-term", "--ties", "model"], "not fitted together",
    ),
    "experts elsewhere": (
        ["rank", "--method", "elo", "--experts", "probability"], "--experts probability belongs to --method product-of-experts",
    ),
    "an unknown way to debias": (["bias", "--debias", "half"], "invalid choice: 'half'"),
    "a threshold without probabilities": (
        ["rank", "--method", "elo", "--debias", "threshold", "--judges", "Ada"], "these judges give only decisions",
    ),
    "bias by threshold without probabilities": (["bias", "--debias", "threshold", "--judges", "Ada"], "moves probabilities"),
    "a swap without both orders": (
        ["rank", "--method", "elo", "--debias", "swap", "--systems", "x", "y"], "in both orders, and there are none",
    ),
    "debiased scores": (
        ["correlate", "--scores", "metric", "--against", "human", "--level", "pool", "--debias", "swap"],
        "--debias swap belongs to judgements (--method or --table), not to metric",
    ),
    "scores nobody gave": (["correlate", "--scores", "Bob", "--against", "human", "--level", "pool"], "no scores by 'Bob' here"),
    "scores and ratings": (
        ["correlate", "--scores", "a", "--method", "elo", "--against", "b", "--level", "pool"], "not allowed with",
    ),
    "neither": (["correlate", "--against", "b", "--level", "pool"], "one of the arguments --method --scores --table is required"),
    "an unknown truth": (["accuracy", "--against", "silver"], "invalid choice: 'silver'"),
    "no gold": (["accuracy", "--against", "gold"], "no gold label is stored for these pairs"),
    "no similarities": (["agreement", "--by-separability", "rouge1"], "no rouge1 similarities of 'd' have been measured"),
    "a table of Elo": (["correlate", "--table", "elo", "--against", "human", "--level", "item"], "invalid choice: 'elo'"),
    "an unknown judge SPEC": (["judge", "--judge", "baseline:shorter"], "longer"),
    "a judge without family": (["judge", "--judge", "longer"], "unknown judge 'longer'"),
    "an unknown mode": (["judge", "--judge", "hf:x", "--mode", "guess"], "unknown mode 'guess'"),
    "an unknown strategy": (["judge", "--judge", "baseline:longer", "--pairs", "some"], "invalid choice: 'some'"),
    "an odd symmetric budget": (
        ["judge", "--judge", "baseline:longer", "--pairs", "symmetric", "--budget", "3"], "should be even",
    ),
    "a budget of all": (["judge", "--judge", "baseline:longer", "--budget", "4"], "--budget 4 belongs to strategies that choose"),
    "no budget at all": (["judge", "--judge", "baseline:longer", "--budget", "0"], "--budget: '0' is not a whole number from 1"),
    **{
        f"{option} {value[:21]}": (
            [*{"--bootstrap": ["rank", "--method", "elo"], "--cancel": ["runs"], "--resume": ["runs"]}.get(
                option, ["judge", "--judge", "baseline:longer"]), option, value],
            f"{option}: '{value[:40]}' is not a whole number from {int(option not in ('--trial', '--seed', '--bootstrap'))} to",
        )
        for option in ("--budget", "--trial", "--samples", "--seed", "--limit", "--bootstrap", "--cancel", "--resume")
        for value in ("99999999999999999999", "2147483648", "-1", "1.5", "9" * 5000)
    },
    "no limit at all": (["judge", "--judge", "baseline:longer", "--limit", "0"], "--limit: '0' is not a whole number from 1"),
    "an unknown prompt": (["judge", "--judge", "hf:x", "--prompt", "p"], "unknown prompt 'p'; there are"),
    "a prompt file that is not there": (["judge", "--judge", "hf:x", "--prompt-file", "/nowhere.txt"], "/nowhere.txt"),
    "one system to compare": (["judge", "--judge", "baseline:longer", "--systems", "x"], "no pair of two systems' texts"),
    "an unknown run": (["runs", "--cancel", "99"], "run 99 is not queued or running"),
    "a run that is done": (["runs", "--resume", "2"], "run 2 is not cancelled or failed"),
    "no file": (["import", "/nowhere.csv", "--dataset", "e"], "/nowhere.csv"),
    "no name": (["import", "/etc/hostname"], "--dataset"),
    "half a map": (["import", "/etc/hostname", "--dataset", "e", "--map", "item"], "--map item should be FIELD=COLUMN"),
    "an unknown format": (["import", "/etc/hostname", "--dataset", "e", "--format", "xml"], "invalid choice: 'xml'"),
    "an export of nothing known": (["export", "--what", "votes", "--to", "/tmp/a.csv"], "invalid choice: 'votes'"),
    "an unknown suffix": (["export", "--what", "judgements", "--to", "/tmp/a.xlsx"], "let it end in"),
    "a folder that is not there": (["export", "--what", "judgements", "--to", "/nowhere/a.csv"], "there is no folder /nowhere"),
    "a backup into nowhere": (["backup", "--to", "/nowhere/a.sqlite3"], "there is no folder /nowhere"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_request(case: str, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, said = REFUSED[case]
    before = target.read_bytes()
    status, out, err = called(capsys, target, *words, *(["--json"] if words else []))
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("tandem: ")
    assert said in err
    assert target.read_bytes() == before


@pytest.mark.parametrize("command", [name for name in commands.COMMANDS if name not in ("import", "sample")])
def test_a_store_that_is_not_there_is_not_made(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {
        "judge": ["--judge", "baseline:longer"], "rank": ["--method", "elo"], "worker": ["--once"],
        "correlate": ["--method", "elo", "--against", "human", "--level", "pool"],
        "export": ["--what", "judgements", "--to", str(tmp_path / "a.csv")], "backup": ["--to", str(tmp_path / "b.sqlite3")],
        "accuracy": ["--against", "gold"], "try": ["--judge", "baseline:longer"],
        "generate": ["--system", "x", "--model", "hf:x", "--instruction", "Write."],
    }  # fmt: skip
    status, out, err = called(capsys, tmp_path / "nowhere.sqlite3", command, *more.get(command, []))
    assert (status, out) == (2, "")
    assert "there is no store at" in err
    assert list(tmp_path.iterdir()) == []


def test_nor_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "nowhere.sqlite3"))
    assert main(["datasets"]) == 2
    assert str(tmp_path / "nowhere.sqlite3") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_store(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.sqlite3").write_bytes(content)
    status, out, err = called(capsys, tmp_path / "s.sqlite3", "datasets")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert (tmp_path / "s.sqlite3").read_bytes() == content


def test_an_empty_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "s.sqlite3").close()
    assert called(capsys, tmp_path / "s.sqlite3", "datasets", "--json")[:2] == (0, "[]\n")
    assert called(capsys, tmp_path / "s.sqlite3", "runs", "--json")[:2] == (0, "[]\n")
    status, _, err = called(capsys, tmp_path / "s.sqlite3", "describe", "--json")
    assert (status, err) == (2, "tandem: the store is empty: import something first\n")


# ---- broken while running: one line on standard error, status 1, nothing on standard output


def test_what_breaks_is_said_in_one_line(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(store: Store, asked: object) -> None:
        raise RuntimeError("the disk\nis full")

    monkeypatch.setitem(commands.COMMANDS, "datasets", Command(breaks, "", selects=None))
    status, out, err = called(capsys, target, "datasets", "--json")
    assert (status, out) == (1, "")
    assert err.startswith("tandem: RuntimeError: the disk is full; what was finished is kept")
    assert len(err.splitlines()) == 1
    monkeypatch.setenv("TANDEM_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main(["--store", str(target), "datasets"])


def test_a_judge_that_does_not_load_is_a_wrong_request(
    target: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = target.read_bytes()
    status, out, err = called(capsys, target, "judge", "--judge", f"hf:{tmp_path}/none", "--json")
    assert (status, out) == (2, "")
    assert "cannot load" in err
    assert "continues" not in err
    assert target.read_bytes() == before


@pytest.mark.parametrize("other", ["ends", "stops", "dies", "breaks"])
def test_a_second_judge_command_follows_the_first(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Another connection holds the run's lock, as another process would; what it does happens while this one sleeps."""
    words = ("judge", "--judge", "baseline:longer", "--pairs", "full", "--limit", "30")
    longer = make_judge("baseline:longer")
    with Store(target) as store:
        request = planning.checked(store, planning.Request("d"))
        number = planning.enqueue(store, longer.spec, request)
        store.set_status(number, Status.RUNNING)
        holder = locks.claim(target, f"run-{number}")
        holder.__enter__()
        slept = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) < 3:
                return
            holder.__exit__(None, None, None)
            if other == "ends":
                runs.execute(store, number, by=longer)
            elif other == "stops":
                runs.execute(store, number, by=longer, limit=5)
            elif other == "breaks":
                store.set_status(number, Status.FAILED, error="CUDA out of memory")

        monkeypatch.setattr(following.time, "sleep", sleep)
        status, out, err = called(capsys, target, *words, "--json")
        assert slept == [following.FOLLOWING_SECONDS] * 3
    if other == "breaks":
        assert (status, out) == (1, "")
        assert "CUDA out of memory" in err
        return
    document = json.loads(out)
    done = 24 + 5 if other == "stops" else 36
    assert (status, document["run"], document["done"]) == (0, number, done)
    assert document["done"] - document["already_there"] == (12 if other == "dies" else 0)


def test_a_judge_that_breaks_keeps_what_it_answered(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:

    answers = baselines.Longer.answers

    def breaks(self: baselines.Longer, questions: Any) -> Any:
        breaks.calls += 1  # type: ignore[attr-defined]
        if breaks.calls > 1:  # type: ignore[attr-defined]
            raise RuntimeError("out of memory")
        return answers(self, questions)

    breaks.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(baselines.Longer, "answers", breaks)
    status, out, err = called(capsys, target, "judge", "--judge", "baseline:longer", "--pairs", "full", "--json")
    assert (status, out) == (1, "")
    assert err == "tandem: out of memory; what was answered is kept, and the same command continues\n"
    monkeypatch.undo()
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert document["done"] == document["planned"] == 36
    assert 24 < document["already_there"] < 36


def test_a_stop_is_said(target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(store: Store, asked: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(commands.COMMANDS, "datasets", Command(stopped, "", selects=None))
    status, out, err = called(capsys, target, "datasets")
    assert (status, out) == (1, "")
    assert err.startswith("tandem: stopped;")


# ---- as real processes


def process(store: Path, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "core", "--store", str(store), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, **options)


def test_a_process_prints_one_document_and_nothing_else(target: Path) -> None:
    done = process(target, "rank", "--method", "elo", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["connected"] is True


def test_a_process_that_is_refused(target: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000)
    before = target.read_bytes()
    done = process(target, "import", str(tmp_path / "a.json"), "--dataset", "e", "--json")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert target.read_bytes() == before


def test_a_reader_that_leaves(target: Path) -> None:
    """As in `python -m core ... | head -0`: no traceback."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "core", "--store", str(target), "describe", "--json"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


# ---- its documentation


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### `(\w+)", page, re.MULTILINE)) == set(commands.COMMANDS)
    (subparsers,) = [action for action in parser()._actions if action.dest == "command"]
    for name, sub in subparsers.choices.items():  # type: ignore[union-attr, attr-defined]
        for action in sub._actions:
            for option in action.option_strings:
                known = option in ("-h", "--help") or re.search(rf"(?<![\w-]){option}(?![\w-])", page)
                assert known, f"{name} {option}"


def test_every_key_is_documented(run: Run, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    documents = {
        "import": run("import", str(_written(tmp_path)), "--dataset", "new"), "datasets": run("datasets"),
        "describe": run("describe", "--dataset", "d"), "runs": run("runs"),
        "judge": run("judge", "--dataset", "d", "--judge", "baseline:longer"),
        "rank": run("rank", "--dataset", "d", "--method", "elo"), "bias": run("bias", "--dataset", "d"),
        "correlate": run("correlate", "--dataset", "d", "--scores", "metric", "--against", "human", "--level", "pool"),
        "agreement": run("agreement", "--dataset", "d"),
        "accuracy": run("accuracy", "--dataset", "d", "--against", "human"),
        "export": run("export", "--dataset", "d", "--what", "judgements", "--to", str(tmp_path / "a.csv")),
        "backup": run("backup", "--to", str(tmp_path / "b.sqlite3")), "check": run("check"),
    }  # fmt: skip
    for command, document in documents.items():
        section = re.split(r"^### ", page.partition(f"### `{command}")[2], maxsplit=1, flags=re.MULTILINE)[0]
        for key in sorted(keys(document)):
            assert f"`{key}`" in section + page.partition("## Everywhere")[2].partition("## Commands")[0], (
                command,
                key,
            )


def _written(folder: Path) -> Path:
    (folder / "g.csv").write_text(GENERATIONS + "i0,even,C0,x,other,,\n")
    return folder / "g.csv"


def keys(document: Any) -> set[str]:
    """The keys of a document and of the rows in it; what stands below a key that counts is data."""
    if isinstance(document, list):
        return set().union(*map(keys, document))
    if not isinstance(document, dict):
        return set()
    data = ("added", "layouts", "unanswered", "failed", "failures", "counts")
    return set(document) | set().union(*(keys(value) for key, value in document.items() if key not in data))


ALIKE = "item,left,right,winner,judge,text_a,text_b\n" + "".join(
    f"i{i},x,y,tie,{who},s,t\n" for i in (1, 2) for who in ("Ada", "Ben")
)


def test_people_are_not_shown_what_a_program_calls_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All ties, one of two judges alone, a data set without scores: a dash or a sentence, never nan, None or an empty frame."""
    store = tmp_path / "s.sqlite3"
    for name, lines in (
        ("alike", ALIKE),
        ("alone", "".join(line for line in ALIKE.splitlines(True) if "Ben" not in line)),
    ):
        (tmp_path / f"{name}.csv").write_text(lines.replace("tie,A", "a,A") if name == "alone" else lines)
        assert called(capsys, store, "import", str(tmp_path / f"{name}.csv"), "--dataset", name)[0] == 0
    said = {
        (command, name): called(capsys, store, command, "--dataset", name)[1]
        for command in ("describe", "bias", "agreement")
        for name in ("alike", "alone")
    }
    for text in said.values():
        assert not re.search(r"\bnan\b|None|Empty DataFrame", text), text
    assert "alpha of human judges: undefined, all verdicts are alike; over 2 pairs" in said["agreement", "alike"]
    assert said["agreement", "alone"].startswith("No two judges")
    bare = called(capsys, store, "accuracy", "--dataset", "alone", "--against", "scores")
    assert bare == (2, "", "tandem: no scores by 'human' here; nobody has given any\n")


def test_bias_shows_people_an_interval_of_every_share(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heads = called(capsys, target, "bias", "--judges", "human")[1].split()
    assert {"unanswered", "p_first", "low", "high", "tie_rate", "tie_low", "tie_high"} <= set(heads)
