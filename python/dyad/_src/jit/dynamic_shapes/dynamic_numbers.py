"""Which Python numbers among the arguments are inputs of the graph, given the values that calls have had so far."""

from dyad._src.capture.semantics.operators.number_bounds import is_small
from dyad._src.capture.semantics.outside.constants import is_plain_number


class NumberPolicy:
    """Decides for one callable. A number is a constant of its graph for its first `constant_values` values.

    After that it is an input, and stays one: it is never a constant again, unless it is an int of more than 31 bits or
    capture must know it. None for `constant_values` leaves all numbers constants.
    """

    def __init__(self, constant_values):
        self._constant_values = constant_values
        self._seen = {}  # place of a number -> texts of the values that it has had

    def variable(self, args, kwargs, remember=True):
        """The places of numbers that are inputs of the graph for this call; with `remember` it is going to be made."""
        if self._constant_values is None:
            return frozenset()
        return frozenset(
            (place,)
            for place, value in (*enumerate(args), *kwargs.items())
            if is_plain_number(value) and is_small(value) and self._varies(place, value, remember)
        )

    def _varies(self, place, value, remember):
        seen = self._seen.setdefault(place, set())
        known = repr(value)  # tells 1 from 1.0 and 0.0 from -0.0
        varies = len(seen | {known}) > self._constant_values
        if remember and len(seen) <= self._constant_values:
            seen.add(known)
        return varies
