#!/usr/bin/env python3
"""postgres_test.py TDTOP [long]: a store on a real PostgreSQL server, which the test starts: the same tests as a file passes, what is on
its way while the server is gone, both sides killed (8 times; long: 100), 50 writers at once, rights, months that go. SKIP without
a server. Ends with "postgres: N passed, N failed"."""
import json
import random
import re
import signal

from lib import *
from postgres import Server, find_bin

if not find_bin():
    print("SKIP postgres: no server: apt install postgresql")
    over("postgres")
long = "long" in sys.argv[2:]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(tmp)
pg = Server()
db = pg.address(password="hidden")
name = pg.address()


def t(*args, to=None, **more):
    p = run(*args, "--db", to or db, **more)
    check(f"no password is shown: {args}", "hidden" not in p.stdout + p.stderr, p.stderr)
    return p


def collect(*args, to=None, **more):
    p = t("collect", "--demo", "-d", "1", *args, to=to, **more)
    check(f"collect {args}", p.returncode == 0 and re.fullmatch("[0-9a-f]{16}\n", p.stdout), p.stderr)
    return p.stdout.strip()


def ids(to=None):
    p = t("list", "-j", "-n", "0", to=to)
    return [r["run_id"] for r in json.loads(p.stdout)] if p.returncode == 0 else []


def waiting():
    found = []
    for folder, _, files in os.walk(tmp):
        found += [f for f in files if "outbox-" in folder and f != "server"]
    return found


def as_a_file():
    """The tests of the store's interface, over this server."""
    unit = os.path.join(os.path.dirname(tdtop), "unit")
    for program in ("test_store", "test_store_list"):
        p = subprocess.run([f"{unit}/{program}"], capture_output=True, text=True, timeout=300, env=dict(os.environ, TDTOP_TEST_POSTGRES=name))
        passed = re.search(r"PASSED  \] (\d+)", p.stderr + p.stdout)
        check(program, p.returncode == 0 and passed and int(passed[1]) >= 10, p.stderr[-900:])
    pg.sql("DROP SCHEMA tdtop CASCADE")


def story():
    p = t("list")
    check("nothing yet", p.returncode == 1 and f"{name}: there is no store of runs yet" in p.stderr, p.stderr)
    a = collect("-L", "build=a", "--seed", "1")
    b = collect("-L", "build=b", "--seed", "2")
    check("both", ids() == [b, a], ids())
    check("nothing is left on this host", not waiting(), waiting())
    for args in (["list"], ["list", "--csv"], ["query", "@0"], ["compare", a, b], ["list", "--sort", "metric", "--metric", "Backend_Bound"],
                 ["history", "Backend_Bound", "--group-by", "build"], ["history", "Backend_Bound", "--csv"], ["query", a, "--tree", "-j"]):
        file = f"{tmp}/same.db"
        if not os.path.exists(file):
            p = run("db", "copy", db, file)
            check("copied to a file", p.stdout == "2 runs copied, 0 there already\n", p.stderr + p.stdout)
        p, q = t(*args), t(*args, to=file)
        check(f"as from a file: {args}", p.returncode == q.returncode and p.stdout == q.stdout and len(p.stdout) > 50, (p.stdout, q.stdout))
    check("bit for bit", t("export", a).stdout == t("export", a, to=file).stdout != "")
    check("bit for bit, events too", t("export", "--jsonl", a).stdout == t("export", "--jsonl", a, to=file).stdout)
    t("label", a, "build=c", "more=yes", "--note", "a note")
    t("rm", b)
    check("removed", ids() == [a])
    p = t("list", "--filter", "build=c", "-v")
    check("labels", a[:8] in p.stdout, p.stdout)
    t("rm", "--undo", b)
    check("brought back", ids() == [b, a])
    p = run("db", "copy", file, db)
    check("what is there stays", p.stdout == "0 runs copied, 2 there already\n", p.stdout + p.stderr)
    back = pg.address(db="back")
    pg.sql("CREATE DATABASE back", db="postgres")
    p = run("db", "copy", db, back)
    check("server to server", p.stdout == "2 runs copied, 0 there already\n" and t("export", a, to=back).stdout == t("export", a).stdout, p.stderr)
    check("sound", t("db", "check").stdout == "ok\n")
    p = t("sql", "SELECT metric, value FROM run_values WHERE id = '%s' AND metric = 'Backend_Bound'" % a, "-j")
    q = t("query", a, "--tree", "-j")
    check("sql", p.returncode == 0 and str(100 * json.loads(p.stdout)["value"])[:8] in q.stdout, (p.stdout, p.stderr, q.stdout))
    for sql in ("DELETE FROM tdtop.runs", "SELECT 1; SELECT 2", "COPY tdtop.runs TO '/tmp/x'", "SELECT nope FROM runs", "",
                "WITH x AS (DELETE FROM runs RETURNING 1) SELECT * FROM x", "SELECT setval('run_numbers', 1)"):
        p = t("sql", sql)
        check(f"sql {sql!r}", p.returncode in (1, 2) and p.stderr and len(ids()) == 2, (p.returncode, p.stderr))
    for key, env in (("TDTOP_DB", {"TDTOP_DB": db}), ("TOPDOWN_DSN", {"TDTOP_DB": "", "TOPDOWN_BACKEND": "postgresql", "TOPDOWN_DSN": db})):
        p = run("list", "-j", env=dict(os.environ, **env))
        check(f"by {key}", p.returncode == 0 and len(json.loads(p.stdout)) == 2, p.stderr)
    p = run("db", "path", env=dict(os.environ, TDTOP_DB=db))
    check("db path", p.stdout == f"{name}\n", p.stdout)


