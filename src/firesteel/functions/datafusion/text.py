"""DataFusion's functions of text, octets and patterns; where the standard has one of the name, that means another."""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.rows import scalar

_PATTERNS: tuple[Function, ...] = (
    *(
        scalar(name, "2", f"Does the text {what} the pattern{case}?", dear=True)
        for name, what, case in (
            ("regex_match", "match", ""),
            ("regex_imatch", "match", ", in any case"),
            ("regex_not_match", "not match", ""),
            ("regex_not_imatch", "not match", ", in any case"),
        )
    ),
    scalar("regexp_like", "2-3", "Does a part of the text match the pattern, by flags?", own=True, dear=True),
    scalar("regexp_match", "2-3", "The groups of the first match, or all of it, as a list.", dear=True),
    scalar("regexp_count", "2-4", "The number of matches, from a place on.", dear=True),
    scalar("regexp_instr", "2-6", "The place of a match, from 1; 0 without one.", dear=True),
    scalar("regexp_replace", "3-4", "The text with the first match, or with the flag g all, replaced.", dear=True),
    scalar("ilike", "2-3", "LIKE in any case.", own=True),
    *(
        scalar(f"like_{name}", "2", f"{what}LIKE{case}.")
        for name, what, case in (
            ("match", "", ""),
            ("imatch", "", " in any case"),
            ("not_match", "NOT ", ""),
            ("not_imatch", "NOT ", " in any case"),
        )
    ),
)

TEXTS: tuple[Function, ...] = (
    *_PATTERNS,
    scalar("ascii", "1", "The code point of the first character; 0 of an empty text.", total=True),
    scalar("chr", "1", "The character of a code point."),
    scalar("bit_length", "1", "The number of bits of the text in UTF-8."),
    scalar("btrim", "1-2", "The text without spaces, or given characters, at both ends."),
    scalar("ltrim", "1-2", "The text without spaces, or given characters, at its start."),
    scalar("rtrim", "1-2", "The text without spaces, or given characters, at its end."),
    scalar("character_length", "1", "The number of characters."),
    scalar("octet_length", "1", "The number of octets."),
    scalar("concat", "1+", "The texts, or the lists, one after the other; NULL is left out.", own=True),
    scalar("concat_ws", "1+", "The texts that are not NULL, joined by the first.", own=True),
    scalar("str_concat", "2", "Two texts, octets or lists, one after the other."),
    scalar("substring", "2-3", "The characters from a place on; what is before the first counts too."),
    scalar("contains", "2", "Is the second text a part of the first?"),
    scalar("ends_with", "2", "Does the text end with the other?"),
    scalar("starts_with", "2", "Does the text start with the other?"),
    scalar("find_in_set", "2", "The place of a text in a text of parts between commas; 0 if it is none."),
    scalar("initcap", "1", "Words with a capital first and small letters after it; digits belong to words."),
    scalar("left", "2", "So many characters from the start; negative: all but so many from the end."),
    scalar("right", "2", "So many characters from the end; negative: all but so many from the start."),
    scalar("levenshtein", "2", "How many characters have to change to make one text of the other."),
    scalar("lpad", "2-3", "The text filled at its start, or cut, to a length.", dear=True),
    scalar("rpad", "2-3", "The text filled at its end, or cut, to a length.", dear=True),
    scalar("overlay", "3-4", "The text with another from a place on."),
    scalar("repeat", "2", "The text so many times.", dear=True),
    scalar("replace", "3", "The text with each part that is the second replaced by the third."),
    scalar("reverse", "1", "The characters from the last to the first."),
    scalar("split_part", "3", "The part of a text between separators, from 1, or from the end; empty without one."),
    scalar("strpos", "2", "The place of a text in another from 1; 0 if it is not there."),
    scalar("substr", "2-3", "The characters from a place on; what is before the first counts too."),
    scalar("substr_index", "3", "The text before, or from the end after, so many separators."),
    scalar("to_hex", "1", "An integer in hexadecimal."),
    scalar("translate", "3", "The text with characters replaced one by one."),
    scalar("encode", "2", "Octets as a text in base64 or hex."),
    scalar("decode", "2", "The octets of a text in base64 or hex."),
    scalar("digest", "2", "The digest of a text or of octets by an algorithm."),
    *(scalar(name, "1", f"The digest {name.upper()}.") for name in ("md5", "sha224", "sha256", "sha384", "sha512")),
    scalar("quote", "1", "The text in single quotes, as a literal."),
)
