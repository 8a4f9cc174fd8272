#!/bin/sh
# runs_test.sh TDTOP: runs compared, gated, exported, imported, evaluated again. With TDTOP_SHARED=DIR (or ../shared) the
# recordings there too. Ends with "runs: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
run() { "$tdtop" collect --demo "$@" 2>/dev/null; }

# Three runs of a minute, three of its first 25 s: the simulated core does other things there.
for i in 1 2 3; do
    run -d 60s --seed $i -L build=old >>"$tmp/old"
    run -d 25s --seed $((i + 3)) -L build=new >>"$tmp/new"
done
old=$(head -1 "$tmp/old") new=$(head -1 "$tmp/new")

# ---- the sides in words; what one side has alone, and why a ± is wide, in a line each ----
want 0 '^A  3 runs of demo with build=old' "$tdtop" compare build=old build=new
want 0 '^B  run ' "$tdtop" compare build=old @0
want 2 'A: no stored run has build=none; tdtop list -v shows the labels there are' "$tdtop" compare build=none @0
want 2 'labels \(build=old\), or files of tdtop export; B is missing' "$tdtop" compare build=old
run -d 20s -l 1 --db "$tmp/levels.db" >/dev/null
run -d 20s --db "$tmp/levels.db" >/dev/null
want 0 '^only in B \([0-9]{3}\): A was measured to level 1; -v names them$' "$tdtop" compare @1 @0 --db "$tmp/levels.db"
want 0 'Info_System_GFLOPs' "$tdtop" compare -v @1 @0 --db "$tmp/levels.db"
run -d 10s --seed 5 --db "$tmp/levels.db" >/dev/null
want 0 "^wide ±: +[A-Za-z_]+ [0-9.]+ points: A's 20 intervals \(worth" "$tdtop" compare @1 @0 --db "$tmp/levels.db"

# ---- the gate, as a script uses it: both exits, and the third ----
cat >"$tmp/gate.sh" <<'GATE'
#!/bin/sh
"$1" compare --label-a build=$2 --label-b build=$3 --fail-on "$4" >/dev/null 2>&1
case $? in 0) echo "may be merged" ;; 1) echo "regressed"; exit 1 ;; *) echo "cannot be judged"; exit 2 ;; esac
GATE
chmod +x "$tmp/gate.sh"
want 0 'may be merged' "$tmp/gate.sh" "$tdtop" old new Backend_Bound:+2
want 1 'regressed' "$tmp/gate.sh" "$tdtop" old new Ports_Utilization:+1
want 1 'regressed' "$tmp/gate.sh" "$tdtop" old new Bad_Speculation:+5%
want 0 'may be merged' "$tmp/gate.sh" "$tdtop" new old Bad_Speculation:+5%
want 2 'cannot be judged' "$tmp/gate.sh" "$tdtop" old new No_Such_Metric:+1
want 2 'cannot be judged' "$tmp/gate.sh" "$tdtop" old newest Backend_Bound:+2
want 1 '^FAILED +Bad_Speculation: \+1\.[0-9]+ ± .*beyond the limit of \+1' "$tdtop" compare --label-a build=old --label-b build=new --fail-on Bad_Speculation:+1 --fail-on IPC:-5%
want 1 '^regressed: 1 of 2 conditions failed' "$tdtop" compare --label-a build=old --label-b build=new --fail-on Bad_Speculation:+1 --fail-on IPC:-5%
want 0 '^ok +Info_Memory_L2MPKI: .*within the limit of \+20%' "$tdtop" compare --label-a build=old --label-b build=new --preset tutorial
want 0 '^skipped +elapsed' "$tdtop" compare --label-a build=old --label-b build=new --preset tutorial
want 1 '^skipped +elapsed: not measured of a command that ended by itself' "$tdtop" compare --label-a build=new --label-b build=old --preset strict
want 2 '^unclear +Retiring: ' "$tdtop" compare "$new" "$(tail -1 "$tmp/new")" --fail-on Retiring:-2
want 0 '^ok +Retiring: .*within the limit of -20' "$tdtop" compare "$new" "$(tail -1 "$tmp/new")" --fail-on Retiring:-20 # few values, but enough for that
want 2 "IPC=5.: it has no ':'" "$tdtop" compare "$old" "$new" --fail-on IPC=5
want 2 '^tdtop: --preset x: no such preset; there are tutorial, strict' "$tdtop" compare "$old" "$new" --preset x
want 2 'compare needs two sides' "$tdtop" compare "$old"
# Two runs of one target at the same time: what they share is no change.
"$tdtop" collect -p $$ -d 2s -I 500ms -L span=a >/dev/null 2>&1 &
"$tdtop" collect -p $$ -d 2s -I 500ms -L span=b >/dev/null 2>&1
wait $!
want 2 'runs [0-9a-f]* and [0-9a-f]* overlap: .*or give --overlap' "$tdtop" compare --label-a span=a --label-b span=b
want 0 'Metric|^A ' "$tdtop" compare --label-a span=a --label-b span=b --overlap
"$tdtop" label @0 node=another >/dev/null
want 0 'Metric|^A ' "$tdtop" compare --label-a span=a --label-b span=b # of another host
want 2 'zzz.*: not an id' "$tdtop" compare "$old" zzz
want 2 'B: no stored run has build=none' "$tdtop" compare "$old" --label-b build=none
want 2 'nothing is that sure' "$tdtop" compare "$old" "$new" --confidence 100
want 2 'more than 0' "$tdtop" compare "$old" "$new" --least 0

# ---- what a comparison says ----
want 0 'each run is one sample' "$tdtop" compare --label-a build=old --label-b build=new
want 0 '^regressed \([0-9]+\)' "$tdtop" compare --label-a build=old --label-b build=new
want 0 '^▸ Local_MEM +5\.[0-9]% +2\.[0-9]% +-2\.[0-9] points +[01]\.[0-9] points' "$tdtop" compare --label-a build=old --label-b build=new
want 0 'fewer instructions per second .*fewer cycles' sh -c "'$tdtop' compare --label-a build=old --label-b build=new | tr -s ' \\n' ' '"
want 0 '^slots: +Bad_Speculation: 5\.[0-9]% -> 6\.[0-9]% is [0-9.]+G -> [0-9.]+G slots per second' "$tdtop" compare --label-a build=old --label-b build=new
want 1 '' sh -c "'$tdtop' compare --label-a build=old --label-b build=new --least 90,90% | grep -E '^(regressed|improved|changed)'"
want 0 '^\| Branch_Mispredicts \| 4' "$tdtop" compare --label-a build=old --label-b build=new --markdown
want 0 '^Branch_Mispredicts,Bad_Speculation.Branch_Mispredicts,4.*,regressed,%,2,regressed,' "$tdtop" compare --label-a build=old --label-b build=new --csv
holds 'd["run_a"]["samples_are"] == "runs" and d["run_b"]["runs"] == 3 and d["result"] == "regressed" and
    [g["state"] for g in d["gates"]] == ["failed", "ok"]' "$tdtop" compare --label-a build=old --label-b build=new --fail-on Bad_Speculation:+1 --fail-on IPC:-5% -j
