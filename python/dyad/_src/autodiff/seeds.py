"""The gradient of the outputs that a backward pass starts from, where the caller gives one."""

from dyad._core import GraphNumber, Tensor, as_tensor


def require_seeds(owner, given, outputs):
    """One Tensor per output from a structure of them; number, dtype and shape must be those of the outputs."""
    seeds = _flat(given)
    if len(seeds) != len(outputs):
        raise RuntimeError(
            f"{owner}: {len(seeds)} output gradients were given for {len(outputs)} outputs; need one for each"
        )
    return [_require_seed(owner, seed, output) for seed, output in zip(seeds, outputs, strict=True)]


def _flat(given):
    if isinstance(given, (tuple, list)):
        return [seed for part in given for seed in _flat(part)]
    if isinstance(given, dict):
        return _flat(tuple(given.values()))
    return [given] if isinstance(given, (Tensor, int, float, GraphNumber)) else []


def _require_seed(owner, seed, output):
    if isinstance(seed, GraphNumber):
        seed = as_tensor(seed, output.dtype)
    if not isinstance(seed, Tensor):
        seed = Tensor(seed, output.dtype)
    if seed.dtype != output.dtype:
        raise TypeError(
            f"{owner}: an output gradient has dtype {seed.dtype}; need that of the output, {output.dtype}"
        )
    if seed.shape != output.shape:
        error = ValueError if seed.ndim else RuntimeError
        raise error(
            f"{owner}: an output gradient has shape {seed.shape}; need that of the output, {output.shape}"
        )
    return seed
