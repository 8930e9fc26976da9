"""`jit` of functions, methods, Cells, classes and other objects."""

import asyncio
import functools
import inspect
import logging
import types

import pytest

import dyad
from dyad import Tensor, jit, nn


def documented(x, y=2, *, scale=1):
    """Adds."""
    return (x + y) * scale


def test_the_face_of_the_function_is_kept(compilations):
    compiled = jit(documented)
    assert (compiled.__name__, compiled.__doc__, compiled.__module__) == ("documented", "Adds.", __name__)
    assert compiled.__wrapped__ is documented
    assert str(inspect.signature(compiled)) == "(x, y=2, *, scale=1)"
    assert compiled.__wrapped_by_jit__ is True
    assert compiled(1, scale=3) == 9 and documented(1) == 3


def test_a_lambda_is_compiled_once(compilations):
    double = jit(lambda x: 2 * x)
    assert double(4) == 8 and len(compilations) == 1


class Plain:
    def __call__(self, x):
        return x


@pytest.fixture
def score(compilations):
    class Score:
        factor = 3

        def __init__(self, base):
            self.base = base

        @jit
        def of(self, x):
            return self.base + x

        def plain(this, x):
            return this.base * x

        @jit
        @classmethod
        def of_class(cls, x):
            return cls.factor * x

        @classmethod
        @jit
        def of_class_below(cls, x):
            return cls.factor * x

        @jit
        @staticmethod
        def static(x):
            return x + 1

    return Score


def test_a_method_is_compiled_once_for_each_instance(score, compilations):
    ten, twenty = score(10), score(20)
    assert (ten.of(1), twenty.of(1), ten.of(1)) == (11, 21, 11)
    assert len(compilations) == 2
    assert isinstance(ten.of, types.MethodType)


def test_a_bound_method_is_bound_again(score):
    ten = score(10)
    compiled = jit(ten.plain)
    assert compiled.__self__ is ten and compiled(4) == 40
    ten.plain = compiled
    assert ten.plain(5) == 50 and score(2).plain(5) == 10


def test_class_methods_and_static_methods(score, compilations):
    assert score.of_class(2) == score(0).of_class(2) == 6
    assert score.of_class_below(2) == score(0).of_class_below(2) == 6
    assert score.static(1) == score(0).static(1) == 2
    assert len(compilations) == 3


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def construct(self, x, y=1):
        """Adds."""
        return x + y


def test_a_jitted_cell_keeps_its_metadata_and_leaves_the_cell_alone(compilations):
    net = Net()
    fast = jit(net)
    assert fast(2) == 3 and fast(2, y=5) == 7 and len(compilations) == 2
    assert str(inspect.signature(fast)) == "(x, y=1)"
    assert fast.__self__ is net and fast.__doc__ == "Adds." and fast.__wrapped_by_jit__
    assert net(2) == 3 and len(compilations) == 2


def test_hooks_of_a_jitted_cell_run(compilations):
    net, seen = Net(), []
    net.register_forward_hook(lambda cell, inputs, output: seen.append(output))
    assert jit(net)(Tensor(2.0)).asnumpy() == 3 and len(seen) == 1


def test_a_construct_assigned_to_one_instance(compilations):
    net, other = Net(), Net()
    net.construct = jit(net.construct, backend="ms_backend")
    assert (net(2), other(2)) == (3, 3) and len(compilations) == 1


def test_a_cell_class(compilations):
    class Local(Net):
        pass

    assert jit(Local) is Local
    assert Local()(2) == 3 and len(compilations) == 1
    assert not hasattr(Net.construct, "__wrapped_by_jit__")
    with pytest.warns(UserWarning, match=r"Local.construct is already jitted"):
        jit(Local)


def test_a_decorated_construct(compilations):
    class Local(nn.Cell):
        @jit
        def construct(self, x):
            return 3 * x

    assert Local()(2) == 6 and len(compilations) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_jit_inside_of_a_graph_says_nothing(mode):
    def doubled(row):
        return row * 2

    @jit(capture_mode=mode)
    def rows(x):
        return dyad.vmap(jit(doubled))(x) + jit(doubled)(x)

    assert rows(Tensor([[1.0], [2.0]])).asnumpy().tolist() == [[4.0], [8.0]]


def test_double_decoration_warns_and_works(compilations):
    once = jit(documented)
    with pytest.warns(UserWarning, match="jit: documented is already jitted; its own options hold") as caught:
        twice = jit(once)
    assert twice is once and caught[0].filename == __file__


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (functools.partial(documented, 1), "partial"),
        (len, "builtin_function_or_method"),
        (Plain, "type"),
        (Plain(), "Plain"),
        (dyad.ops.relu, "OpFunction"),
        (dyad.ops.ReLU(), "ReLU"),
    ],
    ids=["partial", "builtin", "class", "object", "operator", "Primitive"],
)
def test_other_callables_stay_as_they_are(target, kind):
    with pytest.warns(
        UserWarning, match=f", of type {kind}, stays as it is; functions, methods, Cells"
    ) as caught:
        assert jit(target) is target
    assert caught[0].filename == __file__


