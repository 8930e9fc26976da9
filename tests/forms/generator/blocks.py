"""Random `try`, `with` and nested loops: statements for the blocks of a program, and the classes that they use."""

from generator.expressions import condition, scalar, vector, whole
from generator.statements import DEEPEST, assign, block, change_list, leave_function

# What stands before the program: exceptions that hold something, and managers that tell when they are entered and left.
PRELUDE = """\
from contextlib import contextmanager, nullcontext, suppress


class Failure(ValueError):
    def __init__(self, text, code=0):
        super().__init__("failed: " + text)
        self.code = code


class Sharp(Failure):
    pass


class Told:
    def __init__(self, name, keeps=()):
        self.name, self.keeps = name, keeps

    def __enter__(self):
        print("enter", self.name)
        return self.name

    def __exit__(self, kind, error, traceback):
        print("leave", self.name, None if kind is None else kind.__name__, traceback is None)
        return kind is not None and issubclass(kind, self.keeps)


class Noted:
    def __init__(self, notes, name):
        self.notes, self.name = notes, name

    def __enter__(self):
        self.notes.append("in " + self.name)
        return self

    def __exit__(self, kind, error, traceback):
        self.notes.append("out " + self.name)
        if error is not None:
            self.notes.append(str(error))


@contextmanager
def between(name, keeps=()):
    print("before", name)
    try:
        yield name
    except keeps as error:
        print("kept", type(error).__name__)
    finally:
        print("after", name)


"""
KINDS = ("ValueError", "KeyError", "Failure", "Sharp", "IndexError")
CAUGHT = (
    "ValueError", "Failure", "Sharp", "KeyError", "(KeyError, Failure)", "Exception", "LookupError", "ZeroDivisionError"
)  # fmt: skip


def statements(w):
    """Statements of this kind of program besides the usual ones."""
    kinds = [fail_with_class, tried, tried, within, nested_loops, fail_with_class]
    return [*kinds, leave_by_chance] if w.loops else kinds


def made(w):
    """An exception being made."""
    kind = w.choose(KINDS)
    if kind in ("Failure", "Sharp"):
        return f"{kind}('{w.choose('abc')}', {w.pick(lambda: str(w.number(0, 3)), 'k', lambda: whole(w, 1))})"
    return f"{kind}({w.pick(lambda: str(w.number(0, 3)), lambda: repr(w.choose('abc')), 'k', '')})"


def fail_with_class(w, depth):
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    raise {made(w)}")


def tried(w, depth):
    if depth >= DEEPEST:
        return assign(w, depth)
    w.line("try:")
    block(w, depth + 1)
    handled = w.chance(8)
    if handled:
        _handlers(w, depth)
        if w.chance(3):
            w.line("else:")
            block(w, depth + 1)
    if not handled or w.chance(4):
        w.line("finally:")
        w.level += 1
        w.line(f"print('finally', {w.number(0, 9)})")
        if w.chance(2):
            w.choose([leave_function, leave_by_chance if w.loops else leave_function])(w, depth)
        w.level -= 1
        if w.chance(3):
            block(w, depth + 1, most=2)
    return None


def _handlers(w, depth):
    for _ in range(w.number(1, 2)):
        named = w.chance(6)
        name = w.fresh("e")
        w.line(f"except {w.choose(CAUGHT)}{' as ' + name if named else ''}:")
        w.level += 1
        if named:
            _use(w, name)
        if w.chance(2):
            _fail_again(w, name if named else None)
        w.level -= 1
        block(w, depth + 1, most=2)


def _use(w, name):
    w.line(
        w.pick(
            lambda: f"print(type({name}).__name__, {name})",
            lambda: f"print({name}.args)",
            lambda: f"{name}.add_note('note {w.number(0, 3)}')",
            lambda: f"{name}.extra = {w.pick('k', lambda: scalar(w, 1), lambda: whole(w, 1))}",
            lambda: f"kept = {name}",
            lambda: f"print(kept is {name}, {name}.__context__ is None)",
        )
    )


def _fail_again(w, name):
    raising = w.pick(
        "raise",
        lambda: f"raise {made(w)}",
        lambda: f"raise {made(w)} from {w.choose([name, 'None']) if name else 'None'}",
    )
    if w.chance(7):
        w.line(f"if {condition(w, 1)}:")
        raising = "    " + raising
    w.line(raising)


def within(w, depth):
    if depth >= DEEPEST:
        return assign(w, depth)
    managers = [
        lambda: f"Told('{w.choose('abc')}')",
        lambda: f"Told('{w.choose('abc')}', {w.choose(['ValueError', 'KeyError', 'Exception'])})",
        lambda: f"between('{w.choose('abc')}')",
        lambda: f"between('{w.choose('abc')}', {w.choose(['ValueError', 'Failure'])})",
        lambda: f"suppress({w.choose(['ValueError', 'KeyError'])})",
        lambda: "nullcontext()",
    ]
    if not w.graph_loops:
        managers += [lambda: f"Noted(box.notes, '{w.choose('abc')}')"] * 3
    several = ", ".join(w.pick(*managers) for _ in range(w.number(1, 2)))
    w.line(f"with {several}:")
    block(w, depth + 1)
    return None


def nested_loops(w, depth):
    if depth >= DEEPEST - 1 or w.loops > 1:
        return change_list(w, depth)
    outer, inner = w.fresh("i"), w.fresh("j")
    w.line(f"for {outer} in range({w.number(2, 3)}):")
    w.level += 1
    w.loops += 1
    leave_by_chance(w, depth)
    w.line(f"for {inner} in {w.pick('(1, 2)', lambda: f'range({w.number(1, 3)})')}:")
    w.level += 1
    leave_by_chance(w, depth)
    if not w.graph_loops:
        w.line(f"{w.variable('vectors')}.append({vector(w, 1)})")
    w.line(f"{w.variable('whole')} = ({outer} + {inner} + {whole(w, 1)}) % 31")
    w.level -= 1
    block(w, depth + 2, most=2)
    w.loops -= 1
    w.level -= 1
    return None


def leave_by_chance(w, depth):
    w.line(f"if {condition(w, 1)}:")
    w.line(f"    {w.choose(['break', 'continue', 'continue'])}")
