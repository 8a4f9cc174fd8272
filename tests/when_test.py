#!/usr/bin/env python3
"""when_test.py TDTOP: `tdtop collect --when`: on the simulated core every phase that a rule is about is found, once, and nothing
else; a real process that works and sleeps in turns; what is kept, its mark and samples; --then; what goes wrong.
Ends with "when: N passed, N failed"."""
import json
import os
import re
import signal
import subprocess
import sys
import time

from lib import check, over, run, tdtop, tmp

os.chdir(tmp)


def stored(run_id):
    r = json.loads(run("export", run_id, "-j").stdout)
    r["labels"] = {one["key"]: one["value"] for one in r["labels"]}
    return r


def simulated():
    """Against the same seed's rows: a rule's own reading of them, made here once more."""
    seconds, limit, back, held = 900, 0.30, 0.27, 2
    rows = run("demo", "--batch", "-j", "-n", str(seconds), "--seed", "5", "--speed", "0").stdout.splitlines()
    value = [(r["nodes"]["DRAM_Bound"] or {}).get("value") for r in map(json.loads, rows) if "nodes" in r]
    want, over, calm, on, last = [], 0, 0, False, -1e9
    for at, v in enumerate(value, 1):
        over = over + 1 if v > limit and not on else 0
        calm = calm + 1 if v < back and on else 0
        if over >= held and at - last >= 60:
            want.append(at)
            on, over, last = True, 0, at
        if calm >= held:
            on, calm = False, 0
    begins = [i for i in range(1, len(value)) if value[i] > limit >= value[i - 1]]
    p = run("collect", "--demo", "--seed", "5", "-d", str(seconds), "--when", "DRAM_Bound > 30% for 2s", "--around", "20")
    ids = p.stdout.split()
    marks = []
    for i in ids:
        r = stored(i)
        marks += [m["t_ns"] / 1e9 for m in r["marks"] if m["name"] == "DRAM_Bound > 30% for 2s"]
        check("label and note", r["labels"].get("trigger") == "DRAM_Bound > 30% for 2s" and re.match(
            r"DRAM_Bound 3\d\.\d%.*> 30.0% for \d", r["note"]), (r["labels"].get("trigger"), r["note"]))
    found = [round(float(t)) for t in marks]
    check("simulated: enough to find", len(want) >= 3, want)
    check("simulated: each is found, and nothing else", sorted(set(found)) == want and p.returncode == 0, (want, found, p.stderr))
    check("simulated: in time", all(any(0 <= w - b <= held for b in begins) for w in want), (begins, want))
    check("simulated: how often is said", re.search(f"watched for 15:00: fired {len(want)} times", p.stderr), p.stderr)
    check("simulated: 20 s before and behind", all(35e9 < stored(i)["measured_ns"] <= 40.5e9 for i in ids if i != ids[-1]),
          [stored(i)["measured_ns"] for i in ids])


def beside_a_baseline():
    base = run("collect", "--demo", "--seed", "7", "-d", "20", "-L", "base=yes").stdout.strip()
    p = run("collect", "--demo", "--seed", "5", "-d", "300", "--when", "IPC:-25% for 5s", "--baseline", base)
    check("baseline: it fires", p.returncode == 0 and re.search(r"IPC \S+ ± \S+, < \S+ \(baseline \S+\) for 5 s", p.stderr), p.stderr)
    p = run("collect", "--demo", "--seed", "9", "-d", "20", "--when", "IPC:-10% for 3s", "--baseline", base)
    check("baseline: the same again does not", p.returncode == 0 and "never fired" in p.stderr and not p.stdout, p.stderr)


WORKS = """
import os, sys, time
def spin(until):
    while time.monotonic() < until:
        pass
for i in range(3):
    time.sleep(1.5)
    print("works", time.time(), flush=True)
    spin(time.monotonic() + 1.5)
time.sleep(1.5)
"""


