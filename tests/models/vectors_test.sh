#!/bin/sh
# vectors_test.sh: every model against the vendors' formulas; see vectors.py. $TDTOP is the program.
cd "$(dirname "$0")/../.." || exit 2
exec python3 -B tests/models/vectors.py "${TDTOP:-build/release/tdtop}" "$@"
