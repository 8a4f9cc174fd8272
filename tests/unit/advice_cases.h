/* What is said of which values. Included by test_advice.c. */
static const struct scenario scenarios[] = {
    {"three levels, baseline", "toplev", "spr",
     "Frontend_Bound=0.15 Bad_Speculation=0.05 Backend_Bound=0.5~0.01 Retiring=0.3 "
     "Memory_Bound=0.35~0.01 Core_Bound=0.15 L1_Bound=0.04 L2_Bound=0.03 L3_Bound=0.128~0.009 "
     "DRAM_Bound=0.05 Store_Bound=0.02 IPC=1.1 CPUs_Utilized=3",
     "L3_Bound=0.079~0.004", ADVICE_SURE, "L3_Bound",
     "Waiting for L3, 12.8% of clocks ± 0.9, up 4.9 points since the baseline",
     "Open L3_Bound (B, then Enter) for Contested_Accesses, Data_Sharing and 2 more; partition "
     "data by thread or core (sharding), so that lines stay where they are used; sample "
     "MEM_LOAD_RETIRED.L3_HIT",
     "toplev thresholds, TMA 5.2"},
    {"no clear change", "toplev", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.55~0.01 Retiring=0.3 "
     "Memory_Bound=0.45~0.01 Core_Bound=0.10 L3_Bound=0.03 DRAM_Bound=0.31~0.02",
     "DRAM_Bound=0.30~0.02", ADVICE_SURE, "DRAM_Bound",
     "Waiting for DRAM, 31.0% of clocks ± 2.0, no clear change since the baseline",
     "Open DRAM_Bound (B, then Enter) for MEM_Bandwidth and MEM_Latency; batch and prefetch "
     "look-ups, and make what they touch smaller; sample MEM_LOAD_RETIRED.L3_MISS",
     "toplev thresholds, TMA 5.2"},
    {"a tie below", "toplev", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.55~0.01 Retiring=0.3 "
     "Memory_Bound=0.45~0.01 Core_Bound=0.10 L3_Bound=0.20~0.03 DRAM_Bound=0.22~0.02 L1_Bound=0.02 "
     "L2_Bound=0.01 Store_Bound=0.02",
     NULL, ADVICE_SURE, "DRAM_Bound",
     "Waiting for memory, 45.0% of slots ± 1.0; below it waiting for DRAM 22.0%, waiting for L3 "
     "20.0% of clocks: a tie",
     "Look at DRAM_Bound and L3_Bound (B goes there); a longer interval may tell them apart; "
     "sample "
     "MEM_LOAD_RETIRED.L3_MISS for DRAM_Bound; sample MEM_LOAD_RETIRED.L3_HIT for L3_Bound",
     "toplev thresholds, TMA 5.2"},
    {"a tie of roots", "toplev", "spr",
     "Frontend_Bound=0.325 Bad_Speculation=0.05 Backend_Bound=0.33 Retiring=0.295 "
     "Fetch_Latency=0.08 "
     "Memory_Bound=0.25 Core_Bound=0.08",
     NULL, ADVICE_TIE, "Backend_Bound",
     "Backend-bound 33.0%, frontend-bound 32.5% of slots: a tie; below the larger one waiting for "
     "memory, 25.0%",
     "Look at Backend_Bound and Frontend_Bound (B goes there); sample TOPDOWN.BACKEND_BOUND_SLOTS "
     "for Backend_Bound; sample "
     "FRONTEND_RETIRED.LATENCY_GE_4 for Frontend_Bound",
     "toplev thresholds, TMA 5.2"},
    {"about at its threshold", "toplev", "spr",
     "Frontend_Bound=0.14 Bad_Speculation=0.05 Backend_Bound=0.41 Retiring=0.4 Memory_Bound=0.3 "
     "Core_Bound=0.11 L3_Bound=0.052~0.006",
     NULL, ADVICE_UNSURE, "L3_Bound",
     "Waiting for L3, 5.2% of clocks ± 0.6, about at its threshold of 5.0%",
     "Open L3_Bound (B, then Enter) for Contested_Accesses, Data_Sharing and 2 more; partition "
     "data by thread or core (sharding), so that lines stay where they are used; sample "
     "MEM_LOAD_RETIRED.L3_HIT; a longer interval makes sure",
     "toplev thresholds, TMA 5.2"},
    {"a parent about at its threshold", "toplev", "spr",
     "Frontend_Bound=0.14 Bad_Speculation=0.05 Backend_Bound=0.21~0.02 Retiring=0.6 "
     "Memory_Bound=0.205~0.001 Core_Bound=0.02 L3_Bound=0.08~0.002",
     NULL, ADVICE_UNSURE, "L3_Bound",
     "Waiting for L3, 8.0% of clocks ± 0.2, while backend-bound is about at its 20.0%",
     "Open L3_Bound (B, then Enter) for Contested_Accesses, Data_Sharing and 2 more; partition "
     "data by thread or core (sharding), so that lines stay where they are used; sample "
     "MEM_LOAD_RETIRED.L3_HIT; a longer interval makes sure",
     "toplev thresholds, TMA 5.2"},
    {"nothing over", "toplev", "spr",
     "Frontend_Bound=0.12 Bad_Speculation=0.05 Backend_Bound=0.18 Retiring=0.65 "
     "Light_Operations=0.6 Heavy_Operations=0.05",
     NULL, ADVICE_CLEAR, "Retiring",
     "Nothing is over its threshold; largest: useful work, 65.0% of slots",
     "Look for work to skip; a baseline shows what changes", "toplev thresholds, TMA 5.2"},
    {"nothing over for sure", "toplev", "spr",
     "Frontend_Bound=0.12 Bad_Speculation=0.05 Backend_Bound=0.194~0.012 Retiring=0.636", NULL,
     ADVICE_UNSURE, "Backend_Bound",
     "Nothing is over its threshold; largest: useful work, 63.6% of slots, but backend-bound, "
     "19.4%, is about at its 20.0%",
     "A longer interval makes sure", "toplev thresholds, TMA 5.2"},
    {"useful work", "toplev", "spr",
     "Frontend_Bound=0.06 Bad_Speculation=0.02 Backend_Bound=0.1 Retiring=0.82 "
     "Light_Operations=0.78 Heavy_Operations=0.04",
     NULL, ADVICE_SURE, "Light_Operations", "Useful work: plain instructions, 78.0% of slots",
     "Open Light_Operations (B, then Enter) for FP_Arith, Int_Operations and 4 more; execute fewer "
     "instructions: a better algorithm, or vectors; sample INST_RETIRED.PREC_DIST",
     "toplev thresholds, TMA 5.2"},
    {"nothing measured", "toplev", "spr", "", NULL, ADVICE_UNKNOWN, "", "Level 1 is not known",
     "The doctor (9) says what this machine lacks", "toplev thresholds, TMA 5.2"},
    {"a root is not known", "toplev", "spr",
     "Frontend_Bound=0.22 Bad_Speculation=0.05 Retiring=0.3", NULL, ADVICE_UNSURE, "Frontend_Bound",
     "Frontend-bound, 22.0% of slots; Backend_Bound is not known",
     "Open Frontend_Bound (B, then Enter) for Fetch_Latency and Fetch_Bandwidth; lay out hot code "
     "by a profile: PGO, then BOLT; sample FRONTEND_RETIRED.LATENCY_GE_4",
     "toplev thresholds, TMA 5.2"},
    {"hardly running", "toplev", "spr",
     "Frontend_Bound=0.5 Bad_Speculation=0.05 Backend_Bound=0.2 Retiring=0.25 CPUs_Utilized=0.012",
     NULL, ADVICE_UNSURE, "Frontend_Bound",
     "Frontend-bound, 50.0% of slots; mostly idle: 0.01 CPUs busy",
     "First see what it waits for: load, locks or input", "toplev thresholds, TMA 5.2"},
    {"all below is known", "toplev", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.32 Backend_Bound=0.2 Retiring=0.38 "
     "Branch_Mispredicts=0.30~0.01 Machine_Clears=0.02 Other_Mispredicts=0.01",
     NULL, ADVICE_SURE, "Branch_Mispredicts", "Mispredicted branches, 30.0% of slots ± 1.0",
     "Record branches to find the few that are guessed wrong; sample BR_MISP_RETIRED.ALL_BRANCHES; "
     "run perf record -b -e cycles:u -p PID",
     "toplev thresholds, TMA 5.2"},
    {"a leaf", "toplev", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.02 Backend_Bound=0.58 Retiring=0.3 Memory_Bound=0.5 "
     "Core_Bound=0.08 L3_Bound=0.4 DRAM_Bound=0.02 Contested_Accesses=0.3~0.02 Data_Sharing=0.02 "
     "L3_Hit_Latency=0.03 SQ_Full=0.01",
     NULL, ADVICE_SURE, "Contested_Accesses",
     "Cache lines that cores fight over, 30.0% of clocks ± 2.0",
     "Find the lines that travel between cores; sample MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD; run perf "
     "c2c record -p PID",
     "toplev thresholds, TMA 5.2"},
    {"two levels only", "toplev", "zen4",
     "Frontend_Bound=0.31~0.01 Bad_Speculation=0.12 Backend_Bound=0.2 Retiring=0.37 "
     "Fetch_Latency=0.26~0.008 Fetch_Bandwidth=0.05",
     NULL, ADVICE_SURE, "Fetch_Latency", "Waiting for instructions, 26.0% of slots ± 0.8",
     "Find what fetch waits for: caches, the TLB or branches; sample "
     "de_no_dispatch_per_slot.no_ops_from_frontend:c6",
     "toplev rule, thresholds of zen4"},
    {"mispredicts", "toplev", "zen4",
     "Frontend_Bound=0.1 Bad_Speculation=0.29 Backend_Bound=0.18 Retiring=0.43 "
     "Branch_Mispredicts=0.28~0.01 Machine_Clears=0.01",
     "Branch_Mispredicts=0.35~0.01", ADVICE_SURE, "Branch_Mispredicts",
     "Mispredicted branches, 28.0% of slots ± 1.0, down 7.0 points since the baseline",
     "Record branches to find the few that are guessed wrong; sample ex_ret_brn_misp; run perf "
     "record -b -e cycles:u -p PID",
     "toplev rule, thresholds of zen4"},
    {"cycles, vendor's groups", "toplev", "neoverse-n1",
     "Backend_Stalls=0.52~0.004 Frontend_Stalls=0.08 Active=0.4 IPC=0.71", NULL, ADVICE_SURE,
     "Backend_Stalls", "Stalled at the backend, 52.0% of cycles ± 0.4; IPC 0.71",
     "See whether caches miss; if not, it is execution; sample STALL_BACKEND; run perf record -e "
     "cache-misses -g -p PID",
     "toplev rule, thresholds of neoverse-n1"},
    {"cycles not stalled", "toplev", "neoverse-n1",
     "Backend_Stalls=0.2 Frontend_Stalls=0.08 Active=0.72 IPC=0.71", NULL, ADVICE_CLEAR, "Active",
     "Nothing is over its threshold; largest: not stalled, 72.0% of cycles",
     "Look for work to skip: no stall stands out; a baseline shows what changes",
     "toplev rule, thresholds of neoverse-n1"},
    {"E-core", "toplev", "adl-grt",
     "Frontend_Bound=0.12 Bad_Speculation=0.05 Backend_Bound=0.5 Retiring=0.33 Core_Bound=0.1 "
     "Resource_Bound=0.4",
     NULL, ADVICE_SURE, "Resource_Bound", "Full buffers, 40.0% of slots",
     "Open Resource_Bound (B, then Enter) for Mem_Scheduler, Non_Mem_Scheduler and 3 more; "
     "prefetch and compact data: loads that miss fill the buffers; sample TOPDOWN_BE_BOUND.ALL",
     "toplev thresholds, TMA 4"},
    {"generic PMU", "toplev", "generic",
     "Backend_Stalls=0.55 Frontend_Stalls=0.05 Active=0.4 IPC=0.6 Cache_Miss_Ratio=0.12", NULL,
     ADVICE_SURE, "Backend_Stalls",
     "Stalled at the backend, 55.0% of cycles; IPC 0.60, Cache_Miss_Ratio 12.0%",
     "See whether caches miss; if not, it is execution; sample cache_misses; run perf record -e "
     "cache-misses -g -p PID",
     "toplev rule, thresholds of generic"},
    {"generic PMU without stalls", "toplev", "generic", "IPC=0.6 CPI=1.67 Cache_Miss_Ratio=0.12",
     NULL, ADVICE_UNSURE, "Cache_Miss_Ratio",
     "Level 1 is not known; over a threshold of its own: Cache_Miss_Ratio 12.0%, CPI 1.67",
     "Find the loads that leave the caches; sample cache_misses; run perf record -e cache-misses "
     "-c 10000 -g -p PID; the doctor (9) says what this machine lacks",
     "toplev rule, thresholds of generic"},
    {"no PMU: own code", "toplev", "software",
     "User=0.93 Kernel=0.05 Run_Queue_Wait=0.02 CPUs_Utilized=3.98 Context_Switches_Per_S=120",
     NULL, ADVICE_SURE, "User",
     "Busy with its own code, 93.0% of time; CPUs_Utilized 3.98, Context_Switches_Per_S 120/s",
     "Profile by time to see which code is busy; run perf record -e cpu-clock -g -p PID",
     "toplev rule, thresholds of software"},
    {"no PMU: kernel", "toplev", "software",
     "User=0.31 Kernel=0.66~0.02 Run_Queue_Wait=0.03 CPUs_Utilized=1.2 "
     "Context_Switches_Per_S=12345 Minor_Faults_Per_S=88",
     NULL, ADVICE_SURE, "Kernel",
     "Busy in the kernel, 66.0% of time ± 2.0; Context_Switches_Per_S 12.3k/s, Minor_Faults_Per_S "
     "88/s",
     "Count its system calls; run perf trace -s -p PID", "toplev rule, thresholds of software"},
    {"no PMU: run queue", "toplev", "software",
     "User=0.5 Kernel=0.12 Run_Queue_Wait=0.38 CPUs_Utilized=2 Threads=9", NULL, ADVICE_SURE,
     "Run_Queue_Wait", "Waiting for a CPU, 38.0% of time; Threads 9, CPUs_Utilized 2",
     "Compare threads with CPUs, quotas and affinity masks; run perf sched record -- sleep 10, "
     "then perf sched latency",
     "toplev rule, thresholds of software"},
    {"no PMU: hardly running", "toplev", "software",
     "User=0.9 Kernel=0.1 Run_Queue_Wait=0 CPUs_Utilized=0.003", NULL, ADVICE_UNSURE, "User",
     "Busy with its own code, 90.0% of time; mostly idle: under 0.01 CPUs busy",
     "First see what it waits for: load, locks or input", "toplev rule, thresholds of software"},
    {"level 1: backend", "perf-topdown", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.55~0.01 Retiring=0.3 IPC=0.8",
     "Backend_Bound=0.47~0.01", ADVICE_SURE, "Backend_Bound",
     "Work waits for data or for execution ports: backend 55.0% ± 1.0, over 40%, up 8.0 points "
     "since the baseline; also CPI 1.25; 3 of its 8 metrics not measured",
     "Tell memory from ports; open Memory_Bound (Enter on it)", "perf-topdown, Mode 3"},
    {"level 1: two alike", "perf-topdown", "spr",
     "Frontend_Bound=0.21 Bad_Speculation=0.05 Backend_Bound=0.43 Retiring=0.31", NULL, ADVICE_TIE,
     "Backend_Bound",
     "Work waits for data or for execution ports: backend 43.0% and frontend 21.0%, both over "
     "their limits by as much; 4 of its 8 metrics not measured",
     "Tell memory from ports; open Memory_Bound (Enter on it)", "perf-topdown, Mode 3"},
    {"ratios from counts per instruction", "perf-topdown", "spr",
     "Frontend_Bound=0.1 Bad_Speculation=0.12 Backend_Bound=0.3 Retiring=0.48 IPC=2 "
     "Info_Inst_Mix_IpBranch=6~0.06 Info_Bad_Spec_IpMispredict=80~1.6",
     NULL, ADVICE_SURE, "Branch_Mispredicts",
     "The predictor fails often: branch misses 7.5% ± 0.2, over 5%; 2 of its 8 metrics not "
     "measured",
     "Suspect the predictor or the layout of code, and record branches; open Branch_Mispredicts "
     "(Enter on it); sample BR_MISP_RETIRED.ALL_BRANCHES",
     "perf-topdown, Mode 2"},
    {"between the limits", "perf-topdown", "zen4",
     "Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.35 Retiring=0.5 IPC=2 "
     "branch_misprediction_ratio=0.03",
     NULL, ADVICE_CLEAR, "branch_misprediction_ratio",
     "Nothing is over its limit: branch misses 3.0%, between 2% and 5%",
     "If it grows, suspect the predictor or the layout of code, and record branches; see "
     "Branch_Mispredicts; sample ex_ret_brn_misp",
     "perf-topdown, Mode 2"},
    {"all is well", "perf-topdown", "zen4",
     "Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.35 Retiring=0.5 IPC=2 "
     "branch_misprediction_ratio=0.01",
     NULL, ADVICE_CLEAR, "Backend_Bound", "Instructions flow: CPI 0.50; nothing is over its limit",
     "Nothing to do by these limits; a baseline shows what changes", "perf-topdown, Mode 2"},
    {"generic counters", "perf-topdown", "generic", "IPC=0.6 CPI=1.67 Branch_Miss_Ratio=0.08", NULL,
     ADVICE_SURE, "Branch_Miss_Ratio",
     "The predictor fails often: branch misses 8.0%, over 5%; also CPI 1.67; 2 of its 4 metrics "
     "not measured",
     "Suspect the predictor or the layout of code, and record branches; sample branch_misses",
     "perf-topdown, Mode 2"},
    {"a table without counters", "perf-topdown", "software", "User=0.9 Kernel=0.1 Run_Queue_Wait=0",
     NULL, ADVICE_UNKNOWN, "", "Model software has no metric that perf-topdown judges",
     "Choose another source of advice: toplev fits every model", "perf-topdown"},
    {"nothing of it measured", "perf-topdown", "adl-grt", "", NULL, ADVICE_UNKNOWN, "",
     "None of the metrics that perf-topdown judges is measured",
     "Let the metrics view measure them", "perf-topdown"},
    {"critical IPC", "perf-counters", "spr",
     "IPC=0.21~0.002 Backend_Bound=0.8 Frontend_Bound=0.05 Bad_Speculation=0.01 Retiring=0.14",
     NULL, ADVICE_SURE, "IPC",
     "The core stands still, almost surely for DRAM: IPC 0.21, below 0.3; 3 of its 4 metrics not "
     "measured",
     "Find out whether loads go to memory (one takes 200 to 300 cycles); open DRAM_Bound (Enter on "
     "it); sample MEM_LOAD_RETIRED.L3_MISS",
     "perf-counters, The IPC Ratio"},
    {"poor IPC, cache misses first", "perf-counters", "generic", "IPC=0.6 Cache_Miss_Ratio=0.12",
     NULL, ADVICE_SURE, "Cache_Miss_Ratio",
     "The cache the kernel calls last misses often: cache misses 12.0%, over 5%; also IPC 0.60",
     "Sample those misses with their call stacks; see Backend_Stalls; sample cache_misses; run "
     "perf record -e cache-misses -g -p PID",
     "perf-counters, Diagnostic Workflows"},
    {"poor IPC at its limit", "perf-counters", "zen4", "IPC=0.79~0.02", NULL, ADVICE_UNSURE, "IPC",
     "Poor: memory latency holds much of it up: IPC 0.79 ± 0.02, about at its limit of 0.8; 1 of "
     "its 2 metrics not measured",
     "Measure stalls of frontend and backend; see Memory_Bound; a longer interval makes sure",
     "perf-counters, The IPC Ratio"},
    {"moderate IPC", "perf-counters", "neoverse-n1", "IPC=1.2 ll_cache_read_miss_ratio=0.01", NULL,
     ADVICE_CLEAR, "IPC", "Moderate: some pressure from memory or branches: IPC 1.20",
     "Look at misses of caches and branches; see Backend_Stalls", "perf-counters, The IPC Ratio"},
    {"good IPC", "perf-counters", "zen4", "IPC=2.2", NULL, ADVICE_CLEAR, "IPC",
     "Good, with some stalls: IPC 2.20; nothing is over its limit; 1 of its 2 metrics not measured",
     "Nothing to do by these limits; a baseline shows what changes",
     "perf-counters, The IPC Ratio"},
    {"excellent IPC", "perf-counters", "zen4", "IPC=3.8", NULL, ADVICE_CLEAR, "IPC",
     "Excellent: bound by computing: IPC 3.80; nothing is over its limit; 1 of its 2 metrics not "
     "measured",
     "Fewer or wider instructions are what is left; open Retiring (Enter on it)",
     "perf-counters, The IPC Ratio"},
    {"E-core IPC", "perf-counters", "adl-grt", "IPC=0.9", "IPC=1.3", ADVICE_CLEAR, "IPC",
     "Moderate: some pressure from memory or branches: IPC 0.90, down 31% since the baseline",
     "Look at misses of caches and branches; open Backend_Bound (Enter on it)",
     "perf-counters, The IPC Ratio"},
    {"memory stalls on Arm", "linux-perf-profile", "neoverse-v1",
     "Backend_Memory_Stalls=0.33~0.005 backend_stalled_cycles=0.45 frontend_stalled_cycles=0.05 "
     "IPC=0.9",
     NULL, ADVICE_SURE, "Backend_Memory_Stalls",
     "Cycles are lost waiting for data: backend stalls for memory 33.0% ± 0.5, over 25%; also "
     "backend stalls 45.0%, IPC 0.90; 9 of its 13 metrics not measured",
     "Go on to misses of L2 and of the last-level cache; see the metrics of L2_Cache_Effectiveness "
     "and LL_Cache_Effectiveness; sample L2D_CACHE_REFILL",
     "linux-perf-profile, Mode 1"},
    {"mispredicts on Arm", "linux-perf-profile", "neoverse-n1",
     "Frontend_Stalls=0.15 Backend_Stalls=0.25 branch_misprediction_ratio=0.041 IPC=1.5",
     "branch_misprediction_ratio=0.02", ADVICE_SURE, "branch_misprediction_ratio",
     "Retired branches are guessed wrong: mispredicts of retired branches 4.1%, over 3%, up 2.1 "
     "points since the baseline; 6 of its 10 metrics not measured",
     "Sample them; see the metrics of Branch_Effectiveness; sample BR_MIS_PRED_RETIRED; run perf "
     "record -e br_mis_pred_retired -c 1000 -g -p PID",
     "linux-perf-profile, Mode 4"},
    {"the mix of instructions", "linux-perf-profile", "neoverse-n1",
     "Frontend_Stalls=0.05 Backend_Stalls=0.15 IPC=0.8", NULL, ADVICE_SURE, "IPC",
     "Few instructions a cycle although little stalls: the mix of instructions: IPC 0.80, below "
     "1.0; 7 of its 10 metrics not measured",
     "Look for slow instructions and for many µops each; see the metrics of Operation_Mix; sample "
     "INST_SPEC",
     "linux-perf-profile, Mode 1"},
    {"Arm, all is well", "linux-perf-profile", "neoverse-n1",
     "Frontend_Stalls=0.05 Backend_Stalls=0.15 IPC=2.6", NULL, ADVICE_CLEAR, "IPC",
     "Instructions finish at a good rate: IPC 2.60; nothing is over its limit; 7 of its 10 metrics "
     "not measured",
     "Nothing to do by these limits; a baseline shows what changes", "linux-perf-profile, Mode 1"},
    {"a small ratio, up", "linux-perf-profile", "neoverse-n1",
     "ITLB_Walks=0.012~0.0004 Frontend_Stalls=0.08 Backend_Stalls=0.25 IPC=2.2",
     "ITLB_Walks=0.0015", ADVICE_SURE, "ITLB_Walks",
     "Code is spread over too many pages: instruction page walks 1.2%, over 1%, up 1.1 points "
     "since the baseline; 6 of its 10 metrics not measured",
     "Look for bloat: copies of generic code, heavy inlining; see the metrics of "
     "ITLB_Effectiveness; sample ITLB_WALK",
     "linux-perf-profile, Mode 3"},
    {"stalls beyond L3 by the model's threshold", "perf-counters", "spr",
     "IPC=1.4 Frontend_Bound=0.1 Bad_Speculation=0.05 Backend_Bound=0.5 Retiring=0.35 "
     "Memory_Bound=0.4 DRAM_Bound=0.3~0.01 L1_Bound=0.05",
     NULL, ADVICE_SURE, "DRAM_Bound",
     "Stalls reach beyond the last cache: stalls beyond L3 30.0% ± 1.0, over the model's "
     "threshold; 1 of its 4 metrics not measured",
     "Shrink the working set, or walk it in another order; open MEM_Latency (Enter on it); sample "
     "MEM_LOAD_RETIRED.L3_MISS",
     "perf-counters, Diagnostic Workflows"},
    {"Arm's table elsewhere", "linux-perf-profile", "spr", "IPC=0.8", NULL, ADVICE_UNKNOWN, "",
     "linux-perf-profile is for Arm cores, this one is by Intel",
     "Choose another source of advice: toplev fits every model", "linux-perf-profile"},
};

