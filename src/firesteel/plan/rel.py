"""Relations, by the names and in the parameter order of the PartiQL Plan document."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY

from firesteel import types as t
from firesteel.node import Node
from firesteel.plan.base import NamingRel, Rel, Rex
from firesteel.plan.field_paths import emitted, field_path
from firesteel.plan.properties import (
    UNKNOWN,
    FieldPath,
    OrderField,
    Properties,
    Singleton,
    SortOrder,
    same_distribution,
)
from firesteel.plan.rex import Fn
from firesteel.types import Type


class Scan(NamingRel, tag="scan"):
    """A row for every element of a collection: (value), and with `identified` (value, record identifier).

    Anything else than a collection is one row; MISSING too. Strict: an error.
    """

    rex: Rex
    _: KW_ONLY
    identified: bool = False


class ScanIndexed(NamingRel, tag="scan_indexed"):
    """`Scan` with the index beside the value: MISSING unless the collection is a list (strict: an error)."""

    rex: Rex
    _: KW_ONLY
    identified: bool = False


class Unpivot(NamingRel, tag="unpivot"):
    """A row (key, value) for every attribute of a struct; of another value, one with the key `_1`; of MISSING, none."""

    rex: Rex


class Project(NamingRel, tag="project"):
    """A row of these expressions for every input row."""

    exprs: tuple[Rex, ...]
    input: Rel

    def properties(self, inputs: list[Properties]) -> Properties:
        return emitted(inputs[0], self.exprs)


class SameRows(Rel):
    """A relation of some of its input's rows, unchanged and in their partitions: orderedness and distribution stay."""

    def properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0]


class Filter(SameRows, tag="filter"):
    """Keep the rows for which the predicate is true."""

    predicate: Rex
    input: Rel


class SortSpec(Node):
    """One sort key. A `comparator` is a function of two values that gives -1, 0 or 1; it takes the place of the order
    of the type, and `order` may reverse it."""

    key: Rex
    order: SortOrder
    _: KW_ONLY
    comparator: Fn | None = None


def order_fields(specs: tuple[SortSpec, ...]) -> tuple[OrderField, ...]:
    """The fields that a sort by these keys orders rows by: up to the first key that is not a field."""
    found: list[OrderField] = []
    for spec in specs:
        path = field_path(spec.key)
        if path is None:
            break
        found.append(OrderField(frozenset([path]), spec.order, spec.comparator.name if spec.comparator else None))
    return tuple(found)


class Sort(Rel, tag="sort"):
    """The rows as a list, stably sorted by the total order."""

    specs: tuple[SortSpec, ...]
    input: Rel

    def properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].ordered_by(order_fields(self.specs))


class Strategy(enum.IntEnum):
    """How an aggregate groups: FULL is SQL's; PARTIAL (`GROUP PARTIAL BY`) leaves out rows with an absent key."""

    FULL = 0
    PARTIAL = 1


class Agg(Node, tag="agg"):
    """An aggregate call: of the rows that the filter is true of, in that order where the function asks for one."""

    fn: Fn
    args: tuple[Rex | Type, ...]
    _: KW_ONLY
    distinct: bool = False
    filter: Rex | None = None
    order: tuple[SortSpec, ...] = ()

    @property
    def type(self) -> Type:
        return self.fn.returns


class AggregateMethod(enum.Enum):
    """How groups are found. STREAMING needs rows with equal keys side by side, and keeps the order of the input."""

    HASH = "hash"
    STREAMING = "streaming"


class Aggregate(NamingRel, tag="aggregate"):
    """A row (keys, then aggregates) for every group; without keys one row, always."""

    strategy: Strategy
    aggs: tuple[Agg, ...]
    keys: tuple[Rex, ...]
    input: Rel
    _: KW_ONLY
    method: AggregateMethod | None = None

    def properties(self, inputs: list[Properties]) -> Properties:
        """The distribution stays if its fields are keys. A streaming aggregate keeps the order of its keys."""
        if not self.keys:
            return UNKNOWN.distributed(Singleton())
        kept = emitted(inputs[0], self.keys)
        return kept if self.method is AggregateMethod.STREAMING else kept.without_order()

    @property
    def keeps_order(self) -> bool:
        """Does it give its groups in the order of its input's rows?"""
        return self.method is AggregateMethod.STREAMING and bool(self.keys)


