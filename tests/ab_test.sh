#!/bin/sh
# ab_test.sh TDTOP: two commands, or two settings of a process, in turns. Ends with "ab: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
server=
at_exit() { [ -z "$server" ] || kill $server 2>/dev/null; }
ab() { "$tdtop" ab "$@"; }

# ---- what cannot be compared ----
want 2 'ab: what is to be compared is missing; give -- CMD A -- CMD B' ab
want 2 'ab: command B is missing' ab -- true
want 2 'ab: command B is missing' ab -- true --
want 2 'ab: command A is missing' ab -- -- true
want 2 'a third --, so that it is not clear where B begins; give --a' ab -- true -- true -- true
want 2 '--b is missing' ab --a true
want 2 'exclude each other' ab --a true --b true -- true -- true
want 2 '--span goes with a target' ab --span 1s -- true -- true
want 2 "label 'x': no '='" ab -L x -- true -- true
want 2 '--least' ab --least 0 -- true -- true
want 2 '^tdtop: A: false ended with exit code 1: a run that failed is no measure' ab -- false -- true
want 2 '^tdtop: B: .* ended with exit code 3' ab --a true --b 'exit 3'
want 2 '^tdtop: B: .* was ended by signal 9' ab --a true --b 'kill -9 $$'
want 2 'tdtop: nosuch-command: .*check the name and PATH' ab -- true -- nosuch-command
want 1 'no runs yet' "$tdtop" list # of what failed nothing is kept
want 2 'by Nonsense: not known on both sides' ab --by Nonsense -n 5 -- true -- true

# ---- two commands ----
ab -L suite=sleep --label-a time=short --label-b time=long --seed 7 -- sleep 0.05 -- sleep 0.4 >"$tmp/out" 2>"$tmp/err"
ok 'the exit code without rules' [ $? = 0 ]
want 0 '^result: +B is slower: elapsed \+[0-9.]+% \(±[0-9.]+%\), sure after ([5-9]|1[0-9]) pairs' cat "$tmp/out"
want 0 '^A  ([5-9]|1[0-9]) runs of sleep 0.05 with ab=A; [0-9.]+ ms' cat "$tmp/out"
want 0 '  elapsed +0\.[0-9]+ s +0\.[0-9]+ s' cat "$tmp/out"
ok 'nothing on standard error where that is no terminal' [ ! -s "$tmp/err" ]
again=$(sed -n 's/^again: *tdtop //p' "$tmp/out")
want 0 '^  elapsed ' "$tdtop" $again
pairs=$(sed -n 's/.*sure after \([0-9]*\) pairs.*/\1/p' "$tmp/out")
holds "len(d) == 2 * $pairs and len({r['labels']['ab_id'] for r in d}) == 1" "$tdtop" list -j -n 0 -L suite=sleep
holds "len(d) == $pairs and all(r['labels']['ab'] == 'A' for r in d)" "$tdtop" list -j -n 0 -L time=short
holds "[r['labels']['ab'] for r in sorted(d, key=lambda r: r['started_at'])][:4] in (list('ABBA'), list('BAAB'))" \
    "$tdtop" list -j -n 0 -L suite=sleep
want 1 'regressed: 1 of 1 condition failed' ab --fail-on elapsed:+5% -- sleep 0.05 -- sleep 0.4
want 0 'ok: 1 condition holds' ab --fail-on elapsed:+5% -- sleep 0.4 -- sleep 0.05
holds 'd["ab"]["answer"] == "changed" and d["ab"]["stopped"] == "sure" and d["ab"]["pairs"] >= 5 and len(d["run_a"]["run_ids"]) == d["ab"]["pairs"]' \
    ab -j --a 'sleep 0.4; echo noise' --b 'sleep 0.05; echo noise'
holds 'd["ab"]["answer"] == "open" and d["ab"]["stopped"] == "-n" and d["ab"]["pairs"] == 2' ab -j -n 2 -- true -- true
holds 'd["ab"]["stopped"] == "-d" and d["ab"]["pairs"] < 5' ab -j -d 500ms -- sleep 0.1 -- sleep 0.1
holds '{"elapsed", "cpu_time", "context_switches"} <= {m["metric_name"] for m in d["metrics"]}' ab -j -n 3 -- true -- true
holds 'd["metrics"][0]["metric_name"] == "cpu_time" or d["ab"]["answer"] == "open"' ab -j -n 6 --by cpu_time -- true -- true
# A signal: what is complete is kept, and said. (A shell's background job ignores that of Ctrl-C.)
"$tdtop" ab -n 100000 -d 1m -- sleep 0.02 -- sleep 0.02 >"$tmp/out" 2>"$tmp/err" &
pid=$!
for i in $(seq 100); do
    [ "$("$tdtop" list -n 0 --csv --filter pair=3 2>/dev/null | grep -c sleep.0.02)" -ge 2 ] && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
ok 'the exit code after a signal' [ $? = 0 ]
want 0 '^result: ' cat "$tmp/out"

# ---- a process that is switched ----
cat >"$tmp/server" <<'S'
#!/bin/sh
while :; do if [ -e "$1/busy" ]; then i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; else sleep 0.02; fi; done
S
chmod +x "$tmp/server"
"$tmp/server" "$tmp" &
server=$!
want 0 '^result: +changed: CPUs_Utilized \+[0-9.]+% .*sure after' ab --a "rm -f $tmp/busy" --b "touch $tmp/busy" -p $server \
    --by CPUs_Utilized --span 300ms --settle 100ms -n 12
want 2 '^tdtop: --b: `exit 4` ended with exit code 4; nothing more is measured' ab --a true --b 'exit 4' -p $server --span 100ms --settle 10ms
# ends_in_turn: what is measured ends when it is
ends_in_turn() {
    sleep 1000 &
    victim=$!
    "$tdtop" ab --a true --b true -p $victim --span 60s --settle 10ms &
    until ls -l /proc/$!/fd | grep -q perf_event || ! kill -0 $!; do sleep 0.02; done
    kill $victim
    wait $!
}
want 2 '^tdtop: [AB]: what is measured has ended' ends_in_turn
over ab
