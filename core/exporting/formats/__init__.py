"""Judgements in the layouts of other tools: to add one, write its file and name it here."""

from . import alpaca_eval, arena_hard, argilla, label_studio, langsmith, potato, trl
from .layout import Document, Format, Row

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        trl.TEXTS,
        trl.MESSAGES,
        label_studio.FORMAT,
        argilla.FORMAT,
        potato.FORMAT,
        langsmith.FORMAT,
        arena_hard.FORMAT,
        alpaca_eval.FORMAT,
    )
}
