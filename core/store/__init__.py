"""The shared store: one SQLite file. This folder alone may know SQLite; reads return frames, writes take records.

One noun a module, each building on the one before: connection, texts, similarities, scores, judgements, answers, runs, campaigns.
"""

from pathlib import Path

from core.store.campaigns import Store
from core.store.runs import RunRow

DEFAULT_STORE = Path(__file__).parents[2] / "data" / "tandem.sqlite3"

__all__ = ["DEFAULT_STORE", "RunRow", "Store"]
