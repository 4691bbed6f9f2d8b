"""What `make house` finds, in small houses of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import house

SIX = "".join(f"    total = total + step({n}, total)\n" for n in range(6))


def built(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_long_files_of_spark_only(tmp_path: Path) -> None:
    long = "x = 1\n" * (house.FILE_LINES + 1)
    root = built(tmp_path, spark__long=long, spark__short=long[6:], plan__long=long)
    assert list(house.long_files(root)) == ["spark/long.py: 401 lines"]


def test_full_folders_and_allowances_that_are_out_of_date(tmp_path: Path) -> None:
    root = built(tmp_path, **{f"plan__m{n}": "" for n in range(16)}, **{f"ion__m{n}": "" for n in range(15)})
    assert list(house.full_folders(root, {})) == ["plan/: 16 files"]
    assert list(house.full_folders(root, {"plan": 16})) == []
    assert list(house.full_folders(root, {"plan": 17})) == ["plan/: 16 files now; say so in FULL_FOLDERS"]


def test_long_functions_except_in_the_ion_readers(tmp_path: Path) -> None:
    long = "def f():\n" + "    x = 1\n" * house.FUNCTION_LINES
    short = "def g():\n" + "    x = 1\n" * (house.FUNCTION_LINES - 1)
    root = built(tmp_path, plan__a=short + long, ion__text_reader=long)
    assert list(house.long_functions(root)) == ["plan/a.py:61: f has 61 lines"]


def test_six_lines_written_twice(tmp_path: Path) -> None:
    spaced = (
        "# why\n\ndef g(total):\n" + SIX.replace("    ", "        ").replace(")\n", ")  # so\n\n") + "        y()\n"
    )
    root = built(tmp_path, a="def f(total):\n" + SIX + "    x()\n", b=spaced)
    assert list(house.written_twice(root)) == ["a.py:2-7 = b.py:4-14"]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"import m{n}\n" for n in range(8)),
        "from m import (\n" + "".join(f"    n{n},\n" for n in range(8)) + ")\n",
        '"""' + "the same words\n" * 8 + '"""\n',
        "class A:\n" + "".join(f"    field{n}: int\n" for n in range(8)),
        "def f(\n" + "".join(f"    a{n}: int = {n},\n" for n in range(8)) + "): ...\n",
        "# a comment\n" * 8,
        "def f(total):\n" + "".join(SIX.splitlines(keepends=True)[:5]),
    ],
    ids=["imports", "names", "docstring", "fields", "signature", "comments", "five lines"],
)
def test_what_is_alike_and_no_copy(text: str, tmp_path: Path) -> None:
    assert list(house.written_twice(built(tmp_path, a=text, b=text))) == []
