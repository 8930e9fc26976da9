"""The order of a graph's inputs: that of the arguments, whenever the program came to look at them."""

from dyad._src.capture.semantics.memory.heap import layout


class Inputs:
    """The inputs of a graph as capture meets them, each with the place that leads to it from the arguments."""

    def __init__(self, tree):
        self._tree = tree
        self._places = []

    def add(self, node, place):
        """The tensor or number at a node of the guard tree is the next input; no place for one from elsewhere."""
        self._tree.input(node)
        self._places.append(place)

    def arrange(self, args, kwargs):
        """Puts the guard tree's inputs into the arguments' order and returns it, for the graph to do the same."""
        arguments = _Arguments(args, kwargs)
        positions = [arguments.position(place) for place in self._places]
        order = sorted(range(len(positions)), key=positions.__getitem__)
        self._tree.arrange_inputs(order)
        return order


class _Arguments:
    """The arguments of a call, read without running code of their classes."""

    def __init__(self, args, kwargs):
        self._given = {True: args, False: kwargs}
        self._numbers = {}  # id of a dict -> number of each of its keys

    def position(self, place):
        """The numbers of the steps that lead to a place; what is no part of the arguments is behind all others."""
        if place is None:
            return (2,)
        is_positional = isinstance(place[0], int)
        steps, held = [0 if is_positional else 1], self._given[is_positional]
        for key in place:
            steps.append(self._key_numbers(held)[key] if isinstance(held, dict) else key)
            kind = tuple if isinstance(held, tuple) else layout(held)
            held = kind.__getitem__(held, key)
        return tuple(steps)

    def _key_numbers(self, held):
        known = self._numbers.get(id(held))
        if known is None:
            known = self._numbers[id(held)] = {key: number for number, key in enumerate(dict.__iter__(held))}
        return known
