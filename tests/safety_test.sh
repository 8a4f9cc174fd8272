#!/bin/sh
# safety_test.sh TDTOP: a store that was damaged, or made by somebody who means harm; the rights of files; output that cannot
# be written. Ends with "safety: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
cd "$tmp" || exit 2 # what is rescued is left where one is
umask 022
try() { timeout 20 "$tdtop" "$@"; }
mode() { stat -c %a "$1"; }
# A copy of the store to be spoilt, with the statements of standard input run on it.
spoil() {
    rm -f "$tmp"/spoilt.db*
    cp "$tmp/runs.db" "$tmp/spoilt.db"
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.stdin.read())' "$tmp/spoilt.db"
}
export TDTOP_SPOILT="$tmp/spoilt.db"

# ---- rights ----
"$tdtop" collect --demo -d 20s --seed 1 >/dev/null 2>&1
"$tdtop" collect --demo -d 20s --seed 2 >/dev/null 2>&1
ok 'a new store is its owner'\''s alone' [ "$(mode "$tmp/runs.db")" = 600 ]
"$tdtop" export @0 -o "$tmp/run.json"
ok 'a file that was asked for has the usual rights' [ "$(mode "$tmp/run.json")" = 644 ]
# A run that cannot be stored: another holds the lock, and waiting for it is given up.
mkdir "$tmp/here"
mkfifo "$tmp/hold"
python3 -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN IMMEDIATE")
open(sys.argv[2]).read()' "$TDTOP_DB" "$tmp/hold" &
locker=$!
exec 9>"$tmp/hold" # it has the lock when it opens the other end
(cd "$tmp/here" && exec "$tdtop" collect --demo -d 10s >"$tmp/out" 2>"$tmp/err") &
pid=$!
for i in $(seq 100); do
    grep -q waiting "$tmp/err" && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
exec 9>&-
wait $locker
set -- "$tmp"/here/tdtop-run-*.json
ok "a run that could not be stored is a file of its owner's alone" [ "$(mode "$1" 2>/dev/null)" = 600 ]
want 0 'here/tdtop-run.*: run [0-9a-f]{16}' import --db "$tmp/rescued.db" "$1"

# ---- damage: what was written is what is read, or nothing is ----
echo "UPDATE models SET text = replace(text, '0', '1')" | spoil
for verb in 'replay @0 -j' 'export @0' 'reeval @0 --dry-run'; do
    want 1 'the text of its model spr is not the one that was written; tdtop list, query and compare do without it' $verb --db "$tmp/spoilt.db"
done
want 1 'the text of model spr is not the one' db check --db "$tmp/spoilt.db"
want 0 '^Backend_Bound|Backend_Bound' query @0 --tree --db "$tmp/spoilt.db"
want 0 'the text of its model spr' query @0 --db "$tmp/spoilt.db"
want 0 '^noise ' compare @0 @1 --db "$tmp/spoilt.db"
want 0 ' demo ' list --db "$tmp/spoilt.db"
echo "UPDATE nodes SET value = value * 2 WHERE ord = 3 AND run = 2" | spoil
want 1 'run [0-9a-f]{16}: its values are not those that were written' query @0 --db "$tmp/spoilt.db"
want 2 'run [0-9a-f]{16}: its values are not those that were written' compare @0 @1 --db "$tmp/spoilt.db"
want 1 '^run [0-9a-f]{16}: its values are not those that were written$' db check --db "$tmp/spoilt.db"
want 0 'bottleneck' query @1 --db "$tmp/spoilt.db"
echo "UPDATE events SET total = 1 WHERE slot = 3 AND run = 2" | spoil
want 1 '^run [0-9a-f]{16}: its counts are not those that were written$' db check --db "$tmp/spoilt.db"
want 1 'its counts are not those' replay @0 -j --db "$tmp/spoilt.db"
want 0 'bottleneck' query @0 --db "$tmp/spoilt.db"
echo "UPDATE chunks SET bytes = x'', crc32c = 0" | spoil
want 1 '^run [0-9a-f]{16}: its counts are not those' db check --db "$tmp/spoilt.db"

