"""Writes in place, assigned Parameters, loops and branches."""

_UPDATES = ("{x} * 0.5 + 1", "ops.tanh({x})", "{x} - 0.25", "ops.relu({x}) + {x}", "ops.sigmoid({x}) * 2")


def write(w):
    """A write into a variable or into a part of it."""
    name = w.pick(floats=True, rank=1, fits=lambda tensor: tensor.size > 0)
    if name is None or not w.writes_allowed or _repeated(w, name):
        return None
    shape = w.shape(name)
    same = w.pick(dtype=w.graph.dtypes[name], fits=lambda tensor: tuple(tensor.shape) == shape)
    forms = [
        f"{name}[0] = 1.5",
        f"{name}[..., -1] = 0",
        f"{name}[:1] = {name}[-1:] * 2",
        f"{name}.add_({same})",
    ]
    forms += [f"{name}.mul_(0.5)", f"{name}[...] = {same} + 1", f"{name}[1:] += 1"]
    reads = tuple(dict.fromkeys((name, same)))
    return w.add_text(w.draw.choice(forms), (), reads, writes=(name,))


def _repeated(w, name):
    """True if elements share memory; such a tensor is not written."""
    return name in w.graph.arguments and w.graph.arguments[name].layout == "repeated"


def assign(w):
    """A Parameter gets a new value."""
    name = w.pick(floats=True, fits=lambda tensor: tensor.size > 0)
    if name is None or not w.writes_allowed:
        return None
    found = [p for p in w.graph.parameters if w.shape(p) == w.shape(name)]
    parameter = found[0] if found else w.argument(w.shape(name), w.graph.dtypes[name], True, "usual")
    forms = [f"ops.assign({parameter}, {name})", f"ops.assign_add({parameter}, {name})"]
    return w.add_text(w.draw.choice(forms), (), (parameter, name), writes=(parameter,))


def loop(w):
    """A loop that a tensor ends, or one that Python counts."""
    name = w.pick(floats=True, fits=lambda tensor: 0 < tensor.size < 2000)
    if name is None:
        return None
    made, times = f"v{len(w.graph.statements)}", w.number(0, 4)
    step = w.draw.choice(_UPDATES).format(x=made)
    if w.chance(0.4):
        text = f"{made} = {name}\nfor _ in range({times}):\n    {made} = {step}"
    else:
        counter = f"n{len(w.graph.statements)}"
        text = f"{made} = {name} * 1\n{counter} = Tensor(0)\nwhile {counter} < {times}:\n"
        text += f"    {made} = {step}\n    {counter} = {counter} + 1"
    square = w.pick(floats=True, fits=lambda t: t.ndim == 2 and t.shape[0] == t.shape[1] and 0 < t.size < 300)
    if square is not None and w.chance(0.4):
        text = text.replace(step, f"ops.tanh({made} @ {made}) + 0.1").replace(f"= {name}", f"= {square}")
        return w.add_text(text, (made,), (square,), exact=False, view=times == 0)
    return w.add_text(text, (made,), (name,), view=times == 0)


def branch(w):
    """A branch that a tensor chooses."""
    name = w.pick(floats=True, fits=lambda tensor: tensor.size > 0)
    asked = w.pick(exact=True, fits=lambda tensor: tensor.size > 0)
    if name is None or asked is None:
        return None
    made = f"v{len(w.graph.statements)}"
    one, other = (w.draw.choice(_UPDATES).format(x=name) for _ in range(2))
    condition = f"ops.amax({asked}.astype(float32)) > {w.draw.choice(['0', '1', '2.5', '100'])}"
    text = f"if {condition}:\n    {made} = {one}\nelse:\n    {made} = {other}"
    return w.add_text(text, (made,), tuple(dict.fromkeys((name, asked))))