holds 'all({"metric_name", "value_a", "value_b", "delta", "delta_percent", "direction", "unit", "level"} <= set(m) for m in d["metrics"])
    and all(abs(m["value_b"] - m["value_a"] - m["delta"]) < 1e-9 for m in d["metrics"] if m["delta"] is not None and not m["scaled_to_time_of_a"])' \
    "$tdtop" compare "$old" "$new" -j
"$tdtop" label "$(sed -n 1p "$tmp/old")" pair=yes >/dev/null 2>&1
"$tdtop" label "$(sed -n 2p "$tmp/old")" pair=yes >/dev/null 2>&1
holds 'd["run_a"]["samples_are"] == "intervals" and d["run_a"]["runs"] == 2 and d["run_a"]["intervals"] == 120' "$tdtop" compare --label-a pair=yes --label-b build=new -j

# ---- a metric over runs ----
want 0 '^[0-9]+ runs: mean 3[67]\.[0-9]%' "$tdtop" history Backend_Bound --filter build=old
holds 'd["n"] == 6 and len(d["runs"]) == 6 and d["unit"] == "%" and all(r["rolling_mean"] is None for r in d["runs"])' "$tdtop" history Backend_Bound -j
for i in 1 2 3 4 5 6 7; do run -d 60s --seed $((20 + i)) -L trend=yes >/dev/null; done
run -d 12s --seed 30 -L trend=yes >/dev/null
holds 'len(d["runs"]) == 8 and [r["rolling_mean"] is not None for r in d["runs"]] == 6 * [False] + 2 * [True] and
    [r["anomaly"] for r in d["runs"]] == 7 * [False] + [True] and abs(sum(r["value"] for r in d["runs"][1:]) / 7 - d["runs"][7]["rolling_mean"]) < 1e-9' \
    "$tdtop" history Bad_Speculation --label trend=yes -j
holds '[g["label_value"] for g in d["groups"]] == ["new", "old", None]' "$tdtop" history IPC --group-by build -j
want 0 '^[^,]*,[0-9a-f]{16},IPC,' "$tdtop" history IPC --csv
want 1 'did you mean Backend_Bound' "$tdtop" history Backend_Bund
want 1 '^tdtop: elapsed: none of these runs is of a command that ended by itself; tdtop collect -- COMMAND makes one' "$tdtop" history elapsed
for seconds in 0.3 0.7 0.4; do "$tdtop" collect --db "$tmp/took.db" -I 100ms --model software -L took=yes -- sleep $seconds >/dev/null 2>&1 || bad "collect of sleep $seconds"; done
"$tdtop" collect --db "$tmp/took.db" -I 100ms --model software -d 200ms -L took=no -- sleep 9 >/dev/null 2>&1
holds 'd["unit"] == "s" and [r["value"] >= least for r, least in zip(d["runs"], [0.3, 0.7, 0.4])] == 3 * [True]' "$tdtop" history elapsed -j --db "$tmp/took.db"
want 0 '^3 runs: mean [0-9.]+ s' "$tdtop" history Elapsed --db "$tmp/took.db"
want 0 '1 of 4 runs do not have elapsed' "$tdtop" history elapsed --db "$tmp/took.db"
want 0 ' [0-9.]+ s +took=yes$' "$tdtop" list --sort metric --metric elapsed --db "$tmp/took.db"
want 2 '^skipped +Cache_Miss_Ratio' "$tdtop" compare @0 @1 --preset tutorial --db "$tmp/took.db"
want 2 '^unclear: 4 of 4 conditions cannot be judged' "$tdtop" compare @0 @1 --preset tutorial --db "$tmp/took.db"
want 1 '^$' sh -c "'$tdtop' compare @1 @0 --least 0.1 --db '$tmp/took.db' | grep -i slots" # shares of time
want 0 ' n/a +took=no$' "$tdtop" list --sort metric --metric elapsed --db "$tmp/took.db"

# ---- export, import: the same, to the last bit ----
"$tdtop" export "$old" -o "$tmp/old.json" || bad export
holds 'all(n["mean_err"] > n["se"] for n in d["nodes"] if n["se"] and n["dof"]) and all((n["mean_err"] is None) == (n["dof"] in (None, 0)) for n in d["nodes"])' "$tdtop" export "$old" --json
(umask 027 && exec "$tdtop" export "$old" -o "$tmp/masked.json") && [ "$(stat -c %a "$tmp/masked.json")" = 640 ] || bad "the rights of a new file"
want 0 "$old" "$tdtop" import --db "$tmp/other.db" "$tmp/old.json"
want 0 'is in the store already' "$tdtop" import --db "$tmp/other.db" "$tmp/old.json"
"$tdtop" export --db "$tmp/other.db" "$old" -o "$tmp/again.json"
want 0 '' cmp "$tmp/old.json" "$tmp/again.json"
holds 'len(d["intervals"]) == 60 and d["slots"] and d["model_text"] and d["n_pinned"] > 0' cat "$tmp/again.json"
holds 'len(d["metrics"]) > 200 and all(m["delta"] == 0 for m in d["metrics"]) and not d["verdicts"]["only in A"] and not d["verdicts"]["only in B"]' \
    "$tdtop" compare --db "$tmp/other.db" "$old" "$tmp/old.json" -j
holds 'all(m["delta"] == 0 for m in d["metrics"])' "$tdtop" compare "$tmp/old.json" "$tmp/again.json" -j
"$tdtop" replay --db "$tmp/other.db" "$old" -j >"$tmp/a.rows" 2>/dev/null
"$tdtop" replay "$old" -j >"$tmp/b.rows" 2>/dev/null
want 0 '^60 ' sh -c "wc -l <'$tmp/a.rows' | sed 's/\$/ /'"
want 0 '' cmp "$tmp/a.rows" "$tmp/b.rows"
want 0 'the text that was stored with the run' sh -c "'$tdtop' replay '$(echo "$old" | cut -c1-10)' -n 1"
want 1 'replay ffffffffffff: it is no file: run ffffffffffff' "$tdtop" replay ffffffffffff
want 1 'is no file|No such file' "$tdtop" replay no-such-file.csv
head -c 20000 "$tmp/old.json" >"$tmp/cut.json"
want 1 'cut.json:.*not JSON.*is the file complete' "$tdtop" import "$tmp/cut.json"
sed 's/"tdtop_run": 1/"tdtop_run": 2/' "$tmp/old.json" >"$tmp/newer.json"
want 1 'a run in format 2, and this tdtop reads 1' "$tdtop" import "$tmp/newer.json"
sed 's/"group":[0-9]*}/"group":9999}/' "$tmp/old.json" >"$tmp/wrong.json"
want 1 'slots\[0\].group: there are fewer groups' "$tdtop" import --db "$tmp/third.db" "$tmp/wrong.json"

