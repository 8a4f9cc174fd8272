#!/usr/bin/env python3
"""Turns the facts of Arm Neoverse cores into first versions of their model files.

usage: gen_model_arm.py FOLDER FACTS.json...     writes FOLDER/NAME.toml for each, and
                                                 arm-sbsa.toml if all of CORES are there

The facts (JSON) are numbers: event codes, formulas, groups, the decision tree. The model files made
from them are read and
mended by hand; from then on they are the source of truth, and this program is only run again for the
next core. What it decides:

- Level 1 is written in one of the forms of ROOTS, with SLOTS_PER_CYCLE instead of the core's number,
  and compared with the vendor's formula on random counts before anything is written.
- Percent become shares of 1; what is counted per 1000 instructions, per access ... stays so.
- Roots are spelled like Intel's; deeper nodes, which are shares of stalled cycles, keep Arm's words.
- Arm publishes no thresholds: see THRESHOLD.
- arm-sbsa, for server cores without a file of their own: the architecture's events, without the
  corrections that single cores need, and the metrics that all cores here share.
"""
import random
import re

from model_toml import CPUS_UTILIZED, TASK_CLOCK, arguments, event, quoted, table, write_model

CORES = ["neoverse-n1", "neoverse-n2-r0p0", "neoverse-n2-r0p1", "neoverse-n2-r0p2", "neoverse-n2-r0p3",
         "neoverse-n3", "neoverse-v1", "neoverse-v2", "neoverse-v3"]
X = "[[:xdigit:]]"


def any_revision(part, implementer="41"):
    """MIDR in hex: implementer, variant, f, part, revision."""
    return f"0x{implementer}{X}f{part}{X}"


# r0p0 and r0p1 of the N2 have files of their own, r0p2 is for all others but r0p3; 6d is Microsoft,
# who build the N2 into Azure Cobalt 100.
MATCH = {
    "neoverse-n1": [any_revision("d0c")],
    "neoverse-n2-r0p0": ["0x410fd490"],
    "neoverse-n2-r0p1": ["0x410fd491"],
    "neoverse-n2-r0p2": ["0x410fd49[24-9a-f]", f"0x41[1-9a-f]fd49{X}", "0x6d0fd49[0-24-9a-f]", f"0x6d[1-9a-f]fd49{X}"],
    "neoverse-n2-r0p3": ["0x410fd493", "0x6d0fd493"],
    "neoverse-n3": [any_revision("d8e")],
    "neoverse-v1": [any_revision("d40")],
    "neoverse-v2": [any_revision("d4f")],
    "neoverse-v3": [any_revision("d83"), any_revision("d84")],
    "arm-sbsa": ["0x.*"],
}
TITLE = {"arm-sbsa": "Arm server core", "neoverse-v3": "Arm Neoverse V3 and V3AE"}

# --- level 1 --------------------------------------------------------------------------------------

