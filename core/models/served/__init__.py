"""Models behind an OpenAI-compatible server."""

from core.models.served.concurrent_requests import all_through, stream_through
from core.models.served.endpoint import (
    OPENAI,
    Choice,
    Completion,
    Endpoint,
    Position,
    address,
    as_raw,
)
from core.models.served.fleet import Fleet, served
from core.models.served.sampling_ways import SAME
from core.models.served.text_writer import SERVED_WRITER

__all__ = [
    "OPENAI",
    "SAME",
    "SERVED_WRITER",
    "Choice",
    "Completion",
    "Endpoint",
    "Fleet",
    "Position",
    "address",
    "all_through",
    "as_raw",
    "served",
    "stream_through",
]
