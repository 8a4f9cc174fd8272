#!/usr/bin/env python3
"""Turns facts files of Intel cores into first versions of their model files.

usage: gen_model.py FOLDER FACTS.json...     writes FOLDER/NAME.toml for each

The facts (JSON) hold what the vendor publishes as numbers: event codes, formulas, thresholds,
counter restrictions. The model files made from them are read and
mended by hand; from then on they are the source of truth, and this program is only run again for the
next core. What it decides:

- A name that differs between cores or versions of the vendor's tree gets one spelling (RENAME).
- Values keep their scale: shares stay fractions of 1; what the formula itself multiplies by 100
  has the unit %.
- A threshold of the form "value > n & all of the parent's" becomes the number n.
- Before Ice Lake, formulas are for whole cores: their clocks get a form for single threads, and
  what needs the counts of both siblings says when it is approximate.
- Events outside the core get the kernel's names: sysfs device and terms of its format/.
- Long formulas are broken at their outermost operators, so that a person can read them.
"""
import re

import gen_uncore
import model_locate
from gen_formula import NAME, formula_lines
from model_toml import arguments, quoted, why_libpfm4_differs, write_model

TITLES = {
    "SNB": "Sandy Bridge", "JKT": "Sandy Bridge server", "IVB": "Ivy Bridge", "IVT": "Ivy Bridge server",
    "HSW": "Haswell", "HSX": "Haswell server", "BDW": "Broadwell", "BDW-DE": "Broadwell DE",
    "BDX": "Broadwell server", "SKL": "Skylake", "SKX": "Skylake server", "CLX": "Cascade Lake",
    "ICL": "Ice Lake", "ICX": "Ice Lake server", "TGL": "Tiger Lake", "RKL": "Rocket Lake",
    "ADL-GLC": "Alder Lake P-core", "ADL-GRT": "Alder Lake E-core", "SPR": "Sapphire Rapids",
    "SPR-HBM": "Xeon Max (Sapphire Rapids with HBM)", "EMR": "Emerald Rapids", "GNR": "Granite Rapids",
    "MTL-RWC": "Meteor Lake P-core", "MTL-CMT": "Meteor Lake E-core", "LNL-LNC": "Lunar Lake P-core",
    "LNL-SKT": "Lunar Lake E-core", "ARL-LNC": "Arrow Lake P-core", "ARL-SKT": "Arrow Lake E-core",
    "ARL-CMT": "Arrow Lake low-power E-core", "PTL-CGC": "Panther Lake P-core",
    "PTL-DKT": "Panther Lake E-core", "SRF": "Sierra Forest", "GRR": "Grand Ridge",
    "CWF": "Clearwater Forest", "EHL": "Elkhart Lake", "SNR": "Snow Ridge", "GLM": "Goldmont",
    "GLP": "Goldmont Plus",
}
CORE_TYPES = {"Core": "core", "Atom": "atom", "LowPower_Atom": "lowpower"}
OF_SKYMONT = ("CWF", "PTL-DKT")  # no formulas are published for their tree
# Cores that no CPUID tells from another model's: taken by name only.
BY_NAME_ONLY = {"SPR-HBM": "CPUID does not tell this part from spr: choose it with --model spr-hbm."}

RENAME = {
    "L3_Miss_Bound": "DRAM_Bound", "IFetch_Latency": "Fetch_Latency",
    "IFetch_Bandwidth": "Fetch_Bandwidth", "Base": "Light_Operations", "MS_uops": "Heavy_Operations",
    "FPDIV_uops": "FPDIV_Uops",
    "Bottleneck_Cache_Memory_Bandwidth": "Bottleneck_Data_Cache_Memory_Bandwidth",
    "Bottleneck_Cache_Memory_Latency": "Bottleneck_Data_Cache_Memory_Latency",
    "Info_Thread_IPC": "IPC", "Info_Core_IPC": "IPC", "Info_System_Core_Frequency": "GHz",
    "Info_System_CPUs_Utilized": "CPUs_Utilized",
}
# On E-cores this is busy time against one CPU's, which elsewhere has another name.
RENAME_ECORE = {"Info_System_CPU_Utilization": "CPUs_Utilized"}
ROLES = {"Frontend_Bound": "frontend", "Bad_Speculation": "bad_speculation",
         "Backend_Bound": "backend", "Retiring": "retiring"}
