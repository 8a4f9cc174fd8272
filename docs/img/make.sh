#!/bin/sh
# Makes the pictures of README.md and docs/USING.md from the simulated core: the same binary gives the same pictures, on any machine.
#
#   docs/img/make.sh [TDTOP]        default: build/release/tdtop
#
# Needs rsvg-convert (Debian: librsvg2-bin) and DejaVu Sans Mono (fonts-dejavu-core); ONLY=tree makes one of them,
# KEEP=1 keeps the .svg beside each .png. ImageMagick, where it is there, makes them smaller.
set -eu

tdtop=${1:-build/release/tdtop}
out=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tdtop-img.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

command -v rsvg-convert >/dev/null || { echo "make.sh: rsvg-convert is not there; apt install librsvg2-bin" >&2; exit 2; }
[ -x "$tdtop" ] || { echo "make.sh: $tdtop is not there; make, or name another binary" >&2; exit 2; }

# Nothing of the user's settings, nothing of his store.
mkdir "$tmp/home"
export HOME="$tmp/home" LC_ALL=C.UTF-8 TZ=UTC
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME TDTOP_DB NO_COLOR COLORTERM 2>/dev/null || :

picture() { # name, columns x rows, moment, theme, keys
    [ "${ONLY:-$1}" = "$1" ] || return 0
    "$tdtop" demo --seed 1 --at "$3" --screen "$2" --theme "$4" ${5:+--press "$5"} --save "$tmp/$1.svg"
    rsvg-convert --zoom "${ZOOM:-1}" --output "$out/$1.png" "$tmp/$1.svg"
    if command -v convert >/dev/null; then # a third of the bytes, the same to the eye
        convert "$out/$1.png" -strip -dither None -colors 128 "PNG8:$tmp/$1.png" && mv "$tmp/$1.png" "$out/$1.png"
    fi
    if [ -n "${KEEP:-}" ]; then cp "$tmp/$1.svg" "$out/"; fi
    echo "$out/$1.png"
}

picture tree 120x40 72s default B
picture funnel 120x40 72s default B2
picture history 120x40 5m default 3
