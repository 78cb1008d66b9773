"""What a jury of judges says, and how often it is right where people voted."""

from core.findings.jury.compute import jury

__all__ = ["jury"]