# ---- reports and rows ----
want 0 '^\*\*Limited by L3_Bound: ' "$tdtop" export "$old" --markdown
want 0 '^\| Backend_Bound \| 36\.[0-9]% .*\*\*over\*\* \| Backend_Bound > 0.2' "$tdtop" export "$old" --markdown
want 0 '^tdtop compare [0-9a-f]{8} @0 --fail-on' "$tdtop" export "$old" --markdown
want 1 '' sh -c "'$tdtop' export '$old' --markdown | grep -i 'hot spot'"
want 0 '^time,dt,metric,path,value,unit,state,duty,over,bottleneck,source,reason,err,of,approx$' "$tdtop" export "$old" --csv
want 0 '^61$' sh -c "'$tdtop' export '$old' --csv --metric IPC | wc -l"
"$tdtop" export "$old" -o "$tmp/run.csv" && "$tdtop" export "$old" -o "$tmp/run.md" || bad "export by the file's ending"
want 0 '^time,dt' head -1 "$tmp/run.csv"
want 0 '^# ' head -1 "$tmp/run.md"
want 1 'nowhere/x.json.*: No such file' "$tdtop" export "$old" -o "$tmp/nowhere/x.json"

"$tdtop" export "$old" --markdown >"$tmp/report.md"
want 0 '^- outside the core: not simulated: [0-9]+ metrics$' cat "$tmp/report.md"
want 0 '^tdtop collect --demo -d [0-9]+s -L step=after$' cat "$tmp/report.md"
# said once: no two rows of the environment have the same key, or say the same
sed -n '/^## Environment/,/^## Level 1/p' "$tmp/report.md" | grep '^| [a-z]' >"$tmp/pairs"
want 0 '^0$' sh -c "cut -d'|' -f2 '$tmp/pairs' | sort | uniq -d | wc -l"
want 1 '' grep -E '^. (comm|cmdline|tdtop_version) ' "$tmp/pairs"
# what was measured is what is measured again
again() { # REGEX OPTIONS...: the line of the plan after collect with these options
    re=$1
    shift
    "$tdtop" collect --model software --db "$tmp/again.db" "$@" >"$tmp/again.id" 2>"$tmp/err" || bad "collect $*" "$(cat "$tmp/err")"
    want 0 "^tdtop collect $re\$" "$tdtop" export --db "$tmp/again.db" @0 --markdown
}
sleep 100 &
again '-P sleep -d 10s -L step=after' -p $! -d 0.2s
kill $!
again '-L step=after -- sleep 0.1' -- sleep 0.1
again '-L step=after -- sh ARGUMENTS' -- sh -c 'sleep "0.1"'
again '-C 0 -d 10s -L step=after' -C 0 -d 0.2s
again '-a -d 10s -L step=after' -a -d 0.2s
"$tdtop" export --db "$tmp/again.db" @0 --markdown >"$tmp/report.md"
sed -n '/^## Environment/,/^## Level 1/p' "$tmp/report.md" | grep '^| [a-z]' >"$tmp/pairs"
want 0 '^0$' sh -c "cut -d'|' -f2 '$tmp/pairs' | sort | uniq -d | wc -l"
want 0 '^. kernel ' cat "$tmp/pairs"
want 1 '' grep -E '^. (kernel_version|paranoid|collector) ' "$tmp/pairs"

# ---- @N goes by the time of measuring, as list does: an old recording that is imported is not @0 ----
sed 's/^# started on .*/# started on Mon Nov  5 12:13:59 2001/' tests/data/perf/6.1.187-log.csv >"$tmp/of-2001.csv"
now=$("$tdtop" collect --demo -d 1s --db "$tmp/order.db" 2>/dev/null | head -1)
then=$("$tdtop" import --db "$tmp/order.db" "$tmp/of-2001.csv" 2>&1 | grep -oE '[0-9a-f]{16}' | head -1)
holds 'd["id"] == "'"$now"'"' "$tdtop" export --db "$tmp/order.db" @0 -j
holds 'd["id"] == "'"$then"'"' "$tdtop" export --db "$tmp/order.db" @1 -j
holds '[r["run_id"] for r in d] == ["'"$now"'", "'"$then"'"]' "$tdtop" list --db "$tmp/order.db" -j
want 0 'of the time they were measured' "$tdtop" help import
want 0 '@0 for the newest by the time it was measured' "$tdtop" help query

# ---- evaluated again ----
mkdir -p "$tmp/models"
sed 's/^threshold = 0.05$/threshold = 0.5/' src/model/cpu/spr.toml >"$tmp/models/spr.toml"
want 0 'nothing to do' "$tdtop" reeval "$old"
want 0 'L3_Bound .*now below' "$tdtop" reeval "$old" --model-dir "$tmp/models" --dry-run
again=$("$tdtop" reeval "$old" --model-dir "$tmp/models" 2>/dev/null)
holds 'd["parent"] == "'"$old"'" and d["bottleneck"] == "Backend_Bound.Memory_Bound" and {"key": "reeval_of", "value": "'"$old"'", "automatic": True} in d["labels"]' \
    "$tdtop" export "$again" -j
holds 'd["run_a"]["runs"] == 3' "$tdtop" compare --label-a build=old --label-b build=new -j
want 0 'not counted twice: 1 that was evaluated again' "$tdtop" compare --label-a build=old --label-b build=new
want 0 'n/a +IDQ_UOPS_NOT_DELIVERED.CORE: not in the recording' "$tdtop" reeval "$old" --model skx --dry-run
want 2 'reeval needs RUN' "$tdtop" reeval

# ---- topdown-profiler's store ----
python3 - "$tmp/data.db" <<'PY'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""CREATE TABLE runs(run_id TEXT PRIMARY KEY, started_at TEXT, ended_at TEXT, duration_seconds REAL,
  process_name TEXT, level INTEGER, system_wide INTEGER, labels TEXT);