SLOTS = "(SLOTS_PER_CYCLE * CPU_CYCLES)"
ROOT_NAMES = ["Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring"]
# Erratum of the N2 up to r0p2: STALL_SLOT and STALL_SLOT_FRONTEND count one slot a cycle too many.
ROOTS = {
    "erratum": [
        f"(STALL_SLOT_FRONTEND - CPU_CYCLES) / {SLOTS} - BR_MIS_PRED / CPU_CYCLES",
        f"(1 - OP_RETIRED / OP_SPEC) * (1 - (STALL_SLOT - CPU_CYCLES) / {SLOTS}) + 4 * BR_MIS_PRED / CPU_CYCLES",
        f"STALL_SLOT_BACKEND / {SLOTS} - 3 * BR_MIS_PRED / CPU_CYCLES",
        f"OP_RETIRED / OP_SPEC * (1 - (STALL_SLOT - CPU_CYCLES) / {SLOTS})",
    ],
    "both": [
        f"STALL_SLOT_FRONTEND / {SLOTS} - BR_MIS_PRED / CPU_CYCLES",
        f"(1 - OP_RETIRED / OP_SPEC) * (1 - STALL_SLOT / {SLOTS}) + 4 * BR_MIS_PRED / CPU_CYCLES",
        f"STALL_SLOT_BACKEND / {SLOTS} - 3 * BR_MIS_PRED / CPU_CYCLES",
        f"OP_RETIRED / OP_SPEC * (1 - STALL_SLOT / {SLOTS})",
    ],
    "frontend": [
        f"STALL_SLOT_FRONTEND / {SLOTS} - 4 * BR_MIS_PRED / CPU_CYCLES",
        f"(1 - OP_RETIRED / OP_SPEC) * (1 - STALL_SLOT / {SLOTS}) + 4 * BR_MIS_PRED / CPU_CYCLES",
        f"STALL_SLOT_BACKEND / {SLOTS}",
        f"OP_RETIRED / OP_SPEC * (1 - STALL_SLOT / {SLOTS})",
    ],
    "flush": [
        f"STALL_SLOT_FRONTEND / {SLOTS} - STALL_FRONTEND_FLUSH / CPU_CYCLES",
        f"(1 - OP_RETIRED / OP_SPEC) * (1 - STALL_SLOT / {SLOTS}) + STALL_FRONTEND_FLUSH / CPU_CYCLES",
        f"STALL_SLOT_BACKEND / {SLOTS}",
        f"OP_RETIRED / OP_SPEC * (1 - STALL_SLOT / {SLOTS})",
    ],
    "plain": [
        f"STALL_SLOT_FRONTEND / {SLOTS}",
        f"(1 - OP_RETIRED / OP_SPEC) * (1 - STALL_SLOT / {SLOTS})",
        f"STALL_SLOT_BACKEND / {SLOTS}",
        f"OP_RETIRED / OP_SPEC * (1 - STALL_SLOT / {SLOTS})",
    ],
}
# Recordings of older tools lack BR_MIS_PRED: level 1 then is as it was before Arm took lost branches into account.
LOST_BRANCHES = r" [-+] (\d \* )?BR_MIS_PRED / CPU_CYCLES$"
FORM = {"neoverse-n2-r0p0": "erratum", "neoverse-n2-r0p1": "erratum", "neoverse-n2-r0p2": "erratum",
        "neoverse-n2-r0p3": "both", "neoverse-v2": "both", "neoverse-v1": "frontend",
        "neoverse-n3": "flush", "neoverse-v3": "flush", "arm-sbsa": "plain"}
FORM_COMMENT = {
    "erratum": "An erratum of this revision: STALL_SLOT and STALL_SLOT_FRONTEND count one slot of every cycle too\n"
               "many, which is taken off. After a mispredicted branch slots are counted as stalled that are really\n"
               "lost to bad speculation: 1 cycle of those of the frontend, 3 of those of the backend.",
    "both": "After a mispredicted branch slots are counted as stalled that are really lost to bad speculation:\n"
            "1 cycle of those of the frontend, 3 of those of the backend.",
    "frontend": "After a mispredicted branch 4 cycles of slots are counted as stalled by the frontend that are\n"
                "really lost to bad speculation.",
    "flush": "Cycles in which the frontend stalled because of a flush are moved to bad speculation.",
    "plain": "Slots lost right after a mispredicted branch are counted as stalled: what part of them is bad\n"
             "speculation differs from core to core, so nothing is moved here.",
}
ROOT_WORDS = ["slots that stayed empty because the frontend had no operations to give",
              "slots of operations that never retired, and of recovering from mispredicted branches",
              "slots that stayed empty because the backend could take no more operations",
              "slots of operations that retired: useful work"]
ROOT_ROLE = ["frontend", "bad_speculation", "backend", "retiring"]
ROOT_THRESHOLD = [0.15, 0.15, 0.20, 0.70]

