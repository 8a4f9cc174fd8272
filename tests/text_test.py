#!/usr/bin/env python3
"""text_test.py TDTOP: text from outside commands no terminal. Run files, stores, recordings, models, settings, other
tools' data, arguments and processes hold a terminal's commands in every text that they have; every verb that shows them is
run, and neither stdout nor stderr nor a file that is written may hold a control character, or a mark that reorders a line.
Ends with "text: N passed, N failed"."""
import json, os, re, shutil, sqlite3, subprocess, sys, tempfile

TDTOP = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else "build/release/tdtop")
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
EVIL = "\x1b]0;evil\x07\u009b2J\x7f\u202e\b"  # sets a title, clears, turns the rest of the line round
TMP = tempfile.mkdtemp()
ENV = dict(os.environ, HOME=TMP, XDG_CONFIG_HOME=TMP + "/config", XDG_DATA_HOME=TMP + "/data", LC_ALL="C.UTF-8", TZ="UTC")
for name in ("TDTOP_DB", "TDTOP_LOG", "NO_COLOR", "COLUMNS"):
    ENV.pop(name, None)
passed = failed = 0
shown = 0  # runs in which the text was seen, made harmless


def is_bad(c):
    return (c < 0x20 and c not in (9, 10)) or 0x7f <= c < 0xa0 or c in (0x61c, 0x200e, 0x200f) \
        or 0x2028 <= c <= 0x202e or 0x2066 <= c <= 0x2069 or 0xdc80 <= c <= 0xdcff


def verdict(what, data):
    """None, or what is wrong with what came out."""
    for i, c in enumerate(data.decode("utf-8", "surrogateescape")):
        if is_bad(ord(c)):
            return "%s: U+%04X in %r" % (what, ord(c), data.decode("utf-8", "replace")[max(0, i - 50):i + 30])


def tdtop(*words, out=None, env=None, text=None):
    """Runs it. Returns (exit status, stdout, what is wrong or None)."""
    p = subprocess.run([TDTOP, *words], input=text, stdin=None if text else subprocess.DEVNULL, capture_output=True,
                       env=env or ENV, timeout=120)
    wrong = verdict("stdout", p.stdout) or verdict("stderr", p.stderr)
    if p.returncode == 0 and "-j" in words:
        try:
            json.loads(p.stdout)
        except ValueError:
            try:
                [json.loads(l) for l in p.stdout.splitlines()]
            except ValueError as e:
                wrong = wrong or "no JSON: %s" % e
    if p.returncode < 0:
        wrong = wrong or "signal %d" % -p.returncode
    if out and os.path.exists(out):
        with open(out, "rb") as f:
            wrong = wrong or verdict("file", f.read())
    return p.returncode, p.stdout + p.stderr, wrong


def clean(what, *words, **more):
    global passed, failed, shown
    rc, said, wrong = tdtop(*words, **more)
    shown += b"evil" in said
    if wrong:
        failed += 1
        if failed <= 40:
            print("FAILED: %s: tdtop %s\n  | %s" % (what, " ".join(words)[:160].encode("unicode_escape").decode(), wrong))
    else:
        passed += 1
    return rc, said


def must(what, held):
    global passed, failed
    passed, failed = passed + bool(held), failed + (not held)
    if not held:
        print("FAILED: " + what)


def verbs_on(what, db, run="@0", few=False):
    """Every verb that shows a stored run."""
    to = db + ".out"
    words = [["query", run], ["query", run, "-j"], ["query", run, "--csv"], ["query", run, "--bottlenecks"],
             ["list"], ["list", "-j"], ["list", "--csv"], ["compare", run, run], ["compare", run, run, "-j"],
             ["compare", run, run, "--markdown"], ["compare", run, run, "--fail-on", "IPC:-5%", "--fail-on", "evil:+1"],
             ["history", "IPC"], ["history", "IPC", "-j"], ["history", "IPC", "--csv"],
             ["export", run], ["export", run, "--markdown"], ["export", run, "--csv"], ["replay", run, "-b", "-v"],
             ["replay", run, "-j", "--explain-value"], ["replay", run, "-x", ",", "--summary"],
             ["replay", run, "--speak", "--speed", "0"],
             ["reeval", run], ["db", "check"], ["db", "stats"], ["label", run], ["rm", run, "--dry-run"]]
    if few:
        words = words[:3] + words[4:6] + words[7:10] + words[14:18]
    for w in words:
        clean(what, *w, "--db", db)
    for ending in (".json", ".md"):
        clean(what, "export", run, "--db", db, "-o", to + ending, out=to + ending)
    clean(what, "replay", run, "--db", db, "--at", "1", "--save", to + ".txt", out=to + ".txt")
    clean(what, "replay", run, "--db", db, "--at", "1", "--save", to + ".svg", out=to + ".svg")


