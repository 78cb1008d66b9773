"""Markdown as HTML: CommonMark with tables, strikethrough, code in colours and formulas.

markdown-it-py parses and nh3 cleans. No HTML of the text comes through the parser, so nh3 finds
nothing to take away: it is a second wall. Links and images are named, not made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import MutableMapping, Sequence
from functools import cache, lru_cache
from html import escape, unescape
from typing import Any
from unicodedata import east_asian_width

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from .formulas import add_formulas, render_formula

LONGEST = 100_000
"""Characters of a text; a longer one is shown as it is written."""
STEPS = 10_000
"""Tries of the parser at a place in a text; long answers of chat models take 400. Texts made to
have it go round and round take more, and are shown as they are written. A count gives the same on
each machine, which a clock would not.
"""
TAGGED = 20_000  # tags of a text; browsers take long for more
COLOURED = 12_000
"""Characters of code in a text that are coloured; further code stays in one colour."""
DEEPEST = 24
"""Lists and quotations within each other."""

LONGEST_CODE = 4_000
"""Characters that are coloured at once, as some grammars take the square of their length."""
LANGUAGES = frozenset((
    "bash", "c", "c#", "c++", "clojure", "console", "cpp", "cs", "csharp", "css", "dart",
    "diff", "docker", "dockerfile", "elixir", "erlang", "go", "graphql", "haskell", "html",
    "ini", "java", "javascript", "js", "json", "jsx", "julia", "kotlin", "latex", "lua", "make",
    "makefile", "matlab", "objc", "ocaml", "pascal", "php", "powershell", "prolog", "protobuf",
    "py", "python", "python3", "r", "rb", "ruby", "rs", "rust", "scala", "scheme", "scss", "sh",
    "shell", "sql", "swift", "tcl", "tex", "toml", "ts", "tsx", "typescript", "vbnet", "verilog",
    "xml", "yaml", "yml", "zig", "zsh",
))  # fmt: skip
"""Languages that models write. Some of the five hundred others take very long on code made to slow
them.
"""

Env = MutableMapping[str, Any]


class TooHardError(Exception):
    """A text that Markdown takes too long for, or would hide a part of; says why."""


@lru_cache(maxsize=128)
def render_markdown(text: str) -> str:
    """Render a text as HTML with the tags in `TAGS`. The result depends on the text alone.

    Raises TooHardError where it is longer than LONGEST, takes more than STEPS, has more tags than
    TAGGED, is nested deeper than DEEPEST, or has letters that would not be seen.
    """
    if len(text) > LONGEST:
        raise TooHardError(f"it has more than {LONGEST:,} characters")
    env: Env = {"steps": STEPS, "unseen": []}
    try:
        html = nh3.clean(
            _make_parser().render(text, env),
            tags=set(TAGS),
            attributes=TAGS,
            url_schemes=set(),
            link_rel=None,
        )
    except RecursionError:
        raise TooHardError("it is nested too deep") from None
    if html.count("<") > TAGGED:
        raise TooHardError("it has too many parts")
    _check_seen(text, html, env["unseen"])
    return html


_PLAIN_TAGS = (
    "p", "div", "span", "strong", "em", "s", "br", "hr", "ul", "ol", "li", "blockquote", "pre",
    "code", "table", "thead", "tbody", "tr", "th", "td",
)  # fmt: skip
TAGS = {tag: {"class", "dir"} for tag in _PLAIN_TAGS}
TAGS["div"] |= {"tabindex"}
TAGS["ol"] |= {"start"}
TAGS["span"] |= {"data-formula"}
"""Every tag that comes of Markdown, with what it may have."""


def _check_seen(text: str, html: str, unseen: Sequence[str]) -> None:
    """Check that every letter of the text is on the page. Some rules of Markdown drop what does not
    fit, such as a cell beyond the last column. Raises TooHardError.
    """
    seen = unescape(re.sub(r"<[^<>]*>", "", html)) + "".join(unseen)
    lost = _count_letters(unescape(text)) - _count_letters(seen)
    if lost:
        raise TooHardError("a part of it would not be seen")


def _count_letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalpha, text))


@cache
def _make_parser() -> MarkdownIt:
    """Blocks of HTML and definitions of links are off: what they hold would not be seen. So are
    headings underlined with dashes: models mean a line by them. A line that ends, ends.
    """
    # Deeper than DEEPEST, at which `_count_block` ends it: the parser itself would drop the rest.
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 100})
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline", "reference", "lheading"])
    # No address is followed, so every address is accepted and written as it is in the text.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.normalizeLink = parser.normalizeLinkText = str  # type: ignore[method-assign,assignment]
    parser.block.ruler.before("table", "count", _count_block)
    parser.inline.ruler.before("text", "count", _count_inline)
    parser.inline.ruler.before("autolink", "line_break", _read_line_break)
    parser.inline.ruler.at("emphasis", _read_emphasis)
    parser.core.ruler.push("direct", _direct_blocks)
    add_formulas(parser)
    for name, render in _RENDERED.items():
        parser.add_render_rule(name, render)
    return parser


def _count_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    _count(state.env)
    if state.level > DEEPEST:
        raise TooHardError("it is nested too deep")
    return False


def _count_inline(state: StateInline, silent: bool) -> bool:
    _count(state.env)
    return False


def _count(env: Env) -> None:
    env["steps"] -= 1
    if env["steps"] < 0:
        raise TooHardError("it is too tangled")


_LINE_BREAK = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)


def _read_line_break(state: StateInline, silent: bool) -> bool:
    """The one tag that models write within cells of tables."""
    match = _LINE_BREAK.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
        state.env["unseen"].append(match[0])
    state.pos = match.end()
    return True


def _read_emphasis(state: StateInline, silent: bool) -> bool:
    """Read emphasis as CommonMark does, with an exception for Chinese, Japanese and Korean.

    Asterisks beside signs of these languages need no blanks, as the signs have none around them:
    这是**重点。**所以 (commonmark-spec, issue 650).
    """
    start, marker = state.pos, state.src[state.pos]
    if silent or marker not in "_*":
        return False
    opens, closes, length = state.scanDelims(start, marker == "*")
    before = state.src[start - 1] if start else " "
    after = state.src[start + length : start + length + 1] or " "
    if marker == "*" and (_is_wide(before) or _is_wide(after)):
        opens, closes = not after.isspace(), not before.isspace()
    for _ in range(length):
        token = state.push("text", "", 0)
        token.content = marker
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(marker), length, place, -1, opens, closes))
    state.pos += length
    return True


def _is_wide(sign: str) -> bool:
    return east_asian_width(sign) in "WF"


_DIRECTED = {"paragraph_open", "blockquote_open", "bullet_list_open", "ordered_list_open"}


def _direct_blocks(state: StateCore) -> None:
    """Each outer block runs in the direction of its first letter; what is within goes along, since
    a browser does not look into what has a direction of its own.
    """
    for token in state.tokens:
        if token.type in _DIRECTED and token.level == 0:
            token.attrSet("dir", "auto")
        align = str(token.attrs.pop("style", "")).removeprefix("text-align:")
        if align:
            token.attrSet("class", f"tandem-{align}")


Tokens = Sequence[Token]


def _close_link(self: RendererHTML, tokens: Tokens, at: int, options: Any, env: Env) -> str:
    """The address and title behind the words of a link, where they say more than those."""
    start = at - 1
    while tokens[start].type != "link_open" or tokens[start].level != tokens[at].level:
        start -= 1
    words = "".join(token.content for token in tokens[start:at])
    address, title = (str(tokens[start].attrs.get(name, "")) for name in ("href", "title"))
    said = " ".join(filter(None, (address, title and f"“{title}”")))
    if address.removeprefix("mailto:") == words:
        env["unseen"].append(address)
        said = title
    return f'</span><span class="tandem-address"> ({escape(said)})</span>' if said else "</span>"


def _name_image(self: RendererHTML, tokens: Tokens, at: int, options: Any, env: Env) -> str:
    image = tokens[at]
    env["unseen"] += [str(image.attrs.get(name, "")) for name in ("src", "title")]
    words = self.renderInlineAsText(image.children or [], options, env)
    return f'<span class="tandem-image">[image{escape(f": {words}" if words else "")}]</span>'


def _highlight_code(code: str, language: str) -> str:
    """Code as HTML: of a known language in <span class="tok-...">, else in one piece."""
    if language not in LANGUAGES or len(code) > LONGEST_CODE:
        return escape(code)
    # Imported when it is used: it takes a while, and most texts have no code.
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="tok-")))


def _show_code(self: RendererHTML, tokens: Tokens, at: int, options: Any, env: Env) -> str:
    info = unescape(tokens[at].info).strip()
    language = info.split(maxsplit=1)[0].lower() if info else ""
    source = tokens[at].content
    if language == "math" and source.strip():
        env["unseen"].append(info)
        return render_formula(source.strip(), is_display=True)
    env["coloured"] = env.get("coloured", 0) + len(source)
    language = "" if env["coloured"] > COLOURED else language
    named = f'<span class="tandem-language">{escape(info)}</span>' if info else ""
    code = _highlight_code(source.removesuffix("\n"), language)
    return f'<div class="tandem-code" dir="ltr">{named}<pre><code>{code}</code></pre></div>\n'


def _show_code_in_line(self: RendererHTML, tokens: Tokens, at: int, options: Any, env: Env) -> str:
    return f'<code dir="ltr">{escape(tokens[at].content)}</code>'


_RENDERED = {
    # No heading of the page: those are the page's own, and tell where A and B begin.
    "heading_open": lambda self, tokens, at, options, env: (
        f'<p class="tandem-head tandem-{tokens[at].tag}" dir="auto">'
    ),
    "heading_close": lambda *_: "</p>\n",
    "link_open": lambda *_: '<span class="tandem-link">',
    "link_close": _close_link,
    "image": _name_image,
    "fence": _show_code,
    "code_block": _show_code,
    "code_inline": _show_code_in_line,
    # A table that is wider than its column scrolls, which a keyboard must reach.
    "table_open": lambda *_: '<div class="tandem-grid" dir="auto" tabindex="0"><table>\n',
    "table_close": lambda *_: "</table></div>\n",
}
