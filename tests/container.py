"""A container without an engine: what `compose.yaml` takes from its services, taken by the kernel."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.paths import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
VOLUMES = ("store", "backups", "models")

# A root of its own that holds programs, /app and the volumes. All but these and /tmp is read-only.
SCRIPT = """
mount --make-rprivate /
mount -t tmpfs tmpfs "$ROOT"
mkdir "$ROOT/proc" "$ROOT/dev" "$ROOT/tmp" "$ROOT/app"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"  # first: this clone and its Python may be below /tmp
for kept in $KEPT; do
    if [ -L "$kept" ]; then cp -P "$kept" "$ROOT$kept"; continue; fi
    mkdir -p "$ROOT$kept"
    mount --bind "$kept" "$ROOT$kept"
    mount -o remount,ro,bind "$ROOT$kept"
done
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind "$HERE/app" "$ROOT/app"
mount -o remount,ro,bind "$ROOT/app"
for volume in $VOLUMES; do
    mkdir "$ROOT/$volume"
    mount --bind "$HERE/$volume" "$ROOT/$volume"
done
mount -o remount,ro "$ROOT"
exec chroot "$ROOT" env -i $ENVIRONMENT setpriv --reuid "$USER" --regid "$USER" --clear-groups \\
    --bounding-set=-all --inh-caps=-all --no-new-privs sh -c 'cd /app && exec "$@"' sh "$@"
"""


class Container:
    """The image's files and volumes in a folder, and services that begin there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.user = folder, int(re.findall(r"useradd --uid (\d+)", DOCKERFILE)[0])
        self._running: list[subprocess.Popen[str]] = []
        for name in ("root", "app", *VOLUMES):
            (folder / name).mkdir()
        for name in VOLUMES:
            os.chown(folder / name, self.user, self.user)
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
            if line.startswith("!"):
                self._copy(line.removeprefix("!"))

    def _copy(self, name: str) -> None:
        there = self.folder / "app" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, there, ignore=shutil.ignore_patterns("*.sqlite3*"))
        else:
            shutil.copy(ROOT / name, there)

    def start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        """A service. Its `python` is ours."""
        python, base = os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)
        kept = ["/usr", "/etc", "/bin", "/lib", "/lib64", python, base]
        image = dict(re.findall(r"(?:ENV|   ) +(\w+)=(\S+)", DOCKERFILE))
        image |= {"PATH": f"{python}/bin:/usr/bin:/bin", "TANDEM_BACKUPS": "/backups",
                  "HOME": "/home/tandem"}  # fmt: skip
        settings = {
            "ROOT": str(self.folder / "root"), "HERE": str(self.folder),
            "KEPT": " ".join(name for name in dict.fromkeys(kept) if Path(name).exists()),
            "VOLUMES": " ".join(VOLUMES), "USER": str(self.user),
            "ENVIRONMENT": " ".join(f"{name}={value}" for name, value in image.items()),
        }  # fmt: skip
        words = [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--ipc",
            "sh",
            "-ec",
            SCRIPT,
            "sh",
            *command,
        ]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        process = subprocess.Popen(words, env=os.environ | settings, **pipes)
        self._running.append(process)
        return process

    def runs(self, command: Sequence[str]) -> str:
        """What a command says, which ends well."""
        process = self.start(command)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said
        return said

    def stop(self) -> None:
        """End what runs: with its first process goes everything in a service's namespace."""
        for process in self._running:
            if process.poll() is None:
                first = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
                for number in first.split():
                    os.kill(int(number), signal.SIGKILL)
                process.wait()


def unable() -> str:
    """Why there can be no containers here; '' where there can."""
    try:
        subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], check=True)
        subprocess.run(["setpriv", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no namespaces here ({error}): util-linux, and root, make them"
    return ""
