"""The command line in processes that start at once, forked from one that has imported all."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path
from subprocess import TimeoutExpired

from tests.paths import ROOT

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["core.__main__", "openai"])
_MAIN = sys.modules["__main__"]


def forked() -> ForkServerContext:
    """What makes processes and pools of them."""
    # A page that was tried before left its script in this place, and each process would run it.
    sys.modules["__main__"] = _MAIN
    with contextlib.chdir(ROOT):  # where the process they are forked from finds what it imports
        multiprocessing.forkserver.ensure_running()
    return _CONTEXT


def run_until_killed(target: Callable[..., object], *args: object) -> int | None:
    """Run this in a process that ends itself by `os._exit(9)` on the way; return its number."""
    killed = forked().Process(target=target, args=args)
    killed.start()
    killed.join(60)
    assert killed.exitcode == 9
    return killed.pid


class Command:
    """`python -m core`, with the methods of `subprocess.Popen`.

    What it says on standard error is among what it says on standard output, unless `apart`.
    """

    def __init__(self, *arguments: str, apart: bool = False) -> None:
        self._said, self._errors = (tempfile.NamedTemporaryFile("r") for _ in range(2))  # noqa: SIM115
        said, errors = self._said.name, (self._errors if apart else self._said).name
        self._process = forked().Process(
            target=_command, args=(arguments, dict(os.environ), said, errors)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def communicate(self, timeout: float = 120) -> tuple[str, str]:
        """What it said until it ended. Raises TimeoutExpired when it has not ended by then."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutExpired("python -m core", timeout)
        return self._said.read(), self._errors.read()


def named(*words: str) -> list[int]:
    """The processes of this machine that have all these words in their command line."""
    return find_processes(lambda said: all(word in "\0".join(said) for word in words))


def find_processes(is_wanted: Callable[[list[str]], bool]) -> list[int]:
    """The processes of this machine whose command line, in its words, is a wanted one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has just ended
            if is_wanted(os.fsdecode(path.read_bytes()).split("\0")):
                found.append(int(path.parent.name))
    return found


def _command(
    arguments: tuple[str, ...], environment: dict[str, str], said: str, errors: str
) -> None:
    from core.__main__ import main

    for stream, name in ((1, said), (2, errors)):
        file = os.open(name, os.O_WRONLY | os.O_APPEND)
        os.dup2(file, stream)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.exit(main(arguments))
