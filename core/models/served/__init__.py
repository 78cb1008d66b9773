"""Models behind an OpenAI-compatible server."""

from core.models.served.concurrent_requests import all_through, stream_through
from core.models.served.endpoint import HOW, Choice, Completion, Endpoint, Position, as_raw
from core.models.served.text_writer import ServedSampler

__all__ = [
    "HOW",
    "Choice",
    "Completion",
    "Endpoint",
    "Position",
    "ServedSampler",
    "all_through",
    "as_raw",
    "stream_through",
]
