"""The axes of arguments and outputs that `vmap` maps over: trees of ints and None, parallel to the trees of values."""

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.operators import broadcast_to, full, permute


def require_axes(name, axes):
    """Rejects anything but a tree of ints and None."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return axes
    if isinstance(axes, (tuple, list)):
        return tuple(require_axes(name, part) for part in axes)
    if isinstance(axes, dict):
        return {key: require_axes(name, part) for key, part in axes.items()}
    raise RuntimeError(
        f"vmap: {name} holds {axes!r} of type {type(axes).__name__}; need ints and None, in tuples, lists or dicts "
        "like those of the values"
    )


def has_axis(axes):
    """Returns whether any axis is mapped."""
    if isinstance(axes, (tuple, dict)):
        return any(map(has_axis, axes.values() if isinstance(axes, dict) else axes))
    return axes is not None


class MappedArguments:
    """The arguments of one call: the Tensors among them that are mapped, and the way back to a call.

    `wholes` have the slices along their first axis. An int for all arguments leaves out what is not a Tensor.
    """

    def __init__(self, in_axes, args, kwargs, count=None):
        self._args, self._kwargs = args, kwargs
        self.count = count
        self.wholes = []
        self._origin = f"the CellList has {count} cells, and"
        self._axes = self._per_argument(in_axes, args)
        self._keyword_axis = in_axes if isinstance(in_axes, int) else None
        self._everything = isinstance(in_axes, int)
        for number, (value, axes) in enumerate(zip(args, self._axes, strict=True)):
            self._take(value, axes, f"argument {number}")
        for name, value in kwargs.items():
            self._take(value, self._keyword_axis, f"argument {name}")
        if self.count is None:
            raise RuntimeError(
                "vmap: no argument is mapped; need an axis in in_axes for at least one Tensor among the arguments"
            )

    def call_with(self, slices):
        """(args, kwargs) with each mapped Tensor replaced by its slice."""
        given = iter(slices)
        args = tuple(
            self._replaced(value, axes, given) for value, axes in zip(self._args, self._axes, strict=True)
        )
        kwargs = {
            name: self._replaced(value, self._keyword_axis, given) for name, value in self._kwargs.items()
        }
        return args, kwargs

    def _per_argument(self, in_axes, args):
        if in_axes is None or isinstance(in_axes, int):
            return (in_axes,) * len(args)
        if isinstance(in_axes, dict) or len(in_axes) != len(args):
            raise RuntimeError(
                f"vmap: in_axes is {in_axes} and the function is given {len(args)} positional arguments; need one "
                "entry for each"
            )
        return in_axes

    def _take(self, value, axes, name):
        if axes is None:
            return
        if isinstance(axes, (tuple, dict)):
            for key, part in _pairs(value, axes, f"in_axes of {name}"):
                self._take(value[key], part, f"{name}[{key!r}]")
        elif isinstance(value, Tensor):
            self._take_tensor(value, axes, name)
        elif isinstance(value, (tuple, list, dict)):
            for key in value if isinstance(value, dict) else range(len(value)):
                self._take(value[key], axes, f"{name}[{key!r}]")
        elif not self._everything:
            raise RuntimeError(
                f"vmap: {name} is {value!r} of type {type(value).__name__} and has no axis {axes}; need None in "
                "in_axes for what is no Tensor"
            )

    def _take_tensor(self, tensor, axis, name):
        place = _place(f"vmap: {name} has shape {tuple(tensor.shape)} and in_axes", axis, tensor.ndim)
        size = tensor.shape[place]
        if self.count is None:
            self.count, self._origin = size, f"{name} has size {size} along axis {axis}, and"
        elif isinstance(size, int) and isinstance(self.count, int) and size != self.count:
            raise RuntimeError(
                f"vmap: {self._origin} {name} has size {size} along axis {axis}; all mapped axes must have one size"
            )
        self.wholes.append(moved(tensor, place, 0))

    def _replaced(self, value, axes, given):
        if axes is None:
            return value
        if isinstance(value, Tensor):
            return next(given)
        if isinstance(value, (tuple, list)):
            parts = axes if isinstance(axes, tuple) else (axes,) * len(value)
            return _like(
                value, [self._replaced(item, part, given) for item, part in zip(value, parts, strict=True)]
            )
        if isinstance(value, dict):
            by_key = axes if isinstance(axes, dict) else dict.fromkeys(value, axes)
            return {key: self._replaced(value[key], by_key[key], given) for key in value}
        return value


class MappedOutputs:
    """The result of a function for one slice: its leaves, and the way from all slices of them to the output.

    Axes for a tuple of one may also be those of a result that is not in a tuple.
    """

    def __init__(self, out_axes, value):
        self._value = value
        if _is_leaf(value) and isinstance(out_axes, tuple) and len(out_axes) == 1:
            out_axes = out_axes[0]
        self.leaves, self._axes, self._names = [], [], []
        self._take(value, out_axes, "the output")

    def _take(self, value, axes, name):
        if isinstance(axes, (tuple, dict)):
            for key, part in _pairs(value, axes, f"out_axes of {name}"):
                self._take(value[key], part, f"{name}[{key!r}]")
        elif isinstance(value, (tuple, list)):
            for number, item in enumerate(value):
                self._take(item, axes, f"{name}[{number}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                self._take(item, axes, f"{name}[{key!r}]")
        elif _is_leaf(value):
            self.leaves.append(value)
            self._axes.append(axes)
            self._names.append(name)

    def placed(self, given, count):
        """The output, given (all slices of a leaf, whether they differ) for each leaf."""
        results = iter(
            [
                _placed(value, mapped, axis, name, count)
                for (value, mapped), axis, name in zip(given, self._axes, self._names, strict=True)
            ]
        )
        return self._rebuilt(self._value, results)

    def _rebuilt(self, value, results):
        if isinstance(value, (tuple, list)):
            return _like(value, [self._rebuilt(item, results) for item in value])
        if isinstance(value, dict):
            return {key: self._rebuilt(item, results) for key, item in value.items()}
        return next(results) if _is_leaf(value) else value


def moved(tensor, source, target):
    """The Tensor with one axis moved."""
    if source == target:
        return tensor
    order = list(range(tensor.ndim))
    order.insert(target, order.pop(source))
    return permute(tensor, tuple(order))


def _placed(value, mapped, axis, name, count):
    if axis is None:
        if mapped:
            raise RuntimeError(
                f"vmap: {name} differs between slices and its entry in out_axes is None; need the axis along which "
                "to put the slices"
            )
        return value
    if not mapped:
        value = _spread(value, count)
    what = f"vmap: {name} has {value.ndim} dimensions with the one of the slices, and out_axes"
    return moved(value, 0, _place(what, axis, value.ndim))


def _spread(value, count):
    if isinstance(value, GraphNumber):
        value = _core.as_tensor(value)
    if not isinstance(value, Tensor):
        return full((count,), value)
    return broadcast_to(value, (count, *value.shape))


def _place(what, axis, rank):
    if not -rank <= axis < rank:
        accepted = f"an axis from {-rank} to {rank - 1}" if rank else "None, it has no axis"
        raise RuntimeError(f"{what} is {axis}, which is out of range; need {accepted}")
    return axis % rank


def _pairs(value, axes, name):
    """(key, axes of that entry) of a container."""
    fits = isinstance(value, dict) if isinstance(axes, dict) else isinstance(value, (tuple, list))
    if not fits or len(value) != len(axes) or (isinstance(axes, dict) and set(axes) != set(value)):
        shown = f"{a_value(value)}"
        if isinstance(value, (tuple, list)):
            shown += f" of {len(value)}"
        elif isinstance(value, dict):
            shown += f" with the keys {', '.join(map(repr, value))}"
        raise RuntimeError(f"vmap: {name} is {axes} for {shown}; need an entry for each of its parts")
    return axes.items() if isinstance(axes, dict) else enumerate(axes)


def _is_leaf(value):
    return isinstance(value, (Tensor, GraphNumber, bool, int, float))


def _like(container, items):
    if hasattr(container, "_fields"):
        return type(container)(*items)
    return tuple(items) if isinstance(container, tuple) else items
