"""Settings of separability and its bins."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from ...installation import MissingPackageError
from ...records import option_ref
from ...settings import Part, check_choices, declare, get_default, redeclare, sign_settings
from ...similarity import METRICS, PRECISIONS, MeasurementRequest, default_precision, make_metric
from ...store import ChosenGenerations, Store
from ..judgements import minimum
from ..judgements.selection import Selection

PAPERS_METRIC: str = get_default(MeasurementRequest, "metric")


def list_preferred() -> list[str]:
    """List the metrics, preferred ones first: the order of those that have measured equally many
    texts.
    """
    return list(dict.fromkeys((PAPERS_METRIC, "rouge1", *METRICS)))


def label_metrics(names: Iterable[str] = METRICS) -> dict[str, str]:
    """Return the label of each metric, as shown to people."""
    return {name: METRICS[name].label for name in names}


def _part_of(option: str) -> Part:
    taking = [name for name, declared in METRICS.items() if option in declared.takes]
    return Part(" or ".join(taking), lambda values: values["metric"] in ("", *taking), "metric")


SCALED = Part(
    f"{option_ref('normalise')} minmax", lambda values: values["normalise"] != "none", "normalise"
)


@dataclass(frozen=True)
class Settings:
    """Settings of separability and its normalisation. `cross` pairs are sampled (None = all) with
    `seed`. `metric` '' is that of `choose_metric`, else of the paper.
    """

    metric: str = redeclare(
        MeasurementRequest,
        "metric",
        default="",
        help=f"similarity metric (default: the one measured here, else {PAPERS_METRIC})",
        list_choices=label_metrics,
    )
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

    def fill_metric(self, store: Store, dataset: str) -> Settings:
        """Return the settings with the usual metric of a data set, if none was chosen, and in the
        precision in which it has measured something there, if none was asked for.
        """
        is_plain = not self.metric and not self.encoder and not self.precision
        usual = choose_metric(store, dataset) if is_plain else ""
        filled = replace(self, metric=self.metric or usual or PAPERS_METRIC)
        takes = METRICS[filled.metric].takes if filled.metric in METRICS else ()
        if self.precision or "precision" not in takes:
            return filled
        exact = [replace(filled, precision=name) for name in (default_precision(), *PRECISIONS)]
        measured = (one for one in exact if store.similarities.has_any(one.key, dataset))
        return next(measured, exact[0])

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
    against that by the first; '' is length, if that is measured.
    """

    by: Settings
    bins: int = declare(4, "how many bins", label="Bins", metavar="N", least=1, is_harmless=True)
    binning: str = declare(
        "quantile",
        "bins of equal numbers or of equal width",
        label="Binning",
        choices={"width": "of equal width", "quantile": "with equal numbers of rating sets"},
        is_harmless=True,
    )
    beside: str = declare(
        "",
        "another metric to predict consistency with (default: length, if measured)",
        metavar="METRIC",
        choices=label_metrics,
    )

    def __post_init__(self) -> None:
        check_choices(self)

    def fill_metrics(self, store: Store, dataset: str) -> Binning:
        """Return the bins with the usual metrics of a data set, where none was chosen."""
        by = self.by.fill_metric(store, dataset)
        is_other = by.metric != "length" and "length" in list_measured(store, dataset)
        return replace(self, by=by, beside=self.beside or ("length" if is_other else ""))


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


def list_measured(store: Store, dataset: str) -> list[str]:
    """List the metrics with similarities in a data set.

    Similarities depend on the version of a metric's package, so an uninstalled one has none here.
    """

    def has_any(name: str) -> bool:
        with suppress(MissingPackageError):
            key = Settings(name).fill_metric(store, dataset).key
            return store.similarities.has_any(key, dataset)
        return False

    return list(filter(has_any, list_preferred()))


def choose_metric(store: Store, dataset: str) -> str:
    """Choose the metric that figures of a data set are by where nobody names one: that which has
    measured most, the first of `list_preferred` among equals; '' if none has measured anything.
    """

    def count(name: str) -> int:
        settings = Settings(name).fill_metric(store, dataset)
        chosen = request_similarities(Selection(dataset), settings).chosen
        return store.similarities.extent(settings.key, chosen).measured

    return max(list_measured(store, dataset), key=count, default="")
