"""Formulas of LaTeX: found in Markdown, and written as MathML, which browsers set themselves.

A page gets the tree as data, and its script makes the elements that are named here (`TAGS`): the
framework's own HTML takes none of MathML. Where there is no script, the LaTeX is read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from html import escape, unescape
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from latex2mathml.symbols_parser import convert_symbol
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

LONGEST_FORMULA = 2_000  # characters
DEEPEST_FORMULA = 40  # braces within braces, or elements within elements
MOST = 200  # formulas of a text that are set; further ones are read as LaTeX
CLOSING = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
TAGS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msub",
    "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle",
    "mpadded", "menclose", "mmultiscripts", "mprescripts", "none",
))  # fmt: skip
ROOTS = frozenset(("msqrt", "mroot"))
SCRIPTED = frozenset(("msub", "msup", "msubsup", "munder", "mover", "munderover"))
ATTRIBUTES = frozenset((
    "display", "displaystyle", "scriptlevel", "stretchy", "fence", "form", "separator",
    "lspace", "rspace", "minsize", "maxsize", "movablelimits", "accent", "accentunder",
    "mathvariant", "linethickness", "columnalign", "rowspacing", "columnspacing", "width",
    "height", "depth", "notation",
))  # fmt: skip
"""What of MathML a page makes. None of it names an address, a style or an event."""
CLASSES = ("tandem-formula", "tandem-display")
_SPELLED = """
    frac dfrac tfrac cfrac binom dbinom tbinom over choose sqrt overset underset stackrel text
    textbf textit textrm textsf texttt textnormal textup mbox operatorname tag boxed mathbb mathbf
    mathcal mathfrak mathit mathrm mathscr mathsf mathtt boldsymbol bm rm bf it cal left right
    middle hline cr nonumber notag substack limits nolimits displaystyle textstyle quad qquad
    enspace space not hat widehat bar vec dot ddot tilde widetilde check breve acute grave
    mathring overline underline overbrace underbrace overrightarrow overleftarrow
    overleftrightarrow xrightarrow xleftarrow bra ket braket sin cos tan cot sec csc sinh cosh
    tanh coth arcsin arccos arctan exp ln log lg det gcd dim deg ker hom Pr lim limsup liminf sup
    inf max min argmax argmin mod bmod pmod pod
"""
_SIZES = (f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", *"lmr"))
COMMANDS = frozenset((*_SPELLED.split(), *_SIZES))
"""Commands that show all that they are given, beside those for a single sign, such as \\alpha. A
formula with another one, such as \\phantom, would hide words, so its LaTeX is read.
"""
_COMMAND = re.compile(r"\\([A-Za-z]+|[\s\S])")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\s*\{(?:align|aligned|array|cases|gathered|split|smallmatrix|[pbBvV]?matrix)"
    r"\*?\}(?:\{[lcr| ]*\})?"
)
_HIDING = re.compile(r"%|&#|&\w+;")  # comments, and signs by their numbers or names
SMALLEST = 2  # level of scripts, as in TeX; further ones are no smaller


def read_formula(source: str, start: int) -> tuple[str, str, int] | None:
    r"""Return the delimiter, the LaTeX and the end of the formula that begins at `start`, or None.

    A single dollar is a price if a letter or digit is on its outer side, or a blank on its inner:
    "$5 and $6", "R$ 12", "from $60K-$76K".
    """
    two = source[start : start + 2]
    opening = two if two in CLOSING else source[start : start + 1]
    if opening not in CLOSING or _is_escaped(source, start):
        return None
    begin = start + len(opening)
    end = _find_closing(source, CLOSING[opening], begin)
    if end < 0:
        return None
    latex, after = source[begin:end], end + len(CLOSING[opening])
    if not latex.strip() or "\n\n" in latex:
        return None
    if opening == "$":
        outside = source[start - 1 : start] + source[after : after + 1]
        inside = latex[0] + latex[-1]
        if any(map(str.isalnum, outside)) or any(map(str.isspace, inside)):
            return None
    return opening, latex, after


def _is_escaped(source: str, at: int) -> bool:
    return at > 0 and source[at - 1] == "\\" and source[at] == "$"


def _find_closing(source: str, closing: str, begin: int) -> int:
    """Find where a formula ends, within LONGEST_FORMULA characters; -1 where it does not."""
    most = begin + LONGEST_FORMULA
    end = source.find(closing, begin, most)
    while end > 0 and closing[0] == "$" and source[end - 1] == "\\":
        end = source.find(closing, end + 1, most)
    return end


def add_formulas(parser: MarkdownIt) -> None:
    """Have a parser find formulas: within lines, and in lines of their own."""
    parser.inline.ruler.before("escape", "formula", _read_in_line)
    others: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "formula", _read_block, others)
    parser.add_render_rule("formula", _render)


def _read_in_line(state: StateInline, silent: bool) -> bool:
    found = read_formula(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.markup, token.content = found[:2]
    state.pos = found[2]
    return True


def _read_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula that begins a line and ends one. Lists and headings are no part of it."""
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    opening = state.src[begin : begin + 2]
    if opening not in ("\\[", "$$"):
        return False
    closing = _find_closing(state.src, CLOSING[opening], begin + 2)
    last = bisect_left(state.eMarks, closing + 2, start)
    if closing < 0 or last >= end:
        return False
    lines = state.getLines(start, last + 1, state.blkIndent, False).strip()
    latex, _, rest = lines[2:].partition(CLOSING[opening])
    if rest.strip() not in ("", ".", ",", ";") or not latex.strip():
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.markup, token.content, token.block = opening, latex + rest.strip(), True
        token.map = [start, last + 1]
    state.line = last + 1
    return True