class Quantifier(enum.Enum):
    """ALL keeps duplicates, DISTINCT does not."""

    ALL = "all"
    DISTINCT = "distinct"


class SetRel(Rel):
    """The operators on two relations of one schema; rows are the same by deep equality, NULL with NULL."""

    left: Rel
    right: Rel
    _: KW_ONLY
    quantifier: Quantifier = Quantifier.ALL

    def properties(self, inputs: list[Properties]) -> Properties:
        """The distribution stays if both inputs have the same."""
        return UNKNOWN.distributed(same_distribution(inputs[0].distribution, inputs[1].distribution))


class Union(SetRel, tag="union"):
    """The rows of both."""


class Intersect(SetRel, tag="intersect"):
    """The rows that both have, as often as both have them."""


class Except(SetRel, tag="except"):
    """The rows of the left, less those of the right."""


class Shared(SameRows, tag="shared"):
    """A relation that several places refer to by its name: it sees no row around it, and runs once for all of them."""

    name: str
    input: Rel


class Distinct(Rel, tag="distinct"):
    """Every row once: rows are the same by deep equality, NULL with NULL, MISSING with MISSING."""

    input: Rel

    def properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].without_order()


class FrameUnit(enum.Enum):
    """What the bounds of a window's frame count: rows, values of the sort key, or groups of equal ones."""

    ROWS = "rows"
    RANGE = "range"
    GROUPS = "groups"


class BoundSide(enum.Enum):
    """On which side of the current row a bound lies."""

    PRECEDING = "preceding"
    CURRENT = "current"
    FOLLOWING = "following"


class Bound(Node, tag="bound"):
    """An end of a frame; without an offset it is unbounded."""

    side: BoundSide
    offset: Rex | None


class Frame(Node, tag="frame"):
    """The rows around the current one that a window call sees."""

    unit: FrameUnit
    start: Bound
    end: Bound


class WindowCall(Node, tag="window_call"):
    """A function over the rows of the current row's partition. Without a frame: up to the current row's last peer
    where there is an order, else all of the partition."""

    fn: Fn
    args: tuple[Rex | Type, ...]
    partition: tuple[Rex, ...]
    order: tuple[SortSpec, ...]
    _: KW_ONLY
    frame: Frame | None = None
    distinct: bool = False

    @property
    def type(self) -> Type:
        return self.fn.returns


class WindowMethod(enum.Enum):
    """How window functions are computed. CONSISTENT: all calls share one partitioning and sorting, and the rows stay in
    the order of the input. HASHING builds a hash table of the partitions. STREAMING needs an input that is ordered by
    the partition keys and then by the sort keys. The last two give the rows in any order."""

    CONSISTENT = "consistent"
    HASHING = "hashing"
    STREAMING = "streaming"


class Window(NamingRel, tag="window"):
    """Every input row with a column more for each call; `names` are those of the calls. The rows are a bag; the method
    CONSISTENT gives a list where the input is one."""

    calls: tuple[WindowCall, ...]
    input: Rel
    _: KW_ONLY
    method: WindowMethod | None = None

    def properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0] if self.keeps_order else inputs[0].without_order()

    @property
    def keeps_order(self) -> bool:
        return self.method is WindowMethod.CONSISTENT


class ExcludeStep(Node):
    """A step of an EXCLUDE path."""


class ExcludeField(ExcludeStep, tag="exclude_field"):
    """The attributes of this name; of any case unless `exact`."""

    name: str
    _: KW_ONLY
    exact: bool = False


class ExcludeIndex(ExcludeStep, tag="exclude_index"):
    """The element at this index."""

    index: int


class ExcludeElements(ExcludeStep, tag="exclude_elements"):
    """`[*]`: every element."""


class ExcludeAttributes(ExcludeStep, tag="exclude_attributes"):
    """`.*`: every attribute."""


class ExcludePath(Node, tag="exclude_path"):
    """What is left out of a column: where the steps lead."""

    ordinal: int
    steps: tuple[ExcludeStep, ...]


class Exclude(Rel, tag="exclude"):
    """The rows with parts of their values left out."""

    paths: tuple[ExcludePath, ...]
    input: Rel

    def properties(self, inputs: list[Properties]) -> Properties:
        """Fields of the columns that parts are left out of are not known any more."""
        touched = {path.ordinal for path in self.paths}

        def move(path: FieldPath) -> list[FieldPath]:
            return [] if path[0] in touched else [path]

        return inputs[0].mapped(move)


