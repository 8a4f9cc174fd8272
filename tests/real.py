"""tdtop against perf stat on the same process over the same seconds (see real_test.sh)."""
import json, os, signal, socket, subprocess, sys, tempfile, time

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


def perf_stat(pid, out, *command):
    """perf's counts of the process while a command runs."""
    return subprocess.Popen(["perf", "stat", "-x;", "-o", out, "-e", EVENTS, "-p", str(pid), "--", *command],
                            stdout=subprocess.PIPE, text=True, env=dict(os.environ, LC_ALL="C"))


def perf_counts(out):
    fields = [line.split(";") for line in open(out)]
    return {f[2].split(":")[0]: float(f[0]) for f in fields if len(f) > 3}


def compare(name, pid):
    """One perf counts before tdtop does and until after it, another only while tdtop counts: tdtop's are between theirs."""
    with tempfile.TemporaryDirectory() as d:
        outer = perf_stat(pid, d + "/outer", "sh", "-c", f'echo $$ >{d}/pid; exec "$0" "$@"', TDTOP, "-p", str(pid),
                          "--model", "software", "-I", "250", "-d", "5m", "-j")
        lines = [outer.stdout.readline()]  # from here on tdtop counts
        inner = perf_stat(pid, d + "/inner", "sleep", str(SECONDS))
        inner.communicate()
        os.kill(int(open(d + "/pid").read()), signal.SIGTERM)
        lines += outer.communicate()[0].splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        least, most = perf_counts(d + "/inner"), perf_counts(d + "/outer")
    if not rows or len(least) < 4 or len(most) < 4:
        check(name, False, f"no rows ({len(rows)}) or no perf counts ({least}, {most})")
        return
    ours = tdtop_sums(rows)
    covered = sum(r["dt"] for r in rows)
    check(name + " covers the time", SECONDS <= covered < SECONDS + 2, f"{covered:.2f} s, perf {SECONDS} s of them")
    for e in EVENTS.split(","):
        rounded = 1e-3 * most[e] + 1  # the rates are written with few digits
        check(name + " " + e, least[e] - rounded <= ours[e] <= most[e] + rounded, f"perf {least[e]:.0f} <= {ours[e]:.0f} <= perf {most[e]:.0f}")


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
