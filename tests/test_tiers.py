"""Which tests run when: the first tier, what else a change touches, and all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import tiers
from tests.paths import ROOT


def test_what_is_named_is_there() -> None:
    named = [*tiers.THOROUGH, *tiers.JOURNEYS]
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []
    written = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name in tiers.LONG if f"def {name}(" not in written] == []


def test_a_change_touches_the_tests_that_import_it_by_few_steps(tmp_path: Path) -> None:
    files = {
        "core/far.py": "x = 1",
        "core/near.py": "from core.far import x",
        "tests/helper.py": "import core.near",
        "tests/test_far.py": "from core import far",
        "tests/test_near.py": "from tests import helper",
        "tests/test_other.py": "import json",
        "pages/components/bias/figures.py": "",
        "tests/pages/test_bias_page.py": "",
        "tests/pages/test_keys.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    journeys = {f"tests/{name}" for name in tiers.JOURNEYS}

    def find(*changed: str) -> set[str]:
        return tiers.find_touched_tests(changed, tmp_path) - journeys

    assert find("core/far.py") == {"tests/test_far.py"}, "test_near imports it by three steps"
    assert find("core/near.py") == {"tests/test_near.py"}
    assert find("tests/test_other.py", "README.md") == {"tests/test_other.py", *tiers.DOCUMENTED}
    assert find("pages/components/bias/figures.py") == {"tests/pages/test_bias_page.py"}
    assert find() == set()


def test_of_a_wide_change_the_nearest_files_are_taken(tmp_path: Path) -> None:
    changed = ["core/far.py", *(f"tests/test_{number}.py" for number in range(tiers.MOST + 5))]
    for name in changed:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("from core import far" if name == changed[-1] else "x = 1")
    found = tiers.find_touched_tests(changed, tmp_path)
    assert len(found) == tiers.MOST + len(tiers.JOURNEYS)
    assert changed[-1] in found, "itself and what it imports have changed"


def test_changes_are_those_since_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(name: str) -> None:
        (tmp_path / name).write_text(name)
        subprocess.run(["git", "add", name], cwd=tmp_path, check=True)
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, "commit", "-qm", name], cwd=tmp_path, check=True)

    monkeypatch.delenv("TANDEM_BASE", raising=False)
    assert tiers.list_changes(tmp_path) == [], "no repository, as in a downloaded archive"
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in ("a", "b", "c"):
        commit(name)
    monkeypatch.setenv("TANDEM_BASE", "HEAD~2")
    assert tiers.list_changes(tmp_path) == ["b", "c"]
    monkeypatch.delenv("TANDEM_BASE")
    subprocess.run(["git", "tag", "v1", "HEAD~1"], cwd=tmp_path, check=True)
    assert tiers.list_changes(tmp_path) == ["c"]
