#!/bin/sh
# headers.sh CC "WARN": each header must compile alone.
cd "$(dirname "$0")/.." || exit 2
bad=0
for h in $(find src -name '*.h'); do
    # shellcheck disable=SC2086
    said=$(echo "#include \"${h#src/}\"" | $1 $2 -D_GNU_SOURCE -Isrc -isystem /usr/include/postgresql -fsyntax-only -x c - 2>&1) && [ -z "$said" ] && continue
    echo "headers: $h: $said"
    bad=1
done
[ $bad = 0 ] && echo "headers: ok"
exit $bad