def refused():
    for address, words in (("postgresql://a@b:c:d/x", "port"), (f"{pg.address(user='nobody')}", 'role "nobody" does not exist; see user'),
                           (pg.address(db="none"), 'database "none" does not exist; make it with createdb'),
                           ("postgresql://x:hidden%zz@h/x", "percent-encoded"), (f"{name}?sslmode=odd", "sslmode"), (f"{name}?nope=1", "query parameter")):
        for args in (["list"], ["collect", "--demo", "-d", "1"]):
            p = t(*args, to=address)
            check(f"{address} {args[0]}", p.returncode in (1, 2) and words in p.stderr and not p.stdout, p.stderr)
    pg.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", db="postgres")
    p = t("collect", "--demo", "-d", "1", to=pg.address(db="latin"))
    check("another encoding", p.returncode in (1, 2) and "LATIN1; make one with createdb -E UTF8" in p.stderr, p.stderr)
    p = t("list", to="mysql://h/x")
    check("another kind of server", p.returncode in (1, 2) and "no store is there" in p.stderr, p.stderr)
    pg.sql("UPDATE tdtop.version SET version = 99")
    p = t("list")
    check("of a newer tdtop", p.returncode == 1 and "a newer tdtop made it (version 99" in p.stderr, p.stderr)
    pg.sql("UPDATE tdtop.version SET version = 1")
    run_id = ids()[0]
    pg.sql(f"CREATE TABLE kept AS SELECT id, store FROM tdtop.runs; UPDATE tdtop.runs SET store = '\\x00' || store WHERE id = '{run_id}'")
    p = t("query", run_id)
    check("bytes that were changed", p.returncode == 1 and "not those that were written" in p.stderr, p.stderr)
    p = t("db", "check")
    check("check finds it", p.returncode == 1 and run_id in p.stdout + p.stderr, p.stdout + p.stderr)
    pg.sql("UPDATE tdtop.runs r SET store = k.store FROM kept k WHERE k.id = r.id; DROP TABLE kept")
    check("sound again", t("db", "check").stdout == "ok\n")


