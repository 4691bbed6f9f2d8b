"""What the pipeline did to a plan: the plan after every pass that changed it.

-- plan ---------------------------------------------
query permissive → bag(struct(n string))
└─ ...
== bind =============================================
-- inline_views (0.1 ms)
query permissive → bag(struct(n string))
└─ ...
-- keep_used_globals (0.0 ms): nothing to do
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.explain.text import explain
from firesteel.passes import Phase, Step
from firesteel.plan import Plan


def explain_steps(start: Plan, steps: Sequence[Step], engine: str | None = None) -> str:
    """The plan as it was given, and after every step that changed it. Passes that changed nothing have one line."""
    tree = explain(start)
    lines = [_ruled("-- plan", "-"), tree]
    for phase in Phase:
        taken = [step for step in steps if step.phase is phase]
        if phase is Phase.LOWER and engine is not None:
            lines.append(_ruled(f"== lower for {engine}", "="))
            lines += [] if taken else ["the engine asks for no lowering"]
        elif taken:
            lines.append(_ruled(f"== {phase.value}", "="))
        for step in taken:
            head = f"-- {step.name} ({step.seconds * 1000:.1f} ms)"
            after = explain(step.after) if step.changed else tree
            if not step.changed:
                lines.append(f"{head}: nothing to do")
            elif after == tree:
                lines.append(f"{head}: changes nothing that the tree shows")
            else:
                lines += [head, after]
            tree = after
    return "\n".join(lines)


def _ruled(head: str, rule: str) -> str:
    return f"{head} ".ljust(79, rule)


__all__ = ["explain_steps"]
