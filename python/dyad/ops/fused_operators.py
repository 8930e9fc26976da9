"""Fused operators: sums with normalization, grouped matrix products, routing of experts, deformable attention, losses
with intermediate results, and optimizer steps."""

from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice, require_int, require_tensors
from dyad._src.operators import layer_norm_moments, normalize_rms, stop_gradient

__all__ = [
    "adamw",
    "add_layer_norm",
    "add_layernorm_v2",
    "add_rms_norm",
    "apply_adamw",
    "batch_norm_elemt",
    "batch_norm_gather_stats_with_counts",
    "batch_norm_stats",
    "cross_entropy_loss",
    "gmm",
    "gmm_backward",
    "gmm_backward_fusion",
    "gmm_v2",
    "gmm_v2_backward",
    "gmm_v2_backward_fusion",
    "inner_moe_token_unpermute",
    "layer_norm_v3",
    "moe_finalize_routing",
    "moe_gating_top_k_softmax",
    "moe_init_routing",
    "multi_scale_deformable_attn",
    "multi_scale_deformable_attn_function",
    "ring_attention_update",
    "transpose_batch_matmul_transpose",
]


def _require_alike(owner, x1, x2):
    require_tensors(owner, x1=x1, x2=x2)
    if x1.shape != x2.shape or x1.dtype != x2.dtype:
        raise ValueError(
            f"{owner}: x1 is of {x1.dtype} {x1.shape} and x2 of {x2.dtype} {x2.shape}; need one dtype and shape"
        )


def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    """RMS normalization of a sum.

        s = x1 + x2
        y = s / √(mean(s²) + epsilon) · gamma

    Args:
        x1 (Tensor): floats.
        x2 (Tensor): floats, with the shape and dtype of `x1`.
        gamma (Tensor): scale; its shape is the last dimensions of `x1`, over which the mean goes.
        epsilon (float): added to the mean square. Default: 1e-6.

    Returns:
        Tuple (y, reciprocal of the root mean square in float32, s).

    Raises:
        ValueError: if `x1` and `x2` differ in shape or dtype.
    """
    _require_alike("add_rms_norm", x1, x2)
    total = x1 + x2
    y, root = normalize_rms(total, gamma, epsilon)
    return y, root, total


def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output: bool = False):
    """Layer normalization of a sum over its last dimension.

        s = x1 + x2
        y = (s - mean(s)) / √(var(s) + epsilon) · gamma + beta

    Args:
        x1 (Tensor): floats.
        x2 (Tensor): floats, with the shape and dtype of `x1`.
        gamma (Tensor): scale.
        beta (Tensor): shift.
        epsilon (float): added to the variance. Default: 1e-5.
        additional_output (bool): not used.

    Returns:
        Tuple (y, mean, reciprocal of the standard deviation, s); mean and reciprocal are float32.

    Raises:
        ValueError: if `x1` and `x2` differ in shape or dtype.
    """
    _require_alike("add_layer_norm", x1, x2)
    require_tensors("add_layer_norm", gamma=gamma, beta=beta)
    total = x1 + x2
    wide = total.astype(_core.float32)
    mean = wide.mean(-1, keep_dims=True)
    away = wide - mean
    root = ops.rsqrt(ops.square(away).mean(-1, keep_dims=True) + epsilon)
    y = away * root * gamma.astype(_core.float32) + beta.astype(_core.float32)
    return y.astype(x1.dtype), mean, root, total


def add_layernorm_v2(x1, x2, gamma, beta, epsilon=1e-5, additionalOut: bool = False):
    """Layer normalization of a sum; see `add_layer_norm`."""
    return add_layer_norm(x1, x2, gamma, beta, epsilon, additionalOut)


