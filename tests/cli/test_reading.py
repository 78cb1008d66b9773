"""How files are read, saved and repeated: `import` and `rank --votes` with a saved reading."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from core import import_files, rank_votes
from core.importing import Codes, Reading, load_reading
from core.records import TandemError
from core.store import Store
from tests.cli.asked import Run, called

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


def test_a_dry_run_says_ties_and_skipped_rows_in_words(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.csv"
    rows = [f"{n},x,y,{w}" for n, w in enumerate(["a", "b", "a", "b", "a", "tie"])] + ["9,x,x,a"]
    path.write_text("item,system_a,system_b,winner\n" + "\n".join(rows) + "\n")
    status, out, _ = called(capsys, target, "import", str(path), "--dataset", "d", "--dry-run")
    said = [line for line in out.splitlines() if line.startswith("  row ")]
    assert status == 0
    assert {line.split()[1].strip(":") for line in said} >= {"1", "2", "6", "7"}


def test_files_that_are_read_in_two_ways_share_no_reading(
    target: Path, votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts.csv").write_text("item,system,text\n1,x,One.\n1,y,Two.\n")
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,winner\n1,x,y,a\n")
    words = ("import", str(tmp_path / "texts.csv"), str(votes), "--dataset", "two")
    to = tmp_path / "r.toml"
    status, _, said = called(capsys, target, *words, "--save-reading", str(to))
    assert (status, to.exists()) == (2, False)
    assert "--save-reading" in said
    with Store(target) as store:
        assert "two" not in store.datasets.names()


def test_a_wrong_reading_is_refused(
    target: Path, votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.toml").write_text("[winner]\nfrist = ['1']\n")
    words = ("import", str(votes), "--dataset", "d", "--reading", str(tmp_path / "r.toml"))
    status, _, said = called(capsys, target, *words)
    assert status == 2
    assert "winner.frist" in said
    missing = called(capsys, target, *words[:-1], str(tmp_path / "none.toml"))
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
