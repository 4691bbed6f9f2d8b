"""From a DataFrame to a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import drive
from firesteel.spark.frames.base import Frame, Reader, refuse
from firesteel.spark.frames.relations import RELATIONS
from firesteel.tables.typed.ddl import read_ddl


def read_frame(frame: Any, schemas: Mapping[str, Any] | None = None) -> p.Plan:
    """The plan of a DataFrame of Spark Connect: what it computes, over the tables and files that it reads.

    Columns have the types that the session of the frame knows; `schemas` gives those of tables by name, as Spark's
    types or as text (`"a INT, b STRING"`), so that nothing has to be asked.
    """
    held = getattr(frame, "_plan", None)
    if held is None or not hasattr(held, "plan"):
        raise UnsupportedError(
            f"a plan of a {type(frame).__module__}.{type(frame).__name__}: PySpark shows no plan of it",
            help='make the same frame on Spark Connect: SparkSession.builder.remote("local").getOrCreate()',
        )
    session = frame.sparkSession
    _ensure_ansi(session, schemas)
    known = {name.lower(): schema for name, schema in (schemas or {}).items()}

    def schema_of(message: Any) -> Any:
        return _schema(session, known, message)

    made = read_relation(Reader(schema_of), held.plan(session.client))
    names = tuple(one.name for one in made[1].columns)
    return p.Plan(p.Root(names, made[1].rel, mode=p.Mode.STRICT), globals=tuple(made[0].globals))


def read_relation(reader: Reader, message: Any) -> tuple[Reader, Frame]:
    """A message of a relation, read with those below it."""

    def dispatch(part: Any) -> Any:
        kind = part.WhichOneof("rel_type")
        if kind not in RELATIONS:
            raise refuse(_REFUSED.get(kind, f"a relation of the kind '{kind}'"))
        return _noted(reader, part, kind)

    found: Frame = drive(dispatch, message)
    return reader, found


def _noted(reader: Reader, part: Any, kind: str) -> Any:
    """A relation, whose columns are known by the number that Spark gave it."""
    made = RELATIONS[kind](reader, getattr(part, kind))
    frame: Frame = made if isinstance(made, Frame) else (yield from made)
    if part.common.HasField("plan_id"):
        reader.origins.setdefault(part.common.plan_id, []).append(frame.columns)
    return frame


_REFUSED = {
    "sql": "SQL text (`spark.sql`): pass the text to `Session.query`, or say it with DataFrame functions",
    "sample": "a sample: its rows are random",
    "tail": "`tail`: a plan has no last rows",
    "map_partitions": "a Python function over partitions",
    "group_map": "a Python function over groups",
    "with_relations": "a subquery in a column",
    "cached_remote_relation": "a frame that the server keeps (`checkpoint`, `sql`)",
    "cached_local_relation": "a local relation that was sent before",
    "chunked_cached_local_relation": "a large local relation: register the data as a table",
}


def _schema(session: Any, known: Mapping[str, Any], message: Any) -> Any:
    """The schema of a table or of files: given, declared by the read, or known to the session."""
    if message.WhichOneof("read_type") == "named_table":
        name = message.named_table.unparsed_identifier
        for one in (name.lower(), name.lower().rpartition(".")[2]):
            if one in known:
                return read_ddl(known[one]) if isinstance(known[one], str) else known[one]
        return session.table(name).schema
    source = message.data_source
    reader = session.read.options(**source.options)
    if source.HasField("format"):
        reader = reader.format(source.format)
    if source.schema:
        reader = reader.schema(source.schema)
    return reader.load(list(source.paths)).schema


def _ensure_ansi(session: Any, schemas: Mapping[str, Any] | None) -> None:
    """Without ANSI rules an overflow wraps around and a failed cast is NULL. A session that need not be asked for
    schemas is not asked for its rules either: they are Spark's default."""
    if schemas is None and session.conf.get("spark.sql.ansi.enabled", "true").lower() == "false":
        raise refuse("a session without ANSI rules", "set spark.sql.ansi.enabled to true")
