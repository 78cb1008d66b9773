"""The loopback server of the tests leaves alone what belongs to the process."""

from __future__ import annotations

import logging

from tests.server import Server


def test_handlers_of_others_stay_open() -> None:
    """absl's handler closes its stream when it is closed, and pytest captures into that stream."""
    closed = []

    class Watched(logging.Handler):
        def close(self):
            closed.append(self)
            super().close()

    handler = Watched()
    try:
        with Server():
            assert closed == []
    finally:
        handler.close()
