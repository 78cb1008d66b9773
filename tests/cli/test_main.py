"""What every command has in common: output, help, one line where something breaks, refusals."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from core.__main__ import main
from core.cli import COMMANDS, ENTRIES, data, parse
from core.cli.command import Command
from core.cli.command_line import GROUPS
from core.models.local import small_model
from core.records import Answer, JudgeSpec, Kind, Outcome
from core.store import Store
from tests.cli.asked import Call
from tests.document_refusals import APPROVED, REQUESTS, collect_refusals, write_refusals
from tests.paths import ROOT
from tests.study import DATASET, fill
from tests.votes import Vote, add_votes


def test_without_json_it_is_for_people(call: Call) -> None:
    for command in ["datasets", "describe", "runs", "check"]:
        status, out, _ = call(command)
        assert status == 0
        assert len(out.splitlines()) >= 1
        assert not out.startswith(("{", "["))


def test_tables_for_people(call: Call, tmp_path: Path) -> None:
    _, out, _ = call("rank", "--method", "win-ratio", "--bootstrap", "0")
    verdict, _, header, *_ = out.splitlines()
    assert "Not settled" in verdict
    assert header.split() == [
        "system", "rank", "rating", "wins", "losses", "ties", "judgements", "tied", "with",
    ]  # fmt: skip
    assert "<NA>" not in out, "columns that say nothing are left out"
    assert out.splitlines()[-1].endswith("36 used, unanswered: 12 skipped")
    (tmp_path / "v.csv").write_text("left,right,winner\n" + "x,y,a\n" * 26 + "x,x,a\n" * 25)
    _, out, _ = call("import", str(tmp_path / "v.csv"), "--dataset", "new")
    assert "25 of 51 rows skipped:" in out
    assert "  row 27: compares 'x' with itself" in out
    assert re.search(r"\b5 more\b.*--json\b.*\ball$", out, re.MULTILINE)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "ids.txt").write_text("18\n")
    for name in "ab":
        (tmp_path / "folder" / f"{name}.csv").write_text("left,right,winner\nx,y,a\n")
    _, out, _ = call("import", str(tmp_path / "folder"), "--dataset", "whole")
    assert re.fullmatch(r"a\.csv and 1 more: .*\bvotes\b.*\ba row", out.splitlines()[0])
    assert any(line.startswith("left out: ids.txt is plain text") for line in out.splitlines())
    _, out, _ = call("look", str(tmp_path / "folder"))
    assert any(line.startswith("left out: ids.txt is plain text") for line in out.splitlines())


def test_no_name_commands_a_terminal(tmp_path: Path, call_on: Call) -> None:
    """Names that set a title, move the cursor or turn text; an import refuses two of them."""
    names = ("\x1b]0;owned\x07x", "\x9b2Hy", "\u202ez")
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, systems=names)
        store.judges.add([JudgeSpec("j\x1b[8m", Kind.LLM)])
        answer = Answer(Outcome.A, comment="\x1b[2J")
        vote = Vote("i0", *names[:2], "j\x1b[8m", answer, attribute="coherence")
        add_votes(store, DATASET, [vote])
    ranked = ["rank", "--judges", "llm"]
    for words in (ranked, ["describe"], [*ranked, "--json"], ["rank", "--judges", "\x1b[2J"]):
        _, out, err = call_on(path, *words)
        assert not set(out + err) & {"\x1b", "\x07", "\x9b", "\u202e"}
    _, out, _ = call_on(path, *ranked, "--json")
    assert {row["system"] for row in json.loads(out)["rows"]} == set(names[:2])
    (tmp_path / "v.csv").write_text("left,right,winner\nx\x1b[2J,y,a\nx,y,a\nx,y,b\n")
    _, out, _ = call_on(path, "import", str(tmp_path / "v.csv"), "--dataset", "new")
    assert re.search(r"\brow 1: .*\bcontrol character\b.* 'x\\x1b\[2J'", out)


def test_what_breaks_and_a_stop_are_said_in_one_line(
    call: Call, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [RuntimeError(), KeyboardInterrupt(), RuntimeError("the disk\nis full")]

    def breaks(store: Store) -> None:
        raise errors.pop()

    monkeypatch.setitem(data.COMMANDS, "datasets", Command(breaks))
    for said in ("RuntimeError: the disk is full; what was finished is kept", "stopped;"):
        status, out, err = call("datasets", "--json")
        assert (status, out, len(err.splitlines())) == (1, "", 1)
        assert err.startswith(f"tandem: {said}")
    monkeypatch.setenv("TANDEM_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main(["--store", str(target), "datasets"])


def process(store: Path, *words: str, stdout: int = PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "core", "--store", str(store), *words]
    return subprocess.run(command, cwd=ROOT, stdout=stdout, stderr=PIPE, text=True, timeout=120)


def test_a_process_prints_one_document_and_nothing_else_or_is_refused(
    target: Path, tmp_path: Path
) -> None:
    done = process(target, "rank", "--method", "elo", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["connected"] is True
    (tmp_path / "a.json").write_text("[" * 100_000)
    before = target.read_bytes()
    done = process(target, "import", str(tmp_path / "a.json"), "--dataset", "e", "--json")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert target.read_bytes() == before


def test_a_reader_that_leaves(target: Path) -> None:
    """As in `python -m core ... | head -0`: no traceback."""
    read, write = os.pipe()
    os.close(read)
    done = process(target, "describe", "--json", stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


# ---- The help: commands in groups, each with its options and an example; completion in a shell


COMPLETE = """
source {script}
complete_words() {{
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    $(complete -p tandem | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    echo "${{COMPREPLY[@]}}"
}}
complete_words tandem ra
complete_words tandem rank --me
complete_words tandem rank --method el
complete_words tandem campaign pa
"""


def test_every_command_prints_its_help(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for name in sorted(COMMANDS):
        with subtests.test(name=name):
            with pytest.raises(SystemExit) as ended:
                main([name, "--help"])
            assert ended.value.code == 0
            printed = capsys.readouterr().out
            assert printed.startswith("usage:")
            assert ("--json" in printed) != hasattr(COMMANDS[name], "verbs")
            assert "%%" not in printed
            assert f"{name} {ENTRIES[name].example}".rstrip() in printed.partition("example:")[2]


def test_commands_are_listed_in_groups_without_loading_them() -> None:
    code = (
        "import sys; from core.__main__ import main; sys.modules['pandas'] = None; main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heads = [line[:-1] for line in done.stdout.splitlines() if line.rstrip(":") in GROUPS]
    assert heads == list(GROUPS) == ["Data", "Ask", "Understand", "People", "Upkeep"]
    listed = [
        line.split()[0] for line in done.stdout.splitlines() if line[:2] == "  " and line[2] > " "
    ]
    assert [name for name in listed if name in ENTRIES] == list(ENTRIES)


def test_examples_are_requests_that_the_parser_takes() -> None:
    for name, entry in ENTRIES.items():
        args = parse([name, *shlex.split(entry.example)])
        args.store = Path("store.sqlite3")
        COMMANDS[name].read(args)
    assert small_model.SIZE in ENTRIES["model"].help


def test_a_shell_completes_commands_options_and_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "tandem.bash"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    asked = ["bash", "-c", COMPLETE.format(script=script)]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["rank", "--method", "elo", "pause"], done.stderr
    for shell in ("zsh", "tcsh"):
        assert main(["completion", shell]) == 0
        assert "separability" in capsys.readouterr().out


# ---- The command line refuses each wrong request as approved: tests/document_refusals.py


NOT_REFUSED = {"app", "check", "look", "model", "probes"}
"""Commands whose requests hold nothing that can be wrong without a package, a network or damage;
what `look` refuses `import` does."""


def test_refusals_are_worded_as_approved(tmp_path: Path) -> None:
    """Each in one line, with status 2."""
    refusals = list(collect_refusals(tmp_path))
    approved = APPROVED.read_text("utf-8")
    assert write_refusals(refusals).splitlines() == approved.splitlines(), (
        "run `python -m tests.document --write`, and read the diff"
    )
    for each in refusals:
        assert (each.status, each.output) == (2, ""), each
        assert re.fullmatch(r"tandem: [^\n]+\n", each.error), each
        assert "Traceback" not in each.error, each


def test_every_command_is_refused_something() -> None:
    words = {word for request in REQUESTS.splitlines() for word in request.split()[:1]}
    assert set(COMMANDS) - words <= NOT_REFUSED
