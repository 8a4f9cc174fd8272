#!/usr/bin/env python3
"""Turns facts files of AMD cores into first versions of their model files.

usage: gen_model_amd.py FOLDER FACTS.json...     writes FOLDER/NAME.toml for each

The facts (JSON) are numbers: event codes, formulas, units. The model files made from them are read and
mended by hand; from then on they are the source of truth, and this program is only run again for the
next core. What it decides:

- Tree nodes get the names of Intel's tree where they mean the same (TREE); the vendor's stay beside.
- d_ratio(a, b) becomes a / b: where b is 0 the value is unknown, not 0.
- "100%" makes a share of 1; "1e3per_1k_instr" a value per 1000 instructions.
- AMD publishes no thresholds: those of Intel's TMA for the same nodes, so that one rule judges all.
- Zen 1 to 3 have no breakdown of the vendor's: BEST_EFFORT, which says what is counted and what is
  estimated.
"""
import re

import model_locate
from model_toml import (CPUS_UTILIZED, TASK_CLOCK, arguments, event, quoted, table, why_libpfm4_differs,
                        write_model)

TITLE = {f"zen{n}": f"AMD Zen {n}" for n in range(1, 7)}
# Every id matches exactly one model: "any other model of the family" is spelled out.
X = "[[:xdigit:]]"
MATCH = {
    "zen1": [f"AuthenticAMD-23-[12]?{X}"],
    "zen2": [f"AuthenticAMD-23-[3-9A-Fa-f]{X}"],
    "zen3": [f"AuthenticAMD-25-[245]?{X}"],
    "zen4": [f"AuthenticAMD-25-[136-9A-Fa-f]{X}"],
    "zen5": [f"AuthenticAMD-26-[12467]?{X}"],
    "zen6": [f"AuthenticAMD-26-[3589A-Fa-f]{X}"],
}
ALIAS = {"ls_not_halted_cyc": "cycles", "ex_ret_instr": "instructions", "ex_ret_brn": "branches",
         "ex_ret_brn_misp": "branch-misses"}

# --- the tree of Zen 4 and later ------------------------------------------------------------------
# ours, parent, the vendor's name from Zen 4 on and from Zen 5 on, threshold, role, one line of words
TREE = [
    ("Frontend_Bound", None, "frontend_bound", "frontend_bound", 0.15, "frontend",
     "slots that stayed empty because the frontend had no ops to give"),
    ("Fetch_Latency", "Frontend_Bound", "frontend_bound_latency", "frontend_bound_by_latency", 0.10, None,
     "slots of cycles in which the frontend gave nothing at all"),
    ("Fetch_Bandwidth", "Frontend_Bound", "frontend_bound_bandwidth", "frontend_bound_by_bandwidth", 0.20, None,
     "slots left empty in cycles in which the frontend gave some ops"),
    ("Bad_Speculation", None, "bad_speculation", "bad_speculation", 0.15, "bad_speculation",
     "slots of ops that were dispatched and never retired"),
    ("Branch_Mispredicts", "Bad_Speculation", "bad_speculation_mispredicts",
     "bad_speculation_from_mispredicts", 0.10, None, "the part of Bad_Speculation that mispredicted branches caused"),
    ("Machine_Clears", "Bad_Speculation", "bad_speculation_pipeline_restarts",
     "bad_speculation_from_pipeline_restarts", 0.10, None, "the part of Bad_Speculation that pipeline restarts caused"),
    ("Backend_Bound", None, "backend_bound", "backend_bound", 0.20, "backend",
     "slots that stayed empty because the backend could take no more ops"),
    ("Memory_Bound", "Backend_Bound", "backend_bound_memory", "backend_bound_by_memory", 0.20, None,
     "the part of Backend_Bound in which a load that is not complete held up retiring"),
    ("Core_Bound", "Backend_Bound", "backend_bound_cpu", "backend_bound_by_cpu", 0.10, None,
     "the part of Backend_Bound in which no load held up retiring"),
    ("SMT_Contention", None, "smt_contention", "smt_contention", None, "none",
     "slots in which the other thread of the core was picked"),
    ("Retiring", None, "retiring", "retiring", "Retiring > 0.7 | Heavy_Operations > 0.1", "retiring",
     "slots of ops that retired: useful work"),
    ("Light_Operations", "Retiring", "retiring_fastpath", "retiring_from_fastpath", 0.60, None,
     "retired ops that did not come from microcode"),
    ("Heavy_Operations", "Retiring", "retiring_microcode", "retiring_from_microcode", 0.10, None,
     "retired ops from microcode"),
]
# Level 2 multiplies these by a ratio; it counts them anew beside the ratio's events, as the vendor
# does, so that a child is of one time, even where the groups of both levels take turns.
INLINE = {"Bad_Speculation", "Backend_Bound", "Retiring"}
NODE_COMMENT = {
    "SMT_Contention": "No threshold: these slots went to the other thread, the core did not lose them.",
    "Bad_Speculation": "Slightly negative where its two counts were not taken over the same time.",
}
GOOD_UP = {"Retiring", "Light_Operations"}
LOCATE = {"Branch_Mispredicts": ["ex_ret_brn_misp"], "Heavy_Operations": ["ex_ret_ucode_ops"]}

