"""Random programs over containers from outside: globals, attributes, closure variables, arguments and their members.

Data decides which of them are changed, which one a name holds, and how often. What is compared is every length, truth,
member and identity that the program reads, and what the containers hold after each call.
"""

import collections
import linecache
import random
import re

from generator.comparing import Tally, compare
from generator.programs import Box, _numbers
from generator.writing import Writer, indented
from program import Call, Program, Scene
from session import jit

from dyad import Parameter, Tensor, ops

# Where a container of each kind is found; the last name of each is a variable that holds one of them.
PLACES = {
    "list": ("lg", "lc", "box.l", "la", "nest[0]", "nest[1]", "pair[0]", "shelf['l']", "box.inner.l", "l1"),
    "dict": ("dg", "dc", "box.d", "da", "pair[1]", "shelf['d']", "box.od", "box.counts", "d1"),
    "set": ("sg", "box.s", "sa", "pair[2]", "s1"),
    "queue": ("qg", "box.q", "qc", "q1"),
    "vectors": ("vg", "box.v", "va", "shelf['v']", "v1"),
    "grid": ("nest", "box.grid", "g1"),
    "groups": ("box.groups", "mg", "m1"),
}
DEEPEST = 3
GLOBALS = ("lg", "dg", "sg", "qg", "vg", "mg")
_SETS_OUTSIDE = re.compile(rf"({'|'.join(GLOBALS)}|lc|dc|qc|nest|box(\.\w+)+) [-+|&]?= ")


class ContainerWriter(Writer):
    """Writes statements over containers.

    `steady` programs branch only by what is known while compiling and set no names outside.
    """

    def __init__(self, draw, steady):
        super().__init__(draw, 0)
        self.steady = steady
        # Each program has few containers, so that its statements meet.
        self.places = {}
        for kind, names in PLACES.items():
            self.places[kind] = [*(self.choose(names[:-1]) for _ in range(self.number(1, 2))), names[-1]]

    def line(self, text):
        # A trace leaves names and attributes outside as the first call has set them.
        super().line("pass" if self.steady and _SETS_OUTSIDE.match(text) else text)

    def of(self, kind):
        """A container of that kind, by any of its names."""
        return self.choose(self.places[kind])


def sources_of(chosen_seed, count, steady=False):
    """The texts of that many programs, the same ones on every machine."""
    numbers = random.Random(chosen_seed)
    for _ in range(count):
        yield written(numbers.randrange, steady)


def written(draw, steady=False):
    """The text of a function `build(box, weight)` that gives the program."""
    w = ContainerWriter(draw, steady)
    w.budget = w.number(3, 12)
    _block(w, 0, most=8)
    held = {names[-1]: w.choose(w.places[kind][:-1]) for kind, names in PLACES.items()}
    head = [
        "h, t, o, same, pair = 0, x * 1.0, x, False, tup",
        f"{', '.join(held)} = {', '.join(held.values())}",
    ]
    result = f"return h, t, o, same, {', '.join(held)}"
    names = [f"global {', '.join(GLOBALS)}", "nonlocal lc, dc, qc, nest"]
    lines = [*names, *head, *_inner(w), *(line[4:] for line in w.lines), result]
    opening = ["def build(box, weight):"]
    opening += ["    lc, dc, qc = [1, 2, 3], {'a': 5, 'c': 1}, deque([4, 5])"]
    opening += ["    nest, shelf = [[1, 2], [3]], {'l': [7, 8, 9], 'd': {'b': 2}, 'v': []}"]
    opening += [
        "    tup = ([2, 1], {'a': 3, 'b': 4}, {1, 4})",
        "    box.held = (lc, dc, qc, nest, shelf, tup)",
    ]
    opening += ["    def program(x, k, la, da, sa, va):"]
    return "\n".join([*opening, *indented(lines, 2), "    return program", ""])


