# Level 1 first (src/pmu/perf/perf_turns.h): collect with everything counted, on cores with few counters; a part of check.sh.
# shellcheck shell=sh disable=SC2154

collect_level1() { # name, CPU, NODE=SHARE...
	wanted "$1" || return 0
	title=$1 cpu=$2
	shift 2
	guest --cpu "$cpu" --rates "$cpu" -- sh -c './tdtop collect --db /tmp/runs.db -d 6s -- ./spin 7 >/dev/null &&
		./tdtop export --db /tmp/runs.db @0 -j'
	wrong=$(./collect.py "$@" <"$tmp/out" || echo "no run was exported")
	[ "$rc" = 0 ] || wrong="exit status $rc
$wrong"
	verdict "$title" "$wrong"
}

collect_level1 "collect: Zen 4, level 1 has half of the time" zen4 \
	Frontend_Bound=0.20 Bad_Speculation=0.07 Backend_Bound=0.30 Retiring=0.33
collect_level1 "collect: Skylake server, level 1 has half of the time" skx \
	Frontend_Bound=0.10 Bad_Speculation=0.055 Backend_Bound=0.645 Retiring=0.20
