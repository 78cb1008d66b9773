"""Models on this machine."""

from . import loading, small_model
from .encoder import PRECISIONS, EncodedText, Encoder, bertscores, default_precision
from .language_model import LanguageModel
from .loading import HF
from .respondent import LOCAL_WRITER, OnThisMachine, halve_broken
from .tokens import Ids, LogProbabilities, Tokens, WrittenText, common_prefix
