"""Random statements and blocks."""

from generator.expressions import condition, scalar, small_real, small_whole, vector, whole

DEEPEST = 3


def block(w, depth, most=3):
    """At least one statement, in the block that was just opened."""
    w.level += 1
    before = len(w.lines)
    for _ in range(w.number(1, most)):
        if w.budget > 0:
            statement(w, depth)
    if len(w.lines) == before:
        w.line("pass")
    w.level -= 1


def statement(w, depth):
    w.budget -= 1
    kinds = [assign, write_in_place, change_list, change_table, change_object]
    kinds += [assign if w.differentiated else change_weight]  # a gradient is asked for by the weight
    if depth < DEEPEST:
        kinds += [branch, branch, known_loop, graph_loop, row_loop, matched]
    if w.loops:
        kinds += [leave_turn]
    if not w.writes:
        kinds.remove(write_in_place)
    kinds += [more for kinds_of in w.more for more in kinds_of(w)]
    w.choose([*kinds, *w.further, leave_function, fail, shout])(w, depth)


def assign(w, depth):
    kinds = [_assign_one, _assign_one, _swap, _augment, _comprehend, _assign_in_condition]
    if not w.writes:
        kinds.remove(_augment)
    w.choose(kinds)(w)


def _assign_one(w):
    kind = w.choose(["vector", "whole", "scalar", "real", "flag"])
    if kind == "flag":
        w.line(f"{w.variable(kind)} = bool({condition(w)})")
    else:
        written = {"vector": vector, "whole": small_whole, "scalar": scalar, "real": small_real}[kind]
        w.line(f"{w.variable(kind)} = {written(w)}")


def _swap(w):
    kind = w.choose(["whole", "vector"])
    a, b = w.variable(kind), w.variable(kind)
    w.line(f"{a}, {b} = {b}, {a}")


def _augment(w):
    w.line(f"{w.variable('vector')} {w.choose(['+=', '-='])} {vector(w, 1)}")


def _comprehend(w):
    source = w.pick("range(3)", "items", lambda: w.variable("numbers"))
    element = f"(e + {whole(w, 0)}) % 50"
    w.line(f"{w.variable('numbers')} = [{element} for e in {source} if e != {w.number(0, 3)}][:5]")


def _assign_in_condition(w):
    w.line(f"if ({w.variable('scalar')} := {scalar(w)}) > {w.number(-1, 2)}:")
    block(w, DEEPEST)


def write_in_place(w, depth):
    name = w.pick("x", lambda: w.variable("vector"), "box.v")
    w.line(
        w.pick(
            lambda: f"{name}[{w.number(0, 2)}] = {w.choose([scalar, whole])(w, 1)}",
            lambda: f"{name}[{w.number(0, 1)}:] = {w.number(-2, 2)}.0",
            lambda: f"{name}.add_({vector(w, 1)})",
            lambda: f"{name}.mul_(0.5)",
            lambda: f"{name}[1:].add_({w.number(1, 3)}.0)",
        )
    )


def change_list(w, depth):
    name = w.pick(lambda: w.variable("numbers"), "items", "box.items")
    changes = [
        lambda: f"{name}[{w.number(-1, 1)}] = {small_whole(w)}",
        lambda: f"{w.variable('numbers')} = {name}",
        lambda: f"{name}.reverse()",
    ]
    if not w.graph_loops:  # a list whose length a Tensor decides turn by turn is no value of a graph
        changes += [
            lambda: f"{name}.append({small_whole(w)})",
            lambda: f"{name}.extend([{w.number(0, 3)}, {small_whole(w)}])",
            lambda: f"{name}.insert({w.number(0, 2)}, {small_whole(w)})",
            lambda: f"{w.variable('whole')} = {name}.pop({w.choose(['', '0', '-1'])})",
            lambda: f"{w.variable('vectors')}.append({vector(w, 1)})",
        ]
    w.line(w.pick(*changes))


def change_table(w, depth):
    name = w.pick(lambda: w.variable("table"), "table")
    key = w.choose("a" if w.graph_loops else "abc")
    w.line(
        w.pick(
            lambda: f'{name}["{key}"] = {small_whole(w)}',
            lambda: f'{name}.update({{"{key}": {small_whole(w)}}})',
            lambda: f'{w.variable("whole")} = {name}.get("{w.choose("abc")}", {w.number(0, 9)})',
            lambda: f"{w.variable('whole')} = sum({name}.values()) % 100",
        )
    )


def change_object(w, depth):
    w.line(
        w.pick(
            lambda: f"box.n = {small_whole(w)}",
            lambda: f"box.n += {w.number(1, 3)}",
            lambda: f"box.v = {vector(w)}",
            lambda: f"box.kept = {w.choose([vector, scalar])(w, 1)}",
        )
    )


def change_weight(w, depth):
    w.line(
        w.pick(
            lambda: f"ops.assign(weight, {vector(w)})",
            "weight.mul_(0.5)",
            lambda: f"weight.add_({vector(w, 1)})",
            lambda: f"weight[{w.number(0, 2)}] = {w.number(0, 3)}.0",
        )
    )


def branch(w, depth):
    w.line(f"if {condition(w)}:")
    block(w, depth + 1)
    if w.chance(3):
        w.line(f"elif {condition(w)}:")
        block(w, depth + 1)
    if w.chance(6):
        w.line("else:")
        block(w, depth + 1)


def known_loop(w, depth):
    target = w.fresh("i")
    over = w.pick(
        lambda: f"range({w.number(1, 3)})",
        "(1, 2)",
        "list(items)[:4]",
        lambda: f"list({w.variable('table')}.values())",
    )
    _loop(w, depth, f"for {target} in {over}:", f"{w.variable('whole')} = {target} % 50")


def row_loop(w, depth):
    target = w.fresh("row")
    over = w.pick("x", lambda: w.variable("vectors") + "[:3]")
    _loop(w, depth, f"for {target} in {over}:", f"{w.variable('scalar')} = {target}.sum()")


def graph_loop(w, depth):
    count = w.fresh("c")
    w.line(f"{count} = 0")
    bound = w.pick("n", lambda: f"int(n) + {w.number(0, 2)}", lambda: str(w.number(1, 4)))
    also = f" and {condition(w, 1)}" if w.chance(3) else ""
    w.graph_loops += 1
    _loop(w, depth, f"while {count} < {bound}{also}:", f"{count} += 1")
    w.graph_loops -= 1


def _loop(w, depth, opening, first):
    w.line(opening)
    w.line("    " + first)
    w.loops += 1
    block(w, depth + 1)
    w.loops -= 1
    if w.chance(2):
        w.line("else:")
        block(w, depth + 1)


def matched(w, depth):
    w.line(f"match {w.pick('k', 'len(items)', lambda: w.variable('whole'))}:")
    w.level += 1
    for case in (w.number(0, 3), f"m if m > {w.number(1, 4)}", "_"):
        w.line(f"case {case}:")
        block(w, depth + 1)
    w.level -= 1


def leave_turn(w, depth):
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    {w.choose(['break', 'continue'])}")


def leave_function(w, depth):
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    return {w.choose([vector, whole, scalar])(w, 1)}")


def fail(w, depth):
    if w.chance(5):
        w.line(f"assert k < 2 or {condition(w, 1)}, 'asserted'")
    else:
        w.line(f"if {condition(w, 1)}:")
        w.line("    raise ValueError('stop')")


def shout(w, depth):
    w.line(
        f"print({w.pick('k', 'items', lambda: w.variable('whole'), lambda: w.variable('vector'))}, 'seen')"
    )
