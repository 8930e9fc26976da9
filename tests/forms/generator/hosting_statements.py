"""Random statements that need Python while a program runs, and blocks around them."""

from generator.expressions import condition, scalar, small_whole, vector, whole
from generator.statements import DEEPEST, block


def use_array(w, depth):
    name, other = w.variable("array"), w.variable("array")
    w.line(
        w.pick(
            lambda: f"{name} = {vector(w, 1)}.asnumpy()",
            lambda: f"{name} = {vector(w, 1)}.asnumpy() * {w.number(0, 3)}",
            lambda: f"{name}[{w.number(0, 2)}] = {small_whole(w)}",
            lambda: f"{name}[{w.number(0, 1)}:] *= {w.number(0, 2)}",
            lambda: f"{name} += {w.number(1, 3)}",
            lambda: f"{name} = {name}[::-1]",
            lambda: f"{name} = {other}",
            lambda: f"{name} = np.clip({name} + {other}, -9, 9)",
            lambda: f"np.add({name}, {w.number(1, 2)}, out={name}, casting='unsafe')",
            lambda: f"{name}[{name} > {w.number(0, 4)}] = {w.number(-1, 3)}",
            lambda: f"{w.variable('vector')} = Tensor({name})",
            lambda: f"{w.variable('vector')} = {vector(w, 1)} + Tensor({name} * {w.number(1, 2)})",
            lambda: f"{w.variable('vector')} = Tensor.from_numpy({name}.copy())",
            lambda: f"{w.variable('real')} = float({name}.mean()) % 8.5",
            lambda: f"{w.variable('numbers')} = [int(e) % 9 for e in {name}]",
            lambda: f"{w.variable('vector')} = {w.variable('vector')} * {name}.sum()",
            lambda: f"{name}[{w.number(0, 2)}] = {scalar(w, 1)}",
            lambda: f"{name} = np.where({name} > 0, {other}, {whole(w, 1)})",
            lambda: f"{w.variable('real')} = {name}.{w.choose(['sum()', 'max()', 'min()'])}",
            lambda: f"{w.variable('whole')} = {name}.argmin()",
            lambda: f"{w.variable('real')} = -0.0 * {name}.sum()",
            lambda: f"{name} = weight.asnumpy()",
        )
    )


def use_view(w, depth):
    """A name for a part of an array, written behind other statements."""
    name = w.fresh("view")
    w.line(f"{name} = {w.variable('array')}[{w.number(0, 1)}:]")
    if depth < DEEPEST and w.chance(5):
        w.line(f"if {condition(w, 1)}:")
        block(w, depth + 1, most=2)
    w.line(w.pick(lambda: f"{name}[0] = {small_whole(w)}", f"{name} += 1", f"log({name}.tolist())"))


def use_thing(w, depth):
    name, other = w.variable("thing"), w.variable("thing")
    w.line(
        w.pick(
            lambda: f"{name} = Thing({small_whole(w)}, {vector(w, 1)})",
            lambda: f"{name} = Finer({small_whole(w)}, {vector(w, 1)})",
            lambda: f"{name}.n = {small_whole(w)}",
            lambda: f"{name}.n += {w.number(1, 3)}",
            lambda: f"{name}.v = {vector(w, 1)}",
            lambda: f"{name}.extra = {w.choose([vector, whole])(w, 1)}",
            lambda: f"{name}.items.append({small_whole(w)})",
            lambda: f"{name} = {other}",
            lambda: f"{name}.peek({w.number(0, 9)})",
            lambda: f"{w.variable('vector')} = {name}.scaled({vector(w, 1)})",
            lambda: f"{w.variable('whole')} = {name}.bump({small_whole(w)}) % 50",
            lambda: f"{name} += {small_whole(w)}",
            lambda: f"{w.variable('whole')} = ({name} + {small_whole(w)}) % 50",
            lambda: f"{w.variable('flag')} = {name} is {other}",
            lambda: f"box.thing = {name}",
            lambda: f"log(sorted(vars({name})))",
            lambda: f"{name}.doubled = {small_whole(w)}",
        )
    )


