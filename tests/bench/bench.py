#!/usr/bin/env python3
"""What tdtop costs beside perf stat, htop and btop, on a redis-server under redis-benchmark.

    bench.py TDTOP [--seconds N] [--rounds N]

Both programs of a comparison run at the same time on the same machine, so that the load, the clock speed and the
other guests of a shared host are the same for both; what counts is the ratio. CPU time is read from the CPU clock
of the process (all its threads, nanoseconds), memory from VmHWM, wake-ups from the voluntary context switches of
its threads. Terminal programs run on a pty of 120x40 that is read as fast as they write.

Prints a table with limits and verdicts; exit status 1 if a limit is missed. Programs that are not installed are
named and left out. Python 3.9 or newer, standard library only.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

EVENTS = "task-clock,context-switches,cpu-migrations,minor-faults,major-faults"
# The same five events as a model, so that both programs count and print the same things.
MODEL = """name = "same-events"
title = "the events of perf stat"
origin = "tests/bench/bench.py"
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
SIZE = (40, 120)
FRAME_MIN = 200  # bytes of a first frame; less is a title or a mode
GAP = 0.02       # seconds of silence that end a frame
ANSWERS = {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R"}  # what a terminal is asked at start


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
                sys.exit(f"bench: {screens[fd].name} ended by itself")


def side_by_side(argvs, env, seconds, quiet):
    """Runs programs at the same time; what each used per second."""
    runs = [Run(a, env, quiet) for a in argvs]
    try:
        pump(runs, 1.5)  # started, drawn, settled
        for r in runs:
            if not r.alive():
                sys.exit(f"bench: {r.name} ended by itself; try: {' '.join(argvs[runs.index(r)])}")
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


def medians(rounds):
    """Of several rounds, each a list of rates by program, the median of each rate."""
    return [{k: statistics.median(r[i][k] for r in rounds) for k in rounds[0][i]} for i in range(len(rounds[0]))]


def starts(argvs, env, n):
    """For each program, milliseconds to its first frame and to its end after q: medians of n starts, in turns."""
    first, quits = [[] for _ in argvs], [[] for _ in argvs]
    for _ in range(n):
        for i, argv in enumerate(argvs):
            r = Run(argv, env)
            pump([r], 5, lambda: r.first is not None)
            pump([r], 0.4)
            quits[i].append(r.end(b"q") * 1e3)
            first[i].append((r.first or 5) * 1e3)
    return [statistics.median(f) for f in first], [statistics.median(q) for q in quits]


class Table:
    def __init__(self):
        self.missed = 0
        print(f"{'what':<44}{'tdtop':>10}{'peer':>10}  {'peer is':<12}{'ratio':>7}  {'limit':<10}verdict")

    def row(self, what, ours, unit, limit, peer=None, peer_name=""):
        """A ratio where there is a peer; else the figure itself is held against the limit."""
        value = ours / peer if peer else ours
        ok = limit is None or value <= limit
        self.missed += not ok
        verdict = "for information" if limit is None else "ok" if ok else "MISSED"
        print(f"{what:<44}{ours:>10.3g}{format(peer, '.3g') if peer else '-':>10}  {peer_name:<12}"
              f"{format(value, '.2f') if peer else '-':>7}  {'' if limit is None else '<= ' + format(limit, 'g'):<10}"
              f"{verdict}  ({unit})", flush=True)


def have(program, missing):
    if shutil.which(program):
        return True
    if program not in missing:
        missing.append(program)
    return False


def bench_batch(t, a, env, pid, tmp, missing):
    """Sampling: CPU time per interval of 100 ms, counting the same and, with /proc, more."""
    if not have("perf", missing):
        return
    model = os.path.join(tmp, "same-events.toml")
    with open(model, "w") as f:
        f.write(MODEL)
    perf = ["perf", "stat", "-I", "100", "-x,", "-e", EVENTS, "-p", str(pid)]
    # The model `software` also reads /proc for every thread, which perf stat does not: its figure has no limit.
    for what, name, limit in (("batch 100 ms, the same events: CPU", model, 1.0),
                              ("batch 100 ms, and /proc: CPU", "software", None)):
        tdtop = [a.tdtop, "-p", str(pid), "--batch", "-x", ",", "-I", "100ms", "--model", name]
        ours, peer = medians([side_by_side([tdtop, perf], env, a.seconds, True) for _ in range(a.rounds)])
        # seconds per second over ten intervals a second, in milliseconds
        t.row(what, ours["cpu"] * 100, "ms per interval", limit, peer["cpu"] * 100, "perf stat")


def bench_live(t, a, env, pid, missing):
    """The screen at 120x40 beside htop's, at both rates."""
    peers = have("htop", missing)
    for label, arg, htop_delay, interval in (("1 s", "1s", "10", 1.0), ("100 ms", "100ms", "1", 0.1)):
        argvs = [[a.tdtop, "-p", str(pid), "-I", arg]] + ([["htop", "-d", htop_delay]] if peers else [])
        seconds = a.seconds * (2 if interval == 1 else 1)
        rates = medians([side_by_side(argvs, env, seconds, False) for _ in range(a.rounds)])
        ours = rates[0]
        if peers:
            t.row(f"screen {label}: CPU", ours["cpu"] * interval * 1e3, "ms per refresh", 0.1,
                  rates[1]["cpu"] * interval * 1e3, "htop")
            t.row(f"screen {label}: to the terminal", ours["bytes"] * interval, "bytes per refresh", 0.6,
                  rates[1]["bytes"] * interval, "htop")
        # Two threads wake once a tick; a tenth is left for what the kernel does behind their backs.
        t.row(f"screen {label}: wake-ups", ours["wakeups"] * interval, "per tick", 2.1)
        t.row(f"screen {label}: resident memory", ours["rss"], "MiB, at its peak", 8)


def bench_starts(t, a, env, pid, missing):
    """The first frame beside btop's, which is the fastest of the peers; and quitting."""
    argvs = [[a.tdtop, "-p", str(pid)]] + ([["btop"]] if have("btop", missing) else [])
    first, quits = starts(argvs, env, a.starts)
    if len(first) > 1:
        t.row("first frame, median", first[0], "ms", 1.0, first[1], "btop")
    t.row("quit after q, median", quits[0], "ms", 20)


class Redis:
    """A server on a free port of loopback, kept busy."""

    def __init__(self, tmp):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = str(s.getsockname()[1])
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.server = subprocess.Popen(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
                                        "--appendonly", "no", "--dir", tmp], **quiet)
        end = time.monotonic() + 5
        while subprocess.call(["redis-cli", "-p", port, "ping"], **quiet):
            if time.monotonic() > end:
                sys.exit("bench: redis-server does not answer")
            time.sleep(0.05)
        self.load = subprocess.Popen(["redis-benchmark", "-p", port, "-c", "20", "-t", "get,set", "-n", "1000000",
                                      "-l", "-q"], **quiet)
        time.sleep(1)

    def end(self):
        for p in (self.load, self.server):
            p.terminate()
            p.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tdtop")
    p.add_argument("--seconds", type=float, default=5, help="length of one measurement (5); twice that at 1 s")
    p.add_argument("--rounds", type=int, default=3, help="measurements of which the median counts (3)")
    p.add_argument("--starts", type=int, default=9, help="starts of which the median counts (9)")
    a = p.parse_args()
    a.tdtop = os.path.abspath(a.tdtop)
    missing = []
    if not (have("redis-server", missing) and have("redis-benchmark", missing) and have("redis-cli", missing)):
        print("bench: skipped, not installed: " + " ".join(missing) + " (apt install redis-server redis-tools)")
        return 0
    with tempfile.TemporaryDirectory(prefix="tdtop-bench.") as tmp:
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "COLORTERM", "NO_COLOR", "LINES", "COLUMNS")}
        env.update(TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=tmp, XDG_CONFIG_HOME=tmp, XDG_DATA_HOME=tmp,
                   XDG_STATE_HOME=tmp)
        redis = Redis(tmp)
        try:
            t = Table()
            bench_batch(t, a, env, redis.server.pid, tmp, missing)
            bench_live(t, a, env, redis.server.pid, missing)
            bench_starts(t, a, env, redis.server.pid, missing)
        finally:
            redis.end()
    for name in missing:
        print(f"skipped: {name} is not installed")
    print(f"bench: {t.missed} limits missed")
    return 1 if t.missed else 0


if __name__ == "__main__":
    sys.exit(main())