/* The whole in one line of so many columns. */
static const struct {
    int scenario, columns;
    const char *line;
} shorts[] = {
    {0, 80, "Waiting for L3, 12.8% of clocks ± 0.9. Open L3_Bound (B, then Enter)"},
    {0, 120,
     "Waiting for L3, 12.8% of clocks ± 0.9, up 4.9 points since the baseline. Open L3_Bound (B, "
     "then Enter)"},
    {0, 200,
     "Waiting for L3, 12.8% of clocks ± 0.9, up 4.9 points since the baseline. Open L3_Bound (B, "
     "then Enter) for Contested_Accesses, Data_Sharing and 2 more; partition data by thread or "
     "core"},
    {1, 80, "Waiting for DRAM, 31.0% of clocks ± 2.0. Open DRAM_Bound (B, then Enter)"},
    {2, 80, "Waiting for memory, 45.0% ± 1.0. Look at DRAM_Bound and L3_Bound (B goes there)"},
    {2, 120,
     "Waiting for memory, 45.0% of slots ± 1.0. Look at DRAM_Bound and L3_Bound (B goes there)"},
    {2, 200,
     "Waiting for memory, 45.0% of slots ± 1.0; below it waiting for DRAM 22.0%, waiting for L3 "
     "20.0% of clocks: a tie. Look at DRAM_Bound and L3_Bound (B goes there); a longer interval "
     "may "
     "tell them apart"},
    {3, 80, "Backend-bound 33.0%, frontend-bound 32.5% of slots: a tie"},
    {4, 80, "Waiting for L3, 5.2% of clocks ± 0.6, about at its threshold of 5.0%"},
    {5, 80, "Waiting for L3, 8.0% of clocks ± 0.2. Open L3_Bound (B, then Enter)"},
    {6, 80, "Nothing is over its threshold; largest: useful work, 65.0% of slots"},
    {6, 120,
     "Nothing is over its threshold; largest: useful work, 65.0% of slots. Look for work to skip"},
    {6, 200,
     "Nothing is over its threshold; largest: useful work, 65.0% of slots. Look for work to skip; "
     "a baseline shows what changes"},
    {7, 80, "Nothing is over its threshold, but backend-bound, 19.4%, is about at its 20.0%"},
    {8, 80, "Useful work: plain instructions, 78.0%. Open Light_Operations (B, then Enter)"},
    {9, 80, "Level 1 is not known. The doctor (9) says what this machine lacks"},
    {10, 80, "Frontend-bound, 22.0% of slots; Backend_Bound is not known"},
    {11, 80, "Frontend-bound, 50.0%; mostly idle: 0.01 CPUs busy. First see what it waits for"},
    {12, 80, "Mispredicted branches, 30.0% of slots ± 1.0. Sample BR_MISP_RETIRED.ALL_BRANCHES"},
    {13, 80, "Cache lines that cores fight over, 30.0% of clocks ± 2.0"},
    {14, 80, "Waiting for instructions, 26.0% of slots ± 0.8"},
    {15, 80, "Mispredicted branches, 28.0% of slots ± 1.0, down 7.0 points since the baseline"},
    {16, 80, "Stalled at the backend, 52.0%. See whether caches miss; if not, it is execution"},
    {17, 80, "Nothing is over its threshold; largest: not stalled, 72.0% of cycles"},
    {18, 80, "Full buffers, 40.0% of slots. Open Resource_Bound (B, then Enter)"},
    {19, 80, "Stalled at the backend, 55.0%. See whether caches miss; if not, it is execution"},
    {19, 120,
     "Stalled at the backend, 55.0% of cycles; IPC 0.60. See whether caches miss; if not, it is "
     "execution; sample cache_misses"},
    {19, 200,
     "Stalled at the backend, 55.0% of cycles; IPC 0.60, Cache_Miss_Ratio 12.0%. See whether "
     "caches miss; if not, it is execution; sample cache_misses; run perf record -e cache-misses "
     "-g -p PID"},
    {20, 80, "Level 1 is not known; over a threshold of its own: Cache_Miss_Ratio 12.0%"},
    {21, 80, "Busy with its own code, 93.0% of time. Profile by time to see which code is busy"},
    {22, 80, "Busy in the kernel, 66.0% of time ± 2.0. Count its system calls"},
    {23, 80, "Waiting for a CPU, 38.0%. Compare threads with CPUs, quotas and affinity masks"},
    {24, 80, "Busy with its own code, 90.0% of time; mostly idle: under 0.01 CPUs busy"},
    {25, 80, "perf-topdown says: Backend 55.0% ± 1.0, over 40%. Tell memory from ports"},
    {25, 120,
     "perf-topdown says: Work waits for data or for execution ports: backend 55.0% ± 1.0, over "
     "40%. Tell memory from ports"},
    {25, 200,
     "perf-topdown says: Work waits for data or for execution ports: backend 55.0% ± 1.0, over "
     "40%, up 8.0 points since the baseline; also CPI 1.25. Tell memory from ports; open "
     "Memory_Bound (Enter on it)"},
    {26, 80, "perf-topdown says: Backend 43.0% and frontend 21.0%. Tell memory from ports"},
    {27, 80, "perf-topdown says: The predictor fails often: branch misses 7.5% ± 0.2, over 5%"},
    {28, 80, "perf-topdown says: Branch misses 3.0%, between 2% and 5%. See Branch_Mispredicts"},
    {29, 80, "perf-topdown says: Instructions flow: CPI 0.50. Nothing to do by these limits"},
    {30, 80, "perf-topdown says: The predictor fails often: branch misses 8.0%, over 5%"},
    {31, 80, "Model software has no metric that perf-topdown judges"},
    {32, 80, "None of the metrics that perf-topdown judges is measured"},
    {33, 80, "perf-counters says: IPC 0.21, below 0.3. Open DRAM_Bound (Enter on it)"},
    {34, 80, "perf-counters says: Cache misses 12.0%, over 5%. See Backend_Stalls"},
    {35, 80, "perf-counters says: IPC 0.79 ± 0.02, about at its limit of 0.8. See Memory_Bound"},
    {36, 80, "perf-counters says: IPC 1.20. Look at misses of caches and branches"},
    {37, 80, "perf-counters says: IPC 2.20. Nothing to do by these limits"},
    {38, 80, "perf-counters says: IPC 3.80. Fewer or wider instructions are what is left"},
    {39, 80, "perf-counters says: IPC 0.90. Look at misses of caches and branches"},
    {40, 80, "linux-perf-profile says: Backend stalls for memory 33.0% ± 0.5, over 25%"},
    {40, 120,
     "linux-perf-profile says: Backend stalls for memory 33.0%, over 25%. Go on to misses of L2 "
     "and of the last-level cache"},
    {40, 200,
     "linux-perf-profile says: Cycles are lost waiting for data: backend stalls for memory 33.0% ± "
     "0.5, over 25%. Go on to misses of L2 and of the last-level cache; sample L2D_CACHE_REFILL"},
    {41, 80, "linux-perf-profile says: Mispredicts of retired branches 4.1%, over 3%"},
    {42, 80, "linux-perf-profile says: IPC 0.80, below 1.0. See the metrics of Operation_Mix"},
    {43, 80, "linux-perf-profile says: IPC 2.60. Nothing to do by these limits"},
    {44, 80, "linux-perf-profile says: Instruction page walks 1.2%, over 1%. Sample ITLB_WALK"},
    {45, 80, "perf-counters says: Stalls beyond L3 30.0% ± 1.0, over the model's threshold"},
    {46, 80, "linux-perf-profile is for Arm cores, this one is by Intel"},
};
