"""Commands about what the store holds, how files are read, and what comes back of an export."""

from __future__ import annotations

import csv
import re
import shlex
import tomllib
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from core import import_files, rank_votes
from core.importing import COUNTS, Codes, Reading, load_reading
from core.records import TandemError
from core.store import Store, dataset_decisions
from tests.cli.asked import GENERATIONS, Call, Run, document, has, refusal
from tests.paths import ROOT
from tests.sentence_facts import list_figures

# ---- Commands about what the store holds: import, datasets, describe, export


def read_words(suggested: str) -> list[str]:
    """The words of a command that a clone is told: python -m core WORD ..."""
    assert suggested.startswith("python -m core ")
    return shlex.split(suggested)[3:]


def test_import(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(GENERATIONS + "i0,even,C0,x,other,,\n")
    found = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    names = "items systems generations attributes scores judges comparisons judgements"
    counts = names.split()
    assert has(found, "dataset", *counts, "added", "skipped")
    assert [found[name] for name in counts] == [6, 3, 18, 1, 36, 2, 0, 0]
    # its raters are known: judges are the same in all data sets
    assert found["added"] == {**{name: found[name] for name in counts}, "judges": 0}
    assert [set(one) for one in found["skipped"]] == [{"row", "reason"}]
    again = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    assert again["added"] == dict.fromkeys(counts, 0)
    assert again["items"] == 6


def test_how_people_see_texts_is_said_and_changed(run: Run, target: Path, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("item,x,y\n1,**bold** words,prose\n")
    words = ("import", str(tmp_path / "m.csv"), "--dataset", " said ")  # a name has no such spaces
    assert run(*words)["text_format"] == "markdown"
    edit = ("dataset", "edit", "said", "--text-format", "conversation")
    for command, kept_as, kept in (
        ((*words, "--text-format", "plain"), {"dataset": "said"}, "plain"),
        ((*words, "--text-format", "markdown"), {}, "markdown"),  # also where it is not read again
        (edit, {"changed": ["text_format"]}, "conversation"),
        ((*edit, "--attribute", "overall"), {"changed": []}, "conversation"),
    ):
        assert run(*command).items() >= kept_as.items()
        with Store(target) as store:
            assert [str(each.text_format) for each in store.datasets.attributes("said")] == [kept]


def test_datasets(run: Run) -> None:
    run("judge", "--judge", "baseline:longer")  # all 6 orders of each item
    (found,) = run("datasets")
    assert found == {
        "dataset": "d", "items": 6, "systems": 3, "generations": 18, "attributes": 1, "scores": 36, "judges": 5,
        "comparisons": 36, "judgements": 48 + 36,
    }  # fmt: skip


def test_a_data_set_is_edited_and_deleted(run: Run, call: Call, target: Path) -> None:
    asked = ("dataset", "edit", "d", "--attribute", "coherence", "--question", "Which is better?")
    assert run(*asked) == {"changed": ["question"]}
    assert run(*asked) == {"changed": []}
    assert run("dataset", "edit", "d", "--instructions", "Read.") == {"changed": ["instructions"]}
    for words, said in (
        (["edit", "d", "--question", "?"], r"--question\b.*--attribute$"),
        (["edit", "d"], r"\bnothing\b.*--instructions\b.*--question\b"),
        (["edit", "e", "--source", "x"], "'e'.*: d$"),
        (["delete", "d", "--confirm", "D"], r"'D'.*'d': nothing\b"),
        (["delete", "d", "--source", "x"], r"arguments: --source x; .* dataset delete --help"),
    ):
        assert re.search(said, refusal(call, "dataset", *words).strip())
    assert run("dataset", "rename", "d", "--to", "e") == {"dataset": "e", "before": "d"}
    assert run("dataset", "rename", "e", "--to", "d") == {"dataset": "d", "before": "e"}
    before = run("dataset", "delete", "d")
    assert before.pop("deleted") is False
    # GENERATIONS and VOTES of tests/cli/asked.py: 6 items of 3 systems, 2 people
    assert (before["items"], before["texts"], before["people"]) == (6, 18, 2)
    backup = target.with_name("kept.sqlite3")
    gone = run("dataset", "delete", "d", "--confirm", "d", "--backup-to", str(backup))
    assert gone == before | {
        "deleted": True, "backup": str(backup), "bytes": backup.stat().st_size,
    }  # fmt: skip
    assert run("datasets") == []
    assert run("check")["ok"] is True
    assert [row["action"] for row in run("people", "log")][:2] == [
        dataset_decisions.DELETED,
        dataset_decisions.RENAMED,
    ]


def test_export_also_in_the_layout_of_another_tool(run: Run, call: Call, tmp_path: Path) -> None:
    file = tmp_path / "board.parquet"
    found = run("export", "--what", "leaderboard", "--to", str(file))
    assert found == {"rows": 3, "file": str(file)}
    assert file.stat().st_size > 100
    found = run("export", "--format", "trl", "--to", str(tmp_path / "pairs.jsonl"))
    # 72 judgements; of the people's 24 decisive, of the baseline's all
    assert (found["rows"], sum(found["left_out"].values())) == (48, 72 - 48)
    said = refusal(call, "export", "--to", str(tmp_path / "x.json"))
    assert re.search(r"--what\b.*--format\b", said)


def test_skipped_rows_that_depend_on_who_won_are_said_in_the_first_line(
    call: Call, tmp_path: Path
) -> None:
    """B loses exactly in the rows that cannot be read: the report begins with that."""
    rows = (f"{n},B,C,{'ab'[n % 2]},{'often' if n % 2 else 0.9}\n" for n in range(100))
    (tmp_path / "v.csv").write_text("item,system_a,system_b,winner,prob_a\n" + "".join(rows))
    for words in (("import", "--dataset", "skewed"), ("rank", "--votes")):
        status, out, _ = call(*words, str(tmp_path / "v.csv"))
        assert status == 0
        first = out.splitlines()[0]
        assert re.search(r"\bskipped\b.*'system_a' won\b", first)
        assert list_figures(first) == [50, 50, 0, 50]  # of those kept, of those skipped


def test_what_a_winner_means_can_be_said(run: Run, call: Call, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("item,system_a,system_b,winner\n1,B,A,B\n2,B,A,B\n")
    words = ("import", str(tmp_path / "v.csv"), "--dataset", "either")
    said = refusal(call, *words)
    assert all(way in said for way in ("'B'", "--winner-means system", "--winner-means side"))
    assert [row["dataset"] for row in run("datasets")] == ["d"]
    assert run(*words, "--winner-means", "side")["judgements"] == 2
    board = run("rank", "--dataset", "either", "--method", "win-ratio", "--bootstrap", "0")["rows"]
    assert [row["system"] for row in board] == ["A", "B"]


RESULTS = Path(__file__).parents[1] / "importing" / "results"


def test_a_file_of_one_system_is_named(run: Run, call: Call, tmp_path: Path) -> None:
    """And a dry run writes nothing."""
    file = tmp_path / "one.csv"
    file.write_text("question,answer\nQ1,A1\nQ2,A2\n")
    given = ("import", str(file), "--dataset", "rag")
    assert "--system-name" in refusal(call, *given)
    dry = run(*given, "--system-name", "ours", "--dry-run")
    assert (dry["systems"], dry["generations"]) == (1, 2)
    assert set(dry["added"].values()) == {0}
    assert run(*given, "--system-name", "ours")["added"]["generations"] == 2


def test_results_of_tools_dry_and_counted_where_they_lie(
    run: Run, call: Call, subtests: pytest.Subtests
) -> None:
    """A dry run says how each is read; none is a table of votes to be counted."""
    for name in ("rewardbench.jsonl", "eval-set-scores"):
        with subtests.test(name=name):
            path = str(RESULTS / name)
            found = run("import", path, "--dataset", "r", "--dry-run")
            assert found["examples"]
            assert found["generations"] > 0
            refusal(call, "rank", "--votes", path)


def test_look_says_what_files_hold_and_stores_nothing(run: Run, tmp_path: Path) -> None:
    """The counts and the leader of the example in the README, counted in its file."""
    file = ROOT / "docs" / "examples" / "votes.csv"
    rows = pd.read_csv(file)
    won = {name: (rows["preferred"] == name).sum() for name in set(rows["model_a"])}
    ties = rows[rows["preferred"] == "tie"]
    asked = {name: (rows[["model_a", "model_b"]] == name).any(axis=1).sum() for name in won}
    tied = {name: (ties[["model_a", "model_b"]] == name).any(axis=1).sum() for name in won}
    share = {name: (won[name] + tied[name] / 2) / asked[name] for name in won}
    before = sorted(tmp_path.iterdir())
    found = run("look", str(file))
    leader = max(share, key=share.__getitem__)
    assert leader in found["lead"]
    assert f"{share[leader]:.0%}" in found["lead"]
    assert found["rows"] == len(rows)
    uses = {each["column"]: each["use"] for each in found["columns"]}
    assert uses == {
        "item": "item", "model_a": "system a", "model_b": "system b", "preferred": "winner",
        "annotator": "judge", "batch": "not used",
    }  # fmt: skip
    possible = [name for name, is_possible in found["possible"].items() if is_possible]
    assert possible == ["rank", "agreement"]
    assert sorted(tmp_path.iterdir()) == before
    assert run(*read_words(found["next"]))["judgements"] == len(rows)


def test_look_asks_about_a_column_and_shows_the_rest(run: Run, tmp_path: Path) -> None:
    """What the file holds without the column, the question, and the command with an answer."""
    file = tmp_path / "asked.csv"
    file.write_text("item,system_a,system_b,winner,rater2,second_vote\n" + "".join(
        f"q{row},m1,m2,{'ab'[row % 3 == 0]},u{row % 2},{'ba'[row % 3 == 0]}\n" for row in range(36)
    ))  # fmt: skip
    found = run("look", str(file))
    assert len(found["questions"]) == 2
    assert all(name in question for name, question in zip(
        ("rater2", "second_vote"), sorted(found["questions"]), strict=True
    ))  # fmt: skip
    assert found["rows"] == 36
    assert "m2" in found["lead"]
    again = read_words(found["next"])
    assert again[0] == "look"
    assert "judge=rater2" in again
    answered = run(*again)
    uses = {each["column"]: each["use"] for each in answered["columns"]}
    assert uses["rater2"] == "judge"
    (tmp_path / "plain.csv").write_text("item,system_a,system_b,winner\nq1,m1,m2,a\n")
    folder = run("look", str(tmp_path))
    assert [each["file"] for each in folder["left_out"]] == ["asked.csv"]
    assert folder["rows"] == 1


def test_look_names_the_command_that_reads_files_as_it_did(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "coded.csv"
    file.write_text("item,first,second,v\nq1,a b,c,-1\nq2,a b,c,1\nq3,a b,c,1\n")
    said = ["--map", "system_a=first", "system_b=second", "winner=v", "--first-wins=-1"]
    found = run("look", str(file), *said, "--second-wins", "1")
    imported = run(*read_words(found["next"]))
    assert imported["judgements"] == 3
    assert imported["examples"] == found["examples"]


# ---- How files are read, saved and repeated: `import` and `rank --votes` with a saved reading


# By hand: says 1 = the first won, 2 = the second, 0 = a tie, ? = both bad.
VOTES = "question,x1,x2,says,who\n" + "".join(
    f"q{n},x,y,{says},{who}\n" for n, (says, who) in enumerate(zip("1210?", "aabbb", strict=True))
)
OPTIONS = (
    *("--map", "item=question", "system_a=x1", "system_b=x2", "--map", "winner=says", "judge=who"),
    *("--first-wins", "1", "--second-wins", "2", "--tie", "0", "--both-bad", "?"),
)
RATINGS = {"x": 0.6, "y": 0.4}
"""x won 2 of the 3 decisive votes; a tie and both bad are half each: 3 of 5."""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


@pytest.fixture
def saved(run: Run, votes: Path, tmp_path: Path) -> Path:
    path = tmp_path / "votes.toml"
    run("import", str(votes), "--dataset", "first", *OPTIONS, "--save-reading", str(path))
    return path


def test_a_saved_reading_reads_the_file_again_and_options_go_before_it(
    run: Run, target: Path, votes: Path, saved: Path
) -> None:
    """A column of --map changes, the others stay; a list of values is another list."""
    assert load_reading(saved).codes == Codes(("1",), ("2",), ("0",), both_bad=("?",))
    words = ("import", str(votes), "--reading", str(saved), "--dataset")
    run(*words, "again")
    run(*words, "other", "--map", "system_a=x2", "system_b=x1", "--both-bad", "none",
        "--no-answer", "?")  # fmt: skip
    with Store(target) as store:
        first, again, other = (
            store.judgement_frames.load_all(name).sort_values("item")
            for name in ("first", "again", "other")
        )
    outcomes = ["a", "b", "a", "tie"]
    assert first["outcome"].tolist() == again["outcome"].tolist() == [*outcomes, "both_bad"]
    assert other["system_a"].tolist() == ["y"] * 5
    assert other["outcome"].tolist()[:4] == outcomes
    assert other["failure"].tolist()[4] == "no-answer"


def test_votes_are_ranked_as_the_reading_says(run: Run, votes: Path, saved: Path) -> None:
    words = ("rank", "--votes", str(votes), "--method", "win-ratio", "--bootstrap", "0")
    for how in (OPTIONS, ("--reading", str(saved))):
        assert {row["system"]: row["rating"] for row in run(*words, *how)["rows"]} == RATINGS


def test_a_dry_run_gives_the_reading_and_says_ties_and_skipped_rows(
    run: Run, call: Call, target: Path, votes: Path, saved: Path, tmp_path: Path
) -> None:
    dry = run("import", str(votes), "--dataset", "dry", "--reading", str(saved), "--dry-run")
    saved_as = tomllib.loads(dry["readings"]["votes.csv"])
    assert (saved_as["winner"]["both_bad"], saved_as["format"]) == (["?"], "votes")
    path = tmp_path / "v.csv"
    rows = [f"{n},x,y,{w}" for n, w in enumerate(["a", "b", "a", "b", "a", "tie"])] + ["9,x,x,a"]
    path.write_text("item,system_a,system_b,winner\n" + "\n".join(rows) + "\n")
    status, out, _ = call("import", str(path), "--dataset", "dry", "--dry-run")
    said = [line for line in out.splitlines() if line.startswith("  row ")]
    assert status == 0
    assert {line.split()[1].strip(":") for line in said} >= {"1", "2", "6", "7"}
    assert [row["dataset"] for row in run("datasets")] == ["d", "first"]


def test_a_reading_that_cannot_be_saved_or_read_is_refused(
    run: Run, call: Call, votes: Path, tmp_path: Path
) -> None:
    """Files that are read in two ways share none."""
    (tmp_path / "texts.csv").write_text("item,system,text\n1,x,One.\n1,y,Two.\n")
    (tmp_path / "plain.csv").write_text("item,system_a,system_b,winner\n1,x,y,a\n")
    (tmp_path / "wrong.toml").write_text("[winner]\nfrist = ['1']\n")
    for files, option, reading, said in (
        (("texts.csv", "plain.csv"), "--save-reading", "r.toml", "--save-reading"),
        (("votes.csv",), "--reading", "wrong.toml", "winner.frist"),
        (("votes.csv",), "--reading", "none.toml", "none.toml"),
    ):
        paths = [str(tmp_path / file) for file in files]
        words = ("import", *paths, "--dataset", "e", option, str(tmp_path / reading))
        assert said in refusal(call, *words)
    assert not (tmp_path / "r.toml").exists()
    assert [row["dataset"] for row in run("datasets")] == ["d"]


def test_python_takes_a_reading_too(votes: Path, saved: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "p.sqlite3") as store:
        assert import_files(store, votes, "d", reading=saved).counts["judgements"] == 5
        reading = load_reading(saved)
        assert isinstance(reading, Reading)
        assert import_files(store, votes, "d", reading=reading).added["judgements"] == 0
        with pytest.raises(TandemError):
            import_files(store, votes, "d", reading=saved, mapping={"item": "gone"})
    ranked = rank_votes(votes, reading=str(saved), method="win-ratio", bootstrap=0).rows
    assert dict(zip(ranked["system"], ranked["rating"], strict=True)) == RATINGS


# ---- What is exported and imported into an empty store is the same again, and so are all figures


OF_THE_STORE = {"run", "campaign", "judge_spec", "judge_seed", "device", "dtype",
                "inclusion_probability", "source_row"}  # fmt: skip
"""Columns that tell how an answer came into the store it was given in, which a file does not
bring into another."""
FIGURES = (
    "describe", "agreement", "bias --judges baseline:longer", "rank --method win-ratio",
    "rank --method bradley-terry --judges baseline:longer", "rank --method elo",
)  # fmt: skip


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def exported(call: Call, folder: Path) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{what}.csv" for what in ("generations", "judgements", "scores")]
    for file in files:
        words = ["export", "--dataset", "d", "--what", file.stem, "--to", str(file), "--names"]
        assert call(*words)[0] == 0
    return files


def test_export_and_import_give_the_same_figures_and_the_same_files(
    run: Run, call: Call, target: Path, tmp_path: Path, call_on: Call
) -> None:
    run("judge --dataset d --judge baseline:random|seed:3 --pairs random --budget 3")
    once = exported(call, tmp_path / "once")
    other = tmp_path / "other.sqlite3"
    status, _, err = call_on(other, "import", *map(str, once), "--dataset", "d")
    assert status == 0, err
    assert call_on(other, "check")[0] == 0
    for words in FIGURES:
        figures = [document(call_on, store, words, "--dataset", "d") for store in (other, target)]
        assert figures[0] == figures[1]
    twice = exported(partial(call_on, other), tmp_path / "twice")
    for before, after in zip(once, twice, strict=True):
        kept = [{name: cell for name, cell in row.items() if name not in OF_THE_STORE}
                for row in rows(before)]  # fmt: skip
        again = [{name: row[name] for name in kept[0]} for row in rows(after)]
        assert again == kept
    # from now on it is the same to the byte
    third = tmp_path / "third.sqlite3"
    assert call_on(third, "import", *map(str, twice), "--dataset", "d")[0] == 0
    for before, after in zip(
        twice, exported(partial(call_on, third), tmp_path / "thrice"), strict=True
    ):
        assert after.read_bytes() == before.read_bytes()
    with Store(other) as one, Store(third) as two:
        first, second = (store.datasets.summary()[list(COUNTS)] for store in (one, two))
        assert first.equals(second)
