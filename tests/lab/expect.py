#!/usr/bin/env python3
"""Holds the JSON lines of `tdtop -j` against what is known.

  expect.py [NAME[.KEY]OP[VALUE]]... <rows

NAME is a node or metric (its value), or a key of the row such as model. OP is = (within 1e-4 for
numbers), % (within 2 %: of what is divided by the time of a clock, which a busy host stretches), : (= or null), <, >, ~ (contains) or ? (any
value but null). Every row must fit, and there must be one.
The last row of a command that ended just at a tick has nothing to divide by, or counted nothing: it
is left out.
"""

import json
import re
import sys

NOTHING = re.compile("divides by zero|not counted|not scheduled")


def look_up(row, name):
    name, _, key = name.partition(".")
    if name in row.get("nodes", {}):
        return row["nodes"][name].get(key or "value")
    return row.get(name)


def fits(value, op, want):
    if op == "?":
        return value is not None
    if value is None:
        return want == "null" or op == ":"
    if op == "~":
        return want in json.dumps(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        want = float(want)
        near = abs(value - want) <= 1e-4 * max(1, abs(want))
        return {"=": near, ":": near, "%": abs(value - want) <= 0.02 * abs(want), "<": value < want, ">": value > want}[op]
    return op in "=:" and str(value) == want


def main():
    rows = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    rows = [row for row in rows if "nodes" in row]
    if len(rows) > 1 and NOTHING.search(str(next(iter(rows[-1]["nodes"].values())).get("reason"))):
        rows.pop()
    if not rows:
        sys.exit("no rows")
    wrong = []
    for number, row in enumerate(rows):
        for text in sys.argv[1:]:
            name, op, want = re.fullmatch(r"([\w.]+)([=:%<>~?])(.*)", text).groups()
            value = look_up(row, name)
            if not fits(value, op, want):
                wrong.append(f"row {number}: {name} is {value!r}, not {op}{want}")
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
