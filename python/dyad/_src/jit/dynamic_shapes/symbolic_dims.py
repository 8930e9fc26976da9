"""Sizes that may change: from a template and an actual shape to the shape that is compiled for."""

from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE, OpenShape

ANY_RANK = -2


class SizeNames:
    """Names for the variable sizes of one call. A symbol that is marked unique has one name, and one size."""

    def __init__(self):
        self._count = 0
        self._unique = {}

    def fresh(self):
        """A name that no size has yet."""
        self._count += 1
        return f"n{self._count - 1}"

    def of_symbol(self, symbol, size):
        """The name for a dimension of this size that uses the symbol; None if an earlier one had another size."""
        if not symbol.unique:
            return self.fresh()
        name, first = self._unique.setdefault(id(symbol), (self.fresh(), size))
        return name if first == size else None


def shape_of_template(template):
    """The sizes of a template: ints, Symbols, and None for any size; None in place of the tuple for any rank."""
    described = template.__dict__.get("symbolic_shape")
    sizes = described if described is not None else template.shape
    if tuple(sizes) == (ANY_RANK,):
        return None
    return tuple(None if size == -1 else size for size in sizes)


def shown_shape(described):
    """The sizes of a template as text."""
    return (
        "any rank"
        if described is None
        else f"({', '.join(map(str, described))}{',' * (len(described) == 1)})"
    )


def symbolic_shape(described, actual, names):
    """The OpenShape that a tensor of an actual shape is compiled for; None if the template does not allow it."""
    if described is None:
        described = (None,) * len(actual)
    if len(described) != len(actual):
        return None
    sizes = []
    symbols = {}
    for wanted, size in zip(described, actual, strict=True):
        if wanted is None or isinstance(wanted, int):
            if wanted not in (None, size):
                return None
            name = names.fresh() if wanted is None else size
        else:
            name = names.of_symbol(wanted, size) if wanted.accepts(size) else None
            if name is None:
                return None
            symbols[name] = wanted
        sizes.append(name if size >= SMALLEST_OPEN_SIZE else size)
    return OpenShape(tuple(sizes), symbols)
