"""Annotate: two texts, one question, one key."""

from pages.components.annotate.annotator import annotator
from pages.components.annotate.question import ask
from pages.components.shared.frame import frame

with frame("Annotate", menu="collapsed") as study:
    name = annotator(study)
    if name:
        ask(study, name)
