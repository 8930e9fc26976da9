"""Regions of instructions, and where control goes from their ends."""

import functools
from typing import NamedTuple

from dyad._src.capture.semantics.values import Leaving


class Jump(Leaving):
    """The exit of a region: control goes to an instruction outside of it."""

    def __init__(self, target):
        super().__init__(f"jump to {target}")
        self.target = target


@functools.lru_cache(maxsize=8192)
def jump_to(target):
    """The Jump to an instruction: always the same object, so that paths which lead there agree."""
    return Jump(target)


class Region(NamedTuple):
    """A range of instructions that is executed up to its end.

    It ends before any of the instructions in `stops`, and where the block ends whose exceptions go to the instruction
    `handler`. `end` is the stop that it ends at in most cases. In a `stepwise` region, that of a generator, control
    stays in one place at a time: nothing is done in arms.
    """

    stops: frozenset = frozenset()
    handler: int | None = None
    end: int | None = None
    stepwise: bool = False

    def stopping_at(self, *numbers, end=None):
        """The region with further ends."""
        return self._replace(stops=self.stops.union(numbers), end=self.end if end is None else end)

    def inside(self, handler):
        """The block inside of it whose exceptions a handler takes."""
        return self._replace(handler=handler.target)

    def leaves(self, number, flow):
        """Returns whether an instruction is outside."""
        if number in self.stops:
            return True
        handler = flow.handlers[number]
        return not flow.is_around(self.handler, None if handler is None else handler.target)

    def enters(self, number, flow):
        """Returns whether an instruction belongs to another block than the region does."""
        handler = flow.handlers[number]
        return self.handler != (None if handler is None else handler.target)