class Limit(SameRows, tag="limit"):
    """The first rows, at most so many."""

    count: Rex
    input: Rel


class Offset(SameRows, tag="offset"):
    """All but the first rows."""

    count: Rex
    input: Rel


class Capture(enum.IntEnum):
    """Which rows a join keeps. The document's codes; its LEFT_OUTER, RIGHT_OUTER and FULL_OUTER are synonyms.

    The last four are ours. Three give no right columns: the left rows that have a match, those that have none, and all
    of them with a column more that says whether they have one. LEFT_SINGLE is LEFT, and a second match is an error.
    """

    INNER = 1
    LEFT = 2
    RIGHT = 4
    FULL = 6
    LEFT_SEMI = 8
    LEFT_ANTI = 9
    LEFT_MARK = 10
    LEFT_SINGLE = 11

    @property
    def pads_left(self) -> bool:
        return self in (Capture.RIGHT, Capture.FULL)

    @property
    def pads_right(self) -> bool:
        return self in (Capture.LEFT, Capture.FULL, Capture.LEFT_SINGLE)

    @property
    def tests(self) -> bool:
        """Does the join only ask whether a left row has a match?"""
        return self in (Capture.LEFT_SEMI, Capture.LEFT_ANTI, Capture.LEFT_MARK)


class JoinType(Node):
    """What pairs the rows of a join."""


class Cross(JoinType, tag="cross"):
    """Every left row with every right row."""


class JoinKey(Node):
    """Two keys that must be equal: one of the left row, one of the right row.

    Equal is what `=` is true of; with `same` it is deep equality, NULL with NULL and MISSING with MISSING.
    """

    left: Rex
    right: Rex
    _: KW_ONLY
    same: bool = False


class Equi(JoinType, tag="equi"):
    """Rows whose keys are equal, and of which the residual condition, over the left row and then the right row, is
    true."""

    capture: Capture
    _: KW_ONLY
    keys: tuple[JoinKey, ...] = ()
    residual: Rex | None = None


class Theta(JoinType, tag="theta"):
    """Rows of which the condition, over the left row and then the right row, is true."""

    capture: Capture
    condition: Rex


class JoinStrategy(enum.Enum):
    """How a join finds its pairs. HASH builds a hash table of one side and probes it with the rows of the other. MERGE
    goes through both sides, which have to be ordered by the keys. NESTED_LOOP tries all pairs. BROADCAST sends one side
    to every partition of the other. Without a strategy the engine decides."""

    HASH = "hash"
    MERGE = "merge"
    NESTED_LOOP = "nested_loop"
    BROADCAST = "broadcast"


class Side(enum.Enum):
    """A side of a join."""

    LEFT = "left"
    RIGHT = "right"


class Join(Rel, tag="join"):
    """Rows of the left and the right, side by side. If `lateral`, the right sees the left row at depth 0."""

    type: JoinType
    left: Rel
    right: Rel
    _: KW_ONLY
    lateral: bool = False
    strategy: JoinStrategy | None = None
    #: The side that a HASH join builds its table of, or that a BROADCAST join sends around.
    build: Side = Side.RIGHT

    @property
    def capture(self) -> Capture:
        return self.type.capture if isinstance(self.type, Equi | Theta) else Capture.INNER

    @property
    def keeps_left_order(self) -> bool:
        """Does it give its rows in the order of the left rows? An inner hash join that probes with the left does."""
        return self.strategy is JoinStrategy.HASH and self.build is Side.RIGHT and self.capture is Capture.INNER

    def properties(self, inputs: list[Properties]) -> Properties:
        """The distribution of the side whose rows all stay; an inner join has the left's, or else the right's."""
        from firesteel.plan.schema import schema

        left, right = inputs[0], inputs[1].shifted(len(schema(self.left)))
        kept = left.distribution
        if self.capture is Capture.RIGHT or (kept is None and not self.capture.tests and not self.capture.pads_right):
            kept = right.distribution
        order = left.order if self.keeps_left_order else ()
        return Properties(order, left.order_basis, kept)


def element(type_: Type) -> Type:
    """The type of what a scan of a value of this type binds."""
    parts = [m.element if isinstance(m, t.Collection) else t.proper(m) for m in t.members(type_)]
    if type_.nullable and not isinstance(type_, t.Any):
        parts.append(t.NULL)
    if type_.missable and not isinstance(type_, t.Any):
        parts.append(t.MISSING)
    return t.union(parts)
