"""Who agrees with whom."""

from core.findings.agreement.alphas import still_unknown
from core.findings.agreement.columns import AGAINST_MOST, PAIRS
from core.findings.agreement.compute import OVER, agreement

__all__ = ["AGAINST_MOST", "OVER", "PAIRS", "agreement", "still_unknown"]