def counting(n):
    yield from range(n)


async def waiting(x):
    return x


def test_generators_and_async_functions_are_refused_by_strict_when_called(compilations):
    with pytest.raises(RuntimeError, match="jit: counting is a generator function; a graph has no yield"):
        jit(counting, fullgraph=True)(3)
    with pytest.raises(TypeError, match="jit: waiting is an async function"):
        jit(waiting, fullgraph=True)(3)


def test_generators_and_async_functions_run_as_python():
    compiled, later = jit(counting), jit(waiting)
    for n in (3, 3, 5):
        assert list(compiled(n)) == list(range(n))
        assert asyncio.run(later(n)) == n


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (counting, "is a generator function"),
        (waiting, "is an async function"),
        (dyad.grad, "belongs to the framework"),
    ],
)
def test_what_bytecode_is_not_read_of(target, reason):
    with pytest.warns(UserWarning, match=f"{target.__name__} {reason} and stays as it is"):
        assert jit(target, capture_mode="bytecode") is target


def test_wrong_calls_have_pythons_words(compilations):
    compiled = jit(documented)
    for args, kwargs in (((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1,), {"x": 1})):
        with pytest.raises(TypeError) as expected:
            documented(*args, **kwargs)
        with pytest.raises(TypeError) as caught:
            compiled(*args, **kwargs)
        assert str(caught.value) == str(expected.value)
    assert compilations == []


def test_positional_only_parameters_and_names_of_methods(compilations):
    @jit
    def pop(values, /, index=0, **named):
        return values[index], named

    assert pop([1, 2], 1, key=Tensor(1.0))[0] == 2


def test_an_omitted_default_and_the_same_value_given_are_two_graphs(compilations):
    compiled = jit(documented)
    assert compiled(1) == compiled(1, 2) == compiled(1, y=2)
    assert len(compilations) == 3


def test_inner_functions_are_part_of_the_outer_graph(compilations):
    inner = jit(documented)
    outer = jit(lambda x: inner(x) + 1)
    assert outer(1) == 4 and len(compilations) == 1


def test_ms_jit_0_runs_every_target_without_compiling(compilations, monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    assert jit(documented)(1) == 3
    assert list(jit(counting)(2)) == [0, 1]
    assert jit(Net())(2) == 3
    assert compilations == []


@pytest.fixture
def warnings_logged():
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    logger = logging.getLogger("dyad")
    logger.addHandler(handler)
    yield records
    logger.removeHandler(handler)


def test_a_function_decorated_in_a_loop_is_hinted_at_once(compilations, warnings_logged):
    for factor in range(4):

        @jit
        def scaled(x, factor=factor):
            return factor * x

        assert scaled(2) == 2 * factor
    assert len(compilations) == 4
    messages = [record.getMessage() for record in warnings_logged]
    assert len(messages) == 1 and "is compiled again because it was decorated again" in messages[0]


def test_many_graphs_of_one_function_are_warned_of(compilations, warnings_logged):
    compiled = jit(documented)
    for x in range(12):
        compiled(x)
    messages = [record.getMessage() for record in warnings_logged]
    assert len(messages) == 1
    assert "documented" in messages[0] and "was compiled 9 times" in messages[0]
    assert "argument 0: was 7, is 8" in messages[0]


def test_hash_args_let_a_function_be_created_again(compilations):
    key = Net()

    def make(scale, key=key):
        @jit(hash_args=key)
        def scaled(x):
            return scale * x

        return scaled

    assert [make(2)(3), make(2)(3), make(5)(3)] == [6, 6, 15]
    assert len(compilations) == 2
    assert make(5, key=Net())(3) == 15 and len(compilations) == 3


def test_compile_once_uses_the_graph_again_but_is_never_stale(compilations):
    def make(scale):
        def inner(x):
            return scale * x

        @jit(compile_once=True)
        def scaled(x):
            return inner(x) + 1

        return scaled

    assert [make(2)(3), make(2)(3), make(3)(3)] == [7, 7, 10]
    assert len(compilations) == 2


def test_a_primitive_made_inside_writes_where_it_is_called():
    @jit
    def assigned(target, value):
        dyad.ops.Assign()(target, value)
        return target + dyad.ops.ReLU()(value)

    target, value = dyad.Parameter(Tensor([1.0, 2.0]), name="target"), Tensor([-3.0, 4.0])
    assert assigned(target, value).tolist() == [-3.0, 8.0]
    assert target.tolist() == [-3.0, 4.0]
