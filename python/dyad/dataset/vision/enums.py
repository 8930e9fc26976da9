"""Names of choices that image transforms are given."""

from enum import Enum, IntEnum

__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
]


class AutoAugmentPolicy(str, Enum):  # noqa: UP042, prints as the member it is
    """Dataset for which the policy of `AutoAugment` was learned."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class Border(str, Enum):  # noqa: UP042
    """Values of padded pixels: a constant, the edge, or the image mirrored without or with its edge."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ConvertMode(IntEnum):
    """Source and target color of `ConvertColor`."""

    COLOR_BGR2BGRA = 0
    COLOR_RGB2RGBA = COLOR_BGR2BGRA
    COLOR_BGRA2BGR = 1
    COLOR_RGBA2RGB = COLOR_BGRA2BGR
    COLOR_BGR2RGBA = 2
    COLOR_RGB2BGRA = COLOR_BGR2RGBA
    COLOR_RGBA2BGR = 3
    COLOR_BGRA2RGB = COLOR_RGBA2BGR
    COLOR_BGR2RGB = 4
    COLOR_RGB2BGR = COLOR_BGR2RGB
    COLOR_BGRA2RGBA = 5
    COLOR_RGBA2BGRA = COLOR_BGRA2RGBA
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = 8
    COLOR_GRAY2RGB = COLOR_GRAY2BGR
    COLOR_GRAY2BGRA = 9
    COLOR_GRAY2RGBA = COLOR_GRAY2BGRA
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageBatchFormat(IntEnum):
    """Axis of the channels in a batch of images: last or second."""

    NHWC = 0
    NCHW = 1


class ImageReadMode(IntEnum):
    """Colors that `read_image` returns: those of the file, gray, or RGB."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class Inter(IntEnum):
    """Interpolation of images."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class SliceMode(IntEnum):
    """Handling of an image that does not divide evenly in `SlicePatches`: padding or dropping the rest."""

    PAD = 0
    DROP = 1
