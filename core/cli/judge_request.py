"""What `judge` and `try` are asked: whom, about which texts and pairs, and how."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from core.cli import attack, options
from core.cli.cluster_options import add_cluster
from core.cli.options import Part
from core.cli.output import warn
from core.cli.respondent_options import RespondentOptions, RespondentRequest
from core.cli.settings import add_settings
from core.findings.judgements import selection
from core.findings.separability import applied
from core.judging import Judge, Scorer, make, registry
from core.models import Options
from core.pairing import DRAWS, BySeparability, PairSettings, Request, TextRequest, planning
from core.records import TandemError, setting
from core.runs import attack as runs_attack
from core.runs import score
from core.settings import declare, list_given, redeclare
from core.store import Store

TRIED = 5
"""How many answers `try` shows."""


@dataclass(frozen=True)
class ItemSettings:
    """The items that are drawn by their separability, in the words of the command line."""

    items_by: str = redeclare(
        BySeparability, "how", help="choose items by separability", default=""
    )
    number: int | None = redeclare(BySeparability, "number", option="items")
    by_separability: str = declare(
        "", "the metric of separability, measured before", metavar="METRIC", option="separability"
    )
    low: float = redeclare(BySeparability, "low")
    high: float = redeclare(BySeparability, "high")
    bins: int = redeclare(BySeparability, "bins")

    def draw(self, store: Store, texts: TextRequest) -> tuple[tuple[str, float], ...]:
        """The items with their probability of inclusion; none where all are meant. Raises
        TandemError where no separability is stored.
        """
        if not self.items_by:
            return ()
        if not self.by_separability:
            raise TandemError(
                "--items-by needs --separability METRIC, such as bertscore-length, measured by "
                "`separability`"
            )
        draws = BySeparability(self.items_by, self.number, self.low, self.high, self.bins)
        chosen = selection.Selection(
            texts.dataset, texts.subset or None, systems=texts.systems, seed=texts.seed
        )
        items, unknown = applied.drawn_items(store, chosen, draws, self.by_separability)
        if unknown:
            warn(f"{unknown} items have no separability and are left out")
        return items


@dataclass(frozen=True)
class BatchSettings:
    """Which part of a batch `judge` is about, and its files."""

    batch: str = declare(
        "", "hand the requests over as a batch, collect its results, or give it up",
        choices=dict.fromkeys(("submit", "collect", "cancel"), ""),
    )  # fmt: skip
    requests: Path | None = declare(
        None, "write the requests to FILE (.jsonl), not to the server's files", metavar="FILE"
    )
    results: tuple[Path, ...] = declare(
        (), "files of results; without it the server is asked", metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """Whom `judge` and `try` ask about what. The options of batches and attacks are those of
    `judge` alone.
    """

    judge: str
    respondent: RespondentRequest
    pairs: PairSettings
    items: ItemSettings
    attacking: attack.AttackSettings
    batching: BatchSettings
    dataset: str | None = None
    attribute: str = ""
    subset: str = ""
    systems: tuple[str, ...] = ()
    samples: int = redeclare(TextRequest, "samples")
    seed: int = 0
    trial: int = redeclare(TextRequest, "trial")
    limit: int | None = declare(None, "stop after N answers", metavar="N", least=1)
    retry_failed: str = ""

    def find_texts(self, store: Store) -> TextRequest:
        """The texts that are asked about."""
        return TextRequest(
            options.find_dataset(store, self.dataset),
            attributes=(self.attribute,) if self.attribute else (),
            subset=self.subset,
            systems=self.systems,
            samples=self.samples,
            seed=self.seed,
            trial=self.trial,
        )

    def plan(self, store: Store, answering: Judge | Scorer) -> Request | score.Request:
        """What whoever answers is asked: the texts to mark, or the pairs to compare."""
        texts = self.find_texts(store)
        if isinstance(answering, Scorer):
            return score.Request(**vars(texts)).fill_attributes(store)
        drawn = self.items.draw(store, texts)
        return planning.checked(store, Request(**vars(texts), **vars(self.pairs), drawn=drawn))

    def plan_attack(self, store: Store) -> runs_attack.Request:
        """The attack on a judge. Raises TandemError for what chooses other comparisons."""
        chosen = {**list_given(self.pairs), **list_given(self.items)}
        if chosen:
            name = next(iter(chosen))
            raise TandemError(
                f"{setting('pairs' if name == 'strategy' else name)} chooses comparisons, and "
                f"{setting('attack')} draws its own: leave it out, and say with "
                f"{setting('number')} how many"
            )
        return self.attacking.request(self.find_texts(store))

    def make_judge(self, told: Options, mode: str = "") -> Judge | Scorer:
        """Whoever answers, in a `mode` where that was left open."""
        answering = make(self.judge, replace(told, mode=told.mode or mode))
        answering.announce = warn
        return answering


def add_judge_options(sub: argparse.ArgumentParser) -> None:
    """The options of `judge`."""
    _add_asking_options(sub)
    add_settings(sub.add_argument, JudgeRequest, "limit")
    add_cluster(sub)
    options.add_retry_failed(sub, "what was not answered")
    _add_batch_options(sub)
    attack.add_options(sub)


def add_try_options(sub: argparse.ArgumentParser) -> None:
    """The options of `try`."""
    _add_asking_options(sub)
    shown = f"how many answers (default {TRIED})"
    add_settings(sub.add_argument, JudgeRequest, "limit", help=shown)


def _add_asking_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--judge",
        required=True,
        metavar="SPEC",
        help=", ".join(registry.specs_of(registry.members())),
    )
    add_settings(sub.add_argument, JudgeRequest, "samples", "trial")
    RespondentOptions(sub, "judge", registry.JUDGING)
    pairs = Part(sub, "judges that compare two texts", _compares, "judge")
    # Of one who marks texts all pairs follow from the marks.
    add_settings(pairs.add, PairSettings, "strategy", "budget", harmless=True)
    add_settings(pairs.add, PairSettings, "beam_size", "prob_gap", "calibrate")
    add_settings(pairs.add, ItemSettings, "items_by")
    drawn = Part(sub, f"--items-by {'|'.join(DRAWS)}", lambda asked: asked.items_by)
    add_settings(drawn.add, ItemSettings, "number", "by_separability", "low", "high")
    binned = Part(
        sub, "--items-by stratified", lambda asked: asked.items_by == "stratified", "items_by"
    )
    add_settings(binned.add, ItemSettings, "bins")


def _add_batch_options(sub: argparse.ArgumentParser) -> None:
    """The options of batches."""
    add_settings(sub.add_argument, BatchSettings, "batch")
    submitting = Part(sub, "--batch submit", lambda asked: asked.batch == "submit")
    add_settings(submitting.add, BatchSettings, "requests")
    collecting = Part(sub, "--batch collect", lambda asked: asked.batch == "collect")
    add_settings(collecting.add, BatchSettings, "results")


def _compares(asked: argparse.Namespace) -> bool:
    return registry.find(asked.judge, asked.mode or "").answers == "comparisons"
