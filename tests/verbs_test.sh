#!/bin/sh
# verbs_test.sh TDTOP: runs as a user meets them: collect, list, query, label, rm, db; exit codes, words, shapes.
# Ends with "verbs: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
export XDG_DATA_HOME="$tmp/data"
unset TDTOP_DB
[ -x "$tdtop" ] || { echo "$tdtop: no such program"; echo "verbs: 0 passed, 1 failed"; exit 1; }

try() { "$tdtop" "$@"; }
# holds 'python expression over d (the JSON value)' ARGUMENT...
holds() {
    expr=$1
    shift
    "$tdtop" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    judge "$expr" "$*"
}
# judge EXPRESSION WHAT: of what "$tmp/out" holds; x: values that the test has set
judge() {
    if python3 -c "
import json, sys
text = open('$tmp/out').read()
d = json.loads(text)
sys.exit(0 if ($1) else 1)" 2>>"$tmp/err"; then
        pass=$((pass + 1))
    else
        bad "tdtop $2: does not hold: $1" "$(head -8 "$tmp/out" "$tmp/err")"
    fi
}
# No store yet: a list is empty, what names a run is not found, and nothing was made by looking
want 1 'there is no store of runs yet; tdtop collect makes one' list
holds 'd == []' list --json
want 1 'there is no store of runs yet' query
want 1 'there is no store of runs yet' label @0
want 0 "^$tmp/data/tdtop/runs.db\$" db path
ok 'looking made a store' [ ! -e "$tmp/data" ]

# Slips of the pen: exit 2, before anything is measured or made
want 2 '^tdtop: no target' collect -d 1
want 2 "^tdtop: label 'x': no '='; write key=value" collect --demo -d 1 -L x
want 2 "^tdtop: label 'a b': a key has" collect --demo -d 1 -L 'a b=c'
want 2 '^tdtop: collect --demo: how long\? give -d TIME or -n N' collect --demo
want 2 '^tdtop: more than one target' collect --demo -a -d 1
want 2 '^tdtop: --seed goes with --demo only' collect -a -d 1 --seed 2
want 2 '^tdtop: --repeat 0: out of range' collect --demo -d 1 -r 0
want 2 '^tdtop: --sort size: it takes time, duration, process, model or metric' list --sort size
want 2 '^tdtop: --sort metric: which one\?' list --sort metric
want 2 "^tdtop: --since: 'soon': not a point of time" list --since soon
want 2 '^tdtop: --since is after --until' list --since 1h --until 2h
want 2 '^tdtop: --filter: filter a b' list --filter 'a b'
want 2 '^tdtop: --label x~y: it takes KEY=VALUE' list -L 'x~y'
want 2 '^tdtop: -j and --csv exclude' list -j --csv
want 2 '^tdtop: --funnel does not go with .tdtop list' list --funnel
want 2 '^tdtop: --funnel, --tree, --bottlenecks and --bottleneck exclude' query --funnel --tree
want 2 '^tdtop: --run @0 and @1: one run at a time' query @1 --run @0
want 2 '^tdtop: @0 names a run; conditions' query @0 --filter a=b
want 2 '^tdtop: --bottleneck lists runs; @0 does not' query @0 --bottleneck L3_Bound
want 2 "^tdtop: label 'a': neither KEY=VALUE nor KEY-" label @0 a
want 2 '^tdtop: label needs RUN' label
want 2 '^tdtop: rm needs RUN' rm
want 2 '^tdtop: rm --undo needs RUN' rm --undo
want 2 '^tdtop: rm: @0 and a filter exclude' rm @0 --filter a=b
want 2 '^tdtop: db needs one of init, stats, path, check, vacuum, prune' db
want 2 '^tdtop: db shrink: it takes one of' db shrink
want 2 '^tdtop: db stats: --keep goes with prune only' db stats --keep 3d
want 2 "^tdtop: --keep: '3x': not a span" db prune --keep 3x

# collect: the id alone on standard output, words on standard error, one object per run with --json
id=$("$tdtop" collect --demo -d 30s -L build=a -L 'text=a b, "c"' --note 'first; run' 2>"$tmp/err")
ok 'collect prints the id alone' sh -c "printf '%s' '$id' | grep -qE '^[0-9a-f]{16}\$'"
ok 'collect says what it measured' grep -q 'run .*: 30 intervals, 30 s of .*(SIMULATED)' "$tmp/err"
holds 'set("run_id samples duration labels".split()) <= set(d) and d["samples"] == 20 and d["duration"] == 20
    and d["simulated"] and d["labels"]["build"] == "b" and d["labels"]["comm"] == "mine"' \
    collect --demo -n 20 -L build=b -L comm=mine -j
"$tdtop" collect --demo -d 12s -L build=c --note three -r 3 -j --seed 7 2>/dev/null | python3 -c '
import json, sys
print(json.dumps([json.loads(l) for l in sys.stdin]))' >"$tmp/out"
judge '[r["labels"]["repeat"] for r in d] == ["1/3", "2/3", "3/3"] and len({r["run_id"] for r in d}) == 3' 'collect -r 3'
want 0 '^[0-9a-f]{16}$' collect --demo -d 2s -L build=d -I 250ms
holds 'd[0]["samples"] == 8' list -n 1 -j
want 1 'cannot be made|Not a directory' collect --demo -d 2s --db /dev/null/runs.db
"$tdtop" collect -d 400ms -I 100ms -j -- sleep 5 >"$tmp/out" 2>"$tmp/err"
if [ $? = 0 ]; then
    judge 'd["process_name"] == "sleep" and d["samples"] >= 3 and d["labels"]["kernel_version"] and not d["simulated"]' \
        'collect -- sleep 5'
    want 0 '' rm @0
