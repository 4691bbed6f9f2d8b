"""Write docs/passes.md: the pipeline, as `firesteel.passes.PIPELINE` has it.

make docs
"""

from __future__ import annotations

from pathlib import Path

from firesteel.passes import PIPELINE, Pass, Phase
from firesteel.session.engines import Engine, Reference
from firesteel.spark import SparkEngine

TARGET = Path(__file__).parent.parent / "docs" / "passes.md"
ENGINES: tuple[type[Engine], ...] = (Reference, SparkEngine)
HEAD = """# Passes

*Written by `make docs` from `firesteel.passes.PIPELINE` and the docstrings of the passes.*

Every rewrite of a plan is a pass, and runs in this order. `fs.connect(skip_passes=[...])` leaves out passes that can be
skipped, `fs.connect(verify_passes=True)` checks the plan after each pass, and `firesteel explain TEXT --pipeline debug`
or `s.explain(text, pipeline="debug")` shows the plan after each pass that changed it, with the time.
"""
ABOUT = {
    Phase.BIND: "Names are replaced by tables, views and values. Parameters are bound in all statements of a plan at"
    " once, names one statement at a time.",
    Phase.TYPE: "What a broadcast below a join means is settled, all types are derived from those of the tables, and"
    " inputs have the order that relations rely on.",
    Phase.OPTIMIZE: "The same answer with less work. A plan also runs without these passes.",
    Phase.LOWER: "Rewrites that an engine asks for, because it cannot run the plan otherwise.",
}


def document() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for phase in Phase:
        parts += [f"\n## {phase.value.capitalize()}\n", f"{ABOUT[phase]}\n"]
        parts += ["| pass | what it does | can be skipped | asked for by |", "|---|---|---|---|"]
        parts += [_row(one) for one in PIPELINE[phase]]
    return "\n".join(parts) + "\n"


def _row(one: Pass) -> str:
    asking = "every plan" if one.phase is not Phase.LOWER else ", ".join(asking_engines(one.name))
    return f"| `{one.name}` | {one.doc} | {'yes' if one.skippable else 'no'} | {asking} |"


def asking_engines(name: str) -> list[str]:
    """The engines that ask for a lowering pass."""
    return [engine.name for engine in ENGINES if name in engine.lowerings]
