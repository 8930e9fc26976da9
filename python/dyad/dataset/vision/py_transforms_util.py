"""What older programs call on one picture without making a transform of it."""

from dyad._src import lazy_numpy as numpy
from dyad.dataset import vision
from dyad.dataset.vision._pillow import pil_images

__all__ = [
    "center_crop",
    "crop",
    "decode",
    "hwc_to_chw",
    "is_numpy",
    "is_pil",
    "normalize",
    "resize",
    "to_pil",
    "to_tensor",
    "to_type",
]


def is_pil(img):
    """Whether a picture is a PIL image."""
    return isinstance(img, pil_images().Image)


def is_numpy(img):
    """Whether a picture is a NumPy array."""
    return isinstance(img, numpy.ndarray)


def hwc_to_chw(img):
    """The picture with its channels first."""
    return vision.HWC2CHW()(img)


def decode(img):
    """The PIL image that encoded bytes are."""
    return vision.Decode(to_pil=True)(img)


def to_pil(img):
    """The picture as a PIL image."""
    return vision.ToPIL()(img)


def to_tensor(img, output_type):
    """The picture with its channels first and values from 0 to 1, as an array of a dtype."""
    return vision.ToTensor(output_type)(img)


def to_type(img, output_type):
    """The picture as an array of another dtype."""
    return vision.ToType(output_type)(img)


def normalize(img, mean, std, pad_channel=False, dtype="float32"):
    """(picture - mean) / std for an array with its channels first; `pad_channel` adds a channel of zeros."""
    if pad_channel:
        return vision.NormalizePad(mean, std, dtype, is_hwc=False)(img)
    return vision.Normalize(mean, std, is_hwc=False)(img)


def crop(img, top, left, height, width):
    """The part of a picture of that height and width that begins at (top, left)."""
    return vision.Crop((top, left), (height, width))(img)


def center_crop(img, size):
    """The middle of a picture."""
    return vision.CenterCrop(size)(img)


def resize(img, size, interpolation=vision.Inter.BILINEAR):
    """The picture in another size."""
    return vision.Resize(size, interpolation)(img)