def cross_entropy_loss(
    input,
    target,
    weight=None,
    reduction: str = "mean",
    ignore_index=-100,
    label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0,
    return_zloss: bool = False,
):
    """Cross entropy of logits with class indexes, with log-probabilities.

        loss[n] = -weight[c] · log_softmax(input[n])[c],  c = target[n]

    Args:
        input (Tensor): logits of shape (N, C).
        target (Tensor): class indexes of shape (N,).
        weight (Tensor or None): weight of each class. Default: None.
        reduction (str): 'none', 'mean' or 'sum'. Default: 'mean'.
        ignore_index (int): class that adds nothing to the loss. Default: -100.
        label_smoothing (float): share of the uniform distribution in the target. Default: 0.0.
        lse_square_scale_for_zloss (float): need 0.0.
        return_zloss (bool): need False.

    Returns:
        Tuple (loss, log_softmax of `input`, empty Tensor, empty Tensor). A reduced loss has shape (1,).
    """
    owner = "cross_entropy_loss"
    require_tensors(owner, input=input, target=target)
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError(
            f"{owner}: input has shape {input.shape} and target {target.shape}; need (N, C) and (N,)"
        )
    require_choice(owner, "reduction", reduction, ("none", "mean", "sum"))
    if lse_square_scale_for_zloss != 0.0 or return_zloss:
        raise ValueError(
            f"{owner}: lse_square_scale_for_zloss is {lse_square_scale_for_zloss} and return_zloss {return_zloss}; "
            "need 0.0 and False"
        )
    loss = ops.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    empty = ops.zeros((0,), input.dtype)
    return loss if reduction == "none" else loss.reshape(1), ops.log_softmax(input, -1), empty, empty


def _channels_first(x):
    """Axes of (N, C, ...) other than the channels, and the shape in which numbers per channel broadcast."""
    return (0, *range(2, x.ndim)), (1, -1, *[1] * (x.ndim - 2))


def batch_norm_stats(input, eps):
    """Batch norm statistics: mean and 1 / √(variance + eps) of each channel of (N, C, ...), at least in float32."""
    require_tensors("batch_norm_stats", input=input)
    if input.ndim < 2:
        raise ValueError(f"batch_norm_stats: input has shape {input.shape}; need 2 dimensions or more")
    wide = input if input.dtype == _core.float64 else input.astype(_core.float32)
    axes, shape = _channels_first(input)
    mean = wide.mean(axes)
    variance = ops.square(wide - mean.reshape(shape)).mean(axes)
    return mean, ops.rsqrt(variance + eps)


def batch_norm_elemt(input, weight=None, bias=None, mean=None, invstd=None, eps=1e-5):
    """Batch normalization of (N, C, ...) with given statistics, (x - mean) · invstd · weight + bias by channel."""
    require_tensors("batch_norm_elemt", input=input, mean=mean, invstd=invstd)
    _, shape = _channels_first(input)
    wide = input if input.dtype == _core.float64 else input.astype(_core.float32)
    found = (wide - mean.reshape(shape)) * invstd.reshape(shape)
    if weight is not None:
        found = found * weight.reshape(shape)
    if bias is not None:
        found = found + bias.reshape(shape)
    return found.astype(input.dtype)


def batch_norm_gather_stats_with_counts(
    input, mean, invstd, running_mean=None, running_var=None, momentum=1e-1, eps=1e-5, counts=None
):
    """Combines batch norm statistics of several parts into the mean and 1 / √(variance + eps) of each channel.

    Rows of `mean` and `invstd` are the parts, `counts` their numbers of elements. Updates the running statistics:
    running = (1 - momentum) · running + momentum · statistics.
    """
    owner = "batch_norm_gather_stats_with_counts"
    require_tensors(owner, input=input, mean=mean, invstd=invstd, counts=counts)
    if mean.ndim != 2 or invstd.shape != mean.shape or counts.shape != mean.shape[:1]:
        raise ValueError(
            f"{owner}: mean has shape {mean.shape}, invstd {invstd.shape} and counts {counts.shape}; need (parts, C) "
            "for both and (parts,)"
        )
    share = counts.astype(mean.dtype).reshape(-1, 1)
    total = share.sum()
    whole = (mean * share).sum(0) / total
    variances = 1 / ops.square(invstd) - eps
    squares = (variances + ops.square(mean - whole)) * share
    variance = squares.sum(0) / total
    for kept, value in ((running_mean, whole), (running_var, squares.sum(0) / (total - 1))):
        if kept is not None:
            kept.copy_((kept * (1 - momentum) + stop_gradient(value) * momentum).astype(kept.dtype))
    return whole, ops.rsqrt(variance + eps)


