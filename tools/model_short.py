#!/usr/bin/env python3
"""Model files as short as `extends` makes them (docs/MODELS.md).

usage: model_short.py FOLDER [NAME...]    rewrites FOLDER/NAME.toml, all that BASES has

A model that is written here says only what differs from its base. The generators write whole models;
run this after them. The result is read back by model_whole.awk and held against what it was made of.
"""
import os
import subprocess
import sys

BASES = {
    "adl-glc": "spr", "arl-cmt": "mtl-cmt", "arl-lnc": "lnl-lnc", "arl-skt": "lnl-skt", "neoverse-v1": "arm-sbsa",
    "bdw": "hsw", "bdw-de": "bdw", "bdx": "hsx", "clx": "skx", "cwf": "srf", "ehl": "snr", "emr": "spr", "glm": "glp",
    "gnr": "spr", "hsx": "hsw", "icx": "icl", "ivb": "hsw", "ivt": "ivb", "lnl-lnc": "mtl-rwc",
    "lnl-skt": "mtl-cmt", "mtl-cmt": "adl-grt", "mtl-rwc": "adl-glc", "neoverse-n1": "arm-sbsa",
    "neoverse-n2-r0p0": "neoverse-n2-r0p3", "neoverse-n2-r0p1": "neoverse-n2-r0p0", "neoverse-n2-r0p2": "neoverse-n2-r0p0",
    "neoverse-n2-r0p3": "neoverse-v1", "neoverse-n3": "neoverse-v3", "neoverse-v2": "neoverse-n2-r0p3",
    "neoverse-v3": "neoverse-v2", "ptl-cgc": "lnl-lnc", "ptl-dkt": "lnl-skt", "rkl": "icl", "skx": "skl", "snb": "jkt",
    "spr-hbm": "spr", "srf": "grr", "tgl": "icl", "zen2": "zen1", "zen3": "zen2", "zen6": "zen5",
}
KINDS = ("node", "bottleneck", "metric")
HERE = os.path.dirname(os.path.abspath(__file__))


class Model:
    """head and lines: {section: {key: line}}; tables: {"node.X": lines}; comments before a line or table go with it."""

    def __init__(self, text):
        self.top, self.head, self.lines, self.tables, self.notes = [], {}, {"event": {}, "latency": {}}, {}, {}
        section, comment, quoted = "head", [], False
        for line in text.splitlines():
            if quoted:
                self.tables[section].append(line)
                quoted = "'''" not in line
            elif line.startswith("#"):
                comment.append(line)
            elif not line.strip():
                if section == "head" and not self.head:
                    self.top, comment = self.top + comment, []
            elif line.startswith("["):
                section = line[1:-1]
                if "." in section:
                    self.tables[section] = comment + [line]
                    comment = []
                else:
                    comment = []
            else:
                key, value = line.split(" = ", 1)
                if section == "head":
                    self.top, comment = self.top + comment, []
                    self.head[key] = value
                elif section in self.lines:
                    if comment:
                        self.notes[section, key] = comment
                    self.lines[section][key] = line
                    comment = []
                else:
                    self.tables[section] += comment + [line]
                    comment = []
                    quoted = value.startswith("'''") and "'''" not in value[3:]


def facts(lines):
    return [line for line in lines if not line.startswith("#")]


def kind(name):
    return name.split(".")[0]


def placed(names, base, own):
    """Where tables of one kind are that `own` writes: {table: name that `after` says, or None}; and the order that gives."""
    order, written, last_new = [n for n in base if n in own], {}, None
    keep = set(longest_common(order, [n for n in own if n in base]))
    for before, name in zip([None] + own, own):
        if name in keep:
            if name in names:
                written[name] = last_new = None
            continue
        if name in order:
            order.remove(name)
        default = last_new or (order[-1] if order else None)
        at_default = before == default and name not in base
        written[name] = None if at_default else before.split(".")[1] if before else ""
        order.insert(order.index(before) + 1 if before else 0, name)
        last_new = name
    return written, order


def longest_common(a, b):
    """The longest row of names that both have in this order (patience: positions of b in a, longest increasing)."""
    import bisect
    at = {n: i for i, n in enumerate(a)}
    tails, links, ends = [], {}, []
    for n in b:
        i = bisect.bisect_left(tails, at[n])
        links[n] = ends[i - 1] if i else None
        tails[i:i + 1] = [at[n]]
        ends[i:i + 1] = [n]
    row, n = [], ends[-1] if ends else None
    while n:
        row.append(n)
        n = links[n]
    return row[::-1]


def shorten(text, base_name, base_text):
    own, base = Model(text), Model(base_text)
    out = list(own.top)
    out.append(f'extends = "{base_name}"')
    for key, value in own.head.items():
        if key in ("name", "title", "match") or base.head.get(key) != value:
            out.append(f"{key} = {value}")
    gone = [n.split(".")[1] for n in base.tables if n not in own.tables]
    if gone:
        out.append("without = [" + ", ".join(f'"{n}"' for n in gone) + "]")
    for key in base.head:
        if key not in own.head and key != "match":
            raise SystemExit(f"{own.head['name']}: its base has '{key}', which cannot be taken back")
    for section, lines in own.lines.items():
        changed = [(k, v) for k, v in lines.items() if base.lines[section].get(k) != v]
        if not changed:
            continue
        out += ["", f"[{section}]"]
        for key, line in changed:
            out += [line]
    differ = {n for n, t in own.tables.items() if n not in base.tables or facts(t) != facts(base.tables[n])}
    written = {}
    for k in KINDS:
        tables = [[n for n in m.tables if kind(n) == k] for m in (base, own)]
        after, order = placed(differ, *tables)
        assert order == tables[1], "order"
        written.update(after)
    for name, after in written.items():
        lines = own.tables[name]
        head = next(i for i, line in enumerate(lines) if line.startswith("["))
        out += [""] + lines[:head + 1] + ([f'after = "{after}"'] if after is not None else []) + lines[head + 1:]
    return "\n".join(out) + "\n"


def whole(folder, name):
    return subprocess.run(["awk", "-f", f"{HERE}/model_whole.awk", f"{folder}/{name}.toml"], check=True,
                          capture_output=True, text=True).stdout


def same(now, then):
    """Events of the base that no formula names do no harm."""
    now, then = Model(now), Model(then)
    lines = all(now.lines[s].get(k) == v for s in then.lines for k, v in then.lines[s].items())
    rows = [[(n, facts(m.tables[n])) for k in KINDS for n in m.tables if kind(n) == k] for m in (now, then)]
    return now.head == then.head and lines and rows[0] == rows[1]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, names = sys.argv[1], sys.argv[2:] or sorted(BASES)
    before = {n[:-5]: whole(folder, n[:-5]) for n in os.listdir(folder) if n.endswith(".toml")}
    for name in names:
        path = f"{folder}/{name}.toml"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "\nextends = " in text:
            continue
        short = shorten(text, BASES[name], before[BASES[name]])
        with open(path, "w", encoding="utf-8") as file:
            file.write(short)
    for name in before:
        if not same(whole(folder, name), before[name]):
            sys.exit(f"{folder}/{name}.toml: reads otherwise than before")


if __name__ == "__main__":
    main()
