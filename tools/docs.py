#!/usr/bin/env python3
"""Manual pages and completions from the program's own tables (JSON on standard input) and docs/MODELS.md.

usage: build/release/tables | tools/docs.py FOLDER      writes FOLDER/docs/tdtop.1, FOLDER/docs/tdtop-models.5,
                                                        FOLDER/completions/{tdtop.bash,_tdtop,tdtop.fish}
"""
import json
import os
import re
import sys

MADE = "made by tools/docs.py; make docs-made writes it anew"

# What a value of an option is, where a shell can offer some: by the option's name.
VALUES = {
    "pid": "pids", "process": "processes", "theme": "themes", "advice": "advice", "model": "models",
    "output": "files", "config": "files", "db": "files", "log": "files", "save": "files", "check": "files",
    "control": "files", "model-dir": "folders", "metrics-dir": "folders",
    "focus": ["auto", "open", "off"], "color": ["auto", "mono", "8", "16", "256", "truecolor"],
    "preset": ["tutorial", "strict"], "from": ["perf", "toplev", "percent", "tdtop", "topdown-profiler"],
    "cputype": ["core", "atom", "lowpower"], "explain-value": "names", "metric": "names",
    "fail-on": "names", "bottleneck": "names", "by": "names",
}
# What the first word after a verb is.
WORDS = {"replay": "files", "import": "files", "models": "models", "explain": "names", "history": "names", "help": "verbs",
         "db": ["stats", "path", "check", "vacuum", "prune"], "guide": "pages", "export": "runs", "query": "runs",
         "compare": "runs", "label": "runs", "rm": "runs", "reeval": "runs"}
# What the second word after it is, where that is something else.
SECOND = {"models": "names"}
# How a shell asks for what is not known before.
ASK = {
    "pids": "ps -eo pid= 2>/dev/null", "processes": "ps -eo comm= 2>/dev/null | sort -u",
    "names": "COLUMNS= tdtop explain --all 2>/dev/null | cut -d' ' -f1",
    "pages": "tdtop guide 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $2}'",
    "runs": "tdtop list --json 2>/dev/null | grep -o '\"run_id\": *\"[0-9a-f]*\"' | cut -d'\"' -f4 | cut -c1-8",
}

# --- the manual page ---


# Signs that groff prints as others of Unicode, in which they cannot be copied into a shell.
ROFF = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "~": "\\(ti", "^": "\\(ha"})


def roff(text):
    """Text in which roff finds no commands; `code` becomes bold."""
    text = text.translate(ROFF)
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def head(name, section, line):
    return [f'.\\" {MADE}', f'.TH {name.upper()} {section} "" tdtop "User Commands"' if section == 1 else
            f'.TH {name.upper()} {section} "" tdtop "File Formats"', ".SH NAME", f"{roff(name)} \\- {roff(line)}"]


def tagged(tag, text, more=()):
    return [".TP", tag, roff(text), *[x for m in more for x in (".br", roff(m))]]


def option_tag(option):
    names = ([f"\\-{option['letter']}"] if option["letter"] else []) + [roff("--" + option["name"])]
    arg = f" \\fI{roff(option['arg'])}\\fP" if option["arg"] else ""
    return "\\fB" + "\\fP, \\fB".join(names) + "\\fP" + arg


def man_options(tables):
    out = [".SH OPTIONS", "Each names the verbs that take it; `live` is the live screen, which needs no verb.".replace("`", "")]
    n = len(tables["verbs"])
    for o in tables["options"]:
        verbs = "every verb" if len(o["verbs"]) >= n - 1 else ", ".join(o["verbs"])
        out += tagged(option_tag(o), o["help"] + (" (may be repeated)" if o["repeats"] else ""), [f"[{verbs}]"])
    return out


def man_keys(tables):
    out = [".SH KEYS", roff("The screen's own help (?) has them by view; each can be given another key in the settings, by "
                            "the name in brackets.")]
    for k in tables["keys"]:
        if not k["keys"]:
            out += [".SS " + roff(k["words"])]
        else:
            out += tagged("\\fB" + roff(k["keys"]) + "\\fP", k["words"] + (f" [{k['name']}]" if k["name"] else ""))
    return out


