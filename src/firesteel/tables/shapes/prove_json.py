"""Is what a sample of JSON lines shows true of all lines? Arrow's JSON reader goes through the file to find out.

A sample of the lines says what is probably at each path. A plan relies on a few of these paths (`Claim`). Arrow reads
those with the claimed types, and refuses a value of any other kind; it takes half the time that Spark takes to infer a
schema. What Arrow does not look at is found in the text: whether each line is one object, whether it is UTF-8, and,
where a claim depends on it, nulls, keys in another case, and numbers with an exponent or with zeros at the end.

A claim that is not proven may still be true: text that looks like a null may be part of a string. Then the shape of the
file has to be learned in another way.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from firesteel.tables.shapes.learn_json import shape_of_lines
from firesteel.tables.shapes.value_shapes import KINDS, Unknown, ValueShape, merge

if TYPE_CHECKING:
    import pyarrow

#: So many bytes are read at once, and lines up to the next end of a line.
BLOCK = 8 << 20
#: A line that is longer makes a claim unproven.
_LONGEST_LINE = 32 << 20
_WORKERS = min(os.cpu_count() or 1, 8)

#: The shape at a path that nothing is claimed of, but that no decimal ends in zero; at one that besides has no arrays
#: and objects; at one that besides has no floats and no integers of more than 64 bits; and at one that besides has no
#: decimals. They are read as a VARIANT, so that values may be null or absent. Of `ZEROS` decimals may end in zero.
DYNAMIC = ValueShape(frozenset(KINDS), null=True)
SCALAR = ValueShape(frozenset(KINDS) - {"array", "object"}, null=True)
ZEROS = replace(SCALAR, zeros=True)
PLAIN = ValueShape(frozenset(("bool", "int", "decimal", "string")), null=True)
WORDS = ValueShape(frozenset(("bool", "int", "string")), null=True)

_NUMBERS = (frozenset(("int",)), frozenset(("decimal",)), frozenset(("int", "decimal")))
#: Names that are written without escapes in JSON and in a pattern.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_ :@#-]+")
#: Characters of such names, escaped all the same; and the Kelvin sign, whose lower case is a `k`.
_ESCAPED = r"\\u(?:00[2-7]|212[aA])|" + "\u212a"
_ZEROS = r"\.[0-9]*0(?:[\s,\]}]|$)"


@dataclass(frozen=True)
class Claim:
    """What a plan relies on: the shape of what it touches, and names that no key has in any case. `any_case` are the
    touched names that also match keys in another case."""

    shape: ValueShape
    absent: frozenset[str] = frozenset()
    any_case: frozenset[str] = frozenset()


def prove(file: Path, claim: Claim) -> bool:
    """Is the claim true of every line of the file? False may also mean that it could not be proven."""
    names = {*claim.absent, *claim.any_case, *(key for key, _ in _leaves(claim.shape))}
    if not all(map(_PLAIN_NAME.fullmatch, names)):
        return False
    prover = _Prover(claim)
    with open(file, "rb") as lines, ThreadPoolExecutor(_WORKERS) as pool:
        waiting: deque[Future[Seen | None]] = deque()
        for block in _blocks(lines):
            waiting.append(pool.submit(prover.look_at, block))
            if len(waiting) > 2 * _WORKERS and not prover.add(waiting.popleft().result()):
                break
        fits = all(prover.add(future.result()) for future in waiting)
    return fits and prover.holds()


def _blocks(lines: BinaryIO) -> Iterator[bytes]:
    """The file in blocks of whole lines. An empty block stands for a line that is too long."""
    while block := lines.read(BLOCK):
        rest = b"" if block.endswith(b"\n") else lines.readline(_LONGEST_LINE)
        yield b"" if len(rest) == _LONGEST_LINE else block + rest


@dataclass
class Seen:
    """What was found of nulls and absent values in some lines, by the last key of the path: how many there are that
    must be null (`nulls`), which must be absent (`absent`); and how many nulls are written under these keys."""

    nulls: Counter[str] = field(default_factory=Counter)
    absent: set[str] = field(default_factory=set)
    written: Counter[str] = field(default_factory=Counter)


class _Prover:
    """A claim, and what was seen of the file so far."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._schema = _arrow_fields(claim.shape)
        self._forbidden = _forbidden(claim)
        self._maps = {key: inner for key, inner in _leaves(claim.shape) if inner.open and is_provable(inner)}
        self._dynamic = {key for key, inner in _leaves(claim.shape) if inner.open or not is_provable(inner)}
        self._seen = Seen()
        self._failed = False

    def add(self, seen: Seen | None) -> bool:
        """Note what was seen in a block; False if the claim is not true of it."""
        if seen is None:
            self._failed = True
            return False
        self._seen.nulls += seen.nulls
        self._seen.absent |= seen.absent
        self._seen.written += seen.written
        return True

    def holds(self) -> bool:
        """Are values null where null was claimed, and absent where that was claimed?"""
        seen = self._seen
        return (
            not self._failed
            and not any(seen.written[key] for key in seen.absent)
            and all(seen.written[key] == count for key, count in seen.nulls.items())
        )

    def look_at(self, block: bytes) -> Seen | None:
        """What a block has to say about nulls; None if the claim is not true of it."""
        import pyarrow as pa

        count = block.count(b"\n") + (not block.endswith(b"\n"))
        if not _one_object_per_line(block, count) or not _is_utf8(block):
            return None
        text = _Text(block)
        if any(map(text.has, self._forbidden)):
            return None
        if not all(_maps_fit(block, text, key, shape) for key, shape in self._maps.items()):
            return None
        try:
            table = self._read(block)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != count:
            return None
        seen = Seen()
        columns = {name: table.column(name).combine_chunks() for name in table.column_names}
        if not all(self._fits(self._claim.shape, name, column, None, seen) for name, column in columns.items()):
            return None
        return self._with_text(text, seen)

    def _with_text(self, text: _Text, seen: Seen) -> Seen | None:
        """What was seen, with the nulls that are written under the keys concerned."""
        gaps = {*seen.nulls, *seen.absent}
        other = (gaps | self._dynamic) & self._claim.any_case
        if any(text.count(f'(?i)"{name}"') != text.count(f'"{name}"') for name in other):
            return None
        if (gaps or other) and text.has(_ESCAPED):
            return None
        for key in gaps:
            seen.written[key] = text.count(rf'"{key}"\s*:\s*null')
        return seen

    def _read(self, block: bytes) -> pyarrow.Table:
        import pyarrow as pa
        import pyarrow.json as pj

        parse = pj.ParseOptions(explicit_schema=pa.schema(self._schema), unexpected_field_behavior="ignore")
        read = pj.ReadOptions(use_threads=False, block_size=len(block) + 1)
        return pj.read_json(pa.BufferReader(block), read_options=read, parse_options=parse)

    def _fits(self, parent: ValueShape, name: str, array: Any, around: Any, seen: Seen) -> bool:
        """Are the values of a field as claimed? `around` are the objects that have it."""
        shape = parent.fields[name]
        optional = name in parent.optional
        gaps = _nulls_inside(array, around)
        if gaps and shape.null != optional:
            if optional:
                seen.absent.add(name)
            else:
                seen.nulls[name] += gaps
        return (not gaps or shape.null or optional) and self._values_fit(shape, array, seen)

    def _values_fit(self, shape: ValueShape, array: Any, seen: Seen) -> bool:
        import pyarrow.compute as pc

        if shape.kinds == {"object"}:
            inner = ((field.name, array.field(i)) for i, field in enumerate(array.type))
            return all(self._fits(shape, name, column, array, seen) for name, column in inner)
        if shape.kinds == {"array"}:
            assert shape.element is not None
            items = array.flatten()
            return (shape.element.null or not items.null_count) and self._values_fit(shape.element, items, seen)
        if shape.kinds in _NUMBERS:
            least, most = (bound.as_py() for bound in pc.min_max(array).values())
            return least is None or max(-least, most) < 10**shape.whole
        return True