# Names that the perf tool prints for some events.
ALIASES = {
    "CPU_CLK_UNHALTED.THREAD": "cycles", "CPU_CLK_UNHALTED.CORE": "cycles",
    "CPU_CLK_UNHALTED.REF_TSC": "ref-cycles", "INST_RETIRED.ANY": "instructions",
    "BR_INST_RETIRED.ALL_BRANCHES": "branches", "BR_MISP_RETIRED.ALL_BRANCHES": "branch-misses",
    "LONGEST_LAT_CACHE.MISS": "cache-misses", "LONGEST_LAT_CACHE.REFERENCE": "cache-references",
}
INLINE = {"Info_Core_CORE_CLKS", "Info_Thread_SLOTS", "Info_Core_SLOTS"}  # besides other names of an event
VITAL = {"IPC", "GHz", "CPUs_Utilized"}
GOOD_UP = re.compile(
    r"Retiring|Light_Operations|Bottleneck_Useful_Work|IPC|GHz|Info_Core_(CoreIPC|FLOPc|ILP|EPC)"
    r"|Info_System_GFLOPs|Info_Memory_MLP|Info_Frontend_DSB_Coverage"
    r"|Info_Bad_Spec_Ip\w+|Info_Pipeline_IpAssist|Info_Frontend_Ip\w+|Info_System_IpFarBranch"
    r"|Info_(Br_)?Inst_Mix_Ip(Misp\w+|FarBranch)")

# The first that fits. By name, then by the vendor's words, then by what the formula begins with.
UNIT_OF = [
    ("GHz|Info_System_Uncore_Frequency", "GHz"), ("Info_System_Power", "W"),
    (r"Info_(Thread|Core)(_CORE)?_CLKS(_P)?", "cycles"), (r"Info_(Thread|Core)_SLOTS", "slots"),
    ("Info_Botlnk_L0_Core_Bound_Likely", "%"), (r"Info_Memory\w*_BW(_2T)?", "GB/s"),
    (r"Info_(Frontend|Bad_Spec)_\w+_Cost|Info_(Frontend|Memory)_\w+_Latency", "cycles"),
    (r"Info_Memory_Cycles_per_\w+", "cycles"),
    (r"Info_Mem_Mix_MemLoad_Ratio", "per 1000 uops"),
    (r"\w+_bandwidth_(read|write|total)|upi_\w+_bw", "MB/s"), (r"cpu_cstate_c\d", "cores"),
    # Summed over CPUs, so it may well be over 100 %.
    ("cpu_utilization", "CPUs"),
]
UNIT_WORDS = {"GB/sec": "GB/s", "MB/sec": "MB/s", "NanoSeconds": "ns", "Seconds": "s",
              "Clocks_Latency": "cycles", "Scaled_Slots": "%", "percent": "%"}
SHARES = re.compile(
    r"Info_System_(CPU|Kernel|SMT_2T|Power_License\d)_Utilization|Info_System_C0_Wait"
    r"|Info_Frontend_(DSB|LSD)_Coverage|Info_Memory_Prefetches_Useless_HWPF"
    r"|Info_Memory_TLB_Page_Walks_Utilization|Info_Core_FP_Arith_Utilization"
    r"|Info_\w+_Branch_Mispredict_Ratio")
SHARE_DOMAINS = {"Fraction", "Clocks_Retired"}

