"""What the vendors publish, read from tests/data/facts.tar.xz, as one class for all vendors.

    python3 tests/models/facts.py FOLDER tests/data/facts.tar.xz     packs it anew, the same bytes each time
"""
import io
import json
import os
import re
import sys
import tarfile

from formula import Formula, NAN

ARCHIVE = os.path.join(os.path.dirname(__file__), "..", "data", "facts.tar.xz")
CONSTANTS = ("DURATION_S", "TSC", "SYSTEM_TSC_FREQ", "SMT_ON", "NUM_CPUS", "SOCKET_COUNT",
             "CHAS_PER_SOCKET", "CORES_PER_SOCKET", "EBS_MODE")
MODIFIERS_APART = ("percore", "SUP", "sup", "USER", "one_unit")


class Metric:
    def __init__(self, name, formula, **more):
        self.name = name
        self.formula = Formula(formula)
        self.alt = Formula(more["alt"]) if more.get("alt") else None
        self.ebs = None       # the formula where SMT siblings are not counted; see differences.py
        self.fallback = None  # the formula where an event of the main one is not recorded; there too
        self.threshold = Formula(more["threshold"]) if more.get("threshold") else None
        self.parent = more.get("parent")
        self.node = more.get("node", False)
        self.domain = more.get("domain", "")
        self.scale = more.get("scale", 1.0)
        self.unusable = more.get("unusable", False)


class Model:
    """name, metrics by the vendor's name (nodes in order), codes of events, latencies, width."""

    def __init__(self, name, vendor):
        self.name = name
        self.vendor = vendor
        self.metrics = {}
        self.codes = {}       # event as formulas spell it -> what is counted: equal codes count the same
        self.latencies = {}   # "EVENT:retire_latency" -> cycles
        self.spelling = {}    # event -> as the recording prints it, where formulas have bare codes
        self.width = 4
        self.thresholds = True  # the vendor publishes them

    def add(self, name, formula, **more):
        self.metrics[name] = Metric(name, formula, **more)

    def is_event(self, name):
        return name not in self.metrics and name not in CONSTANTS and not name.endswith(":retire_latency")

    def formulas(self):
        for m in self.metrics.values():
            yield from (f for f in (m.formula, m.alt, m.ebs, m.fallback, m.threshold) if f and not m.unusable)

    def events(self):
        """All events that formulas name, each once, in order."""
        names = dict.fromkeys(n for f in self.formulas() for n in f.names)
        return [n for n in names if self.is_event(n)]

    def code(self, event):
        return self.codes.get(event, event)

    def of_siblings(self, event):
        """Does it count the sibling threads, too (bit AnyThread)? That needs a privilege."""
        code = self.code(event)
        return self.vendor == "Intel" and isinstance(code, tuple) and bool(code[0] >> 21 & 1)

    def perf_metrics(self):
        return [e for e in self.events() if e.startswith("PERF_METRICS.")]


    def config(self, event):
        """perf's config and config1 of an event by the vendor's table, or None."""
        code = self.codes.get(event)
        if code is None or self.vendor == "Intel":
            return code and code[:2]
        if self.vendor == "Arm":
            return code[0], 0
        number, umask, cmask = code
        return (number & 0xff) | umask << 8 | cmask << 24 | (number >> 8) << 32, 0


def intel(text):
    d = json.loads(text)
    model = Model(d["uarch"].lower(), "Intel")
    model.width = d["pipeline"]["slots_per_cycle"]
    for m in d["metrics"]:
        model.add(m["name"], m["formula"], alt=m.get("alt_no_perf_metrics"), threshold=m.get("threshold"),
                  parent=m.get("parent"), node=m["kind"] == "tma", domain=m.get("domain", ""),
                  unusable="unusable" in m)
    for table in ("events", "variants"):
        for name, e in d.get(table, {}).items():
            apart = tuple(x for x in name.split(":")[1:] if x in MODIFIERS_APART)
            if "config" in e:
                model.codes[name] = (int(e["config"], 0), int(e.get("config1", "0"), 0), apart)
    for name, cycles in d.get("retire_latency", {}).get("perfmon", {}).items():
        model.latencies[name + ":retire_latency"] = cycles
    return model


