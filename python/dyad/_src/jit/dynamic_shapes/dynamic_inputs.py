"""Chooses which sizes and numbers stay dynamic; makes fewer dynamic if capture needs a value."""

from dyad._src.jit.dynamic_shapes.dynamic_sizes import tensors_in_call
from dyad._src.jit.options.options import OpenShape

# Attempts with one more static input before all inputs become static.
_MAX_ATTEMPTS = 6


class DynamicInputs:
    """Remembers for one callable how much of what was to be left open could be.

    What is open is (places of numbers, (place, axis) of sizes), two frozensets.
    """

    def __init__(self):
        self._possible = {}  # what was to be open -> what could be

    def reduced(self, options, args, kwargs):
        """The options without what is known to be impossible."""
        possible = self._possible.get(_open_in(options))
        return options if possible is None else _with_open(options, possible, args, kwargs)

    def fallbacks(self, options, args, kwargs):
        """Yields options with fewer dynamic inputs: one number or size static, then all numbers, then everything."""
        numbers, axes = _open_in(options)
        for known in sorted(numbers, key=str)[:_MAX_ATTEMPTS]:
            yield _with_open(options, (numbers - {known}, axes), args, kwargs)
        names = sorted({shape.open[axis] for shape in options.templates.values() for axis in shape.open})
        for name in names[:_MAX_ATTEMPTS] if len(names) > 1 else ():
            others = {(place, axis) for place, axis in axes if options.templates[place].open[axis] != name}
            yield _with_open(options, (numbers, frozenset(others)), args, kwargs)
        if numbers and axes:
            yield _with_open(options, (numbers, frozenset()), args, kwargs)
            yield _with_open(options, (frozenset(), axes), args, kwargs)
        yield _with_open(options, (frozenset(), frozenset()), args, kwargs)

    def note(self, wanted, made):
        """Remembers that instead of `wanted` a graph could be made with the options `made`."""
        self._possible[_open_in(wanted)] = _open_in(made)


def _open_in(options):
    axes = ((place, axis) for place, shape in options.templates.items() for axis in shape.open)
    return options.variable_numbers, frozenset(axes)


def _with_open(options, openness, args, kwargs):
    """The options with nothing open but that."""
    numbers, axes = openness
    tensors = tensors_in_call(args, kwargs)
    templates = {}
    for place, shape in options.templates.items():
        sizes = tuple(
            size if (place, axis) in axes else tensors[place].shape[axis]
            for axis, size in enumerate(shape.sizes)
        )
        if any(isinstance(size, str) for size in sizes):
            templates[place] = OpenShape(sizes, shape.symbols)
    return options.replace(templates=templates, variable_numbers=options.variable_numbers & numbers)


def sizes_of_call(options, args, kwargs):
    """Place of each Tensor -> its sizes, as they are or by name, that a graph with these options is made for."""
    return {
        place: options.templates[place].sizes if place in options.templates else tuple(tensor.shape)
        for place, tensor in tensors_in_call(args, kwargs).items()
    }
