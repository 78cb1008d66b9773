"""Options: what a respondent is made with besides its SPEC, which servers it may ask, and the
decoding settings that make another system of the same model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from ..records import USUAL_SCALE, Prompt, Scale, TandemError, option_ref
from ..settings import Part, declare

CONTEXT = "{context}"
DTYPES = ("fp32", "bf16", "fp16")
"""The precisions that a model on this machine can be read in."""

ENGINES = ("transformers", "vllm")
"""What can read a model on this machine."""

KEY = "OPENAI_API_KEY"


@dataclass(frozen=True)
class KeyUse:
    """The variable of the environment whose key a server is sent ('' = no key), and the
    `other_variables` whose keys are taken out of its replies, too. `is_paired`: somebody has
    chosen it for this address.
    """

    variable: str = ""
    other_variables: tuple[str, ...] = ()
    is_paired: bool = False


Permit = Callable[[str], KeyUse]
"""Which key the server at an address is sent. Raises TandemError where it may not be asked."""


def permit_every_server(address: str) -> KeyUse:
    """Permit any server, with the key in OPENAI_API_KEY: for who starts Tandem by themselves, and
    has that key anyway.
    """
    return KeyUse(KEY)


def permit_no_server(address: str) -> KeyUse:
    """Refuse every server. Raises TandemError."""
    raise unlisted_server_error(address)


def unlisted_server_error(address: str) -> TandemError:
    """Return the refusal of a server that is not listed."""
    return TandemError(
        f"{address} is not on the list of servers, so nothing was sent: an owner adds it (page "
        "Judge, or `servers add`)"
    )


ON_RAY = Part(f"{option_ref('on')} ray", lambda given: given["on"])


@dataclass(frozen=True)
class Options:
    """Options of a respondent besides its SPEC; each member names those it takes.

    `mode` '' is the respondent's own way, `labels` () its own words, `scale` that of marks. The
    `instruction` is a text writer's, and `base_url` '' the official server. None leaves a number to
    what suits the model or the hardware.

    The rest changes no answer: see `EXECUTION`. `batch_tokens` is about how many tokens a local
    model reads at once. `provider` says whose habits the server has.

    `permit` says which servers may be asked, and with which key. It is asked before each request,
    and is no option that somebody gives (None = any, with the key in OPENAI_API_KEY).
    """

    seed: int = declare(0, "random seed", metavar="N", least=0)
    prompt: Prompt | None = None
    mode: str = declare("", "how it answers", label="How it answers", metavar="MODE")
    labels: tuple[str, ...] = declare(
        (), 'the words that stand for the two texts (default: "Summary A" and so on)',
        label="Labels", metavar=("A", "B"),
    )  # fmt: skip
    truncation: int | None = declare(
        None, "maximum tokens of a prompt; the context is cut", metavar="N", least=16
    )
    scale: Scale = declare(
        USUAL_SCALE, "the worst and the best score (default 1 10)", metavar=("LOW", "HIGH")
    )
    votes: int = declare(
        5, "how many sampled answers", label="Sampled answers", metavar="K", least=1
    )
    temperature: float | None = declare(
        None,
        "sampling temperature (default 1 of sampled answers, else 0)",
        label="Temperature",
        more="Left empty, it is 0, or 1 where answers are sampled.",
        metavar="T",
        least=0,
    )
    tie: bool = declare(
        False,
        "allow a third answer: neither is better",
        label="It may answer that neither is better",
        more="A third answer is offered: a tie.",
    )
    base_url: str = ""
    instruction: str = ""
    lenient: bool = declare(
        False,
        "guess what a reply means that states no verdict in its form",
        label="Guess the verdict of replies that state none",
        more="Off, such a reply is unparsed: it is shown, counted and can be asked again.",
    )
    max_tokens: int | None = declare(
        None,
        "maximum tokens of a reply, thoughts included (default: what suits its form)",
        label="Most tokens of a reply",
        more="Thoughts included. Left empty, it is what suits the form of the verdict.",
        metavar="N",
        least=1,
    )
    system_prompt: str = declare(
        "",
        "what comes before the prompt, as its system",
        label="System prompt",
        more="It comes before the prompt.",
        metavar="TEXT",
    )
    stop: tuple[str, ...] = declare(
        (),
        "where a reply stops; may be repeated",
        one_by_one=True,
        label="Stop words",
        more="A reply ends before the first of them.",
        metavar="TEXT",
    )
    extra_body: str = declare(
        "",
        'further fields of a request, such as \'{"reasoning_effort": "low"}\'; null leaves '
        "something out",
        label="Extra JSON",
        more="Further fields of each request; null leaves something out.",
        metavar="JSON",
    )
    batch_tokens: int | None = None
    dtype: str = declare(
        "",
        "precision of a model on this machine (default: as published on a GPU, else by a check)",
        label="Precision",
        choices=DTYPES,
    )
    engine: str = declare(
        ENGINES[0], "what reads a model on this machine", label="Engine", choices=ENGINES
    )
    concurrency: int = declare(
        8, "requests in flight at a server", label="Requests at a time", metavar="N", least=1
    )
    rpm: int | None = declare(
        None,
        "maximum requests a minute to a server",
        label="Requests a minute",
        more="0 = no limit",
        metavar="N",
        least=1,
    )
    tpm: int | None = declare(
        None,
        "maximum tokens a minute of a server",
        label="Tokens a minute",
        more="0 = no limit",
        metavar="N",
        least=1,
    )
    timeout: float = declare(
        60.0,
        "seconds before a request times out",
        label="Timeout in seconds",
        more="For one request; it is tried three times.",
        metavar="S",
        least=0,
    )
    price_in: float = declare(
        0.0,
        "price of a million input tokens",
        label="Price per million input tokens",
        more="In any currency.",
        metavar="X",
        least=0,
    )
    price_out: float = declare(
        0.0,
        "price of a million output tokens",
        label="Price per million output tokens",
        metavar="Y",
        least=0,
    )
    provider: str = declare(
        "", "whose server it is: its address, the variable of its key, and its habits"
    )
    api_version: str = declare(
        "", "the version of Azure's interface", label="API version", metavar="DATE",
        more="Such as 2024-10-21. Addresses that end in /openai/v1 need none.",
    )  # fmt: skip
    stream: bool = declare(
        False, "ask for replies bit by bit, as some servers give no others",
        label="Receive replies bit by bit",
        more="For servers that answer in no other way. It changes no answer.",
    )  # fmt: skip
    on: str = declare(
        "",
        "spread over the workers of a Ray cluster (default: in this process)",
        metavar="ray|ray://HOST:PORT",
    )
    workers: int | None = declare(
        None,
        "how many workers (default: one a GPU, or one for every four cores)",
        part=ON_RAY,
        metavar="N",
        least=1,
    )
    gpus_per_worker: float | None = declare(
        None,
        "GPUs of each, also a part of one (default 1 where there are any)",
        part=ON_RAY,
        metavar="G",
        least=0,
    )
    permit: Permit | None = field(default=None, compare=False, repr=False)

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that depart from their defaults."""
        return {
            each.name: value
            for each in fields(self)
            if each.compare and (value := getattr(self, each.name)) != each.default
        }

    @property
    def execution(self) -> dict[str, Any]:
        """Return how a run is done, as it is stored with the run: the given options of
        `EXECUTION`.
        """
        return {name: value for name, value in self.changed_options.items() if name in EXECUTION}


