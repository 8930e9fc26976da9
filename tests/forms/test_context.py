import re
import threading

import pytest

import dyad
from dyad import Tensor, get_context, nn, set_context, set_deterministic, set_device


def test_get_context_returns_the_default_settings():
    assert get_context("mode") == dyad.PYNATIVE_MODE == 1
    assert dyad.GRAPH_MODE == 0
    assert (dyad.STRICT, dyad.COMPATIBLE, dyad.LAX) == (0, 1, 2)
    assert get_context("device_target") == "CPU"
    assert get_context("jit_syntax_level") == dyad.LAX
    assert get_context("max_call_depth") == 1000
    assert get_context("save_graphs_path") == "."
    assert get_context("deterministic") == "OFF"
    assert get_context("runtime_num_threads") >= 1


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("mode", True, 1),
        ("save_graphs", True, 2),
        ("save_graphs", False, 0),
        ("save_graphs", 3, 3),
        ("memory_optimize_level", "O1", 1),
        ("jit_config", {"jit_level": "O1"}, {"jit_level": "O1"}),
        ("check_bprop", True, True),
        ("graph_kernel_flags", "--a", "--a"),
        ("deterministic", "ON", "ON"),
        ("debug_level", 1, 1),
        ("device_id", 3, 3),
    ],
)
def test_values_are_read_back_in_normal_form(key, value, stored):
    before = get_context(key)
    set_context(**{key: value})
    assert get_context(key) == stored
    if key == "memory_optimize_level":
        before = "O0"
    set_context(**{key: before})


@pytest.mark.parametrize(
    ("key", "value", "error", "text"),
    [
        ("mode", 2, ValueError, "set_context: mode is 2; need one of 0, 1"),
        ("mode", "a", TypeError, "set_context: mode is 'a' of type str; need int"),
        (
            "device_target",
            "TPU",
            ValueError,
            "set_context: device_target is 'TPU'; need one of 'CPU', 'GPU', 'Ascend'",
        ),
        ("device_target", 5, TypeError, "set_context: device_target is 5 of type int; need str"),
        ("device_id", -1, ValueError, "set_context: device_id is -1; need an int from 0 to 4095"),
        ("device_id", 5000, ValueError, "set_context: device_id is 5000; need an int from 0 to 4095"),
        ("save_graphs", 5, ValueError, "set_context: save_graphs is 5; need a bool or an int from 0 to 3"),
        ("save_graphs", "a", TypeError, "set_context: save_graphs is 'a' of type str; need bool or int"),
        ("save_graphs_path", 5, TypeError, "set_context: save_graphs_path is 5 of type int; need str"),
        ("max_call_depth", 0, ValueError, "set_context: max_call_depth is 0; need an int of at least 1"),
        (
            "pynative_synchronize",
            1,
            TypeError,
            "set_context: pynative_synchronize is 1 of type int; need bool",
        ),
        ("check_bprop", 1, TypeError, "set_context: check_bprop is 1 of type int; need bool"),
        ("jit_syntax_level", 5, ValueError, "set_context: jit_syntax_level is 5; need one of 0, 1, 2"),
        (
            "jit_syntax_level",
            "LAX",
            TypeError,
            "set_context: jit_syntax_level is 'LAX' of type str; need int",
        ),
        ("jit_config", 5, TypeError, "set_context: jit_config is 5 of type int; need dict"),
        (
            "jit_config",
            {"jit_level": "O5"},
            ValueError,
            "jit_config['jit_level'] is 'O5'; need one of O0, O1, O2",
        ),
        (
            "jit_config",
            {"x": 1},
            ValueError,
            "jit_config has the entry 'x'; need entries from jit_level, infer_boost",
        ),
        ("debug_level", 5, ValueError, "set_context: debug_level is 5; need one of 0, 1"),
        ("deterministic", "on", ValueError, "set_context: deterministic is 'on'; need one of 'ON', 'OFF'"),
        ("deterministic", True, TypeError, "set_context: deterministic is True of type bool; need str"),
        (
            "runtime_num_threads",
            -1,
            ValueError,
            "set_context: runtime_num_threads is -1; need an int of at least 0",
        ),
        ("inter_op_parallel_num", -1, ValueError, "need an int of at least 0"),
        ("memory_optimize_level", "O7", ValueError, "set_context: memory_optimize_level is 'O7'"),
        ("compile_cache_path", 5, TypeError, "set_context: compile_cache_path is 5 of type int; need str"),
        ("support_binary", 5, TypeError, "set_context: support_binary is 5 of type int; need bool"),
        ("modex", 1, ValueError, "set_context: unknown key 'modex'; nearest is 'mode'"),
        ("nonsense", 1, ValueError, "set_context: unknown key 'nonsense'; known keys are"),
    ],
)
def test_bad_values_are_named(key, value, error, text):
    with pytest.raises(error, match=re.escape(text)):
        set_context(**{key: value})


