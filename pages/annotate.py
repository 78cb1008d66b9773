"""Annotate: two texts, one question, one key."""

from core.access import Right
from pages.components.annotate.annotator import annotator
from pages.components.annotate.participant import take_part
from pages.components.annotate.question import ask
from pages.components.shared.frame import frame

with frame("Annotate", menu="collapsed", needed=Right.ANNOTATE) as study:
    name = take_part(study) if study.visit.crowd else annotator(study)
    if name:
        ask(study, name)
