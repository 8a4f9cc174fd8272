#!/bin/sh
# recordings_test.sh TDTOP: what replay and import make of recordings, by the values that come out. Ends with
# "recordings: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
# replays 'python expression over v, the values of the first row by name (None: unknown), and row' ARGUMENTS...
replays() {
    expr=$1
    shift
    if "$tdtop" replay "$@" -j -n 1 2>"$tmp/err" </dev/null | python3 -c "
import json, sys
row = json.loads(sys.stdin.readline())
v = {k: n['value'] for part in row.values() if isinstance(part, dict) for k, n in part.items() if isinstance(n, dict) and 'value' in n}
near = lambda a, b, eps=5e-5: a is not None and abs(a - b) <= eps
sys.exit(0 if ($expr) else '%s' % {k: x for k, x in v.items() if x is not None})" 2>>"$tmp/err"; then
        pass=$((pass + 1))
    else
        bad "replay $*: does not hold: $expr" "$(cat "$tmp/err")"
    fi
}

# ---- hybrid CPUs: the model says whose counts are meant, not the order of the lines ----
cat >"$tmp/core.csv" <<'E'
8632400,,cpu_core/cycles/,16067477534,100.00,0.000,GHz
3359282,,cpu_atom/cycles/,16081105672,100.00,0.000,GHz
9222630,,cpu_core/instructions/,16067506390,100.00,1.07,insn per cycle
1256594,,cpu_atom/instructions/,16081131302,100.00,0.15,insn per cycle
E
sort -t, -k3 "$tmp/core.csv" >"$tmp/atom.csv" # E cores first
for first in core atom; do
    f="$tmp/$first.csv"
    replays 'near(v["IPC"], 1.06838, 1e-4)' "$f" --model adl-glc
    replays 'near(v["IPC"], 0.37406, 1e-4)' "$f" --model adl-grt
    replays 'near(v["IPC"], 1.06838, 1e-4)' "$f" --cpuid GenuineIntel-6-9A-3
    replays 'near(v["IPC"], 1.06838, 1e-4)' "$f" --cpuid GenuineIntel-6-9A-3 --cputype core
    replays 'near(v["IPC"], 0.37406, 1e-4)' "$f" --cpuid GenuineIntel-6-9A-3 --cputype atom
    replays 'near(v["IPC"], 1.06838, 1e-4)' "$f" --model generic --only cpu_core
    want 1 'counts of cpu_atom, and model adl-glc is for cpu_core' "$tdtop" replay "$f" --model adl-glc --only cpu_atom -b
    want 1 'counts of cpu_core, and model adl-grt is for cpu_atom' "$tdtop" import "$f" --model adl-grt --only cpu_core
done
grep atom "$tmp/core.csv" >"$tmp/alone.csv"
want 1 'counts of cpu_atom, and model adl-glc is for cpu_core' "$tdtop" replay "$tmp/alone.csv" --model adl-glc -b

