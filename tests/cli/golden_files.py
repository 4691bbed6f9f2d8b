"""Golden files of what a person sees; `pytest --bless` rewrites them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def verify(name: str, seen: str, bless: bool) -> None:
    """Compare with the golden file of that name, or write it."""
    path = FOLDER / f"{name}.golden"
    if bless:
        path.write_text(seen, encoding="utf-8")
    assert seen == path.read_text(encoding="utf-8")
