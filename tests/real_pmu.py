"""tdtop against perf stat on the same process from its first to its last instruction, and the self-test
(see real_pmu_test.sh)."""
import json, os, subprocess, sys, tempfile, time

passed = failed = 0

# Waits for a line, so that both can attach; then always the same work.
WORKLOAD = """
import sys
sys.stdin.readline()
x = 1
for i in range(%d):
    x = (x * 48271 + (i if x & 1 else 7)) %% 2147483647
"""


def check(name, ok, words):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + name + ": " + words)


def metrics_of(events):
    """A file of metrics that are nothing but the counts."""
    return "".join(f'[metric.Count_{n}]\nformula = "{event}"\nsummary = "as counted"\n\n'
                   for n, event in enumerate(events))


def perf_counts(text):
    counts = {}
    for line in text.splitlines():
        f = line.split(";")
        if len(f) > 3 and f[0].replace(".", "").isdigit():
            counts[f[2].split(":")[0]] = float(f[0])
    return counts


def side_by_side(tdtop, model, pairs, rounds=6_000_000):
    """Counts of the same run: {perf's name: (tdtop's, perf's)}. pairs: perf's name -> the model's event."""
    env = dict(os.environ, LC_ALL="C")
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "count.toml"), "w") as f:
            f.write(metrics_of(pairs.values()))
        work = subprocess.Popen([sys.executable, "-c", WORKLOAD % rounds], stdin=subprocess.PIPE, text=True)
        time.sleep(0.3)  # its start is over, it waits
        ours = subprocess.Popen([tdtop, "-p", str(work.pid), "--model", model, "--metrics-dir", folder, "-I", "200", "-j",
                                 "--summary"], **pipes)
        perf = subprocess.Popen(["perf", "stat", "-x;", "-e", ",".join(pairs), "-p", str(work.pid)], **pipes)
        first = ours.stdout.readline()  # it is attached
        time.sleep(1)  # perf says nothing
        work.communicate("go\n")
        rest, complaint = ours.communicate(timeout=30)
        theirs = perf_counts(perf.communicate(timeout=30)[1])
    rows = [json.loads(line) for line in (first + rest).splitlines()]
    if not rows or not rows[-1].get("summary"):
        return {}, complaint.strip() or "no summary"
    nodes = rows[-1]["nodes"]
    return {name: (nodes[f"Count_{n}"]["value"], theirs.get(name)) for n, name in enumerate(pairs)}, ""


def compare(tdtop, model, pairs, share=0.01):
    counts, complaint = side_by_side(tdtop, model, pairs)
    for name in pairs:
        a, b = counts.get(name, (None, None))
        if b is None or a is None:
            check(name, False, f"tdtop {a}, perf {b} {complaint}")
        else:
            check(name, abs(a - b) <= share * b, f"tdtop {a:.0f}, perf {b:.0f} ({100 * (a / b - 1) if b else 0:+.3f} %)")


def selftest(tdtop):
    done = subprocess.run([tdtop, "selftest", "-j"], capture_output=True, text=True, timeout=300)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        check("selftest", False, f"exit {done.returncode}: {done.stderr.strip()}")
        return
    check("the model counts what perf counts", result["model"] != "software", result["why"])
    for k in result["kernels"]:
        words = k["measured"] or k["why"]
        # With a PMU that counts, a value that is not known is a mistake of somebody's.
        if k["verdict"] == "skipped" and "is not known" not in k["why"]:
            print(f"SKIP    selftest {k['kernel']}: {k['why']}")
        else:
            check("selftest " + k["kernel"], k["verdict"] == "ok", f"{words}; expected: {k['expected']}")
    expected = 1 if result["NOT"] else 0 if result["ok"] else 2
    check("selftest's exit code", done.returncode == expected, str(done.returncode))


def main():
    tdtop = sys.argv[1]
    compare(tdtop, "generic", {"cycles": "cycles", "instructions": "instructions", "branches": "branches"})
    selftest(tdtop)
    print(f"realpmu: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
