"""Programs that need Python while they run: how they are declared, and host code that many of them call.

What a call appends to LOG is watched; each call begins with an empty one. Without `then`, a program is called with its
floats as float64 and as whole numbers too, so that what stands behind a host statement meets other types.
"""

import dataclasses

from program import Call, Scene, scene

from dyad import Parameter, Tensor, float64, int32, jit_ignore

LOG: list = []


def log(*what):
    LOG.append(what if len(what) > 1 else what[0])


def total(x):
    """The sum of a Tensor as Python's float, by way of NumPy."""
    return float(x.asnumpy().sum())


@jit_ignore
def passed(value, name):
    """Gives back what it gets, after a word in the log."""
    LOG.append(name)
    return value


def hosted(*arguments, then=None, **options):
    """Declares a function as a program that STRICT would refuse; LOG is watched."""

    def declare(function):
        _watching(function, lambda: Scene(function), arguments, then, options)
        return function

    return declare


def hosted_scene(*arguments, then=None, **options):
    """Declares a function that builds a Scene, or just the callable, likewise."""

    def declare(builder):
        def build():
            built = builder()
            return built if isinstance(built, Scene) else Scene(built)

        _watching(builder, build, arguments, then, options)
        return builder

    return declare


def _watching(declared, build, arguments, then, options):
    def watching():
        LOG.clear()
        built = build()

        def watch():
            logged = list(LOG)
            LOG.clear()
            return logged, built.watch()

        return dataclasses.replace(built, watch=watch)

    watching.__name__, watching.__module__ = declared.__name__, declared.__module__
    then = other_types(arguments) if then is None else then
    scene(*arguments, then=then, **{"strict": False, **options})(watching)


def other_types(arguments):
    """The arguments with their Tensors of floats in two other types; none where there are no such Tensors."""

    def is_float(value):
        return isinstance(value, Tensor) and not isinstance(value, Parameter) and value.is_floating_point()

    if not any(map(is_float, arguments)):
        return []
    return [
        Call(*(value.astype(kind) if is_float(value) else value for value in arguments))
        for kind in (float64, int32)
    ]
