"""The syntax tree of PartiQL: the query as written, before names are resolved.

    Ast
    ├── Statement   a query, EXPLAIN, EXEC, CREATE VIEW, or one that is only recognised (Dml, Ddl)
    ├── Expr        expressions; queries are some: `Select`, `SetOp`, `Table`, `Values`, and `Query` around them
    ├── Projection  what SELECT or PIVOT makes of a binding
    ├── FromItem    what FROM ranges over: `Range`, `Unpivot`, `Join`
    ├── Step        one step of a path
    ├── Type        a type as written
    ├── GraphPart   a piece of a graph pattern; `Label`, what its labels are
    └── the smaller clauses

In every node `where` is the span of text; a WHERE clause is called `filter`. A parenthesised query is a `Subquery`,
because it may be coerced to a scalar; other parentheses leave no trace, but for `IN (x)`, whose right side is a `Row`
of one.
"""

from firesteel.partiql.ast.expressions import (
    Ast,
    Bag,
    Between,
    Bound,
    Call,
    CanCast,
    Case,
    Cast,
    DateCall,
    DateLit,
    EachAttribute,
    EachElement,
    Expr,
    Extract,
    Field,
    Frame,
    In,
    Index,
    IntervalLit,
    IntervalQualifier,
    Is,
    IsType,
    Like,
    List,
    Lit,
    Name,
    Operator,
    Pair,
    Parameter,
    Path,
    Quantified,
    Quantifier,
    Row,
    Sexp,
    SortKey,
    Step,
    Struct,
    TimeLit,
    TimestampLit,
    Trim,
    Type,
    Values,
    Var,
    When,
    Window,
)
from firesteel.partiql.ast.graph import (
    EdgePattern,
    GraphMatch,
    GraphPart,
    Label,
    LabelAnd,
    LabelAny,
    LabelName,
    LabelNot,
    LabelOr,
    NodePattern,
    PathPattern,
    Repeat,
    Selector,
)
from firesteel.partiql.ast.queries import (
    CreateView,
    Ddl,
    Dml,
    ExcludePath,
    Exec,
    Explain,
    FromItem,
    Group,
    GroupKey,
    Item,
    Items,
    ItemStar,
    Join,
    JoinKind,
    Let,
    Pivot,
    Projection,
    Query,
    QueryStatement,
    Range,
    Select,
    SetOp,
    Star,
    Statement,
    Subquery,
    Table,
    Unpivot,
    Value,
    WindowDef,
    With,
)
from firesteel.partiql.ast.types import (
    CollectionType,
    FieldType,
    IntervalType,
    StructType,
    TypeName,
)

__all__ = [
    "Ast", "Bag", "Between", "Bound", "Call", "CanCast", "Case", "Cast", "CollectionType", "CreateView",
    "DateCall", "DateLit", "Ddl", "Dml", "EachAttribute", "EachElement", "EdgePattern", "ExcludePath", "Exec",
    "Explain", "Expr", "Extract", "Field", "FieldType", "Frame", "FromItem", "GraphMatch", "GraphPart",
    "Group", "GroupKey", "In", "Index", "IntervalLit", "IntervalQualifier", "IntervalType", "Is", "IsType",
    "Item", "ItemStar", "Items", "Join", "JoinKind", "Label", "LabelAnd", "LabelAny", "LabelName", "LabelNot",
    "LabelOr", "Let", "Like", "List", "Lit", "Name", "NodePattern", "Operator", "Pair", "Parameter", "Path",
    "PathPattern", "Pivot", "Projection", "Quantified", "Quantifier", "Query", "QueryStatement", "Range",
    "Repeat", "Row", "Select", "Selector", "SetOp", "Sexp", "SortKey", "Star", "Statement", "Step", "Struct",
    "StructType", "Subquery", "Table", "TimeLit", "TimestampLit", "Trim", "Type", "TypeName", "Unpivot", "Value",
    "Values", "Var", "When", "Window", "WindowDef", "With",
]  # fmt: skip
