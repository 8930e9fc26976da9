"""Multi-head attention."""

import math

from dyad import _core, ops
from dyad._src.base.argument_checks import require_bool, require_fraction, require_int
from dyad._src.cell.weights import make_parameter
from dyad.nn.cell import Cell
from dyad.nn.dense import Dense
from dyad.nn.initializer import XavierNormal, XavierUniform

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Cell):
    """softmax(Q K^T / sqrt(d)) V in `num_heads` heads, projected in and out.

    Inputs are (length, batch, embed_dim), with `batch_first` (batch, length, embed_dim), or unbatched (length,
    embed_dim). A bool mask hides positions where it is True, a float mask is added to the scores. The result is
    (output, weights), or (output,) without `need_weights`.

    `kdim` and `vdim` are the widths of keys and values where they differ from `embed_dim`. `dropout` is that of the
    weights while training. `has_bias` is about the projections; `add_bias_kv` appends a learned position to keys
    and values, `add_zero_attn` one of zeros. `num_heads` divides `embed_dim`, or ValueError is raised.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        owner = "MultiheadAttention"
        self.embed_dim = require_int(owner, "embed_dim", embed_dim, low=1)
        self.num_heads = require_int(owner, "num_heads", num_heads, low=1)
        if embed_dim % num_heads:
            raise ValueError(
                f"{owner}: embed_dim is {embed_dim} and num_heads is {num_heads}; need a multiple"
            )
        self.head_dim = embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else require_int(owner, "kdim", kdim, low=1)
        self.vdim = embed_dim if vdim is None else require_int(owner, "vdim", vdim, low=1)
        self.dropout = require_fraction(owner, "dropout", dropout)
        self.batch_first = require_bool(owner, "batch_first", batch_first)
        self.add_zero_attn = require_bool(owner, "add_zero_attn", add_zero_attn)
        self._make_input_weights(owner, has_bias, add_bias_kv, dtype)
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)

    def _make_input_weights(self, owner, has_bias, add_bias_kv, dtype):
        width = self.embed_dim

        def weight(name, rows, columns):
            return make_parameter(owner, XavierUniform(), (rows, columns), dtype, name)

        self._packed = self.kdim == width and self.vdim == width
        if self._packed:
            self.in_proj_weight = weight("in_proj_weight", 3 * width, width)
        else:
            self.q_proj_weight = weight("q_proj_weight", width, width)
            self.k_proj_weight = weight("k_proj_weight", width, self.kdim)
            self.v_proj_weight = weight("v_proj_weight", width, self.vdim)
        self.in_proj_bias = (
            make_parameter(owner, "zeros", (3 * width,), dtype, "in_proj_bias") if has_bias else None
        )
        if add_bias_kv:
            self.bias_k = make_parameter(owner, XavierNormal(), (1, 1, width), dtype, "bias_k")
            self.bias_v = make_parameter(owner, XavierNormal(), (1, 1, width), dtype, "bias_v")
        else:
            self.bias_k = self.bias_v = None

    def construct(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights: bool = True,
        attn_mask=None,
        average_attn_weights: bool = True,
    ):
        """(output, weights), or (output,) without `need_weights`; the output has the shape of `query`."""
        batched = query.ndim == 3
        if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
            raise ValueError(
                f"MultiheadAttention: query, key and value have shapes {query.shape}, {key.shape} and {value.shape}; "
                "need all with 3 dimensions or all with 2"
            )
        q, k, v = (self._batch_first_form(x, batched) for x in self._project(query, key, value))
        k, v = self._extend(k, v)
        mask = self._merge_masks(q, k, key.shape, key_padding_mask, attn_mask, batched)
        heads, weights = self._attend(q, k, v, mask, need_weights)
        output = self._input_form(self.out_proj(heads), batched)
        if not need_weights:
            return (output,)
        if average_attn_weights:
            weights = weights.mean(1)
        return output, (weights if batched else weights.squeeze(0))

    def _project(self, query, key, value):
        width, bias = self.embed_dim, self.in_proj_bias
        if self._packed and query is key and key is value:
            return ops.chunk(ops.dense(query, self.in_proj_weight, bias), 3, axis=-1)
        if self._packed:
            weights = [self.in_proj_weight[i * width : (i + 1) * width] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None if bias is None else bias[i * width : (i + 1) * width] for i in range(3)]
        inputs = (query, key, value)
        return [ops.dense(x, weight, b) for x, weight, b in zip(inputs, weights, biases, strict=True)]

    def _batch_first_form(self, x, batched):
        if not batched:
            return x.expand_dims(0)
        return x if self.batch_first else x.swapaxes(0, 1)

    def _input_form(self, y, batched):
        if not batched:
            return y.squeeze(0)
        return y if self.batch_first else y.swapaxes(0, 1)

    def _extend(self, k, v):
        """Append the learned key and value, and the zero ones, to each sequence."""
        batch = k.shape[0]
        if self.bias_k is not None:
            k = ops.cat([k, ops.broadcast_to(self.bias_k, (batch, 1, self.embed_dim))], axis=1)
            v = ops.cat([v, ops.broadcast_to(self.bias_v, (batch, 1, self.embed_dim))], axis=1)
        if self.add_zero_attn:
            zero = ops.zeros((batch, 1, self.embed_dim), k.dtype)
            k, v = ops.cat([k, zero], axis=1), ops.cat([v, zero], axis=1)
        return k, v

    def _attend(self, q, k, v, mask, need_weights):
        """Concatenated heads as (batch, length, embed_dim), and the attention weights if `need_weights`."""
        q, k, v = (
            x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).swapaxes(1, 2) for x in (q, k, v)
        )
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            weights = self._weights(q, k, mask)
            used = ops.dropout(weights, dropout, training=True) if dropout else weights
            heads = ops.matmul(used, v)
        else:
            weights = None
            heads = ops.scaled_dot_product_attention(q, k, v, mask, dropout)
        heads = heads.swapaxes(1, 2)
        return heads.reshape(heads.shape[0], heads.shape[1], self.embed_dim), weights

    def _weights(self, q, k, mask):
        scores = ops.matmul(q * (1 / math.sqrt(self.head_dim)), k.swapaxes(-2, -1))
        return ops.softmax(scores if mask is None else scores + mask, -1)

    def _merge_masks(self, q, k, key_shape, key_padding_mask, attn_mask, batched):
        """One float mask that broadcasts to (batch, heads, target, source), or None."""
        batch, target, total = q.shape[0], q.shape[1], k.shape[1]
        source = key_shape[-2] if not batched or self.batch_first else key_shape[0]
        merged = None
        if attn_mask is not None:
            flat = (batch * self.num_heads, target, source)
            _require_mask_shape("attn_mask", attn_mask, ((target, source), flat))
            shape = (batch, self.num_heads, target, source) if attn_mask.ndim == 3 else (1, 1, target, source)
            merged = _additive(attn_mask, q.dtype).reshape(shape)
        if key_padding_mask is not None:
            _require_mask_shape(
                "key_padding_mask", key_padding_mask, ((batch, source),) if batched else ((source,),)
            )
            padding = _additive(key_padding_mask, q.dtype).reshape(batch, 1, 1, source)
            merged = padding if merged is None else merged + padding
        if merged is not None and total > source:
            visible = ops.zeros((*merged.shape[:-1], total - source), merged.dtype)
            merged = ops.cat([merged, visible], axis=-1)
        return merged


def _require_mask_shape(name, mask, shapes):
    if tuple(mask.shape) not in shapes:
        accepted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(f"MultiheadAttention: {name} has shape {tuple(mask.shape)}; need {accepted}")


def _additive(mask, dtype):
    """A bool mask as numbers to add: -inf where it hides."""
    if mask.dtype != _core.bool_:
        return mask.astype(dtype)
    return ops.zeros(mask.shape, dtype).masked_fill(mask, -math.inf)
