"""Functions that a user has registered for PartiQL: their rows, and what computes them.

Every registration makes a row of its own (`user:3:twice`), so that a plan, a cache or a worker never confuses two
functions of one name. `UserFunctions` has the functions of one session, by the names that a query calls them by.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from firesteel.errors import AnalysisError, PolicyError
from firesteel.functions import catalog
from firesteel.functions.catalog import Function, Signature
from firesteel.functions.changes import changed

FunctionKind = Literal["scalar", "aggregate", "table"]

#: The words of a signature: the family that a parameter of that type takes, what the result is, and Substrait's type.
TYPES: dict[str, tuple[str, str, str | None]] = {
    **dict.fromkeys(("any", "variant"), ("any", "any", None)),
    **dict.fromkeys(("bool", "boolean"), ("bool", "bool", "boolean")),
    **dict.fromkeys(("int", "integer", "bigint", "long"), ("int", "int", "i64")),
    **dict.fromkeys(("float", "double"), ("number", "float", "fp64")),
    **dict.fromkeys(("decimal", "numeric"), ("number", "decimal", None)),
    "number": ("number", "any", None),
    **dict.fromkeys(("string", "text", "varchar"), ("text", "string", "string")),
    **dict.fromkeys(("binary", "blob"), ("octets", "any", "binary")),
    "date": ("date", "date", "date"),
    "time": ("time", "any", None),
    "timestamp": ("timestamp", "any", None),
    **dict.fromkeys(("list", "array"), ("list", "values", None)),
    **dict.fromkeys(("bag", "collection", "table"), ("collection", "rows", None)),
    "struct": ("struct", "struct", None),
}
#: The kinds of Spark's UDFs that are taken, by PySpark's numbers, and what their arguments are.
UDFS: dict[int, Literal["rows", "pandas", "arrow"]] = {100: "rows", 101: "rows", 200: "pandas", 250: "arrow"}
_SIGNATURE = re.compile(r"\(([^()]*)\)\s*->\s*(\w+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_number = itertools.count(1)


@dataclass(frozen=True)
class UserFunction:
    """A registered function."""

    row: Function
    kind: FunctionKind
    #: What computes it from Python values, or from Arrow arrays; None for a function of Spark's.
    function: Callable[..., Any] | None
    vectorized: bool = False
    #: What PySpark made of it (`udf`, `pandas_udf`), if the user gave that.
    udf: Any = field(default=None, compare=False)
    #: The name of a function of Spark's own.
    spark: str | None = None
    #: Its parameters, if it is an aggregate: its row takes a list of them.
    params: tuple[str, ...] = ()

    @property
    def takes(self) -> Literal["rows", "pandas", "arrow"]:
        """What it is called with: the values of one row, or columns of many rows."""
        return ("arrow" if self.vectorized else "rows") if self.udf is None else UDFS[self.udf.evalType]

    @property
    def name(self) -> str:
        """What a query calls it."""
        return self.row.partiql[0]


#: All functions that exist in this process, by the names of their rows.
_ALL: dict[str, UserFunction] = {}


def find(name: str) -> UserFunction | None:
    """The function whose row has that name."""
    return _ALL.get(name)


def add(made: UserFunction) -> None:
    """Make a function known to this process: also one that another process registered."""
    _ALL[made.row.name] = made


def read_signature(name: str, text: str) -> tuple[list[str], str]:
    """The parameters and the result of `(int, string) -> int`."""
    match = _SIGNATURE.fullmatch(str(text).strip())
    if match is None:
        raise AnalysisError(f"no signature of '{name}': {text!r}", help="write it as '(int, string) -> int'")
    params = [word.strip().lower() for word in match[1].split(",") if word.strip()]
    returns = match[2].lower()
    for word in (*(param.removesuffix("...") for param in params), returns):
        if word not in TYPES:
            close = difflib.get_close_matches(word, TYPES, 1)
            help_ = f"did you mean '{close[0]}'?" if close else f"the types are {', '.join(TYPES)}"
            raise AnalysisError(f"no type '{word}' in the signature of '{name}'", help=help_)
    return params, returns


def _row(name: str, kind: FunctionKind, params: list[str], returns: str, *, null: bool) -> Function:
    """A row that says the worst: it may fail, and is not computed while planning."""
    repeats = bool(params) and params[-1].endswith("...")
    families = tuple(TYPES[param.removesuffix("...")][0] for param in params)
    result = "rows" if kind == "table" else TYPES[returns][1]
    signature = Signature(families, result, variadic=repeats, partial=True)
    if kind == "aggregate":
        signature = Signature(("list",), result, partial=True)
    return Function(
        f"user:{next(_number)}:{name}",
        (signature,),
        "A function that a user registered.",
        partiql=(name,),
        propagates=not null,
        absent="null missing" if null else "null",
        dear=True,
    )


class UserFunctions:
    """The functions of one session. If `spark` is true, those of Spark's are called by the prefix `spark.`."""

    def __init__(self, *, spark: bool = False) -> None:
        self._named: dict[str, UserFunction] = {}
        self._urns: dict[str, str] = {}
        self._spark: dict[str, UserFunction] = {}
        self.has_spark = spark

    def register(
        self,
        name: str,
        function: Any,
        signature: str,
        *,
        kind: FunctionKind = "scalar",
        vectorized: bool = False,
        takes_null: bool = False,
        urn: str | None = None,
        replace: bool = False,
    ) -> None:
        """Add a function, as `Session.register_function` says."""
        key = str(name).lower()
        if not _NAME.fullmatch(key):
            raise AnalysisError(f"{name!r} is no name of a function", help="letters, digits and underscores")
        if catalog.find_partiql(key) is not None:
            raise AnalysisError(f"'{key}' is a function of PartiQL", help="register yours under another name")
        if key in self._named and not replace:
            raise AnalysisError(f"there is already a function '{key}'", help="say replace=True to replace it")
        if kind not in ("scalar", "aggregate", "table"):
            raise AnalysisError(f"no kind of function '{kind}'", help="it is 'scalar', 'aggregate' or 'table'")
        udf = function if hasattr(function, "evalType") and hasattr(function, "func") else None
        if not callable(function) or (udf is not None and (kind != "scalar" or udf.evalType not in UDFS)):
            said = "only scalar UDFs of Spark's are taken" if udf is not None else f"{function!r} cannot be called"
            raise AnalysisError(f"function '{key}': {said}")
        params, returns = read_signature(key, signature)
        row = _row(key, kind, params, returns, null=takes_null)
        computes = function if udf is None else udf.func
        made = UserFunction(row, kind, computes, vectorized, udf, params=tuple(params))
        if urn is not None:
            substrait = [TYPES[param.removesuffix("...")][2] for param in params]
            known = kind == "scalar" and not vectorized and None not in substrait and TYPES[returns][2] is not None
            if not known or any(param.endswith("...") for param in params):
                raise AnalysisError(
                    f"'{signature}' has no form in Substrait", help="int, float, string, bool, date have"
                )
            from firesteel.functions.substrait.registry import register

            register(urn, key, computes, returns=f"{TYPES[returns][2]}?", takes=substrait, replace=replace)  # type: ignore[arg-type]
            self._urns[key] = urn
        self._named[key] = made
        add(made)
        changed()

    def unregister(self, name: str) -> None:
        """Forget a function."""
        key = name.lower()
        found = self._named.pop(key, None)
        if found is None:
            raise AnalysisError(f"no function '{name}'", help=self.suggestion(key))
        _ALL.pop(found.row.name, None)
        if key in self._urns:
            from firesteel.functions.substrait.registry import unregister

            unregister(self._urns.pop(key), key)
        changed()

    def find(self, name: str) -> UserFunction | None:
        return self._named.get(name)

    def find_spark(self, name: str) -> UserFunction:
        """A function of Spark's own."""
        if name not in self._spark:
            row = Function(
                f"user:{next(_number)}:spark.{name}",
                (Signature((), "any"), Signature(("any",), "any", variadic=True)),
                "A function of Spark's.",
                partiql=(f"spark.{name}",),
                propagates=False,
                absent="null",
                pure=False,
                dear=True,
            )
            self._spark[name] = UserFunction(row, "scalar", None, spark=name)
            add(self._spark[name])
        return self._spark[name]

    def ensure_own(self, names: Iterable[str]) -> None:
        """PolicyError if one of these rows is a function of another session: a plan may name any row."""
        own = {user.row.name for user in (*self._named.values(), *self._spark.values())}
        for name in names:
            if name.startswith("user:") and name not in own:
                raise PolicyError(
                    f"the plan may not call '{name}': it is no function of this session",
                    help="allow it with register_function",
                )

    def suggestion(self, name: str) -> str | None:
        """What may have been meant."""
        close = difflib.get_close_matches(name, self._named, 1)
        meant = close[0] if close else catalog.suggest_partiql(name)
        return f"did you mean '{meant}'?" if meant else None
