"""Parsing: what replies state, from tables of replies and from published ones."""

import gzip
import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.judging.reply_parsing import choice, mark
from tests.paths import DATASETS, ROOT

published = pytest.mark.shared
LABELS = ("Summary A", "Summary B")
WITH_TIE = (*LABELS, "Tie")

# Written by hand: what a reader takes the reply to say.
CHOICES: list[tuple[str, int | None]] = [
    ("Summary A", 0),
    ("summary b", 1),
    ("**Summary B**", 1),
    ('"Summary A"', 0),
    ("A", 0),
    ("(B)", 1),
    ("**B**", 1),
    ("Answer: B", 1),
    ("answer: a", 0),
    ("B.", 1),
    ("[[A]]", 0),
    ("Summary A is better.", 0),
    ("summary a is better because it is short.", 0),
    ("The summary a reader would like is not here.", None),
    ("Summary A or Summary B", None),
    ("Answer: Summary A or Summary B", None),
    ("Answer: A or B", None),
    ("A or B", None),
    ("not Summary A", None),
    ("Neither", None),
    ("neither summary is better", None),
    ("It is not Summary A.", None),
    ("I prefer Summary B over Summary A.", 1),
    ("I'd choose Summary A instead of Summary B", 0),
    ("Summary B is less coherent than Summary A.", 0),
    ("Summary A is worse than Summary B", 1),
    ("Summary A is not better than Summary B.", None),
    ("Summary A is fluent, but Summary B is more coherent.", 1),
    ("While Summary B is more fluent, Summary A is better overall.", 0),
    ("Summary A is better, although Summary B is more fluent.", 0),
    ("Summary A is more coherent, while Summary B is more concise.", None),
    ("Which summary is more coherent, Summary A or Summary B?\nSummary B", 1),
    ("Answer with Summary A or Summary B.\nAnswer: Summary A", 0),
    ("Which summary is more coherent? Answer with Summary A or Summary B.", None),
    ("Summary A:\nThe council met.\n\nSummary B:\nThe mayor spoke.\n\nAnswer: Summary B", 1),
    ("Summary A: The council met.\nSummary B: The mayor spoke.\nSummary B is more coherent.", 1),
    ("Summary A:\nThe council met and", None),
    ("Summary A. Summary B misses the point, while it is fluent.", 0),
    ("A: it is clearer.", 0),
    ("B, because it reads better", 1),
    ("B - it covers more", 1),
    ("Summary A, because unlike Summary B it covers the point.", 0),
    ("The more coherent summary is Summary B.", 1),
    ("Both are good, but Summary A is slightly better.", 0),
    ("Both summaries are equally good.", None),
    ("It's a tie.", None),
    ("I think Summary A", 0),
    ("The answer is B", 1),
    ("The better one is (A).", 0),
    ("I choose a summary that is good.", None),
    ("Between Summary A and Summary B, Summary B is better.", 1),
    ("Summary A is not only shorter but also better.", 0),
    ("<think>Summary A is better</think>Summary B", 1),
    ("<think>Summary A is better", None),
    ("<answer>B</answer>", 1),
    ('{"answer": "Summary B"}', 1),
    ('{"answer": "A"}', 0),
    ("Final verdict: [[B]]", 1),
    ("", None),
    ("I cannot answer that.", None),
    ("As an AI model I have no preference between Summary A and Summary B.", None),
    ("Compared to Summary A, Summary B is more fluent.", 1),
    ("Summary B outperforms Summary A.", 1),
    ("Summary A, with its clear structure, is better.", 0),
    ("Summary A is short, the other is better", None),
    ("Initially I leaned towards Summary A. However, Summary B is more coherent.", 1),
    ("A better summary would mention the mayor.", None),
    ("In my opinion, summary B.", 1),
    ("Summary A and Summary B", None),
    ("Answer: Summary A, Summary B", None),
    ("Summary A\nSummary B", None),
    ("Option B", 1),
    ("I'd say Summary A wins.", 0),
    ("Summary-B", 1),
    ("Summary A > Summary B", None),
    ("The first one", None),
    ("Summary B seems more coherent to me than A.", 1),
    ("I would go with B.", 1),
    ("My choice: A", 0),
    ("Answer: **Summary A**\n\nExplanation: Summary B repeats itself.", 0),
    ("### Answer\nSummary B", 1),
    ("Neither is perfect. Summary B is better.", 1),
    ("Summary B is better. Neither is perfect.", 1),
    ("No, Summary A is better.", 0),
]
WITH_A_TIE_OFFERED: list[tuple[str, int | None]] = [
    ("Tie", 2),
    ("It's a tie.", 2),
    ("Both are equally good.", 2),
    ("equal", 2),
    ("Both summaries are equally coherent.", 2),
    ("Neither summary is better.", 2),
    ("Summary A, Summary B or Tie", None),
    ("There is no difference.", 2),
    ("Answer: tie", 2),
    ("Not a tie: Summary A", 0),
    ("They are not equally good. Summary B is better.", 1),
    ("Summary B", 1),
    ("Summary A or Tie", None),
    ("I'd call it a tie.", 2),
    ("The answer is Tie.", 2),
    ("Both are equally fluent, but Summary A is slightly better.", 0),
    ("Summary A is better, it's not a tie", 0),
    ("Neither", 2),
]
MARKS: list[tuple[str, float, float, float | None]] = [
    ("7", 1, 10, 7),
    ("7/10", 1, 10, 7),
    ("Score: 8.5", 1, 10, 8.5),
    ("I'd give it an 8 out of 10", 1, 10, 8),
    ("7-8", 1, 10, None),
    ("I would say 7 or 8", 1, 10, None),
    ("between 6 and 8, so 7", 1, 10, 7),
    ("2021-05-07", 1, 10, None),
    ("On May 7 it happened", 1, 10, None),
    ("12:30", 1, 60, None),
    ("11", 1, 10, None),
    ("Score: 11", 1, 10, None),
    ("4/5", 1, 10, None),
    ("4/5", 1, 5, 4),
    ("Score: 3.5/5.", 1, 5, 3.5),
    ("85/100", 1, 10, None),
    ("85/100", 1, 100, 85),
    ("80%", 1, 10, None),
    ("Score: 8,5", 1, 10, None),
    ("It scores 7th", 1, 10, None),
    ("Three stars. It covers 2 of 3 points.", 1, 5, 3),
    ("a score of three", 1, 5, 3),
    ("Five", 1, 5, 5),
    ("Eight out of ten", 1, 10, 8),
    ("one of the best summaries, 9", 1, 10, 9),
    ("The article has 5 points and the summary 3.", 1, 10, None),
    ("Rating: 6\nIt misses 2 facts.", 1, 10, 6),
    ("8. The summary misses 2 points", 1, 10, 8),
    ("1. Read the article\n2. Compare\nScore: 4", 1, 5, 4),
    ("On a scale of 1 to 10, I would rate this a 7.", 1, 10, 7),
    ("Score (1-10): 9", 1, 10, 9),
    ("**8**", 1, 10, 8),
    ("- Coherence: 4", 1, 5, 4),
    ('{"score": 9}', 1, 10, 9),
    ("Score: 10/10", 1, 10, 10),
    ("Score: 0.8", 0, 1, 0.8),
    ("Score: -3", -5, 5, -3),
    ("Score: 7. Actually, Score: 6.", 1, 10, 6),
    ("<think>Maybe a 4.</think>6", 1, 10, 6),
    ("The striker has scored 15 goals. Final score: 2", 1, 5, 2),
    ("", 1, 10, None),
    ("I cannot rate this.", 1, 10, None),
]


