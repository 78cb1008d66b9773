"""Share: which answers of judges may stand, and which pairs people answer."""

from .annotators import SimulationSettings, simulate_annotators
from .columns import ShareSettings
from .compute import share
from .signals import Sureness
from .thresholds import SharedWork, share_work, trust_judges
