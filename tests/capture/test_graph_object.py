"""Graphs recorded directly through `_core.Graph`, on which the readers of programs are built."""

import contextlib

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, _core, ops


@contextlib.contextmanager
def recording(name="main"):
    graph = _core.Graph(name)
    graph.activate()
    try:
        yield graph
    finally:
        graph.deactivate()


def floats(*values):
    return Tensor(np.array(values, np.float32))


def run(graph, *inputs):
    graph.verify()
    return graph.compile(verify=True).run(list(inputs))


def captured(function, *examples):
    """The graph of a function without control flow."""
    with recording() as graph:
        result = function(*(graph.add_input(example) for example in examples))
        graph.finish(result if isinstance(result, (list, tuple)) else [result])
    return graph


def agrees(function, *inputs):
    """The function as a graph gives what it gives when it runs, and leaves its inputs the same."""
    mine = [value.copy() if isinstance(value, Tensor) else value for value in inputs]
    theirs = [value.copy() if isinstance(value, Tensor) else value for value in inputs]
    graph = captured(function, *inputs)
    found = run(graph, *mine)
    expected = function(*theirs)
    expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    for a, b in zip(found + mine, expected + theirs, strict=True):
        if isinstance(b, Tensor):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
        else:
            assert type(a) is type(b) and a == b
    return graph


x23 = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + x * 2 - 1,
        lambda x: ops.relu(x @ x.T).sum(),
        lambda x: ops.softmax(x, -1),
        lambda x: (x[0], x[:, 1], x[..., None], x[1:, ::2], x[[0, 1], 1]),
        lambda x: x.reshape(3, 2).transpose(1, 0),
        lambda x: ops.concat([x, x], 0),
        lambda x: x.astype(dyad.int32) // 2,
        lambda x: x > 2,
        lambda x: ops.layer_norm(x, (3,), ops.ones(3), ops.zeros(3)),
    ],
)
def test_recorded_operators_agree_with_eager_execution(function):
    agrees(function, x23)


def test_real_operands_are_computed_at_once():
    graph = captured(lambda x: x * (floats(1, 2, 3) + 1), x23)
    assert graph.text().count("add(") == 0
    assert "constant {2.0, 3.0, 4.0}" in graph.text()


def test_location_is_that_of_the_program():
    with recording() as graph:
        x = graph.add_input(x23, "x")
        graph.set_location("net.py", 3, 8)
        graph.finish([x + 1])
    assert 'add(%x, other=1) at "net.py":3:8' in graph.text()


def test_text_is_read_by_people_before_it_is_known():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        assert repr(x) == "Tensor(shape=(2,), dtype=Float32, value=<known when the graph runs>)"
        assert str(x) == f"{x}" == repr(x)


@pytest.mark.parametrize(
    "read",
    [
        bool,
        int,
        float,
        complex,
        lambda x: x.item(),
        lambda x: x.asnumpy(),
        lambda x: x.tolist(),
        lambda x: memoryview(x),
        lambda x: x.__dlpack__(),
        lambda x: x.data_ptr(),
        lambda x: [1, 2][x.astype(dyad.int32)],
        lambda x: range(x.astype(dyad.int32)),
        lambda x: Tensor([x, x]),
        lambda x: np.array(x),
        lambda x: __import__("pickle").dumps(x),
        lambda x: x in x.reshape(1),
    ],
)
def test_reading_a_value_is_a_capture_error(read):
    with recording() as graph:
        x = graph.add_input(Tensor(1.0))
        with pytest.raises(_core.CaptureError, match="known only when the graph runs"):
            read(x)


def test_truth_of_several_elements_is_what_it_is_without_a_graph():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        with pytest.raises(ValueError, match="is ambiguous"):
            bool(x)


# In place and through views.


def add_in_place(x):
    x.add_(1)
    return x * 2


def write_row(x):
    row = x[0]
    before = row * 1
    row.add_(10)
    x[1, 1:] = 5
    return before, row, x[0], x


