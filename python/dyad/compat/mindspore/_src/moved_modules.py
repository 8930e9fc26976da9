"""Modules below `dyad._src` under the paths that they had before its folders: pickles of earlier versions name them."""

import functools
from importlib import import_module
from pathlib import Path

_INNER = "dyad._src"
# Files that have another name now. Any other file is looked for by its name in all folders.
_RENAMED = {
    "alternatives": "base.tagged_union",
    "autodiff.gradient_function": "autodiff.transformed",
    "blame": "base.error_owner",
    "checkpoint.print_file": "checkpoint.ckpt_file",
    "context_keys": "context.keys",
    "explain.explain": "observe.explain.inspection",
    "fans": "tensor.initialization",
    "jit.dressing": "jit.api.metadata",
    "precision": "tensor.precision",
    "profile": "observe.profile",
    "tensor_spellings": "tensor.tensor_methods",
    "tensor_text": "tensor.text",
    "user_warning": "base.error_owner",
    "weights": "cell.weights",
}
# Modules that are packages of the same name now, and the module that has their names.
_PACKAGES = {
    "context": "context.settings",
    "jit.dynamic_shapes": "jit.dynamic_shapes.dynamic_sizes",
    "jit.options": "jit.options.options",
    "primitive": "primitive.primitive",
    "tensor": "tensor.tensor",
}


@functools.cache
def target_of(fullname):
    """The path of a module or package today; None if no file, or more than one, has its name."""
    path = fullname.removeprefix(f"{_INNER}.")
    if path == "quant_dtype":
        return "dyad.dtype"
    if path in _RENAMED:
        return f"{_INNER}.{_RENAMED[path]}"
    above, _, name = path.rpartition(".")
    for package in (_INNER, __package__):
        root = Path(import_module(package).__path__[0])
        modules = [file.relative_to(root).with_suffix("") for file in root.rglob(f"{name}.py")]
        modules += [file.relative_to(root).parent for file in root.rglob(f"{name}/__init__.py")]
        near = [module for module in modules if above and above.rpartition(".")[2] in module.parts[:-1]]
        found = near or modules
        if len(found) == 1:
            return ".".join((package, *found[0].parts))
    return None


def attribute(module_name, name):
    """A name of a package that was a module; None for any other."""
    home = _PACKAGES.get(module_name.removeprefix(f"{_INNER}."))
    return None if home is None else getattr(import_module(f"{_INNER}.{home}"), name, None)
