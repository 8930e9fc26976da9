"""Training with fewer, larger or cheaper steps."""

from dyad.compat.mindspore.boost import grad_accumulation as grad_accumulation
from dyad.compat.mindspore.boost.adasum import AdaSum
from dyad.compat.mindspore.boost.base import OptimizerProcess, ParameterProcess
from dyad.compat.mindspore.boost.boost import AutoBoost
from dyad.compat.mindspore.boost.boost_cell_wrapper import (
    BoostTrainOneStepCell,
    BoostTrainOneStepWithLossScaleCell,
)
from dyad.compat.mindspore.boost.dim_reduce import DimReduce
from dyad.compat.mindspore.boost.grad_accumulation import GradientAccumulation
from dyad.compat.mindspore.boost.grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from dyad.compat.mindspore.boost.group_loss_scale_manager import GroupLossScaleManager
from dyad.compat.mindspore.boost.less_batch_normalization import LessBN

__all__ = [
    "AdaSum",
    "AutoBoost",
    "BoostTrainOneStepCell",
    "BoostTrainOneStepWithLossScaleCell",
    "DimReduce",
    "FreezeOpt",
    "GradientAccumulation",
    "GradientFreeze",
    "GroupLossScaleManager",
    "LessBN",
    "OptimizerProcess",
    "ParameterProcess",
    "freeze_cell",
]
