"""Attacks: how often a sentence added to the losing text turns a judge's verdict."""

from .columns import COLUMNS
from .compute import attacks
from .sentences import describe_attacks

__all__ = ["COLUMNS", "attacks", "describe_attacks"]