def made_class(w, depth):
    """A class made inside, and an object of it."""
    name, made = w.fresh("Made"), w.fresh("made")
    w.line(f"class {name}{w.choose(['', '(Thing)'])}:")
    w.line(f"    factor = {whole(w, 1)}")
    w.line("    def __init__(self, n, v):")
    w.line("        self.n, self.v = n, v")
    w.line("    def doing(self, a):")
    w.line(f"        {w.pick('self.n += 1', lambda: 'log(self.n)', 'self.v = self.v + a')}")
    w.line(f"        return {w.pick('a * self.factor', 'self.v + a', 'a + total(self.v)')}")
    w.line(f"{made} = {name}({whole(w, 1)}, {vector(w, 1)})")
    _between(w, depth)
    w.line(f"{w.variable('vector')} = {made}.doing({vector(w, 1)})")
    w.line(f"{w.variable('whole')} = ({made}.n + {name}.factor) % 50")


def _between(w, depth):
    """Perhaps other statements in the middle."""
    if depth < DEEPEST and w.chance(4):
        w.level -= 1
        block(w, depth + 1, most=2)
        w.level += 1


def use_rows(w, depth):
    name = w.variable("rows")
    w.line(
        w.pick(
            lambda: f"{name} = (e + {w.variable('whole')} for e in {w.variable('numbers')})",
            lambda: f"{name} = (e * {w.number(1, 3)} for e in [1, 2, 3] if {w.variable('whole')} != e)",
            lambda: f"{name} = counted({w.number(1, 4)})",
            lambda: f"{name} = (int(total(v)) for v in {w.variable('vectors')})",
            lambda: f"{w.variable('whole')} = next({name}, {w.number(0, 4)}) % 50",
            lambda: f"{w.variable('numbers')} = [e % 50 for e in {name}][:4] or [1, 2]",
            lambda: f"{w.variable('whole')} = sum({name}) % 50",
            lambda: f"{name} = iter({w.variable('numbers')})",
            lambda: f"{name}, {w.variable('rows')} = {w.variable('rows')}, {name}",
            lambda: f"{name} = chained({name}, {w.variable('numbers')})",
            lambda: f"{w.variable('numbers')} = sorted({name}, key=lambda e: -e)[:3] or [2, 1]",
        )
    )


def loop_over_rows(w, depth):
    if depth >= DEEPEST:
        return use_rows(w, depth)
    target = w.fresh("e")
    over = w.pick(
        lambda: f"itertools.islice({w.variable('rows')}, 5)",  # what they come from may grow in the loop
        lambda: f"rows_of({vector(w, 1)}, {w.number(1, 3)})",
        lambda: f"{w.variable('array')}",
        lambda: f"sorted({w.variable('bag')})",
        lambda: f"enumerate({w.variable('vectors')}[:3])",
        lambda: f"zip({w.variable('numbers')}[:3], {w.variable('rows')})",
        lambda: f"list({w.variable('table')}.items())",
        lambda: f"({vector(w, 0)} * e for e in {w.variable('numbers')}[:3])",
    )
    w.line(f"for {target} in {over}:")
    w.level += 1
    w.line(
        w.pick(
            f"log('{target}', shown({target}))",
            f"if shown({target}) == '{w.number(1, 3)}': {w.choose(['break', 'continue'])}",
            lambda: f"{w.variable('text')} = shown({target})",
        )
    )
    w.level -= 1
    w.loops += 1
    block(w, depth + 1)
    w.loops -= 1
    if w.chance(4):
        w.line("else:")
        block(w, depth + 1, most=2)
    return None


