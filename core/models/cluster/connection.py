"""The connection to a Ray cluster: one of this machine's own for a while, or one that is there."""

from __future__ import annotations

import logging
import os
import re
import secrets
import signal
import socket
import threading
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from ...installation import PACKAGES, PROGRAM, MissingPackageError, command_to_install
from ...installation import is_installed as is_package_installed
from ...records import TandemError, option_ref
from ...scratch import scratch

ADDRESS = re.compile(r"ray://[^\s/:]+:[0-9]{1,5}")
ANSWERING = 5.0  # seconds within which a cluster takes a connection; Ray itself tries for minutes


def is_installed() -> bool:
    """Return whether Ray is installed, without importing it."""
    return is_package_installed("ray")


def check_place(on: str) -> None:
    """Check that `on` names a place to answer on. Raises TandemError otherwise, and
    MissingPackageError without Ray.
    """
    if on != "ray" and not ADDRESS.fullmatch(on):
        raise TandemError(
            f"{option_ref('on')} is {on[:60]!r}; it is ray, or ray://HOST:PORT of a cluster"
        )
    if not is_installed():
        raise MissingPackageError(
            f"{option_ref('on')} {on} needs Ray, which is not installed here: "
            f"`{command_to_install('ray')}`, or ask again without it"
        )


class ClusterConnection:
    """Connection to a cluster, until it is closed. Ray has one per process: an existing one is used
    and left as it is. Raises TandemError when no connection can be made.
    """

    def __init__(self, on: str) -> None:
        check_place(on)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read by the import
        # Else Ray starts a cluster of its own, open to the network, once this one is lost.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        import ray

        self._folder: TemporaryDirectory[str] | None = None
        before, on_stop = ray.is_initialized(), signal.getsignal(signal.SIGTERM)
        self._own = on != "ray" or not before
        address = on if on != "ray" else os.environ.get("RAY_ADDRESS", "").removesuffix("local")
        try:
            if self._own:
                self._connect(address)
        except TandemError:
            raise
        except Exception as error:
            self._own = not before
            self.close()
            raise TandemError(
                f"cannot use a Ray cluster at {address or 'this machine'}: {type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}. Both sides need one version of Ray and "
                "Python; where it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
            ) from error
        finally:  # Ray takes it for itself: a run would end without being marked as stopped
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, on_stop)

    def close(self) -> None:
        """Leave the cluster; one of this machine's own ends with that."""
        import ray

        if self._own:
            self._own = False
            ray.shutdown()
            _show_deaths(True)
        if self._folder is not None:
            _read_token()
            self._folder.cleanup()
            self._folder = None

    def list_nodes(self) -> list[tuple[float, float]]:
        """Return the cores and the GPUs of each machine that is there."""
        import ray

        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        return [(has.get("CPU", 0.0), has.get("GPU", 0.0)) for has in alive]

    def _connect(self, address: str) -> None:
        import ray

        host, _, port = address.removeprefix("ray://").rpartition(":")
        try:
            if port.isdigit():  # "auto" has none: Ray finds the one of this machine
                socket.create_connection((host, int(port)), ANSWERING).close()
        except (OSError, OverflowError) as error:
            raise TandemError(
                f"no Ray cluster answers at {address}: start it there (`ray start --head`), or "
                f"correct the address in {option_ref('on')} or RAY_ADDRESS"
            ) from error
        _show_deaths(False)
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if address:  # the same code on every machine, whatever lies there
            ray.init(address, runtime_env={"py_modules": list(map(str, PACKAGES))}, **quiet)
        else:
            self._start_local(quiet)

    def _start_local(self, quiet: dict[str, Any]) -> None:
        """Start a cluster of this machine's own, on loopback, for holders of its token. By itself
        Ray has one token for all clusters in the home folder, and puts the network's address in
        the place of 127.0.0.1, as it has found when it was imported that it may.
        """
        import ray
        from ray._private import ray_constants

        self._folder = scratch()
        values = {
            ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0",
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "PYTHONPATH": f"{PROGRAM}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        }
        before = {name: os.environ.get(name) for name in values}, ray_constants.ENABLE_RAY_CLUSTER
        os.environ.update(values)
        ray_constants.ENABLE_RAY_CLUSTER = False
        try:
            _read_token()
            ray.init(
                "local",
                include_dashboard=False,
                object_store_memory=128 << 20,  # bytes: batches are small, and do not stay
                _temp_dir=self._folder.name,
                **quiet,
            )
        finally:
            for name, value in before[0].items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
            ray_constants.ENABLE_RAY_CLUSTER = before[1]


def _read_token() -> None:
    """Make Ray read the environment's token again: it keeps the first that it has seen."""
    raylet: Any = import_module("ray._raylet")  # its stub leaves these out
    raylet.Config.initialize("")  # first, or a thread that still talks misses the old one
    raylet.AuthenticationTokenLoader.instance().reset_cache()


def _show_deaths(shown: bool) -> None:
    """Set whether Ray prints deaths and the like on standard output, which is the command's own."""
    from ray._private import worker

    worker._worker_logs_enabled = shown
