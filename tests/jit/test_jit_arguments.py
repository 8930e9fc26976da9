"""The arguments of `jit`: what is accepted, what each means, and the errors that name the rest."""

import re

import pytest

import dyad
from dyad import JitConfig, jit


def identity(x):
    return x


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (
            {"capture_mode": "source"},
            ValueError,
            "jit: capture_mode is 'source'; need one of 'ast', 'bytecode', 'trace'",
        ),
        ({"capture_mode": 1}, ValueError, "jit: capture_mode is 1; need one of 'ast', 'bytecode', 'trace'"),
        ({"jit_level": "O2"}, ValueError, "jit: jit_level is 'O2'; need one of 'O0', 'O1'"),
        ({"jit_level": None}, ValueError, "jit: jit_level is None; need one of 'O0', 'O1'"),
        ({"dynamic": True}, TypeError, "jit: dynamic is True of type bool; need the int 0 or 1"),
        ({"dynamic": "1"}, TypeError, "jit: dynamic is '1' of type str; need the int 0 or 1"),
        ({"dynamic": 2}, ValueError, "jit: dynamic is 2; need 0 or 1"),
        ({"fullgraph": 1}, TypeError, "jit: fullgraph is 1 of type int; need a bool"),
        ({"backend": "fast"}, ValueError, "jit: backend is 'fast'; need one of '', 'ms_backend'"),
        ({"backend": 1}, TypeError, "jit: backend is 1 of type int; need a str"),
        ({"mode": "Fast"}, ValueError, "jit: mode is 'Fast'; need one of 'PSJit', 'PIJit'"),
        (
            {"disable_format_transform": 1},
            TypeError,
            "jit: disable_format_transform is 1 of type int; need a bool",
        ),
        ({"exec_order": 1}, TypeError, "jit: exec_order is 1 of type int; need a str"),
        ({"exec_order": "random"}, ValueError, "jit: exec_order is 'random'; need one of 'bfs', 'dfs'"),
        ({"infer_boost": "yes"}, ValueError, "jit: infer_boost is 'yes'; need one of 'on', 'off'"),
        ({"ge_options": 1}, TypeError, "jit: ge_options is 1 of type int; need a dict"),
        (
            {"ge_options": {"all": {}}},
            ValueError,
            "jit: ge_options has the entry 'all'; need 'global' or 'session'",
        ),
        ({"ge_options": {"global": 1}}, TypeError, "jit: ge_options['global'] is of type int; need a dict"),
        (
            {"ge_options": {"global": {"a": 1}}},
            TypeError,
            "jit: ge_options['global'] has the entry 'a': 1; need str",
        ),
        ({"jit_config": {"a": 1}}, TypeError, "jit: jit_config is of type dict; need a JitConfig"),
        ({"jit_config": 1, "capture_mode": "bytecode"}, TypeError, "of type int; need a JitConfig or a dict"),
        ({"fn": identity, "function": identity}, TypeError, "jit: function and fn are both given"),
        (
            {"input_signature": 1},
            TypeError,
            "jit: input_signature is of type int; need a Tensor, a tuple or list",
        ),
    ],
)
def test_wrong_arguments(given, error, text, compilations):
    with pytest.raises(error, match=re.escape(text)):
        jit(**{"function": identity, **given})


@pytest.mark.parametrize("target", [5, "text", (1, 2)])
def test_what_cannot_be_called(target):
    with pytest.raises(TypeError, match="need a function, a method, a Cell or a Cell class"):
        jit(target)


def test_the_decision_of_each_argument(compilations):
    jit(identity)(1)
    jit(
        identity, capture_mode="trace", jit_level="O1", fullgraph=True, backend="ms_backend", exec_order="bfs"
    )(1)
    plain, told = compilations
    assert (plain.capture_mode, plain.jit_level, plain.dynamic, plain.backend) == ("ast", "", 0, "")
    assert not plain.strict and plain.syntax_level == dyad.LAX
    assert (told.capture_mode, told.jit_level, told.backend) == ("trace", "O1", "ms_backend")
    assert told.strict and told.fullgraph and told.backend_options == {"exec_order": "bfs"}


