"""A model behind a server as a writer of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.failures import EMPTY, because
from core.models.decoding import Decoding
from core.models.respondent import Respondent
from core.models.served.concurrent_requests import all_through, stream_through
from core.models.served.endpoint import HOW, Endpoint, as_raw
from core.records import Draft, Slot, TandemError
from core.seeds import draw


class ServedSampler(Respondent[Slot, Draft]):
    """Asks any OpenAI-compatible server to write, one request a text, each with a seed of its own
    where the server takes one.

    A text that is empty is a text. Failures: "refused", "too-long", "timed-out", "error: ...".
    """

    def __init__(self, model: str, decoding: Decoding, execution: Mapping[str, Any]) -> None:
        how = {name: value for name, value in execution.items() if name in HOW}
        self._decoding = decoding
        self.endpoint = Endpoint(model, base_url=decoding.base_url, **how)

    def load(self) -> None:
        self.endpoint.trial()

    def answers(self, questions: Sequence[Slot]) -> list[Draft]:
        return all_through(questions, self._write, self.endpoint.concurrency)

    def stream(self, questions: Iterator[Slot]) -> Iterator[list[tuple[Slot, Draft]]]:
        return stream_through(questions, self._write, self.endpoint.concurrency)

    async def _write(self, slot: Slot) -> Draft:
        try:
            found = await self.endpoint.complete(
                [{"role": "user", "content": self._decoding.prompt(slot.context)}],
                max_tokens=self._decoding.max_tokens,
                temperature=self._decoding.temperature,
                seed=draw(self._decoding.seed, slot.key, slot.sample) % 2**31,
            )
        except TandemError:
            raise
        except Exception as error:
            return Draft(failure=because(error))
        [choice], spent = found.choices, (found.tokens, found.completion_tokens)
        if choice.failure and choice.failure != EMPTY:
            return Draft(
                None, choice.failure, as_raw(text=choice.text, detail=choice.detail), *spent
            )
        raw = as_raw(part_read=found.part_read) if found.part_read else ""
        return Draft(choice.text, "", raw, *spent, part_read=found.part_read)
