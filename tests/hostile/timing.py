"""How long something takes, for tests that say that it takes no time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: Seconds of the processor that a refusal may take. Most take a tenth, the slowest one half a second.
SOON = 2.0


def processor_seconds(action: Callable[[], Any], enough: float = SOON) -> float:
    """The seconds of this process that an action takes: the least of three runs, if the first took too long. Other
    processes, and a collection of garbage that is just due, only ever add to it."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        action()
        best = min(best, time.process_time() - begun)
        if best < enough:
            break
    return best
