#!/bin/sh
# store_test.sh PROGRAMS: kills, full and read-only file systems, a crowd. Short; TDTOP_STORE_LONG=1 makes it 200 kills
# and 60 s. Ends with "store: N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
programs=${1:-build/release/store}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tdtop-store-XXXXXX") || exit 2
chmod 755 "$tmp" # a user without rights to the store must come as far as that
trap 'rm -rf "$tmp"' EXIT
pass=0 fail=0 kills=20 seconds=2
[ -n "$TDTOP_STORE_LONG" ] && kills=200 seconds=60
try() { # what, program, arguments; FOLDER is one of its own
    what=$1 program=$2
    shift 2
    folder=$(mktemp -d "$tmp/XXXXXX") && chmod 755 "$folder"
    timeout 600 "$programs/$program" $(echo "$@" | sed "s|FOLDER|$folder|") >"$tmp/out" 2>&1
    case $? in
    0) pass=$((pass + 1)) && echo "$what: $(tail -1 "$tmp/out")" ;;
    77) echo "SKIP $what: $(tail -1 "$tmp/out")" ;;
    *) fail=$((fail + 1)) && echo "FAILED $what" && sed 's/^/  | /' "$tmp/out" | head -20 ;;
    esac
}
try "killed while saving" store_crash FOLDER $kills
try "a full file system" store_mounts full FOLDER
try "a read-only file system" store_mounts readonly FOLDER
try "a crowd" store_crowd FOLDER $seconds
echo "store: $pass passed, $fail failed"
[ "$fail" = 0 ]
