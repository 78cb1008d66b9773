"""Settings of separability and its bins."""

from __future__ import annotations

from dataclasses import dataclass

from core.findings.judgements import Selection, minimum
from core.records import option_ref
from core.settings import Part, check_choices, declare, redeclare, sign_settings
from core.similarity import METRICS, MeasurementRequest, make_metric
from core.store import ChosenGenerations


def _label_metrics() -> dict[str, str]:
    return {name: declared.label for name, declared in METRICS.items()}


def _part_of(option: str) -> Part:
    """The part of an option that only some metrics take."""
    taking = [name for name, declared in METRICS.items() if option in declared.takes]
    return Part(" or ".join(taking), lambda values: values["metric"] in taking, "metric")


SCALED = Part(
    f"{option_ref('normalise')} minmax",
    lambda values: values["metric"] and values["normalise"] != "none",
    "normalise",
)


@dataclass(frozen=True)
class Settings:
    """Settings of separability and its normalisation. `cross` pairs are sampled (None = all) with
    `seed`.
    """

    metric: str = redeclare(MeasurementRequest, "metric", list_choices=_label_metrics)
    encoder: str = redeclare(MeasurementRequest, "encoder", part=_part_of("encoder"))
    precision: str = redeclare(MeasurementRequest, "precision", part=_part_of("precision"))
    samples: int = declare(
        5,
        "generations of each system",
        label="Texts of each system (K)",
        more="K: texts of each system on an item to compare, by the lowest sample numbers.",
        metavar="K",
        least=1,
        is_always_signed=True,
    )
    cross: int | None = declare(
        None,
        "random pairs across systems (default: all K x K)",
        label="Pairs across systems (C)",
        more="C: how many of the K x K pairs across two systems to compare, at random. 0 means "
        "all.",
        metavar="C",
        least=1,
        is_always_signed=True,
    )
    over: str = declare(
        "dataset",
        "what to normalise alignments over",
        label="Normalised over",
        more="Alignments are scaled from 0, the least alike, to 1, the most alike (min-max "
        "normalisation, Ghosh et al. 2024). Only figures on the same scale can be compared.",
        choices={
            "pair": "these two systems only",
            "systems": "all pairs of the systems chosen",
            "dataset": "all systems of the data set",
            "all": "everything measured with this metric",
        },
        is_harmless=True,
        part=SCALED,
        is_always_signed=True,
    )
    normalise: str = declare(
        "minmax",
        "the scale of the alignments",
        choices={"minmax": "from the least to the greatest", "none": "that of the metric"},
        is_always_signed=True,
    )
    resamples: int = declare(200, "resamples of the texts", metavar="B", option="bootstrap")

    def __post_init__(self) -> None:
        check_choices(self)
        minimum.check_resamples("bootstrap", self.resamples, minimum.PERCENTILES)

    @property
    def key(self) -> str:
        """The metric's signature, under which its similarities are stored."""
        metric = make_metric(self.metric, encoder=self.encoder, precision=self.precision)
        return metric.signatures[self.metric]

    def signature_values(self) -> dict[str, object]:
        """Return the values that every signature records."""
        return sign_settings(self, "metric", "encoder", "precision", "resamples")


@dataclass(frozen=True)
class Binning:
    """Bins of separability, as measured by `by`: of equal `width` or, by `quantile`, with about as
    many rating sets each. `beside` is another metric, whose prediction of consistency is held
    against that by the first.
    """

    by: Settings
    bins: int = declare(5, "how many bins", label="Bins", metavar="N", least=1, is_harmless=True)
    binning: str = declare(
        "width",
        "bins of equal width or of equal numbers",
        label="Binning",
        choices={"width": "of equal width", "quantile": "with equal numbers of rating sets"},
        is_harmless=True,
    )
    beside: str = declare(
        "",
        "another metric, such as length, to predict consistency with",
        metavar="METRIC",
        choices=_label_metrics,
    )

    def __post_init__(self) -> None:
        check_choices(self)


def request_similarities(selection: Selection, settings: Settings) -> MeasurementRequest:
    """Return what has to be measured: the generations of the chosen systems, or of all if
    normalised over the data set.
    """
    chosen_only = settings.normalise == "none" or settings.over in ("pair", "systems")
    systems = selection.systems if chosen_only else ()
    chosen = ChosenGenerations(
        selection.dataset, tuple(systems), selection.subset, settings.samples
    )
    return MeasurementRequest(chosen, settings.metric, settings.encoder, settings.precision)
