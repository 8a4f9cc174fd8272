#!/usr/bin/env python3
"""Makes up a program for a core: how fast each event of its model counts, in phases that follow one another.

  truth_rates.py MODEL PMU FOLDER [SEED]

Leaves in FOLDER, for the core and the description of its PMU (pmu/NAME, for the bits that the kernel passes on):
  MODEL.phases   rates for the module, which change with the phases of the program
  MODEL.steady   its first phase alone, for ever

The rates are found by trial: from a random draw one event after the other is changed, and what brings the nodes
of the tree closer to 0..1, and children closer to less than their parents, is kept. The nodes are those of the
vendor's formulas (../models), evaluated there, not by tdtop.
"""
import math
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
import differences  # noqa: E402
import draws  # noqa: E402
import facts  # noqa: E402
import tree  # noqa: E402
from formula import known  # noqa: E402
from recording import Recording  # noqa: E402

CYCLES = 3e9        # per second
PHASES = 6
QUICK, SLOW = 7000, 450000  # µs, of the slices that a phase lasts
LEAST, MOST = 0.004, 0.9    # of a node
IN_KERNEL = ("in the kernel",)  # where the lab's programs never are
# Events whose code the vendor's table has not.
NO_CODE = {("skx", "CPU_CLK_UNHALTED.REF_XCLK"): (0x013c, 0)}
CONSTS = {"SYSTEM_TSC_FREQ": 2e9, "SMT_ON": 0.0, "NUM_CPUS": 2.0, "SOCKET_COUNT": 1.0, "CHAS_PER_SOCKET": 16.0,
          "CORES_PER_SOCKET": 2.0}


def model_of(name):
    texts = facts.texts()
    model = differences.applied(facts.read(facts.names(texts)[name], texts))
    model.codes = {e: model.config(e) for e in model.codes}
    model.codes.update({e: codes[0] for (m, e), codes in differences.CODES.items() if m == name})
    for event in model.events():
        if event.endswith((":SUP", ":sup")):
            model.codes[event] = IN_KERNEL
    model.codes.update({e: code for (m, e), code in NO_CODE.items() if m == name})
    return model


def mask_of(pmu):
    with open(os.path.join(HERE, "pmu", pmu), encoding="utf-8") as f:
        return int(re.search(r"^mask (\S+)", f.read(), re.M)[1], 0)


def core_events(model):
    """{code: [names]} of what the core counts."""
    codes = {}
    for event in model.events():
        code = model.codes.get(event)
        if code and code != IN_KERNEL:
            codes.setdefault(code, []).append(event)
    return codes


def values(model, counts, seconds=1.0, consts=None):
    """What names mean by the vendor's formulas when this was counted."""
    counts = {**counts, IN_KERNEL: 0.0}
    events = [e for e in model.events() if model.code(e) in counts]
    recording = Recording(model, "lab", [], events, consts or CONSTS)
    return recording.env(draws.Interval(counts, seconds, "lab")).value


# --- rates that fit each other -----------------------------------------------------------------------


def settle(model, counts):
    """What a core promises: the kinds of slots sum to the slots, parts are no more than the whole."""
    name = {e: model.code(e) for e in model.events()}
    first = [name["PERF_METRICS." + n] for n in draws.FIRST_LEVEL if "PERF_METRICS." + n in name]
    if first:
        whole = sum(counts[c] for c in first)
        slots = counts[name["TOPDOWN.SLOTS"]]
        for c in first:
            counts[c] *= slots / whole
        for part, of in draws.PART_OF.items():
            if "PERF_METRICS." + part in name:
                c = name["PERF_METRICS." + part]
                counts[c] = min(counts[c], 0.9 * counts[name["PERF_METRICS." + of]])
    stall = [name.get("STALL_SLOT" + x) for x in ("", "_FRONTEND", "_BACKEND")]
    if all(stall):
        counts[stall[0]] = counts[stall[1]] + counts[stall[2]]


