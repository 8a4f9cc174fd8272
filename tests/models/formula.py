"""The vendors' formula language, written anew from its description so that it can disagree with tdtop.

    expr := or ["if" or "else" expr]     lowest, right associative, lazy
    or   := and {("|" or "||") and}      and := cmp {("&" or "&&") cmp}
    cmp  := sum [("<" | ">" | "<=" | ">=" | "> =" | "==") sum]
    sum  := term {("+" | "-") term}      term := unary {("*" | "/") unary}
    unary := ["-"] atom                  atom := NUMBER | NAME | min(..) | max(..) | d_ratio(a, b) | (expr)

A value is a float; NAN is "not known" and spreads, except that `&` with a known 0 is 0, `|` with a known
true is 1, and if/else looks only at the branch it takes. x/0 is not known. Every node is a function of an
environment, which has value(name). A comparison that has a retire latency as one side takes an unknown
one as -1: that is how the vendor's formulas ask whether there is one.
"""
import math
import re

NAN = math.nan
TOKEN = re.compile(r"""\s*(?:
    (\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])|\.\d+)  # a number; names may begin with a digit
    |([A-Za-z0-9_][\w.]*(?::[\w.=]+)*)                # a name with its modifiers
    |(&&|\|\||<=|>\ ?=|==|[-+*/()<>&|,])              # an operator
    )""", re.VERBOSE)
FUNCTIONS = ("min", "max", "d_ratio")
LATENCY = ":retire_latency"


def known(v):
    return v == v


def finite(v):
    return v if math.isfinite(v) else NAN


def divide(a, b):
    return finite(a / b) if b else NAN


def smallest(a, b):
    return NAN if a != a or b != b else min(a, b)


def largest(a, b):
    return NAN if a != a or b != b else max(a, b)


COMPARE = {"<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
           ">=": lambda a, b: a >= b, "==": lambda a, b: a == b}


class Formula:
    """Parsed text: run(env) gives its value; names are all names in it, branches the if/else in it."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.at = 0
        self.names = []
        self.branches = []  # (condition, names in it, names of yes, names of no)
        self.run = self.expr()
        if self.at != len(self.tokens):
            raise SyntaxError(f"{text}: '{self.peek()}' is left over")

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *choices):
        if self.peek() in choices:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def need(self, token):
        if not self.take(token):
            raise SyntaxError(f"{self.text}: '{token}' expected, not '{self.peek()}'")

    def expr(self):
        first = len(self.names)
        yes = self.either()
        middle = len(self.names)
        if not self.take("if"):
            return yes
        condition = self.either()
        last = len(self.names)
        self.need("else")
        no = self.expr()
        self.branches.append((condition, self.names[middle:last], self.names[first:middle], self.names[last:]))

        def run(env):
            c = condition(env)
            return NAN if c != c else yes(env) if c else no(env)
        return run

    def either(self):
        left = self.both()
        while self.take("|", "||"):
            left = either_of(left, self.both())
        return left

    def both(self):
        left = self.comparison()
        while self.take("&", "&&"):
            left = both_of(left, self.comparison())
        return left

    def comparison(self):
        begin = self.at
        left = self.sum()
        middle = self.at
        op = self.take(*COMPARE, "> =")
        if not op:
            return left
        right = self.sum()
        asks = [self.tokens[begin:middle], self.tokens[middle + 1:self.at]]
        left, right = (known_or_minus_one(f) if len(t) == 1 and t[0].endswith(LATENCY) else f
                       for f, t in zip((left, right), asks))
        return compared(COMPARE[op.replace(" ", "")], left, right)

    def sum(self):
        left = self.term()
        while op := self.take("+", "-"):
            left = (added if op == "+" else subtracted)(left, self.term())
        return left

    def term(self):
        left = self.unary()
        while op := self.take("*", "/"):
            left = (multiplied if op == "*" else divided)(left, self.unary())
        return left

    def unary(self):
        if self.take("-"):
            value = self.unary()
            return lambda env: -value(env)
        return self.atom()

    def atom(self):
        token = self.peek()
        self.at += 1
        if token == "(":
            value = self.expr()
            self.need(")")
            return value
        if token in FUNCTIONS and self.peek() == "(":
            return self.call(token)
        if re.fullmatch(r"\d+(\.\d*)?([eE][-+]?\d+)?|\.\d+", token):
            number = float(token)
            return lambda env: number
        if not re.match(r"[A-Za-z0-9_]", token) or token in ("if", "else"):
            raise SyntaxError(f"{self.text}: '{token}' is no value")
        self.names.append(token)
        return lambda env: env.value(token)

    def call(self, name):
        self.need("(")
        values = [self.expr()]
        while self.take(","):
            values.append(self.expr())
        self.need(")")
        if name == "d_ratio":
            return divided(*values)
        pick = smallest if name == "min" else largest

        def run(env):
            best = values[0](env)
            for value in values[1:]:
                best = pick(best, value(env))
            return best
        return run


def tokens_of(text):
    tokens, at = [], 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if not found:
            raise SyntaxError(f"{text}: '{text[at:at + 10]}' cannot be read")
        tokens.append(found[1] or found[2] or found[3])
        at = found.end()
    return tokens


def added(a, b):
    return lambda env: a(env) + b(env)


def subtracted(a, b):
    return lambda env: a(env) - b(env)


def multiplied(a, b):
    return lambda env: a(env) * b(env)


def divided(a, b):
    return lambda env: divide(a(env), b(env))


def known_or_minus_one(a):
    def run(env):
        v = a(env)
        return v if v == v else -1.0
    return run


def compared(op, a, b):
    def run(env):
        x, y = a(env), b(env)
        return NAN if x != x or y != y else float(op(x, y))
    return run


def both_of(a, b):
    def run(env):
        x, y = a(env), b(env)
        if x == 0 or y == 0:
            return 0.0
        return NAN if x != x or y != y else 1.0
    return run


def either_of(a, b):
    def run(env):
        x, y = a(env), b(env)
        if (x == x and x != 0) or (y == y and y != 0):
            return 1.0
        return NAN if x != x or y != y else 0.0
    return run
