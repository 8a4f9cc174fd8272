#!/usr/bin/env python3
"""postgres_million.py TDTOP [RUNS]: what a browser asks of a server with so many runs (1,000,000) of 1,000 hosts in a year, the
median of 9 each with the program's start and the connection, and how PostgreSQL found it. Takes some minutes and 6 GB. Of more than
1,000,000 runs each keeps the values of its first metrics alone, as indices and plans are asked about, not bytes: 10,000,000 take an hour on two cores, and 35 GB."""
import multiprocessing.pool
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from postgres import Server, find_bin

tdtop = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
LIMIT_MS = 200 if runs <= 1000000 else 1000
KEPT = 28 if runs > 1000000 else 1000  # metrics of each run; Backend_Bound is the 28th
if not find_bin():
    print("SKIP: no PostgreSQL server: apt install postgresql")
    sys.exit(77)
home = tempfile.mkdtemp()
os.environ.update(HOME=home, TDTOP_DB=f"{home}/runs.db")
pg = Server("-c shared_buffers=1GB -c maintenance_work_mem=1GB -c max_wal_size=8GB -c fsync=off -c work_mem=16MB "
            "-c wal_level=minimal -c max_wal_senders=0 -c full_page_writes=off -c autovacuum=off "
            "-c shared_preload_libraries=auto_explain")
db = pg.address()


def together(statements):
    """Two at a time."""
    with multiprocessing.pool.ThreadPool(2) as pool:
        pool.map(pg.sql, statements)


