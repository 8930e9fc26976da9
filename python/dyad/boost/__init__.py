"""Training with fewer, larger or cheaper steps."""

from dyad.boost import grad_accumulation as grad_accumulation
from dyad.boost.adasum import AdaSum
from dyad.boost.base import OptimizerProcess, ParameterProcess
from dyad.boost.boost import AutoBoost
from dyad.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from dyad.boost.dim_reduce import DimReduce
from dyad.boost.grad_accumulation import GradientAccumulation
from dyad.boost.grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from dyad.boost.group_loss_scale_manager import GroupLossScaleManager
from dyad.boost.less_batch_normalization import LessBN

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
