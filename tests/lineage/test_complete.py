"""Every node is in a table of the lineage; one that is not depends on everything."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.lineage.expressions import EXPRESSIONS
from firesteel.lineage.relations import RELATIONS
from firesteel.node import Node, transform
from tests.passes.test_complete import below


class Riddle(p.Rel, tag="riddle"):
    """A relation that the analysis does not know."""

    secret: p.Rex
    input: p.Rel


class Oracle(p.Rex, tag="oracle"):
    """An expression that the analysis does not know."""

    question: p.Rex

    @property
    def type(self) -> t.Type:
        return self.question.type


@pytest.mark.parametrize("cls", list(below(p.Rel)), ids=lambda cls: cls.__name__)
def test_every_relation_has_a_handler(cls: type[Node]) -> None:
    assert cls in RELATIONS


@pytest.mark.parametrize("cls", list(below(p.Rex)), ids=lambda cls: cls.__name__)
def test_every_expression_has_a_handler(cls: type[Node]) -> None:
    # Only the tracer knows what a global is called.
    assert (cls in EXPRESSIONS) != (cls is p.Global)


@pytest.fixture
def plan() -> p.Plan:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "b": 2, "c": 3}])
    return session.plan("SELECT x.a AS a FROM (SELECT t.a AS a, t.b AS b FROM t WHERE t.c > 1) AS x").node


def test_an_unknown_relation_depends_on_everything(plan: p.Plan) -> None:
    def riddled(scan: p.Scan) -> p.Rel:
        return scan if isinstance(scan.rex, p.Select) else Riddle(p.Var(p.schema(scan)[0].type, 0), scan)

    found = fs.Plan(transform(plan, riddled, p.Scan)).lineage()
    assert [str(one.source) for one in found["a"].direct] == ["t.*"]
    assert "t.*" in [str(one.source) for one in found.rows]


def test_an_unknown_expression_is_made_from_its_parts(plan: p.Plan) -> None:
    found = fs.Plan(transform(plan, Oracle, p.Path)).lineage()
    assert [(str(one.source), [use.name for use in one.uses]) for one in found["a"].direct] == [
        ("t.a", ["TRANSFORMATION"])
    ]
