"""What is recorded for a model, and what its names mean there by the vendor's formulas."""
import json
import math

import differences
import draws
import facts
from formula import LATENCY, NAN, known


class Env:
    """What names mean in one interval. Metrics are evaluated once."""

    def __init__(self, recording, counts, consts, doubt=1.0):
        self.model, self.counts, self.consts = recording.model, counts, consts
        self.latencies = {**recording.model.latencies, **recording.given}
        self.alt = recording.alt
        self.doubt = doubt  # other than 1: what is only estimated is multiplied by it
        self.values = {}
        if doubt != 1.0:
            all_names = (n for f in self.model.formulas() for n in f.names)
            self.latencies = {n: recording.given.get(n, 1e-3) for n in all_names if n.endswith(LATENCY)}

    def value(self, name):
        v = self.values.get(name)
        if v is None:
            v = self.values[name] = self.look_up(name)
        return v

    def look_up(self, name):
        if name in self.model.metrics:
            return self.metric(self.model.metrics[name])
        if name in self.consts:
            return self.consts[name]
        if name in facts.CONSTANTS:
            return NAN
        if name.endswith(LATENCY):
            return self.latencies.get(name, NAN)
        v = self.counts.get(self.model.code(name))
        return NAN if v is None else v

    def metric(self, m):
        if m.unusable:
            return NAN
        formula, factor = self.choose(m)
        v = formula.run(self) * m.scale * factor
        return v if math.isfinite(v) else NAN

    def choose(self, m):
        """The formula that serves, and the doubt about it."""
        if self.alt and m.alt:
            return m.alt, 1.0
        formula, factor = m.formula, 1.0
        if m.ebs and self.consts.get("SMT_ON") != 0:
            factor = 1.0 if self.consts.get("EBS_MODE") == 0 else self.doubt
        if m.ebs and self.consts.get("EBS_MODE"):
            formula = m.ebs
        if m.fallback and not self.recorded(formula) and self.recorded(m.fallback):
            formula, factor = m.fallback, self.doubt
        return formula, factor

    def recorded(self, formula):
        """Is every event in the recording that the formula names, itself or through a mere renaming of one,
        in branches that constants do not rule out?"""
        dead = set()
        for condition, asked, yes, no in formula.branches:
            if all(n in facts.CONSTANTS for n in asked) and known(v := condition(self)):
                taken, untaken = (yes, no) if v else (no, yes)
                dead |= set(untaken) - set(taken)
        names = [n for n in formula.names if n not in dead]
        metrics = (self.model.metrics.get(n) for n in names)
        names += [m.formula.text for m in metrics if m and m.formula.names == [m.formula.text]]
        return all(self.model.code(n) in self.counts for n in names if self.model.is_event(n))

    def over(self, m):
        v = m.threshold.run(self) if m.threshold else 0.0
        return known(v) and v != 0 and known(self.value(m.name))


class Recording:
    """A model, some intervals, the constants they have in common, and the names of the file's columns."""

    def __init__(self, model, what, intervals, events, consts, latencies=None, alt=False):
        self.model, self.what, self.intervals, self.events = model, what, intervals, events
        self.consts, self.given, self.alt = consts, latencies or {}, alt

    def arguments(self):
        settings = {**self.consts, **self.given}
        return [f"--const={name}={value!r}" for name, value in settings.items()]

    def env(self, interval, doubt=1.0):
        codes = {self.model.code(e) for e in self.events}
        counts = {code: n for code, n in interval.counts.items() if code in codes}
        consts = {"DURATION_S": interval.seconds, **self.consts}
        if "SYSTEM_TSC_FREQ" in consts:
            consts.setdefault("TSC", consts["SYSTEM_TSC_FREQ"] * consts["DURATION_S"])
        return Env(self, counts, consts, doubt)

    def doubtful(self):
        """Is anything estimated?"""
        ebs = any(m.ebs for m in self.model.metrics.values()) and self.consts.get("SMT_ON") != 0
        return (ebs and self.consts.get("EBS_MODE") != 0 or len(self.events) < len(self.model.events())
                or not self.given and any(n.endswith(LATENCY) for f in self.model.formulas() for n in f.names))


