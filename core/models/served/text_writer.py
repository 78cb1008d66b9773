"""A model behind a server as a writer of texts."""

from __future__ import annotations

import json

from ...failures import CUT_OFF, EMPTY, ERROR
from ...records import Draft, Slot, TandemError, option_ref
from ...seeds import draw
from ..decoding import canonical_body, fill_context
from ..respondent import SERVING, TEXT_TOKENS, Member, Options
from ..thoughts import split_thoughts
from .chat_request import HOW_TO_SAMPLE, SAME, build_messages
from .completion import as_raw
from .endpoint import OPENAI, Endpoint, ServedRespondent


class ServedSampler(ServedRespondent[Slot, Draft]):
    """Asks any OpenAI-compatible server to write, one request a text, each with a seed of its own
    where the server takes one.

    Thoughts are left out. Failures: "empty", "cut-off", "refused", "tool-call", "too-long",
    "timed-out", "server-error", "error: ...".
    """

    reply_type = Draft

    def __init__(self, model: str, options: Options) -> None:
        self._options, self.endpoint = options, Endpoint(model, options)
        self._extra_body = json.loads(canonical_body(options.extra_body) or "{}")
        self._is_loaded = False

    def load(self) -> None:
        if self._is_loaded:
            return
        self.endpoint.trial()
        if self._options.temperature and not self.endpoint.samples(self.sampling_ways):
            raise TandemError(
                f"the server at {self.endpoint.address} {SAME}, so an item's texts would be "
                f"alike: have it sample ({HOW_TO_SAMPLE}), or set {option_ref('temperature')} 0"
            )
        self._is_loaded = True

    async def _ask(self, slot: Slot) -> Draft:
        options = self._options
        found = await self.endpoint.complete(
            build_messages(options.system_prompt, fill_context(options.instruction, slot.context)),
            max_tokens=options.max_tokens or TEXT_TOKENS,
            temperature=options.temperature or 0.0,
            seed=draw(options.seed, slot.key, slot.sample) % 2**31,
            stop=options.stop,
            extra_body=self._extra_body,
        )
        [choice] = found.choices
        reply = split_thoughts(choice.text)
        is_cut = choice.is_cut or reply.is_thinking
        failure = choice.failure or (CUT_OFF if is_cut else "" if reply.answer else EMPTY)
        if choice.ending and not reply.is_thinking:
            failure = f"{ERROR}: {choice.ending}"
        if failure:
            raw = as_raw(text=choice.text, detail=choice.detail)
            return Draft(failure=failure, raw=raw, **found.usage)
        thoughts = choice.text if reply.blanked != choice.text else None
        raw = as_raw(part_read=found.part_read or None, text=thoughts)
        text = reply.answer if thoughts else choice.text
        return Draft(text, raw="" if raw == "{}" else raw, **found.usage)


SERVED_WRITER = Member(
    OPENAI,
    "texts",
    ServedSampler,
    label="a server (OpenAI, vLLM, Ollama, llama.cpp ...)",
    options=(
        "instruction",
        "temperature",
        "max_tokens",
        "system_prompt",
        "stop",
        "extra_body",
        "seed",
        "base_url",
        *SERVING,
    ),
)
