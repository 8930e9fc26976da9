"""Attention with the interface of the fused operator of that name."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_int
from dyad._src.operators import arange, broadcast_to, dropout, exp, functions, logical_or, matmul, ones, triu
from dyad._src.primitive.primitive import Primitive

__all__ = ["FlashAttentionScore"]


class FlashAttentionScore(Primitive):
    """softmax(scale * Q K^T + shift) V, where `attn_mask` hides what it marks with 1.

    Layouts: 'BSH' (batch, length, heads * width), 'BNSD' (batch, heads, length, width), 'SBH', 'BSND'. Keys may have
    fewer heads than queries; each then serves a group of them. The call gives (softmax maximum, softmax sum, nothing,
    output), as the operator of that name does; each position of maximum and sum is repeated 8 times.

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
        head_num,
        keep_prob=1.0,
        scale_value=1.0,
        pre_tokens=2147483647,
        next_tokens=2147483647,
        inner_precise=0,
        input_layout="BSH",
        sparse_mode=0,
    ):
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
        """Places that no attention is paid to, as a bool tensor, or None."""
        if self.sparse_mode in (0, 1):
            return None if attn_mask is None else attn_mask.astype(_core.bool_)
        if self.sparse_mode == 2:
            return triu(ones((target, source), _core.bool_), 1)
        # The last query sees the last key; mode 4 counts its window from there.
        distance = arange(source) - arange(target).expand_dims(1) - (source - target)
        if self.sparse_mode == 3:
            return distance > 0
        return logical_or(distance > self.next_tokens, -distance > self.pre_tokens)
