"""The limits of a session's policy: plans that are too large or too dear are refused before anything runs, and answers
that have too many rows, or take too long, while they are computed."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.node import Node, children, fold, has, walk
from firesteel.partiql import ast
from firesteel.passes.optimizer.balance_chains import equality, is_logic
from firesteel.policy import Policy, over
from firesteel.session.engines import Outcome
from firesteel.tables import Table
from firesteel.tables.output.target import Output

T = TypeVar("T")

#: The bytes of a row, for a table of which only the size of its files is known.
_ROW = 64


def ensure_modest(policy: Policy, plan: p.Plan) -> None:
    """Refuse a plan that nests too deep, has too many nodes, too long literals or too large tables of values."""

    count = 0

    def level(node: Node, below: list[int]) -> int:
        nonlocal count
        count += 1
        match node:
            case p.Lit():
                _judge_literal(policy, node)
            case p.Collection():
                _judge_items(policy, len(node.items), node)
        return 1 + max(below, default=0)

    policy.refuse("max_depth", fold(plan, level), "{} levels")
    policy.refuse("max_nodes", count, "{} nodes")
    if policy.max_operands is not None and count > policy.max_operands:
        _judge_chains(policy, plan)


def ensure_affordable(policy: Policy, plan: p.Plan, sources: Sequence[Table]) -> None:
    """Refuse an optimized plan that makes pairs of too many rows."""

    def rows(node: Node, below: list[float]) -> float:
        inputs = [count for kid, count in zip(children(node), below, strict=True) if isinstance(kid, p.Rel)]
        return _rows(policy, node, inputs, sources)

    if policy.max_cross_rows is not None and has(plan, p.Join):
        fold(plan, rows)


def _judge_literal(policy: Policy, node: p.Lit) -> None:
    """Refuse texts that are too long, and collections that are too large, at any depth of a literal."""
    stack = [node.value]
    while stack:
        match stack.pop():
            case str() | bytes() as text:
                policy.refuse("max_literal", len(text), "a literal of {} characters", node.where)
            case values.Struct() as struct:
                stack.extend([value for _, value in struct.pairs])
            case list() | values.Bag() as collection:
                _judge_items(policy, len(collection), node)
                stack.extend(collection)


def _judge_items(policy: Policy, count: int, node: Node) -> None:
    policy.refuse("max_virtual_rows", count, "a table of {} values", node.where)


def ensure_short(policy: Policy, statement: Node) -> None:
    """Refuse a query with an expression of too many operands, before it is planned."""
    if policy.max_operands is None:
        return
    for node in walk(statement, ast.Operator, ast.Case):
        operands = node.branches if isinstance(node, ast.Case) else node.args
        _judge_operands(policy, node, operands, _compared_in_text)


def _compared_in_text(operand: Node) -> Node | None:
    match operand:
        case ast.Operator(name="eq", args=(other, ast.Lit()) | (ast.Lit(), other)):
            return other
    return None


def _compared(operand: Node) -> Node | None:
    found = equality(operand) if isinstance(operand, p.Call) else None
    return None if found is None else found[0]


def _judge_operands(
    policy: Policy, node: Node, operands: Sequence[Node], compared: Callable[[Node], Node | None]
) -> None:
    """Refuse an expression of too many operands. Comparisons of one operand with constants (`x = 1 OR x = 2 ...`) are
    one: they are looked up like a list. `compared` gives that operand, or None for anything else."""
    if policy.max_operands is not None and len(operands) > policy.max_operands:
        found = [one for one in map(compared, operands) if one is not None]
        others = len(operands) - len(found)
        policy.refuse("max_operands", others + len(set(found)), "an expression of {} operands", node.where)


def _judge_chains(policy: Policy, plan: p.Plan) -> None:
    """The same for a plan, in which a chain of ANDs or ORs may nest: it is one expression."""
    inner = {id(arg) for node in walk(plan, p.Call) for arg in node.args if _continues(arg, node)}
    for node in walk(plan, p.Call, p.Case):
        if id(node) not in inner:
            operands = node.branches if isinstance(node, p.Case) else _operands(node)
            _judge_operands(policy, node, operands, _compared)


def _operands(top: p.Call) -> list[Node]:
    found: list[Node] = []
    stack = list(top.args)
    while stack:
        one = stack.pop()
        if isinstance(one, p.Call) and _continues(one, top):
            stack.extend(one.args)
        else:
            found.append(one)
    return found


def _continues(node: Node, top: p.Call) -> bool:
    return isinstance(node, p.Call) and node.fn.name == top.fn.name and is_logic(top)


def _rows(policy: Policy, node: Node, inputs: list[float], sources: Sequence[Table]) -> float:
    """How many rows a relation has, at most, as far as the tables tell; 1 where nothing is known."""
    match node:
        case p.Scan() | p.ScanIndexed():
            return _scanned(node.rex, sources)
        case p.Join(type=p.Equi()):
            return max(inputs)
        case p.Join(lateral=False):
            pairs = inputs[0] * inputs[1]
            policy.refuse("max_cross_rows", pairs, "a join of about {} pairs of rows without a key", node.where)
            return inputs[0] if node.capture.tests else pairs
        case p.Limit(count=p.Lit(value=int() as most)):
            return min(float(most), *inputs)
        case p.Aggregate(keys=()):
            return 1.0
        case p.Union():
            return sum(inputs)
    return max(inputs, default=1.0)


def _scanned(source: p.Rex, sources: Sequence[Table]) -> float:
    match source:
        case p.Lit():
            return float(len(values.items(source.value) or (0,)))
        case p.Collection():
            return float(len(source.items))
        case p.Global() if source.ordinal < len(sources):
            return _size(sources[source.ordinal])
    return 1.0


def _size(table: Table) -> float:
    """The rows of a table: counted where that costs nothing, else by the sizes of its files."""
    match table.source:
        case tables.Memory(value=value):
            return float(len(values.items(value) or (0,)))
        case tables.Arrow(table=arrow):
            return float(arrow.num_rows)
        case tables.File(path=path, format="parquet") if path.is_file():
            with suppress(FiresteelError):
                return float(sum(tables.row_counts(path)))
        case tables.File(path=path) if path.is_file():
            with suppress(OSError):
                return 1.0 + path.stat().st_size // _ROW
    return 1.0


# ---------------------------------------------------------------------------------------------------------------------
# Answers


def with_row_limit(plan: p.Plan, policy: Policy) -> p.Plan:
    """The plan of a query that gives at most one row more than is allowed."""
    if policy.max_rows is None:
        return plan
    count = p.Lit(t.INT64, policy.max_rows + 1)
    match plan.statement:
        case p.Query(rex=p.Select() as select) as query:
            return plan.replace(statement=query.replace(rex=select.replace(input=p.Limit(count, select.input))))
        case p.Root() as root:
            return plan.replace(statement=root.replace(input=p.Limit(count, root.input)))
    return plan


class _TimeIsUp(BaseException):
    """Raised in the thread that computes an answer when its time is over."""


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_TimeIsUp))


def _receive_exception() -> None:
    """Wait for the exception that may still be on its way to this thread.

    Taking it back with SetAsyncExc(thread, NULL) is not enough: CPython 3.11 keeps its flag for pending exceptions set
    until one is raised. With that flag every function call is slower, and a profiler or debugger never returns."""
    with suppress(_TimeIsUp):
        _raise_in(threading.get_ident())
        while True:
            pass


@contextmanager
def within(seconds: float | None, cancel: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Stop the block when the time is over: `cancel` stops what Spark does, an exception what Python does."""
    if seconds is None:
        yield
        return
    thread, lock = threading.get_ident(), threading.Lock()
    state = {"done": False, "over": False}

    def stop() -> None:
        with lock:
            if state["done"]:
                return
            state["over"] = True
            _raise_in(thread)
        cancel()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    with suppress(_TimeIsUp):
        try:
            timer.start()  # the time may be over before this returns
            yield
        except BaseException:
            if not state["over"]:
                raise
        finally:
            timer.cancel()
            with lock:
                state["done"] = True
            if state["over"]:
                _receive_exception()
    if state["over"]:
        raise over("max_seconds", f"no answer within {seconds:g} seconds")


