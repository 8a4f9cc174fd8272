#!/usr/bin/env python3
"""What tdtop costs beside what people use today: perf stat, htop, btop, sqlite3.

    bench.py BUILD [--release BUILD] [--write FILE] [--seconds N] [--rounds N] [--only PART]

BUILD is build/release; --release is that of release 0.1.0, measured in the same run. All programs of a comparison run
at the same time on the same machine, so that the load, the clock speed and the other guests of a shared host are the same
for all; what counts is the ratio. CPU time is read from the CPU clock of the process (all its threads, nanoseconds),
memory from VmHWM, wake-ups from the voluntary context switches of its threads. Terminal programs run on a pty of 120x40
that is read as fast as they write.

Prints a table with limits and verdicts; --write makes a page of it (docs/PERFORMANCE.md), with the counts that do not
vary (counts.txt) and the resident memory by owner (smaps.py). Exit status 1 if a limit is missed. Programs that are not
installed are named and left out. Python 3.9 or newer, standard library only.
"""
import argparse
import contextlib
import os
import re
import resource
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import counts
import smaps
from machine import EVENTS, FRAME_MIN, SPR11, Machine, Run, Skip, Usage, pump, side_by_side


def medians(rounds):
    """Of several rounds, each a list of rates by program, the median of each rate."""
    return [{k: statistics.median(r[i][k] for r in rounds) for k in rounds[0][i]} for i in range(len(rounds[0]))]


class Table:
    """Rows are printed as they come, and kept."""
    TITLES = ("what", "tdtop", "0.1.0", "peer", "peer is", "ratio", "of 0.1.0", "limit", "verdict")

    def __init__(self):
        self.missed, self.rows = 0, []
        self.put(*self.TITLES)

    @staticmethod
    def put(what, *rest):
        print(f"{what:<52}" + "".join(f"{r:>10}" for r in rest), flush=True)

    def row(self, what, ours, unit, limit, peer=None, peer_name="", release=None):
        """A ratio where there is a peer; else the figure itself is held against the limit."""
        value = ours / peer if peer else ours
        ok = limit is None or value <= limit
        self.missed += not ok
        short = lambda x: "-" if x is None else f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"
        ratio = lambda x: "-" if x is None or not peer else f"{x / peer:.2f}"
        row = (f"{what} ({unit})", short(ours), short(release), short(peer), peer_name or "-", ratio(ours), ratio(release),
               "-" if limit is None else f"{limit:g}", "-" if limit is None else "ok" if ok else "MISSED")
        self.rows.append(row)
        self.put(*row)

    def markdown(self):
        rule = ["---"] + ["---:"] * 3 + ["---"] + ["---:"] * 3 + ["---"]
        return "\n".join("| " + " | ".join(r) + " |" for r in [self.TITLES, rule] + self.rows)


