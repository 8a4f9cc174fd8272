#!/usr/bin/env python3
"""Samples of events with known shares (tests/known.c, rates/where).

  where.py rates RATES PROGRAM           RATES with addresses in place of its at=NAME, and branch, data, calls NAME
  where.py check RATES [QUESTION]...     holds the guest's output on standard input against what is known
  where.py branches RATES [CONFIG:CONFIG1|none]...    likewise, of tables of branches
  where.py accesses RATES PROGRAM EVENT   likewise, of --accesses -j: sources, latencies, lines, who shares them
  where.py calls                          likewise, of --folded: stacks by the CPU's own records
  where.py all PMU:CONFIG:CONFIG1:PRECISE    of one question: each sample of the kernel is there or said to be lost
  where.py lost PMU:CONFIG:CONFIG1:PRECISE   likewise, and some are lost
A QUESTION is NODE:EVENT:PRECISION:CONFIG:CONFIG1:PRECISE[:PMU:CPU], in the order of the lines `{...}` of `tdtop where -j`.
Before the first and behind each of them the guest prints what the kernel has sampled so far: the module's parameter "samples", in lines
"sampled PMU CONFIG CONFIG1 PRECISE N".
"""

import json
import re
import subprocess
import sys

TIME = {"walk": 0.1, "jump": 0.2, "fetch": 0.3, "plain": 0.4}
OFF = 0.01  # as exactly as known.c keeps these on a CPU that is emulated


def rates(path, program):
    out = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
    at = {f[3]: (int(f[0], 16), int(f[0], 16) + int(f[1], 16)) for f in map(str.split, out.splitlines()) if len(f) == 4}
    begin_end = lambda m: m[1] + f"{at[m[2]][0]:#x}-{at[m[2]][1]:#x}"
    for line in open(path):
        line = re.sub(r"(\bat=)(\w+)", begin_end, line.split("#")[0].rstrip())
        line = re.sub(r"^((?:branch|data|calls) )(\w+)", begin_end, line)
        print(re.sub(r"&(\w+)(?:\+(\d+))?", lambda m: f"{at[m[1]][0] + int(m[2] or 0):#x}", line))


def known(path, config, config1, cpu=None):
    """Shares of an event by function."""
    weight = dict.fromkeys(TIME, 0.0)
    for line in open(path):
        word = line.split("#")[0].split()
        if not word or not word[0].startswith("0x"):
            continue
        code, _, one = word[0].partition(":")
        more = dict(w.split("=") for w in word[2:])
        if int(code, 16) != config or (one and int(one, 16) != config1) or more.get("cpu", cpu) != cpu:
            continue
        for name in [more["at"]] if "at" in more else TIME:
            weight[name] = TIME[name] * float(word[1])
    return {name: w / sum(weight.values()) for name, w in weight.items()}


def known_branches(path, weight):
    """(from, to): share of the mispredicted ones, rate, cycles; functions are as often in samples as weight says."""
    rows, n = {}, {}
    for line in open(path):
        word = line.split("#")[0].split()
        if word and word[0] == "branch":
            rows[tuple(w.replace("&", "") for w in word[2:4])] = word[1], int(word[4]) / 1000, int(word[5])
            n[word[1]] = n.get(word[1], 0) + 1
    missed = {key: weight[f] / n[f] * rate for key, (f, rate, _) in rows.items()}
    return {k: (missed[k] / sum(missed.values()), rate, cycles) for k, (f, rate, cycles) in rows.items() if weight[f]}


