"""Modules that are imported when they are first used, so that a query of two numbers does not wait for protobuf."""

from __future__ import annotations

from importlib import import_module
from typing import Any


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


__all__ = ["LazyModule"]
