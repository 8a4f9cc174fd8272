#!/bin/sh
# Every view and pop-up of the simulated core at one moment, drawn without a terminal: at three sizes, in UTF-8 and in ASCII.
# golden/sim/ is the whole program to look through. BLESS=1 rewrites it; read it before. What needs rows of threads, stored
# runs or this machine is in the goldens of other tests: demo_test.sh, runs_view_test.sh, tests/unit/test_view_*.c.
: "${TDTOP:=$PWD/build/release/tdtop}"
golden=$(cd "$(dirname "$0")" && pwd)/golden/sim
passed=0 failed=0
dir=$(mktemp -d "${TMPDIR:-/tmp}/tdtop-pictures.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
escape=$(printf '\033')
enter=$(printf '\r')

# tdtop OPTION...: with nothing of the user's.
tdtop() {
    env -i PATH="$PATH" HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent/config XDG_DATA_HOME=/nonexistent/share \
        XDG_STATE_HOME=/nonexistent/state LC_ALL=C.UTF-8 TZ=UTC "$TDTOP" "$@"
}

# picture NAME SIZE KEYS: in UTF-8 and in ASCII.
picture() {
    for ascii in '' --ascii; do
        name=$1_$2${ascii:+_ascii}.txt
        tdtop demo --seed 1 --at 42s --screen "$2" $ascii ${3:+--press "$3"} --save "$dir/$name" >"$dir/said" 2>&1
        if [ ! -s "$dir/$name" ]; then
            failed=$((failed + 1))
            echo "FAILED pictures_test.sh: $name: $(cat "$dir/said")"
        elif [ "$ascii" ] && LC_ALL=C grep -q '[^ -~]' "$dir/$name"; then
            failed=$((failed + 1))
            echo "FAILED pictures_test.sh: $name is not ASCII"
        elif [ "${BLESS:-0}" != 0 ]; then
            mkdir -p "$golden"
            cp "$dir/$name" "$golden/$name"
            echo "blessed sim/$name"
        elif cmp -s "$golden/$name" "$dir/$name"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED pictures_test.sh: the picture differs from tests/screen/golden/sim/$name (-):"
            diff -u "$golden/$name" "$dir/$name" | sed 1,2d
        fi
    done
}

for size in 80x24 120x40 200x60; do
    picture tree "$size" ''
    picture tree_open "$size" '*'
    picture tree_past "$size" ',,,,,,,,'
    picture tree_span "$size" ',,,,,,,,[....]'
    picture tree_search "$size" '/L3'
    picture tree_baseline "$size" 'b'
    picture tree_mark "$size" 'mwarm'
    picture funnel "$size" '2'
    picture funnel_drilled "$size" "2$enter"
    picture history "$size" '3'
    picture history_zoomed "$size" '3Z,,,'
    picture metrics "$size" '6'
    picture metrics_filter "$size" '6/branch'
    picture explain "$size" 'e'
    picture value "$size" 'x'
    picture help "$size" '?'
    picture help_find "$size" '?/run'
    picture palette "$size" ':'
    picture palette_find "$size" ':sna'
    picture settings "$size" ":settings$enter"
    picture themes "$size" ":themes$enter"
    picture closed "$size" "?$escape" # as if it had not been there
done
echo "screen: $passed passed, $failed failed"
[ "$failed" = 0 ]
