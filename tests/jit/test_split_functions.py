"""Functions that Python runs with graphs for parts of them: which parts are graphs, what they cost, how they end."""

import gc
import itertools
import logging
import os
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, nn, ops

X = Tensor([1.0, 2.0])


def pieces_of(function, *args):
    return dyad.explain(function)(*args).pieces


def graphs_of(function, *args):
    return [piece for piece in pieces_of(function, *args) if piece.is_graph]


def lines_of(function, *args):
    first = function.__wrapped__.__code__.co_firstlineno
    return [
        (piece.first_line - first, piece.last_line - first, piece.is_graph)
        for piece in pieces_of(function, *args)
    ]


def total(x):
    return float(x.asnumpy().sum())


def test_statements_around_a_host_statement_are_graphs():
    @jit
    def program(x):
        y = ops.relu(x) * 2
        z = y + 1
        k = np.sin(z.asnumpy())
        t = Tensor(k) + x
        u = ops.exp(t) * y
        return u - x

    for _ in range(3):
        assert np.allclose(program(X).asnumpy(), program.__wrapped__(X).asnumpy())
    assert lines_of(program, X) == [(2, 3, True), (4, 4, False), (5, 5, False), (6, 7, True)]
    assert [piece.graphs for piece in graphs_of(program, X)] == [1, 1]


def test_blocks_of_a_loop_that_python_runs_are_graphs():
    @jit
    def program(x, n):
        for i in range(n):
            x = x * 2 + i
            if total(x) > 100:
                break
            x = ops.relu(x) - 1
        return x

    for n in (3, 3, 12):
        assert np.array_equal(program(X, n).asnumpy(), program.__wrapped__(X, n).asnumpy())
    assert (2, 2, True) in [(a - 1, b - 1, graph) for a, b, graph in lines_of(program, X, 3)]
    assert len(graphs_of(program, X, 3)) == 2


def test_an_expression_beside_host_code_is_a_graph():
    @jit
    def program(x, w):
        return ops.relu(x @ w * 2 + 1) + Tensor(np.sin(x.asnumpy())) * (ops.exp(x) - x / 2)

    x = Tensor(np.eye(3, dtype=np.float32))
    for _ in range(2):
        assert np.allclose(program(x, x).asnumpy(), program.__wrapped__(x, x).asnumpy())
    assert len(graphs_of(program, x, x)) == 2


def test_what_follows_is_compiled_for_what_came():
    kinds = itertools.cycle((np.float32, np.float64, np.int32))

    @jit
    def program(x):
        k = Tensor(x.asnumpy().astype(next(kinds)))
        return ops.relu(k) * 2 + 1

    found = [program(X).dtype for _ in range(6)]
    assert found == [dyad.float32, dyad.float64, dyad.int32] * 2
    assert [piece.graphs for piece in graphs_of(program, X)] == [3]


def test_a_number_of_host_code_that_changes_is_an_input():
    @jit
    def program(x):
        k = total(x)
        return ops.relu(x) * k + 1

    for value in range(12):
        x = Tensor([float(value), 1.0])
        assert np.array_equal(program(x).asnumpy(), program.__wrapped__(x).asnumpy())
    assert [piece.graphs for piece in graphs_of(program, X)] == [2]


def test_graphs_of_a_part_are_bounded():
    names = (f"name {number}" for number in itertools.count())

    @jit
    def program(x):
        name = str(os.getpid()) + next(names)
        return ops.relu(x) * len(name) + 1 if "name" in name else x

    for _ in range(40):
        program(X)
    assert all(piece.graphs <= 16 for piece in graphs_of(program, X))


def test_callees_of_host_code_are_compiled_by_themselves():
    def inner(x):
        return ops.relu(x) * 2 + total(x) * x - 1

    class Network(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2)

        def construct(self, x):
            return ops.relu(self.dense(x)) * total(x)

    network = Network()

    @jit
    def program(x):
        return network(Tensor(inner(x).asnumpy()[None]))

    for _ in range(3):
        assert np.allclose(program(X).asnumpy(), program.__wrapped__(X).asnumpy())
    callees = program.__jit_compiler__.split.callees
    assert network in callees._cells