# ---- slots and the four top-down events alone: every level-1 value is known ----
topdown() { # TIME SLOTS RETIRING BAD FE BE, with $pmu around the names
    for e in "slots $2" "topdown-retiring $3" "topdown-bad-spec $4" "topdown-fe-bound $5" "topdown-be-bound $6"; do
        echo "$1,${e#* },,$pmu${e% *}${pmu:+/},$2,100.00,,"
    done
}
pmu=''
topdown 1.000000000 1000000000 300000000 200000000 100000000 400000000 >"$tmp/topdown.csv"
pmu=cpu_core/
topdown 1.000000000 1000000000 300000000 200000000 100000000 400000000 >"$tmp/topdown_core.csv"
for file in src/model/cpu/*.toml; do
    model=$(basename "$file" .toml)
    awk -f tools/model_whole.awk "$file" >"$tmp/whole.toml"
    grep -q 'topdown-retiring.*perf_metrics' "$tmp/whole.toml" || continue
    for f in topdown topdown_core; do
        [ $f = topdown ] || grep -q '^core_type = "core"' "$tmp/whole.toml" || continue
        replays 'near(v["Retiring"], 0.3) and near(v["Bad_Speculation"], 0.2) and near(v["Frontend_Bound"], 0.1) and near(v["Backend_Bound"], 0.4)' \
            "$tmp/$f.csv" --model "$model"
    done
done

# ---- one event, many spellings: 5 * 10 / 1000 is added to Backend_Bound ----
for name in INT_MISC.CLEARS_COUNT int_misc.clears_count cpu/INT_MISC.CLEARS_COUNT/ cpu/name=INT_MISC.CLEARS_COUNT/ \
    cpu/INT_MISC.RECOVERY_CYCLES,cmask=1,edge/ cpu/int_misc.recovery_cycles,cmask=0x1,edge=1/ \
    cpu/INT_MISC.RECOVERY_CYCLES,cmask=1,edge,name=x/ cpu/INT_MISC.CLEARS_COUNT,name=x,period=100003/ \
    "cpu/event=0x0d,umask=0x1,cmask=1,edge,name='INT_MISC.CLEARS_COUNT'/" cpu/name=x,event=0x0d,umask=0x1,cmask=1,edge/ \
    INT_MISC.RECOVERY_CYCLES:c1:e1 r104010d cpu/config=0x104010d,name=x/; do
    { cat "$tmp/topdown.csv" && echo "1.000000000,10000000,,$name,1000000000,100.00,,"; } >"$tmp/spelled.csv"
    for model in icl icx tgl rkl; do
        replays 'near(v["Backend_Bound"], 0.45)' "$tmp/spelled.csv" --model $model
    done
done
# another event by its bits is another event
for name in cpu/INT_MISC.RECOVERY_CYCLES,cmask=1/ cpu/INT_MISC.RECOVERY_CYCLES,cmask=2,edge/ cpu/INT_MISC.RECOVERY_CYCLES,edge,name=INT_MISC.CLEARS_COUNT/; do
    { cat "$tmp/topdown.csv" && echo "1.000000000,10000000,,$name,1000000000,100.00,,"; } >"$tmp/spelled.csv"
    replays 'near(v["Backend_Bound"], 0.4)' "$tmp/spelled.csv" --model icl
done
# a model that has the event without these bits has its code: skl knows both
cat >"$tmp/skl.csv" <<'E'
100,,BR_MISP_RETIRED.ALL_BRANCHES,1000,100.00,,
100,,MACHINE_CLEARS.COUNT,1000,100.00,,
300,,cpu/INT_MISC.RECOVERY_CYCLES,cmask=1,edge/,1000,100.00,,
E
replays 'near(v["Info_Bad_Spec_Spec_Clears_Ratio"], 1.5)' "$tmp/skl.csv" --model skl

# ---- events that ran together: by running times, by formulas; a metric may stand beside any of them ----
cat >"$tmp/groups.txt" <<'E'
       600,000,000      de_src_op_disp.all               #     11.1 %  bad_speculation          (33.33%)
       100,000,000      ls_not_halted_cyc                                                       (33.33%)
       540,000,000      ex_ret_ops                       #     90.0 %  retiring                 (33.33%)
                 0      de_no_dispatch_per_slot.smt_contention #      0.0 %  smt_contention           (33.33%)
       150,000,000      ls_not_halted_cyc                                                       (33.33%)
E
replays 'near(v["Retiring"], 0.9) and near(v["Bad_Speculation"], 0.1)' "$tmp/groups.txt" --model zen4
cat >"$tmp/groups2.txt" <<'E'
        54,000,000      ex_ret_ucode_ops                 #      9.0 %  retiring_microcode       (33.33%)
       100,000,000      ls_not_halted_cyc                                                       (33.33%)
       540,000,000      ex_ret_ops                       #     90.0 %  retiring                 (33.33%)
        90,000,000      de_no_dispatch_per_slot.no_ops_from_frontend #     10.0 %  frontend_bound  (33.33%)
        15,000,000      cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/                 (33.33%)
       150,000,000      ls_not_halted_cyc                                                       (33.33%)
E
replays 'near(v["Retiring"], 0.9) and near(v["Heavy_Operations"], 0.09) and near(v["Frontend_Bound"], 0.1)' "$tmp/groups2.txt" --model zen4
# groups of Zen 4 in every order, metrics beside any row, running times that differ by 13 ns between groups: by these alone
cat >"$tmp/groups.py" <<'E'
import json, random, subprocess, sys
n = "de_no_dispatch_per_slot."
cyc = "ls_not_halted_cyc"
groups = {
    "Bad_Speculation": ["de_src_op_disp.all", cyc, "ex_ret_ops", "ex_ret_brn_misp", "resyncs_or_nc_redirects"],
    "Backend_Bound": [n + "backend_stalls", cyc, "ex_no_retire.load_not_complete", "ex_no_retire.not_complete"],
    "Heavy_Operations": ["ex_ret_ucode_ops", cyc, "ex_ret_ops"],
    "Frontend_Bound": [n + "no_ops_from_frontend", cyc, "cpu/" + n + "no_ops_from_frontend,cmask=0x6/"],
    "SMT_Contention": [n + "smt_contention", cyc],
}
random.seed(6)
wrong = 0
for _ in range(25):
    lines, truth = [], {}
    names = random.sample(list(groups), random.randint(2, 5))
    for g, name in enumerate(names):
        slots = 6 * random.choice([80, 100, 150, 225]) * 1000000
        events = {e: slots // 6 if e == cyc else random.randint(1, slots // 6) for e in groups[name]}
        first = events[groups[name][0]]
        truth[name] = (first - events["ex_ret_ops"] if name == "Bad_Speculation" else first) / slots
        for i, e in enumerate(random.sample(list(events), len(events))):
            metric = "1.0,%  x" if i == 0 or random.random() < 0.3 else ","
            lines.append(f"{events[e]},,{e},{333333333 + 13 * g},33.33,{metric}")
    if "Heavy_Operations" in truth and "Bad_Speculation" in truth:
        del truth["Heavy_Operations"]  # both groups have ex_ret_ops: either is right
    open(sys.argv[2], "w").write("\n".join(lines) + "\n")
    row = json.loads(subprocess.run([sys.argv[1], "replay", sys.argv[2], "--model", "zen4", "-j", "-n", "1"], stdout=subprocess.PIPE, check=True).stdout)
    for name, v in truth.items():
        got = row["nodes"][name]["value"]
        if got is None or abs(got - v) > 1e-9:
            wrong += 1
            print(names, name, got, v)
sys.exit(wrong != 0)
E
want 0 '' python3 "$tmp/groups.py" "$tdtop" "$tmp/groups.csv"

# ---- what has no end: looked at before it is kept, kept up to a limit, never waited for ----
f=tests/data/perf/6.1.187-interval-busy.csv
want 1 '/dev/zero:1: the line is longer than 1 MiB' timeout 10 "$tdtop" replay /dev/zero --model spr -b
want 1 '/dev/urandom:[0-9]+: ' timeout 10 "$tdtop" replay /dev/urandom --model spr -b
want 1 'no line of the first 1000 is a counter line' timeout 10 sh -c 'yes "no counts" | "$0" replay - --model spr -b' "$tdtop"
want 1 'standard input: more than 256 MiB in a pipe; write it to a file' timeout 60 sh -c 'yes "1,,cycles,9,100.00,," | "$0" replay - --model spr -b' "$tdtop"
want 0 '^# model software' sh -c '"$0" replay - --model software -b -n 1 <"$1"' "$tdtop" $f
mkfifo "$tmp/fifo" "$tmp/fifo.toml" "$tmp/fifo.json"
want 0 '^# model software' timeout 10 sh -c 'cat "$2" >"$1" & "$0" replay "$1" --model software -b -n 1' "$tdtop" "$tmp/fifo" $f
want 1 'a pipe or a device can be read once, so give --model' timeout 10 "$tdtop" replay "$tmp/fifo" -b
want 1 'fifo: a pipe or a device; give a file' timeout 10 "$tdtop" import "$tmp/fifo"
want 1 'fifo: a pipe or a device; give a file' timeout 10 "$tdtop" import --from tdtop "$tmp/fifo"
want 1 '/dev/zero: a pipe or a device; give a file' timeout 10 "$tdtop" import --from toplev /dev/zero
truncate -s 3G "$tmp/sparse"
want 1 'sparse:1: the line is longer than 1 MiB' timeout 10 "$tdtop" import "$tmp/sparse"
want 1 'sparse:1: the line is longer than 1 MiB' timeout 10 "$tdtop" import --from toplev "$tmp/sparse"
want 1 'fifo: a pipe, which may have no end; name a file' timeout 10 "$tdtop" demo -b -n 1 --config "$tmp/fifo"
want 0 '' sh -c "cat config.example.toml | '$tdtop' demo -b -n 1 --speed 0 --config /dev/stdin"
want 0 '' sh -c "cat config.example.toml | '$tdtop' demo -b -n 1 --speed 0 --config /proc/self/fd/0"
want 2 'fifo.json: a pipe, which may have no end' timeout 10 "$tdtop" compare "$tmp/fifo.json" "$tmp/fifo.json"
want 1 'fifo.toml: a pipe, which may have no end' timeout 10 "$tdtop" models --check "$tmp/fifo.toml"
want 1 'fifo.toml: a pipe, which may have no end' timeout 10 "$tdtop" demo -b -n 1 --model "$tmp/fifo.toml"
want 0 'SIMULATED|made up' timeout 10 "$tdtop" demo -b -n 1 --config /dev/null
mkdir -p "$tmp/config/tdtop/metrics.d"
mkfifo "$tmp/config/tdtop/metrics.d/a.toml"
want 1 'metrics.d/a.toml: a pipe, which may have no end' timeout 10 "$tdtop" demo -b -n 1
want 0 . timeout 20 "$tdtop" doctor
rm "$tmp/config/tdtop/metrics.d/a.toml"

# ---- mails, marks of thousands, titles without events, other tools ----
cat >"$tmp/plain.txt" <<'E'
 Performance counter stats for 'x':

     1,000,000,000      cycles                           #    3.000 GHz
     2,500,000,000      instructions                     #    2.50  insn per cycle

       1.000000000 seconds time elapsed
E
for quote in '> ' '>> ' '> > ' '>' '>>'; do
    sed "s/^/$quote/" "$tmp/plain.txt" >"$tmp/quoted.txt"
    replays 'near(v["IPC"], 2.5) and row["dt"] == 1' "$tmp/quoted.txt" --model generic
    { echo "${quote}1.000000000;1000;;cycles;1000;100.00;;" && echo "${quote}1.000000000;2500;;instructions;1000;100.00;;"; } >"$tmp/quoted.csv"
    replays 'near(v["IPC"], 2.5)' "$tmp/quoted.csv" --model generic
done
for mark in '’' "'" ' ' '.' "$(printf '\302\240')" "$(printf '\342\200\257')" "$(printf '\342\200\211')" ''; do
    sed "s/,/$mark/g" "$tmp/plain.txt" >"$tmp/marked.txt"
    replays 'near(v["IPC"], 2.5)' "$tmp/marked.txt" --model generic
done
{ cat "$tmp/plain.txt" && cat <<'E'; } >"$tmp/titled.txt"
             TopdownL1                 #     70.1 %  tma_backend_bound
                                       #      2.7 %  tma_bad_speculation
                                       #     12.6 %  tma_frontend_bound
                                       #     14.6 %  tma_retiring
E
for model in spr neoverse-v3 generic; do
    want 0 '^# note: .*its top-down percentages have no counts and cannot be recomputed \(import --from percent stores them\)' \
        "$tdtop" replay "$tmp/titled.txt" --model $model -b
done
cat >"$tmp/likwid.txt" <<'E'
CPU type:	Intel Icelake SP processor
Group 1: TMA
+-----------------------+---------+------------+
|         Event         | Counter | HWThread 0 |
+-----------------------+---------+------------+
|   INSTR_RETIRED_ANY   |  FIXC0  |     318066 |
E
want 1 "likwid.txt:4: looks like output of likwid-perfctr: its events have likwid's own names, without codes" "$tdtop" replay "$tmp/likwid.txt" --model icx -b
want 1 "likwid-perfctr: its events have likwid's own names" "$tdtop" import "$tmp/likwid.txt"

# ---- percentages without counts become a run of values ----
# values 'python expression over v (mean by path), d' ARGUMENTS...: imported and exported again
values() {
    expr=$1
    shift
    id=$("$tdtop" import "$@" 2>"$tmp/err") && "$tdtop" export "$id" -j 2>>"$tmp/err" | python3 -c "
import json, sys
d = json.load(sys.stdin)
v = {n['path']: n['value'] for n in d['nodes']}
near = lambda a, b, eps=1e-9: abs(a - b) <= eps
sys.exit(0 if ($expr) else '%s %s' % (d, v))" 2>>"$tmp/err" && pass=$((pass + 1)) || bad "import $*: does not hold: $expr" "$(cut -c1-300 "$tmp/err")"
}
l1='near(v["Retiring"], 0.156) and near(v["Bad_Speculation"], 0.085) and near(v["Frontend_Bound"], 0.302) and near(v["Backend_Bound"], 0.457) and len(v) == 4'
cat >"$tmp/topdown.txt" <<'E'
 Performance counter stats for 'system wide':

 %  tma_backend_bound %  tma_frontend_bound %  tma_bad_speculation  %  tma_retiring
                 45.7                 30.2                  8.5         15.6

       1.500000000 seconds time elapsed
E
values "$l1 and d['measured_ns'] == 1500000000 and d['version'] == 'perf stat' and 'counts' not in d" "$tmp/topdown.txt"
cat >"$tmp/old.txt" <<'E'
#           time                                     retiring      bad speculation       frontend bound        backend bound
     1.000000000 S0-D0-C0           2                15.6%                 8.5%                 30.2%                45.7%
     2.000000000 S0-D0-C0           2                15.6%                 8.5%                 30.2%                45.7%
E
values "$l1 and d['measured_ns'] == 2000000000 and d['interval_ns'] == 1000000000 and d['target'].endswith('S0-D0-C0')" "$tmp/old.txt"
printf 'retiring,bad speculation,frontend bound,backend bound,\n15.6,8.5,30.2,45.7,\n' >"$tmp/plain.csv"
values "$l1" "$tmp/plain.csv"
cat >"$tmp/metric.csv" <<'E'
# started on Sat Nov 21 12:37:51 2026

time,percent of slots  bad_speculation,percent of slots  retiring,percent of slots  frontend_bound,percent of slots  backend_bound,cs/sec  cs_per_second,
1.000000000,8.0,15.1,30.0,45.6,10.0,
time,percent of slots  bad_speculation,percent of slots  retiring,percent of slots  frontend_bound,percent of slots  backend_bound,cs/sec  cs_per_second,
2.000000000,9.0,16.1,30.4,45.8,,
E
values "near(v.pop('cs_per_second'), 10) and $l1 and d['measured_ns'] == 2000000000 and d['begun_ns'] == 1795264671 * 10**9" "$tmp/metric.csv"
sed '1,2d; s/,/;/g; s/\./,/g' "$tmp/metric.csv" | sed 's/^\([0-9]*\),/\1./' >"$tmp/comma.csv"
values "near(v.pop('cs_per_second'), 10) and $l1" "$tmp/comma.csv"
cat >"$tmp/cores.csv" <<'E'
time,core,ctrs,%  tma_retiring,%  tma_bad_speculation,%  tma_frontend_bound,%  tma_backend_bound,
1.000000000,S0-D0-C0,1,15.6,8.5,30.2,45.7,
1.000000000,S0-D0-C1,1,25.6,8.5,20.2,45.7,
E
want 1 'values of several CPUs \(S0-D0-C0, S0-D0-C1 ...\).*--only S0-D0-C0' "$tdtop" import "$tmp/cores.csv"
values "$l1" --only S0-D0-C0 "$tmp/cores.csv"
cat >"$tmp/metric.json" <<'E'
{"interval" : 1.000000000, "%  tma_retiring" : "15.6", "%  tma_bad_speculation" : "8.5", "%  tma_frontend_bound" : "30.2", "%  tma_backend_bound" : "45.7", "CPUs  CPUs_utilized" : "none"}
{"interval" : 2.000000000, "%  tma_retiring" : "15.6", "%  tma_bad_speculation" : "8.5", "%  tma_frontend_bound" : "30.2", "%  tma_backend_bound" : "45.7", "CPUs  CPUs_utilized" : "none"}
E
values "$l1 and d['measured_ns'] == 2000000000" "$tmp/metric.json"
cat >"$tmp/beside.csv" <<'E'
1.000000000,52288305,,cpu_core/cycles/,225850188531,100.00,0.000,GHz
1.000000000,,225849327050,100.00,,,,TopdownL1 (cpu_core)
1.000000000,,,,,,45.7,%  tma_backend_bound
1.000000000,,,,,,8.5,%  tma_bad_speculation
1.000000000,,,,,,30.2,%  tma_frontend_bound
1.000000000,,,,,,15.6,%  tma_retiring
E
values "$l1" --from percent "$tmp/beside.csv"
want 0 'run [0-9a-f]{16} of' "$tdtop" import "$tmp/beside.csv" --model adl-glc # its counts
{ cat "$tmp/beside.csv" && sed 's/cpu_core/cpu_atom/; s/15.6/25.6/; s/45.7/35.7/' "$tmp/beside.csv"; } >"$tmp/beside2.csv"
want 1 'values of several CPUs \(cpu_core, cpu_atom' "$tdtop" import --from percent "$tmp/beside2.csv"
values "$l1" --from percent --only cpu_core "$tmp/beside2.csv"
values 'near(v["Retiring"], 0.256)' --from percent --only cpu_atom "$tmp/beside2.csv"
cat >"$tmp/beside.json" <<'E'
{"interval" : 1.000000000, "event-runtime" : 16045397172, "pcnt-running" : 100.00, "metricgroup" : "TopdownL1"}
{"interval" : 1.000000000, "metric-value" : "45.700000", "metric-unit" : "%  tma_backend_bound", "metric-threshold" : "bad"}
{"interval" : 1.000000000, "metric-value" : 30.2, "metric-unit" : "%  tma_frontend_bound", }
{"interval" : 1.000000000, "metric-value" : "8.500000", "metric-unit" : "%  tma_bad_speculation"}
{"interval" : 1.000000000, "metric-value" : "15.600000", "metric-unit" : "%  tma_retiring"}
E
values "$l1" --from percent "$tmp/beside.json"
values 'near(v["Backend_Bound"], 0.701) and near(v["Retiring"], 0.146) and len(v) == 4' --from percent "$tmp/titled.txt"
cat >"$tmp/uprof.csv" <<'E'
AMDuProfPcm Report

Processor Name:,AMD EPYC
System:,Family(0x1a) Model(0x02) Stepping(0x1)
Sample interval (ms):,500
Version:,5.2.606.0 (PUBLIC)
Profile Time: 2026/04/21 23:21:59:888
CORE METRICS,,,,,,,,,,,,,,
System (Aggregated),,,,,,,,,,,,,,
Total_Dispatch_Slots,SMT_Disp_contention,Frontend_Bound,Bad_Speculation,Backend_Bound,Retiring,Frontend_Bound.Latency,Frontend_Bound.BW,Bad_Speculation.Mispredicts,Bad_Speculation.Pipeline_Restarts,Backend_Bound.Memory,Backend_Bound.CPU,Retiring.Fastpath,Retiring.Microcode,
1000.00,1.00,50.00,4.00,30.00,15.00,20.00,30.00,3.00,1.00,20.00,10.00,10.00,5.00,
3000.00,3.00,52.00,4.00,28.00,13.00,22.00,30.00,3.00,1.00,18.00,10.00,9.00,4.00,
E
values 'd["model"] == "zen5" and d["version"] == "AMDuProfPcm 5.2.606.0" and d["measured_ns"] == 1000000000 and d["interval_ns"] == 500000000
    and d["begun_ns"] == 1776813719 * 10**9 and near(v["Frontend_Bound"], 0.51) and near(v["Frontend_Bound.Fetch_Latency"], 0.21)
    and near(v["Frontend_Bound.Fetch_Bandwidth"], 0.3) and near(v["Bad_Speculation.Branch_Mispredicts"], 0.03) and near(v["Bad_Speculation.Machine_Clears"], 0.01)
    and near(v["Backend_Bound.Memory_Bound"], 0.19) and near(v["Backend_Bound.Core_Bound"], 0.1) and near(v["Retiring.Light_Operations"], 0.095)
    and near(v["Retiring.Heavy_Operations"], 0.045) and near(v["SMT_Contention"], 0.02) and near(v["Total_Dispatch_Slots"], 2000) and len(v) == 14' "$tmp/uprof.csv"
sed 's/^System (Aggregated).*/CCX-0,,,CCX-1,,,/; s/^Total_.*/Total_Dispatch_Slots,Retiring,Backend_Bound,Total_Dispatch_Slots,Retiring,Backend_Bound,/; s/^[13]000.00.*/9,20.00,30.00,9,40.00,50.00,/' "$tmp/uprof.csv" >"$tmp/ccx.csv"
want 1 'values of several CPUs \(CCX-0, CCX-1' "$tdtop" import "$tmp/ccx.csv"
values 'near(v["Retiring"], 0.4) and near(v["Backend_Bound"], 0.5)' --only CCX-1 "$tmp/ccx.csv"
sed 's,2026/04/21,9999/04/21,' "$tmp/uprof.csv" >"$tmp/late.csv" # no time of ours: that of the file
values '0 < d["begun_ns"] < 7258118400 * 10**9' "$tmp/late.csv"
sed '1,9d' "$tmp/uprof.csv" | sed '1s/^/Timestamp,/; 2s/^/09:12:08.500,/; 3s/^/09:12:10.500,/' >"$tmp/clock.csv"
values 'near(v["Retiring"], 0.14) and d["measured_ns"] == 4000000000' "$tmp/clock.csv"
sed 's/09:12:08.500/23:59:58.500/; s/09:12:10.500/00:00:00.500/' "$tmp/clock.csv" >"$tmp/midnight.csv"
values 'near(v["Retiring"], 0.14) and d["measured_ns"] == 4000000000' "$tmp/midnight.csv"
sed '$s/52.00/many/' "$tmp/uprof.csv" >"$tmp/broken.csv"
want 1 'broken.csv:12: a number is wanted' "$tdtop" import "$tmp/broken.csv"
printf 'time,%%  tma_retiring,%%  tma_retiring,\n1.000000000,1.0,2.0,\n' >"$tmp/twice.csv"
want 1 'twice.csv:1: two columns are Retiring' "$tdtop" import "$tmp/twice.csv"
for f in metric.csv plain.csv old.txt topdown.txt metric.json; do
    want 1 'holds only percentages.*tdtop import' "$tdtop" replay "$tmp/$f" --model spr -b
