#!/bin/sh
# Real CPU counters, where there are any: counts beside those of perf stat on the same process, and `tdtop selftest`.
# Not for the lab: the rates of its PMU are made up. Ends with "realpmu: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=${TDTOP:-$PWD/build/release/tdtop}
skip() {
    echo "SKIP real PMU: $1"
    echo "realpmu: 0 passed, 0 failed"
    exit 0
}
for tool in perf python3; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -d /sys/module/vpmu ] && skip "this machine's PMU is that of the lab, its rates are made up"
# perf exits with 0 even where it counted nothing.
counted=$(LC_ALL=C perf stat -x, -e cycles true 2>&1) || skip "perf stat -e cycles true: $(echo "$counted" | head -n 1)"
case $counted in
[0-9]*) ;;
*) skip "perf stat -e cycles true: $(echo "$counted" | cut -d, -f1 | head -n 1)" ;;
esac
exec python3 tests/real_pmu.py "$tdtop"
