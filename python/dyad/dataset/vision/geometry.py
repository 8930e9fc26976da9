"""Rotations, affine changes and perspectives of images, fixed and random."""

from typing import Any

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation
from dyad.dataset.vision._image_operation import ImageOperation
from dyad.dataset.vision.enums import Inter

__all__ = ["Affine", "Perspective", "RandomAffine", "RandomPerspective", "RandomRotation", "Rotate"]

_native = _core.data
_LARGEST = 16777216
# Between pixels of one size, the mean over an area is bilinear.
_SAMPLING = {Inter.NEAREST: 0, Inter.BILINEAR: 1, Inter.AREA: 1, Inter.BICUBIC: 2}


def sampling(reader, name, inter) -> int:
    """The number of the native sampling of an Inter."""
    _arguments.require_kind(reader, name, inter, Inter)
    if inter not in _SAMPLING:
        accepted = ", ".join(f"Inter.{member.name}" for member in _SAMPLING)
        raise ValueError(f"{reader}: {name} is {inter}; need one of {accepted}")
    return _SAMPLING[inter]


def _pair(reader, name, value, low, high):
    """[smallest, largest] of two numbers in [low, high]."""
    ends = _arguments.sequence(reader, name, value, 2)
    ends = [_arguments.number(reader, f"{name}[{i}]", end, low, high) for i, end in enumerate(ends)]
    if ends[0] > ends[1]:
        raise ValueError(f"{reader}: {name} is {value!r}; need (smallest, largest)")
    return ends


def _around_zero(reader, name, value):
    """The range of a pair, or of a number, which is how far from 0."""
    if isinstance(value, (list, tuple)):
        return _pair(reader, name, value, -_LARGEST, _LARGEST)
    far = _arguments.number(reader, name, value, 0, _LARGEST)
    return [-far, far]


def _center(reader, center):
    if center is None:
        return []
    if not isinstance(center, tuple) or len(center) != 2:
        raise ValueError(f"{reader}: center is {center!r}; need a tuple (x, y)")
    return [_arguments.number(reader, "center", place, -_LARGEST, _LARGEST) for place in center]


def _shifted(points):
    """Converts pixel coordinates, with centers at integers, to coordinates of the plane, where pixel 0 is from 0 to
    1.
    """
    return [place + 0.5 for place in points]


class _Placed(ImageOperation):
    """A transform with coordinates: of pixels for arrays, of the plane for PIL images, as in Pillow."""

    def plane_entry(self):
        """(name, attributes) of the native transform with unchanged coordinates."""
        raise TypeError(f"{type(self).__name__}: the class names no transform; override plane_entry")

    def for_pil(self, columns, key, arrays):
        """The result for PIL images, with coordinates as in Pillow."""
        if self.gives_pil:
            arrays = _native.make_transform(*self.plane_entry())
        return super().for_pil(columns, key, arrays)


