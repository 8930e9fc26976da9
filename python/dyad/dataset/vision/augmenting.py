"""Augmentation policies: random changes of an image, from a learned or a given list."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset._operation import TensorOperation
from dyad.dataset.transforms.composition import native_of
from dyad.dataset.vision._image_operation import ImageOperation
from dyad.dataset.vision.enums import AutoAugmentPolicy, Inter
from dyad.dataset.vision.geometry import sampling

__all__ = ["AutoAugment", "RandAugment", "RandomSelectSubpolicy", "TrivialAugmentWide", "UniformAugment"]

_LARGEST = 16777216


class _Policy(ImageOperation):
    _entry: str
    _attributes: dict[str, Any]

    def _edges(self, interpolation, fill_value):
        """Attributes for interpolation and for pixels outside of the image."""
        reader = type(self).__name__
        return {
            "sampling": sampling(reader, "interpolation", interpolation),
            "fill": _arguments.fill_values(reader, fill_value),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return self._entry, self._attributes


class AutoAugment(_Policy):
    """AutoAugment: a random one of 25 learned pairs of changes for each image.

    `policy` is an AutoAugmentPolicy; images are uint8 with three channels.
    """

    _entry = "auto_augment"

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation=Inter.NEAREST,
        fill_value=0,
    ) -> None:
        policy = _arguments.require_kind("AutoAugment", "policy", policy, AutoAugmentPolicy)
        self._attributes = {"policy": policy.value} | self._edges(interpolation, fill_value)


class RandAugment(_Policy):
    """`num_ops` changes drawn for each image, all at the strength `magnitude` of [0, `num_magnitude_bins`).

    Images are uint8 with three channels.
    """

    _entry = "rand_augment"

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation=Inter.NEAREST,
        fill_value=0,
    ) -> None:
        reader = "RandAugment"
        levels = _arguments.integer(reader, "num_magnitude_bins", num_magnitude_bins, 2, _LARGEST)
        self._attributes = {
            "steps": _arguments.integer(reader, "num_ops", num_ops, 0, _LARGEST),
            "level": _arguments.integer(reader, "magnitude", magnitude, 0, levels - 1),
            "levels": levels,
        } | self._edges(interpolation, fill_value)


class TrivialAugmentWide(_Policy):
    """TrivialAugment: one random change per image, with a random one of `num_magnitude_bins` magnitudes.

    Images are uint8 with three channels.
    """

    _entry = "trivial_augment"

    def __init__(self, num_magnitude_bins: int = 31, interpolation=Inter.NEAREST, fill_value=0) -> None:
        levels = _arguments.integer(
            "TrivialAugmentWide", "num_magnitude_bins", num_magnitude_bins, 2, _LARGEST
        )
        self._attributes = {"levels": levels} | self._edges(interpolation, fill_value)


def _require_transform(reader, name, operation):
    if not callable(operation) or isinstance(operation, type):
        raise TypeError(f"{reader}: {name} is {operation!r}; need a transform or a function")


class UniformAugment(TensorOperation):
    """Draws `num_ops` of `transforms` for each row; each of them is applied with probability a half."""

    def __init__(self, transforms: list | tuple, num_ops: int = 2) -> None:
        reader = "UniformAugment"
        _arguments.require_kind(reader, "transforms", transforms, list, tuple)
        for i, operation in enumerate(transforms):
            _require_transform(reader, f"transforms[{i}]", operation)
        self.transforms = list(transforms)
        self._count = _arguments.integer(reader, "num_ops", num_ops, 1)
        if self._count > len(transforms):
            raise ValueError(
                f"{reader}: num_ops is {num_ops}; need at most {len(transforms)}, the number of transforms"
            )

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "uniform_augment", {"transforms": list(map(native_of, self.transforms)), "count": self._count}


def _checked_step(name, step):
    """(operation, probability) of a step of RandomSelectSubpolicy."""
    if not isinstance(step, tuple) or len(step) != 2:
        raise ValueError(f"RandomSelectSubpolicy: {name} is {step!r}; need a tuple (transform, probability)")
    _require_transform("RandomSelectSubpolicy", f"{name}[0]", step[0])
    return step[0], _arguments.probability("RandomSelectSubpolicy", step[1], f"{name}[1]")


class RandomSelectSubpolicy(ImageOperation):
    """Draws one of the lists of `policy` for each row, and applies its transforms, each with its probability.

    `policy` is a list of lists of (transform, probability).
    """

    def __init__(self, policy: list) -> None:
        reader = "RandomSelectSubpolicy"
        _arguments.require_kind(reader, "policy", policy, list)
        if not policy:
            raise ValueError(f"{reader}: policy is []; need at least one list")
        for i, steps in enumerate(policy):
            _arguments.require_kind(reader, f"policy[{i}]", steps, list)
            if not steps:
                raise ValueError(f"{reader}: policy[{i}] is []; need at least one transform")
        self.policy = [
            [_checked_step(f"policy[{i}][{j}]", step) for j, step in enumerate(steps)]
            for i, steps in enumerate(policy)
        ]

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        ends = [sum(map(len, self.policy[: i + 1])) for i in range(len(self.policy))]
        steps = [step for steps in self.policy for step in steps]
        return "random_select_subpolicy", {
            "transforms": [native_of(operation) for operation, _ in steps],
            "chances": [chance for _, chance in steps],
            "ends": ends,
        }
