#!/usr/bin/env bash
# unit.sh PROGRAM...: runs unit test programs, two at a time, shows what failed, and ends with "unit: N passed, N failed".
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
run() {
    name=$(basename "$1")
    if timeout 600 "$1" >"$out/$name.log" 2>&1; then
        echo ok >"$out/$name.rc"
    else
        echo "rc $?" >"$out/$name.rc"
    fi
}
export out
export -f run
printf '%s\n' "$@" | xargs -P 2 -I {} bash -c 'run {}'
pass=0 fail=0
for t in "$@"; do
    name=$(basename "$t")
    p=$(grep -c '^\[       OK \]' "$out/$name.log")
    pass=$((pass + p))
    grep -E '^(\[  SKIPPED \]|SKIP)' "$out/$name.log"
    if [ "$(cat "$out/$name.rc")" != ok ]; then
        f=$(grep '^\[  FAILED  \] [a-z]' "$out/$name.log" | sort -u | wc -l)
        [ "$f" -gt 0 ] || f=1
        fail=$((fail + f))
        echo "FAILED $name ($(cat "$out/$name.rc"))"
        grep -vE '^\[( RUN      |       OK |==========|  PASSED  )\]' "$out/$name.log" | head -60
    fi
done
echo "unit: $pass passed, $fail failed"
[ "$fail" = 0 ]
