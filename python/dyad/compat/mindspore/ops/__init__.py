"""Names of `dyad.ops` that only MindSpore has: older Primitives, and spellings that follow rules.

The older Primitives and their functions become names of `dyad.ops` when this package is imported.
"""

from dyad import ops
from dyad.compat.mindspore.ops import (
    float_status,
    function_primitives,
    layer_primitives,
    older_steps,
    random_primitives,
)
from dyad.ops import composite

OLDER = (float_status, function_primitives, layer_primitives, older_steps, random_primitives)
_older = {name: getattr(module, name) for module in OLDER for name in module.__all__}
vars(ops).update(_older, __all__=sorted({*vars(ops)["_listed"], *_older}))
composite.add_operators(_older)

# Modules that programs call by one letter.
_LETTERS = {"C": "composite", "F": "functional", "P": "operations"}


def find(name):
    """Finds a name of `dyad.ops` that is not in its core; None if there is none."""
    if name in _LETTERS:
        return getattr(ops, _LETTERS[name])
    if name in _older or name == "__all__":
        return vars(ops)[name]
    return ops.auto_generate.of_ops(name) if name and not name.startswith("_") else None
