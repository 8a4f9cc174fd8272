# bash completion of tdtop: made by tools/docs.py; make docs-made writes it anew
_tdtop_lines() {
    local line
    while read -r line; do
        [[ $line && $line == "$cur"* ]] && printf -v line %q "$line" && COMPREPLY+=("$line")
    done
}
# A path keeps its beginning, and so does perf's tma_; capitals do not matter.
_tdtop_names() {
    local line head=
    case $cur in
    */* | *.*) head=${cur%"${cur##*[./]}"} ;;
    [Tt][Mm][Aa]_*) head=${cur:0:4} ;;
    esac
    local part=${cur#"$head"}
    while read -r line; do
        [[ $line && ${line,,} == "${part,,}"* ]] && COMPREPLY+=("$head$line")
    done
}
_tdtop_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}
_tdtop() {
    local cur prev verb=live i
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    # --focus=auto is three words here
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = -- ]; then
            COMPREPLY=($(compgen -c -- "$cur"))
            return
        fi
    done
    case ${COMP_WORDS[1]} in
    live | demo | replay | collect | ab | serve | agent | install-service | mcp | where | annotate | runs | list | query | compare | history | export | import | label | rm | reeval | sql | db | models | explain | guide | doctor | selftest | plan | version | help) verb=${COMP_WORDS[1]} ;;
    esac
    case $prev in
    --pid | -p)
        _tdtop_lines < <(ps -eo pid= 2>/dev/null)
        return
        ;;
    --process | -P)
        _tdtop_lines < <(ps -eo comm= 2>/dev/null | sort -u)
        return
        ;;
    --tid | -t)
        :
        return
        ;;
    --cgroup | -G)
        :
        return
        ;;
    --cpus | -C)
        :
        return
        ;;
    --listen)
        :
        return
        ;;
    --token-file)
        :
        return
        ;;
    --textfile)
        :
        return
        ;;
    --config)
        _tdtop_files -f
        return
        ;;
    --interval | -I)
        :
        return
        ;;
    --duration | -d)
        :
        return
        ;;
    --a)
        :
        return
        ;;
    --b)
        :
        return
        ;;
    --span)
        :
        return
        ;;
    --settle)
        :
        return
        ;;
    --by)
        _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1)
        return
        ;;
    --count | -n)
        :
        return
        ;;
    --level | -l)
        :
        return
        ;;
    --nodes)
        :
        return
        ;;
    --focus)
        COMPREPLY=($(compgen -W "auto open off" -- "$cur"))
        return
        ;;
    --model)
        COMPREPLY=($(compgen -W "adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6" -- "$cur"))
        return
        ;;
    --cpuid)
        :
        return
        ;;
    --counters)
        :
        return
        ;;
    --cputype)
        COMPREPLY=($(compgen -W "core atom lowpower" -- "$cur"))
        return
        ;;
    --model-dir)
        _tdtop_files -d
        return
        ;;
    --metrics-dir)
        _tdtop_files -d
        return
        ;;
    --const)
        :
        return
        ;;
    --every)
        :
        return
        ;;
    --separator | -x)
        :
        return
        ;;
    --output | -o)
        _tdtop_files -f
        return
        ;;
    --where)
        :
        return
        ;;
    --label | -L)
        :
        return
        ;;
    --note)
        :
        return
        ;;
    --repeat | -r)
        :
        return
        ;;
    --when)
        :
        return
        ;;
    --around)
        :
        return
        ;;
    --then)
        :
        return
        ;;
    --baseline)
        :
        return
        ;;
    --run)
        :
        return
        ;;
    --filter)
        :
        return
        ;;
    --since)
        :
        return
        ;;
    --until)
        :
        return
        ;;
    --limit | -n)
        :
        return
        ;;
    --sort)
        :
        return
        ;;
    --group-by)
        :
        return
        ;;
    --metric)
        _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1)
        return
        ;;
    --bottleneck)
        _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1)
        return
        ;;
    --min-pct)
        :
        return
        ;;
    --label-a)
        :
        return
        ;;
    --label-b)
        :
        return
        ;;
    --fail-on)
        _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1)
        return
        ;;
    --preset)
        COMPREPLY=($(compgen -W "tutorial strict" -- "$cur"))
        return
        ;;
    --confidence)
        :
        return
        ;;
    --least)
        :
        return
        ;;
    --from)
        COMPREPLY=($(compgen -W "perf toplev percent tdtop topdown-profiler" -- "$cur"))
        return
        ;;
    --keep)
        :
        return
        ;;
    --control)
        _tdtop_files -f
        return
        ;;
    --db)
        _tdtop_files -f
        return
        ;;
    --explain-value)
        _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1)
        return
        ;;
    --only)
        :
        return
        ;;
    --speed)
        :
        return
        ;;
    --at)
        :
        return
        ;;
    --seed)
        :
        return
        ;;
    --check)
        _tdtop_files -f
        return
        ;;
    --save)
        _tdtop_files -f
        return
        ;;
    --screen)
        :
        return
        ;;
    --press)
        :
        return
        ;;
    --theme)
        COMPREPLY=($(compgen -W "colorblind default gruvbox high-contrast light mono nord solarized-dark solarized-light" -- "$cur"))
        return
        ;;
    --advice)
        COMPREPLY=($(compgen -W "linux-perf-profile perf-counters perf-topdown toplev" -- "$cur"))
        return
        ;;
    --color)
        COMPREPLY=($(compgen -W "auto mono 8 16 256 truecolor" -- "$cur"))
        return
        ;;
    --log)
        _tdtop_files -f
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        case $verb in
        live) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --user --kernel --interval -I --duration -d --count -n --level -l --nodes --focus --model --cputype --model-dir --metrics-dir --const --per-thread --per-cpu --batch -b --speak --every --json -j --separator -x --output -o --summary --control --baseline --db --verbose -v --explain-value --theme --advice --color --ascii --no-mouse --quiet --config --log --help -h --version -V" -- "$cur")) ;;
        demo) COMPREPLY=($(compgen -W "--interval -I --duration -d --count -n --level -l --nodes --focus --model --cpuid --cputype --model-dir --metrics-dir --const --per-thread --per-cpu --batch -b --speak --every --json -j --separator -x --output -o --summary --control --baseline --db --verbose -v --explain-value --speed --at --seed --save --screen --press --theme --advice --color --ascii --no-mouse --quiet --config --log --help -h --version -V" -- "$cur")) ;;
        replay) COMPREPLY=($(compgen -W "--duration -d --count -n --level -l --nodes --model --cpuid --cputype --model-dir --metrics-dir --const --batch -b --speak --every --json -j --separator -x --output -o --summary --control --baseline --db --verbose -v --explain-value --only --speed --at --save --screen --press --theme --advice --color --ascii --no-mouse --quiet --config --log --help -h --version -V" -- "$cur")) ;;
        collect) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --user --kernel --interval -I --duration -d --count -n --level -l --nodes --focus --model --cpuid --cputype --model-dir --metrics-dir --const --json -j --branches --where --demo --label -L --note --repeat -r --every --when --around --then --baseline --db --verbose -v --seed --config --log --help -h --version -V" -- "$cur")) ;;
        ab) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --user --kernel --interval -I --a --b --span --settle --by --duration -d --count -n --level -l --nodes --focus --model --cputype --model-dir --metrics-dir --const --json -j --label -L --note --sort --metric --label-a --label-b --fail-on --preset --confidence --least --markdown --csv --db --verbose -v --seed --config --log --help -h --version -V" -- "$cur")) ;;
        serve) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --listen --textfile --insecure-listen --user --kernel --interval -I --duration -d --count -n --level -l --model --cputype --model-dir --metrics-dir --const --json -j --demo --label -L --verbose -v --seed --config --help -h --version -V" -- "$cur")) ;;
        agent) COMPREPLY=($(compgen -W "--config --dry-run --json -j --verbose -v --help -h --version -V" -- "$cur")) ;;
        install-service) COMPREPLY=($(compgen -W "--config --user --preview --json -j --verbose -v --help -h --version -V" -- "$cur")) ;;
        mcp) COMPREPLY=($(compgen -W "--listen --token-file --insecure-listen --allow-collect --json -j --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        where) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --user --duration -d --model --cputype --model-dir --metrics-dir --json -j --output -o --folded --branches --accesses --limit -n --csv --db --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        annotate) COMPREPLY=($(compgen -W "--pid -p --process -P --tid -t --cgroup -G --all -a --cpus -C --user --duration -d --model --cputype --model-dir --metrics-dir --json -j --where --db --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        runs) COMPREPLY=($(compgen -W "--json -j --db --verbose -v --theme --color --ascii --no-mouse --config --log --help -h --version -V" -- "$cur")) ;;
        list) COMPREPLY=($(compgen -W "--json -j --filter --label -L --process -P --since --until --limit -n --sort --group-by --metric --csv --removed --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        query) COMPREPLY=($(compgen -W "--json -j --run --filter --label -L --process -P --since --until --limit -n --funnel --tree --bottlenecks --bottleneck --min-pct --level -l --csv --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        compare) COMPREPLY=($(compgen -W "--json -j --where --filter --label -L --process -P --since --until --sort --metric --label-a --label-b --fail-on --preset --confidence --least --overlap --markdown --csv --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        history) COMPREPLY=($(compgen -W "--json -j --filter --label -L --process -P --since --until --limit -n --group-by --summary --csv --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        export) COMPREPLY=($(compgen -W "--json -j --output -o --where --metric --jsonl --markdown --csv --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        import) COMPREPLY=($(compgen -W "--level -l --nodes --model --cpuid --cputype --model-dir --metrics-dir --const --json -j --label -L --note --from --dry-run --db --verbose -v --only --config --help -h --version -V" -- "$cur")) ;;
        label) COMPREPLY=($(compgen -W "--json -j --note --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        rm) COMPREPLY=($(compgen -W "--json -j --filter --label -L --process -P --since --until --dry-run --undo --yes --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        reeval) COMPREPLY=($(compgen -W "--model --cputype --model-dir --metrics-dir --json -j --filter --label -L --process -P --since --until --dry-run --db --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        sql) COMPREPLY=($(compgen -W "--json -j --limit -n --csv --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        db) COMPREPLY=($(compgen -W "--json -j --keep --dry-run --yes --db --verbose -v --help -h --version -V" -- "$cur")) ;;
        models) COMPREPLY=($(compgen -W "--model --cpuid --cputype --model-dir --metrics-dir --json -j --summary --verbose -v --here --check --config --help -h --version -V" -- "$cur")) ;;
        explain) COMPREPLY=($(compgen -W "--model --cputype --model-dir --metrics-dir --json -j --markdown --all --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        guide) COMPREPLY=($(compgen -W "--json -j --markdown --all --help -h --version -V" -- "$cur")) ;;
        doctor) COMPREPLY=($(compgen -W "--cputype --model-dir --metrics-dir --json -j --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        selftest) COMPREPLY=($(compgen -W "--model --cputype --model-dir --metrics-dir --json -j --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        plan) COMPREPLY=($(compgen -W "--all -a --level -l --nodes --model --cpuid --counters --cputype --model-dir --metrics-dir --const --json -j --verbose -v --config --help -h --version -V" -- "$cur")) ;;
        version) COMPREPLY=($(compgen -W "--json -j --verbose -v --help -h --version -V" -- "$cur")) ;;
        help) COMPREPLY=($(compgen -W "--json -j --verbose -v --help -h --version -V" -- "$cur")) ;;
        esac
        return
    fi
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "live demo replay collect ab serve agent install-service mcp where annotate runs list query compare history export import label rm reeval sql db models explain guide doctor selftest plan version help" -- "$cur"))
        return
    fi
    [[ $verb == models && COMP_CWORD -gt 2 && $prev != -* ]] && verb=models2
    case $verb in
    replay) _tdtop_files -f ;;
    import) _tdtop_files -f ;;
    models) COMPREPLY=($(compgen -W "adl-glc adl-grt arl-cmt arl-lnc arl-skt arm-sbsa bdw-de bdw bdx clx cwf ehl emr generic glm glp gnr grr hsw hsx icl icx ivb ivt jkt lnl-lnc lnl-skt mtl-cmt mtl-rwc neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p1 neoverse-n2-r0p2 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 ptl-cgc ptl-dkt rkl skl skx snb snr software spr-hbm spr srf tgl zen1 zen2 zen3 zen4 zen5 zen6" -- "$cur")) ;;
    explain) _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1) ;;
    history) _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1) ;;
    help) COMPREPLY=($(compgen -W "live demo replay collect ab serve agent install-service mcp where annotate runs list query compare history export import label rm reeval sql db models explain guide doctor selftest plan version help" -- "$cur")) ;;
    db) COMPREPLY=($(compgen -W "stats path check vacuum prune" -- "$cur")) ;;
    guide) _tdtop_lines < <(tdtop guide 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $2}') ;;
    export) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    query) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    compare) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    label) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    rm) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    reeval) _tdtop_lines < <(tdtop list --json 2>/dev/null | grep -o '"run_id": *"[0-9a-f]*"' | cut -d'"' -f4 | cut -c1-8) ;;
    models2) _tdtop_names < <(COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1) ;;
    esac
}
complete -F _tdtop tdtop
