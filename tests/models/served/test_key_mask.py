"""Forms in which a server may repeat a key: by coreutils' base64 and RFC 3986, by hand."""

from __future__ import annotations

from core.models.served.key_mask import mask_key

KEY = "pk_7f+3/a1=c9e5b2d4"
# printf %s KEY | base64; ... | base64 of "user:KEY", "Bearer KEY" and "xy" + KEY
ALONE = "cGtfN2YrMy9hMT1jOWU1YjJkNA=="
OTHERS = [
    "dXNlcjpwa183ZiszL2ExPWM5ZTViMmQ0",
    "QmVhcmVyIHBrXzdmKzMvYTE9YzllNWIyZDQ=",
    "eHlwa183ZiszL2ExPWM5ZTViMmQ0",
]


def test_every_form_is_taken_out() -> None:
    for told, left in [
        (f"no such key: {KEY}, sorry", "no such key: [key], sorry"),
        (f"{KEY} {KEY}", "[key] [key]"),
        ("at /v1?key=pk_7f%2B3%2Fa1%3Dc9e5b2d4&n=1", "at /v1?key=[key]&n=1"),
        ("at /v1?key=pk_7f%2b3%2fa1%3dc9e5b2d4", "at /v1?key=[key]"),
        ("%70k_7f+3/a1=c9e5b2d%34", "[key]"),
        (f"Basic {ALONE} was sent", "Basic [key] was sent"),
        (f"in base64 {ALONE.rstrip('=')}", "in base64 [key]"),
        (f"in base64 {ALONE.replace('+', '-').replace('/', '_')}", "in base64 [key]"),
        *((f"Basic {other}", "Basic [key]") for other in OTHERS),
        (f"Basic {ALONE[:10]}", "Basic [key]"),
        ("the key pk_7f+3/", "the key [key]"),
        ("the key pk_7f+3/a1...", "the key [key]..."),
        ("the key pk_7f+3/a1… is wrong", "the key [key]… is wrong"),
        ("the key pk_7f%2B3%2Fa1%3", "the key [key]"),
        ("the key pk_7f+3/a****", "the key [key]****"),
        ("pk_7f+3/ is not all of it", "pk_7f+3/ is not all of it"),
        ("the key pk_7f+3", "the key pk_7f+3"),  # of 7 characters
        ("100% of 5%", "100% of 5%"),
        ("", ""),
    ]:
        assert mask_key(told, KEY) == left


def test_a_word_that_is_too_short_for_a_key_is_left() -> None:
    text = "EMPTY is no key, dummy"
    assert mask_key(text, "EMPTY") == text
