"""Pools, norms, products, attention, softmax and what else works along vectors, at sizes that fill none."""

import numpy as np

from dyad import ops

from .case import Case, Draw

_MAX = {1: ops.max_pool1d, 2: ops.max_pool2d, 3: ops.max_pool3d}
_AVERAGE = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}


def pool(draw: Draw) -> Case:
    rank = draw.one_of(1, 2, 2, 3)
    kernel, stride = draw.whole(1, 5), draw.whole(1, 4)
    padding = draw.whole(0, kernel // 2)
    images, channels = draw.whole(1, 4), draw.channels()
    sizes = tuple(kernel + draw.whole(0, (200, 40, 8)[rank - 1]) for _ in range(rank))
    ceil = draw.chance(0.3)
    text = f"({images}, {channels}, {sizes}) k{kernel} s{stride} p{padding} ceil {ceil}"
    x = [draw.integers((images, channels, *sizes), 30)]
    if draw.chance(0.5):
        run = _MAX[rank]
        return Case(f"max pool {text}", lambda x: run(x, kernel, stride, padding, ceil_mode=ceil), x)
    run, counted = _AVERAGE[rank], draw.chance(0.5)
    return Case(
        f"average pool {text} counted {counted}",
        lambda x: run(x, kernel, stride, padding, ceil, counted),
        x,
    )


def norm(draw: Draw) -> Case:
    kind = draw.one_of("batch", "batch of use", "layer", "group", "instance", "rms")
    channels = draw.channels()
    sizes = tuple(draw.length(70) for _ in range(draw.whole(0, 2)))
    shape = (draw.whole(2, 9), channels, *sizes)
    if kind in ("group", "instance") and int(np.prod(sizes)) < 3:
        shape = (*shape[:2], draw.whole(3, 40), draw.whole(1, 9))
    width = shape[-1] if kind in ("layer", "rms") else channels
    groups = draw.one_of(*(g for g in range(1, channels + 1) if channels % g == 0))
    mean, variance = draw.normal((width,)), draw.normal((width,)) ** 2 + 0.5
    runs = {
        "batch": lambda x, w, b: ops.batch_norm(x, None, None, w, b, True),
        "batch of use": lambda x, w, b: ops.batch_norm(x, _like(mean, x), _like(variance, x), w, b, False),
        "layer": lambda x, w, b: ops.layer_norm(x, (width,), w, b),
        "group": lambda x, w, b: ops.group_norm(x, groups, w, b),
        "instance": lambda x, w, b: ops.instance_norm(x, w, b),
        "rms": lambda x, w, b: _first(ops.rms_norm(x, w)) + b,
    }
    inputs = [draw.normal(shape)]
    weights = [draw.normal((width,)), draw.normal((width,))]
    # A norm over two numbers divides by what is left of their difference.
    return Case(f"norm: {kind} {shape} groups {groups}", runs[kind], inputs, weights, tolerance=2e-3)


def _like(array, x):
    from dyad import Tensor

    return Tensor(array).astype(x.dtype)


def _first(found):
    return found[0] if isinstance(found, tuple) else found


def product(draw: Draw) -> Case:
    m, k, n = draw.length(), draw.length(), draw.length()
    if draw.chance(0.1):
        m, k, n = (draw.one_of(255, 256, 257, 300) for _ in range(3))  # one for the library
    batch = tuple(draw.whole(1, 4) for _ in range(draw.whole(0, 2)))
    dense, transposed = draw.chance(0.5), draw.chance(0.3)
    has_bias, steps = draw.chance(0.5), draw.one_of("", "relu", "tanh", "add")
    shape = (n, k) if dense else (k, n)
    weights = [draw.integers(shape)] + ([draw.integers((n,))] if has_bias else [])
    scale = 1 / (4 * k)

    def network(x, weight, *bias):
        if transposed:
            x = x.swapaxes(-1, -2)
        out = ops.dense(x, weight, *bias) if dense else ops.matmul(x, weight)
        if bias and not dense:
            out = out + bias[0]
        return _step(out, steps, scale)

    x = draw.integers((*batch, k, m) if transposed else (*batch, m, k))
    text = f"product {batch} {m}x{k}x{n} dense {dense} transposed {transposed} bias {has_bias} {steps}"
    return Case(text, network, [x], weights, tolerance=2e-5)


def _step(out, steps, scale):
    if steps == "tanh":
        return ops.tanh(out * scale)
    return ops.relu(out) if steps == "relu" else out + out * 2 if steps == "add" else out


def batched(draw: Draw) -> Case:
    """Products of stacks of matrices, each side a view or not, with sizes that repeat."""
    m, k, n = draw.length(70), draw.length(70), draw.length(70)
    batch = tuple(draw.whole(1, 5) for _ in range(draw.whole(1, 2)))
    other = tuple(draw.one_of(1, size) for size in batch)
    turned = draw.chance(0.4)
    right = (*other, n, k) if turned else (*other, k, n)

    def network(a, b):
        return ops.matmul(a, b.swapaxes(-1, -2) if turned else b)

    inputs = [draw.integers((*batch, m, k)), draw.integers(right)]
    return Case(
        f"batched {batch}x{other} {m}x{k}x{n} turned {turned}",
        network,
        inputs,
        reference=lambda a, b: a @ (b.swapaxes(-1, -2) if turned else b),
    )


def attention(draw: Draw) -> Case:
    images, heads = draw.whole(1, 3), draw.whole(1, 4)
    queries, keys, width = draw.length(70), draw.length(70), draw.length(65)
    value_width = width if draw.chance(0.7) else draw.length(65)
    causal = draw.chance(0.3)
    masked = not causal and draw.chance(0.3)
    written = draw.chance(0.5)  # as a program writes it out, which a static graph finds again
    mask = draw.normal((queries, keys)) if masked else None

    def network(q, k, v):
        added = None if mask is None else _like(mask, q)
        if not written:
            return ops.scaled_dot_product_attention(q, k, v, added, 0.0, causal)
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / float(np.sqrt(width))
        if added is not None:
            scores = scores + added
        return ops.matmul(ops.softmax(scores, -1), v)

    inputs = [
        draw.normal((images, heads, queries, width)),
        draw.normal((images, heads, keys, width)),
        draw.normal((images, heads, keys, value_width)),
    ]
    text = f"attention {images}x{heads} {queries}x{keys} width {width}, {value_width} causal {causal} mask {masked}"
    return Case(f"{text} written {written}", network, inputs, tolerance=1e-4)


def along(draw: Draw) -> Case:
    """Layers along one axis."""
    shape = tuple(draw.length(130) for _ in range(draw.whole(1, 3)))
    while int(np.prod(shape)) > 200000:
        shape = shape[1:]
    axis = draw.whole(0, len(shape) - 1)
    kind = draw.one_of(
        "softmax", "log_softmax", "logsumexp", "sum", "mean", "amax", "prod", "cumsum", "std", "sort"
    )
    runs = {
        "softmax": lambda x: ops.softmax(x, axis),
        "log_softmax": lambda x: ops.log_softmax(x, axis),
        "logsumexp": lambda x: ops.logsumexp(x, axis),
        "sum": lambda x: x.sum(axis),
        "mean": lambda x: x.mean(axis),
        "amax": lambda x: ops.amax(x, axis),
        "prod": lambda x: ops.prod(ops.tanh(x) + 1, axis),
        "cumsum": lambda x: ops.cumsum(x, axis),
        "std": lambda x: (ops.square(x).mean(axis) + 1).sqrt(),
        "sort": lambda x: ops.sort(x, axis)[0],
    }
    return Case(f"along: {kind} {shape} axis {axis}", runs[kind], [draw.normal(shape)], tolerance=2e-4)


def embedding(draw: Draw) -> Case:
    words, width = draw.length(), draw.length()
    shape = tuple(draw.whole(1, 17) for _ in range(draw.whole(1, 2)))
    rows = draw.indices(shape, words)
    table = draw.integers((words, width))

    def network(rows, table):
        return ops.embedding(rows, table) * 2

    return Case(
        f"embedding {shape} of {words}x{width}", network, [rows], [table], lambda rows, table: table[rows] * 2
    )


def entropy(draw: Draw) -> Case:
    rows, classes = draw.length(130), draw.length(130)
    labels = draw.indices((rows,), classes)
    smoothing = draw.one_of(0.0, 0.1)

    def network(labels, logits):
        return ops.cross_entropy(logits, labels, label_smoothing=smoothing)

    text = f"cross entropy {rows}x{classes} smoothing {smoothing}"
    return Case(text, network, [labels, draw.normal((rows, classes))], tolerance=1e-4)
