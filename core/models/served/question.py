"""A question on its way through a pool of servers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .completion import Completion, CompletionChoice
from .request_errors import RequestError
from .server_state import ServerState

BUSY = 429  # the status of a server that is only asked too fast


@dataclass
class ServedQuestion:
    """History of a question: its `failure_counts`, the last `trouble`, and the servers
    where it has `failed` since. `refused` holds the replies of servers that find it wrong. `since`:
    what all servers had answered before.
    """

    since: int
    failure_counts: Counter[str] = field(default_factory=Counter)
    trouble: RequestError | None = None
    failed: set[ServerState] = field(default_factory=set)
    refused: dict[ServerState, Completion] = field(default_factory=dict)
    rounds: int = 0

    @property
    def tried_servers(self) -> set[ServerState]:
        """The servers that failed or refused the question."""
        return self.failed | set(self.refused)

    def record_failure(self, server: ServerState, trouble: RequestError) -> None:
        """Record a failure; a server has failed unless it is only busy."""
        self.failure_counts[trouble.failure] += 1
        self.trouble = trouble
        if trouble.status != BUSY:
            self.failed.add(server)

    @property
    def given_up(self) -> Completion | None:
        """The failure, once it was tried as often as it may be."""
        trouble = self.trouble
        if trouble is None or self.failure_counts[trouble.failure] < trouble.tries:
            return None
        return Completion((CompletionChoice(failure=trouble.failure, detail=trouble.detail),))
