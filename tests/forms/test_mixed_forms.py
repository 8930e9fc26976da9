"""The ways to choose a form, and dynamic and static graphs inside one another."""

import threading

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops


def values(tensor):
    return tensor.asnumpy().tolist()


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(nn.Dense(16, 8), nn.ReLU(), nn.Dense(8, 3))

    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


class JittedNetwork(Network):
    @jit
    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


def pictures():
    return Tensor(np.linspace(-1, 1, 64, dtype=np.float32).reshape(4, 1, 4, 4))


def seeded(kind):
    dyad.set_seed(5)
    return kind()


@pytest.fixture
def truth():
    """Result of the dynamic graph; an optimized graph may add in another order."""
    return pytest.approx(seeded(Network)(pictures()).asnumpy(), rel=1e-5, abs=1e-7)


def test_graph_mode(truth):
    net = seeded(Network)
    dyad.set_context(mode=dyad.GRAPH_MODE)
    assert values(net(pictures())) == truth
    assert values(net(pictures())) == truth


def test_jit_on_construct(truth):
    net = seeded(JittedNetwork)
    assert values(net(pictures())) == truth
    assert values(net(pictures())) == truth


def test_jit_of_a_network(truth):
    net = seeded(Network)
    fast = jit(net)
    assert values(fast(pictures())) == truth
    assert values(net(pictures())) == truth
    net.dense_relu_sequential[2].bias.set_data(Tensor([1.0, 2.0, 3.0]))
    changed = values(fast(pictures()))
    assert changed != truth
    np.testing.assert_allclose(changed, net(pictures()).asnumpy(), rtol=1e-5)


def test_jit_of_one_construct(truth):
    net, other = seeded(Network), seeded(Network)
    net.construct = jit(net.construct, backend="ms_backend")
    assert values(net(pictures())) == truth
    assert values(other(pictures())) == truth


def test_jit_of_a_cell_class(truth):
    class Local(Network):
        def construct(self, x):
            return super().construct(x)

    assert jit(Local) is Local
    assert values(seeded(Local)(pictures())) == truth


def test_network_made_inside_a_jitted_function(truth):
    @jit
    def run(x):
        return Network()(x)

    def drawn(form):
        dyad.set_seed(5)
        return [values(form(pictures())) for _ in range(3)]

    found = drawn(run)
    assert (
        found[0] == truth and found[1] != truth
    )  # each call draws weights of its own, as in the dynamic graph
    assert found == drawn(run.__wrapped__)


def test_network_made_inside_a_transformed_function(truth):
    def run(x):
        model = Network()
        return model(x)

    dyad.set_seed(5)
    assert values(jit(run)(pictures())) == truth


def test_mode_may_be_switched_at_any_time(truth):
    net = seeded(Network)
    for mode in (0, 1, 0, 0, 1, 1, 0):
        dyad.set_context(mode=mode)
        assert values(net(pictures())) == truth


class AddMulMul(nn.Cell):
    def __init__(self):
        super().__init__()
        self.param = Parameter(Tensor(0.5))

    @jit
    def construct(self, x):
        x = x + x
        x = x * self.param
        x = x * x
        return x


class CellCallSingleCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, kernel_size=2, stride=1, padding=0, weight_init="ones", pad_mode="valid")
        self.bn = nn.BatchNorm2d(2, momentum=0.99, eps=0.00001, gamma_init="ones")
        self.relu = nn.ReLU()
        self.add_mul_mul = AddMulMul()

    def construct(self, x):
        x = self.conv(x)
        x = self.bn(x)
        x = self.add_mul_mul(x)
        x = self.relu(x)
        return x


@pytest.mark.parametrize("mode", [0, 1])
def test_a_jitted_cell_inside_a_dynamic_network(mode, capsys):
    net = CellCallSingleCell()
    dyad.set_context(mode=mode)
    for _ in range(2):
        print(net(Tensor(np.ones([1, 1, 2, 2], np.float32))))
    assert capsys.readouterr().out == "[[[[15.99984]]\n\n  [[15.99984]]]]\n" * 2


def test_gradients_reach_through_a_jitted_cell():
    """The dynamic graph records a compiled Cell as it records an operator."""

    class Plain(AddMulMul):
        def construct(self, x):
            x = x + x
            x = x * self.param
            return x * x

    class Around(nn.Cell):
        def __init__(self, inner):
            super().__init__()
            self.first, self.inner = nn.Dense(2, 2, weight_init=0.5, bias_init=0.1), inner

        def construct(self, x):
            return self.inner(self.first(x)).sum()

    def gradients(inner):
        net = Around(inner)
        run = dyad.value_and_grad(net, 0, net.trainable_params())
        value, (dx, dw) = run(Tensor([[1.0, 2.0]]))
        return values(value), values(dx), [values(g) for g in dw]

    assert gradients(AddMulMul()) == gradients(Plain())


def test_jit_inside_jit():
    @jit
    def inner(x):
        return x * 2

    @jit
    def outer(x):
        return inner(x) + inner(x + 1)

    assert values(outer(Tensor([1.0]))) == [6.0]
    assert values(inner(Tensor([1.0]))) == [2.0]
    assert values(outer(Tensor([2.0]))) == [10.0]


