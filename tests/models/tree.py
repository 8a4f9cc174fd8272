"""The tree as the vendor has it: the bottleneck path by its rule, and which sums the formulas promise."""
from formula import known

TIE = 0.05  # siblings closer than this are too close to choose between (toplev's margin)
TIE_ROOTS = 0.01  # where their ± is no larger, as in draws
DEEPEST = 8
# AMD names no parents: level 2 is told by its names (features of PipelineL2).
AMD_PARENTS = ("frontend_bound", "bad_speculation", "backend_bound", "retiring")


def of(model):
    """{node: parent or None} in the order of the tree."""
    nodes = {m.name: m.parent for m in model.metrics.values() if m.node}
    if model.vendor != "AMD":
        return nodes
    nodes.pop("total_dispatch_slots", None)
    return {name: next((p for p in AMD_PARENTS if name.startswith(p + "_")), None) for name in nodes}


def children(nodes, parent):
    return [n for n, p in nodes.items() if p == parent]


def path(nodes, value, over):
    """The largest node over its threshold, then its largest child over its own, and so on. Below level 1 two
    that are too close end the path at their parent; two roots that are too close are named, and the path
    goes on through the larger."""
    way, tie, siblings = [], [], children(nodes, None)
    while len(way) < DEEPEST:
        hot = [n for n in siblings if over(n) and known(value(n))]
        hot.sort(key=value, reverse=True)  # stable: the first of equals stays first
        if not hot:
            break
        if len(hot) > 1 and value(hot[0]) - value(hot[1]) <= (TIE if way else TIE_ROOTS):
            tie = tie or hot[:2]
            if way:
                break
        way.append(hot[0])
        siblings = children(nodes, hot[0])
    return way, tie


# --- sums -----------------------------------------------------------------------------------------


class Promise:
    """The children of a parent sum to it; parent None: level 1 sums to 1. A child that is clamped at 0
    breaks the promise of that draw: then they sum to more."""

    def __init__(self, parent, parts, tolerance, by_counts):
        self.parent, self.parts, self.tolerance = parent, parts, tolerance
        self.by_counts = by_counts  # the counts promise it, not the formula alone

    def check(self, value):
        parts = [value(n) for n in self.parts]
        whole = value(self.parent) if self.parent else 1.0
        if not all(map(known, parts)) or not known(whole) or 0.0 in parts or whole == 0:
            return None, ""
        ok = abs(sum(parts) - whole) <= self.tolerance * max(1.0, abs(whole), *map(abs, parts))
        return ok, f"{' + '.join(self.parts)} = {sum(parts)!r}, not {self.parent or 'level 1'} {whole!r}"


def slots_parents(model):
    """Parents all of whose children are shares of the same thing: slots."""
    nodes = of(model)

    def in_slots(name):
        return model.vendor != "Intel" or model.metrics[name].domain.startswith("Slots")
    parents = [None] + [n for n in nodes if len(children(nodes, n)) > 1]
    return [p for p in parents
            if all(map(in_slots, children(nodes, p))) and (p is None or in_slots(p))]


def promises(model, draw, probes=12):
    """Which of them sum by their formulas: found out on draws of its own, evaluated here, not by tdtop."""
    nodes, found = of(model), []
    values = [draw() for _ in range(probes)]
    events = model.events()
    separate = "STALL_SLOT" in events or any(e.startswith("TOPDOWN_RETIRING") for e in events)
    for parent in slots_parents(model):
        by_counts = parent is None and separate
        p = Promise(parent, children(nodes, parent), 1e-6 if by_counts else 1e-9, by_counts)
        said = [p.check(v)[0] for v in values]
        if False not in said and True in said:
            found.append(p)
    return found
