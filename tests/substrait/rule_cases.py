"""For each rule a small plan that breaks it, and the same plan mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firesteel.rules import (
    AnchorRule,
    CallRule,
    ExpressionRule,
    LiteralRule,
    NameRule,
    PlanRule,
    ReferenceRule,
    RelationRule,
    Rule,
    TypeRule,
)
from tests.substrait import made
from tests.substrait.made import (
    ASC,
    BOOL,
    I32,
    I64,
    STRING,
    Json,
    call,
    emit,
    field,
    filtered,
    lit,
    measure,
    outer,
    project,
    read,
    root,
    schema,
    type_,
)

DOWN = "SORT_DIRECTION_DESC_NULLS_LAST"


@dataclass(frozen=True)
class RuleCase:
    """A broken plan, the end of the path to the place, the mended plan."""

    rule: Rule
    broken: Json
    path: str
    mended: Json
    #: Codes of other rules that cannot but be broken with it.
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.rule.code


def planned(*trees: Json, **others: Any) -> Json:
    """A plan of these trees that declares the functions that it uses, and no others."""
    document = made.plan(*trees, **others)
    used = set(_numbers(trees, "functionReference"))
    kept = [one for one in document["extensions"] if one["extensionFunction"]["functionAnchor"] in used]
    urns = {one["extensionFunction"]["extensionUrnReference"] for one in kept}
    document["extensions"] = kept
    document["extensionUrns"] = [one for one in document["extensionUrns"] if one["extensionUrnAnchor"] in urns]
    return document


def _numbers(value: Any, name: str) -> list[int]:
    if isinstance(value, dict):
        mine = [value[name]] if name in value else []
        return mine + [number for one in value.values() for number in _numbers(one, name)]
    return [number for one in value for number in _numbers(one, name)] if isinstance(value, list | tuple) else []


def over(rel: Json, width: int = 3, **others: Any) -> Json:
    """A plan of one root, whose columns are named."""
    return planned(root(rel, *"abcdefghij"[:width]), **others)


def with_column(expression: Json, **others: Any) -> Json:
    return over(project(read(), expression), 4, **others)


def kept(condition: Json) -> Json:
    return over(filtered(read(), condition))


def declaring(document: Json, urn: str, name: str, **more: Any) -> Json:
    """The plan with one function more: anchor 77, of the extension with anchor 9."""
    function = {"extensionUrnReference": 9, "functionAnchor": 77, "name": name, **more}
    return {
        **document,
        "extensionUrns": [*document["extensionUrns"], {"extensionUrnAnchor": 9, "urn": urn}],
        "extensions": [*document["extensions"], {"extensionFunction": function}],
    }


def called(*args: Json, out: Json = I64) -> Json:
    arguments = [{"value": one} for one in args]
    return {"scalarFunction": {"functionReference": 77, "arguments": arguments, "outputType": out}}


ARITHMETIC = "extension:io.substrait:functions_arithmetic"
ADDED = with_column(called(field(0), field(0)))
TRUE = lit(boolean=True)
MORE = call("gt", field(0), lit(i64="1"), out=BOOL)


def virtual(*rows: list[Json], **columns: Json) -> Json:
    table = {"expressions": [{"fields": row} for row in rows]}
    return {"read": {"baseSchema": schema(**columns), "virtualTable": table}}


def one_column(type_: Json, **more: Any) -> Json:
    """A read of a table of one column."""
    columns = {"names": ["a"], "struct": {"types": [type_], "nullability": "NULLABILITY_REQUIRED"}, **more}
    return {"read": {"baseSchema": columns, "namedTable": {"names": ["t"]}}}


def exists(rel: Json) -> Json:
    return {"subquery": {"setPredicate": {"predicateOp": "PREDICATE_OP_EXISTS", "tuples": rel}}}


def without(value: Json, *names: str) -> Json:
    """The one message in it, without some of its fields."""
    ((kind, inner),) = value.items()
    return {kind: {name: part for name, part in inner.items() if name not in names}}


def own(name: str, **parts: Any) -> Json:
    return {"@type": f"type.googleapis.com/firesteel.{name}", **parts}


LISTED = {"sort": {"input": read(), "sorts": [{"expr": field(0), "direction": ASC}]}}
BOTH = {"join": {"left": read(), "right": read("u"), "type": "JOIN_TYPE_INNER", "expression": TRUE}}
KEYS = [{"left": field(0)["selection"], "right": field(0)["selection"], "comparison": {"simple": 1}}]
HASHED = {"hashJoin": {"left": read(), "right": read("u"), "type": "JOIN_TYPE_INNER", "keys": KEYS}}
UNITED = {"set": {"inputs": [read(), read("u")], "op": "SET_OP_UNION_ALL"}}
COUNTED = {"measure": measure("count", out=I64)}


def fetched(**counts: Json) -> Json:
    return over({"fetch": {"input": read(), **counts}})


def aliased(target: Json) -> Json:
    """A plan with a column whose type is the alias 3, which stands for that."""
    alias = {"alias": {"typeAliasReference": 3, "nullability": "NULLABILITY_REQUIRED"}}
    return over(one_column(alias), 1, typeAliases=[{"typeAliasAnchor": 3, "type": target}])


WORDS = type_("list", type=type_("string"))


def each(lambda_: Json, **others: Any) -> Json:
    """A lambda over a list of texts."""
    made_ = call("transform", field(0), lambda_, out=WORDS)
    return over(project(one_column(WORDS), made_), 2, **others)


def lambda_(body: Json) -> Json:
    return {"parameters": {"types": [type_("string")], "nullability": "NULLABILITY_REQUIRED"}, "body": body}


ITSELF = lambda_(field(0, lambdaParameterReference={}))


def invoked(*args: Json) -> Json:
    return with_column({"lambdaInvocation": {"lambda": ITSELF, "arguments": {"fields": list(args)}}})


def windowed(bounds: Json, *sorts: Json, **more: Any) -> Json:
    function = {**measure("sum", field(0), out=type_("i64", nullable=True)), **bounds, **more}
    sorted_ = [{"expr": one, "direction": ASC} for one in sorts or (field(0),)]
    return over({"window": {"input": read(), "windowFunctions": [function], "sorts": sorted_}}, 4)


def rows(lower: Json, upper: Json, unit: str = "ROWS") -> Json:
    return {"boundsType": f"BOUNDS_TYPE_{unit}", "lowerBound": lower, "upperBound": upper}


ONE_BEFORE, HERE = {"preceding": {"offset": "1"}}, {"currentRow": {}}


def aggregated(*groupings: Json, **more: Any) -> Json:
    parts = {"groupingExpressions": [field(0)], "groupings": list(groupings), "measures": [COUNTED], **more}
    return over({"aggregate": {"input": read(), **parts}}, 2)


def exchanged(**parts: Any) -> Json:
    return over({"exchange": {"input": read(), "roundRobin": {}, **parts}})


def targets(partition: int) -> Json:
    return exchanged(partitionCount=2, targets=[{"partitionId": [partition], "uri": "file:///x"}])


def bucketed(bucket: Json) -> Json:
    return over({"exchange": {"input": read(), "partitionCount": 2, "singleTarget": {"expression": bucket}}})


def expanded(other: Json) -> Json:
    switching = {"switchingField": {"duplicates": [field(0), other]}}
    return over({"expand": {"input": read(), "fields": [switching]}}, 4)


def promising(distribution: Json) -> Json:
    said = own("ReadProperties", distribution=distribution)
    return over(read(advancedExtension={"optimization": [said]}))


def limited(records: int) -> Json:
    held = {"optimization": [own("RecordLimit", maxRecords=str(records))]}
    return over({**filtered(read(), TRUE, common={"hint": {"constraint": {"advancedExtension": held}}})})


def captured(kind: str, *inputs: Json) -> Json:
    return over({"extensionMulti": {"inputs": list(inputs), "detail": own(kind)}})


def written(*columns: str) -> Json:
    table = schema(**dict.fromkeys(columns, I64))
    write = {"namedTable": {"names": ["w"]}, "tableSchema": table, "op": "WRITE_OP_CTAS", "input": one_column(I64)}
    return planned({"rel": {"write": {**write, "createMode": "CREATE_MODE_ERROR_IF_EXISTS"}}})


def chosen(other: Json) -> Json:
    return with_column({"ifThen": {"ifs": [{"if": TRUE, "then": lit(i32=1)}], "else": other}})


def compared_by(returns: str) -> Json:
    """A sort by a comparison function of a test's own extension."""
    sort = {"expr": field(0), "comparisonFunctionReference": 77}
    return declaring(over({"sort": {"input": read(), "sorts": [sort]}}), "extension:test:rules", f"{returns}:any_any")


