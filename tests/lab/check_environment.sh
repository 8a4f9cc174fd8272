# What else decides the numbers is said with them, in JSON rows; a part of check.sh.
# shellcheck shell=sh disable=SC2154

name="the environment is in the first row, with effects and remedies"
if wanted "$name"; then
	guest --cpu zen4 --rates zen4 \
		--pre "echo 1 >/tmp/one; mount --bind /tmp/one /proc/sys/kernel/nmi_watchdog" -- \
		./tdtop --batch -j -l 1 -I 1000 -n 2 -- spin 4
	says "$name" 0 '"environment":{"facts":{"cpu":' '"nmi_watchdog":"on"' \
		'"check":"nmi_watchdog","state":"warning","found":"on","effect":"' \
		'"fix":"sysctl kernel.nmi_watchdog=0"'
fi

name="the pinned group loses its counters in the middle: levels 1 and 2 say so"
if wanted "$name"; then
	cp tests/pinned tests/screens "$tmp/tree"
	guest --cpu spr --rates spr --add /usr/bin/perf -- ./pinned
	says "$name" 0 '"check":"pinned_group","state":"ok","found":"counted 100.0% of the time"' \
		'"check":"pinned_group","state":"warning","found":"counted ' \
		'another user of the counters holds what the slots group was pinned to'
fi
