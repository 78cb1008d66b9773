"""Models on this machine."""

from . import background_fetch, loading, small_model
from .encoder import PRECISIONS, EncodedText, Encoder, bertscores, default_precision
from .loading import HF
from .respondent import OnThisMachine, halve_broken
from .text_writer import LOCAL_WRITER
from .tokens import Ids, LanguageModel, LogProbabilities, Tokens, WrittenText, common_prefix
