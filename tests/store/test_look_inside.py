"""`docs/look-inside.md`: each query gives what the page says, of a copy of the sample study."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from sqlite_utils import Database

from core import sample_study
from core.store import Store
from tests.paths import ROOT

PAGE = (ROOT / "docs/look-inside.md").read_text(encoding="utf-8")
QUESTION = re.compile(r"\*\*[^*]+\?\*\*\n\n```sql\n(.+?)```\n\n```text\n(.+?)```", re.S)


def test_five_questions_have_the_answers_of_the_page(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite3") as store:
        sample_study.load(store)
        store.connection.backup(tmp_path / "copy.sqlite3")
    address = f"file:{tmp_path / 'copy.sqlite3'}?mode=ro&immutable=1"  # as datasette opens it
    copy = Database(sqlite3.connect(address, uri=True), recursive_triggers=False)
    questions = QUESTION.findall(PAGE)
    assert len(questions) == 5
    for sql, answer in questions:
        rows = ["  ".join(map(str, row.values())) for row in copy.query(sql)]
        assert rows == answer.splitlines()
