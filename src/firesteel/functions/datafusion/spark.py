"""The functions of Spark SQL that DataFusion has too, under Spark's names, apart from those of times and lists."""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.rows import scalar

SPARK: tuple[Function, ...] = (
    scalar("shiftleft", "2", "The bits shifted to the left."),
    scalar("shiftright", "2", "The bits shifted to the right, with the sign."),
    scalar("shiftrightunsigned", "2", "The bits shifted to the right, filled with 0."),
    scalar("bit_get", "2", "The bit at a place."),
    scalar("bit_count", "1", "The number of bits that are set."),
    scalar("bitmap_count", "1", "The number of bits that are set in octets."),
    scalar("bitwise_not", "1", "All bits the other way."),
    scalar("luhn_check", "1", "Are the digits valid by Luhn's algorithm?"),
    scalar("csc", "1", "The cosecant."),
    scalar("sec", "1", "The secant."),
    scalar("hex", "1", "A number or octets in hexadecimal."),
    scalar("unhex", "1", "The octets of a hexadecimal text; NULL if it is none."),
    scalar("base64", "1", "Octets in base64."),
    scalar("unbase64", "1", "The octets of a text in base64."),
    scalar("is_valid_utf8", "1", "Are the octets a text in UTF-8?"),
    scalar("space", "1", "So many spaces.", dear=True),
    scalar("crc32", "1", "The checksum CRC-32."),
    scalar("sha1", "1", "The digest SHA-1 in hexadecimal."),
    scalar("url_encode", "1", "The text, encoded for a URL."),
    scalar("url_decode", "1", "The text, decoded from a URL."),
    scalar("try_url_decode", "1", "The text, decoded from a URL; NULL if it is none."),
    scalar("json_tuple", "2+", "The values under keys of an object in JSON, as texts.", own=True),
)
