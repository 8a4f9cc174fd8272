#!/usr/bin/env python3
"""Feeds each model random but plausible counts and compares all that tdtop makes of them with the vendor's
formulas, evaluated here in another language from the vendor's own text.

    vectors.py TDTOP [MODEL...]     --model-dir DIR: models from there; --report FILE: all mismatches

Compared are every node and metric (1e-9 relative, unknown exactly where the formulas say so), thresholds,
the bottleneck path, level-1 sums, children against their parents, and the known answers of
tests/data/vectors/. The last line is "vectors: N passed, N failed"; one check is one recording.
"""
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import differences
import draws
import facts
import tables
import tree
from formula import NAN, known
from recording import Recording, constants, known_answers, recordings

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN_ANSWERS = os.path.join(HERE, "..", "data", "vectors")
RELATIVE = 1e-9
# Below this a value is the rounding of a difference of two that are equal.
ROUNDING = 1e-13
TEXTS = facts.texts()


# --- what tdtop says ------------------------------------------------------------------------------


def replay(tdtop, recording, folder, options):
    name = os.path.join(folder, "recording.csv")
    lines = draws.csv_lines(recording.model, recording.events, recording.intervals)
    with open(name, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    command = [tdtop, "replay", name, "--model", recording.model.name, "--batch", "-j", "--speed", "0"]
    done = subprocess.run(command + options + recording.arguments(), capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if len(rows) != len(recording.intervals):
        raise RuntimeError(f"{len(rows)} rows for {len(recording.intervals)} intervals")
    never = {name: n for name, n in rows[0]["nodes"].items() if n["value"] is None}
    for row in rows[1:]:  # what no interval can have is said in the first
        row["nodes"] = {**never, **row["nodes"]}
    return rows


class Row:
    """One printed interval; values by the vendor's name, whatever the project calls them."""

    def __init__(self, row):
        self.row = row
        self.node = {n.get("vendor", name): n for name, n in row["nodes"].items()}
        self.vendor = {name: n.get("vendor", name) for name, n in row["nodes"].items()}

    def value(self, name):
        v = self.node.get(name, {}).get("value")
        return NAN if v is None else v

    def over(self, name):
        return self.node.get(name, {}).get("over", False)

    def path(self):
        return [self.vendor[n] for n in self.row["bottleneck"]]

    def tie(self):
        return [self.vendor[n] for n in self.row.get("tie", [])]


# --- comparing ------------------------------------------------------------------------------------


class Result:
    def __init__(self, model):
        self.model = model
        self.draws = self.compared = self.unknown = self.branches = 0
        self.passed = self.failed = 0
        self.worst = 0.0
        self.sums = self.parents = self.in_slots = self.marks = self.codes = self.thresholds = 0
        self.mismatches = []

    def wrong(self, where, text):
        self.mismatches.append(f"{self.model}: {where}: {text}")


def error_of(got, want):
    if known(got) != known(want):
        return math.inf
    if not known(got) or abs(got - want) < ROUNDING:
        return 0.0
    return abs(got - want) / max(abs(got), abs(want))


def compare_value(result, where, row, m, want):
    node, got = row.node.get(m.name), row.value(m.name)
    if node is None:
        result.wrong(where, f"{m.name} is not there: {m.formula.text}")
        return
    error = error_of(got, want)
    result.worst = max(result.worst, error if error < RELATIVE else 0.0)
    result.compared += known(want)
    result.unknown += not known(want)
    if error > RELATIVE:
        reason = f" ({node['reason']})" if "reason" in node else ""
        result.wrong(where, f"{m.name} = {got!r}{reason}, not {want!r}: {m.formula.text}")


def compare_marks(result, where, recording, row, env, interval):
    """A value that changes with what is only estimated is marked; where nothing is, none is marked."""
    doubt = recording.env(interval, doubt=1.25) if recording.doubtful() else None
    for name in recording.model.metrics:
        marked = "approx" in row.node.get(name, {})
        if doubt and known(row.value(name)) and error_of(doubt.value(name), env.value(name)) > RELATIVE:
            result.marks += 1
            if not marked:
                result.wrong(where, f"{name} rests on an estimate and is not marked as approximate")
        elif marked and not doubt and recording.model.vendor == "Intel":
            result.wrong(where, f"{name} is marked as approximate: {row.node[name]['approx']}")


def compare_row(result, where, recording, row, interval):
    model = recording.model
    env = recording.env(interval)
    for m in model.metrics.values():
        if not m.unusable:
            compare_value(result, where, row, m, env.value(m.name))
        elif known(row.value(m.name)):
            result.wrong(where, f"{m.name} = {row.value(m.name)}, but its formula is unusable")
    compare_marks(result, where, recording, row, env, interval)
    over, value = lambda m: row.over(m.name), row.value
    if model.thresholds:
        over, value = lambda m: env.over(m) and not rests(row, m), env.value
        compare_thresholds(result, where, row, model, over)
    path, tie = tree.path(tree.of(model), value, lambda name: over(model.metrics[name]))
    if row.path() != path or row.tie() != tie:
        result.wrong(where, f"path {row.path()} tie {row.tie()}, not {path} tie {tie}")


def rests(row, m):
    """Below a tenth of a CPU no node is over its threshold (src/model/eval/steady.h); an unknown number of CPUs is not idle."""
    cpus = row.row["nodes"].get("CPUs_Utilized", {}).get("value")
    return m.node and cpus is not None and cpus < 0.1


def compare_thresholds(result, where, row, model, over):
    for m in model.metrics.values():
        if m.name in row.node and row.over(m.name) != over(m):
            text = m.threshold.text if m.threshold else "there is no threshold"
            result.wrong(where, f"{m.name} over {row.over(m.name)}, not {over(m)}: {text}")


def compare_sums(result, where, rows, recording, promises):
    for i, row in enumerate(rows):
        real = recording.intervals[i].kind != "zeros"
        for p in promises:
            ok, text = p.check(row.value) if real or not p.by_counts else (None, "")
            result.sums += ok is not None
            if ok is False:
                result.wrong(f"{where}, draw {i + 1}", text)


def run_recording(result, tdtop, recording, folder, options, promises):
    before = len(result.mismatches)
    where = recording.what
    try:
        rows = [Row(r) for r in replay(tdtop, recording, folder, options)]
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as e:
        result.wrong(where, str(e))
        return
    for i, (row, interval) in enumerate(zip(rows, recording.intervals)):
        compare_row(result, f"{where}, draw {i + 1} ({interval.kind})", recording, row, interval)
    if not recording.doubtful():
        compare_sums(result, where, rows, recording, promises)
    result.draws += len(rows)
    result.mismatches = trimmed(result.mismatches, before)


def trimmed(mismatches, before, most=400):
    return mismatches[:before + most]


def run_known(result, tdtop, recording, v, folder, options):
    try:
        row = Row(replay(tdtop, recording, folder, options)[0])
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as e:
        result.wrong(recording.what, str(e))
        return
    for name, want in v["expect"].items():
        want = NAN if want is None else want
        error = error_of(row.value(name), want)
        result.compared += known(want)
        if error > RELATIVE:
            result.wrong(recording.what, f"{name} = {row.value(name)!r}, not {want!r}")
    for name, want in (v["over"] or {}).items():
        if row.over(name) != (bool(want) and not rests(row, recording.model.metrics[name])):
            result.wrong(recording.what, f"{name} over {row.over(name)}, not {want}")


def counted(result, before):
    if len(result.mismatches) > before:
        result.failed += 1
    else:
        result.passed += 1


def with_tables(result, tdtop, model, options, rng):
    before = len(result.mismatches)
    done = subprocess.run([tdtop, "models", model.name, "-j"] + options, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode:
        result.wrong("models", done.stderr.strip())
    else:
        tables.compare(result, model, json.loads(done.stdout), rng)
    counted(result, before)


def run_model(job):
    tdtop, options, name = job
    files, file = TEXTS, facts.names(TEXTS)[name]
    rng = random.Random(name)  # the same draws every time
    model = differences.applied(facts.read(file, files))
    result = Result(name)
    with_tables(result, tdtop, model, options, rng)
    made, result.branches = recordings(model, rng)
    promises = tree.promises(model, lambda: probe(model, rng))
    result.parents, result.in_slots = len(promises), len(tree.slots_parents(model))
    with tempfile.TemporaryDirectory() as folder:
        for recording in made:
            before = len(result.mismatches)
            run_recording(result, tdtop, recording, folder, options, promises)
            counted(result, before)
        path = os.path.join(KNOWN_ANSWERS, name + ".json")
        for recording, v in known_answers(model, path) if os.path.exists(path) else ():
            before = len(result.mismatches)
            run_known(result, tdtop, recording, v, folder, options)
            result.draws += 1
            counted(result, before)
    return result


def probe(model, rng):
    """Values of a plain draw by the vendor's formulas: shows which sums they promise."""
    return Recording(model, "probe", [], model.events(), constants(model, rng, 0)).env(
        draws.Interval(draws.plain(model, rng), 1.0, "plain")).value


def print_result(r):
    print(f"{r.model:18} {r.draws:3} draws {r.compared:6} values, {r.unknown:5} unknown, worst error {r.worst:7.1e}, "
          f"{r.branches:3} unmeasured branches; {r.sums:4} sums of {r.parents} parents"
          f"{'' if not r.failed else f'   FAILED {r.failed} of {r.failed + r.passed}'}")
    for line in r.mismatches[:6]:
        print("    " + line[:300])
    if len(r.mismatches) > 6:
        print(f"    ... and {len(r.mismatches) - 6} more")


def options_of(argv):
    options, report, names = [], None, []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--model-dir":
            options = ["--model-dir", rest.pop(0)]
        elif word == "--report":
            report = rest.pop(0)
        else:
            names.append(word)
    return names[0], names[1:], options, report


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tdtop, wanted, options, report = options_of(sys.argv[1:])
    jobs = [(tdtop, options, n) for n in sorted(facts.names(TEXTS)) if not wanted or n in wanted]
    with concurrent.futures.ProcessPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        results = []
        for result in pool.map(run_model, jobs):
            print_result(result)
            results.append(result)
    if report:
        with open(report, "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for r in results for line in r.mismatches)
    total = lambda key: sum(getattr(r, key) for r in results)
    print(f"{len(results)} models, {total('draws')} draws, {total('compared')} values and {total('unknown')} unknowns "
          f"compared, worst relative error {max(r.worst for r in results):.1e}, {total('branches')} unmeasured branches, "
          f"{total('marks')} marks of doubt, {total('sums')} sums of {total('parents')} "
          f"parents (of {total('in_slots')} with children in slots), "
          f"{total('codes')} codes, {total('thresholds')} thresholds")
    print(f"vectors: {total('passed')} passed, {total('failed')} failed")
    return 1 if total("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
