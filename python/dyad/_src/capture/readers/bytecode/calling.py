"""Layout of a callable and its arguments on the stack, which differs between minors.

Up to 3.12 the place for NULL is below the callable, from 3.13 on above it. Where a method was looked up without being
bound, Python has the function and its owner in these two places; here a method is always bound, and NULL beside it.
"""

from dyad._src.bytecode.minors import facts
from dyad._src.capture.readers.bytecode.stack import NULL

_NULL_FIRST = facts().NULL_IS_BELOW
CALLABLE_BELOW_KEYWORDS = 2 if _NULL_FIRST else 3  # between them lie the arguments


def loads_method(instruction):
    """Returns whether LOAD_ATTR leaves a callable with the place beside it."""
    return bool(instruction.arg & facts().METHOD_BIT)


def push_callable(stack, value, is_callable):
    """Pushes a value; where it will be called, with NULL beside it."""
    if is_callable and _NULL_FIRST:
        stack.push(NULL)
    stack.push(value)
    if is_callable and not _NULL_FIRST:
        stack.push(NULL)


def pop_callable(stack):
    """(the callable, first arguments that lie beside it)."""
    below, above = stack.pop_many(2)
    if _NULL_FIRST:
        return (above, ()) if below is NULL else (below, (above,))
    return (below, ()) if above is NULL else (below, (above,))


def pop_spread_callable(stack):
    """The callable of CALL_FUNCTION_EX."""
    below, above = stack.pop_many(2)
    return above if _NULL_FIRST else below
