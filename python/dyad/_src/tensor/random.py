"""Seeds: one generator feeds random operators; `set_seed` also seeds NumPy's, which initializers draw from."""

from dyad._src.base.break_reasons import FUNCTION, capture_error
from dyad._src.base.fork_lock import new_lock
from dyad._src.base.host_only import captured_graph, host_only
from dyad._src.tensor.generator import default_generator

_lock = new_lock()
_global_seed = None
_followers: list = []


def follow_seed(function):
    """Calls `function` with every seed that is set, and with the present one, if there is one."""
    _followers.append(function)
    if _global_seed is not None:
        function(_global_seed)


@host_only
def set_seed(seed) -> None:
    """Seed NumPy's global generator, the initializers, the random operators and the data pipeline, so that a program
    repeats itself."""
    global _global_seed
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"set_seed: seed is {seed!r} of type {type(seed).__name__}; need an int")
    if not 0 <= seed < 2**32:
        raise ValueError(f"set_seed: seed is {seed}; need an int from 0 to {2**32 - 1}")
    import numpy.random

    with _lock:
        numpy.random.seed(seed)
        default_generator.manual_seed(seed)
        _global_seed = seed
    for function in _followers:
        function(seed)


@host_only
def get_seed():
    """The last value given to `set_seed`, or None."""
    return _global_seed


@host_only
def manual_seed(seed):
    """Seed the default generator only."""
    return default_generator.manual_seed(seed)


@host_only
def seed():
    """Seed the default generator with a number from the operating system and return that number."""
    return default_generator.seed()


@host_only
def initial_seed():
    """The seed the default generator started from."""
    return default_generator.initial_seed()


@host_only
def get_rng_state():
    """The default generator's state as a uint8 Tensor; `set_rng_state` continues the stream from there."""
    return default_generator.get_state()


@host_only
def set_rng_state(state) -> None:
    """Continue the default generator from a state that `get_rng_state` returned."""
    default_generator.set_state(state)


def seeded_stream(seed_value):
    """A NumPy generator that starts at a seed and has nothing to do with the global one."""
    import numpy.random

    return numpy.random.Generator(numpy.random.Philox(key=seed_value))


def initializer_stream():
    """A NumPy generator for one initialization; its seed is the next draw of NumPy's global generator.

    So weights repeat after `numpy.random.seed`, as they do after `set_seed`, which seeds that generator too.
    """
    import numpy.random

    if captured_graph() is not None:
        raise capture_error(
            FUNCTION, "initializer: random numbers are drawn, which needs Python when the graph runs"
        )
    return seeded_stream(int(numpy.random.randint(1, 2**63, dtype=numpy.int64)))
