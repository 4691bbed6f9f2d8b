"""Regular expressions: two matchers, one answer; and none that never ends."""

from __future__ import annotations

import random
import re
import time

import pytest

from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.evaluate.regex import CaseRule, Options, Regex, compile_regex, machine, pattern
from firesteel.evaluate.regex.cost import ENDLESS
from firesteel.evaluate.regex.program import AtPlace, Done, Jump, TakeChar
from firesteel.evaluate.scalar import text as like

PLAIN = Options()

#: Patterns that take a backtracking matcher for ever, and a text on which they do.
HOSTILE = [
    ("(a+)+b", "a" * 1_000),
    ("(a|a)*b", "a" * 1_000),
    ("(a*)*b", "a" * 1_000),
    ("(?:a|aa)+$", "a" * 1_000 + "b"),
    (r"(\w+\s*)+x", "word " * 500),
    ("(.*)(.*)(.*)(.*)(.*)(.*)(.*)x", "a" * 3_000),
    ("(a?){30}a{30}", "a" * 29),
    ("^(.*?,){11}P", "1,2,3,4,5,6,7,8,9,10,11,12,13,14," * 20),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 1_000),
    (r"([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z]+", "a" * 1_000 + "!"),
]


@pytest.mark.parametrize(("written", "text"), HOSTILE, ids=[written[:20] for written, _ in HOSTILE])
def test_what_would_not_end_ends(written: str, text: str) -> None:
    started = time.process_time()
    assert list(compile_regex(written, PLAIN).matches(text)) == []
    assert compile_regex(written, PLAIN).java is None
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "written",
    [
        *(r"\w+@\w+\.\w+", r"\d+\.?\d*", "foo.*bar", "^.*a.*b$", "https?://[^/]+/.*", r"(\d{4})-(\d\d)-(\d\d)"),
        *(r"^\s*(\w+)\s*=\s*(.*)$", r"\s+$", "foo|foobar|food", "(?i)abc", "[a-z]{1,50}[0-9]", "(?:ab)*c", "[^,]*,"),
    ],
)
def test_what_people_write_is_left_to_fast_matchers(written: str) -> None:
    assert compile_regex(written, PLAIN).java is not None


def generated(chance: random.Random, depth: int) -> str:
    def below() -> str:
        return generated(chance, depth - 1)

    match chance.randrange(10 if depth else 3):
        case 0 | 1 | 2:
            return chance.choice(["a", "b", ".", "[ab]", r"\w", "[^a]", "c"])
        case 3 | 4:
            return below() + below()
        case 5:
            return f"({below()}|{below()})"
        case 6:
            return f"(?:{below()}){chance.choice(['*', '+', '?', '{1,2}', '{2}', '*?', '+?', '??'])}"
        case 7:
            return f"({below()})"
        case 8:
            return below() + chance.choice(["$", r"\b", "^", "(?=a)", "(?!b)", "(?<=a)"])
    return chance.choice("ab") + chance.choice(["*", "+", "?", "*?"])


def backtracked(regex: Regex, text: str, limit: int) -> int:
    """The steps of a matcher that tries one way after the other, over the same instructions."""
    taken = 0
    for start in range(len(text) + 1):
        stack = [(0, start)]
        while stack:
            pc, at = stack.pop()
            taken += 1
            if taken > limit:
                return taken
            match regex.code[pc]:
                case Done():
                    return taken
                case TakeChar(text=one):
                    if at < len(text) and re.match(one, text[at]):
                        stack.append((pc + 1, at + 1))
                case Jump(targets=targets):
                    stack.extend((target, at) for target in reversed(targets))
                case AtPlace():
                    pass  # as if it failed: nothing costs more
                case _:
                    stack.append((pc + 1, at))
    return taken


def test_both_matchers_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(14)
    ways = {"backtracking": ENDLESS - 1, "linear": -1}
    for _ in range(600):
        regex = Regex(generated(chance, 4), PLAIN)
        for _ in range(4):
            text = "".join(chance.choice("aabbc \n") for _ in range(chance.randrange(12)))
            found = []
            for limit in ways.values():
                monkeypatch.setattr(pattern, "_AT_ONCE", limit)
                found.append([match.spans for match in regex.matches(text)])
            assert found[0] == found[1], (regex.pattern.text, text)