# ---- run files ----

def places(o, at=()):
    """Every text of a JSON value, the first of each list standing for all."""
    if isinstance(o, dict):
        for k, v in o.items():
            yield from places(v, at + (k,))
    elif isinstance(o, list):
        for k, v in enumerate(o[:1]):
            yield from places(v, at + (k,))
    elif isinstance(o, str):
        yield at


def changed(o, at, text):
    o = t = json.loads(json.dumps(o))
    for k in at[:-1]:
        t = t[k]
    t[at[-1]] = text
    return o


def run_files(run, text_of):
    base = json.load(open(run))
    base["environment"] = [{"key": "kernel", "value": "6.1"}]
    base["marks"] = [{"t_ns": 1, "name": "begin"}]
    base["latencies"] = [{"event": "X", "cycles": 3.0}]
    base["nodes"][0]["reason"] = "approximate"
    path, n = TMP + "/run.json", 0
    for at in places(base):
        name = ".".join(map(str, at))
        old = base
        for k in at:
            old = old[k]
        db = "%s/file%d.db" % (TMP, n)
        with open(path, "w") as f:
            json.dump(changed(base, at, "# \u009b\u202e\n" + old if at == ("model_text",) else old + text_of), f)
        rc, _ = clean("run file, " + name, "import", path, "--db", db)
        clean("run file, " + name, "compare", path, path)
        clean("run file, " + name, "replay", path, "-b")
        if rc == 0:
            verbs_on("run file, " + name, db, few=True)
        if at == ("model_text",):  # which is kept to the letter: the escapes of JSON are read back as what they were
            tdtop("export", "@0", "--db", db, "-o", TMP + "/back.json")
            must("a model's text comes back from its escapes",
                 json.load(open(TMP + "/back.json"))["model_text"] == json.load(open(path))["model_text"])
        else:
            must("a run file with a control character in %s is refused" % name, rc == 1)
        n += 1
    with open(path, "w") as f:
        f.write(json.dumps(base)[:-1] + ', "%s": 1}' % "evil\\u009b")
    clean("run file, a key", "import", path, "--db", TMP + "/key.db")
    with open(path, "w") as f:
        f.write('{"tdtop_run": 1, "id": \x1b]0;evil\x07 }')
    clean("run file, no JSON", "import", path, "--db", TMP + "/key.db")


# ---- stores ----

def stores(db):
    con = sqlite3.connect(db)
    columns = []
    for (table,) in con.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        columns += [(table, c[1]) for c in con.execute("PRAGMA table_info(%s)" % table) if c[2] == "TEXT"]
    con.close()
    apart = {"id", "hash", "model_hash", "state", "parent"}  # what else refers to, or has few values
    plain = [c for c in columns if c[1] not in apart and c[0] != "words" and c != ("models", "text")]
    tables = [[c for c in plain if c[0] == t] for t in sorted({c[0] for c in plain})]  # one that is refused hides no other
    for which in [plain] + tables + [[c] for c in columns if c not in plain]:
        name = ", ".join(".".join(c) for c in which)[:60]
        bad = TMP + "/bad.db"
        shutil.copy(db, bad)
        con = sqlite3.connect(bad)
        con.execute("PRAGMA foreign_keys = 0")
        triggers = con.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name_, _ in triggers:  # they forbid it, and the file must be as it was made
            con.execute("DROP TRIGGER " + name_)
        for table, column in which:
            con.execute("UPDATE OR IGNORE %s SET %s = %s || ?" % (table, column, column), (EVIL,))
        for _, sql in triggers:
            con.execute(sql)
        con.commit()
        con.close()
        verbs_on("store, " + name, bad)
        clean("store, " + name, "list", "--db", bad, "--group-by", "build")
        clean("store, " + name, "history", "IPC", "--db", bad, "--group-by", "build")
        os.remove(bad)


# ---- recordings and other tools' data ----

