"""Exports: answers, texts and figures as files, also in the layouts of other tools, with pseudonyms
for people's names.
"""

from . import export
from .export import for_spreadsheets
from .formats import FORMATS
from .pseudonyms import hide, hide_in, hide_in_words, names_in, record
