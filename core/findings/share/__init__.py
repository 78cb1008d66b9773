"""Share: which answers of judges may stand, and which pairs people answer."""

from .annotators import SimulationSettings, simulate_annotators
from .compute import share
from .signals import Sureness
from .thresholds import SharedWork, ShareSettings, share_work, trust_judges
