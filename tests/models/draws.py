"""Random but plausible counts, and the recording (perf stat -I -x,) that holds them.

A draw is one interval: a count for each code that the model's formulas use, None where the counter was
"<not counted>". Equal codes count the same, so names that mean the same code always agree. Besides plain
draws there are some with zeros (divisors among them), with everything zero, with counters that got no turn,
and with the events of a branch not counted that the formulas do not take.
"""
import math
import re

from formula import NAN, known

# What an event counts per cycle, the first that matches: (pattern, low, high), spread evenly in the
# logarithm. `w` stands for the width of the pipeline.
RATES = [
    (r"TOPDOWN\.SLOTS", "w", "w"),
    (r"(CPU_CLK_UNHALTED|CPU_CYCLES|CYCLES|ls_not_halted_cyc).*", 0.5, 1.2),
    (r"(UOPS_(ISSUED|RETIRED|EXECUTED)|OP_|ex_ret_ops|de_src_op_disp|STALL_SLOT).*", 0.3, "w"),
    (r"(IDQ_UOPS_NOT_DELIVERED|IDQ_BUBBLES|TOPDOWN_|de_no_dispatch).*", 0.05, "w"),
    (r"(INST_|instructions|ex_ret_instr).*", 0.3, 4),
    (r"(IDQ|INST_DECODED|LSD|MEM_UOPS|MEM_INST|BR_INST|LD_|ST_|DP_|L1D?_).*", 0.01, 1),
    (r"(CYCLE_ACTIVITY|EXE_ACTIVITY|STALL|MEMORY_ACTIVITY|RESOURCE_STALLS|ARITH|ICACHE).*", 0.01, 0.9),
    (r".*", 0.0003, 0.3),
]
FIRST_LEVEL = ("FRONTEND_BOUND", "BAD_SPECULATION", "BACKEND_BOUND", "RETIRING")
PART_OF = {"FETCH_LATENCY": "FRONTEND_BOUND", "BRANCH_MISPREDICTS": "BAD_SPECULATION",
           "MEMORY_BOUND": "BACKEND_BOUND", "HEAVY_OPERATIONS": "RETIRING"}


class Interval:
    """counts: code -> float or None (not counted); seconds: how long it was."""

    def __init__(self, counts, seconds, kind):
        self.counts = counts
        self.seconds = seconds
        self.kind = kind


def rate_of(event, width, rng):
    for pattern, low, high in RATES:
        if re.fullmatch(pattern, event):
            low, high = (width if x == "w" else x for x in (low, high))
            return math.exp(rng.uniform(math.log(low), math.log(high)))
    raise AssertionError(event)


def shares(rng, n):
    parts = [rng.expovariate(1) + 0.02 for _ in range(n)]
    return [p / sum(parts) for p in parts]


def perf_metrics(counts, model, rng):
    """The four kinds of slots sum to the slots, and the second level is a part of the first."""
    slots = max(counts[model.code(e)] for e in model.events() if e.startswith("TOPDOWN.SLOTS"))
    value = dict(zip(FIRST_LEVEL, (p * slots for p in shares(rng, 4))))
    value.update({name: value[of] * rng.random() for name, of in PART_OF.items()})
    for event in model.perf_metrics():
        counts[model.code(event)] = float(int(value[event.split(".")[1]]))


def kinds_of_slots(counts, model, rng):
    """E-cores count the four kinds with an event each: a slot is of one kind."""
    slots = model.width * counts[model.code("CPU_CLK_UNHALTED.CORE")]
    for kind, share in zip(("FE_BOUND", "BE_BOUND", "BAD_SPECULATION", "RETIRING"), shares(rng, 4)):
        for event in model.events():
            if re.fullmatch(rf"TOPDOWN_{kind}\.ALL(_P)?", event):
                counts[model.code(event)] = float(int(slots * share))


def promised_sums(counts, model, rng):
    """What the architecture promises of any real count, and formulas build on."""
    if model.perf_metrics():
        perf_metrics(counts, model, rng)
    elif any(e.startswith("TOPDOWN_RETIRING") for e in model.events()):
        kinds_of_slots(counts, model, rng)
    stall = [model.code("STALL_SLOT" + x) for x in ("", "_FRONTEND", "_BACKEND")]
    if all(code in counts for code in stall):
        counts[stall[0]] = counts[stall[1]] + counts[stall[2]]


def plain(model, rng):
    cycles = 10 ** rng.uniform(7.5, 9.6)
    counts = {}
    for event in model.events():
        code = model.code(event)
        if code not in counts:
            counts[code] = float(int(cycles * rate_of(event, model.width, rng)))
    promised_sums(counts, model, rng)
    return counts


def some(counts, share, rng):
    """A few of the codes, at least one."""
    codes = list(counts)
    return rng.sample(codes, max(1, int(len(codes) * share)))


def with_zeros(counts, rng):
    for code in some(counts, rng.choice((0.03, 0.1, 0.3)), rng):
        counts[code] = 0.0


def with_gaps(counts, rng):
    for code in some(counts, rng.choice((0.01, 0.05)), rng):
        counts[code] = None


def events_below(model, names):
    """Events that these names need, through the metrics they name."""
    found, todo, seen = set(), list(names), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in model.metrics:
            todo += model.metrics[name].formula.names
        elif model.is_event(name):
            found.add(model.code(name))
    return found


def without_branches(model, counts, env, rng):
    """Takes away the events of branches that are not taken. Returns metrics that need not notice."""
    metrics = [m for m in model.metrics.values() if m.formula.branches and not m.unusable]
    chosen = []
    for m in rng.sample(metrics, min(8, len(metrics))):
        condition, asked, yes, no = rng.choice(m.formula.branches)
        v = condition(env)
        if not known(v):
            continue
        taken, dead = (yes, no) if v else (no, yes)
        others = taken + asked + [n for n in m.formula.names if n not in dead]
        gone = events_below(model, dead) - events_below(model, others)
        for code in gone:
            counts[code] = None
        if gone:
            chosen.append(m.name)
    return chosen


def csv_lines(model, events, intervals):
    """What perf stat -I -x, would print; an event left out of `events` is not in the file at all."""
    now, lines = 0, []
    for it in intervals:
        now += round(it.seconds * 1e9)
        stamp = f"{now // 10**9}.{now % 10**9:09d}"
        for event in events:
            count = it.counts[model.code(event)]
            value = "<not counted>" if count is None else str(int(count))
            runtime = 0 if count is None else round(it.seconds * 1e9)
            name = model.spelling.get(event, event)
            lines.append(f"{stamp},{value},,{name},{runtime},100.00,,")
    return lines
