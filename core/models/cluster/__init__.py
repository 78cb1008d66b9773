"""Workers of a Ray cluster that answer for one process. The only package that may import ray, and
only inside functions.
"""

from core.models.cluster.connection import Connection, check, installed
from core.models.cluster.spread import Spread

__all__ = ["Connection", "Spread", "check", "installed"]