# --- below level 1, N3 and V3 ---------------------------------------------------------------------
# The vendor's name: parent, of which cycles it is a share, words.
DEEPER = {
    "frontend_core_bound": ("frontend_bound", "STALL_FRONTEND", "frontend stalls whose cause is in the core"),
    "frontend_core_flush_bound": ("frontend_core_bound", "STALL_FRONTEND_CPUBOUND", "of frontend core stalls: recovering from a flush"),
    "frontend_core_flow_bound": ("frontend_core_bound", "STALL_FRONTEND_CPUBOUND", "of frontend core stalls: waiting for branch prediction"),
    "frontend_mem_bound": ("frontend_bound", "STALL_FRONTEND", "frontend stalls that wait for code from caches or TLBs"),
    "frontend_mem_cache_bound": ("frontend_mem_bound", "STALL_FRONTEND_MEMBOUND", "of frontend memory stalls: misses of instruction caches"),
    "frontend_cache_l1i_bound": ("frontend_mem_cache_bound", "STALL_FRONTEND_L1I + STALL_FRONTEND_MEM", "of frontend cache stalls: misses of the L1 that hit the L2"),
    "frontend_cache_l2i_bound": ("frontend_mem_cache_bound", "STALL_FRONTEND_L1I + STALL_FRONTEND_MEM", "of frontend cache stalls: misses of the L2"),
    "frontend_mem_tlb_bound": ("frontend_mem_bound", "STALL_FRONTEND_MEMBOUND", "of frontend memory stalls: misses of instruction TLBs"),
    "backend_core_bound": ("backend_bound", "STALL_BACKEND", "backend stalls whose cause is in the core"),
    "backend_core_rename_bound": ("backend_core_bound", "STALL_BACKEND_CPUBOUND", "of backend core stalls: no free rename register"),
    "backend_mem_bound": ("backend_bound", "STALL_BACKEND", "backend stalls that wait for data from caches or TLBs"),
    "backend_mem_cache_bound": ("backend_mem_bound", "STALL_BACKEND_MEMBOUND", "of backend memory stalls: misses of data caches"),
    "backend_cache_l1d_bound": ("backend_mem_cache_bound", "STALL_BACKEND_L1D + STALL_BACKEND_MEM", "of backend cache stalls: misses of the L1 that hit the L2"),
    "backend_cache_l2d_bound": ("backend_mem_cache_bound", "STALL_BACKEND_L1D + STALL_BACKEND_MEM", "of backend cache stalls: misses of the L2"),
    "backend_mem_tlb_bound": ("backend_mem_bound", "STALL_BACKEND_MEMBOUND", "of backend memory stalls: misses of data TLBs"),
    "backend_mem_store_bound": ("backend_mem_bound", "STALL_BACKEND_MEMBOUND", "of backend memory stalls: waiting for stores"),
    "backend_busy_bound": ("backend_bound", "STALL_BACKEND", "backend stalls because issue queues were full"),
}
HALF = 0.5
SPELLED = {"tlb": "TLB", "l1i": "L1I", "l2i": "L2I", "l1d": "L1D", "l2d": "L2D"}

# --- beside the tree ------------------------------------------------------------------------------
# Levels at which a published workflow for perf on Arm servers ("linux-perf-profile", written for
# Graviton3) says "investigate". It has the same ratios by other names; its other ratios are WORKFLOW.
THRESHOLD = {"IPC": "IPC < 1.0", "frontend_stalled_cycles": 0.20, "backend_stalled_cycles": 0.40,
             "branch_misprediction_ratio": 0.03, "l1d_cache_miss_ratio": 0.10, "l2_cache_miss_ratio": 0.20}
