"""A Cell in Graph mode: when it is compiled, with what, and what can be asked of it."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import dyad
from dyad import JitConfig, Tensor, clear_compile_cache, jit, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x, scale=1.0):
        return self.inner(x) * scale


class Inner(nn.Cell):
    def construct(self, x):
        return x + 1.0


@pytest.fixture
def graph_mode(compilations):
    dyad.set_context(mode=dyad.GRAPH_MODE)
    return compilations


def one():
    return Tensor(np.ones(2, np.float32))


def test_a_call_compiles_the_whole_cell_once(graph_mode):
    net = Net()
    assert net(one()).asnumpy().tolist() == [2, 2]
    assert net(one()).asnumpy().tolist() == [2, 2]
    assert len(graph_mode) == 1
    assert net(one(), scale=2.0).asnumpy().tolist() == [4, 4]
    assert len(graph_mode) == 2


def test_the_mode_is_read_at_the_call(compilations):
    net = Net()
    net(one())
    dyad.set_context(mode=dyad.GRAPH_MODE)
    net(one())
    dyad.set_context(mode=dyad.PYNATIVE_MODE)
    net(one())
    dyad.set_context(mode=dyad.GRAPH_MODE)
    net(one())
    assert len(compilations) == 1


def test_the_switch_against_compiling(graph_mode, monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    net = Net()
    assert net(one()).asnumpy().tolist() == [2, 2]
    net.compile(one())
    assert graph_mode == [] and net.compile_cache == set()
    assert net.compile_and_run(one()).asnumpy().tolist() == [2, 2]


def test_the_context_and_the_config_of_the_cell_say_how(graph_mode):
    dyad.set_context(jit_syntax_level=dyad.STRICT, jit_config={"jit_level": "O1"})
    Net()(one())
    net = Net()
    assert net.jit_config_dict == {}
    net.set_jit_config(JitConfig(jit_level="O0", jit_syntax_level="LAX"))
    assert (net.jit_config_dict["jit_level"], net.jit_config_dict["jit_syntax_level"]) == ("O0", "LAX")
    net(one())
    shared, own = graph_mode
    assert (shared.syntax_level, shared.jit_level) == (dyad.STRICT, "O1")
    assert (own.syntax_level, own.jit_level) == (dyad.LAX, "O0")


def test_earlier_keys_of_the_context(graph_mode):
    dyad.set_context(enable_graph_kernel=True, debug_level=dyad.context.DEBUG)
    try:
        Net()(one())
    finally:
        dyad.set_context(enable_graph_kernel=False, debug_level=dyad.context.RELEASE)
    Net()(one())
    assert [(options.jit_level, options.debug_level) for options in graph_mode] == [("O1", 1), ("", 0)]


def test_the_first_config_counts():
    net = Net()
    net.set_jit_config(JitConfig(jit_level="O1"))
    with pytest.warns(UserWarning, match="set_jit_config: Net has a JitConfig already, which stays in force"):
        net.set_jit_config(JitConfig(jit_level="O0"))
    assert net._jit_config.jit_config_dict["jit_level"] == "O1"
    with pytest.raises(TypeError, match="set_jit_config: jit_config is of type int; need a JitConfig"):
        net.set_jit_config(3)


def test_compile_ahead_of_a_call_saves_its_compilation(graph_mode):
    net = Net()
    assert net.compile(one()) is None
    net.compile(one())
    assert len(graph_mode) == 1 and len(net.compile_cache) == 1
    assert net(one()).asnumpy().tolist() == [2, 2] and len(graph_mode) == 1


def test_running_as_a_graph_in_the_dynamic_mode(compilations):
    assert Net().compile_and_run(one()).asnumpy().tolist() == [2, 2] and len(compilations) == 1


def test_dropping_the_graphs_of_one_cell(graph_mode):
    net, other = Net(), Net()
    net(one()), other(one())
    clear_compile_cache(net)
    assert net.compile_cache == set() and len(other.compile_cache) == 1
    net(one()), other(one())
    assert len(graph_mode) == 3
    with pytest.raises(
        TypeError, match="clear_compile_cache: obj is 5 of type int; need what jit returned, or a Cell"
    ):
        clear_compile_cache(5)


def test_dropping_all_graphs(compilations):
    double = jit(lambda x: x * 2)
    method = jit(Net())
    double(one()), method(one())
    clear_compile_cache()
    double(one()), method(one())
    assert len(compilations) == 4
    clear_compile_cache(double), clear_compile_cache(method)
    double(one()), method(one())
    assert len(compilations) == 6


def test_the_graphs_of_a_jitted_construct(compilations):
    class Local(nn.Cell):
        @jit
        def construct(self, x):
            return x

    net = Local()
    net(one())
    assert len(net.compile_cache) == 1
    clear_compile_cache(net)
    assert net.compile_cache == set()


def test_copies_have_graphs_of_their_own(graph_mode):
    net = Net()
    net(one())
    for twin in (copy.deepcopy(net), copy.copy(net), pickle.loads(pickle.dumps(net))):
        assert twin.compile_cache == set() and len(net.compile_cache) == 1
        assert twin(one()).asnumpy().tolist() == [2, 2]
    assert len(graph_mode) == 4


def test_a_dropped_cell_takes_its_graphs_along(graph_mode):
    net = Net()
    net(one())
    entry = weakref.ref(net._graph_call)
    del net
    gc.collect()
    assert entry() is None


def test_wrong_arguments_are_refused_as_in_the_dynamic_graph(graph_mode):
    with pytest.raises(TypeError, match="Net: missing a required argument: 'x'; construct takes"):
        Net()()


def test_compiling_without_running(graph_mode):
    net = Net()
    net(one())
    dyad.set_context(precompile_only=True)
    assert net(one()) is None and len(graph_mode) == 1
    assert net(one(), scale=3.0) is None and net(one(), scale=3.0) is None and len(graph_mode) == 2
    assert net.compile(one(), scale=4.0) is None and len(graph_mode) == 3
    dyad.set_context(precompile_only=False)
    assert net(one(), scale=3.0).asnumpy().tolist() == [6, 6]
    assert net(one()).asnumpy().tolist() == [2, 2] and len(graph_mode) == 3


def test_compiling_without_running_by_the_environment(compilations, monkeypatch):
    calls = []
    function = jit(lambda x: calls.append(x) or x)
    monkeypatch.setenv("MS_DEV_PRECOMPILE_ONLY", "1")
    assert function(3) is None and calls == []
    monkeypatch.delenv("MS_DEV_PRECOMPILE_ONLY")
    assert function(3) == 3 and len(compilations) == 1


class Picky(nn.Cell):
    def construct(self, x, limit):
        if x.ndim != 1:
            raise ValueError(f"x has shape {x.shape}; need one dimension")
        if x.sum() > limit:
            raise RuntimeError("too much")
        return x


@pytest.mark.parametrize("mode", [dyad.GRAPH_MODE, dyad.PYNATIVE_MODE])
def test_compiling_raises_what_every_run_would_raise(mode):
    dyad.set_context(mode=mode)
    net = Picky()
    matrix = Tensor(np.ones((2, 2), np.float32))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"x has shape \(2, 2\); need one dimension"):
            net.compile(matrix, 5)
    assert net.compile_cache == set()
    with pytest.raises(ValueError, match="need one dimension"):
        net(matrix, 5)


def test_compiling_leaves_to_the_run_what_only_that_knows(graph_mode):
    net = Picky()
    net.compile(one(), 1)
    with pytest.raises(RuntimeError, match="too much"):
        net(one(), 1)
    assert net(one(), 5).asnumpy().tolist() == [1, 1]