def _nulls_inside(array: Any, around: Any) -> int:
    """How many values of a field are null or absent in objects that are there."""
    import pyarrow.compute as pc

    if around is None or not around.null_count or not array.null_count:
        return int(array.null_count)
    return pc.sum(pc.and_(pc.is_null(array), pc.is_valid(around))).as_py() or 0


# ---------------------------------------------------------------------------------------------------------------------
# Shapes as Arrow's types


def is_provable(shape: ValueShape) -> bool:
    """Can Arrow read values of this kind, and no others? Arrow reads the string `"1.5"` as a decimal; so an array of
    decimals is not among them (`_forbidden` has the test for fields)."""
    if shape.kinds in ({"bool"}, {"string"}, *_NUMBERS):
        return True
    if shape.kinds == {"array"}:
        inner = shape.element
        return inner is not None and "decimal" not in inner.kinds and not inner.open
    if shape.open:  # what is in such objects is looked at in the text (`_maps_fit`)
        return shape.kinds == {"object"} and not shape.null and _is_scalar_map(shape)
    return shape.kinds == {"object"}


def _is_scalar_map(shape: ValueShape) -> bool:
    values = shape.values
    return values is not None and not values.zeros and values.kinds in (*_NUMBERS, {"bool"}, {"string"}, frozenset())


def _arrow_fields(shape: ValueShape) -> list[tuple[str, Any]]:
    seen = {name: inner for name, inner in shape.fields.items() if is_provable(inner) and not inner.open}
    return [(name, _arrow_type(inner)) for name, inner in seen.items()]


