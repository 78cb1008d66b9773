"""What Markdown becomes: HTML that shows every letter, fetches nothing, runs nothing, and does not
take for ever.

How rendering broke elsewhere is told by the threads that are named beside the cases.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some
from markdown_it import MarkdownIt

from core.rendering.markdown import FORMULA_TAGS, LONGEST, TooHardError, render_markdown
from core.rendering.markdown.document import LANGUAGES, TAGS
from core.rendering.markdown.formulas import read_formula, render_formula


class Page(HTMLParser):
    """The tags and attributes that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def list_tags(html: str) -> list[str]:
    return [tag for tag, _ in Page(html).tags]


def seen(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


def test_it_means_what_commonmark_means() -> None:
    """The same words in the same tags as markdown-it makes, but headings are paragraphs."""
    plain = MarkdownIt("commonmark", {"html": False, "breaks": True})
    plain.enable(["table", "strikethrough"])
    for text in (
        "a **b** _c_ ~~d~~ `e`", "# one\n\n## two\n\ntext", "- a\n- b\n  - c\n\n1. d\n2. e",
        "> quoted\n> twice", "```python\nprint('x')\n```", "| a | b |\n|---|:-:|\n| 1 | 2 |",
        "one\n\n---\n\ntwo",
    ):  # fmt: skip
        expected = ["p" if tag in ("h1", "h2") else tag for tag in list_tags(plain.render(text))]
        html = render_markdown(text)
        assert [tag for tag in list_tags(html) if tag not in ("div", "span")] == expected
        assert seen(html).split() != []
    # A line of dashes makes no heading of what stands above.
    assert list_tags(render_markdown("words\n---\nmore")) == ["p", "hr", "p"]


def test_how_it_broke_elsewhere() -> None:
    for text, html in (
        # danny-avila/LibreChat 7894, stablyai/orca 13330, sftwrdotdev/Markpad 73, anthropics 33620
        ("R$ 12,29/metro, R$ 15,83", "R$ 12,29/metro, R$ 15,83"),
        ("**$148+ → $19** and ~$1,550", "<strong>$148+ → $19</strong> and ~$1,550"),
        ("from $125K → $108K to $68K-$76K", "from $125K → $108K to $68K-$76K"),
        ("$5 and $6, ($7), $8/$9", "$5 and $6, ($7), $8/$9"),
        # ggml-org/llama.cpp 17462, Mintplex-Labs/anything-llm 1940
        ("one<br>two<BR />three", "one<br>two<br>three"),
        # commonmark/commonmark-spec 650, kirodotdev/KiroCrew 2323
        ("这是**我想做的事。**所以继续", "这是<strong>我想做的事。</strong>所以继续"),
        ("これは**「重要」**です", "これは<strong>「重要」</strong>です"),
        # what looks like a tag is text, and is not lost
        ("List<int> and <think>x</think>", "List&lt;int&gt; and &lt;think&gt;x&lt;/think&gt;"),
        ("<!-- hidden -->", "&lt;!-- hidden --&gt;"),
        # one tilde is "about"
        ("~0.79 to ~300", "~0.79 to ~300"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2<em>3</em>4"),
        ("[a]: http://x.test", "[a]: http://x.test"),  # a definition would vanish
    ):
        found = render_markdown(text).replace("<br>\n", "<br>").strip()
        assert found == f'<p dir="auto">{html}</p>'


def test_formulas_are_found_however_they_are_written() -> None:
    """Open-WebUI, LibreChat and others know one way or the other."""
    for text in (r"\(x^2\)", r"\[x^2\]", "$x^2$", "$$x^2$$", "```math\nx^2\n```"):
        tags = Page(render_markdown(text)).tags
        [tree] = [attrs["data-formula"] for _, attrs in tags if "data-formula" in attrs]
        assert '["msup",{},["mi",{},"x"],["mn",{},"2"]]' in str(tree)


def test_a_root_is_a_sign_and_a_line_over_what_it_is_of() -> None:
    """Browsers without a font for mathematics draw no <msqrt>, and leave x + 1 of it."""
    html = unescape(render_markdown("$\\sqrt{x+1}$ $\\sqrt[3]{y}$"))
    assert "msqrt" not in html
    assert html.count('"\\u221a"') == 2
    assert html.count('["menclose",{"notation":"top"}') == 2
    # Scripts of scripts stay as large as in TeX.
    html = unescape(render_formula("a_{b_{c_{d_{e}}}}", is_display=False))
    assert html.count('["mstyle",{"scriptlevel":"2"}') == 2  # d and e


def test_lines_within_a_formula_are_no_list() -> None:
    html = render_markdown("so\n\\[\na\n- b\n= c\n\\]\nthen")
    assert not {"ul", "li", "hr"} & set(list_tags(html))
    assert seen(html).split() == ["so", "a", "-", "b", "=", "c", "then"]


def test_what_is_no_formula() -> None:
    """And one that nobody can read stays LaTeX."""
    for source in ("$5 and $6", "$ x$", "$x $", "a$x$", "$x$1", "\\$x$", "$$$$"):
        assert read_formula(source, source.index("$")) is None
    text = "$" + "{" * 100 + "x" + "}" * 100 + "$"
    html = render_markdown(text)
    assert "data-formula" not in html
    assert seen(html).strip() == text.strip("$")


HOSTILE = {
    "link": "[x](javascript:pwned()) [y](http://evil.test 'title') <javascript:pwned()>",
    "image": "![x](http://evil.test/x.png) ![y](data:image/svg+xml;base64,PHN2Zz4=)",
    "image in link": "[![x](http://evil.test/x.png)](javascript:pwned())",
    "html": "<img src=x onerror=pwned()><script>pwned()</script><style>*{display:none}</style>",
    "quotes": '[x](http://evil.test/"onmouseover="pwned()) `"><img src=x onerror=pwned()>`',
    "code": '```"><script>pwned()</script>\n<img src=x onerror=pwned()>\n```',
    "fence": "````python onclick=pwned()\nx",
    "table": "| <svg onload=pwned()> |\n|---|\n| <iframe src=//evil.test> |",
    "entities": "&lt;img src=x onerror=pwned()&gt; &#60;script&#62;pwned()&#60;/script&#62;",
    "formula": r"$\href{javascript:pwned()}{x}$ \(\text{<img src=x onerror=pwned()>}\)",
    "formula's style": r"$\style{background:url(//evil.test)}{x} \class{tandem-side-a}{y}$",
    "way out": "</div></section></details>\n\n</div>\n<h1>out</h1>",
    "bidi": "a \u202eoverride\u202c \u2066isolated\u2069 \u200bzero",
    "nul": "a\0b \x1b[31m",
}


def test_nothing_leads_anywhere_or_runs(subtests: pytest.Subtests) -> None:
    for name, text in HOSTILE.items():
        with subtests.test(name):
            check_safe(render_markdown(text))


def check_safe(html: str) -> None:
    """Only tags that show words, and on them only what looks: no address, style, event or name."""
    for tag, attributes in Page(html).tags:
        assert tag in TAGS
        assert set(attributes) <= {"class", "dir", "tabindex", "start", "data-formula"}
        classes = (attributes.get("class") or "").split()
        assert all(name.startswith(("tandem-", "tok-")) for name in classes)
        assert not any(name.startswith("tandem-side") for name in classes)
        tree = attributes.get("data-formula") or "[]"
        assert not re.search('"(href|style|class|id|on[a-z]*|src|actiontype)":', tree)
        assert set(re.findall(r'\["(\w+)",\{', tree)) <= FORMULA_TAGS


@given(some.text(alphabet="ab1 \n\t*_`#>|-+.~$\\[]()<>!&;:\"'=/{}^éא中", max_size=200))
def test_every_letter_of_any_text_is_seen_or_it_is_refused(text: str) -> None:
    try:
        html = render_markdown(text)
    except TooHardError:
        return
    check_safe(html)
    lost = Counter(filter(str.isalpha, unescape(text))) - Counter(seen(html))
    assert sum(lost.values()) <= sum(map(len, re.findall(r"!\[[^\]]*\]\([^)]*\)|<br", text)))


def test_a_cell_beyond_the_last_column_is_not_lost() -> None:
    """GFM drops it, and with it what somebody wrote."""
    with pytest.raises(TooHardError):
        render_markdown("| a |\n|---|\n| b | hidden |")


BOMBS = {
    # Python-Markdown 798, markdown-it 583, 732 and 734, pandoc 1735
    "brackets": "[" * 90_000,
    "links": "[](" * 20_000,
    "more links": "[]((" * 20_000,
    "images": "![" * 40_000,
    "emphasis": "*_" * 40_000,
    "quotations": ">" * 5_000,
    "lists": "1. " * 5_000,
    "tags": "<a " * 30_000,
    "formulas": "\\(" * 40_000,
    "length": "word " * 200_000,
}


def test_bombs_are_refused(subtests: pytest.Subtests) -> None:
    for name, text in BOMBS.items():
        with subtests.test(name), pytest.raises(TooHardError):
            render_markdown(text)


LARGE = {
    "unclosed fences": "```\n" * 20_000,
    "blocks of formulas": "\\[\n" * 30_000,
    "backticks": "".join("`" * n + " " for n in range(400)),
    "tildes": "~" * 90_000,
    "rows": "|a|b|\n|-|-|\n" + "|c|d|\n" * 1_500,
    "many formulas": "$\\frac{a}{b}$ " * 5_000,
    "much code": "```c\n" + "\n" * 40_000 + "```\n" * 9,
    "prose": "Lorem ipsum dolor sit amet, " * 3_500,
}


def test_what_is_merely_large_is_shown_or_refused(subtests: pytest.Subtests) -> None:
    for name, text in LARGE.items():
        with subtests.test(name), suppress(TooHardError):
            assert len(text) <= LONGEST
            assert Counter(seen(render_markdown(text)))["a"] >= text.count("a")


def test_code_is_coloured_and_stays_as_it_is() -> None:
    code = "def f(x):\n    return x < 1  # '&'\n"
    html = render_markdown(f"```python\n{code}```")
    assert code.strip() in seen(html)
    assert ("span", {"class": "tok-k"}) in Page(html).tags
    unknown = render_markdown(f"```klingon\n{code}```")
    assert code.strip() in seen(unknown)
    assert "tok-" not in unknown
    from pygments.lexers import get_lexer_by_name

    assert all(get_lexer_by_name(language) for language in LANGUAGES)


def test_each_block_runs_in_its_own_direction() -> None:
    html = render_markdown("مرحبا\n\nhello\n\n- שלום\n\n| a |\n|---|\n| ب |\n\n> ب\n\n`x = 1`")
    directed = [(tag, a["dir"]) for tag, a in Page(html).tags if "dir" in a]
    assert directed == [
        *(("p", "auto"), ("p", "auto"), ("ul", "auto"), ("div", "auto"), ("blockquote", "auto")),
        *(("p", "auto"), ("code", "ltr")),
    ]


SHOWN = (
    *(r"\frac{a}{b}", r"\sqrt[3]{x+1}", r"\sum_{i=1}^{n} x_i", r"\int_0^\infty e^{-x^2}\,dx"),
    *(r"\alpha\le\Gamma", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\text{if } x>0"),
    *(r"\begin{align*}a&=b\\c&=d\end{align*}", r"\begin{cases}1&x>0\\0&\text{else}\end{cases}"),
    *(r"\begin{array}{c|c}a&b\\\hline c&d\end{array}", r"a\equiv b\pmod{n}", r"\mathbb{R}^n"),
    *(r"\left(\tfrac12\right)", r"\boxed{42}", r"50\%", r"\lim_{x\to 0}\frac{\sin x}{x}"),
    *(r"\operatorname{argmax}_x", r"\xrightarrow{f}", r"\{1,2\}", r"90^\circ", r"a \not= b"),
    *(r"\$5", r"\underbrace{a+b}_{n}", r"\|x\|", r"\bigl(x\bigr)", r"\tag{1} x", r"\mathcal{L}"),
)
HIDING = (
    *(r"\phantom{w}", r"\hphantom{w}", r"\vphantom{w}", r"\class{c}{w}", r"\href{u}{w}"),
    *(r"\rlap{w}x", r"\llap{w}", r"\mathrlap{w}", r"\clap{w}", r"\smash{w}", r"\color{white}{w}"),
    *(r"\color{white}w", r"\textcolor{white}{w}", r"\colorbox{black}{w}", r"\raise{1em}{w}"),
    *(r"w\hspace{-5em}x", r"w\kern-5em x", r"w\mkern-50mu x", r"w\!\!x", r"w\negthinspace x"),
    *(r"\rule{5em}{5em}w", r"\mathchoice{a}{b}{c}{w}", r"\htmlClass{c}{w}", r"\includegraphics{w}"),
    *(r"\def\x{w}x", r"\newcommand{\x}{w}x", r"\let\x=w", r"\tiny w", r"\scriptscriptstyle w"),
    *(r"\style{display:none}{w}", r"\unicode{x202e}w", r"\verb|w|", r"\label{w}x", r"\cancel{w}"),
    *(
        "x % w",
        "\\\\% w",
        r"\text{%w}",
        r"\text{&#x202e;ab}",
        r"\text{&rlm;ab}",
        r"\enclosecircle w",
    ),
    *(r"\begin{comment}w\end{comment}", r"\begin{matrix}a&b\\w&\end{matrix}", r"\moveleft 5em w"),
    *(r"\sideset{w}{}x", r"\skew{5}{w}{x}", r"\genfrac{}{}{0pt}{}{w}{x}", r"\vcenter{w}"),
    r"\hbox{w}",
)


def test_formulas_of_answers_are_set_and_those_that_hide_words_are_shown_as_written() -> None:
    """Judges read what stands there, so people must see it, too."""
    for is_display in (False, True):
        for latex in (*SHOWN, *HIDING):
            is_set = "data-formula" in render_formula(latex, is_display=is_display)
            assert is_set == (latex in SHOWN), latex
        assert seen(render_formula(HIDING[0], is_display=is_display)) == HIDING[0]
