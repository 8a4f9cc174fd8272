#!/bin/sh
# Processes that a shell starts, beside as many again on the same CPU: they wait for it half of the time, whether they live
# long or come and go. Ends with "children: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=${TDTOP:-$PWD/build/release/tdtop}
for tool in taskset timeout python3; do
    command -v $tool >/dev/null || { echo "SKIP real_children_test: $tool is not installed"; echo "children: 0 passed, 0 failed"; exit 0; }
done
. tests/lib.sh
cpu=$(taskset -cp $$ | sed 's/.*[:, -]//')
cat >"$tmp/burn.py" <<'EOF'
import sys, time
while time.process_time() < float(sys.argv[1]):
    for i in range(100000):
        pass
EOF
cat >"$tmp/shell" <<'EOF'
while :; do python3 -S "$1" "$2"; done
EOF
# The mean of the intervals in which it is known: the first has the shell's own start, and little is seen of one in which most
# was done by a child that has ended.
cat >"$tmp/mean.py" <<'EOF'
import json, sys
rows = [json.loads(line) for line in sys.stdin][1:]
values = {n: [r["nodes"][n]["value"] for r in rows] for n in ("User", "Kernel", "Run_Queue_Wait", "Idle")}
known = {n: [v for v in values[n] if v is not None] for n in values}
print(json.dumps({n: sum(v) / len(v) if len(v) > 2 else None for n, v in known.items()} | {"rows": len(rows)}))
EOF
for s in 100 0.5; do # seconds of CPU time each
    timeout 60 taskset -c "$cpu" sh "$tmp/shell" "$tmp/burn.py" "$s" &
    beside=$!
    "$tdtop" --model software -I 1s -n 8 -j -- timeout 60 taskset -c "$cpu" sh "$tmp/shell" "$tmp/burn.py" "$s" \
        >"$tmp/rows" 2>"$tmp/err"
    kill "$beside" # and what it has started
    wait "$beside" 2>/dev/null
    python3 "$tmp/mean.py" <"$tmp/rows" >"$tmp/out"
    # Where others use the machine they wait longer, and what a hypervisor takes is neither.
    holds 'd["rows"] == 7 and d["Run_Queue_Wait"] > 0.4 and d["Idle"] < 0.1' cat "$tmp/out"
    holds '0.1 < d["User"] < 0.6 and d["Kernel"] < 0.2' cat "$tmp/out"
done
over children
