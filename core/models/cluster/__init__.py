"""Workers of a Ray cluster that answer for one process. The only package that may import ray, and
only inside functions.
"""

from core.models.cluster.connection import ClusterConnection, check_place, is_installed, require_ray
from core.models.cluster.pool import WorkerPool

__all__ = ["ClusterConnection", "WorkerPool", "check_place", "is_installed", "require_ray"]