def own_generator(w, depth):
    """A generator of the program, over its names, asked at several places."""
    made, name = w.fresh("made"), w.fresh("it")
    w.line(f"def {made}(a):")
    w.level += 1
    counted = w.variable("whole")
    shared = w.chance(5)
    if shared:
        w.line(f"nonlocal {counted}")
    w.line(w.pick("log('started')", "b = total(a)", "b = a.sum()"))
    # What a generator says when it is dropped comes at another time in a first call: it is closed, or says nothing.
    closed = w.chance(3)
    w.line("try:")
    w.line(f"    got = yield a * {w.number(1, 3)}")
    w.line(f"    log('got', got, {counted})")
    if shared:
        w.line(f"    {counted} = ({counted} + {w.number(1, 3)}) % 50")
    w.line(f"    yield a + {w.variable('vector')}")
    w.line("finally:" if closed else "except ValueError:")
    w.line("    log('closed')")
    w.level -= 1
    w.line(f"{name} = {made}({vector(w, 1)})")
    w.line(f"{w.variable('vector')} = next({name})")
    if closed:
        w.line(f"{name}.close()")
        return
    _between(w, depth)
    w.line(
        w.pick(
            lambda: f"{w.variable('vector')} = {name}.send({whole(w, 1)})",
            lambda: f"{name}.close()",
            lambda: f"for {w.variable('vector')} in {name}: log('turn')",
            lambda: f"{w.variable('vectors')} = [x, *{name}]",
            lambda: f"{w.variable('vector')} = next({name}, x)",
            lambda: f"{name}.throw(ValueError('thrown'))" if w.chance(3) else f"{name}.close()",
        )
    )
    w.line(w.pick(f"log(next({name}, None) is None)", f"{name} = None", f"del {name}"))


def use_containers(w, depth):
    bag, numbers, table = w.variable("bag"), w.variable("numbers"), w.variable("table")
    w.line(
        w.pick(
            lambda: f"{bag}.add({small_whole(w)})",
            lambda: f"{bag}.discard({small_whole(w)})",
            lambda: f"{bag} |= {{{small_whole(w)}, {w.number(0, 3)}}}",
            lambda: f"{bag} = {{e % 9 for e in {numbers}}}",
            lambda: f"{bag} = {w.variable('bag')}",
            lambda: f"{numbers}[{w.number(0, 1)}:] = [{small_whole(w)}, int(total(x))]",
            lambda: f"del {numbers}[{w.number(2, 3)}:]",
            lambda: f"{numbers}.sort(key=lambda e: -e)",
            lambda: f"{numbers} += [int(e) % 9 for e in {w.variable('array')}]",
            lambda: f"{numbers}.append(int(total({vector(w, 1)})) % 9)",
            lambda: f"{table}['t{w.number(0, 2)}'] = int(total({vector(w, 1)})) % 9",
            lambda: f"{w.variable('whole')} = {table}.pop('{w.choose('abc')}', {whole(w, 1)}) % 50",
            lambda: f"{table} = {{**{table}, 'c': {small_whole(w)}}}",
            lambda: f"{table} = {{'a': {small_whole(w)}, **{{f'k{{e % 3}}': e for e in {numbers}}}}}",
            lambda: f"{table}.setdefault('{w.choose('abc')}', {small_whole(w)})",
            lambda: f"{w.variable('whole')}, *{numbers} = [{whole(w, 1)}, *{numbers}, {whole(w, 1)}][:5]",
            lambda: f"{w.variable('vectors')}[{w.number(-1, 1)}] = {vector(w, 1)}",
            lambda: f"{w.variable('vectors')} = [{vector(w, 1)}, *{w.variable('vectors')}][:4]",
            lambda: f"{w.variable('vectors')}[0], {w.variable('whole')} = {vector(w, 1)}, {small_whole(w)}",
            lambda: f"{numbers}[int(total(x)) % 2] = {table}['n'] = {small_whole(w)}",
            lambda: f"{w.variable('text')} = f'''{{{whole(w, 1)}}}-{{{w.variable('text')}[:3]}}'''",
            lambda: f"{w.variable('text')} = '/'.join(str(e) for e in {numbers})[:6]",
        )
    )


