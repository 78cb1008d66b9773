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


def test_what_does_not_fit_is_said() -> None:
    for nodes, workers, gpus, sentence in [
        ([(2, 0)], 3, None, r"\b2 cores\b.*\b2 workers\b.*\b3: set\b"),
        ([(8, 2)], 3, None, r"\b2 GPUs\b.*\b2 workers\b.*\b3: set\b"),
        ([(8, 0)], None, 1, r"\b0 GPUs\b.*\b0 workers\b.*\bgpus per worker lower\b"),
        ([(8, 4)], None, 1.5, r"^gpus per worker is 1\.5\b.*whole.*less than 1\b"),
    ]:
        with pytest.raises(TandemError, match=sentence):
            divide_cluster(nodes, workers, gpus)
