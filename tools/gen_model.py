#!/usr/bin/env python3
"""Turns a facts file of an Intel core into a first version of its model file.

usage: gen_model.py FACTS.json > src/model/cpu/NAME.toml

The facts (JSON) hold what the vendor publishes as numbers: event codes, formulas, thresholds,
counter restrictions. The model file made from them is read, mended and kept by hand; from then on
it is the source of truth, and this program is only run again for the next core. What it decides:

- A name that differs between versions of the vendor's tree gets one spelling (RENAME).
- Values keep their scale: shares stay fractions of 1.
- A threshold of the form "value > n & all of the parent's" becomes the number n.
- Long formulas are broken at their outermost operators, so that a person can read them.
"""
import json
import re
import sys

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
RENAME = {"L3_Miss_Bound": "DRAM_Bound"}
ROLES = {"Frontend_Bound": "frontend", "Bad_Speculation": "bad_speculation",
         "Backend_Bound": "backend", "Retiring": "retiring"}
# Names that the perf tool prints for some events.
ALIASES = {
    "CPU_CLK_UNHALTED.THREAD": "cycles", "CPU_CLK_UNHALTED.REF_TSC": "ref-cycles",
    "INST_RETIRED.ANY": "instructions", "BR_INST_RETIRED.ALL_BRANCHES": "branches",
    "BR_MISP_RETIRED.ALL_BRANCHES": "branch-misses", "LONGEST_LAT_CACHE.MISS": "cache-misses",
}
UNITS = {"GB/sec": "GB/s", "MB/sec": "MB/s", "NanoSeconds": "ns", "Seconds": "s",
         "Clocks_Latency": "cycles", "Scaled_Slots": "%"}
UNIT_OF = {"Info_System_Core_Frequency": "GHz", "Info_System_Power": "W",
           "Info_Botlnk_L0_Core_Bound_Likely": "%"}
INLINE = {"Info_Core_CORE_CLKS"}  # besides metrics that only rename an event
VITAL = {"Info_Thread_IPC", "Info_System_Core_Frequency", "Info_System_CPUs_Utilized"}
GOOD_UP = re.compile(
    r"Retiring|Light_Operations|Bottleneck_Useful_Work|Info_Thread_IPC|Info_Core_(CoreIPC|FLOPc|ILP|EPC)"
    r"|Info_System_GFLOPs|Info_System_Core_Frequency|Info_Memory_MLP|Info_Frontend_DSB_Coverage"
    r"|Info_Bad_Spec_Ip\w+|Info_Pipeline_IpAssist|Info_Frontend_Ip\w+|Info_System_IpFarBranch")
# Where this event is missing its term is left out, and the value says that it is approximate.
OPTIONAL = "INT_MISC.UOP_DROPPING"

NAME = re.compile(r"[A-Za-z0-9_.]+(?::[A-Za-z0-9_.=]+)*")
WIDTH = 100


def quoted(text):
    return json.dumps(text)


def renamed(text):
    return NAME.sub(lambda m: RENAME.get(m[0], m[0]), text)


# --- formulas -------------------------------------------------------------------------------------

LOOSEST_FIRST = [("if", "else"), ("|",), ("&",), ("<", ">", "<=", ">=", "=="), ("+", "-"), ("*", "/")]


def tokens_of(text):
    return re.findall(NAME.pattern + r"|<=|>=|==|[-+*/()<>&|,]", text)


def joined(tokens):
    text = " ".join(tokens)
    text = re.sub(r"\( ", "(", text)
    text = re.sub(r" ([),])", r"\1", text)
    return re.sub(r"\b(min|max) \(", r"\1(", text)


def split_outside(tokens, operators):
    """Splits at operators outside all parentheses: [["a"], ["+", "b"], ...]."""
    parts, depth = [[]], 0
    for i, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        unary = token == "-" and (i == 0 or tokens[i - 1] in LEFT_OF_UNARY)
        if depth == 0 and token in operators and not unary:
            parts.append([])
        parts[-1].append(token)
    return parts


