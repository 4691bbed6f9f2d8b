"""Where a page is shown: in a file, in a browser, in a notebook."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from firesteel.explain.page import PlanPage


def show(page: PlanPage, path: str | Path | None) -> PlanPage:
    """Write a page to a file; without one, open it in a browser, unless a notebook shows it."""
    if path is not None:
        Path(path).write_text(page.to_html(), encoding="utf-8")
    elif not _in_notebook():
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(page.to_html())
        webbrowser.open(Path(file.name).as_uri())
    return page


def _in_notebook() -> bool:
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


__all__ = ["show"]