class Bench(Machine):
    """Where it runs: this build, that of the release if there is one, a server at work."""

    def __init__(self, a, tmp):
        super().__init__(a.build, tmp)
        self.a, self.t, self.missing = a, Table(), []
        self.curses = f"{a.build}/bench/bench_curses"
        self.ours = [self.tdtop] + ([os.path.abspath(f"{a.release}/tdtop")] if a.release else [])

    def have(self, program):
        if not shutil.which(program) and program not in self.missing:
            self.missing.append(program)
        return program not in self.missing

    def beside(self, what, args, peer, unit, factor, limit, key="cpu", seconds=None, keys=b"", fds=0):
        """tdtop (and the release) beside a peer, whose name is first; all at once, on terminals if there are keys."""
        argvs = [[t, *args] for t in self.ours] + ([peer[1]] if self.have(peer[1][0]) else [])
        rates = medians([side_by_side(argvs, self.env, seconds or self.a.seconds, keys is None, keys or b"", fds)
                         for _ in range(self.a.rounds)])
        keyed = key if isinstance(key, dict) else {key: (what, unit, factor, limit)}
        for key, (what, unit, factor, limit) in keyed.items():
            figures = [r[key] * factor for r in rates]
            other = figures.pop() if len(argvs) > len(self.ours) else None
            self.t.row(what, figures[0], unit, limit, other, peer[0] if other else "", figures[1] if len(figures) > 1 else None)

    def turns(self, what, argvs, peer_name, unit, limit, seconds=None, n=5, factor=1e3):
        """Whole commands in turns: the median wall time of each. The last is the peer's, if it has a name."""
        took = [[] for _ in argvs]
        for _ in range(n):
            for mine, argv in zip(took, argvs):
                began = time.monotonic()
                subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=True)
                mine.append((time.monotonic() - began) * factor)
        figures = [statistics.median(t) for t in took]
        peer = figures.pop() if peer_name else None
        self.t.row(what, figures[0], unit, limit, peer, peer_name, figures[1] if len(figures) > 1 else None)


    def memory(self, what, argvs, limit):
        """The most that whole commands have resident, each once."""
        figures = []
        for argv in argvs:
            child = subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            most = 0
            while child.poll() is None:
                with contextlib.suppress(OSError), open(f"/proc/{child.pid}/status") as f:
                    found = re.search(r"VmHWM:\s*(\d+)", f.read())
                    most = int(found[1]) if found else most  # a zombie has none
                time.sleep(0.02)
            if child.returncode:
                raise Skip(f"{' '.join(argv)}: status {child.returncode}")
            figures.append(most * 1024 / 1e6)
        self.t.row(what, figures[0], "MB at its peak", limit, release=figures[1] if len(figures) > 1 else None)


