"""Shares of functions of known size, and what comes and goes (see where_test.sh). Writes "passed failed" to TMP/sums."""
import collections, json, math, os, re, shutil, subprocess, sys, time

TDTOP, TMP = sys.argv[1:3]
SECONDS = int(os.environ.get("WHERE_SECONDS", "4"))
PROG = f"{TMP}/prog"
passed = failed = 0


def check(name, ok, words=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + f"{name}: {words}")


def symbols(path):
    """(offset in the file, size, name), of code. The program's code is mapped where it lies in the file (-z separate-code)."""
    out = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True).stdout
    rows = [l.split() for l in out.splitlines()]
    load = [l.split() for l in subprocess.run(["readelf", "-lW", path], capture_output=True, text=True).stdout.splitlines()]
    segment = [(int(f[2], 16), int(f[1], 16), int(f[4], 16)) for f in load if f and f[0] == "LOAD"]
    place = lambda v: next((v - a + o for a, o, n in segment if a <= v < a + n), v)
    return [(place(int(r[0], 16)), int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in "tT"]


SYMBOLS = symbols(PROG)
NAMES = {name for _, _, name in SYMBOLS}


def name_of(offset):
    return next((n for at, size, n in SYMBOLS if at <= offset < at + size), None)


def where(*words):
    out = subprocess.run([TDTOP, "where", "-j", *words], capture_output=True, text=True)
    if out.returncode:
        print(out.stderr)
        return {"functions": [], "threads": [], "samples": 0}
    return json.loads(out.stdout)


def by_function(d, path=PROG):
    sums = collections.Counter()
    for f in d["functions"]:
        sums[(name_of(int(f["offset"], 16)) if f["file"] == path else None) or "other"] += f["samples"]
    return sums


def start(*words, path=PROG):
    p = subprocess.Popen([path, *map(str, words)])
    time.sleep(0.2)
    return p


def end(p):
    p.kill()
    p.wait()


def z_of(k, n, p):
    """How many standard deviations k of n is from a share of p."""
    return abs(k - n * p) / math.sqrt(n * p * (1 - p) or 1)


def known_shares(name, d, shares, path=PROG):
    """Within 4 deviations and a percent: loops are not the whole of their functions' time."""
    sums = by_function(d, path)
    n = sum(sums.values())
    for function, p in shares.items():
        k = sums[function]
        off = max(0, abs(k - n * p) - 0.01 * n)
        check(f"{name}: {function}", n > 100 and off <= 4 * math.sqrt(n * p * (1 - p)), f"{k} of {n}, {100 * p:.0f} % is right")


SHARES = {"seventy": 0.7, "twenty": 0.2, "ten": 0.1}


def intervals(d):
    """The interval of each row holds its share and is as wide as that many samples make it."""
    n, bad = d["effective_samples"], []
    for f in d["functions"]:
        if f["samples"] < 10:
            bad += [f] if f["share"] is not None or f["low"] is not None else []
        elif not (f["low"] <= f["share"] <= f["high"] and 0.5 < (f["high"] - f["low"]) / (2 * 1.96 * math.sqrt(
                max(f["share"] * (1 - f["share"]), 1e-4) / n)) < 2):
            bad.append(f)
    check("intervals", not bad and d["functions"], f"{len(d['functions'])} rows {bad[:1]}")


# ---- against perf ----

def perf_stacks(path):
    """Of each sample its places, the callers' as perf script prints them: (file, offset) with -F ip,sym,symoff,dso."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym,symoff,dso"], capture_output=True, text=True).stdout
    for block in re.split(r"\n\s*\n", text):
        frames = re.findall(r"^\s*([0-9a-f]+) (.*) \((.*)\)$", block, re.M)
        if frames:
            yield [(dso, re.sub(r"\+0x[0-9a-f]+$", "", sym), sym) for ip, sym, dso in frames]


def our_stacks(path):
    """The program's functions of each stack, from folded lines."""
    for line in open(path):
        stack, n = line.rstrip("\n").rsplit(" ", 1)
        yield tuple(f for f in reversed(stack.split(";")[1:]) if f in NAMES), int(n)


def against_perf():
    if not shutil.which("perf"):
        print("SKIP where_test: perf is not installed")
        return
    p = start(SECONDS + 6)
    data, folded = f"{TMP}/perf.data", f"{TMP}/perf.folded"
    perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", data, "-p", str(p.pid), "--", "sleep",
                             str(SECONDS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    d = where("-p", str(p.pid), "-d", f"{SECONDS}s", "--user")
    rc = perf.wait()
    end(p)
    theirs = list(perf_stacks(data)) if rc == 0 else []
    if not theirs:
        print("SKIP where_test: perf record makes no samples here")
        return
    user = [s for s in theirs if not s[0][0].startswith("[")]
    k_perf = collections.Counter(s[0][1] for s in user if s[0][0] == PROG)
    ours, n, m = by_function(d), d["samples"], len(user)
    for f in SHARES:
        a, b = ours[f] / n, k_perf[f] / m
        allowed = 4 * math.sqrt(b * (1 - b) * (1 / n + 1 / m)) + 0.005
        check(f"perf: {f}", abs(a - b) <= allowed, f"{100 * a:.1f} % of {n}, perf {100 * b:.1f} % of {m}")
    # Places: function + offset of each that perf saw often.
    start_of = {name: at for at, _, name in SYMBOLS}
    k_place = collections.Counter(start_of[s[0][1]] + int(s[0][2].rsplit("+", 1)[1], 16) for s in user
                                  if s[0][0] == PROG and s[0][1] in start_of and "+" in s[0][2])
    have = {int(p["offset"], 16): p["samples"] for f in d["functions"] if f["file"] == PROG for p in f["places"]}
    often = [at for at, k in k_place.items() if k >= 0.01 * m]
    off = [hex(at) for at in often if abs(have.get(at, 0) / n - k_place[at] / m) >
           5 * math.sqrt(k_place[at] / m * (1 / n + 1 / m)) + 0.01]
    check("perf: places", often and not off, f"{len(often)} that perf saw often; off: {off}")
    # Stacks, of a run of its own, because -j and --folded exclude each other.
    p = start(SECONDS + 6)
    perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "-g", "-o", data, "-p", str(p.pid), "--", "sleep",
                             str(SECONDS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([TDTOP, "where", "-p", str(p.pid), "-d", f"{SECONDS}s", "--user", "-o", folded], stdout=subprocess.DEVNULL)
    perf.wait()
    end(p)
    a, b = collections.Counter(), collections.Counter()
    for frames, k in our_stacks(folded):
        a[frames] += k
    for s in perf_stacks(data):
        b[tuple(sym for dso, sym, _ in s if dso == PROG)] += 1
    n, m = sum(a.values()), sum(b.values())
    often = [s for s in set(a) | set(b) if a[s] + b[s] >= 0.02 * (n + m)]
    off = [(s, a[s], b[s]) for s in often if abs(a[s] / n - b[s] / m) > 5 * math.sqrt((a[s] + b[s]) / (n + m) * (1 / n + 1 / m)) + 0.01]
    check("perf: stacks", often and not off, f"{len(often)} stacks of {n} and {m} samples; off: {off}")
    check("stacks are whole", any(s[:4] == ("seventy", "inner", "outer", "main") for s in a), f"{a.most_common(1)}")


# ---- what comes and goes ----

def alone():
    p = start(SECONDS + 4)
    d = where("-p", str(p.pid), "-d", f"{SECONDS}s")
    end(p)
    known_shares("attached", d, SHARES)
    intervals(d)
    check("nothing is lost", d.get("lost") == 0 and d.get("unknown_samples", 1) <= 0.01 * d["samples"], f"{d.get('unknown_samples')} unknown")
    check("cost", d.get("cpu_s", 1) < 0.01 * SECONDS + 0.02, f"{1e3 * d.get('cpu_s', 1):.1f} ms of CPU time in {SECONDS} s")


def command():
    d = where("-d", "30s", "--", PROG, "2")
    known_shares("command", d, SHARES)
    check("it ends with its command", d.get("seconds", 99) < 10, f"{d.get('seconds')} s")
    d = where("-d", "30s", "--", "/bin/sh", "-c", f"{PROG} 2; true")
    known_shares("command of a shell", d, SHARES)
    d = where("-d", "30s", "--", PROG, "2", "fork")
    known_shares("forked", d, SHARES)
    check("the child is named", any(t["name"] == "prog" for t in d["threads"]), f"{d['threads']}")


def late_thread():
    p = start(SECONDS + 5, "late")
    d = where("-p", str(p.pid), "-d", f"{SECONDS}s")
    end(p)
    sums = by_function(d)
    check("a thread that begins later", len(d["threads"]) == 2 and sums["in_a_thread"] > 50, f"{d['threads']} {dict(sums)}")


def ends():
    p = start(1.5)
    begin = time.time()
    d = where("-p", str(p.pid), "-d", "30s")
    p.wait()
    check("a process that ends", time.time() - begin < 6 and d["samples"] > 100, f"{d['samples']} samples, {time.time() - begin:.1f} s")


def deleted():
    path = f"{TMP}/gone"
    shutil.copy(PROG, path)
    p = start(SECONDS + 4, path=path)
    os.remove(path)
    d = where("-p", str(p.pid), "-d", "2s")
    known_shares("deleted", d, SHARES, path)
    check("a deleted file", any(f["file"] == path and f["deleted"] for f in d["functions"]), f"{d['functions'][:1]}")
    # Another file takes its name: two files, not one.
    shutil.copy("/bin/sleep", path)
    other = start("20", path=path)
    p2 = start(SECONDS + 4)
    d = where("-p", f"{p.pid},{p2.pid}", "-d", "1s")
    for x in (p, p2, other):
        end(x)
    files = {f["file"] for f in d["functions"] if f["samples"] >= 10}
    check("one program is one file, whatever it is called", len(files & {path, PROG}) == 1, f"{files}")


alone()
command()
late_thread()
ends()
deleted()
against_perf()
with open(f"{TMP}/sums", "w") as f:
    f.write(f"{passed} {failed}")
