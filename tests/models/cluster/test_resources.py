"""How many workers a cluster has room for, counted by hand."""

import pytest

from core.models.cluster.resources import Node, WorkerResources, divide_cluster
from core.records import TandemError


def test_what_each_worker_gets() -> None:
    for nodes, workers, gpus, expected in [
        # eight cores: two workers of four, or three of two, as six would be one too many
        ([Node(8)], None, None, WorkerResources(2, 4, 0)),
        ([Node(8)], 3, None, WorkerResources(3, 2, 0)),
        ([Node(2)], None, None, WorkerResources(1, 2, 0)),
        # of 4 + 2 cores two workers cannot have three each: one machine has but two
        ([Node(4), Node(2)], 2, None, WorkerResources(2, 2, 0)),
        ([Node(16, 4), Node(16, 4)], None, None, WorkerResources(8, 1, 1)),
        # two to a GPU; three to a GPU leave a tenth of it
        ([Node(16, 4)], None, 0.5, WorkerResources(8, 1, 0.5)),
        ([Node(16, 1)], None, 0.3, WorkerResources(3, 1, 0.3)),
        # three GPUs hold one worker that wants two
        ([Node(16, 3)], None, 2, WorkerResources(1, 1, 2)),
        # none of the GPUs
        ([Node(8, 2)], 2, 0, WorkerResources(2, 4, 0)),
        # a machine with more GPUs than cores
        ([Node(2, 8)], None, None, WorkerResources(8, 0, 1)),
        # a head without GPUs
        ([Node(4, 0), Node(8, 2)], 2, None, WorkerResources(2, 1, 1)),
    ]:
        assert divide_cluster(nodes, workers, gpus) == expected


def test_what_does_not_fit_is_said() -> None:
    for nodes, workers, gpus, sentence in [
        ([Node(2)], 3, None, r"\b2 cores\b.*\b2 workers\b.*\b3: set\b"),
        ([Node(8, 2)], 3, None, r"\b2 GPUs\b.*\b2 workers\b.*\b1 each\b"),
        ([Node(8)], None, 1, r"\b0 GPUs\b.*\b0 workers\b.*\b1 each\b"),
        ([Node(8, 4)], None, 1.5, r"^gpus per worker is 1\.5\b.*whole.*less than 1\b"),
    ]:
        with pytest.raises(TandemError, match=sentence):
            divide_cluster(nodes, workers, gpus)