def write_through_two_views(x):
    column = x[:, 1]
    row = x[1]
    column.mul_(3)
    row.add_(column.sum())
    return x * 1, column, row, x.T


def write_to_a_copy(x):
    y = x.reshape(3, 2).transpose(1, 0).reshape(6)
    y[0] = 100
    return y, x


def write_a_constant(x):
    buffer = ops.zeros(3)
    buffer[0] = 1
    buffer[1] = x.sum()
    buffer.add_(1)
    return buffer


@pytest.mark.parametrize(
    "function", [add_in_place, write_row, write_through_two_views, write_to_a_copy, write_a_constant]
)
def test_recorded_writes_agree_with_eager_execution(function):
    agrees(function, x23)


def test_a_written_constant_is_fresh_in_every_run():
    graph = captured(write_a_constant, x23)
    program = graph.compile(verify=True)
    assert program.run([x23])[0].tolist() == program.run([x23])[0].tolist() == [2, 16, 1]


def test_written_inputs_lists_the_inputs_written_in_place():
    assert captured(add_in_place, x23).written_inputs == [0]
    assert captured(lambda x: x + 1, x23).written_inputs == []


def test_parameter_is_bound_by_reference():
    weight = Parameter(floats(1, 2, 3), name="weight")
    with recording() as graph:
        x = graph.add_input(x23)
        y = x * weight
        ops.assign_add(weight, ops.ones(3))
        graph.finish([y, weight])
    assert [value is weight for value in graph.bound] == [True]
    assert (graph.input_count, graph.written_inputs) == (1, [1])
    assert weight.tolist() == [1, 2, 3]
    program = graph.compile(verify=True)
    assert program.run([x23])[0].tolist() == [[0, 2, 6], [3, 8, 15]]
    assert weight.tolist() == [2, 3, 4]
    program.run([x23])
    assert weight.tolist() == [3, 4, 5]


def test_bound_tensor_has_one_stand_in_of_its_class():
    weight = Parameter(floats(1, 2), name="weight")
    weight.note = "kept"
    with recording() as graph:
        stand_in = graph.bind(weight)
        assert isinstance(stand_in, Parameter) and stand_in.name == "weight" and stand_in.note == "kept"
        assert graph.bind(weight) is stand_in and _core.is_symbolic(stand_in)
        graph.finish([stand_in + weight])
    assert graph.text().count("state") == 1
    assert run(graph)[0].tolist() == [2, 4]


def test_random_operators_draw_in_each_run():
    with recording() as graph:
        graph.finish([ops.randn(3)])
    program = graph.compile(verify=True)
    assert program.run([])[0].tolist() != program.run([])[0].tolist()


# Numbers.


def test_number_arithmetic_is_python_s():
    def program(n, x):
        return [
            n + 2,
            2 - n,
            n * n,
            n / 4,
            n // 2,
            -n % 3,
            n**2,
            n << 1,
            n | 8,
            ~n,
            abs(-n),
            round(n / 4, 1),
            n < 3,
        ]

    with recording() as graph:
        n = graph.add_input(5)
        assert n.kind is int and (n / 2).kind is float and (n < 3).kind is bool
        graph.finish(program(n, None))
    found = run(graph, 5)
    assert found == program(5, None)
    assert [type(value) for value in found] == [type(value) for value in program(5, None)]


@pytest.mark.parametrize("read", [bool, int, float, hash, lambda n: [1, 2][n], lambda n: range(n)])
def test_reading_a_number_is_a_capture_error(read):
    with recording() as graph:
        n = graph.add_input(int)
        with pytest.raises(_core.CaptureError, match="known only when the graph runs"):
            read(n)


