"""Replies as judges write them, in ten forms and a dozen languages: none is reversed, whole, cut
anywhere, shuffled, or with its labels swapped, and what is stated in its form is read.
"""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.judging.reply_table import Row, describe_rows, load_replies, parse_row, read_row

ROWS = load_replies()
STATED = [row for row in ROWS if row.verdict is not None]
LABELLED = [row for row in STATED if row.labels]
SHUFFLES = 3
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。！？])\s+(?=\S)|\n+")


def test_the_table_is_one_of_hundreds_in_every_form() -> None:
    assert len(STATED) >= 500
    assert len(ROWS) - len(STATED) >= 500
    forms = Counter(row.form for row in STATED)
    assert len(forms) == 10
    assert min(forms.values()) >= 25
    # No verdict is right by always answering the same.
    sides = Counter(row.verdict for row in LABELLED)
    assert min(sides[0], sides[1]) > 0.3 * len(LABELLED)


def test_no_reply_is_reversed_and_none_is_read_that_states_nothing() -> None:
    wrong = [
        (row, read)
        for row in ROWS
        if (read := read_row(row)) is not None and read not in row.allowed
    ]
    assert not wrong, describe_rows(wrong)


def test_a_verdict_stated_in_its_form_is_read() -> None:
    wrong = [(row, read) for row in STATED if (read := read_row(row)) is None]
    assert not wrong, describe_rows(wrong)


def test_a_failure_says_whether_the_reply_was_empty_cut_off_or_unparsed() -> None:
    rows = [row for row in ROWS if row.why is not None and not row.open]
    wrong = [(row, parse_row(row).failure) for row in rows if parse_row(row).failure != row.why]
    assert not wrong, describe_rows(wrong)
    reasons = [parse_row(row).why for row in rows if row.why == "unparsed"]
    assert all(reasons), "a reply that is unparsed says why"


def test_a_lenient_reading_keeps_what_is_stated_and_reverses_nothing() -> None:
    wrong = [
        (row, read)
        for row in ROWS
        if row.labels
        and (read := read_row(row, lenient=True))
        not in ({row.verdict} if row.verdict is not None else {None, row.lean, row.means})
    ]
    assert not wrong, describe_rows(wrong)


def test_no_stated_reply_cut_anywhere_gives_another_verdict() -> None:
    wrong = [
        (row, read)
        for row in STATED
        for end in range(len(row.reply))
        if (read := read_row(row, row.reply[:end], is_cut=True)) not in (None, row.verdict)
    ]
    assert not wrong, describe_rows(wrong)


@pytest.mark.parametrize("seed", range(SHUFFLES))
def test_no_shuffle_of_the_reasons_reverses_a_verdict(seed: int) -> None:
    rng = random.Random(seed)
    wrong = [
        (row, read)
        for row in STATED
        for reply in _shuffled(row, rng)
        if (read := read_row(row, reply)) not in (None, row.verdict)
    ]
    assert not wrong, describe_rows(wrong)


def test_labels_swapped_everywhere_swap_the_verdict() -> None:
    wrong, unread = [], 0
    rows = [row for row in LABELLED if "\\u" not in row.reply]  # "\\u0041" is an A, escaped
    for row in rows:
        read = read_row(row, _swap_labels(row))
        unread += read is None
        right = {0: 1, 1: 0}.get(row.verdict, row.verdict)
        if re.match(r"\W*\d+(?:\.\d+)?\s+\d", row.reply) and row.form == "two-scores":
            right = row.verdict  # "6 9" names no label
        if read not in (None, right):
            wrong.append((row, read))
    assert not wrong, describe_rows(wrong)
    assert unread < 0.05 * len(rows), f"{unread} of {len(rows)} are read no more"


def _shuffled(row: Row, rng: random.Random) -> Iterator[str]:
    """A row's reply, its sentences in another order but for the one that its form keeps in place."""
    pieces = _SENTENCE_ENDS.split(row.reply.strip())
    if row.kind == "thoughts" or row.is_cut or len(pieces) < 3:
        return  # what leaves a thought is none any more
    first = row.form in ("label-first", "mark-first", "two-scores")
    last = row.form in ("verdict-last", "mark-last")
    reasons = pieces[first : len(pieces) - last]
    rng.shuffle(reasons)
    yield "\n".join([*pieces[:first], *reasons, *pieces[len(pieces) - last :]])


def _swap_labels(row: Row) -> str:
    """A row's reply with each label in place of the other, whole and by its last word."""
    one, other = row.labels[:2]
    last, last_other = (_last_word(label) for label in (one, other))
    swaps = {}
    narrow, narrow_other = (unicodedata.normalize("NFKC", word) for word in (last, last_other))
    for a, b in (
        (one, other),
        (last, last_other),
        (narrow, narrow_other),
        (_widen(narrow), _widen(narrow_other)),
    ):
        swaps |= {a.casefold(): b, b.casefold(): a}
    names = "|".join(re.escape(name) for name in sorted(swaps, key=len, reverse=True))
    # A letter within a word, or "a" as an article, is no label.
    word = r"[^\W_一-龯ぁ-んァ-ン가-힣]"
    pattern = rf"(?<!{word})(?![ab]\s\w)(?i:{names})(?!{word})"
    return re.sub(pattern, lambda match: swaps[match[0].casefold()], row.reply)


def _last_word(label: str) -> str:
    word = label.split()[-1]
    return word if word.isascii() or len(word) == 1 else word[-1]


def _widen(word: str) -> str:
    """A word in full-width letters."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in word)