MERGED = {"mergeJoin": {**HASHED["hashJoin"], "left": LISTED}}
SORTED_MERGE = {
    "mergeJoin": {
        **HASHED["hashJoin"],
        "left": LISTED,
        "right": {"sort": {"input": read("u"), "sorts": [{"expr": field(0), "direction": ASC}]}},
    }
}
NULLS = type_("i64", nullable=True)
PAIR = type_("struct", types=[I64, I64])

_PLAN = [
    RuleCase(PlanRule.REQUIRED, over({"filter": {"input": read()}}), "input/filter", kept(TRUE)),
    RuleCase(PlanRule.SAYS_NOTHING, kept({}), "filter/condition", kept(TRUE)),
    RuleCase(PlanRule.NOT_SAID, over(without(UNITED, "op")), "input/set", over(UNITED)),
    RuleCase(PlanRule.EMPTY, over(without(LISTED, "sorts")), "input/sort", over(LISTED)),
    RuleCase(
        PlanRule.TWO_FORMS,
        with_column(call("add", field(0), field(0), out=I64, args=[field(0)])),
        "expressions[0]/scalar_function",
        with_column(call("add", field(0), field(0), out=I64)),
        beside=("FS309",),
    ),
    RuleCase(
        PlanRule.OWN_MESSAGE,
        declaring(ADDED, "extension:firesteel:partiql", "nothing_of_that_name:any_any"),
        "expressions[0]/scalar_function",
        declaring(ADDED, "extension:firesteel:partiql", "plus:any_any"),
    ),
    RuleCase(PlanRule.NO_VERSION, over(read(), version={}), "", over(read())),
    RuleCase(PlanRule.NO_ROOT, planned({"rel": read()}), "", over(read())),
    RuleCase(PlanRule.OLD_FORM, fetched(count="3"), "input/fetch", fetched(countExpr=lit(i64="3"))),
]
_ANCHORS = [
    RuleCase(
        AnchorRule.TWICE,
        over({"cross": {"left": read(common={"relAnchor": 7}), "right": read("u", common={"relAnchor": 7})}}, 6),
        "right/read/common",
        over({"cross": {"left": read(common={"relAnchor": 7}), "right": read("u", common={"relAnchor": 8})}}, 6),
    ),
    RuleCase(
        AnchorRule.FUNCTION_ANCHOR,
        ADDED,
        "expressions[0]/scalar_function",
        declaring(ADDED, ARITHMETIC, "add:i64_i64"),
    ),
    RuleCase(
        AnchorRule.TYPE_ANCHOR,
        {**aliased(I64), "typeAliases": []},
        "types[0]/alias",
        aliased(I64),
    ),
    RuleCase(
        AnchorRule.URN_ANCHOR,
        declaring(ADDED, ARITHMETIC, "add:i64_i64", extensionUrnReference=5)
        | {"extensionUrns": [{"extensionUrnAnchor": 9, "urn": ARITHMETIC}]},
        "extensions[0]/extension_function",
        declaring(ADDED, ARITHMETIC, "add:i64_i64"),
        beside=("FS315",),
    ),
    RuleCase(
        AnchorRule.UNUSED,
        over(read(), parameterBindings=[{"parameterAnchor": 3, "value": {"i64": "3"}}]),
        "parameter_bindings[0]",
        with_column(
            {"dynamicParameter": {"type": I64, "parameterReference": 3}},
            parameterBindings=[{"parameterAnchor": 3, "value": {"i64": "3"}}],
        ),
    ),
    RuleCase(
        AnchorRule.LAMBDA_ANCHOR,
        each({"namedLambdaReference": {"lambdaReference": 4}}),
        "value/named_lambda_reference",
        each({"namedLambdaReference": {"lambdaReference": 4}}, namedLambdas=[{"lambdaAnchor": 4, "lambda": ITSELF}]),
    ),
    RuleCase(AnchorRule.CYCLE, aliased(type_("alias", typeAliasReference=3)), "types[0]/alias", aliased(I64)),
]
_REFERENCES = [
    RuleCase(ReferenceRule.FIELD, with_column(field(7)), "direct_reference/struct_field", with_column(field(2))),
    RuleCase(
        ReferenceRule.OUTER,
        kept(exists(filtered(read("u"), call("gt", outer(0, 3), lit(i64="1"), out=BOOL)))),
        "selection/outer_reference",
        kept(exists(filtered(read("u"), call("gt", outer(0), lit(i64="1"), out=BOOL)))),
    ),
    RuleCase(
        ReferenceRule.LAMBDA_STEPS,
        each({"lambda": lambda_(field(0, lambdaParameterReference={"stepsOut": 2}))}),
        "body/selection",
        each({"lambda": ITSELF}),
    ),
    RuleCase(
        ReferenceRule.NO_ROW,
        over(virtual([field(0)], a=I64), 1),
        "fields[0]/selection",
        over(virtual([lit(i64="1")], a=I64), 1),
    ),
    RuleCase(
        ReferenceRule.REFERENCE_KIND,
        with_column(
            {
                "selection": {
                    "directReference": {"structField": {"field": 0, "child": {"structField": {"field": 0}}}},
                    "rootReference": {},
                }
            }
        ),
        "child/struct_field",
        with_column(field(0)),
    ),
    RuleCase(
        ReferenceRule.EMIT,
        over(project(read(), common=emit(0, 9)), 2),
        "common/emit/output_mapping[1]",
        over(project(read(), common=emit(0, 2)), 2),
    ),
    RuleCase(
        ReferenceRule.SUBTREE,
        planned({"rel": read()}, root({"reference": {"subtreeOrdinal": 5}}, *"abc")),
        "input/reference",
        planned({"rel": read()}, root({"reference": {"subtreeOrdinal": 0}}, *"abc")),
    ),
    RuleCase(
        ReferenceRule.GROUPING_FIELD,
        aggregated({"expressionReferences": [0, 4]}),
        "groupings[0]/expression_references[1]",
        aggregated({"expressionReferences": [0]}),
    ),
    RuleCase(
        ReferenceRule.DETACHED,
        planned({**root({"detachedRelOrdinal": 2}, *"abc"), "detachedRels": [read()]}),
        "root/input",
        planned({**root({"detachedRelOrdinal": 0}, *"abc"), "detachedRels": [read()]}),
    ),
]
_TYPES = [
    RuleCase(
        TypeRule.TYPE_PARAMETER,
        over(one_column(type_("decimal", precision=99, scale=2)), 1),
        "types[0]/decimal",
        over(one_column(type_("decimal", precision=9, scale=2)), 1),
    ),
    RuleCase(TypeRule.NULLABILITY, over(one_column({"i64": {}}), 1), "struct/types[0]", over(one_column(I64), 1)),
    RuleCase(
        TypeRule.SCHEMA_STRUCT,
        over(one_column(I64, struct={"types": [I64]}), 1),
        "base_schema/struct",
        over(one_column(I64), 1),
    ),
    RuleCase(
        TypeRule.TABLE_TYPE,
        over({"read": {"baseSchema": {"names": ["a"]}, "namedTable": {"names": ["t"]}}}, 1),
        "read/base_schema",
        over(one_column(I64), 1),
    ),
]
_CALLS = [
    RuleCase(
        CallRule.OUTPUT_NULLABILITY,
        with_column(call("lower", field(1), out=type_("string"))),
        "expressions[0]/scalar_function",
        with_column(call("lower", field(1), out=STRING)),
    ),
    RuleCase(
        CallRule.FUNCTION,
        declaring(ADDED, ARITHMETIC, "ad:i64_i64"),
        "expressions[0]/scalar_function",
        declaring(ADDED, ARITHMETIC, "add:i64_i64"),
    ),
    RuleCase(
        CallRule.FUNCTION_KIND,
        declaring(ADDED, ARITHMETIC, "sum:i64"),
        "expressions[0]/scalar_function",
        declaring(ADDED, ARITHMETIC, "subtract:i64_i64"),
    ),
    RuleCase(
        CallRule.SIGNATURE,
        with_column(call("add", field(0), field(1), out=I64)),
        "expressions[0]/scalar_function",
        with_column(call("add", field(0), field(0), out=I64)),
    ),
    RuleCase(
        CallRule.OUTPUT_TYPE,
        with_column(call("add", field(0), field(0), out=type_("string"))),
        "expressions[0]/scalar_function",
        with_column(call("add", field(0), field(0), out=I64)),
    ),
    RuleCase(
        CallRule.NO_OUTPUT_TYPE,
        with_column(call("add", field(0), field(0), out={})),
        "expressions[0]/scalar_function",
        with_column(call("add", field(0), field(0), out=I64)),
    ),
    RuleCase(CallRule.LAMBDA, invoked(), "expressions[0]/lambda_invocation", invoked(lit(string="x"))),
    RuleCase(CallRule.COMPARATOR, compared_by("text"), "sorts[0]", compared_by("number")),
    RuleCase(
        CallRule.PARAMETER,
        with_column(
            {"dynamicParameter": {"type": I64, "parameterReference": 3}},
            parameterBindings=[{"parameterAnchor": 3, "value": {"string": "x"}}],
        ),
        "expressions[0]/dynamic_parameter",
        with_column(
            {"dynamicParameter": {"type": I64, "parameterReference": 3}},
            parameterBindings=[{"parameterAnchor": 3, "value": {"i64": "3"}}],
        ),
    ),
    RuleCase(
        CallRule.BARE_NAME,
        declaring(ADDED, ARITHMETIC, "add"),
        "extensions[0]/extension_function",
        declaring(ADDED, ARITHMETIC, "add:i64_i64"),
    ),
]
_NAMES = [
    RuleCase(NameRule.ROOT_NAMES, over(read(), 2), "relations[0]/root", over(read(), 3)),
    RuleCase(
        NameRule.SCHEMA_NAMES,
        over(one_column(I64, names=["a", "b"]), 1),
        "read/base_schema",
        over(one_column(I64), 1),
    ),
    RuleCase(
        NameRule.SAME_NAME,
        over(read(baseSchema={**schema(a=I64, b=I64, c=I64), "names": ["a", "b", "a"]})),
        "read/base_schema",
        over(read(baseSchema=schema(a=I64, b=I64, c=I64))),
    ),
    RuleCase(
        NameRule.NESTED_NAMES,
        over(one_column(PAIR, names=["a", "x", "y"]), 1),
        "relations[0]/root",
        planned(root(one_column(PAIR, names=["a", "x", "y"]), "a", "x", "y")),
    ),
    RuleCase(NameRule.WRITE_NAMES, written("a", "b"), "write/input", written("a")),
]
_LITERALS = [
    RuleCase(LiteralRule.INTEGER, with_column(lit(i8=300)), "expressions[0]/literal", with_column(lit(i8=100))),
    RuleCase(
        LiteralRule.DECIMAL,
        with_column(lit(decimal={"value": "AAAA", "precision": 9, "scale": 2})),
        "expressions[0]/literal",
        with_column(lit(decimal={"value": "OTAAAAAAAAAAAAAAAAAAAA==", "precision": 9, "scale": 2})),
    ),
    RuleCase(
        LiteralRule.TIME,
        with_column(lit(precisionTime={"precision": 0, "value": "86400"})),
        "expressions[0]/literal",
        with_column(lit(precisionTime={"precision": 0, "value": "86399"})),
    ),
    RuleCase(
        LiteralRule.LENGTH,
        with_column(lit(varChar={"value": "abc", "length": 2})),
        "expressions[0]/literal",
        with_column(lit(varChar={"value": "abc", "length": 3})),
    ),
    RuleCase(LiteralRule.NULL, with_column(lit(null=I64)), "expressions[0]/literal", with_column(lit(null=NULLS))),
    RuleCase(
        LiteralRule.EMPTY_COLLECTION,
        with_column(lit(list={})),
        "expressions[0]/literal",
        with_column(lit(emptyList={"type": I64, "nullability": "NULLABILITY_REQUIRED"})),
    ),
    RuleCase(
        LiteralRule.ELEMENTS,
        with_column(lit(list={"values": [{"i32": 1}, {"string": "x"}]})),
        "expressions[0]/literal",
        with_column(lit(list={"values": [{"i32": 1}, {"i32": 2}]})),
    ),
    RuleCase(
        LiteralRule.CALENDAR,
        with_column(lit(date=-400_000)),
        "expressions[0]/literal",
        with_column(lit(date=-300_000)),
    ),
]
_RELATIONS = [
    RuleCase(
        RelationRule.ROW,
        over(virtual([lit(i64="1")], [lit(i64="1"), lit(i64="2")], a=I64), 1),
        "virtual_table/expressions[1]",
        over(virtual([lit(i64="1")], [lit(i64="2")], a=I64), 1),
    ),
    RuleCase(
        RelationRule.SORT,
        over({"sort": {"input": read(), "sorts": [{"expr": field(0)}]}}),
        "sort/sorts[0]",
        over(LISTED),
    ),
    RuleCase(RelationRule.JOIN_TYPE, over(without(BOTH, "type"), 6), "input/join", over(BOTH, 6)),
    RuleCase(RelationRule.JOIN_KEYS, over(without(HASHED, "keys"), 6), "input/hash_join", over(HASHED, 6)),
    RuleCase(
        RelationRule.SET_INPUTS,
        over({"set": {"inputs": [read()], "op": "SET_OP_UNION_ALL"}}),
        "input/set",
        over(UNITED),
    ),
    RuleCase(
        RelationRule.SET_COLUMNS,
        over({"set": {"inputs": [read(), one_column(I64)], "op": "SET_OP_UNION_ALL"}}),
        "set/inputs[1]",
        over(UNITED),
    ),
    RuleCase(RelationRule.FETCH, fetched(countExpr=lit(i64="-3")), "input/fetch", fetched(countExpr=lit(i64="3"))),
    RuleCase(
        RelationRule.PHASE,
        aggregated({"expressionReferences": [0]}, measures=[without(COUNTED, "phase")]),
        "measures[0]/measure",
        aggregated({"expressionReferences": [0]}),
    ),
    RuleCase(
        RelationRule.FRAME,
        windowed(rows(ONE_BEFORE, HERE, "RANGE"), field(0), field(2)),
        "window_functions[0]",
        windowed(rows(ONE_BEFORE, HERE, "RANGE"), field(0)),
    ),
    RuleCase(
        RelationRule.FRAME_OFFSET,
        windowed(rows({"preceding": {"offset": "0"}}, HERE)),
        "window_functions[0]/lower_bound",
        windowed(rows(ONE_BEFORE, HERE)),
    ),
    RuleCase(
        RelationRule.FRAME_ORDER,
        windowed(rows({"following": {"offset": "1"}}, HERE)),
        "window_functions[0]",
        windowed(rows(HERE, {"following": {"offset": "1"}})),
    ),
    RuleCase(RelationRule.PARTITIONS, targets(5), "targets[0]/partition_id[0]", targets(1)),
    RuleCase(RelationRule.BUCKETS, bucketed(field(1)), "single_target/expression", bucketed(field(2))),
    RuleCase(RelationRule.SWITCHING, expanded(field(1)), "expand/fields[0]", expanded(lit(i64="1"))),
    RuleCase(
        RelationRule.DISTRIBUTION,
        promising({"type": "DISTRIBUTION_TYPE_PARTITIONED"}),
        "distribution",
        promising({"type": "DISTRIBUTION_TYPE_SINGLETON"}),
    ),
    RuleCase(RelationRule.INPUT_ORDER, over(MERGED, 6), "input/merge_join", over(SORTED_MERGE, 6)),
    RuleCase(RelationRule.LIMIT, limited(-1), "optimization[0]/value", limited(5)),
    RuleCase(
        RelationRule.INPUTS,
        captured("SimpleCapture", read(), read("u")),
        "extension_multi/detail",
        captured("SimpleCapture", read()),
    ),
    RuleCase(
        RelationRule.SET_TYPES,
        over({"set": {"inputs": [one_column(I64), one_column(I32)], "op": "SET_OP_UNION_ALL"}}, 1),
        "set/inputs[1]",
        over({"set": {"inputs": [one_column(I64), one_column(I64)], "op": "SET_OP_UNION_ALL"}}, 1),
    ),
]
_EXPRESSIONS = [
    RuleCase(ExpressionRule.CONDITION, kept(field(0)), "filter/condition", kept(MORE)),
    RuleCase(
        ExpressionRule.COMPARED,
        with_column({"singularOrList": {"value": field(0), "options": [lit(string="x")]}}),
        "singular_or_list/options[0]",
        with_column({"singularOrList": {"value": field(0), "options": [lit(i64="1")]}}),
    ),
    RuleCase(ExpressionRule.RESULTS, chosen(lit(string="x")), "expressions[0]/if_then", chosen(lit(i32=2)), ("FS397",)),
    RuleCase(
        ExpressionRule.SUBQUERY,
        with_column({"subquery": {"scalar": {"input": read("u")}}}),
        "subquery/scalar",
        with_column({"subquery": {"scalar": {"input": one_column(I64)}}}),
    ),
    RuleCase(
        ExpressionRule.RECORD,
        with_column({"multiOrList": {"value": [field(0)], "options": [{"fields": [lit(i64="1"), lit(i64="2")]}]}}),
        "multi_or_list/options[0]",
        with_column({"multiOrList": {"value": [field(0)], "options": [{"fields": [lit(i64="1")]}]}}),
    ),
    RuleCase(
        ExpressionRule.OUT_OF_PLACE,
        with_column({"enum": {"specified": "YEAR"}}),
        "expressions[0]/enum",
        with_column(lit(string="YEAR")),
        beside=("FS309",),
    ),
    RuleCase(ExpressionRule.RESULT_TYPES, chosen(lit(i64="2")), "expressions[0]/if_then", chosen(lit(i32=2))),
]

RULE_CASES = (
    *_PLAN,
    *_ANCHORS,
    *_REFERENCES,
    *_TYPES,
    *_CALLS,
    *_NAMES,
    *_LITERALS,
    *_RELATIONS,
    *_EXPRESSIONS,
)