def man_page(tables):
    out = head("tdtop", 1, "live Top-Down Microarchitecture Analysis: where a program's CPU pipeline slots go")
    out += [".SH SYNOPSIS", ".nf", "\\fBtdtop\\fP [\\fITARGET\\fP] [\\fIOPTIONS\\fP]"]
    out += [f"\\fBtdtop {v['name']}\\fP {roff(v['words'])}" for v in tables["verbs"] if v["name"] != "live"] + [".fi"]
    out += [".SH DESCRIPTION", roff(
        "tdtop counts what happened to the pipeline slots of a process, a command, a cgroup, some CPUs or the whole "
        "system, and shows it as the tree of the Top-Down method: bound by the frontend, by bad speculation, by the "
        "backend, or retiring useful work, down to the node that names the cause. It draws a screen in a terminal and "
        "prints rows elsewhere. Runs are kept in a store, compared, and judged in scripts."), ".PP", roff(
        "A value that was not measured is n/a with its reason. A value that stands for time not counted has its "
        "uncertainty beside it. On a machine whose PMU cannot be used tdtop falls back to generic or software counters "
        "and says so; tdtop doctor says what to do about it.")]
    out += [".SH VERBS"]
    for v in tables["verbs"]:
        out += tagged(f"\\fB{v['name']}\\fP {roff(v['words'])}", v["help"])
    out += man_options(tables)
    out += man_keys(tables)
    out += [".SH SETTINGS", roff("Keys of the settings file (TOML), with their meaning; config.example.toml has all with their defaults.")]
    for s in tables["settings"]:
        out += tagged(f"\\fB{roff(s['key'])}\\fP", s["help"])
    out += tagged("\\fB[keys]\\fP", "a table: the name of an action = a key or a list of keys, such as snapshot = [\"S\", \"F5\"]")
    out += [".SH FILES"]
    for name, words in (("$XDG_CONFIG_HOME/tdtop/config.toml", "settings; else ~/.config/tdtop/config.toml"),
                        ("$XDG_CONFIG_HOME/tdtop/metrics.d/*.toml", "metrics of your own, added to every model: tdtop-models(5)"),
                        ("$XDG_DATA_HOME/tdtop/runs.db", "the store of runs (SQLite); else ~/.local/share/tdtop/runs.db"),
                        ("~/.pgpass", "passwords of stores on a PostgreSQL server, mode 600: lines host:port:database:user:password")):
        out += tagged(f"\\fI{roff(name)}\\fP", words)
    out += [".SH ENVIRONMENT"]
    for name, words in (("TDTOP_DB", "the store, where --db is not given"),
                        ("PGPASSFILE", "another file than ~/.pgpass; libpq's other variables (PGSSLMODE, PGCONNECT_TIMEOUT ...) hold, too"), ("NO_COLOR", "set to anything: no colours"),
                        ("PAGER", "shows the long texts of explain and guide; else less -FRX"),
                        ("LC_ALL, LC_CTYPE, LANG", "without UTF-8 in them the screen is drawn in ASCII")):
        out += tagged(f"\\fB{name}\\fP", words)
    out += [".SH EXIT STATUS"]
    for code, words in (("0", "done; compare and ab --fail-on: no rule is broken"),
                        ("1", "an error, in words on standard error (compare and ab: 2); compare and ab --fail-on: a rule is broken; models --check: there are problems"),
                        ("2", "a mistake on the command line; compare and ab: any error, and with --fail-on: it cannot be judged"),
                        ("N", "of tdtop -- COMMAND: that of the command")):
        out += tagged(code, words)
    out += [".SH EXAMPLES", ".nf"]
    out += [roff(x) for x in ("tdtop -p $(pidof redis-server)", "tdtop demo", "tdtop -a -I 250ms --batch -j -d 10s",
                              "tdtop collect -P redis-server -d 30s -L io_threads=4",
                              "tdtop compare @1 @0 --fail-on Backend_Bound:+2",
                              "tdtop ab -- sort -S 1M file -- sort -S 64M file", "tdtop explain L3_Bound", "tdtop guide 1")]
    out += [".fi", ".SH SEE ALSO", roff("tdtop-models(5), perf-stat(1), perf_event_open(2)")]
    return "\n".join(out) + "\n"


# --- docs/MODELS.md as a page ---


def inline(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?<!\w)\*\*([^*]+)\*\*", r"`\1`", text)
    return roff(text)


def table_row(line):
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def man_models(markdown):
    out = head("tdtop-models", 5, "the format of tdtop's models of cores, and of metrics of your own")
    out += [".SH DESCRIPTION"]
    code, blank = False, False
    for line in markdown.splitlines()[1:]:
        fence = line.startswith("```")
        indented = line.startswith("    ") and not code
        if fence:
            out += [".fi", ".RE"] if code else [".PP", ".RS 4", ".nf"]
            code = not code
        elif code:
            out += [roff(line.replace("`", "'")) or "\\&"]
        elif indented:
            out += [".br", ".RS 4", "\\fB" + roff(line.strip().replace("`", "'")) + "\\fP", ".RE"]
        elif line.startswith("## "):
            out += [".SH " + inline(line[3:].upper())]
        elif line.startswith("#"):
            out += [".SS " + inline(line.lstrip("# "))]
        elif re.match(r"\|[\s:|-]+\|$", line):
            continue
        elif line.startswith("|"):
            cells = table_row(line)
            out += [".TP", "\\fB" + inline(cells[0].replace("`", "")) + "\\fP", inline(": ".join(c for c in cells[1:] if c)) or "\\&"]
        elif re.match(r"[-*] ", line):
            out += [".IP \\(bu 2", inline(line[2:])]
        elif line.strip():
            out += ([".PP"] if blank else []) + [inline(line.strip())]
        blank = not line.strip()
    out += [".SH SEE ALSO", "tdtop(1)"]
    return "\n".join(out) + "\n"


