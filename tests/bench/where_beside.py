#!/usr/bin/env python3
"""What the Where view and `tdtop where` cost beside perf top and perf record, on redis-server under redis-benchmark.

    where_beside.py TDTOP [--seconds N] [--rounds N]

Each pair runs at the same time and samples the same process by the clock of the CPU, 1,000 times a second: the view
beside `perf top`, `tdtop where` beside `perf record`. CPU time is that of the process and of the children that it has
waited for; of perf record, without perf report. "First function": from the key `h`, and from the start of perf top,
until a function of redis is on the screen. Prints a table with limits and verdicts; exit status 1 if one is missed.
"""
import argparse
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from bench import Table
from machine import Run, Usage, pump

RATE, SETTLE = 1000, 8
FUNCTION = rb"dictFind|lookupKey|zmalloc|finish_task_switch|processCommand"


class Shown(Run):
    """Notes when a function is first on the screen."""

    def __init__(self, *words):
        self.seen, self.tail = None, b""
        super().__init__(*words)

    def written(self, data, now):
        self.tail = (self.tail + data)[-1 << 16:]
        if self.seen is None and re.search(FUNCTION, self.tail):
            self.seen = now

    def key(self, text):
        self.tail, self.seen, self.pressed = b"", None, time.monotonic()
        os.write(self.fd, text)


def children(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def cpu(run):
    return Usage(run).cpu + children(run.pid)


def end(run):
    os.kill(run.pid, signal.SIGTERM)  # SIGINT is ignored by what a shell has put in the background
    os.waitpid(run.pid, 0)
    if run.fd is not None:
        os.close(run.fd)


def wait_for(runs, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(r.seen is None for r in runs):
        pump(runs, 0.05)
    return all(r.seen is not None for r in runs)


def views(tdtop, pid, env, seconds):
    ours = Shown([tdtop, "-p", pid], env)
    pump([ours], 2)
    before = cpu(ours)
    pump([ours], 3)
    plain = (cpu(ours) - before) / 3
    theirs = Shown(["perf", "top", "-e", "cpu-clock", "-F", str(RATE), "-p", pid], env)
    theirs.pressed = theirs.start
    ours.key(b"h")
    if not wait_for([ours, theirs], 20):
        sys.exit("where_beside: no function came on the screen within 20 s")
    pump([ours, theirs], SETTLE)  # symbols are read, lines are found
    a, b, at = cpu(ours), cpu(theirs), time.monotonic()
    pump([ours, theirs], seconds)
    took = time.monotonic() - at
    row = {"cpu": (cpu(ours) - a) / took, "plain": plain, "perf_cpu": (cpu(theirs) - b) / took,
           "rss": ours.rss(), "perf_rss": theirs.rss(),
           "first": ours.seen - ours.pressed, "perf_first": theirs.seen - theirs.pressed}
    end(ours)
    end(theirs)
    return row


def records(tdtop, pid, env, seconds, tmp):
    def start(argv):
        return subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = [start([tdtop, "where", "-p", pid, "-d", f"{seconds}s", "-j"]),
             start(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-g", "-o", f"{tmp}/perf.data", "-p", pid, "--",
                    "sleep", str(seconds)])]
    used = [os.wait4(p.pid, 0)[2] for p in began]
    whole = lambda u: u.ru_utime + u.ru_stime
    return {"cpu": whole(used[0]) / seconds, "perf_cpu": whole(used[1]) / seconds,
            "rss": used[0].ru_maxrss * 1024, "perf_rss": used[1].ru_maxrss * 1024}


def redis(tmp):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    server = subprocess.Popen(["redis-server", "--port", port, "--save", "", "--appendonly", "no", "--dir", tmp],
                              stdout=subprocess.DEVNULL)
    for _ in range(100):
        if subprocess.run(["redis-cli", "-p", port, "ping"], capture_output=True, text=True).stdout.strip() == "PONG":
            break
        time.sleep(0.1)
    load = subprocess.Popen(["redis-benchmark", "-p", port, "-q", "-t", "set,get", "-r", "100000", "-n", "1000000000"],
                            stdout=subprocess.DEVNULL)
    time.sleep(1)
    return server, load


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("tdtop")
    ap.add_argument("--seconds", type=int, default=10)
    ap.add_argument("--rounds", type=int, default=3)
    a = ap.parse_args()
    for program in ("perf", "redis-server", "redis-benchmark"):
        if not shutil.which(program):
            print(f"where_beside: {program} is not installed")
            return 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tdtop = os.path.abspath(a.tdtop)
    with tempfile.TemporaryDirectory() as tmp:
        env = dict(os.environ, HOME=tmp, TERM="xterm-256color", LC_ALL="C.UTF-8")
        server, load = redis(tmp)
        try:
            v = [views(tdtop, str(server.pid), env, a.seconds) for _ in range(a.rounds)]
            r = [records(tdtop, str(server.pid), env, a.seconds, tmp) for _ in range(a.rounds)]
        finally:
            for p in (load, server):
                p.kill()
                p.wait()
    m = lambda rows, key: statistics.median(row[key] for row in rows)
    t = Table()
    t.row("Where view: CPU time per second", 1e3 * m(v, "cpu"), "ms", 0.5, 1e3 * m(v, "perf_cpu"), "perf top")
    t.row("of it the screen, without the view", 1e3 * m(v, "plain"), "ms", None)
    t.row("Where view: memory, redis open", m(v, "rss") / 2**20, "MiB", 0.5, m(v, "perf_rss") / 2**20, "perf top")
    t.row("Where view: memory, redis open", m(v, "rss") / 2**20, "MiB", 30)
    t.row("first function after the key", 1e3 * m(v, "first"), "ms", 1000)
    t.row("first function", 1e3 * m(v, "first"), "ms", None, 1e3 * m(v, "perf_first"), "perf top")
    t.row("tdtop where: CPU time per second, names too", 1e3 * m(r, "cpu"), "ms", None, 1e3 * m(r, "perf_cpu"), "perf rec.")
    t.row("tdtop where: memory", m(r, "rss") / 2**20, "MiB", None, m(r, "perf_rss") / 2**20, "perf rec.")
    return t.missed > 0


if __name__ == "__main__":
    sys.exit(main())
