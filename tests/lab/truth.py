#!/usr/bin/env python3
"""Holds the rows of `tdtop -j` that tests/truth.c printed against the truth beside them.

  truth.py steady MODEL PMU FOLDER <rows     nothing was multiplexed: each value within 2 % of what the rates imply
  truth.py phases MODEL PMU FOLDER <rows     multiplexed: 95 % of the true values within value ± err
  options: --models FILE (of tdtop models MODEL -j, for what the vendor has no formula for: needed),
           --exact NODE,NODE... (these are never multiplexed), --verbose (each name)

The true values are the vendor's formulas (../models) of the true counts. FOLDER is that of truth_rates.py.
"""
import argparse
import collections
import json
import math
import os
import re
import statistics
import sys

import truth_rates
from formula import Formula, NAN, known

NEAR = 0.02        # of a value
POINT = 0.002      # or this much of a share where rates change within a row: its truth is counted in another group, cut at the same moment by estimate
MOVING = 0.05      # of an always counted value while rates change: its truth is cut out of another group by estimate
COVERED = 0.95
MANY = 200         # values, fewer prove nothing: those of a row are not independent of each other
TIMES = 4          # more events than counters
GAP_MS = 1         # when the program was off its CPU for longer just then, it is not known when a row ends


class Rows:
    """Pairs of a printed row and the ns in each phase in its time."""

    def __init__(self, lines, gap_ms):
        self.pairs, self.other, self.unseen = [], [], 0
        row, began = None, False  # the program is let go within the first row that has counts
        for line in lines:
            if line.startswith('{"truth"'):
                truth = json.loads(line)
                if truth["gap"] > gap_ms:
                    self.unseen += 1
                elif sum(truth["truth"]) > 0 and (began or row.get("summary")):
                    self.pairs.append((row, truth["truth"]))
                began = began or sum(truth["truth"]) > 0
            elif line.startswith("{"):
                row = json.loads(line)
            else:
                self.other.append(line)


class Truth:
    """True values of one row's metrics, by tdtop's names."""

    def __init__(self, model, codes, counts, seconds, own):
        self.counts = dict(zip(codes, counts))
        self.seconds, self.own = seconds, own
        self.vendor = truth_rates.values(model, self.counts, seconds)
        self.model = model

    def value(self, name):
        if name in self.model.metrics:
            return self.vendor(name)
        return self.own.value(self, name)


class Own:
    """What the vendor has no formula for: tdtop's own text of it, evaluated here."""

    def __init__(self, path):
        self.formula, self.code, self.const = {}, {}, dict(truth_rates.CONSTS)
        with open(path, encoding="utf-8") as f:
            printed = json.load(f)
        self.const["SLOTS_PER_CYCLE"] = float(printed["slots_per_cycle"] or NAN)
        self.tree = {m["name"] for m in printed["metrics"] if m["kind"] == "tree"}
        self.formula = {m["name"]: Formula(m["formula"]) for m in printed["metrics"] if m["formula"]}
        for e in printed["events"]:
            if e["config"] and e["pmu"] == "core":
                self.code[e["name"]] = (int(e["config"], 0), int(e["config1"] or "0", 0))

    def value(self, truth, name):
        if name in self.formula:
            return self.formula[name].run(Named(self, truth))
        if name in self.code:
            return truth.counts.get(self.code[name], NAN)
        return truth.seconds if name == "DURATION_S" else self.const.get(name, NAN)


class Named:
    def __init__(self, own, truth):
        self.own, self.truth = own, truth

    def value(self, name):
        return self.own.value(self.truth, name)


def rates_of(path, codes, mask):
    """[phase][event of codes] per ns."""
    rates = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if len(words) == 2:
                config, config1 = words[0].split(":")
                rates[int(config, 0), int(config1, 0)] = [float(r) / 1e3 for r in words[1].split("/")]
    return list(zip(*(rates[c & mask, c1] for c, c1 in codes)))


def off(got, want):
    return abs(got - want) / max(abs(want), 1e-9)


def is_off(got, want):
    return abs(got - want) > 1e-9 and off(got, want) > NEAR


# --- nothing multiplexed -----------------------------------------------------------------------------


def steady(args, rows, truth_of):
    wrong, n, worst, beyond = [], 0, 0.0, 0
    for i, (row, phases_ns) in enumerate(rows.pairs):
        truth = truth_of(row, phases_ns)
        for name, node in row["nodes"].items():
            want, got = truth.value(node.get("vendor", name)), node["value"]
            beyond += not known(want)
            if not known(want):
                continue
            n += 1
            if got is None:
                wrong.append(f"row {i}: {name} is unknown ({node.get('reason')}), not {want:.4g}")
            elif node["state"] == "scaled" or is_off(got, want):
                wrong.append(f"row {i}: {name} = {got:.6g}, not {want:.6g} ({node['state']}, duty {node['duty']})")
            elif abs(got - want) > 1e-9:
                worst = max(worst, off(got, want))
    print(f"{args.model}: {len(rows.pairs)} rows, {n} values, within {worst:.2%} of the truth; {beyond} beyond the core")
    return wrong


# --- multiplexed -------------------------------------------------------------------------------------


