"""Attacks: how often a sentence added to the losing text turns a judge's verdict."""

from core.findings.attacks.columns import COLUMNS
from core.findings.attacks.compute import attacks
from core.findings.attacks.sentences import describe_attacks

__all__ = ["COLUMNS", "attacks", "describe_attacks"]
