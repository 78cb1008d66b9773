"""Schemas of the frames that modules pass to each other: their columns, and the kind of each.

Each frame is declared once, `Rows = Annotated[pd.DataFrame, Schema(...)]`, and functions return
`Rows`. tests/test_frames.py checks what they return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, get_args

import pandas as pd
from pandas.api import types

Kind = type | UnionType
Kinds = Mapping[Kind, str] | Iterable[tuple[Kind, str]]
"""Names of columns, with spaces between, by their kind."""

_DTYPES: Mapping[Kind, str] = {
    int: "int64",
    int | None: "Int64",
    float: "float64",
    bool: "bool",
    str: "str",
}
_IS_OF: Mapping[Kind, Callable[[pd.Series], bool]] = {
    int: types.is_integer_dtype,
    float: types.is_float_dtype,
    bool: types.is_bool_dtype,
    str: lambda values: types.infer_dtype(values) in ("string", "empty", "categorical"),
    object: lambda values: True,
    NoneType: lambda values: False,
}


class Schema:
    """The columns of a frame by their kind, such as `{str: "item system", float: "value"}`.

    Kinds are int, `int | None`, float (NaN if missing), bool, str and object (anything); or
    several, such as `int | float`. A missing str is NaN, in computed frames also None. The columns
    in `maybe` may be absent. If the schema `is_open`, a frame may have other columns, too.
    """

    def __init__(self, kinds: Kinds, *, maybe: Kinds = (), is_open: bool = False) -> None:
        self.kinds, self.maybe, self.is_open = _name_kinds(kinds), _name_kinds(maybe), is_open

    def extend(self, kinds: Kinds) -> Schema:
        """Return the schema with further columns, or with other kinds for its columns."""
        extended = Schema(kinds, is_open=self.is_open)
        extended.kinds, extended.maybe = self.kinds | extended.kinds, self.maybe
        return extended

    def read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a query with the declared types, which a column without values lacks.

        Raises ValueError if the frame has other columns.
        """
        self._check_names(frame)
        there = frame.dtypes.to_dict()
        wanted = {
            name: _choose_dtype(kind, there[name])
            for name, kind in (self.kinds | self.maybe).items()
            if name in there
        }
        others = {name: dtype for name, dtype in wanted.items() if dtype != there[name]}
        return frame.astype(others) if others else frame

    def make(self, rows: Sequence[Any] = ()) -> pd.DataFrame:
        """Build the frame of these rows, each a sequence or a mapping."""
        return self.read(pd.DataFrame(rows, columns=[*self.kinds]))

    def check(self, frame: pd.DataFrame) -> None:
        """Check the columns of a frame and their kinds.

        Raises ValueError if a column is missing, undeclared or of another kind.
        """
        self._check_names(frame)
        wrong = [
            f"{name}: {frame[name].dtype}"
            for name, kind in (self.kinds | self.maybe).items()
            if name in frame and not _is_of(frame[name], kind)
        ]
        if wrong:
            raise ValueError(f"columns of another kind: {', '.join(wrong)}")

    def _check_names(self, frame: pd.DataFrame) -> None:
        there = set(map(str, frame.columns))
        wrong = self.kinds.keys() - there
        if not self.is_open:
            wrong |= there - self.kinds.keys() - self.maybe.keys()
        if wrong:
            raise ValueError(f"columns that differ: {sorted(wrong)}")


def get_schema(rows: object) -> Schema:
    """Return the schema of a declared frame, `Annotated[pd.DataFrame, Schema(...)]`."""
    return next(part for part in get_args(rows) if isinstance(part, Schema))


def _name_kinds(kinds: Kinds) -> dict[str, Kind]:
    pairs = kinds.items() if isinstance(kinds, Mapping) else kinds
    return {name: kind for kind, names in pairs for name in names.split()}


def _choose_dtype(kind: Kind, dtype: Any) -> Any:
    """Choose the dtype as which a column of that type is read."""
    if kind == int | float and dtype == "object":
        return "float64"
    return _DTYPES.get(kind, dtype)


def _is_of(values: pd.Series, kind: Kind) -> bool:
    return any(_IS_OF[one](values) for one in get_args(kind) or (kind,))
