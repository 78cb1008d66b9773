"""Which words two texts do not share."""

from __future__ import annotations

import re
from html import escape, unescape

from hypothesis import given
from hypothesis import strategies as some

from core.rendering.markdown import TooHardError, render_markdown
from pages.components.shared.word_differences import mark_differences


def marked(text_a: str, text_b: str) -> tuple[str, str]:
    """The differences of two texts to the character."""
    return mark_differences(escape(text_a), escape(text_b)) or ("", "")


def find_marks(found: tuple[str, str] | None) -> list[list[str]]:
    assert found is not None
    return [re.findall("<mark>(.*?)</mark>", html) for html in found]


def test_words_of_one_alone_are_marked() -> None:
    """Of rendered texts words are marked and no tags."""
    for text_a, text_b, *alone in (
        ("the red fox ran", "the fox ran away", [" red"], [" away"]),
        ("It cost £3.2 million.", "It cost £3.4 million.", ["2"], ["4"]),
        ("same", "same", [], []),
        ("<b>bold</b>", "<i>bold</i>", ["b", "b"], ["i", "i"]),
        ("", "all of it", [], ["all of it"]),
    ):
        assert find_marks(marked(text_a, text_b)) == alone
    for text_a, text_b, *alone in (
        ("a **red** fox", "a *blue* fox", ["red"], ["blue"]),
        ("# One\n\nsame", "# Two\n\nsame", ["One"], ["Two"]),
        ("| x | y |\n|---|---|\n| 1 | 2 |", "| x | y |\n|---|---|\n| 1 | 3 |", ["2"], ["3"]),
        ("**one** word", "one word", [], []),  # how a word looks is no word
    ):
        found = mark_differences(render_markdown(text_a), render_markdown(text_b))
        assert find_marks(found) == alone


@given(some.text(), some.text())
def test_every_character_stays(text_a: str, text_b: str) -> None:
    for text, html in zip((text_a, text_b), marked(text_a, text_b), strict=True):
        assert re.sub("</?mark>", "", html) == escape(text)


def test_a_formula_is_one_word() -> None:
    one, other = map(render_markdown, ("so $x^2$ it", "so $x^3$ it"))
    found = mark_differences(one, other)
    assert found is not None
    assert [re.sub("</?mark>", "", html) for html in found] == [one, other]
    assert re.findall(r"<mark>(.*?)</mark>", found[0])[0].startswith('<span class="tandem-formula')


@given(some.text("ab *_`#>|\n-$[]()<&\"'", max_size=80), some.text("ab *_`|\n-$", max_size=80))
def test_marks_are_all_that_is_added_to_what_is_rendered(text_a: str, text_b: str) -> None:
    try:
        pair = render_markdown(text_a), render_markdown(text_b)
    except TooHardError:
        return
    found = mark_differences(*pair)
    assert found is not None
    for before, after in zip(pair, found, strict=True):
        bare = unescape(re.sub("</?mark>", "", after))
        assert bare == unescape(before)


def test_texts_that_are_too_long_or_of_many_different_signs_are_left_unmarked() -> None:
    """Each match would be looked for among all signs that are left."""
    assert mark_differences("word " * 5000, "word " * 5000) is None
    signs = [chr(0xF0000 + n) for n in range(20_000)]
    assert mark_differences("".join(signs), "".join(signs[::2])) is None
