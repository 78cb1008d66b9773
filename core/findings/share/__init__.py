"""Share: which answers of judges may stand, and which pairs people answer."""

from .columns import ShareSettings
from .compute import SharedWork, share, share_work, trust_judges
from .signals import Sureness
