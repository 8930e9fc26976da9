"""Wrong context values, seeds and devices; none of them takes effect."""

from wrong_program import check, programs

import dyad


@programs(
    ("dyad.set_context(mode=7)", ValueError, "set_context: "),
    ("dyad.set_context(mode='fast')", TypeError, "set_context: mode is "),
    ("dyad.set_context(mod=0)", ValueError, "set_context: unknown key 'mod'; nearest is 'mode'"),
    ("dyad.set_context(device_target='GPU')", RuntimeError, "is not available on this machine; there is CPU"),
    (
        "dyad.set_context(device_target='Ascend')",
        RuntimeError,
        "is not available on this machine; there is CPU",
    ),
    ("dyad.set_context(device_target='Toaster')", ValueError, "Toaster"),
    ("dyad.get_context('strange')", ValueError, "get_context: unknown key 'strange'"),
    ("dyad.set_device('Toaster')", ValueError, "set_device: device_target is 'Toaster'"),
    ("dyad.set_device('GPU')", RuntimeError, "set_device: device target GPU is not available"),
    ("dyad.set_device(3)", TypeError, "set_device: device_target is 3; need a str"),
    ("dyad.set_device('CPU', 'a')", TypeError, "set_device: device_id is 'a'; need an int"),
    ("dyad.set_deterministic('yes')", TypeError, "set_deterministic: got 'yes'; need a bool"),
    ("dyad.set_seed(-1)", ValueError, "set_seed: "),
    ("dyad.set_seed('a')", TypeError, "set_seed: "),
    ("dyad.set_seed(2**80)", ValueError, "set_seed: "),
    ("dyad.strange", AttributeError, "strange"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)


def test_a_refused_setting_changes_nothing():
    before = dyad.get_context("mode"), dyad.get_context("device_target")
    check("dyad.set_context(mode=dyad.GRAPH_MODE, device_target='GPU')", RuntimeError, "not available")
    assert (dyad.get_context("mode"), dyad.get_context("device_target")) == before
