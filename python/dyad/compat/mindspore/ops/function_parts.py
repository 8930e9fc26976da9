"""Parts of functions, from which packages build their own; found in `dyad.ops.function.nn_func` and related modules."""

import math

from dyad._src.operators import chunk, dense, dropout, functions
from dyad.compat.mindspore.common.seed import _get_graph_seed
from dyad.compat.mindspore.ops._primitive_cache import _get_cache_prim  # noqa: F401


def _get_seed(op_seed, kernel_name):
    """The pair of seeds of an operator that draws: the global one and its own."""
    return _get_graph_seed(op_seed, kernel_name)


def _set_prim_op_user_data(prim, key, value):
    """The Primitive, with an attribute."""
    return prim.add_prim_attr(key, value)


def _inner_dropout(x, p, training):
    """x with elements dropped with probability p, while training."""
    return dropout(x, p) if training and p > 0 else x


def _inner_pad(x, padding, value=None):
    """x with constant borders, for bool as well."""
    padded = functions["pad"](x.astype("int32") if x.dtype.name == "bool_" else x, padding, value=value)
    return padded.astype(x.dtype)


def _innner_log_softmax(inputs, axis):
    """log_softmax along an axis; the name is spelled as packages import it."""
    return functions["log_softmax"](inputs, axis)


def _check_qkv_shape(query_ndim, key_ndim, value_ndim):
    """True if query, key and value have a batch: 3 dimensions instead of 2."""
    if query_ndim not in (2, 3) or key_ndim != query_ndim or value_ndim != query_ndim:
        raise ValueError(
            f"query, key and value have {query_ndim}, {key_ndim} and {value_ndim} dimensions; "
            "need all with 3 or all with 2"
        )
    return query_ndim == 3


def _check_kpm_shape(query_ndim, kmp_ndim):
    """ValueError unless key_padding_mask has one dimension less than the query."""
    if kmp_ndim != query_ndim - 1:
        raise ValueError(
            f"key_padding_mask has {kmp_ndim} dimensions; need {query_ndim - 1} for a query of {query_ndim}"
        )


def _check_attn_mask_shape(query_ndim, query_shape, key_shape, attn_mask_ndim, attn_mask_shape, num_heads):
    """ValueError unless attn_mask has 2 or 3 dimensions, without a batch one matrix for each head."""
    if attn_mask_ndim not in (2, 3):
        raise ValueError(f"attn_mask has {attn_mask_ndim} dimensions; need 2 or 3")
    for_heads = (num_heads, query_shape[0], key_shape[0])
    if query_ndim == 2 and attn_mask_ndim == 3 and tuple(attn_mask_shape) != for_heads:
        raise ValueError(f"attn_mask has shape {tuple(attn_mask_shape)}; need {for_heads}")


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """q, k and v, each projected to the width of q."""
    width = q.shape[-1]
    projected = []
    for name, x, weight, bias in (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v)):
        if weight.shape != (width, x.shape[-1]):
            raise ValueError(f"the weight of {name} has shape {weight.shape}; need {(width, x.shape[-1])}")
        if bias is not None and bias.shape != (width,):
            raise ValueError(f"the bias of {name} has shape {bias.shape}; need {(width,)}")
        projected.append(dense(x, weight, bias))
    return tuple(projected)


def _in_projection_packed(q, k, v, w, b, k_is_v, q_is_k):
    """q, k and v, projected by the thirds of one weight; which of them are the same Tensor does not matter."""
    biases = (None, None, None) if b is None else chunk(b, 3)
    return tuple(
        dense(x, weight, bias) for x, weight, bias in zip((q, k, v), chunk(w, 3), biases, strict=True)
    )


def _interploate_ext_make_tuple(input, value):
    """The value for each dimension after the batch and the channels, unless it is a sequence already."""
    return value if isinstance(value, (list, tuple)) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input, scale_factor):
    """The size that factors give, for each dimension after the batch and the channels."""
    sizes = zip(input.shape[2:], scale_factor, strict=False)
    return tuple(math.floor(size * factor) for size, factor in sizes)
