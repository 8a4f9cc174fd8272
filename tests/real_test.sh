#!/bin/sh
# Real kernel counters on a real redis-server under load: tdtop and perf stat over the same seconds must agree.
# Also for a process whose threads come and go all the time. Ends with "real: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=${TDTOP:-$PWD/build/release/tdtop}
for tool in redis-server redis-benchmark perf python3; do
    command -v $tool >/dev/null || { echo "SKIP real_test: $tool is not installed"; echo "real: 0 passed, 0 failed"; exit 0; }
done
exec python3 tests/real.py "$tdtop"
