"""Settings of calibration."""

from __future__ import annotations

from dataclasses import dataclass

from ...records import Kind, TandemError, option_ref
from ...settings import check_choices, declare
from ...statistics import calibration as estimates

AS_GIVEN = "as given"


@dataclass(frozen=True)
class CalibrateSettings:
    """Settings of calibration: `maps` to fit (() = all), number of `bins` of equal width, whose
    votes are the reference (`against`), and number of draws of what chance makes (`bootstrap`).
    """

    maps: tuple[str, ...] = declare(
        (),
        "from a judge's probability to people's (default: all)",
        choices={name: name for name in estimates.METHODS},
    )
    bins: int = declare(
        estimates.BINS, "bins of equal width", metavar="N", least=1, is_always_signed=True
    )
    against: str = declare(
        "",
        "whose votes probabilities are held against (default: people, else gold, else simulated)",
        choices={
            Kind.HUMAN.value: "people",
            Kind.SIMULATED.value: "simulated annotators",
            Kind.GOLD.value: "the gold labels",
        },
    )
    bootstrap: int = declare(1000, "draws of what chance alone makes", metavar="B")

    def __post_init__(self) -> None:
        check_choices(self)
        if not 2 <= self.bins <= 100:
            raise TandemError(f"{option_ref('bins')} {self.bins} should lie between 2 and 100")
        if self.bootstrap < 2:
            raise TandemError(f"{option_ref('bootstrap')} {self.bootstrap} should be 2 or more")

    @property
    def all_maps(self) -> tuple[str, ...]:
        """Probabilities as they were given, and by each map."""
        return (AS_GIVEN, *(self.maps or tuple(estimates.METHODS)))
