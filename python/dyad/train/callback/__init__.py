"""Callbacks: functions called at the start and the end of training, of each epoch and of each step.

Each file holds one of them, under MindSpore's module path.
"""

from dyad.train.callback._backup_and_restore import BackupAndRestore
from dyad.train.callback._callback import Callback
from dyad.train.callback._callback import CallbackManager as _CallbackManager  # noqa: F401
from dyad.train.callback._callback import InternalCallbackParam as _InternalCallbackParam  # noqa: F401
from dyad.train.callback._checkpoint import CheckpointConfig, ModelCheckpoint
from dyad.train.callback._checkpoint import CheckpointManager as _CheckpointManager  # noqa: F401
from dyad.train.callback._early_stop import EarlyStopping
from dyad.train.callback._fault_tolerance import MindIOTTPAdapter, TrainFaultTolerance
from dyad.train.callback._flops_collector import FlopsUtilizationCollector
from dyad.train.callback._history import History
from dyad.train.callback._lambda_callback import LambdaCallback
from dyad.train.callback._loss_monitor import LossMonitor
from dyad.train.callback._lr_scheduler_callback import LearningRateScheduler
from dyad.train.callback._on_request_exit import OnRequestExit
from dyad.train.callback._progress_bar import ProgressBar
from dyad.train.callback._reduce_lr_on_plateau import ReduceLROnPlateau
from dyad.train.callback._run_context import RunContext
from dyad.train.callback._saved_network import checkpoint_cb_for_save_op as _checkpoint_cb_for_save_op  # noqa: F401
from dyad.train.callback._saved_network import set_cur_net as _set_cur_net  # noqa: F401
from dyad.train.callback._summary_collector import SummaryCollector
from dyad.train.callback._time_monitor import TimeMonitor
from dyad.train.summary.landscape import SummaryLandscape

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "MindIOTTPAdapter",
    "ModelCheckpoint",
    "OnRequestExit",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
    "TrainFaultTolerance",
]