# Words above a metric: its name, what its formula or threshold must look like, the words.
COMMENTS = [
    ("Fetch_Bandwidth", r"^Fetch_Bandwidth > 0.2$",
     "The threshold stands alone: frontend bandwidth counts even where Frontend_Bound is not over."),
    ("Light_Operations", r"^Light_Operations > 0.6$",
     "The threshold stands alone, like that of Heavy_Operations, which Retiring's own refers to."),
    ("Bottleneck_Memory_Synchronization", r"Other_Nukes / Other_Nukes",
     "As published: Other_Nukes / Other_Nukes is always 1, and Store_Latency cancels out."),
    ("Info_Thread_Slots_Utilization", r":percore",
     ":percore is of both threads of a core: over whole cores this is always 2, so it is not counted live."),
    ("GHz", r"TSC", "GHz while running: TSC counts ticks of the interval."),
    ("Info_Core_CORE_CLKS", r"THREAD_ANY",
     "EBS_MODE: from a thread's own clocks and how often it ran alone (the TMA tables' #EBS_Mode)."),
]
# What the facts say about errors of the vendor's files, as words above the metric.
NOTES = [
    (r"built on a corrected metric", "Built on a metric that was corrected."),
    (r"perfmon text is EV\*A-B, corrected to EV\*\(A-B\) for (.*)",
     r"Corrected: perfmon has EVENT * A - B where EVENT * (A - B) is meant, for \1."),
    (r"perfmon HBM term dropped", "Corrected: perfmon has a term for HBM, which this part lacks."),
    (r"perfmon ParentCategory was (.*)", r"Corrected: perfmon has \1 as its parent."),
    (r"csv parent (\w+) not available on this column", r"The table's parent \1 is not on this core."),
    (r"BaseFormula typo fixed", "Corrected: a name in perfmon's formula was misspelt."),
    (r'perfmon text had "#NA if 0 > 2 else"', "Corrected: a switch was left in perfmon's formula."),
    (r"missing event encoding", None),  # said by `unavailable`
]

# Codes that the vendor's files have wrong: cores, event, key, right value, words behind the line.
WRONG_CODES = [(("SKX", "CLX"), "FP_ARITH_INST_RETIRED.8_FLOPS", "umask", "0x60",
                "corrected: perfmon has umask 0x18, which is 4_FLOPS")]

# Where this event is missing its term is left out, and the value says that it is approximate.
OPTIONAL = "INT_MISC.UOP_DROPPING"
WHOLE_CORES = "the formula is for whole cores, and what their other threads did is not counted"
ESTIMATED_CLOCKS = "core clocks are estimated from a thread's own and how often it ran alone"


# --- events ---------------------------------------------------------------------------------------


def hexa(value):
    return f"0x{int(value, 0):02x}"


def counters_of(event, model):
    """The general counters that can take the event, or None if all of them can."""
    numbers = [int(n) for n in event.get("ctr", "").split(",") if n]
    if not numbers or len(numbers) >= model["pipeline"]["gp_counters"]:
        return None
    if numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(map(str, numbers))


def code_fields(event):
    if "code" not in event or "fixed" in event:
        return [f"config = {hexa(event['config'])}"]
    fields = [f"code = {hexa(event['code'].split(',')[0])}"]
    for key in ("umask", "umaskext"):
        if int(event.get(key, "0"), 0):
            fields.append(f"{key} = {hexa(event[key])}")
    for key in ("cmask", "inv", "edge", "any"):
        if event.get(key):
            fields.append(f"{key} = {event[key]}")
    return fields


def event_line(name, event, model):
    fields = code_fields(event)
    if "config1" in event:
        fields.append(f"config1 = {hexa(event['config1'])}")
    counters = counters_of(event, model)
    if "fixed" in event:
        fields.append(f"fixed = {event['fixed']}")
    elif counters:
        fields.append(f"counters = {quoted(counters)}")
    sysfs = "slots" if name == "TOPDOWN.SLOTS" else event.get("sysfs")
    if sysfs:
        fields.append(f"sysfs = {quoted(sysfs)}")
    if name in ALIASES:
        fields.append(f"alias = {quoted(ALIASES[name])}")
    for key in ("perf_metrics", "alone"):
        if event.get(key):
            fields.append(f"{key} = true")
    why = why_libpfm4_differs(model["name"], name)
    if why:
        fields.append(f"libpfm4 = {quoted(why)}")
    remark = f" # {event['remark']}" if "remark" in event else ""
    return f"{quoted(name)} = {{ {', '.join(fields)} }}{remark}"


