# Levels, models and states on machines with known rates; a part of check.sh.
# shellcheck shell=sh disable=SC2154

level1="model=spr source=perf Frontend_Bound=0.15 Bad_Speculation=0.10 Backend_Bound=0.50 Retiring=0.25"
level2="Fetch_Latency=0.10 Fetch_Bandwidth=0.05 Branch_Mispredicts=0.09 Machine_Clears=0.01
	Memory_Bound=0.40 Core_Bound=0.10 Light_Operations=0.20 Heavy_Operations=0.05"
exact="Frontend_Bound.state=exact Bad_Speculation.state=exact Backend_Bound.state=exact Retiring.state=exact
	Memory_Bound.state=exact Fetch_Latency.state=exact"

# Stalls by the depth of the miss: 10 % of the cycles in L1, 10 % in L2, 5 % in L3, 5 % in DRAM.
{
	cat rates/spr
	cat <<-EOF
		0x50021a6 900		# EXE_ACTIVITY.BOUND_ON_LOADS
		0x3000347 600		# MEMORY_ACTIVITY.STALLS_L1D_MISS
		0x5000547 300		# MEMORY_ACTIVITY.STALLS_L2_MISS
		0x9000947 150		# MEMORY_ACTIVITY.STALLS_L3_MISS
	EOF
} >"$tmp/rates-memory"
memory="L1_Bound=0.10 L2_Bound=0.10 L3_Bound=0.05 DRAM_Bound=0.05"
scaled="L1_Bound.state=scaled L1_Bound.duty<0.6 L1_Bound.duty>0 DRAM_Bound.state=scaled DRAM_Bound.duty<0.6"

name="Sapphire Rapids: levels 1 and 2 through the slots group"
if wanted "$name"; then
	guest --cpu spr --rates spr -- ./tdtop --batch -j -l 2 -I 500 -- spin 5
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 $level2 $exact Backend_Bound.duty=1 IPC=1.5
fi

name="Sapphire Rapids: everything, multiplexed, and said so"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-memory" -- ./tdtop --batch -j -I 2000 -n 2 -- spin 5
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 $level2 $exact $memory $scaled
fi

name="level 3 with the same answers"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-memory" -- ./tdtop --batch -j -l 3 -I 1000 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 $level2 $exact $memory $scaled
fi

name="half the counters: groups are split, level 1 stays exact"
if wanted "$name"; then
	guest --cpu spr --rates "$tmp/rates-memory" --counters 4 -- ./tdtop --batch -j -l 3 -I 1000 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 $level2 $exact
fi

name="slots taken by somebody else: unknown, then right again"
if wanted "$name"; then
	guest --cpu spr --rates spr -- sh -c './tdtop --batch -j -l 2 -I 400 -- spin 100 >/tmp/rows & tdtop=$!
		rows() { until [ "$(grep -c nodes /tmp/rows)" -ge "$1" ]; do sleep 0.1; done; }
		rows 2
		echo 0x800000000 >/sys/module/vpmu/parameters/reserved
		until grep -q stale /tmp/rows; do sleep 0.1; done
		echo 0 >/sys/module/vpmu/parameters/reserved
		rows $(($(grep -c nodes /tmp/rows) + 4)); kill $tdtop; wait; cat /tmp/rows'
	wrong=$(head -2 "$tmp/out" | ./expect.py $level1 2>&1)
	wrong=$wrong$(grep '"nodes"' "$tmp/out" | tail -2 | ./expect.py $level1 2>&1)
	grep -q '"Retiring":{"value":null,"state":"stale"' "$tmp/out" || wrong="$wrong no row says stale"
	verdict "$name" "$wrong"
fi