def _ends(owner, group_list, group_list_type):
    """End of each group: a list of ints for ints, otherwise a Tensor."""
    if group_list is None:
        raise TypeError(f"{owner}: group_list is None; need a Tensor or a list of ints")
    if not isinstance(group_list, Tensor):
        ends = [require_int(owner, "group_list", end, 0) for end in group_list]
        if sorted(ends) != ends:
            raise ValueError(f"{owner}: group_list is {ends}; need ends of groups, which do not decrease")
        return ends
    if group_list_type not in (0, 1):
        raise ValueError(f"{owner}: group_list_type is {group_list_type!r}; need 0 or 1")
    return ops.cumsum(group_list, 0) if group_list_type == 1 else group_list


def _groups(owner, x, axis, ends):
    """Splits x along an axis into groups.

    With static ends a group is a slice; with ends in a Tensor it is all of x with zeros outside the group.
    """
    if isinstance(ends, list):
        if ends and ends[-1] > x.shape[axis]:
            raise ValueError(f"{owner}: group_list ends at {ends[-1]}; need {x.shape[axis]} at most")
        starts = [0, *ends[:-1]]
        return [ops.narrow(x, axis, start, end - start) for start, end in zip(starts, ends, strict=True)]
    place = ops.arange(x.shape[axis])
    shape = [1] * x.ndim
    shape[axis] = -1
    parts, start = [], ops.zeros((), ends.dtype)
    for end in ends.unbind():
        inside = ((place >= start) & (place < end)).reshape(shape)
        parts.append(ops.where(inside, x, ops.zeros_like(x)))
        start = end
    return parts


def _grouped_product(owner, x, weight, bias, group_list, group_type, group_list_type):
    for name, tensors in (("x", x), ("weight", weight)):
        if not isinstance(tensors, (tuple, list)) or len(tensors) != 1:
            raise ValueError(f"{owner}: {name} is {tensors!r}; need a list with one Tensor")
    x, weight = x[0], weight[0]
    bias = None if bias is None or not bias else bias[0]
    if group_type not in (0, 2):
        raise ValueError(f"{owner}: group_type is {group_type!r}; need 0 or 2")
    ends = _ends(owner, group_list, group_list_type)
    if group_type == 2:
        pairs = zip(_groups(owner, x, 1, ends), _groups(owner, weight, 0, ends), strict=True)
        return (ops.stack([ops.matmul(left, right) for left, right in pairs]),)
    parts = _groups(owner, x, 0, ends)
    if weight.ndim != 3 or weight.shape[0] != len(parts):
        raise ValueError(
            f"{owner}: weight has shape {weight.shape}; need ({len(parts)}, k, n), one for each group"
        )
    products = [ops.matmul(part, weight[group]) for group, part in enumerate(parts)]
    if not isinstance(ends, list):
        return (_with_bias_inside(sum(products[1:], products[0]), bias, x, ends),)
    if bias is not None:
        products = [product + bias[group] for group, product in enumerate(products)]
    rest = x.shape[0] - (ends[-1] if ends else 0)
    return (ops.concat([*products, ops.zeros((rest, weight.shape[2]), x.dtype)]),)


def _with_bias_inside(product, bias, x, ends):
    if bias is None:
        return product
    ones = ops.ones((x.shape[0], 1), product.dtype)
    added = [part * bias[group] for group, part in enumerate(_groups("gmm", ones, 0, ends))]
    return product + sum(added[1:], added[0])


def gmm(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0):
    """Grouped matrix product, y[g] = x[g] @ weight[g], over groups of rows of `x`; of columns with `group_type` 2.

    `group_list` holds the end of each group, or with `group_list_type` 1 the sizes; a list of ints holds ends.
    """
    return _grouped_product("gmm", x, weight, bias, group_list, group_type, group_list_type)


def gmm_v2(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0):
    """Grouped matrix product; see `gmm`."""
    return _grouped_product("gmm_v2", x, weight, bias, group_list, group_type, group_list_type)


