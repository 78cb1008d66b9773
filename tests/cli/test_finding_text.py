"""What a command prints of a finding: what it says, one table, two notes; more where it is asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core import sample_study
from core.labels import shorten_judges
from core.store import Store
from tests.cli.asked import called

NEWS = ("--dataset", "sample-news")
LONG = re.compile(r"local:smollm2-[0-9a-f]{8}")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "store.sqlite3"
    with Store(path) as store:
        sample_study.load(store)
    return path


def test_a_finding_is_a_sentence_a_table_and_two_notes(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = called(capsys, sample, "agreement", *NEWS, "--json")
    document = json.loads(out)
    status, out, _ = called(capsys, sample, "agreement", *NEWS)
    lead, table, end = out.strip().split("\n\n")
    assert status == 0
    assert lead.startswith("Simulated annotators agree on ")
    assert len(table.splitlines()) == 1 + len(document["pairs"])
    *notes, more, foot = end.splitlines()
    own = [note for note in document["notes"] if shorten_judges(note) not in lead]
    assert notes == own[:2]
    assert foot.startswith(document["signature"])
    assert re.findall(r"--[a-z]+", more) == ["--show", "--notes"]
    _, whole, _ = called(capsys, sample, "agreement", *NEWS, "--notes", "--show", "all")
    assert all(shorten_judges(note) in whole for note in document["notes"])
    assert "More:" not in whole
    for name in ("groups", "judges", "majority"):
        assert f"\n\n{name}\n" in whole
        assert name in more


def test_a_long_table_is_cut_and_printed_whole_where_it_is_asked(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("consistency", *NEWS, "--judges", "simulated")
    counted = len(json.loads(called(capsys, sample, *asked, "--json")[1])["rows"])
    cut, whole = (
        re.findall(r"^news-\d+", called(capsys, sample, *asked, *more)[1], re.MULTILINE)
        for more in ((), ("--show", "rows"))
    )
    assert (len(cut), len(whole)) == (20, counted)
    assert counted > 25


def test_a_table_that_is_not_there_is_refused_with_those_that_are(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = called(capsys, sample, "agreement", *NEWS, "--show", "votes")
    assert (status, out) == (2, "")
    assert re.search(r"--show votes\b.*\brows, .*\bgroups\b.*\ball\b", err)


def test_judges_have_short_names_that_options_take(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = called(capsys, sample, "bias", *NEWS)
    assert "smollm2 · classifier" in out
    assert not LONG.search(out)
    asked = ("bias", *NEWS, "--json", "--judges")
    by_short = called(capsys, sample, *asked, "smollm2 · classifier")[1]
    [judge] = {row["judge"] for row in json.loads(by_short)["rows"]}
    assert LONG.match(judge)
    assert by_short == called(capsys, sample, *asked, judge)[1]
