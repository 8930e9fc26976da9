"""Multi-head attention, rotary position embeddings, and routing of tokens to experts."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_bool, require_int
from dyad._src.operators import (
    arange,
    argsort,
    broadcast_to,
    cat,
    chunk,
    dense,
    dropout,
    exp,
    functions,
    logical_or,
    matmul,
    ones,
    softmax,
    stack,
    triu,
    zeros,
)
from dyad._src.primitive.primitive import Primitive

__all__ = [
    "FlashAttentionScore",
    "flash_attention_score",
    "moe_token_permute",
    "moe_token_unpermute",
    "multi_head_attention_forward",
    "rotary_position_embedding",
]


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
    training: bool = True,
    key_padding_mask=None,
    attn_mask=None,
    use_separate_proj_weight: bool = False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
    k_is_v: bool = False,
    q_is_k: bool = False,
    dtype=_core.float32,
):
    """Multi-head attention with input and output projections.

        head_i = softmax(Q_i · K_iᵀ / √d + mask) · V_i
        output = concat(head_1, ..., head_h) · W_outᵀ + b_out

    Returns (output, attention weights); with `average_attn_weights` the weights are averaged over the heads.

    Inputs are (length, batch, width), or (length, width) without a batch. `static_k` and `static_v`, of shape
    (batch * heads, length, width of a head), replace the projected keys and values. A bool mask hides positions
    where it is True, a float mask is added to the scores; `is_causal` states that `attn_mask` hides later positions and
    creates such a mask if there is none. `k_is_v`, `q_is_k` and `dtype` are hints that do not change the result.

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


