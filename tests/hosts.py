"""A second host on this machine: a network namespace with its own address and temporary files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

HIDE = 'mount -t tmpfs none "$0" && mount -t tmpfs none /tmp && exec "$@"'


@dataclass(frozen=True)
class Host:
    """`here` is our address as that host sees it, `there` its own; `prefix` begins commands."""

    here: str
    there: str
    prefix: tuple[str, ...]
    cable: str

    def cut(self) -> None:
        """Pull the cable: what runs there goes on, and hears and says nothing any more."""
        _ip("link", "set", self.cable, "down")


@contextmanager
def second_host(*, without: Path) -> Iterator[Host]:
    """A host on which a folder of ours is empty. Skips where hosts cannot be made."""
    name = f"tandem{os.getpid() % 100_000}"
    net = f"10.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"
    ours, theirs = f"{name}a", f"{name}b"
    try:
        _ip("netns", "add", name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces here ({error}): iproute2, and root, make them")
    try:
        _ip("link", "add", ours, "type", "veth", "peer", "name", theirs)
        _ip("link", "set", theirs, "netns", name)
        _ip("addr", "add", f"{net}.1/24", "dev", ours)
        _ip("link", "set", ours, "up")
        _ip("-n", name, "addr", "add", f"{net}.2/24", "dev", theirs)
        _ip("-n", name, "link", "set", theirs, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        prefix = ("ip", "netns", "exec", name, "unshare", "--mount", "sh", "-c", HIDE, str(without))
        yield Host(f"{net}.1", f"{net}.2", prefix, ours)
    finally:
        subprocess.run(["ip", "link", "del", ours], capture_output=True)
        subprocess.run(["ip", "netns", "del", name], capture_output=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
