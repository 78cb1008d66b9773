"""Commands about what the store holds, how files are read, and what comes back of an export."""

from __future__ import annotations

import csv
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core import import_files, rank_votes
from core.__main__ import main
from core.importing import COUNTS, Codes, Reading, load_reading
from core.records import TandemError
from core.store import Store, dataset_decisions
from tests.cli.asked import GENERATIONS, STATISTIC, Call, Run, called, has
from tests.paths import ROOT
from tests.sentence_facts import list_figures

# ---- Commands about what the store holds: import, datasets, describe, export


def read_words(suggested: str) -> list[str]:
    """The words of a command that a clone is told: python -m core WORD ..."""
    assert suggested.startswith("python -m core ")
    return shlex.split(suggested)[3:]


def test_import(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(GENERATIONS + "i0,even,C0,x,other,,\n")
    document = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    names = "items systems generations attributes scores judges comparisons judgements"
    counts = names.split()
    assert has(document, "dataset", *counts, "added", "skipped")
    assert [document[name] for name in counts] == [6, 3, 18, 1, 36, 2, 0, 0]
    # its raters are known: judges are the same in all data sets
    assert document["added"] == {**{name: document[name] for name in counts}, "judges": 0}
    assert [set(one) for one in document["skipped"]] == [{"row", "reason"}]
    again = run("import", str(tmp_path / "g.csv"), "--dataset", "new")
    assert again["added"] == dict.fromkeys(counts, 0)
    assert again["items"] == 6


def test_how_people_see_texts_is_found_said_and_changed(
    run: Run, target: Path, tmp_path: Path
) -> None:
    def shown(dataset: str) -> list[str]:
        with Store(target) as store:
            return [str(each.text_format) for each in store.datasets.attributes(dataset)]

    (tmp_path / "m.csv").write_text("item,x,y\n1,**bold** words,prose\n")
    words = ("import", str(tmp_path / "m.csv"), "--dataset")
    assert run(*words, "found")["text_format"] == "markdown"
    assert shown("found") == ["markdown"]
    run(*words, "said", "--text-format", "plain")
    assert shown("said") == ["plain"]
    run(*words, "said", "--text-format", "markdown")  # also where it is not read again
    assert shown("said") == ["markdown"]
    edit = ("dataset", "edit", "said", "--text-format", "conversation")
    assert run(*edit) == {"changed": ["text_format"]}
    assert run(*edit, "--attribute", "overall") == {"changed": []}
    assert shown("said") == ["conversation"]


def test_several_maps(run: Run, tmp_path: Path) -> None:
    """--map once with several, and several times."""
    file = tmp_path / "g.csv"
    file.write_text("Nr,Wer,Was\n1,x,a\n1,y,b\n")
    once = run(
        "import", str(file), "--dataset", "once", "--map", "item=Nr", "system=Wer", "text=Was"
    )
    maps = ("--map", "item=Nr", "--map", "system=Wer", "--map", "text=Was")
    twice = run("import", str(file), "--dataset", "twice", *maps)
    assert twice["added"] == once["added"]


def test_the_name_of_a_data_set_has_no_spaces_around_it(
    run: Run, tmp_path: Path, call: Call
) -> None:
    (tmp_path / "g.csv").write_text("item,system,text\n1,x,a\n1,y,b\n")
    assert run("import", str(tmp_path / "g.csv"), "--dataset", " case ")["dataset"] == "case"
    assert [one["dataset"] for one in run("datasets")] == ["d", "case"]
    for command in (["describe"], ["judge", "--judge", "baseline:longer"]):
        status, _, err = call(*command, "--dataset", "case", "--subset", "zz")
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
    assert has(document, "scores outcomes ties", *STATISTIC)
    assert all(has(row, "system attribute rater n mean") for row in document["scores"])
    human = (None, "human")
    [row] = [row for row in document["scores"] if (row["system"], row["rater"]) == human]
    assert (row["attribute"], row["n"], row["mean"]) == ("coherence", 18, 1.5)
    assert row["low"] is None or row["low"] < 1.5 < row["high"]
    rows = {row["judge"]: row for row in document["outcomes"]}
    outcomes = ("a", "b", "tie", "both_bad", "failed")
    assert all(has(row, "judge attribute", *outcomes) for row in rows.values())
    assert [rows["Ada"][name] for name in outcomes] == [6, 6, 6, 0, 6]
    assert (document["judgements"], document["unanswered"]) == (60, {"skipped": 12})


def test_export(run: Run, tmp_path: Path) -> None:
    for what, count in (("judgements", 72), ("generations", 18), ("leaderboard", 3)):
        for suffix in ("csv", "jsonl", "parquet"):
            file = tmp_path / f"{what}.{suffix}"
            document = run("export", "--what", what, "--to", str(file))
            assert document == {"rows": count, "file": str(file)}
            assert file.stat().st_size > 100


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
        status, _, err = call("dataset", *words)
        assert status == 2
        assert re.search(said, err.strip())
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


def test_export_in_the_layout_of_another_tool(run: Run, call: Call, tmp_path: Path) -> None:
    document = run("export", "--format", "trl", "--to", str(tmp_path / "pairs.jsonl"))
    # 72 judgements; of the people's 24 decisive, of the baseline's all
    assert document["rows"] == 48
    assert sum(document["left_out"].values()) == 72 - 48
    status, _, err = call("export", "--to", str(tmp_path / "x.json"))
    assert status == 2
    assert re.search(r"--what\b.*--format\b", err)


SKEWED = "item,system_a,system_b,winner,prob_a\n" + "".join(
    f"{n},B,C,{'ab'[n % 2]},{'often' if n % 2 else 0.9}\n" for n in range(100)
)


def test_skipped_rows_that_depend_on_who_won_are_said_in_the_first_line(
    target: Path, tmp_path: Path, capsys: Any
) -> None:
    """B loses exactly in the rows that cannot be read: the report begins with that."""
    (tmp_path / "v.csv").write_text(SKEWED)
    files = str(tmp_path / "v.csv")
    for words in (
        ("--store", str(target), "import", files, "--dataset", "skewed"),
        ("rank", "--votes", files),
    ):
        assert main(list(words)) == 0
        first = capsys.readouterr().out.splitlines()[0]
        assert re.search(r"\bskipped\b.*'system_a' won\b", first)
        assert list_figures(first) == [50, 50, 0, 50]  # of those kept, of those skipped


def test_what_a_winner_means_can_be_said(target: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "v.csv").write_text("item,system_a,system_b,winner\n1,B,A,B\n2,B,A,B\n")
    words = ["--store", str(target), "import", str(tmp_path / "v.csv"), "--dataset", "either"]
    assert main(words) == 2
    assert "'B'" in (refusal := capsys.readouterr().err)
    assert "--winner-means system" in refusal
    assert "--winner-means side" in refusal
    with Store(target) as store:
        assert "either" not in store.datasets.names()
    assert main([*words, "--winner-means", "side"]) == 0
    with Store(target) as store:
        assert store.judgement_frames.load_all("either")["outcome"].tolist() == ["b", "b"]


RESULTS = Path(__file__).parents[1] / "importing" / "results"


def test_a_file_of_one_system_is_named(run: Run, call: Call, tmp_path: Path) -> None:
    """And a dry run writes nothing."""
    file = tmp_path / "one.csv"
    file.write_text("question,answer\nQ1,A1\nQ2,A2\n")
    given = ("import", str(file), "--dataset", "rag")
    status, _, sentence = call(*given)
    assert status == 2
    assert "--system-name" in sentence
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
            status, _, sentence = call("rank", "--votes", path)
            assert status == 2
            assert sentence.startswith("tandem: ")
            assert "Traceback" not in sentence


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
    document = run("look", str(file))
    leader = max(share, key=share.__getitem__)
    assert leader in document["lead"]
    assert f"{share[leader]:.0%}" in document["lead"]
    assert document["rows"] == len(rows)
    uses = {each["column"]: each["use"] for each in document["columns"]}
    assert uses == {
        "item": "item", "model_a": "system a", "model_b": "system b", "preferred": "winner",
        "annotator": "judge", "batch": "not used",
    }  # fmt: skip
    possible = [name for name, is_possible in document["possible"].items() if is_possible]
    assert possible == ["rank", "agreement"]
    assert sorted(tmp_path.iterdir()) == before
    assert run(*read_words(document["next"]))["judgements"] == len(rows)


def test_look_asks_about_a_column_and_shows_the_rest(run: Run, tmp_path: Path) -> None:
    """What the file holds without the column, the question, and the command with an answer."""
    file = tmp_path / "asked.csv"
    file.write_text("item,system_a,system_b,winner,rater2,second_vote\n" + "".join(
        f"q{row},m1,m2,{'ab'[row % 3 == 0]},u{row % 2},{'ba'[row % 3 == 0]}\n" for row in range(36)
    ))  # fmt: skip
    document = run("look", str(file))
    assert len(document["questions"]) == 2
    assert all(name in question for name, question in zip(
        ("rater2", "second_vote"), sorted(document["questions"]), strict=True
    ))  # fmt: skip
    assert document["rows"] == 36
    assert "m2" in document["lead"]
    again = read_words(document["next"])
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
    document = run("look", str(file), *said, "--second-wins", "1")
    imported = run(*read_words(document["next"]))
    assert imported["judgements"] == 3
    assert imported["examples"] == document["examples"]


# ---- How files are read, saved and repeated: `import` and `rank --votes` with a saved reading


# By hand: says 1 = the first won, 2 = the second, 0 = a tie, ? = both bad.
ROWS = ["q1,x,y,1,ann", "q2,x,y,2,ann", "q3,x,y,1,ben", "q4,x,y,0,ben", "q5,x,y,?,ben"]
HEADER = "question,x1,x2,says,who\n"
OPTIONS = (
    *("--map", "item=question", "system_a=x1", "system_b=x2", "winner=says", "judge=who"),
    *("--first-wins", "1", "--second-wins", "2", "--tie", "0", "--both-bad", "?"),
)
OUTCOMES = ["a", "b", "a", "tie", "both_bad"]


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "\n".join(ROWS) + "\n")
    return path


