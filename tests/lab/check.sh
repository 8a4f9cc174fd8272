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
mkdir "$tmp/tree"
cp "$tdtop" "$tmp/tree/tdtop"
cp tests/x86/spin "$tmp/tree/spin"
passed=0
failed=0
only=$1
. ./lib.sh
for part in ./check_*.sh; do
	# shellcheck source=/dev/null
	. "$part"
done
echo "lab: $passed passed, $failed failed"
[ "$failed" = 0 ]
