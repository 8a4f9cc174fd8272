#!/bin/sh
# A store that cannot be written, on the screen: locked, full, read-only; and ends while a run is in memory only. Words, nothing
# stands still, nothing is lost, and what could not be saved goes elsewhere.
cd "$(dirname "$0")/../.." || exit 2
# File systems of our own, in a mount namespace, so that they go with this test.
if [ "$(id -u)" = 0 ] && [ -z "$OWN_MOUNTS" ] && unshare -m true 2>/dev/null; then
    OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. tests/screen/lib.sh
db=$dir/runs.db
demo="$TDTOP demo --seed 1 --speed 5"
runs_in() {
    "$TDTOP" list --db "$1" --csv | grep -c demo
}
snapshot() { # labels
    until_text '  running '
    keys s
    until_text 'Automatic labels, unless you'
    keys -l "$1"
    keys Enter
}

# Another program writes: it is waited for, the screen goes on, and then it is saved.
"$TDTOP" collect --demo -d 2s --db "$db" >/dev/null 2>&1 || fail 'collect'
cat >"$dir/lock.py" <<'END'
import sqlite3, sys, os, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
open(sys.argv[2], "w").close()
while os.path.exists(sys.argv[2]):
    time.sleep(0.05)
db.execute("ROLLBACK")
END
python3 "$dir/lock.py" "$db" "$dir/locked" &
poll test -e "$dir/locked" || fail 'the store could not be locked'
start 120x40 "$demo --db $db"
snapshot ' build=locked'
until_text 'waiting for the store'
keys e
until_text 'Esc close' # keys are heard
keys Escape
clock=$(capture | sed -n '1s/.*\(00:[0-9:]*\).*/\1/p')
clock_moves() {
    [ "$(capture | sed -n '1s/.*\(00:[0-9:]*\).*/\1/p')" != "$clock" ]
}
if poll clock_moves; then pass; else fail 'locked: the screen stands still'; fi
rm "$dir/locked"
until_text 'saved as'
until_text 'build=locked in'
until_gone 'waiting for the store'
keys q
wait_end 'after a locked store' 0
check 'locked: both runs' "$(runs_in "$db")" 2

# Locked until the end, which does not wait for ever: the run goes into a file.
python3 "$dir/lock.py" "$db" "$dir/locked" &
poll test -e "$dir/locked" || fail 'the store could not be locked'
start 120x40 "$demo --db $db"
snapshot ' build=late'
until_text 'waiting for the store'
signal TERM
TIMEOUT=10 wait_end 'SIGTERM while locked' 1
poll shows 'what comes after' || fail 'SIGTERM: the shell does not go on'
is_restored 'SIGTERM while locked'
until_text '1 snapshot could not be stored, and is in'
rm "$dir/locked"
file=$(ls "$dir"/home/.local/state/tdtop-unsaved-*.json "$PWD"/tdtop-unsaved-*.json "$dir"/home/tdtop-unsaved-*.json 2>/dev/null | head -n 1)
"$TDTOP" import "$file" --db "$db" >/dev/null 2>&1 || fail "the file '$file' cannot be imported"
rm -f "$file"
check 'SIGTERM: the run is in the store' "$("$TDTOP" list --db "$db" --filter build=late --csv | grep -c demo)" 1

# A place that cannot be written, and an end by the FIFO: the same.
mkdir -p "$dir/folder" "$dir/home/.local/state"
start 120x40 "$demo --db $dir/folder --control $dir/fifo"
until_text '  running '
echo 'snapshot build=quit' >"$dir/fifo"
until_text 'Nothing is lost'
echo quit >"$dir/fifo"
wait_end 'quit with a run in memory' 1
until_text 'tdtop import reads'
file=$(ls "$dir"/home/.local/state/tdtop-unsaved-*.json | head -n 1)
"$TDTOP" import "$file" --db "$db" >/dev/null 2>&1 || fail "the file '$file' cannot be imported"
check 'quit: the run is in the store' "$("$TDTOP" list --db "$db" --filter build=quit --csv | grep -c demo)" 1
rm -f "$file"

# An unclosed quote is said.
start 120x40 "$demo --db $db"
snapshot ' a="open'
until_text 'is not closed'
keys Escape
keys q
wait_end 'after an open quote' 0

# Full, and read-only.
small=$dir/small
mkdir "$small"
if [ -n "$OWN_MOUNTS" ] && mount -t tmpfs -o size=1m tdtop "$small" 2>/dev/null; then
    trap 'tmx kill-server 2>/dev/null; umount "$small"; rm -rf "$dir"' EXIT
    "$TDTOP" collect --demo -d 2s --db "$small/runs.db" >/dev/null 2>&1 || fail 'collect into the small file system'
    dd if=/dev/zero of="$small/filler" bs=1k 2>/dev/null
    start 120x40 "$demo --db $small/runs.db"
    snapshot ' build=full'
    until_text 'no space left'
    until_text 'Nothing is lost'
    keys -N 90 BSpace
    keys -l "$dir/other.db"
    keys Enter
    until_text 'saved as'
    keys q
    wait_end 'after a full file system' 0
    check 'full: the run is elsewhere' "$(runs_in "$dir/other.db")" 1
    rm "$small/filler"
    check 'full: the one before is there' "$(runs_in "$small/runs.db")" 1

    mount -o remount,ro "$small" || fail 'it cannot be made read-only'
    start 80x24 "$demo --db $small/runs.db"
    snapshot ' build=read-only'
    until_text 'read-only'
    until_text 'Nothing is lost'
    keys Escape q
    until_text 'q again quits without'
    keys s
    until_text 'Nothing is lost'
    keys -N 90 BSpace
    keys -l "$dir/third.db"
    keys Enter
    until_text 'saved as'
    keys q
    wait_end 'after a read-only file system' 0
    check 'read-only: the run is elsewhere' "$(runs_in "$dir/third.db")" 1
else
    echo 'SKIP store_test.sh: no file system can be mounted here (not root?): full and read-only are not tried'
fi
finish
