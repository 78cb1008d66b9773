"""How many workers a cluster has room for, counted by hand."""

import pytest

from core.models.cluster import divide_cluster
from core.records import TandemError


def test_what_each_worker_gets() -> None:
    for nodes, workers, gpus, expected in [
        # eight cores: two workers of four, or three of two, as six would be one too many
        ([(8, 0)], None, None, (2, 4, 0)),
        ([(8, 0)], 3, None, (3, 2, 0)),
        ([(2, 0)], None, None, (1, 2, 0)),
        # of 4 + 2 cores two workers cannot have three each: one machine has but two
        ([(4, 0), (2, 0)], 2, None, (2, 2, 0)),
        # a third worker waits for one of two cores
        ([(2, 0)], 3, None, (3, 1, 0)),
        ([(16, 4), (16, 4)], None, None, (8, 0, 1)),
        # two to a GPU; three to a GPU leave a tenth of it
        ([(16, 4)], None, 0.5, (8, 0, 0.5)),
        ([(16, 1)], None, 0.3, (3, 0, 0.3)),
        # three GPUs hold one worker that wants two
        ([(16, 3)], None, 2, (1, 0, 2)),
        # none of the GPUs
        ([(8, 2)], 2, 0, (2, 4, 0)),
        # a head without GPUs
        ([(4, 0), (8, 2)], 2, None, (2, 0, 1)),
    ]:
        assert divide_cluster(nodes, workers, gpus) == expected


def test_what_no_machine_has_is_said() -> None:
    for nodes, gpus, sentence in [
        ([(8, 0)], 1, r"^gpus per worker is 1,.*\b0 at most\b"),
        ([(8, 2), (8, 1)], 3, r"^gpus per worker is 3,.*\b2 at most\b"),
        ([(8, 4)], 1.5, r"^gpus per worker is 1\.5\b.*less than 1\b.*whole"),
    ]:
        with pytest.raises(TandemError, match=sentence):
            divide_cluster(nodes, None, gpus)
