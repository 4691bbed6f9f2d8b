"""Regular expressions without the risk of a run that never ends (`docs/decisions/0041-regular-expressions.md`).

`syntax` reads a pattern into a tree, `program` makes a list of instructions of it, `cost` bounds the steps that a
backtracking matcher could take over it, `machine` matches in linear time, and `pattern` takes the right one of the two.
"""

from firesteel.evaluate.regex.pattern import Regex, RegexMatch, compile_regex
from firesteel.evaluate.regex.syntax import CaseRule, Options

__all__ = ["CaseRule", "Options", "Regex", "RegexMatch", "compile_regex"]
