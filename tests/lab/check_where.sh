# Samples of hardware events, with known shares of functions (tests/known.c, rates/where, where.py); a part of check.sh.
# What the module has sampled is what tdtop shows or calls lost, to the last one.
# shellcheck shell=sh disable=SC2154,SC2086

# What the guest printed between two marks.
between() { # mark
	sed -n "/^begin $1\$/,/^end $1\$/p" "$tmp/out"
}

shares="where: shares of functions are those of the node's event, which is what the kernel samples"
branches="where: branches are those that are taken, mispredicted as often as they are; without records that is said"
accesses="where: loads say their addresses: sources, latencies, lines, false sharing are those that there are"
calls="where: stacks of a program without frame pointers are those of the CPU's own records"
beside="where: the tree beside is counted all the time, and exactly"
precise="where: precise only as far as the PMU can be, and that is said"
counter="where: others have taken its counter, which is said"
eight="where: eight CPUs under load: no sample is missing that is not said to be lost"
full="where: rings that are full: so many are lost as is said"

# One guest for all of these. Questions take long enough for 300 samples on a host with much else to do.
# shellcheck disable=SC2235
if (wanted "$shares" || wanted "$branches" || wanted "$accesses" || wanted "$calls" || wanted "$beside" || wanted "$precise" || wanted "$counter" || wanted "$eight" || wanted "$full") &&
	where_script x86 "$tmp/tree" <<'EOF'
	./known 600 2 & pid=$!
	sleep 0.5
	./tdtop --batch -j -l 1 -I 500 -n 16 -p $pid >/tmp/beside & beside=$!
	echo begin shares; samples
	for node in DRAM_Bound Branch_Mispredicts Fetch_Latency; do
		./tdtop where -p $pid $node -d 6s -j; samples
	done
	echo end shares
	wait $beside
	echo begin beside
	cat /tmp/beside
	echo end beside
	echo begin branches; samples
	./tdtop where -p $pid Branch_Mispredicts -d 5s -j; samples
	./tdtop where -p $pid cycles --branches -d 5s -j; samples
	./tdtop where -p $pid cpu-clock --branches -d 2s -j; samples
	echo end branches
	echo begin accesses; samples
	./tdtop where -p $pid --accesses -d 6s -j; samples
	echo end accesses
	echo begin calls
	./tdtop where -p $pid DRAM_Bound -d 4s --folded
	echo end calls
	echo begin precise; samples
	for most in 1 0; do
		echo $most >/sys/module/vpmu/parameters/precise
		./tdtop where -p $pid DRAM_Bound -d 6s -j; samples
	done
	echo -1 >/sys/module/vpmu/parameters/precise
	echo end precise
	echo begin counter
	echo 0xffffffffffffffff >/sys/module/vpmu/parameters/reserved
	./tdtop where -p $pid DRAM_Bound -d 3s
	echo 0 >/sys/module/vpmu/parameters/reserved
	kill $pid
	echo end counter
	./known 600 8 & pid=$!
	sleep 0.5
	echo begin eight; samples
	./tdtop where -p $pid cycles -d 8s -j; samples
	echo end eight
	samples >/tmp/before
	./tdtop where -p $pid cycles -d 300s -j >/tmp/full & where=$!
	until_more 300
	kill -STOP $where # its rings fill up
	until_more 15000
	kill -CONT $where
	until_more 5000 # each ring says what it lost with the next record
	kill -INT $where
	wait $where
	echo begin full
	cat /tmp/before /tmp/full; samples
	echo end full
	kill $pid
EOF
then
	./where.py rates rates/where tests/x86/known >"$tmp/rates"
	guest --cpu spr --rates "$tmp/rates" --smp 8 --mem 1024 --timeout 450 -- sh ./where.sh
	l3=MEM_LOAD_RETIRED.L3_MISS
	late="may be a few instructions late"
	! wanted "$shares" || verdict "$shares" "$(between shares | ./where.py check rates/where DRAM_Bound:$l3:precise:0x20d1:0x0:3 \
		Branch_Mispredicts:BR_MISP_RETIRED.ALL_BRANCHES:precise:0xc5:0x0:3 \
		Fetch_Latency:FRONTEND_RETIRED.LATENCY_GE_16:precise:0x1c6:0x601006:3 2>&1)"
	! wanted "$branches" || verdict "$branches" "$(between branches |
		./where.py branches rates/where 0xc5:0 0x3c:0 none 2>&1)"
	! wanted "$accesses" || verdict "$accesses" "$(between accesses |
		./where.py accesses rates/where tests/x86/known mem-loads 2>&1)"
	! wanted "$calls" || verdict "$calls" "$(between calls | ./where.py calls 2>&1)"
	! wanted "$beside" || verdict "$beside" "$(between beside |
		./expect.py $level1 Backend_Bound.state=exact Retiring.state=exact 2>&1)"
	! wanted "$precise" || verdict "$precise" "$(between precise | ./where.py check rates/where \
		"DRAM_Bound:$l3:$late:0x20d1:0x0:1" "DRAM_Bound:$l3:$late:0x20d1:0x0:0" 2>&1)"
	between counter >"$tmp/part"
	! wanted "$counter" || verdict "$counter" "$(grep -q 'counter was taken by others for 100%' "$tmp/part" || cat "$tmp/part")"
	! wanted "$eight" || verdict "$eight" "$(between eight | ./where.py all cpu:0x3c:0x0:3 2>&1)"
	! wanted "$full" || verdict "$full" "$(between full | ./where.py lost cpu:0x3c:0x0:3 2>&1)"
fi

zen="where: on Zen 4 precise cycles, which take no exclude flags, say the addresses of loads"
if wanted "$zen" && where_script x86 "$tmp/tree" <<'EOF'
	./known 600 2 & pid=$!
	sleep 0.5
	echo begin zen; samples
	./tdtop where -p $pid --accesses -d 8s -j; samples
	echo end zen
	kill $pid
EOF
then
	./where.py rates rates/where-zen tests/x86/known >"$tmp/rates"
	guest --cpu zen4 --rates "$tmp/rates" --smp 2 --mem 512 --timeout 200 -- sh ./where.sh
	verdict "$zen" "$(between zen | ./where.py accesses rates/where-zen tests/x86/known cycles 2>&1)"
fi
