"""`jacrev` and `jacfwd`: whole Jacobians, row by row or column by column."""

from dyad._core import Tensor, differentiate, pushforward
from dyad._src.autodiff.arguments import require_positions
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.structures import unwrapped
from dyad._src.autodiff.transform import Transform
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.base.argument_checks import require_bool, require_function
from dyad._src.operators import eye, stack, zeros


def jacrev(fn, grad_position=0, has_aux: bool = False):
    """A function that computes the Jacobian of `fn`, one row at a time: shape of the output, then of the input.

    Several positions result in a tuple by position, several outputs in a tuple by output, both in a tuple of tuples.
    With `has_aux` only output 0 is differentiated and the result is (Jacobian, other outputs). `fn` runs once, then
    there is one backward pass for each element of its outputs.

    `grad_position` None raises ValueError, an `fn` that returns no Tensor TypeError.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.jacrev(lambda x: x**2)(Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return _RowByRow(_prepared("jacrev", fn, grad_position, has_aux))


def jacfwd(fn, grad_position=0, has_aux: bool = False):
    """A function that computes the Jacobian of `fn` as `jacrev` does, one column at a time.

    There is one pass for each element of the inputs at `grad_position`: the better choice for functions with more
    outputs than inputs.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.jacfwd(lambda x: x**2)(Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return _ColumnByColumn(_prepared("jacfwd", fn, grad_position, has_aux))


def _prepared(owner, fn, grad_position, has_aux):
    require_bool(owner, "has_aux", has_aux)
    require_recording_allowed(owner)
    require_function(owner, fn)
    positions = require_positions(owner, grad_position)
    if positions is None:
        raise ValueError(f"{owner}: grad_position is None; need an int or a tuple of ints")
    return Transform(owner, fn, positions, None, has_aux, out_of_range=ValueError)


class _JacobianFunction(TransformedFunction):
    __name__ = "jacobian_function"
    _pushes = False

    def __init__(self, transform):
        super().__init__(transform.fn, (), transform.request())
        self._transform = transform

    def over(self, fn, parameters):
        return type(self)(self._transform.over(fn, parameters))

    def run(self, args, kwargs):
        transform = self._transform
        require_recording_allowed(transform.owner)
        with Recording(pushes=self._pushes) as recording:
            leaves, output, outputs = transform.forward(recording, args, kwargs)
            _require_tensors(transform, leaves, outputs)
            output = transform.handed_out(recording, output)
            recording.begin_backward()
            by_output = self._jacobians(outputs, leaves.tensors, recording.mark)
        if len(transform.positions) == 1:
            by_output = tuple(by_position[0] for by_position in by_output)
        single = transform.has_aux or isinstance(output, Tensor)
        jacobian = by_output[0] if single and len(by_output) == 1 else by_output
        return (jacobian, unwrapped(output[1:])) if transform.has_aux else jacobian

    def _jacobians(self, outputs, leaves, mark):
        """For each output a tuple of its Jacobians by every leaf."""
        raise TypeError(f"{type(self).__name__}: it does not say how Jacobians are computed")


class _RowByRow(_JacobianFunction):
    def _jacobians(self, outputs, leaves, mark):
        return tuple(_rows(output, leaves, mark) for output in outputs)


class _ColumnByColumn(_JacobianFunction):
    _pushes = True

    def _jacobians(self, outputs, leaves, mark):
        by_leaf = [_columns(outputs, leaves, number, mark) for number in range(len(leaves))]
        return tuple(zip(*by_leaf, strict=True))


def _rows(output, leaves, mark):
    """The Jacobians of one output by every leaf."""
    count = output.size
    if not count:
        return tuple(zeros((*output.shape, *leaf.shape), leaf.dtype) for leaf in leaves)
    seeds = eye(count, count, output.dtype)
    rows = [
        differentiate([output], [seeds[number].reshape(output.shape)], leaves, mark, True)
        for number in range(count)
    ]
    return tuple(
        stack(by_leaf, 0).reshape((*output.shape, *leaf.shape))
        for by_leaf, leaf in zip(zip(*rows, strict=True), leaves, strict=True)
    )


def _columns(outputs, leaves, number, mark):
    """The Jacobians of every output by one leaf."""
    leaf = leaves[number]
    count = leaf.size
    if not count:
        return [zeros((*output.shape, *leaf.shape), output.dtype) for output in outputs]
    directions = eye(count, count, leaf.dtype)
    columns = [
        pushforward([leaf], [directions[place].reshape(leaf.shape)], mark)(outputs) for place in range(count)
    ]
    return [
        stack(by_output, -1).reshape((*output.shape, *leaf.shape))
        for by_output, output in zip(zip(*columns, strict=True), outputs, strict=True)
    ]


def _require_tensors(transform, leaves, outputs):
    found = [position for position, structure in leaves.entries if structure is None]
    for position in transform.positions:
        if position not in found:
            raise TypeError(
                f"{transform.owner}: argument {position} is no Tensor; need Tensors at grad_position"
            )
    if not outputs:
        raise TypeError(f"{transform.owner}: the function returned no Tensor; need one to differentiate")
