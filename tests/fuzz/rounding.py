"""Reductions, norms, losses, products, convolutions and pools: what several forms may round in their own ways."""

from .pointwise import composed, elementwise, operator


def _axes(w, name):
    """Axes to reduce as text: one, several, all of them."""
    rank = len(w.shape(name))
    if rank == 0 or w.chance(0.15):
        return "None"
    chosen = sorted(w.draw.sample(range(rank), w.number(1, rank)))
    signed = [axis - rank if w.chance(0.3) else axis for axis in chosen]
    return str(signed[0]) if len(signed) == 1 else str(tuple(signed))


def reduction(w):
    name = w.pick(fits=lambda tensor: tensor.size > 0 or w.chance(0.1))
    if name is None:
        return None
    axes, keep = _axes(w, name), w.chance(0.5)
    function = w.draw.choice(["sum", "sum", "mean", "mean", "prod", "var", "std", "logsumexp", "norm"])
    text = {
        "sum": f"{name}.sum({axes}, keepdims={keep})",
        "mean": f"{name}.mean({axes}, keep_dims={keep})",
        "prod": f"ops.prod(ops.clamp({name}, -1, 1), {axes if '(' not in axes else 0}, {keep})",
        "var": f"ops.var({name}, {axes}, keepdims={keep})",
        "std": f"(ops.var({name}, {axes}, 0, keepdims={keep}) + 0.1).sqrt()",
        "logsumexp": f"ops.logsumexp({name}, {axes if axes != 'None' else 0}, {keep})",
        "norm": f"ops.sqrt(ops.square({name}).sum({axes}, keepdims={keep}) + 0.01)",
    }[function]
    return w.add(text, [name], exact=function in ("sum", "prod") and not w.is_float(name))


def extreme(w):
    """Reductions that choose: they give one of the elements, or where it is."""
    name = w.pick(exact=True, fits=lambda tensor: tensor.size > 0)
    if name is None:
        return None
    axes, keep = _axes(w, name), w.chance(0.5)
    single = axes if "(" not in axes else "0"
    # Which of 0.0 and -0.0 is the larger is not said; adding 0.0 makes them one.
    forms = [f"ops.amax({name}, {axes}, {keep}) + 0", f"ops.amin({name}, {axes}, {keep}) + 0"]
    forms += [f"({name} > 0).any({axes}, {keep})", f"({name} < 1).all({axes}, {keep})"]
    if not w.special:
        forms += [f"ops.argmax({name}, {single})", f"ops.argmin({name}, {single})"]
    return w.add(w.draw.choice(forms), [name])


def normalised(w):
    """A reduction followed by a broadcast to the original shape."""
    name = w.pick(floats=True, rank=1, fits=lambda tensor: tensor.size > 0)
    if name is None:
        return None
    rank = len(w.shape(name))
    axis = w.number(-rank, rank - 1)
    last = w.shape(name)[-1]
    forms = [f"ops.softmax({name}, {axis})", f"ops.log_softmax({name}, {axis})"]
    forms += [f"{name} - {name}.mean({axis}, keep_dims=True)", f"{name} * {name}.sum({axis}, keepdims=True)"]
    forms += [f"{name} / (ops.abs({name}).sum({axis}, keepdims=True) + 1)"]
    forms += [f"ops.exp({name} - ops.stop_gradient(ops.amax({name}, {axis}, True))).sum({axis})"]
    reads = [name]
    if w.chance(0.3) and last > 1:
        weight = w.argument((last,), w.graph.dtypes[name], kind="usual")
        bias = w.argument((last,), w.graph.dtypes[name], kind="usual")
        forms = [f"ops.layer_norm({name}, ({last},), {weight}, {bias}, 1e-2)"]
        reads += [weight, bias]
    return w.add(w.draw.choice(forms), reads, exact=False)


def scan(w):
    name = w.pick(floats=True, rank=1)
    if name is None:
        return None
    rank = len(w.shape(name))
    axis = w.number(-rank, rank - 1)
    return w.add(f"ops.cumsum({name}, {axis})", [name], exact=False)


def loss(w):
    name = w.pick(floats=True, rank=2, fits=lambda tensor: tensor.size > 0 and tensor.ndim == 2)
    if name is None:
        return None
    rows, classes = w.shape(name)
    how = w.draw.choice(["'mean'", "'sum'", "'none'"])
    if w.chance(0.5):
        labels = w.argument((rows,), "int32", kind="usual")
        text = f"ops.cross_entropy({name}, {labels} % {classes}, reduction={how})"
        return w.add(text, [name, labels], exact=False)
    target = w.argument((rows, classes), w.graph.dtypes[name], kind="usual")
    forms = [f"ops.mse_loss({name}, {target}, {how})", f"ops.smooth_l1_loss({name}, {target}, 1.0, {how})"]
    forms += [f"ops.binary_cross_entropy_with_logits({name}, ops.sigmoid({target}), reduction={how})"]
    return w.add(w.draw.choice(forms), [name, target], exact=False)


def _with_tail(w, made):
    """An epilogue: what follows a product in real programs."""
    if made is not None:
        for _ in range(w.number(0, 3)):
            made = w.draw.choice([composed, operator, elementwise])(w) or made
    return made


