"""Options of bytecode capture: each is checked and has its effect."""

import importlib
import logging
import sys

import pytest

import dyad
from dyad import Tensor, jit, nn
from dyad._c_expression import get_code_extra, update_pijit_default_config
from dyad._src.jit.options import bytecode_options
from dyad._src.jit.options.bytecode_options import KEYS, BytecodeOptions, read_bytecode_options

X = Tensor([1.0, 2.0])


@pytest.fixture
def double():
    def double(x):
        return x * 2.0

    return double


def with_keys(function, **keys):
    return jit(function, mode="PIJit", jit_config=keys)


def options_of(compiled):
    return compiled.__jit_compiler__.options


@pytest.fixture(autouse=True)
def same_defaults(monkeypatch):
    monkeypatch.setattr(bytecode_options, "_defaults", BytecodeOptions())


def test_options_without_keys_are_the_defaults(double):
    keys = options_of(with_keys(double)).bytecode
    assert keys == BytecodeOptions() and hash(keys) == hash(BytecodeOptions())
    assert (
        keys.loop_unrolling
        and keys.compile_with_try
        and keys.specialize_scalar
        and not keys.specialize_container
    )
    assert (keys.limit_graph_count, keys.relax_guard_count, keys.max_trace_depth) == (0, 0, 0)


def test_both_ways_to_give_keys(double):
    by_dict = with_keys(double, loop_unrolling=False, LOG_GRAPH_BREAK=True)
    by_keyword = jit(double, capture_mode="bytecode", loop_unrolling=False, LOG_GRAPH_BREAK=True)
    for compiled in (by_dict, by_keyword):
        keys = options_of(compiled).bytecode
        assert not keys.loop_unrolling and keys.log_graph_break


def test_fullgraph_level_and_dynamic_shapes_are_those_of_jit(double):
    options = options_of(with_keys(double, fullgraph=True, jit_level="O2", enable_dynamic_shape=True))
    assert options.fullgraph and options.jit_level == "O2" and options.dynamic == 1
    assert options_of(jit(double, capture_mode="bytecode", fullgraph=True, jit_level="O0")).fullgraph


def test_open_sizes_bound_the_number_of_graphs():
    assert read_bytecode_options({}).graph_limit == 0
    assert read_bytecode_options({"enable_dynamic_shape": True}).graph_limit == 3
    assert read_bytecode_options({"enable_dynamic_shape": True, "limit_graph_count": 7}).graph_limit == 7
    assert read_bytecode_options({"enable_dynamic_shape": True, "limit_graph_size": 9}).graph_limit == 0


BAD = {bool: (1, "yes", None), int: (True, 1.0, "2", -1)}


@pytest.mark.parametrize("key", [key for key in KEYS if key != "_disable_pijit"])
def test_a_bad_value_is_dropped_with_a_warning(key, double):
    field, _ = KEYS[key]
    before = getattr(BytecodeOptions(), field)
    bad = BAD.get(type(before), (3, object()))
    for value in bad:
        if key == "PERF_STATISTICS_SCALE_10000X" and value == -1:
            continue  # a graph may be slower by so much
        with pytest.warns(UserWarning, match=f"jit: {key} is .* and is dropped; need") as caught:
            compiled = with_keys(double, **{key: value})
        assert caught[0].filename == __file__
        assert getattr(options_of(compiled).bytecode, field) == before


def test_an_unknown_key_is_dropped_with_a_warning(double):
    with pytest.warns(
        UserWarning, match="jit: there is no key 'speed' of bytecode capture and it is dropped"
    ):
        compiled = with_keys(double, speed=3)
    assert compiled(X).tolist() == [2.0, 4.0]


def test_defaults_of_the_process(double):
    update_pijit_default_config(loop_unrolling=False, limit_graph_count=4)
    keys = options_of(with_keys(double, limit_graph_count=5)).bytecode
    assert not keys.loop_unrolling and keys.limit_graph_count == 5
    with pytest.warns(UserWarning, match="update_pijit_default_config: there is no key 'speed'"):
        update_pijit_default_config(speed=1)
    assert options_of(jit(double)).bytecode.loop_unrolling, "other captures are not told"


def test_keys_tell_functions_apart_that_are_created_again(double):
    def make(**keys):
        return jit(double, mode="PIJit", compile_once=True, jit_config=keys)

    assert make() is make() and make(loop_unrolling=False) is not make()


def test_disable_decides_call_by_call():
    asked = []

    def is_large(args, kwargs):
        asked.append((len(args), list(kwargs)))
        return args[0].sum() > 10

    compiled = with_keys(lambda x, scale=1.0: x * scale, _disable_pijit=is_large)
    for _ in range(6):
        assert compiled(X).tolist() == [1.0, 2.0]
        assert compiled(X * 10, scale=2.0).tolist() == [20.0, 40.0]
    told = get_code_extra(compiled)
    assert asked == [(1, []), (1, ["scale"])] * 6
    assert (told["compile_count_"], told["code"]["call_count_"]) == (1, 6)


