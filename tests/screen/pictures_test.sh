#!/bin/sh
# Every view and pop-up of the simulated core at one moment, drawn without a terminal: at three sizes, the middle one in
# ASCII, too. Of a view the lines that it draws; what stands above and below all views is in pictures of the tree.
# golden/sim/ is the whole program to look through. BLESS=1 rewrites it; read it before. What needs this machine, or a fake
# one, is in the goldens of other tests: the doctor and the process picker in tests/unit.
: "${TDTOP:=$PWD/build/release/tdtop}"
case $TDTOP in /*) ;; *) TDTOP=$PWD/$TDTOP ;; esac
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

# screen NAME SIZE KEYS [OPTION...]: the whole screen.
screen() {
    crop=
    draw "$@"
}

# view NAME SIZE KEYS [OPTION...]: without the three lines above every view and the line of keys.
view() {
    crop='1d;/^ *[o●] /{N;d};$d' # header, verdict and the last line are in those of the tree
    draw "$@"
}

draw() {
    what=$1 size_is=$2 keys=$3
    shift 3
    one '' "$@"
    [ "$size_is" != 120x40 ] || one --ascii "$@"
}

one() {
    ascii=$1
    shift
    name=${what}_$size_is${ascii:+_ascii}.txt
    (cd "$dir" && tdtop demo --seed 1 --at 42s --screen "$size_is" $ascii ${keys:+--press "$keys"} "$@" --save "$name") \
        >"$dir/said" 2>&1
    rc=$?
    sed -i "$crop" "$dir/$name" 2>/dev/null
    if [ "$rc" != 0 ] || [ ! -s "$dir/$name" ]; then
        failed=$((failed + 1))
        echo "FAILED pictures_test.sh: $name: status $rc: $(cat "$dir/said")"
    elif [ "$ascii" ] && LC_ALL=C grep -q '[^ -~]' "$dir/$name"; then
        failed=$((failed + 1))
        echo "FAILED pictures_test.sh: $name is not ASCII"
    elif [ "${BLESS:-0}" != 0 ]; then
        mkdir -p "$golden"
        cp "$dir/$name" "$golden/$name"
        echo "blessed sim/$name"
    else
        same "$name" "$name"
    fi
}

# same PICTURE GOLDEN
same() {
    if cmp -s "$golden/$2" "$dir/$1"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED pictures_test.sh: the picture differs from tests/screen/golden/sim/$2 (-); BLESS=1 accepts it:"
        diff -u "$golden/$2" "$dir/$1" | sed 1,2d
    fi
}

for size in 80x24 120x40 200x60; do
    screen tree "$size" ''
    screen tree_open "$size" '*'
    screen tree_past "$size" ',,,,,,,,'
    screen tree_span "$size" ',,,,,,,,[....]'
    screen tree_search "$size" '/L3'
    screen tree_baseline "$size" 'b'
    screen tree_mark "$size" 'mwarm'
    view funnel "$size" '2'
    view funnel_drilled "$size" "2$enter"
    view funnel_search "$size" '2/core'
    view funnel_zen4 "$size" '2' --model zen4 # slots of the other thread are neither useful nor lost
    view funnel_v2 "$size" '2' --model neoverse-v2
    view funnel_software "$size" '2' --model software
    view history "$size" '3'
    view history_zoomed "$size" '3Z,,,'
    view history_mark "$size" '3mwarm'
    view history_zen4 "$size" '3' --model zen4
    view metrics "$size" '6'
    view metrics_filter "$size" '6/branch'
    view explain "$size" 'e'
    view value "$size" 'x'
    view help "$size" '?'
    view help_find "$size" '?/run'
    view snapshot "$size" 's'
    view snapshot_typed "$size" 'sbuild=one'
    view palette "$size" ':'
    view palette_find "$size" ':sna'
    view settings "$size" ":settings$enter"
    view themes "$size" ":themes$enter"
    (cd "$dir" && tdtop demo --seed 1 --at 42s --screen "$size" --press "?$escape" --save "closed_$size.txt") >"$dir/said" 2>&1
    same "closed_$size.txt" "tree_$size.txt" # as if it had not been there
done

# The store: simulated runs with numbers, times and a version of their own, so that every list of them is the same.
# stored ID SECONDS SEED LABEL NOTE [OPTION...]
stored() {
    id=$1 begun=$((1577836800 + $2)) seconds=$3 seed=$4 label=$5 note=$6
    shift 6
    tdtop collect --demo -d "${seconds}s" --seed "$seed" -L "$label" --note "$note" --db "$dir/made.db" "$@" >"$dir/said" 2>&1 &&
        tdtop export @0 --json --db "$dir/made.db" 2>"$dir/said" |
        sed -e "s/^ \"id\": \"[^\"]*\"/ \"id\": \"$id\"/" -e "s/^ \"begun_ns\": [0-9]*/ \"begun_ns\": ${begun}000000000/" \
            -e "s/^ \"ended_ns\": [0-9]*/ \"ended_ns\": $((begun + seconds))000000000/" \
            -e "s/^ \"version\": \"[^\"]*\"/ \"version\": \"0.1.0\"/" \
            -e "/\"tdtop_version\"/s/\"value\":\"[^\"]*\"/\"value\":\"0.1.0\"/" >"$dir/$id.json" &&
        tdtop import "$dir/$id.json" --db "$dir/runs.db" >>"$dir/said" 2>&1 && return
    failed=$((failed + 1))
    echo "FAILED pictures_test.sh: run $id: $(cat "$dir/said")"
}
stored 1111111100000000 3600 40 1 build=before 'as released'
stored 2222222200000000 7200 40 2 build=before ''
stored 3333333300000000 90000 60 3 build=after 'with prefetch in the hash table'
stored 4444444400000000 95000 60 4 build=after ''
stored 5555555500000000 190000 30 5 host=other '' --model zen4

