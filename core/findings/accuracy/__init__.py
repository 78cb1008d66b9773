"""Accuracy of each judge."""

from core.findings.accuracy.columns import COLUMNS
from core.findings.accuracy.compute import accuracy
from core.findings.accuracy.sentences import describe_accuracy
from core.findings.accuracy.settings import REFERENCES, AccuracySettings, list_references

__all__ = [
    "COLUMNS",
    "REFERENCES",
    "AccuracySettings",
    "accuracy",
    "describe_accuracy",
    "list_references",
]
