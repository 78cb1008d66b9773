"""Tandem's engine: the store, the judges and the statistics. Nothing here knows about the pages."""

__version__ = "0.1.0"
