"""`jit` with the real compiler: every kind of target, size and setting gives what the dynamic graph gives."""

import copy
import gc
import threading
import weakref

import numpy as np
import pytest

import dyad
from dyad import (
    JitConfig,
    Parameter,
    Symbol,
    Tensor,
    constexpr,
    enable_dynamic,
    jit,
    jit_ignore,
    mutable,
    nn,
    ops,
)
from dyad._core import CaptureError


def floats(*shape):
    return Tensor(np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape))


def values(tensor):
    return tensor.asnumpy().tolist()


class Scale(nn.Cell):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = factor
        self.weight = Parameter(np.ones(2, np.float32), "weight")

    def construct(self, x, shift=0.0):
        return x * self.weight * self.factor + shift


class Score:
    def __init__(self, base):
        self.base = base

    @jit
    def of(this, x):
        return this.base + x

    @jit
    @classmethod
    def named(cls, x):
        return x * len(cls.__name__)

    @staticmethod
    @jit
    def twice(x):
        return x + x


def test_methods_of_plain_classes():
    one, ten = Score(1.0), Score(10.0)
    assert [values(score.of(floats(2))) for score in (one, ten, one)] == [[2, 3], [11, 12], [2, 3]]
    one.base = 5.0
    assert values(one.of(floats(2))) == [6, 7]
    assert values(Score.named(floats(1))) == [5] and values(one.twice(floats(1))) == [2]


def test_every_way_to_compile_a_cell():
    class Decorated(Scale):
        construct = jit(Scale.construct)

    class Replaced(Scale):
        pass

    assigned = Scale()
    assigned.construct = jit(assigned.construct)
    ways = [Scale(), jit(Scale()), Decorated(), jit(Replaced)(), assigned]
    assert [values(way(floats(2), shift=1.0)) for way in ways] == [[3, 5]] * 5


def test_graph_mode_sees_what_changes():
    net = Scale()
    dyad.set_context(mode=dyad.GRAPH_MODE)
    assert values(net(floats(2))) == [2, 4]
    net.factor = 3.0
    assert values(net(floats(2))) == [3, 6]
    net.weight.set_data(Tensor(np.zeros(2, np.float32)))
    assert values(net(floats(2))) == [0, 0]
    assert len(net.compile_cache) == 2
    dyad.set_context(mode=dyad.PYNATIVE_MODE)
    assert values(net(floats(2))) == [0, 0]


def test_training_and_inference_are_two_graphs():
    net = nn.Dropout(p=0.5)
    x = Tensor(np.ones(1000, np.float32))
    dyad.set_context(mode=dyad.GRAPH_MODE)
    assert values(net(x)) == values(x)
    net.set_train()
    assert 300 < int((net(x).asnumpy() == 0).sum()) < 700
    net.set_train(False)
    assert values(net(x)) == values(x)


def test_hooks_of_a_cell_run_in_graphs():
    net = Scale()
    handle = net.register_forward_hook(lambda cell, inputs, output: output + 1.0)
    fast = jit(net)
    assert values(fast(floats(2))) == [3, 5]
    handle.remove()
    assert values(fast(floats(2))) == [2, 4]


def test_casts_of_a_cell_apply_in_graphs():
    net = Scale().to_float(dyad.float16)
    assert jit(net)(floats(2)).dtype == net(floats(2)).dtype == dyad.float16


def test_a_copy_compiles_for_itself():
    net = Scale()
    dyad.set_context(mode=dyad.GRAPH_MODE)
    net(floats(2))
    twin = copy.deepcopy(net)
    twin.factor = 5.0
    assert values(twin(floats(2))) == [5, 10] and values(net(floats(2))) == [2, 4]


def test_a_dropped_cell_takes_its_graphs_along():
    net = Scale()
    dyad.set_context(mode=dyad.GRAPH_MODE)
    net(floats(2))
    compiled = weakref.ref(net._graph_call)
    del net
    gc.collect()
    assert compiled() is None


def test_compiling_ahead_runs_nothing():
    net = Scale()
    dyad.set_context(mode=dyad.GRAPH_MODE)
    net.compile(floats(2))
    assert len(net.compile_cache) == 1
    assert values(net(floats(2))) == [2, 4] and len(net.compile_cache) == 1
    dyad.set_context(precompile_only=True)
    assert net(floats(2)) is None and net(floats(4, 2)) is None
    dyad.set_context(precompile_only=False)
    assert net(floats(4, 2)).shape == (4, 2) and len(net.compile_cache) == 2


def test_wrong_arguments_have_the_same_error_in_every_form():
    net, function = Scale(), lambda x, y: x
    for plain, compiled in ((function, jit(function)), (net, jit(net))):
        for args, kwargs in (((), {}), ((1, 2, 3), {}), ((1, 2), {"z": 1})):
            with pytest.raises(TypeError) as expected:
                plain(*args, **kwargs)
            with pytest.raises(TypeError) as caught:
                compiled(*args, **kwargs)
            assert str(caught.value).splitlines()[0] == str(expected.value).splitlines()[0]


def rows_and_sum(x, y):
    return (x + y).sum(0) * x.shape[0], x.reshape(-1), len(x)