class Check:
    def __init__(self):
        self.wrong, self.n, self.outside = [], 0, 0

    def fail(self, text):
        self.wrong.append(text)

    def shares(self, what, d, want):
        """Within the interval; not all of 20 are, but none is off by three of them. Fewer samples have wider ones."""
        rows = {f["name"]: f for f in d["functions"]}
        if d["samples"] < 100:
            self.fail(f"{what}: {d['samples']} samples only")
        for name, p in want.items():
            f = rows.get(name, {"share": 0, "low": 0, "high": 0, "samples": 0})
            share, low, high = (f[k] or 0 for k in ("share", "low", "high"))
            self.n += p > 0
            self.outside += p > 0 and not low - OFF <= p <= high + OFF
            if p and not share - 3 * (share - low) - OFF <= p <= share + 3 * (high - share) + OFF:
                self.fail(f"{what}: {name} is {100 * share:.1f}% ({100 * low:.1f} - {100 * high:.1f}), not {100 * p:.1f}%")
            if not p and share > 0.01:
                self.fail(f"{what}: {name} has {100 * share:.1f} %, and no event happens there")

    def ratio(self, what, value, low, high, want, off):
        if value is None:
            self.fail(f"{what} is not known")
            return
        self.n += 1
        self.outside += not low - off <= want <= high + off
        if not value - 3 * (value - low) - off <= want <= value + 3 * (high - value) + off:
            self.fail(f"{what} is {100 * value:.2f}% ({100 * low:.2f} - {100 * high:.2f}), not {100 * want:.2f}%")

    def branches(self, what, d, want):
        place = lambda b: b["name"] + (f"+{b['at']}" if b["at"] else "")
        rows = {(place(b["from"]), place(b["to"])): b for b in d["branches"]}
        if sorted(rows) != sorted(want):
            self.fail(f"{what}: branches {sorted(rows)}, not {sorted(want)}")
            return
        for key, (share, rate, cycles) in want.items():
            b, name = rows[key], f"{what}: {' > '.join(key)}"
            self.ratio(f"{name}: its share", b["share"], b["share_low"], b["share_high"], share, OFF)
            self.ratio(f"{name}: mispredicted", b["rate"], b["rate_low"], b["rate_high"], rate, 0)
            if b["cycles"] != cycles:
                self.fail(f"{name}: {b['cycles']} cycles, not {cycles}")
        for sum_of in "taken", "mispredicted":
            if d[sum_of] != sum(b[sum_of] for b in rows.values()):
                self.fail(f"{what}: {sum_of} is not the sum of the rows")

    def all_said(self, what, d, n):
        """Records that are no samples may be lost, too."""
        said = d["samples"] + d["lost"]
        if n != said and not (d["lost"] and n <= said <= n + 0.01 * n):
            self.fail(f"{what}: the kernel took {n} samples; {d['samples']} are there and {d['lost']} are said to be lost")

    def end(self):
        if self.outside > max(2, 0.2 * self.n):
            self.fail(f"{self.outside} of {self.n} shares are not in their intervals")
        sys.exit("\n".join(self.wrong))


def answers(stream):
    """(the JSON, what the kernel sampled meanwhile) of each question; of those of one run the same."""
    before, out, meanwhile = {}, [], None
    for line in stream:
        if line.startswith("{"):
            meanwhile = {} if meanwhile is None else meanwhile
            out.append((json.loads(line), meanwhile))
        elif line.startswith("sampled "):
            *key, n = line.split()[1:]
            key = tuple(key)
            if out and int(n) > before.get(key, 0):
                out[-1][1][key] = int(n) - before.get(key, 0)
            before[key], meanwhile = int(n), None
    return out


def check(path, questions):
    c, got = Check(), answers(sys.stdin)
    if len(got) != len(questions):
        c.fail(f"{len(got)} answers to {len(questions)} questions")
    for question, (d, sampled) in zip(questions, got):
        node, event, precision, config, config1, precise, pmu, cpu = (question.split(":") + ["cpu", None])[:8]
        sampled = {key: n for key, n in sampled.items() if key[0] == pmu}
        e = d["events"][0]
        if (e["event"], e["precision"]) != (event, precision):
            c.fail(f"{node}: {e['event']}, {e['precision']}; not {event}, {precision}")
        if precise != "0":  # the module's samples are up to a millisecond late then
            c.shares(f"{node} ({event})", d, known(path, int(config, 16), int(config1, 16), cpu))
        if [(k[0], k[1], k[2], k[3]) for k in sampled] != [(pmu, config, config1, precise)]:
            c.fail(f"{node}: the kernel sampled {sampled}")
        c.all_said(node, d, sum(sampled.values()))
        exact = d["samples"] if precise != "0" else 0
        if d["exact_samples"] != exact:
            c.fail(f"{node}: {d['exact_samples']} of {d['samples']} samples say that they are exact, not {exact}")
    c.end()


def branches(path, questions):
    """QUESTION: CONFIG:CONFIG1, of the event that is sampled; `none` where there are no records."""
    c, got = Check(), answers(sys.stdin)
    if len(got) != len(questions):
        c.fail(f"{len(got)} answers to {len(questions)} questions")
    for question, (d, sampled) in zip(questions, got):
        if question == "none":
            if "branches" in d or not d.get("no_branches") or d["samples"] < 100:
                c.fail(f"without records: {d['samples']} samples, {d.get('no_branches')}")
            continue
        config, config1 = (int(w, 16) for w in question.split(":"))
        c.branches(question, d, known_branches(path, known(path, config, config1)))
        if not all("branches" in key for key in sampled):
            c.fail(f"{question}: the kernel sampled {sampled}")
        c.all_said(question, d, sum(sampled.values()))
    c.end()


