# awk -f model_whole.awk FOLDER/NAME.toml: the model as if it extended no other: its own lines in the place of those of its
# base (src/model/load/model_files.c says how). Relies on the layout of the files in src/model/cpu: a key, an event or a latency
# a line; a formula may be between ''' on several.
function fail(words) {
    print "model_whole: " file ":" line ": " words >"/dev/stderr"
    bad = 1
    exit 1
}
function find(name,    i) {
    for (i = 1; i <= n; i++)
        if (order[i] == name)
            return i
    return 0
}
function take_out(i) {
    for (n--; i <= n; i++)
        order[i] = order[i + 1]
}
function put_in(i, name,    k) {
    for (k = ++n; k > i; k--)
        order[k] = order[k - 1]
    order[i] = name
}
# Takes the table that has just been read, of lines `body`, to its place.
function end_table(    at, kind) {
    if (table == "")
        return
    kind = substr(table, 1, index(table, ".") - 1)
    at = find(table)
    if (at && !has_after) {
        next_at[kind] = 0
    } else {
        if (at)
            take_out(at)
        at = after == "" ? 0 : find(kind "." after)
        if (after != "" && !at)
            fail("after " after ": there is no such table")
        put_in(has_after ? at + 1 : next_at[kind] ? next_at[kind] : n + 1, table)
        next_at[kind] = find(table) + 1
    }
    text[table] = body
    table = ""
}
function read(path,    folder, raw, base, k, part, section, quoted, key, value, comment) {
    folder = path
    sub(/[^\/]*$/, "", folder)
    while ((getline raw < path) > 0)
        if (raw ~ /^extends = "[^"]+"$/)
            base = substr(raw, 12, length(raw) - 12)
    close(path)
    if (base != "")
        read(folder base ".toml")
    delete next_at
    file = path
    line = 0
    section = "head"
    delete head["match"]
    while ((getline raw < path) > 0) {
        line++
        if (quoted) {
            body = body raw "\n"
            quoted = !index(raw, "'''")
            continue
        }
        if (raw ~ /^#/) {
            comment = comment raw "\n"
            continue
        }
        if (raw ~ /^[ \t]*$/) {
            comment = ""
            continue
        }
        if (raw ~ /^\[/) {
            end_table()
            section = substr(raw, 2, length(raw) - 2)
            if (index(section, ".")) {
                table = section
                body = comment raw "\n"
                after = ""
                has_after = 0
            }
            comment = ""
            continue
        }
        if (!match(raw, / = /))
            fail("found " raw "; expected KEY = VALUE")
        key = substr(raw, 1, RSTART - 1)
        value = substr(raw, RSTART + 3)
        if (section == "head" && key == "without") {
            for (k = split(substr(value, 3, length(value) - 4), part, /", *"/); k > 0; k--) {
                if (find("node." part[k])) take_out(find("node." part[k]))
                if (find("metric." part[k])) take_out(find("metric." part[k]))
                if (find("bottleneck." part[k])) take_out(find("bottleneck." part[k]))
            }
        } else if (section == "head") {
            head[key] = value
            if (!(key in head_known))
                head_order[++n_head] = key
            head_known[key]
        } else if (section == "event" || section == "latency") {
            if (!((section, key) in line_of))
                line_order[section, ++n_line[section]] = key
            line_of[section, key] = raw
        } else if (key == "after") {
            after = substr(value, 2, length(value) - 2)
            has_after = 1
        } else {
            body = body comment raw "\n"
            quoted = substr(value, 1, 3) == "'''" && !index(substr(value, 4), "'''")
        }
        comment = ""
    }
    close(path)
    end_table()
}
function print_lines(section,    i) {
    if (n_line[section])
        print "\n[" section "]"
    for (i = 1; i <= n_line[section]; i++)
        print line_of[section, line_order[section, i]]
}
BEGIN {
    read(ARGV[1])
    for (i = 1; i <= n_head; i++)
        if (head_order[i] in head && head_order[i] != "extends")
            print head_order[i] " = " head[head_order[i]]
    print_lines("event")
    print_lines("latency")
    for (i = 1; i <= n; i++)
        printf "\n%s", text[order[i]]
    exit bad
}