@pytest.fixture
def saved(run: Run, votes: Path, tmp_path: Path) -> Path:
    path = tmp_path / "votes.toml"
    run("import", str(votes), "--dataset", "first", *OPTIONS, "--save-reading", str(path))
    return path


def outcomes(target: Path, dataset: str) -> list[str]:
    with Store(target) as store:
        frame = store.judgement_frames.load_all(dataset)
        return [outcome for _, outcome in sorted(zip(frame["item"], frame["outcome"], strict=True))]


def test_a_saved_reading_reads_the_file_again(
    run: Run, target: Path, votes: Path, saved: Path
) -> None:
    assert load_reading(saved).codes == Codes(("1",), ("2",), ("0",), both_bad=("?",))
    run("import", str(votes), "--dataset", "again", "--reading", str(saved))
    assert outcomes(target, "first") == outcomes(target, "again") == OUTCOMES


def test_options_go_before_the_reading(run: Run, target: Path, votes: Path, saved: Path) -> None:
    """A column of --map changes, the others stay; a list of values is another list."""
    swapped = ("--map", "system_a=x2", "system_b=x1", "--both-bad", "none", "--no-answer", "?")
    run("import", str(votes), "--dataset", "other", "--reading", str(saved), *swapped)
    with Store(target) as store:
        frame = store.judgement_frames.load_all("other").sort_values("item")
    assert frame["system_a"].tolist() == ["y"] * 5
    assert frame["outcome"].tolist()[:4] == OUTCOMES[:4]
    assert frame["failure"].tolist()[4] == "no-answer"