def test_a_function_without_operators_is_left_to_python():
    @jit
    def program(n):
        found = {}
        for i in range(n):
            found[i] = hash(str(i))
        return found, id(found) != 0

    program(5)
    program(5)
    assert not graphs_of(program, 5)
    assert program(6) == program.__wrapped__(6)


def test_one_graph_where_no_python_is_needed():
    @jit
    def program(x):
        return ops.relu(x) * 2

    program(X)
    assert program.__jit_compiler__.split is None
    assert len(program.entries) == 1


def test_parts_are_steps_on_the_tape():
    @jit
    def program(x, w):
        y = ops.tanh(x * w)
        k = total(y)
        return (ops.exp(y) * k).sum()

    w = Tensor([0.5, -1.0])
    for _ in range(2):
        ours = dyad.grad(program, (0, 1))(X, w)
        theirs = dyad.grad(program.__wrapped__, (0, 1))(X, w)
        for a, b in zip(ours, theirs, strict=True):
            assert np.allclose(a.asnumpy(), b.asnumpy())


def test_ir_lists_graphs_and_host_statements(tmp_path):
    @jit
    def program(x):
        y = ops.relu(x) * 2
        k = total(y)
        return ops.exp(y) * k

    assert "known when the function was called" in str(dyad.ir(program)(X))
    program(X)
    view = dyad.ir(program)(X)
    text = str(view)
    assert "k = total(y)" in text and "Python, because" in text
    assert text.index("relu") < text.index("k = total(y)") < text.index("exp")
    assert "relu" in view.html() and view.nodes >= 4
    assert os.path.exists(view.show(tmp_path / "page.html"))


def test_explain_lists_the_pieces_with_their_times():
    @jit
    def program(x):
        y = ops.relu(x) * 2
        k = total(y)
        return ops.exp(y) * k

    before = str(dyad.explain(program)(X))
    assert "It is no single graph" in before and "known when it has been called" in before
    for _ in range(8):
        program(X)
    after = str(dyad.explain(program)(X))
    assert "Pieces, in order" in after and "timed" in after and "python  asnumpy" in after
    assert all(piece.seconds is not None for piece in graphs_of(program, X))


def test_host_code_that_takes_most_of_the_time_is_told():

    @jit
    def program(x):
        y = ops.relu(x) * 2 + 1
        time.sleep(0.005)
        return ops.exp(y) - 1

    for _ in range(8):
        program(X)
    assert any("of a call are host code" in text for text in program.__jit_compiler__.report.slower)


def test_each_cut_is_logged_once():
    logger = logging.getLogger("dyad")
    before = logger.level

    @jit
    def program(x):
        return ops.relu(x) * total(x)

    logger.setLevel(logging.INFO)
    records = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    logger.addHandler(handler)
    try:
        for _ in range(5):
            program(X)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    told = [text for text in records if "runs in Python: asnumpy" in text]
    assert len(told) == len(set(told)) >= 1


def test_the_environment_shows_host_code(tmp_path):
    program = (
        "import dyad\n"
        "from dyad import Tensor, jit\n"
        "@jit\n"
        "def f(x):\n"
        "    y = x * 2\n"
        "    k = float(y.asnumpy().sum())\n"
        "    return y * k\n"
        "f(Tensor([1.0]))\n"
    )
    folder = os.path.dirname(os.path.dirname(os.path.abspath(dyad.__file__)))
    path = tmp_path / "program.py"
    path.write_text(program)
    environment = {**os.environ, "MS_DEV_FALLBACK_DUMP_NODE": "1", "PYTHONPATH": folder}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "runs in Python: asnumpy" in done.stderr


def test_tracebacks_name_the_lines_of_the_program():
    @jit
    def program(x):
        y = ops.relu(x) * 2
        k = total(y)
        return ops.exp(y) + {}[k]

    first = program.__wrapped__.__code__.co_firstlineno
    for _ in range(3):
        with pytest.raises(KeyError) as caught:
            program(X)
        lines = [entry.lineno + 1 for entry in caught.traceback if entry.path.samefile(__file__)]
        assert first + 4 in lines


def test_generators_and_coroutines_run():
    @jit
    def counting(x):
        for k in range(3):
            x = ops.relu(x) * 2 + k
            yield x

    @jit
    async def later(x):
        y = ops.relu(x) * 2 + 1
        return y

    assert [y.asnumpy().tolist() for y in counting(X)] == [
        y.asnumpy().tolist() for y in counting.__wrapped__(X)
    ]
    with pytest.raises(StopIteration) as ended:
        later(X).send(None)
    assert ended.value.value.asnumpy().tolist() == [3.0, 5.0]