@pytest.mark.parametrize("number", [2, 2.5, True])
@pytest.mark.parametrize("dtype", [dyad.int32, dyad.float16, dyad.float32, dyad.bool_])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x + n,
        lambda x, n: n * x,
        lambda x, n: x < n,
        lambda x, n: x / (n + 1),
        lambda x, n: ops.where(x > 1, x, n),
    ],
)
def test_number_does_not_decide_the_dtype(function, dtype, number):
    agrees(function, x23.astype(dtype), number)


def test_number_of_a_tensor_and_back():
    with recording() as graph:
        x = graph.add_input(x23)
        n = _core.number(x.sum())
        assert n.kind is float
        m = _core.number_op("int", n)
        graph.finish([_core.as_tensor(m + 1, dyad.int32), _core.number_op("max", n, 3.0), x.mul(n)])
        with pytest.raises(ValueError):
            _core.number(x)
    found = run(graph, x23)
    assert found[0].item() == 16 and found[0].dtype == dyad.int32 and found[1] == 15.0


# Functions inside.


def branch(graph, condition, yes, no, dead=None):
    graph.begin("yes")
    yes_outs = yes()
    yes_function = graph.suspend()
    graph.begin("no")
    no_outs = no()
    no_function = graph.suspend()
    return graph.add_if(condition, yes_function, yes_outs, no_function, no_outs, dead=dead)


def loop(graph, initial, condition, body):
    truth = condition(*graph.begin("condition", initial))
    condition_function = graph.suspend()
    outs = body(*graph.begin("body", initial))
    body_function = graph.suspend()
    return graph.add_while(condition_function, truth, body_function, outs, initial)


def test_an_if_runs_the_branch_its_condition_selects():
    with recording() as graph:
        x = graph.add_input(x23)
        y = x * 2
        graph.finish(branch(graph, x.sum() > 3, lambda: [x + y, 1], lambda: [y - 1, 2]))
    program = graph.compile(verify=True)
    found = program.run([x23])
    assert found[0].tolist() == (x23 * 3).tolist() and found[1] == 1
    found = program.run([-x23])
    assert found[0].tolist() == (x23 * -2 - 1).tolist() and found[1] == 2


def test_if_joins_writes():
    weight = Parameter(floats(1, 1), name="weight")
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        local = x * 1

        def write():
            local.add_(10)
            ops.assign(weight, local)
            return []

        view = local[0]
        branch(graph, x[0] > 0, write, lambda: [])
        graph.finish([local, view, weight])
    program = graph.compile(verify=True)
    found = program.run([floats(-1, 2)])
    assert [value.tolist() for value in found] == [[-1, 2], -1, [1, 1]]
    found = program.run([floats(1, 2)])
    assert [value.tolist() for value in found] == [[11, 12], 11, [11, 12]]
    assert weight.tolist() == [11, 12]


def test_if_with_an_arm_that_raises():
    def fail(value):
        raise ValueError(f"bad value {value}")

    with recording() as graph:
        x = graph.add_input(Tensor(1.0))
        n = _core.number(x)
        graph.finish(
            branch(graph, n > 0, lambda: [x + 1, n], lambda: graph.add_host("raise", fail, [n]), dead=1)
        )
    program = graph.compile(verify=True)
    assert program.run([Tensor(1.0)])[0].item() == 2
    with pytest.raises(ValueError, match="bad value -1"):
        program.run([Tensor(-1.0)])


def test_if_with_symbolic_dims():
    with recording() as graph:
        x = graph.add_input(floats(1, 2, 3))
        (y,) = branch(graph, x.sum() > 0, lambda: [x[1:]], lambda: [x])
        n = y.shape[0]
        graph.finish([y.sum(), n * 2, ops.zeros((n, 2))])
    program = graph.compile(verify=True)
    found = program.run([floats(1, 2, 3)])
    assert (found[0].item(), found[1], found[2].shape) == (5, 4, (2, 2))
    assert program.run([floats(-1, -2, -3)])[1] == 6


