"""Recovery of clusters from failing devices, which one process has no part in."""

from dyad.train.callback._callback import Callback

_REASON = (
    "it recovers a cluster of Ascend devices through the package mindio_ttp, and this is one process; "
    "need BackupAndRestore, or ModelCheckpoint with exception_save"
)


class TrainFaultTolerance(Callback):
    """Cannot be made: it recovers clusters of Ascend devices. Raises ValueError."""

    def __init__(self, ckpt_save_path=None, **kwargs):
        raise ValueError(f"TrainFaultTolerance: {_REASON}")


class MindIOTTPAdapter(Callback):
    """Cannot be made: it recovers clusters of Ascend devices. Raises ValueError."""

    def __init__(self, controller_ip, controller_port, ckpt_save_path):
        raise ValueError(f"MindIOTTPAdapter: {_REASON}")