@pytest.mark.parametrize("outer_mode", ["ast", "trace"])
@pytest.mark.parametrize("inner_mode", ["ast", "trace"])
def test_every_capture_inside_every_other(outer_mode, inner_mode):
    @jit(capture_mode=inner_mode)
    def inner(x):
        return ops.tanh(x) * 2

    @jit(capture_mode=outer_mode)
    def outer(x):
        return inner(x) + x

    for number in (1.0, -2.0, 3.0):
        expected = np.tanh(np.float32(number)) * 2 + number
        np.testing.assert_allclose(outer(Tensor(number)).asnumpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(inner(Tensor(number)).asnumpy(), expected - number, rtol=1e-6)


def test_method_of_a_plain_class():
    class Scorer:
        def __init__(self, k):
            self.k = k

        @jit
        def score(self, x):
            return x * self.k

        @jit
        @staticmethod
        def plus(x):
            return x + 1

        @classmethod
        @jit
        def made(cls, x):
            return x * 3

    a, b = Scorer(2), Scorer(5)
    for _ in range(2):
        assert values(a.score(Tensor([1.0]))) == [2.0]
        assert values(b.score(Tensor([1.0]))) == [5.0]
    a.k = 7
    assert values(a.score(Tensor([1.0]))) == [7.0]
    assert values(Scorer.plus(Tensor([1.0]))) == [2.0]
    assert values(Scorer.made(Tensor([1.0]))) == [3.0]


def test_one_decorator_used_twice():
    decorate = jit(fullgraph=True)
    f, g = decorate(lambda_free_double), decorate(lambda_free_negate)
    assert values(f(Tensor([1.0]))) == [2.0]
    assert values(g(Tensor([1.0]))) == [-1.0]
    assert values(f(Tensor([3.0]))) == [6.0]


def lambda_free_double(x):
    return x * 2


def lambda_free_negate(x):
    return -x


def test_four_threads_call_one_jitted_function():
    @jit
    def f(x):
        total = x
        for k in range(5):
            total = total + x * k
        if total.sum() > 0:
            total = total + 1
        return total

    wrong = []

    def work(seed):
        for k in range(50):
            x = Tensor(np.full((3 + k % 3,), float(seed * 100 + k + 1), np.float32))
            expected = x.asnumpy() * 11 + 1
            if not np.allclose(f(x).asnumpy(), expected):
                wrong.append((seed, k))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_trace_applies_an_assignment_once():
    p = Parameter(Tensor([1.0]), name="p")

    @jit(capture_mode="trace")
    def f(x):
        ops.assign(p, p + x)
        return p * 1

    assert [values(f(Tensor([1.0]))) for _ in range(3)] == [[2.0], [3.0], [4.0]]


def test_trace_keeps_two_inputs_apart():
    @jit(capture_mode="trace")
    def f(x, y):
        return x * 10 + y

    x, y = Tensor([1.0]), Tensor([2.0])
    assert values(f(x, x)) == [11.0]
    assert values(f(y, x)) == [21.0]
    assert values(f(x, y)) == [12.0]


def test_trace_with_numbers_and_keywords():
    @jit(capture_mode="trace")
    def f(x, k, *, shift=0):
        return x * k + shift

    x = Tensor([1.0])
    assert [values(f(x, 2)) for _ in range(2)] == [[2.0], [2.0]]
    assert values(f(x, 3)) == [3.0]
    assert values(f(x, 3, shift=5)) == [8.0]
    assert values(f(x, 2)) == [2.0]


def test_an_exception_while_tracing_leaves_tracing_usable():
    @jit(capture_mode="trace")
    def f(x, fail):
        y = x * 2
        if fail:
            raise KeyError("while tracing")
        return y + 1

    with pytest.raises(KeyError, match="while tracing"):
        f(Tensor([1.0]), True)
    assert values(f(Tensor([1.0]), False)) == [3.0]
    assert values(f(Tensor([2.0]), False)) == [5.0]


def test_trace_of_a_method_of_a_plain_class():
    class Plain:
        k = 3

        @jit(capture_mode="trace")
        def f(self, x):
            return x * self.k

    assert values(Plain().f(Tensor([2.0]))) == [6.0]


def test_compiled_calls_do_not_recompile():
    @jit
    def f(x, flag):
        return x + 1 if flag else x - 1

    for _ in range(5):
        for flag in (True, False):
            f(Tensor([1.0]), flag)
            f(Tensor([1, 2, 3]), flag)
    assert f.misses == 4


def test_function_and_cell_arguments_compile_once():
    @jit
    def f(x, g, cell):
        return cell(g(x))

    cell = nn.ReLU()
    for _ in range(5):
        f(Tensor([1.0]), lambda_free_double, cell)
    assert f.misses == 1


def test_the_switch_that_turns_compilation_off(monkeypatch):
    @jit
    def f(x):
        seen.append(type(x))
        return x * 2

    seen = []
    monkeypatch.setenv("MS_JIT", "0")
    assert values(f(Tensor([1.0]))) == [2.0]
    assert seen == [Tensor]
    assert f.misses == 0 or f.entries == []