def test_arms_must_agree():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        with pytest.raises(TypeError, match="float32\\[2\\] in one arm and number int64"):
            branch(graph, x.sum() > 0, lambda: [x], lambda: [1])
        with pytest.raises(TypeError, match="float32\\[2\\] in one arm and int32\\[2\\]"):
            branch(graph, x.sum() > 0, lambda: [x], lambda: [x.astype(dyad.int32)])


def test_value_of_an_arm_is_not_used_outside():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        made = []
        branch(graph, x.sum() > 0, lambda: made.append(x + 1) or [], lambda: [])
        with pytest.raises(_core.CaptureError, match="used outside of it"):
            made[0] + 1


def test_a_while_runs_until_its_condition_is_false():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        n = graph.add_input(int)
        result = loop(graph, [0, x * 1], lambda i, y: i < n, lambda i, y: [i + 1, y * 2 + x])
        graph.finish(result)
    program = graph.compile(verify=True)
    assert program.run([floats(1, 2), 3])[1].tolist() == [15, 30]
    assert program.run([floats(1, 2), 0]) == [0, pytest.approx(program.run([floats(1, 2), 0])[1])]


def test_while_with_writes():
    weight = Parameter(floats(0, 0), name="weight")
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        counter = x * 0

        def body(i):
            counter[0] += 1
            weight.add_(x)
            fresh = ops.zeros(2)
            fresh[0] = i
            counter[1] += fresh.sum()
            return [i + 1]

        loop(graph, [0], lambda i: i < 3, body)
        graph.finish([counter])
    program = graph.compile(verify=True)
    assert program.run([floats(1, 2)])[0].tolist() == [3, 3]
    assert weight.tolist() == [3, 6]


def test_nested_control_flow():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        total = x * 0

        def body(i):
            def add():
                total.add_(x)
                return []

            branch(graph, i % 2 == 0, add, lambda: [])
            return [i + 1]

        loop(graph, [0], lambda i: i < 5, body)
        graph.finish([total])
    assert run(graph, floats(1, 2))[0].tolist() == [3, 6]


def test_constant_read_before_it_is_written_in_a_loop():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        state = ops.ones(2)

        def body(i, y):
            (y,) = branch(graph, i >= 0, lambda: [y + state], lambda: [y])
            state.add_(x)
            return [i + 1, y]

        graph.finish(loop(graph, [0, x * 0], lambda i, y: i < 3, body))
    assert run(graph, floats(1, 2))[1].tolist() == [1 + 2 + 3, 1 + 3 + 5]


def test_loop_variable_keeps_its_type():
    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        with pytest.raises(TypeError, match="variable 0 is float32\\[2\\] and becomes float32\\[4\\]"):
            loop(graph, [x], lambda y: y.sum() < 3, lambda y: [ops.concat([y, y])])


def test_host_calls_are_in_order():
    seen = []

    def note(*values):
        seen.append([value.tolist() if isinstance(value, Tensor) else value for value in values])
        return Tensor(float(len(seen))), len(seen)

    with recording() as graph:
        x = graph.add_input(floats(1, 2))
        graph.add_host("print", note, [x, 3], [Tensor(0.0), int])

        def body(i):
            graph.add_host("print", note, [i, x], [Tensor(0.0), int])
            return [i + 1]

        loop(graph, [0], lambda i: i < 2, body)
        graph.finish(graph.add_host("print", note, [], [Tensor(0.0), int]))
    found = run(graph, floats(1, 2))
    assert seen == [[[1, 2], 3], [0, [1, 2]], [1, [1, 2]], []]
    assert found[0].item() == 4 and found[1] == 4


# Functions that are called.


def test_a_function_of_the_graph_can_call_itself():
    weight = Parameter(floats(1, 2), name="weight")
    with recording() as graph:
        n = graph.add_input(int)
        x = graph.add_input(floats(1, 1))
        power = graph.declare("power", [int, x], [x])
        count, base = graph.open(power)
        outs = branch(
            graph,
            count > 0,
            lambda: [graph.add_call(power, [count - 1, base])[0] * base + weight],
            lambda: [weight * 0],
        )
        graph.close(power, outs)
        graph.finish(graph.add_call(power, [n, x]))
    program = graph.compile(verify=True)
    assert program.run([0, floats(2, 3)])[0].tolist() == [0, 0]
    assert program.run([3, floats(2, 3)])[0].tolist() == [7, 26]


