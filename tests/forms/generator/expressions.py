"""Random expressions of a given type; at depth 0 only names and constants."""


def vector(w, depth=2):
    """A Tensor of three floats."""
    if w.takes_host(depth):
        return w.host("vector", depth)
    if depth == 0 or not w.chance(6):
        return w.pick(
            "x", lambda: w.variable("vector"), "box.v", "(weight * 1.0)", "Tensor([1.0, -2.0, 0.5])"
        )
    return w.pick(
        lambda: f"({vector(w, depth - 1)} {w.choose('+-')} {vector(w, depth - 1)})",
        lambda: f"({vector(w, depth - 1)} * {w.choose([whole, scalar, real])(w, depth - 1)})",
        lambda: _called(w, depth),
        lambda: f"{w.variable('vectors')}[{w.number(-1, 1)}]",
        lambda: f"({vector(w, depth - 1)} if {condition(w, depth - 1)} else {vector(w, depth - 1)})",
        lambda: w.choose(
            ["ops.tanh({})", "abs({})", "ops.clamp({}, -5.0, 5.0)", "(-{})", "ops.flip({}, (0,))"]
        ).format(vector(w, depth - 1)),
    )


def _called(w, depth):
    if not w.functions:
        return vector(w, 0)
    return f"{w.choose(w.functions)}({vector(w, depth - 1)}, {whole(w, depth - 1)})"


def scalar(w, depth=2):
    """A Tensor of one float."""
    if w.takes_host(depth):
        return w.host("scalar", depth)
    if depth == 0 or not w.chance(6):
        return w.pick("s", lambda: w.variable("scalar"))
    return w.pick(
        lambda: f"{vector(w, depth - 1)}.sum()",
        lambda: f"{w.variable('vector')}[{w.number(0, 2)}]",
        lambda: f"({scalar(w, depth - 1)} + {scalar(w, depth - 1)})",
        lambda: f"ops.tanh({scalar(w, depth - 1)})",
        lambda: f"({scalar(w, depth - 1)} * {w.number(-2, 3)})",
    )


def whole(w, depth=2):
    """A Python int, perhaps known only when the graph runs."""
    if w.takes_host(depth):
        return w.host("whole", depth)
    if depth == 0 or not w.chance(6):
        return w.pick(
            lambda: str(w.number(0, 5)), lambda: w.variable("whole"), "k", "box.n", "int(n)", "len(items)"
        )
    return w.pick(
        lambda: f"({whole(w, depth - 1)} {w.choose('+-')} {whole(w, depth - 1)})",
        lambda: f"({whole(w, depth - 1)} * {w.number(2, 4)})",
        lambda: f"({whole(w, depth - 1)} {w.choose(['//', '%'])} {w.number(2, 5)})",
        lambda: f"len({w.variable('numbers')})",
        lambda: f"{w.variable('numbers')}[{w.number(-1, 1)}]",
        lambda: f"sum({w.variable('numbers')})",
        lambda: f'{w.variable("table")}.get("{w.choose("abc")}", {w.number(0, 3)})',
        lambda: f"max({whole(w, depth - 1)}, {whole(w, depth - 1)})",
        lambda: f"({whole(w, depth - 1)} if {condition(w, depth - 1)} else {whole(w, depth - 1)})",
        lambda: f"(-{whole(w, depth - 1)})",
    )


def real(w, depth=2):
    """A Python float."""
    if w.takes_host(depth):
        return w.host("real", depth)
    if depth == 0 or not w.chance(5):
        return w.pick(lambda: f"{w.number(-2, 3)}.25", lambda: w.variable("real"))
    return w.pick(
        lambda: f"({real(w, depth - 1)} + {whole(w, depth - 1)})",
        lambda: f"({real(w, depth - 1)} * 0.5)",
        lambda: f"float({scalar(w, depth - 1)})",
        lambda: f"({whole(w, depth - 1)} / {w.number(2, 4)})",
    )


def condition(w, depth=2):
    """A Python bool or a Tensor of one element, as it may stand behind `if`."""
    if w.takes_host(depth):
        return w.host("condition", depth)
    if depth == 0 or not w.chance(4):
        return w.pick(
            lambda: f"{scalar(w, 0)} > {w.number(-1, 3)}",
            lambda: f"n > {w.number(0, 3)}",
            lambda: f"{whole(w, 0)} < {w.number(0, 5)}",
            "k > 1",
            lambda: w.variable("flag"),
            lambda: f'"{w.choose("abc")}" in {w.variable("table")}',
        )
    return w.pick(
        lambda: f"{scalar(w, depth - 1)} {w.choose(['<', '>=', '=='])} {scalar(w, depth - 1)}",
        lambda: f"{whole(w, depth - 1)} {w.choose(['>', '==', '!='])} {whole(w, depth - 1)}",
        lambda: f"({condition(w, depth - 1)} {w.choose(['and', 'or'])} {condition(w, depth - 1)})",
        lambda: f"not {condition(w, depth - 1)}",
        lambda: f"{w.number(-2, 1)} < {scalar(w, depth - 1)} < {w.number(2, 6)}",
        lambda: f"{vector(w, depth - 1)}.sum() > 0",
        lambda: f"{whole(w, depth - 1)} in {w.variable('numbers')}",
    )


def small_whole(w):
    """An int that stays within bounds however often it is computed from itself."""
    return f"{whole(w)} % {w.choose([7, 31, 101])}"


def small_real(w):
    return f"{real(w)} % {w.choose([2, 8])}.5"
