#!/bin/sh
# The palette, the settings screen, themes, saving, copying and --speak, in a terminal.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

settings=$dir/home/.config/tdtop/config.toml
demo="$TDTOP demo --seed 1 -I 100ms --db $dir/runs.db"

holds() { # file, text
    grep -qF -- "$2" "$1"
}

lacks() {
    ! holds "$1" "$2"
}

until_file() { # what, file, text
    if poll holds "$2" "$3"; then pass; else fail "$1: $2 has no '$3'"; fi
}

# By name, with the history of commands.
start 80x24 "$demo"
until_text 'Backend_Bound'
keys :
until_text 'Palette'
keys -l 'view-cp'
until_text 'the view CPUs'
keys Enter
until_text '[5CPUs]'
keys : Up
until_text 'typed before'
keys Escape
until_gone 'Palette'
keys :
keys -l 'interval 250ms'
keys Enter
until_text 'interval 250ms'
keys :
keys -l 'interval quick'
keys Enter
until_text 'interval: "quick" is not one of its values'
keys Escape

# Settings: nothing is written unasked; then only what was changed, and comments stay.
mkdir -p "$(dirname "$settings")"
printf '# mine\nmouse = true # yes\n\n[x.y]\na = 1\n\n[x]\n\n[keys]\nsnapshot = "K"\n' >"$settings"
keys F2
until_text 'Settings'
keys Down Down Down Enter
until_text 'Theme'
keys Down Down Enter
until_gone ' Theme '
lacks "$settings" theme && pass || fail 'the theme was written unasked'
keys w
until_text 'saved in'
until_file 'a theme that was saved' "$settings" 'theme = '
until_file 'an interval that was changed' "$settings" 'interval = "250ms"'
holds "$settings" '# mine' && holds "$settings" 'mouse = true # yes' && holds "$settings" 'snapshot = "K"' &&
    pass || fail 'the rest of the settings did not stay'
keys q
until_gone 'Settings'

# Esc leaves everything as it was, mouse and screen too.
keys :
keys -l 'themes'
keys Enter Down Down Escape
until_gone ' Theme '
keys :
keys -l 'mouse false'
keys Enter
mouse_is_off() { # asked again at each try
    [ "$(flag mouse_any_flag)" = 0 ]
}
poll mouse_is_off
check 'mouse off' "$(flag mouse_any_flag)" 0
keys :
keys -l 'mouse true'
keys Enter
until_text 'mouse on; with Shift'
keys :
keys -l 'ascii true'
keys Enter
until_text 'drawn in ASCII'

# A picture, over another only after yes.
keys P
until_text 'save the screen as'
keys C-u
for _i in $(seq 40); do keys BSpace; done
keys -l "$dir/a.txt"
keys Enter
until_text "saved: $dir/a.txt"
until_file 'the picture' "$dir/a.txt" 'tdtop'
echo precious >"$dir/a.txt"
keys P
until_text 'save the screen as'
for _i in $(seq 40); do keys BSpace; done
keys -l "$dir/a.txt"
keys Enter
until_text 'overwrite it'
keys n
until_text 'not saved'
holds "$dir/a.txt" precious && pass || fail 'it was overwritten'

# Copying is off; then it goes through the terminal.
keys C
until_text 'switched off'
keys :
keys -l 'clipboard true'
keys Enter
until_text 'C copies'
tmx set-option -s set-clipboard on
keys 1
until_text '[1Tree]'
keys C
until_text 'copied: '
if poll tmx show-buffer; then
    check 'the clipboard' "$(tmx show-buffer | cut -c1-7)" "$(capture | sed -n 's/^ copied: //p' | cut -c1-7)"
else
    fail 'nothing arrived in the clipboard'
fi
keys q
wait_end quit 0
is_restored quit

# What was saved is there the next time.
start 80x24 "$TDTOP demo --seed 1 --db $dir/runs.db"
until_text 'Backend_Bound'
keys F2
until_text '250ms'
keys q q
wait_end 'quit again' 0
rm -f "$settings"

# --speak: plain lines, and what is typed is answered.
speak() { # lines to type
    { sleep 0.6; printf "$1"; sleep 0.3; } | env HOME="$dir/home" XDG_CONFIG_HOME="$dir/none" LC_ALL=C.UTF-8 \
        "$TDTOP" demo --seed 1 -I 100ms --speak >"$dir/spoken" 2>&1
}
speak '\nexplain Backend Bound\nhelp\nquit\n'
check 'speak: its end' $? 0
for words in 'all numbers are simulated' 'Backend Bound' 'plus or minus' 'again: the sentence'; do
    holds "$dir/spoken" "$words" && pass || fail "--speak does not say '$words'"
done
if grep -q "$(printf '\033')" "$dir/spoken"; then fail '--speak sends escape codes'; else pass; fi
# What is too long is said to be, and no part of it is a command.
speak "$(printf '%0511d' 0)quit\nexplain Backend Bound\nquit\n"
check 'speak after a long line' $? 0
for words in 'that line is longer than' 'Backend Bound'; do
    holds "$dir/spoken" "$words" && pass || fail "--speak does not say '$words' after a long line"
done
for rows in --json --summary --per-thread --per-cpu; do
    timeout 20 "$TDTOP" demo --speak $rows -d 1s >"$dir/spoken" 2>&1
    check "speak and $rows" $? 2
    holds "$dir/spoken" 'exclude each other' && pass || fail "no words about --speak and $rows"
done
# It ends after so many intervals, or so much time of what is simulated, as rows do; nobody has to type.
spoken_until() { # what, options...
    what=$1
    shift
    timeout 20 env LC_ALL=C.UTF-8 "$TDTOP" "$@" --speak <"$dir/nothing_typed" >"$dir/spoken" 2>&1
    check "$what: its end" $? 0
}
: >"$dir/nothing_typed"
spoken_until 'speak -n' demo --seed 1 -I 100ms -n 3
holds "$dir/spoken" 'Waiting for' && pass || fail 'three intervals say nothing'
spoken_until 'speak -n, two core types' demo --seed 1 -I 100ms -n 3 --model adl-glc,adl-grt
spoken_until 'speak -d at a thousand times the pace' demo --seed 1 -I 100ms --speed 1000 -d 600s
finish
