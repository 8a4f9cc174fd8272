#!/usr/bin/env python3
"""Holds the rows of both core types against each other: `tdtop -j --summary` of one process that is always busy.

The shares of its time add up to the whole; cycles are those of the time on that core type (4000 and 3000 per µs), not
stretched to the time elsewhere; interval rows are seen on both, and each is left at least once.
"""

import json
import sys

MHZ = {"core": 4000, "atom": 3000}


def clock(row):
    """Cycles, and the time for which they stand in seconds."""
    for event in row["explain"]["events"]:
        if event["event"].startswith("CPU_CLK_UNHALTED.") and "REF" not in event["event"]:
            return event["count"], event["enabled_ms"] / 1e3
    sys.exit("no cycles in the account of IPC")


def main():
    rows = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    sums = {row["core_type"]: row for row in rows if row.get("summary")}
    wrong = []
    if sorted(sums) != ["atom", "core"]:
        sys.exit(f"sums of {sorted(sums)}, not of both core types")
    whole = sum(row["on_type"] for row in sums.values())
    if abs(whole - 1) > 0.05:  # the two are not read at the same moments
        wrong.append(f"the shares of the time add up to {whole:.3f}")
    for name, row in sums.items():
        cycles, seconds = clock(row)
        if cycles is None or abs(cycles / (MHZ[name] * 1e6 * seconds) - 1) > 0.001:
            wrong.append(f"{name}: {cycles} cycles in {seconds} s")
        # busy all the time: what is missing of the wall's time is a slow guest, as is what comes between the two readings
        if not 0.9 * row["dt"] * row["on_type"] < seconds < 1.06 * row["dt"] * row["on_type"]:
            wrong.append(f"{name}: {seconds} s counted, {row['dt'] * row['on_type']} s there")
    for name in sums:
        stays = [row["on_type"] for row in rows if row["core_type"] == name and not row.get("summary")]
        if not any(x is not None and x < 0.01 for x in stays) or not any(x is not None and x > 0.99 for x in stays):
            wrong.append(f"{name}: never wholly there, or never wholly elsewhere: {stays}")
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
