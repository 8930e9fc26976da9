"""Modules whose class is the program's own: properties, methods and `__getattr__` of the class."""

import sys
import types

from noting import NOTES, note
from program import Raises, Scene, scene

from dyad import Tensor, ops

X = Tensor([1.0, -2.0, 3.0])
VALUE = 1.0


class Lazy(types.ModuleType):
    default = 4

    def __getattr__(self, name):
        if name == "value":
            return VALUE
        raise AttributeError(name)

    @property
    def tenfold(self):
        return VALUE * 10

    def scaled(self, x):
        return x * self.value + self.default


class Loading(types.ModuleType):
    """Keeps what it has found."""

    def __getattr__(self, name):
        if name not in ("relu", "K"):
            raise AttributeError(name)
        note("loaded", name)
        found = ops.relu if name == "relu" else 3.0
        setattr(self, name, found)
        return found


def _module(cls, name="form_lazy"):
    globals()["VALUE"] = 1.0
    NOTES.clear()
    made = sys.modules[name] = cls(name)
    return made


def _change_value():
    globals()["VALUE"] = 5.0


@scene(X, trace=True)
def imported_names_of_a_lazy_module():
    _module(Lazy)

    def f(x):
        import form_lazy
        from form_lazy import tenfold

        return x * form_lazy.value + tenfold

    return Scene(f, _change_value)


@scene(X, trace=True)
def property_of_a_module():
    module = _module(Lazy)
    return Scene(lambda x: x * module.tenfold, _change_value)


@scene(X, trace=True)
def method_of_a_module():
    module = _module(Lazy)
    return Scene(lambda x: module.scaled(x), _change_value)


@scene(X, trace=True)
def class_attribute_of_a_module():
    module = _module(Lazy)

    def change():
        Lazy.default = 6

    Lazy.default = 4
    return Scene(lambda x: x * module.default, change)


@scene(X, trace=True)
def attribute_of_a_module_hides_that_of_its_class():
    module = _module(Lazy)

    def change():
        module.default = 9

    Lazy.default = 4
    return Scene(lambda x: x * module.default, change)


@scene(X)
def property_of_a_module_comes_before_what_it_holds():
    module = _module(Lazy)
    vars(module)["tenfold"] = 3.0
    return Scene(lambda x: x * module.tenfold, _change_value)


@scene(X, trace=True)
def module_gets_another_class():
    module = _module(types.ModuleType)
    module.factor = 2.0

    class Answering(types.ModuleType):
        @property
        def factor(self):
            return 7.0

    def change():
        module.__class__ = Answering

    return Scene(lambda x: x * module.factor, change)


@scene(X, trace=True)
def module_gets_another_class_with_getattr():
    module = _module(types.ModuleType)

    def change():
        module.__class__ = Lazy

    return Scene(lambda x: x * getattr(module, "value", 3.0), change)


@scene(X, strict=False)
def module_keeps_what_it_has_loaded():
    module = _module(Loading)

    def f(x):
        from form_lazy import K, relu

        return relu(x) * K

    def change():
        module.K = 8.0

    return Scene(f, change, watch=lambda: [list(map(str, NOTES)), sorted(set(vars(module)) & {"K", "relu"})])


@scene(X, strict=False)
def getattr_of_a_module_counts():
    class Counting(types.ModuleType):
        count = 0

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            self.count = self.count + 1
            return self.count

    module = _module(Counting)
    return Scene(lambda x: x * module.number + module.number, watch=lambda: module.count)


@scene(X)
def module_holds_a_getattr_besides_that_of_its_class():
    module = _module(Lazy)

    def find(name):
        if name == "other":
            return VALUE + 1
        raise AttributeError(name)

    module.__getattr__ = find
    return Scene(lambda x: x * module.other + module.value, _change_value)


@scene(X)
def module_holds_an_object_as_getattr():
    class Finder:
        def __call__(self, name):
            return VALUE + len(name)

    module = _module(types.ModuleType)
    module.__getattr__ = Finder()
    return Scene(lambda x: x * module.four, _change_value)


@scene(X, expect=Raises(AttributeError, "other"))
def getattr_of_a_module_refuses_a_name():
    module = _module(Lazy)
    return lambda x: x * module.other


@scene(X, expect=Raises(ImportError, "cannot import name 'other' from 'form_lazy'"), strict=False)
def getattr_of_a_module_refuses_an_import():
    _module(Lazy)

    def f(x):
        from form_lazy import other

        return x * other

    return f


@scene(X, expect=Raises(AttributeError, "module 'form_lazy' has no attribute 'other'"))
def class_of_a_module_without_getattr():
    class Plain(types.ModuleType):
        pass

    module = _module(Plain)
    return lambda x: x * module.other


@scene(X, trace=True)
def hasattr_asks_the_class_of_a_module():
    module = _module(Lazy)

    def change():
        del Lazy.late

    Lazy.late = 2
    return Scene(lambda x: x * (2 if hasattr(module, "late") else 3) + hasattr(module, "never"), change)


@scene(X, strict=False)
def attribute_of_a_module_is_written_and_deleted():
    class Plain(types.ModuleType):
        kept = 2

    module = _module(Plain)

    def f(x):
        module.kept = 5
        first = x * module.kept
        del module.kept
        return first + module.kept

    return Scene(f, watch=lambda: "kept" in vars(module))


@scene(X, strict=False)
def property_of_a_module_has_a_setter():
    class Settings(types.ModuleType):
        @property
        def level(self):
            return self.held

        @level.setter
        def level(self, value):
            self.held = value + 1

    module = _module(Settings)
    module.held = 1

    def f(x):
        module.level = module.level * 2
        return x * module.level

    return Scene(f, watch=lambda: module.held)


class Package:
    """Stands in `sys.modules` without being a module."""

    R = 3.0

    @property
    def late(self):
        return VALUE


@scene(X, trace=True)
def object_in_place_of_a_module():
    globals()["VALUE"] = 1.0
    sys.modules["form_object"] = Package()

    def f(x):
        from form_object import R, late

        return x * R + late

    return Scene(f, _change_value)


@scene(X, strict=False)
def names_of_a_module_as_a_dict():
    module = _module(types.ModuleType)
    module.R = 2.0

    def f(x):
        held = module.__dict__
        return x * held["R"] + vars(module).get("late", 3), "late" in vars(module)

    def change():
        module.R, module.late = 5.0, 7

    return Scene(f, change)


@scene(X, strict=False)
def getattr_of_a_module_counts_in_its_dict():
    class Counting(types.ModuleType):
        def __getattr__(self, name):
            if name != "number":
                raise AttributeError(name)
            self.count = self.__dict__.get("count", 0) + 1
            return float(self.count)

    module = _module(Counting)
    return Scene(lambda x: x * module.number, watch=lambda: vars(module).get("count"))