WORKFLOW = [
    ("Backend_Memory_Stalls", "STALL_BACKEND_MEM / CPU_CYCLES", 0.25, "cycles in which the backend waited for memory"),
    ("L1D_To_L2_Misses", "L1D_CACHE_LMISS_RD / L1D_CACHE_REFILL", 0.50, "long read misses of the L1 data cache, per refill"),
    ("L2_To_LLC_Misses", "L2D_CACHE_LMISS_RD / L2D_CACHE_REFILL", 0.40, "long read misses of the L2, per refill"),
    ("DTLB_Walks", "DTLB_WALK / MEM_ACCESS", 0.02, "data page walks per memory access"),
    ("ITLB_Walks", "ITLB_WALK / L1I_CACHE", 0.01, "instruction page walks per access to the L1 instruction cache"),
    ("Speculative_Mispredicts", "BR_MIS_PRED / BR_PRED", 0.05, "predicted branches, retired or not, that were wrong"),
    ("Branch_Density", "BR_RETIRED / INST_RETIRED", 0.30, "instructions that are branches"),
]
WORDS = {
    "frontend_stalled_cycles": "cycles in which the frontend delivered nothing",
    "backend_stalled_cycles": "cycles in which the backend took nothing",
    "ipc": "instructions per cycle",
    "branch_misprediction_ratio": "retired branches that were mispredicted",
    "branch_mpki": "mispredicted branches per 1000 instructions",
    "branch_direct_ratio": "retired branches that were direct",
    "branch_indirect_ratio": "retired branches that were indirect",
    "branch_return_ratio": "retired branches that were returns",
    "branch_percentage": "speculated operations that are branches",
    "barrier_percentage": "speculated operations that are barriers",
    "crypto_percentage": "speculated operations of cryptography",
    "integer_dp_percentage": "speculated operations on integers",
    "load_percentage": "speculated operations that load",
    "store_percentage": "speculated operations that store",
    "scalar_fp_percentage": "speculated scalar floating-point operations",
    "simd_percentage": "speculated Advanced SIMD operations",
    "sve_all_percentage": "speculated SVE operations, loads and stores too",
    "fp16_percentage": "speculated operations of half precision",
    "fp32_percentage": "speculated operations of single precision",
    "fp64_percentage": "speculated operations of double precision",
    "fp_ops_per_cycle": "floating-point operations per cycle",
    "nonsve_fp_ops_per_cycle": "floating-point operations outside SVE per cycle",
    "sve_fp_ops_per_cycle": "floating-point operations of SVE per cycle",
    "sve_predicate_percentage": "speculated operations with an SVE predicate",
    "sve_predicate_empty_percentage": "SVE predicates with no lane active",
    "sve_predicate_full_percentage": "SVE predicates with all lanes active",
    "sve_predicate_partial_percentage": "SVE predicates with some lanes active",
    "dtlb_mpki": "data page walks per 1000 instructions",
    "dtlb_walk_ratio": "accesses to the L1 data TLB that ended in a page walk",
    "itlb_mpki": "instruction page walks per 1000 instructions",
    "itlb_walk_ratio": "accesses to the L1 instruction TLB that ended in a page walk",
    "l1d_cache_miss_ratio": "accesses to the L1 data cache that missed",
    "l1d_cache_mpki": "misses of the L1 data cache per 1000 instructions",
    "l1d_tlb_miss_ratio": "accesses to the L1 data TLB that missed",
    "l1d_tlb_mpki": "misses of the L1 data TLB per 1000 instructions",
    "l1i_cache_miss_ratio": "accesses to the L1 instruction cache that missed",
    "l1i_cache_mpki": "misses of the L1 instruction cache per 1000 instructions",
    "l1i_tlb_miss_ratio": "accesses to the L1 instruction TLB that missed",
    "l1i_tlb_mpki": "misses of the L1 instruction TLB per 1000 instructions",
    "l2_cache_miss_ratio": "accesses to the L2 that missed",
    "l2_cache_mpki": "misses of the L2 per 1000 instructions",
    "l2_tlb_miss_ratio": "accesses to the L2 TLB that missed",
    "l2_tlb_mpki": "misses of the L2 TLB per 1000 instructions",
    "ll_cache_read_hit_ratio": "reads of the last-level cache that hit",
    "ll_cache_read_miss_ratio": "reads of the last-level cache that missed",
    "ll_cache_read_mpki": "reads that missed the last-level cache per 1000 instructions",
}
GOOD_UP = {"ll_cache_read_hit_ratio", "fp_ops_per_cycle", "sve_predicate_full_percentage"}
UNIT = {"MPKI": "MPKI", "per cache access": "per access", "per TLB access": "per access",
        "per branch": "per branch", "operations per cycle": "per cycle"}

ALIAS = {"CPU_CYCLES": "cycles", "INST_RETIRED": "instructions", "BR_RETIRED": "branches",
         "BR_MIS_PRED": "branch-misses", "L1D_CACHE": "cache-references", "L1D_CACHE_REFILL": "cache-misses",
         "STALL_FRONTEND": "stalled-cycles-frontend", "STALL_BACKEND": "stalled-cycles-backend"}