LEFT_OF_UNARY = {"(", ",", "if", "else"} | {op for ops in LOOSEST_FIRST for op in ops}


def in_parentheses(tokens, indent):
    """Breaks "head(inside)": the inside goes on lines of its own."""
    open_at = tokens.index("(")
    inside = tokens[open_at + 1:-1]
    lines = [joined(tokens[:open_at + 1])]
    arguments = split_outside(inside, (",",))
    for i, argument in enumerate(arguments):
        body = broken(argument[1:] if argument[0] == "," else argument, indent + 2)
        body[-1] += "," if i + 1 < len(arguments) else ""
        lines += ["  " + line for line in body]
    return lines + [")"]


def broken(tokens, indent=0):
    """The lines of a formula, each WIDTH columns at most where that can be had."""
    if len(joined(tokens)) + indent <= WIDTH:
        return [joined(tokens)]
    for operators in LOOSEST_FIRST:
        parts = split_outside(tokens, operators)
        if len(parts) > 1:
            break
    else:
        return in_parentheses(tokens, indent) if "(" in tokens else [joined(tokens)]
    lines = []
    for part in parts:
        operator = part[:1] if part[0] in operators else []
        body = broken(part[len(operator):], indent + 2)
        body[0] = " ".join(operator + body[:1])
        glue = lines and operators == ("*", "/") and len(lines[-1]) + len(body[0]) < WIDTH // 2
        if glue:  # "100 * (" stays on one line
            body[0] = lines.pop() + " " + body[0]
        if not body[0].endswith("("):  # a term of several lines stands out from the next term
            body[1:] = ["  " + line for line in body[1:]]
        lines += body
    return lines


def formula_lines(key, text):
    lines = broken(tokens_of(renamed(text)))
    if len(lines) == 1:
        return [f"{key} = {quoted(lines[0])}"]
    return [f"{key} = '''"] + lines + ["'''"]


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


def event_line(name, event, model):
    fields = []
    fixed = event.get("fixed")
    if "code" in event and fixed is None:
        fields.append(f"code = {hexa(event['code'].split(',')[0])}")
        for key in ("umask", "umaskext"):
            if int(event.get(key, "0"), 0):
                fields.append(f"{key} = {hexa(event[key])}")
        for key in ("cmask", "inv", "edge", "any"):
            if event.get(key):
                fields.append(f"{key} = {event[key]}")
    else:
        fields.append(f"config = {hexa(event['config'])}")
    if "config1" in event:
        fields.append(f"config1 = {hexa(event['config1'])}")
    counters = counters_of(event, model)
    if fixed is not None:
        fields.append(f"fixed = {fixed}")
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
        lines += ["", f"# {title}"]
        lines += [event_line(n, e, model) for n, e in sorted(events.items()) if chosen(e)]
    if model["uncore_events"]:
        lines += ["", "# Outside the core: named by formulas, but no process can count them."]
        lines += [f'{quoted(n)} = {{ pmu = "uncore" }}' for n in sorted(model["uncore_events"])]
    return lines


# --- metrics --------------------------------------------------------------------------------------


def threshold_line(metric, by_name):
    text = metric.get("threshold")
    if not text:
        return []
    parent = by_name.get(metric.get("parent"))
    number = re.match(re.escape(metric["name"]) + r" > ([0-9.]+)(?: & (.*))?$", text)
    expected = parent["threshold"] if parent else None
    if number and number[2] == expected:
        return [f"threshold = {number[1]}"]
    return [f"threshold = {quoted(renamed(text))}"]


def uncore_reason(metric, model, by_name):
    """Which counters outside the core the formula needs, references followed."""
    units = set()
    for name in NAME.findall(metric["formula"]):
        event = model["uncore_events"].get(name.split(":")[0])
        if event:
            units.add("RAPL" if event.get("rapl") else event.get("unit", "other"))
        elif name in by_name and by_name[name]["needs_uncore"]:
            units |= uncore_reason(by_name[name], model, by_name)
    return units


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


