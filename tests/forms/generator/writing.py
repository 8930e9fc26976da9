"""Writes random programs as source text: what is drawn decides every name, expression and statement.

Every variable keeps one type, so that programs fail only where Python itself would. Numbers stay small and loops count
to a bound, so that every program ends. Option 0 is the simplest, so that failures shrink to short programs.
"""

# Types of variables, with the value one starts from.
STARTS = {
    "vector": "x * {n}",
    "scalar": "s + {n}",
    "whole": "{n}",
    "real": "{n}.5",
    "flag": "k > {n}",
    "numbers": "[{n}, 2]",
    "vectors": "[x, x + {n}]",
    "table": '{{"a": {n}, "b": 2}}',
}
INDENT = "    "


class Writer:
    """The text of one function under way: lines, open blocks, and variables that are declared on first use.

    `draw(count)` gives a number below count; it decides everything. `differentiated` programs have gradients.
    """

    def __init__(self, draw, budget, differentiated=False):
        self.draw = draw
        self.budget = budget
        self.differentiated = differentiated
        self.lines = []
        self.declared = {}
        self.functions = []
        self.level = 0
        self.loops = 0
        self.graph_loops = 0  # loops around this place whose number of turns a Tensor decides
        self.names = 0
        self.starts = STARTS
        self.further = []  # kinds of statements besides the usual ones
        self.writes = True  # whether Tensors are written in place
        self.more = []  # functions that give further kinds of statements, for programs of another kind

    def choose(self, options):
        return options[self.draw(len(options))]

    def pick(self, *options):
        """One of the texts; an option that draws more is a function, called only when it is chosen."""
        chosen = self.choose(options)
        return chosen() if callable(chosen) else chosen

    def number(self, low, high):
        return low + self.draw(high - low + 1)

    def chance(self, tenths):
        """True with about that probability, False being the simpler draw."""
        return self.draw(10) >= 10 - tenths

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def line(self, text):
        self.lines.append(INDENT * self.level + text)

    def variable(self, kind):
        """A variable of a type; the function's head declares it."""
        name = f"{kind}_{self.choose('ab')}"
        if name not in self.declared:
            self.declared[name] = self.starts[kind].format(n=self.number(0, 4))
        return name

    def takes_host(self, depth):
        """True if an expression that needs Python is written here. Always False in programs of the usual kinds."""
        return False

    def host(self, kind, depth):
        """An expression of a type that needs Python while the program runs."""
        raise NotImplementedError

    def head(self):
        return [f"{name} = {start}" for name, start in self.declared.items()]


def indented(lines, levels):
    return [INDENT * levels + line for line in lines]
