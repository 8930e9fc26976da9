"""Bytecode capture: positions and number of graphs, with results and state as without capture.

A line marked `# host` is one that Python is to run. Each program is called cold and warm; its results, the state that
it changes and what it prints are those of the function that is not compiled.
"""

import contextlib
import copy
import inspect
import types

import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops
from dyad._c_expression import get_code_extra

CALLS = 6  # the fourth call of a split function is timed, and later ones run what it left behind
COUNT = 0
LOG = []


def argument():
    return Tensor([1.0, 2.0])


def plain(value):
    """A value as something that `==` compares; which of its parts are one object is told too."""
    seen = {}

    def tell(each):
        if isinstance(each, (list, dict, Tensor, Box)):
            if id(each) in seen:
                return "again", seen[id(each)]
            seen[id(each)] = len(seen)
        if isinstance(each, Tensor):
            return type(each).__name__, str(each.dtype), each.asnumpy().tolist()
        if isinstance(each, dict):
            return type(each).__name__, [(key, tell(item)) for key, item in each.items()]
        if isinstance(each, (list, tuple)):
            return type(each).__name__, [tell(item) for item in each]
        return ("Box", tell(vars(each))) if isinstance(each, Box) else (type(each).__name__, each)

    return tell(value)


class Box:
    def __init__(self, **held):
        vars(self).update(held)


def host():
    with open("/dev/null") as opened:
        return opened.name


def graphs(compiled):
    """Number of graphs of the function itself, including its parts."""
    split = compiled.__jit_compiler__.split
    if split is None:
        return len(compiled.entries)
    return sum(piece.graphs for piece in split.pieces() if piece.is_graph)


def host_lines(compiled):
    """The lines that Python runs, counted from the first one of the function."""
    split, first = compiled.__jit_compiler__.split, compiled.__wrapped__.__code__.co_firstlineno
    pieces = () if split is None else split.pieces()
    return sorted({piece.first_line - first for piece in pieces if not piece.is_graph})


def marked_lines(function):
    return [at for at, line in enumerate(inspect.getsource(function).splitlines()) if line.endswith("# host")]


BREAKS = []


def breaks(graphs):
    """Declares a function that is split at its marked lines and has that many graphs."""

    def declare(function):
        BREAKS.append(pytest.param(function, graphs, id=function.__name__))
        return function

    return declare


@breaks(graphs=1)
def at_the_start(x):
    host()  # host
    return x * 2 + 1


@breaks(graphs=2)
def in_the_middle(x):
    y = x * 2
    host()  # host
    return y + 1


@breaks(graphs=1)
def at_the_end(x):
    y = x * 2
    y = y + 1
    host()  # host
    return y


@breaks(graphs=3)
def twice(x):
    y = x * 2
    host()  # host
    y = y * 3
    host()  # host
    return y + 1


@breaks(graphs=2)
def inside_an_expression(x):
    return (x * 2 + len(host())) * (x + 1)  # host


def breaking_callee(x):
    z = x + 1
    host()
    return z * 3


@breaks(graphs=2)
def in_a_callee(x):
    y = x * 2
    z = breaking_callee(y)  # host
    return z - 1


def between(x):
    return breaking_callee(x) + 1


@breaks(graphs=2)
def in_a_callee_of_a_callee(x):
    y = x * 2
    z = between(y)  # host
    return z - 1


@breaks(graphs=3)
def in_a_loop(x):
    for _ in range(3):
        x = x * 2
        host()  # host
        x = x + 1
    return x * 3


@breaks(graphs=3)
def in_a_loop_that_is_left(x):
    for at in range(5):
        x = x * 2
        if host() and at == 2:  # host
            break
        x = x + 1
    else:
        x = x * 100
    return x * 3


@breaks(graphs=2)
def in_a_while_loop(x):
    n = 0
    while n < 3:
        x = x + 1
        host()  # host
        n += 1
    return x * 2


@breaks(graphs=4)
def in_with(x):
    y = x * 2
    with contextlib.nullcontext(3) as factor:  # host
        y = y + 1
        host()  # host
        y = y * factor
    return y - 1


@breaks(graphs=4)
def in_try(x):
    y = x * 2
    try:
        y = y + 1
        host()  # host
        y = y * 3
    except ValueError:
        y = y - 100
    return y - 1


@breaks(graphs=4)
def in_try_with_finally(x):
    y = x * 2
    try:
        y = y + 1
        host()  # host
        y = y * 3
    finally:
        y = y * 2
    return y - 1


@breaks(graphs=2)
def in_a_handler(x):
    y = x * 2
    try:
        raise ValueError("a word")
    except ValueError:
        y = y + 1
        host()  # host
        y = y * 3
    return y - 1


