"""Imports inside of functions, and names of Python that a program replaces."""

import builtins
import sys
import types

from program import Scene, scene

from dyad import Tensor, nn

X = Tensor([1.0, -2.0, 3.0])
_DIVMOD = divmod


def _module(name, **held):
    made = types.ModuleType(name)
    vars(made).update(held)
    sys.modules[name] = made
    return made


def _package(name):
    """A package with a module `parts` in it, which holds R."""
    package = _module(name, __path__=[], kept=5)
    package.parts = _module(f"{name}.parts", R=2.0)
    return package


def _found(name):
    if name != "late":
        raise AttributeError(name)
    return 2.0


@scene(X)
def from_import_reads_the_module():
    module = _module("form_settings", R=2.0, table={"a": 1})

    def f(x):
        from form_settings import R, table

        return x * R + table["a"]

    def change():
        module.R, module.table["a"] = 3.0, 4

    return Scene(f, change)


@scene(X)
def import_as_reads_the_module():
    module = _module("form_settings", R=2.0)

    def f(x):
        import form_settings as settings

        return x * settings.R

    def change():
        module.R = 3.0

    return Scene(f, change)


@scene(X)
def the_module_is_replaced():
    _module("form_settings", R=2.0, scale=lambda x: x * 2)

    def f(x):
        import form_settings
        from form_settings import scale

        return scale(x) * form_settings.R

    def change():
        _module("form_settings", R=7.0, scale=lambda x: x + 1)

    return Scene(f, change)


@scene(X)
def dotted_imports():
    package = _package("form_package")

    def f(x):
        import form_package.parts
        import form_package.parts as parts
        from form_package import kept
        from form_package import parts as same
        from form_package.parts import R

        return x * R + form_package.parts.R * kept, parts is same

    def change():
        package.parts.R, package.kept = 4.0, 6

    return Scene(f, change)


@scene(X)
def a_module_of_a_package_is_replaced():
    package = _package("form_package")

    def f(x):
        import form_package.parts as parts
        from form_package.parts import R

        return x * R, parts.R

    def change():
        package.parts = _module("form_package.parts", R=9.0)

    return Scene(f, change)


@scene(X, strict=False)
def a_module_that_appears():
    sys.modules.pop("form_optional", None)

    def f(x):
        try:
            import form_optional

            return x * form_optional.R
        except ImportError as error:
            return x, type(error).__name__, error.name

    def change():
        _module("form_optional", R=3.0)

    return Scene(f, change)


@scene(X)
def a_module_that_is_barred():
    sys.modules["form_barred"] = None

    def f(x):
        try:
            import form_barred

            return x * form_barred.R
        except ImportError as error:
            return x, str(error)

    def change():
        _module("form_barred", R=3.0)

    return Scene(f, change)


@scene(X)
def a_name_that_a_module_lacks():
    module = _module("form_settings", R=2.0)

    def f(x):
        try:
            from form_settings import S
        except ImportError as error:
            return x, str(error)
        return x * S

    def change():
        module.S = 5.0

    return Scene(f, change)


@scene(X)
def a_module_finds_names_itself():
    asked = {"late": 2.0}

    def find(name):
        if name not in asked:
            raise AttributeError(name)
        return asked[name]

    module = _module("form_late", __getattr__=find)

    def f(x):
        import form_late
        from form_late import late

        return x * late + form_late.late

    def change():
        asked["late"] = 4.0
        module.other = 1

    return Scene(f, change)


@scene(X)
def an_attribute_hides_what_a_module_finds():
    module = _module("form_late", __getattr__=_found)

    def f(x):
        from form_late import late

        return x * late

    def change():
        module.late = 5.0

    return Scene(f, change)


@scene(X)
def modules_of_python():
    def f(x):
        import math
        import os.path as path
        from collections import namedtuple

        return x * math.floor(2.5), path.basename("a/b"), namedtuple.__name__

    return f


@scene(X, strict=False)
def a_builtin_is_replaced():
    def f(x):
        return x * divmod(7, 2)[0]

    builtins.divmod = _DIVMOD

    def replaced(a, b):
        builtins.divmod = _DIVMOD  # for one call only
        return a + b, 0

    return Scene(f, lambda: setattr(builtins, "divmod", replaced))


@scene(X)
def a_builtin_appears():
    vars(builtins).pop("form_added", None)

    def f(x):
        try:
            return form_added(x)  # noqa: F821
        except NameError as error:
            return x, str(error)

    return Scene(f, lambda: setattr(builtins, "form_added", lambda x: x * 3))


@scene(X)
def a_global_hides_a_builtin():
    space = {"Tensor": Tensor, "__name__": "form_space"}
    held = types.FunctionType(_reading_divmod.__code__, space)

    def change():
        space["divmod"] = lambda a, b: (100, 0)

    return Scene(held, change)


def _reading_divmod(x):
    return x * divmod(7, 2)[0]


@scene(X)
def a_method_is_added_to_tensor():
    vars_of = type.__getattribute__(Tensor, "__dict__")
    if "form_doubled" in vars_of:
        del Tensor.form_doubled

    def doubled(self):
        return self * 2

    def f(x):
        try:
            return x.form_doubled()
        except AttributeError as error:
            return x, type(error).__name__

    return Scene(f, lambda: setattr(Tensor, "form_doubled", doubled))


@scene(X)
def a_method_of_tensor_is_replaced():
    Tensor.form_scaled = lambda self: self * 2

    def f(x):
        return x.form_scaled()

    def other(self):
        return self * 5

    return Scene(f, lambda: setattr(Tensor, "form_scaled", other))


@scene(X)
def a_method_is_added_to_a_layer():
    if hasattr(nn.ReLU, "form_named"):
        del nn.ReLU.form_named
    layer = nn.ReLU()

    def f(x):
        return layer(x) * (layer.form_named() if hasattr(layer, "form_named") else 1)

    def named(self):
        return 4

    return Scene(f, lambda: setattr(nn.ReLU, "form_named", named))


@scene(X, trace=True)
def a_name_that_a_module_gets_later():
    module = _module("form_settings", S=2.0)

    def f(x):
        try:
            from form_settings import R
        except ImportError:
            from form_settings import S as R
        return x * R

    def change():
        module.R = 3.0

    return Scene(f, change)


@scene(X, trace=True)
def a_module_finds_every_name():
    held = [2.0]
    _module("form_settings", __getattr__=lambda name: held[0] if name == "R" else 1.0)

    def f(x):
        from form_settings import R

        return x * R

    def change():
        held[0] = 3.0

    return Scene(f, change)
