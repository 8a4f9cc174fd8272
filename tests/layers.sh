#!/bin/sh
# Fails when an include points the wrong way (docs/ARCHITECTURE.md, the table of folders).
cd "$(dirname "$0")/.." || exit 2
bad=0
allow() { # folder, regular expression of what it may include
    for f in src/$1/*.[ch]; do
        [ -e "$f" ] || continue
        hits=$(grep -nE '^#include "' "$f" | grep -vE "#include \"($2)/")
        [ -z "$hits" ] || { echo "layers: $f may include only $2:"; echo "$hits"; bad=1; }
    done
}
allow base 'base'
allow model 'base|model'
allow pmu 'base|model|pmu'
allow db 'base|model|db'
hits=$(grep -nE '^#include "' src/ui/*.[ch] | grep -vE '#include "((base|model|db|ui)/|session\.h|hybrid\.h)')
[ -z "$hits" ] || { echo "layers: ui may include only base, model, db, session.h and hybrid.h:"; echo "$hits"; bad=1; }
hits=$(grep -rnE '#include "(ui|cli)/' src --include='*.[ch]' | grep -vE '^src/(ui/.*"ui/|cli/.*"cli/|main\.c)')
[ -z "$hits" ] || { echo "layers: nobody includes ui or cli but main.c:"; echo "$hits"; bad=1; }
hits=$(grep -nE '#include "' src/session*.[ch] src/hybrid.[ch] | grep -vE '#include "((base|model|pmu)/|(session|session_spans|session_stored|hybrid)\.h)')
[ -z "$hits" ] || { echo "layers: session may include only base, model, pmu:"; echo "$hits"; bad=1; }
hits=$(grep -nE '^#include "' src/selftest/*.[ch] | grep -vE '#include "((base|model|pmu|selftest)/|session\.h)')
[ -z "$hits" ] || { echo "layers: selftest may include only base, model, pmu and session.h:"; echo "$hits"; bad=1; }
hits=$(grep -rnE '#include "selftest/' src --include='*.[ch]' | grep -vE '^src/(selftest|cli)/')
[ -z "$hits" ] || { echo "layers: only cli may include selftest:"; echo "$hits"; bad=1; }
n=$(grep -rlE '#include [<"](n?curses|ncursesw/)' src | wc -l)
[ "$n" -le 1 ] || { echo "layers: only one file may include ncurses:"; grep -rlE '#include [<"](n?curses|ncursesw/)' src; bad=1; }
hits=$(grep -rn 'pthread_create *(' src --include='*.c' | grep -v '^src/base/thread\.c:')
[ -z "$hits" ] || { echo "layers: threads are started by thread_start (base/thread.h):"; echo "$hits"; bad=1; }
hits=$(grep -nE 'fopen\([^)]*"[wa]|fdopen\(' src/cli/*.c src/base/*.c)
[ -z "$hits" ] || { echo "layers: text is written through base/door.h (door_create, door_open):"; echo "$hits"; bad=1; }
[ $bad = 0 ] && echo "layers: ok"
exit $bad
