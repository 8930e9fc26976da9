"""Ring buffers of experiences for reinforcement learning: a tensor (capacity, ...) for each part of an experience.

`count` is the number of entries, and `head` the index of the oldest one once the buffer is full.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.operators import arange, argsort, assign, clamp, gather, minimum, rand, where
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = ["BufferAppend", "BufferGetItem", "BufferSample"]


def _check(name, settings):
    require_int(name, "capacity", settings["capacity"], low=1)
    if len(settings["buffer_shape"]) != len(settings["buffer_dtype"]):
        raise ValueError(
            f"{name}: buffer_shape has {len(settings['buffer_shape'])} entries and buffer_dtype "
            f"{len(settings['buffer_dtype'])}; need one of each for every part"
        )
    if "batch_size" in settings:
        require_int(name, "batch_size", settings["batch_size"], low=1)
        require_bool(name, "unique", settings["unique"])
        if settings["unique"] and settings["batch_size"] > settings["capacity"]:
            raise ValueError(
                f"{name}: batch_size is {settings['batch_size']}; need at most the capacity, "
                f"{settings['capacity']}, for experiences that differ"
            )


def _require_parts(owner, data, shapes, capacity):
    if len(data) != len(shapes):
        raise ValueError(f"{owner}: {len(data)} tensors are given; need {len(shapes)}, one for every part")
    for part, shape in zip(data, shapes, strict=True):
        if not isinstance(part, Tensor):
            raise TypeError(f"{owner}: a part of the buffer is of type {type(part).__name__}; need a Tensor")
        if tuple(part.shape) != (capacity, *shape):
            raise ValueError(
                f"{owner}: a part of the buffer has shape {part.shape}; need {(capacity, *shape)}"
            )


def _append(data, exp, count, head, *, capacity, buffer_shape, buffer_dtype):
    """Appends one experience, or a batch of them; a full buffer drops its oldest ones.

    Example:
        >>> from dyad import Parameter, Tensor, ops
        >>> data, count, head = (ops.zeros((3, 1)),), Parameter(Tensor(2)), Parameter(Tensor(0))
        >>> append = ops.BufferAppend(3, [(1,)], ["float32"])
        >>> _ = append(data, (Tensor([[5.0], [6.0]]),), count, head)
        >>> print(data[0].reshape(-1), int(count), int(head))
        [6. 0. 5.] 3 1
    """
    owner = "BufferAppend"
    _require_parts(owner, data, buffer_shape, capacity)
    if len(exp) != len(data):
        raise ValueError(f"{owner}: an experience has {len(exp)} parts; need {len(data)}")
    rows = [
        part if part.ndim > len(shape) else part.expand_dims(0)
        for part, shape in zip(exp, buffer_shape, strict=True)
    ]
    number = rows[0].shape[0]
    if number > capacity:
        raise ValueError(f"{owner}: {number} experiences are given; need at most the capacity, {capacity}")
    filled, oldest = count.reshape(()), head.reshape(())
    places = (filled + oldest + arange(number)) % capacity
    for part, row in zip(data, rows, strict=True):
        part[places] = row.astype(part.dtype)
    lost = clamp(filled + number - capacity, 0)
    assign(head, ((oldest + lost) % capacity).astype(head.dtype).reshape(head.shape))
    assign(count, minimum(filled + number, capacity).astype(count.dtype).reshape(count.shape))
    return count


def _take(data, count, head, index, *, capacity, buffer_shape, buffer_dtype):
    """Returns the experience at an index, 0 for the oldest and -1 for the newest.

    Example:
        >>> from dyad import Tensor, ops
        >>> data = (Tensor([[6.0], [4.0], [5.0]]),)
        >>> (newest,) = ops.BufferGetItem(3, [(1,)], ["float32"])(data, Tensor(3), Tensor(1), -1)
        >>> print(newest)
        [6.]
    """
    _require_parts("BufferGetItem", data, buffer_shape, capacity)
    filled = count.reshape(())
    index = index.reshape(()) if isinstance(index, Tensor) else index
    place = (where(filled * 0 + index < 0, filled + index, filled * 0 + index) + head.reshape(())) % capacity
    return tuple(gather(part, place, 0) for part in data)


def _sample(data, count, head, *, capacity, batch_size, buffer_shape, buffer_dtype, seed=0, unique=False):
    """Samples a batch of experiences; with `unique` without replacement.

    Example:
        >>> from dyad import Tensor, ops
        >>> data = (Tensor([[6.0], [6.0], [0.0]]),)
        >>> (batch,) = ops.BufferSample(3, 2, [(1,)], ["float32"])(data, Tensor(2), Tensor(0))
        >>> print(batch.tolist())
        [[6.0], [6.0]]
    """
    _require_parts("BufferSample", data, buffer_shape, capacity)
    filled = count.reshape(())
    if unique:
        # The places in the order of random keys, with those that are empty behind all others.
        keys = where(arange(capacity) < filled, rand((capacity,)), 2.0)
        places = argsort(keys)[:batch_size]
    else:
        places = clamp(
            (rand((batch_size,)) * filled).astype(_core.int64), None, filled.astype(_core.int64) - 1
        )
    places = (places + head.reshape(())) % capacity
    return tuple(gather(part, places, 0) for part in data)


BufferAppend = primitive_with_settings("BufferAppend", _append, _check)
BufferGetItem = primitive_with_settings("BufferGetItem", _take, _check)
BufferSample = primitive_with_settings("BufferSample", _sample, _check)
