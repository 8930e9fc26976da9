"""`dynamic=1`: which sizes of the arguments become variable, given the shapes that calls have had so far."""

from dyad._core import Tensor
from dyad._src.jit.dynamic_shapes.size_marks import size_marks
from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE, OpenShape
from dyad._src.tensor.parameter import Parameter


def tensors_in_call(args, kwargs):
    """Place of each tensor -> the tensor, for all that stand in the arguments or in containers there."""
    found: dict = {}
    for place, value in (*enumerate(args), *kwargs.items()):
        _collect((place,), value, found)
    return found


def _collect(place, value, found, around=()):
    """Adds the tensors in a value; `around` are the containers it lies in, of which one may hold itself."""
    if isinstance(value, Tensor):
        found[place] = value
    elif isinstance(value, (tuple, list, dict)) and not any(value is each for each in around):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in members:
            _collect((*place, key), part, found, (*around, value))


class ShapePolicy:
    """Decides for one callable. The first `static_attempts` shapes are compiled as they are.

    After that every size that has differed between calls becomes variable, and no other: sizes that have always been
    equal to each other share a name. Calls that differ in more than sizes (number, dtype or rank of tensors) are
    looked at apart. Parameters keep their shape. What `mark_dynamic` and `mark_static` say of a size holds at once;
    with None for `static_attempts` nothing else is looked at.
    """

    def __init__(self, static_attempts=2):
        self._static_attempts = static_attempts
        self._seen = {}

    def names(self):
        """Returns a namer of sizes: sizes that have always been equal share a name within one call."""
        return SizeNames("n")

    def kind_of(self, tensors):
        """Returns what calls must share so that one graph may serve them."""
        return tuple(
            (place, str(tensor.dtype), tensor.ndim, isinstance(tensor, Parameter))
            for place, tensor in tensors.items()
        )

    def shapes_for(self, tensors, remember=True):
        """Place -> OpenShape for the tensors of a call that no graph fits; empty if it is to be compiled as it is.

        Without `remember` it is what would be decided, and no call has been seen.
        """
        varying = {place: tensor for place, tensor in tensors.items() if not isinstance(tensor, Parameter)}
        current = tuple(tuple(tensor.shape) for tensor in varying.values())
        kind = self.kind_of(tensors)
        seen = self._seen.get(kind, [])
        if current not in seen:
            seen = [*seen, current]
        if remember and self._static_attempts is not None:
            self._seen[kind] = seen
        marks = [size_marks(tensor) for tensor in varying.values()]
        enough = self._static_attempts is not None and len(seen) > self._static_attempts
        if not enough and not any(True in marked.values() for marked in marks):
            return {}
        return dict(zip(varying, _generalise(seen, current, marks, enough, self.names()), strict=True))


class OuterShapes(ShapePolicy):
    """Decides for the Tensors that a callable finds outside of its arguments, each by itself, while it is captured.

    Whether two of them have always had equal sizes is asked of all that have been looked at. `close` ends it.
    """

    def __init__(self, static_attempts):
        super().__init__(static_attempts)
        self._names = SizeNames("outer")  # no name of an argument's size begins like that
        self._is_closed = static_attempts is None
        self._has_opened = False

    def names(self):
        return self._names

    def shape_of(self, path, tensor):
        """The OpenShape of the tensor found at a path; None if its sizes are known in the graph."""
        if self._is_closed:
            return None
        shape = self.shapes_for({path: tensor}).get(path)
        self._has_opened = self._has_opened or (shape is not None and bool(shape.open))
        return shape

    def close(self):
        """Opens no more sizes. Tells whether any had been open."""
        had_opened = self._has_opened and not self._is_closed
        self._is_closed = True
        return had_opened


class SizeNames:
    """A name for each history of a size."""

    def __init__(self, prefix):
        self._prefix = prefix
        self._names = {}

    def of(self, history):
        """The name of the sizes that were these, call by call."""
        return self._names.setdefault(history, f"{self._prefix}{len(self._names)}")


def _generalise(seen, current, marks, enough, names):
    """The OpenShape of each tensor. Sizes without a mark are open if there have been `enough` shapes to tell."""
    for number, shape in enumerate(current):
        sizes = []
        for axis, size in enumerate(shape):
            history = tuple(shapes[number][axis] for shapes in seen)
            varies = enough and any(earlier != size for earlier in history)
            if size >= SMALLEST_OPEN_SIZE and marks[number].get(axis, varies):
                sizes.append(names.of(history))
            else:
                sizes.append(size)
        yield OpenShape(tuple(sizes))
