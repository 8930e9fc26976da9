"""Functions whose number of results depends on their arguments."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_flag
from dyad._src.operators import fractional_max_pool, nonzero_tuple, rand, svd_factors
from dyad._src.operators import nonzero as _places

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d", "nonzero", "svd"]


def svd(input, full_matrices=False, compute_uv=True):
    """Singular values `s` in descending order; with `compute_uv` also u and v, input = u @ diag(s) @ v.T.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
        [3. 2.]
    """
    require_flag("svd", "compute_uv", compute_uv)
    parts = svd_factors(input, full_matrices)
    return parts if compute_uv else parts[0]


def nonzero(input, *, as_tuple=False):
    """Places of the elements that are not zero: one row each, or with `as_tuple` one tensor per dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.nonzero(Tensor([[0, 1], [2, 0]])))
        [[0 1]
         [1 0]]
    """
    return nonzero_tuple(input) if require_flag("nonzero", "as_tuple", as_tuple) else _places(input)


def _per_dimension(name, what, value, count, kinds):
    """A setting for each dimension; one number stands for all."""
    values = (value,) * count if isinstance(value, kinds) else value
    if not isinstance(values, tuple) or len(values) != count or not all(isinstance(v, kinds) for v in values):
        raise SettingError(f"{name}: {what} is {value!r}; need a number or a tuple of {count}")
    return values


def _windows(name, input, output_size, output_ratio, spatial):
    """How many windows there are along each of the last dimensions."""
    if (output_size is None) == (output_ratio is None):
        raise ValueError(
            f"{name}: output_size is {output_size} and output_ratio is {output_ratio}; need one of them"
        )
    if output_size is not None:
        return _per_dimension(name, "output_size", output_size, spatial, int)
    ratios = _per_dimension(name, "output_ratio", output_ratio, spatial, float)
    if not all(0 < ratio < 1 for ratio in ratios):
        raise ValueError(f"{name}: output_ratio is {output_ratio}; need numbers between 0 and 1")
    return tuple(int(size * ratio) for size, ratio in zip(input.shape[-spatial:], ratios, strict=True))


def _pool_fractions(name, spatial, input, kernel_size, output_size, output_ratio, return_indices, samples):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}: input is of type {type(input).__name__}; need a Tensor")
    if input.ndim not in (spatial + 1, spatial + 2):
        raise ValueError(
            f"{name}: input has shape {input.shape}; need {spatial + 1} or {spatial + 2} dimensions"
        )
    if not isinstance(return_indices, bool):
        raise TypeError(f"{name}: return_indices is {return_indices!r}; need a bool")
    kernel = _per_dimension(name, "kernel_size", kernel_size, spatial, int)
    windows = _windows(name, input, output_size, output_ratio, spatial)
    if samples is None:
        planes = input.shape[:-spatial]
        samples = rand((*((1, *planes) if len(planes) == 1 else planes), spatial))
    found = fractional_max_pool(input, kernel, windows, samples)
    return found if return_indices else found[0]


def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """The largest elements of windows that lie at random over the last two dimensions, and are so many as
    `output_size` says, or `output_ratio` of the sizes; with `return_indices` also their places in their planes.

    `_random_samples` (images, channels, 2), between 0 and 1, decide where the windows lie.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(25.0, dtype=np.float32).reshape(1, 1, 5, 5))
        >>> where = Tensor(np.full((1, 1, 2), 0.8, np.float32))
        >>> print(ops.fractional_max_pool2d(x, 2, (2, 2), _random_samples=where))
        [[[[ 6.  9.]
           [21. 24.]]]]
    """
    return _pool_fractions(
        "fractional_max_pool2d",
        2,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )


def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """As `fractional_max_pool2d`, over the last three dimensions.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 1, 2, 2, 4))
        >>> where = Tensor(np.full((1, 1, 3), 0.7, np.float32))
        >>> print(ops.fractional_max_pool3d(x, 1, (1, 1, 3), _random_samples=where))
        [[[[[12. 13. 15.]]]]]
    """
    return _pool_fractions(
        "fractional_max_pool3d",
        3,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )


for _function in (nonzero, svd):
    setattr(_core.Tensor, _function.__name__, _function)