# --- completions ---


def flags_of(tables, verb):
    return [o for o in tables["options"] if verb in o["verbs"]]


def words_of(kind, tables):
    """A list of words, or None where a shell must ask."""
    if isinstance(kind, list):
        return kind
    return tables[kind] if kind in ("models", "themes", "advice") else \
        [v["name"] for v in tables["verbs"]] if kind == "verbs" else None


# Lines become words as they are: compgen -W would run what stands in them, and anybody may call a process $(so).
BASH_LINES = """_tdtop_lines() {
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
}"""


def bash_offer(kind, tables):
    if kind in ("files", "folders"):
        return f"_tdtop_files {'-f' if kind == 'files' else '-d'}"
    words = words_of(kind, tables)
    reader = "_tdtop_names" if kind == "names" else "_tdtop_lines"
    return f'COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$cur"))' if words else f"{reader} < <({ASK[kind]})"


def bash(tables):
    out = [f"# bash completion of tdtop: {MADE}", BASH_LINES, "_tdtop() {", "    local cur prev verb=live i", "    COMPREPLY=()",
           '    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}',
           "    # --focus=auto is three words here", '    if [ "$cur" = = ]; then', "        cur=", "    elif [ \"$prev\" = = ]; then",
           "        prev=${COMP_WORDS[COMP_CWORD - 2]}", "    fi",
           "    for ((i = 1; i < COMP_CWORD; i++)); do", '        if [ "${COMP_WORDS[i]}" = -- ]; then',
           '            COMPREPLY=($(compgen -c -- "$cur"))', "            return", "        fi", "    done",
           '    case ${COMP_WORDS[1]} in', "    " + " | ".join(v["name"] for v in tables["verbs"]) + ") verb=${COMP_WORDS[1]} ;;",
           "    esac", "    case $prev in"]
    done = set()
    for o in tables["options"]:
        if not o["arg"] or o["name"] in done:
            continue
        done.add(o["name"])
        names = f"--{o['name']}" + (f" | -{o['letter']}" if o["letter"] else "")
        offer = bash_offer(VALUES[o["name"]], tables) if o["name"] in VALUES else ":"
        out += [f"    {names})", f"        {offer}", "        return", "        ;;"]
    out += ["    esac", '    if [[ $cur == -* ]]; then', "        case $verb in"]
    for v in tables["verbs"]:
        flags = " ".join(f"--{o['name']}" + (f" -{o['letter']}" if o["letter"] else "") for o in flags_of(tables, v["name"]))
        out += [f"        {v['name']}) COMPREPLY=($(compgen -W \"{flags}\" -- \"$cur\")) ;;"]
    out += ["        esac", "        return", "    fi", '    if [ "$COMP_CWORD" = 1 ]; then',
            f"        COMPREPLY=($(compgen -W \"{' '.join(v['name'] for v in tables['verbs'])}\" -- \"$cur\"))", "        return",
            "    fi"]
    for verb in SECOND:
        out += [f"    [[ $verb == {verb} && COMP_CWORD -gt 2 && $prev != -* ]] && verb={verb}2"]
    out += ["    case $verb in"]
    for verb, kind in WORDS.items():
        out += [f"    {verb}) {bash_offer(kind, tables)} ;;"]
    for verb, kind in SECOND.items():
        out += [f"    {verb}2) {bash_offer(kind, tables)} ;;"]
    out += ["    esac", "}", "complete -F _tdtop tdtop"]
    return "\n".join(out) + "\n"


