"""The switch of bytecode capture for the whole process: while it is off, Python runs what this mode has compiled."""

from dyad._src.jit.cache.compile_cache import every_compiled_function

_is_on = True


def is_on():
    """Returns whether functions are captured from their bytecode, and what was compiled of them is used."""
    return _is_on


def switch_on():
    """Lets calls be served by graphs again; those that there were are used as before."""
    global _is_on
    if not _is_on:
        _is_on = True
        for compiled in _from_bytecode():
            compiled.__jit_compiler__.bring_back(compiled)


def switch_off():
    """Lets Python run every call from now on; no graph is made, and none is lost."""
    global _is_on
    if _is_on:
        _is_on = False
        for compiled in _from_bytecode():
            compiled.__jit_compiler__.withdraw(compiled)


def _from_bytecode():
    """Callables that were jitted in this mode; parts of functions are called through those."""
    return [each for each in list(every_compiled_function) if hasattr(each.__jit_compiler__, "withdrawn")]
