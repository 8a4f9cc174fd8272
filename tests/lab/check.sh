#!/bin/sh
# Runs the built tdtop inside emulated machines whose PMU counts at known rates (README.md), so that
# the right answer is known in advance. Ends with "lab: N passed, N failed".
# The checks are in check_*.sh. An argument runs only those whose name contains it. TDTOP names another binary, or MODE its
# folder below build/; the one for Arm is built here, or TDTOP_ARM names it ("none" skips those).
tdtop=${TDTOP:+$(realpath "$TDTOP")}
case $TDTOP_ARM in '' | none) arm=$TDTOP_ARM ;; *) arm=$(realpath "$TDTOP_ARM") ;; esac
cd "$(dirname "$0")" || exit 2
tdtop=${tdtop:-$(realpath "../../build/${MODE:-release}/tdtop")}
[ -x "$tdtop" ] || { echo "lab: $tdtop is not there; run make first" >&2; exit 2; }
./setup || { echo "lab: setup failed" >&2; exit 2; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0
only=$1
. ./lib.sh

parts() { # name...: check_NAME.sh one after the other, on a tree of their own
	tmp=$tmp/$1
	mkdir "$tmp" "$tmp/tree"
	cp "$tdtop" "$tmp/tree/tdtop"
	cp tests/x86/spin "$tmp/tree/spin"
	for part; do
		from=$(date +%s)
		# shellcheck source=/dev/null
		. "./check_$part.sh"
		[ -n "$only" ] || echo "$part: $(($(date +%s) - from)) s"
	done
	echo "$passed $failed" >"$tmp/sums"
}

# Two at a time, which wait more than they work; then those that look at how fast a busy machine is, by themselves.
(parts truth budget collect environment where) >"$tmp/said" 2>&1 &
(parts held levels hybrid)
wait
cat "$tmp/said"
(parts many states storm)
for sums in "$tmp"/*/sums; do
	read -r p f <"$sums"
	passed=$((passed + p))
	failed=$((failed + f))
done
echo "lab: $passed passed, $failed failed"
[ "$failed" = 0 ]
