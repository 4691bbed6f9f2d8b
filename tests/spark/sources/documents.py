"""JSON lines as other people's data is: deep documents, keys that are data, arrays of mixed kinds, wide objects,
strings that look like numbers, dates as text, nulls everywhere, keys in other cases, numbers of many digits.

`FROM t AS r, r.mixed` ranges over the rows' arrays; after `FROM t AS t` the name `t.mixed` would mean the table.
"""

from __future__ import annotations

import json
import random

NAMES = ("id", "ид", "naïve key", "Größe", "a.b", "x-1")

QUERIES = [
    "SELECT VALUE r FROM t AS r",
    "SELECT r.id, r.deep.a.b.c.d.e AS e, r.deep.a.b.n AS n FROM t AS r",
    "SELECT w AS w, SUM(v) AS v, COUNT(*) AS n FROM t AS r, UNPIVOT r.votes AS v AT who GROUP BY who AS w",
    "SELECT r.id, v, who FROM t AS r, UNPIVOT r.prices AS v AT who WHERE r.prices IS NOT MISSING",
    "SELECT r.votes.u1 AS a, r.VOTES.U2 AS b, r.prices.p3 AS p FROM t AS r",
    "SELECT r.id, r.votes AS v FROM t AS r",
    "SELECT DISTINCT VALUE m FROM t AS r, r.mixed AS m",
    "SELECT m AS m, COUNT(*) AS n FROM t AS r, r.mixed AS m GROUP BY m",
    "SELECT r.code AS code, MAX(r.day) AS day, MIN(r.big) AS big FROM t AS r GROUP BY r.code",
    "SELECT r.id FROM t AS r WHERE r.deep IS MISSING OR r.deep.a IS NULL OR r.meta IS NOT MISSING",
    "SELECT r.id, (SELECT COUNT(*) AS n FROM r.tags AS g WHERE g.name = 'x') AS n FROM t AS r WHERE r.tags IS NOT NULL",
    "SELECT SUM(r.exact) AS s, AVG(r.exact) AS a, MAX(r.big) AS m, COUNT(r.none) AS n FROM t AS r",
    "SELECT r.exact * 2 AS d, r.exact + 1 AS p, -r.exact AS m, r.big - 1 AS b FROM t AS r",
    'SELECT r."Größe" AS g, r."ид" AS i, r."naïve key" AS k, r."a.b" AS ab, r.größe AS lower FROM t AS r',
    'SELECT r.Kind AS a, r.kind AS b, r."KIND" AS c FROM t AS r',
    "SELECT r.id FROM t AS r WHERE r.code = 7 OR r.code = '007' OR r.day >= '2024-06-01'",
    "SELECT VALUE r.code FROM t AS r WHERE r.id < 20 UNION SELECT VALUE r.day FROM t AS r",
    "SELECT VALUE r.code FROM t AS r EXCEPT ALL SELECT VALUE m FROM t AS r, r.mixed AS m",
    "SELECT COUNT(*) AS n FROM t AS r",
]


def lines(seed: int, count: int = 60) -> list[str]:
    """The lines of a file; of every seventh seed none, or one."""
    rng = random.Random(f"documents {seed}")
    count = {5: 0, 6: 1}.get(seed % 7, count)
    wide = [f"w{i}" for i in range(rng.choice((0, 40, 300)))]
    odd = {name: rng.random() for name in ("code", "mixed", "case", "deep", "votes")}
    return [json.dumps(_line(i, rng, wide, odd), ensure_ascii=rng.random() < 0.5) for i in range(count)]


def _line(i: int, rng: random.Random, wide: list[str], odd: dict[str, float]) -> dict[str, object]:
    value: dict[str, object] = {name: _scalar(rng) for name in NAMES[1:] if rng.random() < 0.7}
    value["id"] = i
    if rng.random() < 0.8:
        value["deep"] = _deep(rng, odd["deep"])
    if rng.random() < 0.7:
        value["votes"] = {f"u{rng.randrange(4000)}": rng.randrange(5) for _ in range(rng.randrange(5))}
    if rng.random() < 0.6:
        value["prices"] = {f"p{rng.randrange(9)}": _price(rng, odd["votes"]) for _ in range(rng.randrange(4))}
    if rng.random() < 0.8:
        value["mixed"] = [_mixed(rng, odd["mixed"]) for _ in range(rng.randrange(4))]
    value["code"] = rng.choice(("007", "7", "1e3", " 1", "-0")) if rng.random() < 0.97 or odd["code"] < 0.5 else 7
    value["day"] = rng.choice((None, f"2024-0{rng.randrange(1, 10)}-1{rng.randrange(10)}", "never"))
    value["big"] = rng.choice((rng.randrange(2**62, 2**63), 1 - 2**63, rng.randrange(9)))
    value["exact"] = rng.choice((0.5, 12345678901234.125, 1234567.000001, -3.25))
    value["none"] = None
    if rng.random() < 0.5:
        value["tags"] = [{"name": rng.choice("xyz"), "n": None} for _ in range(rng.randrange(3))]
    if rng.random() < 0.1:
        value["meta"] = {"url": "u" * 30, "flag": rng.random() < 0.5}
    value["Kind" if odd["case"] < 0.3 and rng.random() < 0.1 else "kind"] = rng.choice(("a", "b", None))
    value |= {name: rng.randrange(9) for name in wide if rng.random() < 0.8}
    return dict(rng.sample(list(value.items()), len(value)))


def _scalar(rng: random.Random) -> object:
    return rng.choice((None, 1, "1", "ä", 2.5))


def _deep(rng: random.Random, odd: float) -> object:
    if odd < 0.2 and rng.random() < 0.1:
        return rng.choice((None, [], "deep"))
    inner: object = {"d": {"e": rng.randrange(9)}} if rng.random() < 0.9 else None
    return {"a": {"b": {"c": inner, "n": rng.random() < 0.5, "f": {"g": {"h": [[{"i": 1}]]}}}}}


def _price(rng: random.Random, odd: float) -> object:
    return None if odd < 0.3 and rng.random() < 0.2 else rng.randrange(100) / 4


def _mixed(rng: random.Random, odd: float) -> object:
    kinds: list[object] = [rng.randrange(4), rng.choice(("a", "1")), rng.random() < 0.5]
    if odd < 0.5:
        kinds += [rng.randrange(8) / 4, [rng.randrange(2)], {"k": rng.randrange(2)}, None]
    return rng.choice(kinds)