else
    echo "SKIP collect on this machine: $(tail -1 "$tmp/err")"
fi

# A signal ends it early, and what was measured is stored; the rest of the repeats is not begun
rm "$tmp/out"
"$tdtop" collect --demo --every 1h -d 5s -L build=e >"$tmp/out" 2>"$tmp/err" &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s "$tmp/out" ] && break
    sleep 0.1
done
kill -TERM $pid # a shell lets its background jobs ignore SIGINT
wait $pid
ok 'stopped between runs: exit 0' [ $? = 0 ]
ok 'stopped between runs: one run' [ "$(wc -l <"$tmp/out")" = 1 ]

# list: newest first, all of time; columns for people, rows for programs
want 0 '^run +begun +time +process +model +level +bottleneck +labels +note$' list
want 0 'build=a text=a b, "c" +first; run$' list
want 0 '^tdtop: 2 of 7 runs; -n 0 shows all$' list --limit 2
want 1 '^tdtop: .*: no runs match$' list --since 2100-01-01
holds '[r["labels"]["build"] for r in d] == list("edcccba") and all({"run_id", "started_at", "process_name",
    "level", "duration", "labels"} <= set(r) for r in d)' list -j
holds 'len(d) == 7' list -j --since 10m --until 2100-01-01
holds 'len(d) == 0' list -j --until 2020-01-01
holds 'len(d) == 7' list -j --last 1h
holds '[r["labels"]["build"] for r in d] == ["a"]' list -j -L build=a
holds '[r["labels"]["build"] for r in d] == ["c"]' list -j --filter build=c --filter repeat~2/
holds '[r["labels"]["build"] for r in d] == list("edba")' list -j --filter build!=c
holds '[r["labels"]["build"] for r in d] == list("dba")' list -j --filter '!repeat'
holds 'len(d) == 1' list -j --filter "text=a b, \"c\""
holds 'len(d) == 0' list -j -P nobody
holds '[r["value"] for r in d] == sorted((r["value"] for r in d), reverse=True) and {r["unit"] for r in d} == {"%"}
    and all(5 < r["value"] < 95 for r in d)' list -j --metric Backend_Bound --sort metric
holds '[r["duration"] for r in d] == sorted(r["duration"] for r in d)' list -j --sort duration-
want 1 '^tdtop: Ipc: run .* has no such metric; did you mean IPC\?' list --metric Ipc
want 0 '^build=c, 3 runs$' list --group-by build
want 0 '^without repeat, 3 runs$' list --group-by repeat
"$tdtop" list --csv --metric IPC >"$tmp/csv"
python3 -c '
import csv, json, sys
print(json.dumps(list(csv.DictReader(open(sys.argv[1])))))' "$tmp/csv" >"$tmp/out"
judge 'len(d) == 7 and d[-1]["run_id"] == "'"$id"'" and float(d[0]["value"]) > 0.1 and d[-1]["note"] == "first; run"
    and "text=a b, \"c\"" in d[-1]["labels"]' 'list --csv'
ok 'no escape sequences in a pipe' sh -c "! '$tdtop' list | grep -q '$(printf '\033')'"
python3 - "$tdtop" <<'P' && pass=$((pass + 1)) || { fail=$((fail + 1)); echo 'FAILED: a list on a terminal is cut to its width'; }
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], "list"])
text = b""
try:
    while chunk := os.read(fd, 4096):
        text += chunk
except OSError:
    pass
lines = text.decode().splitlines()
sys.exit(0 if len(lines) == 8 and all(len(l) <= 60 for l in lines) and any("…" in l for l in lines) else 1)
P

# query: the newest run without a name; orders and limits
short=$(printf %.6s "$id")
want 0 "^run $(printf %.8s "$id")  simulated core .* 30 intervals, 30 s  spr  SIMULATED\$" query "$short"
want 0 '^bottleneck: Backend_Bound > Memory_Bound' query "$short"
want 0 '^labels: build=a' query --run "$short"
holds '[(e["share_of"] is not None, -e["value"]) for e in d["entries"][1:]] == sorted((e["share_of"] is not None, -e["value"]) for e in d["entries"][1:])
    and d["entries"][0]["path"] == d["bottleneck"] and len({e["path"].split(".")[0] for e in d["entries"]}) == len(d["entries"]) <= 4
    and all(e["value"] >= 5 and e["unit"] == "%" for e in d["entries"]) and d["labels"]["build"] == "e"' query -j
ranked='[(e["share_of"] is not None, -e["value"]) for e in d["entries"]]'
holds "$ranked == sorted($ranked)"' and all(e["over"] and e["value"] >= 5 for e in d["entries"]) and len(d["entries"]) <= 10
    and d["entries"][0]["path"] == "Backend_Bound" and "Retiring" not in [e["path"] for e in d["entries"]]' query --bottlenecks -j
"$tdtop" collect --demo --model skl -d 90s --db "$tmp/skl.db" >/dev/null 2>&1 || bad "collect for --bottlenecks"
holds "$ranked == sorted($ranked)"' and max(e["value"] for e in d["entries"] if e["share_of"]) > min(e["value"] for e in d["entries"] if not e["share_of"])' \
    query --bottlenecks -j -n 0 --db "$tmp/skl.db"
