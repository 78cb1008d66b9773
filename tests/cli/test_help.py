"""The help: commands in groups, each with its options and an example; completion in a shell."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.cli import COMMANDS, ENTRIES, parse
from core.cli.commands import GROUPS
from core.models.local import small_model
from tests.paths import ROOT

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
            assert ENTRIES[name].example in printed.partition("example:")[2]


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
        args = parse(shlex.split(entry.example))
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
