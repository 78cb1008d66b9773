"""Number of workers that a cluster has room for, and the resources of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...records import TandemError, option_ref

CORES = 4
"""Cores of a worker, where nobody has said how many workers there are to be and there is no GPU."""


class Node(NamedTuple):
    """A machine of a cluster: its cores and GPUs."""

    cores: float
    gpus: float = 0.0


class WorkerResources(NamedTuple):
    """Number of workers, and the cores and GPUs of each."""

    workers: int
    cores: int
    gpus: float


def divide_cluster(
    nodes: Sequence[Node], workers: int | None = None, gpus_per_worker: float | None = None
) -> WorkerResources:
    """Compute the resources of each worker, so that all fit on their machines.

    Each worker gets a GPU, or a part of one, if there are any; else as many cores as leave room for
    all. If `workers` is None, there is one per GPU, or one for every `CORES` cores. Raises
    TandemError when they do not fit.
    """
    there_are_gpus = any(node.gpus >= 1 for node in nodes)
    gpus = float(there_are_gpus) if gpus_per_worker is None else gpus_per_worker
    if gpus > 1 and gpus != int(gpus):
        raise TandemError(
            f"{option_ref('gpus_per_worker')} is {gpus:g}; it is a whole number, or less than 1"
        )
    return _divide_gpus(nodes, workers, gpus) if gpus else _divide_cores(nodes, workers)


def _divide_gpus(nodes: Sequence[Node], workers: int | None, gpus: float) -> WorkerResources:
    rooms = [_count_room(node, gpus) for node in nodes]
    wanted = workers or sum(rooms)
    if not 0 < wanted <= sum(rooms):
        raise TandemError(
            f"the cluster has {sum(node.gpus for node in nodes):g} GPUs, which is room for "
            f"{sum(rooms)} workers with {gpus:g} each: set {option_ref('workers')} or "
            f"{option_ref('gpus_per_worker')} lower"
        )
    # A core goes to each, unless a machine has fewer cores than its GPUs hold workers.
    crowded = any(node.cores < room for node, room in zip(nodes, rooms, strict=True))
    return WorkerResources(wanted, 0 if crowded else 1, gpus)


def _count_room(node: Node, gpus: float) -> int:
    """Count the workers that the GPUs of a machine hold; none of them has parts of two."""
    if gpus < 1:
        return int(node.gpus) * int(1 / gpus + 1e-9)
    return int(node.gpus // gpus)


def _divide_cores(nodes: Sequence[Node], workers: int | None) -> WorkerResources:
    most = max((int(node.cores) for node in nodes), default=0)
    wanted = workers or max(1, sum(int(node.cores) // CORES for node in nodes))
    for cores in range(most, 0, -1):
        if sum(int(node.cores) // cores for node in nodes) >= wanted:
            return WorkerResources(wanted, cores, 0.0)
    room = sum(int(node.cores) for node in nodes)
    raise TandemError(
        f"the cluster has {room} cores, which is room for {room} workers, not for {wanted}: set "
        f"{option_ref('workers')} lower"
    )
