#!/usr/bin/env python3
"""postgres_million.py TDTOP [RUNS]: what a browser asks of a server with so many runs (1,000,000) of 1,000 hosts in a year, the
median of 9 each with the program's start and the connection, and how PostgreSQL found it. Takes some minutes and 5 GB."""
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
LIMIT_MS = 200
if not find_bin():
    print("SKIP: no PostgreSQL server: apt install postgresql")
    sys.exit(77)
home = tempfile.mkdtemp()
os.environ.update(HOME=home, TDTOP_DB=f"{home}/runs.db")
pg = Server("-c shared_buffers=1GB -c maintenance_work_mem=1GB -c max_wal_size=8GB -c fsync=off -c work_mem=16MB "
            "-c shared_preload_libraries=auto_explain")
db = pg.address()


def fill():
    """All like one that was measured, on 1,000 hosts, by turns of versions and programs; the newest can be opened."""
    subprocess.run([tdtop, "collect", "--demo", "-d", "2", "-I", "100ms", "--db", db], check=True, capture_output=True)
    for name in ("label", "words"):
        pg.sql(f"DROP INDEX IF EXISTS tdtop.runs_by_{name}")
    step = 365 * 86400 * 10**9 // runs
    pg.sql("SET search_path = tdtop; SELECT make_month(1737000000000000000 + m::bigint * 2629800000000000) FROM generate_series(0, 11) m")
    pg.sql(f"""SET search_path = tdtop, public; SET synchronous_commit = off;
        CREATE TEMP TABLE one AS SELECT * FROM runs LIMIT 1;
        INSERT INTO runs SELECT nextval('run_numbers'), lpad(to_hex(i * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(i), 8, '0'), t, t + duration_ns,
          duration_ns + i % 1000, measured_ns, intervals, level, system_wide, simulated, ran_through,
          (ARRAY['redis-server', 'nginx', 'postgres', 'haproxy', 'java'])[1 + i % 5], target, model, model_hash, bottleneck, doubt, note, l,
          (SELECT json_agg(json_build_array(key, value, true, null)) FROM jsonb_each_text(l)),
          words_of(id, process, target, model, bottleneck, note, words_of_labels(l)), shape, value, err, se, NULL,
          ''
        FROM one, generate_series(1, {runs}) i, LATERAL (SELECT 1735689600000000000 + (i - 1)::bigint * {step} AS t,
          labels || jsonb_build_object('node', 'host' || i % 1000, 'version', 'v' || i / 7 % 12, 'rack', 'r' || i % 40) AS l) x;
        TRUNCATE words;
        INSERT INTO words SELECT e.key, e.value, count(*), count(*), max(begun_ns) FROM runs, jsonb_each_text(labels) e GROUP BY 1, 2;
        INSERT INTO words SELECT '', '', count(*), count(*), max(begun_ns) FROM runs;
        CREATE INDEX runs_by_label ON runs USING gin (labels jsonb_path_ops);
        CREATE INDEX runs_by_words ON runs USING gin (words gin_trgm_ops)""")
    pg.sql("VACUUM ANALYZE tdtop.runs, tdtop.words, tdtop.metrics")


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
    newest = subprocess.run([tdtop, "collect", "--demo", "-d", "2", "-I", "100ms", "-L", "node=host77", "--db", db], check=True,
                            capture_output=True, text=True).stdout.strip()
    size = pg.sql("SELECT pg_size_pretty(pg_database_size('fleet'))")[0][0]
    print(f"{runs} runs, {size}")
    slow = 0
    for what, args in [("the newest", ["list"]), ("one host", ["list", "-L", "node=host77"]),
                       ("a host and a version", ["list", "-L", "node=host77", "-L", "version=v3"]),
                       ("a program", ["list", "-P", "nginx"]), ("a text", ["list", "--filter", "node~ost77"]),
                       ("opened", ["query", newest]), ("longest", ["list", "--sort", "duration"]),
                       ("trend of a host", ["history", "Backend_Bound", "-L", "node=host77", "-j"]),
                       ("hosts of an hour", ["history", "Backend_Bound", "--group-by", "node", "--summary", "--since", "2025-12-31 23:00"])]:
        ms = median_ms(args)
        slow += ms > LIMIT_MS
        print(f"{what:24} {ms:7.1f} ms{'  TOO SLOW' if ms > LIMIT_MS else ''}   {plan(args)}")
    print(f"postgres_million: {9 - slow} passed, {slow} failed")
finally:
    pg.close()
sys.exit(slow > 0)