def uncore_line(name, event, model):
    fields = ['pmu = "uncore"'] + gen_uncore.place(name, event, model["uarch"])
    return f"{quoted(name)} = {{ {', '.join(fields)} }}"


def event_block(model):
    events = model["events"]
    kinds = [
        ("Counted by fixed counters; config is the kernel's pseudo code.", lambda e: "fixed" in e),
        ("Slots by kind from PERF_METRICS: only in a group that TOPDOWN.SLOTS leads.",
         lambda e: "perf_metrics" in e),
        ("Any general counter, unless `counters` says which.",
         lambda e: "fixed" not in e and "perf_metrics" not in e),
    ]
    lines = ["[event]"]
    for title, chosen in kinds:
        of_kind = [event_line(n, e, model) for n, e in sorted(events.items()) if chosen(e)]
        lines += ["", f"# {title}"] + of_kind if of_kind else []
    if model["uncore_events"]:
        lines += ["", "# Outside the core: system-wide only."]
        if any(event.get("rapl") for event in model["uncore_events"].values()):
            lines += ["# Energy: the kernel counts 2^-32 J, formulas mean 2^-14 J (package) and"
                      " 2^-16 J (memory)."]
        lines += [uncore_line(n, e, model) for n, e in sorted(model["uncore_events"].items())]
    return lines


def latency_block(model):
    """The vendor's averages of the retire latencies that formulas use."""
    averages = (model.get("retire_latency") or {}).get("perfmon") or {}
    used = {name for metric in model["metrics"] for name in NAME.findall(metric["formula"])}
    lines = [f"{quoted(event)} = {cycles}" for event, cycles in sorted(averages.items())
             if event + ":retire_latency" in used]
    if not lines:
        return []
    return ["", "# Cycles from execution to retirement, on average, where the vendor measured them: rough, as"
            " other",
            "# published averages differ by a factor of 2 to 10. --const 'EVENT:retire_latency=CYCLES' sets"
            " your own.",
            "[latency]"] + lines


# --- what is changed in the facts before they are written -----------------------------------------


def correct_codes(model):
    for cores, name, key, right, words in WRONG_CODES:
        if model["uarch"] in cores and name in model["events"]:
            model["events"][name].update({key: right, "remark": words})


def for_single_threads(model):
    """Core clocks before Ice Lake: a form for counts of threads whose siblings are not counted."""
    if model["pipeline"]["slots_scope"] != "core":
        return
    xclk = dict(model["events"]["CPU_CLK_UNHALTED.REF_XCLK_ANY"])
    del xclk["any"]
    model["events"].setdefault("CPU_CLK_UNHALTED.REF_XCLK", xclk)
    alone = "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE / CPU_CLK_UNHALTED.REF_XCLK"
    thread = f"Info_Thread_CLKS / 2 * (1 + {alone})"
    for metric in model["metrics"]:
        if "SMT_ON" in metric["formula"]:
            metric["approximate"] = WHOLE_CORES
        if metric["name"] == "Info_Core_CORE_CLKS":
            metric["formula"] = (f"({thread} if EBS_MODE else CPU_CLK_UNHALTED.THREAD_ANY / 2)"
                                 " if SMT_ON else Info_Thread_CLKS")
            metric["fallback"] = f"{thread} if SMT_ON else Info_Thread_CLKS"
            metric["fallback_note"] = "without CPU_CLK_UNHALTED.THREAD_ANY: " + ESTIMATED_CLOCKS
            metric["approximate"] = ESTIMATED_CLOCKS