holds 'all(e["value"] >= 25 for e in d["entries"]) and 0 < len(d["entries"])' query --bottlenecks -j --min-pct 25 -n 0
want 0 '^no node that large is over its threshold' query --bottlenecks --min-pct 99
holds 'max(e["level"] for e in d["entries"]) == 3 and abs(d["total_slots"] - 100) < 0.01
    and abs(d["useful_work_pct"] + d["wasted_pct"] - 100) < 0.01
    and {"metric_name", "path", "value", "unit", "level", "is_useful"} <= set(d["entries"][0])
    and all(e["is_useful"] == e["path"].startswith("Retiring") for e in d["entries"])' query --funnel -j
holds 'max(e["level"] for e in d["entries"]) == 1' query --funnel -l 1 -j
cat >"$tmp/walk.py" <<'P'
def walk(nodes, level):
    values = [n["value"] for n in nodes]
    known = [v for v in values if v is not None]
    return (known == sorted(known, reverse=True) and values[:len(known)] == known and all(
        n["level"] == level and n["name"] == n["full_path"].split(".")[-1] and walk(n["children"], level + 1)
        for n in nodes))
P
PYTHONPATH="$tmp" holds '__import__("walk").walk(d["tree"], 1) and len(d["tree"]) == 4' query --tree -j
holds 'all(not c["children"] for r in d["tree"] for c in r["children"])' query --tree -l 2 -j
want 0 '^IPC +[0-9]' query --tree -v
want 0 'of clocks' query --tree
want 0 '^run_id,metric_name,path,level,value,unit' query --csv
holds 'len(d) == 7 and [r["value"] for r in d] == sorted((r["value"] for r in d), reverse=True)
    and {r["metric_name"] for r in d} == {"Memory_Bound"}' query --bottleneck Memory_Bound -j
holds 'len(d) == 1 and d[0]["labels"]["build"] == "a"' query --bottleneck Backend_Bound.Memory_Bound -j -L build=a
holds 'd == []' query --bottleneck Memory_Bound --min-pct 99 -j
want 0 'Memory_Bound: no run has 99% of it or more' query --bottleneck Memory_Bound --min-pct 99
want 1 'L3_Bond: run .* has no such metric; did you mean L3_Bound\?' query --bottleneck L3_Bond
want 2 'IPC: it is no share of anything' query --bottleneck IPC
want 1 'no run in .* has an id that begins so' query 0000000000000000
want 1 "run 'redis': not an id" query redis
want 1 'there are not so many runs' query @99
want 1 'no stored run matches the filter' query --filter build=zz

# label: set, replaced, taken off; any prefix, @N
want 0 '^$' label "$short" build=A2 extra=1 --note 'changed'
holds 'd["labels"]["build"] == "A2" and d["labels"]["extra"] == "1" and d["note"] == "changed"' label "$short" -j
want 0 '^$' label "$short" extra- comm-
holds '"extra" not in d["labels"] and "comm" not in d["labels"]' label "$short" -j
want 0 '^build +A2 *$' label "$short"
want 0 '^tma_level +0 +automatic$' label "$short"
printf 'quotes "\047 lines\n\na\ttab and 漢字' >"$tmp/odd"
want 0 '^$' label "$short" "odd=$(cat "$tmp/odd")"
holds 'd["labels"]["odd"] == open("'"$tmp/odd"'").read()' label "$short" -j
ok 'an escape sequence of a label does not reach the terminal' \
    sh -c "! '$tdtop' list | grep -q '$(printf '\033')'"
want 2 'its value is not UTF-8' label "$short" "$(printf 'bad=\377')"
want 2 'its value has 10000 bytes' label "$short" "big=$(head -c 10000 /dev/zero | tr '\0' x)"

# rm: undone until db prune
want 0 '1 run removed; tdtop rm --undo RUN brings one back' rm "$short"
want 1 'it was removed; tdtop rm --undo .* brings it back' query "$short"
want 0 '1 run brought back' rm --undo "$short"
want 0 "^$id\$" rm @6
want 0 "^$id\$" rm --undo @0
want 1 'begins so' rm "$short" 0000000000000000
holds 'len(d) == 7' list -j
want 1 '3 runs match; --dry-run shows them, --yes removes them' rm --filter build=c
want 0 '3 runs would be removed' rm --filter build=c --dry-run
# All or none: one that cannot be changed takes the others back
alter() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()' "${TDTOP_DB:-$tmp/data/tdtop/runs.db}" "$1"; }
oldest_c="run = (SELECT min(run) FROM runs WHERE run IN (SELECT run FROM labels WHERE key = 'build' AND value = 'c'))"
alter "UPDATE runs SET id = id || 'x' WHERE $oldest_c" # it is listed, and cannot be found by what is listed
want 1 'no such run' rm --filter build=c --yes
alter "UPDATE runs SET id = substr(id, 1, 16) WHERE $oldest_c"
holds 'len(d) == 7' list -j
holds 'len(d["removed"]) == 3' rm --filter build=c --yes -j
holds '[r["labels"]["build"] for r in d] == ["e", "d", "b", "A2"]' list -j

