"""Every example of the README and of the pages in docs/ runs, and prints what the page says. `--bless` rewrites what
the pages say that is printed.

The examples run in this process, on the reference engine. Where a page names a cluster or asks for local Spark, the
reference engine takes its place. The page for users of PySpark runs on Spark.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from tests.docs.examples import blocks, run_page

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
RUN = ("python", "sh")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if any(block.language in RUN for block in blocks(page.read_text("utf-8")))]
PYSPARK = ROOT / "docs" / "from-pyspark.md"


def prepare(folder: Path) -> None:
    """The files that the pages speak of."""
    shutil.copytree(EXAMPLES, folder / "examples")
    for name in ("orders.jsonl", "data/orders.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLES / "data" / "orders.jsonl", folder / name)
    shutil.copy(EXAMPLES / "shipped.json", folder / "shipped.json")
    (folder / "report.partiql").write_text("SELECT o.id, r.rate FROM orders AS o, rates AS r WHERE o.id = r.id;\n")
    (folder / "rates.csv").write_text("id;rate\n1;1.5\n2;2.5\n")
    pq.write_table(pa.table({"orderkey": [1, 2]}), folder / "lineitem.parquet")
    plan = fs.read_plan("(map_values (path (id l) (lit orderkey)) (scan (id lineitem) l))")
    (folder / "plan.proto").write_bytes(plan.to_substrait())
    (folder / "plan.ion").write_text(plan.to_ion())
    pq.write_table(pa.table({"id": [1, 2, 3], "a": ["x", "y", None]}), folder / "t.parquet")


def on_the_reference_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """`fs.connect` opens sessions on the reference engine, whatever cluster is named; commands, too."""
    connect = fs.connect

    def instead(**options: Any) -> fs.Session:
        for cluster in ("engine", "spark", "master", "remote", "conf", "small_input"):
            options.pop(cluster, None)
        return connect(engine="reference", **options)

    monkeypatch.setattr(fs, "connect", instead)


def check(page: Path, folder: Path, bless: bool, **given: object) -> None:
    """Run a page and compare what is printed with what it says, or let it say that."""
    prepare(folder)
    text = page.read_text(encoding="utf-8")
    run = list(run_page(text, folder, **given))
    if not bless:
        for block, printed in run:
            assert printed == block.text
        return
    for block, printed in reversed(run):
        text = text[: block.start] + printed + text[block.end :]
    page.write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """A page shows how to log; tests after it do not."""
    loggers = logging.getLogger(), logging.getLogger("firesteel")
    before = [(one.level, list(one.handlers)) for one in loggers]
    yield
    for one, (level, handlers) in zip(loggers, before, strict=True):
        one.setLevel(level)
        one.handlers[:] = handlers


@pytest.mark.parametrize("page", [page for page in WITH_EXAMPLES if page != PYSPARK], ids=lambda page: page.name)
def test_the_examples_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bless: bool) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    on_the_reference_engine(monkeypatch)
    check(page, tmp_path, bless)


@pytest.mark.spark
def test_the_page_for_users_of_pyspark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bless: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    check(PYSPARK, tmp_path, bless, spark=spark)


def test_the_pages_that_are_run() -> None:
    """A page loses its examples only if somebody means it."""
    names = {page.name for page in WITH_EXAMPLES}
    assert {"README.md", "guide.md", "install.md", "tutorial.md", "performance.md", "algebra.md"} <= names
    assert {"from-sql.md", "from-partiql.md", "from-substrait.md", "from-pyspark.md"} <= names


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_the_files_that_a_page_links_to(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if not re.match(r"[a-z]+:", target):
            linked = (page.parent / path) if path else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), target


def anchors(page: Path) -> set[str]:
    """The anchors of a page: those of its headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_the_plan_of_the_readme_is_the_example() -> None:
    found = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    plans = [block.text for block in found if block.text.startswith("(map_values")]
    example = (EXAMPLES / "revenue.ion").read_text(encoding="utf-8")
    assert all(plan == example.split("\n", 1)[1] for plan in plans)


@pytest.mark.parametrize(
    ("known", "cases"),
    [("known_failures.txt", 7104), ("known_failures_substrait.txt", 1317), ("known_failures_relations.txt", 71)],
)
def test_the_figures_are_those_of_the_known_failures(known: str, cases: int) -> None:
    """The tools fail for a failure that is not listed, and for a listed one that passes: the lists say what passes."""
    lines = (ROOT / "tools" / known).read_text(encoding="utf-8").splitlines()
    passed = cases - sum(bool(line.strip()) and not line.startswith("#") for line in lines)
    row = f"{cases:,} | {passed:,} | {100 * passed / cases:.1f}"
    assert row in (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    readme = re.sub(r" runs|\(| %\)", "", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert row.replace(f"{passed:,} |", f"{passed:,}") in readme
