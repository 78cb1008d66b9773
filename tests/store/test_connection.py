"""Opening, transactions, backup, check."""

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.records import Answer, FaultError, Item, Outcome, System, TandemError
from core.store import PlannedPair, Store, opening, write_queue
from tests.processes import forked, run_until_killed
from tests.study import (
    DATASET,
    asked_about,
    campaign_asking,
    compare,
    fill,
    judge,
    kept_tally,
    recounted_tally,
    wait_for,
)


def test_a_missing_store_is_not_created_unasked(tmp_path: Path) -> None:
    with pytest.raises(TandemError, match=r"no store .*/store\.sqlite3: .*import"):
        Store(tmp_path / "store.sqlite3", create=False)
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "new" / "folder" / "store.sqlite3"
    Store(path).close()
    assert Store(path, create=False).connection.check()["ok"]


def test_a_transaction_is_all_or_nothing_also_when_its_commit_fails(study: Store) -> None:
    with pytest.raises(TandemError), study.transaction():  # noqa: PT012
        study.datasets.add_items(DATASET, [Item("one")])
        with study.transaction():  # inside another it is part of that one
            study.datasets.add_items(DATASET, [Item("two")])
        raise TandemError("something broke")
    with pytest.raises(sqlite3.IntegrityError), study.transaction():  # noqa: PT012
        study.connection.execute("PRAGMA defer_foreign_keys = ON")
        study.connection.execute("INSERT INTO items (dataset, key) VALUES ('nowhere', 'x')")
    assert len(study.datasets.items(DATASET)) == 3
    with study.transaction():
        study.datasets.add_items(DATASET, [Item("one")])
    with Store(study.path) as other:
        assert list(other.datasets.items(DATASET)["item"]) == ["i0", "i1", "i2", "one"]


def test_memory_for_many_writes_is_given_back(study: Store) -> None:
    sizes = [f"PRAGMA {name}" for name in ("cache_size", "wal_autocheckpoint")]
    before = [study.connection.value(size) for size in sizes]
    with study.connection.many_writes():
        assert all(study.connection.value(size) not in before for size in sizes)
    assert [study.connection.value(size) for size in sizes] == before


def vote(study: Store) -> None:
    comparison = compare(study, "i0", "alpha", "beta")
    study.judgements.add_vote(campaign_asking(study), comparison, judge(study), Answer(Outcome.A))


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What was brought to the disk since: names of files, and the systems a copy then had."""
    seen = []

    def look(file: int) -> None:
        log = Path(os.readlink(f"/proc/self/fd/{file}"))
        with TemporaryDirectory() as folder:
            for name in (log.name, log.name.removesuffix("-wal")):
                shutil.copy(log.with_name(name), folder)
            with Store(Path(folder) / log.name.removesuffix("-wal")) as copy:
                systems = copy.connection.value("SELECT count(*) FROM systems")
        with Store(log.with_name(log.name.removesuffix("-wal"))) as other, other.transaction():
            pass  # others may write meanwhile
        seen.append((log.name, systems))

    monkeypatch.setattr(write_queue, "_bring", look)
    return seen


def test_a_person_s_work_waits_for_the_disk_and_bulk_work_does_not(
    study: Store, synced: list[tuple[str, int]]
) -> None:
    before = study.connection.value("SELECT count(*) FROM systems")
    with study.transaction():
        study.datasets.add_systems(DATASET, [System("one more")])
    assert not synced
    with study.transaction(durable=True):
        study.datasets.add_systems(DATASET, [System("and another")])
        assert not synced
    assert synced == [(f"{study.path.name}-wal", before + 2)]


def test_a_store_with_another_name_is_brought_to_the_disk(
    study: Store, synced: list[tuple[str, int]], tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(study.path)
    with Store(tmp_path / "link") as store, store.transaction(durable=True):
        pass
    assert [name for name, _ in synced] == [f"{study.path.name}-wal"]
    with Store(":memory:") as store, store.transaction(durable=True):  # which has no log
        assert store.connection.value("PRAGMA synchronous") == 2  # FULL: SQLite waits itself


def test_a_disk_that_keeps_nothing_is_said(study: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(write_queue, "_bring", fail)
    with pytest.raises(FaultError, match=r"/store\.sqlite3 .*\(Input/output error\).*last answer"):
        vote(study)
    assert study.connection.check()["ok"]


WRONG_TALLIES = {
    "DELETE FROM outcome_counts": 1,
    "UPDATE outcome_counts SET count = 2": 1,
    "UPDATE outcome_counts SET outcome = 'b'": 2,  # one missing, one too many
    "UPDATE outcome_counts SET count = 0": 1,
    "INSERT INTO outcome_counts SELECT judge, attribute, system_b, system_a, 1, 'a', 1 "
    "FROM outcome_counts": 1,
}
"""Damage -> how many counts are wrong."""


def test_a_check_counts_rows_and_notices_wrong_counts(study: Store) -> None:
    db, rows = study.connection, {"datasets": 1, "items": 3, "systems": 3, "generations": 9}
    vote(study)
    report = db.check()
    assert (report["ok"], report["integrity"]) == (True, "ok")
    none = {"scores": 0, "runs": 0}
    once = dict.fromkeys(("comparisons", "judgements", "campaign_attributes"), 1)
    assert report["counts"] == rows | none | once

    [tally] = db.rows("SELECT * FROM outcome_counts")
    for damage, wrong in WRONG_TALLIES.items():
        db.execute(damage)
        report = db.check()
        assert (report["ok"], report["wrong_tallies"]) == (False, wrong), damage
        db.execute("DELETE FROM outcome_counts")
        db.execute(f"INSERT INTO outcome_counts VALUES ({', '.join('?' * len(tally))})", tally)
        assert db.check()["ok"]

    pair = db.rows("SELECT generation_1, generation_2 FROM comparisons")[0]
    study.campaigns.add_pairs(asked_about(study), [PlannedPair(*pair, 1)])  # type: ignore[call-arg]
    for votes in (0, 1, 2):
        db.execute("UPDATE campaign_pairs SET votes = ?", (votes,))
        report = db.check()
        assert (report["ok"], report["wrong_votes"]) == (votes == 1, int(votes != 1))
    db.execute("UPDATE campaign_pairs SET votes = 1")

    study.judgements.withdraw(1, judge(study))  # a count of nothing is right
    assert db.rows("SELECT count FROM outcome_counts") == [(0,)]
    assert db.check()["ok"]
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE generations SET system = 99 WHERE id = 1")
    report = db.check()
    assert (report["ok"], report["foreign_keys"]) == (False, 1)


def test_a_check_notices_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, items=300)
        root = store.connection.value(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_generations_1'"
        )
        size = store.connection.value("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((root - 1) * size + size - 30)
        file.write(b"\x01" * 30)
    with Store(path) as store:
        report = store.connection.check()
    assert not report["ok"]
    assert report["integrity"] != "ok"


def test_a_backup_refuses_to_replace_a_file(study: Store, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("precious")
    with pytest.raises(TandemError, match=r"/there exists.*new file"):
        study.connection.backup(tmp_path / "there")
    assert (tmp_path / "there").read_text() == "precious"
    with pytest.raises(TandemError, match=r"folder .*/missing: create"):
        study.connection.backup(tmp_path / "missing" / "copy")


def test_a_backup_that_is_not_whole_has_no_name(
    study: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the disk is full, or whoever copies is interrupted."""
    folder = tmp_path / "backups"
    folder.mkdir()

    def fails(db: object, path: Path, part: Path) -> int:
        part.write_bytes(b"half")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(opening, "copy_whole", fails)
    with pytest.raises(TandemError, match=r"/copy .*\(.*\bfull\).*another file"):
        study.connection.backup(folder / "copy")
    assert list(folder.iterdir()) == []