def test_two_functions_of_the_graph_can_call_each_other():
    with recording() as graph:
        n = graph.add_input(int)
        even = graph.declare("even", [int], [bool])
        odd = graph.declare("odd", [int], [bool])
        for this, other, answer in ((even, odd, True), (odd, even, False)):
            (count,) = graph.open(this)
            graph.close(
                this,
                branch(graph, count == 0, lambda: [answer], lambda: graph.add_call(other, [count - 1])),  # noqa: B023
            )
        graph.finish(graph.add_call(even, [n]))
    program = graph.compile(verify=True)
    assert [program.run([n])[0] for n in range(4)] == [True, False, True, False]


def test_called_function_writes():
    weight = Parameter(floats(1, 2), name="weight")
    with recording() as graph:
        x = graph.add_input(floats(1, 1))
        function = graph.declare("update", [x], [])
        (y,) = graph.open(function)
        weight.add_(y)
        graph.close(function, [])
        graph.add_call(function, [x])
        graph.add_call(function, [x * 10])
        graph.finish([weight * 1])
    assert run(graph, floats(1, 1))[0].tolist() == [12, 13]
    assert weight.tolist() == [12, 13]


def test_call_must_fit_the_declaration():
    with recording() as graph:
        x = graph.add_input(floats(1, 1))
        function = graph.declare("same", [x], [x])
        with pytest.raises(TypeError, match="argument 0 of @same is number int64"):
            graph.add_call(function, [1])
        (y,) = graph.open(function)
        with pytest.raises(TypeError, match="result 0 of @same is float32\\[\\]"):
            graph.close(function, [y.sum()])


def test_functions_nobody_runs_are_dropped():
    with recording() as graph:
        x = graph.add_input(floats(1, 1))
        graph.begin("tried")
        x + 1
        graph.suspend()
        graph.finish([x])
    assert "@tried" not in graph.text()


# Operators run as well as recorded.


@contextlib.contextmanager
def tracing(*inputs):
    graph = _core.Graph("main")
    graph.activate(execute=True)
    try:
        for tensor in inputs:
            graph.trace_input(tensor)
        yield graph
    finally:
        graph.deactivate()


def test_trace_runs_and_records():
    weight = Parameter(floats(1, 2, 3), name="weight")
    outside = floats(1, 1, 1)

    def program(x):
        y = x * weight + outside
        row = y[0]
        row.add_(1)
        y[1, 1:] = 0
        local = ops.zeros(3)
        local[0] = 5
        local.add_(row)
        ops.assign_add(weight, local)
        return y, local, (x.T @ x).reshape(9)[:4]

    x = Tensor(x23)
    with tracing(x) as graph:
        outs = program(x)
        assert [value.asnumpy() is not None for value in outs] == [True] * 3
        assert graph.holds(outs[0]) and not graph.holds(floats(1))
        graph.finish(outs)
    assert [value is weight or value.tolist() == [1, 1, 1] for value in graph.bound] == [True, True]
    compiled = graph.compile(verify=True)
    for factor in (1, 2):
        before = Tensor.copy(weight)
        found = compiled.run([x23 * factor])
        after = weight.tolist()
        weight.set_data(before)
        expected = program(x23 * factor)
        assert [a.tolist() for a in found] == [b.tolist() for b in expected]
        assert after == weight.tolist()


def test_trace_of_a_gradient():
    x = Tensor(x23)
    with tracing(x) as graph:
        gradient = dyad.grad(lambda x: (x * x * x).sum())(x)
        graph.finish([gradient])
    assert gradient.tolist() == (3 * x23 * x23).tolist()
    assert run(graph, x23 + 1)[0].tolist() == (3 * (x23 + 1) * (x23 + 1)).tolist()


