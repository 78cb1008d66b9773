"""Jury: the combined verdict of several judges, and its accuracy by people's votes."""

from .compute import jury

__all__ = ["jury"]