def bench_batch(b, pid):
    """Sampling to CSV beside perf stat with the same five events."""
    perf = lambda ms, *of: ("perf stat", ["perf", "stat", "-I", ms, "-x,", "-e", EVENTS, *of])
    rows = ["-b", "-x", ",", "--model", b.model]
    each = "ms of CPU an interval"
    b.beside("one process, 5 events, CSV, 100 ms", ["-p", pid, *rows, "-I", "100ms"], perf("100", "-p", pid), each, 100, 0.9,
             keys=None)
    b.beside("whole system, 5 events, CSV, 100 ms", ["-a", *rows, "-I", "100ms"], perf("100", "-a"), each, 100, 0.8, keys=None)
    software = ["-b", "-x", ",", "--model", "software"]
    b.beside("300 threads, model software, CSV, 1 s", ["-p", b.pid(300), *software, "-I", "1s"],
             perf("1000", "-p", b.pid(300)), each, 1000, 0.7, seconds=2 * b.a.seconds, keys=None, fds=300)
    many = min(10000, (resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 400) // 5)
    b.beside(f"{many:,} threads, model software, CSV, 1 s", ["-p", b.pid(many), *software, "-I", "1s"],
             perf("1000", "-p", b.pid(many)), each, 1000, 1.0, seconds=2 * b.a.seconds, keys=None, fds=many)
    b.stop(many)


def bench_screen(b, pid):
    """The screen at 120x40 beside htop's."""
    for ms, limit in ((1000, 0.2), (100, 0.2)):  # htop's grows with the processes of the machine; here are few
        of = "1 s" if ms == 1000 else "100 ms"
        b.beside("", ["-p", pid, "-I", f"{ms}ms"], ("htop", ["htop", "-d", str(ms // 100)]), "", 1, None, {
            "cpu": (f"screen of one process, {of}", "ms of CPU a refresh", ms, limit),
            "bytes": (f"screen of one process, {of}", "bytes a refresh", ms / 1000, 0.6),
            "wakeups": (f"screen of one process, {of}", "wake-ups a refresh", ms / 1000, None)},
            seconds=b.a.seconds * (2 if ms == 1000 else 1))
    b.beside("view of threads, 50 threads, 1 s", ["-p", b.pid(50), "-I", "1s"], ("htop", ["htop"]),
             "ms of CPU a refresh", 1000, 0.08, seconds=2 * b.a.seconds, keys=b"4")


class Watched(Run):
    """When its first frame was there, and when it first showed what it measured."""
    LARGE = 300  # bytes: more than a clock or a word that changes

    def __init__(self, argv, env):
        self.frame = self.value = None
        self.live = b"tdtop" not in os.fsencode(argv[0])
        super().__init__(argv, env)

    def written(self, data, now):
        if self.frame is None and self.bytes >= FRAME_MIN:
            self.frame = now - self.start
        elif self.live and self.value is None and len(data) >= self.LARGE:
            self.value = now - self.start
        self.live = self.live or b"LIVE" in data


def bench_starts(b, pid):
    """From the command to the first frame and to the first values; and quitting."""
    argvs = [[t, "-p", pid] for t in b.ours] + ([["btop"]] if b.have("btop") else [])
    frame, value, gone = ([[] for _ in argvs] for _ in range(3))
    for _ in range(b.a.starts):
        for i, argv in enumerate(argvs):
            r = Watched(argv, b.env)
            pump([r], 5, lambda: r.frame is not None and r.value is not None)
            gone[i].append(r.end(b"q") * 1e3)
            frame[i].append((r.frame or 5) * 1e3)
            value[i].append((r.value or 5) * 1e3)
    frame, value, gone = ([statistics.median(x) for x in of] for of in (frame, value, gone))
    peer = frame.pop() if len(argvs) > len(b.ours) else None
    old = lambda of: of[1] if len(b.ours) > 1 else None
    b.t.row("first frame", frame[0], "ms", 0.7, peer, "btop" if peer else "", old(frame))
    b.t.row("first values", value[0], "ms", 150, release=old(value))
    b.t.row("quit after q", gone[0], "ms", 20, release=old(gone))


def bench_words(b):
    """Verbs that only read."""
    for verb in (["models"], ["explain", "L3_Bound"]):
        b.turns(" ".join(verb), [[t, *verb] for t in b.ours], None, "ms", 5, n=9)
    runs = 20000
    path = b.store(runs)
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        made = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    argvs = [[b.tdtop, "list", "-n", "0", "--csv", "--db", path]]  # the release cannot read today's store
    if b.have("sqlite3"):
        argvs.append(["sqlite3", "-csv", path, "SELECT r.*, (SELECT group_concat(l.key || '=' || l.value, ' ') FROM labels l"
                      " WHERE l.run = r.run) FROM runs r ORDER BY r.run DESC"])
    b.memory(f"list --csv of {made:,} runs", argvs[:1], 30)
    b.memory("collect of 24 h at 1 s", [[t, "collect", "--demo", "-n", "86400", "-I", "1s", "--seed", "7", "--db",
                                         os.path.join(b.tmp, f"day{i}.db")] for i, t in enumerate(b.ours)], 30)
    b.turns(f"list --csv of {made:,} runs", argvs, "sqlite3" if b.have("sqlite3") else None, "ms", 1.2)


def bench_replay(b):
    """Recordings of perf stat, of 100 MB; the release takes minutes of them, so that it is left out."""
    for events, what, limit in ((SPR11, "11 events", 3), (counts.spr_events(), "all events of spr", 1.5)):
        sample = os.path.getsize(b.recording(events, 100000)) / 100000
        big = b.recording(events, int(100e6 / sample))
        for row in (["-x", ","], ["-j"]):
            b.turns(f"replay of {os.path.getsize(big) / 1e6:.0f} MB, {what}, {'JSON' if row == ['-j'] else 'CSV'}",
                    [[b.tdtop, "replay", big, "-b", *row]], None, "s", limit, n=1, factor=1)
        os.remove(big)


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


def machine_words():
    """On what this was measured."""
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), os.uname().machine)
    return f"{os.cpu_count()} CPUs ({cpu}), Linux {os.uname().release}"


def counts_markdown():
    """counts.txt as a table."""
    made, rows = counts.read_file()
    lines = ["| path | unit | now | 0.1.0 | now of 0.1.0 |", "|---|---|---:|---:|---:|"]
    for (name, unit), (count, release) in rows.items():
        lines.append(f"| {name} | {unit} | {count:,.0f} | " +
                     (f"{release:,.0f} | {count / release:.2f} |" if release else "- | - |"))
    return f"({made})\n\n" + "\n".join(lines)


def smaps_markdown(b):
    """The idle screens by owner."""
    lines = ["| screen | KiB | limit | by owner |", "|---|---:|---:|---|"]
    for name, (argv, limit) in smaps.SCREENS.items():
        table = smaps.idle([b.tdtop] + argv, b.env, 3)
        owners = sorted(((row["Rss"], what) for what, row in table.items()), reverse=True)
        lines.append(f"| {name} | {sum(r for r, _ in owners):,} | {f'{limit * 1024:,}' if limit else '-'} | " +
                     ", ".join(f"{what} {rss:,}" for rss, what in owners if rss >= 64) + " |")
    return "\n".join(lines)


def curses_markdown(b):
    """The same frames by tdtop's own writer and by ncurses (bench_curses.c)."""
    run = subprocess.run([b.curses], env=b.env, capture_output=True, text=True, check=False)
    print(run.stdout, end="")
    lines = ["| view | CPU of a frame, own of ncurses | bytes, own | ncurses | writes, own | ncurses |", "|---|---:|---:|---:|---:|---:|"]
    rows = [line.split() for line in run.stdout.splitlines()]
    for own, other in zip(rows[::2], rows[1::2]):
        lines.append(f"| {own[0]}, {own[1]} | {float(own[3]) / float(other[3]):.2f} | {own[5]} | {other[5]} | "
                     f"{own[7]} | {other[7]} |")
    return "\n".join(lines)


def page(b):
    """docs/PERFORMANCE.md."""
    return f"""# What tdtop costs

Made by `make bench` on {machine_words()}; not to be edited. Programs of a row were measured at the same time, or in
turns, in one run; ratios are what counts. "limit" holds for the ratio where there is a peer, else for the figure.

{b.t.markdown()}

## Counts that do not vary

Held in CI to within 5 % (instructions, by callgrind), 50 % (system calls, by strace) and 25 % (resident bytes) by
`make bench-counts`.

{counts_markdown()}

## Resident memory of the idle screen

At 120x40, after 3 s; pages of files are shared with whoever else maps them.

{smaps_markdown(b)}

## Cells to the terminal: tdtop's own writer or ncurses

The same 200 frames of the demo, in 256 colours, into a socket that counts writes. ncurses stays the terminal library for what
a terminal can do, its modes and its keys; cells go through src/ui/term/term_draw.c, as long as this table says so.

{curses_markdown(b)}
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--release", help="the build folder of release 0.1.0")
    p.add_argument("--write", metavar="FILE", help="make this page")
    p.add_argument("--seconds", type=float, default=5, help="length of one measurement (5); twice that at 1 s")
    p.add_argument("--rounds", type=int, default=3, help="measurements of which the median counts (3)")
    p.add_argument("--starts", type=int, default=9, help="starts of which the median counts (9)")
    p.add_argument("--only", default="", metavar="PART", help="batch, screen, starts, words or replay")
    a = p.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory(prefix="tdtop-bench.") as tmp:
        b = Bench(a, tmp)
        if not all([b.have(p) for p in ("redis-server", "redis-benchmark", "redis-cli")]):
            print("bench: skipped, not installed: " + " ".join(b.missing) + " (apt install redis-server redis-tools)")
            return 0
        try:
            if a.only in "batch screen starts":
                redis = Redis(tmp)
                try:
                    for part in (bench_batch, bench_screen, bench_starts):
                        if a.only in part.__name__:
                            part(b, str(redis.server.pid))
                finally:
                    redis.end()
            for part in (bench_words, bench_replay):
                if a.only in part.__name__:
                    part(b)
            if a.write:
                with open(a.write, "w") as f:
                    f.write(page(b))
        finally:
            b.end()
        for name in b.missing:
            print(f"skipped: {name} is not installed")
        print(f"bench: {b.t.missed} limits missed")
        return 1 if b.t.missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as e:
        sys.exit(f"bench: {e}")
