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

name="collect --when: each spike fires once, in time, and nothing else does"
if wanted "$name"; then
	cp tests/spikes "$tmp/tree"
	cp rates/spr "$tmp/tree/calm"
	sed -E 's/^(0x8000) 4500/\1 1500/; s/^(0x8100) 1800/\1 1000/; s/^(0x8200) 2700/\1 2000/; s/^(0x8300) 9000/\1 13500/' \
		rates/spr >"$tmp/tree/spike"
	guest --cpu spr --rates spr -- ./spikes
	# From a spike's begin to its rule: the second that the rule asks for, and two intervals at most.
	wrong=$(awk '
		$1 == "spike" { spike[++n] = $2 }
		$1 == "fired" { fired[++m] = $2 }
		/^status/ && $2 != 0 { print }
		/"trigger": "Backend_Bound > 70% for 1s every 2s"/ { kept++ }
		END {
			if (n != 3 || m != 3) print n + 0 " spikes, " m + 0 " fired"
			for (i = 1; i <= m; i++)
				if (fired[i] - spike[i] < 0.9 || fired[i] - spike[i] > 1.9)
					print "spike " i ": fired after " fired[i] - spike[i] " s"
			if (kept != 3) print kept + 0 " runs kept"
		}' "$tmp/out")
	[ -z "$wrong" ] || wrong="$wrong
$(tail -20 "$tmp/out" | cut -c1-200)"
	[ "$rc" = 0 ] || wrong="exit status $rc
$wrong"
	verdict "$name" "$wrong"
fi
