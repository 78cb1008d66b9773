"""Separability: which items can tell two systems apart, and whether a preference means anything
where they cannot.
"""

from pages.components.separability.campaign_order import who_is_asked_first
from pages.components.separability.choices import choices
from pages.components.separability.consistency import preferences, sampling
from pages.components.separability.figures import (
    choose_items,
    counted,
    evidence,
    histograms,
    scatter,
    sentence,
)
from pages.components.separability.item_texts import opened_item
from pages.components.separability.measure import measured
from pages.components.shared.frame import frame
from pages.components.shared.notice import lead

with frame("Separability", title="Separability") as study:
    chosen = choices(study)
    if chosen and measured(study, chosen):
        result = counted(study, chosen)
        lead(sentence(result))
        ranges = [histograms(result), scatter(result)]
        opened_item(study, chosen, choose_items(result, ranges))
        preferences(study, chosen)
        sampling(study, chosen, result)
        evidence(result)
        who_is_asked_first(study, chosen)
