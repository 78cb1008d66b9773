"""The engine that files are staged and counted in: what ends a query ends it in words."""

from __future__ import annotations

import os
import signal
from threading import Timer

import pytest

from core.importing.database import Database

ENDLESS = "SELECT count(*) FROM range(1000000000000) a WHERE hash(a.range) = 7"


def test_ctrl_c_ends_a_query_as_it_ends_all_else() -> None:
    for ask in [
        lambda database: database.rows(ENDLESS),
        lambda database: list(database.portions(ENDLESS, 1)),
    ]:
        database = Database(threads=1)
        # Whoever starts the tests in the background of a shell hands down that Ctrl-C is ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        press = Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                ask(database)
        finally:
            press.cancel()
            signal.signal(signal.SIGINT, before)
            database.close()
