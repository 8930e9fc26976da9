"""`ops.Morph`: a function of the program's own as an operator."""

from dyad.ops.user_primitive import PrimitiveWithInfer

__all__ = ["Morph"]


class Morph(PrimitiveWithInfer):
    """An operator that computes what `fn` computes: it is differentiated through unless `bprop_fn` is given.

    `bprop_fn(*inputs, out, dout)` gives the gradients of the inputs. `infer_shape` and `infer_dtype` are not asked:
    shapes and dtypes follow from what `fn` computes.

    Example:
        >>> from dyad import Tensor, ops
        >>> double = ops.Morph(lambda x: 2 * x, lambda x: x, lambda x: x)
        >>> print(double(Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__("Morph")
        wanted = {"fn": fn, "infer_shape": infer_shape, "infer_dtype": infer_dtype}
        wanted |= {} if bprop_fn is None else {"bprop_fn": bprop_fn}
        for name, function in wanted.items():
            if not callable(function):
                raise TypeError(f"Morph: {name} is of type {type(function).__name__}; need a function")
        self.fn, self.infer_shape, self.infer_dtype, self.bprop_fn = fn, infer_shape, infer_dtype, bprop_fn
        self._computed = fn if bprop_fn is None else _WithGradient(fn, bprop_fn)

    def __call__(self, *inputs):
        return self._computed(*inputs)

    def __reduce__(self):
        return type(self), (self.fn, self.infer_shape, self.infer_dtype, self.bprop_fn)


class _WithGradient(PrimitiveWithInfer):
    """A function and its gradient as one operator."""

    def __init__(self, fn, bprop_fn):
        super().__init__("Morph")
        self._fn, self._bprop_fn = fn, bprop_fn

    def __call__(self, *inputs):
        return self._fn(*inputs)

    def bprop(self, *args):
        return self._bprop_fn(*args)
