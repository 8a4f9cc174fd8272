#!/bin/sh
# Models that extend others: what tools/model_whole.awk writes of a file is the model that tdtop loads from it; and files
# are as short as tools/model_short.py makes them. Ends with "whole: N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
tdtop=${TDTOP:-$PWD/build/release/tdtop}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/whole" "$tmp/short"
passed=0 failed=0
for file in src/model/cpu/*.toml; do
    name=$(basename "$file" .toml)
    awk -f tools/model_whole.awk "$file" >"$tmp/whole/$name.toml"
    grep -q '^extends = ' "$file" || { cp "$file" "$tmp/short"; continue; }
    cp "$tmp/whole/$name.toml" "$tmp/short"
    "$tdtop" models "$name" --json >"$tmp/built-in" 2>&1
    "$tdtop" models "$tmp/whole/$name.toml" --json >"$tmp/from-whole" 2>&1
    # What every model has is not in a file that stands alone.
    for f in built-in from-whole; do
        python3 - "$tmp/$f" >"$tmp/$f.alone" <<'PY'
import json, re, sys
d = json.load(open(sys.argv[1]))
shared = open("src/model/shared/scheduling.toml").read()
d["metrics"] = [m for m in d["metrics"] if f"[metric.{m['name']}]" not in shared or m["groups"] != "Scheduling"]
d["events"] = [e for e in d["events"] if f'"{e["name"]}" =' not in shared]
json.dump(d, sys.stdout, indent=1)
PY
    done
    if [ -s "$tmp/built-in.alone" ] && cmp -s "$tmp/built-in.alone" "$tmp/from-whole.alone"; then
        passed=$((passed + 1))
    else
        echo "FAILED $name: the whole file is another model"
        diff "$tmp/built-in.alone" "$tmp/from-whole.alone" | head -n 5
        failed=$((failed + 1))
    fi
done
if python3 tools/model_short.py "$tmp/short" && [ "$(cat "$tmp"/short/*.toml | wc -l)" -le "$(cat src/model/cpu/*.toml | wc -l)" ]; then
    passed=$((passed + 1))
else
    echo "FAILED: model_short.py makes other files"
    failed=$((failed + 1))
fi
echo "whole: $passed passed, $failed failed"
[ "$failed" = 0 ]
