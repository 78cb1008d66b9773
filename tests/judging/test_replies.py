"""Replies in ten forms and a dozen languages: none is reversed, cut, shuffled or relabelled."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest

from core.judging import StoredReply, parse_replies
from core.judging.forms import COMPARISON_FORMS, UnparsedReplyError, read_mark, read_verdict
from core.judging.prompts import PROMPTS, labels_of
from core.records import Scale, TandemError
from tests.judging.reply_table import Row, describe_rows, load_replies, parse_row, read_row
from tests.paths import DATASETS

REAL = DATASETS / "mtbench_pairwise" / "sample_judgements" / "gpt-4o-mini"
REAL /= "Llama-3.1-8B-Instruct_vs_Mistral-7B-Instruct-v0.3.jsonl"
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


def test_a_statement_stands_where_the_reply_writes_its_label() -> None:
    forms = ("label-first", "brackets", "verdict-last", "json")
    rows = [row for row in LABELLED if row.form in forms and row.verdict in (0, 1)]
    for row in rows:
        if "\\u" in row.reply:
            continue  # an escaped label has no place of its own
        stated = read_verdict(row.reply, row.labels, row.form, is_cut=row.is_cut)
        word = _fold(_last_word(row.labels[stated.label])).strip("()")
        assert word in _fold(row.reply[stated.start : stated.end]), row
        assert _fold(row.reply[stated.core : stated.end]).startswith(word[:1]), row


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


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_stated_reply_cut_anywhere_gives_another_verdict(step: int) -> None:
    """At every fifth place of each reply, from the first to the fifth on in turn; or at every one."""
    wrong = [
        (row, read)
        for number, row in enumerate(STATED)
        for end in range(number % step, len(row.reply), step)
        if (read := read_row(row, row.reply[:end], is_cut=True)) not in (None, row.verdict)
    ]
    assert not wrong, describe_rows(wrong)


def test_no_shuffle_of_the_reasons_reverses_a_verdict() -> None:
    for seed in range(SHUFFLES):
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


def test_a_reply_that_goes_on_without_end_is_read_all_the_same() -> None:
    for endless in ["\n", " ", "* \n", "[[", "{", "1. ", "hm, ", "Verdict: ", "，"]:
        more = "\n" + endless * (40_000 // len(endless))
        assert read_verdict(f"Summary A.{more}", ("Summary A", "Summary B")).label == 0
        assert read_verdict(f'{{"verdict": "B"}}{more}', ("A", "B"), "json").label == 1
        assert read_mark(f"8{more}", Scale(1, 10)).verdict == 8
        for form in COMPARISON_FORMS:
            with pytest.raises(UnparsedReplyError):
                read_verdict(more, ("Summary A", "Summary B", "Tie"), form, lenient=True)


@pytest.mark.shared
@pytest.mark.skipif(not REAL.exists(), reason=f"{REAL} is not there")
def test_real_judgements_are_read_as_their_publishers_read_them() -> None:
    labels, winners = ("Assistant A", "Assistant B", "Tie"), ("A", "B", "tie")
    judgements = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    for row in judgements:
        for order in ("ab", "ba"):
            reply, winner = row[f"judgment_{order}"], row[f"winner_{order}"]
            assert winners[read_verdict(reply, labels, "brackets").label] == winner
            counts[winner] += 1
            for end in range(0, len(reply), 10):
                with suppress(UnparsedReplyError):
                    part = read_verdict(reply[:end], labels, "brackets", is_cut=True)
                    assert winners[part.label] == winner
            # The same reasons after another label: they are no verdict, whomever they praise.
            reasons = reply[: reply.rindex("[[")]
            for index, label in enumerate(labels[:2]):
                with suppress(UnparsedReplyError):
                    assert read_verdict(f"{label}\n\n{reasons}", labels).label == index
                    counts["label-first"] += 1
            for form in ("label-first", "verdict-last", "json", "strength", "two-scores"):
                with suppress(UnparsedReplyError):
                    lenient = read_verdict(reasons, labels, form, lenient=True).label
                    assert winners[lenient] == winner
    assert counts["A"] + counts["B"] + counts["tie"] == 160
    assert counts["label-first"] >= 300  # of 320


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


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def test_brackets_around_who_loses_state_no_verdict() -> None:
    for reply in [
        "[[A]] is worse.", "[[A]] is clearly the weaker one.", "Worse: [[A]]", "The loser is [[A]].",
        "The worse answer is **[[A]]**.", "I would not choose [[A]].",
        "I cannot in good faith pick [[A]].", "I never give [[A]]", "[[A]] ist schlechter.",
    ]:  # fmt: skip
        with pytest.raises(UnparsedReplyError):
            read_verdict(reply, ("A", "B"), "brackets")
    for reply in [  # behind what the other lacks they do
        "B is worse. [[A]]",
        "B does not cite its source, so: [[A]]",
        "B is weaker.\nMy verdict is [[A]]",
        "I do not agree with B, and its end is worse, hence [[A]]. It is better.",
        "[[A]] is better; B is worse.",
        "The better one is [[A]]",
    ]:
        assert read_verdict(reply, ("A", "B"), "brackets").label == 0


def test_a_list_of_both_states_nothing_whatever_they_are_called() -> None:
    for noun in ("Summary", "Response", "Answer"):
        with pytest.raises(UnparsedReplyError, match="lists another"):
            read_verdict(f"{noun} A\n{noun} B", ("Summary A", "Summary B"))


def test_labels_that_differ_in_case_only_are_told_apart_in_every_form() -> None:
    """tatsu-lab/alpaca_eval#263, #336: the labels are m and M."""
    replies = {
        "label-first": "{}", "brackets": "So [[{}]].", "verdict-last": "So.\nVerdict: {}",
        "json": '{{"verdict": "{}"}}', "strength": "[[{}>>{}]]", "two-scores": "{}: 8\n{}: 6",
    }  # fmt: skip
    assert set(replies) == set(COMPARISON_FORMS)
    for form, reply in replies.items():
        for labels in (("m", "M"), ("Output m", "Output M"), ("a", "A", "Tie")):
            for index, pair in enumerate((labels[:2], labels[1::-1])):
                assert read_verdict(reply.format(*pair), labels, form).label == index
    for same in (("A", "A."), ("**A**", "A"), ("\uff4d", "m")):
        with pytest.raises(TandemError):
            labels_of(PROMPTS["comparative"], same)


