"""Hash of a context's words, by which repeats in a data set are found."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONG_CONTEXT = 100
"""Letters from which contexts are the same although numbers and signs in them differ: filled
templates. In shorter ones, such as "What is 2 + 3?", a number is all that is asked.
"""
_PUNCTUATION = re.compile(r"[\s.,;:!?…'\"()\[\]{}“”„‘’«»。，；：！？、（）「」]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def hash_wording(context: str) -> int:
    """Hash the wording of a context: 64 bits, signed, equal for the same words, 0 without any.


    Case, spaces and punctuation never count; in contexts of LONG_CONTEXT letters or more, numbers
    and signs do not either. Stores keep it, so it never changes: another rule takes another column.
    """
    plain = unicodedata.normalize("NFKC", context).casefold()
    letters = "".join(_LETTERS.findall(plain))
    said = letters if len(letters) >= LONG_CONTEXT else _PUNCTUATION.sub("", plain)
    if not said:
        return 0
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) or 1
