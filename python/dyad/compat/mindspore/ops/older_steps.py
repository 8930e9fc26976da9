"""Older Primitives of steps of optimizers and of sampled classes."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.operators import apply_ftrl_rows, functions, nonzero
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings

__all__ = ["AdamNoUpdateParam", "BatchToSpaceNDV2", "ComputeAccidentalHits", "SparseApplyFtrlV2"]

_sqrt, _square = functions["sqrt"], functions["square"]
_FLOAT_MAX = 3.4028234663852886e38


def _adam_change(
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    gradient,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """Update of an Adam step for a parameter; writes both moments.

    Example:
        >>> from dyad import Tensor, ops
        >>> m, v = ops.zeros((2,)), ops.zeros((2,))
        >>> print(ops.AdamNoUpdateParam()(m, v, 0.5, 0.75, 1.0, 0.5, 0.75, 0.0, Tensor([1.0, -2.0])))
        [-1.  1.]
    """
    m.copy_(m * beta1 + gradient * (1 - beta1))
    v.copy_(v * beta2 + _square(gradient) * (1 - beta2))
    towards = m * beta1 + gradient * (1 - beta1) if use_nesterov else m
    rate = lr * (1 - beta2_power) ** 0.5 / (1 - beta1_power)
    return -(rate * towards / (_sqrt(v) + epsilon))


def _check_flags(name, settings):
    for key in ("use_locking", "use_nesterov"):
        require_bool(name, key, settings[key])


def _ftrl_with_shrinkage(
    var, accum, linear, grad, indices, *, lr, l1, l2, l2_shrinkage, lr_power, use_locking=False
):
    """A step of FTRL for some rows, whose gradient has 2 * `l2_shrinkage` times the row added where it is accumulated.

    Example:
        >>> from dyad import Tensor, ops
        >>> var, accum, linear = ops.ones((2, 1)), ops.ones((2, 1)), ops.zeros((2, 1))
        >>> step = ops.SparseApplyFtrlV2(0.1, 0.0, 0.0, 0.5, -0.5)
        >>> print(step(var, accum, linear, Tensor([[2.0]]), Tensor([1]))[2])
        [[ 0.     ]
         [-9.36068]]
    """
    named = functions["bincount"](indices, minlength=var.shape[0]) > 0
    named = named.reshape(-1, *[1] * (var.ndim - 1)).astype(var.dtype)
    linear.copy_(linear + var * named * (2 * l2_shrinkage))
    return apply_ftrl_rows(var, accum, linear, grad, indices, lr, l1, l2, lr_power, use_locking)


def _check_ftrl(name, settings):
    for key in ("lr", "l1", "l2", "l2_shrinkage", "lr_power"):
        if type(settings[key]) is not float:
            raise TypeError(f"{name}: {key} is {settings[key]!r}; need a float")
    for key, holds, need in (
        ("lr", settings["lr"] > 0, "above 0"),
        ("l1", settings["l1"] >= 0, "of 0 or more"),
        ("l2", settings["l2"] >= 0, "of 0 or more"),
        ("lr_power", settings["lr_power"] <= 0, "of 0 or less"),
    ):
        if not holds:
            raise ValueError(f"{name}: {key} is {settings[key]}; need a number {need}")
    require_bool(name, "use_locking", settings["use_locking"])


def _hits(true_classes, sampled_candidates, *, num_true=1):
    """Where a sampled class is one of an example: the example, the place among the sampled, and the lowest float.

    Example:
        >>> from dyad import Tensor, ops
        >>> rows, places, _ = ops.ComputeAccidentalHits(2)(Tensor([[1, 2], [0, 4]]), Tensor([0, 1, 2, 3, 4]))
        >>> print(rows, places)
        [0 0 1 1] [1 2 0 4]
    """
    owner = "ComputeAccidentalHits"
    for name, value in (("true_classes", true_classes), ("sampled_candidates", sampled_candidates)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
        if value.dtype not in (_core.int32, _core.int64):
            raise TypeError(f"{owner}: {name} is of {value.dtype}; need int32 or int64")
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise ValueError(f"{owner}: true_classes has shape {true_classes.shape}; need (batch, {num_true})")
    found = nonzero(true_classes.expand_dims(-1) == sampled_candidates)
    rows, places = found[:, 0], found[:, 2]
    return (
        rows.astype(_core.int32),
        places.astype(_core.int64),
        functions["full_like"](places, -_FLOAT_MAX, dtype=_core.float32),
    )


def _check_count(name, settings):
    require_int(name, "num_true", settings["num_true"], 1)


def _space_from_batch(input_x, block_shape, crops):
    """Blocks of the batch interleaved into the dimensions of space, and cropped.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]])
        >>> print(ops.BatchToSpaceNDV2()(x, Tensor([2, 2]), [[0, 0], [0, 0]]).reshape(2, 2))
        [[1. 2.]
         [3. 4.]]
    """
    blocks = block_shape.tolist() if isinstance(block_shape, Tensor) else block_shape
    return functions["batch_to_space_nd"](input_x, blocks, crops)


AdamNoUpdateParam = primitive_with_settings("AdamNoUpdateParam", _adam_change, _check_flags)
BatchToSpaceNDV2 = primitive_of("BatchToSpaceNDV2", _space_from_batch)
ComputeAccidentalHits = primitive_with_settings("ComputeAccidentalHits", _hits, _check_count)
SparseApplyFtrlV2 = primitive_with_settings("SparseApplyFtrlV2", _ftrl_with_shrinkage, _check_ftrl)