@breaks(graphs=2)
def in_an_arm(x, flag=True):
    y = x * 2
    if flag:
        host()  # host
    return y + 1


@breaks(graphs=2)
def in_recursion(x, n=2):
    if n == 0:
        host()  # in the innermost call, which has graphs of its own
        return x * 1
    y = in_recursion(x + 1, n - 1)  # host
    return y * 2


def call_and_compare(function, compiled, make, capsys, calls=CALLS):
    """Calls cold and warm. `make` gives the arguments; what is left of them is compared too."""
    for number in range(calls):
        expected, ours = make(), make()
        wanted = plain((function(*expected), expected))
        text = capsys.readouterr().out
        assert plain((compiled(*ours), ours)) == wanted, f"call {number}"
        assert capsys.readouterr().out == text, f"call {number}"


@pytest.mark.parametrize(("function", "expected"), BREAKS)
def test_a_break_runs_its_lines_in_python_and_compiles_the_rest(function, expected, capsys):
    compiled = jit(function, capture_mode="bytecode")
    call_and_compare(function, compiled, lambda: (argument(),), capsys)
    assert host_lines(compiled) == marked_lines(function)
    assert graphs(compiled) == expected
    assert get_code_extra(compiled)["break_count_"] == 1
    before = graphs(compiled), compiled.misses, len(compiled.__jit_compiler__.split.cuts)
    compiled(argument())
    assert (graphs(compiled), compiled.misses, len(compiled.__jit_compiler__.split.cuts)) == before
    compiled(Tensor([1, 2, 3]))
    assert host_lines(compiled) == marked_lines(function), "another type has breaks at the same places"
    assert graphs(compiled) > before[0]


def test_the_callee_is_split_too():
    compiled = jit(in_a_callee, capture_mode="bytecode")
    for _ in range(CALLS):
        compiled(argument())
    callee = compiled.__jit_compiler__.split.callees(breaking_callee)
    assert graphs(callee) >= 2
    assert host_lines(callee) == [2]


def test_why_and_where_is_told():
    compiled = jit(in_the_middle, capture_mode="bytecode")
    compiled(argument())
    opening = host.__code__.co_firstlineno + 1  # the line of the callee that needs Python
    assert get_code_extra(compiled)["breaks_"] == [("unsupported function", f"{__file__}:{opening}")]


WHOLE = []


def whole(function):
    """Declares a function of a Tensor that is one graph, whatever Python does in it."""
    WHOLE.append(function)
    return function


@whole
def condition_on_data(x):
    y = x * 2
    y = y + 1 if y.sum() > 0 else y - 1
    if y.max() > 3:
        y = y * 2
    elif y.max() > 2:
        y = y * 3
    return y


