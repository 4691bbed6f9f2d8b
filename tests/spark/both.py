"""PartiQL text on both engines: Spark, natively, gives what the reference evaluator gives, or fails where it fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import firesteel as fs
from firesteel import values
from firesteel.errors import FiresteelError


def sessions(spark: object, tables: Mapping[str, str]) -> tuple[fs.Session, fs.Session]:
    """A session on each engine, over tables written in Ion. Spark's refuses what has no native form."""
    pair = (
        fs.connect(engine="reference"),
        fs.connect(spark=spark, in_process=False, fallback="refuse"),  # type: ignore[arg-type]
    )
    for session in pair:
        for name, ion in tables.items():
            session.register(name, fs.ion(ion))
    return pair


def answer(session: fs.Session, query: str, mode: str) -> values.Value | type[FiresteelError]:
    try:
        return session.query(query, mode=mode).value()
    except fs.UnsupportedError:
        raise
    except FiresteelError:
        return FiresteelError


def differences(pair: tuple[fs.Session, fs.Session], queries: Iterable[str], mode: str = "permissive") -> list[str]:
    """What the engines do not agree on."""
    found = []
    for query in queries:
        expected, actual = (answer(session, query, mode) for session in pair)
        if expected is FiresteelError or actual is FiresteelError:
            same = expected is actual
        else:
            same = type(actual) is type(expected) and values.equal(actual, expected)
        if not same:
            found.append(f"{query}\n  Spark:     {actual!r}\n  reference: {expected!r}")
    return found
