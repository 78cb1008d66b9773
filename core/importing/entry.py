"""Entries: the content of one row of a file, in the fields that all layouts share.

An entry is a dictionary with `sort` and some of the fields below. Values are the cells of
the file: what they mean (who won, when, which item, which sample) is decided for the whole file,
once all of it lies in the staging table.

Fields of every entry but DROPPED
    item          its name; '' = its context identifies the item, or else its row
    context       the text that generations are about; '' = the file has none
    reference     a text, or a list of them
    subset        the part of the data set
    family        what the item repeats in other items: a prompt, a document, a template
    named_by      the text whose digest names an item without a name (default: the context)
    fallback_item the name of an item that has none and whose context is not known yet
    older_item    what older stores call the item, where they have it

TEXT: system, text (None = not available), sample, base (the model behind the system), unique (not
    None: the file brings this sample once; says what to do where it comes again)

SCORE: system, sample, attribute, judge, judge_kind, judge_model, judge_prompt, value (a number, or

    what the cell has instead), trial, failure (why there is no number), raw, text (the one that was
    scored, where it tells the sample)

VOTE: system_a, system_b, text_a, text_b, sample_a, sample_b, length_a, length_b (characters of a
    text that the file does not have), attribute, judge, judge_kind, judge_model, judge_prompt, and
    who won: `outcome` (an Outcome, or None for a reply that could not be read) or `winner` (a word,
    name, number or text that the whole column explains).
    Besides: failure (why nobody answered), prob_a, strength, confidence, comment, seconds, raw,
    text_format (how the texts were shown), created_at, order_known (default True), shown_first,
    swapped, place_hint, times (so many votes that say the same; default 1), once (True: the same
    vote further down says nothing new)

Samples: a number; None = by its text: the number of that text among the different texts of its
system on its item; IN_ORDER = the next number in the order of the file. Trials: a number; IN_ORDER
= the next of this rater on this text.
"""

from __future__ import annotations

from typing import Any

ITEM, TEXT, VOTE, SCORE, DROPPED = "item", "text", "vote", "score", "dropped"
IN_ORDER = -1

Entry = dict[str, Any]


def is_score(value: object) -> bool:
    """Return whether a cell holds a score at all: an empty cell or NaN does not."""
    return value is not None and str(value).strip().casefold() not in ("", "nan")
