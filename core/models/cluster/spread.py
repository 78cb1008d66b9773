"""A respondent whose questions are spread over the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from core.models.cluster.connection import Connection, check
from core.models.cluster.crew import Crew
from core.models.cluster.dealing import Dealer
from core.models.cluster.share import share
from core.models.respondent import Hardware, Options, Respondent
from core.records import Reply

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)


class Spread(Respondent[Q, A]):
    """Answers as the respondent does that `make` makes, which every worker has for itself.

    `options` say on which cluster, and how many workers with how much of a GPU each. What `make`
    refers to must be there on every machine. Questions that are the same `about` something go to
    one worker. `failed(reason)` is the answer to a question that workers die of. Raises TandemError
    where the options name no cluster; `load` does where there is none, or no room on it.
    """

    def __init__(
        self,
        make: Callable[[], Respondent[Q, A]],
        options: Options,
        failed: Callable[[str], A],
        about: Callable[[Q], Hashable],
    ) -> None:
        check(options.on)
        self._make, self._options, self._failed, self._about = make, options, failed, about
        self._connection: Connection | None = None
        self._crew: Crew | None = None

    def load(self) -> None:
        if self._crew is not None:
            return
        options = self._options
        try:
            self._connection = Connection(options.on)
            machines = self._connection.nodes
            room = share(machines(), options.workers, options.gpus_per_worker)
            self._crew = Crew(self._make, room, machines)
            self._crew.load()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._crew is not None:
            self._crew.dismiss()
            self._crew = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def hardware(self) -> Hardware:
        return self._loaded.hardware

    @property
    def situation(self) -> str:
        return "" if self._crew is None else str(self._crew)

    def answers(self, questions: Sequence[Q]) -> list[A]:
        # Questions may be equal, and need not be hashable: each goes by its place.
        places = {id(question): place for place, question in enumerate(questions)}
        answers = {
            places[id(question)]: answer
            for answered in self.stream(iter(questions))
            for question, answer in answered
        }
        return [answers[places[id(question)]] for question in questions]

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        return self._loaded.answer(Dealer(questions, self._about), self._failed)

    @property
    def _loaded(self) -> Crew:
        self.load()
        assert self._crew is not None
        return self._crew
