"""The tables of docs/prompts.md, taken from the code. `python -m tests.document_prompts --write` puts
them between the page's markers; without `--write` it says whether they are up to date.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from core.judging.forms import COMPARISON_FORMS, MARK_FORMS
from core.judging.prompts import (
    GPTSCORE_PROMPTS,
    PLACEHOLDERS,
    PROMPTS,
    SCORING_PLACEHOLDERS,
    SCORING_PROMPTS,
    fill_labels,
    find_placeholders,
    labels_of,
)
from core.records import Attribute, Question
from tests.document import update, write_table
from tests.paths import ROOT

PAGE = ROOT / "docs" / "prompts.md"
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
SUMMARIES = Question(0, "", "", "", Attribute("overall"), candidate_noun="summary")
USUAL = ("Summary A", "Summary B")


def _placeholders() -> Iterator[tuple[str, ...]]:
    yield "placeholder", "of two texts", "of one text"
    for name in dict.fromkeys([*PLACEHOLDERS, *SCORING_PLACEHOLDERS]):
        pair, single = PLACEHOLDERS.get(name, ""), SCORING_PLACEHOLDERS.get(name, "")
        yield f"`{{{name}}}`", pair, "the same" if single == pair else single


def _forms() -> Iterator[tuple[str, ...]]:
    yield "form", "how a reply states its verdict", "tokens of a reply", "a server can keep it"
    for form in (*COMPARISON_FORMS.values(), *MARK_FORMS.values()):
        yield f"`{form.name}`", form.help, str(form.max_tokens), "yes" if form.shape else ""  # type: ignore[attr-defined]


def _prompts() -> Iterator[tuple[str, ...]]:
    yield "prompt", "modes", "form", f"labels other than {USUAL[0]}, {USUAL[1]}"
    compare = "compare"
    for modes, prompts in (
        (compare, PROMPTS),
        ("score, g-eval", SCORING_PROMPTS),
        ("gptscore", GPTSCORE_PROMPTS),
    ):
        for prompt in prompts.values():
            form = prompt.form and f"`{prompt.form}`"
            if "answer_form" in find_placeholders(prompt.template):
                form += ", or any other"
            labels = prompt.labels or labels_of(prompt)
            words = fill_labels(labels, SUMMARIES) if modes == compare else ()
            yield f"`{prompt.name}`", modes, form, "" if words == USUAL else ", ".join(words)


TABLES = {"placeholders": _placeholders, "forms": _forms, "prompts": _prompts}


def documented(page: str) -> str:
    """The page with every table as the code has it now."""

    def write(found: re.Match[str]) -> str:
        rows = [[cell.replace("|", "\\|") for cell in row] for row in TABLES[found[2]]()]
        return f"{found[1]}{write_table(rows)}{found[3]}"

    return MARKED.sub(write, page)


if __name__ == "__main__":
    sys.exit(update({PAGE: documented(PAGE.read_text(encoding="utf-8"))}))
