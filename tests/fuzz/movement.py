"""Operators that move elements: other orders of axes, parts, joined and repeated tensors, gathered rows."""


def _axis(w, name, outside=0):
    """A random axis; `outside` of one more place is left for new axes."""
    rank = len(w.shape(name)) + outside
    return w.number(-rank, rank - 1)


def reorder(w):
    name = w.pick(rank=1)
    if name is None:
        return None
    rank = len(w.shape(name))
    order = list(range(rank))
    w.draw.shuffle(order)
    forms = [f"ops.permute({name}, {tuple(order)})", f"{name}.swapaxes({_axis(w, name)}, {_axis(w, name)})"]
    forms += [
        f"ops.expand_dims({name}, {_axis(w, name, 1)})",
        f"{name}.reshape(-1)",
        f"ops.flip({name}, (0,))",
    ]
    if 1 in w.shape(name):
        forms.append(f"ops.squeeze({name}, {w.shape(name).index(1)})")
    return w.add(w.draw.choice(forms), [name], view=True)


def reshape(w):
    name = w.pick(rank=1, fits=lambda tensor: tensor.size > 0)
    if name is None:
        return None
    shape = w.shape(name)
    size = w.space[name].size
    choices = [(*shape, 1), (1, *shape), (size,), (-1, shape[-1]), (*shape[:-1], 1, shape[-1])]
    choices += [(divisor, size // divisor) for divisor in (2, 3, 4, 5) if size % divisor == 0]
    return w.add(f"{name}.reshape({w.draw.choice(choices)})", [name], view=True)


def broadcast(w):
    name = w.pick(fits=lambda tensor: tensor.size < 1000)
    if name is None:
        return None
    shape = w.shape(name)
    wanted = tuple(w.draw.choice([2, 3, 5]) if size == 1 and w.chance(0.7) else size for size in shape)
    if w.chance(0.5):
        wanted = (w.draw.choice([1, 2, 3]), *wanted)
    return w.add(f"ops.broadcast_to({name}, {wanted})", [name], view=True)


def part(w):
    """A slice, with steps, from behind, or one index."""
    name = w.pick(rank=1)
    if name is None:
        return None
    subscripts = []
    for size in w.shape(name)[: w.number(1, len(w.shape(name)))]:
        choices = [":", "1:", ":-1", "::2", "::-1", "None", "-3:", f"{size // 2}:"]
        if size > 0:
            choices += ["0", "-1"]
        subscripts.append(w.draw.choice(choices))
    start = "..., " if w.chance(0.15) else ""
    return w.add(f"{name}[{start}{', '.join(subscripts)}]", [name], view=True)


def join(w):
    name = w.pick(rank=1)
    if name is None:
        return None
    shape, dtype = w.shape(name), w.graph.dtypes[name]
    axis = _axis(w, name)

    def fits(tensor):
        if tensor.ndim != len(shape):
            return False
        return all(
            a == b or at == axis % len(shape)
            for at, (a, b) in enumerate(zip(tensor.shape, shape, strict=True))
        )

    other = w.pick(dtype=dtype, fits=fits)
    same = w.pick(dtype=dtype, fits=lambda tensor: tuple(tensor.shape) == shape)
    forms = [f"ops.concat(({name}, {other}), {axis})", f"ops.concat(({name}, {other}, {name}), {axis})"]
    forms += [f"ops.stack(({name}, {same}), {_axis(w, name, 1)})", f"ops.tile({name}, (2,))"]
    at = w.number(0, len(forms) - 1)
    reads = {0: (name, other), 1: (name, other), 2: (name, same), 3: (name,)}[at]
    return w.add(forms[at], list(dict.fromkeys(reads)))


def further(w):
    name = w.pick(rank=1)
    if name is None:
        return None
    axis = _axis(w, name)
    forms = [f"ops.roll({name}, {w.number(-3, 3)}, {axis})", f"ops.repeat_interleave({name}, 2, {axis})"]
    forms += [f"{name}.copy()", f"ops.pad({name}, (1, 2))", f"ops.stop_gradient({name})"]
    if len(w.shape(name)) >= 2:
        forms += [f"ops.tril({name})", f"ops.triu({name}, 1)", f"ops.diagonal({name})"]
    return w.add(w.draw.choice(forms), [name], view=True)


def pieces(w):
    """Several results of one operator."""
    name = w.pick(rank=1, fits=lambda tensor: tensor.shape[0] in (2, 3, 4, 8, 16, 64))
    if name is None:
        return None
    count = len(w.graph.statements)
    half = w.shape(name)[0] // 2 or 1
    first, second = f"v{count}", f"w{count}"
    forms = [f"{first}, {second} = ops.split({name}, ({half}, {w.shape(name)[0] - half}), 0)"]
    if w.shape(name)[0] % 2 == 0:
        forms.append(f"{first}, {second} = ops.chunk({name}, 2, 0)")
    return w.add_text(w.draw.choice(forms), (first, second), (name,), view=True)


def gather(w):
    """Rows by an index tensor, by an index list, by position along an axis."""
    name = w.pick(rank=1, fits=lambda tensor: 0 not in tensor.shape)
    if name is None:
        return None
    shape = w.shape(name)
    axis = w.number(0, len(shape) - 1)
    index = w.argument((w.draw.choice([1, 2, 5]),), w.draw.choice(["int32", "int64"]), kind="usual")
    inside = f"({index} % {shape[axis]})"
    forms = [f"ops.gather({name}, {inside}, {axis})", f"ops.index_select({name}, {axis}, {inside})"]
    if axis == 0:
        forms += [f"{name}[{inside}]", f"{name}[{inside}, ...]", f"{name}[[0, -1]]"]
    return w.add(w.draw.choice(forms), [name, index])
