"""Models behind an OpenAI-compatible server."""

from core.models.served.addresses import OFFICIAL, address, checked_url
from core.models.served.answer_shape import AnswerShape
from core.models.served.batch_lines import (
    MOST_BYTES,
    MOST_REQUESTS,
    BatchLineResult,
    read_result,
    request_line,
)
from core.models.served.batch_service import BatchService, GoneError
from core.models.served.chat_request import Message
from core.models.served.completion import Completion, CompletionChoice, Position, as_raw
from core.models.served.concurrent_requests import gather_answers, stream_through, wait_for
from core.models.served.endpoint import OPENAI, Endpoint
from core.models.served.provider_table import Provider
from core.models.served.providers import (
    PROVIDERS,
    options_for,
    overflow_share,
    provider_of,
)
from core.models.served.sampling_ways import HOW_TO_SAMPLE, SAME
from core.models.served.server_pool import ServerPool, make_endpoint
from core.models.served.text_writer import SERVED_WRITER

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
    "ServerPool",
    "address",
    "as_raw",
    "checked_url",
    "gather_answers",
    "make_endpoint",
    "options_for",
    "overflow_share",
    "provider_of",
    "read_result",
    "request_line",
    "stream_through",
    "wait_for",
]
