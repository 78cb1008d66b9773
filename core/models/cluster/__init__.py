"""Workers of a Ray cluster that answer for one process. The only package that may import ray, and
only inside functions.
"""

from core.models.cluster.connection import check, installed
from core.models.cluster.spread import Spread

__all__ = ["Spread", "check", "installed"]
