"""What is kept of a reply, and the part of it that was read; of imported answers, whatever they hold."""

from __future__ import annotations

import json

from core.judging import StoredReply, parse_replies


def test_the_part_that_was_read_is_cut_out_of_its_reply() -> None:
    raw = json.dumps({"text": "I think <b>. Verdict: Summary B", "read": [[22, 31]]})
    [reply] = parse_replies(raw).replies
    assert reply.parts == ("I think <b>. Verdict: ", "Summary B", "")


def test_each_sampled_reply_has_its_own_part() -> None:
    raw = json.dumps({"texts": ["A", "Hm.", "B"], "read": [[0, 1], None, [0, 1]], "detail": "why"})
    said = parse_replies(raw)
    assert [reply.read for reply in said.replies] == [(0, 1), None, (0, 1)]
    assert said.detail == "why"


def test_what_is_no_place_in_the_reply_marks_nothing() -> None:
    for read in [[[5, 2]], [[0, 99]], [[-1, 1]], [["0", 1]], [[0.0, 1]], [[True, 1]], [[0, 1, 2]], [], [None, None],
     "ab", {"0": 1}, [[[0], 1]]]:  # fmt: skip
        [reply] = parse_replies(json.dumps({"text": "Summary A", "read": read})).replies
        assert reply == StoredReply("Summary A")


def test_who_wrote_nothing_has_no_reply() -> None:
    for raw in ["", "   ", "{}", '{"cos_a": 0.5}', '{"texts": [""]}', '{"text": 3}']:
        assert parse_replies(raw).replies == ()


def test_what_tandem_did_not_write_is_itself_the_reply() -> None:
    for raw in ["A is better", "[1, 2]", "3", "[" * 100_000]:
        assert parse_replies(raw).replies == (StoredReply(raw),)


def test_half_a_sign_can_be_shown() -> None:
    [reply] = parse_replies(r'{"text": "\ud83d A", "read": [[2, 3]]}').replies
    assert reply.text.encode()
    assert reply.parts[1] == "A"