# --- beside the tree ------------------------------------------------------------------------------
# One line of words by the vendor's name, "_pti" (per thousand instructions) left out.
WORDS = {
    "total_dispatch_slots": "slots of all cycles",
    "branch_misprediction_ratio": "branches that were mispredicted",
    "branch_misprediction_rate": "mispredicted branches per branch",
    "all_data_cache_accesses": "loads and stores sent to the L1 data cache",
    "all_l2_cache_accesses": "accesses to the L2: misses of the L1 and prefetches",
    "l2_cache_accesses_from_l1_ic_misses": "accesses to the L2 from misses of the L1 instruction cache",
    "l2_cache_accesses_from_l1_dc_misses": "accesses to the L2 from misses of the L1 data cache",
    "l2_cache_accesses_from_l2_hwpf": "accesses to the L2 from hardware prefetchers",
    "all_l2_cache_misses": "accesses that missed the L2, prefetches too",
    "l2_cache_misses_from_l1_ic_miss": "instruction fetches that missed the L1 and the L2",
    "l2_cache_misses_from_l1_dc_miss": "data accesses that missed the L1 and the L2",
    "l2_cache_misses_from_l2_hwpf": "hardware prefetches that missed the L2",
    "all_l2_cache_hits": "accesses that hit the L2, prefetches too",
    "l2_cache_hits_from_l1_ic_miss": "instruction fetches that missed the L1 and hit the L2",
    "l2_cache_hits_from_l1_dc_miss": "data accesses that missed the L1 and hit the L2",
    "l2_cache_hits_from_l2_hwpf": "hardware prefetches that hit the L2",
    "l3_cache_accesses": "accesses to the L3 of a core complex",
    "l3_misses": "accesses that missed the L3 of a core complex",
    "l3_read_miss_latency": "average time a read that missed the L3 took",
    "l3_read_miss_latency_for_local_dram": "the same for reads from memory of this socket",
    "l3_read_miss_latency_for_remote_dram": "the same for reads from memory of another socket",
    "op_cache_fetch_miss_ratio": "fetches that missed the op cache",
    "ic_fetch_miss_ratio": "fetches that missed the L1 instruction cache",
    "l1_data_cache_fills_from_memory": "fills of the L1 data cache from memory or I/O",
    "l1_data_cache_fills_from_remote_node": "fills of the L1 data cache from another node",
    "l1_data_cache_fills_from_same_ccx": "fills of the L1 data cache from the L2 or the same core complex",
    "l1_data_cache_fills_from_different_ccx": "fills of the L1 data cache from another core complex",
    "all_l1_data_cache_fills": "fills of the L1 data cache",
    "l1_demand_data_cache_fills_from_local_l2": "fills on demand from the L2 of this core",
    "l1_demand_data_cache_fills_from_same_ccx": "fills on demand from the L3 or another L2 of this core complex",
    "l1_demand_data_cache_fills_from_near_cache": "fills on demand from another core complex of this node",
    "l1_demand_data_cache_fills_from_near_memory": "fills on demand from memory or I/O of this node",
    "l1_demand_data_cache_fills_from_far_cache": "fills on demand from a cache of another node",
    "l1_demand_data_cache_fills_from_far_memory": "fills on demand from memory or I/O of another node",
    "l1_itlb_misses": "misses of the L1 instruction TLB",
    "l2_itlb_misses": "misses of the L1 and L2 instruction TLB: page walks",
    "l1_dtlb_misses": "misses of the L1 data TLB",
    "l2_dtlb_misses": "misses of the L1 and L2 data TLB: page walks",
    "all_tlbs_flushed": "flushes of the TLBs",
    "macro_ops_dispatched": "macro-ops dispatched",
    "sse_avx_stalls": "switches between SSE and AVX code that cost time",
    "macro_ops_retired": "macro-ops retired",
}
# Ratios of 1 where the vendor's unit does not say so.
SHARES = {"op_cache_fetch_miss_ratio"}
UNITS = {"1core clocks": "cycles", "1ns": "ns", "1per_branch": "per branch",
         "1e3per_1k_instr": "per 1k instr"}

