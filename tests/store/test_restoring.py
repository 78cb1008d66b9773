"""A store becomes what its backup holds, and nothing of what it was is lost."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from core import access, campaigns
from core.pairing import open_default
from core.pairing.planning import Request, enqueue
from core.records import Answer, FaultError, Outcome, Role, TandemError
from core.runs import execution
from core.store import Store, backups, opening
from core.store.backups import restore
from tests.asking import LONGER
from tests.disk import Disk
from tests.disk import disk as disk
from tests.kept_stores import write_kept
from tests.processes import run_until_killed
from tests.study import DATASET, ask, content, fill

PEOPLE = "SELECT name, id FROM people"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ada has voted; the copy "backup" is of then."""
    return voted(tmp_path)


def voted(folder: Path) -> Path:
    path = folder / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        open_default(store, DATASET)
        campaigns.enrol(store, "Ada")
        while shown := ask(store, "Ada"):
            campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
        store.connection.backup(folder / "backup")
    return path


def judged(path: Path) -> int:
    with Store(path) as store:
        run = enqueue(store, LONGER.spec, Request(DATASET))
        execution.execute(store, run)
        return run


def back(path: Path) -> backups.Restoration:
    """The store becomes what "backup" beside it holds."""
    return restore(path, path.with_name("backup"), "Olga")


def copied_now(path: Path, store: Store) -> None:
    """ "backup" is of now."""
    path.with_name("backup").unlink(missing_ok=True)
    store.connection.backup(path.with_name("backup"))


def signed_in(email: str) -> access.Claim:
    return access.Claim(signed_in=True, email=email, verified=True)


