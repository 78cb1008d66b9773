"""Texts as people see them: format, turns, what nobody could see, words that differ."""

from __future__ import annotations

import json
import re
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.records import TextFormat
from core.rendering.markdown import TooHardError, render_markdown
from pages.components.shared.readable import make_readable, mark_differences

QUESTION = {"role": "user", "content": "What is **2+2**?"}


def talk(*said: str) -> str:
    turns = [{"role": "assistant", "content": each} for each in said]
    return json.dumps([QUESTION, *turns])


def words(html: str) -> str:
    return unescape(re.sub("<[^>]*>", " ", html))


def folds(html: str) -> list[bool]:
    return [" open" in tag for tag in re.findall('<details class="tandem-turn"[^>]*>', html)]


def test_turns_have_roles_and_what_two_conversations_share_is_folded() -> None:
    texts = [talk("It is *4*.", "More?"), talk("It is *4*.", "Else?")]
    shown = make_readable("", texts, TextFormat.CONVERSATION, "Context")
    assert [folds(html) for html in shown.texts] == [[False, False, True]] * 2
    assert re.findall("<summary[^>]*>(.*?)<", shown.texts[0]) == ["User", "Assistant", "Assistant"]
    assert "<em>4</em>" in shown.texts[0]
    assert "{" not in words(shown.texts[0])


def test_which_turns_are_open() -> None:
    for texts, opened in (
        ([talk("a"), talk("a")], [[True, True]] * 2),  # nothing differs
        ([talk("a"), talk("a", "b")], [[False, False], [False, False, True]]),
        ([talk("a"), talk("b")], [[False, True]] * 2),
        ([talk("a"), "no conversation"], [[True, True], []]),
        ([talk("a")], [[True, True]]),
    ):
        shown = make_readable("", texts, TextFormat.CONVERSATION, "Context")
        assert [folds(html) for html in shown.texts] == opened


def test_a_text_too_hard_for_markdown_makes_all_plain_and_says_so() -> None:
    texts = ["**fine**", "[" * 30_000]
    shown = make_readable("*context*", texts, TextFormat.MARKDOWN, "Context")
    assert shown.text_format is TextFormat.PLAIN
    assert shown.note
    assert [words(html).strip() for html in shown.texts] == texts
    assert "*context*" in shown.context


def test_plain_texts_are_shown_to_the_character_and_blanks_are_said() -> None:
    text = "# <b>x</b> *y* \r\n & &amp;"
    shown = make_readable("", [text], TextFormat.PLAIN, "Context")
    assert words(shown.texts[0]) == f" {text} "
    assert (shown.text_format, shown.note) == (TextFormat.PLAIN, "")
    for text_format in TextFormat:
        said = make_readable("", ["x", " \n\t "], text_format, "Context").texts
        assert "(4 blank characters)" in said[1]
        assert "blank" not in said[0]


TABLE = "".join(f"|{'|'.join([cell] * 500)}|\n" for cell in ("head", "---", *"abcdefg"))


LONG = {
    "1 MB": (TextFormat.PLAIN, "word & " * 150_000, "word &"),
    "marks": (TextFormat.PLAIN, "before a" + "\u0301" * 40_000, "before a\u0301"),
    "line breaks": (TextFormat.PLAIN, "\n" * 1_000_000, ""),
    "500 columns": (TextFormat.MARKDOWN, TABLE, "head"),
    "5,000 formulas": (TextFormat.MARKDOWN, "so $x$ " * 5_000, "so"),
    "fractions": (TextFormat.MARKDOWN, "$\\frac{a}{b}$\n\n" * 900, "\\frac{a}{b}"),
    "turns": (TextFormat.CONVERSATION, talk("*a* word word word word word " * 1_500), "User"),
}


CUT = re.compile(
    '(<div[^>]*><details class="tandem-all"><summary>.*?</summary>)(.*)</details>'
    '(<div class="tandem-beginning">.*)',
    re.DOTALL,
)


