"""Plant faults and say which tests notice them: `python -m tests.mutants --help`.

Each fault is planted in a copy of the working tree. The tests that reach it run, the nearest
first, until one fails or the minutes of processor time are over. A test that fails without the
fault does not count. A round that was stopped goes on. Other words are pytest's: `--first` and
`--all` choose the tier.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from tests.mutants.faults import ROOMS, Fault, draw_faults
from tests.mutants.reach import order_test_files

UNNOTICED = ("survived", "timeout")
MOST_FILES = 40  # test files that are tried, the nearest
BUSY = 6  # times as long as the processor time that tests may take on a busy machine
IGNORED = shutil.ignore_patterns(".git", ".venv", "*.sqlite3*", ".mypy_cache", ".hypothesis")


@contextmanager
def copy_tree(root: Path) -> Iterator[Path]:
    """Copy a working tree with what is compiled, and the packages of the one that is copied."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(root, copy, ignore=IGNORED)
        (copy / ".venv").symlink_to((root / ".venv").resolve())
        yield copy


def find_noticing_test(copy: Path, tests: Sequence[str], options: Namespace) -> str:
    """Return the first failing test, or `survived`, `timeout` or `broken` (pytest ended)."""
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", *options.pytest, *tests]
    environment = os.environ | {"TMPDIR": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True,
            timeout=BUSY * options.minutes * 60, check=False,
            preexec_fn=partial(_limit_processor_time, int(options.minutes * 60)),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == -signal.SIGXCPU:
        return "timeout"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return failed[1] if failed else "survived" if done.returncode in (0, 5) else "broken"


def _limit_processor_time(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def try_fault(root: Path, fault: Fault, options: Namespace) -> dict[str, Any]:
    """Plant a fault, and return its row with the test that noticed it and the seconds until then."""
    tests = [*options.known.get(fault, ()), *order_test_files(root, fault.path)[:MOST_FILES]]
    with copy_tree(root) as copy:
        target = copy / fault.path
        source = target.read_bytes()
        found = _try(copy, tests, lambda: target.write_bytes(fault.plant(source)),
                     lambda: target.write_bytes(source), options)  # fmt: skip
    return asdict(fault) | found


def try_without(root: Path, commit: str, options: Namespace) -> dict[str, Any]:
    """Take back what a commit mended in the program, and return its row."""
    patch = _ask_git(root, "diff", f"{commit}~1", commit, "--", *ROOMS)
    changed = _ask_git(root, "diff", "--name-only", f"{commit}~1", commit, "--", *ROOMS).split()
    files = [order_test_files(root, path)[: MOST_FILES // len(changed)] for path in changed]
    tests = list(dict.fromkeys(test for several in files for test in several))
    with copy_tree(root) as copy:
        found = _try(copy, tests, partial(_apply, copy, patch, "-R"),
                     partial(_apply, copy, patch), options)  # fmt: skip
    subject = _ask_git(root, "log", "-1", "--format=%s", commit).strip()
    return {"path": commit, "line": 0, "kind": subject} | found


def _try(
    copy: Path, tests: Sequence[str], plant: Callable[[], Any], mend: Callable[[], Any],
    options: Namespace,
) -> dict[str, Any]:  # fmt: skip
    """Return the test that noticed a fault, and the seconds until then."""
    begin, ignored = monotonic(), set[str]()
    while True:
        plant()
        named = [test for test in tests if test not in ignored]
        chosen = [*named, *(word for test in ignored for word in ("--deselect", test))]
        noticed = find_noticing_test(copy, chosen, options)
        seconds = round(monotonic() - begin)
        mend()
        if (
            noticed in (*UNNOTICED, "broken")
            or find_noticing_test(copy, [noticed], options) == "survived"
        ):
            return {"noticed": noticed, "seconds": seconds}
        ignored.add(noticed)  # fails anyway


def _ask_git(root: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, check=True
    ).stdout


def _apply(copy: Path, patch: str, *options: str) -> None:
    subprocess.run(["git", "apply", *options, "-"], cwd=copy, input=patch, text=True, check=True)


def _has_test(root: Path, name: str) -> bool:
    """Return whether a test that noticed a fault before is still there."""
    file, _, test = name.partition("::")
    path = root / file
    return bool(test) and path.is_file() and f"def {test.rpartition('::')[2]}(" in path.read_text()


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=48)
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument(
        "--from",
        dest="given",
        type=Path,
        help="rows of an earlier round: the same faults, and the tests that noticed them first",
    )
    parser.add_argument("--without", nargs="+", help="commits that are taken back instead")
    parser.add_argument("--to", type=Path, required=True, help="JSON file to write")
    parser.add_argument("--minutes", type=float, default=4.0, help="of tests, for a fault")
    parser.add_argument("--at-once", type=int, default=1)
    options, options.pytest = parser.parse_known_args()
    root, options.known = Path.cwd(), {}
    faults: list[Fault] = []
    if options.given:
        names = Fault.__dataclass_fields__
        given = json.loads(options.given.read_text())
        faults = [Fault(**{name: row[name] for name in names}) for row in given]
        options.known = {
            fault: [test]
            for fault, row in zip(faults, given, strict=True)
            if _has_test(root, test := row["noticed"].partition("[")[0])
        }
    elif not options.without:
        faults = draw_faults(root, options.seed, options.faults)
    rows = json.loads(options.to.read_text()) if options.to.exists() else []
    try_one = partial(try_without if options.without else try_fault, root, options=options)
    with ThreadPoolExecutor(options.at_once) as pool:
        for row in pool.map(try_one, (options.without or faults)[len(rows) :]):
            rows.append(row)
            options.to.write_text(json.dumps(rows, indent=1) + "\n")
            place = f"{row['path']}:{row['line']}"
            print(len(rows), place, row["kind"], "->", row["noticed"], row["seconds"], flush=True)


if __name__ == "__main__":
    main()
