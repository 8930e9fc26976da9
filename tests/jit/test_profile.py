"""`dyad.profile`: which kernels a call runs, from which lines, and what they move and compute."""

import inspect
import json

import pytest

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, jit, nn, ops, set_context
from dyad._src.observe.profile.kernel_run import KernelRun, grouped
from dyad._src.observe.profile.table import Limits, duration


def program(x, weight):
    y = ops.matmul(x, weight)
    return ops.relu(y).cumsum(0)


def operands():
    return ops.ones((8, 16)), ops.ones((16, 4))


def line_of(text):
    lines, first = inspect.getsourcelines(program)
    return first + next(place for place, line in enumerate(lines) if text in line)


def watched(function, *args, **options):
    return dyad.profile(function, show=False, **options)(*args)


def kernel_by_kernel(function):
    return jit(function, jit_level="O0")


@pytest.mark.parametrize("form", [lambda function: function, kernel_by_kernel], ids=["dynamic", "static"])
class TestBothForms:
    def test_kernels_stand_with_their_lines(self, form):
        made = watched(form(program), *operands())
        (product,) = [run for run in made.runs if run.kernel == "matmul"]
        assert product.file == __file__
        assert product.line == line_of("matmul")
        assert [run.line for run in made.runs if run.kernel == "cumsum"] == [line_of("cumsum")]

    def test_work_of_a_product(self, form):
        (product,) = [run for run in watched(form(program), *operands()).runs if run.kernel == "matmul"]
        assert product.flop == 2 * 8 * 16 * 4
        assert product.bytes == 4 * (8 * 16 + 16 * 4 + 8 * 4)
        assert product.operands == "Float32 (8, 16), Float32 (16, 4) -> Float32 (8, 4)"

    def test_the_result_is_that_of_the_call(self, form):
        x, weight = operands()
        made = watched(form(program), x, weight)
        assert (made.result == program(x, weight)).all()

    def test_every_call_counts(self, form):
        once = watched(form(program), *operands())
        thrice = watched(form(program), *operands(), repeat=3)
        assert len(thrice.runs) == 3 * len(once.runs)
        assert [step.calls for step in thrice.steps if step.kernel == "matmul"] == [3]


def test_generated_code_tells_its_operators():
    def chain(x):
        y = ops.tanh(x * 2.0)
        return ops.exp(y) + x

    (run,) = watched(jit(chain, jit_level="O1"), ops.ones((64, 64))).runs
    assert run.operators.split() == ["mul", "tanh", "exp", "add"]
    assert run.flop == 4 * 64 * 64
    assert run.bytes == 2 * 4 * 64 * 64
    assert run.operands == "Float32 (64, 64) -> Float32 (64, 64)"
    assert run.file == __file__


def test_generated_code_for_symbolic_dims():
    @jit(dynamic=1, jit_level="O1")
    def chain(x):
        return ops.exp(ops.tanh(x) * 2.0)

    for rows in (3, 4, 5):
        chain(ops.ones((rows, 8)))
    made = watched(chain, ops.ones((6, 8)))
    assert [run.operators for run in made.runs] == ["tanh mul exp"]
    assert made.runs[0].flop == 3 * 6 * 8


def test_a_call_is_made_as_often_as_asked():
    calls = []
    watched(lambda x: calls.append(x), 1, warmup=2, repeat=3)
    assert len(calls) == 5


def test_kernels_of_layers_belong_to_the_line_that_calls_them():
    net = nn.Dense(4, 3)

    def forward(x):
        return net(x)

    made = watched(forward, ops.ones((2, 4)))
    assert made.runs and {(run.file, run.line) for run in made.runs} == {
        (__file__, forward.__code__.co_firstlineno + 1)
    }


def test_a_cell_in_graph_mode():
    net = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU())
    set_context(mode=GRAPH_MODE)
    try:
        made = watched(net, ops.ones((2, 4)))
    finally:
        set_context(mode=PYNATIVE_MODE)
    assert made.result.shape == (2, 3)
    assert made.runs


def test_kernels_of_a_loop_are_counted():
    @jit
    def loop(x, i):
        while i < 5:
            x = ops.cumsum(x, 0)
            i = i + 1
        return x

    made = watched(loop, ops.ones((4,)), dyad.Tensor(0))
    assert sum(run.kernel == "cumsum" for run in made.runs) == 5


def test_nothing_is_written_down_outside():
    watched(program, *operands())
    program(*operands())
    dyad._core.start_profile("/nowhere/")
    assert dyad._core.stop_profile() == []


def test_an_exception_ends_the_profile():
    def fail(x):
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        watched(fail, 1, warmup=0)
    program(*operands())
    assert dyad._core.stop_profile() == []


def test_it_prints_a_table(capsys):
    made = dyad.profile(program)(*operands())
    printed = capsys.readouterr().out
    assert printed == f"{made}\n"
    (row,) = [
        line for line in printed.splitlines() if line.startswith("matmul") and "test_profile.py" in line
    ]
    assert f"test_profile.py:{line_of('matmul')}" in row
    assert "of limit" in printed and "By kernel" in printed


def test_a_trace_file_lists_the_kernels_with_their_lines(tmp_path):
    path = tmp_path / "trace.json"
    made = watched(program, *operands(), trace=path)
    events = json.loads(path.read_text())["traceEvents"]
    assert [event["name"] for event in events] == [run.kernel for run in made.runs]
    assert events[0]["ts"] == 0 and all(event["ph"] == "X" and event["dur"] >= 0 for event in events)
    assert events[0]["args"]["line"] == f"{__file__}:{line_of('matmul')}"


def test_groups_and_fractions_of_limits():
    def run(kernel, nanoseconds, flop, size):
        return KernelRun(kernel, "", "", "f.py", 1, 0, nanoseconds, 0, flop, size)

    runs = [run("a", 1000, 500.0, 10), run("b", 4000, 0.0, 4000), run("a", 1000, 1500.0, 10)]
    slow, fast = grouped(runs, lambda run: run.kernel)
    assert (slow.kernel, slow.calls) == ("b", 1)
    assert (fast.kernel, fast.calls, fast.flop) == ("a", 2, 2000.0)
    limits = Limits(flop=2e9, bytes=2e9)
    assert slow.of_limit(limits) == pytest.approx(0.5)
    assert fast.of_limit(limits) == pytest.approx(0.5)


def test_durations_are_printed_with_a_fitting_unit():
    assert [duration(value) for value in (2.5, 3.1e-3, 4.2e-6, 5e-9)] == ["2.5 s", "3.1 ms", "4.2 us", "5 ns"]


def test_what_cannot_be_profiled():
    with pytest.raises(TypeError, match="profile: function is 3; need a callable"):
        dyad.profile(3)
    with pytest.raises(ValueError, match="profile: warmup is 1 and repeat 0"):
        dyad.profile(program, repeat=0)
