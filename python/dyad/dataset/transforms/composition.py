"""Compositions of transforms. Native ones and Python functions mix; native neighbors run as one."""

from typing import Any

from dyad import _core
from dyad.dataset import _arguments as check
from dyad.dataset._callables import PythonSteps, is_native
from dyad.dataset._error_text import explained
from dyad.dataset._operation import Implementation, TensorOperation, is_pil

_native = _core.data


explain = explained("transforms: a Python function")  # of errors in functions that no transform here owns


def native_of(operation, owner="transforms"):
    """The native transform of a TensorOperation or of a Python function of columns; `owner` is what it is part of."""
    if is_native(operation):
        return operation.native()
    steps = PythonSteps([operation])
    return _native.python_transform(steps, explained(f"{owner}: the function {steps}"))


def _checked_list(owner, transforms):
    check.require_type(owner, "transforms", transforms, list)
    if not transforms:
        raise ValueError(f"{owner}: transforms is []; need at least one transform")
    for i, operation in enumerate(transforms):
        if not callable(operation):
            raise TypeError(
                f"{owner}: transforms[{i}] is {operation!r} of type {type(operation).__name__}; need a transform or a "
                "Python function"
            )
    return list(transforms)


class _Composition(TensorOperation):
    """Base class of compositions."""

    def __init__(self, transforms):
        self.transforms = _checked_list(type(self).__name__, transforms)

    @property
    def implementation(self):  # type: ignore[override]  # read-only in place of the class attribute
        """PY if one of the parts is a transform in Python, else None."""
        in_python = any(
            getattr(part, "implementation", None) == Implementation.PY for part in self.transforms
        )
        return Implementation.PY if in_python else None

    def parts(self) -> dict:
        """Attributes with the native transforms of all parts."""
        return {"transforms": [native_of(operation, type(self).__name__) for operation in self.transforms]}


class Compose(_Composition):
    """Applies transforms and Python functions one after the other."""

    def __init__(self, transforms):
        super().__init__(transforms)
        self.transforms = Compose.decompose(self.transforms)

    @staticmethod
    def decompose(operations) -> list:
        """The same operations with each Compose replaced by its operations."""
        flat: list = []
        for operation in operations:
            flat += operation.steps() if isinstance(operation, TensorOperation) else [operation]
        return flat

    def steps(self):
        """The operations in order."""
        return self.transforms

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "compose", self.parts()

    def __call__(self, *columns):
        """Applies the transforms. Called on a PIL image, or with a transform of PIL images, it returns a tuple."""
        made = super().__call__(*columns)
        in_python = self.implementation is Implementation.PY or (len(columns) == 1 and is_pil(columns[0]))
        return (made,) if in_python and not isinstance(made, tuple) else made


class RandomApply(_Composition):
    """Applies all of its transforms, in order, with a probability; otherwise none."""

    def __init__(self, transforms, prob: int | float = 0.5) -> None:
        super().__init__(transforms)
        check.require_type("RandomApply", "prob", prob, int, float)
        self.prob = check.require_range("RandomApply", "prob", prob, 0, 1)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_apply", {**self.parts(), "probability": self.prob}


class RandomChoice(_Composition):
    """Applies one of its transforms, each with the same probability."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_choice", self.parts()


class RandomOrder(_Composition):
    """Applies all of its transforms in a random order."""

    implementation = Implementation.PY

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_order", self.parts()


def not_random(function):
    """Marks a function as deterministic: equal columns have equal results."""
    function.random = False
    return function