def amd(text):
    d = json.loads(text)
    model = Model(d["uarch"], "AMD")
    model.thresholds = False
    model.width = d["dispatch_width"]
    for m in d["pipeline"] + d["recommended"]:
        scale = 1000.0 if str(m["scale_unit"]).startswith("1e3") else 1.0
        model.add(m["name"], m["flat"], node=m in d["pipeline"], scale=scale)
    for name, e in d["events_used"].items():
        if "event" in e and e.get("unit", "core") == "core":
            model.codes[name] = (int(e["event"], 0), int(e["umask"], 0), e.get("cmask", 0))
    return model


BEST_EFFORT = {  # what Zen 1-3 allow, by the names of the models; the rest of the file is evidence
    "retiring": "Retiring", "bad_speculation": "Bad_Speculation", "not_dispatched": "Not_Dispatched",
    "frontend_cycles": "Queue_Empty_Cycles", "backend_cycles": "Token_Stalls_Per_Cycle",
    "frontend_bound_est": "Frontend_Bound", "backend_bound_est": "Backend_Bound",
    "dcperf_frontend_stalls": "dcperf_frontend_stalls", "dcperf_backend_stalls": "dcperf_backend_stalls"}
ALL_BITS = {"zen1": {"0xae": 0xff, "0xaf": 0x7f}, "zen2": {"0xae": 0xff, "0xaf": 0x7f},
            "zen3": {"0xae": 0xff, "0xaf": 0x3f}}


def best_effort(model, text):
    """Adds the breakdown of a core without pipeline events. Its formulas have bare codes ("0xaa:3"), and that
    is how the recording prints them."""
    bits = ALL_BITS[model.name]
    for name, f in json.loads(text)["formulas"].items():
        flat = f["flat"].replace("0xa9", "0x87:2") if model.name == "zen1" else f["flat"]
        if model.name == "zen1" and name.startswith("dcperf"):
            continue  # for Zen 2 and 3
        for long in BEST_EFFORT:
            flat = re.sub(rf"\b{long}\b", BEST_EFFORT[long], flat)
        model.add(BEST_EFFORT[name], flat, node=BEST_EFFORT[name] in
                  ("Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring"))
        for event in filter(model.is_event, Formula(flat).names):
            number, _, umask = event.partition(":")
            umask = bits[number] if umask == "all" else int(umask or "0")
            model.codes[event] = (int(number, 0), umask, 0)
            model.spelling[event] = f"cpu/event={number},umask={umask:#x}/"


def arm_parents(tree):
    """The decision tree as parents: a node that none leads to hangs on the root that its group is named after."""
    parents = dict.fromkeys(n["metric"] for n in tree["nodes"])
    for node in tree["nodes"]:
        for name in node["next"]:
            if name in parents:
                parents[name] = node["metric"]
    for node in tree["nodes"]:
        name = node["metric"]
        if parents[name] is None and name not in tree["roots"]:
            parents[name] = node["group"].removeprefix("Topdown_").lower() + "_bound"
    return parents


def arm(text):
    d = json.loads(text)
    model = Model(d["uarch"], "Arm")
    model.thresholds = False
    model.width = d["slots_per_cycle"]
    parents = arm_parents(d["tree"])
    for m in d["metrics"]:
        model.add(m["name"], m["formula"], scale=0.01 if m["unit"].startswith("percent") else 1.0,
                  node=m["name"] in parents, parent=parents.get(m["name"]))
    model.codes = {name: (int(code, 0),) for name, code in d["events"].items()}
    return model


READERS = {"intel": intel, "amd": amd, "arm": arm}


def texts():
    """{"intel/SPR.json": text} of the whole archive."""
    with tarfile.open(ARCHIVE, "r:xz") as tar:
        return {m.name: tar.extractfile(m).read().decode() for m in tar}


def names(files):
    """Model name -> file, models only."""
    models = {}
    for file in files:
        folder, base = file.split("/")
        stem = base.removesuffix(".json").lower()
        if stem not in ("zen123-besteffort", "cycle-fallback-n1-v1"):
            models[stem] = file
    return models


def read(file, files):
    model = READERS[file.split("/")[0]](files[file])
    if model.name in ALL_BITS:
        best_effort(model, files["amd/zen123-besteffort.json"])
    return model


def pack(folder, out):
    with tarfile.open(out, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as tar:
        for kind in sorted(READERS):
            for base in sorted(os.listdir(os.path.join(folder, kind))):
                with open(os.path.join(folder, kind, base), "rb") as f:
                    data = f.read()
                info = tarfile.TarInfo(f"{kind}/{base}")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack(*sys.argv[1:])