def test_votes_are_ranked_as_the_reading_says(run: Run, votes: Path, saved: Path) -> None:
    """x won 2 of the 3 decisive votes; a tie and both bad are half each: 3 of 5."""
    words = ("rank", "--votes", str(votes), "--method", "win-ratio", "--bootstrap", "0")
    by_options = run(*words, *OPTIONS)
    by_file = run(*words, "--reading", str(saved))
    assert by_file["rows"] == by_options["rows"]
    assert {row["system"]: row["rating"] for row in by_file["rows"]} == {"x": 0.6, "y": 0.4}


def test_a_dry_run_gives_the_reading_and_says_rows(
    run: Run, target: Path, votes: Path, saved: Path
) -> None:
    dry = run("import", str(votes), "--dataset", "dry", "--reading", str(saved), "--dry-run")
    document = tomllib.loads(dry["readings"]["votes.csv"])
    assert document["winner"]["both_bad"] == ["?"]
    assert document["format"] == "votes"
    with Store(target) as store:
        assert "dry" not in store.datasets.names()


def test_a_dry_run_says_ties_and_skipped_rows_in_words(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    rows = [f"{n},x,y,{w}" for n, w in enumerate(["a", "b", "a", "b", "a", "tie"])] + ["9,x,x,a"]
    path.write_text("item,system_a,system_b,winner\n" + "\n".join(rows) + "\n")
    status, out, _ = call("import", str(path), "--dataset", "d", "--dry-run")
    said = [line for line in out.splitlines() if line.startswith("  row ")]
    assert status == 0
    assert {line.split()[1].strip(":") for line in said} >= {"1", "2", "6", "7"}


def test_files_that_are_read_in_two_ways_share_no_reading(
    call: Call, target: Path, votes: Path, tmp_path: Path
) -> None:
    (tmp_path / "texts.csv").write_text("item,system,text\n1,x,One.\n1,y,Two.\n")
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,winner\n1,x,y,a\n")
    words = ("import", str(tmp_path / "texts.csv"), str(votes), "--dataset", "two")
    to = tmp_path / "r.toml"
    status, _, said = call(*words, "--save-reading", str(to))
    assert (status, to.exists()) == (2, False)
    assert "--save-reading" in said
    with Store(target) as store:
        assert "two" not in store.datasets.names()


def test_a_wrong_reading_is_refused(call: Call, votes: Path, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text("[winner]\nfrist = ['1']\n")
    words = ("import", str(votes), "--dataset", "d", "--reading", str(tmp_path / "r.toml"))
    status, _, said = call(*words)
    assert status == 2
    assert "winner.frist" in said
    missing = call(*words[:-1], str(tmp_path / "none.toml"))
    assert missing[0] == 2
    assert "none.toml" in missing[2]


def test_python_takes_a_reading_too(votes: Path, saved: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "p.sqlite3") as store:
        report = import_files(store, votes, "d", reading=saved)
        assert report.counts["judgements"] == 5
        reading = load_reading(saved)
        assert isinstance(reading, Reading)
        assert import_files(store, votes, "d", reading=reading).added["judgements"] == 0
        with pytest.raises(TandemError):
            import_files(store, votes, "d", reading=saved, mapping={"item": "gone"})
    ranked = rank_votes(votes, reading=str(saved), method="win-ratio", bootstrap=0).rows
    assert dict(zip(ranked["system"], ranked["rating"], strict=True)) == {"x": 0.6, "y": 0.4}


# ---- What is exported and imported into an empty store is the same again, and so are all figures


OF_THE_STORE = {"run", "campaign", "judge_spec", "judge_seed", "device", "dtype",
                "inclusion_probability", "source_row"}  # fmt: skip
"""Columns that tell how an answer came into the store it was given in, which a file does not
bring into another."""
FIGURES = (
    ("describe",),
    ("rank", "--method", "win-ratio"),
    ("rank", "--method", "bradley-terry", "--judges", "baseline:longer"),
    ("rank", "--method", "elo"),
    ("agreement",),
    ("bias", "--judges", "baseline:longer"),
)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def exported(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{what}.csv" for what in ("generations", "judgements", "scores")]
    for file in files:
        words = ["export", "--dataset", "d", "--what", file.stem, "--to", str(file), "--names"]
        assert called(capsys, store, *words)[0] == 0
    return files


def figures(capsys: pytest.CaptureFixture[str], store: Path) -> list[Any]:
    documents = []
    for words in FIGURES:
        status, out, err = called(capsys, store, *words, "--dataset", "d", "--json")
        assert status == 0, err
        documents.append(json.loads(out))
    return documents


def test_export_and_import_give_the_same_figures_and_the_same_files(
    run: Run, target: Path, tmp_path: Path, call_on: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    run("judge --dataset d --judge baseline:random|seed:3 --pairs random --budget 3")
    once = exported(capsys, target, tmp_path / "once")
    other = tmp_path / "other.sqlite3"
    status, _, err = call_on(other, "import", *map(str, once), "--dataset", "d")
    assert status == 0, err
    assert call_on(other, "check")[0] == 0
    assert figures(capsys, other) == figures(capsys, target)
    twice = exported(capsys, other, tmp_path / "twice")
    for before, after in zip(once, twice, strict=True):
        kept = [{name: cell for name, cell in row.items() if name not in OF_THE_STORE}
                for row in rows(before)]  # fmt: skip
        again = [{name: row[name] for name in kept[0]} for row in rows(after)]
        assert again == kept
    # from now on it is the same to the byte
    third = tmp_path / "third.sqlite3"
    assert call_on(third, "import", *map(str, twice), "--dataset", "d")[0] == 0
    for before, after in zip(twice, exported(capsys, third, tmp_path / "thrice"), strict=True):
        assert after.read_bytes() == before.read_bytes()
    with Store(other) as one, Store(third) as two:
        first, second = (store.datasets.summary()[list(COUNTS)] for store in (one, two))
        assert first.equals(second)
