"""Code in colours: its words wrapped in classes, which the page's style paints."""

from __future__ import annotations

from html import escape

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


def highlight_code(code: str, language: str) -> str:
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