def recordings():
    folder = ROOT + "/tests/data/replay/"
    for name in sorted(os.listdir(folder)):
        lines = open(folder + name, encoding="utf-8").read().split("\n")
        counted = next((i for i, l in enumerate(lines) if l and l[0] != "#" and len(re.split(r"[,\s]+", l)) > 3), 0)
        parts = re.split(r"([,]|\s+)", lines[counted])
        variants = [lines[:k] + [lines[k] + EVIL] + lines[k + 1:] for k in (0, counted)]
        for i in range(0, len(parts), 2):  # in each field
            variants.append(lines[:counted] + ["".join(parts[:i] + [parts[i] + EVIL] + parts[i + 1:])] + lines[counted + 1:])
        variants.append(lines + ["# cpuid : GenuineIntel-6-55-4" + EVIL, "# cmdline : perf stat " + EVIL])
        for v in variants[:12]:
            path = TMP + "/recording" + os.path.splitext(name)[1]
            with open(path, "w") as f:
                f.write("\n".join(v))
            clean("recording " + name, "replay", path, "-b", "-n", "1")
            clean("recording " + name, "replay", path, "-j", "-n", "1")
            clean("recording " + name, "import", path, "--db", TMP + "/recordings.db")
    evil = TMP + "/a" + EVIL.replace("/", "") + ".csv"
    shutil.copy(folder + "skl-levels-1-2.csv", evil)
    for words in (["replay", evil, "-b"], ["replay", evil, "-j"], ["import", evil, "--db", TMP + "/name.db"]):
        clean("name of a recording", *words)
    verbs_on("name of a recording", TMP + "/name.db", few=True)
    toplev = "Timestamp,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle\n" \
             "1.0,BE,Backend_Bound%s,52.1,%% Slots%s,text%s,,0.0,100.0,Y,\n1.0,FE,%s,31.0,%%%s,,,0.0,100.0,,\n" \
             "# 5.1-full%s on Intel(R) Xeon(R) Processor [skx%s]\n"
    for i in range(7):
        path = TMP + "/toplev.csv"
        fill = [EVIL if i in (k, 6) else "" for k in range(7)]
        with open(path, "w") as f:
            f.write(toplev % tuple(fill))
        db = "%s/toplev%d.db" % (TMP, i)
        rc, _ = clean("toplev's CSV", "import", path, "--db", db, "-L", "tool=toplev")
        if rc == 0:
            verbs_on("toplev's CSV", db, few=True)
    peer = TMP + "/data.db"
    con = sqlite3.connect(peer)
    con.executescript("CREATE TABLE runs(run_id TEXT PRIMARY KEY, started_at TEXT, ended_at TEXT, duration_seconds REAL,"
                      " process_name TEXT, level INTEGER, system_wide INTEGER, labels TEXT);"
                      "CREATE TABLE samples(sample_id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, cpu TEXT,"
                      " metric_name TEXT, value REAL, unit TEXT, status TEXT);")
    con.execute("INSERT INTO runs VALUES(?,?,?,?,?,?,?,?)", ("r1" + EVIL, "2026-01-10T10:30:00+00:00", "2026-01-10T10:30:10+00:00",
                10.0, "redis" + EVIL, 2, 0, json.dumps({"branch": "main" + EVIL})))
    for i in range(3):
        con.execute("INSERT INTO samples(run_id, timestamp, cpu, metric_name, value, unit, status) VALUES(?,?,?,?,?,?,?)",
                    ("r1" + EVIL, "2026-01-10T10:30:0%d+00:00" % i, "all", "Backend_Bound" + EVIL, 40.0 + i, "%" + EVIL, "ok" + EVIL))
    con.commit()
    con.close()
    rc, _ = clean("topdown-profiler's data", "import", peer, "--db", TMP + "/peer.db")
    if rc == 0:
        verbs_on("topdown-profiler's data", TMP + "/peer.db", few=True)


# ---- models, settings, arguments, processes ----