def unit_line(metric, name):
    unit = UNIT_OF.get(name) or UNITS.get(metric.get("domain")) or metric.get("unit")
    if metric["kind"] == "tma" or not unit:
        return []  # nodes are shares unless they say otherwise
    if metric.get("scale") == 100:
        return ["share = true"]
    return [f"unit = {quoted(UNITS.get(unit, unit))}"]


def fallback_lines(formula):
    term = re.search(r" - " + re.escape(OPTIONAL) + r" / Info_Thread_SLOTS$", formula)
    if not term:
        return []
    return formula_lines("fallback", formula[:term.start()]) + [
        f"fallback_note = {quoted('without ' + OPTIONAL)}"]


def metric_block(metric, model, by_name):
    name = RENAME.get(metric["name"], metric["name"])
    section = {"tma": "node", "bottleneck": "bottleneck"}.get(metric["kind"], "metric")
    lines = ["", f"[{section}.{name}]"]
    if name != metric["name"]:
        lines.append(f"vendor = {quoted(metric['name'])}")
    if metric.get("parent"):
        lines.append(f"parent = {quoted(RENAME.get(metric['parent'], metric['parent']))}")
    lines += formula_lines("formula", metric["formula"])
    if metric.get("alt_no_perf_metrics"):
        lines += formula_lines("alt", metric["alt_no_perf_metrics"])
    lines += fallback_lines(metric["formula"])
    lines += threshold_line(metric, by_name)
    if metric["needs_uncore"]:
        units = ", ".join(sorted(uncore_reason(metric, model, by_name)))
        lines.append(f"unavailable = {quoted(f'needs uncore counters ({units})')}")
    lines += unit_line(metric, name)
    if name in ROLES:
        lines.append(f"role = {quoted(ROLES[name])}")
    lines += flags(metric, name)
    for key in ("domain", "groups"):
        if metric.get(key):
            lines.append(f"{key} = {quoted(metric[key])}")
    if metric.get("locate_with"):
        lines.append("locate = [" + ", ".join(map(quoted, metric["locate_with"])) + "]")
    return lines


# --- the file -------------------------------------------------------------------------------------


def identity(model):
    pipe = model["pipeline"]
    title = "Intel " + TITLES.get(model["uarch"], model["uarch"])
    return [
        f"# {title}: Intel perfmon (BSD-3-Clause), TMA {model['tma_version']}, metrics"
        f" {model['metrics_version']}, events {model['events_version']}.",
        f"name = {quoted(model['uarch'].lower())}",
        f"title = {quoted(title)}",
        f"tma = {quoted(model['tma_version'])}",
        'vendor = "Intel"',
        f"origin = {quoted('Intel perfmon (BSD-3-Clause), TMA ' + model['tma_version'])}",
        'rung = "full"',
        'scope = "pipeline slots"',
        "match = [" + ", ".join(map(quoted, model["cpuids"])) + "]",
        f"slots_per_cycle = {pipe['slots_per_cycle']}",
        f"counters = {{ general = {pipe['gp_counters']}, fixed = {pipe['fixed_counters']},"
        f" perf_metrics = {pipe.get('perf_metrics_fields', 0)} }}",
        "",
    ]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    model.setdefault("uncore_events", {})
    by_name = {metric["name"]: metric for metric in model["metrics"]}
    lines = identity(model) + event_block(model)
    for title, kinds in (("The tree, in the order of the screen", ("tma",)),
                         ("The bottlenecks view", ("bottleneck",)),
                         ("Beside the tree", ("info", "other"))):
        lines += ["", "# " + title + " " + "-" * (96 - len(title))]
        for metric in model["metrics"]:
            if metric["kind"] in kinds:
                lines += metric_block(metric, model, by_name)
    print("\n".join(lines))


main()
