"""Measure arms side by side: medians and their ratios, with the baseline also against itself (A/A).

Every round runs each arm once and starts with another arm, so that other load on the machine affects all arms alike.
One arm is the baseline a second time. Its ratio differs from 1 by noise only, and no ratio is more exact than that.
"""

from __future__ import annotations

import gc
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

AGAIN = "again"


@dataclass(frozen=True)
class Arm:
    """The function to measure, and one that runs before it and is not measured."""

    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


Arms = Mapping[str, Arm]


@dataclass
class Measured:
    """The times of each arm, in seconds, in the order of the rounds."""

    name: str
    times: dict[str, list[float]] = field(default_factory=dict)

    def median(self, arm: str) -> float:
        return statistics.median(self.times[arm])

    def ratio(self, arm: str, baseline: str) -> float:
        return self.median(arm) / self.median(baseline)

    def as_json(self) -> dict[str, object]:
        medians = {arm: round(self.median(arm), 6) for arm in self.times}
        return {"name": self.name, "medians": medians, "times": self.times}


class Progress:
    """Progress on stderr: one line that is rewritten on a terminal, elsewhere a line per comparison."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._started = time.monotonic()

    def next(self, name: str) -> None:
        self._done += 1
        self._name = name
        self.say("" if sys.stderr.isatty() else "...")

    def say(self, detail: str) -> None:
        spent = time.monotonic() - self._started
        line = f"{self._what} {self._done}/{self._total} {self._name} {detail} ({spent:.0f} s)"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif detail == "...":
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def interleaved(
    name: str,
    arms: Arms,
    repeat: int,
    progress: Progress | None = None,
    warm: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Measured:
    """Run the arms in turn. The first `warm` rounds do not count."""
    found = Measured(name, {arm: [] for arm in arms})
    order = list(arms)
    for turn in range(-warm, repeat):
        if progress:
            progress.say("warming up" if turn < 0 else f"round {turn + 1} of {repeat}")
        for i in range(len(order)):
            arm = order[(i + turn) % len(order)]
            arms[arm].prepare()
            gc.collect()
            start = clock()
            arms[arm].run()
            taken = clock() - start
            if turn >= 0:
                found.times[arm].append(taken)
    return found


def geometric_mean(ratios: Iterable[float]) -> float:
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


@dataclass(frozen=True)
class Column:
    """A column of ratios, one arm over another; `bound` is the target for its geometric mean."""

    title: str
    arm: str
    baseline: str
    bound: float | None = None


def table(title: str, found: Sequence[Measured], columns: Sequence[Column]) -> tuple[list[str], dict[str, object]]:
    """The lines of a table of ratios, and the same for JSON."""
    wide = max([len(one.name) for one in found] + [14])
    arms = list(dict.fromkeys(side for column in columns for side in (column.arm, column.baseline)))
    arms = [arm for arm in arms if not arm.endswith(AGAIN)]
    head = f"{'':<{wide}}" + "".join(f"{arm + ' s':>14}" for arm in arms)
    if not found:
        return [title, "nothing could be measured"], {"title": title}
    lines = [title, head + "".join(f"{column.title:>24}" for column in columns)]
    for one in found:
        times = "".join(f"{one.median(arm):>14.3f}" if arm in one.times else f"{'':>14}" for arm in arms)
        ratios = "".join(f"{one.ratio(column.arm, column.baseline):>24.2f}" for column in columns)
        lines.append(f"{one.name:<{wide}}{times}{ratios}")
    summary: dict[str, object] = {}
    means, spreads, bounds = "", "", ""
    for column in columns:
        ratios_ = [one.ratio(column.arm, column.baseline) for one in found]
        mean = geometric_mean(ratios_)
        means += f"{mean:>24.3f}"
        spreads += f"{f'{min(ratios_):.2f} to {max(ratios_):.2f}':>24}"
        verdict = "" if column.bound is None else f"{'met' if mean <= column.bound else 'NOT met'}: {column.bound:.2f}"
        bounds += f"{verdict:>24}"
        summary[column.title] = {
            "arm": column.arm,
            "baseline": column.baseline,
            "geometric_mean": mean,
            "min": min(ratios_),
            "max": max(ratios_),
            "bound": column.bound,
            "met": None if column.bound is None else mean <= column.bound,
        }
    pad = " " * (14 * len(arms))
    lines += [f"{'geometric mean':<{wide}}{pad}{means}", f"{'spread':<{wide}}{pad}{spreads}"]
    if bounds.strip():
        lines.append(f"{'target':<{wide}}{pad}{bounds}")
    return lines, {"title": title, "ratios": summary, "measured": [one.as_json() for one in found]}
