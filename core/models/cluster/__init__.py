"""Workers of a Ray cluster that answer for one process. The only package that may import ray, and
only inside functions.
"""

from .connection import ClusterConnection, check_place, is_installed
from .pool import WorkerPool
