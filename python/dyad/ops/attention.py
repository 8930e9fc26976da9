"""Multi-head attention as a function of its weights."""

import math

from dyad import _core
from dyad._src.operators import (
    broadcast_to,
    cat,
    chunk,
    dense,
    dropout,
    matmul,
    ones,
    softmax,
    triu,
    zeros,
)

__all__ = ["multi_head_attention_forward"]


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
    k_is_v=False,
    q_is_k=False,
    dtype=_core.float32,
):
    """softmax(Q K^T / sqrt(d)) V in `num_heads` heads, projected in and out; gives (output, weights).

    Inputs are (length, batch, width), or (length, width) without a batch. `static_k` and `static_v`, of shape
    (batch * heads, length, width of a head), stand in for the projected keys and values. A bool mask hides positions
    where it is True, a float mask is added to the scores; `is_causal` says that `attn_mask` hides later positions and
    makes such a mask if there is none. `k_is_v`, `q_is_k` and `dtype` are hints that do not change the result.

    Example:
        >>> from dyad import ops
        >>> x = ops.ones((3, 1, 4))  # length, batch, width
        >>> into, out = ops.ones((12, 4)), ops.ones((4, 4))
        >>> result, weights = ops.multi_head_attention_forward(
        ...     x, x, x, 4, 2, into, None, None, None, False, 0.0, out, None
        ... )
        >>> result.shape
        (3, 1, 4)
        >>> print(weights[0, 0])
        [0.33333334 0.33333334 0.33333334]
    """
    batched = query.ndim == 3
    _require_inputs(query, key, value, embed_dim_to_check, num_heads)
    weights = _input_weights(
        in_proj_weight, (q_proj_weight, k_proj_weight, v_proj_weight), use_separate_proj_weight
    )
    biases = [None] * 3 if in_proj_bias is None else chunk(in_proj_bias, 3)
    inputs = (x if batched else x.expand_dims(1) for x in (query, key, value))
    q, k, v = (
        _split_heads(dense(x, weight, bias), num_heads)
        for x, weight, bias in zip(inputs, weights, biases, strict=True)
    )
    k = k if static_k is None else _static_heads(static_k, k)
    v = v if static_v is None else _static_heads(static_v, v)
    source = k.shape[2]
    k, v = _with_further_keys(k, v, bias_k, bias_v, add_zero_attn)
    mask = _joint_mask(q, source, k.shape[2], key_padding_mask, attn_mask, is_causal)
    heads, scores = _attend(q, k, v, mask, dropout_p if training else 0.0)
    joined = heads.permute(2, 0, 1, 3).reshape(q.shape[2], q.shape[0], embed_dim_to_check)
    output = dense(joined, out_proj_weight, out_proj_bias)
    if average_attn_weights:
        scores = scores.mean(1)
    return (output, scores) if batched else (output.squeeze(1), scores.squeeze(0))


def _require_inputs(query, key, value, width, num_heads):
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise ValueError(
            f"multi_head_attention_forward: query, key and value have shapes {query.shape}, {key.shape} and "
            f"{value.shape}; need all with 3 dimensions or all with 2"
        )
    if query.shape[-1] != width or width % num_heads:
        raise ValueError(
            f"multi_head_attention_forward: query has width {query.shape[-1]}, embed_dim_to_check is {width} and "
            f"num_heads is {num_heads}; need equal widths that num_heads divides"
        )
    if key.shape[0] != value.shape[0]:
        raise ValueError(
            f"multi_head_attention_forward: key and value have shapes {key.shape} and {value.shape}; "
            "need equal lengths"
        )


def _input_weights(packed, separate, use_separate):
    if not use_separate:
        if packed is None:
            raise ValueError("multi_head_attention_forward: in_proj_weight is None; need a Tensor")
        return chunk(packed, 3)
    if any(weight is None for weight in separate):
        raise ValueError(
            "multi_head_attention_forward: use_separate_proj_weight is True; need q_proj_weight, k_proj_weight and "
            "v_proj_weight"
        )
    return separate


def _split_heads(x, num_heads):
    """(length, batch, width) as (batch, heads, length, width of a head)."""
    length, batch, width = x.shape
    return x.reshape(length, batch, num_heads, width // num_heads).permute(1, 2, 0, 3)


def _static_heads(given, like):
    batch, heads, _, width = like.shape
    if given.ndim != 3 or given.shape[0] != batch * heads or given.shape[2] != width:
        raise ValueError(
            f"multi_head_attention_forward: static keys or values have shape {given.shape}; "
            f"need ({batch * heads}, length, {width})"
        )
    return given.reshape(batch, heads, -1, width)


def _with_further_keys(k, v, bias_k, bias_v, add_zero):
    """Appends the learned key and value, and the zero ones, to each sequence."""
    batch, heads, _, width = k.shape
    one = (batch, heads, 1, width)
    if bias_k is not None and bias_v is not None:
        k = cat([k, broadcast_to(bias_k.reshape(1, heads, 1, width), one)], axis=2)
        v = cat([v, broadcast_to(bias_v.reshape(1, heads, 1, width), one)], axis=2)
    if add_zero:
        zero = zeros(one, k.dtype)
        k, v = cat([k, zero], axis=2), cat([v, zero], axis=2)
    return k, v


def _joint_mask(q, source, total, key_padding_mask, attn_mask, is_causal):
    """One float mask that broadcasts to (batch, heads, target, total), or None."""
    batch, heads, target, _ = q.shape
    if attn_mask is None and is_causal:
        attn_mask = triu(ones((target, source), _core.bool_), 1)
    parts = []
    if attn_mask is not None:
        _require_mask("attn_mask", attn_mask, (target, source), (batch * heads, target, source))
        shape = (batch, heads, target, source) if attn_mask.ndim == 3 else (1, 1, target, source)
        parts.append(_additive(attn_mask, q.dtype).reshape(shape))
    if key_padding_mask is not None:
        _require_mask("key_padding_mask", key_padding_mask, (batch, source), (source,))
        parts.append(_additive(key_padding_mask, q.dtype).reshape(-1, 1, 1, source))
    if not parts:
        return None
    mask = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    if total > source:
        mask = cat([mask, zeros((*mask.shape[:-1], total - source), mask.dtype)], axis=-1)
    return mask


def _require_mask(name, mask, *shapes):
    if tuple(mask.shape) not in shapes:
        accepted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(
            f"multi_head_attention_forward: {name} has shape {tuple(mask.shape)}; need {accepted}"
        )


def _additive(mask, dtype):
    """A bool mask as numbers to add: -inf where it hides."""
    if mask.dtype != _core.bool_:
        return mask.astype(dtype)
    return zeros(mask.shape, dtype).masked_fill(mask, -math.inf)


def _attend(q, k, v, mask, drop):
    scores = matmul(q * (1 / math.sqrt(q.shape[-1])), k.swapaxes(-2, -1))
    weights = softmax(scores if mask is None else scores + mask, -1)
    kept = dropout(weights, drop, training=True) if drop else weights
    return matmul(kept, v), weights
