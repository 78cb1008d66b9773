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
from core.store import PlannedPair, Store, connection, write_log
from tests.processes import forked
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


def test_a_missing_store_is_not_created_unasked(tmp_path):
    with pytest.raises(TandemError, match=r"no store .*/store\.sqlite3: .*import"):
        Store(tmp_path / "store.sqlite3", create=False)
    assert list(tmp_path.iterdir()) == []
    Store(tmp_path / "new" / "folder" / "store.sqlite3").close()
    assert Store(tmp_path / "new" / "folder" / "store.sqlite3", create=False).connection.check()[
        "ok"
    ]


def test_a_transaction_is_all_or_nothing(study):
    with pytest.raises(TandemError), study.transaction():  # noqa: PT012
        study.datasets.add_items(DATASET, [Item("one")])
        with study.transaction():  # inside another it is part of that one
            study.datasets.add_items(DATASET, [Item("two")])
        raise TandemError("something broke")
    assert len(study.datasets.items(DATASET)) == 3
    with study.transaction():
        study.datasets.add_items(DATASET, [Item("one")])
    with Store(study.path) as other:
        assert len(other.datasets.items(DATASET)) == 4


def test_a_commit_that_fails_is_taken_back(study):
    """Otherwise every later write would go into a transaction that never ends."""
    with pytest.raises(sqlite3.IntegrityError), study.transaction():  # noqa: PT012
        study.connection.execute("PRAGMA defer_foreign_keys = ON")
        study.connection.execute("INSERT INTO items (dataset, key) VALUES ('nowhere', 'x')")
    study.datasets.add_items(DATASET, [Item("one")])
    with Store(study.path) as other:
        assert list(other.datasets.items(DATASET)["item"]) == ["i0", "i1", "i2", "one"]


def test_memory_for_many_writes_is_given_back(study):
    sizes = [f"PRAGMA {name}" for name in ("cache_size", "wal_autocheckpoint")]
    before = [study.connection.value(size) for size in sizes]
    with study.connection.many_writes():
        assert all(study.connection.value(size) not in before for size in sizes)
    assert [study.connection.value(size) for size in sizes] == before


@pytest.fixture
def synced(monkeypatch) -> list[tuple[str, int]]:
    """What was brought to the disk since, as the name of a file and the systems that a copy of the
    store had at that moment.
    """
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

    monkeypatch.setattr(write_log, "_bring", look)
    return seen


def test_a_person_s_work_waits_for_the_disk_and_bulk_work_does_not(study, synced):
    before = study.connection.value("SELECT count(*) FROM systems")
    with study.transaction():
        study.datasets.add_systems(DATASET, [System("one more")])
    assert not synced
    with study.transaction(durable=True):
        study.datasets.add_systems(DATASET, [System("and another")])
        assert not synced
    assert synced == [(f"{study.path.name}-wal", before + 2)]


def test_a_store_with_another_name_is_brought_to_the_disk(study, synced, tmp_path):
    (tmp_path / "link").symlink_to(study.path)
    with Store(tmp_path / "link") as store, store.transaction(durable=True):
        pass
    assert [name for name, _ in synced] == [f"{study.path.name}-wal"]


