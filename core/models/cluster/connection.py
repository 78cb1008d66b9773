"""The connection to a Ray cluster: one of this machine's own for a while, or one that is there."""

from __future__ import annotations

import logging
import os
import re
import secrets
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from ...installation import PACKAGES, PROGRAM, MissingPackageError, command_to_install
from ...installation import is_installed as is_package_installed
from ...records import TandemError, option_ref
from ...scratch import scratch
from .resources import Node

ADDRESS = re.compile(r"ray://[^\s/:]+:[0-9]{1,5}")
ANSWERING = 5.0  # seconds within which a cluster takes a connection
OBJECTS = 128 << 20  # bytes of a local cluster's shared memory: portions are small, and do not stay
QUIET = {
    # Ray otherwise tells its makers of every start.
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
TELLING: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0": of this machine alone, on any system


def is_installed() -> bool:
    """Return whether Ray is installed, without importing it."""
    return is_package_installed("ray")


def check_place(on: str) -> None:
    """Check that `on` names a place to answer on. Raises TandemError otherwise."""
    if on != "ray" and not ADDRESS.fullmatch(on):
        raise TandemError(
            f"{option_ref('on')} is {on[:60]!r}; it is ray, or ray://HOST:PORT of a cluster"
        )


def require_ray(on: str) -> None:
    """Raises MissingPackageError, with the way out, unless Ray is installed."""
    if not is_installed():
        raise MissingPackageError(
            f"{option_ref('on')} {on} needs Ray, which is not installed here: "
            f"`{command_to_install('ray')}`, or ask again without it"
        )


class ClusterConnection:
    """Connection to a cluster, until it is closed. Ray has one per process: an existing one is used
    and left as it is.

    Raises TandemError when no connection can be made.
    """

    def __init__(self, on: str) -> None:
        check_place(on)
        require_ray(on)
        for name, value in QUIET.items():  # read when it is imported
            os.environ.setdefault(name, value)
        import ray

        self._folder: TemporaryDirectory[str] | None = None
        self._own = on != "ray" or not ray.is_initialized()
        if self._own:
            address = on if on != "ray" else os.environ.get("RAY_ADDRESS", "")
            self._connect(address if address != "local" else "")

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

    def list_nodes(self) -> list[Node]:
        """Return the machines that are there."""
        import ray

        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        return [Node(has.get("CPU", 0.0), has.get("GPU", 0.0)) for has in alive]

    def _connect(self, address: str) -> None:
        import ray

        before = ray.is_initialized()
        try:
            if address:
                _check_address(address)
            _show_deaths(False)
            with _keep_handlers(), _silence_stderr():
                if address:  # the same code on every machine, whatever lies there
                    ray.init(
                        address, runtime_env={"py_modules": list(map(str, PACKAGES))}, **TELLING
                    )
                else:
                    self._start_local()
        except TandemError:
            raise
        except Exception as error:
            if before:
                _show_deaths(True)
            else:
                self.close()
            raise TandemError(_describe_failure(address, error)) from error

    def _start_local(self) -> None:
        """Start a cluster of this machine's own, on loopback, for holders of its token."""
        import ray

        self._folder = scratch()
        with _set_environment(_local_environment()), _stay_on_loopback():
            _read_token()
            ray.init(
                "local",
                include_dashboard=False,
                object_store_memory=OBJECTS,
                _temp_dir=self._folder.name,
                **TELLING,
            )


def _local_environment() -> dict[str, str]:
    """Return the environment variables for the processes of a local cluster. By itself Ray has one
    token for all clusters, and leaves it in the home folder.
    """
    return {
        LOOPBACK: "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "PYTHONPATH": _import_path(),
    }


@contextmanager
def _stay_on_loopback() -> Iterator[None]:
    """Ray read LOOPBACK when it was imported, which was before a cluster was chosen; and it puts
    the address of the network in the place of a 127.0.0.1 that it is given.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _read_token() -> None:
    """Make Ray read the environment's token again: it keeps the first that it has seen."""
    raylet: Any = import_module("ray._raylet")  # its stub leaves these out
    raylet.Config.initialize("")  # first, or a thread that still talks misses the old one
    raylet.AuthenticationTokenLoader.instance().reset_cache()


def _show_deaths(shown: bool) -> None:
    """Set whether Ray prints deaths and the like on standard output, which is the command's own."""
    from ray._private import worker

    worker._worker_logs_enabled = shown


def _check_address(address: str) -> None:
    """Check that something listens at a cluster's address; Ray itself tries for minutes.

    Raises TandemError otherwise.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():  # "auto": Ray finds the one of this machine
        return
    try:
        socket.create_connection((host, int(port)), ANSWERING).close()
    except (OSError, OverflowError) as error:
        raise TandemError(
            f"no Ray cluster answers at {address}: start it there (`ray start --head`), or correct "
            f"the address in {option_ref('on')} or RAY_ADDRESS"
        ) from error


def _describe_failure(address: str, error: Exception) -> str:
    where = f"the Ray cluster at {address}" if address else "a Ray cluster on this machine"
    said = " ".join(str(error).split())
    if "version mismatch" in said.lower() or "versions mismatch" in said.lower():
        return (
            f"{where} has another version of Ray or Python than this process ({said[:200]}): "
            "install the same on both"
        )
    token = (
        "; if it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN here"
        if address and isinstance(error, ConnectionError)
        else ""
    )
    return f"cannot use {where}: {type(error).__name__}: {said[:200]}{token}"


def _import_path() -> str:
    """Return the PYTHONPATH with which the workers of this machine import the program."""
    return os.pathsep.join(filter(None, [str(PROGRAM), os.environ.get("PYTHONPATH", "")]))


@contextmanager
def _set_environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _silence_stderr() -> Iterator[None]:
    """Silence standard error while Ray connects. Ray writes there past Python; the exception says
    the same.
    """
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _keep_handlers() -> Iterator[None]:
    """Ray takes SIGTERM for itself: a run would end without being marked as stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
