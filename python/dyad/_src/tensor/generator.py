"""Random streams: a seed and a position, from which every draw follows."""

import os
from typing import Self

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.host_only import host_only

_STATE_BYTES = 16


def _unforeseen_seed():
    return int.from_bytes(os.urandom(4), "little")


class Generator:
    """A stream of its own, for programs that keep several; random operators draw from `default_generator`."""

    def __init__(self):
        self._write(_unforeseen_seed(), 0)

    def _read(self):
        return self._seed, self._position

    def _write(self, seed, position):
        self._seed, self._position = seed, position

    def reserve(self, count):
        """Reserves `count` positions for draws outside the core: (seed, first position)."""
        seed, position = self._read()
        self._write(seed, position + count)
        return seed, position

    def _step(self, step):
        """Seed and position as int64 Tensors, for operators that have them as arguments; advances the stream by
        `step`.

        In a static graph it advances each time that the graph runs.
        """
        graph = _core.current_graph()
        if graph is None:
            return self._step_now(step)
        step = step if isinstance(step, Tensor) else Tensor(step, _core.int64)
        likes = [Tensor(0, _core.int64), Tensor(0, _core.int64)]
        return tuple(graph.add_host("generator", self._step_now, [step], likes))

    def _step_now(self, step):
        seed, position = numpy.array(self.reserve(int(step)), "<u8").view(numpy.int64)
        return Tensor(seed), Tensor(position)

    @host_only
    def manual_seed(self, seed) -> Self:
        """Start the stream that belongs to `seed`."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"manual_seed: seed is {seed!r} of type {type(seed).__name__}; need an int")
        self._write(seed % 2**64, 0)
        return self

    @host_only
    def seed(self):
        """Start a fresh stream and return its seed."""
        seed = _unforeseen_seed()
        self._write(seed, 0)
        return seed

    @host_only
    def initial_seed(self):
        """The seed of the current stream."""
        return self._read()[0]

    @host_only
    def get_state(self) -> Tensor:
        """Seed and position as 16 bytes in a uint8 Tensor."""
        return Tensor(numpy.array(self._read(), "<u8").view(numpy.uint8))

    @host_only
    def set_state(self, state) -> None:
        """Continue from what `get_state` returned."""
        if not isinstance(state, Tensor) or state.dtype != _core.uint8 or state.shape != (_STATE_BYTES,):
            shown = (
                f"{state.dtype} of shape {state.shape}" if isinstance(state, Tensor) else type(state).__name__
            )
            raise TypeError(f"set_state: state is {shown}; need a uint8 Tensor of shape ({_STATE_BYTES},)")
        seed, position = state.asnumpy().view("<u8")
        self._write(int(seed), int(position))


class _DefaultGenerator(Generator):
    """The process-wide stream, which the operators draw from; its state lives in the core."""

    def _read(self):
        return _core.get_generator_state()

    def _write(self, seed, position):
        _core.set_generator_state(seed, position)

    def reserve(self, count):
        return _core.reserve_generator(count)


default_generator = _DefaultGenerator()


def drawn(owner, generator, operator, *args, **kwargs):
    """The result of a random operator, with the generator if there is one."""
    if generator is None:
        return operator(*args, **kwargs)
    if not isinstance(generator, Generator):
        raise TypeError(f"{owner}: generator is of type {type(generator).__name__}; need a Generator or None")
    return _drawn_from(generator, operator, *args, **kwargs)


drawn.__dict__["_is_program"] = True


@host_only
def _drawn_from(generator, operator, *args, **kwargs):
    """The operators draw from the stream of the process; for this one draw, that is the generator's."""
    kept = _core.get_generator_state()
    _core.set_generator_state(*generator._read())
    try:
        return operator(*args, **kwargs)
    finally:
        generator._write(*_core.get_generator_state())
        _core.set_generator_state(*kept)
