#!/usr/bin/env python3
"""agent_test.py TDTOP: `tdtop agent`: targets that are absent, come, end and come again; schedules, rules, labels; what is old
goes; SIGTERM keeps what was measured within a second, SIGHUP reads the file again, kill -9 loses nothing that was stored; two
agents on one store; what systemd is told; the unit of install-service; series for Prometheus (promtool and a real one where
they are installed). Ends with "agent: N passed, N failed"."""
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import datetime

from lib import ask, check, fetch, over, prometheus, promtool, run, series, tdtop, tmp, value, wait_for

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
        "[[target]]\nall = true\nevery = 'often'\n": r":3:\d+: every often: 'often': not a duration", "keep = 'x'\n[[target]]\nall = true\n":
        r":1:1: keep: 'x' is no span", "keep_size = '3'\n[[target]]\nall = true\n": r":1:1: keep_size: '3' is no size",
        "[[target]]\nall = true\nwhen = ['IPC']\n": ":3:1: rule 'IPC': .*neither > nor <", "[[target]]\nall = true\nlabel = ['x']\n": ":3:1: label 'x'",
        "[default]\nlabel = ['a=1', 'x']\n[[target]]\nall = true\nlabel = ['b=2']\n": ":2:1: label 'x'",
        "[default]\ninterval = '1x'\n[[target]]\nall = true\n": ":2:1: interval 1x: ",
        "what = 1\n[[target]]\nall = true\n": r":1:1: found 'what'", "[[target]]\nall = true\npid = 1\n": "more than one target",
        "[[target]]\nall = true\ninterval = [1]\n": "one value, not an array", "[[target]]\nall = true\njson = true\n": "'json' is nothing",
        "target = 3\n": "has no", "listen = 'x'\n[[target]]\nall = true\n": r":1:1: listen x: give ADDRESS:PORT",
        "\nlisten = '0.0.0.0:1'\n[[target]]\nall = true\n": r":2:1: listen 0.0.0.0:1: .*insecure_listen = true",
        "textfile = 1\n[[target]]\nall = true\n": ":1:1: ", "insecure_listen = 'x'\n[[target]]\nall = true\n": ":1:1: insecure_listen",
        f"db = '{tmp}'\n[[target]]\nall = true\n": "db: .* is a folder", f"textfile = '{tmp}/no'\n[[target]]\nall = true\n": "textfile .*/no: it is no folder",
        "listen = ':1'\n[[target]]\nall = true\n[[target]]\nname = 'system'\npid = 1\n": ":4:3: there is a target called 'system' already",
        "[[target]]\nall = true\nwhen = ['No_Such > 1 for 2s']\n": "system: rule 'No_Such > 1 for 2s': the model [^ ]+ has no metric No_Such",
        "[[target]]\nname = 'n'\nall = true\nduration = '1s'\nwhere = 'Nothing'\n": "n: where Nothing: model [^ ]+ has no such node",
    }.items():
        p = run("agent", "--dry-run", "--config", write(text))
        check(f"file {text!r}", p.returncode == 1 and re.search(words, p.stderr) and not p.stdout, p.stderr)
    p = run("agent", "--config", write(f"textfile = '{tmp}/none'\n[[target]]\nall = true\n"))
    check("textfile: no folder", p.returncode == 1 and "is no folder" in p.stderr and "target" not in p.stderr, p.stderr)
    same = "[[target]]\nall = true\n[[target]]\nall = true\n"
    check("names need not differ without series", run("agent", "--dry-run", "--config", write(same)).returncode == 0)
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