def test_disable_of_a_function_that_python_runs_in_part():
    seen = []

    def program(x):
        y = x * 2.0
        seen.append(str(type(sys._getframe())))
        return y + 1.0

    asked = []
    compiled = with_keys(program, _disable_pijit=lambda args, kwargs: asked.append(1))
    for _ in range(8):
        assert compiled(X).tolist() == [3.0, 5.0]
    assert len(asked) == 8 and len(seen) == 8


def test_as_many_graphs_are_kept_as_without_a_predicate():
    compiled = with_keys(lambda x, n: x * n, _disable_pijit=lambda args, kwargs: False)
    compiled(X, 1)
    compiler = compiled.__jit_compiler__
    (first,) = compiler.waiting
    compiler._keep_waiting(first, 1)
    assert compiler.waiting == [first]
    compiler._keep_waiting(object(), 2)
    assert len(compiler.waiting) == 2 and compiler.waiting[0] is first
    compiler._keep_waiting(object(), 2)
    assert len(compiler.waiting) == 2 and first not in compiler.waiting


def test_what_disables_must_be_callable(double):
    with pytest.raises(
        TypeError, match="jit: _disable_pijit is 3 of type int; need a function of args and kwargs"
    ):
        with_keys(double, _disable_pijit=3)


def test_short_functions_stay_in_python(double):
    compiled = with_keys(double, STATIC_GRAPH_BYTECODE_MIN=100)
    assert compiled(X).tolist() == [2.0, 4.0] and compiled(X).tolist() == [2.0, 4.0]
    assert get_code_extra(compiled)["stat"] == "NEVER_COMPILE" and not compiled.entries
    compiled = with_keys(double, STATIC_GRAPH_BYTECODE_MIN=2)
    compiled(X)
    assert get_code_extra(compiled)["stat"] == "GRAPH_CALLABLE"


def test_captured_code_without_its_graph(double):
    compiled = with_keys(double, interpret_captured_code=True)
    compiled(X)
    compiler, ran = compiled.__jit_compiler__, []
    compiler.function = lambda x: ran.append(x) or "Python"
    assert [compiled(X), compiled(X)] == ["Python"] * 2 and len(ran) == 2
    told = get_code_extra(compiled)
    assert (told["stat"], told["compile_count_"]) == ("GRAPH_CALLABLE", 1)


@pytest.mark.parametrize(("scale", "state"), [(-9999, "GRAPH_CALLABLE"), (10**9, "NEVER_COMPILE")])
def test_the_faster_form_stays(scale, state, double):
    compiled = with_keys(
        double, perf_statistics=True, PERF_STATISTICS_COUNT=2, PERF_STATISTICS_SCALE_10000X=scale
    )
    for _ in range(4):  # one call compiles, then two of each kind are timed
        assert compiled(X).tolist() == [2.0, 4.0]
    assert not compiled.entries and compiled.python_form is None
    for _ in range(3):
        assert compiled(X).tolist() == [2.0, 4.0]
    assert get_code_extra(compiled)["stat"] == state
    assert bool(compiled.entries) == (state == "GRAPH_CALLABLE")
    assert (compiled.python_form is double) == (state == "NEVER_COMPILE")


@pytest.fixture
def broken_capture(monkeypatch):
    """Capture that fails by a fault of its own."""
    from dyad._src.capture.semantics.operators.operators import Operators

    def fail(self, *args):
        raise KeyError("a fault")

    for name in ("binary", "truth"):
        if hasattr(Operators, name):
            monkeypatch.setattr(Operators, name, fail)


def test_a_fault_of_capture_leaves_the_function_to_python(broken_capture, logged, double):
    compiled = with_keys(double)
    for _ in range(3):
        assert compiled(X).tolist() == [2.0, 4.0]
    assert get_code_extra(compiled)["stat"] == "NEVER_COMPILE"
    assert len([line for line in logged if "a fault" in line]) == 1


@pytest.mark.parametrize("tries", [True, False])
def test_a_fault_while_compiling(double, monkeypatch, tries):
    compiled = with_keys(double, compile_with_try=tries)

    def fail(*args):
        raise KeyError("a fault")

    monkeypatch.setattr(compiled.__jit_compiler__.capture, "compile_call", fail)
    if tries:
        assert compiled(X).tolist() == [2.0, 4.0]
        assert get_code_extra(compiled)["stat"] == "NEVER_COMPILE"
    else:
        with pytest.raises(KeyError, match="a fault"):
            compiled(X)


