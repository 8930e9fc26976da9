"""Functional image transforms for PIL images, as MindSpore 1 has them."""

from dyad._src.base import lazy_numpy as numpy
from dyad.dataset import vision
from dyad.dataset.vision._pillow import pil_images

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "auto_contrast",
    "center_crop",
    "crop",
    "decode",
    "equalize",
    "erase",
    "five_crop",
    "grayscale",
    "horizontal_flip",
    "hsv_to_rgb",
    "hwc_to_chw",
    "invert_color",
    "is_numpy",
    "is_pil",
    "linear_transform",
    "normalize",
    "pad",
    "random_color",
    "random_color_adjust",
    "random_crop",
    "random_horizontal_flip",
    "random_lighting",
    "random_resize_crop",
    "random_rotation",
    "random_sharpness",
    "random_vertical_flip",
    "resize",
    "rgb_to_bgr",
    "rgb_to_hsv",
    "rotate",
    "ten_crop",
    "to_pil",
    "to_tensor",
    "to_type",
    "vertical_flip",
]


def is_pil(img):
    """Returns whether an image is a PIL image."""
    return isinstance(img, pil_images().Image)


def is_numpy(img):
    """Returns whether an image is a NumPy array."""
    return isinstance(img, numpy.ndarray)


def hwc_to_chw(img):
    """The image with its channels first."""
    return vision.HWC2CHW()(img)


def decode(img):
    """The PIL image that encoded bytes are."""
    return vision.Decode(to_pil=True)(img)


def to_pil(img):
    """The image as a PIL image."""
    return vision.ToPIL()(img)


def to_tensor(img, output_type):
    """The image with its channels first and values from 0 to 1, as an array of a dtype."""
    return vision.ToTensor(output_type)(img)


def to_type(img, output_type):
    """The image as an array of another dtype."""
    return vision.ToType(output_type)(img)


def normalize(img, mean, std, pad_channel=False, dtype="float32"):
    """(image - mean) / std for an array with its channels first; `pad_channel` adds a channel of zeros."""
    if pad_channel:
        return vision.NormalizePad(mean, std, dtype, is_hwc=False)(img)
    return vision.Normalize(mean, std, is_hwc=False)(img)


def crop(img, top, left, height, width):
    """Crops the part of an image of that height and width that starts at (top, left)."""
    return vision.Crop((top, left), (height, width))(img)


def center_crop(img, size):
    """The middle of an image."""
    return vision.CenterCrop(size)(img)


def resize(img, size, interpolation=vision.Inter.BILINEAR):
    """The image in another size."""
    return vision.Resize(size, interpolation)(img)


def adjust_brightness(img, brightness_factor):
    """The image with its brightness times a factor."""
    return vision.AdjustBrightness(brightness_factor)(img)


def adjust_contrast(img, contrast_factor):
    """The image with its contrast times a factor."""
    return vision.AdjustContrast(contrast_factor)(img)


def adjust_gamma(img, gamma, gain):
    """gain * image ** gamma, of values from 0 to 1."""
    return vision.AdjustGamma(gamma, gain)(img)


def adjust_hue(img, hue_factor):
    """The image with its hues turned by a part of the circle."""
    return vision.AdjustHue(hue_factor)(img)


def adjust_saturation(img, saturation_factor):
    """The image with its saturation times a factor."""
    return vision.AdjustSaturation(saturation_factor)(img)


def auto_contrast(img, cutoff, ignore):
    """The image with the most contrast; `cutoff` percent of the values are left out at both ends."""
    return vision.AutoContrast(cutoff, ignore)(img)


def equalize(img):
    """The image with its values spread evenly."""
    return vision.Equalize()(img)


def erase(np_img, i, j, height, width, erase_value, inplace=False):
    """The array, channels first, with a rectangle that starts at (i, j) set to a value."""
    if not is_numpy(np_img):
        raise TypeError(f"erase: np_img is of type {type(np_img).__name__}; need a NumPy array")
    erased = np_img if inplace else np_img.copy()
    erased[..., i : i + height, j : j + width] = erase_value
    return erased


def five_crop(img, size):
    """The four corners of an image and its middle."""
    return vision.FiveCrop(size)(img)


def ten_crop(img, size, use_vertical_flip=False):
    """The same five, and those of the flipped image."""
    return vision.TenCrop(size, use_vertical_flip)(img)


def grayscale(img, num_output_channels):
    """The image in gray, with 1 or 3 channels."""
    return vision.Grayscale(num_output_channels)(img)


def horizontal_flip(img):
    """The image with left and right exchanged."""
    return vision.HorizontalFlip()(img)


def vertical_flip(img):
    """The image with top and bottom exchanged."""
    return vision.VerticalFlip()(img)


def hsv_to_rgb(np_hsv_img, is_hwc):
    """The array in red, green and blue, of one in hue, saturation and value."""
    return vision.HsvToRgb(is_hwc)(np_hsv_img)


def rgb_to_hsv(np_rgb_img, is_hwc):
    """The array in hue, saturation and value, of one in red, green and blue."""
    return vision.RgbToHsv(is_hwc)(np_rgb_img)


def rgb_to_bgr(np_rgb_img, is_hwc):
    """The array with the order of its channels turned round."""
    return numpy.ascontiguousarray(numpy.flip(np_rgb_img, -1 if is_hwc else -3))


def invert_color(img):
    """The negative of an image."""
    return vision.Invert()(img)


def linear_transform(np_img, transformation_matrix, mean_vector):
    """(flat array - mean) . matrix, in the shape of the array."""
    return vision.LinearTransformation(transformation_matrix, mean_vector)(np_img)


def pad(img, padding, fill_value, padding_mode):
    """The image with a border."""
    return vision.Pad(padding, fill_value, padding_mode)(img)


def rotate(img, angle, resample, expand, center, fill_value):
    """The image turned by an angle in degrees."""
    return vision.Rotate(angle, resample, expand, center, fill_value)(img)


def random_horizontal_flip(img, prob):
    """The image, with left and right exchanged with this probability."""
    return vision.RandomHorizontalFlip(prob)(img)


def random_vertical_flip(img, prob):
    """The image, with top and bottom exchanged with this probability."""
    return vision.RandomVerticalFlip(prob)(img)


def random_crop(img, size, padding, pad_if_needed, fill_value, padding_mode):
    """Crops a random part of an image."""
    return vision.RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)(img)


def random_resize_crop(img, size, scale, ratio, interpolation=vision.Inter.BILINEAR, max_attempts=10):
    """Crops a part of an image, of random size and position, and resizes it."""
    return vision.RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)(img)


def random_rotation(img, degrees, resample, expand, center, fill_value):
    """The image turned by a random angle."""
    return vision.RandomRotation(degrees, resample, expand, center, fill_value)(img)


def random_color(img, degrees):
    """The image with a random saturation."""
    return vision.RandomColor(degrees)(img)


def random_color_adjust(img, brightness, contrast, saturation, hue):
    """The image with random brightness, contrast, saturation and hue."""
    return vision.RandomColorAdjust(brightness, contrast, saturation, hue)(img)


def random_lighting(img, alpha):
    """The image in a random light."""
    return vision.RandomLighting(alpha)(img)


def random_sharpness(img, degrees):
    """The image with a random sharpness."""
    return vision.RandomSharpness(degrees)(img)
