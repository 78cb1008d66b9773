"""The whole store: one connection, and a part for each noun."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from .adjudications import Adjudications
from .annotator_stats import AnnotatorProgress, AnnotatorStats
from .assignments import Assignments
from .batches import Batches
from .browsing import Browsing
from .campaigns import Campaigns
from .checks import Checks
from .connection import Connection
from .crowds import Crowds
from .dataset_changes import DatasetChanges
from .datasets import Datasets
from .exclusions import Exclusions
from .imported_votes import ImportedVotes
from .inclusion_probabilities import Inclusions
from .item_sets import ItemSets
from .judgement_frames import JudgementFrames
from .judgements import Judgements
from .judges import Judges
from .messages import Messages
from .opening import PATIENCE
from .people import People
from .probes import Probes
from .run_counts import RunCounts
from .runs import Runs
from .scores import Scores
from .settings import Audit, CampaignDrafts, StoreSecrets, StoreSettings
from .similarities import Similarities
from .texts import GeneratedTexts, StoreTexts


class Store:
    """A store opened by one thread. Opening takes well under a millisecond: open one per script
    run, share none.

    `untouched` opens it to be read without changing a byte of it, or of the files beside it.
    `patience` is how many seconds a writer waits while others keep it locked.

    Raises TandemError when the file is not a store, was written by a newer Tandem, or cannot be
    created. Raises FaultError when it is damaged or its disk does not work.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        create: bool = True,
        untouched: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self.path = Path(path)
        self.connection = Connection(
            self.path, create=create, untouched=untouched, patience=patience
        )
        self.datasets = Datasets(self.connection)
        self.texts = StoreTexts(self.connection)
        self.browsing = Browsing(self.connection)
        self.dataset_changes = DatasetChanges(self.connection)
        self.judges = Judges(self.connection)
        self.generated_texts = GeneratedTexts(self.connection)
        self.similarities = Similarities(self.connection)
        self.scores = Scores(self.connection)
        self.judgements = Judgements(self.connection)
        self.imported_votes = ImportedVotes(self.connection)
        self.inclusions = Inclusions(self.connection)
        self.judgement_frames = JudgementFrames(self.connection)
        self.runs = Runs(self.connection)
        self.run_counts = RunCounts(self.connection)
        self.probes = Probes(self.connection)
        self.batches = Batches(self.connection)
        self.campaigns = Campaigns(self.connection)
        self.campaign_drafts = CampaignDrafts(self.connection)
        self.assignments = Assignments(self.connection)
        self.progress = AnnotatorProgress(self.connection)
        self.checks = Checks(self.connection)
        self.people = People(self.connection)
        self.settings = StoreSettings(self.connection)
        self.secrets = StoreSecrets(self.connection)
        self.audit = Audit(self.connection)
        self.exclusions = Exclusions(self.connection)
        self.annotator_stats = AnnotatorStats(self.connection)
        self.adjudications = Adjudications(self.connection)
        self.messages = Messages(self.connection)
        self.crowds = Crowds(self.connection)
        self.item_sets = ItemSets(self.connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the file."""
        self.connection.close()

    def transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """Open one short write of several parts together; see `Connection.transaction`."""
        return self.connection.transaction(durable=durable)
