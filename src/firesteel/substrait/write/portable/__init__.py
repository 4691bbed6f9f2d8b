"""Plans in Substrait's own nodes and functions only, for consumers that know no others: from plan to plan.

A scan binds one variable to whole rows; here it gives the columns of its table, and a path into the variable is a
column (`scope.py`). PartiQL's functions become Substrait's of the same meaning for the types at hand, and types are
derived anew from there (`values.py`). Physical relations become logical ones. What a typed consumer has no notion of
(MISSING, open structs, bags as values) is refused by name.

An answer is that of strict mode: where PartiQL's functions give MISSING, such as an overflow, these raise an error.
"""

from __future__ import annotations

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import drive
from firesteel.passes import Context, Phase, run_passes
from firesteel.substrait.write.portable import relations, values  # noqa: F401  (they register)
from firesteel.substrait.write.portable.relations import plain_table
from firesteel.substrait.write.portable.scope import TOP, Portable


def portable_plan(plan: p.Plan, lowerings: tuple[str, ...] = ()) -> p.Plan:
    """The plan for a consumer of standard plans, after the lowering passes that it needs."""
    context = Context(lowerings=lowerings)
    made: list[p.Statement] = []
    for statement in plan.statements:
        one = run_passes(plan.replace(statement=statement), context, (Phase.OPTIMIZE, Phase.LOWER))
        made.append(_statement(one, statement))
    whole = made[0] if len(made) == 1 else p.Script(tuple(made))
    tables = [binding.replace(type=plain_table(binding.type) or binding.type) for binding in plan.globals]
    return p.Plan(whole, globals=tuple(tables))


def _statement(plan: p.Plan, given: p.Statement) -> p.Statement:
    portable = Portable(plan)
    match plan.statement:
        case p.Root(names=names, input=rel):
            made = drive(portable.dispatch, rel, TOP)
            return p.Root(names, made.whole_columns(), mode=p.Mode.STRICT).at(given.where)
        case p.Query(rex=p.Select(constructor=constructor, input=rel)):
            columns = drive(portable.dispatch, p.Project((constructor,), rel), TOP)
            cell = columns.cells[0]
            names = tuple(cell) if isinstance(cell, dict) else ("_1",)
            return p.Root(names, columns.rel, mode=p.Mode.STRICT).at(given.where)
    raise UnsupportedError(
        f"the statement '{given.tag}' for a consumer of standard plans",
        where=given.where,
        help="a query for rows can be",
    )