def badness(model, nodes, counts):
    value = values(model, counts)
    total = 0.0
    for name, parent in nodes.items():
        v = value(name)
        if not known(v):
            continue
        most = MOST
        if parent and model.metrics[name].domain == model.metrics[parent].domain == "Slots":
            p = value(parent)
            most = min(most, p) if known(p) and p > LEAST else most
        if v < LEAST:
            total += 0.3 + min(2.0, LEAST - v)
        elif v > most:
            total += 0.1 + min(2.0, math.log(v / most))
    return total


def mend(model, nodes, counts, tries, rng):
    best = badness(model, nodes, counts)
    codes = [c for c in counts if c not in fixed_codes(model)]
    for _ in range(tries):
        if best == 0:
            break
        trial = dict(counts)
        for code in rng.sample(codes, rng.choice((1, 1, 2))):
            trial[code] *= math.exp(rng.gauss(0, 1.2))
        settle(model, trial)
        b = badness(model, nodes, trial)
        if b <= best:
            counts, best = trial, b
    return counts, best


def fixed_codes(model):
    return {model.code(e) for e in model.events() if re.fullmatch(
        r"TOPDOWN\.SLOTS.*|CPU_CLK_UNHALTED\.(THREAD|REF_TSC|CORE).*|CPU_CYCLES|ls_not_halted_cyc", e)}


def first_draw(model, codes, rng):
    counts = {}
    for code, names in codes.items():
        rate = draws.rate_of(names[0], model.width, rng)
        counts[code] = CYCLES * rate
    for event, rate in (("CPU_CLK_UNHALTED.THREAD", 1), ("CPU_CYCLES", 1), ("ls_not_halted_cyc", 1),
                        ("CPU_CLK_UNHALTED.REF_TSC", 2 / 3), ("TOPDOWN.SLOTS", model.width)):
        if model.code(event) in counts:
            counts[model.code(event)] = CYCLES * rate
    settle(model, counts)
    return counts


def phases(model, codes, rng):
    """The rates of each phase, per second, and how bad each is."""
    nodes = tree.of(model)
    best = min((mend(model, nodes, first_draw(model, codes, rng), 300, rng) for _ in range(3)),
               key=lambda made: made[1])
    made = [mend(model, nodes, best[0], 2000, rng)]
    while len(made) < PHASES:
        counts = {c: n * math.exp(rng.gauss(0, 0.35)) for c, n in made[0][0].items()}
        clock = math.exp(rng.gauss(0, 0.1)) * CYCLES
        for c in fixed_codes(model) & set(counts):
            counts[c] = made[0][0][c] * clock / CYCLES
        settle(model, counts)
        made.append(mend(model, nodes, counts, 250, rng))
    return made


# --- files -------------------------------------------------------------------------------------------


def text_of(per_second):
    return f"{per_second / 1e6:.3f}"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def lines_of(name, codes, mask, made):
    lines = [f"# A made-up program on {name}, by truth_rates.py"]
    if len(made) > 1:
        lines.append(f"phases {len(made)} {QUICK} {SLOW}")
    for code, names in codes.items():
        rates = "/".join(text_of(counts[code]) for counts, _ in made)
        lines.append(f"{code[0] & mask:#x}:{code[1]:#x} {rates} # {names[0]}")
    return lines


def main():
    name, pmu, folder = sys.argv[1:4]
    rng = random.Random(f"{name} {sys.argv[4] if len(sys.argv) > 4 else 1}")
    model, mask = model_of(name), mask_of(pmu)
    codes = core_events(model)
    made = phases(model, codes, rng)
    print(f"{name}: {len(codes)} events, badness " + " ".join(f"{b:.2f}" for _, b in made))
    write(os.path.join(folder, name + ".steady"), lines_of(name, codes, mask, made[:1]))
    write(os.path.join(folder, name + ".phases"), lines_of(name, codes, mask, made))


if __name__ == "__main__":
    main()
