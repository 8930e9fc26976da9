"""Bounds of the ints that a program computes from numbers that were constants of the graph before.

An int of Python has as many digits as it takes, one of a graph has 64 bits. Where a result might need more, the number
must be a constant again: Python computes with it then.
"""

import operator

from dyad._core import GraphNumber

# What guards demand of such a number, and what is taken of numbers that come from elsewhere, such as sizes.
SMALL_BITS = 31
_MOST_BITS = 63


def is_small(number):
    """Returns whether a number of a call may be an input where it was a constant before."""
    return type(number) is not int or number.bit_length() <= SMALL_BITS


class NumberBounds:
    """Knows how many bits ints of the graph need at most. It knows nothing as long as no number was `begin`-ed."""

    def __init__(self):
        self._bits = {}  # id of a number -> (it, bits)

    def begin(self, number):
        """Notes an input that is small."""
        self._bits[id(number)] = (number, SMALL_BITS)

    def bits_of_result(self, op, left, right):
        """Returns the bits that `left op right` needs at most; None if it is not an int of the graph or not known."""
        if not self._bits or not all(map(_is_int, (left, right))):
            return None
        if not isinstance(left, GraphNumber) and not isinstance(right, GraphNumber):
            return None
        a, b = self._bits_of(left), self._bits_of(right)
        if op in (operator.add, operator.sub):
            return max(a, b) + 1
        if op is operator.mul:
            return a + b
        if op in (operator.pow, operator.lshift):
            return self._bits_of_growing(op, a, right)
        return max(a, b) if op in (operator.and_, operator.or_, operator.xor) else a

    def fits(self, bits):
        """Returns whether a graph can hold an int of this size."""
        return bits <= _MOST_BITS

    def note(self, number, bits):
        """Remembers how many bits a result needs at most."""
        if isinstance(number, GraphNumber):
            self._bits[id(number)] = (number, bits)

    def release(self):
        """Lets go of all numbers."""
        self._bits.clear()

    def _bits_of_growing(self, op, bits, right):
        if isinstance(right, GraphNumber):
            return _MOST_BITS + 1
        return bits * max(right, 1) if op is operator.pow else bits + max(right, 0)

    def _bits_of(self, value):
        if not isinstance(value, GraphNumber):
            return int(value).bit_length()
        known = self._bits.get(id(value))
        return SMALL_BITS if known is None or known[0] is not value else known[1]


def _is_int(value):
    if isinstance(value, GraphNumber):
        return value.kind in (int, bool)
    return type(value) in (int, bool)