VITAL = [
    ("IPC", {"formula": "ex_ret_instr / ls_not_halted_cyc", "good_up": True, "vital": True,
             "summary": "instructions per cycle"}),
    ("GHz", {"formula": "ls_not_halted_cyc / task_clock", "unit": "GHz", "good_up": True, "vital": True,
             "summary": "clock rate while on a CPU"}),
    CPUS_UTILIZED,
]

# --- Zen 1 to 3 -----------------------------------------------------------------------------------
# What each core has: micro-ops dispatched and retired, cycles with nothing queued for dispatch, and
# cycles in which dispatch waited for a resource (all reasons of two events).
BEST_EFFORT = {
    "zen1": {"retired": "ex_ret_cops", "empty": "ic_fetch_stall.ic_stall_dq_empty",
             "stalls": ["de_dis_dispatch_token_stalls0.all", "de_dis_dispatch_token_stalls1.all"]},
    "zen2": {"retired": "ex_ret_cops", "empty": "de_dis_uop_queue_empty_di0",
             "stalls": ["de_dis_dispatch_token_stalls0.all", "de_dis_dispatch_token_stalls1.all"]},
    "zen3": {"retired": "ex_ret_ops", "empty": "de_dis_uop_queue_empty_di0",
             "stalls": ["de_dis_dispatch_token_stalls1.all", "de_dis_dispatch_token_stalls2.all"]},
}
MEASURED_WIDTH = "6 slots per cycle is what others have measured, not the vendor's figure"
# Codes of events that are not among the vendor's recommended metrics.
OWN_CODES = {
    "ls_not_halted_cyc": (0x76, 0), "ex_ret_instr": (0xc0, 0), "ex_ret_cops": (0xc1, 0), "ex_ret_ops": (0xc1, 0),
    "uops_dispatched": (0xaa, 0x03), "de_dis_uop_queue_empty_di0": (0xa9, 0),
    "ic_fetch_stall.ic_stall_any": (0x87, 0x04), "ic_fetch_stall.ic_stall_dq_empty": (0x87, 0x02),
    "ic_fetch_stall.ic_stall_back_pressure": (0x87, 0x01),
    "de_dis_dispatch_token_stalls0.all": (0xaf, 0x7f), "de_dis_dispatch_token_stalls1.all": (0xae, 0xff),
    "de_dis_dispatch_token_stalls2.all": (0xaf, 0x3f),
}
# What the kernel calls stalled-cycles-frontend and -backend.
STALL_ALIAS = {
    "zen1": {"ic_fetch_stall.ic_stall_dq_empty": "stalled-cycles-frontend",
             "ic_fetch_stall.ic_stall_back_pressure": "stalled-cycles-backend"},
    "zen2": {"de_dis_uop_queue_empty_di0": "stalled-cycles-frontend"},
    "zen3": {"de_dis_uop_queue_empty_di0": "stalled-cycles-frontend"},
}
EVENT_NOTES = {
    "zen1": {"uops_dispatched": "not in the kernel's list of this core, but in libpfm4's",
             "de_dis_dispatch_token_stalls1.all": "not in the kernel's list of this core, but in libpfm4's",
             "ic_fetch_stall.ic_stall_dq_empty": "this core has no event 0xa9"},
    "zen2": {},
    "zen3": {"uops_dispatched": "not in the kernel's list of this core, but in libpfm4's and likwid's"},
}


