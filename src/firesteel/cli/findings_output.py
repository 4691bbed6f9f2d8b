"""How `firesteel check` prints its findings: as text for people, as JSON, and as SARIF 2.1.0 for other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

import firesteel as fs
from firesteel.plan.findings import Findings, path_of, repair_lines
from firesteel.repair import Effect, Repair, RepairKind
from firesteel.rules import BY_CODE, Remark, Severity
from firesteel.source import Place


def print_text(plan: Path, found: Findings) -> None:
    """Problems go to stderr, each with its place and a hint; the others to stdout, a line each."""
    for problem in found:
        click.echo(str(problem), err=True)
    for line in (*repair_lines(found.repairs), *remark_lines(found.remarks)):
        click.echo(line)
    if found.dialect is not None:
        click.echo(f"read as a plan of the dialect '{found.dialect}'")
    summary = ", ".join([_count(len(found), "problem") if found else "fine", *_totals(found)])
    click.echo(f"{plan}: {summary}", err=bool(found))


def _totals(found: Findings) -> Iterator[str]:
    """How many repairs there are, and of which effect, and how many remarks of each severity."""
    if found.repairs:
        yield _count(len(found.repairs), "repair")
    for effect, said in ((Effect.LOSS, "with a loss"), (Effect.DOUBT, "in doubt")):
        number = sum(one.effect is effect for one in found.repairs)
        if number:
            yield f"{number} {said}"
    for severity in (Severity.WARNING, Severity.NOTE):
        number = sum(one.severity is severity for one in found.remarks)
        if number:
            yield _count(number, severity.value)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def remark_lines(remarks: tuple[Remark, ...]) -> list[str]:
    """One line for each remark; those that say the same of several places are one line, with the first place."""
    places: dict[tuple[str, str, str], list[Remark]] = {}
    for one in remarks:
        places.setdefault((one.severity.value, one.code, one.message), []).append(one)
    return [
        f"{severity} {code}: {message} ({_where(same[0])}{_others(len(same) - 1)})"
        for (severity, code, message), same in places.items()
    ]


def _where(remark: Remark) -> str:
    where = remark.where
    return "" if where is None else f"in {where.trail}" if where.trail else str(where)


def _others(number: int) -> str:
    return f", and in {_count(number, 'other place')}" if number else ""


def print_json(plan: Path, found: Findings) -> None:
    """All findings as one JSON object."""
    _print({"plan": str(plan), **found.to_python()})


# SARIF ---------------------------------------------------------------------------------------------------------------

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Effect.NONE: "note", Effect.LOSS: "warning", Effect.DOUBT: "warning"}
#: Codes of findings that break no rule of the table.
_CODES = {
    fs.PlanError.code: "not a plan, or a plan that contradicts itself",
    fs.UnsupportedError.code: "a plan that Firesteel understands and cannot run",
    fs.PolicyError.code: "a plan that the policy of the session does not allow",
}
_REPAIRS = {kind.code: kind for kind in RepairKind}


def print_sarif(plan: Path, found: Findings) -> None:
    """All findings as a SARIF log of one run."""
    _print(sarif(plan, found))


def sarif(plan: Path, found: Findings) -> dict[str, Any]:
    """The findings as a SARIF log: a rule for each code, and a result for each problem, remark and repair."""
    everything: list[tuple[str, fs.FiresteelError | Remark | Repair]] = [
        *(("error", one) for one in found),
        *((one.severity.value, one) for one in found.remarks),
        *((_LEVELS[one.effect], one) for one in found.repairs),
    ]
    codes = list(dict.fromkeys(one.code for _, one in everything))
    driver = {"name": "firesteel", "version": fs.__version__, "rules": [_rule(code) for code in codes]}
    artifact = {"uri": quote(plan.as_posix())}
    results = [_result(level, one, codes.index(one.code), artifact) for level, one in everything]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "artifacts": [{"location": artifact}], "results": results}],
    }


def _rule(code: str) -> dict[str, Any]:
    rule, repair = BY_CODE.get(code), _REPAIRS.get(code)
    if rule is not None:
        return {
            "id": code,
            "name": rule.name.title().replace("_", ""),
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": f"{rule.title} ({rule.basis})"},
            "help": {"text": rule.fix},
            "defaultConfiguration": {"level": rule.severity.value},
        }
    if repair is not None:
        return {
            "id": code,
            "name": repair.name.title().replace("_", ""),
            "shortDescription": {"text": repair.text},
            "fullDescription": {"text": repair.why},
            "defaultConfiguration": {"level": _LEVELS[repair.effect]},
        }
    return {"id": code, "shortDescription": {"text": _CODES.get(code, "an error")}}


def _result(
    level: str, one: fs.FiresteelError | Remark | Repair, index: int, artifact: dict[str, Any]
) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {**artifact, "index": 0}}}
    if one.where is not None:
        logical = {"fullyQualifiedName": path_of(one.where) or "/", "kind": "member"}
        if isinstance(one.where, Place) and one.where.trail:
            logical["decoratedName"] = one.where.trail
        location["logicalLocations"] = [logical]
    help_ = one.why if isinstance(one, Repair) else one.help
    text = f"{one.message}\n{help_}" if help_ else one.message
    return {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": level,
        "message": {"text": text},
        "locations": [location],
    }


def _print(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


#: The formats of `check`.
FORMATS: dict[str, Callable[[Path, Findings], None]] = {
    "text": print_text,
    "json": print_json,
    "sarif": print_sarif,
}
