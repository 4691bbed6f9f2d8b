"""Rules about references, relations and expressions."""

from __future__ import annotations

from firesteel.rules.base import Rule, Severity

_WARNING, _NOTE = Severity.WARNING, Severity.NOTE


class ReferenceRule(Rule):
    """What references refer to."""

    FIELD = (
        "FS321",
        "a field reference is to a field that is there",
        "Field references: ordinals of the incoming columns, from 0",
        "count the input's columns from 0; `firesteel explain` shows them",
    )
    OUTER = (
        "FS322",
        "an outer reference is to a relation around the expression",
        "Field references: outer references, by steps or by anchor",
        "steps count the subqueries around the expression from 1; an anchor is that of the outer relation's input",
    )
    LAMBDA_STEPS = (
        "FS323",
        "a lambda parameter reference is to a lambda around it",
        "Field references: lambda parameters",
        "steps count the lambdas around the reference from 0",
    )
    NO_ROW = (
        "FS324",
        "an expression without an input refers to no field",
        "Relations: virtual tables and fetch counts have no incoming row",
        "use a literal, a parameter or an outer reference",
    )
    REFERENCE_KIND = (
        "FS325",
        "a reference goes into a value that has such parts",
        "Field references: struct fields, list elements, map keys",
        "refer to a field of a struct, an element of a list or a key of a map",
    )
    EMIT = (
        "FS326",
        "an emit lists columns that the relation gives",
        "Basics: Emit, a listed ordering of the direct outputs",
        "count the relation's direct output from 0",
    )
    SUBTREE = (
        "FS327",
        "a reference relation refers to an earlier relation tree",
        "Basics: references to the result set of a previously evaluated subtree",
        "put the tree before the one that refers to it",
    )
    GROUPING_FIELD = (
        "FS328",
        "a grouping set lists grouping expressions that are there",
        "Logical relations: Aggregate, grouping sets",
        "count AggregateRel.grouping_expressions from 0",
    )
    DETACHED = (
        "FS329",
        "an ordinal of a detached message is that of one",
        "Serialization: detached relations and expressions",
        "count the tree's detached messages from 0",
    )


class RelationRule(Rule):
    """What each kind of relation asks for."""

    ROW = (
        "FS371",
        "a row of a virtual table has a value of the type of each column",
        "Logical relations: Read, virtual table; direct schema",
        "give each row one value per column of base_schema, of its type",
    )
    SORT = (
        "FS372",
        "a sort field says its direction",
        "Basics: Orderedness, sort direction is required",
        "set one of the directions, such as SORT_DIRECTION_ASC_NULLS_FIRST",
    )
    JOIN_TYPE = (
        "FS373",
        "a join says its type, and a lateral join keeps the left side",
        "Logical relations: Join, join type is required",
        "set one of the join types",
    )
    JOIN_KEYS = (
        "FS374",
        "a join by keys has pairs of a left and a right key",
        "Physical relations: Hash and Merge equijoin, left and right keys",
        "give as many left keys as right keys, at least one",
    )
    SET_INPUTS = (
        "FS375",
        "a set relation has a primary input and at least one secondary input",
        "Logical relations: Set, inputs 2 or more",
        "give the relation another input, or take its input instead of it",
    )
    SET_COLUMNS = (
        "FS376",
        "the inputs of a set relation have the same columns",
        "Logical relations: Set, inputs have the same field types and field ordering",
        "project the inputs to the same columns",
    )
    FETCH = (
        "FS377",
        "an offset and a count are integers, and not negative",
        "Logical relations: Fetch, offset and count",
        "give integers from 0 on; no count means all rows",
    )
    PHASE = (
        "FS378",
        "an aggregate function says its phase",
        "Aggregate functions: aggregation phase",
        "set AGGREGATION_PHASE_INITIAL_TO_RESULT",
        _NOTE,
    )
    FRAME = (
        "FS379",
        "a range around a value goes by one number or time to sort by",
        "Window functions: bounds type RANGE",
        "sort by one such field, or use BOUNDS_TYPE_ROWS",
    )
    FRAME_OFFSET = (
        "FS380",
        "a window bound is a positive number of rows before or after the current row",
        "Window functions: bounds, preceding and following",
        "use current_row for 0, and the other direction for negative numbers",
        _WARNING,
    )
    FRAME_ORDER = (
        "FS381",
        "a window frame does not begin after its end",
        "Window functions: lower and upper bound",
        "swap the bounds: such a frame has no rows",
        _WARNING,
    )
    PARTITIONS = (
        "FS382",
        "the partitions of an exchange are from 0 to its partition count",
        "Physical relations: Exchange, partition count and targets",
        "give a positive count and partitions below it",
    )
    BUCKETS = (
        "FS383",
        "the expression of an exchange gives a bucket, or a list of buckets",
        "Physical relations: Exchange, single and multi bucket expression",
        "give an integer, or a list of integers",
    )
    SWITCHING = (
        "FS384",
        "the duplicates of a switching field are of one type",
        "Physical relations: Expand, switching field",
        "cast the duplicates to one type",
    )
    DISTRIBUTION = (
        "FS385",
        "a partitioned distribution has fields, and a single partition has none",
        "Basics: Distribution, fields are required for partitioned and disallowed for singleton",
        "list the fields of a partitioned distribution only",
    )
    INPUT_ORDER = (
        "FS386",
        "an input has the order that its relation relies on",
        "Physical relations: merge joins, streaming aggregates and windows, merging capture",
        "sort the input, or promise its order",
    )
    LIMIT = (
        "FS387",
        "a constraint is not negative",
        "Basics: Common properties, constraint",
        "give the limit a number from 0 on",
    )
    INPUTS = (
        "FS388",
        "a relation has as many inputs as its kind takes",
        "Relations: signatures, inputs",
        "give the relation its inputs",
    )
    SET_TYPES = (
        "FS389",
        "the columns of a set relation's inputs are of equal types",
        "Logical relations: Set, inputs have the same field types and field ordering",
        "cast the columns to the same types",
        _WARNING,
    )


class ExpressionRule(Rule):
    """What expressions ask of their parts."""

    CONDITION = (
        "FS391",
        "a condition is a boolean",
        "Logical relations: Filter and Join, a boolean expression; IfThen",
        "compare the value with something",
    )
    COMPARED = (
        "FS392",
        "values that are compared have types of one family",
        "Expressions: SingularOrList, Switch, IN; join keys",
        "cast one of the values",
    )
    RESULTS = (
        "FS393",
        "all results of a choice, and all elements of a list, are of one type",
        "Expressions: IfThen and Switch; nested lists and maps",
        "cast the results to one type",
    )
    SUBQUERY = (
        "FS394",
        "a subquery has as many columns as it is compared with",
        "Expressions: subqueries, scalar, IN and set comparison",
        "project the subquery to those columns",
    )
    RECORD = (
        "FS395",
        "a record of a multi-or-list has a field for each value",
        "Expressions: MultiOrList",
        "give each record as many fields as there are values",
    )
    OUT_OF_PLACE = (
        "FS396",
        "an enumeration or a lambda is an argument of a function",
        "Expressions: function arguments",
        "give it as an argument of a function",
    )
    RESULT_TYPES = (
        "FS397",
        "the results of a choice are of equal types",
        "Expressions: IfThen and Switch, results of the same type",
        "cast the results to the same type",
        _WARNING,
    )