def models():
    text = open(ROOT + "/src/model/cpu/zen4.toml", encoding="utf-8").read()
    escaped = "".join("\\u%04x" % ord(c) if is_bad(ord(c)) else c for c in EVIL)
    seen, variants = set(), []
    for m in re.finditer(r'(?:^|[{,]\s*)"?([A-Za-z_]+)"?\s*=\s*"((?:[^"\\]|\\.)*)"', text, re.M):
        if m.group(1) not in seen:
            seen.add(m.group(1))
            variants += [text[:m.end() - 1] + e + text[m.end() - 1:] for e in (escaped, "\u009b2J\u202e")]
    for kind in ("node", "metric", "event"):
        variants.append(text + '\n[%s."evil%s"]\ntitle = "x"\nformula = "1"\n' % (kind, escaped))
    variants += [text + '\n"evil%s" = 1\n' % escaped, '"evil%s" = 1\n' % escaped + text, text + "\n" + EVIL]
    os.makedirs(TMP + "/config/tdtop/models", exist_ok=True)
    for v in variants:
        path = TMP + "/zen4.toml"
        with open(path, "w", encoding="utf-8") as f:
            f.write(v)
        for words in (["models", path], ["models", path, "-j"], ["models", path, "--summary"], ["models", "--check", path],
                      ["demo", "--model", path, "-b", "-v", "-n", "1"], ["plan", "--model", path]):
            clean("model", *words)
    metrics = TMP + "/metrics"
    os.makedirs(metrics)
    for v in ('[metric.Own]\ntitle = "evil%s"\nformula = "1"\n', '[metric."Own%s"]\nformula = "1"\n', '[metric.Own]\nformula = "1%s"\n',
              '[metric.Own]\nformula = "1"\nunit = "evil%s"\n', '# %s\n' % EVIL):
        with open(metrics + "/own.toml", "w", encoding="utf-8") as f:
            f.write(v % escaped if "%s" in v else v)
        clean("own metrics", "demo", "--metrics-dir", metrics, "-b", "-v", "-n", "1")
        clean("own metrics", "models", "--check", metrics + "/own.toml")
    for v in ('theme = "evil%s"\n', 'view = "evil%s"\n', '"evil%s" = 1\n', 'interval = "evil%s"\n', '[keys]\nquit = "evil%s"\n', EVIL):
        with open(TMP + "/config.toml", "w", encoding="utf-8") as f:
            f.write(v % escaped if "%s" in v else v)
        clean("settings", "demo", "-b", "-n", "1", "--config", TMP + "/config.toml")
        clean("settings", "demo", "--at", "1", "--save", TMP + "/p.txt", "--config", TMP + "/config.toml")


def arguments():
    for words in ([EVIL], ["--" + EVIL], ["-P", EVIL, "-b", "-d", "300ms"], ["-p", EVIL], ["-G", EVIL, "-b"], ["explain", EVIL], ["guide", EVIL],
                  ["models", EVIL], ["help", EVIL], ["query", EVIL], ["import", EVIL], ["list", "--db", TMP + "/" + EVIL], ["--", EVIL],
                  ["demo", "--batch", "--nodes", EVIL], ["demo", "-b", "-I", EVIL], ["selftest", EVIL], ["history", EVIL], ["where", "-p", "1", EVIL],
                  ["collect", "--demo", "-n", "1", "-L", "a=" + EVIL], ["collect", "--demo", "-n", "1", "-L", EVIL],
                  ["collect", "--demo", "-n", "1", "--note", EVIL], ["demo", "-b", "-n", "1", "-o", "/nowhere/" + EVIL]):
        clean("argument", *words)
    name = (EVIL + "evil")[:15]
    child = subprocess.Popen([sys.executable, "-c", "import ctypes, sys, time\n"
                              "ctypes.CDLL(None).prctl(15, sys.argv[1].encode()[:15])\nprint(1, flush=True)\ntime.sleep(60)", name],
                             stdout=subprocess.PIPE)
    child.stdout.readline()
    try:
        pid = str(child.pid)
        for words in (["-p", pid, "-b"], ["-p", pid, "-j"], ["-p", pid, "-b", "--per-thread"], ["-p", pid, "-x", ";", "--per-thread"]):
            clean("name of a process", *words, "-n", "1", "-I", "100ms")
        db = TMP + "/process.db"
        clean("name of a process", "collect", "-p", pid, "-n", "1", "-I", "100ms", "--db", db)
        clean("command line", "collect", "--db", db, "-I", "50ms", "--", "sh", "-c", "sleep 0.2 # evil" + EVIL)
        program = TMP + "/sh evil" + EVIL
        shutil.copy("/bin/sh", program)
        for words in ([], ["-j"], ["--folded"], ["-v"]):
            clean("name of a process", "where", "-p", pid, "-d", "50ms", *words)
            clean("name of a program", "where", *words, "--", program, "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done")
        clean("name of a program", "where", "-o", TMP + "/where.folded", "--", program, "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done",
              out=TMP + "/where.folded")
        clean("log", "collect", "-p", pid, "-n", "1", "-I", "100ms", "--db", db, "--log", TMP + "/log", out=TMP + "/log")
        for run in ("@0", "@1"):
            verbs_on("name of a process, command line", db, run)
    finally:
        child.kill()
        child.wait()


def main():
    db, run = TMP + "/runs.db", TMP + "/good.json"
    for i in range(3):
        tdtop("collect", "--demo", "-n", "5", "--seed", str(i), "--db", db, "-L", "build=old", "-L", "evil=1", "--note", "evil")
    tdtop("export", "@0", "--db", db, "-o", run)
    run_files(run, EVIL)
    stores(db)
    recordings()
    models()
    arguments()
    must("the text was shown, made harmless, in %d runs" % shown, shown > 250)


try:
    main()
finally:
    shutil.rmtree(TMP, ignore_errors=True)
print("text: %d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
