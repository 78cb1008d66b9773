"""docs/prompts.md lists the placeholders, forms and prompts that there are, and no others."""

import re

from core.judging.forms import COMPARISON_FORMS, MARK_FORMS
from core.judging.prompts import PROMPTS, SCORING_PLACEHOLDERS
from tests import document_prompts

PAGE = document_prompts.PAGE.read_text(encoding="utf-8")


def test_tables_are_the_codes() -> None:
    assert document_prompts.documented(PAGE) == PAGE, (
        "run `python -m tests.document_prompts --write`"
    )


def test_every_table_is_there() -> None:
    assert re.findall(r"<!-- table: (\w+)", PAGE) == list(document_prompts.TABLES)
    for name in (*COMPARISON_FORMS, *MARK_FORMS, *PROMPTS):
        assert f"| `{name}` |" in PAGE
    for name in ("reference", "references", "item", "subset", "answer_form", *SCORING_PLACEHOLDERS):
        assert f"| `{{{name}}}` |" in PAGE


def test_a_form_that_is_missing_is_seen() -> None:
    less = "".join(line for line in PAGE.splitlines(True) if not line.startswith("| `strength` |"))
    assert less != PAGE
    assert document_prompts.documented(less) == PAGE
