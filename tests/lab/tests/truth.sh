#!/bin/sh
# In the guest: runs tdtop beside tests/truth.c, first without and then with multiplexing; see ../check_truth.sh.
#   truth.sh MODEL QUICK-us SLOW-us ROWS MS OPTIONS...   leaves /out/steady and /out/phases
model=$1 quick=$2 slow=$3 rows=$4 ms=$5
shift 5
module=/sys/module/vpmu/parameters
type=$(cat /sys/bus/event_source/devices/cpu/type /sys/bus/event_source/devices/armv8_pmuv3_0/type 2>/dev/null)
run() { # phases, options of tdtop...
	phases=$1
	shift
	./truth "$phases" "$quick" "$slow" "$type" ./tdtop --batch -j --explain-value IPC \
		--const SYSTEM_TSC_FREQ=2e9 --const NUM_CPUS=2 --const SOCKET_COUNT=1 --const CHAS_PER_SOCKET=16 \
		--const CORES_PER_SOCKET=2 "$@" -p PID
}
echo "/tree/$model.steady" >$module/rates
echo 1 >$module/unlimited
run 1 -I 300 -n 4 >/out/steady || exit 1
echo "/tree/$model.phases" >$module/rates
echo 0 >$module/unlimited
run 6 --summary -I "$ms" -n "$rows" "$@" >/out/phases
