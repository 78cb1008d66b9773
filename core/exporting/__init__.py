"""Exports: answers, texts and figures as files, also in the layouts of other tools, with pseudonyms
for people's names.
"""

from . import export
from .export import FORMATS, for_spreadsheets
from .pseudonyms import hide, hide_in, hide_in_words, names_in, record
