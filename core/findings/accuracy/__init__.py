"""Accuracy of each judge."""

from .columns import COLUMNS
from .compute import accuracy
from .sentences import describe_accuracy
from .settings import REFERENCES, AccuracySettings, list_references

__all__ = [
    "COLUMNS",
    "REFERENCES",
    "AccuracySettings",
    "accuracy",
    "describe_accuracy",
    "list_references",
]
