"""Share: which answers of judges may stand, and which pairs people answer."""

from .annotators import SimulationSettings, simulate_annotators
from .columns import ShareSettings
from .compute import SharedWork, share, share_work, trust_judges
from .signals import Sureness