SOURCES = {0x1a00000002: "DRAM", 0x600000002: "L3", 0x600800002: "other core", 0x200000002: "L1"}


def symbols(program):
    out = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return {f[2]: int(f[0], 16) for f in map(str.split, out.splitlines()) if len(f) == 3}


def accesses(path, program, event):
    """They happen everywhere alike: shares are those of the time. Of cycles not all are accesses."""
    c, got, at = Check(), answers(sys.stdin), symbols(program)
    rows = [w for w in (line.split("#")[0].split() for line in open(path)) if w and w[0] == "data"]
    per = {f: sum(r[1] == f for r in rows) for f in TIME}
    want, cycles = {}, {}
    for _, f, _, _, took, source, *_ in rows:
        name = SOURCES[int(source, 16)]
        want[name] = want.get(name, 0) + TIME[f] / per[f]
        cycles.setdefault(name, []).append((TIME[f] / per[f], int(took)))
    if len(got) != 1:
        sys.exit(f"{len(got)} answers")
    d, sampled = got[0]
    some = event == "cycles" and d["accesses"] < d["samples"] or d["accesses"] == d["samples"]
    if d["events"][0]["event"] != event or not some or d["accesses"] < 300:
        c.fail(f"{d['events'][0]['event']}: {d['accesses']} of {d['samples']} samples have an address")
    said = {s["source"]: s for s in d["sources"]}
    for name in set(want) | set(said):
        s = said.get(name, {"share": 0, "low": 0, "high": 0, "cycles": None})
        c.ratio(f"from {name or 'nowhere'}", s["share"], s["low"], s["high"], want.get(name, 0), OFF)
        if name in want:
            mean = sum(w * t for w, t in cycles[name]) / want[name]
            if s["cycles"] is None or abs(s["cycles"] - mean) > 0.05 * mean:
                c.fail(f"{name}: {s['cycles']} cycles, not {mean:.1f}")
    lines = {int(line["line"], 16): line for line in d["cache_lines"]}
    for name, share, sharing, function in (("counters", 0.2, "false sharing", "jump"), ("shared", 0.3, "shared", "fetch")):
        line = lines.get(at[name], {"share": 0, "low": 0, "high": 0, "threads": 0, "sharing": "", "function": ""})
        c.ratio(f"the line of {name}", line["share"], line["low"], line["high"], share, OFF)
        if (line["threads"], line["sharing"], line["function"]) != (2, sharing, function):
            c.fail(f"the line of {name}: {line['threads']} threads, {line['sharing']}, {line['function']}")
    wrong = [hex(a) for a, line in lines.items() if line["sharing"] == "false sharing" and a != at["counters"]]
    if wrong:
        c.fail(f"false sharing is said of {wrong}")
    table = [a for a in lines if at["table"] <= a < at["table"] + 4096]
    if len(table) != 64:
        c.fail(f"{len(table)} lines of the table, not 64")
    c.all_said(event, d, sum(sampled.values()))
    c.end()


def calls():
    """The program has no frame pointers; what called walk and jump is what the records say."""
    c, n = Check(), {}
    for line in sys.stdin:
        stack, _, count = line.rstrip().rpartition(" ")
        frames = stack.split(";")
        if count.isdigit() and len(frames) > 1:
            key = frames[-1], ";".join(frames[1:-1])
            n[key] = n.get(key, 0) + int(count)
    for function, want in (("walk", "outer;middle"), ("jump", "outer")):
        all_of = sum(v for (f, _), v in n.items() if f == function)
        if all_of < 30 or n.get((function, want), 0) < 0.95 * all_of:
            c.fail(f"{function} has {all_of} samples, {n.get((function, want), 0)} of them called by {want}; others: {sorted(n.items(), key=lambda i: -i[1])[:5]}")
    c.end()


def lost(key, some):
    c, got = Check(), answers(sys.stdin)
    for d, sampled in got:
        c.all_said(key, d, sampled.get(tuple(key.split(":")), 0))
        if some and not d["lost"]:
            c.fail(f"nothing was lost of {sampled}")
        if d["samples"] < 300:
            c.fail(f"{d['samples']} samples only")
    if len(got) != 1:
        c.fail(f"{len(got)} answers")
    c.end()


def main():
    if sys.argv[1] == "rates":
        rates(*sys.argv[2:4])
    elif sys.argv[1] in ("all", "lost"):
        lost(sys.argv[2], sys.argv[1] == "lost")
    elif sys.argv[1] == "accesses":
        accesses(*sys.argv[2:5])
    elif sys.argv[1] == "calls":
        calls()
    elif sys.argv[1] == "branches":
        branches(sys.argv[2], sys.argv[3:])
    else:
        check(sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    main()
