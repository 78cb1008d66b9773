"""The whole store: one connection, and a part for each noun."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from core.store.adjudications import Adjudications
from core.store.annotator_progress import AnnotatorProgress
from core.store.annotator_stats import AnnotatorStats
from core.store.assignments import Assignments
from core.store.attacks import Attacks
from core.store.audit import Audit
from core.store.batches import Batches
from core.store.browsing import Browsing
from core.store.campaign_drafts import CampaignDrafts
from core.store.campaigns import Campaigns
from core.store.checks import Checks
from core.store.connection import Connection
from core.store.crowds import Crowds
from core.store.dataset_changes import DatasetChanges
from core.store.datasets import Datasets
from core.store.exclusions import Exclusions
from core.store.generated_texts import GeneratedTexts
from core.store.imported_votes import ImportedVotes
from core.store.inclusion_probabilities import Inclusions
from core.store.item_sets import ItemSets
from core.store.judgement_frames import JudgementFrames
from core.store.judgements import Judgements
from core.store.judges import Judges
from core.store.messages import Messages
from core.store.opening import PATIENCE
from core.store.people import People
from core.store.runs import Runs
from core.store.scores import Scores
from core.store.settings import StoreSettings
from core.store.similarities import Similarities
from core.store.store_secrets import StoreSecrets


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
        self.browsing = Browsing(self.connection)
        self.dataset_changes = DatasetChanges(self.connection)
        self.judges = Judges(self.connection)
        self.generated_texts = GeneratedTexts(self.connection)
        self.similarities = Similarities(self.connection)
        self.scores = Scores(self.connection)
        self.judgements = Judgements(self.connection)
        self.imported_votes = ImportedVotes(self.connection)
        self.inclusions = Inclusions(self.connection)
        self.judgement_frames = JudgementFrames(self.connection, self.inclusions)
        self.runs = Runs(self.connection, self.judgements)
        self.attacks = Attacks(self.connection)
        self.batches = Batches(self.connection)
        self.campaigns = Campaigns(self.connection, self.datasets)
        self.campaign_drafts = CampaignDrafts(self.connection)
        self.assignments = Assignments(self.connection, self.judgements)
        self.progress = AnnotatorProgress(self.connection)
        self.checks = Checks(self.connection)
        self.people = People(self.connection)
        self.settings = StoreSettings(self.connection)
        self.secrets = StoreSecrets(self.connection)
        self.audit = Audit(self.connection)
        self.exclusions = Exclusions(self.connection, self.audit)
        self.annotator_stats = AnnotatorStats(self.connection)
        self.adjudications = Adjudications(self.connection, self.judges, self.judgements)
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
