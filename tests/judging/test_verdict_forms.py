"""Replies as judges really write them, each form with its verdict first, last, quoted, conceded,
contradicted and cut: none is reversed, and what is unclear is unparsed.
"""

from itertools import product

import pytest

from core.failures import CUT_OFF, UNPARSED
from core.judging.judges.readings import read_reply
from core.judging.reply_parsing import choice
from core.models.thoughts import strip_thoughts

LABELS = ("Summary A", "Summary B")

# What a reply says besides: each concedes something to the other text, here to B.
REASONS = (
    "Summary B is more concise and reads better, though it leaves out the vote.",
    "Summary B is better written. Summary B is more fluent.",
    "B has the stronger opening, and I like B for its style.",
    "At first glance Summary B seems better.",
    "Summary A is less fluent, and Summary B is more vivid.",
    "Some readers may prefer Summary B over Summary A.",
)
FIRST = (
    "Summary A\n\nReason: {reason}",
    "Summary A. {reason}",
    "**Summary A**\n\n{reason}",
    "A\n\n{reason}",
    "[[A]]\n{reason}",
    "Verdict: A\n{reason}",
    "Answer: Summary A\n\n{reason}",
    "**Winner:** Summary A\n\n{reason}",
    "My choice is Summary A.\n{reason}",
    '{{"verdict": "Summary A", "reason": "{reason}"}}',
    '{{\n  "winner": "A",\n  "explanation": "{reason}"\n}}',
    '```json\n{{"answer": "A", "reason": "{reason}"}}\n```',
    "<answer>A</answer>\n{reason}",
)
LAST = (
    "{reason}\n\nVerdict: A",
    "{reason}\nFinal answer: Summary A",
    "{reason} [[A]]",
    "{reason}\n\n**Final verdict:** [[A]]",
    "{reason}\n\nWinner: Summary A",
    '{{"reason": "{reason}", "verdict": "Summary A"}}',
    'Here it is:\n```json\n{{\n "reason": "{reason}",\n "verdict": "A"\n}}\n```',
    "{reason}\n<verdict>Summary A</verdict>",
    "{reason} \\boxed{{A}}",
)
THOUGHTS = (
    "<think>{reason}</think>",
    "<think>\n{reason}\n</think>\n\n",
    "{reason}</think>",
    "<thinking>{reason}</thinking>",
    "<reasoning>{reason}</reasoning>",
    "<thought>{reason}</thought>",
    "<seed:think>{reason}</seed:think>",
    "[THINK]{reason}[/THINK]",
    "◁think▷{reason}◁/think▷",
    "<|channel|>analysis<|message|>{reason}<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|channel|>analysis<|message|>{reason}<|end|>",
    "analysisWe compare. {reason}assistantfinal",
)
OPEN = tuple(
    mark for mark in ("<think>", "<thinking>", "<reasoning>", "<thought>", "<seed:think>",
                      "[THINK]", "◁think▷", "<|channel|>analysis<|message|>", "analysisWe say: ")
)  # fmt: skip


def mirrored(text: str) -> str:
    """The same with the other text's name everywhere."""
    names = (("Summary A", "\0"), ("Summary B", "Summary A"), ("\0", "Summary B"))
    for old, new in names:
        text = text.replace(old, new)
    swapped = {"A": "B", "B": "A"}
    words = []
    for place, sign in enumerate(text):
        around = text[place - 1 : place] + text[place + 1 : place + 2]
        alone = sign in swapped and not any(one.isalnum() for one in around)
        named = text[:place].endswith("Summary ")
        words.append(swapped[sign] if alone and not named else sign)
    return "".join(words)


STATED = [form.format(reason=reason) for form, reason in product(FIRST + LAST, REASONS)]
THOUGHT = [
    thought.format(reason=reason) + "Summary A" for thought, reason in product(THOUGHTS, REASONS)
]


@pytest.mark.parametrize("reply", STATED + THOUGHT)
def test_what_is_stated_is_not_overturned(reply):
    assert choice(reply, LABELS) == 0
    assert choice(mirrored(reply), LABELS) == 1


@pytest.mark.parametrize("reply", STATED + THOUGHT)
def test_cut_anywhere_it_is_never_the_other(reply):
    for end in range(len(reply)):
        read = read_reply(reply[:end], LABELS, is_cut=True)
        assert read.label in (0, None)
        assert read.label == 0 or read.failure == CUT_OFF


@pytest.mark.parametrize(("mark", "reason"), product(OPEN, REASONS))
def test_a_thought_without_end_is_no_answer(mark, reason):
    read = read_reply(mark + reason, LABELS)
    assert (read.label, read.failure) == (None, CUT_OFF)
    assert strip_thoughts(mark + reason) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "[[A]] at first, but finally [[B]]",
        "Verdict: A\nVerdict: B",
        "Summary A\n\nOn second thought, Summary B.",
        "Verdict: A. Wait, I misread them. Summary B is right.",
        "Summary A. It is short. Therefore Summary B is better.",
        '{"verdict": "A"} {"verdict": "B"}',
        "Verdict: tie",
        "[[C]]",
        "[[7]]",
        '{"verdict": "neither"}',
        '{"reason": "Summary A is better"}',
        "A: 6 / B: 6",
        "A: 6",
        "A: fluency 6, detail 7 / B: fluency 8, detail 2",
        "Errors: A: 3 / B: 1",
        "Summary A is more concise. Summary B is more detailed.",
        "[[A or B]]",
        "Answer: A or B",
    ],
)
def test_what_is_unclear_is_unparsed_and_it_is_said(reply):
    for text in (reply, mirrored(reply)):
        read = read_reply(text, LABELS)
        assert (read.label, read.failure) == (None, UNPARSED)
        assert read.why


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("A: 6 / B: 9", 1),
        ("Summary A: 6/10\nSummary B: 9/10", 1),
        ("Summary A - Score: 8\nSummary B - Score: 3", 0),
        ('{"A": 6, "B": 9}', 1),
        ('{"score_a": 9, "score_b": 6}', 0),
        ("Initial answer: A\nFinal answer: B", 1),
        ('Use "[[A]]" if Summary A is better, "[[B]]" if Summary B is better.\n[[B]]', 1),
        ('Summary A\n\nIt says "Answer: B" in the text.', 0),
        ("Ｖｅｒｄｉｃｔ：Ａ", 0),
        ("Coherence winner: A\nOverall winner: B", 1),
        ('{"winner": "summary_b"}', 1),
        ("Worse: Summary A", 1),
        ("Loser: B", 0),
        ("The rejected one: Summary A.", 1),
    ],
)
def test_other_ways_to_state_it(reply, label):
    assert choice(reply, LABELS) == label
