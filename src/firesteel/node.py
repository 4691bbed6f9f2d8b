"""Nodes: what a class gets by declaring its fields.

A node is a class whose annotations are its fields:

    class Filter(Rel, tag="filter"):
        '''Keep the bindings for which `predicate` is true.'''
        predicate: Rex
        input: Rel

Fields after `_: KW_ONLY` are named parameters: optional, left out of the s-expression when they have their default.
From that follow, written once here: a frozen dataclass; equality and hash by a canonical, typed key (so `1`, `true`
and `1.0` are three literals and NaN equals itself); traversal, folding and rebuilding, none of which uses the Python
stack or visits a shared subtree twice; a generic s-expression, which is also its `repr`.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import operator
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from types import GeneratorType
from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform, get_type_hints

from firesteel.source import Place, Span

N = TypeVar("N", bound="Node")
T = TypeVar("T")


_BITS = itertools.count()

#: Annotations of fields that hold no nodes.
_WITHOUT_NODES = ("bool", "int", "int | None", "str", "str | None", "tuple[str, ...]")


@dataclass(frozen=True)
class FieldSpec:
    """One declared field: its name, its resolved annotation, whether it is a named parameter, and its default."""

    name: str
    annotation: Any
    named: bool
    default: Any


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class Node:
    """The root of every declared node. `where` says what it was read from and takes no part in equality."""

    tag: ClassVar[str] = ""
    #: Atoms (types, signatures) are values to the nodes that hold them: traversal of a plan does not descend into them.
    atom: ClassVar[bool] = False

    #: The fields that make the node what it is, in the order of declaration; and those that may hold nodes.
    part_names: ClassVar[tuple[str, ...]] = ()
    node_names: ClassVar[tuple[str, ...]] = ()

    #: The class and those that it is derived from, a bit each; `bit` is the one of the class itself.
    sorts: ClassVar[int] = 0
    bit: ClassVar[int] = 0
    #: How many classes of nodes there are: tables of classes that were made with fewer are out of date.
    class_count: ClassVar[int] = 0

    where: Span | Place | None = dataclasses.field(default=None, kw_only=True, compare=False)

    def __init_subclass__(cls, tag: str | None = None, atom: bool | None = None) -> None:
        cls.tag = tag or ""
        if atom is not None:
            cls.atom = atom
        _declare(cls)
        parts = [f for f in dataclasses.fields(cast(Any, cls)) if f.compare]
        cls.part_names = tuple(f.name for f in parts)
        cls.node_names = tuple(f.name for f in parts if f.type not in _WITHOUT_NODES)
        cls.bit = 1 << next(_BITS)
        Node.class_count += 1
        cls.sorts = reduce(operator.or_, (base.__dict__.get("bit", 0) for base in cls.__mro__))

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def replace(self, **changes: Any) -> Self:
        """This node with some fields changed; the same object when nothing changes."""
        old = self.__dict__
        for name, value in changes.items():
            if old[name] is not value and not _is_same(old[name], value):
                return self._made(changes)
        return self

    def at(self, where: Span | Place | None) -> Self:
        """This node, said to come from there."""
        return self if where is self.where else self._made({"where": where})

    def _made(self, changes: dict[str, Any]) -> Self:
        """A copy with these fields changed. It writes to the instance's dictionary, which is several times faster than
        the dataclass constructor; half of all nodes are made here."""
        old = self.__dict__
        made = object.__new__(type(self))
        new = made.__dict__
        for name in self.part_names:
            new[name] = old[name]
        new["where"] = old["where"]
        new.update(changes)
        return made

    def parts(self) -> Iterator[Any]:
        """The values of the fields that make the node what it is, in the order of declaration."""
        return map(self.__dict__.__getitem__, self.part_names)

    def __hash__(self) -> int:
        cached = self.__dict__.get("_hash")
        return cached if cached is not None else _hash(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return _equal(self, other)

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: the fields, and not what was derived from them here (hashes differ there)."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __repr__(self) -> str:
        return sexpr(self)


def _declare(cls: type[Node]) -> None:
    """Make the class a dataclass. `frozen=True` would compile two more functions for each of some hundred classes,
    which takes longer than all else at start-up: `Node` has them for all, and the constructor is made here."""
    dataclass(init=False, eq=False, repr=False)(cls)
    if "__init__" in cls.__dict__:
        return
    known: dict[str, Any] = {"_set": object.__setattr__}
    given, named = ["self"], ["*"]
    for one in dataclasses.fields(cast(Any, cls)):
        known[f"_{one.name}"] = one.default
        value = one.name if one.default is dataclasses.MISSING else f"{one.name}=_{one.name}"
        (named if one.kw_only else given).append(value)
    names = [one.name for one in dataclasses.fields(cast(Any, cls))]
    body = [f"_set(self, {name!r}, {name})" for name in names]
    exec(f"def __init__({', '.join([*given, *named])}):\n " + "\n ".join(body), known)
    cls.__init__ = known["__init__"]  # type: ignore[method-assign]


_declare(Node)


def _is_same(old: Any, new: Any) -> bool:
    """Tuples of the same objects."""
    return type(old) is type(new) is tuple and len(old) == len(new) and all(map(operator.is_, old, new))


def fields(cls: type[Node]) -> tuple[FieldSpec, ...]:
    """The declared fields of a node class, positional ones first: all that a codec or a strategy needs."""
    known = _FIELDS.get(cls)
    if known is not None:
        return known
    hints = get_type_hints(cls)
    declared = [f for f in dataclasses.fields(cast(Any, cls)) if f.compare]
    specs = [FieldSpec(f.name, hints[f.name], f.kw_only is True, f.default) for f in declared]
    _FIELDS[cls] = tuple(sorted(specs, key=lambda spec: spec.named))
    return _FIELDS[cls]


_FIELDS: dict[type[Node], tuple[FieldSpec, ...]] = {}


# ---------------------------------------------------------------------------------------------------------------------
# Children and traversal


def all_nodes_in(node: Node) -> list[Node]:
    """Every node directly below, atoms included."""
    found: list[Node] = []
    _add_nodes([node.__dict__[name] for name in node.node_names], found)
    return found


def _add_nodes(values: Iterable[Any], found: list[Node]) -> None:
    """The nodes among the values, and in (nested) tuples among them, which are never deep."""
    for value in values:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            _add_nodes(value, found)


def children(node: Node) -> list[Node]:
    """The nodes directly below that are of the node's own sort: below a plan node no types, below a type only types."""
    known: list[Node] | None = node.__dict__.get("_children")
    if known is None:
        atom = node.atom
        found = [child for child in all_nodes_in(node) if child.atom is atom]
        known = node.__dict__["_children"] = found or _NO_NODES
    return known