def _arrow_type(shape: ValueShape) -> Any:
    import pyarrow as pa

    if shape.kinds == {"object"}:
        return pa.struct(_arrow_fields(shape))
    if shape.kinds == {"array"}:
        assert shape.element is not None
        return pa.list_(_arrow_type(shape.element))
    if "decimal" in shape.kinds:
        return pa.decimal128(38, shape.places)
    return {"bool": pa.bool_(), "string": pa.string(), "int": pa.int64()}[next(iter(shape.kinds))]


# ---------------------------------------------------------------------------------------------------------------------
# What is found in the text


def _forbidden(claim: Claim) -> list[str]:
    """Patterns that occur in no line, if the claim is true: they may occur in strings, too."""
    found = [f'(?i)"{name}"' for name in sorted(claim.absent)]
    leaves = list(_leaves(claim.shape))
    decimals = {key: inner for key, inner in leaves if inner.kinds in _NUMBERS and "decimal" in inner.kinds}
    if decimals:
        # Arrow reads `"1.5"`, `1e3` and `2` as decimals, too.
        found += [_ESCAPED, _under(decimals, r'(?:"|-?[0-9]+(?:\.[0-9]+)?[eE])')]
    if pure := [key for key, inner in decimals.items() if "int" not in inner.kinds]:
        found.append(_under(pure, r"-?[0-9]+(?:[\s,\]}]|$)"))
    if words := [key for key, inner in leaves if inner == WORDS]:
        found += [_ESCAPED, _under(words, r"(?:[\[{]|-?[0-9]+[.eE]|-?[0-9]{19})")]
    if scalars := [key for key, inner in leaves if inner in (SCALAR, ZEROS, PLAIN)]:
        found += [_ESCAPED, _under(scalars, r"[\[{]")]
    if plain := [key for key, inner in leaves if inner == PLAIN]:
        found.append(_under(plain, r"-?(?:[0-9]+(?:\.[0-9]+)?[eE]|[0-9]{19}|[0-9]+\.[0-9]{19})"))
    dynamic = [key for key, inner in leaves if inner in (SCALAR, PLAIN)]
    if trimmed := [*dynamic, *(key for key, inner in decimals.items() if not inner.zeros)]:
        found.append(_under(trimmed, r"-?[0-9]+" + _ZEROS))
    if any(inner == DYNAMIC for _, inner in leaves):
        found.append(_ZEROS)
    if claim.absent or any(inner.open for _, inner in leaves):
        found.append(_ESCAPED)
    return list(dict.fromkeys(found))


def _under(keys: Iterable[str], value: str) -> str:
    """A pattern for a value under one of the keys."""
    return rf'"(?:{"|".join(sorted(keys))})"\s*:\s*{value}'


def _maps_fit(block: bytes, text: _Text, key: str, shape: ValueShape) -> bool:
    """Are all values under the key objects whose values have this shape, and in which no key repeats?"""
    found = re.findall(rb'"%s"\s*:\s*(\{[^{}]*\})' % key.encode(), block)
    if len(found) != text.count(rf'"{key}"\s*:'):
        return False  # another value, or an object with braces in it
    try:
        inner = shape_of_lines(found, frozenset(("",))).values  # the key of a whole line is the empty text
    except Unknown:
        return False
    assert shape.values is not None
    return inner is None or merge(shape.values, inner) == shape.values


def _leaves(shape: ValueShape) -> Iterator[tuple[str, ValueShape]]:
    """All shapes inside a shape, with the last keys of their paths."""
    stack = list(shape.fields.items())
    while stack:
        key, inner = stack.pop()
        yield key, inner
        stack.extend(inner.fields.items())
        if inner.element is not None:
            stack.append((key, inner.element))


def _one_object_per_line(block: bytes, count: int) -> bool:
    """Does every line start with `{` and end with `}`? Within an object `}` is never followed by `{`, so no object goes
    over several lines then; and if there are as many objects as lines, each line is one."""
    return block.startswith(b"{") and block.endswith((b"}\n", b"}")) and block.count(b"}\n{") == count - 1


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


class _Text:
    """A block as the one value of an Arrow array, to search it for patterns without Python's lock."""

    def __init__(self, block: bytes) -> None:
        import pyarrow as pa

        ends = (0).to_bytes(8, "little") + len(block).to_bytes(8, "little")
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(block)]
        self._array = pa.Array.from_buffers(pa.large_binary(), 1, buffers)

    def has(self, pattern: str) -> bool:
        import pyarrow.compute as pc

        return bool(pc.match_substring_regex(self._array, pattern)[0].as_py())

    def count(self, pattern: str) -> int:
        import pyarrow.compute as pc

        return int(pc.count_substring_regex(self._array, pattern)[0].as_py())


__all__ = ["BLOCK", "DYNAMIC", "PLAIN", "SCALAR", "WORDS", "ZEROS", "Claim", "is_provable", "prove"]