def test_only_keywords():
    with pytest.raises(TypeError):
        set_context(1)


def test_unknown_key_when_reading():
    with pytest.raises(ValueError, match="get_context: unknown key 'modex'; nearest is 'mode'"):
        get_context("modex")


def test_a_call_with_one_bad_key_changes_nothing():
    with pytest.raises(ValueError, match="save_graphs"):
        set_context(max_call_depth=50, save_graphs=9)
    assert get_context("max_call_depth") == 1000


def test_the_returned_dict_is_a_copy():
    set_context(jit_config={"jit_level": "O0"})
    get_context("jit_config")["jit_level"] = "O9"
    assert get_context("jit_config") == {"jit_level": "O0"}
    assert get_context("jit_level") == "O0"


def test_keys_of_other_devices_are_skipped_with_a_warning():
    with pytest.warns(UserWarning, match="set_context: ascend_config has no meaning on CPU and is skipped"):
        set_context(ascend_config={})


@pytest.mark.parametrize("target", ["GPU", "Ascend"])
@pytest.mark.parametrize("choose", [lambda t: set_context(device_target=t), set_device])
def test_a_device_that_is_not_there_raises_and_lists_what_is(target, choose):
    if target in dyad._core.available_targets():
        pytest.skip(f"this machine has {target}")
    with pytest.raises(
        RuntimeError, match=f"device target {target} is not available on this machine.*; there is CPU"
    ):
        choose(target)
    assert get_context("device_target") == "CPU"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("TPU",), ValueError, "set_device: device_target is 'TPU'; need one of CPU, GPU, Ascend"),
        ((5,), TypeError, "set_device: device_target is 5; need a str"),
        (("CPU", "a"), TypeError, "set_device: device_id is 'a'; need an int"),
    ],
)
def test_set_device_checks_its_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        set_device(*arguments)


@pytest.mark.parametrize("value", [1, "ON", None])
def test_set_deterministic_needs_a_bool(value):
    with pytest.raises(TypeError, match=r"set_deterministic: got .*; need a bool"):
        set_deterministic(value)


def test_set_deterministic():
    set_deterministic(True)
    assert get_context("deterministic") == "ON"
    set_deterministic(False)
    assert get_context("deterministic") == "OFF"


def test_in_graph_mode_single_operators_run_at_once(monkeypatch):
    net, x = nn.ReLU(), Tensor([-1.0, 2.0])
    set_context(mode=dyad.GRAPH_MODE)
    assert (x + 1.0).asnumpy().tolist() == [0.0, 3.0]
    monkeypatch.setenv("MS_JIT", "0")
    assert net(x).asnumpy().tolist() == [0.0, 2.0]
    monkeypatch.delenv("MS_JIT")
    set_context(mode=dyad.PYNATIVE_MODE)
    assert net(x).asnumpy().tolist() == [0.0, 2.0]


def test_mode_is_seen_by_other_threads():
    seen = []
    set_context(mode=dyad.GRAPH_MODE)
    thread = threading.Thread(target=lambda: seen.append(get_context("mode")))
    thread.start()
    thread.join()
    assert seen == [dyad.GRAPH_MODE]


def test_the_context_module():
    from dyad import context

    context.set_context(mode=context.PYNATIVE_MODE)
    assert context.get_context("mode") == context.PYNATIVE_MODE
    assert (context.STRICT, context.LAX, context.DEBUG, context.RELEASE) == (0, 2, 1, 0)
