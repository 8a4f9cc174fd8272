#!/usr/bin/env python3
"""What does not vary from run to run: instructions (callgrind), system calls (strace), resident memory.

    counts.py BUILD [--update | --release] [--only PART] [--cc CC]

BUILD is build/release. Each path is held against tests/bench/counts.txt: dearer by more than 5 % (memory: 25 %;
system calls, of which a live target makes more beside other load: 50 %) fails with the path's name; cheaper by as much is
said, so that the file is made again: --update writes it.
Of what runs for each interval or line, a run of N is taken from one of 2N. Counts belong to a compiler and a C library,
which the file names; with others everything is skipped. Python 3.9 or newer, standard library only; needs valgrind and
strace.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from machine import SPR11, Machine, Run, Skip, pump

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counts.txt")
# The same functions of the C library on every CPU, whatever it has: its choice is part of the count.
TUNABLES = "glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4,-BMI1,-BMI2,-LZCNT,-MOVBE,-ERMS,-FSRM"


# ---- ways to count ----

def tool(m, argv, pattern, what):
    """Runs argv, whose report is in the file that it is given for %; the number that the pattern finds in it."""
    fd, path = tempfile.mkstemp(dir=m.tmp)
    os.close(fd)
    p = subprocess.run([a.replace("%", path) for a in argv], env=m.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True)
    with open(path) as f:
        found = re.findall(pattern, f.read(), re.M)
    if p.returncode or not found:
        raise Skip(f"{what}: exit {p.returncode}: {p.stderr[-400:]}")
    return int(found[-1])


def instructions(m, argv, *options):
    return tool(m, ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=%", *options, *argv],
                r"Collected : (\d+)", "callgrind " + " ".join(argv))


def syscalls(m, argv):
    """Of the thread that counts and prints: others look at the machine now and then."""
    return tool(m, ["strace", "-c", "-U", "name,calls", "-o", "%", *argv], r"^total +(\d+)", "strace " + " ".join(argv))


def syscalls_of_screen(threads, n):
    """Of a refresh of the view of threads, seen for n of them."""
    def count(m):
        fd, path = tempfile.mkstemp(dir=m.tmp)
        os.close(fd)
        r = Run([m.tdtop, "-p", m.pid(threads), "-I", "100ms", "--model", "software"], m.env)
        pump([r], 1)
        os.write(r.fd, b"4")
        pump([r], n * 0.1)
        # What is drawn is left out: how often the terminal takes it is not the program's choice.
        trace = subprocess.Popen(["strace", "-f", "-o", path, "-e", "trace=!poll,futex,write,restart_syscall",
                                  "-p", str(r.pid)], stderr=subprocess.DEVNULL)
        pump([r], n * 0.1)
        trace.terminate()
        trace.wait()
        r.end(b"q")
        with open(path) as f:
            return len(re.findall(r"^\d+ +\w+\(", f.read(), re.M)) / n
    return count


def least(count, n=3):
    """Of several runs: where a clock has a part in it, which only ever adds."""
    return lambda m: min(count(m) for _ in range(n))


def middle(count, n=5):
    """Of several runs: of a difference of two, where a look at the machine falls into either."""
    return lambda m: statistics.median(count(m) for _ in range(n))


def each(count, n, make, per=1):
    """Of `per` of n more: make(n) is the command line of a run of n."""
    return lambda m: (count(m, make(m, 2 * n)) - count(m, make(m, n))) * per / n


def whole(*args):
    return lambda m: instructions(m, [m.tdtop, *args])


def inside(path, n, all_threads=False):
    """n steps of a path of bench.c."""
    options = ["--instr-atstart=no"] + ([] if all_threads else ["--collect-atstart=no"])
    return lambda m: instructions(m, [m.bench, path, str(n)], *options) / n


def first_frame(*args):
    """Until the first frame is written."""
    def count(m):
        folder = tempfile.mkdtemp(dir=m.tmp)
        r = Run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--log-file=/dev/null",
                 "--dump-after=draw_canvas", m.tdtop, *(m.pid() if a == "PID" else a for a in args)], m.env)
        pump([r], 60, lambda: os.path.exists(folder + "/out.1"))
        r.end(b"q")
        with open(folder + "/out.1") as f:
            return int(re.search(r"^(?:totals|summary): (\d+)", f.read(), re.M)[1])
    return count


def resident(*args):
    """Of a screen of 120x40 that has been there for a while, in bytes."""
    def count(m):
        r = Run([m.tdtop, *(m.pid() if a == "PID" else a for a in args)], m.env)
        pump([r], 4)
        rss = r.rss()
        r.end(b"q")
        return rss
    return count


# ---- what is counted ----

def live(threads, model=None, interval="20ms", row=("-b", "-x", ",")):
    return lambda m, n: [m.tdtop, "-p", m.pid(threads), *row, "-I", interval, "-n", str(n),
                         "--model", model or m.model]


def demo(*row):
    return lambda m, n: [m.tdtop, "demo", "-b", "-I", "20ms", "-n", str(n), *row]


def replay(events, *row):
    """Of so many lines of perf stat, an event each."""
    return lambda m, lines: [m.tdtop, "replay", m.recording(events(), lines), "-b", *row]


def spr_events():
    """The names of all events that the model spr counts on a core, as perf list has them."""
    with open(os.path.join(os.path.dirname(FILE), "../../src/model/cpu/spr.toml")) as f:
        return re.findall(r'^"?([A-Z][A-Z0-9_.]+[^" ]*)"? *= *\{', f.read(), re.M)


def listing(m, n):
    return [m.tdtop, "list", "-n", "0", "--csv", "--db", m.store(n)]


# Name, unit, how. What takes longest comes first.
PATHS = [
    ("a snapshot of 10 minutes, until the next key", "instructions", inside("key", 1)),
    ("a snapshot of 10 minutes, until it is stored", "instructions", inside("snapshot", 1, True)),
    ("a drag of the time cursor, history at 200x60", "instructions", inside("drag", 40)),
    ("refresh of the demo: tree", "instructions", inside("tree", 40)),
    ("refresh of the demo: history", "instructions", inside("history", 40)),
    ("refresh of the demo: threads", "instructions", inside("threads", 40)),
    ("10,000 threads sorted by CPU", "instructions", inside("busy", 2)),
    ("10,000 threads sorted by a share", "instructions", inside("share", 1)),
    ("eval_run, spr", "instructions", inside("eval", 200)),
    ("plan_make, spr", "instructions", inside("plan", 1)),
    ("model_open, spr", "instructions", inside("model", 1)),
    ("two runs of 10 minutes compared", "instructions", inside("compare", 1)),
    ("interval of -p: 5 events, CSV", "instructions", middle(each(instructions, 100, live(1)))),
    ("interval of -p: 5 events, CSV", "system calls", middle(each(syscalls, 200, live(1)), 3)),
    ("interval of -p: 300 threads, software, CSV", "system calls", middle(each(syscalls, 20, live(300, "software", "100ms")), 3)),
    ("refresh of -p: 50 threads, view of threads", "system calls",
     least(syscalls_of_screen(50, 30), 2)),
    ("interval of the demo: CSV", "instructions", each(instructions, 50, demo("-x", ","))),
    ("interval of the demo: JSON", "instructions", each(instructions, 50, demo("-j"))),
    ("replay, 11 events: 1,000 lines to CSV", "instructions", each(instructions, 1100, replay(lambda: SPR11, "-x", ","), 1000)),
    ("replay, 11 events: 1,000 lines to JSON", "instructions", each(instructions, 550, replay(lambda: SPR11, "-j"), 1000)),
    ("replay, all events of spr: 1,000 lines to CSV", "instructions", each(instructions, 2200, replay(spr_events, "-x", ","), 1000)),
    ("list --csv: a run", "instructions", each(instructions, 500, listing)),
    ("explain L3_Bound", "instructions", whole("explain", "L3_Bound", "--model", "spr")),
    ("explain --all", "instructions", whole("explain", "--all")),
    ("models", "instructions", whole("models")),
    ("version", "instructions", whole("version")),
    ("first frame of -p", "instructions", first_frame("-p", "PID", "-I", "60s")),
    ("first frame of the demo", "instructions", first_frame("demo", "-I", "60s")),
    ("resident: -p", "bytes", resident("-p", "PID")),
    ("resident: demo", "bytes", resident("demo")),
    ("resident: runs", "bytes", resident("runs")),
]
MARGIN = {"instructions": 0.05, "system calls": 0.50, "bytes": 0.25}


def made_with(cc):
    """What counts depend on."""
    words = [subprocess.run(argv, capture_output=True, text=True).stdout.split("\n")[0]
             for argv in ([cc, "--version"], ["valgrind", "--version"])]
    return f"{words[0]}; {os.confstr('CS_GNU_LIBC_VERSION')}; {words[1]}; {os.uname().machine}"


def read_file():
    """What it was made with, and {(name, unit): (count, that of release 0.1.0 or None)}."""
    if not os.path.exists(FILE):
        return "", {}
    with open(FILE) as f:
        head, *lines = f.read().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return head[2:], {(name, unit): (float(count), float(release) if release != "-" else None)
                      for count, release, unit, name in rows}


def write_file(made, counts):
    with open(FILE, "w") as f:
        f.write(f"# {made}\n# Now, in release 0.1.0, unit, path. Made by `make bench-counts-update`.\n")
        for (name, unit), (count, release) in counts.items():
            f.write(f"{count:.0f}\t{'-' if release is None else format(release, '.0f')}\t{unit}\t{name}\n")


def verdict(unit, count, was):
    """Whether it holds, and the words."""
    if was is None:
        return False, "not in counts.txt: make bench-counts-update"
    was = was[0]
    ratio, margin = count / was, MARGIN[unit]
    if ratio > 1 + margin:
        return False, f"DEARER than {was:,.0f} by {ratio - 1:.1%}"
    if ratio < 1 - margin:
        return True, f"cheaper than {was:,.0f} by {1 - ratio:.1%}: make bench-counts-update"
    return True, f"{ratio - 1:+.1%}"


def count_all(m, paths):
    """Yields (path, count or the Skip) in the order of the table, two at a time."""
    def one(path):
        try:
            return path[2](m)
        except (Skip, OSError, subprocess.CalledProcessError) as e:
            return Skip(str(e))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from zip(paths, pool.map(one, paths))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--update", action="store_true", help="write the reference file")
    p.add_argument("--release", action="store_true", help="BUILD is that of release 0.1.0: write its column")
    p.add_argument("--only", default="", metavar="PART", help="of a path's name")
    p.add_argument("--cc", default="gcc", help="that the program was built with")
    a = p.parse_args()
    missing = [t for t in ("valgrind", "strace") if not shutil.which(t)]
    if missing:
        print(f"SKIP counts: {' and '.join(missing)} not installed")
        return 0
    made, (reference, was) = made_with(a.cc), read_file()
    if not a.update and not a.release and made != reference:
        print(f"SKIP counts: they are of {reference}; here is {made}")
        return 0
    began, failed, counts = time.monotonic(), 0, {}
    with tempfile.TemporaryDirectory(prefix="tdtop-counts.") as tmp:
        m = Machine(a.build, tmp, GLIBC_TUNABLES=TUNABLES)
        try:
            paths = [q for q in PATHS if a.only in q[0]]
            for (name, unit, _), count in count_all(m, paths):
                if isinstance(count, Skip):
                    ok, words = False, f"could not be counted: {count}"
                else:
                    counts[name, unit] = count
                    ok, words = (True, "") if a.update or a.release else verdict(unit, count, was.get((name, unit)))
                failed += not ok
                number = "" if isinstance(count, Skip) else f"{count:,.0f}"
                print(f"{'' if ok else 'FAILED '}{name}: {number} {unit}  {words}", flush=True)
        finally:
            m.end()
    if a.release:
        write_file(reference, {k: (v[0], counts.get(k, v[1])) for k, v in was.items()})
    elif a.update and not failed:
        new = {k: (v, was.get(k, (0, None))[1]) for k, v in counts.items()}
        write_file(made, {**was, **new} if a.only else new)
    print(f"{time.monotonic() - began:.0f} s")
    print(f"counts: {len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
