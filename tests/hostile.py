"""Hostile words, by what they would do to somebody who takes them for more than words, and a store
in which every name, text and comment is one of them.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from core.importing import importer
from core.pairing.planning import open_default
from core.records import Attribute, Dataset, Role
from core.store import Store

MARKDOWN = "![x](http://evil.test/m.png) [l](http://evil.test) **b** _i_ `c` <http://evil.test/a>"
HTML = "<img src=x onerror=pwned()><script>pwned()</script></div><style>*{display:none}</style>"
MATH = "$5 and $6, $$x^2$$, \\(y\\), $\\href{javascript:pwned()}{x}$"
SHORTCODE = ":material/home: :red[r] :smile: :streamlit: :blue-badge[b]"
FORMULA = '=HYPERLINK("http://evil.test","x")'
COMMAND = "@SUM(1+1)*cmd|' /C calc'!A0"
PATH = "../../../../evil/x"
BACKSLASHES = "..\\..\\evil\\..\x2e\\con"
TERMINAL = "\x1b[31mred\x1b]0;title\x07 \x9b2J \x08\x7f"
BIDI = "\u202egnp.exe\u202c \u2066x \u200bzero\ufeff"
SQL = "'; DROP TABLE judgements; --\" OR 1=1 /* %_"
TEMPLATE = "{{7*7}} {% raw %} {0.__class__} {text_a} %s %(x)d ${HOME} <%= 1 %>"
LATEX = "\\input{/etc/passwd} \\write18{touch x} #%&_^~{}$ \\end{document}"
VEGA = "datum['x'] + alert(1) \\' || 'a.b[0]\""
PROTOTYPE = "__proto__"

WORDS = {
    name.lower(): word
    for name, word in tuple(globals().items())
    if name.isupper() and isinstance(word, str)
}
"""kind -> words of it."""

NAMES = {kind: word for kind, word in WORDS.items() if kind != "terminal"}
"""Control characters are refused in names."""

MIXED = f"{MARKDOWN} {HTML} {MATH} {SHORTCODE}"
DATASET = f"{MIXED} {TEMPLATE} {SQL}"
CAMPAIGN = f"{SHORTCODE} {MATH} <b>c</b> ![x](http://evil.test/c.png)"
PERSON = "![x](//evil.test/p.png) <img src=x onerror=pwned()> $5 and $6 {0.__class__}"
RATERS = (f"{MIXED} one", f"{FORMULA} two", f"{LATEX} {BIDI} three")
ATTRIBUTES = (f"{MIXED} {LATEX}", f"{COMMAND} {BIDI}")


def rows() -> list[dict[str, object]]:
    """Every two systems on two items, by three raters, who do not always agree."""
    systems = list(NAMES.values())
    return [
        {
            "item": f"{WORDS[kind]} {item}",
            "context": f"{MIXED}\n{TERMINAL}\n{LATEX}",
            "system_a": first,
            "system_b": second,
            "text_a": f"{first} {item} {TERMINAL}",
            "text_b": f"{second} {item} {TERMINAL}",
            "winner": "a" if (place + number * item) % 3 else "b",
            "judge": rater,
            "attribute": ATTRIBUTES[0],
            "comment": f"{FORMULA}\n{MIXED}",
        }
        for item, kind in enumerate(("path", "formula"))
        for place, (first, second) in enumerate(itertools.combinations(systems, 2))
        for number, rater in enumerate(RATERS)
    ]


def marks() -> list[dict[str, object]]:
    """Scores of every text."""
    return [
        {
            "item": f"{WORDS[kind]} {item}",
            "system": system,
            "text": f"{system} {item} {TERMINAL}",
            f"score:{ATTRIBUTES[1]}": (place * 7 + item) % 5,
        }
        for item, kind in enumerate(("path", "formula"))
        for place, system in enumerate(NAMES.values())
    ]


def fill(path: Path) -> None:
    """A new store at this path."""
    votes, scores = path.with_suffix(".votes.jsonl"), path.with_suffix(".scores.jsonl")
    for file, content in ((votes, rows()), (scores, marks())):
        file.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    about = {"instructions": MIXED, "source": HTML, "licence": MARKDOWN}
    nouns = {"context_noun": SHORTCODE, "candidate_noun": MATH}
    with Store(path) as store:
        importer.load(store, [votes, scores], Dataset(DATASET, **about, **nouns))
        more = Attribute(ATTRIBUTES[1], MARKDOWN, f"{MIXED}?", HTML)
        store.datasets.add_attributes(DATASET, [more])
        store.people.add(PERSON, Role.RESEARCHER)
        open_default(store, DATASET)
