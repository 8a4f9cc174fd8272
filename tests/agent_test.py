#!/usr/bin/env python3
"""agent_test.py TDTOP: `tdtop agent`: targets that are absent, come, end and come again; schedules, rules, labels; what is old
goes; SIGTERM keeps what was measured within a second, SIGHUP reads the file again, kill -9 loses nothing that was stored; two
agents on one store; what systemd is told; the unit of install-service. Ends with "agent: N passed, N failed"."""
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from datetime import datetime

from lib import check, over, run, tdtop, tmp, wait_for

os.chdir(tmp)
NAME = f"agent{os.getpid() % 100000}"  # of the program that is watched: no other test's
shutil.copy(shutil.which("sleep"), f"{tmp}/{NAME}")
alive = []


def runs(*args):
    p = run("list", "-n", "0", "-j", *args)
    return json.loads(p.stdout) if p.returncode == 0 else []


def write(text, name="agent.toml"):
    with open(f"{tmp}/{name}", "w") as f:
        f.write(text)
    return f"{tmp}/{name}"


class Agent:
    def __init__(self, path, **env):
        self.log = tempfile.NamedTemporaryFile("r", dir=tmp)
        self.p = subprocess.Popen([tdtop, "agent", "--config", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=open(self.log.name, "w"), env={**os.environ, **env})
        alive.append(self.p)

    def said(self):
        with open(self.log.name) as f:
            return f.read()

    def says(self, words, seconds=20, times=1):
        return wait_for(lambda: len(re.findall(words, self.said())) >= times, seconds)

    def end(self, sig=signal.SIGTERM):
        begin = time.monotonic()
        self.p.send_signal(sig)
        code = self.p.wait(timeout=20)
        return code, time.monotonic() - begin


def files():
    """What is wrong in the file is said with its place."""
    for text, words in {
        "": "has no .*target", "[[target]]\nprocess = 'x'\nprocess = 'y'\n": r"agent.toml:3:",
        "[[target]]\n": "no target", "[[target]]\nnope = 1\nall = true\n": r":2:1: 'nope' is nothing that a target has",
        "[[target]]\nall = true\nevery = 'often'\n": r":1:\d+: --every often: 'often': not a duration", "keep = 'x'\n[[target]]\nall = true\n":
        r":1:1: keep: 'x' is no span", "keep_size = '3'\n[[target]]\nall = true\n": r":1:1: keep_size: '3' is no size",
        "[[target]]\nall = true\nwhen = ['IPC']\n": "neither > nor <", "[[target]]\nall = true\nlabel = ['x']\n": "label",
        "what = 1\n[[target]]\nall = true\n": r":1:1: found 'what'", "[[target]]\nall = true\npid = 1\n": "more than one target",
        "[[target]]\nall = true\ninterval = [1]\n": "one value, not an array", "[[target]]\nall = true\njson = true\n": "'json' is nothing",
        "target = 3\n": "has no",
    }.items():
        p = run("agent", "--dry-run", "--config", write(text))
        check(f"file {text!r}", p.returncode == 1 and re.search(words, p.stderr) and not p.stdout, p.stderr)
    p = run("agent", "--config", f"{tmp}/absent.toml")
    check("no file", p.returncode == 1 and "absent.toml" in p.stderr, p.stderr)
    p = run("agent")
    check("no file at all: one is shown", p.returncode == 1 and "[[target]]" in p.stderr, p.stderr)
    p = run("agent", "--dry-run", "--config", write("[default]\nlabel = ['a=1']\n[[target]]\nall = true\nlabel = ['b=2']\n"))
    check("dry run", p.returncode == 0 and "1 target" in p.stdout, p.stderr + p.stdout)


def life():
    """Waits, measures, is told of the end, waits again; the other targets go on."""
    ag = Agent(write(f"""
[default]
interval = "100ms"
label = ["fleet=test"]
[[target]]
process = "{NAME}"
duration = "1h"
label = ["role=sleeper"]
[[target]]
name = "by schedule"
cpus = "0"
every = "2s"
duration = "500ms"
[[target]]
name = "no such"
pid = 999999999
"""))
    check("waits", ag.says(f"{NAME}: waiting for a process named {NAME}"), ag.said())
    check("a pid that is gone is not watched any more", ag.says("no such: is not watched any more"), ag.said())
    for life_of in (1, 2):
        p = subprocess.Popen([f"{tmp}/{NAME}", "4"])
        check(f"life {life_of}", ag.says(f"{NAME}: run [0-9a-f]+: \\d+ intervals", times=life_of), ag.said())
        p.wait()
    got = runs("-P", NAME)
    check("a run of each life, with labels of both", len(got) == 2 and all(
        r["labels"].get("fleet") == "test" and r["labels"].get("role") == "sleeper" for r in got), got)
    check("by schedule", wait_for(lambda: len([r for r in runs() if r["process_name"] != NAME]) >= 3), ag.said())
    begun = sorted(datetime.fromisoformat(r["started_at"]).timestamp() for r in runs() if r["process_name"] != NAME)[:3]
    apart = [b - a for a, b in zip(begun, begun[1:])]
    check("every 2 s", all(1.7 < s < 3.5 for s in apart), apart)
    p = subprocess.Popen([f"{tmp}/{NAME}", "100"])
    n = len(runs("-P", NAME))
    time.sleep(4)
    code, took = ag.end()
    check("SIGTERM: within a second", code == 0 and took < 1, (code, took, ag.said()))
    got = runs("-P", NAME)
    check("SIGTERM: what was measured is kept", len(got) == n + 1, got)
    p.kill()


def again():
    """SIGHUP: another file counts; a wrong one does not; a rule fires in an agent; two agents on one store."""
    path = write('[[target]]\nname = "first"\nall = true\ninterval = "100ms"\n')
    ag = Agent(path)
    check("one target", ag.says("1 target\n"), ag.said())
    write("[[target]]\nwrong = true\n")
    ag.p.send_signal(signal.SIGHUP)
    check("a wrong file changes nothing", ag.says("goes on with what it had"), ag.said())
    time.sleep(0.5)
    write('[[target]]\nname = "rule"\ndemo = true\ninterval = "20ms"\nseed = 5\nwhen = ["DRAM_Bound > 30% for 40ms"]\naround = "500ms"\n'
          '[[target]]\nname = "second"\nall = true\ninterval = "100ms"\nduration = "1s"\n')
    ag.p.send_signal(signal.SIGHUP)
    check("SIGHUP: the new file", ag.says("2 targets\n") and ag.says("first: run "), ag.said())
    other = Agent(write('[[target]]\nname = "other"\nall = true\ninterval = "100ms"\nduration = "1s"\n', "other.toml"))
    check("two agents", ag.says("second: run ", times=3) and other.says("other: run ", times=3), ag.said() + other.said())
    code, took = other.end(signal.SIGINT)
    check("SIGINT likewise", code == 0 and took < 1, (code, took))
    code, took = ag.end()
    check("both have ended", code == 0 and took < 1, (code, took, ag.said()))


def killed():
    ag = Agent(write('[[target]]\nname = "k"\nall = true\ninterval = "50ms"\nduration = "500ms"\n'))
    ag.says("k: run ", times=3)
    ag.p.kill()
    ag.p.wait()
    said = re.findall(r"k: run ([0-9a-f]+)", ag.said())
    ids = [r["run_id"][:8] for r in runs()]
    check("kill -9: what was said to be stored is", len(said) >= 3 and all(i in ids for i in said), (said, ids))
    p = run("db", "check")
    check("kill -9: the store is sound", p.returncode == 0, p.stdout + p.stderr)


def old():
    """keep and keep_size, at the start."""
    db = sqlite3.connect(os.environ["TDTOP_DB"])
    n = len(runs())
    column = next(c for c in [r[1] for r in db.execute("PRAGMA table_info(runs)")] if "begun" in c)
    table = "runs"
    with db:
        db.execute(f"UPDATE {table} SET {column} = {column} - 100 * 86400000000000 WHERE id IN (SELECT id FROM {table} LIMIT 2)")
    db.close()
    ag = Agent(write('keep = "90d"\n[[target]]\nall = true\n'))
    check("keep: older ones go", ag.says("2 runs were too old") and len(runs()) == n - 2, (n, len(runs()), ag.said()))
    ag.end(signal.SIGKILL)
    for _ in range(3):
        run("collect", "--demo", "-d", "1200")
    ag = Agent(write('keep_size = "1MB"\n[[target]]\nall = true\n'))
    check("keep_size: the oldest go", ag.says("keep_size: removed"), ag.said())
    ag.end(signal.SIGKILL)
    stats = json.loads(run("db", "stats", "-j").stdout)
    check("keep_size: so much is left", stats["bytes"] - stats["free_bytes"] <= 1e6, stats)


def systemd():
    """What is sent to $NOTIFY_SOCKET, and lines with levels where standard error is the journal's."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(f"{tmp}/notify")
    s.settimeout(20)
    path = write('[[target]]\nname = "n"\nall = true\ninterval = "100ms"\n')
    ag = Agent(path, NOTIFY_SOCKET=f"{tmp}/notify", WATCHDOG_USEC="600000")
    check("READY", s.recv(1000).startswith(b"READY=1\nSTATUS=1 target of "))
    began = time.monotonic()
    check("WATCHDOG", [s.recv(1000) for _ in range(4)] == [b"WATCHDOG=1"] * 4)
    check("WATCHDOG: twice as often as is wanted", 0.6 < time.monotonic() - began < 2, time.monotonic() - began)
    ag.p.send_signal(signal.SIGHUP)
    got = [m for m in (s.recv(1000) for _ in range(4)) if m != b"WATCHDOG=1"]
    check("RELOADING, READY", re.match(rb"RELOADING=1\nMONOTONIC_USEC=\d+$", got[0]) and got[1].startswith(b"READY=1"), got)
    ag.end()
    last = b""
    s.settimeout(0.2)
    try:
        while True:
            last = s.recv(1000)
    except TimeoutError:
        pass
    check("STOPPING", last == b"STOPPING=1", last)
    log = open(f"{tmp}/journal", "w")
    st = os.fstat(log.fileno())
    p = subprocess.Popen([tdtop, "agent", "--config", write("[[target]]\nname = 'x'\npid = 999999999\n")], stderr=log,
                         env={**os.environ, "JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"})
    code = p.wait(timeout=20)
    said = open(f"{tmp}/journal").read()
    check("journal: levels", code == 1 and "<3>tdtop: x: " in said and "<6>tdtop: x: is not watched any more" in said, said)


def unit():
    path = write('[[target]]\nall = true\n')
    p = run("install-service", "--preview", "--config", path)
    check("unit: rights", p.returncode == 0 and "AmbientCapabilities=CAP_PERFMON\n" in p.stdout and "DynamicUser=yes" in p.stdout, p.stderr)
    where = run("install-service", "--preview", "--config", write('[[target]]\nall = true\nwhere = "auto"\n'))
    check("unit: more only where it is needed", "CAP_PERFMON CAP_SYS_PTRACE\n" in where.stdout, where.stdout)
    p = run("install-service", "--preview", "--config", write('db = "/srv/x.db"\n[[target]]\nall = true\n'))
    check("unit: a store that it may not write", p.returncode == 1 and "take db out" in p.stderr and not p.stdout, p.stderr)
    server = run("install-service", "--preview", "--config", write('db = "postgresql://host1@db.example.com/fleet"\n[[target]]\nall = true\n'))
    check("a store on a server: the network, and no more", server.returncode == 0 and "PrivateNetwork" not in server.stdout and "IPAddressDeny" not in server.stdout and
          "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6" in server.stdout and "TDTOP_DB=%S/tdtop/runs.db" in server.stdout, server.stderr + server.stdout)
    p = run("install-service", "--preview", "--config", "not_there.toml", cwd=tmp)
    check("a file that is not there yet, by its whole name", f"--config {tmp}/not_there.toml" in p.stdout, p.stdout)
    p = run("install-service", "--preview", "--config", write('[[target]]\nall = true\n', "a b.toml"))
    check("unit: a path that systemd would read in another way", p.returncode == 1 and "without blanks" in p.stderr and not p.stdout, p.stderr)
    path = write('[[target]]\nall = true\n')
    user = run("install-service", "--user", "--config", path)
    made = f"{tmp}/config/systemd/user/tdtop-agent.service"
    check("unit of a user", user.returncode == 0 and os.path.exists(made) and "systemctl --user enable" in user.stderr, user.stderr)
    check("written again", run("install-service", "--user", "--config", path).returncode == 0)
    with open(made, "w") as f:
        f.write("[Service]\nExecStart=/bin/true\n")
    p = run("install-service", "--user", "--config", path)
    check("another's unit stays", p.returncode == 1 and "not from tdtop install-service" in p.stderr and "/bin/true" in open(made).read(),
          p.stderr)
    if not shutil.which("systemd-analyze"):
        print("SKIP agent: systemd-analyze is not installed")
        return
    for text, name in ((run("install-service", "--preview", "--config", path).stdout, "system"), (where.stdout, "samples"), (server.stdout, "server")):
        unit_path = write(text, f"{name}.service")
        p = subprocess.run(["systemd-analyze", "verify", "--man=no", unit_path], capture_output=True, text=True)
        check(f"systemd-analyze verify: {name}", p.returncode == 0 and not p.stderr.strip(), p.stderr)
        p = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit_path], capture_output=True, text=True)
        level = re.search(r"exposure level for \S+: ([\d.]+)", p.stdout)
        check(f"systemd-analyze security: {name}", level and float(level[1]) <= 2.0, p.stdout[-300:] + p.stderr)


def flat():
    """What the first runs take is not taken again by each of those that follow."""
    pids = [subprocess.Popen([f"{tmp}/{NAME}", "60"]) for _ in range(6)]
    ag = Agent(write('[default]\ninterval = "50ms"\nduration = "1s"\n' + "".join(f"[[target]]\nname = 't{i}'\npid = {p.pid}\n" for i, p in enumerate(pids))))

    def resident():
        with open(f"/proc/{ag.p.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))

    check("flat: first runs", ag.says("t5: run [0-9a-f]+: \\d+ intervals", times=1), ag.said())
    first = resident()
    check("flat: ten of each", ag.says("t5: run [0-9a-f]+: \\d+ intervals", times=10, seconds=40), ag.said())
    check("flat: resident memory", resident() < 1.4 * first, (first, resident()))
    ag.end()
    for p in pids:
        p.kill()


try:
    for part in (files, life, again, killed, old, systemd, unit, flat):
        part()
finally:
    for p in alive:
        if p.poll() is None:
            p.kill()
over("agent")
