"""Methods of Tensor that programs know by these names, made of other methods."""

from dyad import _core
from dyad._src.host_only import host_only


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to their partners, as a bool."""
    return bool(self.isclose(other, rtol, atol, equal_nan).all())


allclose.__dict__["_is_program"] = True


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a number on the main diagonal, in place; see `fill_diagonal`."""
    return self.copy_(self.fill_diagonal(fill_value, wrap))


fill_diagonal_.__dict__["_writes"] = (0,)


@host_only
def set_dtype(self, dtype):
    """Converts the tensor itself, for all its holders, and returns the dtype; a Parameter keeps its name."""
    return _core.set_dtype(self, dtype)


METHODS = (allclose, fill_diagonal_, set_dtype)
