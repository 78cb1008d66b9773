"""Written by `python -m tests.document_types --write`: what a notebook takes from `core`."""

# ruff: noqa
# fmt: off
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # all rooms import this one, and mypy takes these last
    from collections.abc import Iterable
    from .findings.accuracy.answers import AccuracySettings
    from .findings.agreement.figures import AgreementSettings
    from .findings.compare import CompareSettings
    from .findings.correlation.columns import Reference
    from .findings.items import ItemSearch
    from .findings.people.scope import Scope
    from .findings.separability.applications import BinnedSettings
    from .findings.separability.settings import Binning
    from .findings.share.thresholds import ShareSettings
    from .notebook import BudgetSettings as BudgetSettings
    from .notebook import Codes as Codes
    from .notebook import CombineSettings as CombineSettings
    from .notebook import Dataset as Dataset
    from .notebook import Finding as Finding
    from .notebook import Kind as Kind
    from .notebook import LabSettings as LabSettings
    from .notebook import PlanSettings as PlanSettings
    from .notebook import RankSettings as RankSettings
    from .notebook import Reading as Reading
    from .notebook import Request as Request
    from .notebook import Selection as Selection
    from .notebook import Settings as Settings
    from .notebook import Store as Store
    from .notebook import TandemError as TandemError
    from .notebook import chart as chart
    from .notebook import export as export
    from .notebook import import_files as import_files
    from .notebook import judge as judge
    from .notebook import load_sample as load_sample
    from .notebook import rank_votes as rank_votes
    from .notebook import report as report

__version__: str

def describe(
    store: Store, *requests: Selection, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None,
) -> Finding:
    """Describe a data set in figures. The default is all kinds of judges."""


def leaderboard(
    store: Store, *requests: Selection | RankSettings, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, method: str = '', ties: str = 'half',
    bootstrap: int = 100, over: str = '', resolve: str = '', k: float = 4.0,
    position_term: bool = False, experts: str = 'logit', calibrated: str = '',
    separability: str = '', encoder: str = '', sep_threshold: float = 0.4, sep_alpha: float = 2.0,
    sep_beta: float = 6.0, control: str | Iterable[str] = (), baseline: str = '',
    debias: str = 'none', regularise: bool = False, reweight: bool = False,
) -> Finding:
    """Systems by rating with intervals, best first. The columns are declared in
    `core.findings.leaderboard.columns`."""


def candidates(
    store: Store, *requests: Selection | RankSettings, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, method: str = '', ties: str = 'half',
    bootstrap: int = 100, over: str = '', resolve: str = '', k: float = 4.0,
    position_term: bool = False, experts: str = 'logit', calibrated: str = '',
    separability: str = '', encoder: str = '', sep_threshold: float = 0.4, sep_alpha: float = 2.0,
    sep_beta: float = 6.0, control: str | Iterable[str] = (), baseline: str = '',
    debias: str = 'none', regularise: bool = False, reweight: bool = False,
) -> Finding:
    """Rate the candidates of each item among themselves: a leaderboard of texts."""


def settled(
    store: Store, *requests: Selection, campaign: int | None = None, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None,
) -> Finding:
    """Test whether answers settle who leads, and the whole order: on all attributes together (None)
    and, with the level shared among them, on each. They are those of the selection's judges; if it
    names none, of the data set's usual ones (`choose_usual_judges`). A `campaign` (its row)
    restricts them to its votes."""


def agreement(
    store: Store, *requests: Selection | AgreementSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, by_separability: str = '',
    encoder: str = '', over: str = '',
) -> Finding:
    """Compute how far judges agree. The default is all judges. A verdict is a judge's answer on one
    pair of texts. Judges without usable verdicts (`find_unusable_judges`) agree with nobody: they
    have no figures, and take no part in those of groups."""


def bias(
    store: Store, *requests: Selection | BinnedSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, by_separability: str = '',
    encoder: str = '',
) -> Finding:
    """Compute position bias: one row per judge and attribute. The default is all judges."""


def probes(
    store: Store, *requests: Selection, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None,
) -> Finding:
    """Measure how far each probe moves each judge, by attribute. The default is all judges that
    were probed."""


def accuracy(
    store: Store, *requests: Selection | AccuracySettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, against: str = '', debias: str = 'none',
    epsilon: float = 0.1, rater: str = '',
) -> Finding:
    """Compute the accuracy of each judge: one row per judge and attribute. The default is all
    judges."""


def correlation(
    store: Store, *requests: Selection | Reference | RankSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, against: str = '',
    level: Literal['item', 'system', 'pool'] = 'item', constant: Literal['drop', 'zero'] = 'drop',
    bootstrap: int = 200, bases: str | Iterable[str] = (), method: str = '', ties: str = 'half',
    over: str = '', resolve: str = '', k: float = 4.0, position_term: bool = False,
    experts: str = 'logit', calibrated: str = '', separability: str = '', encoder: str = '',
    sep_threshold: float = 0.4, sep_alpha: float = 2.0, sep_beta: float = 6.0,
    control: str | Iterable[str] = (), baseline: str = '', debias: str = 'none',
    regularise: bool = False, reweight: bool = False,
) -> Finding:
    """Correlate all judges and raters with the scores of one rater, as in Liusie et al. (2023),
    tables 1-4: one row per judge and attribute."""


