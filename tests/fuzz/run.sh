#!/bin/sh
# run.sh BUILD: lets libFuzzer invent inputs for each reader, FUZZ_SECONDS (60) each, two at a time. With `replay` behind BUILD
# each reader gets its seeds and cases only. What breaks a reader is put into cases/READER and named.
# FUZZ_ONLY=reader,... runs only those. Ends with "fuzz: N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
build=$1 mode=$2 here=tests/fuzz
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export HOME="$tmp" XDG_DATA_HOME="$tmp/data" LC_ALL=C.UTF-8 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1

# What each reader may begin with; runs and stores are made, small ones of a simulated core.
seeds() {
    case $1 in
    toml) echo config.example.toml themes src/model/advice $here/seeds/toml ;;
    model) echo src/model/cpu/generic.toml src/model/cpu/software.toml $here/seeds/model ;;
    replay | percent) echo tests/data/perf tests/data/replay ;;
    config) echo config.example.toml themes $here/seeds/toml ;;
    run | store | toplev) echo "$tmp/made/$1" ;;
    control | jitdump | keys | lines | mangled | mcp | perfmap | record | series | symbols | words) echo $here/seeds/"$1" ;;
    esac
}
make_seeds() {
    mkdir -p "$tmp/made/run" "$tmp/made/store" "$tmp/made/toplev"
    for model in generic zen1; do
        id=$("$build/tdtop" collect --demo --model $model -l 1 -n 3 --db "$tmp/made/store/$model.db" -L of=$model --note made 2>/dev/null) &&
            "$build/tdtop" export "$id" --db "$tmp/made/store/$model.db" -o "$tmp/made/run/$model.json" 2>/dev/null
    done
    sed -n '/^cat >"$tmp\/toplev.csv"/,/^CSV/p' tests/runs_test.sh | sed '1d;$d' >"$tmp/made/toplev/v.csv"
}
one() {
    reader=$1
    set -- $(seeds "$reader")
    if [ "$mode" = replay ]; then
        timeout 300 "$build/fuzz/$reader" "$@" $here/cases/"$reader" >"$tmp/$reader.log" 2>&1
    else
        mkdir -p "$tmp/corpus/$reader" "$tmp/found/$reader"
        for s in "$@" $here/cases/"$reader"; do
            [ -d "$s" ] && find "$s" -type f -exec cp {} "$tmp/corpus/$reader" \; || cp "$s" "$tmp/corpus/$reader" 2>/dev/null
        done
        "$build/fuzz/$reader" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$tmp/found/$reader/" "$tmp/corpus/$reader" >"$tmp/$reader.log" 2>&1
    fi
    echo $? >"$tmp/$reader.rc"
}
readers=$(ls $here/fuzz_*.c | sed 's/.*fuzz_//; s/\.c$//')
[ -z "$FUZZ_ONLY" ] || readers=$(echo "$FUZZ_ONLY" | tr ',' ' ')
make_seeds
n=0
for r in $readers; do
    one "$r" &
    n=$((n + 1))
    [ $((n % 2)) = 0 ] && wait
done
wait
pass=0 fail=0
for r in $readers; do
    if [ "$(cat "$tmp/$r.rc")" = 0 ]; then
        pass=$((pass + 1))
        runs=$(sed -nE 's/^stat::number_of_executed_units: +/executions /p; s/^([0-9]+) inputs$/inputs \1/p' "$tmp/$r.log" | tail -1)
        echo "$r: $runs"
        continue
    fi
    fail=$((fail + 1))
    echo "FAILED $r"
    grep -E '^(==|SUMMARY|#[0-9]+ |    #[0-9])|runtime error' "$tmp/$r.log" | head -20
    tail -3 "$tmp/$r.log"
    for f in "$tmp/found/$r"/*; do
        [ -s "$f" ] || continue
        mkdir -p "$here/cases/$r"
        cp "$f" "$here/cases/$r/" && echo "kept: $here/cases/$r/$(basename "$f")"
    done
done
echo "fuzz: $pass passed, $fail failed"
[ "$fail" = 0 ]
