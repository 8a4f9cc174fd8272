#!/usr/bin/env python3
"""Many threads: what tdtop costs beside perf stat with the same 60 events on a process of 1,000 threads.

    many.py TDTOP THREADS [--threads N] [--rounds N] [--seconds N]

THREADS is the program of threads.c. The events are those of the kernel, six of each, in six groups of ten for tdtop;
`perf stat -p` opens each by itself, and with braces in the same groups, which is shown for information. Both are
measured on the same process: opening in turns, sampling at the same time. CPU time is that of the process, user and
kernel. Where the limit of descriptors (ulimit -Hn) is too low for 1,000 threads, fewer are taken, and that is said.

Prints a table with limits and verdicts; exit status 1 if a limit is missed.
"""
import argparse
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from bench import Table, medians
from machine import Run, Usage, descriptors, pump

NAMES = ["task-clock", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "page-faults",
         "alignment-faults", "emulation-faults", "cgroup-switches", "dummy"]
NUMBERS = [1, 3, 4, 5, 6, 2, 7, 8, 11, 9]  # of the same in linux/perf_event.h
GROUPS = 6
EVENTS = GROUPS * len(NAMES)
OURS = 400  # descriptors that the programs need besides
INTERVAL = 1.0
MANY, FIRST_MS = 10000, 250


def model():
    """One metric per group. The kernel ignores config1 of these events: it keeps them apart for tdtop."""
    text = ('name = "sixty"\ntitle = "60 events of the kernel"\norigin = "tests/bench/many.py"\nrung = "generic"\n'
            f'scope = "events"\ncounters = {{ general = {len(NAMES)} }}\n[event]\n')
    for g in range(GROUPS):
        for name, number in zip(NAMES, NUMBERS):
            text += f'"{name.replace("-", "_")}_{g}" = {{ pmu = "generic", type = "software", config = {number}, config1 = {g} }}\n'
    for g in range(GROUPS):
        text += f'[metric.Group_{g}]\nformula = "' + " + ".join(f"{n.replace('-', '_')}_{g}" for n in NAMES) + '"\n'
    return text


class Opening:
    """One start of a program that counts `wanted` descriptors: seconds until all are open (perf then still has to let
    them count), until they count, and the CPU seconds until the first row of all."""

    def __init__(self, argv, env, wanted, until=30):
        began = time.monotonic()
        p = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.set_blocking(p.stdout.fileno(), False)
        self.opened = self.row = self.cpu = None
        try:
            while (self.opened is None or self.row is None) and time.monotonic() - began < until and p.poll() is None:
                time.sleep(0.004)
                now = time.monotonic() - began
                if self.opened is None and descriptors(p.pid) >= wanted:
                    self.opened = now
                if self.row is None and (p.stdout.read() or b"").count(b"\n") >= GROUPS:
                    self.row = now
                if self.opened is not None and self.row is not None:
                    self.cpu = time.clock_gettime(~p.pid << 3 | 2)
        finally:
            p.send_signal(signal.SIGINT)
            p.stdout.close()
            p.wait()
        if self.opened is None or self.row is None:
            sys.exit(f"many: not all of {wanted} descriptors of {argv[0]} were open within {until} s")
        self.counting = max(self.opened, self.row - INTERVAL)


def bench_open(t, rounds, argvs, env, wanted):
    """Starts of each in turns; medians."""
    runs = [[] for _ in argvs]
    for _ in range(rounds):
        for mine, argv in zip(runs, argvs):
            mine.append(Opening(argv, env, wanted))
    mid = lambda i, what: statistics.median(getattr(r, what) for r in runs[i])
    for peer, name, limit in ((1, "perf stat", 1.5), (2, "in groups", None)):
        for what, of, most in (("all open and counting: wall", "counting", limit), ("all open: wall", "opened", None),
                               ("all open, and a row: CPU", "cpu", limit)):
            t.row(what, mid(0, of) * 1e3, "ms", most, mid(peer, of) * 1e3, name)


