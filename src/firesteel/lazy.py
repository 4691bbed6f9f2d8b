"""Modules that are imported when they are first used, so that a query of two numbers does not wait for protobuf; and
those that are there only if an extra is installed (`pip install 'firesteel[spark]'`). Without extras the package is the
reference engine, the plan formats and the command line."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from firesteel.errors import UnsupportedError


class LazyModule:
    """Stands for a module, and imports it when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        self.__dict__[attribute] = found
        return found

    def __repr__(self) -> str:
        return f"<lazy module {self._name!r}>"


#: The extra that installs a package, by the name under which the package is imported.
EXTRAS = {
    "pyspark": "spark",
    "py4j": "spark",
    "grpc": "spark",
    "pandas": "pandas",
    "prompt_toolkit": "shell",
    "pygments": "shell",
    "IPython": "notebook",
}
#: What works without an extra.
_INSTEAD = {
    "spark": 'or use the engine "reference"',
    "pandas": "or use to_arrow()",
    "shell": "or give the query as an argument, or by a pipe",
}


def require(name: str) -> Any:
    """The module of that name; an UnsupportedError with pip's command if its package is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise missing(error.name or name) from None


def ensure(name: str) -> None:
    """UnsupportedError if that package is not installed. It is looked for, not imported."""
    if find_spec(name) is None:
        raise missing(name)


def missing(name: str) -> UnsupportedError:
    """The error for a module that is not there, because its package is not installed: one line."""
    package = name.partition(".")[0]
    extra = EXTRAS.get(package)
    command = f"pip install 'firesteel[{extra}]'" if extra else f"pip install {package}"
    instead = f", {_INSTEAD[extra]}" if extra in _INSTEAD else ""
    return UnsupportedError(f"the package '{package}' is not installed: {command}{instead}")


__all__ = ["EXTRAS", "LazyModule", "ensure", "missing", "require"]
