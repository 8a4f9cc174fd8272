#!/bin/sh
# check.sh MODE: everything `make check` promises; ends with "check: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
mode=${1:-release}
pass=0 fail=0
step() { # name, command...: its last line "X: N passed, N failed" is added up, else its exit status counts as one
    name=$1
    shift
    "$@" >/tmp/tdtop-check.$$ 2>&1
    rc=$?
    cat /tmp/tdtop-check.$$
    sums=$(sed -nE 's/^[a-z]+: ([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' /tmp/tdtop-check.$$ | tail -1)
    rm -f /tmp/tdtop-check.$$
    if [ -n "$sums" ]; then
        pass=$((pass + ${sums% *}))
        fail=$((fail + ${sums#* }))
        [ $rc = 0 ] || [ "${sums#* }" != 0 ] || fail=$((fail + 1))
    elif [ $rc = 0 ]; then
        pass=$((pass + 1))
    else
        echo "FAILED $name"
        fail=$((fail + 1))
    fi
}
step layers tests/layers.sh
[ "$mode" = release ] && step headers make -s check-headers
step unit make -s MODE="$mode" check-unit
[ "$mode" = release ] && step size tests/size.sh build/release/tdtop
step store tests/store/store_test.sh "build/$mode/store"
step cli tests/cli_test.sh "build/$mode/tdtop"
step runs tests/runs_test.sh "build/$mode/tdtop"
step verbs tests/verbs_test.sh "build/$mode/tdtop"
if [ "$mode" = release ]; then
    for t in tests/models/*_test.sh tests/screen/*_test.sh tests/real*_test.sh; do
        [ -e "$t" ] && TDTOP="$PWD/build/$mode/tdtop" step "$(basename "$t")" "$t"
    done
fi
echo "check: $pass passed, $fail failed"
[ "$fail" = 0 ]
