#!/bin/sh
# cli_test.sh TDTOP: the command line as a user meets it: exit codes, words of errors, shapes of rows.
# Ends with "cli: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
unset TDTOP_DB
at_exit() { kill $spinner 2>/dev/null; }
sh -c 'while :; do :; done' &
spinner=$!
# holds 'python expression over rows (list of JSON objects)' COMMAND...
holds() {
    expr=$1
    shift
    if "$@" 2>"$tmp/err" </dev/null | python3 -c "
import json,sys
rows=[json.loads(l) for l in sys.stdin]
sys.exit(0 if ($expr) else 1)" 2>>"$tmp/err"; then
        pass=$((pass + 1))
    else
        bad "$*: does not hold: $expr" "$(cat "$tmp/err")"
    fi
}

# Plans: groups, duties, what is shared
want 0 '^# spr: Intel Sapphire Rapids' "$tdtop" plan --model spr -l 3
want 0 '^# 8 general counters, 4 fixed$' "$tdtop" plan --model spr -l 3
want 0 '^# 3 general counters \(the core has 8\), 4 fixed$' "$tdtop" plan --model spr -l 3 --counters 3
want 0 '^group 0: .*duty 100%, pinned, always in focus' "$tdtop" plan --model spr -l 3
want 0 '^# formulas that do not fit one group' "$tdtop" plan --model skx
want 0 '^Core_Bound +with the parts of Memory_Bound' "$tdtop" plan --model skx -l 3
want 0 '^LCP +groups 0, 5$' "$tdtop" plan --model spr -l 3 --counters 3
want 0 '^level 4 \(referred to\) ' "$tdtop" plan --model spr -l 3
want 0 '^# 1 general counter \(' "$tdtop" plan --model zen4 --counters 1
want 0 '^# (software|[a-z0-9-]+): ' "$tdtop" plan
want 1 'nosuch' "$tdtop" plan --model nosuch
want 2 '^tdtop: --counters' "$tdtop" plan --model spr --counters x
holds 'len(rows[0]["groups"]) < len(rows[1]["groups"])' sh -c \
    "for n in 8 3; do '$tdtop' plan --model spr -l 3 -j --counters \$n | tr -d '\n'; echo; done"
holds 'rows[0]["general_counters"] == 8 and not rows[0]["probed"] and rows[0]["fixed_taken"] == 0' sh -c \
    "'$tdtop' plan --model spr -j | tr -d '\n'; echo"

# Usage: exit 2, the option is named
want 0 'tdtop: where a program' "$tdtop" --help
want 0 'tdtop replay FILE' "$tdtop" help replay
want 2 'help nonsense: no such verb; tdtop help lists them' "$tdtop" help nonsense
want 2 '^tdtop: --intervall: no such option; did you mean --interval' "$tdtop" --intervall 100
want 2 '^tdtop: frobnicate: neither a verb' "$tdtop" frobnicate
want 2 '^tdtop: --interval 5: shorter than 20 ms' "$tdtop" -p 1 -I 5
want 2 '^tdtop: --interval soon' "$tdtop" -p 1 -I soon
want 2 '^tdtop: --level 9: out of range' "$tdtop" -p 1 -l 9
nobody='no process number follows \(pidof printed nothing\?\); -P NAME waits for a process of that name$'
want 2 "^tdtop: -p: $nobody" "$tdtop" -p
want 2 "^tdtop: -p: $nobody" "$tdtop" -p ''
want 2 "^tdtop: -p: $nobody" "$tdtop" collect --pid=
want 2 '^tdtop: -p: no process number follows, but -b \(pidof printed nothing' "$tdtop" -p -b
want 2 '^tdtop: -t: no thread number follows, but -b' "$tdtop" -t -b
want 2 '^tdtop: --process needs NAME, but --batch follows it' "$tdtop" -P --batch -n 1
want 2 '^tdtop: -p -b: not a list of process ids' "$tdtop" --pid=-b
want 1 "no model 'neoverse-n2'; did you mean 'neoverse-n2-r0p0', .*-r0p3'" "$tdtop" plan --model neoverse-n2
want 2 '^tdtop: more than one target' "$tdtop" -p 1 -a
want 2 '^tdtop: --bogus: no such option; tdtop --help' "$tdtop" --bogus
want 2 '^tdtop: --seed does not go with' "$tdtop" -p 1 --seed 3
want 2 '^tdtop: --const FOO: no constant' "$tdtop" demo --const FOO=1
want 2 '^tdtop: --const SMT_ON=x: x is not a number' "$tdtop" demo --const SMT_ON=x
want 2 '^tdtop: --const FOO: no constant.*SMT_ON.*EBS_MODE.*EVENT:retire_latency' "$tdtop" demo --const FOO=1
want 2 '^tdtop: --const X:retire_latency: a latency is a number of cycles' "$tdtop" demo --const X:retire_latency=-1
want 2 '^tdtop: --const X:retire_latency=y: y is not a number' "$tdtop" demo --const X:retire_latency=y
want 2 '^tdtop: --cputype needs TYPE' "$tdtop" -p 1 --cputype
want 2 '^tdtop: --model and --cpuid exclude' "$tdtop" demo --model spr --cpuid GenuineIntel-6-8F-8
want 2 '^tdtop: --cpuid does not go with' "$tdtop" -p 1 --cpuid GenuineIntel-6-8F-8
want 2 '^tdtop: --check FILE and spr exclude' "$tdtop" models spr --check "$0"
want 2 '^tdtop: --here does not go with' "$tdtop" demo --here
want 2 'c: `tdtop models` takes \[NAME \[NODE\|GROUP\]\]' "$tdtop" models a b c
want 2 '^tdtop: --here is about this machine; spr does not go with it' "$tdtop" models spr --here
want 2 '^tdtop: -j and -x exclude' "$tdtop" demo -j -x,
want 2 '^tdtop: --explain-value DRAM_Bond: model spr has no such metric; did you mean DRAM_Bound' "$tdtop" demo --explain-value DRAM_Bond
want 2 '^tdtop: --explain-value and -x exclude' "$tdtop" demo --explain-value DRAM_Bound -x,
want 2 '^tdtop: replay needs FILE' "$tdtop" replay
want 2 'demo: the verb comes first' "$tdtop" -I 100 demo
want 2 '43: numbers of processes stand together: -p 42 43' "$tdtop" -p 42 -b 43
want 2 '^tdtop: 4x: neither a verb' "$tdtop" -p 42 4x
want 2 '^tdtop: -p: too many of them' "$tdtop" -p $(seq 1000 2000)
want 2 'no target; give -p' "$tdtop" --batch

