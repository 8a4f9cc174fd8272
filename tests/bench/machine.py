"""What counts.py and bench.py measure on: programs on terminals of their own, targets, recordings, stores."""
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import threading
import time

EVENTS = "task-clock,context-switches,cpu-migrations,minor-faults,major-faults"
# The same five events as a model, so that both programs count and print the same things.
MODEL = """name = "same-events"
title = "the events of perf stat"
origin = "tests/bench/machine.py"
rung = "software"
scope = "CPU time"
[event]
"task_clock" = { pmu = "software", config = 1 }
"context_switches" = { pmu = "software", config = 3 }
"cpu_migrations" = { pmu = "software", config = 4 }
"minor_faults" = { pmu = "software", config = 5 }
"major_faults" = { pmu = "software", config = 6 }
[metric.Task_Clock]
formula = "task_clock"
[metric.Context_Switches]
formula = "context_switches"
[metric.Migrations]
formula = "cpu_migrations"
[metric.Minor_Faults]
formula = "minor_faults"
[metric.Major_Faults]
formula = "major_faults"
"""
SPR11 = ["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound", "topdown-heavy-ops",
         "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound", "cycles", "instructions"]
SIZE = (40, 120)
FRAME_MIN = 200  # bytes of a first frame; less is a title or a mode
GAP = 0.02       # seconds of silence that end a frame
ANSWERS = {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R"}  # what a terminal is asked at start


class Skip(Exception):
    """What cannot be measured here, and why."""


def descriptors(pid):
    """How many are open: the kernel says it as the folder's size since 6.2."""
    folder = f"/proc/{pid}/fd"
    return os.stat(folder).st_size or len(os.listdir(folder))


class Usage:
    """CPU seconds, wake-ups and bytes of a process so far."""

    def __init__(self, run):
        self.cpu = time.clock_gettime(~run.pid << 3 | 2)  # CPUCLOCK_SCHED of another process, see clock_getcpuclockid
        self.wakeups = 0
        for tid in os.listdir(f"/proc/{run.pid}/task"):
            with open(f"/proc/{run.pid}/task/{tid}/status") as f:
                self.wakeups += int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", f.read())[1])
        self.bytes = run.bytes
        self.at = time.monotonic()

    def per_second(self, later):
        t = later.at - self.at
        return {k: (getattr(later, k) - getattr(self, k)) / t for k in ("cpu", "wakeups", "bytes")}


class Run:
    """A program on a pty of its own (or, quiet, writing to /dev/null)."""

    def __init__(self, argv, env, quiet=False):
        self.name, self.bytes, self.fd = os.path.basename(argv[0]), 0, None
        self.start = time.monotonic()
        self.first, self.last, self.burst = None, self.start, 0
        if quiet:
            self.process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL)
            self.pid = self.process.pid
            return
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", *SIZE, 0, 0))
            for sig in (signal.SIGHUP, signal.SIGPIPE):
                signal.signal(sig, signal.SIG_DFL)
            os.execvpe(argv[0], argv, env)

    def take(self, now):
        """Reads what was written. False when the program has gone."""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.bytes += len(data)
        self.written(data, now)
        self.last, self.burst = now, self.burst + len(data)
        for query, answer in ANSWERS.items():
            if query in data:
                os.write(self.fd, answer)
        return True

    def written(self, data, now):
        """For those who want to know what."""

    def rss(self):
        """Resident memory in bytes."""
        with open(f"/proc/{self.pid}/smaps_rollup") as f:
            return int(re.search(r"^Rss: +(\d+)", f.read(), re.M)[1]) * 1024

    def frame_ended(self, now):
        """Notes the first frame once there is silence after it."""
        if self.burst and now - self.last > GAP:
            if self.first is None and self.burst >= FRAME_MIN:
                self.first = self.last - self.start
            self.burst = 0

    def alive(self):
        with open(f"/proc/{self.pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"

    def end(self, text=None):
        """Ends it by a key or SIGTERM; returns the seconds that took."""
        gone = os.pidfd_open(self.pid)
        began = time.monotonic()
        if text:
            os.write(self.fd, text)
        else:
            os.kill(self.pid, signal.SIGTERM)
        while not select.select([gone], [], [], 0)[0]:
            ready = select.select([gone] + ([self.fd] if self.fd else []), [], [], 3)[0]
            if self.fd in ready and not self.take(time.monotonic()):
                select.select([gone], [], [], 3)
            if not ready or time.monotonic() - began > 5:
                os.kill(self.pid, signal.SIGKILL)
        took = time.monotonic() - began
        os.waitpid(self.pid, 0)
        os.close(gone)
        if self.fd:
            os.close(self.fd)
        return took


def pump(runs, seconds, until=None):
    """Reads all screens for so long, or until a condition holds."""
    end = time.monotonic() + seconds
    screens = {r.fd: r for r in runs if r.fd}
    while True:
        now = time.monotonic()
        for r in screens.values():
            r.frame_ended(now)
        if now >= end or (until and until()):
            return
        if not screens:
            time.sleep(end - now)
            continue
        for fd in select.select(list(screens), [], [], min(GAP / 2, end - now) if until else end - now)[0]:
            if not screens[fd].take(time.monotonic()):
                raise Skip(f"{screens[fd].name} ended by itself")


def side_by_side(argvs, env, seconds, quiet, keys=b"", fds=0):
    """Runs programs at the same time, each with so many descriptors open; what each used per second."""
    runs = [Run(a, env, quiet) for a in argvs]
    try:
        until = time.monotonic() + 60
        while any(descriptors(r.pid) < fds for r in runs):
            if time.monotonic() > until:
                raise Skip(f"not all of {fds} descriptors were open within 60 s")
            time.sleep(0.05)
        pump(runs, 1)  # started, drawn
        for r in runs:
            if keys and r.fd:
                os.write(r.fd, keys)
        pump(runs, 1)  # settled
        for r in runs:
            if not r.alive():
                raise Skip(f"{r.name} ended by itself; try: {' '.join(argvs[runs.index(r)])}")
        before = [Usage(r) for r in runs]
        pump(runs, seconds)
        rates = [b.per_second(Usage(r)) for b, r in zip(before, runs)]
        for r, rate in zip(runs, rates):
            with open(f"/proc/{r.pid}/status") as f:
                rate["rss"] = int(re.search(r"VmHWM:\s*(\d+)", f.read())[1]) / 1024
        return rates
    finally:
        for r in runs:
            r.end()


class Machine:
    """Where everything runs: the programs, a folder, an environment without surprises, targets."""

    def __init__(self, build, tmp, **env):
        build = os.path.abspath(build)
        self.tdtop, self.bench, self.threads, self.tmp = f"{build}/tdtop", f"{build}/bench/bench", f"{build}/bench/threads", tmp
        self.env = dict(PATH=os.environ["PATH"], HOME=tmp, XDG_CONFIG_HOME=tmp, XDG_DATA_HOME=tmp, XDG_STATE_HOME=tmp,
                        TERM="xterm-256color", LC_ALL="C.UTF-8", TZ="UTC", **env)
        self.model = self.write("same-events.toml", MODEL)
        self.targets, self.lock = {}, threading.Lock()

    def pid(self, threads=1):
        """Of a program of so many threads, of which at most 10 work, together for a tenth of a CPU."""
        with self.lock:
            if threads not in self.targets:
                p = subprocess.Popen([self.threads, str(threads), str(min(threads, 10)), "0.1"], stdout=subprocess.PIPE)
                p.stdout.readline()
                self.targets[threads] = p
            return str(self.targets[threads].pid)

    def write(self, name, text):
        path = os.path.join(self.tmp, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def recording(self, events, lines):
        """What perf stat -I 1000 -x, would have written, a line for each event."""
        def line(i):
            t, e = divmod(i, len(events))
            return f"{t + 1}.000123456,{i * 2654435761 % 10**8 + (e == 0) * 10**9},,{events[e]},1000000000,100.00,,\n"
        return self.write(f"{len(events)}-{lines}.csv", "# cpuid : GenuineIntel-6-8F-8\n" + "".join(map(line, range(lines))))

    def store(self, runs):
        """A store of so many copies of one run."""
        path = os.path.join(self.tmp, f"{runs}.db")
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        subprocess.run([self.tdtop, "import", self.recording(SPR11, 110), "--model", "spr", "--db", path], env=self.env,
                       check=True, capture_output=True)
        with contextlib.closing(sqlite3.connect(path)) as db:
            (run,) = db.execute("SELECT run FROM runs").fetchone()
            value = {"run": "run + i", "id": "printf('%016x', i * 7919 + 1)"}
            for table in ("runs", "labels", "nodes"):
                names = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
                db.execute(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {runs})"
                           f" INSERT INTO {table} ({','.join(names)}) SELECT {','.join(value.get(n, n) for n in names)}"
                           f" FROM {table}, n WHERE run = {run}")
            db.commit()
        return path

    def stop(self, threads):
        """Ends the target of so many threads."""
        p = self.targets.pop(threads)
        p.kill()
        p.wait()
        p.stdout.close()

    def end(self):
        for threads in list(self.targets):
            self.stop(threads)