def test_a_function_and_its_parts_are_freed_together():
    def make():
        @jit
        def program(x):
            y = ops.relu(x) * 2
            k = total(y)
            return ops.exp(y) * k

        program(X)
        program(X)
        split = program.__jit_compiler__.split
        parts = [weakref.ref(part) for _, part in split.parts.values()]
        assert len(parts) == 2
        return [weakref.ref(program), weakref.ref(split), *parts]

    held = make()
    gc.collect()
    assert [reference() for reference in held] == [None] * len(held)


def test_ten_thousand_calls_leave_nothing_behind():
    @jit
    def program(x):
        y = ops.relu(x) * 2
        k = total(y)
        return ops.exp(y) * k

    for _ in range(200):
        program(X)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(10_000):
        program(X)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_arguments_are_not_kept_alive():
    class Held:
        k = 2.0

    @jit
    def program(x, held):
        y = ops.relu(x) * held.k
        return y * total(y)

    held = Held()
    program(X, held)
    program(X, held)
    reference = weakref.ref(held)
    del held
    gc.collect()
    assert reference() is None


def test_strict_and_the_middle_level_refuse():
    def program(x):
        return x * total(x)

    for options in ({"fullgraph": True}, {"jit_config": dyad.JitConfig(jit_syntax_level="COMPATIBLE")}):
        with pytest.raises(AttributeError, match=r"test_split_functions\.py"):
            jit(program, **options)(X)


def test_locals_are_those_of_the_program():
    @jit
    def program(x):
        y = ops.relu(x) * 2
        return sorted(locals()), y

    names, _ = program(X)
    assert names == ["x", "y"]


def test_names_written_in_the_rewritten_function_cannot_be_written_by_a_program():
    @jit
    def program(x):
        y = x * 2
        k = total(y)
        return y * k

    program(X)
    run = program.__jit_compiler__.split.runnable()
    own = {name for name in run.__code__.co_freevars if not name.isidentifier()}
    assert own and all(name.startswith(".") for name in own)


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.steps, self.seen, self.names = 0, [], {}

    def construct(self, x):
        self.steps += 1
        y = ops.relu(x) * 2 + self.steps
        self.seen.append(y.sum().item())
        return ops.exp(-y)


class Recalling(Counting):
    def construct(self, x):
        y = super().construct(x)
        return y + max(self.seen) * 0


def test_a_list_that_grows_with_every_call_and_is_not_read():
    plain, static = Counting(), Counting()
    compiled = jit(static)
    for value in range(40):
        x = Tensor([float(value), 1.0])
        assert np.allclose(compiled(x).asnumpy(), plain(x).asnumpy())
    assert (static.steps, static.seen) == (plain.steps, plain.seen)
    assert len(compiled.__func__.__jit_compiler__.report.compilations) <= 4, "the number of steps is open"


def test_what_changes_with_every_call_does_not_make_a_graph_for_every_call():
    plain, static = Recalling(), Recalling()
    compiled = jit(static)
    for value in range(40):
        x = Tensor([float(value), 1.0])
        assert np.allclose(compiled(x).asnumpy(), plain(x).asnumpy())
    assert (static.steps, static.seen) == (plain.steps, plain.seen)
    assert compiled.__func__.__jit_compiler__.split is not None
    for value in range(40):
        compiled(Tensor([float(value), 1.0]))
    assert static.steps == 80 and len(static.seen) == 80
    assert len(compiled.__func__.__jit_compiler__.report.compilations) <= 16


