"""Every interval the program prints, and the studies that are simulated to see what it covers.

To add one: write a function that simulates a study and says whether the interval held, put it into
a `Simulation`, and name that in SIMULATIONS. `python -m tests.document_coverage --write` writes the
table in tests/coverage/results.md.
"""

from __future__ import annotations

from tests.coverage.agreement import AGREEMENT
from tests.coverage.bias import BIAS
from tests.coverage.claims import CLAIMS
from tests.coverage.consistency import CONSISTENCY
from tests.coverage.controls import CONTROL
from tests.coverage.correlations import CORRELATIONS
from tests.coverage.differences import DIFFERENCES
from tests.coverage.families import FAMILIES
from tests.coverage.lab import LAB
from tests.coverage.length_controlled import LENGTH_CONTROLLED
from tests.coverage.looks import LOOKS
from tests.coverage.most_extreme import MOST_EXTREME
from tests.coverage.people import PEOPLE
from tests.coverage.plans import PLANS
from tests.coverage.ranking import RANKING
from tests.coverage.replacement import REPLACEMENT
from tests.coverage.separability import SEPARABILITY
from tests.coverage.shares import SHARES
from tests.coverage.simulation import LEAST, MOST, Case, Coverage, Simulation, simulate
from tests.coverage.together import TOGETHER_WITH_JUDGES
from tests.coverage.uneven_items import UNEVEN
from tests.coverage.weak_links import WEAK_LINKS

__all__ = ["LEAST", "MOST", "SIMULATIONS", "Case", "Coverage", "Simulation", "simulate"]

SIMULATIONS = (
    *SHARES, *BIAS, *RANKING, *WEAK_LINKS, *LOOKS, *UNEVEN, *MOST_EXTREME, *FAMILIES, *AGREEMENT,
    *CORRELATIONS, *DIFFERENCES, *PEOPLE, *PLANS, *LAB, *REPLACEMENT, CONTROL,
    LENGTH_CONTROLLED, SEPARABILITY, CONSISTENCY, *TOGETHER_WITH_JUDGES, *CLAIMS,
)  # fmt: skip