@pytest.mark.parametrize("name", LONG)
def test_a_text_that_browsers_take_long_for_is_cut_at_first_and_all_there(name: str) -> None:
    text_format, text, beginning = LONG[name]
    shown = make_readable("", [text, "short"], text_format, "Context")
    assert shown.is_cut
    assert "<details" not in shown.texts[1]
    match = CUT.fullmatch(shown.texts[0])
    assert match
    start, whole, rest = match.groups()
    assert f"Show all {len(text):,} characters" in start
    assert len(words(rest)) < 40_000
    assert words(rest).strip().startswith(beginning)
    assert rest.count("<") < 9_000
    for part in (whole, rest):  # what is cut has its ends
        opened = re.findall(r"<(?!br|hr)(\w+)", part)
        assert sorted(opened) == sorted(re.findall(r"</(\w+)", part.removesuffix("</div>")))
    if shown.text_format is TextFormat.PLAIN:
        assert unescape(whole) == text


def test_long_prose_and_marks_of_languages_are_not_cut() -> None:
    hindi = "हिन्दी में लिखा गया एक वाक्य। " * 900
    assert not make_readable("", [hindi, "A sentence. " * 2_000], TextFormat.PLAIN, "").is_cut


def marked(text_a: str, text_b: str) -> tuple[str, str] | None:
    """The differences of two texts to the character."""
    return mark_differences(escape(text_a), escape(text_b))


def find_marks(pair: tuple[str, str] | None) -> list[list[str]]:
    return [re.findall("<mark>(.*?)</mark>", html) for html in pair or ()]


def unmark(pair: tuple[str, str] | None) -> list[str]:
    return [re.sub("</?mark>", "", html) for html in pair or ()]


TO_THE_CHARACTER = (
    ("the red fox ran", "the fox ran away", [" red"], [" away"]),
    ("It cost £3.2 million.", "It cost £3.4 million.", ["2"], ["4"]),
    ("same", "same", [], []),
    ("<b>bold</b>", "<i>bold</i>", ["b", "b"], ["i", "i"]),
    ("", "all of it", [], ["all of it"]),
)
RENDERED = (
    ("a **red** fox", "a *blue* fox", ["red"], ["blue"]),
    ("# One\n\nsame", "# Two\n\nsame", ["One"], ["Two"]),
    ("| x | y |\n|---|---|\n| 1 | 2 |", "| x | y |\n|---|---|\n| 1 | 3 |", ["2"], ["3"]),
    ("**one** word", "one word", [], []),  # how a word looks is no word
)


def test_words_of_one_alone_are_marked_and_a_formula_is_one_word() -> None:
    for text_a, text_b, *alone in TO_THE_CHARACTER:
        assert find_marks(marked(text_a, text_b)) == alone
    for text_a, text_b, *alone in RENDERED:
        pair = mark_differences(render_markdown(text_a), render_markdown(text_b))
        assert find_marks(pair) == alone
    one, other = map(render_markdown, ("so $x^2$ it", "so $x^3$ it"))
    pair = mark_differences(one, other)
    assert unmark(pair) == [one, other]
    assert find_marks(pair)[0][0].startswith('<span class="tandem-formula')


@given(some.text(), some.text())
def test_every_character_stays(text_a: str, text_b: str) -> None:
    assert unmark(marked(text_a, text_b)) == [escape(text_a), escape(text_b)]


@given(some.text("ab *_`#>|\n-$[]()<&\"'", max_size=80), some.text("ab *_`|\n-$", max_size=80))
def test_marks_are_all_that_is_added_to_what_is_rendered(text_a: str, text_b: str) -> None:
    try:
        pair = render_markdown(text_a), render_markdown(text_b)
    except TooHardError:
        return
    assert [*map(unescape, unmark(mark_differences(*pair)))] == [*map(unescape, pair)]


def test_texts_that_are_too_long_or_of_many_different_signs_are_left_unmarked() -> None:
    """Each match would be looked for among all signs that are left."""
    assert mark_differences("word " * 5000, "word " * 5000) is None
    signs = [chr(0xF0000 + n) for n in range(20_000)]
    assert mark_differences("".join(signs), "".join(signs[::2])) is None