class Bounded:
    """An outcome whose answer has a limit of rows, or of time."""

    def __init__(self, outcome: Outcome, policy: Policy) -> None:
        self._outcome = outcome
        self._policy = policy

    def __getattr__(self, name: str) -> Any:
        """What needs no rows, or what only an outcome of Spark has: its DataFrames, which Spark runs later."""
        found = getattr(self._outcome, name)
        if name in ("dataframe", "typed_dataframe"):
            self._ensure_few()
        return found

    def value(self, limit: int | None = None) -> values.Value:
        most = self._policy.max_rows
        asked = most + 1 if limit is None and most is not None else limit
        with within(self._policy.max_seconds, self._outcome.cancel):
            value = self._outcome.value(asked)
        self._policy.refuse("max_rows", len(values.items(value) or ()), "an answer of {} rows or more")
        return value

    def rows(self) -> Iterator[values.Value]:
        self._ensure_few()
        yield from self._outcome.rows()

    def infer(self, type_: t.Type) -> t.Struct:
        return self._done(lambda: self._outcome.infer(type_))

    def arrow(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Any:
        return self._done(lambda: self._outcome.arrow(type_, asked, schema))

    def batches(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Iterator[Any]:
        self._ensure_few()
        yield from self._outcome.batches(type_, asked, schema)

    def write(self, output: Output, type_: t.Type, columns: t.Struct | None = None) -> None:
        self._done(lambda: self._outcome.write(output, type_, columns))

    def _ensure_few(self) -> None:
        if self._policy.max_rows is not None:
            self.value()

    def _done(self, action: Callable[[], T]) -> T:
        self._ensure_few()
        with within(self._policy.max_seconds, self._outcome.cancel):
            return action()


def bounded(outcome: Outcome, policy: Policy) -> Any:
    """The outcome under the limits of the policy, if it has some."""
    return outcome if policy.max_rows is None and policy.max_seconds is None else Bounded(outcome, policy)
