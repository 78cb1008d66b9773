"""Files that a command is asked to write: none that Tandem has not written is lost by them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from .records import TandemError, option_ref
from .whole_files import atomic_write, check_is_plain

DATABASE = b"SQLite format 3\0"
"""How every store begins, and every copy of one."""
BESIDE = ("", "-wal", "-shm", "-journal", ".locks", ".servers.json", ".worker.log")
"""Endings of a store and of what lies beside it, but for the folder of its backups."""
REMEMBERED = 1000  # files at most


@dataclass(frozen=True)
class OutputRules:
    """Rules for overwriting files: nothing of `stores` is, and nothing that the command `reads`.

    Other files only if Tandem has written them and nobody has changed them since, or if the user
    has said `overwrite`. `record` is the file that remembers them, and `written` those of now.
    """

    stores: tuple[Path, ...] = ()
    reads: tuple[Path, ...] = ()
    record: Path | None = None
    overwrite: bool = True
    written: dict[str, list[int]] = field(default_factory=dict)


_rules: ContextVar[OutputRules | None] = ContextVar("rules of output files", default=None)


@contextmanager
def output_rules(
    store: Path, reads: tuple[Path, ...] = (), *, overwrite: bool = True
) -> Iterator[None]:
    """Let these rules hold for all files that are written meanwhile."""
    named = os.environ.get("TANDEM_STORE")
    stores = (store, Path(named)) if named else (store,)
    record = Path(f"{store}.locks") / "written"
    rules = OutputRules(stores, reads, record, overwrite)
    token = _rules.set(rules)
    try:
        yield
    finally:
        _rules.reset(token)
        if rules.written and store.is_file():
            _save_written(record, _load_written(rules))


@contextmanager
def write_output(target: Path) -> Iterator[Path]:
    """Yield a path to write to, which becomes `target` at the end, as `atomic_write` does.

    Raises as `check_output` and `atomic_write`.
    """
    check_output(target)
    with atomic_write(target) as part:
        yield part
    if rules := _rules.get():
        rules.written[str(target.resolve())] = _state(target)


def check_output(target: Path) -> None:
    """Raise TandemError for a file that must not be written, with the way out."""
    check_is_plain(target)
    if target.is_dir():
        raise TandemError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise TandemError(f"there is no folder {target.parent}: create it, or name another file")
    _check_not_kept(target)
    if target.exists() and not may_replace(target):
        raise TandemError(
            f"{target} exists, and Tandem has not written it, or it has changed since: name "
            f"another file, or add {option_ref('overwrite')}"
        )


def check_new_output(target: Path) -> None:
    """Raise TandemError for a file that exists or must not be written."""
    if os.path.lexists(target):
        raise TandemError(f"{target} exists already: name a new file")
    check_output(target)


def check_output_folder(folder: Path) -> None:
    """Raise TandemError for a folder that is no folder or would stand in a store's way."""
    if folder.exists() and not folder.is_dir():
        raise TandemError(f"{folder} is a file: name a folder")
    for path in (folder, *folder.parents):
        if not path.exists():
            _check_not_kept(path, is_file=False)


def may_replace(file: Path) -> bool:
    """Return whether a file may be replaced: on request, or because Tandem has written it."""
    rules = _rules.get() or OutputRules()
    return rules.overwrite or _load_written(rules).get(str(file.resolve())) == _state(file)


def _check_not_kept(target: Path, *, is_file: bool = True) -> None:
    rules = _rules.get() or OutputRules()
    endings = (*BESIDE, ".backups") if is_file else BESIDE
    beside = [Path(f"{store}{ending}") for store in rules.stores for ending in endings]
    backups = [Path(named)] if (named := os.environ.get("TANDEM_BACKUPS")) and is_file else []
    if _is_among(target, [*beside, *backups]) or _is_database(target):
        raise TandemError(f"{target} is a store or belongs to one: name another file")
    if _is_among(target, rules.reads):
        raise TandemError(f"{target} is read by the same command: name another file")


def _is_among(target: Path, kept: list[Path] | tuple[Path, ...]) -> bool:
    """Return whether a path is one of these, by any name of it, or a file in one of them."""
    whole = str(target.resolve()).casefold()
    for path in kept:
        if whole == str(path.resolve()).casefold():
            return True
        with suppress(OSError):
            if target.samefile(path) or (path.is_dir() and _lies_in(target, path)):
                return True
    return False


def _lies_in(target: Path, folder: Path) -> bool:
    """Return whether an existing file lies in a folder, and was not put there by Tandem."""
    rules, whole = _rules.get() or OutputRules(), target.resolve()
    is_inside = any(parent.samefile(folder) for parent in whole.parents)
    return is_inside and target.exists() and str(whole) not in _load_written(rules)


def _is_database(target: Path) -> bool:
    with suppress(OSError), target.open("rb") as file:
        return file.read(len(DATABASE)) == DATABASE
    return False


def _state(file: Path) -> list[int]:
    """Return what changes with a file: its size, and when it was written."""
    found = file.stat()
    return [found.st_size, found.st_mtime_ns]


def _load_written(rules: OutputRules) -> dict[str, list[int]]:
    """Return the state of each file that was written, as it was then, by its path."""
    before: dict[str, list[int]] = {}
    with suppress(OSError, ValueError, TypeError):
        before = dict(json.loads((rules.record or Path()).read_bytes()))
    return before | rules.written


def _save_written(record: Path, written: dict[str, list[int]]) -> None:
    """Remember the files that were written last. Where that cannot be, they are asked about."""
    latest = sorted(written, key=lambda name: written[name][1])[-REMEMBERED:]
    with suppress(OSError, TandemError):
        record.parent.mkdir(exist_ok=True)
        with atomic_write(record) as part:
            part.write_text(json.dumps({name: written[name] for name in latest}), encoding="utf-8")