def bench_sample(t, a, argvs, env, wanted):
    """CPU per interval once all is open."""
    rounds = []
    for _ in range(a.rounds):
        runs = [Run(argv, env, True) for argv in argvs]
        try:
            while any(descriptors(r.pid) < wanted for r in runs):
                time.sleep(0.05)
            pump(runs, 1.5)
            before = [Usage(r) for r in runs]
            pump(runs, a.seconds)
            rounds.append([b.per_second(Usage(r)) for b, r in zip(before, runs)])
        finally:
            for r in runs:
                r.end()
    ours, perf, grouped = medians(rounds)
    for peer, name, limit in ((perf, "perf stat", 1.0), (grouped, "in groups", None)):
        t.row("sampling at 1 s: CPU", ours["cpu"] * 1e3, "ms per interval", limit, peer["cpu"] * 1e3, name)


class Watching(Run):
    """A screen whose words are kept, and when it first said LIVE."""

    def __init__(self, argv, env):
        self.words, self.live = b"", None
        super().__init__(argv, env)

    def written(self, data, now):
        self.words += data
        if self.live is None and b"LIVE" in self.words:
            self.live = now - self.start

    def notes(self):
        """What is said of descriptors and of threads that are not counted yet."""
        text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()].", b"\n", self.words).decode(errors="replace")
        return {re.sub(r"\d+", "N", m) for m in re.findall(r"(?:opening|counting): [^\n]*|ulimit[^\n]*", text)}


def bench_first(t, a, env):
    """A process of 10,000 threads: when is there something to see, what does the screen say?"""
    target = subprocess.Popen([a.program, str(MANY - 1), "10", "0.2"], stdout=subprocess.PIPE)
    firsts, lives, notes = [], [], set()
    try:
        target.stdout.readline()
        for _ in range(a.rounds):
            r = Watching([os.path.abspath(a.tdtop), "-p", str(target.pid)], env)
            pump([r], 20, lambda: r.live is not None)
            firsts.append((r.first or 20) * 1e3)
            lives.append((r.live or 20) * 1e3)
            notes |= r.notes()
            r.end(b"q")
    finally:
        target.kill()
        target.wait()
    t.row(f"{MANY} threads: first frame", statistics.median(firsts), "ms", FIRST_MS)
    t.row(f"{MANY} threads: start to measuring", statistics.median(lives), "ms", None)
    for note in sorted(notes):
        print(f"  the screen says: {note}")


def thread_count(wanted):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    return min(wanted, (limit - OURS) // EVENTS)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tdtop")
    p.add_argument("program")
    p.add_argument("--threads", type=int, default=1000, help="of the process (1000)")
    p.add_argument("--rounds", type=int, default=5, help="measurements of which the median counts (5)")
    p.add_argument("--seconds", type=float, default=10, help="length of one measurement of sampling (10)")
    a = p.parse_args()
    n = thread_count(a.threads)
    print(f"{EVENTS} events on {n} threads" +
          (f": not {a.threads}, the limit of descriptors (ulimit -Hn) is too low" if n < a.threads else ""))
    env = dict(os.environ, LC_ALL="C", HOME="/nonexistent", XDG_CONFIG_HOME="/nonexistent")
    target = subprocess.Popen([a.program, str(n - 1), "10", "0.2"], stdout=subprocess.PIPE)
    try:
        target.stdout.readline()
        with tempfile.NamedTemporaryFile("w", prefix="tdtop-many.", suffix=".toml") as f:
            f.write(model())
            f.flush()
            perf = ["perf", "stat", "-I", f"{INTERVAL * 1e3:.0f}", "-x,", "-p", str(target.pid), "-e"]
            argvs = [[os.path.abspath(a.tdtop), "-p", str(target.pid), "-b", "-x", ",", "-I", f"{INTERVAL:.0f}s", "--model",
                      f.name],
                     perf + [",".join(NAMES * GROUPS)],
                     perf + [",".join("{" + ",".join(NAMES) + "}" for _ in range(GROUPS))]]
            t = Table()
            bench_open(t, a.rounds, argvs, env, n * EVENTS)
            bench_sample(t, a, argvs, env, n * EVENTS)
    finally:
        target.kill()
        target.wait()
    bench_first(t, a, dict(env, TERM="xterm-256color", LC_ALL="C.UTF-8"))
    print(f"many: {t.missed} limits missed")
    return 1 if t.missed else 0


if __name__ == "__main__":
    sys.exit(main())