def add_fallbacks(model):
    """Formulas without events that are often missing, or that an ordinary user may not open."""
    for metric in model["metrics"]:
        formula = metric["formula"]
        least = re.sub(r" - " + re.escape(OPTIONAL) + r"( / Info_Thread_SLOTS$|(?=\) / Info_Thread_SLOTS$))",
                       "", formula)
        least = re.sub(r"^\(([^()]*)\) / Info_Thread_SLOTS$", r"\1 / Info_Thread_SLOTS", least)
        if OPTIONAL in formula and OPTIONAL not in least:
            metric["fallback"], metric["fallback_note"] = least, "without " + OPTIONAL
        if metric["name"] == "Info_Thread_SLOTS" and "TOPDOWN.SLOTS_P" in model["events"]:
            metric["fallback"] = "TOPDOWN.SLOTS_P"  # many guests lack the fixed counter
            metric["fallback_note"] = "without TOPDOWN.SLOTS: slots as a general counter counts them"
        own = re.sub(r"\((\S+)_ANY / 2 if SMT_ON else \1\)", r"\1", formula)
        own = re.sub(r"\((CPU_CLK_UNHALTED\.REF_XCLK)_ANY / 2\)", r"\1", own)
        if own != formula and "fallback" not in metric:
            metric["fallback"] = own
            metric["fallback_note"] = "without the counts of sibling threads"


def add_locates(model):
    """Events that find the place in the code, of nodes for which the vendor names none (model_locate.py)."""
    tree = {renamed(metric["name"], model): metric for metric in model["metrics"] if metric["kind"] == "tma"}
    nodes = {name: (renamed(metric.get("parent") or "", model), metric["formula"], metric.get("locate_with") or [])
             for name, metric in tree.items()}
    for name, events in model_locate.of_tree(nodes, set(model["events"])).items():
        tree[name]["locate_with"] = events


def drop_unused(model):
    """Events that only formulas name which cannot be used."""
    used = set()
    for metric in model["metrics"]:
        keys = ("formula", "alt_no_perf_metrics", "fallback", "threshold") if not metric.get("unusable") else ()
        texts = [metric.get(key) or "" for key in keys] + (metric.get("locate_with") or [])
        used.update(name.split(":")[0] for text in texts for name in NAME.findall(text))
    model["unused"] = set(model["events"]) - used
    model["events"] = {name: event for name, event in model["events"].items() if name in used}


def add_vitals(model):
    """E-cores come without a frequency."""
    names = [metric["name"] for metric in model["metrics"]]
    if "Info_System_CPUs_Utilized" not in names:
        model["rename"].update(RENAME_ECORE)
    if "Info_System_Core_Frequency" not in names:
        at = names.index("Info_System_CPU_Utilization")
        model["metrics"].insert(at + 1, {
            "name": "GHz", "kind": "info", "groups": "Power;Summary",
            "formula": "Info_System_Turbo_Utilization * TSC / 1000000000 / DURATION_S"})


# --- metrics --------------------------------------------------------------------------------------


def renamed(text, model):
    return NAME.sub(lambda m: model["rename"].get(m[0], m[0]), text)


def threshold_line(metric, model):
    text = metric.get("threshold")
    if not text:
        return []
    parent = model["by_name"].get(metric.get("parent"))
    number = re.match(re.escape(metric["name"]) + r" > ([0-9.]+)(?: & (.*))?$", text)
    expected = parent["threshold"] if parent else None
    if number and number[2] == expected:
        return [f"threshold = {number[1]}"]
    return [f"threshold = {quoted(renamed(text, model))}"]


def flags(metric, name):
    lines = []
    single = NAME.fullmatch(metric["formula"]) and not metric["formula"].startswith("Info_")
    if metric["kind"] == "info" and (single or name in INLINE):
        lines.append("inline = true")
    if GOOD_UP.fullmatch(name):
        lines.append("good_up = true")
    if name in VITAL:
        lines.append("vital = true")
    return lines


def unit_of(metric, name):
    for pattern, unit in UNIT_OF:
        if re.fullmatch(pattern, name):
            return unit
    for words in (metric.get("domain"), metric.get("unit")):
        if words in UNIT_WORDS:
            return UNIT_WORDS[words]
    if metric["formula"].startswith("100 * "):
        return "%"
    return metric.get("unit")


def unit_line(metric, name):
    if metric["kind"] == "tma":
        return []  # nodes are shares unless they say otherwise
    share = SHARES.fullmatch(name) or metric.get("domain") in SHARE_DOMAINS
    unit = unit_of(metric, name)
    if share or (metric.get("scale") == 100 and unit == "%"):
        return ["share = true"]
    return [f"unit = {quoted(unit)}"] if unit else []