def gmm_backward(grad, x, weight, group_list=None, group_list_type=0):
    """Gradients of `gmm` for `x` and `weight`, grad @ weightᵀ and xᵀ @ grad, group by group."""
    turned = [ops.swapaxes(each, -1, -2) for each in weight]
    by_x = _grouped_product("gmm_backward", grad, turned, None, group_list, 0, group_list_type)
    columns = [ops.swapaxes(each, 0, 1) for each in x]
    by_weight = _grouped_product("gmm_backward", columns, grad, None, group_list, 2, group_list_type)
    return by_x, by_weight


def gmm_v2_backward(grad, x, weight, group_list=None, group_list_type=0):
    """Gradients of `gmm` for `x` and `weight`; see `gmm_backward`."""
    return gmm_backward(grad, x, weight, group_list, group_list_type)


def gmm_backward_fusion(grad, weight, group_list=None, group_list_type=0):
    """Gradient of `gmm` for `x`, grad @ weightᵀ, group by group."""
    turned = [ops.swapaxes(each, -1, -2) for each in weight]
    return _grouped_product("gmm_backward_fusion", grad, turned, None, group_list, 0, group_list_type)


def gmm_v2_backward_fusion(grad, weight, group_list=None, group_list_type=0):
    """Gradient of `gmm` for `x`; see `gmm_backward_fusion`."""
    return gmm_backward_fusion(grad, weight, group_list, group_list_type)


def inner_moe_token_unpermute(
    permuted_tokens, sorted_indices, probs=None, padded_mode: bool = False, restore_shape=None
):
    """Restores the order of tokens that were sorted by expert; see `ops.moe_token_unpermute`."""
    return ops.moe_token_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)


def moe_gating_top_k_softmax(x, finished=None, k: int = 1):
    """Top-k gating of a mixture of experts, topk(softmax(x), k).

    Args:
        x (Tensor): scores of the experts, of shape (..., experts) with 2 or 3 dimensions.
        finished (Tensor or None): bools for rows to route to the expert after the last. Default: None.
        k (int): number of experts per row. Default: 1.

    Returns:
        Tuple (probabilities, experts, numbers of the pairs of row and expert, by column).
    """
    owner = "moe_gating_top_k_softmax"
    require_tensors(owner, x=x)
    if x.ndim not in (2, 3):
        raise ValueError(f"{owner}: x has shape {x.shape}; need 2 or 3 dimensions")
    if require_int(owner, "k", k, 1) > x.shape[-1]:
        raise ValueError(f"{owner}: k is {k}; need {x.shape[-1]} at most")
    values, experts = ops.topk(ops.softmax(x.astype(_core.float32), -1), k)
    experts = experts.astype(_core.int32)
    if finished is not None:
        experts = ops.where(finished.expand_dims(-1), ops.full_like(experts, x.shape[-1]), experts)
    rows = 1
    for size in x.shape[:-1]:
        rows *= size
    numbers = ops.arange(rows * k).reshape(k, rows).T.reshape(values.shape)
    return values.astype(x.dtype), experts, numbers.astype(_core.int32)


def moe_init_routing(x, row_idx, expert_idx, active_num: int):
    """Repeats rows of `x` for each of their experts, sorted by expert.

    Args:
        x (Tensor): rows, of shape (rows, columns).
        row_idx (Tensor): numbers of the pairs of row and expert, by column, of shape (rows, experts of a row).
        expert_idx (Tensor): expert of each pair, with the shape of `row_idx`.
        active_num (int): largest number of rows to route.

    Returns:
        Tuple (sorted rows, position of each pair in them, sorted experts).
    """
    owner = "moe_init_routing"
    require_tensors(owner, x=x, row_idx=row_idx, expert_idx=expert_idx)
    if x.ndim != 2 or expert_idx.ndim != 2 or row_idx.shape != expert_idx.shape:
        raise ValueError(
            f"{owner}: x has shape {x.shape}, row_idx {row_idx.shape} and expert_idx {expert_idx.shape}; need (rows, "
            "columns) and twice (rows, experts of a row)"
        )
    rows, each = expert_idx.shape
    experts = expert_idx.reshape(-1)
    # Pairs of one expert keep their order.
    order = ops.argsort(experts.astype(_core.int64) * (rows * each) + ops.arange(rows * each))
    numbers = row_idx.reshape(-1)[order]
    taken = numbers[: min(rows, require_int(owner, "active_num", active_num, 0)) * each]
    return x[taken % rows], ops.argsort(numbers).astype(_core.int32), experts[order]


