"""Events of a code host as JSON lines, from a seed, and eight queries over them.

They are deep and of 40 types, each with a payload of its own; many values are null, and in `votes` the keys are data:
who voted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.bench_json import Case, Data
from tools.bench_orders import written_file

SEED = 7
ACTORS, REPOS = 50_000, 20_000
VERBS = ("Push", "Fork", "Watch", "Create", "Delete", "Release", "Issue", "Comment", "Review", "Deploy")
OBJECTS = ("", "Tag", "Wiki", "Branch")
TYPES = tuple(f"{verb}{thing}Event" for verb in VERBS for thing in OBJECTS)
WORDS = ("fix", "the", "parser", "for", "empty", "input", "and", "tests", "docs", "release", "again", "speed")

#: What a user writes who knows the data and the queries.
SCHEMA = (
    "id string, type string, actor struct<id bigint, login string>, repo struct<id bigint, name string>, "
    "public boolean, created_at string, payload struct<action string, size bigint, commits array<struct<sha string, "
    "author struct<name string>, message string, distinct boolean>>, issue struct<number bigint, title string, "
    "user struct<login string>, labels array<struct<name string>>, milestone struct<title string>, comments bigint>, "
    "votes map<string,bigint>, score double>"
)


def events(seed: int) -> Iterator[dict[str, object]]:
    """An endless stream of events."""
    pick = random.Random(seed)
    extras = {type_: _extra_fields(random.Random(f"{seed} {type_}")) for type_ in TYPES}
    number = 20_000_000_000
    while True:
        number += pick.randint(1, 9)
        yield _event(number, pick, extras)


def _extra_fields(pick: random.Random) -> list[str]:
    """The fields that only the payloads of one type have."""
    return [f"{pick.choice(WORDS)}_{pick.choice(WORDS)}_{i}" for i in range(pick.randint(3, 9))]


def _event(number: int, pick: random.Random, extras: Mapping[str, list[str]]) -> dict[str, object]:
    type_, who, repo = pick.choice(TYPES), pick.randint(1, ACTORS), pick.randint(1, REPOS)
    event: dict[str, object] = {
        "id": str(number),
        "type": type_,
        "actor": {**_user(who), "avatar_url": f"https://example.org/u/{who}?s=40", "gravatar_id": ""},
        "repo": {"id": repo, "name": f"team{repo % 977}/repo{repo}", "url": f"https://example.org/r/{repo}"},
        "payload": _payload(type_, pick, extras[type_]),
        "public": pick.random() < 0.95,
        "created_at": f"2024-{pick.randint(1, 12):02}-{pick.randint(1, 28):02}T{pick.randint(0, 23):02}:00:00Z",
    }
    if pick.random() < 0.4:
        event["org"] = {"id": repo % 977, "login": f"team{repo % 977}"}
    return event


def _user(who: int) -> dict[str, object]:
    return {"id": who, "login": f"user{who}", "url": f"https://example.org/users/{who}"}


def _payload(type_: str, pick: random.Random, extra: list[str]) -> dict[str, object]:
    payload: dict[str, object] = {name: _value(name, pick) for name in extra}
    if type_.startswith("Push"):
        commits = [_commit(pick) for _ in range(pick.randint(1, 5))]
        payload.update(size=len(commits), ref="refs/heads/main", commits=commits)
    elif type_.startswith(("Issue", "Comment", "Review")):
        payload.update(action=pick.choice(("opened", "closed", "edited")), issue=_issue(pick))
    elif type_.startswith("Watch"):
        payload["votes"] = {f"u{pick.randint(1, ACTORS)}": pick.randint(1, 5) for _ in range(pick.randint(0, 6))}
    else:
        score = pick.randint(0, 400) / 4
        payload.update(action="started", score=int(score) if score == int(score) else score)
    return payload


def _value(name: str, pick: random.Random) -> object:
    """A value for a field: its name decides on its type."""
    kind = sum(map(ord, name)) % 5
    if kind == 0:
        return pick.randint(0, 10**6)
    if kind == 1:
        return None if pick.random() < 0.3 else pick.choice(WORDS)
    if kind == 2:
        return pick.random() < 0.5
    if kind == 3:
        return [pick.choice(WORDS) for _ in range(pick.randint(0, 3))]
    return {"name": pick.choice(WORDS), "url": None if pick.random() < 0.5 else "https://example.org/x"}


def _commit(pick: random.Random) -> dict[str, object]:
    return {
        "sha": f"{pick.getrandbits(160):040x}",
        "author": {"name": f"user{pick.randint(1, 500)}", "email": "mail@example.org"},
        "message": " ".join(pick.choice(WORDS) for _ in range(pick.randint(2, 8))),
        "distinct": pick.random() < 0.9,
    }


def _issue(pick: random.Random) -> dict[str, object]:
    return {
        "number": pick.randint(1, 9999),
        "title": " ".join(pick.choice(WORDS) for _ in range(pick.randint(2, 6))),
        "user": _user(pick.randint(1, ACTORS)),
        "labels": [{"name": pick.choice(WORDS), "color": "ededed"} for _ in range(pick.randint(0, 3))],
        "milestone": None if pick.random() < 0.7 else {"title": pick.choice(WORDS), "due_on": None},
        "comments": pick.randint(0, 40),
        "body": None if pick.random() < 0.1 else " ".join(pick.choice(WORDS) for _ in range(pick.randint(5, 30))),
    }


# ---------------------------------------------------------------------------------------------------------------------
# The queries


def _filter(e: Any) -> Any:
    from pyspark.sql import functions as F

    return e.where((F.col("type") == "PushEvent") & (F.col("payload.size") > 3)).select("id", "actor.login")


def _types(e: Any) -> Any:
    from pyspark.sql import functions as F

    return e.groupBy("type").agg(F.count(F.lit(1)).alias("n"), F.max("created_at").alias("last"))


def _commits(e: Any) -> Any:
    from pyspark.sql import functions as F

    rows = e.select(F.explode("payload.commits").alias("c")).where("c.distinct")
    return rows.groupBy(F.col("c.author.name").alias("name")).agg(F.count(F.lit(1)).alias("n"))


def _issues(e: Any) -> Any:
    from pyspark.sql import functions as F

    rows = e.where(F.col("payload.action") == "opened")
    by = rows.groupBy(F.col("payload.issue.user.login").alias("login"))
    return by.agg(F.sum("payload.issue.comments").alias("comments"))


def _labels(e: Any) -> Any:
    from pyspark.sql import functions as F

    wanted = F.filter("payload.issue.labels", lambda label: label["name"] == "parser")
    rows = e.where(F.col("payload.issue").isNotNull())
    return rows.select("id", F.size(wanted).cast("bigint").alias("n"))


def _votes(e: Any) -> Any:
    from pyspark.sql import functions as F

    votes = F.col("payload.votes")
    if not e.select(votes).dtypes[0][1].startswith("map"):  # an inferred schema has a column for every voter
        votes = F.from_json(F.to_json(votes), "map<string,bigint>")
    rows = e.select(F.explode(votes).alias("who", "stars"))
    return rows.groupBy("who").agg(F.sum("stars").alias("stars"))


def _scores(e: Any) -> Any:
    from pyspark.sql import functions as F

    by = e.where(F.col("payload.score") > 10).groupBy(F.col("repo.name").alias("name"))
    return by.agg(F.sum("payload.score").alias("score"))


def _last(e: Any) -> Any:
    from pyspark.sql import functions as F

    rows = e.select("id", F.col("repo.name").alias("name"), "created_at")
    return rows.orderBy(F.col("created_at").desc(), "id").limit(100)


CASES: Mapping[str, Case] = {
    "events filter": Case(
        "SELECT e.id AS id, e.actor.login AS login FROM events AS e WHERE e.type = 'PushEvent' AND e.payload.size > 3",
        _filter,
    ),
    "types": Case(
        "SELECT t AS type, COUNT(*) AS n, MAX(e.created_at) AS last FROM events AS e GROUP BY e.type AS t", _types
    ),
    "commits": Case(
        "SELECT n AS name, COUNT(*) AS n FROM events AS e, e.payload.commits AS c WHERE c.distinct "
        "GROUP BY c.author.name AS n",
        _commits,
    ),
    "issues": Case(
        "SELECT l AS login, SUM(e.payload.issue.comments) AS comments FROM events AS e "
        "WHERE e.payload.action = 'opened' GROUP BY e.payload.issue.user.login AS l",
        _issues,
    ),
    "labels": Case(
        "SELECT e.id AS id, (SELECT COUNT(*) FROM e.payload.issue.labels AS l WHERE l.name = 'parser') AS n "
        "FROM events AS e WHERE e.payload.issue IS NOT MISSING",
        _labels,
    ),
    "votes": Case(
        "SELECT w AS who, SUM(stars) AS stars FROM events AS e, UNPIVOT e.payload.votes AS stars AT who "
        "WHERE e.payload.votes IS NOT MISSING GROUP BY who AS w",
        _votes,
    ),
    "scores": Case(
        "SELECT n AS name, SUM(e.payload.score) AS score FROM events AS e WHERE e.payload.score > 10 "
        "GROUP BY e.repo.name AS n",
        _scores,
    ),
    "last": Case(
        "SELECT e.id AS id, e.repo.name AS name, e.created_at AS created_at FROM events AS e "
        "ORDER BY e.created_at DESC, e.id LIMIT 100",
        _last,
        ordered=True,
    ),
}


def data(folder: Path, megabytes: int) -> Data:
    """The events, as a file of so many megabytes."""
    lines = (json.dumps(event, ensure_ascii=False) for event in events(SEED))
    file = written_file(folder / f"events-{megabytes}.jsonl", lines, megabytes * 1_000_000)
    return Data("events", {"events": (file, SCHEMA)}, CASES)
