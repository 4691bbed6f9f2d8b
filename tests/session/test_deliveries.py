"""Targets of an exchange at the root: locations that a policy allows get the rows of their partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from tests.physical_cases import ROWS, TYPES, K, N, table


def _plan(kind: p.ExchangeKind, *targets: p.Target, emit: bool = False, count: int = 3) -> p.Plan:
    made: p.Rel = p.Exchange(kind, table("t"), partitions=count, targets=targets)
    names: tuple[str, ...] = ("k", "g", "n", "s")
    if emit:
        made, names = build.emit(made, [N, K]), ("n", "k")
    bindings = tuple(p.GlobalBinding((name,), type_) for name, type_ in TYPES.items())
    return p.Plan(p.Root(names, made), globals=bindings[:1])


BUCKET = p.SingleBucket(build.call("coalesce", build.column(table("t"), K), p.Lit(t.INT64, 0)))


def _session(allowed: Path, **options: Any) -> fs.Session:
    session = fs.connect(policy=fs.Policy(allow_write=[allowed]), **options)
    session.register("t", pa.Table.from_pylist(ROWS))
    return session


def _written(path: Path) -> list[tuple[Any, Any]]:
    rows = pq.read_table(path).to_pylist()
    return sorted(((row["k"], row["n"]) for row in rows), key=str)


def _rows(*keys: int | None) -> list[tuple[Any, Any]]:
    return sorted(((row["k"], row["n"]) for row in ROWS if row["k"] in keys), key=str)


def _check(session: fs.Session, folder: Path) -> None:
    sent = _plan(
        BUCKET,
        p.Target((0, 2), uri=str(folder / "even.parquet")),
        p.Target((1,), uri=(folder / "odd one").as_uri()),
        p.Target((1,), value="the queue"),
        emit=True,
    )
    answer = session.run(sent).to_python()
    assert len(answer) == len(ROWS)
    assert set(answer[0]) == {"n", "k"}
    assert _written(folder / "even.parquet") == _rows(2, 3, None)
    assert _written(folder / "odd one") == _rows(1, 4)
    session.run(_plan(p.Broadcast(), p.Target((0,), uri=str(folder / "all.parquet")), count=2))
    assert _written(folder / "all.parquet") == _rows(1, 2, 3, 4, None)
    session.run(_plan(p.Scatter((build.column(table("t"), K),)), *_three(folder)))
    parts = [_written(folder / f"part{i}.parquet") for i in range(3)]
    assert sorted((row for part in parts for row in part), key=str) == _rows(1, 2, 3, 4, None)
    assert not any({k for k, _ in a} & {k for k, _ in b} for i, a in enumerate(parts) for b in parts[:i])


def _three(folder: Path) -> list[p.Target]:
    return [p.Target((i,), uri=str(folder / f"part{i}.parquet")) for i in range(3)]


def test_in_process(tmp_path: Path) -> None:
    _check(_session(tmp_path, engine="reference"), tmp_path)


@pytest.mark.spark
def test_on_spark(tmp_path: Path, spark: Any) -> None:
    _check(_session(tmp_path, spark=spark), tmp_path)


def test_a_location_that_is_not_allowed_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    session = _session(allowed, engine="reference")
    targets = p.Target((0,), uri=str(allowed / "a.parquet")), p.Target((1,), uri=str(tmp_path / "b.parquet"))
    with pytest.raises(fs.PolicyError, match="may not write"):
        session.run(_plan(BUCKET, *targets))
    with pytest.raises(fs.PolicyError, match="'s3:' locations are not written"):
        session.run(_plan(BUCKET, p.Target((0,), uri="s3://bucket/a")))
    assert not list(allowed.iterdir())


def test_targets_below_the_root_are_only_kept(tmp_path: Path) -> None:
    session = _session(tmp_path, engine="reference")
    plan = _plan(BUCKET, p.Target((0,), uri=str(tmp_path / "a.parquet")))
    root = plan.statement
    assert isinstance(root, p.Root)
    session.run(plan.replace(statement=root.replace(input=p.Filter(p.Lit(t.BOOL, True), root.input))))
    assert not list(tmp_path.iterdir())