def real():
    """CPU time of a process that works three times; the kernel tells it everywhere."""
    target = subprocess.Popen([sys.executable, "-c", WORKS], stdout=subprocess.PIPE, text=True)
    also = subprocess.Popen([tdtop, "collect", "-p", str(target.pid), "-I", "250", "--when", "CPUs_Utilized < 0.05 for 500ms every 20s",
                             "--around", "4", "--where", "off-cpu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p = run("collect", "-p", str(target.pid), "-I", "250", "--when", "CPUs_Utilized > 0.05 for 500ms every 1s", "--around", "1",
            "--where", "cpu-clock", "--then", f'echo "$TDTOP_METRIC $TDTOP_VALUE $TDTOP_RUN $TDTOP_PIDS $TDTOP_TIME" >>{tmp}/then')
    works = [float(line.split()[1]) for line in target.stdout]
    waits = also.communicate()
    target.wait()
    ids = p.stdout.split()
    check("real: three times", len(ids) == 3 and p.returncode == 0, p.stderr)
    for i in ids:
        d = json.loads(run("export", i, "-j").stdout)
        span, within = d["t1_ns"] - d["t0_ns"], [d["intervals"][0]["t0_ns"], d["intervals"][-1]["t1_ns"]]
        check("real: as long as its intervals", within == [d["t0_ns"], d["t1_ns"]] and span == d["ended_ns"] - d["begun_ns"], (span, within))
    facts = [line.split() for line in open(f"{tmp}/then")] if os.path.exists(f"{tmp}/then") else []
    check("real: --then knows what was found", sorted(f[2] for f in facts) == sorted(ids) and all(
        f[0] == "CPUs_Utilized" and 0.05 < float(f[1]) < 1.1 and f[3] == str(target.pid) for f in facts), facts)
    from datetime import datetime
    late = [datetime.fromisoformat(f[4]).timestamp() - w for f, w in zip(facts, works)]
    # An interval that holds a twentieth of work counts whole, so the first may have begun before it. Shorter ones, or more
    # work, are not always had beside other tests.
    check("real: in time", len(late) == 3 and all(0.25 < s < 1.2 for s in late), late)
    if "--where" in p.stderr:
        print("SKIP when: samples:", p.stderr.splitlines()[0])
        return
    hot = [run("where", i, "-j").stdout for i in ids]
    if "off-cpu" in waits[1]:
        print("SKIP when: waits:", waits[1].splitlines()[0])
    else:
        d = json.loads(run("where", waits[0].split()[0], "off-cpu", "-j").stdout)
        check("real: what it waits for then", d["asked"] == "off-cpu" and "sleep" in d["functions"][0]["name"] and
              0.5 < sum(f["weight"] for f in d["functions"]) / 1e9 < 4, str(d)[:500])
    check("real: the code of that time", all('"functions"' in h and "python" in h for h in hot), [h[:300] for h in hot])


def wrong():
    for words, args in {"neither > nor <": ["--when", "IPC"], "no metric Nope": ["--when", "Nope > 3"],
                        "goes with --when": ["--around", "5"], "leave out --every": ["--when", "IPC > 1", "--every", "5s"],
                        "no run": ["--when", "IPC:-5%", "--baseline", "ffff"]}.items():
        p = run("collect", "--demo", "-d", "5", *args)
        check(" ".join(args), p.returncode in (1, 2) and words in p.stderr and not p.stdout, (p.returncode, p.stderr))


def killed():
    """A store that cannot be written: the run is in a file; a signal: what is waited for is kept as it is."""
    p = subprocess.Popen([tdtop, "collect", "-I", "100", "--when", "CPUs_Utilized > 0.2 for 200ms", "--", "sh", "-c", "while :; do :; done"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = p.stderr.readline()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    check("signal: what is waited for is kept", "CPUs_Utilized" in line and len(out.split()) == 1, (line, out, err))
    os.mkdir(f"{tmp}/small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tdtop", f"{tmp}/small"], stderr=subprocess.DEVNULL).returncode:
        print("SKIP when: a full disk needs the right to mount a small one")
        return
    p = run("collect", "--demo", "--seed", "5", "-d", "900", "--when", "DRAM_Bound > 30% for 2s every 1s", "--db",
            f"{tmp}/small/runs.db")
    subprocess.run(["umount", f"{tmp}/small"])
    files = re.findall(r"the run is in (\S+);", p.stderr)
    check("no room in the store: files, and that is said", p.returncode == 1 and files and all(map(os.path.exists, files)), p.stderr)


simulated()
beside_a_baseline()
real()
wrong()
killed()
over("when")