# Verbs without a screen
want 0 "^tdtop [0-9]" "$tdtop" version
want 0 '^. spr +Intel Sapphire Rapids +6-8F +5\.2' "$tdtop" models
want 0 '^. adl-grt +Intel Alder Lake E-core +6-97,9A' "$tdtop" models
want 0 '^. neoverse-v1 +Arm Neoverse V1 +0x41\.fd40\.' "$tdtop" models
want 0 '^. zen4 +AMD Zen 4 +25-\[136-9A-F\]\.' "$tdtop" models
want 1 '' sh -c "'$tdtop' models | grep -F '..'" # nothing is cut
want 0 '^. zen4 +AMD Zen 4' "$tdtop" models
want 0 '^. neoverse-n2-r0p3 +Arm Neoverse N2' "$tdtop" models
want 0 '^(\*|None is) made for this machine' "$tdtop" models
want 1 '' sh -c "'$tdtop' models | grep -E '.{101}'"
holds 'rows[0]["ok"]' sh -c "'$tdtop' models -j | python3 -c '
import json, sys
m = json.load(sys.stdin)
n = [x[\"name\"] for x in m]
order = [n.index(x) for x in (\"snb\", \"hsw\", \"skx\", \"spr\", \"gnr\", \"glm\", \"srf\", \"zen1\", \"zen6\", \"neoverse-n1\", \"generic\")]
keys = {\"name\", \"title\", \"vendor\", \"match\", \"tma\", \"nodes\", \"metrics\", \"events\", \"limits\", \"core_type\", \"this_machine\"}
print(json.dumps({\"ok\": order == sorted(order) and len(n) == len(set(n)) and all(keys <= set(x) for x in m)}))'"
want 0 '^  Backend_Bound +> 20%' "$tdtop" models spr --summary
want 0 '^      Ports_Utilization  \[of clocks\] +> 15%, and its parent.s' "$tdtop" models spr --summary
want 0 '^[0-9]+ metrics beside the tree; groups' "$tdtop" models spr --summary
want 0 '^[0-9]+ events: [0-9]+ of the core, 5 of the kernel, 2 from /proc, [0-9]+ outside the core; [0-9]+ retire latencies' "$tdtop" models gnr --summary
want 1 '' sh -c "'$tdtop' models spr --summary | grep -F 'cpu/event'"
want 1 '' sh -c "'$tdtop' models neoverse-v3 --summary | grep -E '.{101}'"
want 0 'L1_MPKI|L1MPKI' "$tdtop" models spr CacheHits
want 0 '^    groups +.*CacheHits' "$tdtop" models spr cachehits
holds 'len(rows[0]) > 3 and all("CacheHits" in r["groups"] and r["events"] for r in rows[0])' \
    sh -c "'$tdtop' models spr CacheHits -j | tr -d '\n'"
want 0 '^Bottlenecks' "$tdtop" models spr --summary
want 0 '^Bottlenecks' "$tdtop" models spr
want 0 '^Metrics: Branches' "$tdtop" models spr
want 0 '^ +MEMORY_ACTIVITY.STALLS_L2_MISS +cpu/event=0x47,umask=0x5,cmask=0x5/ +counters 0-3' "$tdtop" models spr
want 0 '^ +CPU_CLK_UNHALTED.CORE +cpu_atom/event=0x3c' "$tdtop" models adl-grt
want 0 '^ +STALL_FRONTEND +armv8_pmuv3_0/event=0x23/' "$tdtop" models neoverse-n1
want 0 '^limits +.*Zen 4' "$tdtop" models zen2
want 0 '^Retire latencies' "$tdtop" models gnr
want 0 '^path +Backend_Bound.Memory_Bound.L3_Bound' "$tdtop" models spr L3_Bound
want 0 '^over when +L3_Bound > 0.05' "$tdtop" models spr Backend_Bound.Memory_Bound.L3_Bound
want 0 '^leads to +.*Branch_Effectiveness' "$tdtop" models neoverse-n1 Frontend_Stalls
want 1 "no node, metric or group of this name; did you mean 'L3_Bound'" "$tdtop" models spr L3_Bond
want 1 'sprr.*spr' "$tdtop" models sprr
holds 'rows[0]["formula"] and rows[0]["events"][0]["perf"].startswith("cpu/event=")' \
    sh -c "'$tdtop' models spr L3_Bound -j | tr -d '\n'"
holds '{"metrics", "events", "latencies", "limits", "match"} <= set(rows[0]) and len(rows[0]["latencies"]) > 5' \
    sh -c "'$tdtop' models gnr -j | tr -d '\n'"

# A model by a CPU's id, in every spelling
want 0 '^zen4: AMD Zen 4' "$tdtop" models --cpuid AuthenticAMD-25-11-1
want 0 '^zen4: AMD Zen 4' "$tdtop" models --cpuid AuthenticAMD,25,17,1
want 0 '^neoverse-n2-r0p0: ' "$tdtop" models 0x00000000410fd490
want 0 '^adl-grt: ' "$tdtop" models --cpuid GenuineIntel-6-97-2 --cputype atom
want 0 '^adl-glc: ' "$tdtop" models --cpuid GenuineIntel-6-97-2 --cputype cpu_core
want 1 '^tdtop: --cpuid spr: not an id of a CPU' "$tdtop" models --cpuid spr
want 0 'adl-glc' "$tdtop" models --cpuid GenuineIntel-6-97-2
want 0 'GenuineIntel-6-97-2 has several kinds of core: --cputype core or atom' "$tdtop" models --cpuid GenuineIntel-6-97-2
holds 'sorted(m["name"] for m in rows[0]) == ["adl-glc", "adl-grt"]' sh -c "'$tdtop' models --cpuid GenuineIntel-6-97-2 -j | tr -d '\n'"
want 0 '^L3_Bound \(Intel Alder Lake' "$tdtop" models --cpuid GenuineIntel-6-97-2 L3_Bound
want 1 '^tdtop: --cpuid GenuineIntel-6-55: skx with stepping 0-4, clx with stepping 5-F; add it' "$tdtop" models --cpuid GenuineIntel-6-55
want 0 '^clx: ' "$tdtop" models --cpuid GenuineIntel-6-55-7
want 0 '^tdtop: AuthenticAMD-25-33 is family 25, model 0x33$' "$tdtop" models --cpuid AuthenticAMD-25-33
# --cputype means something, or is refused
want 1 '^tdtop: --cputype atom: model spr is not for a CPU with several kinds' "$tdtop" demo --cputype atom -b -n 1
want 1 '^tdtop: --cputype core: model adl-grt is for atom' "$tdtop" demo --model adl-grt --cputype core -b -n 1
want 0 'model adl-grt' "$tdtop" demo --model adl-grt --cputype cpu_atom -b -n 1
want 0 'model adl-grt' "$tdtop" demo --cpuid GenuineIntel-6-97-2 --cputype atom -b -n 1
want 1 '^tdtop: --cputype core: model spr is not' "$tdtop" replay tests/data/perf/6.1.187-interval-busy.csv --model spr --cputype core -b
want 1 '^tdtop: --cputype atom: the recording does not say' "$tdtop" replay tests/data/perf/6.1.187-interval-busy.csv --cputype atom -b
want 1 '^tdtop: --cputype core: model spr is not' "$tdtop" models spr --cputype core
want 1 '^tdtop: --cputype lowpower: .*has other kinds of core: core, atom' "$tdtop" models --cpuid GenuineIntel-6-97-2 --cputype lowpower
want 1 '^tdtop: --cputype atom: which model' "$tdtop" models --cputype atom
# A CPU without a model: its architecture's, else the generic one, and it is said
want 0 '^tdtop: GenuineIntel-6-1: there is no model for this CPU itself; this is the generic one' "$tdtop" models --cpuid GenuineIntel-6-01
want 0 '^arm-sbsa: ' "$tdtop" models --cpuid 0x410fdff0
want 0 'model generic: .*a CPU without a model, GenuineIntel-6-1' "$tdtop" demo --cpuid GenuineIntel-6-01 -b -n 1
want 0 'there is no model for that CPU, GenuineIntel-6-1' "$tdtop" replay tests/data/perf/6.1.187-interval-busy.csv --cpuid GenuineIntel-6-01 -b
holds 'all(r["model"] == "zen4" for r in rows)' "$tdtop" demo --cpuid AuthenticAMD-25-11-1 -j -n 1
printf '# cpuid : GenuineIntel,6,143,8\n' >"$tmp/header.csv"
cat tests/data/perf/6.1.187-interval-busy.csv >>"$tmp/header.csv"
holds 'all(r["model"] == "spr" for r in rows)' "$tdtop" replay "$tmp/header.csv" -j -n 1
holds 'all(r["model"] == "generic" for r in rows)' "$tdtop" replay "$tmp/header.csv" --model generic -j -n 1
printf '%s\n' '{"cpuid" : "AuthenticAMD-25-11-1"}' '{"interval" : 1.0, "counter-value" : "1000.0", "unit" : "", "event" : "ls_not_halted_cyc", "event-runtime" : 1000, "pcnt-running" : 100.00}' >"$tmp/header.json"
holds 'all(r["model"] == "zen4" for r in rows)' "$tdtop" replay "$tmp/header.json" -j -n 1
sed 's/143/1/' "$tmp/header.csv" >"$tmp/odd.csv"
want 0 'no model for the recording.s CPU, GenuineIntel-6-1-8' "$tdtop" replay "$tmp/odd.csv" --batch -n 1

# A core type: this machine has one kind, or the one that is named; never something else in silence
want 1 '^tdtop: --cputype.*lowpower' "$tdtop" models --here --cputype lowpower
want 1 '^tdtop: --cputype.*no-such' "$tdtop" -p $spinner --cputype no-such --batch -n 1

# Retire latencies, and the user's own metrics and models
want 1 'FOO:retire_latency: model spr has no formula with a latency' "$tdtop" demo --const FOO:retire_latency=1 --batch -n 1
want 1 "no formula of model gnr asks for it; did you mean 'MEM_LOAD_RETIRED.L3_HIT'" \
    "$tdtop" demo --model gnr --const MEM_LOAD_RETIRED.L3_HT:retire_latency=1 --batch -n 1
mkdir -p "$tmp/config/tdtop/metrics.d" "$tmp/models"
cat >"$tmp/config/tdtop/metrics.d/mine.toml" <<'T'
for = ["spr"]
[metric.My_Waste]
formula = "1 - Retiring"
share = true
T
holds 'abs(rows[0]["nodes"]["My_Waste"]["value"] + rows[0]["nodes"]["Retiring"]["value"] - 1) < 1e-9' "$tdtop" demo -j -n 1
want 0 '^  My_Waste +[0-9.]+%' "$tdtop" demo --batch -n 1
want 0 '^My_Waste' "$tdtop" models spr My_Waste
want 1 'no node, metric or group of this name' "$tdtop" models zen4 My_Waste
want 0 'mine.toml: ok \(1 metric for spr\)' "$tdtop" models --check "$tmp/config/tdtop/metrics.d/mine.toml"
want 1 '^tdtop: --metrics-dir /nowhere: No such file' "$tdtop" models --metrics-dir /nowhere
mkdir "$tmp/none"
want 1 'no node, metric or group of this name' "$tdtop" models spr My_Waste --metrics-dir "$tmp/none"
printf '[metric.Slip]\nformula = "1 - Retirin"\n' >"$tmp/none/slip.toml"
want 0 "^tdtop: 1 own metric is unavailable: Slip: .*'Retirin'; did you mean 'Retiring'" "$tdtop" demo --metrics-dir "$tmp/none" --batch -n 1
printf 'for = ["sprr"]\n[metric.Slip]\nformula = "1 - Retiring"\n' >"$tmp/none/slip.toml"
want 0 "^tdtop: slip.toml: 'for' fits no model" "$tdtop" demo --metrics-dir "$tmp/none" -j -n 1
want 0 'models/cpu/spr.toml: ok|spr.toml: ok \(model spr: [0-9]+ nodes, [0-9]+ metrics, [0-9]+ events\)' \
    "$tdtop" models --check src/model/cpu/spr.toml
want 1 '^tdtop: .*no-such.toml.*No such file' "$tdtop" models --check "$tmp/no-such.toml"
# Files made to take for ever: of 100,000 mistakes, of formulas that double sixty times.
endless() { # NAME LINES-OF-PYTHON: writes $tmp/models/NAME.toml behind the head that every model has
    { printf 'name = "%s"\ntitle = "T"\nrung = "full"\nscope = "slots"\nvendor = "Intel"\nmatch = []\norigin = "x"\n' "$1"
      printf 'counters = { general = 4 }\nevent.E = { code = 1 }\n'; python3 -c "$2"; } >"$tmp/models/$1.toml"
}
mkdir -p "$tmp/models"
endless keys 'for i in range(100000): print(f"event.k{i} = 1")'
want 1 'there are more than these 1000 problems' timeout 20 "$tdtop" models --check "$tmp/models/keys.toml"
endless both '[print(f"metric.M.j{i} = 1") for i in range(50000)]; [print(f"event.k{i} = 1") for i in range(50000)]'
want 1 'there are more than these 1000 problems' timeout 20 "$tdtop" models --check "$tmp/models/both.toml"
endless events 'for i in range(16000): print(f"event.{chr(65 + i % 26) * 40}{i} = {{ code = 2, alias = \"a{i}\" }}")
print("metric.M.formula = \"E\"")'
want 1 'event .A* *0. is never used' timeout 20 "$tdtop" models --check "$tmp/models/events.toml"
endless double 'for i in range(60): print(f"[metric.M{i}]\nunit = \"x\"\ninline = true\nformula = \"" + (f"M{i-1} + M{i-1}" if i else "E") + "\"")'
want 1 "metric 'M11': its formulas have more than 4096 names with the metrics inlined" timeout 20 "$tdtop" models --check "$tmp/models/double.toml"
want 1 "metric 'M11': its formulas have more than 4096 names" timeout 20 "$tdtop" plan --model "$tmp/models/double.toml"
cat >"$tmp/models/bad.toml" <<'T'
name = "bad"
title = "Two mistakes"
origin = "a test"
rung = "full"
scope = "pipeline slots"
vendor = "Intel"
match = []
counters = { general = 4 }
[event]
"X" = { code = 1, umask = 1 }
[node.A]
role = "none"
formula = "X / NO_SUCH.EVENT"
[node.B]
role = "none"
formula = "X * ("
T
want 1 'bad\.toml:13:[0-9]+: .*NO_SUCH\.EVENT' "$tdtop" models --check "$tmp/models/bad.toml"
want 1 'bad\.toml:16:[0-9]+: ' "$tdtop" models --check "$tmp/models/bad.toml"
want 1 'bad\.toml: 2 problems$' "$tdtop" models --check "$tmp/models/bad.toml"
holds 'rows[0]["n"] == 2 and len(rows[0]["problems"]) == 2' sh -c "'$tdtop' models --check '$tmp/models/bad.toml' -j | tr -d '\n'"
want 1 'bad\.toml:13' "$tdtop" models --model-dir "$tmp/models"
printf '\357\273\277level = 1\ntheme = "x\\u0000"\n' >"$tmp/config/tdtop/config.toml"
want 1 'config\.toml:2:11: found the character U\+0000; expected text without NUL' "$tdtop" demo --batch -n 1
printf '\357\273\277level = 7\n' >"$tmp/config/tdtop/config.toml"
want 1 'config\.toml:1:1: .*level' "$tdtop" demo --batch -n 1
printf '\357\273\277level = 1\n' >"$tmp/config/tdtop/config.toml"
want 0 'SIMULATED' "$tdtop" demo --batch -n 1
{ printf '\357\273\277' && sed "s/^name = .*/name = \"bom\"/" src/model/cpu/zen4.toml; } >"$tmp/bom.toml"
want 0 'bom\.toml: ok' "$tdtop" models --check "$tmp/bom.toml"
rm -r "$tmp/config"
want 0 'perf_event_paranoid' "$tdtop" doctor
want 0 '^(software|generic|[a-z]+[-a-z0-9]*): ' "$tdtop" models --here
want 0 '^CPU +' "$tdtop" models --here
want 0 '^made for it +' "$tdtop" models --here
holds 'rows[0]["model"] and rows[0]["why"] and [t["rung"] for t in rows[0]["tried"]] == ["full", "architecture", "generic", "software"] and sum(t["result"] == "taken" for t in rows[0]["tried"]) == 1' \
    sh -c "'$tdtop' models --here -j | tr -d '\n'"

# Bad input: what, why, what to do; never exit 0
want 1 'no-such-file.*No such file' "$tdtop" replay "$tmp/no-such-file.csv" --model spr -j
printf '\377\376\000\001garbage' >"$tmp/garbage"
want 1 'garbage' "$tdtop" replay "$tmp/garbage" --model spr -j
printf 'PERFILE2\000\000' >"$tmp/perf.data"
want 1 'perf.data.*perf stat' "$tdtop" replay "$tmp/perf.data" --model spr -j
: >"$tmp/empty"
want 1 'empty' "$tdtop" replay "$tmp/empty" --model spr -j
cat >"$tmp/cycle.toml" <<'T'
name = "cycle"
title = "A cycle"
rung = "full"
scope = "pipeline slots"
vendor = "Intel"
[event]
"X" = { code = 1, umask = 1 }
[node.A]
formula = "B + X"
[node.B]
formula = "A * 2"
T
want 1 'cycle\.toml:[0-9]+:[0-9]+.*A -> B -> A|cycle\.toml:[0-9]+:[0-9]+.*B -> A -> B' "$tdtop" models "$tmp/cycle.toml"
sed -e 's/B + X/B + NO_SUCH.EVENT/' -e 's/A \* 2/X/' "$tmp/cycle.toml" >"$tmp/unknown.toml"
want 1 'unknown\.toml:[0-9]+:[0-9]+.*NO_SUCH\.EVENT' "$tdtop" models "$tmp/unknown.toml"
mkdir -p "$tmp/config/tdtop"
echo 'interval = 12' >"$tmp/config/tdtop/config.toml"
want 1 'config\.toml:1:[0-9]+.*interval' "$tdtop" demo --batch -n 1
echo 'intervall = "1s"' >"$tmp/config/tdtop/config.toml"
want 0 'config\.toml:1.*intervall' "$tdtop" demo --batch -n 1
rm -r "$tmp/config"
want 1 '999999999?.*no such process|999999999?.*No such process' "$tdtop" -p 99999999 --batch -n 1
# -P waits for the first process; what it waits is a part of -d.
want 1 '^tdtop: waiting for a process named no-such-process \.\.\.' "$tdtop" -P no-such-process --batch -d 300ms
want 1 '^tdtop: -P no-such-process: no process of that name came within 0.3 s' "$tdtop" -P no-such-process -j -d 300ms
# ended_while SIGNAL OPTION: ended by a signal once it has said that it waits
ended_while() {
    rm -f "$tmp/waits"
    env --default-signal=INT "$tdtop" -P no-such-process "$2" 2>"$tmp/waits" &
    until grep -q waiting "$tmp/waits" || ! kill -0 $!; do sleep 0.02; done
    kill -s "$1" $!
    wait $!
    said=$?
    cat "$tmp/waits"
    return $said
}
want 143 '^tdtop: waiting for a process named no-such-process' ended_while TERM -b
want 130 '^tdtop: waiting for a process named no-such-process' ended_while INT -j
cp "$(command -v sleep)" "$tmp/tdt-near"
cp "$(command -v sleep)" "$tmp/tdt-late"
"$tmp/tdt-near" 60 &
near=$!
want 1 'waiting for a process named tdt-nea \.\.\.; did you mean tdt-near\?' "$tdtop" -P tdt-nea -b -d 300ms
kill $near
# It comes once tdtop waits for it, and what stands on standard error then is read from there.
(
    until grep -qs 'waiting for a process named tdt-late' "$tmp/waits"; do sleep 0.05; done
    exec "$tmp/tdt-late" 60
) &
late=$!
want 0 "^# tdtop: tdt-late $late " sh -c "'$tdtop' -P tdt-late -b -n 2 -I 100 2>'$tmp/waits'"
kill $late
# -P follows a restart: rows go on, with nothing counted in between.
cp "$(readlink -f /bin/sh)" "$tmp/tdt-spin"
spin() { exec "$tmp/tdt-spin" -c 'while :; do :; done'; }
row() { # regular expression: until a row has it
    for _ in $(seq 200); do
        grep -qsE -- "$1" "$tmp/restart" && return
        sleep 0.05
    done
}
spin &
first=$!
# timeout sends SIGCONT, too, without --foreground: at the end of a program that LeakSanitizer has just stopped it goes on
# where that waits for it forever.
timeout --foreground 60 "$tdtop" -P tdt-spin -j -I 100 >"$tmp/restart" 2>&1 &
restart=$!
row "\"target\":\"tdt-spin $first "
kill $first
row '"note":"tdt-spin [^"]* ended? .*; waiting for a process of that name'
row '"CPUs_Utilized":.?"value":null'
spin &
next=$!
row "\"target\":\"tdt-spin $next .*\"CPUs_Utilized\":.\"value\":(0\.[1-9]|1\.)"
kill -TERM $restart
wait $restart
holds '[[r["t"] > 0 for r in rows].count(True) > 3, all(abs(b["t"] - b["dt"] - a["t"]) < 1e-6 for a, b in zip(rows, rows[1:]))] == [True, True]' \
    cat "$tmp/restart"
holds '(lambda got: got[0] == ("'$first'", True) and ("'$first'", False) in got and got[-1] == ("'$next'", True))([(r["target"].split()[1], r["nodes"]["CPUs_Utilized"]["value"] is not None) for r in rows])' \
    cat "$tmp/restart"
holds 'any(r["target"].split()[1] == "'$next'" and "note" not in r and 0.1 < (r["nodes"]["CPUs_Utilized"]["value"] or 0) < 1.2 for r in rows)' cat "$tmp/restart"
kill $next
want 127 'no-such-command' "$tdtop" --batch -- no-such-command
python3 -c '
import threading, time
for i in range(9): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)' &
many=$!
for _ in $(seq 100); do
    [ "$(ls /proc/$many/task | wc -l)" -ge 10 ] && break
    sleep 0.05
done
want 0 'counting [0-9]+ of 10 threads: descriptor limit.*ulimit -n' sh -c "ulimit -n 20; '$tdtop' -p $many --batch -n 1"
kill $many
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$tdtop" "$tmp/tdtop" && chmod 755 "$tmp" "$tmp/tdtop"
    want 1 'belongs to another user.*CAP|belongs to another user.*setcap|not permitted' setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/tdtop" -p 1 --batch -n 1
fi

# Rows
want 0 'SIMULATED' "$tdtop" demo --batch -n 2
want 3 '' "$tdtop" --batch -- sh -c 'exit 3'
want 3 '' "$tdtop" -n 1 -- sh -c 'exit 3'
want 7 '' "$tdtop" -n 1 -I 1s -- sh -c 'sleep 0.3; exit 7'
want 0 '' "$tdtop" -n 1 -I 100ms -- sleep 5
want 1 'zen4 is no core type of a hybrid CPU' "$tdtop" demo --model adl-glc,zen4 -b -n 1
holds 'len(rows)==3 and all(r["simulated"] and r["source"]=="sim" and r["model"]=="spr" for r in rows)' "$tdtop" demo -j -n 3
holds 'abs(sum(rows[0]["nodes"][k]["value"] for k in ("Frontend_Bound","Bad_Speculation","Backend_Bound","Retiring"))-1)<1e-9' \
    "$tdtop" demo -j -n 1
holds 'len(rows)==4 and rows[-1]["summary"] and abs(rows[-1]["dt"]-3)<1e-6' "$tdtop" demo -j -n 3 --summary
# A summary that cannot be written is an error, though the rows before it could be
size=$("$tdtop" demo -j -n 1 | wc -c)
want 1 'nothing more can be written' \
    sh -c "trap '' XFSZ; ulimit -f $((size / 512 + 1)); exec '$tdtop' demo -j -n 1 --summary >'$tmp/cut'"
holds 'len(rows)==5 and all(r["model"]=="software" for r in rows)' "$tdtop" -p $spinner --model software -I 100 -n 5 -j
# Several processes, in each way that the shell may hand them over.
sh -c 'while :; do sleep 1; done' &
second=$!
until [ "$(cat /proc/$second/comm)" = sh ]; do sleep 0.01; done # before that it has our name
for way in "-p $spinner $second" "-p $spinner,$second" "-p$spinner $second" "--pid=$spinner $second," "-p $spinner -p $second"; do
    case $way in *,) rc=2 re='not a list of process ids' ;; *) rc=0 re="2 processes: sh $spinner, sh $second" ;; esac
    want $rc "$re" "$tdtop" $way --batch -I 50 -n 1
done
want 0 "2 processes: sh $spinner, sh $second" "$tdtop" -p "$spinner $second" --batch -I 50 -n 1
want 0 "2 processes: sh $spinner, sh $second" "$tdtop" --batch -I 50 -n 1 -p "$spinner
$second"
want 0 '"target":"2 threads of 2 processes"' "$tdtop" -t $spinner $second -j -I 50 -n 1
kill $second
holds '0.02 < rows[-1]["nodes"]["CPUs_Utilized"]["value"] < 1.2' "$tdtop" -p $spinner --model software -I 200 -n 3 -j
holds 'all(0 <= n["value"] <= 1 and "approx" in n for n in (rows[0]["nodes"]["User"], rows[0]["nodes"]["Kernel"]))' \
    "$tdtop" -a --model software -n 1 -j
# The ±, and how a value came about
holds 'all(n["err"] is None for n in rows[0]["nodes"].values() if n["value"] is None or n["duty"] < 1)' "$tdtop" demo -j -n 4
holds 'all(n["err"] is not None and n["err"] >= 0 for n in rows[3]["nodes"].values() if n["value"] is not None)' "$tdtop" demo -j -n 4
holds 'rows[-1]["nodes"]["L3_Bound"]["err"] < rows[-2]["nodes"]["L3_Bound"]["err"]' "$tdtop" demo -j -n 9 --summary
holds 'all(abs(eval(r["explain"]["formula"]["filled"], {"max": max, "min": min}) - r["nodes"]["Memory_Bandwidth"]["value"]) < 1e-5 and
    r["explain"]["formula"]["kind"] == "main" and r["explain"]["events"] for r in rows)' "$tdtop" demo -j -n 3 --explain-value Memory_Bandwidth
holds 'rows[-1]["explain"]["error"]["intervals"] == 5 and rows[-1]["explain"]["value"] == rows[-1]["nodes"]["DRAM_Bound"]["value"]' \
    "$tdtop" demo -j -n 5 --summary --explain-value DRAM_Bound
want 0 'MEMORY_ACTIVITY.STALLS_L3_MISS +[0-9]+ counted, scaled to [0-9]+ · enabled 1000.0 ms · running +[0-9.]+ ms' "$tdtop" demo -n 1 --explain-value DRAM_Bound

"$tdtop" demo -j -n 5 --seed 7 >"$tmp/a" && "$tdtop" demo -j -n 5 --seed 7 >"$tmp/b"
want 0 '' cmp "$tmp/a" "$tmp/b"
# What is measured: --nodes, --focus
want 2 "^tdtop: --focus: found 'most'; expected auto, open or off" "$tdtop" demo --focus most -b -n 1
want 2 "^tdtop: --nodes: model spr has nothing called 'L3_Boun'; did you mean 'L3_Bound'" "$tdtop" demo --nodes L3_Boun -b -n 1
known='[k for k, n in rows[0]["nodes"].items() if n["value"] is not None]'
holds "'L3_Bound' in $known and 'Core_Bound' in $known and 'ICache_Misses' not in $known" "$tdtop" demo -j -n 1 --nodes L3_Bound
holds "'SQ_Full' in $known and 'IPC' not in $known" "$tdtop" demo -j -n 1 --nodes '!L3_Bound*'
holds "'ICache_Misses' not in $known and 'Divider' in $known" "$tdtop" demo -j -n 1 --nodes=-ICache_Misses -l 3
holds "'SQ_Full' in $known and 'Divider' in $known" "$tdtop" demo -j -n 1 --nodes=-ICache_Misses
want 0 '^      L3_Bound ' "$tdtop" demo -b -n 1 --nodes L3_Bound
want 0 '^ +SQ_Full ' "$tdtop" demo -b -n 1 --nodes '!L3_Bound*'
holds 'rows[-1]["nodes"]["Memory_Bound"]["value"] and "out of focus" in rows[-1]["nodes"]["ICache_Misses"]["reason"]' \
    "$tdtop" demo -j -n 2 --focus open
holds 'any("MEM_Latency" in r["bottleneck"] and (r["nodes"]["MEM_Latency"]["duty"] or 0) > 0.2 for r in rows[70:])' "$tdtop" demo -j -n 80 --focus auto
want 0 '^time;dt;metric;path;value;unit;state;duty;over;bottleneck;source;reason;err;of;approx$' "$tdtop" demo -x ';' -n 1

# A slow reader: rows cover several intervals then, and all the time. The pipe is made small before.
small="python3 -c 'import fcntl; fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 4096)'"
whole='all(abs(a["t"] - (b["t"] - b["dt"])) < 1e-6 for a, b in zip(rows, rows[1:-1])) and abs(rows[0]["t"] - rows[0]["dt"]) < 1e-6 and rows[-1]["summary"] and abs(rows[-1]["dt"] - rows[-2]["t"]) < 1e-6 and any(r.get("intervals", 1) > 1 for r in rows)'
holds "$whole"' and rows[-2]["t"] > 1.99' sh -c \
    "{ $small; '$tdtop' --batch -j -I 20ms --summary -d 2s -p $spinner; } | { sleep 3; cat; }"
holds "$whole"' and all(r["rows"] for r in rows[:-1])' sh -c \
    "{ $small; timeout --foreground 2 '$tdtop' --batch -j -I 20ms --summary --per-thread -p $spinner; } | { sleep 3; cat; }"
want 0 'read too slowly: [0-9]+ intervals are in the row of the one before; nothing is lost' sh -c \
    "{ $small; '$tdtop' --batch -I 20ms -v -d 2s -p $spinner; } | { sleep 3; cat >/dev/null; }"
want 0 '^# [0-9.]+ s  .*  [0-9]+ intervals, [0-9.]+ s: read too slowly$' sh -c \
    "{ $small; '$tdtop' --batch -I 20ms -v -d 2s -p $spinner; } | { sleep 3; cat; }"

# Rows are counted and printed by one thread, with one wait a tick.
one=1
! grep -q __tsan_init "$tdtop" || one=2 # the sanitizer has one of its own
"$tdtop" --batch -x , -I 20ms -p $spinner >"$tmp/rows" &
rows=$!
for _ in $(seq 100); do
    [ "$(grep -c . "$tmp/rows")" -lt 3 ] || break # before that, threads of a moment try what a counter costs
    sleep 0.1
done
want 0 "^$one\$" sh -c "ls /proc/$rows/task | wc -l"
kill $rows

# Single threads and CPUs.
holds '[r["tid"] for r in rows[0]["rows"]][:2] == [4242, 4244] and 0.9 < sum(rows[0]["rows"][0]["nodes"][k]["value"] for k in ("Frontend_Bound","Bad_Speculation","Backend_Bound","Retiring")) < 1.1' \
    "$tdtop" demo -j -n 1 -I 200 --per-thread
holds 'len(rows) == 3 and all(abs(sum(u["cpu_percent"] for u in r["rows"]) / 100 - r["nodes"]["CPUs_Utilized"]["value"]) < 0.02 for r in rows)' \
    "$tdtop" demo -j -n 3 -I 100 --per-cpu
holds '"rows" not in rows[0]' "$tdtop" demo -j -n 1
want 0 '^ +4242 redis-server +[0-9.]+ +[0-9.]+%' "$tdtop" demo --per-thread -n 1 -I 200
want 0 ';approx;of_unit$' "$tdtop" demo --per-thread -n 1 -I 200 -x ';'
want 0 ';IPC;.*;tid 4244 bio_aof$' "$tdtop" demo --per-thread -n 1 -I 200 -x ';'
want 2 'counted per thread; give --per-thread' "$tdtop" -p 1 --per-cpu
want 2 'counted per CPU; give --per-cpu' "$tdtop" -a --per-thread

# A slip of the pen is told from another word; both are mistakes of usage.
want 2 "nothing called 'Bogus'; tdtop models spr lists" "$tdtop" demo --nodes Bogus -n 1
want 2 "did you mean 'L3_Bound'" "$tdtop" demo --nodes L3_Bond -n 1
want 2 'no such metric; did you mean L3_Bound' "$tdtop" demo --explain-value L3_Bond -n 1
want 2 'no such metric; tdtop models' "$tdtop" demo --explain-value Bogus -n 1
want 2 '^tdtop: -p abc: not a list' "$tdtop" -p abc -b
want 2 '^tdtop: -p 0: not a list' "$tdtop" -p 0 -b
want 2 '^tdtop: -p -5: not a list' "$tdtop" -p -5 -b

# Counted and scaled; approximate values claim no error.
holds 'all(abs(e["counted"] - e["count"] * e["duty"]) < 1 for e in rows[0]["explain"]["events"]) and any(e["counted"] < e["count"] / 2 for e in rows[0]["explain"]["events"])' \
    "$tdtop" demo -j -n 1 --explain-value L3_Bound
want 0 'STALLS_L3_MISS +[0-9]+ counted, scaled to [0-9]+ · enabled' "$tdtop" demo -n 1 --explain-value L3_Bound
holds 'all(n["err"] is None for n in (rows[0]["nodes"]["User"], rows[0]["nodes"]["Kernel"]) if n["value"] is not None) and rows[0]["nodes"]["CPUs_Utilized"]["err"] == 0' \
    "$tdtop" --model software -n 1 -I 200 -j -- sh -c 'while :; do :; done'
want 0 'none: counted all the time, but approximate: .*ticks of 10 ms' \
    "$tdtop" --model software -n 1 -I 200 --explain-value User -b -- sh -c 'while :; do :; done'
said=$("$tdtop" --model software -n 3 -I 100 -b -- sh -c 'while :; do :; done' 2>/dev/null | grep -c '^  User .* is approximate: ')
if [ "$said" = 1 ]; then pass=$((pass + 1)); else
    fail=$((fail + 1))
    echo "FAILED: why User is approximate was said $said times"
fi

# What must not be misread: shares of clocks, roots that are not known, a model of another core, what should have been recorded
row() { # FILE EVENT COUNT...
    file=$1
    shift
    : >"$file"
    while [ $# -gt 0 ]; do
        echo "1.000000000;$2;;$1;1000000000;100.00;;" >>"$file"
        shift 2
    done
}
want 0 'Ports_Utilization +[0-9.]+% .*of clocks' "$tdtop" demo --model skx --at 42s --batch
want 0 '^# .*≈.*% of clocks' "$tdtop" demo --model skx --at 42s --batch
holds 'all(n.get("of") == "clocks" for k, n in rows[0]["nodes"].items() if k.startswith("Ports_Util")) and "of" not in rows[0]["nodes"]["Core_Bound"]' \
    "$tdtop" demo --model skx -j -n 1
holds 'abs(rows[0]["root_sum"] - 1) < 1e-9 and "note" not in rows[0]' "$tdtop" demo -j -n 1
row "$tmp/zen.csv" ls_not_halted_cyc 1000000000 ex_ret_ops 1500000000 de_src_op_disp.all 1700000000 \
    de_no_dispatch_per_slot.no_ops_from_frontend 1000000000 de_no_dispatch_per_slot.backend_stalls 500000000 \
    de_no_dispatch_per_slot.smt_contention 100000000
want 0 '^# note: level 1 adds up to 55.0%, not 100%: is --model right\?' "$tdtop" replay "$tmp/zen.csv" --model zen4 -b
holds 'abs(rows[0]["root_sum"] - 0.55) < 1e-3 and "is --model right?" in rows[0]["note"]' "$tdtop" replay "$tmp/zen.csv" --model zen4 -j
want 0 '^tdtop: level 1 adds up to 55.0%, not 100%: is --model right' "$tdtop" replay "$tmp/zen.csv" --model zen4 -x ,
# A run is judged as a whole, not by its last interval, in which nothing ran
{ cat "$tmp/zen.csv"; sed 's/^1\.000000000;[0-9]*;/2.000000000;<not counted>;/; s/;1000000000;100.00;;$/;0;100.00;;/' "$tmp/zen.csv"; } >"$tmp/slept.csv"
want 0 '' "$tdtop" import --db "$tmp/slept.db" "$tmp/slept.csv" --model zen4
holds 'rows[0]["doubt"].startswith("level 1 adds up to 55.0%, not 100%")' sh -c "'$tdtop' export --db '$tmp/slept.db' @0 --json | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)))'"
row "$tmp/part.csv" ls_not_halted_cyc 1000000000 ex_ret_ops 1500000000 de_no_dispatch_per_slot.backend_stalls 500000000
want 0 '^# nothing known is over its threshold; not known: Frontend_Bound, Bad_Speculation, SMT_Contention: .*not in the recording' \
    "$tdtop" replay "$tmp/part.csv" --model zen4 -b
row "$tmp/few.csv" cycles 1000000000 instructions 1000000000
want 0 'Backend_Bound +n/a +PERF_METRICS' "$tdtop" replay "$tmp/few.csv" --model spr -b

# What the pages tell people to type, up to the word tdtop; not what names a file of the reader's own
grep -hoE '^    tdtop (version|models|doctor|demo|help|plan|explain|guide)[^#;]*' README.md CONTRIBUTING.md docs/*.md |
    grep -vE '\b(FILE|NAME|RUN)\b' | sed 's/^ *//' | sort -u >"$tmp/pages"
while read -r line; do
    set -- $line
    shift
    case $1 in demo) set -- "$@" --batch -n 1 ;; esac
    want 0 '' "$tdtop" "$@"
done <"$tmp/pages"

over cli
