"""Typical mistakes at the command line: a name for each, and the arguments. The files are in the folder of the test."""

from __future__ import annotations

from pathlib import Path

ORDERS, PEOPLE = "orders.jsonl", "people.csv"

MISTAKES: dict[str, list[str]] = {
    "keyword_as_table": ["SELECT o.id FROM order AS o", ORDERS],
    "keyword_as_alias": ["SELECT o.id AS select FROM orders AS o", ORDERS],
    "keyword_as_column": ["SELECT date FROM orders AS o", ORDERS],
    "misspelt_table": ["SELECT o.id FROM ordes AS o", ORDERS],
    "misspelt_column": ["SELECT p.nme FROM people AS p", PEOPLE],
    "misspelt_function": ["SELECT rond(o.id) FROM orders AS o", ORDERS],
    "misspelt_select": ["SELEC o.id FROM orders AS o", ORDERS],
    "misspelt_type": ["CAST('x' AS INTEGR)"],
    "missing_comma": ["SELECT o.id o.sku FROM orders AS o", ORDERS],
    "missing_operator": ["1; 2 3"],
    "comma_too_many": ["SELECT o.id, FROM orders AS o", ORDERS],
    "unclosed_string": ["SELECT o.id FROM orders AS o WHERE o.sku = 's1", ORDERS],
    "unclosed_bracket": ["SELECT (1 + 2"],
    "string_in_double_quotes": ['SELECT o.id FROM orders AS o WHERE o.sku = "s1"', ORDERS],
    "two_equals": ["SELECT o.id FROM orders AS o WHERE o.id == 1", ORDERS],
    "nothing_after_operator": ["1 +"],
    "order_without_by": ["SELECT o.id FROM orders AS o ORDER o.id", ORDERS],
    "join_without_on": ["SELECT o.id FROM orders AS o JOIN orders AS p", ORDERS],
    "with_without_brackets": ["WITH x AS SELECT 1"],
    "aggregate_in_where": ["SELECT o.id FROM orders AS o WHERE SUM(o.id) > 1", ORDERS],
    "insert": ["INSERT INTO orders VALUE 1", ORDERS],
    "parameter_without_value": ["1 + ?"],
    "parameter_that_is_no_ion": ["1", "--param", "{"],
    "strict_wrong_type": ["upper(1)", "--mode", "strict"],
    "strict_absent_attribute": ["SELECT o.id, o.colour FROM orders AS o", ORDERS, "--mode", "strict"],
    "strict_division": ["1 / 0", "--mode", "strict"],
    "no_such_file": ["1", "nowhere.csv"],
    "no_such_file_in_query": ["SELECT o.id FROM 'nowhere.jsonl' AS o"],
    "broken_gzip": ["SELECT * FROM cut AS c", "cut.jsonl.gz"],
    "pipe_as_table": ["1", "pipe.jsonl"],
    "mixed_folder": ["SELECT * FROM mixed AS m", "mixed"],
    "broken_json": ["SELECT * FROM bad AS b", "bad.jsonl"],
    "unwritable": ["1", "-o", "orders.jsonl/x.csv"],
    "unknown_suffix": ["1", "-o", "out.xyz"],
    "two_files_one_name": ["1", ORDERS, "mixed/orders.jsonl"],
    "query_is_a_script": ["query", "q.sql"],
    "plan_is_a_script": ["run", "q.sql"],
    "plan_is_data": ["run", PEOPLE],
    "query_is_data": [ORDERS],
    "misspelt_command": ["quer"],
    "misspelt_option": ["1", "--engin", "spark"],
    "misspelt_value": ["1", "--engine", "sparc"],
    "command_and_file": ["-c", "1", "-f", "q.sql"],
}


def write_files(folder: Path) -> None:
    """The files that the mistakes are made with."""
    import gzip
    import os

    lines = b"".join(b'{"id": %d, "sku": "s%d"}\n' % (i, i) for i in (1, 2, 3))
    (folder / ORDERS).write_bytes(lines)
    (folder / PEOPLE).write_text("id,name\n1,a\n")
    (folder / "q.sql").write_text("#!/usr/bin/env firesteel\nSELECT o.id FROM orders AS o;\n1 + 1;\n")
    (folder / "bad.jsonl").write_text('{"a": 1}\n{"a": \n')
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0)[:30])
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "mixed").mkdir()
    (folder / "mixed" / ORDERS).write_bytes(lines)
    (folder / "mixed" / PEOPLE).write_text("id,name\n1,a\n")