# ---- a schema that means harm ----
ENDLESS='WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x'
each_verb() { # 'text wanted': of everything that opens a store
    want 2 "$1" compare @0 @1 --db "$tmp/spoilt.db"
    want 1 "$1" sql 'SELECT count(*) FROM runs' --db "$tmp/spoilt.db"
    for verb in 'list' 'list -j' 'query @0' 'history IPC' 'export @0' 'replay @0 -j' 'label @0' 'label @0 a=b' \
        'rm @0' 'db stats' 'db check' 'db vacuum' 'db prune' "import $tmp/run.json" 'collect --demo -d 1s'; do
        want 1 "$1" $verb --db "$tmp/spoilt.db"
    done
}
echo "CREATE TRIGGER bad AFTER INSERT ON labels BEGIN DELETE FROM runs; END" | spoil
each_verb "its trigger bad is not one that tdtop makes.* remove it \(sqlite3 FILE 'DROP trigger \"bad\"'\)"
ok 'nothing was deleted' [ "$(python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM runs").fetchone()[0])' "$tmp/spoilt.db")" = 2 ]
echo "DROP TABLE words; CREATE VIEW words AS $ENDLESS AS key, x AS value, x AS uses, x AS last_ns FROM c" | spoil
each_verb 'its (table words is not there|view words is not one that tdtop makes)'
echo "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; ALTER TABLE runs RENAME TO r; CREATE VIEW runs AS $ENDLESS AS run, x AS id FROM c" | spoil
each_verb 'its (table|index|view) [a-z_]+ is not'

# topdown-profiler's store is another program's: it is read before the user's own is locked
python3 - "$tmp/peer.db" <<PY
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""CREATE VIEW runs AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT 'a' || x AS run_id,
  '2026-01-01' AS started_at, '2026-01-01' AS ended_at, 1 AS duration_seconds, 'p' AS process_name, 1 AS level, 0 AS system_wide,
  '{}' AS labels FROM c;
CREATE TABLE samples (sample_id INTEGER PRIMARY KEY, run_id, timestamp, cpu, metric_name, value, unit, status)""")
PY
want 1 'peer.db: not a store of topdown-profiler: its runs is a view' import "$tmp/peer.db"

# ---- output that cannot be written: the cause is the device's, whatever the verb ----
if [ -c /dev/full ]; then
    while read -r line; do
        timeout 20 "$tdtop" $line >/dev/full 2>"$tmp/err" </dev/null
        rc=$?
        [ $rc = 0 ] || grep -q 'No space left on device' "$tmp/err"
        ok "tdtop $line >/dev/full: exit $rc, $(tail -1 "$tmp/err")" [ "$?$rc" = 01 -o "$?$rc" = 02 ]
    done <<LIST
list
list -j
list --csv
query @0
query @0 -j
query @0 --csv
history IPC
history IPC -j
export @0
export @0 --csv
export @0 --markdown
export @0 -o /dev/full
export @0 --csv -o /dev/full
export @0 --markdown -o /dev/full
label @0
rm @0 -j
rm --undo @0 -j
db stats
db check
db path
import $tmp/run.json --db $tmp/new.db
models
models spr -j
plan --model spr
explain L3_Bound
guide 1
doctor
version
help
demo --batch -n 3 --speed 0
demo -j -n 3 --speed 0
demo -x , -n 3 --speed 0 -o /dev/full
demo --speak -n 3 --speed 0
replay @0 --batch
collect --demo -d 5s
LIST
    timeout 20 "$tdtop" compare @0 @1 >/dev/full 2>"$tmp/err"
    ok 'compare >/dev/full' grep -q 'No space left on device' "$tmp/err"
else
    echo "SKIP /dev/full is not there"
fi

# ---- a name is a name ----
cd "$tmp/here" || exit 2
want 0 '^[0-9a-f]{16}$' collect --demo -d 1s --db 'file:q.db?mode=memory'
ok 'a file named file:...' [ -e 'file:q.db?mode=memory' ]
want 0 ' demo ' list --db 'file:q.db?mode=memory'
over safety