@pytest.mark.parametrize("how", ["template", "dynamic"])
def test_symbolic_dims_give_right_values(how):
    template = Tensor(shape=(None, 3), dtype=dyad.float32)
    options = {"input_signature": (template, template)} if how == "template" else {"dynamic": 1}
    compiled = jit(rows_and_sum, **options)
    # Rows of 1 broadcast against any number of rows; rows of 0 leave an empty sum.
    for left, right in ((2, 2), (3, 3), (4, 4), (5, 5), (1, 1), (1, 4), (6, 1), (0, 0), (7, 7), (0, 1)):
        x, y = floats(left, 3), floats(right, 3)
        expected, given = rows_and_sum(x, y), compiled(x, y)
        assert [values(part) for part in given[:2]] == [values(part) for part in expected[:2]]
        assert given[2] == expected[2] == left
    with pytest.raises(ValueError):
        compiled(floats(2, 3), floats(3, 3))
    # One graph for all rows, five for rows of 0 and 1; with dynamic=1 two for the first shapes as well.
    assert len(compiled.entries) == {"template": 6, "dynamic": 8}[how]


def test_sizes_limited_by_symbols():
    even = Symbol(divisor=2, max=8, unique=True)
    template = Tensor(shape=(even,), dtype=dyad.float32)
    compiled = jit(lambda x, y: x * y, input_signature=(template, template))
    for size in (2, 4, 8):
        assert values(compiled(floats(size), floats(size))) == [n * n for n in range(1, size + 1)]
    assert len(compiled.entries) == 1
    for left, right in ((3, 3), (10, 10), (4, 2)):
        with pytest.raises(ValueError, match=r"its template has \(Symbol\("):
            compiled(floats(left), floats(right))


def test_enable_dynamic_with_the_compiler():
    @enable_dynamic(xs=(Tensor(shape=(None,), dtype=dyad.float32), Tensor(shape=(2,), dtype=dyad.float32)))
    @jit
    def total(xs):
        return xs[0].sum() + xs[1].sum()

    assert [float(total((floats(size), floats(2)))) for size in (2, 3, 5)] == [6, 9, 18]
    assert len(total.entries) == 1


def test_numbers_and_lengths_marked_as_variables():
    compiled = jit(lambda x, n, xs: x * n + sum(xs))
    for n, xs in ((2, (1, 2)), (3, (4, 5)), (4, (6, 7))):
        assert values(compiled(floats(1), mutable(n), mutable(xs))) == [n + sum(xs)]
    assert len(compiled.entries) == 1
    for length in (1, 2, 3):
        xs = tuple(range(length))
        assert values(compiled(floats(1), mutable(2), mutable(xs, dynamic_len=True))) == [2 + sum(xs)]


def test_a_function_created_again():
    def make(scale):
        @jit(compile_once=True)
        def scaled(x):
            return x * scale

        return scaled

    assert make(2.0) is make(2.0)
    assert [values(make(scale)(floats(1))) for scale in (2.0, 2.0, 3.0)] == [[2], [2], [3]]


def test_ms_jit_0_runs_the_function_at_every_call(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    printed = []
    compiled = jit(lambda x: printed.append(x) or x)
    compiled(floats(1)), compiled(floats(1))
    assert len(printed) == 2 and compiled.entries == []


def test_constants_and_functions_left_alone():
    @constexpr
    def half(shape):
        return tuple(size // 2 for size in shape)

    @jit
    def halved(x):
        return ops.zeros(half(x.shape), dyad.float32)

    assert halved(floats(4, 6)).shape == (2, 3)
    with pytest.raises(TypeError, match="half: argument 0 is known only when the graph runs"):
        jit(lambda x: half((x.sum(),)))(floats(2))

    @jit_ignore
    def ignored(n):
        return [n * k for k in range(3)]

    assert values(jit(lambda x: x + sum(ignored(2)))(floats(1))) == [7]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: dyad.set_context(mode=1),
        lambda x: dyad.get_context("mode"),
        lambda x: dyad.set_seed(1),
        lambda x: dyad.set_device("CPU"),
        lambda x: NET.set_train(),
        lambda x: NET.recompute(),
        lambda x: NET.register_forward_hook(print),
        lambda x: NET.to_float(dyad.float16),
    ],
)
def test_what_steers_from_outside_is_refused_by_name(program):
    name = next(name for name in program.__code__.co_names if name not in ("dyad", "NET"))
    with pytest.raises(CaptureError, match=f"{name}: it cannot be called inside a static graph"):
        jit(program, fullgraph=True)(floats(1))


NET = Scale()


def test_what_steers_from_outside_is_left_to_python():
    net, hooked = Scale(), []

    def program(x):
        net.set_train()
        handle = net.register_forward_hook(lambda cell, inputs, output: hooked.append(cell.training))
        y = net(x)
        handle.remove()
        return y, dyad.get_context("mode")

    compiled, mode = jit(program), dyad.get_context("mode")
    for count in (1, 2):
        net.set_train(False)
        y, seen = compiled(floats(2))
        assert values(y) == values(net(floats(2)))
        assert seen == mode and net.training and hooked == [True] * count


def test_two_threads_share_a_function():
    compiled, results = jit(lambda x: x * 2.0), []

    def work():
        for size in range(1, 20):
            results.append(float(compiled(floats(size)).sum()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted([size * (size + 1) for size in range(1, 20)] * 4)
    assert len(compiled.entries) == 19


def test_the_config_reaches_the_compiler():
    compiled = jit(lambda x: x + 1.0, jit_config=JitConfig(jit_level="O1", jit_syntax_level="STRICT"))
    assert values(compiled(floats(1))) == [2]