def correlate(
    store: Store, *requests: Selection | Reference | RankSettings, scores: str = '',
    dataset: str = '', subset: str | None = None, attribute: str | None = None,
    judges: str | Iterable[str] = (), systems: str | Iterable[str] = (), seed: int = 0,
    items: str | Iterable[str] = (), pairs: frozenset[tuple[int, int]] = frozenset(),
    runs: int | Iterable[int] = (), trials: int | Iterable[int] = (),
    strategies: str | Iterable[str] = (), families: str = 'found', item_set: str | None = None,
    against: str = '', level: Literal['item', 'system', 'pool'] = 'item',
    constant: Literal['drop', 'zero'] = 'drop', bootstrap: int = 200,
    bases: str | Iterable[str] = (), method: str = '', ties: str = 'half', over: str = '',
    resolve: str = '', k: float = 4.0, position_term: bool = False, experts: str = 'logit',
    calibrated: str = '', separability: str = '', encoder: str = '', sep_threshold: float = 0.4,
    sep_alpha: float = 2.0, sep_beta: float = 6.0, control: str | Iterable[str] = (),
    baseline: str = '', debias: str = 'none', regularise: bool = False, reweight: bool = False,
) -> Finding:
    """Correlate the scores of a rater, or ratings from comparisons, with another rater's scores."""


def separability(
    store: Store, *requests: Selection | Settings, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, metric: str = '', encoder: str = '',
    precision: str = '', samples: int = 5, cross: int | None = None, over: str = 'dataset',
    normalise: str = 'minmax', resamples: int = 200,
) -> Finding:
    """Measure how far each item tells two systems apart. What is not measured yet is measured
    first, and kept."""


def find_items(
    store: Store, *requests: Selection | ItemSearch, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, split: bool = False, judge: str = '',
    contradicts: bool = False, differs: bool = False, unanswered: bool = False, text: str = '',
    separability: str = '', encoder: str = '', low: float = -1.0, high: float = 1.0,
) -> Finding:
    """Items that have all that is asked for, of those a selection is about."""


def consistency(
    store: Store, *requests: Selection | Binning, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, metric: str = '', encoder: str = '',
    precision: str = '', samples: int = 5, cross: int | None = None, over: str = 'dataset',
    normalise: str = 'minmax', resamples: int = 200, bins: int = 4, binning: str = 'quantile',
    beside: str = '',
) -> Finding:
    """Rating consistency (Ghosh et al. 2024, eq. 4) and preference strength (eq. 7): one row per
    rating set."""


def combine(
    store: Store, *requests: Selection | CombineSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, people: str | Iterable[str] = (),
    method: str = '', resolve: str = '', weigh_judges: str = 'votes',
) -> Finding:
    """Systems by people's votes and judges together, best first. The columns are declared in
    `core.findings.combine.columns`."""


def compare(
    store: Store, *requests: Selection | CompareSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, new: str = '',
) -> Finding:
    """Compute how often the new of two systems is better: a row for each judge that is a model, one
    for all people, and one for both together (see `combine`) where there are both."""


def plan(
    store: Store, *requests: Selection | PlanSettings, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, people: str | Iterable[str] = (),
    method: str = '', top: int | None = None,
) -> Finding:
    """The chance that ranks 1 to `top` are settled, by how many votes there are, and in the table
    `needed` how many settle them. The columns are declared in `core.findings.plan`."""


def budget(
    store: Store, *requests: Selection | BudgetSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, level: str = '',
    pairings: str | Iterable[str] = (), methods: str | Iterable[str] = (),
    corrections: str | Iterable[str] = (), budgets: int | Iterable[int] = (), replays: int = 20,
    goal: float = 0.95, rater: str = '',
) -> Finding:
    """Compute how few comparisons per item would have been enough (Liusie et al. 2024, figures 4
    and 5). One row per strategy, method, correction and budget."""


def share(
    store: Store, *requests: Selection | ShareSettings, dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, accept_error: float = 0.1,
    confidence: float = 0.95, signal: str = 'probability', promise: str = 'sure', looks: str = '',
    against: str = 'majority', people: str | Iterable[str] = (),
) -> Finding:
    """Count the pairs that judges may answer by themselves, so that at most a share of the answers
    differ from people's, and those that people answer: a row for each judge, and one for people.
    Judges are asked in the order in which they are named; the first that is sure enough answers.
    The columns are declared in `core.findings.share.compute`."""


def drift(
    store: Store, *requests: Selection, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None,
) -> Finding:
    """Test whether each model still answers as it did: a row per judge and what is watched."""


def lab(
    store: Store, *requests: Selection | LabSettings, by: str = '', dataset: str = '',
    subset: str | None = None, attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, by_separability: str = '',
    encoder: str = '', against: str = '', correct: str | Iterable[str] = (),
    open_test: bool = False, bootstrap: int = 200, rater: str = '',
) -> Finding:
    """Compare judges on the same pairs, each asked in both orders, on the development items: a row
    for each judge, attribute and correction. Without judges all models and baselines are meant. The
    columns are declared in `core.findings.lab.settings`."""


def annotators(
    store: Store, *requests: Scope, dataset: str = '', subset: str | None = None,
    attribute: str | None = None, judges: str | Iterable[str] = (),
    systems: str | Iterable[str] = (), seed: int = 0, items: str | Iterable[str] = (),
    pairs: frozenset[tuple[int, int]] = frozenset(), runs: int | Iterable[int] = (),
    trials: int | Iterable[int] = (), strategies: str | Iterable[str] = (), scores: bool = False,
    families: str = 'found', item_set: str | None = None, campaign: int | None = None,
) -> Finding:
    """A row for each person, in the order of their names: ANNOTATORS."""