def held(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with Store(path) as store:
        assert store.connection.check()["ok"]
        return content(store)


def test_what_was_answered_since_goes_and_is_kept(path: Path, tmp_path: Path) -> None:
    was = held(path)
    assert back(path).lost == 0
    run = judged(path)
    with Store(path) as store:
        answers = store.connection.value("SELECT count(*) FROM judgements WHERE run = ?", (run,))
        [(latest, judge)] = store.connection.rows("SELECT max(id), judge FROM judgements")
        assert store.judgements.withdraw(latest, judge)
    now = held(path)
    with Store(path) as store:
        seal = store.campaigns.seal("store")
    made = back(path)
    # What counts no more is not lost.
    assert (made.lost, made.judgements, made.foreign, made.damage) == (answers - 1, 9, (), "")
    assert held(path) == was
    assert held(made.before) == now
    with Store(path) as store:  # a screen of before is of another store
        assert store.campaigns.seal("store") != seal


def test_what_was_withdrawn_or_deleted_counts_again(path: Path) -> None:
    votes = "SELECT count(*) FROM live_judgements"
    with Store(path) as store:
        count = store.connection.value(votes)
        latest = store.connection.value("SELECT max(id) FROM judgements")
        store.judgements.withdraw(latest, store.judges.id_of("Ada"))
        with store.connection.uprooting():
            store.dataset_changes.delete(DATASET)
    assert back(path).lost == 0
    with Store(path) as store:
        assert store.connection.value(votes) == count


def test_access_stays_as_it_is_and_the_log_forgets_nothing(path: Path) -> None:
    with Store(path) as store:
        terms = access.LinkTerms(Role.RESEARCHER, None)
        access.people.add(store, "Olga", "Olga", Role.OWNER, "olga@example.org")
        codes = access.invite(store, "Olga", ["Rob", "Lou"], terms)
        copied_now(path, store)
        access.revoke(store, "Olga", "Rob")
        access.people.leave(store, "Olga", "Lou")
        store.settings.put("address", "https://here")
        access.people.set_email(store, "Olga", "Olga", "")
        access.people.add(store, "Olga", "Otto", Role.OWNER, "olga@example.org")
        log = len(store.audit.load_all())
    back(path)
    with Store(path) as store:
        for code in codes.values():
            with pytest.raises(access.DeniedError):
                access.authorize(store, access.Claim(code=code), Role.RESEARCHER)
        visit = access.authorize(store, signed_in("olga@example.org"), Role.OWNER)
        assert visit.person.name == "Otto"
        assert store.settings.get("address") == "https://here"
        audit = store.audit.load_all()
        assert len(audit) == log + 1
        assert audit["action"].iloc[0] == backups.RESTORED


def test_who_was_invited_since_stays_invited(path: Path) -> None:
    with Store(path) as store:
        access.people.add(store, "Olga", "Olga", Role.OWNER)
        codes = access.invite(store, "Olga", ["Nora"], access.LinkTerms(Role.OWNER, None))
        held = store.campaigns.default(DATASET).id
        codes |= access.invite(store, "Olga", ["Ada"], access.LinkTerms(None, held))
        new = store.campaigns.add(DATASET, "new").id
        codes |= access.invite(store, "Olga", ["Nick"], access.LinkTerms(None, new))
        rows = dict(store.connection.rows(PEOPLE))
    back(path)
    with Store(path) as store:
        visit = access.authorize(store, access.Claim(code=codes["Nora"]), Role.OWNER)
        assert visit.person.name == "Nora"
        assert dict(store.connection.rows(PEOPLE)) == rows
        visit = access.authorize(store, access.Claim(code=codes["Ada"]), Role.ANNOTATOR)
        assert visit.campaign == held
        with pytest.raises(access.DeniedError):  # its campaign is not in the backup
            access.authorize(store, access.Claim(code=codes["Nick"]), Role.ANNOTATOR)
        assert store.connection.check()["ok"]


def test_links_of_a_backup_work_where_no_store_is_and_they_are_asked_for(tmp_path: Path) -> None:
    """A whole study moves: `backup` there, `restore` here. Over a damaged store no link works."""
    there, here = tmp_path / "there.sqlite3", tmp_path / "here" / "store.sqlite3"
    with Store(there) as store:
        codes = access.invite(store, "Olga", ["Rob", "Lou"], access.LinkTerms(Role.OWNER, None))
        access.revoke(store, "Olga", "Lou")
        copied_now(there, store)
    there.write_bytes(b"?" * 9000)
    assert back(there).damage
    restore(here, tmp_path / "backup", "Olga", with_people=True)
    with Store(here) as store:
        visit = access.authorize(store, access.Claim(code=codes["Rob"]), Role.RESEARCHER)
        assert visit.person.name == "Rob"
    for path, name in ((here, "Lou"), (there, "Rob"), (there, "Lou")):
        with Store(path) as store, pytest.raises(access.DeniedError):
            access.authorize(store, access.Claim(code=codes[name]), Role.ANNOTATOR)


def test_a_run_that_had_not_ended_waits_for_somebody_to_go_on(path: Path) -> None:
    with Store(path) as store:
        run = enqueue(store, LONGER.spec, Request(DATASET))
        copied_now(path, store)
        with pytest.raises(TandemError, match=rf"\brun {run}\b.*cancel"):
            back(path)
        execution.execute(store, run)
    back(path)
    with Store(path) as store:
        assert store.runs.get(run).status == "cancelled"
        execution.resume(store, run)
        assert execution.execute(store, run).done == 18  # 3 items, 3 pairs, both orders


def test_a_number_that_was_given_out_since_the_backup_is_not_given_out_again(path: Path) -> None:
    latest = "SELECT max(id) FROM generations"
    with Store(path) as store:
        fill(store, items=40)
        last = store.connection.value(latest)
    back(path)
    with Store(path) as store:
        before = store.connection.value(latest)
        fill(store, items=41)
        first = store.connection.value("SELECT min(id) FROM generations WHERE id > ?", (before,))
    assert before < last < first


def test_a_store_of_an_earlier_schema_is_given_a_backup(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    write_kept("from18", path)
    back(path)
    with Store(path) as store:
        assert store.connection.check()["ok"]
        assert store.datasets.names() == [DATASET]


def test_who_has_it_open_reads_on(path: Path) -> None:
    judged(path)
    with Store(path) as reader:
        texts = "SELECT count(*) FROM judgements"
        cursor = reader.connection._db.execute("SELECT id FROM judgements")
        cursor.fetchone()
        counted = reader.connection.value(texts)
        back(path)
        assert reader.connection.value(texts) == counted  # what it began to read
        cursor.close()
        assert 0 < reader.connection.value(texts) < counted
        reader.settings.put("address", "here")  # and it writes on
        assert reader.connection.check()["ok"]


def test_killed_midway_the_store_is_as_before(path: Path, tmp_path: Path) -> None:
    judged(path)
    was = held(path)
    run_until_killed(_restore_until_killed, path, tmp_path / "backup")
    assert held(path) == was
    back(path)
    assert held(path) != was


def _restore_until_killed(path: Path, backup: Path) -> None:
    class Dying(sqlite3.Connection):
        def backup(self, target: sqlite3.Connection, **more: object) -> None:
            pages = iter(range(3))
            super().backup(target, pages=2, progress=lambda *_: next(pages, None) or os._exit(9))

    connect = sqlite3.connect
    backups.sqlite3.connect = lambda *a, **k: connect(*a, **{"factory": Dying, **k})  # type: ignore
    restore(path, backup, "Olga")


@pytest.mark.parametrize("how", ["a page", "its beginning", "gone"])
def test_a_damaged_store_is_replaced_and_kept(path: Path, tmp_path: Path, how: str) -> None:
    was, damaged = held(path), None
    if how == "gone":
        path.unlink()
    else:
        with path.open("r+b") as file:
            file.seek(0 if how == "its beginning" else 4096 * 4)
            file.write(b"?" * 4096 * 8)
        damaged = path.read_bytes()
    made = back(path)
    assert bool(made.damage) == (how != "gone")
    before = made.before
    assert held(path) == was
    with Store(path) as store:
        assert store.connection.value("PRAGMA journal_mode") == "wal"
    assert (before and before.read_bytes()) == damaged


def test_a_store_behind_a_link_is_replaced_and_kept_where_it_is(path: Path, tmp_path: Path) -> None:
    was, link = held(path), tmp_path / "elsewhere" / "link.sqlite3"
    link.parent.mkdir()
    link.symlink_to(path)
    for damage in (None, b"?" * 4096 * 8):
        if damage:
            path.write_bytes(damage)
        before = restore(link, tmp_path / "backup", "Olga").before
        assert link.is_symlink()
        assert held(path) == held(link) == was
        assert not before.is_symlink()
        assert before.parent == path.parent
        assert not damage or before.read_bytes() == damage


def test_damage_that_only_a_copy_meets(path: Path) -> None:
    """What is compared is whole; an index that nobody read is not."""
    was = held(path)
    with sqlite3.connect(path) as db:
        [(root,)] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").fetchall()
    db.close()
    with path.open("r+b") as file:
        file.seek(4096 * (root - 1))
        file.write(b"?" * 4096)
    made = back(path)
    assert held(path) == was
    assert made.before.exists()


def test_a_full_disk_changes_nothing(disk: Disk, tmp_path: Path) -> None:
    path = voted(disk.folder)
    shutil.move(disk.folder / "backup", tmp_path / "backup")
    judged(path)
    was = held(path)
    disk.fill()
    with pytest.raises(FaultError, match=r"disk of .*/store\.sqlite3 .*full.*free\b"):
        restore(path, tmp_path / "backup", "Olga")
    disk.free()
    assert held(path) == was
    assert not list(disk.folder.glob("*before-restoring*"))
    restore(path, tmp_path / "backup", "Olga")


def test_what_is_no_backup_is_refused(path: Path, tmp_path: Path) -> None:
    was = held(path)
    files = {name: tmp_path / name for name in ("text", "empty", "other", "newer", "broken")}
    files["text"].write_text("item,system\n" * 500)
    files["empty"].touch()
    with sqlite3.connect(files["other"]) as db:
        db.execute("CREATE TABLE bookmarks (url)")
        db.execute("PRAGMA user_version = 3")
    for name in ("newer", "broken"):
        shutil.copy(tmp_path / "backup", files[name])
    with sqlite3.connect(files["newer"]) as db:
        db.execute("PRAGMA user_version = 99")
    with sqlite3.connect(files["broken"]) as db:
        db.execute("UPDATE outcome_counts SET count = count + 1")
    for names, words in (
        (("text", "empty", "other"), "is not a backup of a store"),
        (("newer",), "a newer Tandem wrote"),
        (("broken",), "is damaged: name an earlier one"),
    ):
        for name in names:
            with pytest.raises(TandemError, match=words):
                restore(path, files[name], "Olga")
    with pytest.raises(TandemError, match=r"/store\.sqlite3 .*itself.*backup"):
        restore(path, path, "Olga")
    with pytest.raises(TandemError, match=r"no backup .*/nowhere"):
        restore(path, tmp_path / "nowhere", "Olga")
    assert held(path) == was
    assert not list(tmp_path.glob("*before-restoring*"))


def test_what_does_not_look_like_a_store_is_not_replaced(path: Path, tmp_path: Path) -> None:
    """One bit of the number by which SQLite's files say whose they are."""
    content = bytearray(path.read_bytes())
    content[68] ^= 1
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(TandemError, match=r"/store\.sqlite3 .*move.*away.*restore"):
            back(path)
    path.rename(tmp_path / "away")
    back(path)
    assert held(path)


class TestSomebodyElses:
    """Mallory sends her study; its votes are wanted, she is not."""

    @pytest.fixture
    def sent(self, tmp_path: Path) -> Path:
        (tmp_path / "hers").mkdir()
        with Store(voted(tmp_path / "hers")) as store:
            access.people.add(store, "Mallory", "Mia", Role.OWNER, "mia@example.org")
            self.codes: dict[str, str] = {}
            for name, role in (("Mia", Role.OWNER), ("Rob", Role.RESEARCHER), ("Ada", None)):
                terms = access.LinkTerms(role) if role else access.LinkTerms()
                self.codes |= access.invite(store, "Mallory", [name], terms)
            ada = store.people.find_by_name("Ada")  # who has voted
            store.people.set_email(ada.id, "ada@example.org")
            store.people.set_role(ada.id, Role.OWNER)
            store.settings.put(access.people.ACCESS, access.Access.ANYONE)
            store.connection.backup(tmp_path / "sent.sqlite3")
        return tmp_path / "sent.sqlite3"

    @pytest.fixture
    def mine(self, tmp_path: Path) -> Path:
        path = tmp_path / "mine.sqlite3"
        with Store(path) as store:
            fill(store, dataset="mine")
            access.people.add(store, "Olga", "Olga", Role.OWNER, "olga@example.org")
            self.own = access.invite(store, "Olga", ["Olga"], access.LinkTerms(Role.OWNER))
        return path

    def check_nobody_of_hers(self, path: Path) -> None:
        claims = [access.Claim(code=code) for code in self.codes.values()]
        claims += [signed_in("mia@example.org"), signed_in("ada@example.org")]
        claims += [access.Claim(is_remote=True)]  # her door stood open
        with Store(path) as store:
            for claim in claims:
                with pytest.raises(access.DeniedError):
                    access.authorize(store, claim, Role.ANNOTATOR)
            people = store.people.load_all().set_index("person")["role"].to_dict()
            assert people.pop("Ada") == Role.ANNOTATOR  # her name belongs to her votes
            assert set(people) <= {"Olga"}
            votes = "SELECT count(*) FROM live_judgements j JOIN judges w ON w.id = j.judge "
            assert store.connection.value(votes + "WHERE w.name = 'Ada'") == 9
            assert store.connection.check()["ok"]

    @pytest.mark.parametrize("over", [True, False], ids=["over one's own", "where none is"])
    def test_brings_nobody_in_unless_asked(self, sent: Path, mine: Path, over: bool) -> None:
        path = mine if over else mine.with_name("new.sqlite3")
        restore(path, sent, "Olga")
        self.check_nobody_of_hers(path)
        with Store(path) as store:
            if over:
                access.authorize(store, access.Claim(code=self.own["Olga"]), Role.OWNER)
                access.authorize(store, signed_in("olga@example.org"), Role.OWNER)
            details = "SELECT details FROM audit WHERE action = ?"
            assert '"with_people": false' in store.connection.value(details, (backups.RESTORED,))
        restore(path, sent, "Olga")  # her next one
        self.check_nobody_of_hers(path)

    def test_brings_them_when_that_is_asked(self, sent: Path, mine: Path) -> None:
        restore(mine, sent, "Olga", with_people=True)
        with Store(mine) as store:
            access.authorize(store, access.Claim(code=self.codes["Mia"]), Role.OWNER)
            access.authorize(store, access.Claim(code=self.own["Olga"]), Role.OWNER)
            assert access.access_of(store) is access.Access.OPEN  # who may come in is decided here

    def test_over_a_damaged_store_it_brings_nobody_in_and_a_copy_of_before_is_ones_own(
        self, sent: Path, mine: Path
    ) -> None:
        before = restore(mine, sent, "Olga").before
        restore(mine, before, "Olga")
        with Store(mine) as store:
            assert store.datasets.names() == ["mine"]
            access.authorize(store, access.Claim(code=self.own["Olga"]), Role.OWNER)
        mine.write_bytes(b"?" * 9000)
        restore(mine, sent, "Olga")
        self.check_nobody_of_hers(mine)


def test_each_has_a_name_of_its_own(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    monkeypatch.setenv("TANDEM_BACKUPS", str(tmp_path / "new" / "folder"))
    names = {str(backups.back_up(store)["file"]) for _ in range(3)}  # within one second
    assert {*map(str, (tmp_path / "new" / "folder").iterdir())} == names
    assert len(names) == 3
    for name in names:
        assert re.fullmatch(r"store-\d{8}T\d{6}Z\.sqlite3", Path(name).name)
        with Store(name) as copy:
            assert copy.connection.check()["ok"]
            assert copy.datasets.names() == store.datasets.names()
    (tmp_path / "file").touch()
    monkeypatch.setenv("TANDEM_BACKUPS", str(tmp_path / "file"))
    with pytest.raises(TandemError, match=r"/file cannot be made .*another file"):
        backups.back_up(store)


def test_what_is_kept_before_a_deed_replaces_no_file(tmp_path: Path) -> None:
    store, names = tmp_path / "study.sqlite3", set()
    for _ in range(3):  # within one second
        file = opening.path_before(store, "restoring")
        assert re.fullmatch(r"study-before-restoring-\d{8}-\d{6}\.sqlite3", file.name)
        file.touch()
        names.add(file)
    assert len(names) == 3
