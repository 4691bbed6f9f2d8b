"""Plans that are wrong, or that nobody can run: the kind of error, and the place in the plan that it names."""

from __future__ import annotations

from firesteel.errors import AnalysisError, EvaluationError, PlanError, UnsupportedError
from tests.substrait.plans.build import (
    add,
    eq,
    f,
    gt,
    i64,
    lit,
    mask,
    over,
    text,
)
from tests.substrait.plans.cases import PEOPLE, Cases
from tests.substrait.plans.kinds import type_
from tests.substrait.plans.relations import (
    aggregate,
    combined,
    detached_rel,
    expand,
    fetch,
    filtered,
    join,
    keyed_join,
    measure,
    ordered,
    project,
    read,
    reference,
    top_n,
    virtual,
)

CASES = Cases("wrong")
fails = CASES.fails
ONE = virtual("x i64", (1,))
TWO = virtual("x i64, y string", (1, "a"))

# Relations -----------------------------------------------------------------------------------------------------------

fails("a filter by an integer", filtered(ONE, f(0)), PlanError, "filter/condition")
fails("a filter without a condition", {"filter": {"input": ONE}}, PlanError, "root/input/filter")
fails(
    "an emit that is not there",
    filtered(ONE, gt(f(0), i64(0)), emit=[1]),
    PlanError,
    "filter/common/emit/output_mapping[0]",
)
fails("a negative emit", project(ONE, i64(1), emit=[0, -1]), PlanError, "project/common/emit/output_mapping[1]")
fails("a relation that says nothing", {}, PlanError, "root/input")
fails(
    "a row of another width",
    {"read": {"baseSchema": TWO["read"]["baseSchema"], "virtualTable": {"expressions": [{"fields": [i64(1)]}]}}},
    PlanError,
    "virtual_table/expressions[0]",
    width=2,
)
fails(
    "a value of another type than its column",
    virtual("x i64", (text("a"),)),
    PlanError,
    "virtual_table/expressions[0]/fields[0]",
)
fails(
    "a narrower integer than its column",
    virtual("x i32", (lit("i8", 1),)),
    PlanError,
    "virtual_table/expressions[0]/fields[0]",
)
fails(
    "fewer names than columns in a schema",
    {"read": {"baseSchema": {"names": ["x"], "struct": {"types": [type_("i64"), type_("i64")]}}, "virtualTable": {}}},
    PlanError,
    "read/base_schema",
)
fails("more names than columns in a root", ONE, PlanError, "relations[0]/root", width=3)
fails("fewer names than columns in a root", TWO, PlanError, "relations[0]/root", width=1)
fails("no such table", read("nobody", "x i64"), AnalysisError, "root/input/read")
fails("no such column", read("people", "id i64, age i64"), PlanError, "read/base_schema", width=2)
fails("two columns that differ in case only", read("twins", "Ab i64"), PlanError, "read/base_schema")
fails("a column of another type", read("people", "name i64"), PlanError, "read/base_schema")
fails("a column that loses digits", read("people", "pay i64"), PlanError, "read/base_schema")
fails("a value that does not fit its declared type", read("people", "pay decimal<4,2>?"), EvaluationError)
fails(
    "a projection that is not there",
    read("people", PEOPLE, select=mask([4])),
    PlanError,
    "read/projection/select/struct_items[0]",
)
fails("a sort without fields", ordered(ONE), PlanError, "root/input/sort")
fails("a sort without a direction", ordered(ONE, (f(0), "UNSPECIFIED")), PlanError, "sort/sorts[0]")
fails("a negative count", fetch(ONE, count=i64(-1)), PlanError, "root/input/fetch")
fails("a count that is text", fetch(ONE, count=text("2")), PlanError, "root/input/fetch")
fails("a top-N without fields", top_n(ONE, count=i64(1)), PlanError, "root/input/top_n")
fails("a set of one", combined("UNION_ALL", ONE), PlanError, "root/input/set")
fails("a set that does not say which", combined("UNSPECIFIED", ONE, ONE), PlanError, "root/input/set")
fails("a set of two widths", combined("UNION_ALL", ONE, TWO), PlanError, "set/inputs[1]")
fails("a set of two types", combined("UNION_ALL", ONE, virtual("x string", ("a",))), PlanError, "set/inputs[1]")
fails("a join that does not say which", join("UNSPECIFIED", ONE, ONE), PlanError, "root/input/join", width=2)
fails("a join by an integer", join("INNER", ONE, ONE, f(0)), PlanError, "join/expression", width=2)
fails(
    "a join by a field that is not there",
    join("INNER", ONE, ONE, eq(f(0), f(2))),
    PlanError,
    "arguments[1]/value/selection/direct_reference/struct_field",
    width=2,
)
fails(
    "a semi join with a filter on the other side",
    join("LEFT_SEMI", ONE, ONE, eq(f(0), f(1)), post=gt(f(1), i64(0))),
    PlanError,
    "post_join_filter/scalar_function/arguments[0]/value/selection/direct_reference/struct_field",
)
fails(
    "a lateral join without a left row",
    join("RIGHT", ONE, ONE, relation="lateralJoin"),
    PlanError,
    "root/input/lateral_join",
    width=2,
)
fails(
    "a lateral join of everything",
    join("OUTER", ONE, ONE, relation="lateralJoin"),
    PlanError,
    "root/input/lateral_join",
    width=2,
)
fails(
    "a key that is not there",
    keyed_join("hashJoin", "INNER", ONE, ONE, (0, 1)),
    PlanError,
    "hash_join/keys[0]/right",
    width=2,
)
fails(
    "keys of two types",
    keyed_join("hashJoin", "INNER", ONE, virtual("s string", ("a",)), (0, 0)),
    PlanError,
    "hash_join/keys[0]/right",
    width=2,
)
fails(
    "keys without a partner",
    {"hashJoin": {**keyed_join("hashJoin", "INNER", ONE, ONE, (0, 0), old=True)["hashJoin"], "rightKeys": []}},
    PlanError,
    "root/input/hash_join",
    width=2,
)
fails("an aggregate of nothing", aggregate(ONE, []), PlanError, "root/input/aggregate")
fails(
    "a grouping set with a key that is not there",
    aggregate(ONE, [f(0)], sets=[[1]]),
    PlanError,
    "groupings[0]/expression_references[0]",
)
fails(
    "a measure that is no aggregate",
    aggregate(ONE, [], measure("arithmetic:add", f(0), f(0))),
    PlanError,
    "measures[0]/measure",
)
fails(
    "a measure with a filter that is no boolean",
    aggregate(ONE, [], measure("arithmetic:sum", f(0), where=f(0))),
    PlanError,
    "measures[0]/filter",
)
fails(
    "half of an aggregate",
    aggregate(ONE, [], measure("arithmetic:sum", f(0), phase="INITIAL_TO_INTERMEDIATE")),
    UnsupportedError,
    "measures[0]/measure",
)
fails("an expand of two types", expand(TWO, [f(0), f(1)]), PlanError, "expand/fields[0]", width=3)
fails("an expand of no duplicates", expand(TWO, []), PlanError, "expand/fields[0]", width=3)
fails("an expand whose field says nothing", {"expand": {"input": ONE, "fields": [{}]}}, PlanError, "fields[0]", width=2)
fails("a hash join without keys", keyed_join("hashJoin", "INNER", ONE, TWO), PlanError, "input/hash_join", width=3)
fails("a merge join without keys", keyed_join("mergeJoin", "LEFT", ONE, TWO), PlanError, "input/merge_join", width=3)
fails("a join without a condition", join("INNER", ONE, TWO, None), PlanError, "root/input/join", width=3)
fails(
    "a lateral join without a condition",
    join("LEFT", ONE, TWO, None, relation="lateralJoin"),
    PlanError,
    "root/input/lateral_join",
    width=3,
)
fails("a top-N without a count", top_n(ONE, (f(0), "ASC_NULLS_LAST")), PlanError, "root/input/top_n")
fails("a read without a schema", {"read": {"namedTable": {"names": ["people"]}}}, PlanError, "root/input/read")
fails("a reference to what comes later", reference(1), PlanError, "root/input/reference")
fails("a reference to itself", reference(0), PlanError, "root/input/reference")
fails("a detached relation that there is not", detached_rel(0), PlanError, "root/input")
fails(
    "a detached relation in itself",
    detached_rel(0),
    PlanError,
    "detached_rels[0]/filter/input",
    rels=[filtered(detached_rel(0), gt(f(0), i64(0)))],
)
fails(
    "a window function in a filter",
    filtered(ONE, gt(over("arithmetic:row_number"), i64(1))),
    UnsupportedError,
    "arguments[0]/value/window_function",
)

# What nobody can run here --------------------------------------------------------------------------------------------

fails("an update", {"update": {"namedTable": {"names": ["people"]}}}, UnsupportedError, "update")
fails(
    "an extension",
    {"extensionLeaf": {"detail": {"typeUrl": "x/y", "value": ""}}},
    UnsupportedError,
    "extension_leaf/detail",
)
fails(
    "an order by a function",
    {
        "sort": {
            "input": ONE,
            "sorts": [{"expr": f(0), "comparisonFunctionReference": add()["scalarFunction"]["functionReference"]}],
        }
    },
    UnsupportedError,
    "sort/sorts[0]",
)
fails(
    "an iceberg table",
    {"read": {"baseSchema": ONE["read"]["baseSchema"], "icebergTable": {"direct": {"metadataUri": "file:/x"}}}},
    UnsupportedError,
    "root/input/read",
)

FOUND = [CASES]
