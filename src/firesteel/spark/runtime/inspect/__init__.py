"""Looking at what Spark makes of a frame."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: A node of a physical plan that leaves the JVM: ArrowEvalPython, BatchEvalPython, MapInArrow, AggregateInPandas ...
_PYTHON = re.compile(r"^[\s:|+*()\-\d]*(\w*(?:Python|InPandas|InArrow)\w*)", re.MULTILINE)


def physical_plan(frame: DataFrame) -> str:
    """The physical plan, as Spark prints it."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.explain()
    return text.getvalue()


def python_nodes(frame: DataFrame) -> list[str]:
    """The nodes of the physical plan that run in Python; empty for a frame that is wholly native."""
    return _PYTHON.findall(physical_plan(frame))