def test_a_fault_of_capture_is_raised_if_it_is_not_to_be_tried(broken_capture, double):
    with pytest.raises(KeyError, match="a fault"):
        with_keys(double, compile_with_try=False)(X)


def called(x):
    return x + 1.0


class Layer(nn.Cell):
    def construct(self, x):
        return x * 3.0


LAYER = Layer()


def calls_from_python(x):
    print(end="", flush=True)
    try:
        y = called(x)
    finally:
        print(end="", file=sys.stderr)
    return LAYER(y)


@pytest.mark.parametrize(
    ("keys", "functions", "cells"),
    [
        ({}, True, True),
        ({"auto_jit_func_filter": lambda function: False}, False, False),
        ({"auto_jit_func_filter": lambda function: function is called}, True, False),
        ({"auto_jit_func_filter": lambda function: False, "auto_jit_cell": True}, False, True),
    ],
)
def test_which_undecorated_functions_are_compiled(keys, functions, cells):
    callees = dyad._src.jit.graph_break.parts._callees(options_of(with_keys(calls_from_python, **keys)))
    assert (callees(called) is not called) == functions
    assert hasattr(callees(LAYER).func, "__jit_compiler__") == cells
    assert callees(LAYER)(X).tolist() == [3.0, 6.0]


def test_forbidden_functions_are_run_by_python():
    for told in (called, "called", [f"{__name__}.called"]):
        compiled = with_keys(lambda x: called(x) * 2.0, pijit_forbidden=told)
        assert compiled(X).tolist() == [4.0, 6.0]
        assert get_code_extra(compiled)["break_count_"] == 1
    assert get_code_extra(_run(with_keys(lambda x: called(x) * 2.0)))["break_count_"] == 0


def _run(compiled):
    compiled(X)
    return compiled


COUNTED = []


def counts(size):
    COUNTED.append(size)
    return size * 2


def test_constant_functions_are_called_once():
    COUNTED.clear()
    compiled = with_keys(lambda x: x * counts(x.shape[0]), pijit_constexpr=[counts])
    for _ in range(3):
        assert compiled(X).tolist() == [4.0, 8.0]
    assert COUNTED == [2]


def test_libraries_that_may_be_read():
    keys = read_bytecode_options({"allowed_inline_modules": ["some.package", logging]})
    assert keys.inlines("some.package") and keys.inlines("some.package.inner") and keys.inlines("logging")
    assert not keys.inlines("some.packages") and not keys.inlines("os")


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A module that is taken for a library which knows nothing of tensors."""
    folder = tmp_path / "site-packages" / "pytz"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("def shifted(x):\n    return x + 1.0\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.delitem(sys.modules, "pytz", raising=False)
    yield importlib.import_module("pytz")
    sys.modules.pop("pytz", None)


@pytest.mark.parametrize(("keys", "breaks"), [({}, 1), ({"allowed_inline_modules": ["pytz"]}, 0)])
def test_functions_of_a_library_are_read_if_that_is_allowed(library, keys, breaks):
    def uses_library(x):
        return library.shifted(x) * 2.0

    compiled = with_keys(uses_library, **keys)
    assert compiled(X).tolist() == [4.0, 6.0]
    assert get_code_extra(compiled)["break_count_"] == breaks


def loop_with_a_break(x):
    y = x * 2.0 + 1.0
    for _ in range(2):
        y = y * 2.0 + 1.0 - x
        open("/dev/null").close()
    while y.shape[0] > 5:
        y = y[1:]
    return y * 3.0 - y


@pytest.mark.parametrize(("keys", "in_the_loop"), [({}, True), ({"recapture_loop_body": False}, False)])
def test_the_body_of_a_loop_that_python_runs(keys, in_the_loop):
    compiled = with_keys(loop_with_a_break, **keys)
    for _ in range(5):
        assert compiled(X).tolist() == loop_with_a_break(X).tolist()
    graphs = [piece for piece in compiled.__jit_compiler__.split.pieces() if piece.is_graph]
    first = loop_with_a_break.__code__.co_firstlineno
    assert any(piece.first_line <= first + 3 <= piece.last_line for piece in graphs) is in_the_loop
    assert any(piece.last_line >= first + 7 for piece in graphs), (
        "what is behind the loop is a graph either way"
    )


class Link:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


@pytest.mark.parametrize(("depth", "breaks"), [(0, False), (5, False), (4, True), (1, True)])
def test_how_far_guards_may_follow(depth, breaks):
    def program(x, link):
        return x * link.following.following["k"][0].value * 2.0 + 1.0

    compiled = with_keys(program, MAX_TRACE_DEPTH=depth)
    for value in (2.0, 3.0, 2.0, 4.0):
        link = Link(1.0, Link(2.0, {"k": [Link(value)]}))
        assert compiled(X, link).tolist() == program(X, link).tolist()
    assert bool(compiled.__jit_compiler__.breaks) is breaks
