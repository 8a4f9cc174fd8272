#!/usr/bin/env bash
# check.sh MODE [long|beside]: what `make check` promises, what `make check-long` adds, or what needs other programs: three
# steps at a time (most wait for a screen or a clock). Ends with "check: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
mode=${1:-release} part=${2:-check}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
tdtop="$PWD/build/$mode/tdtop"
export TDTOP=$tdtop
PATH=/usr/bin:$PATH # the python3 that make deps installs, before wrappers of other versions: it is started a thousand times
pass=0 fail=0 n=0
limit=${CHECK_LIMIT:-900} # seconds that a step may take: what hangs is shown and ended, and the others count
limited() { # command...
    local watch rc
    { sleep "$limit" && echo "not over after $limit s; processes:" && ps --ppid 2 -p 2 -N --forest -o pid,ppid,stat,etimes,wchan:20,args | cut -c1-160; } 2>/dev/null &
    watch=$!
    timeout -k 10 $((limit + 5)) "$@"
    rc=$?
    { pkill -P $watch; kill $watch; wait $watch; } 2>/dev/null
    return $rc
}
step() { # name, command...: waits for one of three places, then runs it there
    [ "$(jobs -rp | wc -l)" -lt 3 ] || wait -n
    n=$((n + 1))
    echo "$1" >"$tmp/$n.name"
    { from=$SECONDS; limited "${@:2}" >"$tmp/$n.out" 2>&1; echo $? >"$tmp/$n.rc"; echo "$((SECONDS - from)) s $1" >"$tmp/$n.took"; } &
}
alone() { # the same with nothing beside it: what it looks at is how busy the machine is
    wait
    step "$@"
    wait
}
# Its last line "X: N passed, N failed" is added up, else its exit status counts as one.
sum() {
    local name rc sums
    name=$(cat "$tmp/$1.name") rc=$(cat "$tmp/$1.rc")
    cat "$tmp/$1.out"
    sums=$(sed -nE 's/^[a-z]+: ([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$tmp/$1.out" | tail -1)
    if [ -n "$sums" ]; then
        pass=$((pass + ${sums% *}))
        fail=$((fail + ${sums#* }))
        [ "$rc" = 0 ] || [ "${sums#* }" != 0 ] || { echo "FAILED $name (exit $rc)"; fail=$((fail + 1)); }
    elif [ "$rc" = 0 ]; then
        pass=$((pass + 1))
    else
        echo "FAILED $name"
        fail=$((fail + 1))
    fi
}
case $part,$mode in
check,*)
    step unit make -s MODE="$mode" check-unit
    [ "$mode" != asan ] || step fuzz tests/fuzz/run.sh "build/$mode" replay
    [ "$mode" = tsan ] || step cli tests/cli_test.sh "$tdtop"
    step ab tests/ab_test.sh "$tdtop"
    step store tests/store/store_test.sh "build/$mode/store"
    step safety tests/safety_test.sh "$tdtop"
    ;;&
check,asan) step verbs tests/verbs_test.sh "$tdtop" ;;
check,release)
    step layers tests/layers.sh
    step pages tests/pages_test.py "build/$mode"
    step size tests/size.sh build/release/tdtop
    step serve python3 tests/serve_test.py "$tdtop"
    step when python3 tests/when_test.py "$tdtop"
    step agent python3 tests/agent_test.py "$tdtop"
    step postgres python3 tests/postgres_test.py "$tdtop"
    step mcp python3 tests/mcp_test.py "$tdtop"
    step hardening tests/hardening.sh build/release
    step terminal tests/screen/terminal_test.sh
    step where tests/screen/where_test.sh
    alone real tests/real_test.sh
    alone real_pmu tests/real_pmu_test.sh
    ;;
long,release)
    step runs tests/runs_test.sh "$tdtop"
    step recordings tests/recordings_test.sh "$tdtop"
    step text tests/text_test.py "$tdtop"
    step verbs tests/verbs_test.sh "$tdtop"
    step headers make -s check-headers
    step symbols tests/symbols_test.sh build/release/symbols
    step memory python3 tests/fault/no_memory.py build/release/tdtop build/release/no_memory.so
    step rights tests/rights_test.sh "$tdtop"
    for t in tests/models/*_test.sh tests/screen/{demo,loop,palette,picker,pictures,resize,runs_view,signals,small,store,walk}_test.sh; do
        step "$(basename "$t" _test.sh)" "$t"
    done
    alone where tests/where_test.sh "$tdtop"
    alone real_children tests/real_children_test.sh
    alone real_threads tests/real_threads_test.sh
    ;;
beside,release)
    if command -v prometheus >/dev/null; then step prometheus python3 tests/serve_test.py "$tdtop"; else echo "SKIP Prometheus: not installed"; fi
    step systemd tests/systemd_test.sh "$tdtop"
    step sdk python3 tests/mcp_test.py "$tdtop" --sdk
    step postgres python3 tests/postgres_test.py "$tdtop" long
    ;;
esac
wait
for i in $(seq $n); do sum "$i"; done
echo "longest: $(cat "$tmp"/*.took | sort -rn | head -6 | paste -sd, | sed 's/,/, /g')"
echo "check: $pass passed, $fail failed"
[ "$fail" = 0 ]