def test_a_backup_killed_midway_leaves_no_file_of_that_name(study: Store, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    target = tmp_path / "backups" / "copy"
    run_until_killed(backup_until_killed, study.path, target)
    assert not target.exists()
    assert all(".part" in file.name for file in target.parent.iterdir())
    study.connection.backup(target)
    with Store(target, create=False) as copy:
        assert copy.connection.check()["ok"]


def test_a_backup_while_another_process_writes_is_whole(study: Store, tmp_path: Path) -> None:
    campaign, comparison = campaign_asking(study), compare(study, "i0", "alpha", "beta")
    [pair] = study.connection.rows("SELECT generation_1, generation_2 FROM comparisons")
    study.campaigns.add_pairs(asked_about(study), [PlannedPair(*pair, 1)])  # type: ignore[call-arg]
    stop, count = tmp_path / "stop", "SELECT count(*) FROM judgements"
    writer = forked().Process(target=write, args=(study.path, campaign, comparison, stop))
    writer.start()
    sizes = []
    try:
        for i in range(5):
            before, target = study.connection.value(count), tmp_path / f"copy{i}"
            wait_for(lambda before=before: study.connection.value(count) > before + 10)
            made = study.connection.backup(target)
            with Store(target, create=False) as copy:
                assert copy.connection.check()["ok"]
                assert kept_tally(copy) == recounted_tally(copy)
                # Every vote of the writer is two writes in one transaction: the copy has both
                # or none.
                votes = copy.connection.value(count)
                assert copy.connection.value("SELECT count(*) FROM judges") == votes
            assert (made["judgements"], made["bytes"]) == (votes, target.stat().st_size)
            sizes.append(votes)
    finally:
        stop.touch()
        writer.join()
    assert writer.exitcode == 0
    assert sizes == sorted(set(sizes))  # it did write meanwhile
    assert study.connection.check()["ok"]


def backup_until_killed(path: Path, target: Path) -> None:
    def copies(db: sqlite3.Connection, path: Path, part: Path) -> int:
        with closing(sqlite3.connect(part)) as copy:
            db.backup(copy, pages=1, progress=lambda *_: os._exit(9))
        return 0

    opening.copy_whole = copies
    with Store(path) as store:
        store.connection.backup(target)


def write(path: Path, campaign: int, comparison: int, stop: Path) -> None:
    answer = Answer(Outcome.TIE, raw="x" * 500)
    with Store(path) as store:
        for count in range(1_000_000):
            if stop.exists():
                return
            with store.transaction():
                who = judge(store, f"annotator-{count}")
                store.judgements.add_vote(campaign, comparison, who, answer)