# --- which recordings -------------------------------------------------------------------------------


def constants(model, rng, smt):
    """All but EBS_MODE: 0 where nobody says so, but then what it decides is in doubt."""
    return {"SYSTEM_TSC_FREQ": float(rng.randrange(10**9, 4 * 10**9)), "SMT_ON": float(smt),
            "NUM_CPUS": float(rng.choice((4, 8, 56))), "SOCKET_COUNT": float(rng.choice((1, 2, 4))),
            "CHAS_PER_SOCKET": float(rng.randrange(8, 60)), "CORES_PER_SOCKET": float(rng.randrange(4, 60))}


def intervals(recording, kinds, rng):
    """Fills the recording; counts how many metrics had a branch without its events."""
    model, branches = recording.model, []
    for kind in kinds:
        it = draws.Interval(draws.plain(model, rng), rng.choice((0.25, 0.5, 1.0, 2.5)), kind)
        if kind == "zeros":
            draws.with_zeros(it.counts, rng)
        elif kind == "nothing":
            it.counts = dict.fromkeys(it.counts, 0.0)
        elif kind == "gaps":
            draws.with_gaps(it.counts, rng)
        elif kind == "branch":
            branches.append((it, draws.without_branches(model, it.counts, recording.env(it), rng)))
        recording.intervals.append(it)
    return sum(known(recording.env(it).value(name)) for it, chosen in branches for name in chosen)


MIXED = ["plain", "plain", "plain", "zeros", "gaps", "branch"]


def recordings(model, rng):
    """The recordings of one model, and how many branches they leave unmeasured."""
    events = model.events()
    lat = sorted({n for f in model.formulas() for n in f.names if n.endswith(LATENCY)})
    latencies = {n: round(math.exp(rng.uniform(1, 6)), 2) for n in lat}
    kept = set(draws.some(dict.fromkeys(map(model.code, events)), 0.9, rng))
    fewer = [e for e in events if model.code(e) in kept and e not in differences.OPTIONAL_EVENTS]
    some_consts = constants(model, rng, 1)
    some_consts.pop(rng.choice(sorted(some_consts)))
    whole_cores = {**constants(model, rng, 1), "EBS_MODE": 0.0}
    made = [
        (Recording(model, "one thread", [], events, constants(model, rng, 0), latencies),
         ["plain"] * 10 + MIXED * 2 + ["nothing"]),
        (Recording(model, "SMT", [], events, whole_cores), ["plain"] * 5 + MIXED),
        (Recording(model, "events missing", [], fewer, constants(model, rng, 0)), MIXED),
        (Recording(model, "a constant missing", [], events, some_consts, latencies), ["plain"] * 2),
    ]
    if model.perf_metrics():
        without = [e for e in events if e not in model.perf_metrics()]
        made.append((Recording(model, "no topdown events", [], without, constants(model, rng, 1),
                               latencies, alt=True), MIXED))
    siblings = [e for e in events if model.of_siblings(e)]
    if siblings:
        own = [e for e in events if e not in siblings]
        made.append((Recording(model, "siblings not counted", [], own, constants(model, rng, 1)), MIXED))
    if any(m.ebs for m in model.metrics.values()):
        made.append((Recording(model, "SMT, EBS unknown", [], events, constants(model, rng, 1)), MIXED))
        for smt in (0, 1):
            made.append((Recording(model, f"EBS, SMT {smt}", [], events,
                                   {**constants(model, rng, smt), "EBS_MODE": 1.0}), MIXED))
    branches = sum(intervals(r, kinds, rng) for r, kinds in made)
    return [r for r, _ in made], branches


def known_answers(model, path):
    """One recording for each draw of the file, and what must come out. Its makers drew a number for each
    name, also where two names are one code: a recording that has both names gives each its own."""
    model.codes = {}
    with open(path, encoding="utf-8") as f:
        for v in json.load(f):
            counts, latencies = {}, {}
            for name, n in v["events"].items():
                if name.endswith(":retire_latency"):
                    latencies[name] = n
                else:
                    counts[name] = n
            it = draws.Interval(counts, 1.0, "known")
            yield Recording(model, f"known answers, seed {v['seed']}", [it], list(counts), v["params"],
                            latencies), v
