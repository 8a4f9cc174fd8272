"""tdtop against perf stat on the same process over the same seconds (see real_test.sh)."""
import json, os, socket, subprocess, sys, tempfile, time

TDTOP = sys.argv[1]
SECONDS = int(os.environ.get("REAL_SECONDS", "4"))
EVENTS = "task-clock,context-switches,cpu-migrations,page-faults"
passed = failed = 0


def check(name, ok, words):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + name + ": " + words)


def tdtop_sums(rows):
    """Counts over the run, from the rates of each interval."""
    v = lambda r, n: (r["nodes"][n]["value"] or 0) * r["dt"]
    return {"task-clock": sum(v(r, "CPUs_Utilized") for r in rows) * 1e3,
            "context-switches": sum(v(r, "Context_Switches_Per_S") for r in rows),
            "cpu-migrations": sum(v(r, "Migrations_Per_S") for r in rows),
            "page-faults": sum(v(r, "Minor_Faults_Per_S") + v(r, "Major_Faults_Per_S") for r in rows)}


def compare(name, pid):
    env = dict(os.environ, LC_ALL="C")
    t = subprocess.Popen([TDTOP, "-p", str(pid), "--model", "software", "-I", "250", "-d", f"{SECONDS}s", "-j"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    p = subprocess.Popen(["perf", "stat", "-x;", "-e", EVENTS, "-p", str(pid), "--", "sleep", str(SECONDS)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    rows = [json.loads(l) for l in t.communicate()[0].splitlines()]
    perf = {}
    for line in p.communicate()[1].splitlines():
        f = line.split(";")
        if len(f) > 3:
            perf[f[2].split(":")[0]] = float(f[0])
    if not rows or len(perf) < 4:
        check(name, False, f"no rows ({len(rows)}) or no perf counts ({perf})")
        return
    ours = tdtop_sums(rows)
    covered = sum(r["dt"] for r in rows)
    check(name + " covers the time", abs(covered - SECONDS) < 0.3, f"{covered:.2f} of {SECONDS} s")
    # Two programs never start at the same instant: allow 1 % of the clock plus 30 ms of start, and for the
    # other counts the events of one interval.
    a, b = ours["task-clock"], perf["task-clock"]
    check(name + " task-clock", abs(a - b) <= 0.01 * b + 30, f"{a:.1f} ms, perf {b:.1f} ms ({100 * (a / b - 1):+.2f} %)")
    for e in EVENTS.split(",")[1:]:
        slack = max(perf[e], ours[e]) / len(rows) * 1.5 + 5
        check(name + " " + e, abs(ours[e] - perf[e]) <= slack, f"{ours[e]:.0f}, perf {perf[e]:.0f}, allowed {slack:.0f}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def redis():
    with tempfile.TemporaryDirectory() as d:
        port = free_port()
        server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", d],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench = None
        try:
            for _ in range(100):
                if subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True, text=True).stdout.strip() == "PONG":
                    break
                time.sleep(0.05)
            bench = subprocess.Popen(["redis-benchmark", "-p", str(port), "-c", "20", "-n", "100000000", "-t", "get,set", "-q"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            compare("redis", server.pid)
        finally:
            for p in (bench, server):
                if p:
                    p.kill()
                    p.wait()


# A thread is born every millisecond and lives a few: none may be lost, none counted twice.
CHURN = """
import threading, time
def work():
    end = time.thread_time() + 0.003
    while time.thread_time() < end: pass
while True:
    threading.Thread(target=work).start()
    time.sleep(0.001)
"""


def churn():
    p = subprocess.Popen([sys.executable, "-c", CHURN])
    try:
        time.sleep(0.5)
        compare("threads come and go", p.pid)
    finally:
        p.kill()
        p.wait()


redis()
churn()
print(f"real: {passed} passed, {failed} failed")
sys.exit(failed > 0)
