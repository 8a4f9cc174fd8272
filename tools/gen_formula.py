"""Lays formulas out over lines so that a person can read them. Used by the generators of models."""
import re

NAME = re.compile(r"[A-Za-z0-9_.]+(?::[A-Za-z0-9_.=]+)*")
SIGNED_EXPONENT = r"\d+(?:\.\d*)?[eE][-+]\d+(?![\w.])"  # 1e-9; other numbers look like names
TOKEN = re.compile(rf"{SIGNED_EXPONENT}|{NAME.pattern}|<=|>=|==|&&|\|\||[-+*/()<>&|,]")
WIDTH = 100
LOOSEST_FIRST = [("if", "else"), ("|", "||"), ("&", "&&"), ("<", ">", "<=", ">=", "=="), ("+", "-"), ("*", "/")]
LEFT_OF_UNARY = {"(", ",", "if", "else"} | {op for ops in LOOSEST_FIRST for op in ops}


def tokens_of(text):
    """All of the text but its blanks: what is no token must not get lost."""
    tokens = TOKEN.findall(text)
    assert "".join(tokens) == "".join(text.split()), f"no formula: {text}"
    return tokens


def joined(tokens):
    text = " ".join(tokens)
    text = re.sub(r"\( ", "(", text)
    text = re.sub(r" ([),])", r"\1", text)
    return re.sub(r"\b(min|max) \(", r"\1(", text)


def split_outside(tokens, operators):
    """Splits at operators outside all parentheses: [["a"], ["+", "b"], ...]."""
    parts, depth = [[]], 0
    for i, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        unary = token == "-" and (i == 0 or tokens[i - 1] in LEFT_OF_UNARY)
        if depth == 0 and token in operators and not unary:
            parts.append([])
        parts[-1].append(token)
    return parts


def in_parentheses(tokens, indent):
    """Breaks "head(inside)": the inside goes on lines of its own."""
    open_at = tokens.index("(")
    inside = tokens[open_at + 1:-1]
    lines = [joined(tokens[:open_at + 1])]
    arguments = split_outside(inside, (",",))
    for i, argument in enumerate(arguments):
        body = broken(argument[1:] if argument[0] == "," else argument, indent + 2)
        body[-1] += "," if i + 1 < len(arguments) else ""
        lines += ["  " + line for line in body]
    return lines + [")"]


def broken(tokens, indent=0):
    """The lines of a formula, each WIDTH columns at most where that can be had."""
    if len(joined(tokens)) + indent <= WIDTH:
        return [joined(tokens)]
    for operators in LOOSEST_FIRST:
        parts = split_outside(tokens, operators)
        if len(parts) > 1:
            break
    else:
        return in_parentheses(tokens, indent) if "(" in tokens else [joined(tokens)]
    lines = []
    for part in parts:
        operator = part[:1] if part[0] in operators else []
        body = broken(part[len(operator):], indent + 2)
        body[0] = " ".join(operator + body[:1])
        glue = lines and operators == ("*", "/") and len(lines[-1]) + len(body[0]) < WIDTH // 2
        if glue:  # "100 * (" stays on one line
            body[0] = lines.pop() + " " + body[0]
        if not body[0].endswith("("):  # a term of several lines stands out from the next term
            body[1:] = ["  " + line for line in body[1:]]
        lines += body
    return lines


def formula_lines(key, text):
    """The key of a model file with its formula: on one line, or on lines of their own."""
    lines = broken(tokens_of(text))
    if len(lines) == 1:
        return [f'{key} = "{lines[0]}"']
    return [f"{key} = '''"] + lines + ["'''"]
