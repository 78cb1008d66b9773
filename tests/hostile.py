"""Hostile words by what they would do, and a store in which every name, text and comment is one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.access import Claim, CrowdTerms, authorize, open_crowd
from core.campaigns import Design, crowd
from core.importing import importer
from core.judging.judge import Judge
from core.pairing import open_default
from core.pairing.planning import Request, enqueue
from core.records import Answer, Attribute, Dataset, JudgeSpec, Kind, Outcome, Question, Role
from core.runs import execution
from core.store import Campaign, Store

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


def marked(kind: str) -> str:
    """Words of every sort for one kind of input, by whose name they are found wherever it goes."""
    return (
        f"=HYPERLINK('http://{kind}.test') ![x](http://{kind}.test/m.png) [l](//{kind}.test) "
        f"<img src=//{kind}.test/x onerror=pwned('{kind}.test')><script>pwned('{kind}.test')"
        f"</script> $5 and {kind}.test$ :red[{kind}.test] :material/home: {{{{7*7}}}} {{0.__class__}} "
        f"'; DROP TABLE {kind}.test; -- \\input{{{kind}.test}} datum['{kind}.test'] \u202eeurt"
    )


CANDIDATE, CONTEXT, COMMENT, REPLY, PROMPT, REASON, MESSAGE, FILE = map(
    marked, ("candidate", "context", "comment", "reply", "prompt", "reason", "message", "file")
)
FILE_NAME = f"{FILE.replace('/', '_')[:180]}\n\x1b[31m"
"""As a file on a disk may be called."""
DATASET = f"{MIXED} {TEMPLATE} {SQL}"
QUESTION = (
    "![x](//question.test/p.png) [l](//question.test) <img src=//question.test/x onerror=pwned()> "
    "$5 and question.test$ :red[question.test] {{7*7}} {0.__class__}"
)
"""As somebody may ask it before the first pair: they are shorter than other words."""
PANEL = CrowdTerms(code="$5 :red[c] <b>done</b>", before=(f"{QUESTION} | text",))
ITEM_SET = ":material/home: $5 and $6 <b>s</b> ![x](//evil.test/s)"
CAMPAIGN = ":material/home: $5 and $6 <b>c</b> ![x](//evil.test/c)"
PERSON = "![x](//evil.test/p.png) <img src=x onerror=pwned()> $5 and $6 {0.__class__}"
RATERS = (f"{MIXED} one", f"{FORMULA} two", f"{LATEX} {BIDI} three")
ATTRIBUTES = (f"{MIXED} {LATEX}", f"{COMMAND} {BIDI}")


def rows() -> list[dict[str, object]]:
    """Every two systems on two items, by three raters, who do not always agree."""
    systems = list(NAMES.values())
    return [
        {"item": f"{WORDS[kind]} {item}", "system_a": first, "system_b": second, "judge": rater,
         "context": f"{CONTEXT}\n{MIXED}\n{TERMINAL}\n{LATEX} {item}",
         "text_a": text(first, item), "text_b": text(second, item),
         "winner": "a" if (place + number * item) % 3 else "b", "attribute": ATTRIBUTES[0],
         "comment": f"{COMMENT}\n{MIXED}", "raw": f"{REPLY}\n{TERMINAL}"}
        for item, kind in enumerate(("path", "formula"))
        for place, (first, second) in enumerate(itertools.combinations(systems, 2))
        for number, rater in enumerate(RATERS)
    ]  # fmt: skip


def text(system: str, item: int) -> str:
    """What a system wrote."""
    return f"{system} {item} {CANDIDATE} {TERMINAL}"


def marks() -> list[dict[str, object]]:
    """Scores of every text."""
    return [
        {"item": f"{WORDS[kind]} {item}", "system": system, "text": text(system, item),
         f"score:{ATTRIBUTES[1]}": (place * 7 + item) % 5}
        for item, kind in enumerate(("path", "formula"))
        for place, system in enumerate(NAMES.values())
    ]  # fmt: skip


class Talker(Judge):
    """A language model whose replies are hostile."""

    spec = JudgeSpec("talker", Kind.LLM, "talker:test")

    def load(self) -> None:
        pass

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        said = f"{REPLY}\n{TERMINAL}"
        return [
            Answer(failure=f"server: {REPLY[:200]}")
            if place % 7 == 1
            else Answer(Outcome.A, raw=said)
            for place, _ in enumerate(questions)
        ]


def fill(path: Path) -> None:
    """A new store at this path."""
    votes = path.with_name(f"{FILE_NAME}.jsonl")
    scores = path.with_suffix(".scores.jsonl")
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
        _work(store)


def _work(store: Store) -> None:
    """A campaign with hostile words, its crowd, an exclusion, a message, an item set, a run."""
    (default,) = store.campaigns.list_all(DATASET)
    design = replace(Design.from_stored(default.design), reasons=(REASON, "clear"))
    store.campaigns.edit(default.id, name=CAMPAIGN, design=design.to_stored(), overlap=1)
    store.messages.send(default.id, MESSAGE, by=PERSON)
    _come_by_panel(store, default)
    items = store.datasets.items(DATASET)["item"]
    store.item_sets.save(DATASET, ITEM_SET, items, search={}, by_answers=False, by=PERSON)
    rater = store.people.spelling(RATERS[2])
    store.exclusions.add(DATASET, rater, reason=REASON, by=PERSON)
    store.exclusions.lift(DATASET, rater, by=PERSON)
    asked = Request(DATASET, strategy="random", budget=4, attributes=ATTRIBUTES[:1])
    execution.execute(store, enqueue(store, Talker.spec, asked), by=Talker())


def _come_by_panel(store: Store, campaign: Campaign) -> None:
    """Two participants of a panel, of whom one answered the question before the first pair."""
    link = open_crowd(store, PERSON, campaign, PANEL)
    for identity in ("p2", "p1"):
        address = (("PROLIFIC_PID", identity), ("SESSION_ID", COMMENT[:200]))
        claim = Claim(crowd=link.code, parameters=address)
        come = authorize(store, claim, Role.ANNOTATOR).crowd
        assert come
        assert crowd.begin(store, come, "")
    come = authorize(store, claim, Role.ANNOTATOR).crowd
    assert come
    crowd.answer_questionnaire(store, come, "before", {QUESTION: COMMENT})
