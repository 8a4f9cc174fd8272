# fish completion of tdtop: made by tools/docs.py; make docs-made writes it anew
complete -c tdtop -f
function __tdtop_names
    set -l head (string match -r '^(?:.*[./]|[Tt][Mm][Aa]_)' -- (commandline -ct))
    COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1 | string replace -r '^' "$head"
end
set -l verbs demo replay collect ab serve agent install-service mcp where annotate runs list query compare history export import label rm reeval sql db models explain guide doctor selftest plan version help
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a demo -d 'the live screen on a simulated core; says SIMULATED'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a replay -d 'the live screen on a recording of perf stat (- is standard input) or a run'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a collect -d 'measure without a screen; store it as a run'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a ab -d 'two commands in turns, until it is sure which is faster; or a server switched by --a and --b'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a serve -d 'counters and shares for Prometheus, until it is stopped'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a agent -d 'measures what a file names, by schedule and rules, until it is stopped'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a install-service -d 'a unit of systemd for the agent, with as few rights as it needs'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a mcp -d 'the Model Context Protocol on standard input and output, for AI assistants'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a where -d 'which functions a node, CPU time or (off-cpu) waiting is spent in: sampled now, or of a run'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a annotate -d 'source lines and instructions of a function, with their shares'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a runs -d 'the stored runs on the screen: browse, label, compare, trends'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a list -d 'the stored runs, newest first'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a query -d 'the values of a run: what limits it'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a compare -d 'two runs: what really changed; a gate for CI'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a history -d 'one metric over the runs of a filter'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a export -d 'a run as JSON, CSV or a report'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a import -d 'recordings and other tools\' data become runs, of the time they were measured'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a label -d 'set labels of a run; KEY- takes one off'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a rm -d 'remove runs; undone until db prune'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a reeval -d 'a run\'s counts by today\'s model, as a new run'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a sql -d 'rows of a query over the store; nothing is changed'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a db -d 'care for the store: init, stats, path, check, vacuum, prune, copy'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a models -d 'the models; NAME: its tree, -v formulas and events too; NODE: one whole'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'what a metric, node or group means, why it is high, what to try'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a guide -d 'the method on a few short pages: what to look at, and how far to trust it'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a doctor -d 'every check: found, effect, exact fix'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a selftest -d 'measures small programs of known character; exit 1 if one led elsewhere'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a plan -d 'groups of counters: which events, how often, for which nodes'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a version -d 'version and libraries'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -a help -d 'this text, or a verb\'s options'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l process -s P -r -d 'all processes of this name; waits for the first, and for others when all have ended'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l tid -s t -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cgroup -s G -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l all -s a -d 'the whole system'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cpus -s C -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l user -d 'user space only'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l kernel -d 'count the kernel only'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l interval -s I -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l interval -s I -r -d 'time between samples: 100, 250ms, 1s (default 1s, floor 20ms)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l duration -s d -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l duration -s d -r -d 'stop after this time: 30s, 5m'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l count -s n -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l count -s n -r -d 'stop after N intervals'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l level -s l -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l nodes -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l focus -x -a 'auto open off'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l focus -r -d 'count beside levels 1 and 2: auto: what is open and the bottleneck path; open; off: all in equal turns (rows by default; collect and ab without it: all, level 1 half of the time)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l const -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l per-thread -d 'rows: each thread, too: level 1 and the vital metrics'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l per-cpu -d 'rows: each CPU, too, where CPUs are counted (-a, -C, -G)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l batch -s b -d 'rows instead of the screen'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l speak -d 'for screen readers: plain lines, only what changes; type help and Enter'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l every -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l every -r -d '--speak: level 1 this often (default: when asked, by Enter)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l separator -s x -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l separator -s x -r -d 'CSV with this separator'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l output -s o -r -F
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l output -s o -r -d 'what is printed goes to FILE'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l summary -d 'after the last interval, the whole run; models NAME: the tree in short'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l control -r -F
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l control -r -d 'the screen takes commands from FIFO (made if missing): mark NAME, snapshot KEY=VALUE ..., pause, resume, reset, quit'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l baseline -x
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l baseline -r -d 'the screen compares with this stored run: the first digits of its id, or @0 for the newest'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l db -r -F
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l explain-value -x -a '(__tdtop_names)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l explain-value -r -d 'rows: how the value of NODE came about, down to the counts'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l theme -x -a 'colorblind default gruvbox high-contrast light mono nord solarized-dark solarized-light'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l theme -r -d 'default, light, nord, mono ... (F2 shows all), one of your own, or a file'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l advice -x -a 'linux-perf-profile perf-counters perf-topdown toplev'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l advice -r -d 'whose rules the sentence follows: toplev (default), perf-topdown, linux-perf-profile, perf-counters'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l color -x -a 'auto mono 8 16 256 truecolor'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l color -r -d 'auto, mono, 8, 16, 256 or truecolor'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l ascii -d 'draw with ASCII characters only'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l no-mouse -d 'leave the mouse to the terminal'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l quiet -d 'print nothing when the screen is left'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l config -r -F
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l log -r -F
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l help -s h -d 'this text'
complete -c tdtop -n "not __fish_seen_subcommand_from $verbs" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l interval -s I -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l interval -s I -r -d 'time between samples: 100, 250ms, 1s (default 1s, floor 20ms)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l duration -s d -r -d 'stop after this time: 30s, 5m'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l count -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l count -s n -r -d 'stop after N intervals'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l focus -x -a 'auto open off'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l focus -r -d 'count beside levels 1 and 2: auto: what is open and the bottleneck path; open; off: all in equal turns (rows by default; collect and ab without it: all, level 1 half of the time)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l per-thread -d 'rows: each thread, too: level 1 and the vital metrics'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l per-cpu -d 'rows: each CPU, too, where CPUs are counted (-a, -C, -G)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l batch -s b -d 'rows instead of the screen'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l speak -d 'for screen readers: plain lines, only what changes; type help and Enter'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l every -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l every -r -d '--speak: level 1 this often (default: when asked, by Enter)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l separator -s x -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l separator -s x -r -d 'CSV with this separator'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l output -s o -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l output -s o -r -d 'what is printed goes to FILE'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l summary -d 'after the last interval, the whole run; models NAME: the tree in short'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l control -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l control -r -d 'the screen takes commands from FIFO (made if missing): mark NAME, snapshot KEY=VALUE ..., pause, resume, reset, quit'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l baseline -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l baseline -r -d 'the screen compares with this stored run: the first digits of its id, or @0 for the newest'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l explain-value -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l explain-value -r -d 'rows: how the value of NODE came about, down to the counts'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l speed -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l speed -r -d 'N times as fast; 0 = as fast as possible (default: 1 on the screen, 0 in batch)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l at -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l at -r -d 'run on to this moment and stand still'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l seed -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l seed -r -d 'the same seed gives the same numbers'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l save -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l save -r -d 'no screen: its picture at the end or at --at goes to FILE.svg, .ansi, .txt or .md'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l screen -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l screen -r -d 'of the picture (default 120x40)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l press -x
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l press -r -d 'keys that are pressed before the picture is taken: 2, 3e'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l theme -x -a 'colorblind default gruvbox high-contrast light mono nord solarized-dark solarized-light'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l theme -r -d 'default, light, nord, mono ... (F2 shows all), one of your own, or a file'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l advice -x -a 'linux-perf-profile perf-counters perf-topdown toplev'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l advice -r -d 'whose rules the sentence follows: toplev (default), perf-topdown, linux-perf-profile, perf-counters'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l color -x -a 'auto mono 8 16 256 truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l color -r -d 'auto, mono, 8, 16, 256 or truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l ascii -d 'draw with ASCII characters only'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l no-mouse -d 'leave the mouse to the terminal'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l quiet -d 'print nothing when the screen is left'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l log -r -F
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from demo" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l duration -s d -r -d 'stop after this time: 30s, 5m'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l count -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l count -s n -r -d 'stop after N intervals'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l batch -s b -d 'rows instead of the screen'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l speak -d 'for screen readers: plain lines, only what changes; type help and Enter'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l every -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l every -r -d '--speak: level 1 this often (default: when asked, by Enter)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l separator -s x -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l separator -s x -r -d 'CSV with this separator'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l output -s o -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l output -s o -r -d 'what is printed goes to FILE'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l summary -d 'after the last interval, the whole run; models NAME: the tree in short'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l control -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l control -r -d 'the screen takes commands from FIFO (made if missing): mark NAME, snapshot KEY=VALUE ..., pause, resume, reset, quit'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l baseline -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l baseline -r -d 'the screen compares with this stored run: the first digits of its id, or @0 for the newest'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l explain-value -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l explain-value -r -d 'rows: how the value of NODE came about, down to the counts'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l only -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l only -r -d 'only this CPU0, S0, thread or cgroup of the recording'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l speed -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l speed -r -d 'N times as fast; 0 = as fast as possible (default: 1 on the screen, 0 in batch)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l at -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l at -r -d 'run on to this moment and stand still'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l save -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l save -r -d 'no screen: its picture at the end or at --at goes to FILE.svg, .ansi, .txt or .md'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l screen -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l screen -r -d 'of the picture (default 120x40)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l press -x
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l press -r -d 'keys that are pressed before the picture is taken: 2, 3e'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l theme -x -a 'colorblind default gruvbox high-contrast light mono nord solarized-dark solarized-light'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l theme -r -d 'default, light, nord, mono ... (F2 shows all), one of your own, or a file'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l advice -x -a 'linux-perf-profile perf-counters perf-topdown toplev'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l advice -r -d 'whose rules the sentence follows: toplev (default), perf-topdown, linux-perf-profile, perf-counters'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l color -x -a 'auto mono 8 16 256 truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l color -r -d 'auto, mono, 8, 16, 256 or truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l ascii -d 'draw with ASCII characters only'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l no-mouse -d 'leave the mouse to the terminal'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l quiet -d 'print nothing when the screen is left'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l log -r -F
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from replay" -r -F
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l process -s P -r -d 'all processes of this name, until they end; waits for the first, at most as long as -d'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l tid -s t -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cgroup -s G -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cpus -s C -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l user -d 'user space only'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l kernel -d 'count the kernel only'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l interval -s I -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l interval -s I -r -d 'time between samples: 100, 250ms, 1s (default 1s, floor 20ms)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l duration -s d -r -d 'stop after this time: 30s, 5m'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l count -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l count -s n -r -d 'stop after N intervals'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l focus -x -a 'auto open off'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l focus -r -d 'count beside levels 1 and 2: auto: what is open and the bottleneck path; open; off: all in equal turns (rows by default; collect and ab without it: all, level 1 half of the time)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l branches -d '--where: with branch records, whatever the node (those below Branch_Mispredicts have them)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l where -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l where -r -d 'sample the code meanwhile, and keep it in the run: nodes or events, one after the other; auto: of the bottleneck path; off-cpu: what it waits for'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l demo -d 'measure the simulated core, not in real time; the run says SIMULATED'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l label -s L -r -d 'a label of the run; may be repeated, and wins over an automatic one'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l note -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l note -r -d 'a note of the run; label --note \'\' takes it off'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l repeat -s r -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l repeat -s r -r -d 'N runs one after the other, each with a label repeat=i/N'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l every -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l every -r -d 'the runs of -r begin this far apart (without -r: until stopped)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l when -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l when -r -d 'keep only the time around what RULE finds: \'DRAM_Bound > 30% for 2s\', \'IPC:-10% for 10s\' beside --baseline; may be repeated'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l around -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l around -r -d '--when: how much is kept before and behind it (default 1m)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l then -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l then -r -d '--when: for sh -c; TDTOP_METRIC, TDTOP_VALUE, TDTOP_RUN and others say what was found'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l baseline -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l baseline -r -d '--when: rules such as IPC:-10% are beside this stored run'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l seed -x
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l seed -r -d 'the same seed gives the same numbers'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l log -r -F
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from collect" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l process -s P -r -d 'all processes of this name, until they end; waits for the first, at most as long as -d'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l tid -s t -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cgroup -s G -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cpus -s C -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l user -d 'user space only'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l kernel -d 'count the kernel only'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l interval -s I -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l interval -s I -r -d 'time between samples: 100, 250ms, 1s (default 1s, floor 20ms)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l a -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l a -r -d 'for sh -c: with a target it switches that to A before each span; without, it is command A'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l b -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l b -r -d 'B likewise'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l span -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l span -r -d 'with a target: measure for so long after each switch (default 3s)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l settle -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l settle -r -d 'with a target: wait between switch and span (default 1s)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l by -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l by -r -d 'what decides: it ends when a change of it is sure, or that there is none above --least (default elapsed; cpu_time is steadier on a busy machine; with a target IPC and level 1)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l duration -s d -r -d 'begin no pair that would end after this time (default 5m)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l count -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l count -s n -r -d 'at most N pairs (default 100)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l focus -x -a 'auto open off'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l focus -r -d 'count beside levels 1 and 2: auto: what is open and the bottleneck path; open; off: all in equal turns (rows by default; collect and ab without it: all, level 1 half of the time)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label -s L -r -d 'a label of the run; may be repeated, and wins over an automatic one'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l note -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l note -r -d 'a note of the run; label --note \'\' takes it off'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l sort -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l sort -r -d 'time, duration, process, model or metric; compare: effect or name; KEY- or -KEY: reversed'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l metric -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l metric -r -d 'list: a column with its value; elsewhere only this one (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label-a -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label-a -r -d 'a label of A\'s runs alone (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label-b -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l label-b -r -d 'of B\'s'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l fail-on -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l fail-on -r -d 'exit 1 if B is beyond it: Backend_Bound:+2 (points), IPC:-5% (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l preset -x -a 'tutorial strict'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l preset -r -d 'rules for --fail-on: tutorial, strict'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l confidence -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l confidence -r -d 'of the verdicts (default 95)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l least -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l least -r -d 'what is less does not matter: 1 (points of shares), 2% (of everything else), or 1,2%'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l markdown -d 'a report'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l seed -x
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l seed -r -d 'of the order ABBA or BAAB of each two pairs (default: another each time; it is said)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l log -r -F
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from ab" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l process -s P -r -d 'all processes of this name; waits for the first, and for others when all have ended'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l tid -s t -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cgroup -s G -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cpus -s C -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l listen -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l listen -r -d 'answer GET /metrics there (default 127.0.0.1:9464, without --textfile)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l textfile -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l textfile -r -d 'a file there, for node_exporter\'s textfile collector; removed at the end'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l insecure-listen -d '--listen: also where others can reach it: there is no TLS'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l user -d 'user space only'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l kernel -d 'count the kernel only'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l interval -s I -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l interval -s I -r -d 'time between samples: 100, 250ms, 1s (default 1s, floor 20ms)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l duration -s d -r -d 'stop after this time: 30s, 5m'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l count -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l count -s n -r -d 'stop after N intervals'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l demo -d 'the simulated core, in real time; to try what reads it'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l label -s L -r -d 'a label of all series (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l seed -x
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l seed -r -d 'the same seed gives the same numbers'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from serve" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l config -r -d 'what the agent measures (default ~/.config/tdtop/agent.toml, else /etc/tdtop/agent.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l dry-run -d 'only check the file'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from agent" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l config -r -d 'what the agent measures (default ~/.config/tdtop/agent.toml, else /etc/tdtop/agent.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l user -d 'of your own systemd, without further rights'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l preview -d 'only print it; nothing is written'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from install-service" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l listen -x
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l listen -r -d 'answer POST /mcp there, in the place of standard input and output; with --token-file'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l token-file -x
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l token-file -r -d '--listen: who asks shows the first line of this file (Authorization: Bearer)'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l insecure-listen -d '--listen: also where others can reach it: there is no TLS'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l allow-collect -d 'also offer to measure, what you may measure yourself'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from mcp" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l process -s P -r -d 'all processes of this name that run now'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l tid -s t -x
complete -c tdtop -n "__fish_seen_subcommand_from where" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cgroup -s G -x
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cpus -s C -x
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l user -d 'user space only'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from where" -l duration -s d -r -d 'sample for this time (default 10s)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l output -s o -r -F
complete -c tdtop -n "__fish_seen_subcommand_from where" -l output -s o -r -d 'what is printed goes to FILE; .svg is a flame graph, .folded stacks, .speedscope.json and .pprof profiles'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l folded -d 'folded stacks, a line each, for flame graphs'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l branches -d 'branches by the CPU\'s records of them: how often taken, mispredicted, after which cycles'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l accesses -d 'cache lines by the addresses of samples: latency, source, threads, false sharing; without NODE of all loads'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l limit -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from where" -l limit -s n -r -d 'at most N (0: all; default: list 20, where 20, query 10, others all)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from where" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from where" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from where" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l pid -s p -x -a '(ps -eo pid= 2>/dev/null)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l pid -s p -r -d 'all threads of these processes; spaces divide, too: -p $(pidof nginx)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l process -s P -r -d 'all processes of this name that run now'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l tid -s t -x
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l tid -s t -r -d 'these threads and no others'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cgroup -s G -x
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cgroup -s G -r -d 'a cgroup: its path, a unit such as redis-server, or a container\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cpus -s C -x
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cpus -s C -r -d 'these CPUs: 0-3,8'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l user -d 'user space only'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l duration -s d -x
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l duration -s d -r -d 'sample for this time (default 10s)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l where -x
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l where -r -d 'of several samples those of this node or event; annotate TARGET: what is sampled'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from annotate" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l theme -x -a 'colorblind default gruvbox high-contrast light mono nord solarized-dark solarized-light'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l theme -r -d 'default, light, nord, mono ... (F2 shows all), one of your own, or a file'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l color -x -a 'auto mono 8 16 256 truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l color -r -d 'auto, mono, 8, 16, 256 or truecolor'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l ascii -d 'draw with ASCII characters only'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l no-mouse -d 'leave the mouse to the terminal'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l log -r -F
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l log -r -d 'what tdtop does, for developers'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from runs" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l limit -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l limit -s n -r -d 'at most N (0: all; default: list 20, where 20, query 10, others all)'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l sort -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l sort -r -d 'time, duration, process, model or metric; compare: effect or name; KEY- or -KEY: reversed'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l group-by -x
complete -c tdtop -n "__fish_seen_subcommand_from list" -l group-by -r -d 'runs of one value of the label together'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l metric -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l metric -r -d 'list: a column with its value; elsewhere only this one (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l removed -d 'the runs that rm removed, the last one first; rm --undo brings them back'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from list" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from list" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l run -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l run -r -d 'the first digits of its id, or @0 for the newest by the time it was measured, @1 for the one before'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l limit -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l limit -s n -r -d 'at most N (0: all; default: list 20, where 20, query 10, others all)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l funnel -d 'where the slots went, depth first, to level 3'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l tree -d 'the whole tree'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l bottlenecks -d 'all over their threshold of at least --min-pct, largest first: slots, then clocks and others'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l bottleneck -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l bottleneck -r -d 'the runs in which NODE has at least --min-pct, largest first'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l min-pct -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l min-pct -r -d 'least value of what is shown (default 5)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from query" -l level -s l -r -d 'deepest level shown; 0 = all (default; --funnel: 3)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from query" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from query" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from query" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l where -d 'functions whose share of the samples has changed, of two runs of collect --where'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l sort -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l sort -r -d 'time, duration, process, model or metric; compare: effect or name; KEY- or -KEY: reversed'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l metric -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l metric -r -d 'list: a column with its value; elsewhere only this one (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label-a -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label-a -r -d 'A is all runs with these labels (may be repeated); three or more are samples'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label-b -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l label-b -r -d 'B likewise'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l fail-on -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l fail-on -r -d 'exit 1 if B is beyond it: Backend_Bound:+2 (points), IPC:-5% (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l preset -x -a 'tutorial strict'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l preset -r -d 'rules for --fail-on: tutorial, strict'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l confidence -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l confidence -r -d 'of the verdicts (default 95)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l least -x
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l least -r -d 'what is less does not matter: 1 (points of shares), 2% (of everything else), or 1,2%'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l overlap -d 'allow A and B to have been measured at the same time'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l markdown -d 'a report'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from compare" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l limit -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l limit -s n -r -d 'at most N (0: all; default: list 20, where 20, query 10, others all)'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l group-by -x
complete -c tdtop -n "__fish_seen_subcommand_from history" -l group-by -r -d 'runs of one value of the label together'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l summary -d '--group-by: the groups alone, those that differ from the others first'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from history" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from history" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from history" -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l output -s o -r -F
complete -c tdtop -n "__fish_seen_subcommand_from export" -l output -s o -r -d 'what is printed goes to FILE'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l where -x
complete -c tdtop -n "__fish_seen_subcommand_from export" -l where -r -d 'of several samples those of this node or event; annotate TARGET: what is sampled'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l metric -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l metric -r -d 'list: a column with its value; elsewhere only this one (may be repeated)'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l jsonl -d 'its intervals, a line of JSON for each, for what reads such lines'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l markdown -d 'a report'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from export" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from export" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from export" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l label -s L -r -d 'a label of the run; may be repeated, and wins over an automatic one'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l note -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l note -r -d 'a note of the run; label --note \'\' takes it off'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l from -x -a 'perf toplev percent tdtop topdown-profiler'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l from -r -d 'perf, toplev, percent, tdtop or topdown-profiler (default: what the file looks like)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l dry-run -d 'only say what would be done'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from import" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l only -x
complete -c tdtop -n "__fish_seen_subcommand_from import" -l only -r -d 'only this CPU0, S0, thread or cgroup of the recording'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from import" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from import" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from import" -r -F
complete -c tdtop -n "__fish_seen_subcommand_from label" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from label" -l note -x
complete -c tdtop -n "__fish_seen_subcommand_from label" -l note -r -d 'a note of the run; label --note \'\' takes it off'
complete -c tdtop -n "__fish_seen_subcommand_from label" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from label" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from label" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from label" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from label" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from label" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l dry-run -d 'only say what would be done'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l undo -d 'bring back what was removed (until db prune)'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l yes -d 'do not ask'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from rm" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l filter -x
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l filter -r -d 'runs by a label: key=value, key!=value, key~text, key, !key; all of several must hold'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l label -s L -x
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l label -s L -r -d 'as --filter KEY=VALUE'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l process -s P -x -a '(ps -eo comm= 2>/dev/null | sort -u)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l process -s P -r -d 'runs of this process'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l since -x
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l since -r -d 'runs begun since then: 30m (ago), 2d, 2026-11-01, "2026-11-01 14:30", today'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l until -x
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l until -r -d 'runs begun until then'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l dry-run -d 'only say what would be done'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from reeval" -x -a '(tdtop list --json 2>/dev/null | grep -o \'"run_id": *"[0-9a-f]*"\' | cut -d\'"\' -f4 | cut -c1-8)'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l limit -s n -x
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l limit -s n -r -d 'at most N (0: all; default: list 20, where 20, query 10, others all)'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l csv -d 'CSV'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from sql" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l keep -x
complete -c tdtop -n "__fish_seen_subcommand_from db" -l keep -r -d 'prune: runs begun within this time stay: 90d, 12w'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l dry-run -d 'only say what would be done'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l yes -d 'do not ask'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l db -r -F
complete -c tdtop -n "__fish_seen_subcommand_from db" -l db -r -d 'the store, also postgresql://... (default $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db)'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from db" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from db" -x -a 'stats path check vacuum prune'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from models" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l summary -d 'after the last interval, the whole run; models NAME: the tree in short'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l here -d 'which model this machine gets, and why'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l check -r -F
complete -c tdtop -n "__fish_seen_subcommand_from models" -l check -r -d 'every problem of a model or metrics file; exit 1 if there are any'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from models" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from models" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from models; and test (count (commandline -opc)) -le 2" -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from models; and test (count (commandline -opc)) -gt 2" -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l json -s j -d 'the entry as data; where the name is none, or several, what could have been meant'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l markdown -d 'as Markdown'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l all -d 'every name (of --model), a line each; with --json or --markdown every entry whole'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l verbose -s v -d 'where the name is a part of many, all of them'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from explain" -x -a '(__tdtop_names)'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -l json -s j -d 'the pages as data'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -l markdown -d 'as Markdown'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -l all -d 'every page'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from guide" -x -a '(tdtop guide 2>/dev/null | awk \'$1 ~ /^[0-9]+$/ {print $2}\')'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from doctor" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from selftest" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l all -s a -d 'the whole system'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l level -s l -x
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l level -s l -r -d 'deepest level of the tree to measure; 0 = everything (default)'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l nodes -x
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l nodes -r -d 'measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: only these'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l model -x -a 'adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l model -r -d 'use this model: a name of `tdtop models`, a .toml file, or a CPU\'s id'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l cpuid -x
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l cpuid -r -d 'the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), 0x410fd490'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l counters -x
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l counters -r -d 'plan for N general counters: in a guest, beside another user of them'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l cputype -x -a 'core atom lowpower'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l cputype -r -d 'of several kinds of core one alone: core, atom, lowpower, or a PMU\'s name'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l model-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l model-dir -r -d 'models here replace the built-in ones'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l metrics-dir -r -f -a '(__fish_complete_directories)'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l metrics-dir -r -d 'your own metrics (default: metrics.d beside the settings)'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l const -x
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l const -r -d 'what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l config -r -F
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l config -r -d 'settings (default $XDG_CONFIG_HOME/tdtop/config.toml)'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from plan" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from version" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from version" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from version" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from version" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from help" -l json -s j -d 'JSON: one object per interval; elsewhere all of it at once'
complete -c tdtop -n "__fish_seen_subcommand_from help" -l verbose -s v -d 'rows: every metric, with reasons'
complete -c tdtop -n "__fish_seen_subcommand_from help" -l help -s h -d 'this text'
complete -c tdtop -n "__fish_seen_subcommand_from help" -l version -s V -d 'version'
complete -c tdtop -n "__fish_seen_subcommand_from help" -x -a 'live demo replay collect ab serve agent install-service mcp where annotate runs list query compare history export import label rm reeval sql db models explain guide doctor selftest plan version help'
