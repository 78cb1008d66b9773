"""Share: which answers of judges may stand, and which pairs people answer."""

from .compute import share
from .signals import SimulationSettings, Sureness, simulate_annotators
from .thresholds import SharedWork, ShareSettings, share_work, trust_judges