class _Rotation(_Placed):
    def _keep(self, degrees, resample, expand, center, fill_value):
        reader = type(self).__name__
        self._attributes = {
            "class": reader,
            "degrees": degrees,
            "sampling": sampling(reader, "resample", resample),
            "expand": _arguments.require_kind(reader, "expand", expand, bool),
            "center": _center(reader, center),
            "fill": _arguments.fill_values(reader, fill_value),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "rotate", self._attributes | {"center": _shifted(self._attributes["center"])}

    def plane_entry(self):
        """The same with the center as it was given."""
        return "rotate", self._attributes


class Rotate(_Rotation):
    """Rotates an image counter-clockwise by `degrees`.

    Args:
        degrees (number): angle.
        resample (Inter): interpolation.
        expand (bool): whether the result is as large as the rotated image; otherwise it has the size of the image.
        center (tuple): the pixel (x, y) to rotate about. Default: None, the middle.
        fill_value (int or tuple): value outside of the image, or one for each channel.
    """

    def __init__(
        self, degrees: float, resample=Inter.NEAREST, expand: bool = False, center=None, fill_value=0
    ) -> None:
        degrees = _arguments.number("Rotate", "degrees", degrees, -_LARGEST, _LARGEST)
        self._keep([degrees, degrees], resample, expand, center, fill_value)


class RandomRotation(_Rotation):
    """`Rotate` by an angle drawn from `degrees`: (smallest, largest), or a number for how far from 0 at most."""

    gives_pil = True

    def __init__(
        self, degrees, resample=Inter.NEAREST, expand: bool = False, center=None, fill_value=0
    ) -> None:
        degrees = _around_zero("RandomRotation", "degrees", degrees)
        self._keep(degrees, resample, expand, center, fill_value)


class _AffineChange(ImageOperation):
    _attributes: dict[str, Any]

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "affine", {"class": type(self).__name__} | self._attributes


def _twice(values):
    """Each value as a range of its own."""
    return [value for value in values for _ in range(2)]


class Affine(_AffineChange):
    """Rotates an image clockwise by `degrees` about its middle, scales, shears and translates it.

    `translate` is (x, y) as fractions of the width and the height; `shear` the angles along x and y, or along x
    alone.
    """

    def __init__(
        self, degrees: float, translate, scale: float, shear, resample=Inter.NEAREST, fill_value=0
    ) -> None:
        reader = "Affine"
        moves = _arguments.sequence(reader, "translate", translate, 2)
        shears = (
            _arguments.sequence(reader, "shear", shear, 2) if isinstance(shear, (list, tuple)) else [shear, 0]
        )
        scale = _arguments.number(reader, "scale", scale, 0, _LARGEST)
        if scale == 0:
            raise ValueError(f"{reader}: scale is {scale}; need a number above 0")
        self._attributes = {
            "degrees": [_arguments.number(reader, "degrees", degrees, -180, 180)] * 2,
            "translate": _twice(_arguments.number(reader, "translate", move, -1, 1) for move in moves),
            "scale": [scale, scale],
            "shear": _twice(_arguments.number(reader, "shear", angle, -180, 180) for angle in shears),
            "sampling": sampling(reader, "resample", resample),
            "fill": _arguments.fill_values(reader, fill_value),
        }


def _two_ranges(name, value, low, high):
    """The ranges along x and along y of RandomAffine: four numbers, or two for x alone."""
    reader = "RandomAffine"
    ends = _arguments.sequence(reader, name, value, 2, 4)
    along_y = ends[2:] or [0, 0]
    return _pair(reader, name, ends[:2], low, high) + _pair(reader, name, along_y, low, high)


def _shears(shear):
    if shear is None:
        return [0, 0, 0, 0]
    if isinstance(shear, (list, tuple)):
        return _two_ranges("shear", shear, -180, 180)
    far = _arguments.number("RandomAffine", "shear", shear, 0, 180)
    if far == 0:
        raise ValueError(f"RandomAffine: shear is {shear}; need a number above 0")
    return [-far, far, 0, 0]


class RandomAffine(_AffineChange):
    """`Affine` with random parameters.

    `degrees` is (min, max), or a number for (-degrees, degrees); `translate` is (min, max) along x as fractions of
    the width, and two more along y; `scale` (min, max); `shear` angles like `translate`, or a number s for (-s, s)
    along x.
    """

    gives_pil = True

    def __init__(self, degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST, fill_value=0):
        self._attributes = {
            "degrees": _around_zero("RandomAffine", "degrees", degrees),
            "translate": [0, 0, 0, 0] if translate is None else _two_ranges("translate", translate, -1, 1),
            "scale": [1, 1] if scale is None else _arguments.ascending_pair("RandomAffine", "scale", scale),
            "shear": _shears(shear),
            "sampling": sampling("RandomAffine", "resample", resample),
            "fill": _arguments.fill_values("RandomAffine", fill_value),
        }


def _corners(name, points):
    """The eight numbers of four points."""
    if not isinstance(points, (list, tuple)) or len(points) != 4:
        raise TypeError(f"Perspective: {name} is {points!r}; need a list or tuple of four points (x, y)")
    pairs = [_arguments.sequence("Perspective", f"{name}[{i}]", point, 2) for i, point in enumerate(points)]
    numbers = [place for pair in pairs for place in pair]
    return [_arguments.number("Perspective", name, place, -_LARGEST, _LARGEST) for place in numbers]


class Perspective(_Placed):
    """Puts the quadrilateral `start_points` of the image where `end_points` are.

    Points are pixels (x, y) in the order top left, top right, bottom right, bottom left. What the image does not cover
    is 0.
    """

    gives_pil = True

    def __init__(self, start_points, end_points, interpolation=Inter.BILINEAR):
        self._attributes = {
            "start": _corners("start_points", start_points),
            "end": _corners("end_points", end_points),
            "sampling": sampling("Perspective", "interpolation", interpolation),
        }
        self.for_arrays()  # rejects invalid corners

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        places = {name: _shifted(self._attributes[name]) for name in ("start", "end")}
        return "perspective", self._attributes | places

    def plane_entry(self):
        """The same with the points as they were given."""
        return "perspective", self._attributes


class RandomPerspective(ImageOperation):
    """With probability `prob`, applies a random perspective that moves the corners of the image inwards.

    Each moves by up to `distortion_scale` times half the width and half the height.
    """

    implementation = Implementation.PY

    gives_pil = True

    def __init__(self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation=Inter.BICUBIC) -> None:
        reader = "RandomPerspective"
        self._attributes = {
            "distortion": _arguments.number(reader, "distortion_scale", distortion_scale, 0, 1),
            "prob": _arguments.probability(reader, prob),
            "sampling": sampling(reader, "interpolation", interpolation),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_perspective", self._attributes
