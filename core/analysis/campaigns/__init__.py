"""People at work: which pairs a campaign asks them about."""

from core.analysis.campaigns import known_answers
from core.analysis.campaigns.choice import WAYS, Choice
from core.analysis.campaigns.opening import choice_of, extend, open_campaign, preview

__all__ = ["WAYS", "Choice", "choice_of", "extend", "known_answers", "open_campaign", "preview"]
