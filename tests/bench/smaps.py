#!/usr/bin/env python3
"""Resident memory of the idle screen by owner: of a process (live), the demo, a recording and the stored runs.

    smaps.py TDTOP [--seconds N] [--only WHAT] [--least KIB] [--csv]

Each screen runs on a pty of 120x40 until it is idle (N seconds, 3), then /proc/PID/smaps is added up: a row for each
file that is mapped, and for heap, stack and memory without a name. `private dirty` is what the process alone costs;
clean pages of a file are shared with every other process that maps it. KiB (1024 bytes).

Exit status 1 if the total of a screen is above its limit. Python 3.9 or newer, standard library only.
"""
import argparse
import os
import re
import sys
import tempfile

from machine import Run, pump

FIELDS = ("Rss", "Pss", "Private_Dirty")
TITLES = ("owner", "rss", "pss", "private dirty")
RECORDING = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data/replay/skl-levels-1-2.csv")
# Screen: its command line, and the most that it may have resident (MiB).
SCREENS = {"live": (["-p", str(os.getpid())], 6), "demo": (["demo", "--model", "spr"], 8),
           "replay": (["replay", RECORDING, "--model", "skl"], None), "runs": (["runs"], None)}


def owner(name):
    """A file's last part; one word for each kind of the rest."""
    if name in ("[heap]", "[stack]"):
        return name[1:-1]
    if name.startswith("/"):
        return os.path.basename(name)
    return "anon" if not name or name.startswith("[anon") else "kernel"


def smaps(pid):
    """{owner: {field: KiB}} of a process."""
    table, row = {}, None
    with open(f"/proc/{pid}/smaps") as f:
        for line in f:
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)", line)
            if head:
                row = table.setdefault(owner(head[1]), dict.fromkeys(FIELDS, 0))
                continue
            field = re.match(r"(\w+): +(\d+) kB", line)
            if field and field[1] in FIELDS:
                row[field[1]] += int(field[2])
    return {name: row for name, row in table.items() if row["Rss"]}


def idle(argv, env, seconds):
    """The table of a screen that has been left alone for so long."""
    run = Run(argv, env)
    try:
        pump([run], seconds)
        return smaps(run.pid)
    finally:
        run.end()


def print_table(name, table, least):
    """The rows from the dearest down; those below `least` KiB are added up."""
    rest, n = dict.fromkeys(FIELDS, 0), 0
    print(f"\n{name:<28}" + "".join(f"{t:>15}" for t in TITLES[1:]))
    for what, row in sorted(table.items(), key=lambda r: -r[1]["Rss"]):
        if row["Rss"] < least:
            n += 1
            rest = {f: rest[f] + row[f] for f in FIELDS}
        else:
            print(f"  {what:<26}" + "".join(f"{row[f]:>15,}" for f in FIELDS))
    if n:
        print(f"  {f'{n} more':<26}" + "".join(f"{rest[f]:>15,}" for f in FIELDS))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tdtop")
    p.add_argument("--seconds", type=float, default=3, help="how long a screen is left alone (3)")
    p.add_argument("--only", choices=SCREENS, action="append", help="this screen; more than once for several (all)")
    p.add_argument("--least", type=int, default=64, help="owners below so many KiB share a row (64)")
    p.add_argument("--csv", action="store_true", help="screen,owner,rss,pss,private dirty: for programs")
    a = p.parse_args()
    missed = 0
    with open(a.tdtop, "rb") as f:
        os.fsync(f)  # of a program just built the pages are dirty: they would be told as its own
    with tempfile.TemporaryDirectory(prefix="tdtop-smaps.") as tmp:
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "COLORTERM", "NO_COLOR", "LINES", "COLUMNS")}
        env.update(TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=tmp, XDG_CONFIG_HOME=tmp, XDG_DATA_HOME=tmp,
                   XDG_STATE_HOME=tmp)
        if a.csv:
            print("screen," + ",".join(TITLES))
        for name in a.only or SCREENS:
            argv, limit = SCREENS[name]
            table = idle([os.path.abspath(a.tdtop)] + argv, env, a.seconds)
            total = {f: sum(row[f] for row in table.values()) for f in FIELDS}
            over = limit is not None and total["Rss"] > limit * 1024
            missed += over
            if a.csv:
                for what, row in list(table.items()) + [("total", total)]:
                    print(",".join([name, what] + [str(row[f]) for f in FIELDS]))
                continue
            print_table(name, table, a.least)
            verdict = "" if limit is None else f"  limit {limit} MiB: {'MISSED' if over else 'ok'}"
            print(f"  {'total':<26}" + "".join(f"{total[f]:>15,}" for f in FIELDS) + verdict, flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