#: Shared by all nodes without children, to make fewer lists for the garbage collector.
_NO_NODES: list[Any] = []


def sorts_in(root: Node) -> int:
    """The sorts of the node and of all below it, atoms included, as bits: kept with every node, so that asking again
    costs nothing."""
    known: int | None = root.__dict__.get("_sorts_in")
    if known is not None:
        return known
    stack = [root]
    while stack:
        node = stack[-1]
        found = node.sorts
        waiting = []
        for one in all_nodes_in(node):
            inner = one.__dict__.get("_sorts_in")
            if inner is None:
                waiting.append(one)
            else:
                found |= inner
        if waiting:
            stack.extend(waiting)
        else:
            node.__dict__["_sorts_in"] = found
            stack.pop()
    return sorts_in(root)


def has(root: Node, *sorts: type[Node]) -> bool:
    """Is the node of one of these sorts, or is there one of them below it?"""
    return bool(sorts_in(root) & bits(*sorts))


def bits(*sorts: type[Node]) -> int:
    """The bits of classes, for what is asked often of `sorts_in`; all bits where no class is named."""
    found = 0 if sorts else -1
    for sort in sorts:
        found |= sort.bit
    return found


def walk(root: Node, *sorts: type[Node]) -> Iterator[Any]:
    """Every node, or every one of these sorts: parents first, in the order of declaration; a shared subtree once."""
    wanted = bits(*sorts)
    seen: set[int] = set()
    stack = [root] if sorts_in(root) & wanted else []
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.sorts & wanted:
            yield node
        kids = children(node)
        if kids:  # each of them has its sorts, since the root does
            stack.extend([kid for kid in reversed(kids) if kid.__dict__["_sorts_in"] & wanted])


