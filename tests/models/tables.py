"""What a model says of itself (`tdtop models NAME -j`): codes and thresholds against the vendor's, for every
core, and closer to the numbers than counts would ever come."""
import re

import differences
from formula import NAN, Formula

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def compare(result, model, printed, rng):
    codes(result, model, printed)
    if model.thresholds:
        thresholds(result, model, printed, rng)


def codes(result, model, printed):
    configs = {e[key]: (int(e["config"], 0), int(e["config1"], 0)) for key in ("alias", "name")
               for e in printed["events"] if e["config"]}
    for event in model.events():
        want, got = model.config(event), configs.get(event)
        if want is None or event in model.spelling:
            continue
        want = differences.CODES.get((model.name, event), (want,))[0]
        result.codes += 1
        if got != want:
            result.wrong("codes", f"{event} is {got and tuple(map(hex, got))}, not {tuple(map(hex, want))}")


def thresholds(result, model, printed, rng, tries=40):
    """Thresholds on made-up values, many of them just beside the numbers that the thresholds name."""
    vendor = {m["name"]: m["vendor"] or m["name"] for m in printed["metrics"]}
    texts = {vendor[m["name"]]: m["threshold"] for m in printed["metrics"]}
    for m in model.metrics.values():
        if not m.threshold:
            continue
        ours = Formula(texts.get(m.name) or "0")
        names = {n: vendor.get(n, n) for n in ours.names}
        numbers = [float(t) for t in NUMBER.findall(m.threshold.text + " " + ours.text)]
        for _ in range(tries):
            near = {n: rng.choice(numbers) + rng.choice((-1e-3, 0, 1e-3)) for n in m.threshold.names}
            want, got = m.threshold.run(Given(near)), ours.run(Given({n: near.get(v, NAN) for n, v in names.items()}))
            if want != got:
                result.wrong("thresholds", f"{m.name}: {ours.text}, not {m.threshold.text}: {near}")
                break
        result.thresholds += 1


class Given:
    def __init__(self, values):
        self.values = values

    def value(self, name):
        return self.values[name]
