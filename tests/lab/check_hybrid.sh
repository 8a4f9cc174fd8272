# CPUs with several core types: one tree for each, and neither has the other's time; a part of check.sh.
# CPU 0 is a P-core, CPU 1 an E-core (pmu/adl, rates/adl). A sum row of a process that ran on both is as right as
# rows of one that stays: its shares are those of the rates, its cycles those of the time on that core type.
# shellcheck shell=sh disable=SC2154,SC2086

p_level1="model=adl-glc core_type=core pmu=cpu_core Frontend_Bound=0.20 Bad_Speculation=0.10 Backend_Bound=0.35 Retiring=0.35 IPC=2"
e_level1="model=adl-grt core_type=atom pmu=cpu_atom Frontend_Bound=0.30 Bad_Speculation=0.10 Backend_Bound=0.40 Retiring=0.20 IPC=1"
p_exact="Frontend_Bound.state=exact Bad_Speculation.state=exact Backend_Bound.state=exact Retiring.state=exact"

# Rows of each core type against what is known of it; leaves them in p and e.
both() { # name, expected exit status, further expectations of P-cores, of E-cores
	grep '"core_type":"core"' "$tmp/out" >"$tmp/p"
	grep '"core_type":"atom"' "$tmp/out" >"$tmp/e"
	wrong=$(./expect.py $p_level1 $3 <"$tmp/p" 2>&1; ./expect.py $e_level1 $4 <"$tmp/e" 2>&1)
	[ "$rc" = "$2" ] || wrong="exit status $rc, not $2
$wrong"
	[ "$(wc -l <"$tmp/p")" = "$(wc -l <"$tmp/e")" ] || wrong="$wrong
$(wc -l <"$tmp/p") rows of P-cores, $(wc -l <"$tmp/e") of E-cores"
	verdict "$1" "$wrong"
}

name="hybrid: all CPUs, both core types side by side"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -n 3 -a
	both "$name" 0 "$p_exact on_type=null" "on_type=null"
fi

name="hybrid: CPUs of one core type only"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -n 2 -C 1
	rows "$name" 0 $e_level1
fi

name="hybrid: --cputype still takes one"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -n 2 -a --cputype atom
	rows "$name" 0 $e_level1
fi

# Now here, now there: a row of an interval in which it did not run on that core type has no shares; all others have
# those of the rates, and the cycles of the time that was spent there (hybrid.py). IPC is of both cores' own cycles.
# Where groups take turns (level 0) a short stay on a core may pass without the turn of one: where it was less than half
# of the row, its values are right or unknown.
moved='./spin 30 & p=$!; taskset -p 1 $p >/dev/null; sleep 0.5
	while :; do for cpu in 1 2; do taskset -p $cpu $p >/dev/null; sleep 1.2; done; done & m=$!
	./tdtop --batch -j -l LEVEL -I 300 -n 16 --summary --explain-value IPC -p $p; rc=$?
	kill $m $p; exit $rc'

for level in 1 0; do
	name="hybrid: a process that moves, level $level: each type has its own time only"
	wanted "$name" || continue
	guest --cpu adl --rates adl --timeout 90 -- sh -c "$(echo "$moved" | sed "s/LEVEL/$level/")"
	little='0,'
	[ "$level" = 1 ] || little='(0,|0\.[0-4]|[0-9.]+e-)'
	grep '"core_type":"core"' "$tmp/out" >"$tmp/p"
	grep '"core_type":"atom"' "$tmp/out" >"$tmp/e"
	wrong=$(grep -vE "\"on_type\":$little" "$tmp/p" | ./expect.py $p_level1 $p_exact 2>&1
		grep -vE "\"on_type\":$little" "$tmp/e" | ./expect.py $e_level1 2>&1
		./expect.py $(echo $p_level1 | tr = :) <"$tmp/p" 2>&1; ./expect.py $(echo $e_level1 | tr = :) <"$tmp/e" 2>&1
		./hybrid.py <"$tmp/out" 2>&1)
	[ "$rc" = 0 ] || wrong="$wrong exit status $rc"
	verdict "$name" "$wrong"
done

name="hybrid: a command begins once, with all counters on"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -- taskset 2 sh -c './spin 1.2 a b; exit 7'
	grep '"core_type":"atom"' "$tmp/out" | grep -v '"on_type":0,' >"$tmp/e"
	wrong=$(./expect.py $e_level1 <"$tmp/e" 2>&1)
	[ "$rc" = 7 ] || wrong="$wrong exit status $rc"
	verdict "$name" "$wrong"
fi

# Samples: each core type has the event of its own model, and a table of its own.
name="hybrid: where: each core type has its own event, and the shares of it"
if wanted "$name" && where_script x86 "$tmp/tree" <<'EOF'
	./known 600 2 & pid=$!
	sleep 0.5
	samples
	for node in Branch_Mispredicts Core_Bound; do ./tdtop where -p $pid $node -d 10s -j; samples; done
	./tdtop where -p $pid DRAM_Bound -d 2s
	kill $pid
EOF
then
	./where.py rates rates/where-adl tests/x86/known >"$tmp/rates"
	guest --cpu adl --rates "$tmp/rates" --timeout 120 -- sh ./where.sh
	misp=BR_MISP_RETIRED.ALL_BRANCHES
	late="may be a few instructions late"
	wrong=$(./where.py check rates/where-adl Branch_Mispredicts:$misp:precise:0xc5:0x0:3:cpu_core:0 \
		Branch_Mispredicts:$misp:precise:0xc5:0x0:3:cpu_atom:1 \
		"Core_Bound:TOPDOWN.BACKEND_BOUND_SLOTS:$late:0x2a4:0x0:1:cpu_core:0" \
		"Core_Bound:TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS:$late:0x174:0x0:1:cpu_atom:1" <"$tmp/out" 2>&1)
	for words in '# MEM_LOAD_RETIRED.L3_MISS, precise: a share is one of MEM_LOAD_RETIRED.L3_MISS events on cpu_core;' \
		'# cycles, precise: a share is one of CPU cycles on cpu_atom; cpu_atom has no DRAM_Bound'; do
		grep -qF "$words" "$tmp/out" || wrong="$wrong
no $words"
	done
	! grep 'its counter was taken' "$tmp/out" || wrong="$wrong
time on the other core type is no counter that was taken"
	verdict "$name" "$wrong"
fi
