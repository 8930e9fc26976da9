"""Gradients that a backward of the program returns in the shape of the result, for an input that was broadcast."""


def broadcasts(shape, wanted):
    """Returns whether a tensor of one shape broadcasts to another; symbolic dimensions are taken to fit."""
    if len(shape) > len(wanted):
        return False
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return all(size in (1, other, -1) or other == -1 for size, other in pairs)


def reduced_to(gradient, shape, dtype):
    """The gradient summed over the axes that an input of this shape was broadcast along, in the dtype of the input.

    A gradient that the shape does not broadcast to keeps its own: who takes it says what is wrong.
    """
    if gradient.shape != shape and broadcasts(shape, gradient.shape):
        leading = gradient.ndim - len(shape)
        if leading:
            gradient = gradient.sum(tuple(range(leading)))
        repeated = tuple(
            axis
            for axis, (size, given) in enumerate(zip(shape, gradient.shape, strict=True))
            if isinstance(size, int) and size == 1 and not (isinstance(given, int) and given == 1)
        )
        if repeated:
            gradient = gradient.sum(repeated, keepdims=True)
    return gradient if gradient.dtype == dtype else gradient.astype(dtype)
