"""The package: its public names, its version, what it says where an extra is missing; and, built and installed into an
environment of its own, that it works without Spark."""

from __future__ import annotations

import ast
import inspect
import json
import os
import pty
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.lazy import EXTRAS, missing
from tools.version import version

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: What `firesteel` promises to users. A name that goes away, or a new one, is a decision: change it here, too.
# fmt: off
PUBLIC = [
    "MISSING", "AnalysisError", "Bag", "Diff", "EvaluationError", "FiresteelError", "Lineage", "ParseError", "Plan",
    "PlanError", "Policy", "PolicyError", "QueryWarning", "Result", "Session", "Struct", "UnsupportedError",
    "connect", "convert", "diff", "from_spark", "ion", "parse", "read_plan", "register_function", "register_relation",
    "secret",
]
# fmt: on


# --- public names --------------------------------------------------------------------------------------------------


def test_the_exported_names() -> None:
    assert fs.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(fs))


def public_callables() -> dict[str, object]:
    """The exported functions and classes, and the public methods of the classes."""
    found: dict[str, object] = {}
    for name in PUBLIC:
        exported = getattr(fs, name)
        if inspect.isclass(exported):
            own = (kind for kind in exported.__mro__ if kind.__module__.startswith("firesteel"))
            members = {key: member for kind in own for key, member in vars(kind).items() if not key.startswith("_")}
            found |= {f"{name}.{key}": member for key, member in members.items() if inspect.isfunction(member)}
        elif callable(exported):
            found[name] = exported
    return found


def test_the_public_functions_and_methods_are_typed_and_documented() -> None:
    assert (ROOT / "src" / "firesteel" / "py.typed").exists()
    found = public_callables()
    assert {"connect", "Session.query", "Result.to_arrow", "Plan.to_substrait", "Policy.merged"} & set(found)
    for name, function in found.items():
        signature = inspect.signature(function)  # type: ignore[arg-type]
        assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty or parameter.name in ("self", "cls"), name


#: What somebody writes who uses the package, and what a type checker finds in it.
_USER = """
import firesteel as fs
reveal_type(fs.connect(engine="reference").query("1").to_ion())
reveal_type(fs.read_plan("plan.ion").to_substrait())
fs.connect(engine="fast")
fs.conect()
"""
_FOUND = (
    'Revealed type is "str"',
    'Revealed type is "bytes"',
    'Argument "engine" to "connect" has incompatible type',
    'Module has no attribute "conect"',
)


@pytest.mark.slow
def test_a_type_checker_knows_the_public_names(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(_USER)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("user.py:")]
    assert len(lines) == len(_FOUND), done.stdout + done.stderr
    for line, found in zip(lines, _FOUND, strict=True):
        assert found in line


def test_importing_it_costs_little() -> None:
    heavy = (
        "pyspark",
        "pyarrow",
        "pandas",
        "prompt_toolkit",
        "pygments",
        "google",
        "yaml",
        "click",
        "importlib.metadata",
    )
    code = f"import sys, firesteel; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# --- versions ------------------------------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.com")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def test_the_version_is_that_of_the_tag(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [0.2.0] - 2026-11-18\n\n## [0.1.0] - 2026-01-01\n")
    assert version(tmp_path) == "0.2.0"  # an archive
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "first")
    assert version(tmp_path).startswith("0.2.0.dev1+g")
    git(tmp_path, "tag", "v0.2.0")
    git(tmp_path, "tag", "other")
    assert version(tmp_path) == "0.2.0"
    (tmp_path / "CHANGELOG.md").write_text("changed")
    assert version(tmp_path).startswith("0.2.1.dev0+g")
    assert version(tmp_path).endswith(".dirty")
    git(tmp_path, "commit", "--all", "--message", "second")
    assert version(tmp_path).startswith("0.2.1.dev1+g")
    inside = tmp_path / "vendored"
    inside.mkdir()
    (inside / "CHANGELOG.md").write_text("## [0.3.0] - 2027-01-01\n")
    assert version(inside) == "0.3.0"  # the tags are another project's
    (inside / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: firesteel\nVersion: 0.2.5\n")
    assert version(inside) == "0.2.5"


def test_the_changelog_has_a_dated_version_below_what_is_unreleased() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("## ")][:2] == ["## [Unreleased]", "## [0.2.0] - 2026-11-18"]


# --- what is missing -----------------------------------------------------------------------------------------------


def test_every_package_of_an_extra_belongs_to_the_extra_that_is_named() -> None:
    extras = PROJECT["optional-dependencies"]
    for module, extra in EXTRAS.items():
        assert extra in extras, module
    said = str(missing("pyspark.sql"))
    assert said.startswith("FS600: the package 'pyspark' is not installed: pip install 'firesteel[spark]', or ")
    assert f"\n{said}\n" in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")


