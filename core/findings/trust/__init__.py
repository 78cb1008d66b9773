"""How far a judge can be trusted: attacks."""

from core.findings.trust import attacks

__all__ = ["attacks"]
