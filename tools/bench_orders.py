"""Generate the data of the JSON benchmark: orders with items as nested JSON lines, from a seed.

The types vary as in real data: amounts are written `12` and `12.5`, a postcode is a number or a string, a priority is a
number or a word, a discount is absent, null, a number or a string, and some orders have no items.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

SEED = 4
CUSTOMERS = 20_000
CITIES = ("Aarau", "Basel", "Bern", "Biel", "Chur", "Genf", "Lugano", "Luzern", "Thun", "Winterthur", "Zug", "Zürich")
WORDS = ("urgent", "gift", "fragile", "call before", "leave at the door", "second attempt", "return", "no invoice")
STATUS = ("open", "paid", "shipped", "closed")


def orders(seed: int) -> Iterator[dict[str, object]]:
    """An endless stream of orders."""
    pick = random.Random(seed)
    number = 0
    while True:
        number += 1
        yield _order(number, pick)


def _order(number: int, pick: random.Random) -> dict[str, object]:
    items = [_item(pick) for _ in range(pick.randint(1, 6))]
    total = round(sum(item["qty"] * item["price"] for item in items), 2)  # type: ignore[operator]
    who = pick.randint(1, CUSTOMERS)
    order: dict[str, object] = {
        "id": number,
        "at": f"2024-{pick.randint(1, 12):02}-{pick.randint(1, 28):02}T{pick.randint(0, 23):02}:15:00",
        "status": pick.choice(STATUS),
        "customer": {
            "id": who,
            "name": f"Customer {who}",
            "address": {"city": pick.choice(CITIES), "zip": _zip(pick), "street": f"Street {who % 977}"},
        },
        "total": int(total) if total == int(total) else total,
        "priority": pick.choice((1, 2, 3, 4, "low", "high")),
        "note": " ".join(pick.choice(WORDS) for _ in range(pick.randint(2, 9))),
    }
    if pick.random() > 0.02:
        order["items"] = items
    chance = pick.random()
    if chance > 0.3:
        order["discount"] = None if chance < 0.4 else "10%" if chance < 0.42 else round(chance / 4, 2)
    return order


def _item(pick: random.Random) -> dict[str, object]:
    price = pick.randint(1, 400)
    item: dict[str, object] = {
        "sku": f"S{pick.randint(1, 500):03}",
        "qty": pick.randint(1, 9),
        "price": price if pick.random() < 0.3 else price + pick.randint(1, 99) / 100,
    }
    if pick.random() < 0.5:
        item["tags"] = [pick.choice(WORDS) for _ in range(pick.randint(1, 3))]
    return item


def _zip(pick: random.Random) -> object:
    code = pick.randint(1000, 9700)
    return f"CH-{code}" if pick.random() < 0.1 else code


def orders_file(folder: Path, megabytes: int) -> Path:
    """A file of so many megabytes; it is generated if it does not exist."""
    lines = (json.dumps(order, ensure_ascii=False) for order in orders(SEED))
    return written_file(folder / f"orders-{megabytes}.jsonl", lines, megabytes * 1_000_000)


def customers_file(folder: Path) -> Path:
    """The file of the customers of the orders."""
    pick = random.Random(SEED)
    rows = ({"id": i, "segment": pick.choice(("shop", "web", "phone")), "since": 1990 + i % 30} for i in _ids())
    return written_file(folder / "customers.jsonl", (json.dumps(row) for row in rows))


def _ids() -> range:
    return range(1, CUSTOMERS + 1)


def written_file(path: Path, lines: Iterator[str], size: int | None = None) -> Path:
    """The file of these lines, or of the first `size` bytes of them; it is written if it does not exist."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_name(f".{path.name}.{os.getpid()}")
        written = 0
        with open(staged, "wb") as out:
            for line in lines:
                written += out.write(f"{line}\n".encode())
                if size is not None and written >= size:
                    break
        staged.rename(path)
    return path
