#!/usr/bin/env python3
"""no_memory.py TDTOP NO_MEMORY.SO [POINTS]: every verb that writes, with an allocation that fails.

POINTS allocations are tried of each (default 10, spread over all; 0: every one), each failing alone and with all
behind it. Held against a run without failures: exit 0 means the same output, byte for byte; anything else is said in
words; a file that was to be written is whole, or not there; nothing crashes.
"""
import os, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

tdtop, shim = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
points = int(sys.argv[3]) if len(sys.argv) > 3 else 10
only = sys.argv[4] if len(sys.argv) > 4 else ""
tmp = tempfile.mkdtemp(prefix="tdtop-no-memory-")
env = {"HOME": tmp, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ["PATH"], "TDTOP_DB": tmp + "/runs.db"}

# {out}: a file that is to be written; what changes the store gets a copy of it
VERBS = [
    "list -j", "list", "query @0 -j", "query @0", "query @0 --tree --csv", "compare @0 @1 -j", "compare @0 @1 --markdown",
    "history IPC -j", "history IPC", "db stats -j", "db check -j", "label @0 -j", "models spr -j", "models -j",
    "plan --model spr -j", "explain L3_Bound --model spr -j", "guide -j", "doctor -j",
    "export @0", "export @0 -o {out}.json", "export @0 -o {out}.csv", "export @0 -o {out}.md",
    "replay @0 -j", "replay @0 -j --summary -o {out}.rows", "demo -j -n 3 --speed 0", "demo -x , -n 3 --speed 0",
    "label @0 x=y", "rm @0 -j", "import {run} --db {new}", "import {perf} --db {new}", "collect --demo -n 3 --db {new}",
]
# Whose output has something new each time, or tells of the machine as it is at the moment: not compared.
VARIES = ("collect", "doctor", "import {perf}", "replay @0 -j --summary")


def run(words, folder, **more):
    new = folder + "/new.db"
    names = {"out": folder + "/out", "run": tmp + "/run.json", "perf": tmp + "/perf.csv", "new": new}
    e = dict(env, TMPDIR=folder, **more)
    if words.startswith(("label @0 x", "rm")):
        shutil.copy(tmp + "/runs.db", new)
        e["TDTOP_DB"] = new
    return subprocess.run([tdtop] + [w.format(**names) for w in words.split()], env=e, cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def files(folder):
    out = {}
    for f in sorted(os.listdir(folder)):
        if not f.startswith(("new.db", "count")):
            out[f] = open(folder + "/" + f, "rb").read()
    return out


def once(words, at, on, want):
    folder = tempfile.mkdtemp(dir=tmp)
    try:
        p = run(words, folder, LD_PRELOAD=shim, NO_MEMORY_AT=str(at), NO_MEMORY_ON=str(on))
        there = files(folder)
    except subprocess.TimeoutExpired:
        return "does not end"
    finally:
        shutil.rmtree(folder)
    if p.returncode < 0:
        return "signal %d" % -p.returncode
    if p.returncode != 0 and not p.stderr.strip():
        return "exit %d without a word" % p.returncode
    if words.startswith(VARIES):
        return None
    if p.returncode == 0 and p.stdout != want[0]:
        return "exit 0, and the output differs (%d bytes for %d)" % (len(p.stdout), len(want[0]))
    if p.returncode == 0 and there != want[1]:
        return "exit 0, and the file differs"
    if p.returncode != 0 and any(f not in want[1] or there[f] != want[1][f] for f in there):
        return "exit %d, and a file is left that is not whole: %s" % (p.returncode, sorted(there))
    return None


def verb(words):
    folder = tempfile.mkdtemp(dir=tmp)
    count = folder + "/count"
    p = run(words, folder, LD_PRELOAD=shim, NO_MEMORY_COUNT=count)
    if p.returncode != 0:
        return words, 0, ["without a failure: exit %d: %s" % (p.returncode, p.stderr.decode())]
    n = int(open(count).read())
    want = (p.stdout, files(folder))
    step = max(1, n / points) if points else 1
    tried, bad, at = 0, [], 1.0
    while at <= n:
        for on in (0, 1):
            tried += 1
            what = once(words, int(at), on, want)
            if what:
                bad.append("allocation %d of %d%s: %s" % (int(at), n, " and all behind it" if on else "", what))
        at += step
    return words, tried, bad


def main():
    for seed in "12":
        subprocess.run([tdtop, "collect", "--demo", "-d", "4s", "--seed", seed, "-L", "a=b"], env=env, check=True, capture_output=True)
    subprocess.run([tdtop, "export", "@0", "-o", tmp + "/run.json"], env=env, check=True)
    with open(tmp + "/perf.csv", "w") as f:
        f.write("# started on Thu Jan  1 10:00:00 2026\n\n")
        for i in (1, 2, 3):
            for name, v in (("slots", 1000), ("topdown-retiring", 300), ("topdown-bad-spec", 100), ("topdown-fe-bound", 200),
                            ("topdown-be-bound", 400), ("instructions", 250), ("cycles", 170)):
                f.write("%d.000000000,%d,,%s,1000000000,100.00,,\n" % (i, v * 1000000, name))
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for words, tried, bad in pool.map(verb, [v for v in VERBS if v.startswith(only)]):
            passed += not bad
            failed += bool(bad)
            if bad:
                print("FAILED: tdtop %s: %d of %d" % (words, len(bad), tried))
                for b in bad[:6]:
                    print("  | " + b)
            elif not points:
                print("tdtop %s: %d tried" % (words, tried))
    shutil.rmtree(tmp)
    print("memory: %d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
