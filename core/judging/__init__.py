"""A question becomes an answer: judges that compare two texts, scorers that mark one."""

from core.judging import prompt_versions, scorer
from core.judging.judge import COMPARING_MODES, Judge
from core.judging.judges.reference_metrics import MARKS
from core.judging.prompt_versions import edited, templates
from core.judging.prompts import fill, fill_scoring
from core.judging.registry import make_judge, make_respondent, marks, remake_judge, remake_scorer
from core.judging.scorer import SCORING_MODES, Scorer

__all__ = [
    "COMPARING_MODES",
    "MARKS",
    "SCORING_MODES",
    "Judge",
    "Scorer",
    "edited",
    "fill",
    "fill_scoring",
    "make_judge",
    "make_respondent",
    "marks",
    "prompt_versions",
    "remake_judge",
    "remake_scorer",
    "scorer",
    "templates",
]