def _inner(w):
    """Functions that change or hand on what they are given."""
    condition = "k > 1" if w.steady else "x.sum() > 2"
    return [
        "def grow(held, value):",
        f"    {w.choose(['held.append(value)', 'held += [value]', 'held.insert(0, value)'])}",
        "    return held",
        "def either(one, other):",
        f"    return one if {condition} else other",
        "def shrink(held):",
        f"    if {w.choose([condition, 'len(held) > 1'])}:",
        f"        {w.choose(['held.pop()', 'del held[0]', 'held.clear()'])}",
        "    return len(held)",
    ]


# ---- expressions


def _condition(w):
    known = [f"k > {w.number(0, 2)}", lambda: f"{_whole(w)} > {w.number(0, 4)}", lambda: f"{_any(w)}"]
    known += [lambda: f"not {_any(w)}", lambda: f"len({_any(w)}) > {w.number(0, 3)}", lambda: _member(w)]
    known += [lambda: f"{w.of('list')} is {w.of('list')}", lambda: f"{w.of('list')} == {w.of('list')}"]
    if w.steady:
        return w.pick(*known)
    data = [f"x.sum() > {w.number(-2, 6)}", f"x[{w.number(0, 2)}] > {w.number(-1, 3)}", "t.sum() < 4"]
    return w.pick(*data, *data, *data, *known)


def _any(w):
    return w.of(w.choose(list(PLACES)))


def _member(w):
    return w.pick(
        lambda: f"{w.number(0, 5)} in {w.of('list')}",
        lambda: f"{_key(w)} in {w.of('dict')}",
        lambda: f"{w.number(0, 5)} in {w.of('set')}",
        lambda: f"{w.number(0, 5)} not in {w.of('queue')}",
        lambda: f"{_key(w)} in {w.of('groups')}",
    )


def _key(w):
    return repr(w.choose("abc"))


def _index(w):
    return str(w.choose([0, -1, 1, 2, -2]))


def _whole(w):
    """A number read out of a container."""
    return w.pick(
        lambda: f"len({_any(w)})",
        lambda: f"len({_any(w)})",
        lambda: f"{w.of('list')}[{_index(w)}]",
        lambda: f"sum({w.of('list')})",
        lambda: f"{w.of('dict')}[{_key(w)}]",
        lambda: f"{w.of('dict')}.get({_key(w)}, {w.number(0, 9)})",
        lambda: f"sum({w.of('dict')}.values())",
        lambda: f"len(list({w.of('dict')}.items()))",
        lambda: f"sum({w.of('set')})",
        lambda: f"{w.of('queue')}[{w.choose(['0', '-1'])}]",
        lambda: f"{w.of('list')}.count({w.number(1, 3)})",
        lambda: f"{w.of('list')}.index({w.number(1, 3)})",
        lambda: f"max({w.of('list')}, default=0)",
        lambda: f"len({w.of('list')}[{w.choose(['1:', ':2', '::-1', '-2:', ':'])}])",
        lambda: f"sum({w.of('list')}[{w.choose(['1:', ':2', '::2', '-2:'])}])",
        lambda: f"len({w.of('grid')}[{_index(w)}])",
        lambda: f"sum(len(e) for e in {w.of('grid')})",
        lambda: f"sum(e * {w.number(1, 3)} for e in {w.of('list')} if e > {w.number(0, 3)})",
        lambda: f"len({w.of('groups')}[{_key(w)}])",
        lambda: f"int({_member(w)})",
        lambda: f"bool({_any(w)})",
        lambda: f"len({w.of('list')} + {w.of('list')})",
        lambda: f"len([*{w.of('list')}, *{w.of('queue')}])",
        lambda: f"len(set({w.of('list')}))",
        lambda: f"sorted({w.of('list')})[0]",
        lambda: f"next(iter({w.of('list')}), 5)",
        lambda: f"sum(a * b for a, b in zip({w.of('list')}, {w.of('list')}))",
        lambda: f"len(dict({w.of('dict')}))",
        lambda: f"len({w.of('dict')} | {w.of('dict')})",
        lambda: f"len({w.of('set')} | {{{w.number(1, 9)}}})",
        lambda: f"any(e > 2 for e in {w.of('list')})",
        lambda: f"tuple({w.of('list')}).count(1)",
        lambda: f"(lambda *r: len(r))(*{w.of('list')})",
        lambda: f"str({w.of('list')}).count(',')",
    )


