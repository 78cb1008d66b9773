"""Options that write files: what they must not write to, and --overwrite."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..output_files import check_new_output, check_output, check_output_folder
from ..records import option_ref
from ..settings import Part, Setting
from .settings import Option

REPLACEABLE = ("file", "folder")
"""Outputs whose files --overwrite replaces."""
CHECKS = {"file": check_output, "new file": check_new_output, "folder": check_output_folder}


def make_overwrite(outputs: Sequence[Option]) -> Option:
    """Make the option --overwrite of a command with these outputs."""
    setting = Setting(lambda: "replace files that are not Tandem's, or were changed")
    names = [option.name for option in outputs]
    to = " or ".join(option_ref(option.setting.option or option.name) for option in outputs)
    part = Part(to, lambda values: any(values[name] for name in names))
    return Option("overwrite", setting, bool, False, part)


def list_paths(value: Any) -> Iterator[Path]:
    """Yield the files that a value may name: a path, a pattern, or @FILE."""
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, Path):
            yield one
        elif isinstance(one, str) and "\0" not in one:
            yield from map(Path, glob.glob(one.removeprefix("@"), recursive=True))
