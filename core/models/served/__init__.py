"""Models behind an OpenAI-compatible server."""

from .addresses import OFFICIAL, address, checked_url
from .answer_shape import AnswerShape
from .batch_lines import (
    MOST_BYTES,
    MOST_REQUESTS,
    BatchLineResult,
    read_result,
    request_line,
)
from .batch_service import BatchService, GoneError
from .chat_request import Message
from .completion import Completion, CompletionChoice, Position, as_raw
from .concurrent_requests import gather_answers, stream_through, wait_for
from .endpoint import OPENAI, Endpoint
from .provider_table import Provider
from .providers import (
    PROVIDERS,
    options_for,
    overflow_share,
    provider_of,
)
from .sampling_ways import HOW_TO_SAMPLE, SAME
from .text_writer import SERVED_WRITER

__all__ = [
    "HOW_TO_SAMPLE",
    "MOST_BYTES",
    "MOST_REQUESTS",
    "OFFICIAL",
    "OPENAI",
    "PROVIDERS",
    "SAME",
    "SERVED_WRITER",
    "AnswerShape",
    "BatchLineResult",
    "BatchService",
    "Completion",
    "CompletionChoice",
    "Endpoint",
    "GoneError",
    "Message",
    "Position",
    "Provider",
    "address",
    "as_raw",
    "checked_url",
    "gather_answers",
    "options_for",
    "overflow_share",
    "provider_of",
    "read_result",
    "request_line",
    "stream_through",
    "wait_for",
]