def _number(w):
    """A value to put into a container of numbers."""
    return w.pick(str(w.number(0, 9)), str(w.number(0, 9)), "k", lambda: f"{_whole(w)} % 10")


def _vector(w):
    return w.pick(
        f"x * {w.number(1, 3)}.0", "x", "t", "weight * 1.0", lambda: f"{w.of('vectors')}[{_index(w)}]"
    )


# ---- statements


def _block(w, depth, most=3):
    w.level += 1
    before = len(w.lines)
    for _ in range(w.number(1, most)):
        if w.budget > 0:
            _statement(w, depth)
    if len(w.lines) == before:
        w.line("pass")
    w.level -= 1


def _statement(w, depth):
    w.budget -= 1
    kinds = [_change, _change, _change, _change, _read, _read, _read, _alias, _alias, _compare, _store]
    if depth < DEEPEST:
        kinds += [_branch, _branch, _branch, _branch, _loop, _go_through, _try, _use_up]
    if w.loops:
        kinds.append(_leave_turn)
    w.choose(kinds)(w, depth)


def _read(w, depth):
    w.line(
        w.pick(
            lambda: f"h = (h * 3 + {_whole(w)}) % 997",
            lambda: f"h = (h * 3 + {_whole(w)}) % 997",
            lambda: f"t = t + x * {_whole(w)}",
            lambda: f"t = t + {w.of('vectors')}[{_index(w)}]",
            lambda: f"t = sum({w.of('vectors')}, t)",
            lambda: f"h = h + 7 if {_any(w)} else h + 1",
            lambda: f"h = h + {w.of('queue')}.{w.choose(['pop()', 'popleft()'])}",
            lambda: f"h = h + {w.of('list')}.pop({w.choose(['', '0', '-1'])})",
            lambda: f"h = h + {w.of('dict')}.pop({_key(w)}, 0)",
            lambda: f"h = h + {w.of('dict')}.setdefault({_key(w)}, {w.number(0, 5)})",
            lambda: f"e, *rest = {w.of('list')}; h = h + e + len(rest)",
            lambda: f"h = h + shrink({w.of(w.choose(['list', 'queue', 'vectors']))})",
            lambda: f"o = {w.of('vectors')}[{_index(w)}]",
            lambda: f"o = {w.of('vectors')}[{_index(w)}]",
            lambda: f"o = either({_vector(w)}, o)",
            lambda: f"same = o is {w.of('vectors')}[{_index(w)}]",
            lambda: f"same = o is {w.choose('xt')}",
        )
    )


def _alias(w, depth):
    kind = w.choose(list(PLACES))
    name = PLACES[kind][-1]
    w.line(
        w.pick(
            lambda: f"{name} = {w.of(kind)}",
            lambda: f"{name} = {w.of(kind)} if {_condition(w)} else {w.of(kind)}",
            lambda: f"{name} = [{w.of(kind)}, {w.of(kind)}][{w.choose(['k > 1', '0', '1'])}]",
            lambda: f"{name} = {w.of(kind)}.copy()",
            lambda: f"{name} = {w.of(kind)} or {w.of(kind)}",
            lambda: f"{name} = either({w.of(kind)}, {w.of(kind)})",
        )
    )


def _compare(w, depth):
    kind = w.choose(list(PLACES))
    w.line(f"same = {w.of(kind)} {w.choose(['is', '==', 'is not', '!='])} {w.of(kind)}")