def moe_finalize_routing(
    expanded_x, x1, x2=None, bias=None, scales=None, expanded_row_idx=None, expanded_expert_idx=None
):
    """Combines the results of experts, y = x1 + x2 + Σ_k scales[:, k] · (expanded_x of expert k + its bias)."""
    owner = "moe_finalize_routing"
    require_tensors(owner, expanded_x=expanded_x, x1=x1, scales=scales, expanded_row_idx=expanded_row_idx)
    rows, each = scales.shape
    found = x1 if x2 is None else x1 + x2
    for place in range(each):
        part = expanded_x[expanded_row_idx[place * rows : (place + 1) * rows]]
        if bias is not None:
            part = part + bias[expanded_expert_idx[:, place]]
        found = found + scales[:, place : place + 1] * part
    return found


def layer_norm_v3(input_x, gamma, beta, *, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    """Layer normalization over the axes from `begin_norm_axis` on: result, mean and 1 / √(variance + epsilon)."""
    y, mean, variance = layer_norm_moments(input_x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)
    return y, mean, ops.rsqrt(variance + epsilon)


def transpose_batch_matmul_transpose(
    input, weight, perm_in, perm_out, transpose_a: bool = False, transpose_b: bool = False
) -> Tensor:
    """Batched matrix product of the permuted input and the weight, permuted again by `perm_out`."""
    product = ops.BatchMatMul(transpose_a, transpose_b)(ops.permute(input, tuple(perm_in)), weight)
    return ops.permute(product, tuple(perm_out))


def multi_scale_deformable_attn(value, shape, offset, locations, weight):
    """Multi-scale deformable attention: a weighted sum of features sampled bilinearly from several maps.

    Args:
        value (Tensor): features of shape (batch, positions of all maps, heads, width).
        shape (Tensor): height and width of each map, of shape (maps, 2).
        offset (Tensor): first position of each map in `value`.
        locations (Tensor): x and y in [0, 1], of shape (batch, queries, heads, maps, points, 2).
        weight (Tensor): weights, with the shape of `locations` without the last dimension.

    Returns:
        Tensor of shape (batch, queries, heads * width).
    """
    owner = "multi_scale_deformable_attn"
    require_tensors(owner, value=value, shape=shape, offset=offset, locations=locations, weight=weight)
    batch, _, heads, width = value.shape
    if locations.ndim != 6 or weight.shape != locations.shape[:5] or shape.shape != (locations.shape[3], 2):
        raise ValueError(
            f"{owner}: shape has shape {shape.shape}, locations {locations.shape} and weight {weight.shape}; need "
            "(maps, 2), (batch, queries, heads, maps, points, 2) and the same without the last"
        )
    queries, points = locations.shape[1], locations.shape[4]
    total: Any = None
    for level, ((rows, columns), start) in enumerate(zip(shape.tolist(), offset.tolist(), strict=True)):
        one_map = value[:, start : start + rows * columns].transpose(0, 2, 3, 1)
        images = one_map.reshape(batch * heads, width, rows, columns)
        grid = (locations[:, :, :, level] * 2 - 1).transpose(0, 2, 1, 3, 4).reshape(-1, queries, points, 2)
        found = ops.grid_sample(images, grid, "bilinear", "zeros", False)
        share = weight[:, :, :, level].transpose(0, 2, 1, 3).reshape(-1, 1, queries, points)
        part = (found * share).sum(-1)
        total = part if total is None else total + part
    return total.reshape(batch, heads * width, queries).transpose(0, 2, 1)


def multi_scale_deformable_attn_function(value, shape, offset, locations, weight):
    """Multi-scale deformable attention; see `multi_scale_deformable_attn`."""
    return multi_scale_deformable_attn(value, shape, offset, locations, weight)


def ring_attention_update(
    prev_attn_out,
    prev_softmax_max,
    prev_softmax_sum,
    cur_attn_out,
    cur_softmax_max,
    cur_softmax_sum,
    actual_seq_qlen=None,
    layout: str = "SBH",
):
    """Ring attention update: merges the attention over two parts of the keys.

        m = max(m₁, m₂),  l = l₁ · exp(m₁ - m) + l₂ · exp(m₂ - m)
        y = (y₁ · l₁ · exp(m₁ - m) + y₂ · l₂ · exp(m₂ - m)) / l

    m is the largest score, l the softmax sum. Returns (y, m, l).

    The layout "SBH" is (length, batch, heads * width) with scores (batch, heads, length, 8); "TND" is (all lengths,
    heads, width) with scores (all lengths, heads, 8).
    """
    owner = "ring_attention_update"
    require_choice(owner, "layout", layout, ("SBH", "TND"))
    if layout == "TND" and actual_seq_qlen is None:
        raise ValueError(
            f"{owner}: actual_seq_qlen is None; need the ends of the sequences for the layout 'TND'"
        )
    largest = ops.maximum(prev_softmax_max, cur_softmax_max)
    before = prev_softmax_sum * ops.exp(prev_softmax_max - largest)
    now = cur_softmax_sum * ops.exp(cur_softmax_max - largest)
    total = before + now

    def spread(share):
        if layout == "TND":
            return share[..., :1]
        length, batch, size = prev_attn_out.shape
        heads = share.shape[1]
        per_head = share[..., :1].transpose(2, 0, 1, 3)
        return ops.broadcast_to(per_head, (length, batch, heads, size // heads)).reshape(length, batch, size)

    wide = prev_attn_out.astype(_core.float32) * spread(before / total)
    wide = wide + cur_attn_out.astype(_core.float32) * spread(now / total)
    return wide.astype(prev_attn_out.dtype), largest, total


def adamw(
    var,
    m,
    v,
    max_v,
    gradient,
    step,
    lr,
    beta1,
    beta2,
    decay,
    eps,
    amsgrad: bool = False,
    maximize: bool = False,
):
    """One AdamW step, in place; `step` counts from 0.

        m = beta1 · m + (1 - beta1) · g,  v = beta2 · v + (1 - beta2) · g²
        var = (1 - lr · decay) · var - lr · m̂ / (√v̂ + eps)

    m̂ = m / (1 - beta1^(step + 1)) and v̂ = v / (1 - beta2^(step + 1)) are the moments without bias. With `amsgrad`
    the largest `v` so far, `max_v`, replaces `v`; `maximize` negates the gradient. Returns (var, m, v).
    """
    return _adamw(
        (var, m, v, max_v if amsgrad else None),
        beta1 ** (step + 1),
        beta2 ** (step + 1),
        (lr, beta1, beta2, decay, eps),
        -gradient if maximize else gradient,
    )


def apply_adamw(
    var,
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    weight_decay,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm=None,
    amsgrad: bool = False,
    maximize: bool = False,
):
    """One AdamW step, in place, with the powers of beta1 and beta2 as arguments; see `adamw`. Returns (var, m, v)."""
    if amsgrad and max_grad_norm is None:
        raise ValueError("apply_adamw: max_grad_norm is None; need the largest second moments for amsgrad")
    return _adamw(
        (var, m, v, max_grad_norm if amsgrad else None),
        beta1_power,
        beta2_power,
        (lr, beta1, beta2, weight_decay, epsilon),
        -grad if maximize else grad,
    )


def _adamw(states, beta1_power, beta2_power, rates, gradient):
    var, m, v, largest = states
    lr, beta1, beta2, decay, eps = rates
    gradient = gradient.astype(m.dtype)
    m.copy_(m * beta1 + gradient * (1 - beta1))
    v.copy_(v * beta2 + ops.square(gradient) * (1 - beta2))
    second = v
    if largest is not None:
        largest.copy_(ops.maximum(largest, v))
        second = largest
    size = ops.sqrt(second / (1 - beta2_power)) + eps
    var.copy_((var * (1 - lr * decay) - lr / (1 - beta1_power) * m / size).astype(var.dtype))
    return var, m, v
