#!/usr/bin/env python3
"""Holds counts against each other and against what is known of the made-up PMU.

  counts.py rates EVENT=PER-US... <rows     each row of --explain-value -j: what an event counted is its
                                            running time times its rate, to 2 counts per row
  counts.py cpus 2,1,2 <rows                CPUs that were counted in turn, by enabled time; rows during
                                            which that changed are left out
  counts.py same SHARE <output of beside    tdtop and perf stat have counted the same, but for SHARE; as
                                            many descriptors (one more or less) are open after as before
"""

import json
import sys


def events(row):
    return {e["event"]: e for e in row["explain"]["events"] if e.get("count") is not None}


def read_rows():
    rows = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    return rows or sys.exit("no rows")


def rates(wanted):
    wrong = []
    rows = read_rows()
    for want in wanted:
        name, per_us = want.split("=")
        seen = 0
        for row in rows:
            event = events(row).get(name)
            if not event:
                continue
            seen += event["running_ms"] > 0
            known = event["running_ms"] * 1000 * float(per_us)
            if abs(event["count"] - known) > 2:
                wrong.append(f"{row['t']:.2f} s: {name} {event['count']:.0f}, not {known:.0f}")
        if not seen:
            wrong.append(f"{name} was never counted")
    return wrong


def cpus(wanted):
    seen = []
    for row in read_rows():
        enabled = max((e["enabled_ms"] for e in events(row).values()), default=0.0)
        n = enabled / (row["dt"] * 1000)
        if abs(n - round(n)) < 0.06 and (not seen or seen[-1] != round(n)):
            seen.append(round(n))
    return [] if seen == [int(n) for n in wanted[0].split(",")] else [f"CPUs counted: {seen}"]


def same(wanted):
    share = float(wanted[0])
    wrong = []
    files = {}
    sums = 0
    for line in sys.stdin.buffer.read().decode(errors="replace").splitlines():
        word = line.split()
        if len(word) == 3 and word[0] == "files":
            files[word[1]] = int(word[2])
        if len(word) != 4 or word[0] != "sum":
            continue
        sums += 1
        if "none" in word:
            wrong.append(f"{line}: not counted")
        elif int(word[3]) == 0 or abs(int(word[2]) - int(word[3])) > share * int(word[3]):
            wrong.append(f"{word[1]}: tdtop {word[2]}, perf stat {word[3]}")
    if sums != 2:
        wrong.append(f"{sums} events were compared, not 2")
    # One may be open for a moment, to read /proc.
    if not files or files.get("after", 0) > files.get("before", 0) + 1:
        wrong.append(f"descriptors: {files}")
    return wrong


def main():
    what = {"rates": rates, "cpus": cpus, "same": same}.get(sys.argv[1] if sys.argv[1:] else "")
    if not what or not sys.argv[2:]:
        sys.exit(__doc__)
    sys.exit("\n".join(what(sys.argv[2:])) or 0)


if __name__ == "__main__":
    main()