def test_the_bound_is_one() -> None:
    """No pattern takes a backtracking matcher more steps than are said."""
    chance = random.Random(15)
    bounded = 0
    for _ in range(800):
        regex = Regex(generated(chance, 4), PLAIN)
        text = chance.choice(["a" * 24, "ab" * 12, "".join(chance.choice("ab") for _ in range(24))])
        bound = regex.steps(len(text))
        if bound < 100_000:
            bounded += 1
            # Instructions that take no character are steps too; there are so many between two that take one.
            most = bound * len(regex.code) + len(text) * len(regex.code)
            assert backtracked(regex, text, most) <= most, (regex.pattern.text, text)
    assert bounded > 400


@pytest.mark.parametrize(
    ("written", "kind", "why"),
    [
        (r"(a)\1", UnsupportedError, "backreference"),
        ("a++", UnsupportedError, "possessive"),
        ("(?>a)", UnsupportedError, "atomic"),
        ("(?=.*a)b", UnsupportedError, "any length"),
        ("(?<=a|bb)c", UnsupportedError, "different lengths"),
        ("(?=(a))a", UnsupportedError, "group inside"),
        ("a(?i)b", UnsupportedError, "flags"),
        (r"\p{L}", UnsupportedError, "classes"),
        ("[a[b]]", UnsupportedError, "inside a class"),
        ("a{2000}", UnsupportedError, "1,000"),
        ("((a{100}){100}){100}", UnsupportedError, "too large"),
        ("(" * 5_000 + "a" + ")" * 5_000, UnsupportedError, "inside each other"),
        ("(", EvaluationError, "not closed"),
        (")", EvaluationError, "closes nothing"),
        ("*a", EvaluationError, "nothing"),
        ("a**", EvaluationError, "nothing"),
        ("[b-a]", EvaluationError, "range"),
        ("[a", EvaluationError, "early"),
        ("a{2,1}", EvaluationError, "greater"),
        ("a{x}", EvaluationError, "numbers"),
        (r"\y", EvaluationError, "escape"),
        ("\\", EvaluationError, "early"),
        (r"\x{110000}", EvaluationError, "no character"),
    ],
    ids=lambda one: one[:20] if isinstance(one, str) else "",
)
def test_what_is_refused_is_named(written: str, kind: type[FiresteelError], why: str) -> None:
    with pytest.raises(kind, match=why):
        compile_regex(written, PLAIN)


@pytest.mark.parametrize(
    ("written", "options", "text", "found"),
    [
        ("a.b", PLAIN, "a\rb a\u2028b axb", ["axb"]),
        ("a.b", Options(dotall=True), "a\nb", ["a\nb"]),
        ("b$", PLAIN, "ab\r\n", ["b"]),
        ("^.", Options(multiline=True), "a\r\nb\n", ["a", "b"]),
        (".$", Options(multiline=True), "a\nb", ["a", "b"]),
        ("É", Options(CaseRule.INSENSITIVE), "é", ["é"]),
        ("É", Options(CaseRule.INSENSITIVE_ASCII), "é", []),
        (r"\Qa.b\E+", PLAIN, "a.bb", ["a.bb"]),
        (r"[]a]\x41\x{1F600}\u00e9\011", PLAIN, "]A😀é\t", ["]A😀é\t"]),
        ("|a", PLAIN, "a", ["", ""]),
        ("a(?#b)c", PLAIN, "ac", ["ac"]),
        ("(?<n>a)|b", PLAIN, "ab", ["a", "b"]),
        ("(?ms)^a.$", PLAIN, "a\n\nab", ["a\n", "ab"]),
    ],
)
def test_notations(written: str, options: Options, text: str, found: list[str]) -> None:
    assert [match.group(0) for match in compile_regex(written, options).matches(text)] == found


def test_a_run_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "BUDGET", 10_000)
    with pytest.raises(EvaluationError, match="more than 10,000 steps"):
        list(compile_regex("(a*)*b", PLAIN).matches("a" * 10_000))


def test_like_does_not_go_back() -> None:
    text = "a" * 20_000
    started = time.process_time()
    assert not like.like(text, "%a" * 200 + "%b")
    assert not like.like(text, "%_a_" * 200 + "%b")
    assert time.process_time() - started < 5
