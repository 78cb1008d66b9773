"""Exports: answers, texts and figures as files, also in the layouts of other tools, with pseudonyms
for people's names.
"""

from core.exporting import export
from core.exporting.export import for_spreadsheets
from core.exporting.formats import FORMATS
from core.exporting.pseudonyms import hide, hide_in, hide_in_words, names_in, record

__all__ = [
    "FORMATS",
    "export",
    "for_spreadsheets",
    "hide",
    "hide_in",
    "hide_in_words",
    "names_in",
    "record",
]
