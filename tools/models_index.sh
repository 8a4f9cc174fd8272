#!/bin/sh
# models_index.sh FOLDER SHARED: C tables of who the models in FOLDER/*.toml are, what their metrics are called and how many
# events they count, with those of SHARED/*.toml, which all of them have; see src/model/load/model_index.h. Relies on how the files are laid out: a key or a table a line, and the texts that
# are read on their key's line, in double quotes, without escapes; formulas may be between '''. What else it meets ends it.
# test_model_index.c holds the tables against the parser.
set -eu
export LC_ALL=C
whole=$(mktemp -d)
trap 'rm -rf "$whole"' EXIT
for file in "$1"/*.toml; do
    awk -f "$(dirname "$0")/model_whole.awk" "$file" >"$whole/${file##*/}"
done
awk '
function fail(words) {
    print "models_index: " FILENAME ":" FNR ": " words >"/dev/stderr"
    failed = 1
    exit 1
}
# Where a text stands in the table of all of them.
function text(s) {
    if (!(s in place)) {
        place[s] = n_text
        n_text += length(s) + 1
        texts = texts "    \"" s "\\0\"\n"
    }
    return place[s]
}
function in_quotes(s) {
    if (s !~ /^"[^"\\]*"$/)
        fail("found " s "; expected a text in double quotes, without escapes, on one line")
    return substr(s, 2, length(s) - 2)
}
function add_matches(s,    i, n, part) {
    if (s == "[]")
        return
    if (s !~ /^\["[^\\]*"\]$/)
        fail("found " s "; expected a list of texts, without escapes, on one line")
    n = split(substr(s, 3, length(s) - 4), part, /", *"/)
    for (i = 1; i <= n; i++)
        matches = matches "    " text(part[i]) ",\n"
    n_match += n
}
# Names in a formula: events with their modifiers, and latencies of events.
function add_names(s,    i, n, name, base, part) {
    gsub(/[<>=]=/, " ", s)
    n = split(s, part, /[^A-Za-z0-9_.:=]+/)
    for (i = 1; i <= n; i++) {
        base = name = part[i]
        sub(/:.*/, "", base)
        if (name == "" || name in metric_at || !(name in events || base in events))
            continue
        if (sub(/:retire_latency$/, "", name))
            latencies[name]
        else
            used[name]
    }
}
function count(list,    n, name) {
    n = 0
    for (name in list)
        n++
    return n
}
function forget(list,    name) {
    for (name in list)
        delete list[name]
}
function put_metric(i, above,    k, own) {
    own = n_row++
    rows = rows "    {" text(names[i]) ", " text(vendors[i]) ", " text(groups[i]) ", " above "},\n"
    for (k = 1; k <= n_child[i]; k++)
        put_metric(child[i, k], own)
}
function put_kind(kind,    i) {
    for (i = 1; i <= n_metric; i++)
        if (kinds[i] == kind && parents[i] == "")
            put_metric(i, -1)
    return n_row
}
function end_model(    i, p, n_tree, n_bottleneck) {
    if (model == "")
        return
    for (i = 1; i <= n_metric; i++)
        if (parents[i] != "") {
            if (!(parents[i] in metric_at))
                fail("found no node " parents[i] ", the parent of " names[i])
            p = metric_at[parents[i]]
            child[p, ++n_child[p]] = i
        }
    for (i = 1; i <= n_formula; i++)
        add_names(formulas[i])
    n_row = 0
    n_tree = put_kind("node")
    n_bottleneck = put_kind("bottleneck") - n_tree
    put_kind("metric")
    if (n_row != n_metric)
        fail("found a circle of parents")
    heads = heads "    {"
    for (i = 1; i <= n_key; i++)
        heads = heads text(head[keys[i]]) ", "
    heads = heads (n_matches - n_match) ", " n_match ", " slots ", " first ", " n_metric ", " n_tree ", " n_bottleneck ", "
    heads = heads count(used) ", " count(latencies) "},\n"
    first += n_metric
}
function begin_model() {
    forget(head); forget(events); forget(used); forget(latencies); forget(metric_at); forget(lower_at); forget(n_child); forget(child)
    n_metric = n_formula = n_match = slots = 0
    section = "head"
    model = FILENAME
    formula = 0
}
BEGIN {
    n_text = n_matches = first = 0
    n_key = split("name title tma vendor origin rung core_type limits scope", keys, " ")
    for (i = 1; i <= n_key; i++)
        is_key[keys[i]]
    text("")
}
FNR == 1 {
    shared = index(FILENAME, shared_folder "/") == 1
    if (shared)
        section = "head"
    else {
        end_model()
        begin_model()
    }
}
formula {
    if (index($0, "\047\047\047"))
        formula = 0
    else if (formula == 1)
        formulas[n_formula] = formulas[n_formula] " " $0
    next
}
/^(#|[ \t]*$)/ { next }
/^\[(event|latency)\]$/ { section = substr($0, 2, length($0) - 2); next }
/^\[(node|bottleneck|metric)\.[A-Za-z0-9_-]+\]$/ {
    section = "metric"
    if (shared && tolower(substr($0, index($0, ".") + 1, length($0) - index($0, ".") - 1)) in lower_at) {
        section = "left out"
        next
    }
    n_metric++
    kinds[n_metric] = substr($0, 2, index($0, ".") - 2)
    names[n_metric] = substr($0, index($0, ".") + 1, length($0) - index($0, ".") - 1)
    parents[n_metric] = vendors[n_metric] = groups[n_metric] = ""
    metric_at[names[n_metric]] = n_metric
    lower_at[tolower(names[n_metric])]
    next
}
!/^("[^"]+"|[A-Za-z0-9_.-]+) = / { fail("found " $0 "; expected a table, or KEY = VALUE") }
{
    key = substr($0, 1, index($0, " = ") - 1)
    val = substr($0, index($0, " = ") + 3)
    gsub(/"/, "", key)
}
section == "left out" || (section == "head" && shared) { next }
section == "event" { events[key]; next }
section == "latency" { latencies[key]; next }
section == "head" {
    if (key in is_key)
        head[key] = in_quotes(val)
    else if (key == "match") {
        add_matches(val)
        n_matches += n_match
    } else if (key == "slots_per_cycle")
        slots = val
    next
}
key == "parent" { parents[n_metric] = in_quotes(val) }
key == "vendor" { vendors[n_metric] = in_quotes(val) }
key == "groups" { groups[n_metric] = in_quotes(val) }
{
    read = key ~ /^(formula|alt|fallback|threshold|approximate_when)$/
    if (read)
        formulas[++n_formula] = val
    if (substr(val, 1, 3) == "\047\047\047" && !index(substr(val, 4), "\047\047\047"))
        formula = read ? 1 : 2
    else if (substr(val, 1, 3) == "\"\"\"")
        fail("found \"\"\"; expected \047\047\047 around several lines")
}
END {
    if (failed)
        exit 1
    end_model()
    if (n_text > 65535 || first > 65535)
        fail("too many names for the 16 bits that struct model_index has for their places")
    print "#include \"model/load/model_index.h\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
    printf "const char model_index_text[] =\n%s    ;\n", texts
    printf "const uint16_t model_index_matches[] = {\n%s    0,\n};\n", matches
    printf "const struct model_index model_indexes[] = {\n%s};\n", heads
    printf "const struct model_index_metric model_index_metrics[] = {\n%s};\n", rows
}' shared_folder="$2" $(for model in "$whole"/*.toml; do echo "$model" "$2"/*.toml; done)
