"""Each page says on the sample study what was approved: tests/document_pages.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.document_pages import (
    APPROVED,
    PAGES,
    draw_page,
    load_study,
    name_snapshot,
    read_wording,
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample study."""
    path = tmp_path_factory.mktemp("wording") / "store.sqlite3"
    load_study(path)
    return path


@pytest.mark.parametrize("file", PAGES)
def test_a_page_is_worded_as_approved(
    file: str, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change of words: `python -m tests.document_pages --write`, and read the diff."""
    monkeypatch.setenv("TANDEM_STORE", str(sample))
    app = draw_page(file)
    assert not app.exception
    assert read_wording(app).splitlines() == name_snapshot(file).read_text("utf-8").splitlines()


def test_no_snapshot_is_left_of_a_page_that_is_gone() -> None:
    assert set(APPROVED.glob("*.txt")) == {name_snapshot(page) for page in PAGES}
