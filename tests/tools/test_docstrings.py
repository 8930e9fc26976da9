"""Every public function, class and method says what it does.

Public is what `__all__` of a public module lists and, of a class, the members without a leading underscore that the
package defines. An override has a docstring of its own where its class is public: `construct` of a layer says what
comes out. One of a private base may keep that of the member it overrides. Special methods do without: their contract is
Python's.
"""

import functools
import importlib
import inspect
import types

import pytest

MODULES = (
    "dyad",
    "dyad.amp",
    "dyad.common",
    "dyad.common.initializer",
    "dyad.context",
    "dyad.experimental.optim",
    "dyad.experimental.optim.lr_scheduler",
    "dyad.hal",
    "dyad.mint",
    "dyad.mint.linalg",
    "dyad.mint.nn",
    "dyad.mint.nn.functional",
    "dyad.mint.optim",
    "dyad.mint.special",
    "dyad.nn",
    "dyad.numpy",
    "dyad.ops",
    "dyad.profiler",
    "dyad.rewrite",
    "dyad.runtime",
    "dyad.scipy",
    "dyad.scipy.fft",
    "dyad.scipy.linalg",
    "dyad.scipy.ops",
    "dyad.scipy.optimize",
    "dyad.scipy.sparse.linalg",
    "dyad.train",
    "dyad.utils.dlpack",
)


def is_ours(value):
    return (getattr(value, "__module__", None) or "").partition(".")[0] == "dyad"


def function_of(member):
    """The function behind a method, property or static method; None for another attribute."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if isinstance(member, (classmethod, staticmethod)):
        return member.__func__
    return member if isinstance(member, types.FunctionType) else None


def undocumented_members(cls):
    """Public members of a class, own or inherited from classes of the package, that say nothing anywhere."""
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if name.startswith("_") or not is_ours(base) or function_of(member) is None:
                continue
            bases = (base,) if not base.__name__.startswith("_") else cls.__mro__
            overridden = [vars(other).get(name) for other in bases]
            if not any(inspect.getdoc(each) for each in overridden if each is not None):
                yield f"{base.__module__}.{base.__qualname__}.{name}"


def undocumented(module):
    public = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    for name in public:
        value = getattr(module, name)
        if not callable(value) or not is_ours(value):
            continue
        if inspect.isclass(value):
            if not vars(value).get("__doc__"):
                yield f"{value.__module__}.{value.__qualname__}"
            yield from undocumented_members(value)
        elif not inspect.getdoc(value):
            yield f"{module.__name__}.{name}"


@pytest.mark.parametrize("name", MODULES)
def test_public_names_say_what_they_do(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert sorted(set(undocumented(module))) == []
