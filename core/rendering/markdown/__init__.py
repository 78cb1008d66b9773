"""Texts as their Markdown means them, as HTML that fetches nothing, runs nothing and leads nowhere.
It is apart from the tables, as its parser takes a while to import.
"""

from .document import LONGEST, TooHardError, render_markdown
from .formulas import ATTRIBUTES as FORMULA_ATTRIBUTES
from .formulas import TAGS as FORMULA_TAGS
