"""What a judge said, in words, from the raw text of each way of judging."""

from __future__ import annotations

import json

from core.models import respondent
from pages.components.judge.run_answers import LONGEST, reason
from pages.components.judge.trial import answer_in_words, explain_answer

FAMILY = respondent.Family("rule")
LONGER = respondent.Member(
    FAMILY, "comparisons", lambda name, options: None, help="Prefers the text with more words."
)


REASONS: list[tuple[dict[str, object], str]] = [
    ({"text": "Summary B, as it is shorter."}, "It replied “Summary B, as it is shorter.”."),
    ({"texts": ["A", "B"]}, "It replied “A”, “B”."),
    (
        {"text": "A", "p": {"Summary A": 0.75, "Summary B": 0.25}},
        "It replied “A”. Probabilities: Summary A 0.75, Summary B 0.25.",
    ),
    ({"cos_a": 0.5, "cos_b": 0.75}, "B is nearer to the article: cosine 0.500 of A, 0.750 of B."),
    ({"cos_a": 0.5, "cos_b": 0.5}, "Both are equally near to the article: cosine 0.500 of A, 0.500 of B."),
    # e^-0.693147 = 1/2, e^-1.386294 = 1/4
    ({"logp_a": -0.693147, "logp_b": -1.386294}, "It gives the probability 0.5 to A, 0.25 to B."),
    ({"logp_a": -0.693147, "logp_b": "-inf"}, "It gives the probability 0.5 to A."),
    ({"logp": -6.0, "tokens": 4}, "The mean log-probability of its 4 tokens is -1.500."),
    ({"metric": "bleu", "reference": 1}, "Held against reference 2, by bleu."),
    ({"detail": "context too long"}, "The reason: “context too long”."),
    ({"text": "", "context_cut": 3}, ""),
]  # fmt: skip


def test_each_way_of_judging() -> None:
    for raw, said in REASONS:
        assert reason(json.dumps(raw), "article") == said
    for nothing in ("", "   ", "{}", "[]", "null"):
        assert reason(nothing) in ("", f"It replied “{nothing}”.")
    assert reason("A is better") == "It replied “A is better”."
    assert reason("x" * (LONGEST + 1)) == f"It replied “{'x' * LONGEST} …”."


ANSWERS: list[tuple[dict[str, object], str, str]] = [
    ({"outcome": "a", "prob_a": 0.825}, "coherence: A is better (P that A is better: 0.825).",
     "Its rule: prefers the text with more words."),
    ({"outcome": "tie", "prob_a": None}, "coherence: Neither is better.",
     "Its rule: prefers the text with more words."),
    ({"value": 7.25}, "coherence: the mark is 7.25.", "Its rule: prefers the text with more words."),
    ({"outcome": None, "failure": "unparsed", "raw": '{"text": "Hm."}'}, "coherence: no answer.",
     "unparsed: what the model wrote states none of the answers, or more than one. "
     "Read its replies, then take another “Form of the verdict” or prompt, or a model that "
     "follows it."),
    ({"outcome": None, "failure": "cut-off", "raw": '{"text": "Hm", "detail": "it ends while thinking"}'},
     "coherence: no answer.",
     "cut-off: the model was cut off at its most tokens, before its answer was there. "
     "It ends while thinking. "
     "Raise “Most tokens of a reply”; thoughts of a served model can be switched off by "
     "“Extra JSON”."),
    ({"outcome": None, "failure": "error: OSError: gone"}, "coherence: no answer.",
     "error: OSError: gone: something broke; the rest of the reason says what. "
     "Mend that, then ask again (“Ask again”)."),
]  # fmt: skip


def test_an_answer_and_why() -> None:
    for answer, words, because in ANSWERS:
        full = {"attribute": "coherence", "failure": "", "raw": "", "prob_a": None, **answer}
        assert answer_in_words(full) == words
        assert explain_answer(full, LONGER, "article") == because
