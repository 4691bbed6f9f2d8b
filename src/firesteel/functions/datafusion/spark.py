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
    scalar("bin", "1", "An integer in binary digits.", total=True),
    scalar("bitmap_bit_position", "1", "The place of a number in its bitmap.", total=True),
    scalar("bitmap_bucket_number", "1", "The number of the bitmap that a number is in.", total=True),
    scalar("pmod", "2", "The remainder, which is not negative for a positive divisor; NULL for the divisor 0."),
    scalar("rint", "1", "The nearest whole number, of two the even one.", total=True),
    scalar("sha2", "2", "A digest of the family SHA-2 of so many bits, in hexadecimal."),
    scalar("char", "1", "The character of a code, modulo 256; an empty text of a negative one.", total=True),
    scalar("elt", "2+", "The text at a place from 1; NULL without one.", own=True),
    scalar("format_string", "1+", "The arguments in a format of `printf`.", own=True, dear=True),
    scalar("parse_url", "2-3", "A part of a URL, such as its host.", own=True),
    scalar("try_parse_url", "2-3", "A part of a URL, such as its host; NULL if it is none.", own=True),
    scalar("str_to_map", "1-3", "The pairs of a text, as a map."),
    scalar("soundex", "1", "A letter and three digits by the sound of a word.", total=True),
    scalar("make_valid_utf8", "1", "The octets as a text, with a sign for what is no UTF-8.", total=True),
    scalar("json_tuple", "2+", "The values under keys of an object in JSON, as texts.", own=True),
)
