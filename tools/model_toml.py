"""Writes the pieces of a model file (format: src/model/model.c) the way a person would."""
import json

WIDTH = 100


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def split_sum(formula):
    """The terms of a sum or difference, each with its sign in front of it; brackets stay whole."""
    terms, depth, start = [], 0, 0
    for i, c in enumerate(formula):
        depth += (c == "(") - (c == ")")
        if depth == 0 and formula[i:i + 3] in (" + ", " - ") and i > start:
            terms.append(formula[start:i])
            start = i + 1
    return terms + [formula[start:]]


def broken_bracket(text):
    """A factor and a sum in brackets: one term of the sum per line."""
    start = text.index("(")
    terms = split_sum(text[start + 1:text.rindex(")")])
    return [text[:start + 1]] + ["  " + term for term in terms] + [")" + text[text.rindex(")") + 1:]]


def formula_value(formula, key="formula"):
    if len(f'{key} = "{formula}"') <= WIDTH:
        return quoted(formula)
    lines = []
    for term in split_sum(formula):
        fits = lines and len(lines[-1]) + 1 + len(term) <= WIDTH
        if fits:
            lines[-1] += " " + term
        else:
            lines.append(term)
    if any(len(line) > WIDTH for line in lines) and " / " in formula:
        above, below = formula.rsplit(" / ", 1)
        lines = broken_bracket(above) if len(above) > WIDTH else [above]
        lines.append("/ " + below)
    return "'''\n" + "\n".join(lines) + "\n'''"


def value(key, v):
    if key in ("formula", "fallback"):
        return formula_value(v, key)
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, str):
        return quoted(v)
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(quoted(x) for x in v) + "]"
    return str(v)


# The order in which keys stand in a table.
ORDER = ("parent", "formula", "approximate", "threshold", "unavailable", "share", "unit", "role",
         "inline", "good_up", "vital", "domain", "groups", "next", "locate", "vendor", "summary")


def table(kind, name, keys, comment=None):
    """One [node.X] or [metric.X]; keys that are None are left out."""
    lines = ["# " + line for line in comment.split("\n")] if comment else []
    lines.append(f"[{kind}.{name}]")
    for key in ORDER:
        if keys.get(key) is not None:
            lines.append(f"{key} = {value(key, keys[key])}")
    assert set(keys) <= set(ORDER), set(keys) - set(ORDER)
    return "\n".join(lines) + "\n"


def event(name, **fields):
    """One line of [event]; codes in hex."""
    def shown(key, v):
        if isinstance(v, str):
            return quoted(v)
        return f"0x{v:02x}" if key in ("code", "umask") else str(v)

    inner = ", ".join(f"{k} = {shown(k, v)}" for k, v in fields.items() if v not in (None, 0) or k == "code")
    return f'"{name}" = {{ {inner} }}'