def product(w):
    name = w.pick(floats=True, rank=1, fits=lambda tensor: tensor.shape[-1] > 0)
    if name is None:
        return None
    inner, dtype = w.shape(name)[-1], w.graph.dtypes[name]
    outer = w.draw.choice([1, 2, 5, 8, 17, 32, 64])
    fitting = w.pick(dtype=dtype, fits=lambda tensor: tensor.ndim == 2 and tensor.shape[0] == inner)
    if w.chance(0.5):
        weight = w.argument((outer, inner), dtype, w.chance(0.5) and w.writes_allowed, "usual")
        bias = w.argument((outer,), dtype, w.chance(0.5) and w.writes_allowed, "usual")
        with_bias = w.chance(0.7)
        text = f"ops.dense({name}, {weight}, {bias})" if with_bias else f"ops.dense({name}, {weight})"
        return _with_tail(w, w.add(text, [name, weight, bias][: 2 + with_bias], exact=False))
    if fitting is None or w.chance(0.5):
        fitting = w.argument((inner, outer), dtype, kind="usual")
    forms = [f"{name} @ {fitting}", f"ops.matmul({name}, {fitting})"]
    if len(w.shape(name)) == 2:
        forms += [f"ops.matmul({name}.T, {name})", f"ops.matmul({name}, {name}.swapaxes(0, 1))"]
    reads = list(dict.fromkeys((name, fitting)))
    return _with_tail(w, w.add(w.draw.choice(forms), reads, exact=False))


def _image(w):
    """A variable that can be an image, or a new one."""
    floats = ["float32", "float32", "float32", "float64", "bfloat16", "float16"]
    dtype = w.draw.choice(floats[: 4 if w.graph.differentiated else 6])
    found = w.pick(dtype=dtype, fits=lambda t: t.ndim == 4 and min(t.shape) > 0 and min(t.shape[2:]) >= 3)
    channels = w.draw.choice([1, 2, 3, 4, 8, 16])
    shape = (w.number(1, 2), channels, w.draw.choice([3, 5, 8, 9]), w.draw.choice([3, 4, 8, 11]))
    return found or w.argument(shape, dtype, kind="usual")


def convolution(w):
    name = _image(w)
    channels, dtype = w.shape(name)[1], w.graph.dtypes[name]
    groups = channels if w.chance(0.2) else 1
    outer = groups * w.draw.choice([1, 2, 3]) if groups > 1 else w.draw.choice([1, 2, 4, 8, 16, 17])
    size = w.draw.choice([1, 1, 3, 3, 2])
    parameter = w.chance(0.4) and w.writes_allowed
    weight = w.argument((outer, channels // groups, size, size), dtype, parameter, "usual")
    bias = w.argument((outer,), dtype, parameter, "usual") if w.chance(0.5) else None
    stride, padding, mode = (
        w.draw.choice([1, 1, 2]),
        w.draw.choice([0, 1]),
        w.draw.choice(["'pad'", "'same'"]),
    )
    padded = f", padding={padding}" if mode == "'pad'" else ""
    text = f"ops.conv2d({name}, {weight}, {bias}, stride={stride}, pad_mode={mode}{padded}, groups={groups})"
    made = w.add(text, [part for part in (name, weight, bias) if part], exact=False)
    if made is not None and w.chance(0.4):
        made = _batch_norm(w, made) or made
    return _with_tail(w, made)


def _batch_norm(w, name):
    channels, dtype = w.shape(name)[1], w.graph.dtypes[name]
    mean, scale, shift, spread = (w.argument((channels,), dtype, kind="usual") for _ in range(4))
    text = f"ops.batch_norm({name}, {mean}, {spread} * {spread} + 0.5, {scale}, {shift}, False)"
    return w.add(text, [name, mean, spread, scale, shift], exact=False)


def pool(w):
    name = _image(w)
    size, stride = w.number(1, 3), w.number(1, 2)
    forms = [f"ops.max_pool2d({name}, {size}, {stride})", f"ops.avg_pool2d({name}, {size}, {stride})"]
    forms += [f"ops.adaptive_avg_pool2d({name}, ({w.number(1, 2)}, 1))"]
    return _with_tail(w, w.add(w.draw.choice(forms), [name], exact=False))


def attention(w):
    """Attention written out, as programs do: products, a softmax between them."""
    length, width = w.draw.choice([1, 3, 8, 17]), w.draw.choice([4, 8, 16])
    dtype = w.draw.choice(["float32", "float32", "float64"] + ["bfloat16"] * (not w.graph.differentiated))
    shape = (w.number(1, 2), w.number(1, 3), length, width)
    query, key, value = (w.argument(shape, dtype, kind="usual") for _ in range(3))
    scores = f"ops.matmul({query}, {key}.swapaxes(-2, -1)) * {width**-0.5:.6f}"
    reads = [query, key, value]
    if w.chance(0.4):
        mask = w.argument((length, length), dtype, kind="usual")
        scores, reads = f"{scores} + {mask}", [*reads, mask]
    return _with_tail(w, w.add(f"ops.matmul(ops.softmax({scores}, -1), {value})", reads, exact=False))