# db
want 0 '^runs +4$' db stats
holds 'd["runs"] == 4 and d["removed"] >= 3 and d["bytes"] > 0' db stats -j
want 0 '^[34] runs would be removed for good, begun' db prune --dry-run --keep 90d
want 0 '^[34] runs removed for good' db prune --keep 90d --yes
want 1 'no deleted run in' rm --undo 00
holds 'd["removed"] == 0 and d["runs"] == 4' db stats -j
holds 'd["bytes"] <= d["bytes_before"]' db vacuum -j
want 0 '^ok$' db check
want 2 '^tdtop: --keep 0s: must be longer than nothing' db prune --keep 0s
want 0 '4 runs would be removed' db prune --keep 1s --dry-run
holds 'd["ok"] and d["problems"] == []' db check -j
printf 'not a database, but long enough to be looked at; %1000s' x >"$tmp/odd.db"
want 1 'odd.db' list --db "$tmp/odd.db"
ok 'what is no store is left alone' grep -q '^not a database' "$tmp/odd.db"
TDTOP_DB="$tmp/other.db" want 0 "^$tmp/other.db\$" db path

# A full disk while printing is not silent
[ -e /dev/full ] && ok 'a full standard output: exit 1' sh -c "'$tdtop' list >/dev/full 2>/dev/null; [ \$? = 1 ]"

# ---- labels, removed runs, empty answers (a store of its own) ----
(TDTOP_DB="$tmp/care.db" "$tdtop" collect --demo -n 3 -L build=x -L host=mine && TDTOP_DB="$tmp/care.db" "$tdtop" collect --demo -n 3 -L build=y) >"$tmp/care" 2>/dev/null
x=$(sed -n 1p "$tmp/care") y=$(sed -n 2p "$tmp/care")
export TDTOP_DB="$tmp/care.db"
want 0 '' rm "$x"
want 0 '^run .* removed$' list --removed
want 0 "^$(printf %.8s "$x") .* build=x" list --removed
holds '[r["run_id"] for r in d] == ["'"$x"'"] and "removed_at" in d[0]' list --removed -j
holds 'len(d) == 1 and "removed_at" not in d[0]' list -j
want 1 'no removed runs match' list --removed -L build=y
want 1 "run $(printf %.6s "$x"): it was removed; tdtop rm --undo $(printf %.6s "$x") brings it back" query "$(printf %.6s "$x")"
want 1 '1 run matches; --dry-run shows it, --yes brings' rm --undo -L build=x
want 1 'no removed run matches; tdtop list --removed' rm --undo -L build=y --yes
want 0 '1 run would be brought back' rm --undo -L build=x --dry-run
want 0 '1 run brought back' rm --undo -L build=x --yes
want 1 'no runs are removed' list --removed
want 1 'no run matches; tdtop list shows' rm -L build=z --yes
holds 'd == {"removed": [], "dry_run": False}' rm -L build=z --yes -j
want 1 'no runs match' list -L build=z
holds 'd == []' list -L build=z -j
want 1 'there is no store of runs yet' rm @0 --db "$tmp/nothing.db"
want 1 'there is no store of runs yet' db prune --db "$tmp/nothing.db"
ok 'nothing was made by changing nothing' [ ! -e "$tmp/nothing.db" ]
want 0 '^1 run would be removed for good, begun 2023-11-14 [0-9:]*$' db prune --keep 90d --dry-run --db "$(
    cp "$tmp/care.db" "$tmp/aged.db"
    sqlite3 "$tmp/aged.db" "UPDATE runs SET begun_ns = 1700000000000000000 WHERE id = '$x'" 2>/dev/null ||
        python3 -c "import sqlite3; c = sqlite3.connect('$tmp/aged.db'); c.execute(\"UPDATE runs SET begun_ns = 1700000000000000000 WHERE id = '$x'\"); c.commit()"
    echo "$tmp/aged.db")"