done
want 1 'AMD uProf report: percentages, no counts.*tdtop import FILE stores them' "$tdtop" replay "$tmp/uprof.csv" --model zen5 -b

# ---- every spelling of perf stat: separators, times, aggregates, cgroups, repeats, versions; IPC is 2.5 in all ----
cat >"$tmp/spellings.py" <<'E'
import itertools, json, os, subprocess, sys
tdtop, folder = sys.argv[1:]
events = [("cycles", 1000000), ("instructions", 2500000)]
aggs = {"": [[]], "cpu": [["CPU0"], ["CPU1"]], "core": [["S0-D0-C0", "1"], ["S0-D0-C1", "1"]], "socket": [["S0", "2"]], "die": [["S0-D0", "2"]],
        "node": [["N0", "2"]], "cache": [["S0-D0-L3-ID0", "2"]], "cluster": [["S0-D0-CLS0", "2"]], "thread": [["a b-c-17"], ["redis-4242"]],
        "percore": [["S0-D0-C0"]]}
tails = {"6": lambda m: ["1000000", "100.00"] + m, "7": lambda m: ["1000000", "100.00"] + (m if m[1] else ["", ""]), "shared": lambda m: ["250000", "25.00"] + m}
times = {"": [None], "6.1": ["     1.000000000", "     2.000000000"], "7.2": ["1.000000000", "2.000000000"]}
wrong = total = 0