def gone():
    """The server is away while runs are stored, and comes back."""
    before = set(ids())
    pg.stop()
    p = t("list")
    check("a reader is told", p.returncode == 1 and "the server does not answer: Connection refused" in p.stderr, p.stderr)
    made = [collect("-L", f"gone={i}") for i in range(3)]
    p = t("collect", "--demo", "-d", "1")
    made.append(p.stdout.strip())
    check("who stores is told", "4 runs wait on this host and will be sent" in p.stderr, p.stderr)
    for _ in range(2):
        p = run("db", "copy", f"{tmp}/same.db", pg.address(db="fleet2"))
        check("copied while it is away: on their way", p.returncode == 0 and "2 runs wait on this host" in p.stderr, p.stderr)
    p = run("db", "stats", "--db", f"{tmp}/same.db")
    found = re.search(r"waiting    2 runs for (\S+fleet2), in (\S+) ", p.stdout)
    check("what waits is shown", found, p.stdout)
    t("export", "@0", "-o", f"{tmp}/own.json", to=f"{tmp}/same.db")
    p = run("import", f"{tmp}/own.json", "--db", pg.address(db="fleet3"))
    check("import: that it waits is said", p.returncode == 0 and "1 run waits" in p.stderr, p.stderr)
    pg.start()
    p = t("db", "init")
    check("what had waited is said", "4 runs that had waited were sent" in p.stdout, p.stdout + p.stderr)
    made.append(collect())
    p = run("db", "copy", found[2], f"{tmp}/elsewhere.db")
    check("what waits for a server that is none goes elsewhere", p.returncode == 0 and p.stdout.startswith("2 runs copied") and len(ids(f"{tmp}/elsewhere.db")) == 2 and
          not [f for f in os.listdir(found[2]) if f != "server"], p.stdout + p.stderr)
    shutil.rmtree(found[2])
    for folder in [f for f in os.listdir(tmp) if f.startswith("outbox-")]:
        with open(f"{tmp}/{folder}/server") as f:
            if f.read().endswith("fleet3"):
                shutil.rmtree(f"{tmp}/{folder}")
    check("all came, once", sorted(ids()) == sorted(before | set(made)), (ids(), made))
    check("and nothing is left", not waiting(), waiting())


