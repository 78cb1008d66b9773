"""Names that run the other way keep that to themselves."""

from __future__ import annotations

import math

from core.labels import (
    escape_unprintable,
    isolate_directions,
    percent,
    pluralize,
    short_names,
    shorten_judges,
)

OVERRIDE, ISOLATE, END = "\u202e", "\u2068", "\u2069"


DIRECTIONS = [
    ("gpt leads: 72% of 480", "gpt leads: 72% of 480"),
    (f"{OVERRIDE}tpg leads: 72%", f"{ISOLATE}{OVERRIDE}tpg{END} leads: 72%"),
    (f"a{OVERRIDE}b · coherence", f"{ISOLATE}a{OVERRIDE}b{END} · coherence"),
    ("דוד 72% (68 to 76)", f"{ISOLATE}דוד{END} 72% (68 to 76)"),
    # A name cannot end its isolation before its time.
    (f"x{END}{OVERRIDE}y won", f"{ISOLATE}x{OVERRIDE}y{END} won"),
    ("naïve 李雷 é won", "naïve 李雷 é won"),
]


def test_a_name_that_runs_the_other_way_turns_nothing_else_around() -> None:
    for sentence, shown in DIRECTIONS:
        assert isolate_directions(sentence) == shown


def test_what_a_screen_cannot_show_is_seen_to_be_there() -> None:
    assert isolate_directions("a\x1b[31m b\x9b\x7f") == "a\ufffd[31m b\ufffd\ufffd"
    assert escape_unprintable("a\x1b[31m\tb\x9b c\u202e\nd \ud800") == (
        "a\\u001b[31m\tb\\u009b c\\u202e\nd \\ud800"
    )


def test_shares_are_whole_percent_and_never_minus_nothing() -> None:
    assert percent(0.653, 0.6, 0.7) == "65% (95% interval 60 to 70)"
    assert percent(-0.001, math.nan, math.nan) == "0%"
    counted = [pluralize(number, "system") for number in (0, 1, 1200)]
    assert counted == ["0 systems", "1 system", "1,200 systems"]


def test_short_names_stay_apart() -> None:
    sizes = ["meta/llama-3-8b", "meta/llama-3-70b"]
    assert short_names(sizes) == {sizes[0]: "8b", sizes[1]: "70b"}
    long = ["a-name-that-is-much-too-long-1", "b-name-that-is-much-too-long-2"]
    assert short_names(long) == {long[0]: "a-name-…o-long-1", long[1]: "b-name-…o-long-2"}
    ends = ["meta/llama-3-8b-instruct-20250514", "meta/qwen-2-instruct-20250514"]
    assert short_names(ends) == {ends[0]: "llama-3-8b…", ends[1]: "qwen-2…"}
    alike = ["x-name-that-goes-on-20250514", "x-name-that-gave-up-20250514"]
    assert len(set(short_names([*alike, "other"]).values())) == 3
    assert short_names(["alone"]) == {"alone": "alone"}


MODELS = [
    ("local:smollm2-bcc81830|comparative@1|classifier leads", "smollm2 · classifier leads"),
    ("openai:gpt-4o|mine@2|sample|votes:5 (x)", "gpt-4o · sample · votes:5 · mine@2 (x)"),
    ("hf:google/flan-t5-small|comparative@1|classifier", "google/flan-t5-small · classifier"),
    ("baseline:embedding, ada|b have no prompt", "baseline:embedding, ada|b have no prompt"),
    ("openai:q|comparative@1|classifier|at:gpu-1:8000.", "q · classifier."),
    (
        "openai:q|comparative@1|at:gpu-1:8000 and openai:q|comparative@1|at:gpu-2:8000",
        "q · at:gpu-1:8000 and q · at:gpu-2:8000",
    ),
]


def test_a_model_is_called_as_people_do() -> None:
    for text, expected in MODELS:
        assert shorten_judges(text) == expected


def test_models_that_would_be_called_the_same_keep_their_names() -> None:
    text = "hf:a-12345678|comparative@1|classifier and hf:a-12345679|comparative@1|classifier"
    assert shorten_judges(text) == text