def test_trace_freezes_what_python_decides():
    x = Tensor(x23)
    with tracing(x) as graph:
        y = x * 2 if x.sum().item() > 0 else x
        graph.finish([y])
    assert run(graph, -x23)[0].tolist() == (-x23 * 2).tolist()


# Symbolic dimensions.


def test_a_graph_with_a_symbolic_size_serves_every_size():
    def program(x):
        n = x.shape[0]
        return [x.sum(0), n + 1, x.reshape(n * 3), x[1:], x[:-1].sum(), x[: n // 2], ops.zeros((n, 2)), x.T]

    with recording() as graph:
        x = graph.add_input(x23, open={0: "n"})
        assert x.shape[1] == 3 and x.shape[0].kind is int
        graph.finish(program(x))
    compiled = graph.compile(verify=True)
    for rows in (2, 5, 1):
        value = Tensor(np.arange(rows * 3, dtype=np.float32).reshape(rows, 3))
        for a, b in zip(compiled.run([value]), program(value), strict=True):
            assert (a.tolist() if isinstance(a, Tensor) else a) == (
                b.tolist() if isinstance(b, Tensor) else b
            )


def test_number_as_a_size():
    def program(x, n):
        return [ops.zeros((n, 2)), x[:, n:], x[-n:, 0], x[:n].sum()]

    for n in (1, 2):
        agrees(program, x23, n)


def test_number_as_an_index_is_a_view():
    def program(x, n, i):
        y = x * 1
        row = y[n]
        element = y[i, n]
        row.add_(10)
        y[i, 1:n] = n
        y[n, [0, 2]] = 7
        return [row, element, y, x[n], x[i], x[[0, 1], n]]

    for n, i in ((1, 0), (-1, 1), (-2, -1)):
        agrees(program, x23, n, Tensor(i))


def test_number_out_of_range_is_an_index_error():
    graph = captured(lambda x, n: x[0, n], x23, 1)
    program = graph.compile(verify=True)
    with pytest.raises(IndexError, match="3 is out of range for dimension 1 of size 3"):
        program.run([x23, 3])


def test_data_decides_the_shape():
    with recording() as graph:
        x = graph.add_input(x23)
        chosen = x[x > 2]
        graph.finish([chosen * 2, chosen.shape[0]])
    found = run(graph, x23)
    assert found[0].tolist() == [6, 8, 10] and found[1] == 3


# The graph itself.


def test_gradient_of_captured_code():
    def loss(x):
        return (x * x).sum()

    with recording() as graph:
        x = graph.add_input(x23)
        graph.finish([dyad.grad(loss)(x)])
    assert run(graph, x23)[0].tolist() == (x23 * 2).tolist()


def test_current_graph_nests():
    assert _core.current_graph() is None
    with recording() as outer:
        with recording() as inner:
            assert _core.current_graph() is inner
            with pytest.raises(RuntimeError, match="not the one"):
                outer.deactivate()
        assert _core.current_graph() is outer
    assert _core.current_graph() is None


def test_discard_releases_all_references():
    with recording() as graph:
        x = graph.add_input(x23)
        graph.begin("inside")
        graph.discard()
        with pytest.raises(_core.CaptureError):
            x + 1
    assert graph.node_count == 0


def test_misuse_is_refused():
    with recording() as graph:
        x = graph.add_input(x23)
        with pytest.raises(RuntimeError, match="no function is open"):
            graph.suspend()
        with pytest.raises(TypeError, match="need Tensors and numbers"):
            graph.finish(["x"])
        with pytest.raises(RuntimeError, match="not finished"):
            graph.compile()
        graph.begin("inside")
        with pytest.raises(RuntimeError, match="still open"):
            graph.finish([x])
        graph.suspend()
        graph.finish([x])
        with pytest.raises(RuntimeError, match="finished"):
            graph.begin("more")