VITAL = [
    ("GHz", {"formula": "CPU_CYCLES / task_clock", "unit": "GHz", "good_up": True, "vital": True,
             "summary": "clock rate while on a CPU"}),
    CPUS_UTILIZED,
]

LIMITS = {
    "neoverse-n1": "shares of cycles, not of slots: this core does not count slots, nor what was lost to bad "
                   "speculation; a cycle without a stall need not do useful work; both kinds of stall may fall "
                   "into one cycle",
    "slots": "one level of slots; what follows are the groups of metrics that a node leads to; Frontend_Bound{and} "
             "can fall below 0, because lost branches are taken off by an average cost; guests often see fewer than "
             "6 counters, then level 1 takes turns",
    "deep": "below level 1 nodes are shares of stalled cycles, not of slots, and children need not add up to their "
            "parent; Frontend_Bound can fall below 0, because flushes are taken off; guests often see fewer than 6 "
            "counters, then level 1 takes turns",
    "arm-sbsa": "the architecture's common events: no correction for what this core counts differently, so "
                "Bad_Speculation is too small after mispredicted branches, and the stalls too large; the width is "
                "what the kernel says in caps/slots of the PMU, without it nothing of the tree is known; not every "
                "core has every event",
}
V2_LIMIT = ("; users report that the STALL_SLOT events of this core mislead on some systems (NVIDIA Grace): "
            "compare with backend_stalled_cycles, which counts cycles")


def limits_of(name):
    if name in LIMITS:
        return LIMITS[name]
    form = FORM[name]
    text = LIMITS["deep" if form == "flush" else "slots"]
    text = text.replace("{and}", " and Backend_Bound" if form in ("erratum", "both") else "")
    return text + (V2_LIMIT if name == "neoverse-v2" else "")


# --- formulas -------------------------------------------------------------------------------------

NAME = re.compile(r"[A-Z][A-Z0-9_]+")


def random_counts(formulas, rng):
    return {n: rng.uniform(1e6, 1e9) for n in sorted(set(NAME.findall(" ".join(formulas))))}


def check_same(ours, theirs, slots, scale):
    """Ours and the vendor's give the same number, whatever is counted."""
    rng = random.Random(1)
    for _ in range(50):
        counts = random_counts([ours, theirs], rng) | {"SLOTS_PER_CYCLE": slots}
        a, b = eval(ours, {}, counts), eval(theirs, {}, counts) / scale
        assert abs(a - b) <= 1e-9 * max(1, abs(b)), (ours, theirs)


def unscaled(formula, percent):
    """Percent -> share; "x * 1000" -> "1000 * x"."""
    text = re.sub(r"^(.*) \* 1000$", r"1000 * \1", formula)
    return re.sub(r"^(.*) \* 100$", r"\1", text) if percent else text


def spelled(vendor):
    return "_".join(SPELLED.get(w, w.capitalize()) for w in vendor.split("_"))


# --- parts of the file ----------------------------------------------------------------------------

def root_nodes(name, facts):
    form = FORM[name]
    by_name = {m["name"]: m for m in facts["metrics"]}
    nexts = {n["metric"]: n["next"] for n in facts["tree"]["nodes"]}
    for i, root in enumerate(ROOT_NAMES):
        vendor = root.lower()
        fact = by_name[vendor]
        if form != "plain":
            check_same(ROOTS[form][i], fact["formula"], facts["slots_per_cycle"], 100)
        groups = [g for g in nexts[vendor] if g in facts["groups"]]
        formula = ROOTS[form][i]
        least = re.sub(LOST_BRANCHES, "", formula)
        yield "node", root, {
            "formula": formula, "fallback": least if least != formula else None,
            "fallback_note": "without BR_MIS_PRED" if least != formula else None, "threshold": ROOT_THRESHOLD[i], "role": ROOT_ROLE[i],
            "good_up": root == "Retiring" or None, "groups": ";".join(fact["groups"]), "next": groups or None,
            "locate": fact["sample_events"], "vendor": vendor,
            "summary": ROOT_WORDS[i] if form != "plain" else ROOT_WORDS[i].split(", and")[0],
        }, None
        yield from deeper_nodes(vendor, by_name, nexts, facts)