def _render(
    self: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: Any,
    env: MutableMapping[str, Any],
) -> str:
    token = tokens[at]
    is_display = token.markup in ("\\[", "$$")
    env["formulas"] = env.get("formulas", 0) + 1
    end = "\n" if token.block else ""
    if env["formulas"] > MOST:
        return _read_as_latex(token.content, is_display) + end
    return render_formula(token.content.strip(), is_display=is_display) + end


@lru_cache(maxsize=1024)
def render_formula(latex: str, *, is_display: bool) -> str:
    """A formula as HTML: its LaTeX, and beside it the tree of its MathML for the page's script."""
    tree = _convert(latex, is_display)
    return _read_as_latex(latex, is_display, tree)


def _read_as_latex(latex: str, is_display: bool, tree: str = "") -> str:
    classes = " ".join(CLASSES[: 1 + is_display])
    data = f' data-formula="{escape(tree)}"' if tree else ""
    return f'<span class="{classes}" dir="ltr"{data}>{escape(latex)}</span>'


def _convert(latex: str, is_display: bool) -> str:
    """Convert a formula to a tree as JSON: [tag, attributes, text or elements ...]. '' if a page
    cannot show it.
    """
    if len(latex) > LONGEST_FORMULA or _measure_depth(latex) > DEEPEST_FORMULA:
        return ""
    written = _ENVIRONMENT.sub(" ", latex)
    if not all(map(_is_allowed, _COMMAND.findall(written))):
        return ""
    written = _COMMAND.sub(" ", written)
    try:
        element = convert_to_element(latex, display="block" if is_display else "inline")
        seen = unescape("".join(element.itertext()))
        if _HIDING.search(written) or _count_signs(written) - _count_signs(seen):
            return ""
        tree = json.dumps(_as_tree(element), ensure_ascii=True, separators=(",", ":"))
    except Exception:  # whatever a parser of strangers' LaTeX may raise: then the LaTeX is read
        return ""
    return re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", tree)


def _is_allowed(name: str) -> bool:
    """Return whether a command shows all that it is given, or is a single sign that is seen."""
    if not name.isalpha():
        return name in "\\[]{} ,:;>|_%#$&\n"
    symbol = convert_symbol(f"\\{name}")
    is_seen = symbol is not None and unicodedata.category(chr(int(symbol, 16)))[0] not in "CMZ"
    return is_seen or name in COMMANDS


def _count_signs(text: str) -> Counter[str]:
    """Count letters and digits. Those of other fonts count as plain ones."""
    return Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def _measure_depth(latex: str) -> int:
    depth = deepest = 0
    for sign in latex:
        depth += (sign == "{") - (sign == "}")
        deepest = max(deepest, depth)
    return deepest


def _as_tree(element: Element, depth: int = 0, level: int = 0) -> list[object]:
    """Convert an element to nested lists; `level` counts scripts and fractions around it. Raises
    ValueError if its tag is not in TAGS, or it is nested too deep.
    """
    if element.tag not in TAGS | ROOTS or depth > DEEPEST_FORMULA:
        raise ValueError(f"element {element.tag!r} is not allowed at depth {depth}")
    attributes: Mapping[str, str] = {
        name: value for name, value in element.attrib.items() if name in ATTRIBUTES
    }
    parts: list[object] = [unescape(element.text)] if element.text else []
    for place, child in enumerate(element):
        smaller = element.tag in ("mfrac", "mroot") or (place and element.tag in SCRIPTED)
        part = _as_tree(child, depth + 1, level + bool(smaller))
        is_small = smaller and level >= SMALLEST
        parts.append(["mstyle", {"scriptlevel": f"{SMALLEST}"}, part] if is_small else part)
    if element.tag in ROOTS:
        return _draw_root(parts, is_square=element.tag == "msqrt")
    return [element.tag, attributes, *parts]


def _draw_root(parts: list[object], *, is_square: bool) -> list[object]:
    """A root as its sign and a line over what it is of: browsers draw none where no font for
    mathematics is installed, and then a square root would be read as its square.
    """
    index = [] if is_square else [["msup", {}, ["mrow", {}], parts[1]]]
    under = ["menclose", {"notation": "top"}, *(parts if is_square else parts[:1])]
    return ["mrow", {}, *index, ["mo", {"stretchy": "false"}, "√"], under]