def uses(root: Node, *sorts: type[Node]) -> Counter[int]:
    """How many parents each node of these sorts has, by its identity."""
    wanted = bits(*sorts)
    found: Counter[int] = Counter()
    seen: set[int] = set()
    stack = [root] if sorts_in(root) & wanted else []
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            below = [kid for kid in children(node) if kid.__dict__["_sorts_in"] & wanted]
            found.update([id(kid) for kid in below if kid.sorts & wanted])
            stack += below
    return found


def fold(root: Node, f: Callable[[Any, list[Any]], T], below: Callable[[Node], list[Node]] = children) -> T:
    """`f(node, results of its children)` from the leaves up; a shared subtree once."""
    done: dict[int, T] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        kids = below(node)
        waiting = [kid for kid in kids if id(kid) not in done] if kids else kids
        if waiting:
            stack.extend(reversed(waiting))
            continue
        done[id(node)] = f(node, [done[id(kid)] for kid in kids])
        stack.pop()
    return done[id(root)]


def rebuild(node: N, kids: list[Any]) -> N:
    """The node over new children (in `children` order); the same object when they are the same objects."""
    if all(map(operator.is_, children(node), kids)):
        return node
    supply = iter(kids)
    changes: dict[str, Any] = {}
    for name in node.part_names:
        old = getattr(node, name)
        new = _refill(old, node.atom, supply)
        if new is not old:
            changes[name] = new
    return node.replace(**changes) if changes else node


def _refill(value: Any, atom: bool, supply: Iterator[Any]) -> Any:
    if isinstance(value, Node):
        return next(supply) if value.atom == atom else value
    if isinstance(value, tuple):
        new = tuple([_refill(item, atom, supply) for item in value])
        return value if all(map(operator.is_, value, new)) else new
    return value


def transform(root: N, f: Callable[[Any], Node], *sorts: type[Node]) -> N:
    """Rewrite every node, or every one of these sorts, from the leaves up; the same object if nothing changed."""
    wanted = bits(*sorts)
    if not sorts_in(root) & wanted:
        return root

    def below(node: Node) -> list[Node]:
        return [kid for kid in children(node) if kid.__dict__["_sorts_in"] & wanted]

    def one(node: Node, changed: list[Any]) -> Node:
        supply = iter(changed)
        kids = [next(supply) if kid.__dict__["_sorts_in"] & wanted else kid for kid in children(node)]
        made = rebuild(node, kids)
        return f(made) if made.sorts & wanted else made

    return cast(N, fold(root, one, below))


def depth(root: Node) -> int:
    """The number of nodes on the longest way down."""
    return fold(root, lambda _node, kids: 1 + max(kids, default=0))


def drive(dispatch: Callable[..., Any], *request: Any) -> Any:
    """Run handlers that ask for what they need instead of calling it.

    A handler is a function, or a generator that yields requests (tuples of arguments for `dispatch`) and is sent
    their results; an error goes up through those that wait, as it does through calls, and any of them may catch it.
    So a compiler reads like a recursive one and does not use the Python stack.
    """
    stack: list[Generator[Any, Any, Any]] = []
    asked: tuple[Any, ...] | None = request
    result: Any = None
    while True:
        try:
            if asked is not None:
                result = dispatch(*asked)
            if isinstance(result, GeneratorType):
                stack.append(result)
                result = None
            elif not stack:
                return result
            try:
                asked = stack[-1].send(result)
            except StopIteration as stop:
                stack.pop()
                asked, result = None, stop.value
        except Exception as error:
            asked, result = _raised(stack, error)


def _raised(stack: list[Generator[Any, Any, Any]], error: Exception) -> tuple[tuple[Any, ...] | None, Any]:
    """What an error leads to: what the first generator that catches it asks for, or returns.

    It keeps its original traceback: the frames of thousands of generators would tell nothing.
    """
    came_with = error.__traceback__
    while stack:
        try:
            return stack[-1].throw(error), None  # one that is finished, because the error is its own, gives it back
        except StopIteration as stop:
            stack.pop()
            return None, stop.value
        except Exception as other:
            stack.pop()
            if other is not error:
                error, came_with = other, other.__traceback__
            error.__traceback__ = came_with
    raise error.with_traceback(came_with)