def deeper_nodes(parent, by_name, nexts, facts):
    for vendor, (above, whole, words) in DEEPER.items():
        if above != parent or vendor not in by_name:
            continue
        fact = by_name[vendor]
        formula = unscaled(fact["formula"], True)
        check_same(formula, fact["formula"], 1, 100)
        groups = [g for g in nexts[vendor] if g in facts["groups"]]
        yield "node", spelled(vendor), {
            "parent": spelled(parent), "formula": formula, "threshold": HALF, "domain": f"{whole} cycles",
            "groups": ";".join(fact["groups"]), "next": groups or None, "locate": fact["sample_events"],
            "vendor": vendor, "summary": words,
        }, None
        yield from deeper_nodes(vendor, by_name, nexts, facts)


def cycle_nodes(facts):
    nexts = {n["metric"]: n["next"] for n in facts["tree"]["nodes"]}
    for side in ("frontend", "backend"):
        vendor = f"{side}_stalled_cycles"
        yield "node", f"{side.capitalize()}_Stalls", {
            "formula": f"STALL_{side.upper()} / CPU_CYCLES", "threshold": THRESHOLD[vendor], "role": side,
            "groups": "Cycle_Accounting", "next": nexts[vendor], "locate": [f"STALL_{side.upper()}"],
            "vendor": vendor, "summary": WORDS[vendor]}, None
    yield "node", "Active", {
        "formula": "1 - Frontend_Stalls - Backend_Stalls", "role": "none", "good_up": True,
        "summary": "cycles that were not stalled; they need not be useful"}, \
        "Not \"retiring\": a cycle that is not stalled may still do useless work. Negative where the two\n" \
        "kinds of stall overlap."


def beside(name, facts, in_tree):
    order = {m: i for i, m in enumerate(m for g in facts["groups"].values() for m in g["metrics"])}
    yield "metric", "IPC", {"formula": "INST_RETIRED / CPU_CYCLES", "threshold": THRESHOLD["IPC"], "good_up": True,
                            "vital": True, "groups": "General", "vendor": "ipc", "summary": WORDS["ipc"]}, None
    for n, keys in VITAL:
        yield "metric", n, keys, None
    for m in sorted(facts["metrics"], key=lambda m: order[m["name"]]):
        if m["name"] in in_tree or m["name"] == "ipc":
            continue
        percent = m["unit"].startswith("percent")
        formula = unscaled(m["formula"], percent)
        check_same(formula, m["formula"], 1, 100 if percent else 1)
        on_grace = name == "neoverse-v2" and m["name"] == "backend_stalled_cycles"
        yield "metric", m["name"], {
            "formula": formula, "threshold": THRESHOLD.get(m["name"]), "share": percent or None,
            "unit": None if percent else UNIT[m["unit"]], "good_up": m["name"] in GOOD_UP or None,
            "vital": on_grace or None, "domain": m["unit"].removeprefix("percent of ") if percent else None,
            "groups": ";".join(m["groups"]), "locate": m["sample_events"], "summary": WORDS[m["name"]],
        }, "A vital sign here, beside the slots: see limits." if on_grace else None


def workflow(facts):
    comment = ("Ratios of that workflow which the vendor does not have, with the level at which it says\n"
               "\"investigate\".")
    for name, formula, threshold, words in WORKFLOW:
        if set(NAME.findall(formula)) <= set(facts["events"]):
            yield "metric", name, {"formula": formula, "threshold": threshold, "share": True, "groups": "Workflow",
                                   "summary": words}, comment
            comment = None


def events(facts, rows):
    used = set()
    for _, _, keys, _ in rows:
        used |= set(NAME.findall(keys["formula"])) | set(keys.get("locate") or [])
    lines = []
    for name in sorted(used & set(facts["events"]), key=lambda n: int(facts["events"][n], 16)):
        lines.append(event(name, code=int(facts["events"][name], 16), alias=ALIAS.get(name),
                           fixed=0 if name == "CPU_CYCLES" else None))
    return "[event]\n" + "\n".join(lines) + "\n" + TASK_CLOCK + "\n"


