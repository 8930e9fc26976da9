"""Wrong context values, seeds and devices; none of them takes effect."""

from wrong_program import check, programs

import dyad


@programs(
    ("dyad.set_context(mode=7)", ValueError, "set_context: mode is 7; need one of 0, 1"),
    ("dyad.set_context(mode='fast')", TypeError, "set_context: mode is 'fast' of type str; need int"),
    ("dyad.set_context(mod=0)", ValueError, "set_context: unknown key 'mod'; nearest is 'mode'"),
    ("dyad.set_context(device_target='GPU')", RuntimeError, "was not found); there is CPU"),
    (
        "dyad.set_context(device_target='Ascend')",
        RuntimeError,
        "is not available on this machine; there is CPU",
    ),
    (
        "dyad.set_context(device_target='Toaster')",
        ValueError,
        "set_context: device_target is 'Toaster'; need one of 'CPU', 'GPU', 'Ascend'",
    ),
    ("dyad.get_context('strange')", ValueError, "get_context: unknown key 'strange'"),
    ("dyad.set_device('Toaster')", ValueError, "set_device: device_target is 'Toaster'"),
    ("dyad.set_device('GPU')", RuntimeError, "set_device: device target GPU is not available"),
    ("dyad.set_device(3)", TypeError, "set_device: device_target is 3; need a str"),
    ("dyad.set_device('CPU', 'a')", TypeError, "set_device: device_id is 'a'; need an int"),
    ("dyad.set_deterministic('yes')", TypeError, "set_deterministic: got 'yes'; need a bool"),
    ("dyad.set_seed(-1)", ValueError, "set_seed: seed is -1; need an int from 0 to 4294967295"),
    ("dyad.set_seed('a')", TypeError, "set_seed: seed is 'a' of type str; need an int"),
    (
        "dyad.set_seed(2**80)",
        ValueError,
        "set_seed: seed is 1208925819614629174706176; need an int from 0 to 4294967295",
    ),
    ("dyad.strange", AttributeError, "dyad has no 'strange'; nearest is dyad.string"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)


def test_a_refused_setting_changes_nothing():
    before = dyad.get_context("mode"), dyad.get_context("device_target")
    check("dyad.set_context(mode=dyad.GRAPH_MODE, device_target='GPU')", RuntimeError, "not available")
    assert (dyad.get_context("mode"), dyad.get_context("device_target")) == before