def zsh_quote(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


# As in bash: a path keeps its beginning, and so does tma_; capitals do not matter.
ZSH_NAMES = """_tdtop_names() {
    local -a names
    names=(${(f)"$(%s)"})
    compset -P '*[./]' || compset -P '[Tt][Mm][Aa]_'
    compadd -M 'm:{a-zA-Z}={A-Za-z}' -a names
}"""


def zsh_action(kind, tables):
    if kind == "names":
        return "_tdtop_names"
    if kind == "files":
        return "_files"
    if kind == "folders":
        return "_files -/"
    words = words_of(kind, tables)
    return f"({' '.join(words)})" if words else "($(" + ASK[kind].replace("'", "'\\''").replace(":", "\\:") + "))"


def zsh(tables):
    out = ["#compdef tdtop", f"# zsh completion of tdtop: {MADE}", ZSH_NAMES % ASK["names"], "_tdtop() {",
           "    local -a verbs", "    verbs=("]
    out += [f"        '{v['name']}:{zsh_quote(v['help'])}'" for v in tables["verbs"]]
    out += ["    )", "    local verb=live", "    if (( CURRENT > 2 )) && [[ -n ${verbs[(r)${words[2]}:*]} ]]; then",
            "        verb=${words[2]}", "        shift words", "        (( CURRENT-- ))", "    elif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then",
            "        _describe verb verbs", "        return", "    fi", "    case $verb in"]
    for v in tables["verbs"]:
        out += [f"    ({v['name']})", "        _arguments -s \\"]
        for o in flags_of(tables, v["name"]):
            value = ""
            if o["arg"]:
                value = f":{zsh_quote(o['arg'])}:" + (zsh_action(VALUES[o["name"]], tables) if o["name"] in VALUES else "")
            star = "*" if o["repeats"] else ""
            equals = "=" if o["arg"] else "" # --focus auto and --focus=auto
            for flag in [f"--{o['name']}{equals}"] + ([f"-{o['letter']}"] if o["letter"] else []):
                out += [f"            '{star}{flag}[{zsh_quote(o['help'])}]{value}' \\"]
        kind = WORDS.get(v["name"])
        rest = "'*::command:_normal'" if v["name"] in ("live", "collect", "ab") else \
            f"'1:{v['name']}:{zsh_action(kind, tables)}' '*::{v['name']}:{zsh_action(SECOND[v['name']], tables)}'" if v["name"] in SECOND else \
            f"'*:{v['name']}:{zsh_action(kind, tables)}'" if kind else "'*:: :'"
        out += [f"            {rest}", "        ;;"]
    out += ["    esac", "}", '_tdtop "$@"']
    return "\n".join(out) + "\n"


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


FISH_NAMES = """function __tdtop_names
    set -l head (string match -r '^(?:.*[./]|[Tt][Mm][Aa]_)' -- (commandline -ct))
    %s | string replace -r '^' "$head"
end"""


def fish_values(kind, tables):
    if kind == "names":
        return " -x -a '(__tdtop_names)'"
    if kind == "files":
        return " -r -F"
    if kind == "folders":
        return " -r -f -a '(__fish_complete_directories)'"
    words = words_of(kind, tables)
    return " -x -a " + fish_quote(" ".join(words) if words else "(" + ASK[kind] + ")")


def fish(tables):
    names = [v["name"] for v in tables["verbs"] if v["name"] != "live"]
    out = [f"# fish completion of tdtop: {MADE}", "complete -c tdtop -f",
           FISH_NAMES % ASK["names"],
           f"set -l verbs {' '.join(names)}"]
    for v in tables["verbs"]:
        if v["name"] != "live":
            out += [f"complete -c tdtop -n \"not __fish_seen_subcommand_from $verbs\" -a {v['name']} -d {fish_quote(v['help'])}"]
    for v in tables["verbs"]:
        where = "not __fish_seen_subcommand_from $verbs" if v["name"] == "live" else f"__fish_seen_subcommand_from {v['name']}"
        for o in flags_of(tables, v["name"]):
            line = f"complete -c tdtop -n \"{where}\" -l {o['name']}" + (f" -s {o['letter']}" if o["letter"] else "")
            # Values on a line of their own: else each has the words of the option beside it.
            if o["arg"]:
                out += [line + (fish_values(VALUES[o["name"]], tables) if o["name"] in VALUES else " -x")]
            out += [line + (" -r" if o["arg"] else "") + " -d " + fish_quote(o["help"])]
        if v["name"] in WORDS:
            first = where + "; and test (count (commandline -opc)) -le 2" if v["name"] in SECOND else where
            out += [f"complete -c tdtop -n \"{first}\"{fish_values(WORDS[v['name']], tables)}"]
        if v["name"] in SECOND:
            second = where + "; and test (count (commandline -opc)) -gt 2"
            out += [f"complete -c tdtop -n \"{second}\"{fish_values(SECOND[v['name']], tables)}"]
    return "\n".join(out) + "\n"


def main():
    folder = sys.argv[1]
    tables = json.load(sys.stdin)
    markdown = open(os.path.join(os.path.dirname(__file__), "..", "docs", "MODELS.md"), encoding="utf-8").read()
    made = {"docs/tdtop.1": man_page(tables), "docs/tdtop-models.5": man_models(markdown),
            "completions/tdtop.bash": bash(tables), "completions/_tdtop": zsh(tables), "completions/tdtop.fish": fish(tables)}
    for path, text in made.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