@whole
def early_return_on_data(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


@whole
def loop_on_data(x):
    y = x
    while y.sum() < 100:
        y = y * 2 + 1
        if y.max() > 60:
            break
    else:
        y = y - 5
    return y


@whole
def nested_control_on_data(x):
    total = x * 0
    while total.sum() < 20:
        total = total - x if (total > 5).all() else total + x
        count = 0
        while (x * count).sum() < 4:
            count += 1
        total = total + count
    return total


@whole
def and_or_on_data(x):
    return x * 2 if x.sum() > 0 and not x.min() > 10 or x.max() > 100 else x  # noqa: RUF021


@whole
def with_on_the_normal_path(x):
    with contextlib.nullcontext(2) as factor:
        y = x * factor
    return y + 1


@whole
def try_on_the_normal_path(x):
    try:
        y = x * 2
    except ValueError:
        y = x
    else:
        y = y + 1
    finally:
        y = y * 3
    return y


@whole
def known_exception_is_caught(x):
    try:
        y = x * {"a": 2}["b"]
    except KeyError as error:
        y = x + len(error.args)
    return y


@whole
def loops_over_everything(x):
    total = x
    for a, b in zip([1, 2], {"p": 1, "q": 2}.items(), strict=True):
        total = total + a * b[1]
    for at, row in enumerate(x):
        total = total + row * at
    for key in {"p": 1}:
        total = total * len(key)
    return [total * k for k in range(2) if k], {k: v for k, v in {"a": total}.items()}


@whole
def generator_consumed_here(x):
    def rows(count):
        for at in range(count):
            yield x * at

    return sum(rows(3)), sum(row.sum() for row in rows(2))


@whole
def generator_that_delegates(x):
    def first():
        yield x
        return 3

    def both():
        count = yield from first()
        yield from (x * k for k in range(count))

    return sum(both()), [row + 1 for row in both()]


@whole
def values_that_are_no_tensors(x):
    return x, x * 2, None, "text", len(x.shape), float, {"x": x}, True, x.dtype


@whole
def numbers_stay_exact(x):
    k = x.shape[0]
    return k * 0.1, 1 / (k + 1), 2**40 + k, x * (k * 0.1)


@whole
def gradient_inside(x):
    return dyad.grad(lambda y: (y * y).sum())(x), dyad.value_and_grad(lambda y: ops.tanh(y).sum())(x)


@whole
def numbers_of_tensors(x):
    return x.sum().item(), float(x[0]), bool(x[0] > 0), int(x[1])


@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
def test_a_function_without_breaks_is_one_graph(function, capsys):
    compiled = jit(function, capture_mode="bytecode")
    call_and_compare(function, compiled, lambda: (argument(),), capsys)
    call_and_compare(function, compiled, lambda: (argument() * 3,), capsys)
    told = get_code_extra(compiled)
    assert (told["compile_count_"], told["break_count_"]) == (1, 0)
    assert (compiled.misses, len(compiled.entries)) == (1, 1)


@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
def test_one_graph_is_what_fullgraph_asks_for(function):
    compiled = jit(function, capture_mode="bytecode", fullgraph=True)
    assert plain(compiled(argument())) == plain(function(argument()))


def state():
    box = Box(value=1, gone=2, items=[1, 2])
    return Box(
        box=box,
        same=box,
        items=[1, 2, 3],
        table={"a": 1, "b": Tensor([1.0, 1.0])},
        tags={1, 2},
        tensor=Tensor([5.0, 6.0, 7.0]),
    )


EFFECTS = []


def effects(breaks=0):
    """Declares a function of a Tensor and a state that it changes; it has a graph for all of it, or is split."""

    def declare(function):
        EFFECTS.append(pytest.param(function, breaks, id=function.__name__))
        return function

    return declare


@effects()
def list_methods(x, held):
    y = x * 2
    held.items.remove(2)
    held.items.append(y)
    held.items.extend([y + 1, 7])
    held.items.insert(1, len(held.items))
    last = held.items.pop()
    held.items.reverse()
    held.items += [last, y]
    return y + len(held.items)


@effects()
def list_cleared_and_sorted(x, held):
    held.items.sort(reverse=True)
    first = held.items[0]
    held.items.clear()
    held.items.append(first)
    return x * first


@effects()
def items_set_and_deleted(x, held):
    held.items[0] = x + 1
    held.items[-1] = 9
    held.items[1:2] = [4, 5]
    del held.items[2]
    held.table["a"] = x * 3
    held.table["new"] = held.items
    del held.table["b"]
    return held.table["a"] + held.items[-1]


@effects()
def dict_methods(x, held):
    held.table.update(c=x * 2, a=5)
    got = held.table.pop("b")
    held.table.setdefault("d", []).append(x)
    held.table |= {"e": 1}
    return got + held.table["c"]


@effects()
def set_methods(x, held):
    held.tags.add(7)
    held.tags.discard(1)
    held.tags |= {8}
    return x * len(held.tags)


@effects()
def attributes_set_and_deleted(x, held):
    held.box.value = x * 2
    held.same.value += 1
    held.box.fresh = held.items
    del held.box.gone
    setattr(held.box, "named", 3)  # noqa: B010
    return held.box.value, hasattr(held.same, "gone")


@effects()
def two_names_of_one_object(x, held):
    held.box.items.append(x)
    held.same.items.append(len(held.box.items))
    held.table["box"] = held.box
    held.table["items"] = held.same.items
    return held.table["items"][-1] * x


@effects()
def globals_set_and_deleted(x, held):
    global COUNT, FRESH
    COUNT = COUNT % 3 + 1
    FRESH = x * COUNT
    got = FRESH + 1
    del FRESH
    LOG.append(COUNT)
    return got, COUNT


@effects()
def tensor_items_written(x, held):
    held.tensor[0] = 1.0
    held.tensor[1:] = x
    held.tensor += 1
    held.tensor[0:2] *= x
    part = held.tensor[1:]
    part.add_(1.0)
    return held.tensor * 2, part


@effects()
def prints(x, held):
    y = x * 2
    print("a word", y.shape, [1, "b"], {"k": 2})
    print(y)
    held.items.append(1)
    print(held.items)
    return y


@effects(breaks=1)
def prints_with_keywords(x, held):
    y = x * 2
    print("a", "b", sep="-", end="!\n")
    return y + 1


@effects(breaks=1)
def effects_around_a_break(x, held):
    y = x * 2
    held.items.append(y)
    held.box.value = y
    held.table["a"] = len(held.items)
    print("before")
    held.table["name"] = host()
    held.items.append(held.box.value)
    held.same.value = y + 1
    print("after", len(held.items))
    return y, held.items[-1]


@effects(breaks=1)
def effects_in_a_loop_around_a_break(x, held):
    for at in range(3):
        held.items.append(x * at)
        held.table[at] = len(held.items)
        host()
        held.items[-1] = held.items[-1] + 1
        held.box.value = held.items[-1]
    return held.box.value * 2


@effects(breaks=1)
def effects_before_an_exception_that_is_caught(x, held):
    try:
        held.items.append(x * 2)
        int(host())
        held.items.append("never")
    except ValueError as error:
        held.table["error"] = str(error)
    return x * len(held.items)


@effects()
def effects_on_paths_of_data(x, held):
    if x.sum() > 0:
        held.box.value = x * 3
        held.table["a"] = 4
    else:
        held.box.value = x - 1
        held.table["a"] = 5
    return held.box.value * held.table["a"]


@effects()
def free_variable_written(x, held):
    count = 0

    def step():
        nonlocal count
        count += 1
        held.items.append(count)
        return x * count

    return step() + step(), count


@pytest.mark.parametrize(("function", "breaks"), EFFECTS)
def test_side_effects_happen_as_without_capture(function, breaks, capsys):
    LOG.clear()
    compiled = jit(function, capture_mode="bytecode")
    globals()["COUNT"] = 0
    expected = []
    for _ in range(CALLS):
        held = state()
        expected.append(
            (plain((function(argument(), held), held)), capsys.readouterr().out, COUNT, list(LOG))
        )
    LOG.clear()
    globals()["COUNT"] = 0
    for number in range(CALLS):
        held = state()
        got = plain((compiled(argument(), held), held)), capsys.readouterr().out, COUNT, list(LOG)
        assert got == expected[number], f"call {number}"
    told = get_code_extra(compiled)
    assert told["break_count_"] == breaks
    assert (compiled.__jit_compiler__.split is None) == (not breaks)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, weight_init=0.5, bias_init=0.1)
        self.calls = Parameter(Tensor(0.0), name="calls", requires_grad=False)
        self.seen = []

    def construct(self, x):
        self.calls += 1
        self.seen.append(x.shape)
        y = self.dense(x)
        host()
        self.last = y
        return y + self.calls


