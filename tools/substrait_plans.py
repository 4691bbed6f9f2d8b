"""Build Substrait plans from the function cases of the specification: protobuf bytes, as a producer would send them.

Many cases share a plan. Scalar calls are expressions of one project relation over a table of one row, which has a
column for every argument. Aggregates of one signature are one aggregate relation, grouped by the number of the case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from firesteel import types as t
from firesteel.substrait import Message, encode, new
from firesteel.substrait.schema import schema
from firesteel.substrait.types import write_type
from firesteel.substrait.write.literals import write_literal
from tools.substrait_cases import Call, Case, Column, Enum, Lambda, Literal, Parameter


def message(name: str, /, **fields: Any) -> Message:
    """A message of that name with these fields; fields that are None or empty are left out."""
    made = Message(schema().messages[f"substrait.extensions.{name}"]) if name.startswith("Simple") else new(name)
    for key, value in fields.items():
        kind = made.kind.by_name[key.rstrip("_")]
        if value is None or (value in (0, "", []) and not kind.oneof and not isinstance(value, Message)):
            continue
        made.given[kind.name] = value
    return made


@dataclass
class Builder:
    """Builds a plan, and collects the extensions that it has to declare."""

    urns: dict[str, int] = field(default_factory=dict)
    functions: dict[tuple[str, str], int] = field(default_factory=dict)
    types: dict[tuple[str, str], int] = field(default_factory=dict)

    def urn(self, urn: str) -> int:
        return self.urns.setdefault(urn, len(self.urns) + 1)

    def function(self, urn: str, name: str) -> int:
        self.urn(urn)
        return self.functions.setdefault((urn, name), len(self.functions) + 1)

    def user_type(self, type_: t.UserDefined) -> int:
        self.urn(type_.urn)
        return self.types.setdefault((type_.urn, type_.name), len(self.types) + 1)

    def plan(self, root: Message, names: Sequence[str]) -> bytes:
        declared = [
            message(
                "SimpleExtensionDeclaration",
                extension_function=_declared("ExtensionFunction", self.urns[urn], function_anchor=anchor, name=name),
            )
            for (urn, name), anchor in self.functions.items()
        ]
        declared += [
            message(
                "SimpleExtensionDeclaration",
                extension_type=_declared("ExtensionType", self.urns[urn], type_anchor=anchor, name=name),
            )
            for (urn, name), anchor in self.types.items()
        ]
        urns = [
            message("SimpleExtensionURN", extension_urn_anchor=anchor, urn=urn) for urn, anchor in self.urns.items()
        ]
        relation = message("PlanRel", root=message("RelRoot", input=root, names=list(names)))
        return encode(message("Plan", extension_urns=urns, extensions=declared, relations=[relation]))

    # Types and values ------------------------------------------------------------------------------------------------

    def type(self, type_: t.Type) -> Message:
        labels = schema().enums["substrait.Type.Nullability"].numbers
        nullability = labels["NULLABILITY_NULLABLE" if type_.nullable else "NULLABILITY_REQUIRED"]
        if isinstance(type_, t.UserDefined):
            inner = message("Type.UserDefined", type_reference=self.user_type(type_), nullability=nullability)
            return message("Type", user_defined=inner)
        if isinstance(type_, t.Function):
            parameters = [self.type(one) for one in type_.parameters]
            returns = self.type(type_.returns)
            func = message("Type.Func", parameter_types=parameters, return_type=returns, nullability=nullability)
            return message("Type", func=func)
        return write_type(type_)

    def literal(self, type_: t.Type, value: Any) -> Message:
        if value is None and isinstance(type_, t.UserDefined | t.Function):
            literal = message("Expression.Literal", null=self.type(t.absent(type_, nullable=True)))
        elif isinstance(type_, t.UserDefined):
            text = message("Expression.Literal", string=str(value))
            struct = message("Expression.Literal.Struct", fields=[text])
            known = message("Expression.Literal.UserDefined", type_reference=self.user_type(type_), struct=struct)
            literal = message("Expression.Literal", user_defined=known)
            if type_.nullable:
                literal.given["nullable"] = True
        else:
            literal = write_literal(type_, value)
        return message("Expression", literal=literal)

    def table(self, types: Sequence[t.Type], rows: Iterable[Sequence[Any]]) -> Message:
        """A virtual table."""
        struct = message(
            "Type.Struct",
            types=[self.type(one) for one in types],
            nullability=schema().enums["substrait.Type.Nullability"].numbers["NULLABILITY_REQUIRED"],
        )
        named = message("NamedStruct", names=[name for i, one in enumerate(types) for name in _names(f"a{i}", one)])
        named.given["struct"] = struct
        values = [
            message(
                "Expression.Nested.Struct",
                fields=[self.literal(one, value) for one, value in zip(types, row, strict=True)],
            )
            for row in rows
        ]
        virtual = message("ReadRel.VirtualTable", expressions=values)
        read = message("ReadRel", base_schema=named)
        read.given["virtual_table"] = virtual
        return message("Rel", read=read)

    # Calls -----------------------------------------------------------------------------------------------------------

    def parts(self, case: Case, args: Iterable[Message]) -> dict[str, Any]:
        """The fields that all kinds of calls share."""
        options = [message("FunctionOption", name=name, preference=[value]) for name, value in case.options]
        made: dict[str, Any] = {
            "function_reference": self.function(case.urns[0], case.function),
            "arguments": list(args),
            "options": options,
        }
        if isinstance(case.expected, Literal):
            made["output_type"] = self.type(case.expected.type)
        return made

    def nested(self, given: Any, case: Case, parameters: tuple[str, ...]) -> Message:
        """The body of a lambda."""
        if isinstance(given, Parameter):
            return field_reference(parameters.index(given.name), "lambda_parameter_reference")
        if isinstance(given, Literal):
            return self.literal(given.type, given.value)
        assert isinstance(given, Call)
        urn = case.urns[-1]
        args = [argument(self.nested(one, case, parameters)) for one in given.args]
        call = message(
            "Expression.ScalarFunction", function_reference=self.function(urn, given.function), arguments=args
        )
        return message("Expression", scalar_function=call)

    def function_value(self, given: Lambda, case: Case) -> Message:
        assert isinstance(given.type, t.Function)
        source = case.args[0]
        types = given.type.parameters
        if isinstance(source, Literal) and isinstance(source.type, t.Array):
            types = (source.type.element,)  # some cases leave out the `?` of the parameter's type
        labels = schema().enums["substrait.Type.Nullability"].numbers
        struct = message(
            "Type.Struct", types=[self.type(one) for one in types], nullability=labels["NULLABILITY_REQUIRED"]
        )
        body = self.nested(given.body, case, given.parameters)
        return message("Expression", lambda_=message("Expression.Lambda", parameters=struct, body=body))


def _declared(kind: str, urn: int, **fields: Any) -> Message:
    made = Message(schema().messages[f"substrait.extensions.SimpleExtensionDeclaration.{kind}"])
    made.given.update(fields, extension_urn_reference=urn)
    return made


def _names(name: str, type_: t.Type) -> list[str]:
    """The names of a column, depth first."""
    if isinstance(type_, t.Struct):
        return [name, *(inner for i, one in enumerate(type_.fields) for inner in _names(f"{name}_{i}", one.type))]
    if isinstance(type_, t.Array):
        return [name, *_names(f"{name}_e", type_.element)[1:]]
    return [name]


def field_reference(ordinal: int, root: str = "root_reference") -> Message:
    """A reference to a column of the current row."""
    segment = message("Expression.ReferenceSegment", struct_field=_struct_field(ordinal))
    reference = message("Expression.FieldReference", direct_reference=segment)
    kind = {
        "root_reference": "Expression.FieldReference.RootReference",
        "lambda_parameter_reference": "Expression.FieldReference.LambdaParameterReference",
    }[root]
    reference.given[root] = new(kind)
    return message("Expression", selection=reference)


def _struct_field(ordinal: int) -> Message:
    return message("Expression.ReferenceSegment.StructField", field=ordinal)


def argument(value: Message) -> Message:
    return message("FunctionArgument", value=value)


def holding(type_: t.Type, values: Iterable[Any]) -> t.Type:
    """The type of a column of these values: nullable if one of them is NULL, even if the case declares otherwise."""
    return t.absent(type_, nullable=type_.nullable or any(value is None for value in values))


# ---------------------------------------------------------------------------------------------------------------------
# Plans of cases


def scalar_plan(cases: Sequence[Case]) -> bytes:
    """A plan that gives one row with a column for the result of each case."""
    builder = Builder()
    types: list[t.Type] = []
    values: list[Any] = []
    calls = []
    for case in cases:
        args = []
        for given in case.args:
            if isinstance(given, Enum):
                args.append(message("FunctionArgument", enum=given.name))
            elif isinstance(given, Lambda):
                args.append(argument(builder.function_value(given, case)))
            elif isinstance(given.type, t.Function):
                args.append(argument(builder.literal(given.type, given.value)))
            else:
                args.append(argument(field_reference(len(types))))
                types.append(holding(given.type, [given.value]))
                values.append(given.value)
        call = message("Expression.ScalarFunction", **builder.parts(case, args))
        calls.append(message("Expression", scalar_function=call))
    table = builder.table(types or [t.BOOL], [values or [True]])
    first = len(types) or 1
    emit = message("RelCommon.Emit", output_mapping=list(range(first, first + len(calls))))
    project = message("ProjectRel", common=message("RelCommon", emit=emit), input=table, expressions=calls)
    return builder.plan(message("Rel", project=project), _result_names(cases))


def _result_names(cases: Sequence[Case]) -> list[str]:
    names = []
    for i, case in enumerate(cases):
        type_ = case.expected.type if isinstance(case.expected, Literal) else t.BOOL
        names += _names(f"c{i}", type_)
    return names


def columns(case: Case) -> tuple[list[t.Type], list[list[Any]]]:
    """The table that an aggregate reads: the types of its columns, and its rows."""
    if case.rows is not None:
        rows = [list(row) for row in case.rows]
        types = [holding(type_, (row[i] for row in rows)) for i, type_ in enumerate(case.columns)]
        return types, rows
    given = [(one.type, one.value if isinstance(one.value, list) else [one.value]) for one in case.args if _column(one)]
    rows = [list(row) for row in zip(*(items for _, items in given), strict=True)]
    return [holding(type_, items) for type_, items in given], rows


def _column(given: Any) -> bool:
    return isinstance(given, Literal)


def shape(case: Case) -> tuple[Any, ...]:
    """A key that is the same for cases that can share one aggregate relation, with a group of rows for each."""
    names = tuple(one.name for one in case.args if isinstance(one, Enum))
    return case.urns[0], case.function, tuple(map(t.proper, columns(case)[0])), names, case.options


def aggregate_plan(cases: Sequence[Case], *, grouped: bool) -> bytes:
    """A plan for aggregates. `grouped`: the cases share a shape, and each gives a row. Otherwise the plan gives one row
    with a column for each case."""
    builder = Builder()
    if grouped:
        return _grouped_plan(builder, cases)
    types = [one for case in cases for one in columns(case)[0]]
    rows = columns(cases[0])[1] if len(cases) == 1 else []
    measures, at = [], 0
    for case in cases:
        width = len(columns(case)[0])
        measures.append(_measure(builder, case, at))
        at += width
    table = builder.table(types or [t.BOOL], rows)
    aggregate = message("AggregateRel", input=table, measures=measures)
    return builder.plan(message("Rel", aggregate=aggregate), _result_names(cases))


def _grouped_plan(builder: Builder, cases: Sequence[Case]) -> bytes:
    tables = [columns(case) for case in cases]
    nullable = [any(types[i].nullable for types, _ in tables) for i in range(len(tables[0][0]))]
    types = [t.absent(one, nullable=flag) for one, flag in zip(tables[0][0], nullable, strict=True)]
    rows = [[i, *row] for i, (_, found) in enumerate(tables) for row in found]
    table = builder.table([t.INT32, *types], rows)
    grouping = message("AggregateRel.Grouping", expression_references=[0])
    aggregate = message(
        "AggregateRel",
        input=table,
        groupings=[grouping],
        grouping_expressions=[field_reference(0)],
        measures=[_measure(builder, cases[0], 1)],
    )
    return builder.plan(message("Rel", aggregate=aggregate), ["case", *_result_names(cases[:1])])


def _measure(builder: Builder, case: Case, at: int) -> Message:
    args = []
    for given in case.args:
        if isinstance(given, Enum):
            args.append(message("FunctionArgument", enum=given.name))
        else:
            index = given.index if isinstance(given, Column) else len([a for a in args if a.has("value")])
            args.append(argument(field_reference(at + index)))
    phase = schema().enums["substrait.AggregationPhase"].numbers["AGGREGATION_PHASE_INITIAL_TO_RESULT"]
    function = message("AggregateFunction", **builder.parts(case, args), phase=phase)
    return message("AggregateRel.Measure", measure=function)


def window_plan(case: Case) -> bytes:
    """A plan that gives the rows with the result of the case as the last column, ordered by the first column."""
    builder = Builder()
    assert case.rows is not None
    table = builder.table(case.columns, case.rows)
    args = [
        argument(
            field_reference(given.index) if isinstance(given, Column) else builder.literal(given.type, given.value)
        )
        for given in case.args
    ]
    numbers = schema().enums["substrait.SortField.SortDirection"].numbers
    sort = message("SortField", expr=field_reference(0), direction=numbers["SORT_DIRECTION_ASC_NULLS_FIRST"])
    phase = schema().enums["substrait.AggregationPhase"].numbers["AGGREGATION_PHASE_INITIAL_TO_RESULT"]
    function = message("ConsistentPartitionWindowRel.WindowRelFunction", **builder.parts(case, args), phase=phase)
    window = message("ConsistentPartitionWindowRel", input=table, window_functions=[function], sorts=[sort])
    names = [f"a{i}" for i in range(len(case.columns))]
    return builder.plan(message("Rel", window=window), [*names, "c0"])