def missing_events(metric, model):
    known = {*model["events"], *model["unused"], *model["uncore_events"], *model["by_name"]}
    bases = {name.split(":")[0] for name in NAME.findall(metric["formula"])}
    return sorted(base for base in bases if "." in base and re.match(r"[A-Z]", base) and base not in known)


def value_lines(metric, model):
    """How the value comes about: formulas, or why there is none."""
    if metric.get("unusable"):
        events = ", ".join(missing_events(metric, model))
        return [f"unavailable = {quoted('no code is published for ' + events)}"]
    lines = formula_lines("formula", renamed(metric["formula"], model))
    for key, source in (("alt", "alt_no_perf_metrics"), ("fallback", "fallback")):
        if metric.get(source):
            lines += formula_lines(key, renamed(metric[source], model))
    if metric.get("fallback_note"):
        lines.append(f"fallback_note = {quoted(metric['fallback_note'])}")
    if metric.get("approximate"):
        lines += [f"approximate = {quoted(metric['approximate'])}",
                  'approximate_when = "SMT_ON & EBS_MODE"']
    return lines


def comment_lines(metric, name):
    lines = []
    for of, pattern, words in COMMENTS:
        if of == name and any(re.search(pattern, metric.get(k) or "") for k in ("formula", "threshold")):
            lines.append("# " + words)
    for note in metric.get("notes") or []:
        pattern, words = next(n for n in NOTES if re.fullmatch(n[0], note))
        if words:
            lines.append("# " + re.sub(pattern, words, note).replace(",", ", "))
    return lines


def metric_block(metric, model):
    name = model["rename"].get(metric["name"], metric["name"])
    section = {"tma": "node", "bottleneck": "bottleneck"}.get(metric["kind"], "metric")
    lines = [""] + comment_lines(metric, name) + [f"[{section}.{name}]"]
    if name != metric["name"]:
        lines.append(f"vendor = {quoted(metric['name'])}")
    if metric.get("parent"):
        lines.append(f"parent = {quoted(renamed(metric['parent'], model))}")
    lines += value_lines(metric, model) + threshold_line(metric, model) + unit_line(metric, name)
    if name in ROLES:
        lines.append(f"role = {quoted(ROLES[name])}")
    lines += flags(metric, name)
    for key in ("domain", "groups"):
        if metric.get(key):
            lines.append(f"{key} = {quoted(metric[key])}")
    if metric.get("locate_with"):
        lines.append("locate = [" + ", ".join(map(quoted, metric["locate_with"])) + "]")
    return lines


# --- limits: what the model cannot see, the worst first, as a screen may only show the beginning ---


def tree_of(model):
    return {metric["name"]: metric for metric in model["metrics"] if metric["kind"] == "tma"}


def above(tree, name, level):
    while tree[name]["level"] > level:
        name = tree[name]["parent"]
    return name


def listed(names, last=" and "):
    return last.join(filter(None, [", ".join(names[:-1]), names[-1]]))


def on_latencies(model, tree):
    """Nodes that rest on an average retire latency, and those that have neither one nor a fixed cost."""
    average = (model.get("retire_latency") or {}).get("perfmon") or {}
    rough, unknown, names = {}, {}, {}
    for metric in model["metrics"]:
        name, formula = metric["name"], metric["formula"]
        names[name] = NAME.findall(formula)
        latencies = [n for n in names[name] if n.endswith(":retire_latency")]
        rough[name] = any(n.split(":")[0] in average for n in latencies)
        unknown[name] = any(n.split(":")[0] not in average and f"{n} >= 0" not in formula for n in latencies)
    for chosen in (rough, unknown):
        for _ in names:  # what names such a metric rests on it, too
            chosen.update({n: chosen[n] or any(chosen.get(of) for of in names[n]) for n in names})
    return [n for n in tree if rough[n]], [n for n in tree if unknown[n]]


