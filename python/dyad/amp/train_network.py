"""A network, its loss and an optimizer as one training step in mixed precision."""

from dyad import nn
from dyad._core import float16, float32
from dyad._src.base.argument_checks import require_bool, require_choice
from dyad._src.base.no_effect import say_no_effect
from dyad._src.tensor.precision import cast_floats
from dyad.amp.conversion import LEVELS, auto_mixed_precision
from dyad.amp.loss_scale_manager import DynamicLossScaleManager, LossScaleManager

__all__ = ["build_train_network"]

_OWNER = "build_train_network"
_BOOST_LEVELS = ("O0", "O1", "O2")


def build_train_network(
    network, optimizer: nn.Optimizer, loss_fn=None, level: str = "O0", boost_level: str = "O0", **kwargs
):
    """The Cell that does one training step, with the network converted by `auto_mixed_precision`.

    Without `loss_fn` the network returns its loss itself. Level "O2" scales the loss dynamically. Keywords override
    the level: `cast_model_type`, float16 to lower the whole network or float32 not to; `keep_batchnorm_fp32`, whether
    the Cells of `get_black_list()` stay in float32 then; `loss_scale_manager`, a LossScaleManager or None.
    `boost_level` has no effect.

    Example:
        >>> from dyad import Tensor, amp, nn
        >>> net = nn.Dense(2, 1)
        >>> step = amp.build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), level="O2")
        >>> loss, overflowed, scale = step(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    """
    if not isinstance(optimizer, nn.Optimizer):
        raise TypeError(f"{_OWNER}: optimizer is of type {type(optimizer).__name__}; need an Optimizer")
    require_choice(_OWNER, "level", level, LEVELS)
    if require_choice(_OWNER, "boost_level", boost_level, _BOOST_LEVELS) != "O0":
        say_no_effect("build_train_network(boost_level=)", f"{_OWNER}: boost_level {boost_level!r}")
    settings = {**settings_of(level), **_require_settings(kwargs)}
    network = _converted(network, level, settings)
    if loss_fn is not None:
        network = _with_loss(network, loss_fn, level, settings)
    return _training_step(network, optimizer, settings["loss_scale_manager"]).set_train()


def settings_of(level) -> dict:
    """The keywords of `build_train_network` that a level sets."""
    return {
        "cast_model_type": float16 if level in ("O2", "O3") else float32,
        "keep_batchnorm_fp32": level == "O2",
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }


def _require_settings(given):
    known = tuple(settings_of("O0"))
    for name in given:
        if name not in known:
            raise ValueError(f"{_OWNER}: there is no setting {name!r}; need one of {', '.join(known)}")
    if given.get("cast_model_type", float32) not in (float16, float32):
        raise TypeError(f"{_OWNER}: cast_model_type is {given['cast_model_type']!r}; need float16 or float32")
    require_bool(_OWNER, "keep_batchnorm_fp32", given.get("keep_batchnorm_fp32", False))
    manager = given.get("loss_scale_manager")
    if manager is not None and not isinstance(manager, LossScaleManager):
        raise TypeError(
            f"{_OWNER}: loss_scale_manager is of type {type(manager).__name__}; need a LossScaleManager or None"
        )
    return given


def _converted(network, level, settings):
    if not isinstance(network, nn.Cell):
        raise TypeError(f"{_OWNER}: network is of type {type(network).__name__}; need a Cell")
    if settings["cast_model_type"] == float16:
        return auto_mixed_precision(network, "O2" if settings["keep_batchnorm_fp32"] else "O3")
    return network if level in ("O2", "O3") else auto_mixed_precision(network, level)


def _with_loss(network, loss_fn, level, settings):
    if not isinstance(loss_fn, nn.Cell):
        raise TypeError(f"{_OWNER}: loss_fn is of type {type(loss_fn).__name__}; need a Cell")
    if settings["cast_model_type"] == float16 or (network._amp_level or level) in (
        "O2",
        "O3",
        "auto",
    ):
        return LossInFloat32(network, loss_fn)
    return nn.WithLossCell(network, loss_fn)


class LossInFloat32(nn.WithLossCell):
    """The loss of a network, computed from its output and the label in float32."""

    def construct(self, data, label):
        """Returns the loss."""
        return self._loss_fn(cast_floats(float32, self._backbone(data)), cast_floats(float32, label))


def _training_step(network, optimizer, manager):
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer)
    update = manager.get_update_cell()
    if update is None:
        return nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, update)
