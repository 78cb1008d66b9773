"""Annotate: two texts, one question, one key."""

from pages.components.annotator import annotator
from pages.components.frame import frame
from pages.components.question import ask

with frame("Annotate", menu="collapsed") as study:
    name = annotator(study)
    if name:
        ask(study, name)
