"""Votes are taken in the order of their instants, in `import` and `rank` as in `rank --votes`. The
right values are those of shared/cases/README.md; those of one vote after another are by hand.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from core.__main__ import main
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_over_time, rank_votes
from core.importing import Reading, UncertainDatesError, importer
from core.moments import DateOrder
from core.records import Dataset, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore
from tests.paths import ROOT

CASES = ROOT.parent / "shared" / "cases" / "times"
ELO = RankSettings(method="elo", bootstrap=0)
X_LAST, Y_LAST = {"X": 1000.7820, "Y": 999.2180}, {"Y": 1000.091, "X": 999.909}

DAYS = (
    [*range(16, 10, -1)],
    [*range(10, 4, -1)],
)  # of March: X won first in the file, Y before it in time
TABLES = {
    "sheets.csv": "Timestamp,model_a,model_b,winner\n"
    + "".join(f"3/{day}/2024 9:15:00 AM,X,Y,{who}\n" for who, days in zip("XY", DAYS, strict=True) for day in days),
    "iso.csv": "Timestamp,model_a,model_b,winner\n"
    + "".join(f"2024-03-{day:02}T09:15:00,X,Y,{who}\n" for who, days in zip("XY", DAYS, strict=True) for day in days),
    "uk.csv": "model_a,model_b,winner,date\nX,Y,X,28/02/2024 16:51\nX,Y,X,29/02/2024 10:00\n"
    "X,Y,Y,01/03/2024 09:00\nX,Y,Y,02/03/2024 09:00\n",
    "tz.csv": "model_a,model_b,winner,created_at\nX,Y,X,2024-03-01T09:00:00+09:00\n"
    "X,Y,Y,2024-03-01T01:00:00+00:00\nX,Y,X,2024-02-29T23:30:00Z\nX,Y,Y,1709254800\n",
}  # fmt: skip
RIGHT = {"sheets.csv": X_LAST, "iso.csv": X_LAST, "uk.csv": Y_LAST, "tz.csv": Y_LAST}


def elo(wins: str) -> float:
    """The rating of X after these wins one after another, with k = 4 (Elo 1978)."""
    x = y = 1000.0
    for winner in wins:
        gain = 4 * ((winner == "X") - 1 / (1 + 10 ** ((y - x) / 400)))
        x, y = x + gain, y - gain
    return x


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def ratings(rows) -> dict[str, float]:
    return dict(zip(rows["system"], rows["rating"], strict=True))


def check(store: Store, path: Path, right: dict[str, float]) -> None:
    """In a store, over time, and where the file lies."""
    importer.load(store, [path], Dataset("t"))
    moved = rank_over_time(store, Selection("t"), ELO).rows
    for rows in (
        leaderboard(store, Selection("t"), ELO).rows,
        moved[moved["votes"] == moved["votes"].max()],
        rank_votes([path], Selection(""), ELO).rows,
    ):
        assert ratings(rows) == pytest.approx(right, abs=1e-3)


def test_votes_follow_their_instants(open_store: OpenStore, tmp_path: Path) -> None:
    for name, right in RIGHT.items():
        check(open_store(), write(tmp_path, name, TABLES[name]), right)


@pytest.mark.skipif(not CASES.is_dir(), reason="needs shared/cases beside the repository")
def test_the_public_cases(open_store: OpenStore) -> None:
    for name, right in RIGHT.items():
        check(open_store(), CASES / name, right)


MIXED = (
    "model_a,model_b,winner,created_at\nX,Y,X,2024-03-01 09:00:00+09:00\nX,Y,Y,03/01/2024 01:00\n"
    "X,Y,X,29.02.2024 23:30\nX,Y,Y,16/02/201716:51:00\nX,Y,X,1682351591.1322\nX,Y,X,not a date\n"
)


def test_what_is_no_time_is_counted_said_and_comes_last(store: Store, tmp_path: Path) -> None:
    """29.02 says that the column has the day first: 2017 Y, 2023 X, 3 January Y, X, X, no time X."""
    path = write(tmp_path, "tz2.csv", MIXED)
    right = elo("YXYXXX")
    check(store, path, {"X": right, "Y": 2000 - right})
    warnings = importer.survey(store, [path], Dataset("t")).report.warnings
    (warning,) = (each for each in warnings if "not a date" in each)
    (note,) = (n for n in rank_votes([path], Selection(""), ELO).notes if "not a date" in n)
    assert warning == note
    assert re.search("1 of 6 .*time", warning)


def test_times_that_nothing_names_are_in_the_order_of_the_file(
    store: Store, tmp_path: Path
) -> None:
    text = "model_a,model_b,winner,time\nX,Y,X,z\nX,Y,Y,a\nX,Y,Y,m\n"
    report = importer.load(store, [write(tmp_path, "v.csv", text)], Dataset("t"))
    rows = leaderboard(store, Selection("t"), ELO).rows
    assert ratings(rows)["X"] == pytest.approx(elo("XYY"))
    assert any(re.search("3 of 3 .*time", warning) for warning in report.warnings)


AMBIGUOUS = "model_a,model_b,winner,date\nX,Y,X,03/04/2024\nX,Y,Y,01/05/2024\n"


def test_dates_that_may_be_two_are_asked_about_before_anything_is_written(
    store: Store, tmp_path: Path
) -> None:
    path = write(tmp_path, "votes.csv", AMBIGUOUS)
    with pytest.raises(UncertainDatesError) as refused:
        importer.load(store, [path], Dataset("t"))
    assert refused.value.orders == (DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)
    assert store.datasets.names() == []


def test_the_command_line_says_what_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for order, wins in [("day-first", "XY"), ("month-first", "YX")]:
        path, store = write(tmp_path, "votes.csv", AMBIGUOUS), str(tmp_path / f"{order}.sqlite3")
        words = ["--store", store, "import", str(path), "--dataset", "t"]
        assert main(words) != 0
        assert "--dates day-first or --dates month-first" in capsys.readouterr().err
        assert not Path(store).exists()
        assert main([*words, "--dates", order]) == 0
        capsys.readouterr()
        for asked in (["--dataset", "t"], ["--votes", str(path), "--dates", order]):
            options = ["--method", "elo", "--bootstrap", "0", "--json"]
            assert main(["--store", store, "rank", *asked, *options]) == 0
            rows = json.loads(capsys.readouterr().out)["rows"]
            found = {row["system"]: row["rating"] for row in rows}
            assert found["X"] == pytest.approx(elo(wins))


def test_dates_of_both_orders_are_asked_about(store: Store, tmp_path: Path) -> None:
    text = "model_a,model_b,winner,date\nX,Y,X,13/02/2024\nX,Y,Y,02/13/2024\n"
    with pytest.raises(
        UncertainDatesError, match=r"13/02/2024 and 02/13/2024|02/13/2024 and 13/02/2024"
    ):
        importer.load(store, [write(tmp_path, "v.csv", text)], Dataset("t"))


def test_a_file_imported_before_times_were_parsed_adds_nothing(
    store: Store, tmp_path: Path
) -> None:
    """A vote is known by what its file states, not by what that is read as."""
    path = write(tmp_path, "sheets.csv", TABLES["sheets.csv"])
    survey = importer.survey(store, [path], Dataset("t"))
    marks = [mark for (mark,) in survey.stage.database.rows("SELECT mark FROM votes ORDER BY row")]
    said = json.dumps(
        ["", "X", "Y", "voters", "overall", False, "3/16/2024 9:15:00 AM", "a", None, ""]
    )
    old = [int(hashlib.blake2b(text.encode(), digest_size=6).hexdigest(), 16)
           for text in (said, said.replace("false", "true"))]  # fmt: skip
    assert marks[0] in old
    importer.write(store, survey)
    assert importer.load(store, [path], Dataset("t")).added["judgements"] == 0


def test_times_without_a_zone_are_of_the_one_that_is_said(store: Store, tmp_path: Path) -> None:
    """In Berlin it is two hours later in July and one in January; a zone in the cell goes first."""
    rows = ("2024-07-01 12:00", "01.02.2024 12:00", "1 January 2024 12:00", "2024-07-01T12:00Z")
    text = "model_a,model_b,winner,date\n" + "".join(f"X,Y,X,{time}\n" for time in rows)
    path = write(tmp_path, "v.csv", text)
    reading = Reading(zone="Europe/Berlin", dates=DateOrder.DAY_FIRST)
    importer.load(store, [path], Dataset("t"), reading)
    times = store.connection.rows("SELECT created_at FROM judgements ORDER BY id")
    assert [time[:16] for (time,) in times] == [
        "2024-07-01T10:00", "2024-02-01T11:00", "2024-01-01T11:00", "2024-07-01T12:00",
    ]  # fmt: skip
    with pytest.raises(TandemError, match="zone Atlantis/Capital"):
        importer.load(store, [path], Dataset("u"), Reading(zone="Atlantis/Capital"))
