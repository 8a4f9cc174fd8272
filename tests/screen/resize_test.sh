#!/bin/sh
# Resized wildly, tdtop goes on, and at rest the screen shows what it should: the same as after a full repaint.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

sizes='1x1 80x24 2x50 300x4 40x6 39x6 40x5 120x40 200x60 7x3 80x2 79x23 81x25 500x100 1x60 132x43'

start 80x24 "$TDTOP demo --seed 1 -I 50ms"
poll shows SIMULATED || fail 'tdtop did not draw'
end=$(($(date +%s) + ${RESIZE_SECONDS:-4}))
n=0
while [ "$(date +%s)" -lt "$end" ]; do
    for size in $sizes; do
        resize "$size"
        n=$((n + 1))
        [ $((n % 3)) = 0 ] && sleep 0.02 # sometimes it gets to draw, sometimes not
    done
    keys Down Enter
done
if [ -e "$dir/rc" ]; then fail "it ended with status $(cat "$dir/rc") while resizing"; else pass; fi

key_line_at() { # height
    capture | sed -n "$1p" | grep -qE 'help|9Doctor +[?]'
}

# Frozen, the screen stands still: then drawing only what changed must have given what drawing everything gives.
keys Space
for size in 120x40 40x6 200x60 80x24; do
    resize "$size"
    poll key_line_at "${size#*x}" || fail "$size: no key line in the last row"
    sleep 0.3 # the key line of the size before may look the same
    poll is_stable || fail "$size: the screen does not come to rest"
    capture >"$dir/changed"
    keys C-l
    sleep 0.1
    poll is_stable
    check "$size: drawn by changes and drawn anew" "$(cat "$dir/changed")" "$(capture)"
    check "$size: lines used" "$(wc -l <"$dir/changed")" "${size#*x}"
done
until_text quit
keys q
wait_end 'q after resizing' 0
echo "resized $n times"
finish