def limits_of(name):
    if name not in BEST_EFFORT:
        return ("two levels are all there is; slots in which the other thread of the core was picked "
                "stand apart as SMT_Contention; L3 metrics are of whole core complexes, so they need -a; "
                "6 counters, one fewer with the NMI watchdog: level 1 takes all 6, so IPC and level 2 take "
                "turns with it")
    texts = [
        "the vendor gives no breakdown before Zen 4",
        "Retiring, Bad_Speculation and Not_Dispatched are counted",
        "how Not_Dispatched falls into Frontend_Bound and Backend_Bound is our estimate, from two "
        "counts of cycles that bound it from either side",
        "with both threads of a core busy the turns of the other one count as lost slots",
        "no second level",
    ]
    if name == "zen3":
        texts.append("cycles in which the other thread was picked count towards Backend_Bound")
    texts.append(MEASURED_WIDTH)
    return "; ".join(texts)


# --- formulas -------------------------------------------------------------------------------------

def closing(text, start):
    """Index of the bracket that closes the one at start, and of the comma of its level (or -1)."""
    depth, comma = 0, -1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i, comma
        if text[i] == "," and depth == 1:
            comma = i
    raise ValueError(text)


def bracketed(text):
    """In brackets if it is more than one factor, but not twice."""
    simple = not re.search(r" [-+*/] ", text)
    whole = text.startswith("(") and closing(text, 0)[0] == len(text) - 1
    return text if simple or whole else f"({text})"


def plain(formula):
    """The vendor's spelling -> ours: cmask as a modifier, d_ratio as a division."""
    text = re.sub(r"cpu@([\w.]+)\\,cmask\\=0x([0-9a-f]+)@", lambda m: f"{m[1]}:c{int(m[2], 16)}", formula)
    while "d_ratio(" in text:
        at = text.rindex("d_ratio(")  # innermost
        end, comma = closing(text, at + len("d_ratio"))
        above, below = text[at + len("d_ratio("):comma].strip(), text[comma + 1:end].strip()
        if re.fullmatch(r"[\w.]+ \* [\w.]+", above):
            ratio = f"{above} / {bracketed(below)}"
        else:
            ratio = f"{bracketed(above)} / {bracketed(below)}"
        text = text[:at] + ratio + text[end + 1:]
    text = re.sub(r"\((\d \* [\w.]+:c\d)\)", r"\1", text)  # (6 * x) of a sum or quotient
    return re.sub(r"\binstructions\b", "ex_ret_instr", text)


def renamed(formula, names):
    return re.sub(r"(?<![\w.])[a-z]\w*(?![\w.:])", lambda m: names.get(m[0], m[0]), formula)


# --- parts of the file ----------------------------------------------------------------------------

def head(facts):
    name = facts["uarch"]
    comment = [f"# {TITLE[name]}: numbers of {facts['source']}", "#"]
    if name in BEST_EFFORT:
        comment += [
            "# The vendor publishes no breakdown of slots for this core. What is counted: ops dispatched",
            "# and retired, so useful slots, wasted ones, and those in which nothing was dispatched. The",
            "# split of the last is an estimate of this project, and says so.",
        ]
    else:
        comment += [
            "# The tree is the vendor's, its nodes spelled like Intel's where they mean the same (`vendor`",
            "# has the other name). x/0 is unknown here; the vendor's d_ratio makes it 0. Roots that level 2",
            "# multiplies by a ratio are `inline`: counted anew with the ratio, as the vendor does, so that a",
            "# child is of one time; where groups take turns, children miss their parent by that noise.",
        ]
    comment += ["# AMD publishes no thresholds. Those of the tree are what Intel's TMA has for nodes of the same",
                "# meaning, so that one rule judges every vendor."]
    origin = facts["source"].replace(" tools/perf/pmu-events/arch/x86/", " perf ") + " (numbers)"
    if name in BEST_EFFORT:
        origin += "; slots: libpfm4 and own estimate"
    return "\n".join(comment + [
        f"name = {quoted(name)}", f"title = {quoted(TITLE[name])}", 'vendor = "AMD"',
        f"origin = {quoted(origin)}", 'rung = "full"', 'scope = "pipeline slots"',
        f"limits = {quoted(limits_of(name))}",
        "match = [" + ", ".join(map(quoted, MATCH[name])) + "]",
        f"slots_per_cycle = {facts['dispatch_width']}", f"counters = {{ general = {facts['core_counters']} }}",
    ]) + "\n"


