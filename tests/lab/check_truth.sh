# Known rates and the tree that they imply (truth_rates.py, truth.py), for a core of each kind; a part of check.sh.
# shellcheck shell=sh disable=SC2154,SC2086
#
# One machine each, and two verdicts: with counters for everything, each value is within 2 % of the truth; with at
# least 4 times more events than counters, in a program whose rates change all the time, at least 95 % of the true
# values are within value ± err, and what the slots group counts is never multiplexed.

# The rates take some seconds to find: they are kept until what they are made of changes.
truth_rates() { # model, PMU
	mkdir -p cache/truth
	if [ -z "$(find cache/truth/$1.steady -newer truth_rates.py -newer ../data/facts.tar.xz -newer pmu/$2 2>/dev/null)" ]; then
		python3 -B truth_rates.py $1 $2 cache/truth >/dev/null || return 1
	fi
}

truth_held() { # name, what, model, PMU, further options of truth.py
	verdict_name=$1
	what=$2 model=$3 pmu=$4
	shift 4
	if wrong=$(python3 -B truth.py $what $model $pmu cache/truth --models "$tmp/truth.json" "$@" \
		<"$tmp/truth/$what" 2>&1 >"$tmp/truth/said"); then
		wrong=
	elif [ -z "$wrong" ]; then
		wrong="truth.py failed"
	fi
	[ "$rc" = 0 ] || wrong="exit status $rc $wrong"
	sed 's/^/    /' "$tmp/truth/said"
	verdict "$verdict_name" "$wrong"
}

truth() { # machine, model, CPU, PMU, options of tdtop, options of truth.py
	case $1 in x86) truth_tree=$tmp/tree ;; arm) truth_tree=$tmp/tree-arm ;; esac
	if ! truth_rates $2 $4 || ! "$tdtop" models $2 -j >"$tmp/truth.json"; then
		verdict "truth: $2" "no rates, or no model"
		return
	fi
	rm -rf "$tmp/truth" "$tmp/truth-tree"
	mkdir "$tmp/truth" "$tmp/truth-tree"
	cp "$truth_tree/tdtop" tests/$1/truth tests/truth.sh cache/truth/$2.* "$tmp/truth-tree"
	on $1 "$tmp/truth-tree" --cpu $3 --pmu $4 --out "$tmp/truth" -- sh truth.sh $2 7000 450000 22 400 $5
	truth_held "truth: $2, nothing multiplexed: all within 2%" steady $2 $4
	truth_held "truth: $2, multiplexed: 95% within their ±" phases $2 $4 $6
}

slots="--exact Frontend_Bound,Bad_Speculation,Backend_Bound,Retiring"
slots2=$slots,Fetch_Latency,Fetch_Bandwidth,Branch_Mispredicts,Machine_Clears,Memory_Bound,Core_Bound,Light_Operations,Heavy_Operations
if wanted "truth: spr"; then truth x86 spr spr spr "-l 3" "$slots2"; fi
if wanted "truth: icx"; then truth x86 icx icx icx "-l 3" "$slots"; fi
if wanted "truth: skx"; then truth x86 skx skx skx "-l 3"; fi
if wanted "truth: zen3"; then truth x86 zen3 zen3 zen; fi
if wanted "truth: zen4"; then truth x86 zen4 zen4 zen; fi
if wanted_arm "truth: neoverse-n1"; then truth arm neoverse-n1 n1 neoverse-n1; fi
if wanted_arm "truth: neoverse-v1"; then truth arm neoverse-v1 v1 neoverse-v1; fi
if wanted_arm "truth: neoverse-n2-r0p3"; then truth arm neoverse-n2-r0p3 n2r3 neoverse-n2; fi
