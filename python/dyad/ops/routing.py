"""Tokens sent to experts and back, samples that gradients pass through, and positions as rotations."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.operators import (
    argsort,
    cat,
    log,
    one_hot,
    rand_like,
    softmax,
    stack,
    stop_gradient,
)
from dyad._src.primitive.primitive import primitive_of
from dyad.ops.flash_attention import FlashAttentionScore

__all__ = [
    "ScalarToArray",
    "flash_attention_score",
    "gumbel_softmax",
    "moe_token_permute",
    "moe_token_unpermute",
    "rotary_position_embedding",
    "scalar_to_array",
]


def _require_tensor(owner, name, value, dimensions=None):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if dimensions is not None and value.ndim not in dimensions:
        need = " or ".join(map(str, dimensions))
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {need} dimensions")


def scalar_to_array(input_x):
    """A number as a Tensor without dimensions: int64 for an int, float32 for a float.

    Example:
        >>> from dyad import ops
        >>> ops.scalar_to_array(1.5)
        Tensor(shape=[], dtype=Float32, value= 1.5)
    """
    if isinstance(input_x, Tensor) or not isinstance(input_x, (bool, int, float)):
        raise TypeError(f"scalar_to_array: input_x is of type {type(input_x).__name__}; need a number")
    return Tensor(input_x)


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    """A sample of classes with the weights exp(`logits`) along `dim`, as probabilities that gradients pass through.

    The lower the temperature `tau`, the nearer they are to one class. With `hard` the result is that class, one-hot,
    with the gradient of the probabilities.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.gumbel_softmax(Tensor([0.0, 1e6, 0.0]), hard=True))
        [0. 1. 0.]
    """
    _require_tensor("gumbel_softmax", "logits", logits)
    if logits.dtype not in (_core.float16, _core.float32):
        raise TypeError(f"gumbel_softmax: logits is of {logits.dtype}; need float16 or float32")
    if isinstance(tau, bool) or not isinstance(tau, float):
        raise TypeError(f"gumbel_softmax: tau is {tau!r} of type {type(tau).__name__}; need a float")
    if not 0 < tau < math.inf:
        raise ValueError(f"gumbel_softmax: tau is {tau}; need a finite number above 0")
    require_bool("gumbel_softmax", "hard", hard)
    if not -logits.ndim <= require_int("gumbel_softmax", "dim", dim) < logits.ndim:
        raise ValueError(f"gumbel_softmax: dim is {dim}; need one in [{-logits.ndim}, {logits.ndim})")
    # 1 - u is never 0, and the small number keeps the outer logarithm finite where it is 1.
    drawn = -log(-log(1.0 - rand_like(logits.astype(_core.float32))) + 1e-20)
    soft = softmax((logits.astype(_core.float32) + drawn) / tau, dim).astype(logits.dtype)
    if not hard:
        return soft
    sample = one_hot(soft.argmax(dim), logits.shape[dim]).astype(logits.dtype).moveaxis(-1, dim)
    return stop_gradient(sample - soft) + soft


def flash_attention_score(
    query,
    key,
    value,
    head_num,
    real_shift=None,
    drop_mask=None,
    padding_mask=None,
    attn_mask=None,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    keep_prob=1.0,
    scalar_value=1.0,
    pre_tokens=2147483647,
    next_tokens=2147483647,
    inner_precise=0,
    input_layout="BSH",
    sparse_mode=0,
):
    """softmax(scalar_value * Q K^T + shift) V in `head_num` heads: the last result of `FlashAttentionScore`.

    Example:
        >>> import dyad
        >>> from dyad import ops
        >>> x = ops.ones((1, 3, 4), dtype=dyad.float16)  # batch, length, width
        >>> ops.flash_attention_score(x, x, x, 2).shape
        (1, 3, 4)
    """
    attention = FlashAttentionScore(
        head_num, keep_prob, scalar_value, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode
    )
    return attention(
        query,
        key,
        value,
        real_shift,
        drop_mask,
        padding_mask,
        attn_mask,
        prefix,
        actual_seq_qlen,
        actual_seq_kvlen,
    )[3]


def _require_unpadded(owner, padded_mode):
    if require_bool(owner, "padded_mode", padded_mode):
        raise ValueError(f"{owner}: padded_mode is True; need False")


def moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """Tokens in the order of the experts that they go to, and where each of them is found then.

    `tokens` is (tokens, width), `indices` the experts of each: (tokens,) or (tokens, experts of a token). Gives the
    tokens, one for each of their experts, of which the first `num_out_tokens` are kept, a number of 0 or below
    counting from the end; and for each entry of `indices` the place in that order.

    Example:
        >>> from dyad import Tensor, ops
        >>> permuted, places = ops.moe_token_permute(Tensor([[1.0], [2.0], [3.0]]), Tensor([1, 0, 1]))
        >>> print(permuted.reshape(-1), places)
        [2. 1. 3.] [1 0 2]
    """
    owner = "moe_token_permute"
    _require_tensor(owner, "tokens", tokens, (2,))
    _require_tensor(owner, "indices", indices, (1, 2))
    _require_unpadded(owner, padded_mode)
    if indices.shape[0] != tokens.shape[0]:
        raise ValueError(
            f"{owner}: tokens has shape {tokens.shape} and indices {indices.shape}; need as many rows in both"
        )
    experts = indices.shape[1] if indices.ndim == 2 else 1
    order = argsort(indices.reshape(-1))
    places = argsort(order).astype(_core.int32)
    if num_out_tokens is not None:
        kept = require_int(owner, "num_out_tokens", num_out_tokens)
        count = order.shape[0]
        order = order[: kept if kept > 0 else count + kept]
    return tokens[order // experts], places


def moe_token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    """What `moe_token_permute` did, undone: each token is the sum of what its experts gave, times `probs`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.moe_token_unpermute(Tensor([[2.0], [1.0], [3.0]]), Tensor([1, 0, 2])).reshape(-1))
        [1. 2. 3.]
    """
    owner = "moe_token_unpermute"
    _require_tensor(owner, "permuted_tokens", permuted_tokens, (2,))
    _require_tensor(owner, "sorted_indices", sorted_indices, (1,))
    _require_unpadded(owner, padded_mode)
    if restore_shape is not None:
        raise ValueError(f"{owner}: restore_shape is {restore_shape!r}; need None without padded_mode")
    found = permuted_tokens[sorted_indices]
    if probs is None:
        return found
    _require_tensor(owner, "probs", probs, (2,))
    if probs.shape[0] * probs.shape[1] != sorted_indices.shape[0]:
        raise ValueError(
            f"{owner}: probs has shape {probs.shape}; need {sorted_indices.shape[0]} elements, one for each index"
        )
    weighted = found.reshape(*probs.shape, permuted_tokens.shape[1]) * probs.reshape(*probs.shape, 1)
    return weighted.sum(1).astype(permuted_tokens.dtype)


def rotary_position_embedding(x, cos, sin, mode=0):
    """x * cos + r * sin, where r is x with pairs of elements turned: (a, b) becomes (-b, a).

    In mode 0 an element of the first half of the last dimension is paired with the one in the second half, in mode 1
    each with its neighbour.

    Example:
        >>> from dyad import Tensor, ops
        >>> one, zero = Tensor([[[[1.0, 1.0]]]]), Tensor([[[[0.0, 0.0]]]])
        >>> print(ops.rotary_position_embedding(Tensor([[[[3.0, 4.0]]]]), zero, one).reshape(-1))
        [-4.  3.]
    """
    owner = "rotary_position_embedding"
    for name, value in (("x", x), ("cos", cos), ("sin", sin)):
        _require_tensor(owner, name, value, (4,))
    if mode not in (0, 1):
        raise ValueError(f"{owner}: mode is {mode!r}; need 0 or 1")
    width = x.shape[-1]
    if width % 2:
        raise ValueError(f"{owner}: x has shape {x.shape}; need an even last dimension")
    if mode == 0:
        turned = cat((-x[..., width // 2 :], x[..., : width // 2]), -1)
    else:
        turned = stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)
    return x * cos + turned * sin


ScalarToArray = primitive_of("ScalarToArray", scalar_to_array)