def stays():
    """SIGHUP: a target that is as before goes on, its run and its series; the others, and what is new, begin."""
    head, row = 'listen = "127.0.0.1:0"\n', f'[[target]]\nname = "%s"\npid = {os.getpid()}\ninterval = "%dms"\n'
    short = row % ("short", 100) + 'duration = "1s"\n'
    path = write(head + short + row % ("same", 100) + row % ("changes", 100) + row % ("goes", 100))
    ag = Agent(path)
    ag.says("4 targets\n")
    page = re.search(r"http://\S+/metrics", ag.said())[0]

    def intervals(name):
        return value(fetch(page), "tdtop_intervals_total", target=name)

    def is_there():
        try:
            return bool(fetch(page))
        except OSError:
            return False

    check("all are measured", wait_for(lambda: min(intervals(n) for n in ("same", "changes", "goes")) >= 5), ag.said())
    before = intervals("same")
    rule = 'when = ["No_Such > 1 for 2s"]\n'
    write(head + row % ("new", 100) + rule + short + row % ("same", 100) + row % ("changes", 100) + rule + row % ("goes", 100))
    ag.p.send_signal(signal.SIGHUP)
    check("what the machine does not have", ag.says("new: rule .* has no metric No_Such.*\ntdtop: new: is not watched any more") and
          ag.says("changes: rule .*\ntdtop: changes: goes on as it was") and ag.says("5 targets, 4 as before\n") and
          not re.search("(same|changes|goes): run", ag.said()), ag.said())
    write(head + row % ("new", 100) + row % ("changes", 200) + short + row % ("same", 100))
    ag.p.send_signal(signal.SIGHUP)
    n = ag.said().count("short: run ")
    check("two are as before", ag.says("4 targets, 2 as before\n") and ag.says("changes: run ") and ag.says("goes: run "), ag.said())
    check("it has no run of its own so far", "same: run " not in ag.said(), ag.said())
    check("its series go on", wait_for(lambda: intervals("new") >= 3) and intervals("same") > before and not intervals("goes"),
          (before, intervals("same"), intervals("goes")))
    check("and the runs of another", ag.says("short: run ", times=n + 3), ag.said())
    got = runs("--filter", "target=short")
    check("runs have the name of their target", len(got) >= n + 2, got)
    write(head + row % ("same", 100))
    ag.p.send_signal(signal.SIGHUP)
    check("once more", ag.says("1 target, 1 as before\n") and ag.says("new: run "), ag.said())
    write(row % ("same", 100))
    ag.p.send_signal(signal.SIGHUP)
    check("nothing is published any more", ag.says(r"1 target(, 1 as before)?\n", times=2) and wait_for(lambda: not is_there()), ag.said())
    write(head + row % ("same", 100))
    ag.p.send_signal(signal.SIGHUP)
    check("published again: it begins anew", ag.says("http://", times=2) and ag.says("same: run "), ag.said())
    page = re.findall(r"http://\S+/metrics", ag.said())[-1]
    check("and has series", wait_for(lambda: intervals("same") and intervals("same") >= 3), ag.said())
    code, took = ag.end()
    check("and it ends as all do", code == 0 and took < 1 and len(re.findall("same: run ", ag.said())) >= 2, (code, took, ag.said()))


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
    check("unit: what it would not see", f"{path}: the service has a /tmp of its own" in p.stderr or not path.startswith("/tmp/"), p.stderr)
    where = run("install-service", "--preview", "--config", write('[[target]]\nall = true\nwhere = "auto"\n'))
    check("unit: more only where it is needed", "CAP_PERFMON CAP_SYS_PTRACE\n" in where.stdout, where.stdout)
    p = run("install-service", "--preview", "--config", write('db = "/srv/x.db"\n[[target]]\nall = true\n'))
    check("unit: a store that it may not write", p.returncode == 1 and "take db out" in p.stderr and not p.stdout, p.stderr)
    server = run("install-service", "--preview", "--config", write('db = "postgresql://host1@db.example.com/fleet"\n[[target]]\nall = true\n'))
    check("and its password", "/etc/tdtop/pgpass is not there" in server.stderr or os.path.exists("/etc/tdtop/pgpass"), server.stderr)
    check("a store on a server: the network, and no more", server.returncode == 0 and "PrivateNetwork" not in server.stdout and "IPAddressDeny" not in server.stdout and
          "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6" in server.stdout and "TDTOP_DB=%S/tdtop/runs.db" in server.stdout, server.stderr + server.stdout)
    listens = run("install-service", "--preview", "--config", write('listen = "127.0.0.1:9464"\ntextfile = "/srv/textfile"\n[[target]]\nall = true\n'))
    check("series: loopback, and no more", listens.returncode == 0 and "PrivateNetwork" not in listens.stdout and
          "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6\nIPAddressDeny=any\nIPAddressAllow=localhost\n" in listens.stdout, listens.stderr + listens.stdout)
    check("series: a folder for the file", "ReadWritePaths=-/srv/textfile\n" in listens.stdout, listens.stdout)
    p = run("install-service", "--preview", "--config", write('listen = "0.0.0.0:9464"\ninsecure_listen = true\n[[target]]\nall = true\n'))
    check("series for all", "IPAddress" not in p.stdout and "AF_INET6\n" in p.stdout and "PrivateNetwork" not in p.stdout, p.stderr + p.stdout)
    if os.geteuid() == 0 and os.path.isdir("/dev/shm"):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as dir:
            os.chmod(dir, 0o775)
            os.chown(dir, 0, 4242)
            p = run("install-service", "--preview", "--config", write(f'textfile = "{dir}"\n[[target]]\nall = true\n'))
        check("series: the group of the folder", "SupplementaryGroups=4242\n" in p.stdout, p.stderr + p.stdout)
    for dir, words in ("prom", "give a whole one"), ("/srv/a b", "cannot name"), ("/tmp/prom", "a /tmp of its own"):
        p = run("install-service", "--preview", "--config", write(f'textfile = "{dir}"\n[[target]]\nall = true\n'))
        check(f"series: {dir}", p.returncode == 1 and words in p.stderr and not p.stdout, p.stderr)
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
    for text, name in ((run("install-service", "--preview", "--config", path).stdout, "system"), (where.stdout, "samples"), (server.stdout, "server"), (listens.stdout, "listens")):
        unit_path = write(text, f"{name}.service")
        p = subprocess.run(["systemd-analyze", "verify", "--man=no", unit_path], capture_output=True, text=True)
        check(f"systemd-analyze verify: {name}", p.returncode == 0 and not p.stderr.strip(), p.stderr)
        p = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit_path], capture_output=True, text=True)
        level = re.search(r"exposure level for \S+: ([\d.]+)", p.stdout)
        check(f"systemd-analyze security: {name}", level and float(level[1]) <= 2.0, p.stdout[-300:] + p.stderr)


