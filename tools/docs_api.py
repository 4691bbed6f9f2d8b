"""Write docs/python-api.md: the public names of `firesteel`, from their signatures and docstrings.

make docs
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import firesteel as fs

TARGET = Path(__file__).parent.parent / "docs" / "python-api.md"
HEAD = """# The Python interface

*Written by `make docs` from the signatures and docstrings.*

`import firesteel as fs` gives the names on this page. They and the functions of `firesteel.spark.variant_columns` are
the public interface; all other modules may change in any version. The package is typed (`py.typed`). Importing it costs
little: PySpark, pyarrow and protobuf are imported when they are first needed.
"""
#: The sections: a title, and the names of `fs.__all__` in it. A name that is in none is an error.
SECTIONS = {
    "Sessions": ("connect", "Session", "Policy", "secret"),
    "Answers": ("Result", "QueryWarning"),
    "Plans": ("read_plan", "from_spark", "parse", "Plan", "convert", "diff", "Diff", "Lineage"),
    "Values": ("ion", "MISSING", "Bag", "Struct"),
    "Extensions of Substrait": ("register_function", "register_relation"),
    "Errors": (
        *("FiresteelError", "ParseError", "AnalysisError", "PlanError", "EvaluationError", "PolicyError"),
        "UnsupportedError",
    ),
}
_WIDTH = 100


def document() -> str:
    """The reference as Markdown."""
    listed = [name for names in SECTIONS.values() for name in names]
    unplaced = set(fs.__all__) - set(listed)
    assert not unplaced, f"give these names a section in {__file__}: {unplaced}"
    parts = [HEAD]
    for title, names in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        for name in names:
            parts += _entry(name, getattr(fs, name))
    return "\n".join(parts).rstrip() + "\n"


def _entry(name: str, found: Any) -> Iterator[str]:
    yield f"\n### fs.{name}\n"
    if inspect.isclass(found):
        if issubclass(found, Exception):
            yield f"Code `{getattr(found, 'code', '')}`, exit code {getattr(found, 'exit_code', 1)}.\n"
        yield f"{inspect.cleandoc(found.__doc__ or '')}\n"
        yield from _members(name, found)
    elif callable(found):
        yield from _function(f"fs.{name}", found)
    else:
        yield f"{inspect.cleandoc(type(found).__doc__ or '')}\n"


def _members(name: str, found: type) -> Iterator[str]:
    """The public methods and properties of a class that it does not have from one that is listed, too."""
    for key, member in vars(found).items():
        if key.startswith("_"):
            continue
        if isinstance(member, property | functools.cached_property):
            read: Any = member.fget if isinstance(member, property) else member.func
            yield f"#### {name}.{key}\n"
            yield f"A property: `{inspect.signature(read).return_annotation}`. {_doc(read)}".rstrip() + "\n"
        elif inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
            yield f"#### {name}.{key}\n"
            yield from _function(key, getattr(member, "__func__", member))


def _function(name: str, function: Callable[..., Any]) -> Iterator[str]:
    yield f"```py\n{written(name, inspect.signature(function))}\n```\n"
    if _doc(function):
        yield f"{_doc(function)}\n"


def _doc(function: Callable[..., Any]) -> str:
    return inspect.cleandoc(function.__doc__ or "")


def written(name: str, signature: inspect.Signature) -> str:
    """A signature as code: in one line, or with a line for each parameter."""
    words: list[str] = []
    keyword_only = False
    for one in signature.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not keyword_only:
            words.append("*")
        keyword_only = keyword_only or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        words.append(_parameter(one))
    back = signature.return_annotation
    arrow = "" if back is inspect.Signature.empty else f" -> {back}"
    line = f"{name}({', '.join(words)}){arrow}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){arrow}"])


def _parameter(one: inspect.Parameter) -> str:
    star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    typed = f"{star}{one.name}" if one.annotation is one.empty else f"{star}{one.name}: {one.annotation}"
    if one.default is one.empty:
        return typed
    simple = isinstance(one.default, str | int | float | bool | tuple | None)
    return f"{typed} = {one.default!r}" if simple else f"{typed} = ..."
