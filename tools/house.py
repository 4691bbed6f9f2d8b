"""`make house` checks the limits for the size of the code: long files and functions, full folders, duplicated lines.

    python -m tools.house

It prints a line for each measure and what exceeds it, and exits with 1 if anything does.
"""

import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "firesteel"

FILE_LINES = 400
FOLDER_FILES = 15
FUNCTION_LINES = 60
#: This many consecutive lines of code that occur in two places count as a duplicate.
TWICE = 6

#: The folder whose files have a limit of lines: `spark/` has the most files, and they are the hardest to read.
SHORT_FILES = "spark"
#: Files that may have long functions. The Ion readers are loops over characters, where a call for each is too slow.
LONG_FUNCTIONS = ("ion/text_reader.py", "ion/binary_reader.py")
#: Folders with more files than allowed, and how many they may have. These numbers may only get smaller.
FULL_FOLDERS: Mapping[str, int] = {}


@dataclass(frozen=True)
class Line:
    """A line of code without comments and white space."""

    number: int
    text: str


def long_files(root: Path) -> Iterator[str]:
    for path in sources(root / SHORT_FILES):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > FILE_LINES:
            yield f"{path.relative_to(root)}: {lines} lines"


def full_folders(root: Path, allowed: Mapping[str, int] = FULL_FOLDERS) -> Iterator[str]:
    files: dict[str, int] = defaultdict(int)
    for path in sources(root):
        files[path.parent.relative_to(root).as_posix()] += 1
    for folder, count in sorted(files.items()):
        if count > allowed.get(folder, FOLDER_FILES):
            yield f"{folder}/: {count} files"
    for folder, count in allowed.items():
        if files[folder] < count:
            yield f"{folder}/: {files[folder]} files now; say so in FULL_FOLDERS"


def long_functions(root: Path) -> Iterator[str]:
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        if name in LONG_FUNCTIONS:
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                lines = node.end_lineno - node.lineno + 1
                if lines > FUNCTION_LINES:
                    yield f"{name}:{node.lineno}: {node.name} has {lines} lines"


def written_twice(root: Path) -> Iterator[str]:
    """Each pair of places with equal lines, once, with the number of these lines."""
    windows: dict[tuple[str, ...], tuple[Path, int]] = {}
    code = {path: code_lines(path.read_text(encoding="utf-8")) for path in sources(root)}
    shared: set[tuple[Path, int, Path, int]] = set()
    for path, lines in code.items():
        for i in range(len(lines) - TWICE + 1):
            first = windows.setdefault(tuple(line.text for line in lines[i : i + TWICE]), (path, i))
            if first[0] != path or i >= first[1] + TWICE:  # lines that overlap with themselves are no duplicate
                shared.add((*first, path, i))
    for a, i, b, j in sorted(shared):
        if (a, i - 1, b, j - 1) in shared:
            continue
        length = TWICE
        while (a, i + length - TWICE + 1, b, j + length - TWICE + 1) in shared:
            length += 1
        places = (
            f"{path.relative_to(root)}:{code[path][at].number}-{code[path][at + length - 1].number}"
            for path, at in ((a, i), (b, j))
        )
        yield " = ".join(places)


def code_lines(text: str) -> list[Line]:
    """The lines to compare, without comments, imports, docstrings, signatures, lone brackets and names."""
    skipped = _declarations(ast.parse(text))
    tokens: dict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _BLANK:
            tokens[token.start[0]].append(token.string)
    return [
        Line(number, " ".join(words))
        for number, words in sorted(tokens.items())
        if number not in skipped and not _trivial(words)
    ]


_BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _declarations(tree: ast.Module) -> set[int]:
    """The lines of imports, docstrings and signatures. Functions that pass a call on have the same parameters, which is
    no duplicate."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(range(node.lineno, node.body[0].lineno))
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if isinstance(node, ast.Import | ast.ImportFrom) or text:
            assert isinstance(node, ast.stmt)
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def _trivial(words: Sequence[str]) -> bool:
    """Is it a bracket, a lone name in a list, or a field with its type? Such lines are alike without being copies."""
    names = [word for word in words if word.isidentifier() or word[:1] in "'\""]
    declared = words[1:2] == [":"] and words[0].isidentifier() and "=" not in words and words[0] not in _KEYWORDS
    return not names or (len(names) == 1 and words[-1] == ",") or declared


_KEYWORDS = {"else", "try", "finally"}

MEASURES = {
    f"files of {SHORT_FILES}/ of more than {FILE_LINES} lines": long_files,
    f"folders of more than {FOLDER_FILES} files": full_folders,
    f"functions of more than {FUNCTION_LINES} lines": long_functions,
    f"pairs of places that share {TWICE} lines or more": written_twice,
}


def sources(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


def main() -> int:
    exceeded = False
    for measure, find in MEASURES.items():
        found = list(find(SOURCE))
        exceeded = exceeded or bool(found)
        print(f"{len(found)} {measure}")
        for place in found:
            print(f"  {place}")
    for folder, count in FULL_FOLDERS.items():
        print(f"still allowed: {folder}/ with {count} files")
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