def one_killed(i, measured):
    """A writer, killed somewhere; every fourth time the server is, too."""
    p = subprocess.Popen([tdtop, "db", "copy", f"{tmp}/many.db", db], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    q = subprocess.Popen([tdtop, "collect", "--demo", "-d", "1", "--db", db], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    time.sleep(random.uniform(0.02, 1.3))
    if i % 4 == 0:
        pg.kill()
    else:
        (p if i % 2 else q).kill()
    p.wait(30)
    out = q.communicate(timeout=60)[0].strip()
    if out:
        measured.add(out)
    if i % 4 == 0:
        pg.start()


def killed(times=100 if long else 8):
    for i in range(12):
        run("collect", "--demo", "-d", "1", "--seed", str(i), "--db", f"{tmp}/many.db")
    before, measured = set(ids()), set()
    for i in range(times):
        one_killed(i, measured)
        if i % 5 == 4 or i == times - 1:
            p = run("db", "copy", f"{tmp}/many.db", db)
            check(f"copied in the end, {i}", p.returncode == 0, p.stderr)
            last = collect()  # what waits is sent with it
            measured.add(last)
            got = ids()
            check(f"nothing lost after {i + 1}", before | measured | set(ids(f"{tmp}/many.db")) <= set(got), measured - set(got))
            check(f"nothing twice after {i + 1}", len(got) == len(set(got)), len(got))
            t("rm", *(x for x in ids(f"{tmp}/many.db")))
            t("db", "prune", "--yes")
            measured -= set(ids(f"{tmp}/many.db"))
    check("sound", t("db", "check").stdout == "ok\n", t("db", "check").stdout)
    check("nothing is left", not waiting(), waiting())


def crowd(writers=50):
    before = set(ids())
    all_of = [subprocess.Popen([tdtop, "collect", "--demo", "-d", "1", "-L", f"writer={i}", "--db", db], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=dict(os.environ, XDG_DATA_HOME=f"{tmp}/host{i}", TDTOP_DB="")) for i in range(writers)]
    made = set()
    for p in all_of:
        out, words = p.communicate(timeout=120)
        check("a writer of many", p.returncode == 0, words)
        made.add(out.strip())
    one_place = [subprocess.Popen([tdtop, "collect", "--demo", "-d", "1", "--db", db], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(writers // 2)]
    for p in one_place:
        out, words = p.communicate(timeout=120)
        check("a writer of many of one user", p.returncode == 0, words)
        made.add(out.strip())
    writers += len(one_place)
    got = ids()
    check("all came", set(got) == before | made and len(got) == len(before) + writers, (len(got), len(before)))
    p = t("list", "--filter", "writer", "-j", "-n", "0")
    check("with their labels", len({r["labels"]["writer"] for r in json.loads(p.stdout)}) == writers - len(one_place))
    run_id = made.pop()
    busy = [subprocess.Popen(["sh", "-c", f"for i in 1 2 3 4 5 6 7 8; do {tdtop} {what} --db '{name}' >/dev/null || exit 1; done"], stderr=subprocess.PIPE, text=True)
            for what in (f"label {run_id} turn=$i more=$i", "db prune --yes", "collect --demo -d 1", f"label {run_id} other=$i")]
    for p in busy:
        words = p.communicate(timeout=120)[1]
        check("labels, pruning and saving do not lock each other out", p.returncode == 0, words)
    check("and all is counted", t("db", "check").stdout == "ok\n", t("db", "check").stdout)


def agents(hosts=4, seconds=12):
    """Agents with several targets, and a server that restarts under them."""
    before = set(ids())
    config = f'{tmp}/agent.toml'
    with open(config, "w") as f:
        f.write(f'db = "{db}"\n[default]\ninterval = "100ms"\n' + "".join(
            f'[[target]]\nname = "t{i}"\npid = {os.getpid()}\nevery = "2s"\nduration = "1s"\nlabel = ["slot={i}"]\n' for i in range(5)))
    running = [subprocess.Popen([tdtop, "agent", "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env=dict(os.environ, XDG_DATA_HOME=f"{tmp}/agent{i}", TDTOP_DB="")) for i in range(hosts)]
    time.sleep(seconds / 3)
    pg.kill()
    time.sleep(seconds / 3)
    pg.start()
    time.sleep(seconds / 3)
    said = set()
    for p in running:
        p.send_signal(signal.SIGTERM)
        words = p.communicate(timeout=30)[1]
        said |= set(re.findall(r"run ([0-9a-f]{8}):", words))
    for i in range(hosts):  # what still waits goes with the next one of that host
        t("collect", "--demo", "-d", "1", env=dict(os.environ, XDG_DATA_HOME=f"{tmp}/agent{i}", TDTOP_DB=""))
    got = ids()
    check("agents: what they said is there", said and said <= {x[:8] for x in got}, (len(said), said - {x[:8] for x in got}))
    check("agents: nothing twice", len(got) == len(set(got)))
    check("agents: nothing is left", not waiting(), waiting())
    check("agents: while it was away they went on", len(set(got) - before) >= hosts * 5 * 2, len(set(got) - before))
    pg.sql("CREATE ROLE looker LOGIN; GRANT USAGE ON SCHEMA tdtop TO looker; GRANT SELECT ON tdtop.version TO looker")
    pg.sql("CREATE DATABASE bare", db="postgres")
    for address, words in ((db, ""), (pg.address(user="looker"), "this role may not add runs"), (pg.address(db="bare"), "there is no store of runs yet"),
                           (pg.address(user="nobody"), "nobody"), ("postgresql://owner@127.0.0.1:1/fleet", "the server does not answer")):
        with open(config, "w") as f:
            f.write(f'db = "{address}"\n[[target]]\nall = true\n')
        p = run("agent", "--dry-run", "--config", config)
        check(f"a dry run asks the server: {words}", p.returncode == (words != "") and words in p.stderr and ("1 target" in p.stdout) == (words == ""), p.stderr + p.stdout)
    check("and makes nothing there", pg.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'tdtop'", db="bare") == [["0"]])
    with open(config, "w") as f:
        f.write(f'db = "{db}"\nkeep = "9d"\n[[target]]\nall = true\n')
    p = run("agent", "--dry-run", "--config", config)
    check("an agent does not clean up the runs of others", p.returncode == 1 and "tdtop db prune --keep 9d" in p.stderr and "hidden" not in p.stderr, p.stderr)


def catches_up():
    """What waited while the server was away goes without a hand: where runs come faster than the server is asked again, and where
    none comes. Two agents, each with an outbox of its own, of which the second waits for a process."""
    before, logs, running = set(ids()), [], []
    own = [dict(os.environ, XDG_DATA_HOME=f"{tmp}/late{i}", TDTOP_DB="") for i in range(2)]

    def begin(i, target):
        with open(f"{tmp}/late{i}.toml", "w") as f:
            f.write(f'db = "{db}"\n[[target]]\nname = "t"\n{target}\ninterval = "100ms"\n')
        logs.append(f"{tmp}/late{i}.log")
        running.append(subprocess.Popen([tdtop, "agent", "--config", f"{tmp}/late{i}.toml"], stderr=open(logs[i], "w"), env=own[i]))

    def said(i):
        with open(logs[i]) as f:
            return f.read()

    begin(0, f'pid = {os.getpid()}\nduration = "1s"')
    check("an agent stores", wait_for(lambda: "t: run " in said(0)), said(0))
    pg.kill()
    check("it says once that runs wait", wait_for(lambda: "4 runs wait" in said(0), 40) and not re.search(r"\b3 runs wait", said(0)), said(0))
    t("collect", "--demo", "-d", "1", env=own[1])
    begin(1, 'process = "no-such-process"')
    p = t("db", "stats", env=own[1])
    check("stats say what waits while the server is away", p.returncode == 1 and "1 run for " in p.stdout, p.stdout + p.stderr)
    pg.start()
    check("runs that come all the time", wait_for(lambda: "that had waited were sent" in said(0), 60), said(0))
    check("no run at all", wait_for(lambda: "1 run that had waited was sent" in said(1), 60), said(1))
    for p in running:
        p.send_signal(signal.SIGTERM)
        p.wait(timeout=30)
    stored = re.findall(r"run ([0-9a-f]{8}):", said(0))
    got = [x[:8] for x in ids() if x not in before]
    check("all of them, once", len(stored) > 10 and sorted(got) == sorted(set(got)) and set(stored) <= set(got) and len(got) == len(stored) + 1,
          (len(stored), len(got), said(0)[-900:]))


GRANTS = re.compile(r"^    (?:GRANT|CREATE ROLE|ALTER DEFAULT) .*;$", re.M)


def rights():
    """The roles of docs/FLEET.md: who reads can only read, an agent can only add."""
    with open(f"{root}/docs/FLEET.md") as f:
        sql = "\n".join(GRANTS.findall(f.read()))
    check("docs/FLEET.md has them", "tdtop_reader" in sql and "tdtop_agent" in sql, sql)
    pg.sql(sql)
    pg.sql("CREATE ROLE ann LOGIN IN ROLE tdtop_reader; CREATE ROLE host1 LOGIN IN ROLE tdtop_agent")
    ann, host1 = pg.address(user="ann"), pg.address(user="host1")
    n = len(ids())
    for args in (["list"], ["query", "@0"], ["history", "Backend_Bound", "-n", "5"], ["sql", "SELECT count(*) FROM runs"], ["db", "stats"], ["export", "@0"]):
        p = t(*args, to=ann)
        check(f"reader: {args}", p.returncode == 0 and p.stdout, p.stderr)
    for args in (["rm", "@0"], ["label", "@0", "a=b"], ["db", "prune", "--yes", "--keep", "1s"], ["collect", "--demo", "-d", "1"]):
        p = t(*args, to=ann)
        check(f"reader may not: {args}", p.returncode == 1 and re.search("permission denied|may not add", p.stderr), p.stderr)
    p = t("collect", "--demo", "-d", "1", to=host1)
    check("an agent adds", p.returncode == 0 and "wait" not in p.stderr and len(ids()) == n + 1, p.stderr)
    for args in (["rm", "@0"], ["label", "@0", "a=b"], ["list"]):
        p = t(*args, to=host1)
        check(f"an agent may not: {args}", p.returncode == 1 and "permission denied" in p.stderr, p.stderr)
    check("nothing was changed", len(ids()) == n + 1)
    p = t("db", "vacuum", to=ann)
    check("vacuum is the owner's", p.returncode == 1 and "only its owner" in p.stderr, p.stderr)
    arguments = "'0123456789abcdef', 1, 1, 1, 1, 1, 1, false, false, false, 'p', 't', 'm', 'hash', 'text', '', '', '', '[]', 'shape', '[]', '{}', '{}', '{}', '\\x00'"
    try:
        pg.sql(f"""CREATE TEMP TABLE models (hash text PRIMARY KEY, name text, text text);
            CREATE FUNCTION pg_temp.steal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE tdtop.runs SET note = ''stolen''; RETURN NEW; END';
            CREATE TRIGGER steal BEFORE INSERT ON models FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
            SELECT tdtop.save_run({arguments})""", user="host1")
    except RuntimeError as e:
        check("save_run with what a client could send", False, e)
    check("a table of a client's own is not taken for the store's", pg.sql("SELECT count(*) FROM tdtop.runs WHERE note = 'stolen'") == [["0"]] and
          pg.sql("SELECT count(*) FROM tdtop.models WHERE hash = 'hash'") == [["1"]])
    pg.sql("DELETE FROM tdtop.runs WHERE id = '0123456789abcdef'; DELETE FROM tdtop.models WHERE hash = 'hash';"
           "UPDATE tdtop.words SET uses = uses - 1, live = live - 1 WHERE key = ''")
    long_run = subprocess.Popen([tdtop, "collect", "-p", str(os.getpid()), "-d", "3", "-I", "100ms", "--db", host1], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    pg.sql("REVOKE EXECUTE ON FUNCTION tdtop.save_run FROM tdtop_agent")
    out, words = long_run.communicate(timeout=60)
    check("a right that is lost meanwhile loses no run", long_run.returncode == 0 and "1 run waits" in words and "permission denied" in words, words)
    pg.sql("GRANT EXECUTE ON FUNCTION tdtop.save_run TO tdtop_agent")
    p = t("db", "init", to=host1)
    check("it is sent when the right is back", p.stdout.startswith(f"{pg.address(user='host1')} is there\n1 run that had waited was sent\n") and out.strip() in ids(), p.stdout + p.stderr)


def months():
    """What is too old goes with its month."""
    old = pg.address(db="old")
    pg.sql("CREATE DATABASE old", db="postgres")
    p = run("db", "copy", f"{tmp}/same.db", old)
    check("months: copied", p.returncode == 0, p.stderr)
    times = [1706745599999999999, 1706745600000000000, 1709208000000000000, -500000000, 1735603200000000000, 1735689599999999999, 1735689600000000000]
    args = ", ".join(f"({i}, {x})" for i, x in enumerate(times))
    pg.sql(f"""SET search_path = tdtop, public; SELECT make_month(t) FROM (VALUES {args}) v(i, t);
        CREATE TEMP TABLE one AS SELECT * FROM runs LIMIT 1;
        INSERT INTO runs SELECT nextval('run_numbers'), lpad(i::text, 16, '0'), t, t, duration_ns, measured_ns, intervals, level, system_wide, simulated, ran_through,
          process, target, model, model_hash, bottleneck, doubt, note, labels, label_list, words, shape, value, err, se, NULL, store
        FROM one, (VALUES {args}) v(i, t);
        SELECT count_words(labels, 1, 1, begun_ns) FROM runs WHERE id LIKE '00000000%'""", db="old")
    parts = lambda: sorted(r[0] for r in pg.sql("SELECT relname FROM pg_class WHERE relname ~ '^runs_[0-9]{4}_[0-9]{2}$' AND relkind = 'r' ORDER BY 1", db="old"))
    check("a partition of each month", {"runs_1969_12", "runs_2024_01", "runs_2024_02", "runs_2024_12", "runs_2025_01"} <= set(parts()), parts())
    plan = "\n".join(r[0] for r in pg.sql("EXPLAIN SELECT * FROM tdtop.runs WHERE deleted_ns IS NULL AND begun_ns >= 1735689600000000000", db="old"))
    check("only months that are asked for are read", "2024" not in plan and "2025" in plan, plan)
    days = (time.time() - 1735600000) / 86400
    p = t("db", "prune", "--yes", "--keep", f"{int(days) + 1}d", to=old)
    check("old ones removed", p.returncode == 0 and sorted(ids(old))[:3] == ["0000000000000004", "0000000000000005", "0000000000000006"], (p.stdout, p.stderr, ids(old)))
    check("with their partitions", not {"runs_1969_12", "runs_2024_01", "runs_2024_02"} & set(parts()), parts())
    check("words are counted", pg.sql("SELECT DISTINCT uses, live FROM tdtop.words WHERE key = 'build' AND value = 'a' OR key = ''", db="old") != [] and
          not [l for l in t("db", "check", to=old).stdout.splitlines() if "uses" in l], t("db", "check", to=old).stdout)


COUNTED = 5000  # STORE_COUNTED of src/db/store.h


def many():
    """More runs than are counted behind a filter, and exactly so many. The two oldest have the largest values; they and the newest are real."""
    big = pg.address(db="big")
    pg.sql("CREATE DATABASE big", db="postgres")
    made = [collect("-L", f"of={i}", to=big) for i in range(3)]
    a, b, c = made
    begun = 1700000000 * 10**9
    pg.sql(f"""SET search_path = tdtop, public; SELECT make_month({begun});
        INSERT INTO runs SELECT nextval('run_numbers'), lpad(i::text, 16, '0'), {begun} + i, {begun} + i + 1, duration_ns, measured_ns, 7, level, system_wide, simulated,
          ran_through, process, target, model, model_hash, bottleneck, doubt, note, jsonb_build_object('half', (i % 2)::text), json_build_array(json_build_array('half', (i % 2)::text, false, null)), words, shape,
          ARRAY[0.1, 0.3 - i / 1e6], err, se, NULL, '', 0.1, 0.1, 0.3 - i / 1e6, 0.1
        FROM (SELECT * FROM runs WHERE id = '{c}') one, generate_series(3, {COUNTED}) i;
        UPDATE runs SET begun_ns = {begun} + 1, value[2] = 0.9, backend_bound = 0.9, process = 'other' WHERE id = '{a}';
        UPDATE runs SET begun_ns = {begun} + 2, value[2] = 0.8, backend_bound = 0.8 WHERE id = '{b}';
        UPDATE runs SET value[2] = 0, backend_bound = 0 WHERE id = '{c}';
        INSERT INTO words VALUES ('half', '0', {COUNTED // 2 - 1}, {COUNTED // 2 - 1}, 1), ('half', '1', {COUNTED // 2 - 1}, {COUNTED // 2 - 1}, 1);
        UPDATE words SET uses = uses + {COUNTED - 2}, live = live + {COUNTED - 2} WHERE key = ''; ANALYZE runs""", db="big")

    def first(*args):
        p = t("list", "-P", "demo", "-n", "3", "-j", *args, to=big)
        check(f"many {args}", p.returncode == 0, p.stderr)
        return [r["run_id"] for r in json.loads(p.stdout)] if p.returncode == 0 else [], p.stderr

    node, beside = ("--metric", "Backend_Bound", "--sort"), ("--metric", "Fetch_Latency", "--sort")
    said = f"sorted among the newest {COUNTED} runs of more"
    p = t("list", "-P", "demo", to=big)
    check("as many as are counted", f"20 of {COUNTED} runs; -n 0 shows all" in p.stderr and made[2][:8] in p.stdout, p.stderr)
    got, words = first(*beside, "metric")
    check("as many: sorted among all", got == [b, f"{3:016}", f"{4:016}"] and said not in words, (got, words))
    pg.sql(f"UPDATE tdtop.runs SET process = 'demo' WHERE id = '{a}'", db="big")
    p = t("list", "-P", "demo", to=big)
    check("one more", f"20 of more than {COUNTED} runs; -n 0 shows all" in p.stderr and p.stdout.count("\n") == 21, p.stderr)
    p = t("list", to=big)
    check("all runs are counted", f"20 of {COUNTED + 1} runs; -n 0 shows all" in p.stderr, p.stderr)
    got, words = first(*node, "metric")
    check("by a node of level 1: among all", got == [a, b, f"{3:016}"] and said not in words, (got, words))
    got, words = first(*node, "-metric")
    check("and the other way round", got == [c, f"{COUNTED:016}", f"{COUNTED - 1:016}"] and said not in words, (got, words))
    got, words = first(*beside, "metric")
    check("by another metric: among the newest, which is said", got == [b, f"{3:016}", f"{4:016}"] and said in words, (got, words))
    got, words = first(*beside, "metric", "--until", "2023-11-14 23:59")
    check("a time that has fewer: among those", got[0] == a and said not in words, (got, words))
    p = t("query", "--bottleneck", "Fetch_Latency", "-n", "1", "-j", "-P", "demo", to=big)
    check("by bottleneck", p.returncode == 0 and json.loads(p.stdout)[0]["run_id"] == b and said in p.stderr, p.stderr)
    p = t("list", "-P", "demo", "-n", "0", "--csv", *beside, "metric", to=big)
    check("-n 0: all", p.returncode == 0 and p.stdout.count("\n") == COUNTED + 2 and p.stdout.split("\n")[1].startswith(a) and said not in p.stderr, p.stderr)
    p = t("list", "--group-by", "half", "-P", "demo", to=big)
    check("groups of the first", f"of more than {COUNTED} runs, the first of each group in the first {COUNTED}; -n 0 shows all" in p.stderr and
          f"half=1, {COUNTED // 2 - 1} runs" in p.stdout, (p.stdout[-900:], p.stderr))
    for args, older in ((["-P", "demo"], True), (["-P", "demo", "-n", "5"], False), (["-P", "other"], None)):
        p = t("history", "Fetch_Latency", "--csv", *args, to=big)
        check(f"history {args}", p.returncode == (older is None) and (f"of the newest {COUNTED} runs of more" in p.stderr) == (older is True) and
              (older is None or p.stdout.count("\n") == (COUNTED if older else 5) + 1), p.stderr)
    p = t("db", "stats", to=big)
    found = re.search(rf"^runs +{COUNTED + 1}\nremoved +0\nintervals +about (\d+)$", p.stdout, re.M)
    check("an estimate is said to be one", found and abs(int(found[1]) / 7 / COUNTED - 1) < 0.05, p.stdout)
    pg.sql("UPDATE tdtop.runs SET deleted_ns = 1 WHERE id < '0000000000000704'; UPDATE tdtop.words SET live = live - 701 WHERE key = ''", db="big")
    p = t("db", "prune", "--yes", "--dry-run", to=big)
    check("prune counts", p.stdout.startswith("701 runs would be removed for good") and "701 of them removed by rm" in p.stdout, p.stdout + p.stderr)
    p = t("db", "prune", "--yes", to=big)
    check("prune", p.stdout.startswith("701 runs removed for good") and pg.sql("SELECT count(*), count(deleted_ns) FROM tdtop.runs", db="big") == [[str(COUNTED - 700), "0"]], p.stdout + p.stderr)
    pg.sql("DROP DATABASE big", db="postgres")


try:
    for part in (as_a_file, story, refused, gone, crowd, agents, catches_up, rights, months, many, killed):
        part()
finally:
    pg.close()
over("postgres")
