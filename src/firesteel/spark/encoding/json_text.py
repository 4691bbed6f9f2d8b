"""Values as JSON text that `parse_json` turns into the right variant. No recursion: values may nest deep."""

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

#: A JSON text and how deep it nests; None if JSON cannot express the value.
Piece = tuple[str, int] | None


def json_text(value: Value) -> str | None:
    """The JSON of a value, or None if JSON cannot express it: NaN, infinities, dates, timestamps, octets."""
    piece = values.fold(value, _leaf, _box)
    return None if piece is None else piece[0]


def _leaf(value: Value) -> Piece:
    tag = tagged(value)
    if tag is not None:
        parts = [_tag_part(part) for part in tag.parts]
        return None if None in parts else (_tag(tag.kind, *(part for part in parts if part is not None)), 1)
    text = _part(value)
    return None if text is None else (text, 1)


def _tag_part(value: Any) -> str | None:
    """A part of a tag. A decimal may look like an integer here: the reader casts it to the type it needs."""
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
    """The decimal with its point; None if it has none, since `parse_json` would make an integer of it."""
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
