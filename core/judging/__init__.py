"""A question becomes an answer: judges that compare two texts, scorers that mark one."""

from core.judging import prompt_versions, registry
from core.judging.judge import Judge
from core.judging.prompt_versions import edited, templates
from core.judging.prompts import fill, fill_scoring
from core.judging.registry import make, make_writer, remake
from core.judging.scorer import Scorer

__all__ = [
    "Judge",
    "Scorer",
    "edited",
    "fill",
    "fill_scoring",
    "make",
    "make_writer",
    "prompt_versions",
    "registry",
    "remake",
    "templates",
]