def tell(w, depth):
    w.line(
        w.pick(
            lambda: f"log({whole(w, 1)}, shown({vector(w, 1)}))",
            lambda: f"print(total({vector(w, 1)}), {w.variable('numbers')})",
            lambda: f"print({vector(w, 1)}, {w.variable('text')}, sep='|')",
            lambda: f"log(shown({w.variable('array')}), {whole(w, 1)})",
            lambda: f"log(sorted({w.variable('bag')}), {w.variable('text')})",
            lambda: f"note_in({w.variable('numbers')}, {whole(w, 1)})",
            lambda: f"count_up({w.number(1, 3)})",
            lambda: f"box.items.append({small_whole(w)})",
            lambda: f"box.n = int(total({vector(w, 1)})) % 9",
            lambda: f"box.note = shown({vector(w, 1)})",
        )
    )


def closure(w, depth):
    """A function made in the middle, over names that change behind it."""
    name, kind = w.fresh("inner"), w.choose(["whole", "vector", "numbers"])
    variable = w.variable(kind)
    w.line(f"def {name}(a, b={whole(w, 1)}):")
    w.level += 1
    if w.chance(6) and kind != "numbers":
        w.line(f"nonlocal {variable}")
        if kind == "whole":
            w.line(f"{variable} = ({variable} + b + int(total(a))) % 50")
        else:
            w.line(f"{variable} = {variable} * {w.number(0, 2)} + a")
    elif kind == "numbers":
        w.line(f"{variable}.append(b % 50)")
    w.line(w.pick("log('inner', b)", "c = total(a)", "pass", lambda: f"log(shown({variable}))"))
    w.line(f"return {w.pick('a * b', 'a + 1', 'a - Tensor(a.asnumpy() * 2)', lambda: f'a + {whole(w, 0)}')}")
    w.level -= 1
    _between(w, depth)
    w.line(f"{w.variable('vector')} = {name}({vector(w, 1)}{w.pick('', lambda: f', {whole(w, 1)}')})")
    vectors = w.variable("vectors")
    w.line(w.choose([f"log(shown({variable}))", f"{vectors} = list(map({name}, {vectors}[:2]))"]))


def unbind(w, depth):
    """A name that is deleted on one path and looked at on all."""
    name = w.fresh("held")
    w.line(f"{name} = {w.choose([vector, whole])(w, 1)}")
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    {w.pick(f'del {name}', f'{name} = None; del {name}')}")
    if w.chance(4):
        w.line("else:")
        block(w, max(depth + 1, DEEPEST - 1), most=2)
    w.line("try:")
    w.line(f"    log(shown({name}))")
    w.line("except NameError as error:")
    w.line("    log(type(error).__name__, str(error))")
    if w.chance(5):
        w.line(f"    {name} = {vector(w, 1)}")
        w.line(f"{w.variable('vector')} = {name} + {w.variable('vector')}")


def rebind(w, depth):
    kind = w.choose(["vector", "whole", "numbers"])
    name = w.variable(kind)
    written = {
        "vector": lambda: vector(w, 1),
        "whole": lambda: small_whole(w),
        "numbers": lambda: f"[{small_whole(w)}, {w.number(0, 4)}]",
    }[kind]
    w.line(f"taken, {name} = {name}, {written()}")
    w.line(f"del {name}")
    w.line(w.pick("log(shown(taken))", lambda: f"taken = {written()}", "pass"))
    w.line(f"{name} = {w.pick('taken', written)}")
    w.line("del taken")


