"""The operator table as a module: `from dyad._src.operators import where`.

A name is the operator of that name, with the parameters of its entry. A function of `ops` that has no operator of its
name is found here too; `functions` holds all of them, with the parameters that programs write.
"""

from typing import Any

from dyad import _core

functions: dict[str, Any] = _core.op_functions()


def __getattr__(name):  # Any to mypy, which would need annotations before it has read them: an import cycle
    try:
        found = _core.named_op(name)
    except KeyError:
        if name not in functions:
            raise AttributeError(f"operators: there is no operator {name!r}", name=name) from None
        found = functions[name]
    globals()[name] = found
    return found