#: With these packages taken away, each of these lines is an error of one line.
_ABSENT = ("pyspark", "py4j", "pandas", "prompt_toolkit", "pygments", "IPython")
_TAKEN_AWAY = f"""
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {_ABSENT!r} else super().find_spec(name, path, target)

sys.meta_path[:] = [Without if finder is PathFinder else finder for finder in sys.meta_path]
"""
_WITHOUT = f"""{_TAKEN_AWAY}
import json
import firesteel as fs

def said(act):
    try: return act()
    except fs.FiresteelError as error: return str(error)

r = fs.connect(engine="auto").query("SELECT VALUE x FROM [1, 2] AS x")
print(json.dumps([
    said(lambda: fs.connect()),
    said(lambda: fs.connect(engine="spark", remote="sc://nowhere")),
    said(lambda: fs.connect(engine="auto", master="local[1]", in_process=False).query("1 + 1").to_python()),
    said(r.to_pandas),
    said(r.to_python),
    said(lambda: r.to_arrow().num_rows),
]))
"""


def test_what_is_missing_is_said_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=True)
    spark = str(missing("pyspark"))
    assert json.loads(done.stdout) == [spark, spark, spark, str(missing("pandas")), [1, 2], 2]


_COMMAND = f"{_TAKEN_AWAY}\nfrom firesteel.cli import main\nmain()"


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [(("1 + 1",), None), (("--engine", "spark", "1 + 1"), "pyspark"), (("functions", "lower"), None)],
)
def test_the_command_line_without_the_extras(arguments: tuple[str, ...], absent: str | None) -> None:
    done = subprocess.run([sys.executable, "-c", _COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == (0 if absent is None else 1), done.stderr
    assert done.stderr == ("" if absent is None else f"{missing(absent)}\n")


def test_the_shell_at_a_terminal_without_its_extra() -> None:
    inner, outer = pty.openpty()
    try:
        command = [sys.executable, "-c", _COMMAND, "shell"]
        done = subprocess.run(
            command, stdin=outer, stdout=outer, stderr=subprocess.PIPE, text=True, check=False, timeout=600
        )
    finally:
        os.close(inner)
        os.close(outer)
    assert (done.returncode, done.stderr) == (1, f"{missing('prompt_toolkit')}\n")


# --- built and installed -------------------------------------------------------------------------------------------


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution of this tree, and with the wheel that is built from that, without git."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (archive,) = folder.glob("firesteel-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=unpacked)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a new environment with that wheel, and with what it needs from the package index."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=True)
    commands = home / "bin"
    (wheel,) = built.glob("*.whl")
    command = [commands / "python", "-m", "pip", "install", "--disable-pip-version-check", "--retries", "1", wheel]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "connection broken" in done.stdout + done.stderr:
        pytest.skip("no connection to the package index")
    assert done.returncode == 0, done.stdout + done.stderr
    return commands


@pytest.mark.slow
def test_a_clean_environment(built: Path, installed: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    packages = {
        row["name"].lower() for row in json.loads(run(installed / "pip", "list", "--format", "json", cwd=tmp_path))
    }
    assert {"firesteel", "pyarrow", "click"} <= packages
    assert not {"pyspark", "pandas", "prompt-toolkit", "prompt_toolkit", "pygments", "ipykernel", "pytest"} & packages

    firesteel, examples = installed / "firesteel", ROOT / "examples"
    orders = f"orders={examples / 'data' / 'orders.jsonl'}"
    assert run(firesteel, "--version", cwd=tmp_path) == f"firesteel, version {wheel.name.split('-')[1]}\n"
    assert run(firesteel, "--format", "jsonl", "1 + 1", cwd=tmp_path) == "2\n"
    assert "fine" in run(firesteel, "check", examples / "shipped.json", cwd=tmp_path)
    run(firesteel, "convert", examples / "revenue.ion", "revenue.proto", cwd=tmp_path)
    assert fs.read_plan(tmp_path / "revenue.proto").check() == []
    shipped = run(firesteel, "run", examples / "shipped.json", "-t", orders, "--format", "jsonl", cwd=tmp_path)
    assert len(shipped.splitlines()) == 5
    query = "SELECT VALUE o.id FROM orders AS o WHERE o.id <= 2"
    assert run(firesteel, "-t", orders, "--format", "jsonl", query, cwd=tmp_path) == "1\n2\n"
    code = "import firesteel as fs; print(fs.connect(engine='reference').query('[1, MISSING, 2]').to_ion())"
    assert run(installed / "python", "-c", code, cwd=tmp_path) == "[1, $missing::null, 2]\n"
    for command, absent in (([firesteel, "--engine", "spark", "1"], "pyspark"),):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"{missing(absent)}\n")


def test_the_source_distribution_has_what_building_and_testing_needs(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    needed = {"PKG-INFO", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "Makefile", "constraints.txt"}
    needed |= {
        "src/firesteel/py.typed",
        "tools/version.py",
        "tests/test_package.py",
        "docs/guide.md",
        "examples/demo.py",
    }
    assert needed <= names
    assert not any(name.startswith(("build/", ".venv/", "dist/")) for name in names)


def test_the_module_that_gives_the_version_needs_nothing_but_python() -> None:
    """It is run before anything is installed."""
    tree = ast.parse((ROOT / "tools" / "version.py").read_text(encoding="utf-8"))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