for size in 80x24 120x40 200x60; do
    view threads "$size" '4'
    view threads_sorted "$size" '4>>>I'
    view threads_filter "$size" "4/io$enter"
    view cpus "$size" '5'
    view cpus_share "$size" '5>>>'
    view runs "$size" '7' --db runs.db
    view runs_groups "$size" "7gbuild$enter" --db runs.db
    view runs_trend "$size" '7T' --db runs.db
    view runs_compare "$size" "7gbuild${enter}  d" --db runs.db
    view run_about "$size" '7i' --db runs.db
    screen run_opened "$size" "7$enter" --db runs.db
    view bench "$size" '8' --db runs.db --baseline 11111111
    view snapshot_labels "$size" 's' --db runs.db
    screen hybrid "$size" '' --model adl-glc,adl-grt
    screen hybrid_other "$size" 'o' --model adl-glc,adl-grt
done

# The longest explanations at 80x24: begun and ended, nothing cut.
if [ "${BLESS:-0}" = 0 ]; then
    for name in Frontend_Bound Branch_Mispredicts ICache_Misses ITLB_Misses Load_STLB_Miss L1_Bound Bad_Speculation Fetch_Latency \
        Memory_Bound Info_Memory_MLP; do
        for at in '' G; do
            keys="*/$name${enter}e$at"
            case $name in Info_*) keys="6/$name${enter}e$at" ;; esac
            rm -f "$dir/long.txt"
            tdtop demo --seed 1 --at 42s --screen 80x24 --press "$keys" --save "$dir/long.txt" >"$dir/said" 2>&1
            if sed -n 2p "$dir/long.txt" | grep -q "─ $name ─" && ! sed -n '3,22p' "$dir/long.txt" | grep -q '…'; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "FAILED pictures_test.sh: $name explained at 80x24 ($at):"
                cat "$dir/said" "$dir/long.txt"
            fi
        done
    done
fi
echo "screen: $passed passed, $failed failed"
[ "$failed" = 0 ]
