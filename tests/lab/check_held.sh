# Counters that others hold: on every core that the lab knows no group waits for one of them, and a user who pins
# events to the measured process itself is found; a part of check.sh.
# shellcheck shell=sh disable=SC2154

# CPU, counters ("-": as described), rates, what is held (bits; fixed ones from 32), words of the note.
cat >"$tmp/held" <<-EOT
	skl 4 skx 0x1 3 of 4 general counters can be had (another user holds 1)
	skx 4 skx 0x7 1 of 4 general counters can be had (another user holds 3)
	skx 8 skx 0x100000000 held by others: the fixed counter of instructions
	clx 4 skx 0x100000000 held by others: the fixed counter of instructions
	clx 4 skx 0x200000000 held by others: the fixed counter of cycles
	snb 4 skx 0x1 3 of 4 general counters can be had (another user holds 1)
	ivb 4 skx 0x1 3 of 4 general counters can be had (another user holds 1)
	hsw 4 skx 0x1 3 of 4 general counters can be had (another user holds 1)
	bdw 4 skx 0x1 3 of 4 general counters can be had (another user holds 1)
	icl - spr 0x1 7 of 8 general counters can be had (another user holds 1)
	tgl - spr 0x80 7 of 8 general counters can be had (another user holds 1)
	rkl - spr 0x100000000 held by others: the fixed counter of instructions
	icx - spr 0x200000000 held by others: the fixed counter of cycles
	spr - spr 0x2 7 of 8 general counters can be had (another user holds 1)
	adl - adl 0x1 general counters can be had (another user holds 1)
	srf - adl 0x1 7 of 8 general counters can be had (another user holds 1)
	grr - adl 0x100000000 held by others: the fixed counter of instructions
	zen2 - zen4 0x1 5 of 6 general counters can be had (another user holds 1)
EOT

# The last row has the words, and no node that waits for a counter.
no_stale() { # name, words
	grep '"nodes"' "$tmp/out" | tail -n 1 >"$tmp/row"
	wrong=
	[ "$rc" = 0 ] || wrong="exit status $rc, not 0"
	grep -qF -e "$2" "$tmp/row" || wrong="$wrong
no word of \"$2\": $(grep -o '"note":"[^"]*"' "$tmp/row")"
	stale=$(grep -o '"state":"stale"' "$tmp/row" | wc -l)
	[ "$stale" = 0 ] || wrong="$wrong
$stale nodes are stale"
	verdict "$1" "$wrong"
}

while read -r cpu counters rates bits words; do
	name="$cpu with $bits held"
	wanted "$name" || continue
	[ "$counters" = - ] && counters= || counters="--counters $counters"
	# shellcheck disable=SC2086
	guest --cpu "$cpu" $counters --rates "$rates" --vpmu "reserved=$bits" -- \
		./tdtop --batch -j --focus off -I 3000 -n 2 -- spin 12 </dev/null
	no_stale "$name" "$words"
done <"$tmp/held"

# A user comes who pins events to the same process, and goes.
cat >"$tmp/tree/same-process" <<'EOT'
rows() { grep -c '"nodes"' /tmp/rows; }
not_told() { grep -c 'probe: not told' /tmp/log; }
await() { # number of rows
	n=0
	until [ "$(rows)" -ge "$1" ] || [ $((n += 1)) -gt 400 ]; do sleep 0.1; done
}
./spin 200 &
spin=$!
./tdtop --batch -j -l 3 -I 1000 --log /tmp/log -p $spin >/tmp/rows &
tdtop=$!
await 2
perf stat -p $spin -e "$1" sleep 100 2>/dev/null &
perf=$!
n=0
until pidof sleep >/dev/null || [ $((n += 1)) -gt 400 ]; do sleep 0.1; done # perf counts from then on
came=$(rows)
deaf=$(not_told)
n=0
until grep -qF "another user holds 3" /tmp/rows || [ $((n += 1)) -gt 400 ]; do sleep 0.1; done
said=$(rows)
said_deaf=$(($(not_told) - deaf))
await $((said + 4))
tail -n 1 /tmp/rows
kill $perf
wait $perf # it holds them until then
gone=$(rows)
deaf=$(not_told)
n=0
while tail -n 1 /tmp/rows | grep -qF "another user" && [ $((n += 1)) -lt 400 ]; do sleep 0.1; done
free=$(rows)
await $((free + 4))
tail -n 1 /tmp/rows
echo "said after $((said - came)) rows, $said_deaf not told, free after $((free - gone)), $(($(not_told) - deaf)) not told"
kill -INT $tdtop
wait $tdtop
kill $spin
exit 0
EOT
for cpu in skx icl; do
	name="$cpu: a user pins events to the same process"
	wanted "$name" || continue
	case $cpu in
	skx) options="--counters 4" words="1 of 4" rates=skx ;;
	icl) options="--counters 8" words="5 of 8" rates=spr ;;
	esac
	# shellcheck disable=SC2086
	guest --cpu $cpu $options --rates $rates --add /usr/bin/perf --timeout 150 -- \
		sh same-process '{r1d1,r2d1,r4d1}:D'
	cp "$tmp/out" "$tmp/all"
	grep '"nodes"' "$tmp/all" | head -n 1 >"$tmp/out"
	no_stale "$name" "$words general counters can be had (another user holds 3): smaller plan"
	grep '"nodes"' "$tmp/all" | tail -n 1 >"$tmp/out"
	no_stale "$name, and goes" "duty will be low"
	# A group that had no turn for 1 s of the process makes a question, and so does each 5 s as long as others hold
	# counters; more is believed when two answers agree, 1 s apart: 7 rows. The log knows how many questions came while
	# the process did not run, as on a busy host, and were not answered.
	wrong=$(sed -n 's/^said after \([0-9]*\) rows, \([0-9]*\) not told, free after \([0-9]*\), \([0-9]*\) not told$/\1 \2 \3 \4/p' "$tmp/all" | {
		read -r said said_deaf free free_deaf || said=99 free=99
		[ "$said" -le $((6 + 3 * said_deaf)) ] && [ "$free" -le $((8 + 5 * free_deaf)) ] || grep '^said after' "$tmp/all" || echo "it does not say after how many rows"
	})
	verdict "$name: within seconds" "$wrong"
done