def l3_event(name, facts):
    e = facts["l3_events"].get(name) or facts["events_used"][name]
    terms = ["event=" + e["event"]]
    if int(e["umask"], 16):
        terms.append("umask=" + e["umask"])
    terms += [f"{k.lower()}={e[k]}" for k in ("EnAllCores", "EnAllSlices", "SliceId", "ThreadMask") if k in e]
    return f'"{name}" = {{ pmu = "uncore", device = "amd_l3", terms = "{",".join(terms)}" }}'


def events(facts, formulas):
    name = facts["uarch"]
    used = set(re.findall(r"[a-z]\w*(?:\.\w+)*", " ".join(formulas)))
    core, l3 = [], []
    for e in sorted(used & (set(facts["events_used"]) | set(OWN_CODES) | {"ex_ret_instr"})):
        fact = facts["events_used"].get(e)
        if fact and fact.get("unit") == "L3PMC":
            l3.append(l3_event(e, facts))
            continue
        code, umask = OWN_CODES.get(e) or (int(fact["event"], 16), int(fact["umask"], 16))
        alias = ALIAS.get(e) or STALL_ALIAS.get(name, {}).get(e)
        note = EVENT_NOTES.get(name, {}).get(e)
        line = event(e, code=code, umask=umask or None, alias=alias, libpfm4=why_libpfm4_differs(name, e))
        core.append(line + (f" # {note}" if note else ""))
    text = "[event]\n" + "\n".join(core) + "\n" + TASK_CLOCK + "\n"
    if l3:
        text += "\n# The L3 of a core complex, a PMU of its own.\n" + "\n".join(l3) + "\n"
    return text


def pipeline_nodes(facts):
    later = facts["uarch"] != "zen4"
    by_name = {m["name"]: m for m in facts["pipeline"]}
    ours = {row[3 if later else 2]: row[0] for row in TREE}
    for name, parent, zen4, zen5, threshold, role, words in TREE:
        vendor = zen5 if later else zen4
        fact = by_name[vendor]
        yield "node", name, {
            "parent": parent, "formula": renamed(plain(fact["formula"]), ours), "threshold": threshold,
            "role": role, "inline": name in INLINE or None, "good_up": name in GOOD_UP or None,
            "groups": ";".join(fact["groups"]),
            "locate": LOCATE.get(name), "vendor": vendor, "summary": words,
        }, NODE_COMMENT.get(name)
    slots = by_name["total_dispatch_slots"]
    yield "metric", "total_dispatch_slots", {"formula": slots["formula"], "inline": True,
                                             "summary": WORDS["total_dispatch_slots"]}, None