def test_a_disk_that_keeps_nothing_is_said(study, monkeypatch):
    def fail(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(write_log, "_bring", fail)
    with pytest.raises(FaultError, match=r"/store\.sqlite3 .*\(Input/output error\).*last answer"):
        study.judgements.add_vote(
            campaign_asking(study),
            compare(study, "i0", "alpha", "beta"),
            judge(study),
            Answer(Outcome.A),
        )
    assert study.connection.check()["ok"]


def test_where_there_is_no_log_sqlite_waits_itself():
    with Store(":memory:") as store, store.transaction(durable=True):
        assert store.connection.value("PRAGMA synchronous") == 2  # FULL


class TestCheck:
    def vote(self, study: Store, outcome: Outcome = Outcome.A) -> None:
        study.judgements.add_vote(
            campaign_asking(study),
            compare(study, "i0", "alpha", "beta"),
            judge(study),
            Answer(outcome),
        )

    def test_of_a_whole_store(self, study):
        self.vote(study)
        found = study.connection.check()
        assert found["ok"]
        assert found["integrity"] == "ok"
        assert found["counts"] == {
            "datasets": 1,
            "items": 3,
            "systems": 3,
            "generations": 9,
            "scores": 0,
            "comparisons": 1,
            "judgements": 1,
            "campaign_attributes": 1,
            "runs": 0,
        }

    @pytest.mark.parametrize(
        ("damage", "wrong"),
        [
            ("DELETE FROM outcome_counts", 1),
            ("UPDATE outcome_counts SET count = 2", 1),
            ("UPDATE outcome_counts SET outcome = 'b'", 2),  # one missing, one too many
            ("UPDATE outcome_counts SET count = 0", 1),
            (
                "INSERT INTO outcome_counts SELECT judge, attribute, system_b, system_a, 1, 'a', 1 "
                "FROM outcome_counts",
                1,
            ),
        ],
    )
    def test_notices_a_wrong_tally(self, study, damage, wrong):
        self.vote(study)
        study.connection.execute(damage)
        found = study.connection.check()
        assert (found["ok"], found["wrong_tallies"]) == (False, wrong)

    @pytest.mark.parametrize("votes", [0, 2])
    def test_notices_a_wrong_count_of_votes(self, study, votes):
        self.vote(study)
        pair = study.connection.rows("SELECT generation_1, generation_2 FROM comparisons")[0]
        study.campaigns.add_pairs(asked_about(study), [PlannedPair(*pair, 1)])
        study.connection.execute("UPDATE campaign_pairs SET votes = 1")
        assert study.connection.check()["ok"]
        study.connection.execute("UPDATE campaign_pairs SET votes = ?", (votes,))
        assert (study.connection.check()["ok"], study.connection.check()["wrong_votes"]) == (
            False,
            1,
        )

    def test_a_tally_of_nothing_is_right(self, study):
        self.vote(study)
        study.judgements.withdraw(1, judge(study))
        counts = study.connection.rows("SELECT count FROM outcome_counts")
        assert counts == [(0,)]
        assert study.connection.check()["ok"]

    def test_notices_what_points_nowhere(self, study):
        study.connection.execute("PRAGMA foreign_keys = OFF")
        study.connection.execute("UPDATE generations SET system = 99 WHERE id = 1")
        found = study.connection.check()
        assert (found["ok"], found["foreign_keys"]) == (False, 1)

    def test_notices_a_damaged_file(self, tmp_path):
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
            found = store.connection.check()
        assert not found["ok"]
        assert found["integrity"] != "ok"


class TestBackup:
    def test_refuses_to_replace_a_file(self, study, tmp_path):
        (tmp_path / "there").write_text("precious")
        with pytest.raises(TandemError, match=r"/there exists.*new file"):
            study.connection.backup(tmp_path / "there")
        assert (tmp_path / "there").read_text() == "precious"
        with pytest.raises(TandemError, match=r"folder .*/missing: create"):
            study.connection.backup(tmp_path / "missing" / "copy")

    def test_a_copy_that_is_not_whole_has_no_name(self, study, tmp_path, monkeypatch):
        """As when the disk is full, or whoever copies is interrupted."""
        folder = tmp_path / "backups"
        folder.mkdir()

        def fails(self: object, part: Path) -> int:
            part.write_bytes(b"half")
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(connection.Connection, "_copy", fails)
        with pytest.raises(TandemError, match=r"/copy .*\(.*\bfull\).*another file"):
            study.connection.backup(folder / "copy")
        assert list(folder.iterdir()) == []

    def test_killed_midway_it_leaves_no_file_of_that_name(self, study, tmp_path):
        (tmp_path / "backups").mkdir()
        target = tmp_path / "backups" / "copy"
        killed = forked().Process(target=backup_until_killed, args=(study.path, target))
        killed.start()
        killed.join()
        assert killed.exitcode == 9
        assert not target.exists()
        assert all(".part" in file.name for file in target.parent.iterdir())
        study.connection.backup(target)
        with Store(target, create=False) as copy:
            assert copy.connection.check()["ok"]

    def test_while_another_process_writes(self, study, tmp_path):
        campaign = campaign_asking(study)
        comparison = compare(study, "i0", "alpha", "beta")
        study.campaigns.add_pairs(
            asked_about(study),
            [
                PlannedPair(
                    *study.connection.rows("SELECT generation_1, generation_2 FROM comparisons")[0],
                    1,
                )
            ],
        )
        stop = tmp_path / "stop"
        writer = forked().Process(target=write, args=(study.path, campaign, comparison, stop))
        writer.start()
        sizes = []
        try:
            for i in range(5):
                before = study.connection.value("SELECT count(*) FROM judgements")
                wait_for(
                    lambda before=before: (
                        study.connection.value("SELECT count(*) FROM judgements") > before + 10
                    )
                )
                made = study.connection.backup(tmp_path / f"copy{i}")
                with Store(tmp_path / f"copy{i}", create=False) as copy:
                    assert copy.connection.check()["ok"]
                    assert kept_tally(copy) == recounted_tally(copy)
                    # Every vote of the writer is two writes in one transaction: the copy has both
                    # or none.
                    votes = copy.connection.value("SELECT count(*) FROM judgements")
                    assert copy.connection.value("SELECT count(*) FROM judges") == votes
                assert made["judgements"] == votes
                assert made["bytes"] == (tmp_path / f"copy{i}").stat().st_size
                sizes.append(votes)
        finally:
            stop.touch()
            writer.join()
        assert writer.exitcode == 0
        assert sizes == sorted(set(sizes))  # it did write meanwhile
        assert study.connection.check()["ok"]


def backup_until_killed(path: Path, target: Path) -> None:
    def copies(self: connection.Connection, part: Path) -> int:
        with closing(sqlite3.connect(part)) as copy:
            self._db.backup(copy, pages=1, progress=lambda *_: os._exit(9))
        return 0

    connection.Connection._copy = copies
    with Store(path) as store:
        store.connection.backup(target)


def write(path: Path, campaign: int, comparison: int, stop: Path) -> None:
    with Store(path) as store:
        for count in range(1_000_000):
            if stop.exists():
                return
            with store.transaction():
                store.judgements.add_vote(
                    campaign,
                    comparison,
                    judge(store, f"annotator-{count}"),
                    Answer(Outcome.TIE, raw="x" * 500),
                )
