"""Writes the pieces of a model file (format: docs/MODELS.md) the way a person would."""
import json
import os
import sys

from gen_formula import formula_lines

TASK_CLOCK = '"task_clock" = { pmu = "software", config = 1, alias = "task-clock" } # nanoseconds on a CPU'
CPUS_UTILIZED = ("CPUs_Utilized", {"formula": "task_clock / 1e9 / DURATION_S", "vital": True,
                                   "summary": "CPUs kept busy on average"})

# {"spr": {"EVENT": "why libpfm4 4.13 encodes it differently"}}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpfm4_differs.json"), encoding="utf-8") as f:
    LIBPFM4 = json.load(f)


def why_libpfm4_differs(model, name):
    return LIBPFM4.get(model, {}).get(name)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def value(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, str):
        return quoted(v)
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(quoted(x) for x in v) + "]"
    return str(v)


# The order in which keys stand in a table.
ORDER = ("parent", "formula", "fallback", "fallback_note", "approximate", "threshold", "unavailable", "share", "unit", "role",
         "inline", "good_up", "vital", "domain", "groups", "next", "locate", "vendor", "summary")


def table(kind, name, keys, comment=None):
    """One [node.X] or [metric.X]; keys that are None are left out."""
    lines = ["# " + line for line in comment.split("\n")] if comment else []
    lines.append(f"[{kind}.{name}]")
    for key in ORDER:
        if keys.get(key) is not None:
            lines += formula_lines(key, keys[key]) if key in ("formula", "fallback") else [f"{key} = {value(keys[key])}"]
    assert set(keys) <= set(ORDER), set(keys) - set(ORDER)
    return "\n".join(lines) + "\n"


def event(name, **fields):
    """One line of [event]; codes in hex."""
    def shown(key, v):
        if isinstance(v, str):
            return quoted(v)
        return f"0x{v:02x}" if key in ("code", "umask") else str(v)

    inner = ", ".join(f"{k} = {shown(k, v)}" for k, v in fields.items() if v is not None)
    return f'"{name}" = {{ {inner} }}'


def arguments(usage):
    """The command line of the generators, FOLDER FACTS.json...: the folder, and all facts read."""
    if len(sys.argv) < 3:
        sys.exit(usage)
    facts = []
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            facts.append(json.load(file))
    return sys.argv[1], facts


def write_model(folder, name, text):
    with open(os.path.join(folder, name + ".toml"), "w", encoding="utf-8") as file:
        file.write(text)
