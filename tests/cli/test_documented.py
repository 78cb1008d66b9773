"""`docs/cli.md` names every command, option and key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core import cli
from core.__main__ import parser
from tests.cli.asked import GENERATIONS, Run
from tests.paths import ROOT


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### `(\w+)", page, re.MULTILINE)) == set(cli.COMMANDS)
    (subparsers,) = [action for action in parser()._actions if action.dest == "command"]
    for name, sub in subparsers.choices.items():  # type: ignore[union-attr, attr-defined]
        for action in sub._actions:
            for option in action.option_strings:
                known = option in ("-h", "--help") or re.search(
                    rf"(?<![\w-]){option}(?![\w-])", page
                )
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
        section = re.split(
            r"^### ", page.partition(f"### `{command}")[2], maxsplit=1, flags=re.MULTILINE
        )[0]
        for key in sorted(keys(document)):
            assert (
                f"`{key}`"
                in section + page.partition("## Everywhere")[2].partition("## Commands")[0]
            ), (
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
    return set(document) | set().union(
        *(keys(value) for key, value in document.items() if key not in data)
    )