@pytest.mark.parametrize(("reply", "expected"), CHOICES)
def test_choice(reply, expected):
    assert choice(reply, LABELS) == expected


@pytest.mark.parametrize(("reply", "expected"), CHOICES)
def test_the_other_way_round_it_is_the_other(reply, expected):
    """Labels in the other order: the same words choose the other index, whatever they are."""
    other = choice(reply, LABELS[::-1])
    assert other == (None if expected is None else 1 - expected)


@pytest.mark.parametrize(("reply", "expected"), WITH_A_TIE_OFFERED)
def test_choice_with_a_tie(reply, expected):
    assert choice(reply, WITH_TIE) == expected
    assert choice(reply, LABELS) == (None if expected == 2 else expected), "not offered, no answer"


@pytest.mark.parametrize(
    ("reply", "labels", "expected"),
    [
        ("Output (a)", ("Output (a)", "Output (b)"), 0),
        ("output (b) is better", ("Output (a)", "Output (b)"), 1),
        ("Beta", ("Alpha", "Beta"), 1),
        ("the second summary wins.", ("the first summary wins", "the second summary wins"), 1),
        ("2", ("Text 1", "Text 2"), 1),
        ("Text 1 reads better than Text 2", ("Text 1", "Text 2"), 0),
        ("The better one is Text two", ("Text one", "Text two"), 1),
        ("[[C]]", ("Assistant A", "Assistant B", "[[C]]"), 2),
        ("回答: 要約 B", ("要約 A", "要約 B"), 1),
    ],
)
def test_other_labels(reply, labels, expected):
    assert choice(reply, labels) == expected


@pytest.mark.parametrize(("reply", "low", "high", "expected"), MARKS)
def test_mark(reply, low, high, expected):
    assert mark(reply, low, high) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("9" * 8000, None),
        ("Score: 7." + "3" * 5000, pytest.approx(22 / 3)),
        ("Score: 8.3333333333333333333", pytest.approx(25 / 3)),
        ("8." + "0" * 30 + "%", None),
        (",\n" * 3900 + "Score: 8", 8.0),
        ("1,," * 2600 + "\nScore: 8", 8.0),
    ],
    ids=lambda value: str(value)[:12],
)
def test_marks_of_repetitive_replies(reply, expected):
    """The fuzzer found that some were looked through again from each of their signs."""
    assert mark(reply, 1, 10) == expected