def latency_limit(model, tree):
    rough, unknown = on_latencies(model, tree)
    where = lambda nodes: listed(list(dict.fromkeys(renamed(above(tree, n, 2), model) for n in nodes)))
    if unknown:
        return (f"{len(unknown)} nodes are unknown until --const 'EVENT:retire_latency=CYCLES' gives their"
                f" latencies (below {where(unknown)})")
    return f"{len(rough)} nodes rest on the vendor's average latencies (below {where(rough)})" if rough else None


def missing_limit(tree):
    """What other trees have and this has not."""
    if len(tree) < 10:
        below = [name for name in tree if tree[name]["level"] > 1]
        parents = listed(list(dict.fromkeys(tree[name]["parent"] for name in below)))
        return f"only {len(tree)} nodes: level 1, and {len(below)} below {parents}"
    if "Memory_Bound" not in tree:
        bare = [n for n in ROLES if n in tree and all(t.get("parent") != n for t in tree.values())]
        return ("no Memory_Bound: caches and memory are not told apart in the tree"
                + (f", and nothing is below {listed(bare)}" if bare else ""))
    missing = [n for n in ("L1_Bound", "L2_Bound") if n not in tree]
    few = "few nodes below level 2, " if sum(t["level"] > 2 for t in tree.values()) < 25 else ""
    return few + "no " + listed(missing, " or ") if missing else None


def cycles_limit(tree):
    """Level 2 in something else than slots."""
    parents = {t.get("parent") for t in tree.values()}
    nodes = [n for n, t in tree.items() if t["level"] == 2 and n in parents and not in_slots(t)]
    return f"{listed(nodes)} and what is below are shares of cycles, not of slots" if nodes else None


def in_slots(node):
    return node.get("domain", "").startswith("Slots")


def general_events(model, names):
    """Events of general counters that the metrics need, through those that they name."""
    found, todo = set(), list(names)
    while todo:
        name = todo.pop().split(":")[0]
        if name in model["by_name"]:
            todo += NAME.findall(model["by_name"][name]["formula"])
        elif name in model["events"] and "fixed" not in model["events"][name]:
            found.add(name)
    return found


def turns_limit(model, tree):
    """Levels that are not counted all the time, and what else is to be said of them."""
    pipe = model["pipeline"]
    level = 2 if pipe.get("perf_metrics_fields") == 8 else 1
    words = f"nodes below level {level} take turns"
    if not pipe.get("perf_metrics_fields") and pipe["slots_scope"] != "core" and \
            len(general_events(model, [n for n in tree if tree[n]["level"] == 1])) > pipe["gp_counters"]:
        words = "even level 1 takes turns"
    if pipe["gp_counters"] <= 4:
        words = f"with {pipe['gp_counters']} counters " + words
    if sum(t["level"] > 2 and not in_slots(t) for t in tree.values()) < 10:
        return words
    return words + (", and " if level == 2 else ", and below level 2 ") + "many are shares of clocks, not of slots"


def limits(model):
    """At most two clauses."""
    tree, pipe = tree_of(model), model["pipeline"]
    turns, missing = turns_limit(model, tree), missing_limit(tree)
    if pipe["slots_scope"] == "core":
        return ("with SMT on a process's core cycles are an estimate (exact with -a); "
                + (f"{missing}, and {turns.split(', and')[0]}" if missing else turns))
    if pipe.get("perf_metrics_fields"):
        return "; ".join(filter(None, [latency_limit(model, tree), turns]))
    clauses = [
        "no formulas are published for its tree: they are Skymont's" if model["uarch"] in OF_SKYMONT else None,
        cycles_limit(tree),
        missing,
        f"slots are not counted but taken as {pipe['slots_per_cycle']} a cycle, and {turns}",
    ]
    return "; ".join(list(filter(None, clauses))[:2])


# --- the file -------------------------------------------------------------------------------------