def head(name, facts):
    lines = [f"# {TITLE.get(name, 'Arm ' + facts['product'])}"]
    if name.startswith("neoverse-n2"):
        lines[0] += f" {name[-4:]}"
    if name == "arm-sbsa":
        lines[0] += " without a model of its own: the architecture's events (Linux 7.2 perf sbsa.json)."
    else:
        date = " ".join(facts["source"]["timestamp"].split()[:2] + facts["source"]["timestamp"].split()[-1:])
        lines[0] += f": Arm telemetry data (Apache-2.0), {facts['source']['file'].split('/')[-1]} of {date}."
    lines.append("#")
    if name != "neoverse-n1":
        lines += ["# " + line for line in FORM_COMMENT[FORM[name]].split("\n")]
        lines += ["# Arm publishes no thresholds: those of the roots are what Intel's TMA has for nodes of the same",
                  "# meaning, so that one rule judges every vendor. Beside the tree: the level at which a published",
                  "# workflow for perf on Arm servers (\"linux-perf-profile\", for Graviton3) says \"investigate\"."]
        if FORM[name] == "flush":
            lines += ["# Below the roots they are ours: more than half of the stalled cycles that the node is a share of."]
    else:
        lines += ["# This core has no slot events. Thresholds: the level at which a published workflow for perf on",
                  "# Arm servers (\"linux-perf-profile\", for Graviton3) says \"investigate\"."]
    title = lines[0][2:].split(":")[0].split(" without")[0]
    origin = "Arm telemetry data (Apache-2.0)" if name != "arm-sbsa" else "Linux 7.2 perf sbsa.json (numbers); Arm telemetry data (Apache-2.0)"
    lines += [f"name = {quoted(name)}", f"title = {quoted(title)}", 'vendor = "Arm"', f"origin = {quoted(origin)}",
              f'rung = "{"architecture" if name == "arm-sbsa" else "full"}"',
              f'scope = "{"cycles" if name == "neoverse-n1" else "pipeline slots"}"',
              f"limits = {quoted(limits_of(name))}", "match = [" + ", ".join(map(quoted, MATCH[name])) + "]"]
    if facts["slots_per_cycle"] and name != "arm-sbsa":
        lines.append(f"slots_per_cycle = {facts['slots_per_cycle']}")
    lines.append("counters = { general = 6, fixed = 1 }")
    return "\n".join(lines) + "\n"


def common_facts(every):
    """What all cores have in common: metrics of the same formula, events of the same code."""
    slots = [f for f in every if f["slots_per_cycle"]]
    facts = dict(slots[0], product="")
    facts["events"] = {n: c for n, c in slots[0]["events"].items() if all(f["events"].get(n) == c for f in slots)}
    formulas = [{m["name"]: m["formula"] for m in f["metrics"]} for f in every]
    facts["metrics"] = [m for m in slots[0]["metrics"] if m["name"].capitalize() in ("Retiring",) or
                        m["name"] in ("frontend_bound", "backend_bound", "bad_speculation") or
                        all(f.get(m["name"]) == m["formula"] for f in formulas)]
    return facts


def model_text(name, facts):
    nodes = list(cycle_nodes(facts) if name == "neoverse-n1" else root_nodes(name, facts))
    in_tree = {keys.get("vendor") for _, _, keys, _ in nodes}
    rest = list(beside(name, facts, in_tree)) + list(workflow(facts))
    return "\n".join([head(name, facts), events(facts, nodes + rest)] + [table(*row) for row in nodes]
                     + ["# Beside the tree: the vital signs, then the vendor's metrics by its names.\n"]
                     + [table(*row) for row in rest])


def main():
    folder, every = arguments(__doc__)
    by_name = {facts["uarch"]: facts for facts in every}
    if set(CORES) <= set(by_name):
        by_name["arm-sbsa"] = common_facts([by_name[name] for name in CORES])
    for name, facts in by_name.items():
        write_model(folder, name, model_text(name, facts))


if __name__ == "__main__":
    main()
