"""The threads view against /proc and perf stat --per-thread (see real_threads_test.sh)."""
import os, re, resource, signal, socket, subprocess, sys, tempfile, time

TDTOP, PROGRAM = sys.argv[1:3]
SECONDS = int(os.environ.get("REAL_SECONDS", "1"))
THREADS, BUSY = 2000, 30
# The three begin and end some 100 ms apart, and what a thread does comes in portions of 50 ms.
PART = 0.3 / SECONDS
POINTS = 1.0 / SECONDS  # of 100 %: a thread's portion of work may lie at either side of an end
TICKS = {"/proc": 1.0 / SECONDS}  # besides: /proc counts in ticks of 10 ms, and one may hold what was done before
ROW = re.compile(r"^[│ ›]*[-+]? *(\d+) (\S.*?) +(\d+\.\d|n/a)(?:[ ↑↓│]|$)")
passed = failed = 0


def check(name, ok, words):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + name + ": " + words)


class Screen:
    """tdtop's threads view in a terminal of its own."""

    def __init__(self, pid, folder, before="", holds=None):
        self.socket = os.path.join(folder, "tmux")
        env = "env -u TMUX TERM=xterm-256color HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent LC_ALL=C.UTF-8"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "64",
                  f"{before} exec {env} {TDTOP} -p {pid} -I {SECONDS}s 2>{folder}/err")
        self.until(holds or (lambda text: "LIVE" in text), 10 + SECONDS)
        if holds:
            return
        self.tmux("send-keys", "4")
        self.until(lambda text: ROW.search(text.split("CPU %", 1)[-1]) or re.search(r"all \d+ threads", text),
                   10 + 3 * SECONDS)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=ENV).stdout

    def text(self):
        return self.tmux("capture-pane", "-p")

    def until(self, holds, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.text()
            if holds(text):
                return text
            time.sleep(0.02)
        sys.exit("the screen did not get there:\n" + text)

    def next(self):
        """The first screen of a new interval."""
        rows = lambda text: text.split("CPU %", 1)[-1]
        was = rows(self.text())
        return self.until(lambda text: rows(text) != was, 10 + 2 * SECONDS)

    def end(self):
        self.tmux("send-keys", "q")
        self.tmux("kill-server")


def rows_of(text):
    """CPU % by thread, names by thread, and the line of the whole."""
    table = [m for m in map(ROW.match, text.split("CPU %", 1)[-1].splitlines()) if m]
    whole = re.search(r"all (\d+) threads +(\d+\.\d)", text)
    return ({int(m[1]): float("nan" if m[3] == "n/a" else m[3]) for m in table}, {int(m[1]): m[2] for m in table},
            (int(whole[1]), float(whole[2])) if whole else (0, 0.0))


def ticks(pid):
    """utime + stime of each thread, seconds, and when that was read; and its name."""
    used, name = {}, {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/stat") as f:
                head, rest = f.read().rsplit(")", 1)
        except FileNotFoundError:
            continue
        f = rest.split()
        used[int(tid)] = (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK"), time.monotonic()
        name[int(tid)] = head.split("(", 1)[1]
    return used, name


def perf_rows(text):
    """% of a CPU by thread: lines "name-tid  milliseconds msec task-clock ..."."""
    elapsed = re.search(r"([0-9.]+) seconds time elapsed", text)
    rows = re.findall(r"^ *\S.*-(\d+) +([\d,.]+) msec task-clock", text, re.M)
    return {int(tid): float(ms.replace(",", "")) / 10 / float(elapsed[1]) for tid, ms in rows} if elapsed else {}


def measure(pid, folder):
    """One interval: what the screen, /proc and perf say of each thread, in % of a CPU."""
    screen = Screen(pid, folder)
    try:
        screen.next()
        before = ticks(pid)[0]
        perf = subprocess.Popen(["perf", "stat", "--per-thread", "-e", "task-clock", "-p", str(pid), "--", "sleep",
                                 str(SECONDS - 0.05)], stderr=subprocess.PIPE, text=True, env=ENV)
        text = screen.next()
        after, names = ticks(pid)
        perf = perf_rows(perf.communicate()[1])
    finally:
        screen.end()
    proc = {t: 100 * (used - before[t][0]) / (at - before[t][1]) for t, (used, at) in after.items() if t in before}
    return text, perf, proc, names


def compare(ours, peer, whole, ticks_off):
    """How far the farthest thread is beyond what is allowed, who that is, and the same of the whole."""
    off = {t: abs(ours[t] - peer[t]) - PART * peer[t] - POINTS - ticks_off for t in ours if t in peer}
    worst = max(off, key=off.get, default=None)
    total = sum(peer.values())
    return off.get(worst, 1), worst, abs(whole - total) - PART * total - POINTS - ticks_off, total


def agree(pid):
    """On a busy machine a thread's load may jump between two spans that are not quite the same: three intervals are
    looked at, the best counts."""
    best = None
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            text, perf, proc, names = measure(pid, folder)
        ours, our_names, whole = rows_of(text)
        beside = [(what, peer, *compare(ours, peer, whole[1], TICKS.get(what, 0))) for what, peer in
                  (("/proc", proc), ("perf stat --per-thread", perf))]
        off = max(max(b[2], b[4]) for b in beside)
        if best is None or off < best[0]:
            best = off, ours, our_names, whole, beside, names
        if off <= 0:
            break
    return best[1:]


def hold(name, pid, want_names):
    ours, our_names, (n, whole), beside, names = agree(pid)
    for what, peer, off, worst, off_total, total in beside:
        missing = [names[t] for t, v in peer.items() if v >= 2 * POINTS and t not in ours]
        check(f"{name}: who is busy by {what} has a row", bool(ours) and not missing, f"{len(ours)} rows, missing {missing}")
        check(f"{name}: CPU % of each, beside {what}", off <= 0, "no row" if worst is None else
              f"{len(ours)} rows, farthest: {names[worst]} {ours[worst]:.1f}, there {peer[worst]:.1f}")
        check(f"{name}: all of it, beside {what}", off_total <= 0, f"{whole:.1f}, there {total:.1f}")
    check(name + ": how many threads", n == len(names), f"{n}, /proc has {len(names)}")
    wrong = [(our_names[t], names[t]) for t in our_names if t in names and our_names[t] != names[t]]
    check(name + ": names", not wrong and want_names <= set(our_names.values()), f"{wrong or sorted(want_names)}")
    return ours, our_names


def loads(ours, names):
    """The shares that the program keeps to: the k-th thread k times that of the first."""
    share = {int(n.split("-")[1]): ours[t] for t, n in names.items() if n.startswith("work-")}
    up = sum(share.get(k, 0) <= share.get(k + 5, 0) + POINTS for k in range(1, BUSY - 4))
    check("2,000 threads: loads in the order they have", len(share) == BUSY and up >= BUSY - 6,
          f"{len(share)} busy, {share.get(1)} % to {share.get(BUSY)} %")
    idle = [v for t, v in ours.items() if names[t].startswith("idle-")]
    check("2,000 threads: those that sleep", bool(idle) and max(idle) <= 0.1, f"{len(idle)} rows, at most {max(idle, default=-1)} %")


def many():
    p = subprocess.Popen([PROGRAM, str(THREADS), str(BUSY), "0.3"], stdout=subprocess.PIPE)
    try:
        p.stdout.readline()
        loads(*hold("2,000 threads", p.pid, {"work-1", f"work-{BUSY}"}))
    finally:
        p.kill()
        p.wait()


def descriptors():
    """10,000 threads and few descriptors: a frame at once, words about who is counted, and a right sum all the same."""
    p = subprocess.Popen([PROGRAM, "9999", "20", "0.3"], stdout=subprocess.PIPE)
    try:
        p.stdout.readline()
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            screen = Screen(p.pid, folder, "ulimit -n 4096;", lambda text: "OPENING" in text or "LIVE" in text)
            check("10,000 threads: first frame", time.monotonic() - began < 2, f"{time.monotonic() - began:.2f} s")
            try:
                text = screen.until(lambda text: re.search(r"counting [\d,]+ of 10000 threads: descriptor limit", text), 15)
                check("10,000 threads: who is counted is said", "ulimit -n" in text, text.splitlines()[1].strip())
                screen.tmux("send-keys", "4")
                text = screen.until(lambda text: "more have no row" in text, 10)
                check("10,000 threads: so are rows that are missing", True,
                      next(line.strip() for line in text.splitlines() if "more have no row" in line))
            finally:
                screen.end()
    finally:
        p.kill()
        p.wait()


def redis():
    with tempfile.TemporaryDirectory() as d, socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
        s.close()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", d, "--io-threads",
                                   "4", "--io-threads-do-reads", "yes"], **quiet)
        load = None
        try:
            end = time.monotonic() + 5
            while subprocess.call(["redis-cli", "-p", port, "ping"], **quiet) and time.monotonic() < end:
                time.sleep(0.05)
            load = subprocess.Popen(["redis-benchmark", "-p", port, "-c", "50", "-n", "100000000", "-t", "get,set", "-q"], **quiet)
            time.sleep(0.5)
            hold("redis-server with io-threads", server.pid, {"redis-server", "io_thd_1", "io_thd_2", "io_thd_3"})
        finally:
            for p in (load, server):
                if p:
                    p.kill()
                    p.wait()


ENV = dict(os.environ, LC_ALL="C.UTF-8")
ENV.pop("TMUX", None)
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # perf stat does not raise it by itself
many()
descriptors()
redis()
print(f"threads: {passed} passed, {failed} failed")
sys.exit(failed > 0)
