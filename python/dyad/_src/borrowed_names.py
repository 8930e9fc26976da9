"""Names that a module of the reference has because it imports them, and that programs take from there.

`from mindspore.nn.cell import Parameter` works since that file happens to import Parameter. Here such a name is looked
for in the packages above the module and then where the names that every module uses are; nothing is listed twice.
"""

from types import ModuleType

from dyad._src.base.lazy_import import load
from dyad._src.base.missing import missing_attribute

# Where the names are that modules import most. Of the last ones only classes are meant: a function of their name may be
# another one elsewhere.
_HOMES = ("dyad", "dyad.common.initializer", "dyad.communication", "dyad._src.deprecation")
_HOMES_OF_CLASSES = ("dyad.nn", "dyad.ops", "dyad.ops.primitive", "dyad.train")
_OF_OPERATORS = ("dyad.nn.cell", "dyad.ops", "dyad.ops.primitive")
_nothing = object()


def borrowed_name(module_name, name, names=None):
    """What `name` means in a module that has no such name itself; an AttributeError if it means nothing there.

    `names` are those that the error looks for the nearest in; None means those that the module lists.
    """
    if not name.startswith("_"):
        above = module_name.split(".")[:-1]
        packages = [".".join(above[:length]) for length in range(len(above), 1, -1)]
        modules = []
        for home in (*packages, *_HOMES):
            found = _public(home, name)
            if isinstance(found, ModuleType):
                modules.append(found)  # what is called like its file may follow
            elif found is not _nothing:
                return found
        if modules:
            return modules[0]
        # Operators are made of operators: a layer or a metric of the name of one is something else.
        for home in _OF_OPERATORS if above[1:2] == ["ops"] else _HOMES_OF_CLASSES:
            found = _public(home, name)
            if isinstance(found, type):
                return found
    listed = vars(load(module_name)).get("__all__", ()) if names is None else names
    raise missing_attribute(module_name, name, listed)


def _public(home, name):
    module = load(home)
    return getattr(module, name) if name in vars(module).get("__all__", ()) else _nothing


def borrowing(module_name):
    """The `__getattr__` of a module whose imports programs take from it."""

    def __getattr__(name):
        return borrowed_name(module_name, name)

    return __getattr__
