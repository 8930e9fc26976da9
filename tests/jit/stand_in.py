"""A stand-in for the compiler: entries whose guards look at the arguments only and that run the Python function.

So what `jit` decides (options, symbolic dimensions, when something is compiled) can be looked at by itself.
"""

from dyad import Tensor, _core


def entry(function, args, kwargs, options):
    tree = _core.GuardTree()
    names, named = (*range(len(args)), *kwargs), {}
    nodes = [tree.argument(number) for number in range(len(names))]
    for name, node, value in zip(names, nodes, (*args, *kwargs.values()), strict=True):
        _guard(tree, node, (name,), value, options.templates, named)

    def run(*values):
        return function(*values[: len(args)], **dict(zip(kwargs, values[len(args) :], strict=True)))

    output = ("build", run, [("source", node) for node in nodes])
    return _core.CompiledEntry(len(args), tuple(kwargs), tree, None, output, [])


def _guard(tree, node, place, value, templates, named):
    if isinstance(value, Tensor):
        template = templates.get(place)
        shape = template.sizes if template is not None else value.shape
        fixed = tuple(size if isinstance(size, int) else None for size in shape)
        tree.check_tensor(node, value.dtype, fixed)
        if template is not None:
            template.guard(tree, node, named)
    elif isinstance(value, (tuple, list)):
        tree.check_type(node, type(value))
        tree.check_length(node, len(value))
        for index, part in enumerate(value):
            _guard(tree, tree.element(node, index), (*place, index), part, templates, named)
    elif isinstance(value, dict):
        tree.check_keys(node, tuple(value))
        for key, part in value.items():
            _guard(tree, tree.item(node, key), (*place, key), part, templates, named)
    elif isinstance(value, (bool, int, float, str)) or value is None:
        tree.check_equal(node, value)
    else:
        tree.check_identity(node, value, weak=True)