def _store(w, depth):
    w.line(
        w.pick(
            lambda: f"{w.of('grid')}[{_index(w)}] = {w.of('list')}",
            lambda: f"{w.of('grid')}.append({w.of('list')})",
            lambda: f"box.l = {w.of('list')}",
            lambda: f"box.d = {w.of('dict')}",
            lambda: f"shelf['l'] = {w.of('list')}",
            lambda: f"{w.of('groups')}[{_key(w)}].append({_number(w)})",
            lambda: f"{w.of('groups')}[{_key(w)}] = {w.of('list')}",
            lambda: f"{w.of('groups')}.setdefault({_key(w)}, []).append({_number(w)})",
            lambda: f"{w.of('vectors')}.append({_vector(w)})",
            lambda: f"l1 = grow({w.of('list')}, {_number(w)})",
            lambda: f"v1 = grow({w.of('vectors')}, o)",
            lambda: f"box.v = {w.of('vectors')}",
            lambda: f"shelf['v'] = {w.of('vectors')}",
        )
    )


def _change(w, depth):
    kind = w.choose(["list", "list", "list", "dict", "dict", "set", "queue", "vectors", "grid", "groups"])
    name = w.of(kind)
    w.line(w.pick(*_CHANGES[kind](w, name)))


def _list_changes(w, name):
    return [
        lambda: f"{name}.append({_number(w)})",
        lambda: f"{name}.append({_number(w)})",
        lambda: f"{name}.extend({w.of('list')}[:2])",
        lambda: f"{name}.extend([{_number(w)}, {_number(w)}])",
        lambda: f"{name} += [{_number(w)}]",
        lambda: f"{name}.insert({w.number(0, 2)}, {_number(w)})",
        lambda: f"del {name}[{_index(w)}]",
        lambda: f"del {name}[{_index(w)}]",
        lambda: f"del {name}[{w.choose(['1:', ':1', '::2', ':'])}]",
        lambda: f"{name}.pop({w.choose(['', '0', '-1', '1'])})",
        lambda: f"{name}.remove({w.number(1, 4)})",
        lambda: f"{name}[{_index(w)}] = {_number(w)}",
        lambda: f"{name}[{_index(w)}] += {_number(w)}",
        lambda: f"{name}[{w.choose([':', '1:', ':1'])}] = [{_number(w)}, {_number(w)}]",
        lambda: f"{name}[:] = [e + 1 for e in {name}]",
        lambda: f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
        f"{name}.clear()",
        f"{name}.sort()",
        f"{name}.sort(reverse=True)",
        f"{name}.reverse()",
    ]


def _dict_changes(w, name):
    return [
        lambda: f"{name}[{_key(w)}] = {_number(w)}",
        lambda: f"{name}[{_key(w)}] = {_number(w)}",
        lambda: f"{name}[{_key(w)}] += {_number(w)}",
        lambda: f"del {name}[{_key(w)}]",
        lambda: f"{name}.pop({_key(w)}, None)",
        lambda: f"{name}.pop({_key(w)})",
        lambda: _put_back(name, _key(w)),
        f"{name}.popitem()",
        lambda: f"{name}.update({{{_key(w)}: {_number(w)}}})",
        lambda: f"{name}.update({w.of('dict')})",
        lambda: f"{name}.update(c={_number(w)})",
        lambda: f"{name}.setdefault({_key(w)}, {_number(w)})",
        lambda: f"{name} |= {{{_key(w)}: {_number(w)}}}",
        f"{name}.clear()",
        lambda: f"{name}[{_key(w)}] = {name}.get({_key(w)}, 0) + 1",
        lambda: f"box.od.move_to_end({_key(w)})",
        lambda: f"box.od.popitem({w.choose(['', 'last=False'])})",
        lambda: f"box.counts[{_key(w)}] += 2",
    ]


def _put_back(name, key):
    """A statement that moves a key to the end."""
    return f"{name}[{key}] = {name}.pop({key})"


