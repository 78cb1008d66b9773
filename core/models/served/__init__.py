"""Models behind an OpenAI-compatible server."""

from .batches import (
    MOST_BYTES,
    MOST_REQUESTS,
    BatchLineResult,
    BatchService,
    GoneError,
    read_result,
    request_line,
)
from .chat_request import HOW_TO_SAMPLE, SAME, AnswerShape, Message, build_messages
from .completion import Completion, CompletionChoice, Position, as_raw
from .connection import wait_for
from .endpoint import Endpoint
from .providers import (
    OFFICIAL,
    PROVIDERS,
    Provider,
    address,
    checked_url,
    options_for,
    provider_of,
)
from .respondent import OPENAI, SERVED_WRITER, ServedRespondent
from .wordings import overflow_share
