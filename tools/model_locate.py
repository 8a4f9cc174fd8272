"""Which events find the place in the code of a node, where the vendor's tables name none, or name one that says less.

usage: model_locate.py MODEL.toml...     adds them to the nodes of model files that have none

The events that a node counts are the best there are where it counts one of them over slots or clocks; else those below, the
precise ones first. Only events that the model's table has are taken; a node that none of this is for takes its parent's.
gen_model.py and gen_model_amd.py do the same for the next core.
"""
import os
import re
import sys

# Put in front of what there is: these know the instruction.
BEFORE = {
    "Branch_Mispredicts": ("BR_MISP_RETIRED.ALL_BRANCHES",),
    "Mispredicts_Resteers": ("BR_MISP_RETIRED.ALL_BRANCHES",),
    "L2_Bound": ("MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_UOPS_RETIRED.L2_HIT"),
    "L3_Bound": ("MEM_LOAD_RETIRED.L3_HIT", "MEM_LOAD_UOPS_RETIRED.L3_HIT"),
    "DRAM_Bound": ("MEM_LOAD_RETIRED.L3_MISS", "MEM_LOAD_UOPS_RETIRED.DRAM_HIT"),
}
# Where there is none.
ELSE = {
    "Frontend_Bound": ("FRONTEND_RETIRED.LATENCY_GE_4", "IDQ_BUBBLES.CORE", "IDQ_UOPS_NOT_DELIVERED.CORE",
                       "de_no_dispatch_per_slot.no_ops_from_frontend", "de_dis_uop_queue_empty_di0",
                       "ic_fetch_stall.ic_stall_dq_empty"),
    "Fetch_Latency": ("de_no_dispatch_per_slot.no_ops_from_frontend:c6",
                      "de_no_dispatch_per_slot.no_ops_from_frontend:c8"),
    "Fetch_Bandwidth": ("IDQ_BUBBLES.CORE", "IDQ_UOPS_NOT_DELIVERED.CORE"),
    "Bad_Speculation": ("BR_MISP_RETIRED.ALL_BRANCHES", "ex_ret_brn_misp"),
    "Machine_Clears": ("MACHINE_CLEARS.COUNT", "resyncs_or_nc_redirects", "bp_redirects.resync"),
    "Backend_Bound": ("TOPDOWN.BACKEND_BOUND_SLOTS", "CYCLE_ACTIVITY.STALLS_TOTAL", "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE",
                      "CYCLE_ACTIVITY.CYCLES_NO_DISPATCH", "de_no_dispatch_per_slot.backend_stalls",
                      "de_dis_dispatch_token_stalls1.all"),
    "Memory_Bound": ("CYCLE_ACTIVITY.STALLS_MEM_ANY", "CYCLE_ACTIVITY.STALLS_LDM_PENDING", "CYCLE_ACTIVITY.STALLS_L1D_PENDING",
                     "ex_no_retire.load_not_complete"),
    "Ports_Utilized_0": ("CYCLE_ACTIVITY.STALLS_TOTAL", "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE"),
    "SMT_Contention": ("de_no_dispatch_per_slot.smt_contention",),
    "Retiring": ("ex_ret_ops", "ex_ret_cops"),
    "Frontend_Stalls": ("stalled_cycles_frontend",),
    "Backend_Stalls": ("stalled_cycles_backend",),
}
CLOCKS = ("CPU_CLK_UNHALTED", "TOPDOWN.SLOTS", "CPU_CYCLES", "INST_RETIRED")
NUMERATOR = re.compile(r"([A-Z][A-Z0-9_]*\.[A-Z0-9_.]+) / (?:\(|Info_|[0-9]|[A-Z0-9_.]+$)[^/+-]*$")


def numerator(formula, events):
    """The event that the node counts, if it is one of them over slots or clocks."""
    m = NUMERATOR.fullmatch(" ".join((formula or "").split()))
    return [m[1]] if m and m[1] in events and not m[1].startswith(CLOCKS) else []


def better(name, formula, have, events, own):
    """The events of a node: `have` are the vendor's, `own`: nothing above has any."""
    # A spelling with modifiers is that of the formula: ":c6" is all slots of a core that has six.
    known = lambda names: [e for e in names if e in events or e.split(":")[0] in events and e in (formula or "")]
    before = [e for e in known(BEFORE.get(name, ())) if e not in have]
    if have or not own:
        return before + have
    return before + (numerator(formula, events) or ([] if before else known(ELSE.get(name, ()))[:1]))


def of_tree(nodes, events):
    """{name: (parent, formula, the vendor's events)} to {name: events}; `events` are those that the model's table has."""
    slots = {"TOPDOWN_FE_BOUND.ALL", "UOPS_NOT_DELIVERED.ANY"} & set(events)  # E-cores count each node's slots

    def lacks(name):
        while name in nodes:
            if nodes[name][2]:
                return False
            name = nodes[name][0]
        return True

    return {name: better(name, formula, have, events, bool(slots) or lacks(name))
            for name, (_, formula, have) in nodes.items()}


# --- in files that are there ----------------------------------------------------------------------

KEYS_BEFORE = ("parent", "formula", "alt", "fallback", "fallback_note", "zero_note", "approximate", "approximate_when", "threshold",
               "unavailable", "share", "unit", "role", "inline", "good_up", "good_down", "vital", "domain", "groups", "next")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def bases(path):
    """The texts that a file extends, the nearest first."""
    m = re.search(r'^extends = "(.*)"', read(path), re.M)
    if not m:
        return []
    base = os.path.join(os.path.dirname(path), m[1] + ".toml")
    return [read(base)] + bases(base)


def sections(text):
    """(begin, end, name) of each [node.X]."""
    heads = list(re.finditer(r"^\[(.*)\]$", text, re.M))
    for i, head in enumerate(heads):
        if head[1].startswith("node."):
            yield head.start(), heads[i + 1].start() if i + 1 < len(heads) else len(text), head[1][5:]


def key(section, name):
    m = re.search(rf"^{name} = ('''(.*?)'''|\"(.*?)\"$|\[(.*?)\]$)", section, re.M | re.S)
    return next((g for g in m.groups()[1:] if g is not None), "") if m else None


def put(section, events):
    """The section with its locate line, behind the keys that stand before it."""
    line = "locate = [" + ", ".join(f'"{e}"' for e in events) + "]\n"
    section = re.sub(r"^locate = .*\n", "", section, flags=re.M)
    # Keys may have texts of several lines.
    parts = list(re.finditer(r"^([a-z_]+) = (?:'''.*?'''|.*?)\n", section, re.M | re.S))
    last = [m for m in parts if m[1] in KEYS_BEFORE][-1]
    return section[:last.end()] + line + section[last.end():]


def mend(path):
    text = read(path)
    texts = [text] + bases(path)
    events = set(re.findall(r'^"([^"]+)" = \{', "\n".join(texts), re.M)) | \
        set(re.findall(r"^([a-z_]+) = \{ pmu = \"generic\"", "\n".join(texts), re.M))
    nodes = {}
    for whole in reversed(texts):
        for begin, end, name in sections(whole):
            section = whole[begin:end]
            nodes[name] = (key(section, "parent"), key(section, "formula"), re.findall(r'"(.*?)"', key(section, "locate") or ""))
    found = of_tree(nodes, events)
    for begin, end, name in reversed(list(sections(text))):
        if found[name] and found[name] != nodes[name][2]:
            text = text[:begin] + put(text[begin:end], found[name]) + text[end:]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    for file_name in sys.argv[1:]:
        mend(file_name)