want 1 '^tdtop: db prune: 1 run would be removed for good, begun 2023-11-14 [0-9:]*; --yes removes it$' db prune --keep 90d --db "$tmp/aged.db"
# on a terminal prune asks; elsewhere (cron) it needs --yes, as rm
on_terminal() { python3 - "$1" "$tdtop" db prune --keep 90d --db "$tmp/aged.db" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
while b"[y/N]" not in out:
    out += os.read(fd, 4096)
os.write(fd, sys.argv[1].encode() + b"\n")
try:
    while True:
        out += os.read(fd, 4096)
except OSError:
    pass
print(out.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
}
ok 'prune asks, and no is no' sh -c "printf '%s' \"\$1\" | tr -d '\r\n' | grep -qE 'remove 1 run for good, begun 2023-11-14 [0-9:]*\? \[y/N\] n.*nothing was removed.* 1\$'" - "$(on_terminal n)"
ok 'nothing was pruned' [ "$("$tdtop" list -n 0 -j --db "$tmp/aged.db" | grep -c run_id)" = 2 ]
ok 'prune asks, and yes is yes' sh -c "printf '%s' \"\$1\" | tr -d '\r\n' | grep -qE '1 run removed for good, begun .*; db vacuum.* 0\$'" - "$(on_terminal y)"
want 0 '^0 runs removed for good$' db prune --keep 90d --yes --db "$tmp/aged.db"
want 2 'db stats: --yes goes with prune only' db stats --yes
# labels: what covers comes off again; what could command a terminal is refused
want 0 'model +spr +automatic' label "$x"
want 0 'model +mine +over the automatic spr' label "$x" model=mine -v
want 0 'model +spr +automatic' label "$x" model- -v
want 2 'label z: its value has a control character: byte 2 is 0x1b .ESC.; take it out' label "$x" "z=$(printf 'a\033[2J')"
want 2 'label z: its value is not UTF-8 \(byte 2 is 0xff\)' label "$x" "$(printf 'z=a\377')"
want 2 'label z: its value has 10240 bytes, and 4096 is the most' label "$x" "z=$(head -c 10240 /dev/zero | tr '\0' z)"
want 2 'the note has a control character' label "$x" --note "$(printf 'a\033b')"
want 2 "label q: its value has a control" label "$x" p=1 "q=$(printf '\007')"
ok 'one bad label, none set' sh -c "! '$tdtop' label '$x' | grep -q '^p '"
want 0 '' label "$x" "p=$(printf 'a;b\\\nc\td "e"')" --note 'a note'
want 0 'p +a;b\\\\nc\\td "e"$' label "$x"
ok 'the labels of CSV can be read back' python3 - "$tdtop" <<'P'
import csv, io, re, subprocess, sys
rows = list(csv.DictReader(io.StringIO(subprocess.run([sys.argv[1], "list", "--csv", "-L", "build=x"], capture_output=True, text=True).stdout)))
back = {"n": "\n", "t": "\t"}
parts = [re.sub(r"\\(.)", lambda m: back.get(m[1], m[1]), p) for p in re.findall(r"(?:[^;\\]|\\.)+", rows[0]["labels"])]
labels = dict(p.split("=", 1) for p in parts)
sys.exit(len(rows) != 1 or labels["p"] != 'a;b\\\nc\td "e"' or labels["build"] != "x" or labels["host"] != "mine")
P
want 0 '\(note\) +a note' label "$x"
want 0 '' label "$x" --note ''
ok 'the note is off' sh -c "! '$tdtop' label '$x' | grep -q note"
want 0 '' label "$x" p-
# names and times that are none
want 1 'did you mean Retiring' list --metric Retirin
want 1 'did you mean DRAM_Bound' list --metric dram
want 1 'Xyzzy: run [0-9a-f]{8} has no such metric; tdtop query' list --metric Xyzzy
want 1 'Nix: run [0-9a-f]{8} has no such metric; tdtop query' list --metric Nix
want 2 "'99999999999d': longer than 200 years" list --since 99999999999d
want 2 "'9999-01-01': dates go from 1700 to 2250" list --since 9999-01-01
want 2 "'99999d': longer than 200 years" db prune --keep 99999d
unset TDTOP_DB

# collect: rows of runs, signals, stores that cannot be written; a history of nothing
export TDTOP_DB="$tmp/collect.db"
no='[0-9.]+'
want 0 "^tdtop: mean ± standard deviation of 3 runs \(SIMULATED\): IPC $no ± $no, Frontend_Bound $no% ± $no, .*Retiring $no% ± $no\$" \
    collect --demo -d 10s -r 3 -L row=a
ok 'one run has no standard deviation' sh -c "! '$tdtop' collect --demo -d 10s -r 1 2>&1 | grep -q deviation"
want 1 "^tdtop: .*: no stored run matches; tdtop list" history IPC -P nobody
want 1 "^tdtop: .*: no stored run matches; tdtop list" history IPC --until 2020-01-01 -j
want 1 "^tdtop: .*: no stored run matches the filter; tdtop list" history IPC -L row=b
want 1 'known in none of 4 runs; tdtop query [0-9a-f]{8} --tree -v says why' history Info_System_Power
want 0 "^tdtop: --group-by rwo: none of these runs has such a label" history IPC --group-by rwo
want 0 '' collect --demo -d 1s --db "$tmp/empty.db"
want 0 '' rm @0 --db "$tmp/empty.db"
want 1 '^tdtop: .*: no run is stored; tdtop collect makes one' history IPC --db "$tmp/empty.db"
# What is counted of the tree: with the focus on the bottleneck path level 1 waits for fewer groups.
want 2 "^tdtop: --focus: found 'most'; expected auto, open or off" collect --demo --focus most -d 1s
for mode in off auto; do
    want 0 '' collect --demo --model skx --focus $mode -d 12s --db "$tmp/focus.db"
    "$tdtop" export @0 --csv --db "$tmp/focus.db" >"$tmp/focus.$mode"
done
ok '--focus auto: level 1 has five times the duty or more, what is not on the path says why' python3 -c "
import csv
duty, why = {}, {}
for mode in 'off', 'auto':
    rows = [r for r in csv.DictReader(open('$tmp/focus.' + mode)) if float(r['time']) >= 3]
    level1 = [float(r['duty']) for r in rows if r['metric'] == 'Frontend_Bound']
    duty[mode] = sum(level1) / len(level1)
    why[mode] = {r['metric'] for r in rows if 'out of focus' in r['reason']}
assert duty['auto'] > 5 * duty['off'], duty
assert why['auto'] and not why['off'], why"

if "$tdtop" collect -I 100ms -d 200ms -p $$ >/dev/null 2>"$tmp/err"; then
    sleep 1 &
    pid=$!
    holds 'd["process_name"] == "sleep" and d["labels"]["pid"] == "'$pid'" and d["labels"]["cmdline"] == "sleep 1"' \
        collect -I 100ms -j -p $pid # it has ended before the run is made
    holds 'd["process_name"] == "true" and int(d["labels"]["pid"]) > 1' collect -I 100ms -j -- true
    cp "$(command -v sleep)" "$tmp/tdt-late"
    want 1 '^tdtop: -P tdt-late: no process of that name came within 0.3 s' collect -P tdt-late -d 300ms
    (
        until grep -qs 'waiting for a process named tdt-late' "$tmp/err"; do sleep 0.05; done
        exec "$tmp/tdt-late" 60
    ) &
    pid=$!
    : >"$tmp/err"
    timeout 60 "$tdtop" collect -P tdt-late -j -I 50ms -d 3s >"$tmp/out" 2>"$tmp/err"
    ok 'collect -P waits, and then measures for -d' python3 -c "
import json
d=json.load(open('$tmp/out'))
assert d['labels']['pid'] == '$pid' and d['process_name'] == 'tdt-late', d['labels']
assert 2.9 <= d['duration'] <= 3.2, d['duration']"
    kill $pid
    rm "$tmp/err"
    timeout --foreground 60 "$tdtop" collect -P tdt-late >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    until grep -qs 'waiting for a process' "$tmp/err"; do sleep 0.05; done
    kill -TERM $pid
    wait $pid
    ok 'a signal ends the waiting' [ $? = 1 ]
    ok 'and it is said' grep -q '^tdtop: -P tdt-late: ended before a process of that name came$' "$tmp/err"
    rm -f "$tmp/out"
    "$tdtop" collect -I 100ms -d 700ms -r 5 -L row=cut -p $$ >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    for i in $(seq 100); do
        [ "$(cat "$tmp/out" 2>/dev/null | wc -l)" -ge 2 ] && break
        sleep 0.1
    done
    sleep 0.3
    kill -TERM $pid
    wait $pid
    ok 'a row ended in a run: exit 0' [ $? = 0 ]
    ok 'a row ended in a run says so' grep -qE '^tdtop: ended by a signal: [345] of 5 runs are stored, the last cut short$' "$tmp/err"
    holds "len(d) == $(wc -l <"$tmp/out")" list -j -L row=cut
    "$tdtop" collect -I 20s -p $$ >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    for _ in $(seq 100); do # it counts
        ls -l /proc/$pid/fd | grep -q perf_event && break
        sleep 0.1
    done
    sleep 0.3
    kill -TERM $pid
    wait $pid
    ok 'ended before the first interval: exit 1' [ $? = 1 ]
    ok 'ended before the first interval: words' grep -q 'before the first interval was over, so nothing is stored' "$tmp/err"
else
    echo "SKIP collect and signals on this machine: $(tail -1 "$tmp/err")"
fi
# Locked: waiting is said, Ctrl-C ends it, and the run is in a file that import takes
mkfifo "$tmp/hold"
python3 -c '
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN IMMEDIATE")
open(sys.argv[2]).read()' "$TDTOP_DB" "$tmp/hold" &
locker=$!
exec 9>"$tmp/hold" # it has the lock when it opens the other end
mkdir "$tmp/there"
(cd "$tmp/there" && exec "$tdtop" collect --demo -d 10s -L row=locked >"$tmp/out" 2>"$tmp/err") &
pid=$!
for i in $(seq 100); do
    grep -q waiting "$tmp/err" && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
ok 'a locked store, and a signal: exit 1' [ $? = 1 ]
ok 'a locked store: waiting is said' grep -q 'collect.db: waiting for another tdtop that writes there$' "$tmp/err"
ok 'a locked store: the run is in a file' [ -f "$tmp"/there/tdtop-run-*.json ]
exec 9>&-
wait $locker
want 0 '^[0-9a-f]{16}$' import "$tmp"/there/tdtop-run-*.json
holds 'len(d) == 1 and d[0]["samples"] == 10' list -j -L row=locked
# A full disk: no room there, and none in this folder either
mkdir "$tmp/full"
if mount -t tmpfs -o size=1m none "$tmp/full" 2>/dev/null; then
    want 0 '' collect --demo -d 1s --db "$tmp/full/runs.db"
    left=$(df --output=avail -k "$tmp/full" | tail -1)
    dd if=/dev/zero of="$tmp/full/fill" bs=1k count=$((left - 100)) 2>/dev/null # enough to begin with
    long=$(printf '%0200d' 0)
    mkdir -p "$tmp/there/$long/$long/$long" # no path is cut short
    (cd "$tmp/full" && TMPDIR="$tmp/there/$long/$long/$long" exec "$tdtop" collect --demo -d 600s --db "$tmp/full/runs.db" >"$tmp/out" 2>"$tmp/err")
    ok 'a full disk: exit 1' [ $? = 1 ]
    ok 'a full disk: words' grep -q 'saving a run: no space left on its disk' "$tmp/err"
    ok 'a full folder: words' grep -q '^tdtop: tdtop-run-[0-9a-f]*.json: .*No space left on device' "$tmp/err"
    ok 'a full folder: no half of a file' [ "$(find "$tmp/full" -name '*json*')" = '' ]
    ok 'a long TMPDIR: the whole of it' grep -q "the run is in $tmp/there/$long/$long/$long/tdtop-run-[0-9a-f]*.json;" "$tmp/err"
    file=$(sed -n 's/^tdtop: the run is in \(.*\); .*/\1/p' "$tmp/err")
    want 0 '^[0-9a-f]{16}$' import "${file:-none}"
    umount "$tmp/full"
else
    echo 'SKIP a full disk: only root can mount one'
fi
unset TDTOP_DB

# The knowledge base: by leaf, path, prefix and the vendor's names; slips, and what is not one name
want 0 '^L3_Bound$' explain L3_Bound
want 0 '^L3_Bound$' explain backend_bound/memory_bound/l3_bound
want 0 '^L3_Bound$' explain tma_l3_bound
want 0 '^IPC$' explain Info_Thread_IPC
want 0 '^Serializing_Operation$' explain Serializing
want 0 'What to try' explain L3_Bound
want 0 'formula .*MEMORY_ACTIVITY' explain L3_Bound --model spr
want 0 '^on the page of Port_0' explain Port_1
want 1 'Port_: 8 names begin so' explain Port_
want 1 '^  Port_5 +.*port 5' explain Port_
want 1 'L3_Bund: no metric, node or group has this name; did you mean L3_Bound' explain L3_Bund
want 1 'xyzzy: no metric.*explain --all lists them' explain xyzzy
want 2 'no name' explain
want 2 'both a name and --all' explain IPC --all
want 1 'nosuch' explain IPC --model nosuch
want 0 '^L3_Bound +' explain --all
want 0 '^### L3..?_Bound' explain --all --markdown
holds "d['name'] == 'L3_Bound' and d['hints'] and d['models'] and d['references'] and d['metric']['formula']" \
    explain L3_Bound --json --model spr
holds "len(d) > 600 and all(e['summary'] and e['causes'] and e['hints'] and e['confirm'] for e in d)" explain --all --json
want 0 '^  1  slots' guide
want 0 '^Pipeline slots' guide slots
want 0 '^Noise' guide 5
want 0 '^Comparing builds' guide --all
want 0 '^## Pipeline slots' guide --markdown
want 1 'guide: x: there is no such page; there are slots, ' guide x
want 2 'leave one out' guide slots --all
holds "len(d) == 7 and d[0]['name'] == 'slots' and d[0]['parts']" guide --json
# Names as perf has them, in capitals or not; parts of paths; names of the model come first
want 0 '^IPC$' explain tma_info_thread_ipc
want 0 '^L3_Bound$' explain TMA_L3_BOUND
want 0 '^L3_Bound$' explain tma_l3_bound_group
want 0 '^TmaL1$' explain TopdownL1
want 0 '^IPC$' explain insn_per_cycle
want 0 '^Light_Operations$' explain Retiring/Light
want 0 '^L3_Bound$' explain Bac/Mem/L3
want 1 'Bac/L3: no metric' explain Bac/L3
want 0 'it is in others, too: [A-Z]' explain Mispredict --model spr
want 1 'TLB: [0-9]+ names begin so' explain TLB --model spr
want 0 '^tlb$' explain tlb --model spr
# What the model goes on with, or lacks; nothing is named that it does not have
want 0 'Arm Neoverse V2 has nothing below it in the tree: the next step is one of these$' explain Backend_Bound --model neoverse-v2
want 0 '^  - Operation_Mix: What the executed' explain Backend_Bound --model neoverse-v2
want 0 '^Goes on with$' explain MS_Switches --model spr
want 0 'Zen 4 \(model zen4\) has no L3_Bound: this is what it means' explain L3_Bound --model zen4
want 0 'What zen4 has nearest to it is Memory_Bound' explain L3_Bound --model zen4
holds '"L1_Bound" in d["related"]' explain Memory_Bound --json --model spr
holds 'not set(d["related"]) & {"L1_Bound", "L2_Bound", "L3_Bound", "DRAM_Bound"}' explain Memory_Bound --json --model zen4
holds 'not any("Ports_Utilization" in x for x in d["hints"] + d["confirm"] + d["causes"])' explain Core_Bound --json --model srf
want 0 '^On this core$' explain DRAM_Bound --model spr
want 0 '^By core$' explain L3_Bound
ok 'no glob heads a note' sh -c "! '$tdtop' explain --all --markdown | grep -E '^- ([^ []*[*?]|\[[a-z0-9]+\][a-z[])[^ ]*: '"
want 0 'to sample +MEM_LOAD_RETIRED.L3_HIT:pp$' explain L3_Bound --model spr
want 0 'with perf +perf record -e MEM_LOAD_RETIRED.L3_HIT:pp -p PID' explain L3_Bound --model spr
want 0 'perf record -e [^:]* -p PID' explain Divider --model spr
# Lists: all of them, of one model, as data
want 1 'and [0-9]+ more; -v lists all' explain Bound
ok '-v lists all' sh -c "! '$tdtop' explain Bound -v 2>&1 | grep -q 'and [0-9]* more'"
ok '--all of one model' sh -c "'$tdtop' explain --all --model srf | grep -q '^Retiring ' && ! '$tdtop' explain --all --model srf | grep -q '^Contested_Accesses '"
holds 'len(d) < 300 and all(e["name"] != "Contested_Accesses" for e in d)' explain --all --json --model srf
ok '--all of one model as Markdown' sh -c "! '$tdtop' explain --all --markdown --model srf | grep -q Contested"
holds 'd["kind"] == "node" and [n for n in d["notes"] if n["for"] == "AMD" and "zen4" in n["models"] and n["text"]]' explain L3_Bound --json
holds 'd["kind"] == "metric"' explain IPC --json
holds 'd["kind"] == "group"' explain TmaL1 --json
says() { # what holds of the JSON of a name that is none; its words
    ok "explain $2: $1" python3 - "$tdtop" "$@" <<'P'
import json, subprocess, sys
p = subprocess.run([sys.argv[1], "explain", *sys.argv[3:], "--json"], capture_output=True, text=True)
d = json.loads(p.stdout)
sys.exit(p.returncode != 1 or d["name"] != sys.argv[3] or not eval(sys.argv[2]))
P
}
says 'd["error"] == "ambiguous" and len(d["choices"]) >= 8 and "Port_5" in d["choices"]' Port_
says 'd["error"] == "unknown" and d["choices"][0] == "L3_Bound"' L3_Bund
says 'd["error"] == "unknown" and d["choices"] == []' xyzzy
ok 'links of Markdown lead somewhere' python3 - "$tdtop" <<'P'
import re, subprocess, sys
text = subprocess.run([sys.argv[1], "explain", "--all", "--markdown"], capture_output=True, text=True).stdout
ids = re.findall(r'<a id="([^"]*)">', text)
links = set(re.findall(r"\]\(#([^)]*)\)", text))
heads = re.findall(r"^## .*", text, re.M)
sys.exit(not links or len(ids) != len(set(ids)) or not links <= set(ids) or len(heads) != len(set(heads)))
P
ok 'no list right behind a paragraph' python3 - "$tdtop" <<'P'
import re, subprocess, sys
texts = [subprocess.run([sys.argv[1], *w, "--markdown"], capture_output=True, text=True).stdout for w in (["guide"], ["explain", "--all"])]
sys.exit(any(re.search(r"^(?!- |<a)[^\n]+\n- ", t, re.M) for t in texts))
P
# Widths
ok 'piped text is as wide as $COLUMNS' sh -c "COLUMNS=60 '$tdtop' explain L3_Bound --model spr | awk 'length > 60 {n++} END {exit n > 0}'"
ok '40 columns' sh -c "COLUMNS=40 '$tdtop' explain L3_Bound --model spr | grep -vE '^ *[^ ]*$|^  [a-z ]{14}' | awk 'length > 40 {n++} END {exit n > 0}'"
ok 'the list of choices is wrapped' sh -c "COLUMNS=60 '$tdtop' explain Port_ 2>&1 | awk 'NR > 1 && length > 60 {n++} END {exit n > 0}'"
want 0 'every name \(of --model\)' help explain
want 0 'every page' help guide
ok 'options in words of the verb' sh -c "! '$tdtop' help explain | grep -q interval"
# Long texts go through the pager on a terminal alone
ok 'a pager shows what does not fit' sh -c "PAGER='sed s/^/P:/' script -qec 'stty rows 20; $tdtop explain L3_Bound' /dev/null </dev/null | grep -q 'P:L3_Bound'"
ok 'no pager where it fits' sh -c "PAGER='sed s/^/P:/' script -qec 'stty rows 500; $tdtop explain L3_Bound' /dev/null </dev/null | grep -q '^L3_Bound'"
ok 'an empty PAGER is none' sh -c "PAGER= timeout 20 script -qec 'stty rows 20; $tdtop explain L3_Bound' /dev/null </dev/null | tr -d '\r' | grep -q '^Models that have it$'"
ok 'a pager that is not there loses nothing' sh -c "PAGER=/no/such script -qec 'stty rows 20; $tdtop explain L3_Bound' /dev/null </dev/null | grep -q '^L3_Bound'"
ok 'a pager that cannot be run loses nothing' sh -c "PAGER=/ script -qec 'stty rows 20; $tdtop explain L3_Bound' /dev/null </dev/null | grep -q '^L3_Bound'"
ok 'a pager may have arguments and pipes' sh -c "PAGER='cat | tr a-z A-Z' script -qec 'stty rows 20; $tdtop guide slots' /dev/null </dev/null | grep -q '^PIPELINE SLOTS'"
ok 'a pager that ends early is no error' sh -c "PAGER='head -1' script -qec 'stty rows 20; $tdtop explain --all && echo it is over' /dev/null </dev/null | grep -q '^it is over'"
ok 'a pager has SIGPIPE as it was' sh -c "PAGER='sed -n s/^SigIgn:.//p /proc/self/status; cat >/dev/null' script -qec 'stty rows 20; $tdtop explain L3_Bound' /dev/null </dev/null | grep -qE '^.{12}[02468ace].{3}[^0-9a-f]*\$'"
ok 'lines that wrap take rows' sh -c "PAGER='sed s/^/P:/' script -qec 'stty rows 30 cols 20; $tdtop guide' /dev/null </dev/null | grep -q '^P:'"
ok 'data go through no pager' sh -c "PAGER='sed s/^/P:/' script -qec 'stty rows 20; $tdtop explain L3_Bound --json' /dev/null </dev/null | head -1 | grep -q '^{'"
ok 'Ctrl-C in the pager is the pager'"'"'s' python3 - "$tdtop" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ["PAGER"] = "trap 'echo it was told' INT; cat >/dev/null; echo ready; sleep 5; sleep 0.2; echo the end"
    os.execl("/bin/sh", "sh", "-c", "stty rows 20; exec " + sys.argv[1] + " explain L3_Bound")
out = b""
try:
    while True:
        out += os.read(fd, 4096)
        if b"ready" in out and b"^C" not in out:
            os.write(fd, b"\x03")
            out += b"^C"
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 or b"the end" not in out)
P
# What cannot be written is an error, whatever the verb
for verb in 'explain IPC' 'explain IPC -j' 'explain --all' 'guide slots' 'guide -j' models doctor version help -V; do
    "$tdtop" $verb >/dev/full 2>"$tmp/err"
    ok "a full standard output of $verb: exit 1" [ $? = 1 ]
    ok "a full standard output of $verb: words" grep -q '^tdtop: standard output: No space left on device; what was written is not complete$' "$tmp/err"
done

over verbs