CREATE TABLE samples(sample_id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, cpu TEXT, metric_name TEXT,
  value REAL, unit TEXT, status TEXT);""")
for k in range(3):
    rid = "0f3b2c1d-0000-4000-8000-00000000000%d" % k
    db.execute("INSERT INTO runs VALUES(?,?,?,?,?,?,?,?)", (rid, "2026-01-1%dT10:30:00.250000+00:00" % k,
               "2026-01-1%dT10:30:10.250000+00:00" % k, 10.0, "redis-server", 2, 0, json.dumps({"git_branch": "main", "n": 3})))
    for i in range(10 if k < 2 else 0):
        for name, v, unit in (("Backend_Bound", 50 + 3 * k + i % 2, "%"), ("Backend_Bound.Memory_Bound", 30 + i % 2, "%_Slots"),
                              ("Retiring", 25 - i % 2, "%"), ("IPC", 1.25, "")):
            db.execute("INSERT INTO samples(run_id,timestamp,metric_name,value,unit) VALUES(?,?,?,?,?)",
                       (rid, "2026-01-1%dT10:30:%02d.25+00:00" % (k, i + 1), name, v, unit))
db.commit()
PY
sum=$(cksum <"$tmp/data.db")
export TDTOP_DB="$tmp/peer.db"
want 0 'data.db: run [0-9a-f]{16} of 2026-01-10 10:30:00: 4 values, no counts' "$tdtop" import --from topdown-profiler "$tmp/data.db"
want 0 '2 runs are known already and passed over' "$tdtop" import "$tmp/data.db"
holds 'len(d) == 2 and d[1]["labels"]["imported_id"].endswith("0") and d[1]["labels"]["git_branch"] == "main" and d[0]["started_at"].startswith("2026-01-11T10:30:00.250") and d[0]["duration"] == 10' "$tdtop" list -j
[ "$sum" = "$(cksum <"$tmp/data.db")" ] && [ "$(echo "$tmp"/data.db*)" = "$tmp/data.db" ] && pass=$((pass + 1)) || bad "data.db or its folder was changed"
holds '{n["name"]: (n["value"], n["level"], n["path"], n["n"]) for n in d["nodes"]} == {"Backend_Bound": (0.535, 1, "Backend_Bound", 10),
    "Memory_Bound": (0.305, 2, "Backend_Bound.Memory_Bound", 10), "Retiring": (0.245, 1, "Retiring", 10), "IPC": (1.25, 0, "IPC", 10)} and "slots" not in d' "$tdtop" export @0 -j
want 0 'What limits it is not known: it came without thresholds' "$tdtop" export @0 --markdown
want 1 'values but no counts of intervals; --json or --markdown' "$tdtop" export @0 --csv
want 1 'values but no counts, so it cannot be replayed' "$tdtop" replay @0
want 1 'name one with --model' "$tdtop" reeval @0
want 1 'not a store of topdown-profiler' "$tdtop" import "$tmp/runs.db"
want 1 'a folder; name the files in it' "$tdtop" import "$tmp"
want 1 'not-there: No such file' "$tdtop" import "$tmp/not-there"
want 2 'it takes perf, toplev, percent, tdtop or topdown-profiler' "$tdtop" import --from x "$tmp/data.db"

# ---- toplev's CSV ----
cat >"$tmp/toplev.csv" <<'CSV'
Timestamp,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle
1.000000000,Frontend_Bound,2.5,% Slots <,"with a, comma",e,0.0,100.0,,
1.000000000,Backend_Bound,60.0,% Slots,,,0.0,100.0,,
1.000000000,Backend_Bound.Memory_Bound,50.0,% Slots,,,0.0,50.0,<==,
2.000000000,Frontend_Bound,3.5,% Slots <,,e,0.0,100.0,,
2.000000000,Backend_Bound,62.0,% Slots,,,0.0,100.0,,
2.000000000,Backend_Bound.Memory_Bound,48.0,% Slots,,,0.0,100.0,<==,
# 5.1-full on Intel(R) Xeon(R) Processor [skx]
CSV
id=$("$tdtop" import "$tmp/toplev.csv" -L tool=toplev 2>/dev/null)
holds 'd["model"] == "skx" and d["version"] == "toplev 5.1" and d["measured_ns"] == 2000000000 and d["bottleneck"] == "Backend_Bound.Memory_Bound"
    and [(n["path"], round(n["value"], 9), n["over"], n["duty"]) for n in d["nodes"]] == [("Backend_Bound", 0.61, True, 1.0),
    ("Backend_Bound.Memory_Bound", 0.49, True, 0.5), ("Frontend_Bound", 0.03, False, 1.0)]' "$tdtop" export "$id" -j
sed 's/Timestamp,Area/Timestamp,CPUs,Area/; s/^1.000000000,/&CPU0,/; s/^2.000000000,/&CPU1,/' "$tmp/toplev.csv" >"$tmp/cpus.csv"
want 1 'values of several CPUs \(CPU0, CPU1 ...\).*--only CPU0' "$tdtop" import "$tmp/cpus.csv"
want 0 '3 values' "$tdtop" import --only CPU1 "$tmp/cpus.csv"
want 1 'no values of CPU7' "$tdtop" import --only CPU7 "$tmp/cpus.csv"
sed 's/62.0/sixty/' "$tmp/toplev.csv" >"$tmp/broken.csv"
want 1 'broken.csv:6: a time, a name and a number are wanted' "$tdtop" import "$tmp/broken.csv"
want 0 'would store toplev.csv' "$tdtop" import --dry-run "$tmp/toplev.csv"
# Marks of direction are part of Arabic and Hebrew text: they come back as they were.
mark=$(printf 'a\342\200\217b')
id=$("$tdtop" collect --demo -d 1s -L "who=$mark" --note "$mark" 2>/dev/null)
"$tdtop" export "$id" -o "$tmp/mark.json"
want 0 '' "$tdtop" import "$tmp/mark.json" --db "$tmp/mark.db"
holds 'd["note"] == "a\u200fb" and [l["value"] for l in d["labels"] if l["key"] == "who"] == ["a\u200fb"]' "$tdtop" export "$id" --db "$tmp/mark.db"
# Many names, in an order of their own in each interval.
python3 -c '
import random
print("Timestamp,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle")
names = [f"Frontend_Bound.n{i}" for i in range(50000)]
for t in 1, 2:
    random.Random(t).shuffle(names)
    for n in names: print(f"{t}.0,{n},{t}.0,% Slots,,,0.0,100.0,,")' >"$tmp/names.csv"
want 0 '50000 values' timeout 30 "$tdtop" import --dry-run "$tmp/names.csv"

# ---- files: what export writes where, what import refuses, and why ----
export TDTOP_DB="$tmp/runs.db"
want 2 'x.txt: the ending .txt says no format; end the name in .json .*, .csv .* or .md' "$tdtop" export "$old" -o "$tmp/x.txt"
want 2 'a name without an ending says no format' "$tdtop" export "$old" -o "$tmp/x"
want 0 '' "$tdtop" export "$old" --json -o "$tmp/x.txt"
want 0 '' cmp "$tmp/x.txt" "$tmp/old.json"
want 0 '^# ' sh -c "'$tdtop' export '$old' --markdown -o /dev/stdout | head -1"
mkdir "$tmp/links" && echo before >"$tmp/links/real.json" && ln -s real.json "$tmp/links/link.json" && ln -s nowhere.json "$tmp/links/loose.json"
chmod 640 "$tmp/links/real.json"
want 0 '' "$tdtop" export "$old" -o "$tmp/links/link.json"
want 0 '' test -L "$tmp/links/link.json"
want 0 '' cmp "$tmp/links/real.json" "$tmp/old.json"
want 0 '^640$' stat -c %a "$tmp/links/real.json"
want 1 'loose.json: a link to a file that is not there; remove it, or make the file' "$tdtop" export "$old" -o "$tmp/links/loose.json"
want 0 '^link.json loose.json real.json $' sh -c "ls '$tmp/links' | tr '\n' ' '"
"$tdtop" export "$old" --csv >"$tmp/p.rows" && "$tdtop" list --csv >"$tmp/p.list" && "$tdtop" query "$old" -j >"$tmp/p.query" &&
    "$tdtop" query "$old" --tree --csv >"$tmp/p.tree" && "$tdtop" compare "$old" "$new" -j >"$tmp/p.compare" && "$tdtop" export "$old" --markdown >"$tmp/p.md" || bad "what tdtop prints"
for f in "$tmp"/p.*; do
    want 1 "$f: what tdtop printed of runs: it has values but no counts.*tdtop export RUN --json makes a file" "$tdtop" import "$f"
done
# times that cannot be
for times in 's/"begun_ns": [0-9]*/"begun_ns": 9223372036854775807/' 's/"begun_ns": [0-9]*/"begun_ns": -9223372036854775808/' \
    's/"measured_ns": [0-9]*/"measured_ns": 1e30/' 's/"t0_ns": [0-9]*/"t0_ns": 4611686018427387904/' 's/"ended_ns": [0-9]*/"ended_ns": "soon"/'; do
    sed "$times" "$tmp/old.json" >"$tmp/times.json"
    want 1 'times.json: (begun|measured|t1|ended)_ns: (a whole number .*not too large|it ends before)' "$tdtop" import --db "$tmp/third.db" "$tmp/times.json"
done
sed 's/"t1_ns":[0-9]*,"threads"/"t1_ns":9223372036854775807,"threads"/' "$tmp/old.json" >"$tmp/times.json"
want 1 'intervals\[0\].t1_ns: a whole number' "$tdtop" import --db "$tmp/third.db" "$tmp/times.json"
for s in -1 1e99 nan inf; do
    sed "s/^2.000000000,/$s,/" "$tmp/toplev.csv" >"$tmp/times.csv"
    want 1 'times.csv:5: (its time is negative, or more than 30 years|a time, a name and a number)' "$tdtop" import "$tmp/times.csv"
done
want 1 'no runs yet' "$tdtop" list --db "$tmp/third.db"
python3 - "$tmp/data.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for i, (begun, ended, seconds) in enumerate((("9999-01-01T00:00:00", None, 1), ("soon", None, 1), ("2026-01-01", "0001-01-01", 1),
                                             ("2026-01-01", None, -1), ("2026-01-01", None, 1e30))):
    rid = "bad-%d" % i
    db.execute("INSERT INTO runs VALUES(?,?,?,?,?,?,?,?)", (rid, begun, ended, seconds, "odd", 2, 0, "{}"))
    db.execute("INSERT INTO samples(run_id,timestamp,metric_name,value,unit) VALUES(?,?,?,?,?)", (rid, begun, "IPC", 1, ""))
db.commit()
PY
want 0 'run bad-0: its started_at is no time that can be .*passed over' "$tdtop" import --db "$tmp/peer2.db" "$tmp/data.db"
for at in 0.*started_at 1.*started_at 2.*ended_at 3.*duration_seconds 4.*duration_seconds; do
    want 0 "run bad-$at" "$tdtop" import --db "$tmp/peer2.db" "$tmp/data.db"
done
holds 'len(d) == 2' "$tdtop" list --db "$tmp/peer2.db" -j
# a removed run is not imported beside itself
want 0 '' "$tdtop" rm --db "$tmp/other.db" "$old"
want 1 'it is in the store, removed; tdtop rm --undo .* brings it back' "$tdtop" import --db "$tmp/other.db" "$tmp/old.json"
# a label over an automatic one goes the whole way, and comes off
"$tdtop" label "$new" model=mine build=newer
"$tdtop" export "$new" -o "$tmp/covered.json" && "$tdtop" import --db "$tmp/fourth.db" "$tmp/covered.json" >/dev/null 2>&1
"$tdtop" export --db "$tmp/fourth.db" "$new" -o "$tmp/covered2.json"
want 0 '' cmp "$tmp/covered.json" "$tmp/covered2.json"
want 0 'model +mine +over the automatic spr' "$tdtop" label --db "$tmp/fourth.db" "$new"
want 0 'model +spr +automatic' "$tdtop" label --db "$tmp/fourth.db" "$new" model- -v
"$tdtop" label "$new" model- build=new

# ---- one meaning of ±, sums, samples, what would be enough; elapsed of commands only ----
# how far a value may be off is the same number where the run is replayed and where it is asked for
"$tdtop" replay "$old" --summary -j 2>/dev/null | tail -1 >"$tmp/summary"
"$tdtop" query "$old" --tree -v -j >"$tmp/tree"
"$tdtop" export "$old" -o "$tmp/one.json" 2>/dev/null
python3 - "$tmp/summary" "$tmp/tree" "$tmp/one.json" <<'PY' && pass=$((pass + 1)) || bad "± of replay, query and export differ"
import json, sys
live, tree, run = (json.load(open(f)) for f in sys.argv[1:])
err = {n["name"]: n["err"] for n in run["nodes"]}
share = {n["name"]: n["share"] for n in run["nodes"]}
same = lambda a, b: a is b or (a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9))
bad = [k for k, v in live["nodes"].items() if k in err and not same(v.get("err"), err[k])]
def walk(nodes):
    for n in nodes:
        yield n
        yield from walk(n["children"])
for n in walk(tree["tree"]):
    e = err[n["name"]]
    if not same(n["err"], e if e is None else e * (100 if share[n["name"]] else 1)):
        bad.append(n["name"])
print("differ:", bad[:5]) if bad else None
sys.exit(bool(bad) or sum(e is not None for e in err.values()) < 100)
PY
want 0 '^node +value +± +sd +least' "$tdtop" query "$old"
want 0 '^\| node \| value \| ± \| sd \| duty' "$tdtop" export "$old" --markdown
# the bottleneck comes first, whatever is larger
holds 'd["entries"][0]["path"] == d["bottleneck"]' "$tdtop" query "$old" -j
# samples of sums are runs; counts of verdicts are of what is shown; whose runs they are
holds 'all(m["samples_a"] == d["run_a"]["runs"] >= 3 for m in d["metrics"] if m["scaled_to_time_of_a"]) and any(m["scaled_to_time_of_a"] for m in d["metrics"]) and
    d["run_a"]["process_name"] == "demo" and d["run_a"]["shortest_s"] == 60' "$tdtop" compare --label-a build=old --label-b build=new -j
holds 'sum(d["verdicts"].values()) == 2 == len(d["metrics"])' "$tdtop" compare "$old" "$new" --metric IPC --metric Retiring -j
want 0 'Info_Thread_SLOTS .*B as if measured for as long as A' "$tdtop" compare "$old" "$new" --markdown -v
want 1 '' sh -c "'$tdtop' compare --label-a build=old --label-b build=new | grep -c '▸' | grep -vx '[0-3]'"
# too little: what the samples are, how many there are, how many would do
"$tdtop" collect --demo -d 20s -L size=few --db "$tmp/few.db" >/dev/null 2>&1
"$tdtop" collect --demo -d 120s -L size=more --db "$tmp/few.db" >/dev/null 2>&1
want 0 '^unsure: +the samples are intervals, A has 20 and B 120; too few to tell about Backend_Bound' "$tdtop" compare --db "$tmp/few.db" @1 @0
want 0 '^noise .*; of [0-9]+ shares [0-9]+ could still hide 2 points' "$tdtop" compare --db "$tmp/few.db" @1 @0
holds 'all(m["needed"] > 20 for m in d["metrics"] if m["verdict"] == "unsure") and "about" in d["needed"]' "$tdtop" compare --db "$tmp/few.db" @1 @0 -j
for i in 1 2 3; do "$tdtop" collect --demo -d 12s --seed $i -L size=three --db "$tmp/few.db" >/dev/null 2>&1; done
want 0 'A has 3 runs as samples, B only the 120 intervals' "$tdtop" compare --db "$tmp/few.db" --label-a size=three --label-b size=more
# only commands that ended by themselves have a time of their own; -d says how long the others take
if "$tdtop" collect -n 1 --db "$tmp/none.db" -- true >/dev/null 2>&1; then
    for i in 1 2 3; do
        "$tdtop" collect -L run=short --db "$tmp/time.db" -- sleep 0.2 >/dev/null 2>&1
        "$tdtop" collect -L run=long --db "$tmp/time.db" -- sleep 1.3 >/dev/null 2>&1
    done
    "$tdtop" collect -d 1s -L run=cut --db "$tmp/time.db" -- sleep 9 >/dev/null 2>&1
    want 1 '^FAILED +elapsed: ' "$tdtop" compare --db "$tmp/time.db" --label-a run=short --label-b run=long --fail-on elapsed:+20%
    want 2 'elapsed: not measured of a command that ended by itself' "$tdtop" compare --db "$tmp/time.db" --label-a run=short --label-b run=cut --fail-on elapsed:+20%
    want 2 '^unclear +elapsed: \+' "$tdtop" compare --db "$tmp/time.db" @2 @1 --fail-on elapsed:+20%
else
    echo "SKIP elapsed: no command can be measured here"
fi

# ---- every recording there is: into a store of its own, or refused with words that name it ----
shared=${TDTOP_SHARED:-../shared}/recordings
if [ -d "$shared" ]; then
    export TDTOP_DB="$tmp/recordings.db"
    taken=0 refused=0
    for f in $(find "$shared" -type f \( -name '*.csv' -o -name '*.json' -o -name '*.txt' -o -name '*.out' -o -name '*.skx' \)); do
        "$tdtop" import "$f" >"$tmp/out" 2>"$tmp/err"
        case $? in
        0) taken=$((taken + 1)) ;;
        1) refused=$((refused + 1))
            grep -qF "tdtop: $f" "$tmp/err" && grep -qE ': .{20,}' "$tmp/err" || bad "import $f: refused without its name or a reason" "$(cat "$tmp/err")" ;;
        *) bad "import $f" "$(cat "$tmp/err")" ;;
        esac
        sed "s|$shared/||" "$tmp/err" | tail -1 >>"$tmp/words"
    done
    n=$("$tdtop" list -n 0 -j | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')
    [ "$n" = "$taken" ] && [ "$taken" -ge 80 ] && pass=$((pass + 1)) || bad "$taken recordings imported, $n in the store"
    echo "recordings: $taken imported, $refused refused:"
    grep -v ': run ' "$tmp/words" | sed -E 's/^tdtop: [^ ]*( |:[0-9]+: )//; s/[0-9]+ (cgroups|events)/N \1/; s/[:;(].*//' | sort | uniq -c | sort -rn | sed 's/^/  /' | head -20
    # what a model of the CPU makes of them is what replaying them gives
    while read -r model file; do
        id=$("$tdtop" import --model "$model" "$shared/$file" 2>"$tmp/err") || bad "import $file" "$(cat "$tmp/err")"
        "$tdtop" replay --model "$model" "$shared/$file" --summary -j 2>/dev/null | tail -1 >"$tmp/summary"
        "$tdtop" export "$id" -j >"$tmp/run"
        python3 - "$tmp/summary" "$tmp/run" <<'PY' && pass=$((pass + 1)) || bad "$file: import and replay differ"
import json, sys
s, r = (json.load(open(f)) for f in sys.argv[1:])
values = {n["name"]: n for n in r["nodes"] if n["value"] is not None}
# the whole run's value is never outside of what its intervals showed: parts may have been counted in different ones
mended = lambda n, v: n["approximate"] and n["value"] == n["mean"] and n["n"] < len(r["intervals"]) and not n["min"] <= v <= n["max"]
same = lambda n, v: v == n["value"] or mended(n, v)
sys.exit(len(values) < 4 or not all(same(n, s["nodes"][k]["value"]) for k, n in values.items()))
PY
    done <<'LIST'
zen4 amd/zen4-serialpi.txt
spr intel/glc-events-L1L2-6.0.txt
skl intel/skl-topdown-L1-L2-L3.txt
neoverse-n2-r0p0 arm/n2-r0p0-falsesharing-v1.txt
tgl intel/icl-tgl-topdownl1-I-patchv1.csv
LIST
else
    echo "SKIP recordings: $shared is not there; TDTOP_SHARED names the folder that holds them"
fi
# ---- a long collect is in the store while it goes on ----
export TDTOP_DB="$tmp/long.db"
python3 - "$tdtop" "$tmp" <<'PY' && pass=$((pass + 1)) || bad "memory or rows of a long collect"
import json, os, sqlite3, subprocess, sys
tdtop, tmp = sys.argv[1:]
def run(*words):
    return subprocess.run([tdtop, *words], capture_output=True, text=True, check=True).stdout.strip()
def rows(db, run_id):
    """Everything but numbers of rows and the run's own id."""
    con = sqlite3.connect(db)
    one = "SELECT run FROM runs WHERE id = '%s'" % run_id
    return [con.execute(q % one).fetchall() for q in (
        "SELECT counts_sum, values_sum, intervals, measured_ns, bottleneck, doubt FROM runs WHERE run = (%s)",
        "SELECT m.path, n.value, n.err, n.mean, n.se, n.min, n.max FROM nodes n JOIN metrics m USING (metric) WHERE run = (%s) ORDER BY ord",
        "SELECT slot, name, total, enabled_ns, running_ns, state FROM events WHERE run = (%s) ORDER BY slot",
        "SELECT ord, t0_ns, t1_ns, intervals, crc32c, bytes FROM chunks WHERE run = (%s) ORDER BY ord")]
