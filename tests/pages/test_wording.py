"""Each page says on the sample study what was approved: tests/document_pages.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.document_pages import APPROVED, PAGES, load_study, name_snapshot, read_wording
from tests.pages.drawn import draw


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wording") / "store.sqlite3"
    load_study(path)
    return path


def test_pages_are_worded_as_approved(
    sample: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setenv("TANDEM_STORE", str(sample))
    for page in PAGES:
        with subtests.test(page):
            assert (
                read_wording(draw(page)).splitlines()
                == name_snapshot(page).read_text().splitlines()
            ), "run `python -m tests.document --write`, and read the diff"
    assert set(APPROVED.glob("*.txt")) == {name_snapshot(page) for page in PAGES}