# ---- What is kept of a reply, and the part of it that was read; of imported answers, whatever
# they hold


def test_the_part_that_was_read_is_cut_out_of_its_reply() -> None:
    raw = json.dumps({"text": "I think <b>. Verdict: Summary B", "read": [[22, 31]]})
    [reply] = parse_replies(raw).replies
    assert reply.parts == ("I think <b>. Verdict: ", "Summary B", "")
    raw = json.dumps({"texts": ["A", "Hm.", "B"], "read": [[0, 1], None, [0, 1]], "detail": "why"})
    said = parse_replies(raw)
    assert [reply.read for reply in said.replies] == [(0, 1), None, (0, 1)]
    assert said.detail == "why"
    [half] = parse_replies(r'{"text": "\ud83d A", "read": [[2, 3]]}').replies
    assert half.text.encode(), "half a sign can be shown"
    assert half.parts[1] == "A"


def test_what_is_no_place_in_the_reply_marks_nothing() -> None:
    for read in [[[5, 2]], [[0, 99]], [[-1, 1]], [["0", 1]], [[0.0, 1]], [[True, 1]], [[0, 1, 2]], [], [None, None],
     "ab", {"0": 1}, [[[0], 1]]]:  # fmt: skip
        [reply] = parse_replies(json.dumps({"text": "Summary A", "read": read})).replies
        assert reply == StoredReply("Summary A")


def test_who_wrote_nothing_has_no_reply_and_what_tandem_did_not_write_is_one() -> None:
    for raw in ["", "   ", "{}", '{"cos_a": 0.5}', '{"texts": [""]}', '{"text": 3}']:
        assert parse_replies(raw).replies == ()
    for raw in ["A is better", "[1, 2]", "3", "[" * 100_000]:
        assert parse_replies(raw).replies == (StoredReply(raw),)
