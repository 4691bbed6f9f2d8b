"""Values as JSON that `parse_json` makes the right variant of; without recursion, because values may nest deep."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import MAX_DEPTH, TAG, tagged
from firesteel.values import MISSING, Bag, Sexp, Struct, Value

#: A piece of text and how deep it nests; None where JSON has no way to say the value.
Piece = tuple[str, int] | None


def json_text(value: Value) -> str | None:
    """The JSON of a value, or None if it holds a float beyond numbers, a date, a timestamp or octets."""
    found = values.fold(value, _leaf, _box)
    return None if found is None else found[0]


def _leaf(value: Value) -> Piece:
    tag = tagged(value)
    if tag is not None:
        parts = [_tag_part(part) for part in tag.parts]
        return None if None in parts else (_tag(tag.kind, *(part for part in parts if part is not None)), 1)
    made = _part(value)
    return None if made is None else (made, 1)


def _tag_part(value: Any) -> str | None:
    """Of a tag a decimal may be an integer: whoever reads it says what it wants."""
    return f"{value:f}" if isinstance(value, Decimal) else _part(value)


def _part(value: Any) -> str | None:
    match value:
        case None | bool() | int():
            return json.dumps(value)
        case float() if math.isfinite(value):
            text = repr(value)
            return text if "e" in text else text + "e0"  # without an exponent it would be a decimal
        case Decimal():
            return _decimal(value)
        case str():
            return json.dumps(str(value))
        case list():
            parts = [_part(item) for item in value]
            return None if None in parts else f"[{','.join(part for part in parts if part is not None)}]"
    return None


def _decimal(value: Decimal) -> str | None:
    """With a point, without which it would be an integer."""
    text = f"{value:f}"
    return text if "." in text else None


def _tag(kind: str, *parts: str) -> str:
    return f"{{{json.dumps(TAG)}:[{','.join([json.dumps(kind), *parts])}]}}"


def _box(value: Value, inner: list[Piece]) -> Piece:
    pieces = [piece for piece in inner if piece is not None]
    depth = 1 + max((size for _, size in pieces), default=0)
    if depth > MAX_DEPTH:
        raise UnsupportedError(f"a literal nests more than {MAX_DEPTH} levels deep; Spark's variants go no deeper")
    if len(pieces) < len(inner):
        return None
    texts = [text for text, _ in pieces]
    if isinstance(value, Struct):
        names = [name for name, _ in value.pairs]
        named = [(n, text) for (n, item), text in zip(value.pairs, texts, strict=True) if item is not MISSING]
        if len(set(names)) < len(names) or TAG in names:
            pairs = ",".join(f"[{json.dumps(str(name))},{text}]" for name, text in named)
            return _tag(Kind.PAIRS, f"[{pairs}]"), depth
        return "{" + ",".join(f"{json.dumps(str(name))}:{text}" for name, text in named) + "}", depth
    array = f"[{','.join(texts)}]"
    if isinstance(value, Bag):
        return _tag(Kind.BAG, array), depth
    return (_tag(Kind.SEXP, array) if isinstance(value, Sexp) else array), depth