def test_a_cell_that_is_split():
    ours, truth = Net(), Net()
    compiled = jit(ours, capture_mode="bytecode")
    x = Tensor([[1.0, 2.0]])
    for _ in range(CALLS):
        assert plain(compiled(x)) == plain(truth(x))
        assert plain((ours.last, ours.seen, ours.calls)) == plain((truth.last, truth.seen, truth.calls))
    assert get_code_extra(compiled)["break_count_"] == 1


box = Box()


def worked_example(x, items, scale=2):
    y = x * scale
    items.append(y.shape[0])
    box.last = y
    if y.sum() > 0:
        return y + len(items)
    return y - 1


def test_the_worked_example():
    """A condition on data does not end a graph here, so that there is one graph for each `scale` and each list.

    That a list which is only appended to is guarded as a whole is a limit of docs/static-graph.md.
    """
    compiled = jit(worked_example, capture_mode="bytecode")

    def call(x, items, **keywords):
        expected = worked_example(x, copy.copy(items), **keywords)
        result = compiled(x, items, **keywords)
        assert plain(result) == plain(expected)
        assert items[-1] == x.shape[0] and plain(box.last) == plain(x * keywords.get("scale", 2))
        return compiled.misses

    assert call(argument(), [1]) == 1
    assert call(-argument(), [1]) == 1, "both ways are in the graph"
    assert call(argument(), [1], scale=3) == 2
    assert call(argument(), [1], scale=3) == 2
    assert call(argument(), [1, 2]) == 3, "another length"
    assert call(argument(), [1, 2]) == 3
    assert get_code_extra(compiled)["break_count_"] == 0
    whole_graph = jit(worked_example, capture_mode="bytecode", fullgraph=True)
    assert plain(whole_graph(argument(), [1])) == plain(worked_example(argument(), [1]))


def test_an_abandoned_capture_leaves_nothing_behind(capsys):
    """Effects recorded before a break inside of a callee happen once."""

    def late(held):
        held.items.append("late")
        print("late")
        return host()

    def program(x, held):
        held.items.append(x * 2)
        print("early")
        name = late(held)
        return x + len(name)

    compiled = jit(program, capture_mode="bytecode")
    call_and_compare(program, compiled, lambda: (argument(), state()), capsys)


def test_code_that_has_no_source(capsys):
    """The counts do not depend on where the text is."""
    code = in_a_loop.__code__.replace(co_filename="<nowhere>")
    function = types.FunctionType(code, in_a_loop.__globals__, "in_a_loop")
    compiled = jit(function, capture_mode="bytecode")
    call_and_compare(function, compiled, lambda: (argument(),), capsys)
    marked = marked_lines(in_a_loop)
    assert (host_lines(compiled), graphs(compiled)) == (marked, 3)