TEXT_TOKENS = 256
"""Maximum of tokens of a generated text, by default."""

SERVING = (
    "provider",
    "api_version",
    "stream",
    "concurrency",
    "rpm",
    "tpm",
    "timeout",
    "price_in",
    "price_out",
)
"""The options of a server that change no answer."""
SPREADING = ("on", "workers", "gpus_per_worker")
"""The options of respondents on this machine: all of them can be spread over a cluster."""
EXECUTION = ("batch_tokens", "dtype", "engine", *SERVING, *SPREADING)
"""The options that change no answer: how fast and at what price, not what."""


def execution_options(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `EXECUTION` among what is stored with a run.

    Raises TandemError for a run of several servers, which Tandem asked until 2.0.0.
    """
    if stored.get("more_urls"):
        raise TandemError(
            "this run asks several servers: start it again with its first address alone "
            "(docs/scaling.md)"
        )
    return {name: value for name, value in stored.items() if name in EXECUTION}


@dataclass(frozen=True)
class Decoding:
    """Settings by which texts are sampled; other settings make another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows
    it. A server also gets `system_prompt`, `stop` and `extra_body` (JSON).
    """

    model: str
    instruction: str = declare(
        MISSING, "what to write; {context} in it, or the context follows", metavar="TEXT",
    )  # fmt: skip
    temperature: float = declare(
        0.5, "0 = greedy decoding", label="Temperature", metavar="T", least=0.0, most=2.0
    )
    max_tokens: int = declare(
        256, "maximum tokens of a text", label="Most tokens", metavar="N", least=1
    )
    seed: int = 0
    base_url: str = ""
    system_prompt: str = ""
    stop: tuple[str, ...] = ()
    extra_body: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Decoding:
        """Return the decoding that stored `settings` describe."""
        return cls(**{**settings, "stop": tuple(settings.get("stop", ()))})

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings to store. Later additions are stored only if given, so that a system
        stays the same.
        """
        later = ("system_prompt", "stop", "extra_body")
        return {name: value for name, value in asdict(self).items() if value or name not in later}

    def prompt(self, context: str) -> str:
        """Return the words the model reads for one item."""
        return fill_context(self.instruction, context)

    def options(self, execution: Mapping[str, Any] | None = None) -> Options:
        """Return the options that the model is made with; `execution` is how the run is done."""
        own = asdict(self)
        del own["model"]
        return Options(**own, **execution_options(execution or {}))


def fill_context(instruction: str, context: str) -> str:
    """Return an instruction with the context in it."""
    if CONTEXT in instruction:
        return instruction.replace(CONTEXT, context)
    return f"{instruction}\n\n{context}".strip()


NOT_EXTRA = {
    "messages": "they hold the texts to be judged",
    "model": "the judge's name says it",
    "n": f"{option_ref('votes')} says it",
    "stream": f"{option_ref('stream')} says it",
}
"""What no extra body may replace, and why: the answers would be about something else."""


def canonical_body(text: str) -> str:
    """Return a JSON object in canonical form, '' for an empty one.

    Raises TandemError for other JSON, and for a name that may not be set.
    """
    if not text.strip():
        return ""
    try:
        body = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_named_once)
    except (ValueError, RecursionError) as error:
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is no JSON ({error})"
        ) from error
    if not isinstance(body, dict):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is not a JSON object: give one such as "
            '{"reasoning_effort": "low"}'
        )
    for name in sorted(NOT_EXTRA.keys() & body.keys()):
        raise TandemError(
            f"{option_ref('extra_body')} may not set {name!r}: {NOT_EXTRA[name]}; leave it out"
        )
    written = json.dumps(body, sort_keys=True, ensure_ascii=False) if body else ""
    if any("\ud800" <= sign <= "\udfff" for sign in written):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} has half a character, which is not text"
        )
    return written


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for name, value in pairs:
        if name in body:
            raise ValueError(f"it gives {name!r} twice")
        body[name] = value
    return body
