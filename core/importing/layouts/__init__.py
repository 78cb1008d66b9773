"""The registry of layouts: to add one, declare it in the file of its sort and name it here."""

from ..layout import Layout
from . import generations, llmbar, votes
from .annotation_tools import ARGILLA, POTATO
from .chosen_texts import REWARDBENCH, TRL
from .llm_verdicts import ALPACAEVAL, ARENA_HARD, FASTCHAT, JUDGEBENCH, MTBENCH
from .preference_sets import (
    HELPSTEER,
    PANDALM,
    RATING_SETS,
    SHP,
    SUMMARIZE_FEEDBACK,
    ULTRAFEEDBACK,
    WEBGPT,
)
from .rankings import BEST_WORST, RANKINGS
from .scored_texts import FAIREVAL, HANNA, SAMPLED_TEXTS, UNIEVAL, WEBNLG
from .small_tables import COUNTS, MARKS, ONE_HOT, PAIRS
from .summeval import ANNOTATIONS, REALSUMM, SUMMEVAL
from .tool_votes import FASTCHAT_LOGS, FORMS, LABEL_STUDIO, PRODIGY

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        POTATO, BEST_WORST, REALSUMM, SUMMEVAL, ANNOTATIONS, UNIEVAL, WEBNLG, HANNA,
        RATING_SETS, llmbar.LAYOUT, MTBENCH, FASTCHAT, ARENA_HARD, ALPACAEVAL, JUDGEBENCH,
        FAIREVAL, SAMPLED_TEXTS, LABEL_STUDIO, ARGILLA, REWARDBENCH, FASTCHAT_LOGS, PRODIGY,
        FORMS, TRL, PANDALM, WEBGPT, HELPSTEER, SHP, SUMMARIZE_FEEDBACK, ULTRAFEEDBACK,
        ONE_HOT, MARKS, COUNTS, RANKINGS, PAIRS, votes.LAYOUT, generations.LAYOUT,
    )
}  # fmt: skip
