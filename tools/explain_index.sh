#!/bin/sh
# explain_index.sh FOLDER: a C table of where in FOLDER/*.toml each name is explained, in the order of str_order_names; see
# src/model/knowledge/explain.h. Relies on how the files are laid out: each table begins with its line and has bare keys,
# an entry's first key is its summary, which has no escapes. test_explain_place.c holds it against the parser.
set -eu
export LC_ALL=C
awk '
function end_piece() {
    for (; known < n; known++)
        len[known] = at - piece
}
function add(key) {
    fold = tolower(key)
    gsub(/-/, "_", fold)
    name[n] = key; order[n] = fold; file[n] = files; from[n] = piece; said[n] = at + index($0, "\"")
    n++
}
BEGIN { files = -1; n = known = 0 }
FNR == 1 { end_piece(); at = piece = also = 0; files++ }
/^\[entry\.[^].]*\]/ { end_piece(); piece = at; key = substr($0, 8, index($0, "]") - 8) }
/^\[/ { also = $0 ~ /^\[entry\.[^].]*\.also\]/ }
/^summary = / { add(key) }
also && /^[A-Za-z0-9_-]+ *=/ { add(substr($0, 1, match($0, /[ =]/) - 1)) }
{ at += length($0) + 1 }
END {
    end_piece()
    for (i = 0; i < n; i++)
        print order[i], name[i], file[i], from[i], len[i], said[i]
}' "$1"/*.toml | sort -k 1,1 -k 2,2 | awk '
BEGIN { at = n = 0 }
{ names = names "    \"" $2 "\\0\"\n"; rows = rows sprintf("    {%d, %d, %d, %d, %d},\n", at, $3, $4, $5, $6); at += length($2) + 1; n++ }
END {
    print "#include \"model/knowledge/explain.h\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
    printf "const char explain_place_names[] =\n%s    ;\n", names
    printf "const struct explain_place explain_places[] = {\n%s};\nconst size_t explain_n_places = %d;\n", rows, n
}'