def source_words(model, tma):
    """Where the facts come from, as `origin` and as the comment on top."""
    tables = [file for file in model["source_files"] if file.endswith(".csv")]
    if not tables:
        origin = f"Intel perfmon (BSD-3-Clause), {tma}"
        return origin, f"{origin}, metrics {model['metrics_version']}, events {model['events_version']}."
    origin = f"Intel perfmon, {tma}: formulas from {tables[0]}, events BSD-3-Clause"
    return origin, (f"Intel perfmon, {tma}: formulas from its {tables[0]}, events"
                    f" {model['events_version']} (BSD-3-Clause).")


def head_comment(model, title, facts):
    lines = [f"# {title}: {facts}"]
    if model.get("alt_license"):
        lines.append("# Formulas without PERF_METRICS (`alt`) are from perfmon's TMA_Metrics-full.csv.")
    if model["uarch"] in OF_SKYMONT:
        lines.append("# No formulas are published for the tree of this core: they are those of Skymont.")
    if "retire_latency" in model and not model["retire_latency"].get("perfmon"):
        lines += ["# No average retire latencies are published for it: where formulas have no cost of their own",
                  "# instead, values are unknown until --const 'EVENT:retire_latency=CYCLES' gives them."]
    if model["uarch"] == "BDW-DE":
        lines.append("# The formulas are those of Broadwell; the codes of its uncore events are not known.")
    lines += [
        "#",
        "# Kept as the vendor has it, odd places included, so that values can be compared with the vendor's",
        "# tools. Ours are: one name for what is called differently elsewhere (`vendor` says how), fallback",
        "# formulas, units, what counts as an improvement."]
    if any(re.search(r"\d \* Info_System_Core_Frequency", m["formula"]) for m in model["metrics"]):
        lines += ["# Numbers that formulas multiply by GHz (in the tree below L2_Bound) are latencies of this",
                  "# part's caches and memory in nanoseconds."]
    return lines


def identity(model):
    pipe = model["pipeline"]
    title = "Intel " + TITLES[model["uarch"]]
    kind, _, tma = model["tma_version"].removesuffix("-full").rpartition(" ")
    origin, facts = source_words(model, f"{kind} TMA {tma}".strip())
    lines = head_comment(model, title, facts) + [
        f"name = {quoted(model['name'])}",
        f"title = {quoted(title)}",
        f"tma = {quoted(tma)}",
        'vendor = "Intel"',
        f"origin = {quoted(origin)}",
        'rung = "full"',
        'scope = "pipeline slots"',
        f"limits = {quoted(limits(model))}"]
    if model["uarch"] in BY_NAME_ONLY:
        lines += ["# " + BY_NAME_ONLY[model["uarch"]], "match = []"]
    else:
        lines.append("match = [" + ", ".join(map(quoted, model["cpuids"])) + "]")
    if model.get("hybrid"):
        lines.append(f"core_type = {quoted(CORE_TYPES[model['hybrid']['role']])}")
    return lines + [
        f"slots_per_cycle = {pipe['slots_per_cycle']}",
        f"counters = {{ general = {pipe['gp_counters']}, fixed = {pipe['fixed_counters']},"
        f" perf_metrics = {pipe.get('perf_metrics_fields', 0)} }}",
        ""]


def model_text(model):
    model["name"] = model["uarch"].lower()
    model["rename"] = dict(RENAME)
    model.setdefault("uncore_events", {})
    correct_codes(model)
    for_single_threads(model)
    add_fallbacks(model)
    add_locates(model)
    add_vitals(model)
    drop_unused(model)
    model["by_name"] = {metric["name"]: metric for metric in model["metrics"]}
    lines = identity(model) + event_block(model) + latency_block(model)
    for title, kinds in (("The tree, in the order of the screen", ("tma",)),
                         ("The bottlenecks view", ("bottleneck",)),
                         ("Beside the tree", ("info", "other"))):
        metrics = [metric for metric in model["metrics"] if metric["kind"] in kinds]
        if metrics:
            lines += ["", "# " + title + " " + "-" * (96 - len(title))]
        for metric in metrics:
            lines += metric_block(metric, model)
    return "\n".join(lines) + "\n"


def main():
    folder, models = arguments(__doc__)
    for model in models:
        text = model_text(model)
        write_model(folder, model["name"], text)


if __name__ == "__main__":
    main()
