"""`docs/cli.md` names every command and key; what is generated there is as it is declared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core import cli
from tests import document_cli
from tests.cli.asked import GENERATIONS, Run

PAGE = document_cli.PAGE.read_text(encoding="utf-8")


def test_every_command_is_documented_and_generated_parts_are_as_declared() -> None:
    assert set(re.findall(r"^### `(\w+)", PAGE, re.MULTILINE)) == set(cli.COMMANDS)
    assert document_cli.documented(PAGE) == PAGE, "run `python -m tests.document_cli --write`"
    less = PAGE.replace("--subset ", "")
    assert less != PAGE
    assert document_cli.documented(less) == PAGE, "an option that is missing is seen"


def test_every_declared_key_is_on_the_page(subtests: pytest.Subtests) -> None:
    for finding in sorted(document_cli.FINDINGS):
        with subtests.test(finding=finding):
            part = PAGE.partition(f"<!-- columns: {finding} -->")[2].partition("\n\n")[0]
            if finding == "bias_triples_by":
                continue
            for column in document_cli.FINDINGS[finding]:
                assert f"`{column.name}`" in part
                default = (f"{column.name}_low", f"{column.name}_high")
                ends = (column.low, column.high)
                told = f"`{column.name}`±" in part or all(f"`{end}`" in part for end in ends)
                assert told or not column.low
                assert f"`{column.name}`±" not in part or ends == default


def test_every_key_is_documented(run: Run, tmp_path: Path) -> None:
    documents = {
        "import": run("import", str(_written(tmp_path)), "--dataset", "new"), "datasets": run("datasets"),
        "describe": run("describe", "--dataset", "d"), "runs": run("runs"),
        "judge": run("judge", "--dataset", "d", "--judge", "baseline:longer"),
        "rank": run("rank", "--dataset", "d", "--method", "elo"), "bias": run("bias", "--dataset", "d"),
        "budget": run("budget", "--dataset", "d", "--judges", "human", "--replays", "2"),
        "correlate": run("correlate", "--dataset", "d", "--scores", "metric", "--against", "human", "--level", "pool"),
        "agreement": run("agreement", "--dataset", "d"),
        "annotators": run("annotators", "--dataset", "d"),
        "exclude": [
            run("exclude", "Ada", "--dataset", "d", "--reason", "clicks"),
            run("exclude", "Ada", "--dataset", "d", "--lift"),
            run("exclude", "--dataset", "d"),
        ],
        "accuracy": run("accuracy", "--dataset", "d", "--against", "human"),
        "export": run("export", "--dataset", "d", "--what", "judgements", "--to", str(tmp_path / "a.csv")),
        "backup": run("backup"), "check": run("check"),
        "restore": _restored(run),
    }  # fmt: skip
    for command, document in documents.items():
        told = f"{command}: a column comes by tests.document, a fact is explained in docs/cli.md"
        assert find_undocumented(command, document) == [], told


def find_undocumented(command: str, document: Any) -> list[str]:
    """Keys that neither the command's section nor "Everywhere" names; `key`± is an interval."""
    section = re.split(r"^### ", PAGE.partition(f"### `{command}`")[2], maxsplit=1, flags=re.M)[0]
    told = section + PAGE.partition("## Everywhere")[2].partition("## Commands")[0]
    return [
        key
        for key in sorted(keys(document))
        if f"`{key}`" not in told and f"`{re.sub('_(low|high)$', '', key)}`±" not in told
    ]


def _restored(run: Run) -> Any:
    """A store that has one answer more than its backup."""
    backup = run("backup")["file"]
    run("judge", "--dataset", "d", "--judge", "baseline:random|seed:5")
    return run("restore", backup)


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