def busy(seconds, own):
    """A process of a name of its own that computes for that time."""
    name = f"{NAME}{own}"
    if not os.path.exists(f"{tmp}/{name}"):
        shutil.copy(os.path.realpath(sys.executable), f"{tmp}/{name}")
    p = subprocess.Popen([f"{tmp}/{name}", "-Sc", f"import time\nend = time.time() + {seconds}\nwhile time.time() < end: pass"],
                         env={**os.environ, "PYTHONHOME": sys.base_prefix})
    alive.append(p)
    return p


def served():
    """Series of all targets: they come and go with what is measured; counters do not fall from run to run."""
    first = busy(60, "w")
    head = f'listen = "127.0.0.1:0"\n[default]\ninterval = "100ms"\nlabel = ["fleet=test", "a-b=1", "of=2"]\n'
    targets = (f'[[target]]\nname = "worker"\npid = {first.pid}\nlabel = ["role=w", "fleet=own"]\n'
               f'[[target]]\nname = "comes"\nprocess = "{NAME}c"\n'
               '[[target]]\nname = "sim"\ndemo = true\nseed = 3\nduration = "1s"\n'
               '[[target]]\nname = "seldom"\nall = true\nevery = "3s"\nduration = "1s"\n')
    ag, url = begun(write(head + targets, "served.toml"))
    if not url:
        first.kill()
        return

    def until(what, seconds=20):
        """A page for which it is true."""
        def get():
            page = fetch(url)
            return page if what(page) else None
        return wait_for(get, seconds) or ""

    text = until(lambda t: value(t, "tdtop_intervals_total", target="sim") > 3 and value(t, "tdtop_intervals_total", target="worker") > 3)
    check("all targets", {dict(k)["target"] for k in series(text, "tdtop_target_up")} >= {"worker", "comes", "sim"}, text[:900])
    check("absent is 0, and has no other series", series(text, "tdtop_target_up").get((("fleet", "test"), ("target", "comes"))) == 0 and
          text.count('target="comes"') == 1, [line for line in text.splitlines() if "comes" in line])
    check("labels of the target, the last of a name", all(dict(k).get("role") == "w" and dict(k)["fleet"] == "own"
          for k in series(text, "tdtop_events_total") if dict(k)["target"] == "worker"), text[:900])
    check("which labels are no labels of series is said once", len(re.findall("a-b=1: not on series: give NAME=VALUE", ag.said())) == 1 and
          len(re.findall("of=2: not on series: tdtop gives", ag.said())) == 1, ag.said())
    check("simulated series say so", all((dict(k).get("simulated") == "true") == (dict(k)["target"] == "sim")
          for k in series(text, "tdtop_intervals_total")))
    for name, accept in ("text", None), ("OpenMetrics", "application/openmetrics-text"):
        page, heads = fetch(url, accept), {}
        for line in page.splitlines():
            if line.startswith("# TYPE "):
                heads[line.split()[2]] = heads.get(line.split()[2], 0) + 1
        check(f"each family once: {name}", len(heads) == 11 and set(heads.values()) == {1}, heads)
    promtool("agent", text)

    # a target that ends and comes again, twice
    def of(t, name="tdtop_measured_seconds_total", target="comes"):
        return value(t, name, target=target)
    seen = 0
    for life in 1, 2:
        p = busy(60, "c")
        text = until(lambda t: of(t) > seen + 1 and of(t, "tdtop_target_up") == 1)
        check(f"life {life}: counters go on", of(text) > seen + 1, (seen, of(text), ag.said()))
        # in one interval it may not have had a CPU
        text = until(lambda t: (of(t, "tdtop_vital_sign") or 0) > 0)
        check(f"life {life}: vital signs", of(text, "tdtop_vital_sign") > 0, text[:900])
        p.kill()
        p.wait()
        text = until(lambda t: of(t, "tdtop_target_up") == 0)
        check(f"life {life}: absent", of(text) > 1 and not [k for n in ("vital_sign", "share_ratio") for k in series(text, f"tdtop_{n}")
              if dict(k)["target"] == "comes"], [line for line in text.splitlines() if "comes" in line])
        seen = of(text)
    check("its counters are what its runs have", wait_for(lambda: len(runs("-P", f"{NAME}c")) == 2) and
          abs(sum(r["duration"] for r in runs("-P", f"{NAME}c")) - seen) < 0.02, (seen, runs("-P", f"{NAME}c")))

    # by schedule: nothing but counters in between
    up = (("fleet", "test"), ("target", "seldom"))
    check("measured", until(lambda t: series(t, "tdtop_target_up").get(up) == 1))
    text = until(lambda t: up not in series(t, "tdtop_target_up") and of(t, target="seldom"))
    check("between two runs", text and not of(text, "tdtop_vital_sign", "seldom"), text[:900])
    again = until(lambda t: of(t, target="seldom") > of(text, target="seldom"))
    check("its counters go on, too", again)
    check("counters never fall", again and all(again_v >= v for n in ("events_total", "slots_total", "intervals_total")
          for k, v in series(text, f"tdtop_{n}").items() for again_v in [series(again, f"tdtop_{n}").get(k, -1)]))

    # a pid that is gone
    first.kill()
    first.wait()
    check("a pid that is gone has no series", until(lambda t: 'target="worker"' not in t), ag.said())

    # SIGHUP: the same address; a bad new one; another one
    def reread(head, targets, words, times=1):
        write(head + targets, "served.toml")
        ag.p.send_signal(signal.SIGHUP)
        check(f"SIGHUP: {words}", ag.says(words, times=times), ag.said())
    sim = '[[target]]\nname = "sim"\ndemo = true\nseed = 3\n'
    reread(head, sim + '[[target]]\nname = "all"\nall = true\n', "2 targets")
    check("SIGHUP: series of the rows that are left, at the same address", until(lambda t: {dict(k)["target"] for k in
          series(t, "tdtop_target_up")} == {"sim", "all"}) and 'target="comes"' not in fetch(url), ag.said())
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        taken = f'listen = "127.0.0.1:{s.getsockname()[1]}"\n'
        reread(taken, sim, "in use; another port(.|\n)*goes on with what it had")
        url = re.findall(r"http://\S+", ag.said())[-1]  # the port was any
        check("SIGHUP: it goes on", until(lambda t: 'target="all"' in t), ag.said())
        p = run("agent", "--config", write(taken + sim, "busy.toml"))
        check("address in use", p.returncode == 1 and "in use" in p.stderr and "1 target" not in p.stderr, p.stderr)
    os.mkdir(f"{tmp}/prom")
    reread(f'textfile = "{tmp}/prom"\n', sim, "1 target\n")
    path = f"{tmp}/prom/tdtop-agent.prom"

    def text_of():
        try:
            with open(path) as f:
                return f.read()
        except OSError:
            return ""
    check("textfile", wait_for(lambda: value(text_of(), "tdtop_intervals_total", target="sim") > 3), ag.said())
    check("textfile: others may read it", os.stat(path).st_mode & 0o777 == 0o644, oct(os.stat(path).st_mode))
    promtool("textfile of an agent", text_of())
    try:
        fetch(url)
        check("nothing listens any more", False)
    except OSError:
        pass
    code, took = ag.end()
    check("it ends, and the file goes", code == 0 and took < 3 and not os.listdir(f"{tmp}/prom"), (code, took, os.listdir(f"{tmp}/prom")))


