"""`dynamic=1`: which sizes of the arguments become variable, given the shapes that calls have had so far."""

from dyad._core import Tensor
from dyad._src.jit.options import SMALLEST_OPEN_SIZE, OpenShape
from dyad._src.parameter import Parameter


def tensors_in_call(args, kwargs):
    """Place of each tensor -> the tensor, for all that stand in the arguments or in containers there."""
    found: dict = {}
    for place, value in (*enumerate(args), *kwargs.items()):
        _collect((place,), value, found)
    return found


def _collect(place, value, found):
    if isinstance(value, Tensor):
        found[place] = value
    elif isinstance(value, (tuple, list)):
        for index, part in enumerate(value):
            _collect((*place, index), part, found)
    elif isinstance(value, dict):
        for key, part in value.items():
            _collect((*place, key), part, found)


class ShapePolicy:
    """Decides for one callable. The first `static_attempts` shapes are compiled as they are.

    After that every size that has differed between calls becomes variable, and no other: sizes that have always been
    equal to each other share a name. Calls that differ in more than sizes (number, dtype or rank of tensors) are
    looked at apart. Parameters keep their shape.
    """

    def __init__(self, static_attempts=2):
        self._static_attempts = static_attempts
        self._seen = {}

    def kind_of(self, tensors):
        """What calls must share so that one graph may serve them."""
        return tuple((place, str(tensor.dtype), tensor.ndim) for place, tensor in tensors.items())

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
        if remember:
            self._seen[kind] = seen
        if len(seen) <= self._static_attempts:
            return {}
        return dict(zip(varying, _generalise(seen, current), strict=True))


def _generalise(seen, current):
    names: dict = {}
    for number, shape in enumerate(current):
        sizes = []
        for axis, size in enumerate(shape):
            history = tuple(shapes[number][axis] for shapes in seen)
            if size < SMALLEST_OPEN_SIZE or all(earlier == size for earlier in history):
                sizes.append(size)
            else:
                sizes.append(names.setdefault(history, f"n{len(names)}"))
        yield OpenShape(tuple(sizes))