def test_a_counter_of_a_cell_is_an_input_of_one_graph():
    class Steps(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def construct(self, x):
            self.steps += 1
            return ops.relu(x) * self.steps

    network = Steps()
    compiled = jit(network)
    found = [compiled(X).asnumpy().tolist() for _ in range(20)]
    assert found == [[1.0 * step, 2.0 * step] for step in range(1, 21)]
    assert network.steps == 20
    assert compiled.__func__.__jit_compiler__.split is None
    assert compiled.__func__.misses <= 4


def symbolic_tensors():
    return [each for each in gc.get_objects() if isinstance(each, Tensor) and dyad._core.is_symbolic(each)]


def test_a_finished_capture_keeps_no_tensors():
    gc.collect()
    gc.disable()
    try:
        before = symbolic_tensors()  # of other programs
        jit(lambda x: ops.tanh(x * 2) + x)(X)
        held = [each for each in symbolic_tensors() if not any(each is known for known in before)]
    finally:
        gc.enable()
    assert not held


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_loop_whose_results_are_known_to_be_shared_stays_a_graph(mode):
    @jit(capture_mode=mode)
    def f(x, n):
        first, y = x[:1], x * 2
        while n > 0:
            n = n - 1
            first, y = first * 2, y + 1
        z = total(y)
        first.mul_(z)
        return first, x

    for turns in (0, 2):
        for _ in range(3):
            x = Tensor([1.0, 2.0])
            first, same = f(x, Tensor(turns))
            assert same is x
            assert np.allclose(x[0].asnumpy(), 6.0 if turns == 0 else 1.0)
            assert np.allclose(first.asnumpy(), 6.0 if turns == 0 else 40.0)
    assert any(
        piece.is_graph and piece.last_line - piece.first_line >= 3
        for piece in pieces_of(f, Tensor([1.0, 2.0]), Tensor(2))
    )


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_python_writes_to_one_of_two_tensors_that_a_part_is_given_and_that_overlap(mode):
    @jit(capture_mode=mode)
    def f(x):
        y = x * 1
        z = y[::-1]
        by = total(x)
        y.mul_(by)
        return z + 1, ops.relu(y)

    for _ in range(3):
        z, y = f(Tensor([1.0, 2.0]))
        assert z.asnumpy().tolist() == [7.0, 4.0]
        assert y.asnumpy().tolist() == [3.0, 6.0]
    pieces = pieces_of(f, Tensor([1.0, 2.0]))
    assert any("shows a part" in piece.because for piece in pieces)
    assert pieces[-1].is_graph


def compiled_names(caplog):
    """The logged lines about compilations, without the time."""
    return [record.args[0] for record in caplog.records if record.msg.startswith("jit: compiled %s")]


@pytest.fixture
def info(caplog):
    logger = logging.getLogger("dyad")
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)
    logger.setLevel(before)


def test_parts_found_while_a_part_is_split_are_compiled_once(info):
    @jit
    def program(x, n):
        a = ops.exp(x) * 2
        b = a + n
        c = Tensor(b.asnumpy())
        d = ops.sin(c) + a
        e = d * 2
        g = Tensor(e.asnumpy() + 1)
        h = ops.cos(g) * a
        k = Tensor(h.asnumpy())
        return k * a, ops.tanh(k)

    for _ in range(4):
        for got, expected in zip(program(X, 3), program.__wrapped__(X, 3), strict=True):
            assert np.allclose(got.asnumpy(), expected.asnumpy())
    names = compiled_names(info)
    assert len(names) == len(set(names)) == 4


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_functions_that_lead_to_a_refusal_are_not_captured_again(monkeypatch, mode):
    from dyad._src.capture import entry

    captured, capture_once = [], entry._capture_once

    def counted(compiled, function, *rest):
        captured.append(function.__name__)
        return capture_once(compiled, function, *rest)

    monkeypatch.setattr(entry, "_capture_once", counted)

    def read(x):
        y = ops.exp(x)
        return Tensor(y.asnumpy()) + y

    class Block(nn.Cell):
        def __init__(self, reads):
            super().__init__()
            self.reads = reads

        def construct(self, x):
            y = ops.tanh(x)
            if self.reads:
                y = read(y)
            return y * 2

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.second = Block(False), Block(True)

        def construct(self, x):
            y = self.first(x)
            return self.second(y) + 1

    net = Net()
    step = jit(lambda x: net(x) * 2, capture_mode=mode)
    expected = net(X).asnumpy() * 2
    assert np.allclose(step(X).asnumpy(), expected)
    # The function as a whole once, then parts, each of which is a graph.
    assert captured.count("read") <= 2 and len(captured) <= 8, captured
    before = len(captured)
    for _ in range(3):
        assert np.allclose(step(X).asnumpy(), expected)
    assert len(captured) == before, captured[before:]
