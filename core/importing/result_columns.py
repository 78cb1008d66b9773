"""Names of columns that promptfoo repeats for each prompt of a table, told apart by the prompt.

Layout: promptfoo/promptfoo, src/util/eval/evalTableUtils.ts (buildCsvHeaders).
"""

from __future__ import annotations

from collections.abc import Sequence

FIRST = ["Status", "Score", "Named Scores"]
"""What begins the columns of one prompt, after that of its outputs."""
LAST = "Comment"
JOINT = " · "


def name_apart(names: Sequence[str]) -> list[str]:
    """The names with the prompt before each column of its results: "[openai:gpt-4o] Be brief ·
    Score". Other names stay as they are.
    """
    named, prompt = list[str](), ""
    for place, name in enumerate(names):
        if list(names[place + 1 : place + 4]) == FIRST:
            prompt = name
            named.append(name)
        else:
            named.append(f"{prompt}{JOINT}{name}" if prompt else name)
            prompt = "" if name == LAST else prompt
    return named
