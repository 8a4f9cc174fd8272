#!/bin/sh
# Fails when an include points the wrong way: which rooms each room may include (docs/ARCHITECTURE.md).
cd "$(dirname "$0")/.." || exit 2
bad=0
# room | what it may include beside itself: rooms, or single headers
while IFS='|' read -r room may; do
    case $room in ''|'#'*) continue ;; esac
    room=$(echo $room) known="$known $room"
    re=$(printf '%s\n' "$room" $may | sed 's|\.h$|\\.h|; /\.h$/!s|$|/[^/]*|' | paste -sd'|')
    hits=$(grep -nE '^#include "' src/$room/*.[ch] | grep -vE "#include \"($re)\"")
    [ -z "$hits" ] || { echo "layers: $room may include only $room $may:"; echo "$hits"; bad=1; }
done <<'ROOMS'
base |
model/load | base
model/eval | base model/load
model/stats | base
model/hot | base model/stats
model/run | base model/load model/eval model/stats model/hot
model/compare | base model/load model/eval model/stats model/run
model/knowledge | base model/load model/eval
pmu/host | base model/load model/eval model/run
pmu/plan | base model/load model/eval pmu/mailbox.h
pmu/perf | base model/load model/eval pmu/host pmu/plan pmu/source.h pmu/mailbox.h
pmu/sampling | base model/load model/hot/hot_count.h model/hot/hot_access.h pmu/host
pmu/symbols | base pmu/sampling/module.h
pmu/replay | base model/load model/eval model/run pmu/plan pmu/source.h
pmu/sim | base model/load model/eval pmu/plan pmu/source.h
pmu | base model/load model/eval pmu/host
session | base model/load model/eval model/stats model/run model/hot model/compare/rule.h pmu pmu/host pmu/plan pmu/sim pmu/sampling pmu/symbols
serve | base model/load model/eval session
selftest | base model/load model/eval pmu pmu/host session
db | base model/load model/eval model/stats model/run model/hot model/compare
ui/term | base model/load
ui/draw | base model/load model/eval model/run model/knowledge ui/term
ui/scene | base model/load model/eval model/run model/stats model/compare model/knowledge db session ui/term ui/draw
ui/view | base model/load model/eval model/run model/stats model/compare model/knowledge session ui/term ui/draw ui/scene
ui/screen | base model/load model/eval model/run model/stats model/compare model/knowledge session ui/term ui/draw ui/scene ui/view
ui/runs | base model/load model/eval model/run model/stats model/compare model/knowledge db session ui/term ui/draw ui/scene ui/view ui/screen
ui/popup | base model/load model/eval model/run model/stats model/compare model/knowledge db session ui/term ui/draw ui/scene ui/view ui/screen ui/runs
ui/app | base model/load model/eval model/run model/stats model/compare model/knowledge db session ui/term ui/draw ui/scene ui/view ui/screen ui/popup ui/runs
cli | base model/load model/eval model/run db session pmu pmu/host pmu/replay
cli/config | base model/load session cli
cli/out | base model/load model/eval model/run model/hot model/knowledge session cli
cli/file | base model/load model/eval model/run model/hot db pmu/host pmu/replay cli
start | base pmu pmu/host pmu/replay session cli cli/config cli/out cli/file cli/verb ui/term ui/screen ui/popup ui/app
cli/verb | base model/load model/eval model/stats model/run model/hot model/compare model/knowledge db session serve selftest pmu pmu/host pmu/plan pmu/perf pmu/sampling pmu/symbols pmu/replay cli cli/config cli/out cli/file
ROOMS
for room in $(find src -name '*.[ch]' ! -path src/main.c | sed 's|^src/||; s|/[^/]*$||' | sort -u); do
    grep -qE "^$room \|" "$0" || { echo "layers: src/$room has no row in $0"; bad=1; }
done
n=$(grep -rlE '#include [<"](n?curses|ncursesw/)' src | wc -l)
[ "$n" -le 1 ] || { echo "layers: only one file may include ncurses:"; grep -rlE '#include [<"](n?curses|ncursesw/)' src; bad=1; }
hits=$(grep -rn 'pthread_create *(' src --include='*.c' | grep -v '^src/base/thread\.c:')
[ -z "$hits" ] || { echo "layers: threads are started by thread_start (base/thread.h):"; echo "$hits"; bad=1; }
hits=$(grep -rnE 'fopen\([^)]*"[wa]|fdopen\(' src/cli src/base)
[ -z "$hits" ] || { echo "layers: text is written through base/door.h (door_create, door_open):"; echo "$hits"; bad=1; }
[ $bad = 0 ] && echo "layers: ok"
exit $bad
