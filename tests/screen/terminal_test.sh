#!/bin/sh
# What a terminal emulator does not show: every signal number, a terminal that is not read, faults in other threads, pastes.
cd "$(dirname "$0")/../.." || exit 2
: "${TDTOP:=$PWD/build/release/tdtop}"
exec python3 tests/screen/terminal.py "$TDTOP"
