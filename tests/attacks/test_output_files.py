"""No option that writes files changes a byte of the store, of inputs or of others' files."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from core.cli import COMMANDS
from core.cli.settings import REPLACEABLE
from core.store import Store
from tests.attacks.surfaces import said
from tests.paths import ROOT
from tests.study import DATASET, fill

VOTES = "item,left,right,winner\ni,x,y,a\nj,x,y,b\nk,y,x,a\n"
WORDS = {
    "import": ["votes.csv", "--dataset", "votes", "--reading", "read.toml"],
    "export": ["--what", "generations"],
    "dataset delete": [DATASET, "--confirm", DATASET],
    "judge": [
        *("--judge", "openai:fake", "--base-url", "http://127.0.0.1:9", "--mode", "generate"),
        *("--batch", "submit", "--prompt-file", "votes.csv"),
    ],
    "rank": ["--votes", "votes.*", "--reading", "read.toml"],
    "report": [],
    "lab compare": ["--judges", "model"],
    "crowd payments": ["campaign"],
    "crowd answers": ["campaign"],
    "people invite": ["--from", "votes.csv", "--text", "@read.toml"],
    "people renew": ["--from", "votes.csv", "--text", "@read.toml"],
    "people log": [],
    "backup": [],
}
"""A request of each command that writes, without where it writes to."""
READERS = {words for words, request in WORDS.items() if "votes.csv" in request} | {"rank"}
OUTPUTS = {
    (f"{command} {verb}".strip(), "" if option.setting.is_positional else option.flag): output
    for command, declared in COMMANDS.items()
    for verb, request in getattr(declared, "verbs", {"": declared}).items()
    for option in request.own_options.values()
    if (output := option.setting.output)
}
NO_FILES = ("folder", "pipe", "/dev/full", "nowhere/file.csv")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store at work beside votes, a reading and somebody's file, with other names of these."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as opened:
        fill(opened)
        opened.connection.backup(tmp_path / "copy.csv")
        (tmp_path / "votes.csv").write_text(VOTES)
        (tmp_path / "read.toml").write_text('format = "auto"\nrepeats = "keep"\n')
        (tmp_path / "mine.csv").write_text("mine\n")
        (tmp_path / "folder").mkdir()
        os.mkfifo(tmp_path / "pipe")
        for name, of in (("store", path), ("votes", tmp_path / "votes.csv")):
            (tmp_path / f"{name}-link.csv").symlink_to(of)
            (tmp_path / f"{name}-hard.csv").hardlink_to(of)
        (tmp_path / "store.sqlite3.backups").mkdir()
        (tmp_path / "store.sqlite3.backups" / "study.sqlite3").touch()
        with chdir(tmp_path):
            yield path


def contents(folder: Path) -> dict[str, bytes]:
    """All that lies in a folder, but the index of the log, which any reader writes."""
    files = (path for path in folder.rglob("*") if not path.name.endswith("-shm"))
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in files}


KEPT = (
    *("store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm", "store.sqlite3-journal"),
    *("folder/../store.sqlite3", "store.sqlite3-Journal", "store-link.csv", "store-hard.csv"),
    *("store.sqlite3.locks/write", "store.sqlite3.servers.json", "copy.csv"),
)


def test_what_is_kept_is_kept(store: Path) -> None:
    """No option that writes is left out."""
    assert {command for command, _ in OUTPUTS} == set(WORDS)
    for (command, flag), kind in OUTPUTS.items():
        more = ["--overwrite"] if kind in REPLACEABLE else []
        targets = list(KEPT)
        if kind in ("file", "new file"):
            targets += ["store.sqlite3.backups/study.sqlite3", "store.sqlite3.backups", *NO_FILES]
        if kind == "file":
            assert refuse(store, command, flag, "mine.csv").count("--overwrite") == 1
        else:
            targets += ["mine.csv", "store.sqlite3-journal/reports"]
        if command in READERS:
            targets += ["votes.csv", "votes-link.csv", "votes-hard.csv"]
        if "read.toml" in " ".join(WORDS[command]):
            targets.append("read.toml")
        for target in targets:
            refuse(store, command, flag, target, *more)


def refuse(store: Path, command: str, *output: str) -> str:
    """What a command says that refuses to write, with every byte where it was."""
    before = contents(store.parent)
    name, *verb = command.split()
    words = [word for word in output if word]  # a file in its place has no flag
    status, out, err = said(store, name, *verb, *WORDS[command], *words)
    assert (status, out) == (2, ""), (output, out, err)
    assert re.fullmatch(r"tandem: [^\n]+: [^\n]+\n", err), err
    assert output[1].partition("/")[0] in err
    assert contents(store.parent) == before, output
    return err


def test_what_the_environment_names_is_kept(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("other.csv", "other.csv-wal"):
        Path("folder", name).write_text("votes of another study\n")
    for also, value in (("TANDEM_STORE", "folder/other.csv"), ("TANDEM_BACKUPS", "folder")):
        with monkeypatch.context() as patch:
            patch.setenv(also, value)
            for name in ("other.csv", "other.csv-wal"):
                refuse(store, "export", "--to", f"folder/{name}", "--overwrite")


def test_what_tandem_has_written_is_replaced_until_somebody_changes_it(store: Path) -> None:
    words = ["export", "--what", "generations", "--to", "texts.csv"]
    assert [said(store, *words)[0] for _ in range(2)] == [0, 0]
    Path("texts.csv").write_text("corrected by hand\n")
    refuse(store, "export", "--to", "texts.csv")
    assert said(store, *words, "--overwrite")[0] == 0
    assert said(store, *words)[0] == 0
    words = ["import", "votes.csv", "--dataset", "votes", "--save-reading", "new.toml"]
    fresh = store.with_name("fresh.sqlite3")
    assert [said(fresh, *words)[0] for _ in range(2)] == [0, 0]


def test_a_folder_of_a_report_keeps_what_is_not_its_own(store: Path) -> None:
    report, folder = ["report", "--out", "paper"], store.parent / "paper"
    folder.mkdir()
    (folder / "methods.md").write_text("mine\n")
    (folder / "contents.txt").write_text("tables/mine.csv\n")
    before = contents(folder)
    status, _, err = said(store, *report)
    assert (status, contents(folder)) == (2, before), err
    (folder / "contents.txt").unlink()
    assert said(store, *report, "--overwrite")[0] == 0
    assert said(store, *report)[0] == 0
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(store)
    for more in ([], ["--overwrite"]):
        held = store.read_bytes()
        assert said(store, *report, *more)[0] == 2
        assert store.read_bytes() == held


OWN_FILES = {
    *("core/output_files.py", "core/whole_files.py", "core/judging/server_list.py"),
    *("core/models/local/small_model.py", "core/models/local/precision_choice.py"),
    "core/store/opening.py",
}
"""Modules that write files of their own, or, as copies of a store, files that were not there."""


def test_no_other_module_replaces_a_file() -> None:
    named = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "core").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and node.id == "atomic_write"
    }
    assert named | {"core/whole_files.py"} == OWN_FILES
