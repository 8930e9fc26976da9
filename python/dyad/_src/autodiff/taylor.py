"""`jet` and `derivative`: higher derivatives along a path, by pushing tangents of tangents."""

from dyad import _core
from dyad._core import Tensor, as_input, pushforward, set_each_operator
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.structures import detached, with_tensors
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.base.argument_checks import a_value, require_function
from dyad._src.operators import cast, ones_like, stack

_INTEGERS = (_core.int32, _core.int64)
_DTYPES = (*_INTEGERS, _core.float32, _core.float64)


def jet(fn, primals, series):
    """Taylor-mode differentiation: (outputs of `fn`, their derivatives along a path with given derivatives).

    `primals` is a Tensor or a tuple of them. `series` has for each the first, second, … derivative of the path at
    `primals`, along a leading axis; one of the shape of the input itself is the first derivative only. The
    derivatives of each output have a leading axis as well. A function that returns a tuple results in lists. Integers
    are computed as float32.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, series = ops.jet(lambda x: x**3, Tensor([2.0]), Tensor([[1.0], [0.0]]))
        >>> print(value, series)
        [8.] [[12.]
         [12.]]
    """
    require_recording_allowed("jet")
    require_function("jet", fn)
    if not (isinstance(primals, Tensor) and isinstance(series, Tensor)) and not (
        isinstance(primals, tuple) and isinstance(series, tuple)
    ):
        raise TypeError(
            f"jet: primals is of type {type(primals).__name__} and series of type {type(series).__name__}; "
            "need two Tensors or two tuples of Tensors"
        )
    inputs = _listed(primals)
    paths = _require_series(inputs, _listed(series))
    inputs, paths = _in_fractions("jet", "primals", inputs), _in_fractions("jet", "series", paths)
    transform = Transform("jet", fn, Wanted.EVERY, None)
    output, by_order = DerivativesAlongPath(transform, len(paths[0]))(inputs, paths)
    series = [stack(orders, 0) for orders in zip(*by_order, strict=True)]
    return _arranged(output), _arranged(with_tensors(output, series))


def derivative(fn, primals, order):
    """(outputs of `fn`, their derivative of that order), where all elements of the inputs have the derivative 1.

    `primals` is a Tensor or a tuple of them. A function that returns a tuple results in lists. Integers are computed
    as float32.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, second = ops.derivative(lambda x: x**3, Tensor([2.0]), 2)
        >>> print(value, second)
        [8.] [12.]
    """
    require_recording_allowed("derivative")
    require_function("derivative", fn)
    if not isinstance(primals, (Tensor, tuple)):
        raise TypeError(
            f"derivative: primals is of type {type(primals).__name__}; need a Tensor or a tuple of Tensors"
        )
    if isinstance(order, bool) or not isinstance(order, int):
        raise TypeError(f"derivative: order is {order!r} of type {type(order).__name__}; need an int")
    if order < 1:
        raise ValueError(f"derivative: order is {order}; need 1 or more")
    inputs = _in_fractions("derivative", "primals", _listed(primals))
    paths = tuple((ones_like(value),) for value in inputs)
    transform = Transform("derivative", fn, Wanted.EVERY, None)
    output, by_order = DerivativesAlongPath(transform, order)(inputs, paths)
    return _arranged(output), _arranged(with_tensors(output, by_order[-1]))


class DerivativesAlongPath(TransformedFunction):
    """Accepts the inputs and the derivatives of their paths; returns (output, [derivatives of its Tensors] by order).

    Differentiation along the path applies one rule repeatedly: it maps an input to the first entry of its path, each
    entry to the next, the last to zero, and everything computed from them to its tangent. Results of one order are
    reused by the next.
    """

    __name__ = "derivatives_along_path"

    def __init__(self, transform, order):
        super().__init__(transform.fn, (), (*transform.request(), order))
        self._transform, self._order = transform, order

    def over(self, fn, parameters):
        return DerivativesAlongPath(self._transform.over(fn, parameters), self._order)

    def run(self, args, kwargs):
        inputs, paths = args
        transform = self._transform
        with Recording(pushes=True) as recording:
            before = set_each_operator(self._order > 1)
            try:
                leaves, recorded, outputs = transform.forward(recording, inputs, {})
            finally:
                set_each_operator(before)
            output = transform.handed_out(recording, recorded)
            begins, tangents = [], []
            for leaf, path in zip(leaves.tensors, paths, strict=True):
                entries = [*map(as_input, path[:-1]), path[-1]]
                begins += [leaf, *entries[:-1]]
                tangents += entries
            derive = pushforward(begins, tangents, recording.mark)
            by_order = []
            for number in range(self._order):
                if number == self._order - 1:
                    recording.begin_backward()
                outputs = derive(outputs)
                by_order.append(outputs)
            return output, detached(by_order) if recording.is_final else by_order


def _listed(given):
    return (given,) if isinstance(given, Tensor) else given


def _arranged(output):
    return list(output) if isinstance(output, tuple) else output


def _require_series(inputs, series):
    """For each input the tuple of its path's derivatives, as many for all."""
    if len(inputs) != len(series):
        raise ValueError(
            f"jet: series holds {len(series)} Tensors for {len(inputs)} primals; need one for each"
        )
    paths = []
    for number, (value, given) in enumerate(zip(inputs, series, strict=True)):
        for name, tensor in (("primals", value), ("series", given)):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"jet: {name}[{number}] is of type {type(tensor).__name__}; need a Tensor")
        if value.dtype != given.dtype:
            raise TypeError(
                f"jet: series[{number}] has dtype {given.dtype}; need that of its input, {value.dtype}"
            )
        if given.shape == value.shape:
            paths.append((given,))
        elif given.shape[1:] == value.shape and given.shape[0] > 0:
            paths.append(tuple(given[place] for place in range(given.shape[0])))
        else:
            raise ValueError(
                f"jet: series[{number}] has shape {given.shape}; need an axis of orders and then the shape of its "
                f"input, {value.shape}"
            )
    orders = [len(path) for path in paths]
    if len(set(orders)) > 1:
        raise ValueError(f"jet: the series have {orders} orders; need the same number in each")
    return tuple(paths)


def _in_fractions(owner, name, values):
    """The values, which may be tuples of them, with integers as float32."""
    if isinstance(values, tuple):
        return tuple(_in_fractions(owner, name, value) for value in values)
    if not isinstance(values, Tensor):
        raise TypeError(f"{owner}: {name} holds {a_value(values)}; need Tensors")
    if values.dtype not in _DTYPES:
        raise TypeError(f"{owner}: {name} has dtype {values.dtype}; need int32, int64, float32 or float64")
    return cast(values, _core.float32) if values.dtype in _INTEGERS else values
