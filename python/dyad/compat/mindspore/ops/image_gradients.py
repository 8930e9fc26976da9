"""Gradients of operators on images: resampling, regions, windows. They are members of `gradient_operators`."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.vector_products import vjp
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import resize_back
from dyad.compat.mindspore.ops import resampled_images
from dyad.compat.mindspore.ops.gradient_rules import Adjoint, Rule, along


def _check_regions(name, settings):
    size = settings["input_size"]
    sizes = size if isinstance(size, tuple) else (size, size)
    counts = [("input_size", number) for number in sizes]
    counts += [(key, settings[key]) for key in ("group_size", "output_dim")]
    for key, number in counts:
        require_int(name, key, number, 1)
    scale = settings["spatial_scale"]
    if type(scale) not in (int, float):
        raise TypeError(f"{name}: spatial_scale is {scale!r}; need a number")
    if scale <= 0:
        raise ValueError(f"{name}: spatial_scale is {scale}; need one above 0")


def _regions(dy, rois, input_size, spatial_scale, group_size, output_dim):
    for what, value in (("dy", dy), ("rois", rois)):
        if not isinstance(value, Tensor):
            raise TypeError(f"PSROIPoolingGrad: {what} is of type {type(value).__name__}; need a Tensor")
    size = (input_size, input_size) if isinstance(input_size, int) else input_size
    pool = ops.PSROIPooling(spatial_scale, group_size, output_dim)
    shape = (rois.shape[0], group_size * group_size * output_dim, *size)
    return along(lambda features: pool(features, rois), shape, dy)


def _aligned_regions(dy, rois, shape, pooled_height, pooled_width, spatial_scale, sample_num):
    align = ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)
    return along(lambda features: align(features, rois), shape, dy)


def _upsampled(mode, align_corners=None):
    """The gradient of resampling: (dy, input_size, output_size, scales), further what the mode takes."""

    def gradient(dy, input_size, output_size=None, scales=None, align_corners=align_corners):
        coordinates = (
            "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "half_pixel"
        )
        scales = None if align_corners else scales
        return resize_back(dy, tuple(input_size)[2:], mode, coordinates, scales)

    return gradient


def _coordinates(align_corners, half_pixel_centers):
    return "align_corners" if align_corners else "half_pixel" if half_pixel_centers else "asymmetric"


def _nearest_gradient(dy, size, align_corners, half_pixel_centers):
    return resize_back(dy, tuple(size), "nearest", _coordinates(align_corners, half_pixel_centers))


def _cubic_gradient(dy, x, align_corners, half_pixel_centers):
    return resize_back(dy, x.shape[2:], "tabulated_cubic", _coordinates(align_corners, half_pixel_centers))


def largest_of_windows(x, dy, argmax, data_format):
    """Gradient of max pooling from the positions of the maxima in their plane."""
    planes = x.shape[: x.ndim - (len(data_format) - 2)]
    flat = (*planes, -1)
    zeros = ops.zeros_like(x).reshape(flat)
    return zeros.scatter_add(len(planes), argmax.reshape(flat), dy.reshape(flat)).reshape(x.shape)


def _unpooled(x, dy, argmax, data_format, **settings):
    """Gradient of unpooling: each element receives the gradient of its position."""
    if data_format[1] != "C":
        first = (0, x.ndim - 1, *range(1, x.ndim - 1))
        back = (0, *range(2, x.ndim), 1)
        turned = _unpooled(x.transpose(first), dy.transpose(first), argmax.transpose(first), "NC")
        return turned.transpose(back)
    flat = (*x.shape[:2], -1)
    return dy.reshape(flat).gather_elements(2, argmax.reshape(flat).astype(_core.int64)).reshape(x.shape)


def _resized_line(dy, x, coordinate_transformation_mode):
    return resize_back(dy, x.shape[2:], "linear", coordinate_transformation_mode)


def _dilated_picture(x, filter, dy, **settings):
    return _passed_back(lambda value: resampled_images.dilated(value, filter, **settings), x, dy)


def _dilating_filter(x, filter, dy, **settings):
    return _passed_back(lambda value: resampled_images.dilated(x, value, **settings), filter, dy)


def _passed_back(function, value, dy):
    """Gradient of a function for a Tensor."""
    return vjp(function, value)[1](dy)[0]


def _placed_pictures(dy, original_image, scale, translation, **settings):
    return along(
        lambda images: resampled_images.placed(images, dy.shape[1:3], scale, translation, **settings),
        original_image.shape,
        dy,
    )


def _mirrored(dy, paddings, mode):
    pad = ops.MirrorPad(mode)
    shape = [size - before - after for size, (before, after) in zip(dy.shape, paddings.tolist(), strict=True)]
    return along(lambda x: pad(x, paddings), shape, dy)


def _padded(dy, paddings, mode, paddings_contiguous):
    pad = ops.PadV3(mode, paddings_contiguous)
    margins = [int(margin) for margin in (paddings.tolist() if hasattr(paddings, "tolist") else paddings)]
    if not paddings_contiguous:
        half = len(margins) // 2
        margins = [margins[i // 2 + half * (i % 2)] for i in range(len(margins))]
    shape = list(dy.shape)
    for place in range(len(margins) // 2):
        shape[-1 - place] -= margins[2 * place] + margins[2 * place + 1]
    return along(lambda x: pad(x, paddings), shape, dy)


def _offset_points(x, offsets, **settings):
    return ops.DeformableOffsets(**settings)(x, offsets)


def _max_pool_3d(x, **settings):
    return ops.MaxPool3D(**settings)(x)


def _pooled_by_parts(dy, shape):
    """The gradient of adaptive mean pooling of a Tensor of this shape."""
    spatial = dy.ndim - 2 if dy.ndim > 3 else 2
    pool = ops.adaptive_avg_pool3d if spatial == 3 else ops.adaptive_avg_pool2d
    return along(lambda x: pool(x, dy.shape[-spatial:]), [int(size) for size in shape], dy)


def _turned_grid(dy, size, align_corners):
    size = tuple(int(number) for number in size)
    return along(
        lambda theta: ops.affine_grid(theta, size, align_corners), (size[0], len(size) - 2, len(size) - 1), dy
    )


_CORNERS = {"align_corners": False, "half_pixel_centers": False}
_POINTS = {"strides": 1, "pads": 0, "ksize": 1, "dilations": (1, 1, 1, 1), "data_format": "NCHW"}
_POINTS |= {"deformable_groups": 1, "modulated": True}
_WINDOWS_3D = {"kernel_size": (1, 1, 1), "strides": (1, 1, 1), "pad_mode": "VALID", "pad_list": 0}
_WINDOWS_AT: dict = {"ksize": 1, "strides": 1, "pads": 0, "dilation": (1, 1, 1), "ceil_mode": False}
_WINDOWS_AT |= {"data_format": "NCDHW"}
_UNPOOLED: dict = {"ksize": 1, "strides": 0, "pads": 0, "output_shape": ()}
_DILATED: dict = {"stride": 1, "dilation": 1, "pad_mode": "SAME", "data_format": "NCHW"}
_BOXES = {"spatial_scale": 1.0, "group_size": 1, "output_dim": 1}

RULES = {
    "AdaptiveAvgPool2DGrad": Adjoint(_pooled_by_parts),
    "AdaptiveAvgPool3DGrad": Adjoint(_pooled_by_parts),
    "AdaptiveMaxPool2DGrad": Adjoint(lambda dy, x, argmax: largest_of_windows(x, dy, argmax, "NCHW")),
    "AdaptiveMaxPool3DGrad": Adjoint(lambda dy, x, argmax: largest_of_windows(x, dy, argmax, "NCDHW")),
    "AffineGridGrad": Adjoint(_turned_grid, align_corners=False),
    "DeformableOffsetsGrad": Rule(_offset_points, "dy x offsets", **_POINTS),
    "Dilation2DBackpropFilter": Adjoint(_dilating_filter, **_DILATED),
    "Dilation2DBackpropInput": Adjoint(_dilated_picture, **_DILATED),
    "FractionalMaxPool3DGradWithFixedKsize": Adjoint(largest_of_windows, data_format="NCDHW"),
    "FractionalMaxPoolGradWithFixedKsize": Adjoint(largest_of_windows, data_format="NCHW"),
    "MaxPool3DGradWithArgmax": Adjoint(
        lambda x, dy, argmax, data_format, **_: largest_of_windows(x, dy, argmax, data_format), **_WINDOWS_AT
    ),
    "MaxPool3DGrad": Rule(_max_pool_3d, "x y dy", **_WINDOWS_3D),
    "MaxUnpool2DGrad": Adjoint(_unpooled, **_UNPOOLED, data_format="NCHW"),
    "MaxUnpool3DGrad": Adjoint(_unpooled, **_UNPOOLED, data_format="NCDHW"),
    "MirrorPadGrad": Adjoint(_mirrored, mode="REFLECT"),
    "PadV3Grad": Adjoint(_padded, mode="constant", paddings_contiguous=True),
    "PSROIPoolingGrad": Adjoint(_regions, check=_check_regions, input_size=1, **_BOXES),
    "ResizeBicubicGrad": Adjoint(_cubic_gradient, **_CORNERS),
    "ResizeLinear1DGrad": Adjoint(_resized_line, coordinate_transformation_mode="align_corners"),
    "ResizeNearestNeighborGrad": Adjoint(_nearest_gradient, **_CORNERS),
    "ResizeNearestNeighborV2Grad": Adjoint(_nearest_gradient, **_CORNERS),
    "ROIAlignGrad": Adjoint(
        _aligned_regions, pooled_height=1, pooled_width=1, spatial_scale=1.0, sample_num=2
    ),
    "ScaleAndTranslateGrad": Adjoint(_placed_pictures, kernel_type="lanczos3", antialias=True),
    "UpsampleBicubic2DGrad": Adjoint(_upsampled("cubic"), align_corners=False),
    "UpsampleBilinear2DGrad": Adjoint(_upsampled("linear")),
    "UpsampleLinear1DGrad": Adjoint(_upsampled("linear")),
    "UpsampleNearest1DGrad": Adjoint(_upsampled("nearest")),
    "UpsampleNearest2DGrad": Adjoint(_upsampled("nearest")),
    "UpsampleNearest3DGrad": Adjoint(_upsampled("nearest")),
    "UpsampleTrilinear3DGrad": Adjoint(_upsampled("linear"), align_corners=False),
}