# ---------------------------------------------------------------------------------------------------------------------
# Canonical keys


def canonical(value: Any) -> tuple[Hashable, ...]:
    """A flat, typed key of an attribute: equal for what would be written the same, and only for that.

    Flat, because hashing or comparing a nested tuple uses the C stack. A container class joins in by `__canonical__`,
    which gives its items.
    """
    tokens: list[Hashable] = []
    stack = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if isinstance(item, Node):
            tokens.append(item)
        elif isinstance(item, (tuple, list)):
            tokens.append((kind.__name__, len(item)))
            stack.extend(reversed(item))
        elif hasattr(item, "__canonical__"):
            items = list(item.__canonical__())
            tokens.append((kind.__name__, len(items)))
            stack.extend(reversed(items))
        elif kind is float:
            tokens.append(("float", item.hex()))
        elif kind.__name__ == "Decimal":
            tokens.append(("Decimal", item.as_tuple()))
        else:
            tokens.append((kind.__name__, item))
    return tuple(tokens)


def _hash(root: Node) -> int:
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [one for one in all_nodes_in(node) if "_hash" not in one.__dict__]
        if waiting:
            stack.extend(waiting)
        else:
            node.__dict__["_hash"] = hash((type(node).__name__, *map(_hashed, node.parts())))
            stack.pop()
    return hash(root)


#: Their values are the same if they are equal and of the same class.
_PLAIN = frozenset([int, str, bool, type(None)])


def _hashed(value: Any) -> Hashable:
    """What a field's value adds to the hash of a node: a node in it, the hash that it has already."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, Node):
        return cast(int, value.__dict__["_hash"])
    return tuple(map(_hashed, value)) if kind is tuple else canonical(value)


def _holds_nodes(value: Any) -> bool:
    found: list[Node] = []
    _add_nodes((value,), found)
    return bool(found)


def _equal(left: Node, right: Node) -> bool:
    if left is right:
        return True
    if type(left) is not type(right) or hash(left) != hash(right):
        return False
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if isinstance(a, Node):
            if type(a) is not type(b) or hash(a) != hash(b):
                return False
            if (id(a), id(b)) not in seen:
                seen.add((id(a), id(b)))
                stack.extend(zip(a.parts(), b.parts(), strict=True))
        elif type(a) in _PLAIN and type(a) is type(b):
            if a != b:
                return False
        elif isinstance(a, tuple) and _holds_nodes(a):
            if not isinstance(b, tuple) or len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif isinstance(b, Node) or canonical(a) != canonical(b):
            return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# The generic s-expression


def sexpr(root: Any, limit: int = 100_000) -> str:
    """A node as text, by its declaration: `(tag field ... (named value) ...)`. For people; codecs write documents."""
    out: list[str] = []
    size = 0
    stack: list[Any] = [root]
    while stack and size < limit:
        item = stack.pop()
        text: str
        if isinstance(item, _Text):
            text = item
        elif isinstance(item, Node):
            text = "(" + (item.tag or type(item).__name__)
            pieces: list[Any] = []
            for spec in fields(type(item)):
                value = getattr(item, spec.name)
                if not spec.named:
                    pieces += [_Text(" "), value]
                elif canonical(value) != canonical(spec.default):
                    pieces += [_Text(f" ({spec.name} "), value, _Text(")")]
            stack.extend(reversed([*pieces, _Text(")")]))
        elif isinstance(item, (tuple, list)):
            text, end, between = ("(", ")", " ") if isinstance(item, tuple) else ("[", "]", ", ")
            inner = [piece for value in item for piece in (_Text(between), value)][1:]
            stack.extend(reversed([*inner, _Text(end)]))
        elif hasattr(item, "__canonical__"):
            text = type(item).__name__
            stack.append(tuple(item.__canonical__()))
        else:
            text = str(item.name).lower() if isinstance(item, enum.Enum) else repr(item)
        out.append(text)
        size += len(text)
    return "".join(out) + (" ..." if stack else "")


class _Text(str):
    """A piece of output among the values still to be written."""

    __slots__ = ()
