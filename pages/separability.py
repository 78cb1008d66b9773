"""Separability: which items can tell two systems apart, and whether a preference means anything where they cannot."""

from pages.components.alike import opened_item
from pages.components.apart import choose_items, counted, evidence, histograms, scatter, sentence
from pages.components.frame import frame
from pages.components.holding import preferences, sampling
from pages.components.measuring import measured
from pages.components.notice import lead
from pages.components.ordering import who_is_asked_first
from pages.components.separating import choices

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