a = run("collect", "--demo", "-n", "1500", "-I", "1s", "--seed", "3")
# An export that is read back is saved in one piece; a replay sums all intervals in one go.
run("export", a, "-o", tmp + "/long.json")
run("import", tmp + "/long.json", "--db", tmp + "/once.db")
assert rows(os.environ["TDTOP_DB"], a) == rows(tmp + "/once.db", a), "in pieces and at once"
whole = json.loads(run("replay", a, "--summary", "-j").splitlines()[-1])["nodes"]
values = {n["name"]: n["value"] for n in json.loads(run("export", a, "-j"))["nodes"] if n["value"] is not None}
assert len(values) > 50 and all(whole[k]["value"] == v for k, v in values.items()), "values of the pieces and of the whole"
if b"__asan_init" not in open(tdtop, "rb").read() and b"__tsan_init" not in open(tdtop, "rb").read():
    env = dict(os.environ, TDTOP_DB=tmp + "/size.db")
    peak = []
    for n in "2000", "10000":
        words = [sys.executable, "-c", "import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True,"
                 " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
                 " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                 tdtop, "collect", "--demo", "-n", n, "-I", "1s"]
        peak.append(int(subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout))
    print("long collect: %d kB for 2000 intervals, %d kB for 10000" % tuple(peak))
    assert peak[1] < peak[0] + 2048 and peak[1] < 30 << 10, peak
PY
# A list of many runs is printed as it is read: its memory is that of a list of few.
"$tdtop" collect --demo -n 5 -L 'odd=a;b\c' --db "$tmp/many.db" >/dev/null 2>&1
python3 - "$tdtop" "$tmp/many.db" <<'PY' && pass=$((pass + 1)) || bad "list of many runs"
import csv, io, json, resource, sqlite3, subprocess, sys
tdtop, db = sys.argv[1:]
sane = b"__asan_init" not in open(tdtop, "rb").read() and b"__tsan_init" not in open(tdtop, "rb").read()
n_run = 20000 if sane else 400
con = sqlite3.connect(db)
columns = [c[1] for c in con.execute("PRAGMA table_info(runs)") if c[1] not in ("run", "id", "begun_ns")]
same = ",".join(columns)
con.executemany("INSERT INTO runs (id, begun_ns, %s) SELECT ?, begun_ns - ?, %s FROM runs WHERE run = 1" % (same, same),
                (("%016x" % (i * 0x9E3779B97F4A7C15 % 2**64), i * 10**9) for i in range(1, n_run)))
con.execute("UPDATE runs SET begun_ns = begun_ns - 3600000000000")
con.commit()
con.close()
def peak(*words):
    code = ("import resource, subprocess, sys; out = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE).stdout;"
            " sys.stdout.buffer.write(out); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)")
    p = subprocess.run([sys.executable, "-c", code, tdtop, *words, "--db", db], capture_output=True, text=True, check=True)
    return p.stdout, int(p.stderr)
rows = {}
for form in "--csv", "-j":
    few, low = peak("list", "-n", "100", form)
    many, high = peak("list", "-n", "0", form)
    rows[form] = list(csv.DictReader(io.StringIO(many))) if form == "--csv" else json.loads(many)
    print("list %s: %d kB for 100 runs, %d kB for %d" % (form, low, high, n_run))
    assert len(rows[form]) == n_run and (not sane or high < low + 4096), (low, high)
assert [r["run_id"] for r in rows["--csv"]] == [r["run_id"] for r in rows["-j"]]
assert rows["--csv"][0]["labels"].count(r"odd=a\;b\\c") == 1 and rows["-j"][0]["labels"]["odd"] == r"a;b\c"
assert float(rows["--csv"][0]["retiring"]) == rows["-j"][0]["level1"]["Retiring"] and rows["--csv"][1]["retiring"] == ""
# An agent does it each hour.
said, high = peak("db", "prune", "--keep", "1s", "--yes")
print("db prune: %d kB" % high)
assert said.startswith("%d runs removed" % n_run) and (not sane or high < low + 1024), (said, low, high)
PY
# Killed in the middle: what is there can be used, and says that it is not the whole.
"$tdtop" collect --demo -n 100000000 -I 1s --db "$tmp/killed.db" >/dev/null 2>&1 &
killed=$!
for i in $(seq 600); do
    "$tdtop" list -n 0 --csv --db "$tmp/killed.db" 2>/dev/null | grep -q demo && break
    sleep 0.1
done
kill -9 $killed
wait $killed 2>/dev/null
holds 'len(d) == 1 and d[0]["samples"] >= 64 and d[0]["unfinished"]' "$tdtop" list -j --db "$tmp/killed.db"
want 0 ' unfinished$' "$tdtop" list --db "$tmp/killed.db"
want 0 '^warning: unfinished: tdtop collect still measures, or was killed$' "$tdtop" query @0 --db "$tmp/killed.db"
want 0 '^ok$' "$tdtop" db check --db "$tmp/killed.db"
# It may be measured still: a copy would stay as it is now.
want 0 '^0 runs copied, 0 there already, 1 left out as still measured$' "$tdtop" db copy "$tmp/killed.db" "$tmp/killed2.db"
"$tdtop" export @0 --db "$tmp/killed.db" -o "$tmp/killed.json"
python3 - "$tmp/killed.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
d["begun_ns"] -= 90000 * 10**9
d["ended_ns"] -= 90000 * 10**9
json.dump(d, open(sys.argv[1], "w"))
PY
want 0 . "$tdtop" import "$tmp/killed.json" --db "$tmp/old.db"
holds 'd == {"copied": 1, "there_already": 0, "still_measured": 0}' "$tdtop" db copy "$tmp/old.db" "$tmp/killed2.db" -j
want 0 ' unfinished$' "$tdtop" list --db "$tmp/killed2.db"
run -d 60s --db "$tmp/killed.db" >/dev/null
want 0 'unfinished' "$tdtop" compare @1 @0 --db "$tmp/killed.db"
holds 'd["intervals"][-1]["t1_ns"] == d["t1_ns"] and d["nodes"][0]["n"] > 0' "$tdtop" export @1 --db "$tmp/killed.db"
# The file is taken away in the middle: what comes then is a run of its own in the new file.
"$tdtop" collect --demo -n 6000 -I 1s --db "$tmp/away.db" >/dev/null 2>"$tmp/away.err" &
away=$!
for i in $(seq 600); do
    "$tdtop" list -n 0 --csv --db "$tmp/away.db" 2>/dev/null | grep -q demo && break
    sleep 0.1
done
kill -STOP $away
mkdir "$tmp/taken" && mv "$tmp"/away.db* "$tmp/taken/"
kill -CONT $away
wait $away || bad "a collect whose file was taken away" "$(cat "$tmp/away.err")"
want 0 'not in .*away.db any more; what was measured from [0-9.]+ s on is a run of its own' cat "$tmp/away.err"
want 0 '^ok$' "$tdtop" db check --db "$tmp/away.db"
holds 'sum(r["samples"] for r in d) < 6000 and len(d) == 1' "$tdtop" list -j --db "$tmp/away.db"
want 0 'unfinished' "$tdtop" query @0 --db "$tmp/taken/away.db"

# ---- sql: rows of a query, and nothing else ----
q=$tmp/sql.db
"$tdtop" collect --demo -n 6 --db "$q" -L step=one >/dev/null 2>&1
want 0 '^Frontend_Bound +0\.[0-9]+ +percent$' "$tdtop" sql "SELECT metric, value, unit FROM run_values WHERE level = 1" --db "$q"
want 0 '^Frontend_Bound,0\.[0-9]+,$' "$tdtop" sql "SELECT metric, value, NULL AS x FROM run_values" --csv -n 1 --db "$q"
holds 'd == {"n": 1, "key": "one", "bytes": d["bytes"], "x": None, "y": 1.5} and d["bytes"] > 100' "$tdtop" sql \
    "SELECT count(*) AS n, (SELECT value FROM run_labels WHERE key = 'step') AS key, bytes, NULL AS x, 1.5 AS y FROM chunks" -j --db "$q"
for sql in "DELETE FROM runs" "UPDATE runs SET note = ''" "DROP TABLE runs" "ATTACH '$tmp/other.db' AS o" "PRAGMA user_version = 1" "VACUUM" \
    "CREATE TABLE t (x)" "INSERT INTO runs DEFAULT VALUES" "BEGIN" "WITH x AS (SELECT 1) DELETE FROM runs"; do
    want 1 'only SELECT, on the tables and views of' "$tdtop" sql "$sql" --db "$q"
done
want 0 '^ok$' "$tdtop" db check --db "$q"
holds 'd["n"] == 1' "$tdtop" sql "SELECT count(*) AS n FROM runs" -j --db "$q"
want 2 'syntax error' "$tdtop" sql "SELECT FROM" --db "$q"
holds 'len(d) == 6 and [r["t"] for r in d] == [1, 2, 3, 4, 5, 6] and all(r["simulated"] and r["target"] == "simulated core" for r in d)' sh -c \
    "'$tdtop' export @0 --jsonl --db '$q' | python3 -c 'import json, sys; print(json.dumps([json.loads(line) for line in sys.stdin]))'"
want 0 '^6$' sh -c "'$tdtop' export @0 -o '$tmp/x.jsonl' --db '$q' && wc -l <'$tmp/x.jsonl'"
want 2 'metric goes with --csv' "$tdtop" export @0 --jsonl --metric IPC --db "$q"
want 2 'no such column: nothing_of_it' "$tdtop" sql "SELECT nothing_of_it FROM runs" --db "$q"
want 2 'one statement at a time; the second begins with SELECT 2' "$tdtop" sql "SELECT 1; SELECT 2" --db "$q"
want 2 'no statement' "$tdtop" sql --db "$q"
want 2 'no statement' "$tdtop" sql " -- nothing" --db "$q"
want 2 'not authorized' "$tdtop" sql "SELECT load_extension('/tmp/x.so')" --db "$q"
want 2 'integer overflow' "$tdtop" sql "SELECT abs(-9223372036854775807 - 1)" --db "$q"
want 1 'there is no store of runs yet' "$tdtop" sql "SELECT 1" --db "$tmp/no_store_of_it.db"
ok 'an endless query ends with Ctrl-C' sh -c "timeout -s INT 2 '$tdtop' sql 'WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT count(*) FROM c' --db '$q'; [ \$? = 124 ]"
# ---- from one store into another: each run is what it was, to the last digit ----
want 0 '^[0-9]+ runs would be copied, 0 there already$' "$tdtop" db copy "$tmp/runs.db" "$tmp/copy.db" --dry-run
ok "db copy: a terminal sees how far it is" sh -c "script -qec 'stty cols 80; $tdtop db copy $tmp/runs.db $tmp/copy.db --dry-run' /dev/null </dev/null | grep -q '1 of [0-9]* runs'"
want 0 '^[0-9]+ runs copied, 0 there already$' "$tdtop" db copy "$tmp/runs.db" "$tmp/copy.db"
want 0 '^0 runs copied, [0-9]+ there already$' "$tdtop" db copy "$tmp/runs.db" "$tmp/copy.db"
"$tdtop" list -n 0 -j --db "$tmp/runs.db" >"$tmp/a.list"
"$tdtop" list -n 0 -j --db "$tmp/copy.db" >"$tmp/b.list"
ok "db copy: the same list" cmp -s "$tmp/a.list" "$tmp/b.list"
for id in $old $new $("$tdtop" list -n 3 -j --db "$tmp/runs.db" | python3 -c 'import json, sys; print(*[r["run_id"] for r in json.load(sys.stdin)])'); do
    "$tdtop" export "$id" -j --db "$tmp/runs.db" >"$tmp/a.run"
    "$tdtop" export "$id" -j --db "$tmp/copy.db" >"$tmp/b.run"
    ok "db copy: $id" cmp -s "$tmp/a.run" "$tmp/b.run"
done
want 0 '^ok$' "$tdtop" db check --db "$tmp/copy.db"
want 2 'both are' "$tdtop" db copy "$tmp/copy.db" "$tmp/copy.db"
want 2 'give two stores' "$tdtop" db copy "$tmp/copy.db"
want 1 'nowhere.db: there is no store' "$tdtop" db copy "$tmp/nowhere.db" "$tmp/copy.db"
want 2 'one word too many' "$tdtop" db stats now

# ---- which of many hosts differ ----
for host in 1 2 3 4 5 6; do
    run -d "$([ $host = 4 ] && echo 70s || echo 40s)" --seed $host --db "$tmp/fleet.db" -L host=h$host >/dev/null
done
want 0 '^h4 .* differs$' "$tdtop" history DRAM_Bound --group-by host --summary --db "$tmp/fleet.db"
want 0 '^1 of 6 groups differ' "$tdtop" history DRAM_Bound --group-by host --summary --db "$tmp/fleet.db"
holds '[g["label_value"] for g in d["groups"] if g["differs"]] == ["h4"] and d["groups"][0]["p"] < 0.05 and d["groups"][0]["from_others"] > 5' \
    "$tdtop" history DRAM_Bound --group-by host --summary -j --db "$tmp/fleet.db"
want 0 'too few to tell' "$tdtop" history DRAM_Bound --group-by host --summary --db "$tmp/fleet.db" --filter host~h -n 3
want 2 'give --group-by' "$tdtop" history DRAM_Bound --summary --db "$tmp/fleet.db"

over runs