def test_earlier_argument_names_select_mode_and_options(compilations):
    jit(fn=identity)(1)
    jit(identity, mode="PSJit")(1)
    jit(identity, mode="PIJit")(1)
    jit(identity, jit_config=JitConfig(jit_level="O2", jit_syntax_level="STRICT", debug_level="DEBUG"))(1)
    jit(identity, mode="PIJit", jit_config={"MAX_INLINE_DEPTH": 3})(1)
    assert [options.capture_mode for options in compilations] == ["ast", "ast", "bytecode", "ast", "bytecode"]
    assert compilations[3].jit_level == "O2" and compilations[3].strict and compilations[3].debug_level == 1
    assert compilations[4].bytecode.max_inline_depth == 3 and compilations[4].backend_options == {}
    assert dyad.ms_function is jit


def test_unknown_options_are_dropped_with_a_warning(compilations):
    with pytest.warns(
        UserWarning, match="jit: there is no option 'speed' and it is dropped; known are"
    ) as caught:
        function = jit(identity, speed=3)
    assert caught[0].filename == __file__
    assert function(2) == 2 and compilations[0].backend_options == {}


def test_a_back_end_of_another_device(compilations):
    with pytest.warns(UserWarning, match="the back end 'GE' belongs to another device"):
        function = jit(identity, backend="GE")
    assert function(2) == 2 and compilations[0].backend == ""


def test_compile_once_is_a_bool(compilations):
    with pytest.warns(
        UserWarning, match="jit: compile_once is 1 of type int and is taken as False; need a bool"
    ):
        jit(identity, compile_once=1)


def test_without_a_function_it_is_a_decorator(compilations):
    @jit(jit_level="O1")
    def twice(x):
        return 2 * x

    assert twice(4) == 8 and compilations[0].jit_level == "O1"


def test_the_environment_decides_the_syntax_level(compilations, monkeypatch):
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    jit(identity)(1)
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "2")
    jit(identity, fullgraph=True)(1)
    assert [options.syntax_level for options in compilations] == [0, 2]
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "5")
    with pytest.raises(RuntimeError, match=r"MS_DEV_JIT_SYNTAX_LEVEL is '5'; need 0 \(strict\), 1 or 2"):
        jit(identity)(1)


def test_the_context_does_not_reach_jitted_functions(compilations):
    dyad.set_context(jit_syntax_level=dyad.STRICT)
    jit(identity)(1)
    assert compilations[0].syntax_level == dyad.LAX


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        ("jit_level", "O3", "'', 'O0', 'O1', 'O2'"),
        ("exc_mode", "none", "'auto', 'sink', 'no_sink'"),
        ("jit_syntax_level", "lax", "'', 'STRICT', 'COMPATIBLE', 'LAX'"),
        ("debug_level", 1, "'RELEASE', 'DEBUG'"),
        ("infer_boost", True, "'on', 'off'"),
    ],
)
def test_wrong_fields_of_a_config(field, value, accepted):
    with pytest.raises(
        ValueError, match=re.escape(f"JitConfig: {field} is {value!r}; need one of {accepted}")
    ):
        JitConfig(**{field: value})


def test_a_config_keeps_what_it_was_given():
    config = JitConfig(jit_level="O1", backend="ms_backend", options={"a": 1})
    assert config.jit_config_dict["backend"] == "ms_backend"
    assert config.jit_config_dict["options"] == {"a": 1}
    assert config.changes() == {"jit_level": "O1", "debug_level": 0}
    assert "jit_level='O1'" in repr(config)
    with pytest.raises(ValueError, match="JitConfig: static_attempts is -1; need an int of at least 0"):
        JitConfig(static_attempts=-1)