def look(what, text, *options):
    global wrong, total
    path = os.path.join(folder, "spelling")
    open(path, "w").write(text)
    total += 1
    p = subprocess.run([tdtop, "replay", path, "--model", "generic", "-j", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        rows = [json.loads(line) for line in p.stdout.splitlines()]
        ipc = [{k: n for part in r.values() if isinstance(part, dict) for k, n in part.items()}["IPC"]["value"] for r in rows]
        good = ipc and all(v is not None and abs(v - 2.5) < 1e-9 for v in ipc)
    except ValueError:
        good = False
    if not good:
        wrong += 1
        print(what, repr(text[:200]), p.stdout[:300])

for sep, time, agg, tail in itertools.product([",", ";", "\t", "|"], times, aggs, tails):
    lines = []
    for t in times[time]:
        for (event, value), a in itertools.product(events, aggs[agg]):
            metric = ["2.50", "insn per cycle"] if event == "instructions" else ["", ""]
            lines.append(sep.join(([t] if t else []) + a + [str(value), "", event] + tails[tail](metric)))
        if time:
            lines.append(sep.join(([t] if t else []) + [""] * (4 + len(aggs[agg][0])) + ["", "51.0", "%  tma_frontend_bound"]))
    look(("csv", sep, time, agg, tail), "# started on Sat Nov 21 12:13:59 2026\n\n" + "\n".join(lines) + "\n")
for sep in ",;":
    plain = sep.join(["{}", "", "{}", "1000000", "100.00", "", ""])
    rows = lambda f: "\n".join(f.format(v, e) for e, v in events) + "\n"
    look("repeated", rows(sep.join(["{}", "", "{}", "1.80%", "1000000", "100.00", "", ""])))
    look("cgroup", rows(sep.join(["{}", "", "{}", "a.slice/b.scope", "1000000", "100.00", "", ""])))
    look("cpu/x/u", "".join(sep.join([str(v), "", f"cpu/{e}/u", "1000000", "100.00", "", ""]) + "\n" for e, v in events))
    look("totals", "1.000000000" + sep + plain.format(1000000, "cycles") + "\n1.000000000" + sep + plain.format(2500000, "instructions") + "\n"
         + "         summary" + sep + plain.format(5, "cycles") + "\n         summary" + sep + plain.format(5, "instructions") + "\n")
    look("errors", "Some events weren't counted\nError:\n" + rows(plain))
    look("not supported", rows(plain) + plain.format("<not supported>", "branches") + "\n" + plain.format("<not counted>", "cs") + "\n")
look("comma locale", "1,000000;1000000;;cycles;1000000;100,00;;\n".replace("1,000000;", "1.000000000;") + "1.000000000;2500000;;instructions;1000000;100,00;2,50;insn per cycle\n")
for agg, number, extra in itertools.product(["", "cpu", "core", "socket", "die", "node", "cache", "cluster", "thread"], ["", "aggregate-number", "counters"],
                                            ["", ', "metric-value" : 0.000000, "metric-unit" : ""', ', "metric-value" : "nan", "metric-unit" : "(null)"', ", ",
                                             ', "metric-value" : nan, "metric-unit" : "x", "metric-threshold" : "good"']):
    lines = []
    for (event, value), name in itertools.product(events, ["0", "1"] if agg == "cpu" else ["a-1"] if agg == "thread" else ["S0-D0-C0"]):
        a = f'"{agg}" : "{name}", ' if agg else ""
        n = f'"{number}" : 2, ' if agg and number else ""
        lines.append('{"interval" : 1.000000000, ' + a + n + f'"counter-value" : "{value}.000000", "unit" : "", "event" : "{event}", "event-runtime" : 1000000, "pcnt-running" : 100.00' + extra + "}")
    lines.append('{"interval" : 1.000000000, "metric-value" : "29.212267", "metric-unit" : "%  tma_frontend_bound", "metric-threshold" : "bad"}')
    lines.append('{"interval" : 1.000000000, "event-runtime" : 7, "pcnt-running" : 100.00, "metricgroup" : "TopdownL1"}')
    look(("json", agg, number, extra), "# started on x\n" + "\n".join(lines) + "\n")
look("json locale", "".join('{"counter-value" : "%d,000000", "unit" : "", "event" : "%s", "event-runtime" : 1000000, "pcnt-running" : 100,00}\n' % (v, e) for e, v in events))
for mark, time, agg, metric, share in itertools.product([",", ".", " ", "'", "\u00a0", "\u202f", "\u2009", "\u2019", ""], ["", "     1.000000000 "],
                                                        ["", "CPU0  ", "S0-D0-C0  1  ", "redis-42  "], ["", "  #    2.50  insn per cycle"], ["", "  (33.33%)", "  (33,33%)", "  ( +-  0.07% )"]):
    number = lambda v: f"{v:,}".replace(",", mark)
    look(("text", mark, time, agg, metric, share), " Performance counter stats for 'x':\n\n" + "".join(f"{time}{agg}{number(v):>20}      {e:<24}{metric}{share}\n" for e, v in events)
         + "\n   1.000000000 seconds time elapsed\n")
print(total, "spellings")
sys.exit(wrong != 0)
E
want 0 '^[0-9]+ spellings' python3 "$tmp/spellings.py" "$tdtop" "$tmp"

# ---- what a run can never have is said once, and again in the summary; values and other reasons each time ----
python3 -c '
for t in range(1, 5):
    print(f"{t}.000100000,400000000{t},,cycles,1000000000,100.00,,")
    print(f"{t}.000100000,<not counted>,,instructions,0,50.00,," if t == 2 else f"{t}.000100000,2000000000,,instructions,1000000000,100.00,,")' >"$tmp/two.csv"
cat >"$tmp/once.py" <<'E'
import csv, json, subprocess, sys
def run(*options):
    return subprocess.run([sys.argv[1], "replay", sys.argv[2], "--model", "spr", "--summary", *options], stdout=subprocess.PIPE, check=True, text=True).stdout
rows = [json.loads(line)["nodes"] for line in run("-j").splitlines()]
absent = {m for m, n in rows[0].items() if n["value"] is None}
assert len(rows) == 5 and len(absent) > 200 and "L3_Bound" in absent and "IPC" not in absent, (len(rows), len(absent))
assert "not in the recording" in rows[0]["L3_Bound"]["reason"]
assert all(set(row) == set(rows[0]) - absent for row in rows[1:4]) and list(rows[4]) == list(rows[0])
assert rows[1]["IPC"]["value"] is None and "not counted" in rows[1]["IPC"]["reason"], rows[1]["IPC"]
assert abs(rows[2]["IPC"]["value"] - 2e9 / 4000000003) < 1e-12, rows[2]["IPC"]
lines = list(csv.DictReader(run("-x,").splitlines()))
for at, row in enumerate(rows):
    of = [l for l in lines if l["time"] == ("summary" if at == 4 else f"{at + 1}.0001")]
    assert [l["metric"] for l in of] == list(row), at
    assert all((float(l["value"]) if l["value"] else None) == row[l["metric"]]["value"] for l in of), at
text = run("-b", "-v")
assert text.count("\n  IPC ") == 5 and text.count(" L3_Bound  ") == 2, text.count(" L3_Bound  ")
print("said once")
E
want 0 '^said once' python3 "$tmp/once.py" "$tdtop" "$tmp/two.csv"

over recordings