def share(w, depth):
    """Several names for one Tensor or a part of it, written behind host code."""
    name = w.fresh("part")
    held = w.pick(lambda: w.variable("vector"), "x", "box.v", "weight")
    w.line(f"{name} = {held}{w.choose(['', '[1:]', '[::2]'])}")
    _between(w, depth)
    w.line(w.pick("total(x)", "log(COUNT)", "pass", lambda: f"box.v = {w.variable('vector')}"))
    w.line(
        w.pick(
            lambda: f"{name}[0] = {w.choose([whole, scalar])(w, 1)}",
            lambda: f"{name}.add_({w.number(1, 3)})",
            lambda: f"{name}.asnumpy()[0] = {w.number(0, 5)}",
            lambda: f"{name} += {w.number(1, 3)}",
            lambda: f"{w.variable('array')} = {name}.asnumpy()",
        )
    )


def change_around(w, depth):
    """Names around the program, of classes and parameters."""
    numbers = w.variable("numbers")
    w.line(
        w.pick(
            lambda: f"state = (state + {whole(w, 1)}) % 50",
            lambda: f"Thing.step = {w.number(1, 3)}",
            lambda: "x = x * 2",
            lambda: "k += 1",
            lambda: f"s = {scalar(w, 1)}",
            lambda: "items = list(items)",
            lambda: f"{numbers} = [k + {w.variable('whole')} for k in {numbers}][:4] or [1, 2]",
            lambda: f"{numbers} = [(last := e % 9) for e in {numbers}][:4] or [1, 2]",
            lambda: f"{w.variable('rows')} = map(lambda e: e + {w.variable('whole')}, {numbers})",
            lambda: f"{w.variable('rows')} = filter(lambda e: e != {w.variable('whole')}, {numbers})",
            lambda: f"assert {w.variable('thing')}.n != {w.number(0, 9)}, shown({vector(w, 1)})",
            lambda: f"net.factor = {whole(w, 1)}",
            lambda: w.choose(["k = -k", "k = -k", "log('k' in locals())"]),
        )
    )


def many_turns(w, depth):
    """More turns than a part is compiled for."""
    turn, made, name = w.fresh("i"), w.fresh("made"), w.variable("vector")
    w.line(f"{made} = []")
    w.line(f"for {turn} in range({w.choose([5, 20])}):")
    w.level += 1
    w.line(
        w.pick(
            lambda: f"{w.variable('text')} = str({turn})",
            lambda: f"{w.variable('real')} = total(x) + {turn} / 2",
            lambda: f"{w.variable('thing')} = Thing({turn}, x)",
            lambda: f"{w.variable('numbers')} = list(range({turn} % 3 + 2))",
            lambda: f"{made}.append(lambda a: a + {turn} + {w.variable('whole')})",
            lambda: f"{w.variable('table')}['k' + str({turn} % 3)] = {turn}",
        )
    )
    w.line(
        w.pick(
            lambda: f"{name} = ops.clamp({name} * 2 + len({w.variable('text')}), -9, 9)",
            lambda: f"{name} = ops.clamp({w.variable('thing')}.scaled(x) + {w.variable('real')}, -9, 9)",
            lambda: f"{name} = x * {w.variable('real')} + {w.variable('numbers')}[-1]",
        )
    )
    w.line(w.pick(lambda: f"if {condition(w, 1)}: continue", f"log({turn})", "count_up(1)"))
    w.line(f"{w.variable('whole')} = ({w.variable('whole')} + {turn}) % 50")
    w.level -= 1
    w.line(f"{w.variable('vectors')} = [x, *(f(x) for f in {made}[:2]), x][:3]")


def matched_object(w, depth):
    w.line(f"match {w.variable(w.choose(['thing', 'numbers', 'table']))}:")
    w.level += 1
    thing = f"Thing(n={w.number(0, 4)} | {w.number(5, 9)})"
    for case in (thing, "[first, *_] if first > 1", "{'a': first, **rest}", "_"):
        w.line(f"case {case}:")
        block(w, DEEPEST, most=2)
    w.level -= 1