# On a busy host an interval may pass in which the target did not run: a row without values is right
# then. That none of it was lost instead is seen by the CPU time, which the shell knows, too.
name="threads that come and go"
if wanted "$name"; then
	guest --cpu spr --rates spr -- sh -c './tdtop --batch -j --log /tmp/log -l 2 -I 300 -- \
		sh -c "i=0; while [ \$i -lt 8 ]; do spin 0.2 a b c; i=\$((i+1)); done; times >&2"
		status=$?; sed -n "s/.*in all \([0-9]*\) CPU_CLK_UNHALTED.THREAD,.*/counted \1/p" /tmp/log >&2; exit $status'
	grep -v '"Retiring":{"value":null[^}]*divides by zero' "$tmp/out" >"$tmp/ran"
	wrong=$(awk '/^counted/ { counted = $2 / 3e9 }
		/^[0-9]+m[0-9.]+s / { for (i = 1; i <= NF; i++) { split($i, t, "m"); used += t[1] * 60 + t[2] } }
		END { if (!used || counted < 0.95 * used || counted > 1.05 * used)
			print counted + 0 " s were counted, " used + 0 " s used" }' "$tmp/err")
	# shellcheck disable=SC2086
	wrong="$wrong$(./expect.py $level1 $level2 $exact <"$tmp/ran" 2>&1)"
	[ "$rc" = 0 ] || wrong="exit status $rc, not 0
$wrong"
	verdict "$name" "$wrong"
fi

name="system-wide"
if wanted "$name"; then
	guest --cpu spr --rates spr -- ./tdtop --batch -j -l 2 -I 500 -n 3 -a
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 $level2 $exact
fi

name="a running process"
if wanted "$name"; then
	guest --cpu spr --rates spr -- sh -c './spin 6 one two & sleep 0.3; ./tdtop --batch -j -l 1 -I 500 -n 3 -p $!'
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 threads=3
fi

name="the exit status of the command"
if wanted "$name"; then
	guest --cpu spr --rates spr -- ./tdtop --batch -j -l 1 -I 200 -- sh -c 'spin 0.5; exit 7'
	# shellcheck disable=SC2086
	rows "$name" 7 $level1
fi

# 3.2 GB/s read by two memory controllers, one of them faster; 4 boxes of cache that tick at 1.6 GHz.
name="outside the cores: bandwidth, clock and power of the whole machine"
if wanted "$name"; then
	guest --cpu spr --pmu spr+uncore-spr --rates spr -- ./tdtop --batch -j --summary -I 1000 -n 4 -a
	tail -n 1 "$tmp/out" >"$tmp/last" && mv "$tmp/last" "$tmp/out"
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 memory_bandwidth_read%3200 memory_bandwidth_write%1600 \
		Info_System_DRAM_BW_Use%4.8 Info_System_Power%115 uncore_frequency%1.6
fi

name="outside the cores: not for a process, and why"
if wanted "$name"; then
	guest --cpu spr --pmu spr+uncore-spr --rates spr -- ./tdtop --batch -j -I 1000 -n 1 -- spin 3
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 memory_bandwidth_read=null 'memory_bandwidth_read.reason~only with -a'
fi

name="outside the cores: no such boxes here"
if wanted "$name"; then
	guest --cpu spr --rates spr -- ./tdtop --batch -j -I 1000 -n 1 -a
	# shellcheck disable=SC2086
	rows "$name" 0 $level1 memory_bandwidth_read=null 'memory_bandwidth_read.reason~not supported'
fi

skx="model=skx source=perf"
name="Skylake server with hyper-threading: whole cores"
if wanted "$name"; then
	guest --cpu skx --rates skx --smp 2,cores=1,threads=2 -- ./tdtop --batch -j -l 1 -I 500 -n 3 -a
	# shellcheck disable=SC2086
	rows "$name" 0 $skx Frontend_Bound=0.20 Bad_Speculation=0.10 Backend_Bound=0.30 Retiring=0.40 IPC=0.7 \
		Frontend_Bound.approx=null Bad_Speculation.approx=null
fi

name="Skylake server with hyper-threading: a process, approximate"
if wanted "$name"; then
	guest --cpu skx --rates skx --smp 2,cores=1,threads=2 -- ./tdtop --batch -j -l 1 -I 1000 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $skx Frontend_Bound%0.16 "Bad_Speculation>0.076" "Bad_Speculation<0.084" Backend_Bound%0.44 Retiring%0.32 \
		Bad_Speculation.approx?
fi

name="Skylake server with hyper-threading: a user, who may not count siblings"
if wanted "$name"; then
	guest --user --pre 'echo 1 >/proc/sys/kernel/perf_event_paranoid' --cpu skx --rates skx \
		--smp 2,cores=1,threads=2 -- ./tdtop --batch -j -l 1 -I 1000 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 $skx Frontend_Bound%0.16 "Bad_Speculation>0.084" "Bad_Speculation<0.092" Backend_Bound%0.432 Retiring%0.32 \
		Bad_Speculation.approx?
fi

name="Skylake server without hyper-threading"
if wanted "$name"; then
	guest --cpu skx --rates skx -- ./tdtop --batch -j -l 1 -I 500 -- spin 3
	# shellcheck disable=SC2086
	rows "$name" 0 $skx Frontend_Bound=0.10 Bad_Speculation=0.055 Backend_Bound=0.645 Retiring=0.20 \
		Bad_Speculation.approx=null
fi

name="Alder Lake: the P-cores, each kind of core has a model of its own"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -n 3 -a --cputype core
	rows "$name" 0 model=adl-glc Frontend_Bound=0.20 Bad_Speculation=0.10 Backend_Bound=0.35 Retiring=0.35 IPC=2
fi

name="Alder Lake: the E-cores, if they are asked for"
if wanted "$name"; then
	guest --cpu adl --rates adl -- ./tdtop --batch -j -l 1 -I 500 -n 3 -a --cputype atom
	rows "$name" 0 model=adl-grt Frontend_Bound=0.30 Bad_Speculation=0.10 Backend_Bound=0.40 Retiring=0.20 IPC=1
fi

name="Zen 4: levels 1 and 2"
if wanted "$name"; then
	guest --cpu zen4 --rates zen4 -- ./tdtop --batch -j -l 2 -I 1000 -n 3 -- spin 6
	rows "$name" 0 model=zen4 source=perf Frontend_Bound=0.20 Bad_Speculation=0.07 Backend_Bound=0.30 \
		SMT_Contention=0.10 Retiring=0.33 Fetch_Latency=0.10 Fetch_Bandwidth=0.10 \
		Branch_Mispredicts=0.056 Machine_Clears=0.014 Memory_Bound=0.18 Core_Bound=0.12 \
		Light_Operations=0.297 Heavy_Operations=0.033 IPC=1.8
fi

name="an AMD core without a model: generic"
if wanted "$name"; then
	guest --cpu EPYC-Milan,family=27,model=1 --pmu zen --rates zen4 -- ./tdtop --batch -j -I 1000 -n 3 -- spin 6
	rows "$name" 0 model=generic IPC=1.8 Branch_Miss_Ratio=0.02 Frontend_Stalls=0.2 Backend_Stalls=0.3 Cache_Miss_Ratio=0.2
fi

arm_level1="source=perf Frontend_Bound=0.195 Bad_Speculation=0.12 Backend_Bound=0.285 Retiring=0.4 IPC=1.8"
name="Neoverse N2 r0p3: level 1"
if wanted_arm "$name"; then
	guest_arm --cpu n2r3 --rates neoverse-n2 -- ./tdtop --batch -j -l 1 -I 1000 -n 3 -- spin 6
	# shellcheck disable=SC2086
	rows "$name" 0 model=neoverse-n2-r0p3 $arm_level1
fi

# One slot event too many per cycle: 14000 slots, of which 2800 are not there.
name="Neoverse N2 r0p0: the same counts, corrected for its erratum"
if wanted_arm "$name"; then
	guest_arm --cpu n2 --rates neoverse-n2 -- ./tdtop --batch -j -l 1 -I 1000 -n 3 -a
	rows "$name" 0 model=neoverse-n2-r0p0 Frontend_Bound=-0.005 Bad_Speculation=0.16 Backend_Bound=0.285 Retiring=0.56
fi

name="no PMU: software"
if wanted "$name"; then
	guest --pmu none -- ./tdtop --batch -j -I 500 -n 4 -- spin 5
	rows "$name" 0 model=software 'CPUs_Utilized>0.5' 'CPUs_Utilized<1.2' Run_Queue_Wait?
fi

name="no PMU: the line that says which model and why"
if wanted "$name"; then
	guest --pmu none -- ./tdtop models --here
	says "$name" 0 "software" "no CPU PMU here" "without a virtual PMU"
fi

name="a user at perf_event_paranoid 2: user space only, and the remedy"
if wanted "$name"; then
	guest --user --pre 'echo 2 >/proc/sys/kernel/perf_event_paranoid' --cpu spr --rates spr -- \
		./tdtop --batch -j -l 1 -I 500 -- spin 2
	# shellcheck disable=SC2086
	rows "$name: numbers" 0 $level1
	guest --user --pre 'echo 2 >/proc/sys/kernel/perf_event_paranoid' --cpu spr --rates spr -- \
		./tdtop --batch -l 1 -I 500 -n 2 -- spin 5
	says "$name: words" 0 "user space only" "kernel.perf_event_paranoid=1"
fi

name="a user at perf_event_paranoid 3: refused, with three remedies"
if wanted "$name"; then
	guest --user --pre 'echo 3 >/proc/sys/kernel/perf_event_paranoid' --cpu spr --rates spr -- \
		./tdtop --batch -j -- spin 2
	says "$name" 1 "not permitted" "root" "cap_perfmon" "kernel.perf_event_paranoid=1" "it is 3 now"
fi

name="a user who wants the whole system"
if wanted "$name"; then
	guest --user --pre 'echo 1 >/proc/sys/kernel/perf_event_paranoid' --cpu spr --rates spr -- \
		./tdtop --batch -j -n 1 -a
	says "$name" 1 "not permitted" "kernel.perf_event_paranoid=0" "it is 1 now"
fi

name="a process of another user"
if wanted "$name"; then
	guest --user --pre 'echo 1 >/proc/sys/kernel/perf_event_paranoid' --cpu spr --rates spr -- \
		./tdtop --batch -j -n 1 -p 1
	says "$name" 1 "belongs to another user" "cap_perfmon"
fi

name="too few file descriptors"
if wanted "$name"; then
	guest --cpu spr --rates spr -- sh -c 'ulimit -n 20; ./tdtop --batch -j -n 1 -l 3 -- spin 2'
	says "$name" 0 "descriptor limit" "ulimit -n"
fi

name="the live screen"
if wanted "$name"; then
	printf '3 mark SHOT\n1 keys q\n' >"$tmp/keys"
	guest --tty 120x40 --keys "$tmp/keys" --cpu spr --rates spr -- ./tdtop -l 2 -I 500 -- spin 20
	says "$name" 0 "Backend_Bound" "50.0" "Sapphire Rapids"
fi