@pytest.mark.parametrize("line", [",\n", ":\n", "<b>,", "-\n", "\n\n--- "])
def test_choices_of_repetitive_replies(line):
    filling = line * (3900 // len(line))
    assert choice(f"{filling}\nAnswer: Summary B", LABELS) == 1
    assert choice(f"Answer: Summary A\n{filling}", LABELS) == 0
    assert choice(filling, LABELS) is None


@pytest.mark.parametrize("line", ["\n", " \n", "\n\n\t"])
def test_hundreds_of_thousands_of_empty_lines_are_read_at_once(line):
    """Until it is stopped a model may write nothing else. Read in squared time this takes minutes,
    and no worker answers meanwhile.
    """
    program = (
        "from core.judging.reply_parsing import choice, mark\n"
        f"filling = {line!r} * {400_000 // len(line)}\n"
        f"assert choice(filling + 'Summary B', {LABELS}) == 1\n"
        "assert mark(filling + '7', 1, 10) == 7\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, cwd=ROOT)


PIECES = [
    "Summary A",
    "Summary B",
    "A",
    "B",
    " is ",
    "better",
    " not ",
    "or",
    ".",
    ",",
    "\n",
    "7",
    "/10",
    "-",
    ":",
    "Tie",
    "**",
    "𐤀",
    "{",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join)))
def test_whatever_it_says_there_is_an_answer_or_none(reply):
    assert choice(reply, LABELS) in (0, 1, None)
    assert choice(reply, WITH_TIE) in (0, 1, 2, None)
    found = mark(reply, 1, 10)
    assert found is None or 1 <= found <= 10


@given(st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_two_labels_are_treated_alike(reply):
    swapped = (
        reply.replace("Summary A", "\0")
        .replace("Summary B", "Summary A")
        .replace("\0", "Summary B")
    )
    if (
        " A " in f" {reply.replace('Summary A', '')} "
        or " B " in f" {reply.replace('Summary B', '')} "
    ):
        return  # a lone A may be an article, a lone B may not
    one, other = choice(reply, LABELS), choice(swapped, LABELS)
    assert other == (None if one is None else 1 - one)


# Replies of published judges, beside what their authors took them to say.


@published
def test_llmbar():
    """source: LLMBar, ChatGPT with the vanilla prompt, 100 instances in both orders: the authors'
    `winner`.
    """
    instances = json.loads(
        (DATASETS / "llmbar/sample_result_Natural_ChatGPT_Vanilla.json").read_text()
    )
    right = 0
    for instance in instances:
        for swap, result in instance["results"][0].items():
            shown_first = choice(result["completion"][0], ("Output (a)", "Output (b)")) == 0
            right += result["winner"] == str(1 if shown_first != (swap == "swap = True") else 2)
    assert right == 200


@published
def test_mtbench():
    """source: gpt-4o-mini's 160 explained verdicts, parsed by the authors from [[A]], [[B]], [[C]];
    then without that mark.
    """
    [path] = DATASETS.glob("mtbench_pairwise/sample_judgements/*/*.jsonl")
    expected, marked, unmarked = [], [], []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        for order in ("ab", "ba"):
            reply = row[f"judgment_{order}"]
            expected.append({"A": 0, "B": 1, "tie": 2}[row[f"winner_{order}"]])
            marked.append(choice(reply, ("Assistant A", "Assistant B", "[[C]]")))
            last = reply.rstrip().rfind("\n")
            unmarked.append(
                choice(
                    reply[:last] if "[[" in reply[last:] else reply, ("Assistant A", "Assistant B")
                )
            )
    assert marked == expected
    found = Counter(zip(unmarked, expected, strict=True))
    assert sum(n for (ours, theirs), n in found.items() if ours not in (None, theirs)) <= 3


@published
def test_chatgpt_head_to_head():
    """source: 8,800 replies of ChatGPT on SummEval; the letter each begins with is its answer."""
    right = 0
    for path in sorted(DATASETS.glob("summeval/chatgpt_h2h/*.result")):
        for line in path.read_text().splitlines():
            reply = json.loads(line)["resp"]
            right += choice(reply, ("Summary A", "Summary B", "Summary C")) == "ABC".index(reply[0])
    assert right == 8800


@published
def test_chatgpt_marks():
    """source: ChatGPT's and GPT-4's marks of SummEval, "Score: N" after a reason or "N stars"
    before one.
    """
    found: Counter[str] = Counter()
    with gzip.open(DATASETS / "summeval/llm_pointwise_raw.jsonl.gz", "rt") as lines:
        for line in map(json.loads, lines):
            if line["method"] != "mcq":
                for reply in filter(str.strip, line["raw"].splitlines()):
                    found[line["method"]] += 1
                    found[f"{line['method']} without"] += (
                        mark(json.loads(reply)["resp"], 1, 5) is None
                    )
    assert (found["rts"], found["stareval"], found["stareval without"]) == (9600, 4800, 0)
    assert found["rts without"] <= 24