def tried_host(w, depth):
    """A try whose body fails in host code on some data."""
    w.line("try:")
    w.level += 1
    w.line(
        w.pick(
            lambda: f"{w.variable('vector')} = risky({vector(w, 1)}, {w.number(1, 6)})",
            lambda: f"{w.variable('whole')} = {{1: 2, 3: 4}}[int(total({vector(w, 1)})) % 4]",
            lambda: f"{w.variable('numbers')}[int(total({vector(w, 1)})) % 4] = {small_whole(w)}",
            lambda: f"{w.variable('array')}[int({scalar(w, 1)}) % 5] = {w.number(0, 3)}",
            lambda: f"{w.variable('real')} = 6 / (int(total({vector(w, 1)})) % 3)",
        )
    )
    if w.chance(5):
        w.line(f"{w.variable('vector')} = {vector(w, 1)}")
    w.level -= 1
    if depth < DEEPEST and w.chance(4):
        block(w, depth + 1, most=2)
    w.line(f"except {w.choose(['Exception', 'LookupError', '(ValueError, ArithmeticError)'])} as error:")
    w.line(f"    {w.choose(['log(type(error).__name__, str(error))', 'kept = error', 'log(error.args)'])}")
    if w.chance(3):
        block(w, depth + 1, most=2)
    if w.chance(4):
        w.line("else:")
        block(w, depth + 1, most=2)
    if w.chance(4):
        w.line("finally:")
        w.line("    " + w.pick("log('finally')", lambda: f"log({whole(w, 1)})"))


def within_host(w, depth):
    """A manager of the program that looks at Tensors, tells, swallows."""
    if depth >= DEEPEST:
        return tell(w, depth)
    bound = w.chance(5)
    manager = w.pick(
        lambda: f"Looking({vector(w, 1)}, '{w.choose('abc')}')",
        lambda: f"Looking({vector(w, 1)}, '{w.choose('abc')}', {w.choose(['ValueError', 'Exception'])})",
        lambda: f"lent({vector(w, 1)}, {w.number(0, 9)})",
    )
    named = f" as {w.variable('vector')}" if bound else ""
    w.line(f"with {manager}{named}:")
    block(w, depth + 1)
    return None


def host_loop(w, depth):
    """A loop whose end host code or a Tensor decides, with all ways out of it."""
    if depth >= DEEPEST:
        return tell(w, depth)
    count = w.fresh("c")
    w.line(f"{count} = 0")
    w.line(
        w.pick(
            lambda: f"while {count} < {w.number(1, 4)} and {condition(w, 1)}:",
            lambda: f"while {count} < {w.number(1, 4)} and {vector(w, 1)}.sum() > {w.number(-3, 3)}:",
            lambda: f"while total({vector(w, 1)}) + {count} < {w.number(2, 9)} and {count} < 4:",
            lambda: f"while ({w.variable('whole')} := next({w.variable('rows')}, 0) % 9) and {count} < 3:",
        )
    )
    w.line(f"    {count} += 1")
    w.loops += 1
    block(w, depth + 1)
    w.level += 1
    if w.chance(5):
        w.line(f"if {condition(w, 1)}:")
        w.line(f"    log('{w.fresh('out')}')")
        w.line(f"    {w.pick('break', 'continue', lambda: f'return {vector(w, 1)}, {count}')}")
        w.line(f"{w.variable('vector')} = {vector(w, 1)}")
    w.level -= 1
    w.loops -= 1
    if w.chance(4):
        w.line("else:")
        block(w, depth + 1, most=2)
    return None


STATEMENTS = (
    use_array, use_array, use_array, use_view, use_thing, use_thing, use_thing, made_class, use_rows, use_rows,
    loop_over_rows, loop_over_rows, own_generator, use_containers, use_containers, tell, tell, closure, unbind, rebind,
    tried_host, tried_host, within_host, host_loop, host_loop, share, share, change_around, change_around, many_turns,
    matched_object,
)  # fmt: skip
