# Fewer counters than the core has: a guest's, the NMI watchdog's, another user's; a part of check.sh.
# Level 1 is right in all of them, the rest is scaled or says why it is not there.
# shellcheck shell=sh disable=SC2154

reserved=/sys/module/vpmu/parameters/reserved
{
	cat rates/spr
	cat <<-EOT
		0x50021a6 900		# EXE_ACTIVITY.BOUND_ON_LOADS
		0x3000347 600		# MEMORY_ACTIVITY.STALLS_L1D_MISS
		0x5000547 300		# MEMORY_ACTIVITY.STALLS_L2_MISS
		0x9000947 150		# MEMORY_ACTIVITY.STALLS_L3_MISS
	EOT
} >"$tmp/rates-budget"
budget_tree="model=spr source=perf Frontend_Bound=0.15 Bad_Speculation=0.10 Backend_Bound=0.50 Retiring=0.25"
budget_deep="L1_Bound=0.10 L2_Bound=0.10 L3_Bound=0.05 DRAM_Bound=0.05 DRAM_Bound.state=scaled"
budget_exact="Retiring.state=exact Backend_Bound.state=exact"

name="three counters: a smaller plan, and said so"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-budget" --counters 3 -- ./tdtop --batch -j -l 3 -I 1500 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $budget_tree $budget_deep $budget_exact \
		"note~3 of 8 general counters can be had (this guest has 3): smaller plan"
fi

# The guest has no PMU for a watchdog of its own: what it would take is taken, and the setting says so.
watchdog="echo 1 >/tmp/one; mount --bind /tmp/one /proc/sys/kernel/nmi_watchdog; echo"
name="the NMI watchdog holds the fixed counter of cycles"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-budget" --pre "$watchdog 0x200000000 >$reserved" -- \
		./tdtop --batch -j -l 3 -I 2000 -n 2 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $budget_tree $budget_deep $budget_exact IPC=1.5 \
		"note~held by others: the fixed counter of cycles (NMI watchdog)"
fi

name="the NMI watchdog holds a general counter"
if wanted "$name"; then
	guest --cpu zen4 --rates zen4 --pre "$watchdog 1 >$reserved" -- ./tdtop --batch -j -l 1 -I 1000 -n 2 -- spin 4
	rows "$name" 0 model=zen4 Frontend_Bound=0.20 Bad_Speculation=0.07 Backend_Bound=0.30 Retiring=0.33 IPC=1.8 \
		"note~5 of 6 general counters can be had (the NMI watchdog holds one): smaller plan"
fi

# The alternative formulas of level 1, with the slots of a general counter.
{
	cat rates/spr
	cat <<-EOT
		0x01a4 18000		# TOPDOWN.SLOTS_P
		0x019c 2700		# IDQ_BUBBLES.CORE
		0x02a4 9000		# TOPDOWN.BACKEND_BOUND_SLOTS
		0x02c2 4500		# UOPS_RETIRED.SLOTS
	EOT
} >"$tmp/rates-alt"
name="somebody else holds the slots from the start: formulas without them"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-alt" --pre "echo 0x800000000 >$reserved" -- \
		./tdtop --batch -j -l 1 -I 1000 -n 2 -- spin 4
	# shellcheck disable=SC2086
	rows "$name" 0 $budget_tree IPC=1.5 "note~held by others: the fixed counter of TOPDOWN.SLOTS"
fi

name="a guest with four counters and no slots"
if wanted "$name"; then
	sed '/slots\|topdown-/d; s/^only 0x0400.*/only 0x0400 0x0400 -1 0/' pmu/spr >"$tmp/pmu-guest"
	guest --cpu spr --pmu "$tmp/pmu-guest" --counters 4 --rates "$tmp/rates-alt" -- \
		./tdtop --batch -j -l 1 -I 1000 -n 2 -- spin 4
	# shellcheck disable=SC2086
	rows "$name" 0 $budget_tree IPC=1.5 "note~4 of 8 general counters can be had (this guest has 4): smaller plan"
fi

# Pinned events of somebody else come first on a CPU.
budget_user='perf stat -a -e "{branches,branches,branches,branches}:D"'
budget_four="4 of 8 general counters can be had (another user holds 4): smaller plan"
name="a second user of the counters, before"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-budget" --add /usr/bin/perf -- sh -c \
		"$budget_user sleep 30 2>/dev/null & until pidof sleep >/dev/null; do usleep 100000; done; ./tdtop --batch -j -l 3 -I 2000 -n 2 -- spin 6; kill \$!"
	# shellcheck disable=SC2086
	rows "$name" 0 $budget_tree $budget_deep $budget_exact "note~$budget_four"
fi

# He comes, stays until three rows show it, goes; three rows later it is over. Groups are read one after
# the other while the program runs on: what stands in several of them differs a little.
cat >"$tmp/tree/comes-and-goes" <<EOT
await() { # words, number of rows that have them
	n=0
	until [ "\$(grep -cF "\$1" /tmp/rows)" -ge "\$2" ] || [ \$((n += 1)) -gt 400 ]; do sleep 0.1; done
}
./tdtop --batch -j -l 3 -I 1000 -- spin 60 >/tmp/rows &
tdtop=\$!
await nodes 1
$budget_user sleep 60 2>/dev/null &
perf=\$!
await "$budget_four" 3
kill \$perf
rows=\$(grep -c nodes /tmp/rows)
while tail -n 1 /tmp/rows | grep -qF "$budget_four" && [ \$rows -lt 50 ]; do sleep 0.5; rows=\$(grep -c nodes /tmp/rows); done
await nodes \$((rows + 2))
kill -INT \$tdtop
wait \$tdtop
cat /tmp/rows
EOT
budget_near="L1_Bound>0.09 L1_Bound<0.11 L2_Bound>0.09 L2_Bound<0.11 L3_Bound>0.045 L3_Bound<0.055 L1_Bound.state=scaled"
name="a second user of the counters, who comes and goes"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-budget" --add /usr/bin/perf -- sh comes-and-goes
	grep '"nodes"' "$tmp/out" >"$tmp/rows"
	rc=0
	# shellcheck disable=SC2086
	rows "$name: level 1" 0 $budget_tree $budget_exact
	# Where the guest got little of the host's time, a group may have missed its turn, and says so.
	grep -F "$budget_four" "$tmp/rows" | tail -n +3 | grep -v '_Bound":{"value":null,"state":"stale"' >"$tmp/out"
	# shellcheck disable=SC2086
	rows "a second user of the counters: below level 1, with four" 0 $budget_near
	grep -v '_Bound":{"value":null,"state":"stale"' "$tmp/rows" | tail -n 1 >"$tmp/out"
	# shellcheck disable=SC2086
	rows "a second user of the counters: below level 1, when he has gone" 0 $budget_near "note~duty will be low: 9 groups"
fi