def fill():
    """All like one that was measured, on 1,000 hosts, by turns of versions and programs; the newest can be opened. Each month has its
    indices for searches when it is full."""
    subprocess.run([tdtop, "collect", "--demo", "-d", "2", "-I", "100ms", "--db", db], check=True, capture_output=True)
    for name in ("label", "words"):
        pg.sql(f"DROP INDEX IF EXISTS tdtop.runs_by_{name}")
    step = 365 * 86400 * 10**9 // runs
    pg.sql(f"""SET search_path = tdtop; SELECT make_month(1737000000000000000 + m::bigint * 2629800000000000) FROM generate_series(0, 11) m;
        CREATE TABLE one AS SELECT * FROM runs LIMIT 1;
        UPDATE one SET value = value[1:{KEPT}], err = err[1:{KEPT}], se = se[1:{KEPT}];
        CREATE TABLE counted AS SELECT key, value, uses, last_ns FROM words LIMIT 0""")
    part = -(-runs // 24)
    together([f"""SET search_path = tdtop, public; INSERT INTO runs SELECT nextval('run_numbers'), x.id, t, t + duration_ns, duration_ns + i % 1000, measured_ns, intervals, level, system_wide,
          simulated, ran_through, (ARRAY['redis-server', 'nginx', 'postgres', 'haproxy', 'java'])[1 + i % 5], target, model, model_hash, bottleneck, doubt,
          note, labels || jsonb_build_object('node', node, 'version', version, 'rack', rack),
          (left(label_list::text, -1) || format(',["node","%s",true,null],["rack","%s",true,null],["version","%s",true,null]]', node, rack, version))::json,
          concat(words, E'\n', x.id, E'\nnode=', node, E'\nrack=', rack, E'\nversion=', version), shape,
          value[1:27] || (value[28] * (0.9 + sin(i) / 11)) || value[29:], err, se, NULL, '', frontend_bound, bad_speculation,
          value[28] * (0.9 + sin(i) / 11), retiring
        FROM one, generate_series({at + 1}, {min(at + part, runs)}) i, LATERAL (SELECT 1735689600000000000 + (i - 1)::bigint * {step} AS t,
          'host' || i % 1000 AS node, 'v' || i / 7 % 12 AS version, 'r' || i % 40 AS rack,
          lpad(to_hex(i * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(i), 8, '0') AS id) x""" for at in range(0, runs, part)])
    months = [r[0] for r in pg.sql("SELECT relname FROM pg_class WHERE relname ~ '^runs_[0-9]{4}_[0-9]{2}$' AND relkind = 'r'")]
    together([f"""SET search_path = tdtop, public; INSERT INTO counted SELECT e.key, e.value, count(*), max(begun_ns) FROM {m}, jsonb_each_text(labels) e GROUP BY 1, 2;
        INSERT INTO counted SELECT '', '', count(*), max(begun_ns) FROM {m}; CREATE INDEX ON {m} USING gin (labels jsonb_path_ops);
        CREATE INDEX ON {m} USING gin (words gin_trgm_ops)""" for m in months])
    pg.sql("""SET search_path = tdtop, public; TRUNCATE words;
        INSERT INTO words SELECT key, value, sum(uses), sum(uses), max(last_ns) FROM counted WHERE uses > 0 GROUP BY 1, 2;
        CREATE INDEX runs_by_label ON runs USING gin (labels jsonb_path_ops); CREATE INDEX runs_by_words ON runs USING gin (words gin_trgm_ops);
        DROP TABLE one, counted""")
    together([f"VACUUM ANALYZE tdtop.{m}" for m in months])
    pg.sql("ANALYZE tdtop.runs; ANALYZE tdtop.words; ANALYZE tdtop.metrics")


def median_ms(args):
    took = []
    for _ in range(9):
        begun = time.perf_counter()
        out = subprocess.run([tdtop, *args, "--db", db], capture_output=True, text=True)
        took.append(1000 * (time.perf_counter() - begun))
        if out.returncode or not out.stdout:
            print("FAILED:", args, out.stderr)
            return 1e9
    return statistics.median(took)


def plan(args):
    """The indices and scans of the statements behind it, by auto_explain."""
    log = f"{pg.folder}/log"
    at = os.path.getsize(log)
    env = dict(os.environ, PGOPTIONS="-c auto_explain.log_min_duration=0 -c auto_explain.log_analyze=on")
    subprocess.run([tdtop, *args, "--db", db], capture_output=True, env=env)
    with open(log) as f:
        f.seek(at)
        text = f.read()
    found = re.findall(r"((?:Bitmap |Index |Index Only |Seq |Parallel Seq )(?:Heap )?Scan(?: Backward)?)(?: using (\w+))? on (\w+)", text)
    names = {}
    for scan, index, table in found:
        key = f"{scan} {re.sub(r'_[0-9]{4}_[0-9]{2}', '', index or table)}".replace("runs_", "")
        names[key] = names.get(key, 0) + 1
    pruned = len(re.findall("never executed", text))
    return ", ".join(f"{k} x{v}" for k, v in sorted(names.items())) + (f"; {pruned} never executed" if pruned else "")


try:
    fill()
    newest = subprocess.run([tdtop, "collect", "--demo", "-d", "2", "-I", "100ms", "-L", "node=host77", "-L", "rack=r37", "-L", "version=v3", "--db", db],
                            check=True, capture_output=True, text=True).stdout.strip()
    size = pg.sql("SELECT pg_size_pretty(pg_database_size('fleet'))")[0][0]
    print(f"{runs} runs, {size}{f', of each the values of {KEPT} metrics' if runs > 1000000 else ''}")
    slow = 0
    top, other = ["--metric", "Backend_Bound", "--sort", "metric"], ["--metric", "Fetch_Latency", "--sort", "metric"]
    queries = [("the newest", ["list"]), ("one host", ["list", "-L", "node=host77"]),
               ("a host and a version", ["list", "-L", "node=host77", "-L", "version=v3"]),
               ("a program", ["list", "-P", "nginx"]), ("a text", ["list", "--filter", "node~ost77"]),
               ("a label of a 40th", ["list", "-L", "rack=r37"]), ("a label of all", ["list", "-L", "collector=sim"]),
               ("without a label", ["list", "--filter", "version!=v3"]), ("of a label, longest", ["list", "-L", "version=v3", "--sort", "duration"]),
               ("opened", ["query", newest]), ("longest", ["list", "--sort", "duration"]),
               ("worst", ["list", *top]), ("worst of a 12th", ["list", "-L", "version=v3", *top]), ("worst of a host", ["list", "-L", "node=host77", *top]),
               ("trend of a host", ["history", "Backend_Bound", "-L", "node=host77", "-n", "1000", "-j"]),
               ("hosts of an hour", ["history", "Backend_Bound", "--group-by", "node", "--summary", "--since", "2025-12-31 23:00"]),
               ("prune, old and removed", ["db", "prune", "--keep", "9000d", "--dry-run"])]
    queries += [("by another metric", ["list", *other]), ("of a 12th", ["list", "-L", "version=v3", *other]), ("trend of all", ["history", "Backend_Bound", "--csv"]),
                ("groups", ["list", "--group-by", "version", "-L", "rack=r37"]), ("stats", ["db", "stats"])]
    for what, args in queries:
        ms = median_ms(args)
        slow += ms > LIMIT_MS
        print(f"{what:24} {ms:7.1f} ms{'  TOO SLOW' if ms > LIMIT_MS else ''}   {plan(args)}", flush=True)
    print(f"postgres_million: {len(queries) - slow} passed, {slow} failed")
finally:
    pg.close()
sys.exit(slow > 0)