def _set_changes(w, name):
    return [
        lambda: f"{name}.add({w.number(0, 6)})",
        lambda: f"{name}.discard({w.number(0, 6)})",
        lambda: f"{name}.remove({w.number(0, 6)})",
        lambda: f"{name}.update([{w.number(0, 6)}, {w.number(0, 6)}])",
        lambda: f"{name} |= {{{w.number(0, 6)}}}",
        lambda: f"{name} -= {{{w.number(0, 6)}}}",
        lambda: f"{name} &= {{1, 2, 3, {w.number(4, 6)}}}",
        f"{name}.clear()",
    ]


def _queue_changes(w, name):
    return [
        lambda: f"{name}.append({_number(w)})",
        lambda: f"{name}.appendleft({_number(w)})",
        f"{name}.pop()",
        f"{name}.popleft()",
        lambda: f"{name}.extend([{_number(w)}, 2])",
        lambda: f"{name}.rotate({w.number(-1, 2)})",
        lambda: f"{name}[{w.choose(['0', '-1'])}] = {_number(w)}",
        lambda: f"del {name}[0]",
        lambda: f"{name} += [{_number(w)}]",
        f"{name}.clear()",
    ]


def _vector_changes(w, name):
    return [
        lambda: f"{name}.append({_vector(w)})",
        lambda: f"{name}[{_index(w)}] = {_vector(w)}",
        lambda: f"{name}.insert(0, {_vector(w)})",
        lambda: f"del {name}[{_index(w)}]",
        f"{name}.pop()",
        lambda: f"{name} += [{_vector(w)}]",
        f"{name}.reverse()",
    ]


def _grid_changes(w, name):
    return [
        lambda: f"{name}.append([{_number(w)}])",
        lambda: f"{name}[{_index(w)}].append({_number(w)})",
        lambda: f"{name}[{_index(w)}][0] = {_number(w)}",
        lambda: f"del {name}[{_index(w)}][0]",
        lambda: f"del {name}[{_index(w)}]",
        lambda: f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
        lambda: f"{name}[{_index(w)}] += [{_number(w)}]",
        f"{name}.reverse()",
    ]


def _group_changes(w, name):
    return [
        lambda: f"{name}[{_key(w)}].append({_number(w)})",
        lambda: f"del {name}[{_key(w)}]",
        lambda: f"{name}[{_key(w)}] = [{_number(w)}]",
        lambda: f"{name}.pop({_key(w)}, None)",
        lambda: f"del {name}[{_key(w)}][0]",
        lambda: f"{name}[{_key(w)}] += [{_number(w)}]",
    ]


_CHANGES = {
    "list": _list_changes,
    "dict": _dict_changes,
    "set": _set_changes,
    "queue": _queue_changes,
    "vectors": _vector_changes,
    "grid": _grid_changes,
    "groups": _group_changes,
}


def _branch(w, depth):
    w.line(f"if {_condition(w)}:")
    _block(w, depth + 1)
    if w.chance(4):
        w.line("else:")
        _block(w, depth + 1)


def _loop(w, depth):
    bound, step = f"n{depth}", w.number(1, 3)
    if w.steady or w.chance(3):
        w.line(f"for {bound} in range({step}):")
    else:
        w.line(f"{bound} = x.sum() * 0")
        w.line(f"while {bound} < {step}{w.choose(['', f' and {_condition(w)}'])}:")
        w.line(f"    {bound} = {bound} + 1")
    w.loops += 1
    _block(w, depth + 1)
    w.loops -= 1


def _go_through(w, depth):
    e, kind = f"e{depth}", w.choose(["list", "list", "list", "dict", "queue", "set"])
    name = w.of(kind)
    lists = [f"{e} in {name}", f"{e} in {name}", f"{e} in list({name})", f"{e}, _ in enumerate({name})"]
    lists += [f"{e} in reversed({name})", f"{e} in range(len({name}))"]
    dicts = [f"{e} in {name}.values()", f"_, {e} in {name}.items()", f"{e} in map(len, {name})"]
    ways = {"list": lists, "queue": lists[:3], "dict": dicts, "set": [f"{e} in sorted({name})"]}
    w.line(f"for {w.choose(ways[kind])}:")
    w.line(f"    h = (h * 3 + {e}) % 997")
    w.line(f"    if len({name}) > 9: break")  # a list that its own loop lengthens has no end
    w.loops += 1
    _block(w, depth + 1, most=2)
    w.loops -= 1