def begun(path):
    """An agent that listens: it, and its address; no address: libmicrohttpd is not installed, which is said."""
    ag = Agent(path)
    m = wait_for(lambda: re.search(r"http://\S+|tdtop: --listen.*", ag.said()))
    if not m or not m[0].startswith("http"):
        print(f"SKIP agent: series over HTTP: {ag.said().strip()}")
        return ag, None
    return ag, m[0]


def slots_of(run_id):
    """Slots by category of a run of the simulated core in the store."""
    whole = json.loads(run("export", run_id).stdout)
    event = next(i for i, e in enumerate(whole["events"]) if e["name"] == "TOPDOWN.SLOTS:perf_metrics")
    at = next(i for i, s in enumerate(whole["slots"]) if s["event"] == event)
    n = sum(i["counts"][at] for i in whole["intervals"])
    return {m["path"].lower(): m["value"] * n for m in whole["nodes"] if m["level"] == 1 and m["share"]}


def scraped():
    """What a real Prometheus adds up over targets is what their runs in the store say."""
    pids = [busy(60, own) for own in "xy"]
    ag, url = begun(write('listen = "127.0.0.1:0"\n[default]\ninterval = "200ms"\nlabel = ["part=scraped"]\nevery = "1h"\nduration = "3s"\n' + "".join(
        f'[[target]]\nname = "{own}"\npid = {p.pid}\n' for own, p in zip("xy", pids)) + "".join(
        f'[[target]]\nname = "demo{seed}"\ndemo = true\nseed = {seed}\n' for seed in (8, 9))))
    if url:
        check("runs of all", ag.says(": run ", times=4) and wait_for(lambda: len(runs("--filter", "part=scraped")) == 4), ag.said())
        stored = runs("--filter", "part=scraped")
        with prometheus([url]) as port:
            if not port:
                print("SKIP agent: a real Prometheus: not installed (package prometheus)")
            else:
                rows = wait_for(lambda: len(ask(port, "tdtop_intervals_total > 13")) == 4 and ask(port, "sum by (category) (tdtop_slots_total)"), 60) or []
                got = {r["metric"]["category"]: float(r["value"][1]) for r in rows}
                demos = [slots_of(r["run_id"]) for r in stored if r["simulated"]]
                want = {c: sum(d[c] for d in demos) for c in got}
                check("slots by category over targets", len(got) == 4 and len(demos) == 2 and all(abs(got[c] / want[c] - 1) < 1e-3 for c in got), (got, want))
                got = sum(float(r["value"][1]) for r in ask(port, "tdtop_measured_seconds_total"))
                check("time over targets", abs(got - sum(r["duration"] for r in stored)) < 0.001, (got, stored))
                got = {r["metric"]["target"]: float(r["value"][1]) / 1e9 for r in ask(port, 'tdtop_events_total{event="task_clock",target=~"x|y"}')}
                want = [next(m["value"] for m in json.loads(run("export", r["run_id"]).stdout)["nodes"] if m["name"] == "CPUs_Utilized") * r["duration"]
                        for r in stored if not r["simulated"]]
                check("CPU time of real processes", len(got) == len(want) == 2 and abs(sum(got.values()) / sum(want) - 1) < 1e-6, (got, want))
        check("nothing is said to be up between runs", "tdtop_target_up{" not in fetch(url))
    ag.end()
    for p in pids:
        p.kill()


def crowd():
    """Who scrapes without a pause delays no interval."""
    ag, url = begun(write('listen = "127.0.0.1:0"\n[default]\ninterval = "100ms"\n' + "".join(
        f'[[target]]\nname = "demo{seed}"\ndemo = true\nseed = {seed}\n' for seed in range(3)) + '[[target]]\nall = true\n'))
    if url:
        def n():
            page = fetch(url)
            return {dict(k)["target"]: v for k, v in series(page, "tdtop_intervals_total").items()}
        before = wait_for(lambda: [got for got in [n()] if len(got) == 4 and min(got.values()) > 5])[0]
        began = time.monotonic()
        for _ in range(1000):
            fetch(url)
        took, after = time.monotonic() - began, n()
        for target in before:
            check(f"1,000 scrapes: {target} is measured", after[target] - before[target] > 10 * took / 2, (after[target] - before[target], took))
    ag.end()


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
    for part in (files, life, again, stays, killed, old, systemd, unit, served, scraped, crowd, flat):
        part()
finally:
    for p in alive:
        if p.poll() is None:
            p.kill()
over("agent")
