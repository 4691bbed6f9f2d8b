"""Ask the JVM only once for each class and each static method.

PySpark looks up the class `functions` and the method by name whenever a column is made, as in `F.upper(x)`: that is two
questions to the JVM for one call. The answers never change while the JVM runs, so the tests keep them: building the
columns of a query takes about half as many messages.
"""

from __future__ import annotations

from typing import Any


def remember_lookups() -> None:
    """Keep a class on the view of the JVM that was asked for it, and a static method on its class."""
    from py4j.java_gateway import JavaClass, JavaMember, JVMView

    _remember(JVMView, JavaClass)
    _remember(JavaClass, JavaMember)


def _remember(owner: Any, found: type) -> None:
    """Let the owner keep attributes of this type. Others (the value of a static field) may change."""
    look_up = owner.__getattr__

    def remembering(self: Any, name: str) -> Any:
        value = look_up(self, name)
        if isinstance(value, found):
            vars(self)[name] = value  # Python calls __getattr__ only for names that are not here
        return value

    owner.__getattr__ = remembering