def best_effort_nodes(name):
    has = BEST_EFFORT[name]
    slots, dispatched, retired, empty = "total_dispatch_slots", "uops_dispatched", has["retired"], has["empty"]
    stalls = " + ".join(has["stalls"])
    guess = "how Not_Dispatched falls into frontend and backend is an estimate"
    empty_share, stall_rate = "Queue_Empty_Cycles", "Token_Stalls_Per_Cycle"
    for node, part, role, words in (
            ("Frontend_Bound", empty_share, "frontend", "slots that probably stayed empty for want of ops"),
            ("Backend_Bound", stall_rate, "backend", "slots that probably stayed empty for want of room")):
        row = {"formula": f"Not_Dispatched * {part} / ({empty_share} + {stall_rate})", "approximate": guess,
               "threshold": {"frontend": 0.15, "backend": 0.20}[role], "role": role, "summary": words}
        yield "node", node, row, None
        if role == "frontend":
            yield "node", "Bad_Speculation", {
                "formula": f"({dispatched} - {retired}) / {slots}", "threshold": 0.15,
                "role": "bad_speculation", "summary": "slots of ops that were dispatched and never retired"}, \
                NODE_COMMENT["Bad_Speculation"]
    yield "node", "Retiring", {
        "formula": f"{retired} / {slots}", "threshold": 0.7, "role": "retiring", "good_up": True,
        "summary": "slots of ops that retired: useful work"}, None
    yield "metric", "Not_Dispatched", {
        "formula": f"1 - {dispatched} / {slots}", "share": True, "inline": True,
        "summary": "slots in which nothing was dispatched: frontend, backend and the other thread together"}, \
        "Counted, not estimated: Frontend_Bound and Backend_Bound are its two parts."
    yield "metric", slots, {"formula": "6 * ls_not_halted_cyc", "approximate": MEASURED_WIDTH, "inline": True,
                            "summary": WORDS["total_dispatch_slots"]}, \
        "All that is divided by it is approximate as well."
    yield "metric", empty_share, {
        "formula": f"{empty} / ls_not_halted_cyc", "share": True, "inline": True, "domain": "cycles",
        "summary": "cycles with nothing queued for dispatch"}, \
        "What the estimate rests on: at least this much is lost by the frontend,"
    yield "metric", stall_rate, {
        "formula": f"({stalls}) / ls_not_halted_cyc", "inline": True, "unit": "per cycle",
        "summary": "reasons for which dispatch waited for a resource, per cycle"}, \
        "and at most this much by the backend (several reasons may hold in one cycle)."
    if name == "zen1":
        return
    yield "metric", "dcperf_frontend_stalls", {
        "formula": "(ic_fetch_stall.ic_stall_any - ic_fetch_stall.ic_stall_back_pressure) / ls_not_halted_cyc",
        "share": True, "domain": "cycles", "groups": "DCPerf",
        "summary": "cycles in which fetch stood still, but not because decode was full"}, \
        "Another view of the same, in cycles: how Meta's DCPerf benchmark counts stalls on Zen 2 and 3."
    yield "metric", "dcperf_backend_stalls", {
        "formula": "ic_fetch_stall.ic_stall_back_pressure / ls_not_halted_cyc", "share": True,
        "domain": "cycles", "groups": "DCPerf",
        "summary": "cycles in which fetch stood still because what follows it was full"}, None


def recommended(facts):
    for m in facts["recommended"]:
        formula = plain(m["formula"])
        if m["scale_unit"] == "1e3per_1k_instr":
            formula = "1000 * " + formula
        share = m["scale_unit"] == "100%" or m["name"] in SHARES
        yield "metric", m["name"], {
            "formula": formula, "share": share or None, "unit": UNITS.get(m["scale_unit"]),
            "groups": ";".join(m["groups"]) or None, "summary": WORDS[m["name"].removesuffix("_pti")],
        }, None


def model_text(facts):
    name = facts["uarch"]
    tree = list(best_effort_nodes(name) if name in BEST_EFFORT else pipeline_nodes(facts))
    rest = [("metric", n, keys, None) for n, keys in VITAL] + [t for t in tree if t[0] == "metric"]
    rest += list(recommended(facts))
    nodes = [t for t in tree if t[0] == "node"]
    table_of_events = events(facts, [keys["formula"] for _, _, keys, _ in nodes + rest])
    found = model_locate.of_tree({n: (keys.get("parent"), keys["formula"], keys.get("locate") or []) for _, n, keys, _ in nodes},
                                 set(re.findall(r'^"([^"]+)" = ', table_of_events, re.M)))
    for _, n, keys, _ in nodes:
        keys["locate"] = found[n] or None
    return "\n".join([head(facts), table_of_events]
                     + [table(*row) for row in nodes]
                     + ["# Beside the tree: the vital signs, then the metrics that the vendor recommends, by its names.\n"]
                     + [table(*row) for row in rest])


def main():
    folder, every = arguments(__doc__)
    for facts in every:
        write_model(folder, facts["uarch"], model_text(facts))


if __name__ == "__main__":
    main()
