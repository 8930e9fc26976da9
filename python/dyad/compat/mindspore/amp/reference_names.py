"""Undocumented names of MindSpore's module that other packages import."""

from dyad import nn
from dyad._core import Tensor, float16, float32
from dyad._src.tensor.precision import cast_floats
from dyad.amp.conversion import LEVELS, lower_all, lower_listed
from dyad.amp.lists import AMP_BLACK_LIST
from dyad.amp.loss_scaler import scaled
from dyad.amp.train_network import LossInFloat32, settings_of

__all__ = [
    "_OutputTo16",
    "_OutputTo32",
    "_add_loss_network",
    "_auto_black_list",
    "_auto_mixed_precision_rewrite",
    "_config_level",
    "_do_keep_batchnorm_fp32",
    "_grad_scale_map",
    "_grad_unscale_map",
]

# Settings of `build_train_network` for each level.
_config_level = {level: settings_of(level) for level in LEVELS}


class _OutputTo32(nn.Cell):
    """A network with the floats among its results cast to float32."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *args, **kwargs):
        """The results in float32."""
        return cast_floats(float32, self._backbone(*args, **kwargs))


class _OutputTo16(nn.Cell):
    """A network with the floats among its results cast to float16 or bfloat16."""

    def __init__(self, backbone, dtype=float16):
        super().__init__(auto_prefix=False)
        self._backbone, self.dtype = backbone, dtype

    def construct(self, *args, **kwargs):
        """The results in the lower precision."""
        return cast_floats(self.dtype, self._backbone(*args, **kwargs))


def _auto_black_list(network, black_list, dtype=float16):
    """Makes the network compute in `dtype` except for Cells of the listed classes; results keep their dtype."""
    lower_all(network, dtype, black_list)
    network._set_precision(_output_dtype=None)
    return network


def _auto_mixed_precision_rewrite(network, dtype, *, white_list=None, black_list=None):
    """Does the same as `custom_mixed_precision` without its checks of the lists."""
    if (white_list is None) == (black_list is None):
        raise ValueError("_auto_mixed_precision_rewrite: need either white_list or black_list")
    if white_list is not None:
        return lower_listed(network, white_list, dtype)
    return lower_all(network, dtype, black_list)


def _do_keep_batchnorm_fp32(network):
    """Makes the Cells of `get_black_list()` in a network compute in float32, whatever `to_float` was set to."""
    kinds: tuple[type[nn.Cell], ...] = tuple(AMP_BLACK_LIST)
    for _, cell in network.cells_and_names():
        if isinstance(cell, kinds):
            cell.to_float(float32)


def _add_loss_network(network, loss_fn, cast_model_type):
    """The network with its loss, which is computed in float32 where the network computes in float16."""
    if cast_model_type == float16:
        return LossInFloat32(network, loss_fn)
    return nn.WithLossCell(network, loss_fn)


def _grad_scale_map(scale_value, inputs):
    """Multiplies a Tensor, or each of a tuple or list of them, by a scale, for user-defined loss scalers."""
    return scaled("_grad_scale_map", inputs, _as_factor(scale_value))


def _grad_unscale_map(scale_value, inputs):
    """A Tensor, or a tuple or list of them, over a scale."""
    return scaled("_grad_unscale_map", inputs, 1 / _as_factor(scale_value))


def _as_factor(scale_value):
    return scale_value.reshape(()) if isinstance(scale_value, Tensor) else Tensor(scale_value, float32)