class Tally:
    """How many true values were within ±; and how wide that is, in parts of the value, beside the error."""

    def __init__(self):
        self.n = self.within = 0
        self.misses, self.bars = [], []

    def add(self, miss, bar, scale):
        self.n += 1
        self.within += miss <= bar
        self.misses.append(miss / scale)
        self.bars.append(bar / scale)

    def text(self):
        if not self.n:
            return "none"
        miss, bar = statistics.median(self.misses), statistics.median(self.bars)
        return (f"{self.within} of {self.n} ({self.within / self.n:.1%}), median ± {bar:.1%}, error {miss:.1%}, "
                f"{bar / max(miss, 1e-12):.1f} times")


class Multiplexed:
    def __init__(self, args):
        self.args, self.wrong = args, []
        self.all, self.nodes, self.summed = Tally(), Tally(), Tally()
        self.by_name = collections.defaultdict(Tally)
        self.counted, self.counted_worst = 0, 0.0  # always
        self.duties, self.unknown = [], collections.Counter()

    def add_row(self, i, row, truth):
        for name in self.args.exact:
            node = row["nodes"][name]
            if node["state"] != "exact" or node["duty"] != 1:
                self.wrong.append(f"row {i}: {name} is {node['state']}, duty {node['duty']}")
        for name, node in row["nodes"].items():
            want = truth.value(node.get("vendor", name))
            if not known(want):
                continue
            if node["value"] is None:
                self.unknown[re.sub("^[^ ]*: ", "", node["reason"])] += 1
            elif node["duty"] == 1:
                self.add_counted(i, name, node["value"], want, POINT if name in truth.own.tree else 0)
            elif node["err"] is None:
                self.unknown["no ± yet"] += 1
            else:
                self.add_scaled(row, name, node, want)

    def add_counted(self, i, name, got, want, near):
        self.counted += 1
        if is_off(got, want) and off(got, want) > MOVING and abs(got - want) > near:
            self.wrong.append(f"row {i}: {name} = {got:.6g}, not {want:.6g}, though always counted")
        elif abs(got - want) > 1e-9:
            self.counted_worst = max(self.counted_worst, off(got, want))

    def add_scaled(self, row, name, node, want):
        miss, scale = abs(node["value"] - want), max(abs(want), 1e-6)
        tallies = [self.summed]
        if not row.get("summary"):
            self.duties.append(node["duty"])
            tallies = [self.all, self.by_name[name]] + ([self.nodes] if name in self.args.tree else [])
        for tally in tallies:
            tally.add(miss, node["err"], scale)

    def print(self, rows):
        print(f"{self.args.model}: {len(rows.pairs)} rows, {rows.unseen} left out; median duty "
              f"{statistics.median(self.duties or [1]):.2f}, least {min(self.duties or [1]):.2f}")
        print(f"within ±: {self.all.text()}; nodes {self.nodes.text()}; sum {self.summed.text()}")
        print(f"{self.counted} always counted, within {self.counted_worst:.2%}; unknown {dict(self.unknown)}")
        for name, tally in sorted(self.by_name.items(), key=lambda x: x[1].within / x[1].n):
            if self.args.verbose:
                print(f"    {name:40} {tally.text()}")

    def verdict(self):
        duty = statistics.median(self.duties or [1])
        if self.all.n < MANY:
            self.wrong.append(f"{self.all.n} values were multiplexed, that is not enough")
        if duty > 1 / TIMES:
            self.wrong.append(f"there are not {TIMES} times more events than counters: duty {duty:.2f}")
        for what, tally in (("values", self.all), ("nodes", self.nodes)):
            if tally.within < COVERED * tally.n and tally.n >= MANY:
                self.wrong.append(f"{tally.within / tally.n:.1%} of the true {what} are within ±, not {COVERED:.0%}")
        return self.wrong


def phases(args, rows, truth_of):
    held = Multiplexed(args)
    for i, (row, phases_ns) in enumerate(rows.pairs):
        held.add_row(i, row, truth_of(row, phases_ns))
    held.print(rows)
    return held.verdict()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("steady", "phases"))
    parser.add_argument("model")
    parser.add_argument("pmu")
    parser.add_argument("folder")
    parser.add_argument("--models", required=True)
    parser.add_argument("--exact", type=lambda s: s.split(","), default=[])
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    args = arguments()
    model = truth_rates.model_of(args.model)
    codes = list(truth_rates.core_events(model))
    rates = rates_of(os.path.join(args.folder, f"{args.model}.{args.what}"), codes, truth_rates.mask_of(args.pmu))
    own = Own(args.models)
    args.tree = own.tree
    rows = Rows(sys.stdin, GAP_MS if args.what == "phases" else math.inf)
    if not rows.pairs:
        sys.exit(f"no rows; {rows.unseen} unseen: " + " ".join(rows.other)[:200])

    def truth_of(row, phases):
        counts = [sum(ns * r for ns, r in zip(phases, of)) for of in zip(*rates)]
        return Truth(model, codes, counts, row["dt"], own)
    wrong = (steady if args.what == "steady" else phases)(args, rows, truth_of)
    sys.exit("\n".join(wrong[:40]) or 0)


if __name__ == "__main__":
    main()
