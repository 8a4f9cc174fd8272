#!/bin/sh
# The threads view on a real screen: of a redis-server with io-threads under load, and of a program of 2,000 threads, held
# against /proc/PID/task and `perf stat --per-thread` over the same seconds. REAL_SECONDS=10 measures longer, and is stricter.
# Ends with "threads: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=${TDTOP:-$PWD/build/release/tdtop}
program=$(dirname "$tdtop")/bench/threads
skip() {
    echo "SKIP real_threads_test: $1"
    echo "threads: 0 passed, 0 failed"
    exit 0
}
for tool in redis-server redis-benchmark redis-cli perf python3 tmux; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -x "$program" ] || skip "$program is not built (make programs)"
exec python3 tests/real_threads.py "$tdtop" "$program"
