"""How probabilities are calibrated and held against votes."""

from __future__ import annotations

from dataclasses import dataclass

from core.findings.judgements import calibrating
from core.records import TandemError, setting
from core.statistics import calibration as estimates

AS_GIVEN = "as given"


@dataclass(frozen=True)
class CalibrateSettings:
    """Which `maps` are tried, () = all; into how many `bins` of equal width probabilities are put;
    `against` whose votes they are held; and of how many resamples (`bootstrap`) intervals are.
    """

    maps: tuple[str, ...] = ()
    bins: int = estimates.BINS
    against: str = "human"
    bootstrap: int = 200

    def __post_init__(self) -> None:
        allowed = {"maps": tuple(estimates.METHODS), "against": calibrating.AGAINST}
        for name, words in allowed.items():
            value = getattr(self, name)
            for word in value if isinstance(value, tuple) else (value,):
                if word not in words:
                    there = ", ".join(words)
                    raise TandemError(f"unknown {setting(name)} {word!r}; there are {there}")
        if not 2 <= self.bins <= 100:
            raise TandemError(f"{setting('bins')} {self.bins} should lie between 2 and 100")
        if self.bootstrap < 2:
            raise TandemError(f"{setting('bootstrap')} {self.bootstrap} should be 2 or more")

    @property
    def every(self) -> tuple[str, ...]:
        """Probabilities as they were given, and by each map."""
        return (AS_GIVEN, *(self.maps or tuple(estimates.METHODS)))