class FlashAttentionScore(Primitive):
    """Scaled dot-product attention, softmax(scale · Q · Kᵀ + shift) · V; positions with 1 in `attn_mask` are hidden.

    Layouts: 'BSH' (batch, length, heads * width), 'BNSD' (batch, heads, length, width), 'SBH', 'BSND'. Keys may have
    fewer heads than queries; each is then shared by a group of them. Returns (softmax maximum, softmax sum, empty,
    output), like MindSpore's operator; each position of maximum and sum is repeated 8 times.

    Example:
        >>> import dyad
        >>> from dyad import ops
        >>> x = ops.ones((1, 3, 4), dtype=dyad.float16)  # batch, length, width
        >>> ops.FlashAttentionScore(head_num=2)(x, x, x)[3].shape
        (1, 3, 4)
    """

    _LAYOUTS = ("BSH", "BNSD", "SBH", "BSND")

    def __init__(
        self,
        head_num: int,
        keep_prob=1.0,
        scale_value=1.0,
        pre_tokens=2147483647,
        next_tokens=2147483647,
        inner_precise=0,
        input_layout="BSH",
        sparse_mode=0,
    ) -> None:
        super().__init__("FlashAttentionScore")
        if input_layout not in self._LAYOUTS:
            raise SettingError(
                f"FlashAttentionScore: input_layout is {input_layout!r}; need one of {', '.join(self._LAYOUTS)}"
            )
        if sparse_mode not in (0, 1, 2, 3, 4):
            raise SettingError(f"FlashAttentionScore: sparse_mode is {sparse_mode!r}; need 0, 1, 2, 3 or 4")
        self.head_num = require_int("FlashAttentionScore", "head_num", head_num, low=1)
        self.keep_prob = keep_prob
        self.scale_value = scale_value
        self.pre_tokens = pre_tokens
        self.next_tokens = next_tokens
        self.input_layout = input_layout
        self.sparse_mode = sparse_mode

    def __call__(
        self,
        query,
        key,
        value,
        real_shift=None,
        drop_mask=None,
        padding_mask=None,
        attn_mask=None,
        prefix=None,
        actual_seq_qlen=None,
        actual_seq_kvlen=None,
    ):
        unused = {"padding_mask": padding_mask, "prefix": prefix}
        unused |= {"actual_seq_qlen": actual_seq_qlen, "actual_seq_kvlen": actual_seq_kvlen}
        for name, given in unused.items():
            if given is not None:
                raise ValueError(f"FlashAttentionScore: {name} is {type(given).__name__}; need None")
        self._require_operands(query, key, value)
        width = query.shape[-1] // (self.head_num if self.input_layout in ("BSH", "SBH") else 1)
        q, k, v = (self._heads(x, width) for x in (query, key, value))
        groups = q.shape[1] // k.shape[1]
        if groups > 1:
            k, v = (x.repeat_interleave(groups, 1) for x in (k, v))
        scores = matmul(q, k.swapaxes(-2, -1)) * self.scale_value
        if real_shift is not None:
            scores = scores + real_shift
        hidden = self._hidden(attn_mask, q.shape[2], k.shape[2])
        if hidden is not None:
            scores = scores.masked_fill(hidden, -10000.0 if q.dtype == _core.float16 else -math.inf)
        highest = functions["amax"](scores, -1, True)
        weights = exp(scores - highest)
        total = weights.sum(-1, keepdims=True)
        weights = weights / total
        if drop_mask is not None:
            weights = weights * drop_mask / self.keep_prob
        elif self.keep_prob < 1:
            weights = dropout(weights, 1 - self.keep_prob, training=True)
        wide = (*total.shape[:-1], 8)
        output = self._joined(matmul(weights.astype(v.dtype), v))
        return broadcast_to(highest, wide), broadcast_to(total, wide), Tensor(()), output

    def _require_operands(self, query, key, value):
        """Tensors of the layout's rank and one dtype, whose heads and lengths fit each other."""
        rank = len(self.input_layout)
        for name, x in (("query", query), ("key", key), ("value", value)):
            if not isinstance(x, Tensor):
                raise TypeError(f"FlashAttentionScore: {name} is of type {type(x).__name__}; need a Tensor")
            if not x.dtype.is_floating_point or x.dtype != query.dtype:
                raise TypeError(
                    f"FlashAttentionScore: {name} has dtype {x.dtype}; need one floating dtype for all, "
                    f"as query's {query.dtype}"
                )
            if x.ndim != rank:
                raise ValueError(
                    f"FlashAttentionScore: {name} has shape {x.shape}; {self.input_layout} needs {rank} dimensions"
                )
        if key.shape[:-1] != value.shape[:-1]:
            raise ValueError(
                f"FlashAttentionScore: key and value have shapes {key.shape} and {value.shape}; "
                "need the same but for the last size"
            )
        batch = self.input_layout.index("B")
        if query.shape[batch] != key.shape[batch]:
            raise ValueError(
                f"FlashAttentionScore: query and key have shapes {query.shape} and {key.shape}; need as many batches"
            )
        self._require_heads(query, key)

    def _require_heads(self, query, key):
        if self.input_layout in ("BSH", "SBH"):
            if query.shape[-1] % self.head_num:
                raise ValueError(
                    f"FlashAttentionScore: query has shape {query.shape}; its last size must divide by "
                    f"head_num {self.head_num}"
                )
            width = query.shape[-1] // self.head_num
            if key.shape[-1] % width or self.head_num % max(key.shape[-1] // width, 1):
                raise ValueError(
                    f"FlashAttentionScore: key has shape {key.shape}; its last size must be {width}, the width of a "
                    f"head, times a divisor of head_num {self.head_num}"
                )
            return
        heads = self.input_layout.index("N")
        if query.shape[heads] != self.head_num or self.head_num % max(key.shape[heads], 1):
            raise ValueError(
                f"FlashAttentionScore: query and key have {query.shape[heads]} and {key.shape[heads]} heads; "
                f"need head_num {self.head_num} and a divisor of it"
            )
        if query.shape[-1] != key.shape[-1]:
            raise ValueError(
                f"FlashAttentionScore: query and key have shapes {query.shape} and {key.shape}; "
                "need the same last size"
            )

    def _heads(self, x, width):
        """Any layout as (batch, heads, length, width)."""
        if self.input_layout == "BNSD":
            return x
        if self.input_layout == "BSND":
            return x.swapaxes(1, 2)
        x = x.swapaxes(0, 1) if self.input_layout == "SBH" else x
        return x.reshape(x.shape[0], x.shape[1], -1, width).swapaxes(1, 2)

    def _joined(self, x):
        if self.input_layout == "BNSD":
            return x
        x = x.swapaxes(1, 2)
        if self.input_layout == "BSND":
            return x
        x = x.reshape(x.shape[0], x.shape[1], -1)
        return x.swapaxes(0, 1) if self.input_layout == "SBH" else x

    def _hidden(self, attn_mask, target, source):
        """Bool tensor of the hidden positions, or None."""
        if self.sparse_mode in (0, 1):
            return None if attn_mask is None else attn_mask.astype(_core.bool_)
        if self.sparse_mode == 2:
            return triu(ones((target, source), _core.bool_), 1)
        # The last query sees the last key; mode 4 counts its window from there.
        distance = arange(source) - arange(target).expand_dims(1) - (source - target)
        if self.sparse_mode == 3:
            return distance > 0
        return logical_or(distance > self.next_tokens, -distance > self.pre_tokens)


def _require_tensor(owner, name, value, dimensions=None):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if dimensions is not None and value.ndim not in dimensions:
        need = " or ".join(map(str, dimensions))
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {need} dimensions")


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


def moe_token_permute(tokens, indices, num_out_tokens: int | None = None, padded_mode=False):
    """Sorts tokens by their experts (mixture of experts).

        Args:
        tokens (Tensor): tokens of shape (tokens, width).
        indices (Tensor): experts of each token, of shape (tokens,) or (tokens, experts of a token).
        num_out_tokens (int or None): number of rows to keep; 0 or below counts from the end. Default: None, all.
        padded_mode (bool): need False.

    Returns:
        Tuple (tokens repeated for each of their experts, in the order of the experts; position of each entry of
        `indices` in that order).

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
    """Restores the order of tokens sorted by `moe_token_permute` and combines the results of their experts.

        y[t] = Σ_k probs[t, k] · permuted_tokens[sorted_indices[t, k]]

    Without `probs` every token has one expert.

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
    """Rotary position embedding (RoPE), x · cos + rotate(x) · sin, where rotate maps each pair (a, b) to (-b, a).

    Args:
        x (Tensor): 4 dimensions, the last one of even size.
        cos (Tensor): cosines, 4 dimensions that broadcast with `x`.
        sin (Tensor): sines, 4 dimensions that broadcast with `x`.
        mode (int): 0 pairs elements of the first and second half of the last dimension, 1 pairs neighbors. Default: 0.

    Returns:
        Tensor with the shape and dtype of `x`.

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