def _use_up(w, depth):
    kind = w.choose(["list", "queue", "vectors", "grid", "set"])
    name, gone = w.of(kind), w.choose(["pop()", "clear()"])
    w.line(f"while {w.choose(['', f'len({w.of(kind)}) < 9 and '])}{name}:")
    w.line(f"    {name}.{gone}; h = h + 1")
    w.line("    if h % 4 == 0: break")  # it may be refilled in each turn
    w.loops += 1
    _block(w, depth + 1, most=1)
    w.loops -= 1


def _try(w, depth):
    w.line("try:")
    _block(w, depth + 1)
    w.line(
        f"except {w.choose(['IndexError', 'KeyError', 'ValueError', '(IndexError, KeyError, ValueError)'])}:"
    )
    w.line("    h = h + 100")


def _leave_turn(w, depth):
    w.line(f"if {_condition(w)}:")
    w.line(f"    {w.choose(['break', 'continue'])}")


# ---- running


def _fill(space):
    """Fresh globals; the program finds them by their names."""
    space |= {"lg": [1, 2], "dg": {"a": 1, "b": 2}, "sg": {1, 2, 5}, "qg": collections.deque([1, 2, 3])}
    space["vg"] = [Tensor([1.0, 0.0, 2.0])]
    space["mg"] = collections.defaultdict(list, a=[1], b=[2, 3])


def _boxed():
    box, box.inner = Box(), Box()
    box.l, box.d, box.s, box.q = [3, 1, 2], {"a": 4, "c": 3}, {2, 3}, collections.deque([7, 1], 4)
    box.inner.l, box.v = [5], [Tensor([0.5, 1.0, -1.0]), Tensor([1.0, 1.0, 0.0])]
    box.od, box.counts = collections.OrderedDict(b=1, a=2), collections.defaultdict(int, a=3)
    box.grid, box.groups = [[1], [2, 3], [4]], {"a": [1, 2], "b": []}
    return box


def as_program(source):
    """The source as a program of the session; all containers are watched, and some are changed between two calls."""
    filename = f"<containers {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"Tensor": Tensor, "ops": ops, "deque": collections.deque, "__name__": "generated"}
    exec(compile(source, filename, "exec"), space)

    def build():
        box, weight = _boxed(), Parameter(Tensor([0.5, 1.0, -1.0]), name="weight")
        _fill(space)

        def change():
            box.l.append(2)
            box.d["b"] = 6
            box.q.appendleft(3)
            box.groups["a"] = [3]
            space["lg"] = [4, 1, 2]
            space["dg"].pop("a", None)

        return Scene(space["build"](box, weight), change, lambda: (box, [space[name] for name in GLOBALS]))

    return Program("containers", build, _calls())


def _calls():
    def call(values, k):
        v = Tensor([1.0, 2.0, 0.0])
        return Call(Tensor(values), k, [2, 1, 3], {"a": 1, "c": 2}, {1, 3}, [v, Tensor([0.0, 1.0, 3.0])])

    return [
        call([1.0, -2.0, 3.0], 1),
        call([1.0, -2.0, 3.0], 1),
        call([-1.0, 1.5, -3.0], 1),
        call([2.0, 3.0, 4.0], 2),
    ]


def compare_many(count, chosen_seed, form=jit, steady=False):
    """Compares that many programs, the same ones everywhere; the first that differs is raised."""
    tally = Tally()
    for source in sources_of(chosen_seed, count, steady=steady):
        compare(source, tally, as_program, form)
    return tally
